"""Programs for an engine alone: what they ask and expect is what the adapter converts, for every joint and quantity."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from implementations.protocol import Evaluation, Unsupported
from implementations.source import Source, written
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism
from mechanisms.quantities import GROUPS, QUANTITIES, USUAL
from mechanisms.states import integrate, neutral

SKEW = ("random:7:3:all", "random:5:3:continuous,helical,planar", "random:2:3:free,spherical")
PLAIN = ("cart-pole", "free:double-pendulum")
BY_NAME = [*GROUPS["statics"], *GROUPS["energy-regressors"], *GROUPS["centroidal"]]
BY_NAME.remove("centroidal_momentum_matrix_rate")  # A known finding.


def state_of(mechanism: Mechanism) -> dict[str, Any]:
    draw = np.random.default_rng(1)
    v, a, step = draw.normal(size=(3, 1, mechanism.nv))
    q = integrate(mechanism, neutral(mechanism)[None], step)
    tau = REFERENCE.load(mechanism).inverse_dynamics(q, v, a)
    return {"q": q, "v": v, "a": a, "tau": tau, "f": draw.normal(size=(1, len(mechanism.bodies), 6))}


def both_answers(engine: str, mechanism: Mechanism, quantity: str, version: str = "") -> tuple[Any, Evaluation]:
    """What the program gets, and the program."""
    state = state_of(mechanism)
    right = getattr(REFERENCE.load(mechanism), quantity)(*(state[name] for name in QUANTITIES[quantity].arguments))[0]
    if quantity == "coriolis_matrix":
        right = np.column_stack([right + right.T, right @ state["v"][0]])
    module = importlib.import_module(f"implementations.engines.{engine}.evaluation")
    program = module.evaluation(mechanism, quantity, {name: x[0] for name, x in state.items()}, right, version)
    names: dict[str, Any] = {}
    exec("\n".join(program.lines), names)
    return np.array(names["got"]), program


@pytest.mark.engines
@pytest.mark.slow
@pytest.mark.parametrize("spec", [*SKEW, *PLAIN])
def test_pinocchio_answers_what_is_expected(spec: str) -> None:
    mechanism, compared = find_mechanism(spec), 0
    for quantity in (*USUAL, *(BY_NAME if spec in PLAIN else ())):
        try:
            got, program = both_answers("pinocchio", mechanism, quantity)
        except Unsupported:
            continue
        known = quantity.startswith("drifts") or QUANTITIES[quantity].group == "derivatives"
        if spec in PLAIN or not known:  # Known findings concern some of these on the other mechanisms.
            np.testing.assert_allclose(got, program.expected, rtol=1e-8, atol=1e-8, err_msg=quantity)
        compared += 1
    assert compared >= (len(USUAL) + len(BY_NAME) - 1 if spec in PLAIN else 15)  # With damping, ∂q̈/∂v has none.


@pytest.mark.engines
@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.3.1 (biorbd 1.12.4)", "3.3.1"])
@pytest.mark.parametrize("spec", [*PLAIN, "random:11:4:revolute,universal,spherical", "random:5:3:continuous,planar"])
def test_rbdl_answers_what_is_expected(spec: str, version: str) -> None:
    pytest.importorskip("biorbd" if "biorbd" in version else "rbdl", reason="this binding is not installed; see docs/engines.md")
    mechanism, compared = find_mechanism(spec), 0
    for quantity in USUAL:
        try:
            got, program = both_answers("rbdl", mechanism, quantity, version)
        except Unsupported:
            continue
        if quantity == "inverse_dynamics" and "biorbd" in version and any(body.joint.damping for body in mechanism.bodies):
            continue  # A known finding.
        if quantity == "forward_dynamics" and any(body.joint.armature for body in mechanism.bodies):
            continue  # The adapter refuses it.
        np.testing.assert_allclose(got, program.expected, rtol=1e-8, atol=1e-8, err_msg=quantity)
        compared += 1
    assert compared >= 6


def test_names_are_data_in_the_source() -> None:
    """A text never ends its quotes, and what nobody uses has no name."""
    source = Source()
    engine = source.module("pin")
    model = engine.Model()
    name = "'); import os; os.abort() #\n\u202e"
    model.name = name
    model.addJoint(0, engine.SE3.Identity(), name)
    inertia = engine.Inertia.Zero()
    inertia.mass = 1
    model.append(model.addJoint(0, name), inertia)
    assert source.lines == (
        "model = pin.Model()",
        f"model.name = {name!r}",
        f"model.addJoint(0, pin.SE3.Identity(), {name!r})",
        "inertia1 = pin.Inertia.Zero()",
        "inertia1.mass = 1",
        f"joint2 = model.addJoint(0, {name!r})",
        "model.append(joint2, inertia1)",
    )
    assert written(name) == repr(name) and "\n" not in written(name) and name.isprintable() is False


@pytest.mark.parametrize("value", [np.zeros(2), np.zeros((2, 3)), np.eye(3), np.array([0.1, -2.0]), np.array(1.5), np.zeros(0)])
def test_arrays_are_written_as_they_are(value: Any) -> None:
    assert np.array_equal(eval(written(value), {"np": np}), value)
