"""Kinematics compared with the truth: correct code in any frame agrees, and what is commonly got wrong is caught."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cross_check.exchange.results.objects import BAR
from cross_check.harness import Entry, check
from cross_check.judge.comparison.case import prepare
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.settings import Settings
from cross_check.prove.proof.prove import prove
from implementations.plugins.user_code import as_implementation
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import ALGORITHMS, REFERENCE
from mechanisms import Body, Joint, Mechanism, find_mechanism, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import MOMENTUM, MOTION, QUANTITIES, USUAL, expand_groups

Array = np.ndarray[Any, Any]

KINEMATICS = tuple(name for name, quantity in QUANTITIES.items() if quantity.group == "kinematics")
EVERY = random_mechanism(5, 8, MOVING, tilted_gravity=True)
ASKED = REFERENCE.load(EVERY)


def run(implementation: Any, mechanism: Mechanism) -> tuple[dict[str, str], Any]:
    """The verdicts about everything that is compared, and what the document says about the mechanism."""
    settings = Settings(states=7, quantities=KINEMATICS, invariants=False)
    document = check([("one", mechanism)], [Entry("mine", "mine", InProcess(implementation))], settings, explain=False).document()
    verdicts = {cell["quantity"]: cell["verdict"] for cell in document["cells"] if cell["verdict"] != "not offered"}
    return verdicts, document["mechanisms"][0]


def test_forces_are_drawn_beside_the_states_and_not_from_them() -> None:
    """q, v and a are what they were before there were forces."""
    mechanism = find_mechanism("planar-pendulum:2")
    states = sample(mechanism, 3, 28)
    rng = np.random.default_rng([3, zlib.crc32("\n".join(mechanism.coordinates).encode())])
    np.testing.assert_array_equal(np.stack([states.q[1], states.v[1], states.a[1]]), rng.normal(size=(3, 2)))
    assert states.f.shape == (28, 2, 6)
    np.testing.assert_array_equal(states.f, sample(mechanism, 3, 28).f)
    assert (states.f[1] != sample(mechanism, 4, 28).f[1]).all()
    sizes = {kind: np.abs(states.f[np.array(states.kinds) == kind]).max() for kind in states.kinds}
    assert sizes["zero"] == 0 < sizes["tiny"] < 1e-2 < sizes["random"] < sizes["large"]
    np.testing.assert_array_equal(states.pick(np.array([5, 2])).f, states.f[[5, 2]])


def units(case: Any, quantity: str, answer: Array) -> float:
    return float(compare(case, QUANTITIES[quantity], answer).units.max())


@pytest.fixture(scope="module")
def case() -> Any:
    return prepare(EVERY, 0, 28)


@pytest.mark.parametrize("half", [slice(0, 3), slice(3, 6)], ids=["angular", "linear"])
def test_the_twelfth_digit_is_noticed(case: Any, half: slice) -> None:
    """Sizes are no larger than what they are the sizes of."""
    missed = set()
    for quantity in KINEMATICS:
        six = [k for k, axis in enumerate(QUANTITIES[quantity].axes, 1) if axis in (MOTION, MOMENTUM)]
        off = getattr(ASKED, quantity)(*case.states.arguments(QUANTITIES[quantity].arguments)).copy()
        part = off[(slice(None),) * six[0] + (half,)] if six else off
        part *= 1 + 1e-12
        if units(case, quantity, off) <= BAR:
            missed.add(quantity)
    assert missed == set()


OTHERWISE: dict[str, Callable[..., Array]] = {
    "velocities_local": lambda q, v: _product("jacobians_local", q, v),
    "velocities_world": lambda q, v: _product("jacobians_world", q, v),
    "classical_accelerations": lambda q, v, a: _product("jacobians_aligned", q, a) + ASKED.drifts_aligned(q, v),
}
"""Other sums than the reference has."""


def _product(jacobians: str, q: Array, v: Array) -> Array:
    return np.einsum("bnij,bj->bni", getattr(ASKED, jacobians)(q), v)


@pytest.mark.parametrize("quantity", OTHERWISE)
def test_correct_code_that_adds_up_other_terms_agrees(case: Any, quantity: str) -> None:
    """At rest, at quarter turns, at tiny and at large positions, and fast."""
    answer = OTHERWISE[quantity](*case.states.arguments(QUANTITIES[quantity].arguments))
    assert units(case, quantity, answer) < BAR


def test_components_and_groups_have_names() -> None:
    assert QUANTITIES["velocities_local"].component(EVERY, (2, 4)) == "body3, vy"
    assert QUANTITIES["jacobians_world"].component(EVERY, (2, 4, 3)).endswith(f", {EVERY.coordinates[3]}")
    assert expand_groups(["gravity", "kinematics", "placements", "nonsense"]) == ("gravity", *KINEMATICS, "nonsense")
    assert expand_groups(["dynamics", "kinematics", "derivatives", "regressors"]) == expand_groups(["usual"]) == USUAL


def test_a_user_offers_what_there_is() -> None:
    """Functions of one state; f comes as (bodies, 6)."""

    def velocities_world(mechanism: Mechanism, q: Array, v: Array) -> Array:
        return REFERENCE.load(mechanism).velocities_world(q[None], v[None])[0]

    def inverse_dynamics_with_forces(mechanism: Mechanism, q: Array, v: Array, a: Array, f: Array) -> Array:
        assert f.shape == (len(mechanism.bodies), 6)
        return REFERENCE.load(mechanism).inverse_dynamics_with_forces(q[None], v[None], a[None], f[None])[0]

    functions = (velocities_world, inverse_dynamics_with_forces)
    mine = as_implementation(SimpleNamespace(**{function.__name__: function for function in functions}), "mine", "mine")
    assert run(mine, EVERY)[0] == {function.__name__: "agrees" for function in functions}


def test_what_has_no_mass_is_compared_in_everything_else(with_bridge: None) -> None:
    rotor = Mechanism("rotor", (Body("disc", "world", Joint("axle", "revolute", armature=1)),))
    verdicts, mechanism = run(REFERENCE, rotor)
    assert verdicts == {name: "unsupported" if "cent" in name else "agrees" for name in KINEMATICS}
    assert mechanism["bridge"].keys() == {name for name in KINEMATICS if "cent" not in name}


def test_a_certificate_refutes_what_is_wrong() -> None:
    """The classical acceleration without ω × v, and a force that acts on its body's parent."""
    spatial = ALGORITHMS["accelerations_aligned"]

    def shifted(model: Any, q: Array, v: Array, a: Array, f: Array) -> Array:
        return ALGORITHMS["inverse_dynamics_with_forces"](model, q, v, a, np.roll(f, -1, axis=0))

    faulty = {"classical_accelerations": spatial, "inverse_dynamics_with_forces": shifted}
    proofs = prove(random_mechanism(6, 3, ("revolute",)), "mine", algorithms=faulty, quantities=KINEMATICS).quantities
    assert {name: proof.verdict for name, proof in proofs.items()} == dict.fromkeys(faulty, "refuted")
    # The first body turns about its own origin, which stands still.
    assert proofs["classical_accelerations"].witness.component == (1, 3)
