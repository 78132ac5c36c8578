"""The Euler–Lagrange equations by jets: against their definition, the polynomials, Newton–Euler, and Pinocchio."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import flint
import numpy as np
import pytest
import sympy
from small_numbers import Small, Varied, state

import oracle
from implementations.field import Rational
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.energy import kinetic_energy, potential_energy
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.rnea import rnea
from mechanisms import TEXTBOOK, Body, Joint, Mechanism, find_mechanism, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.numbers import stand_in
from oracle import fields
from oracle.by_jets import transforms as motions
from oracle.by_jets.euler_lagrange import EulerLagrange

Array = np.ndarray[Any, Any]

TREES = [random_mechanism(seed, 5, MOVING, tilted_gravity=True) for seed in range(6)]


def same(ours: Array, theirs: Array) -> bool:
    """Equal, ours batch-first and theirs batch-last."""
    theirs = np.moveaxis(theirs, -1, 0)
    return ours.shape == theirs.shape and bool((ours == theirs).all())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_is_the_euler_operator_on_the_energies(seed: int) -> None:
    """Eᵢ = d/dt d/dε L(q + ε t eᵢ) − 2 d/dε L(q + ε eᵢ), coordinate by coordinate, from the two energies alone."""
    mechanism = random_mechanism(seed, 4, damping=False, tilted_gravity=True)
    (q,), (v,), (a,) = state(mechanism)
    varied = EulerLagrange(mechanism, Varied())

    def lagrangian(i: int, eta: Small) -> Small:
        """L along q + v t + ½ a t² + ε η eᵢ, where η(t) is given by η and η̇."""
        path, rate = [Small(x, dx) for x, dx in zip(q, v, strict=True)], [Small(x, dx) for x, dx in zip(v, a, strict=True)]
        path[i] += eta * Small(0, 0, 1)
        rate[i] += Small(0, 0, eta.c[1])
        T, V = varied.kinetic_energy([path], [rate]), varied.potential_energy([path])
        return T[0] - V[0]

    E = [lagrangian(i, Small(0, 1)).c[3] - 2 * lagrangian(i, Small(1)).c[2] for i in range(mechanism.nv)]
    assert EulerLagrange(mechanism, fields.Rational()).inverse_dynamics([q], [v], [a])[0].tolist() == E


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.nightly if name == "swarm" else ()) for name in TEXTBOOK if name != "every-joint"],
)
def test_equals_the_polynomials(name: str) -> None:
    mechanism = find_mechanism(name)
    (q, v, a), equations = state(mechanism), oracle.derive(mechanism)
    unit = q.copy()
    for _, at in mechanism.slots("quaternion"):
        # The polynomials want length one, the jets do not.
        unit[0, at], q[0, at] = [Fraction(k, 5) for k in (-2, 1, 4, 2)], [-2, 1, 4, 2]
    kinds = dict(zip(("cos", "sin"), fields.half_angle(unit[0]), strict=True)) | {"position": unit[0].copy()}
    for body, at in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind == "helical":
            kinds["position"][at] = stand_in(q[0, at][0])
    values = [kinds[g.kind][g.index] if g.kind in kinds else 0 for g in equations.ring.generators]

    point = [flint.fmpq(x.numerator, x.denominator) for x in map(Fraction, values)]

    def at_state(polynomial: Any) -> Fraction:
        value = polynomial(*point)
        return Fraction(int(value.p), int(value.q))

    M = np.array([[at_state(entry) for entry in row] for row in equations.M])
    g, damping = (np.array([at_state(entry) for entry in entries]) for entries in (equations.g, equations.damping))
    h = g + damping * v[0]
    # C v_i = Σ (∂M_ij/∂q_k − ∂M_jk/∂q_i / 2) v_j v_k. Nearly all of the swarm's 300 000 derivatives are zero.
    places = product(range(mechanism.nv), repeat=3)
    for k, i, j in ((k, i, j) for k, i, j in places if equations.dM[k][i][j]):
        slope = at_state(equations.dM[k][i][j])
        h[i] += slope * v[0, j] * v[0, k]
        h[k] -= slope * v[0, i] * v[0, j] / 2
    ours = EulerLagrange(mechanism, fields.Rational())
    assert (ours.mass_matrix(q)[0] == M).all()
    assert (ours.gravity(q)[0] == g).all()
    assert (ours.nonlinear_effects(q, v)[0] == h).all()
    assert (ours.inverse_dynamics(q, v, a)[0] == M @ a[0] + h).all()
    assert ours.potential_energy(q)[0] == at_state(equations.V)
    assert ours.kinetic_energy(q, v)[0] == v[0] @ M @ v[0] / 2


@pytest.mark.parametrize("mechanism", TREES, ids=lambda mechanism: mechanism.name)
def test_equals_newton_euler(mechanism: Mechanism) -> None:
    """Over the rationals: trees with free joints inside, armature and damping."""
    (q, v, a), ours, model = state(mechanism), EulerLagrange(mechanism, fields.Rational()), build(mechanism, Rational())
    assert same(ours.inverse_dynamics(q, v, a), rnea(model, q.T, v.T, a.T))
    assert same(ours.nonlinear_effects(q, v), rnea(model, q.T, v.T, 0 * a.T))
    assert same(ours.gravity(q), rnea(model, q.T, 0 * v.T, 0 * a.T))
    assert same(ours.mass_matrix(q), crba(model, q.T))
    assert same(ours.kinetic_energy(q, v), kinetic_energy(model, q.T, v.T))
    assert same(ours.potential_energy(q), potential_energy(model, q.T))


def test_balls_hold_the_truth() -> None:
    mechanism, draw = TREES[1], np.random.default_rng(2)
    states = [draw.normal(size=(1, n)) for n in (mechanism.nq, mechanism.nv, mechanism.nv)]
    ours = EulerLagrange(mechanism, fields.Balls()).inverse_dynamics(*states)[0]
    with flint.ctx.workprec(300):
        truth = EulerLagrange(mechanism, fields.Balls()).inverse_dynamics(*states)[0]
    for ball, fine in zip(ours, truth, strict=True):
        assert ball.contains(fine)
        assert fine.rad() < 1e-70 < ball.rad() < 1e-9


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, (q, v, a) = EulerLagrange(TREES[1]), (x.astype(float) for x in state(TREES[1]))
    rows = np.arange(1.0, 8)[:, None]
    whole = ours.inverse_dynamics(rows * q, v + rows, a * rows)
    monkeypatch.setattr("oracle.by_jets.euler_lagrange.BLOCK", 3)
    error = ours.inverse_dynamics(rows * q, v + rows, a * rows) - whole
    assert abs(error).max() <= 1e-14 * abs(whole).max()
    assert ours.mass_matrix(q[:0]).shape == (0, TREES[1].nv, TREES[1].nv)


def test_what_quantities_share_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing that belongs to other states or to another velocity: the bits are those of separate computations."""
    monkeypatch.setattr("oracle.by_jets.euler_lagrange.BLOCK", 2)
    separate = EulerLagrange(TREES[1], fields.Real(np.longdouble))
    shared, calls = separate.keeping(), []
    following = motions.following
    monkeypatch.setattr(motions, "following", lambda *arguments: calls.append(0) or following(*arguments))
    q, v, a = (np.arange(1.0, 4)[:, None] * x.astype(float) for x in state(TREES[1]))
    blocks, bodies = 2, len(TREES[1].bodies)
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
