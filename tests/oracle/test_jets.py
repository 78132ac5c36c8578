"""The Euler–Lagrange equations by jets, and what else the oracle derives from energy and transforms.

The reference computes the same from forces, the symbolic equations are the same, and so is every field.
"""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import flint
import numpy as np
import pytest
import sympy

import oracle
from implementations.field import Real
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import Body, Joint, Mechanism, find_mechanism, integrate, neutral, random_mechanism
from mechanisms.joint import MOVING, Kind
from mechanisms.library.extended import framed
from mechanisms.quantities import ALL_QUANTITIES, QUANTITIES
from oracle import fields
from oracle.by_jets import transforms as motions
from oracle.by_jets.differentiation import Dual, Duals
from oracle.by_jets.euler_lagrange import EulerLagrange
from oracle.fields import Rational
from oracle.recorded import BY_JETS

TREE = random_mechanism(1, 5, MOVING, tilted_gravity=True)

SYMBOLIC = ("floating-base-link", "puck", "screw-jack", "universal-pendulum", "branched-tree", "stanford-arm", "telescope")
SYMBOLIC += ("random:3:4:spherical,continuous", "random:1:7:revolute,prismatic,helical,mimic")


@pytest.mark.slow
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
        ("accelerations_local", q, v, -a),
        ("gravity", q),
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


Array = np.ndarray[Any, Any]


def state(mechanism: Mechanism, seed: int = 0) -> list[Array]:
    """q, v, a as Fractions, none of them zero, one state each."""
    draw = random.Random(seed)

    def number() -> Fraction:
        return Fraction(draw.choice((-1, 1)) * draw.randint(1, 9), draw.randint(1, 9))

    q, v, a = (np.array([[number() for _ in range(n)]]) for n in (mechanism.nq, mechanism.nv, mechanism.nv))
    for body, at in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind == "continuous":
            q[0, at] = np.array(fields.half_angle(q[0, at.start]))
    return [q, v, a]


Array = np.ndarray[Any, Any]

DERIVED = sorted(BY_JETS.quantities & ALL_QUANTITIES.keys() & ALGORITHMS.keys())

TREES = {
    name: replace(find_mechanism(f"framed:random:{name}"), gravity=(1, 2, -9))
    for name in ("75:6:all", "1075:6:all", "4:4:all,mimic")
}
"""With branches, skew gravity, every kind of joint, a mimic joint, armature, damping and frames."""

LONG = np.longdouble


def arguments(mechanism: Mechanism, quantity: str) -> list[Array]:
    """One state of fractions."""
    n = 6 * len(mechanism.bodies)
    forces = np.array([Fraction(k * k - 40, k + 1) for k in range(n)], dtype=object).reshape(1, -1, 6)
    given = dict(zip("qva", state(mechanism), strict=True)) | {"f": forces}
    return [given[name] for name in ALL_QUANTITIES[quantity].arguments]


def test_the_trees_have_every_kind_of_joint() -> None:
    assert {body.joint.kind for mechanism in TREES.values() for body in mechanism.bodies} == set(MOVING)


@cache
def derivations(tree: str) -> tuple[EulerLagrange, Model]:
    return EulerLagrange(TREES[tree], oracle.Real(LONG)).keeping(), build(TREES[tree], Real(LONG))


@pytest.mark.slow
@pytest.mark.parametrize("quantity", DERIVED)
def test_it_is_what_the_reference_computes(quantity: str) -> None:
    """In extended precision."""
    for tree, mechanism in TREES.items():
        given = [np.array(x, dtype=LONG) for x in arguments(mechanism, quantity)]
        ours, reference = derivations(tree)
        expected = ALGORITHMS[quantity](reference, *(np.moveaxis(x, 0, -1) for x in given))
        got = getattr(ours, quantity)(*given)
        assert got.shape == (1, *expected.shape[:-1])
        error = abs(got - np.moveaxis(expected, -1, 0)).max()
        assert error <= 1e5 * np.finfo(LONG).eps * max(1, abs(expected).max()), tree


@pytest.mark.slow
@pytest.mark.parametrize(
    "quantity", ["inverse_dynamics", "inverse_dynamics_dq", "frame_accelerations_aligned", "potential_energy"]
)
def test_every_field_gives_the_same(quantity: str) -> None:
    """Fractions at t = tan(q/2), floats at q, and balls around them."""
    mechanism = framed(random_mechanism(4, 4, [kind for kind in MOVING if kind != "helical"]))
    given = arguments(mechanism, quantity)
    at = [np.array(x, dtype=float) for x in given]
    for body, to in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        turns = [False, False, True] if body.joint.kind == "planar" else [screw.turns for screw in body.joint.screws]
        if body.joint.kind not in ("continuous", "free", "spherical"):
            at[0][0, to] = np.where(turns, 2 * np.arctan(at[0][0, to]), at[0][0, to])
    balls = [np.array([flint.arb(x) for x in one.flat], object).reshape(one.shape) for one in at]
    fields = {oracle.Rational(): given, oracle.Real(): at, oracle.Balls(): balls}
    exact, real, enclosed = (getattr(EulerLagrange(mechanism, field), quantity)(*state) for field, state in fields.items())
    np.testing.assert_allclose(real, exact.astype(float), rtol=0, atol=1e-12 * max(1, abs(exact).max()))
    assert all(abs(float(ball.mid()) - x) <= 1e-12 * max(1, abs(x)) for ball, x in zip(enclosed.flat, real.flat, strict=True))


