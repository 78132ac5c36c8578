"""The Euler–Lagrange equations by jets: against the polynomials, over balls, and how they share their work.

test_every_quantity.py compares them with the reference.
"""

from __future__ import annotations

from typing import Any

import flint
import numpy as np
import pytest
import sympy
from exact_states import state

import oracle
from mechanisms import Body, Joint, Mechanism, find_mechanism, integrate, neutral, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import QUANTITIES
from oracle import fields
from oracle.by_jets import transforms as motions
from oracle.by_jets.euler_lagrange import EulerLagrange

TREE = random_mechanism(1, 5, MOVING, tilted_gravity=True)

SYMBOLIC = ("floating-base-link", "puck", "screw-jack", "universal-pendulum", "branched-tree", "stanford-arm", "telescope")
SYMBOLIC += ("random:3:4:spherical,continuous", "random:1:7:revolute,prismatic,helical,mimic")


@pytest.mark.parametrize("name", SYMBOLIC)
def test_equals_the_symbolic_equations(name: str) -> None:
    mechanism, rng = find_mechanism(name), np.random.default_rng(4)
    v, a, step = rng.normal(size=(3, 4, mechanism.nv))
    given = {"q": integrate(mechanism, np.tile(neutral(mechanism), (4, 1)), step), "v": v, "a": a}
    symbolic = oracle.Evaluator(oracle.derive(mechanism), np.longdouble)
    jets = EulerLagrange(mechanism, oracle.Real(np.longdouble))
    names = ("mass_matrix", "gravity", "potential_energy", "nonlinear_effects", "kinetic_energy", "inverse_dynamics")
    for quantity in names:
        arguments = [given[name] for name in QUANTITIES[quantity].arguments]
        got, expected = (getattr(source, quantity)(*arguments) for source in (symbolic, jets))
        np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-14, err_msg=quantity)


def test_balls_hold_the_truth() -> None:
    mechanism, draw = TREE, np.random.default_rng(2)
    states = [draw.normal(size=(1, n)) for n in (mechanism.nq, mechanism.nv, mechanism.nv)]
    ours = EulerLagrange(mechanism, fields.Balls()).inverse_dynamics(*states)[0]
    with flint.ctx.workprec(300):
        truth = EulerLagrange(mechanism, fields.Balls()).inverse_dynamics(*states)[0]
    for ball, fine in zip(ours, truth, strict=True):
        assert ball.contains(fine)
        assert fine.rad() < 1e-70 < ball.rad() < 1e-9


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, (q, v, a) = EulerLagrange(TREE), (x.astype(float) for x in state(TREE))
    rows = np.arange(1.0, 8)[:, None]
    whole = ours.inverse_dynamics(rows * q, v + rows, a * rows)
    monkeypatch.setattr("oracle.by_jets.euler_lagrange.BLOCK", 3)
    error = ours.inverse_dynamics(rows * q, v + rows, a * rows) - whole
    assert abs(error).max() <= 1e-14 * abs(whole).max()
    assert ours.mass_matrix(q[:0]).shape == (0, TREE.nv, TREE.nv)


def test_what_quantities_share_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing that belongs to other states or to another velocity: the bits are those of separate computations."""
    monkeypatch.setattr("oracle.by_jets.euler_lagrange.BLOCK", 2)
    separate = EulerLagrange(TREE, fields.Real(np.longdouble))
    shared, calls = separate.keeping(), []
    following = motions.following
    monkeypatch.setattr(motions, "following", lambda *arguments: calls.append(0) or following(*arguments))
    q, v, a = (np.arange(1.0, 4)[:, None] * x.astype(float) for x in state(TREE))
    blocks, bodies = 2, len(TREE.bodies)
    asked: list[tuple[Any, ...]] = [
        ("mass_matrix", q),
        ("inverse_dynamics", q, v, a),
        ("nonlinear_effects", q, v),
        ("nonlinear_effects", q, -v),
        ("velocities_local", q, v),
        ("accelerations_local", q, v, -a),
        ("gravity", q),
        ("kinetic_energy", q, v),
    ]
    answers = [getattr(shared, name)(*given) for name, *given in asked]
    assert len(calls) == blocks * bodies
    for (name, *given), answer in zip(asked, answers, strict=True):
        np.testing.assert_array_equal(answer, getattr(separate, name)(*given))
    shared.gravity(2 * q)
    assert len(calls) > blocks * bodies


def test_what_has_no_answer_is_refused() -> None:
    ours = EulerLagrange(find_mechanism("free-rigid-body"))
    with pytest.raises(oracle.OracleError, match=r"q has shape \(7,\); give \(batch, 7\)"):
        ours.gravity(np.zeros(7))
    with pytest.raises(oracle.OracleError, match=r"v has shape \(1, 6\); give \(2, 6\)"):
        ours.kinetic_energy(np.ones((2, 7)), np.ones((1, 6)))
    with pytest.raises(oracle.OracleError, match="quaternion"):
        ours.gravity(np.zeros((1, 7)))
    slider = Mechanism("m", (Body("b", "world", Joint("j", "prismatic", armature=sympy.Symbol("m"))),))
    for field in (fields.Real(), fields.Rational(), fields.Balls()):
        with pytest.raises(oracle.OracleError, match="the scalar m is no number"):
            EulerLagrange(slider, field)
