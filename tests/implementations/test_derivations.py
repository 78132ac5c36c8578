"""The independent derivations of inverse dynamics, compared with the reference: in fractions, without any tolerance."""

from __future__ import annotations

import random
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from every_joint import chain, states

from cross_check.judge.error_scale.sizes import ErrorScale
from implementations import algorithms
from implementations.algorithms import Algorithmic
from implementations.classical import newton_euler
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.field import Rational, Real
from implementations.screws import product_of_exponentials
from implementations.screws.product_of_exponentials import SCREWS
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS, REFERENCE, Reference
from mechanisms import Body, Inertia, Joint, Mechanism, MechanismError, Placement, random_mechanism, robot
from mechanisms.joint import MOVING, Kind
from mechanisms.quantities import QUANTITIES, USUAL
from mechanisms.split_joints import elementary

EACH = pytest.mark.parametrize("derivation", [newton_euler, product_of_exponentials], ids=["newton-euler", "screws"])
LOADED = pytest.mark.parametrize("implementation", [NEWTON_EULER, SCREWS], ids=lambda implementation: implementation.name)


def numbers(draw: random.Random, size: int) -> Any:
    """Fractions (size, 1), none of them zero."""
    values = [draw.choice((-1, 1)) * Fraction(draw.randint(1, 9), draw.randint(1, 9)) for _ in range(size)]
    return np.array(values, dtype=object)[:, None]


def position(draw: random.Random, mechanism: Mechanism) -> Any:
    """A position (nq, 1) without zeros; cosine and sine have the length one."""
    q = numbers(draw, mechanism.nq)
    for body, at in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind == "continuous":
            q[at] = np.concatenate(Rational().cos_sin(q[at][:1]))
    return q


def exact_state(mechanism: Mechanism, seed: int) -> dict[str, Any]:
    """Random fractions; no angle is a right one, in which Euler angles lock and M is singular."""
    draw = random.Random(seed)
    q = position(draw, mechanism)
    while (abs(q) == 1).any():
        q = position(draw, mechanism)
    v, a, tau = (numbers(draw, mechanism.nv) for _ in range(3))
    return {"q": q, "v": v, "a": a, "tau": tau}


def differing(derivation: ModuleType, mechanism: Mechanism, seed: int = 0) -> list[str]:
    """The quantities of ``derivation`` in which it is not the reference to the last digit."""
    state, field = exact_state(mechanism, seed), Rational()
    model, reference = derivation.build(mechanism, field), build(mechanism, field)

    def agrees(quantity: str) -> bool:
        arguments = [state[name] for name in QUANTITIES[quantity].arguments]
        got, expected = derivation.ALGORITHMS[quantity](model, *arguments), ALGORITHMS[quantity](reference, *arguments)
        return got.shape == expected.shape and bool((got == expected).all())

    return [quantity for quantity in derivation.ALGORITHMS if not agrees(quantity)]


@LOADED
@pytest.mark.parametrize("block", [1, 12, 2048])
def test_columns_of_the_mass_matrix_share_passes(implementation: Algorithmic, block: int, monkeypatch: Any) -> None:
    """With five states, a pass has one column, two, or all."""
    monkeypatch.setattr(algorithms, "BLOCK", block)
    mechanism = random_mechanism(3, 3, ("cylindrical", "revolute", "free"))
    q, *_ = states(mechanism, 5)
    M, expected = (loaded.load(mechanism).mass_matrix(q) for loaded in (implementation, REFERENCE))
    assert abs(M - expected).max() < 1e-13 * abs(expected).max()


@pytest.mark.nightly
@pytest.mark.slow
@EACH
@pytest.mark.parametrize("kind", MOVING)
def test_every_joint_alone(derivation: ModuleType, kind: Kind) -> None:
    assert not differing(derivation, random_mechanism(1, 1, (kind,), tilted_gravity=True))
    assert not differing(derivation, random_mechanism(2, 3, (kind,), tilted_gravity=True), 1)


@EACH
@pytest.mark.parametrize("parent", ["world", "post"])
def test_what_is_welded_and_what_has_no_mass(derivation: ModuleType, parent: str) -> None:
    """A massless body on the way, a massless end with a rotor, and a post that does not move or does."""
    bob = Inertia(2, ("0.1", "-0.2", "0.3"), ("0.03", "0.04", "0.05", "0.001", "0.002", "0.003"))
    at = Placement(translation=("0.1", "0.2", "0.3"))
    bodies = (
        Body("post", "world", Joint("base", "fixed" if parent == "world" else "universal", placement=at), bob),
        Body("ring", parent, Joint("outer", "revolute", (1, 0, 0), at)),
        Body("bob", "ring", Joint("inner", "prismatic", (0, 1, 0)), bob),
        Body("end", "bob", Joint("last", "helical", placement=at, armature="0.1", pitch="0.2")),
    )
    assert not differing(derivation, Mechanism("welded", bodies))


def test_elementary_joints_have_names_that_no_mechanism_can_have_taken() -> None:
    bodies = (Body("0.0", "root", Joint("0.1", "universal")), Body("world", "0.0", Joint("0.0", "euler-xyz")))
    assert len(elementary(Mechanism("named", bodies, root="root")).bodies) == 5


# In floating point, on batches


@pytest.mark.engines
@EACH
@pytest.mark.parametrize("name", ["ur5", "solo12"])
@pytest.mark.parametrize("real", [np.float64, np.longdouble], ids=["float64", "longdouble"])
def test_within_rounding_of_the_reference_on_robots(derivation: ModuleType, name: str, real: Any) -> None:
    """Two computations of a few ε-units each; one constant that is lost on its way to longdouble would cost two thousand."""
    try:
        mechanism = robot(name)
    except MechanismError as error:
        pytest.skip(str(error))
    dynamics = Algorithmic(name, derivation.build, derivation.ALGORITHMS, Real(real)).load(mechanism)
    reference = Reference(Real(real)).load(mechanism)
    state = dict(zip("qva", states(mechanism, 8), strict=True))
    for quantity in sorted(derivation.ALGORITHMS.keys() - {"forward_dynamics"}):
        arguments = [state[argument] for argument in QUANTITIES[quantity].arguments]
        got, expected = (getattr(each, quantity)(*arguments) for each in (dynamics, reference))
        assert got.dtype == real
        units = np.abs(got - expected) / (np.finfo(real).eps * ErrorScale(mechanism).size(quantity, *arguments))
        assert units.max() <= 8, quantity


@pytest.mark.slow
@LOADED
@pytest.mark.parametrize("kind", MOVING)
def test_every_joint_in_batches(implementation: Algorithmic, kind: Kind) -> None:
    """Alone on its root, where constants and batches of one and of many meet."""
    mechanism = chain(kind)
    q, v, a = states(mechanism, 5)
    dynamics, reference = implementation.load(mechanism), REFERENCE.load(mechanism)
    state = {"q": q, "v": v, "a": a, "tau": reference.inverse_dynamics(q, v, a)}
    offered = [name for name in USUAL if hasattr(dynamics, name)]
    assert ("forward_dynamics" in offered, len(offered)) == ((True, 7) if implementation is NEWTON_EULER else (False, 6))
    for name in offered:
        for count in (5, 1, 0):
            arguments = [state[argument][:count] for argument in QUANTITIES[name].arguments]
            got, expected = (getattr(each, name)(*arguments) for each in (dynamics, reference))
            assert got.shape == (count, *QUANTITIES[name].dimensions(mechanism))
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * (1 + np.abs(state["tau"]).max()), err_msg=name)