def test_forces_of_another_shape_and_unknown_quantities_are_refused() -> None:
    ours, at = EulerLagrange(random_mechanism(0, 2)), np.zeros((1, 2))
    with pytest.raises(AttributeError, match="no attribute 'velocity'"):
        ours.velocity  # noqa: B018
    for shape in ((1, 6), (2, 2, 6), (1, 3, 6)):
        with pytest.raises(oracle.OracleError, match=r"f has shape .*; give \(1, 2, 6\)"):
            ours.inverse_dynamics_with_forces(at, at, at, np.zeros(shape))


# Derivatives


Array = np.ndarray[Any, Any]


def inside(kind: Kind) -> Mechanism:
    """A body with this joint, carried by one with another and carrying a third."""
    drawn = [
        random_mechanism(10 * list(MOVING).index(kind) + i, 1, (k,)).bodies[0] for i, k in enumerate(("revolute", kind, "planar"))
    ]
    names = ("world", "one", "two", "three")
    bodies = [
        replace(body, name=names[i + 1], parent=names[i], joint=replace(body.joint, name=names[i + 1]))
        for i, body in enumerate(drawn)
    ]
    return Mechanism(kind, tuple(bodies), gravity=(1, 2, -9))


@pytest.mark.parametrize("kind", MOVING)
def test_directions_are_those_in_which_positions_are_integrated(kind: Kind) -> None:
    """Central differences over :func:`mechanisms.integrate`, in float64, helical joints and angles as such among them."""
    mechanism, rng, h = inside(kind), np.random.default_rng(1), 1e-5
    system, n = oracle.EulerLagrange(mechanism), mechanism.nv
    q = integrate(mechanism, np.tile(neutral(mechanism), (n, 1)), np.tile(rng.uniform(-1, 1, n), (n, 1)))
    v, a = (np.tile(rng.normal(size=n), (n, 1)) for _ in range(2))
    forth, back = (system.inverse_dynamics(integrate(mechanism, q, step * np.eye(n)), v, a) for step in (h, -h))
    got = system.inverse_dynamics_dq(q[:1], v[:1], a[:1])[0]
    np.testing.assert_allclose(got, (forth - back).T / (2 * h), rtol=0, atol=1e-8 * abs(got).max())
    forth, back = (system.mass_matrix(integrate(mechanism, q[:1], step * v[:1])) for step in (h, -h))
    rate = system.mass_matrix_rate(q[:1], v[:1])
    np.testing.assert_allclose(rate, (forth - back) / (2 * h), rtol=0, atol=1e-8 * abs(rate).max())


@pytest.mark.slow
def test_batches_are_states_side_by_side_and_the_length_of_a_quaternion_does_not_matter() -> None:
    mechanism = random_mechanism(2, 2, ("free", "universal"))
    ((_, at),) = mechanism.slots("quaternion")
    system = oracle.EulerLagrange(mechanism, Rational())
    q, v, a = (np.concatenate(part) for part in zip(*(state(mechanism, seed) for seed in (0, 1, 0)), strict=True))
    q[2, at] *= 3
    for quantity, given in {"inverse_dynamics_dq": (q, v, a), "inverse_dynamics_dv": (q, v), "mass_matrix_rate": (q, v)}.items():
        together = getattr(system, quantity)(*given)
        alone = [getattr(system, quantity)(*(x[k : k + 1] for x in given))[0] for k in (0, 1, 0)]
        assert (together == np.stack(alone)).all()
        assert getattr(system, quantity)(*(x[:0] for x in given)).shape == (0, mechanism.nv, mechanism.nv)


def test_pairs_obey_the_rules_of_differentiation() -> None:
    x, y = Dual(Fraction(3), np.array([Fraction(1), 0])), Dual(Fraction(5), np.array([0, Fraction(1)]))

    def found(value: Dual) -> tuple[Fraction, list[Fraction]]:
        assert value.rates is not None
        return value.x, list(value.rates)

    assert found(x + y - 2) == (6, [1, 1])
    assert found(2 - x) == (-1, [-1, 0])
    assert found(x * y * 2) == (30, [10, 6])
    assert found(x / y) == (Fraction(3, 5), [Fraction(1, 5), Fraction(-3, 25)])
    assert found(1 / y) == (Fraction(1, 5), [0, Fraction(-1, 25)])
    assert found(x / 2) == (Fraction(3, 2), [Fraction(1, 2), 0])
    assert found(-x) == (-3, [-1, 0])
    assert Dual(Fraction(2)).rates is None and (Dual(Fraction(2)) * 3 / 2 + 1).rates is None
    assert found(Dual(Fraction(2)) / x) == (Fraction(2, 3), [Fraction(-2, 9), 0])
    assert x == 3 and x != 4 and x == Dual(Fraction(3))


def test_the_rate_of_an_angle_is_its_own_in_every_field() -> None:
    t = Fraction(1, 3)
    for field, at, exactly in ((Rational(), t, True), (oracle.Real(), 2 * np.arctan(1 / 3), False)):
        duals = Duals(field)
        angle = duals.with_rates(np.array([[at]], dtype=field.dtype), np.array([[[1]]], dtype=field.dtype))
        c, s = (duals.rates(part, 1)[0, 0, 0] for part in duals.cos_sin(angle))
        assert duals.rates(duals.angle(angle), 1)[0, 0, 0] == 1
        expected = Fraction(-3, 5), Fraction(4, 5)
        assert (c, s) == (expected if exactly else pytest.approx(tuple(map(float, expected)), rel=1e-15))
