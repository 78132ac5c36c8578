"""A kind of joint is declared once: kinds that only the declaration knows work everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import numpy as np
import pytest

import oracle
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.error_scale.sizes import ErrorScale
from cross_check.prove.proof.prove import prove
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.engines.pinocchio.adapter import Pinocchio
from implementations.engines.rbdl.adapter import RBDL
from implementations.protocol import Missing, Unsupported
from implementations.recorded.traced import TRACED
from implementations.screws.product_of_exponentials import SCREWS
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, MechanismError, difference, integrate, neutral, random_mechanism, write_urdf
from mechanisms.joint_kinds import JOINT_KINDS, MOVING, Coordinate, JointKind, Kind, slide, turn
from mechanisms.quantities import QUANTITIES

TRIALS = {
    "crank": JointKind((turn("axis", "angle"), slide("axis", "distance")), ("circle", "distance")),
    "reach": JointKind((slide("x", "reach"), turn("second axis", "tilt")), ("distance", "angle")),
    "drill": JointKind((Coordinate("drill", "axis", True, "pitch"), turn("x", "wrist")), ("angle", "circle")),
    "roll": JointKind((turn("x", "w"), slide("y", "vy"), slide("z", "vz")), ("distance", "distance", "angle"), True),
}
BAR = 16
COMPARED = ("inverse_dynamics", "mass_matrix", "nonlinear_effects", "kinetic_energy", "placements", "jacobians_world")
DERIVATIONS = [REFERENCE, TRACED, NEWTON_EULER, SCREWS, Pinocchio(), RBDL()]


@pytest.fixture(params=TRIALS)
def mechanism(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mechanism]:
    monkeypatch.setitem(JOINT_KINDS, request.param, TRIALS[request.param])
    yield random_mechanism(1, 3, (request.param,), shape="chain")


def test_the_names_and_the_declarations_are_the_same_kinds() -> None:
    assert get_args(Kind) == tuple(JOINT_KINDS)
    assert set(JOINT_KINDS) - set(MOVING) == {"fixed"}


@pytest.mark.slow
def test_implementations_agree_with_the_oracle(mechanism: Mechanism) -> None:
    kind = mechanism.bodies[0].joint.kind
    states = sample(mechanism, 0, 21)
    truth, sizes = oracle.EulerLagrange(mechanism, oracle.Real(np.longdouble)), ErrorScale(mechanism)
    refused = set()
    for implementation in DERIVATIONS:
        try:
            dynamics = implementation.load(mechanism)
        except Missing:
            continue
        except Unsupported as unsupported:
            assert kind in str(unsupported) or "helical" in str(unsupported)
            refused.add(implementation.name)
            continue
        compared = 0
        for name in COMPARED:
            if (function := getattr(dynamics, name, None)) is not None:
                arguments = states.arguments(QUANTITIES[name].arguments)
                error = abs(function(*arguments) - getattr(truth, name)(*arguments))
                allowed = BAR * np.finfo(float).eps * sizes.size(name, *arguments) + 1e-300
                assert (error <= allowed).all(), (implementation.name, name)
                compared += 1
        assert compared >= 4, implementation.name
    assert refused <= {"drill": {"rbdl"}, "roll": {"pinocchio"}}.get(kind, set())


def test_both_derivations_are_equal_in_general_position(mechanism: Mechanism) -> None:
    asked = ["inverse_dynamics", "inverse_dynamics_dq", "placements"]
    certificate = prove(mechanism, "it", quantities=asked)
    assert (certificate.verdict, set(certificate.quantities)) == ("proven", set(asked))


def test_polynomials_are_those_of_the_jets(mechanism: Mechanism) -> None:
    states = sample(mechanism, 0, 7)
    first = Mechanism("first", mechanism.bodies[:1], mechanism.gravity)
    equations = oracle.derive(first)
    q, v, a = (x[:, : first.nq if k == 0 else first.nv] for k, x in enumerate((states.q, states.v, states.a)))
    expected = oracle.EulerLagrange(first, oracle.Real()).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(oracle.Evaluator(equations).inverse_dynamics(q, v, a), expected, atol=1e-10 * abs(expected).max())
    assert f"({first.bodies[0].joint.description.position_units})" in oracle.text(equations)


def test_states_lead_from_one_to_the_other(mechanism: Mechanism) -> None:
    rng = np.random.default_rng(1)
    start = integrate(mechanism, neutral(mechanism)[None], rng.normal(size=(1, mechanism.nv)))
    step = rng.normal(size=(1, mechanism.nv))
    np.testing.assert_allclose(difference(mechanism, start, integrate(mechanism, start, step)), step, atol=1e-12)
    assert len(mechanism.positions) == mechanism.nq
    assert len(set(mechanism.positions)) == mechanism.nq


def test_urdf_refuses_in_one_sentence(mechanism: Mechanism) -> None:
    with pytest.raises(MechanismError, match=f"^joint 'joint1' is {mechanism.bodies[0].joint.kind}, which URDF cannot say; use "):
        write_urdf(mechanism)
