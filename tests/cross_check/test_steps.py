"""The schemes of time steps: what is named, what is solved for, and what is not accused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from cross_check.exchange.results.objects import BAR
from cross_check.judge.comparison.case import Case
from cross_check.steps.alterations import Alteration, OfAccelerations, OfEntry, OfForce, OfHeld, OfImplicit, OfLength, OfMotors
from cross_check.steps.asked import lengths, steps_case
from cross_check.steps.families import families
from cross_check.steps.motion import Motion
from cross_check.steps.moves import charts_of, first_order, normalised, of_length_one, straight
from cross_check.steps.naming import Named, Naming
from cross_check.steps.order import order_of
from cross_check.steps.parts import part_of
from cross_check.steps.residual import Equations
from cross_check.steps.schemes import RUNGE_KUTTA, SCHEMES, iterated_steps, whole_steps
from cross_check.steps.taken import Step, unwrapped
from implementations.conventions.rates import rotation
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Inertia, Mechanism, find_mechanism
from mechanisms.joint_forces import JOINT_FORCES
from mechanisms.library.textbook import planar_pendulum
from mechanisms.states import integrate

Array = Any
Steps = Callable[[Mechanism, Array, Array, Array, Array], tuple[Array, Array]]


@cache
def case_of(spec: str) -> Case:
    return steps_case(find_mechanism(spec), 0, 9)


def acceleration(mechanism: Mechanism, q: Array, v: Array, tau: Array) -> Array:
    return REFERENCE.load(mechanism).forward_dynamics(q, v, tau)


def semi_implicit(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    v = v + h * acceleration(mechanism, q, v, tau)
    return integrate(mechanism, q, h * v), v


def named(spec: str, step: Steps, h: float | None = None) -> Named:
    return named_in(case_of(spec), step, h)


def named_in(case: Case, step: Steps, h: float | None = None) -> Named:
    q, v, tau = case.states.arguments(("q", "v", "tau"))
    size = lengths(case, 0, h)
    answer = step(case.mechanism, q, v, tau, size)
    return Naming(case.truth, case.scale, Step(q, v, tau, size, np.concatenate([tau[:1], tau[:-1]]), *answer)).named()


def scheme_of(found: Named) -> str:
    return found.candidates[0].scheme.words


def runge_kutta(
    weights: tuple[float, ...], mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array
) -> tuple[Array, Array]:
    """Of four stages, for joints whose positions are sums."""
    speeds, rates = [v], [acceleration(mechanism, q, v, tau)]
    for share in (0.5, 0.5, 1.0):
        here, speed = q + share * h * speeds[-1], v + share * h * rates[-1]
        speeds.append(speed)
        rates.append(acceleration(mechanism, here, speed, tau))
    total = [sum(w * x for w, x in zip(weights, row, strict=True)) for row in (speeds, rates)]
    return q + h * total[0], v + h * total[1]


def implicit_midpoint(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    after, speed = q, v
    for _ in range(60):
        speed = v + h * acceleration(mechanism, (q + after) / 2, (v + speed) / 2, tau)
        after = q + h * (v + speed) / 2
    return after, speed


def three_iterations(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    """Of implicit Euler."""
    after, speed = q, v
    for _ in range(3):
        speed = v + h * acceleration(mechanism, after, speed, tau)
        after = q + h * speed
    return after, speed


def verlet(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    a = acceleration(mechanism, q, v, tau)
    after = q + h * v + h**2 / 2 * a
    return after, v + h / 2 * (a + acceleration(mechanism, after, v + h * a, tau))


def in_parts(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    for _ in range(3):
        q, v = semi_implicit(mechanism, q, v, tau, h / 3)
    return q, v


@pytest.mark.parametrize(
    ("part", "factor", "words"),
    [
        ("lifted", 0, "gravity compensation were left out"),
        ("inertia", Fraction(11, 10), "mass and moments of inertia of link1 were 11/10 times as large"),
    ],
)
def test_weight_and_lifted_mass_are_parts_of_their_own(part: str, factor: Fraction, words: str) -> None:
    tree = planar_pendulum(2)
    # Were the same share of both lifted, gravity would be another number.
    first, second = (replace(b, lifted=Inertia(b.inertia.mass / (2 + k), b.inertia.com)) for k, b in enumerate(tree.bodies))
    right = replace(tree, bodies=(first, second))
    old = getattr(first, part)
    other = replace(first, **{part: Inertia(factor * old.mass, old.com, [factor * x for x in old.about_com])})
    wrong = replace(tree, bodies=(other, replace(second, lifted=Inertia.massless()) if part == "lifted" else second))
    found = named_in(steps_case(right, 0, 9), lambda mechanism, *state: semi_implicit(wrong, *state))
    alteration = found.candidates[0].alteration
    assert alteration is not None
    assert (found.is_explained, alteration.words(right)) == (True, words)


@pytest.mark.parametrize(
    ("step", "scheme"),
    [
        (semi_implicit, "semi-implicit Euler (v⁺, then q⁺ with v⁺)"),
        (partial(runge_kutta, (1 / 6, 1 / 3, 1 / 3, 1 / 6)), "Runge–Kutta of fourth order"),
        (implicit_midpoint, "implicit midpoint"),
        (three_iterations, "implicit Euler, 3 iterations"),
        (verlet, "velocity Verlet (second kick at v + h q̈)"),
        (in_parts, "semi-implicit Euler (v⁺, then q⁺ with v⁺), in 3 equal steps"),
    ],
)
def test_a_right_step_has_the_name_of_its_scheme_to_the_last_digits(step: Steps, scheme: str) -> None:
    found = named("planar-pendulum:2", step)
    assert (found.agrees, scheme_of(found)) == (True, scheme)
    assert found.residual.worst < 4


def converged(step: Callable[[Array, Array], tuple[Array, Array]], q: Array, v: Array) -> tuple[Array, Array]:
    """The solution of (q⁺, v⁺) = step(q⁺, v⁺)."""
    for _ in range(60):
        q, v = step(q, v)
    return q, v


def newmark(beta: float, gamma: float, mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    return generalized_alpha(0.0, 0.0, beta, gamma, mechanism, q, v, tau, h)


def chung_hulbert(radius: float, *asked: Any) -> tuple[Array, Array]:
    mean, late = (2 * radius - 1) / (radius + 1), radius / (radius + 1)
    return generalized_alpha(mean, late, (1 - mean + late) ** 2 / 4, 0.5 - mean + late, *asked)


def generalized_alpha(
    mean: float, late: float, beta: float, gamma: float, mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array
) -> tuple[Array, Array]:
    """M a at the shares 1 − late of the step is the mean of a at both ends, with the shares mean and 1 − mean."""
    first = acceleration(mechanism, q, v, tau)

    def step(after: Array, speed: Array) -> tuple[Array, Array]:
        there = acceleration(mechanism, late * q + (1 - late) * after, late * v + (1 - late) * speed, tau)
        last = (there - mean * first) / (1 - mean)
        moved = h * v + h**2 * ((0.5 - beta) * first + beta * last)
        return q + moved, v + h * ((1 - gamma) * first + gamma * last)

    return converged(step, q, v)


def theta(share: float, mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    first = acceleration(mechanism, q, v, tau)
    return converged(
        lambda after, speed: (
            q + h * ((1 - share) * v + share * speed),
            v + h * ((1 - share) * first + share * acceleration(mechanism, after, speed, tau)),
        ),
        q,
        v,
    )


def two_stages(node: float, mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    first = acceleration(mechanism, q, v, tau)
    speed = v + node * h * first
    second, weight = acceleration(mechanism, q + node * h * v, speed, tau), 1 / (2 * node)
    return q + h * ((1 - weight) * v + weight * speed), v + h * ((1 - weight) * first + weight * second)


FITTED: dict[str, Steps] = {
    "Newmark with β = 0.3025, γ = 3/5": partial(newmark, 0.3025, 0.6),
    "generalized-α with ρ∞ = 0.8": partial(chung_hulbert, 0.8),
    "θ-method, θ = 3/5": partial(theta, 0.6),
    "Runge–Kutta of second order with c₂ = 3/10": partial(two_stages, 0.3),
}


@pytest.mark.parametrize("scheme", [pytest.param(one, marks=[] if "Newmark" in one else pytest.mark.nightly) for one in FITTED])
def test_numbers_of_families_are_solved_for(scheme: str) -> None:
    found = named("planar-pendulum:2", FITTED[scheme])
    assert (found.agrees, scheme_of(found)) == (True, scheme)


def test_explicit_families_satisfy_the_conditions_of_their_order() -> None:
    """W. Kutta's, of the fourth order; a node that occurs in no test would else be read from wrong numbers."""
    numbers = {1: (0.3,), 2: (0.35, 0.8)}
    for family in families():
        scheme = family.scheme(*numbers.get(len(family.start), family.start))
        if not scheme.by_stages:
            continue
        A, b = np.array([row.gained for row in scheme.stages], dtype=float), np.array(scheme.answer.gained, dtype=float)
        c = A.sum(axis=1)
        conditions = [b.sum() - 1, b @ c - 1 / 2, b @ c**2 - 1 / 3, b @ A @ c - 1 / 6]
        conditions += [b @ c**3 - 1 / 4, b * c @ A @ c - 1 / 8, b @ A @ c**2 - 1 / 12, b @ A @ A @ c - 1 / 24]
        assert np.abs(conditions[: {2: 2, 3: 4, 4: 8}[len(b)]]).max() < 1e-13


def test_schemes_have_their_order(subtests: Any) -> None:
    """An error in a tableau would name wrong code right."""
    case = case_of("spatial-3r")
    slow = np.flatnonzero(np.abs(case.states.v).max(axis=1) < 5)
    q, v, tau = case.states.pick(slow[:3]).arguments(("q", "v", "tau"))
    orders = {"explicit Euler": 1, "midpoint": 2, "Heun": 2, "Ralston": 2, "Kutta's third": 3, "Heun's third": 3, "strongly": 3}
    orders |= {"Runge–Kutta of fourth": 4, "Kutta's 3/8": 4, "velocity Verlet (second kick at v + h q̈)": 2}
    orders |= {"Bogacki–Shampine": 3, "Dormand–Prince": 5}

    chart = next(charts_of(case.mechanism))
    equations = Equations(Motion(case.truth), case.scale)
    for name, order in orders.items():
        scheme = next(one for one in SCHEMES if one.name.startswith(name))

        def ask(q: Array, v: Array, tau: Array, h: Array, scheme: Any = scheme) -> tuple[Array, Array]:
            made = equations.followed(scheme, chart, Step(q, v, tau, h, tau, q, v))
            made = equations.followed(scheme, chart, Step(q, v, tau, h, tau, made.q, made.v))
            return made.q, made.v

        with subtests.test(name):
            found = order_of(ask, q, v, tau, 0.02, 2.0**-52)
            assert found is not None
            assert abs(found - order) < 0.2


def altered(change: dict[str, Any], mechanism: Mechanism, *state: Array) -> tuple[Array, Array]:
    """A step of a mechanism whose joints have other numbers."""
    bodies = tuple(
        replace(body, joint=replace(body.joint, **{name: factor * getattr(body.joint, name) for name, factor in change.items()}))
        for body in mechanism.bodies
    )
    return semi_implicit(replace(mechanism, bodies=bodies), *state)


def heavier(mechanism: Mechanism, *state: Array) -> tuple[Array, Array]:
    return semi_implicit(replace(mechanism, gravity=tuple(-x for x in mechanism.gravity)), *state)


def late(share: float, mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    before = np.concatenate([tau[:1], tau[:-1]])
    return semi_implicit(mechanism, q, v, (1 - share) * tau + share * before, h)


def weaker_motor(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    return semi_implicit(mechanism, q, v, tau * np.where(np.arange(tau.shape[1]) == 1, 0.9, 1.0), h)


def longer(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    return semi_implicit(mechanism, q, v, tau, 1.01 * h)


def of_one_joint(change: dict[str, Any], which: int, mechanism: Mechanism, *state: Array) -> tuple[Array, Array]:
    bodies = list(mechanism.bodies)
    bodies[which] = replace(bodies[which], joint=replace(bodies[which].joint, **change))
    return semi_implicit(replace(mechanism, bodies=tuple(bodies)), *state)


def heavier_link(mechanism: Mechanism, *state: Array) -> tuple[Array, Array]:
    bodies, inertia = list(mechanism.bodies), mechanism.bodies[1].inertia
    more = Fraction(103, 100)
    moments = tuple(more * x for x in inertia.about_com)
    bodies[1] = replace(bodies[1], inertia=Inertia(more * inertia.mass, inertia.com, about_com=moments))
    return semi_implicit(replace(mechanism, bodies=tuple(bodies)), *state)


def wrong_stage(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    """The third stage of Runge and Kutta moves for the whole step."""
    speeds, rates = [v], [acceleration(mechanism, q, v, tau)]
    for share, moved in ((0.5, 0.5), (0.5, 1.0), (1.0, 1.0)):
        here, speed = q + moved * h * speeds[-1], v + share * h * rates[-1]
        speeds.append(speed)
        rates.append(acceleration(mechanism, here, speed, tau))
    total = [sum(w * x for w, x in zip((1 / 6, 1 / 3, 1 / 3, 1 / 6), row, strict=True)) for row in (speeds, rates)]
    return q + h * total[0], v + h * total[1]


def held_damping(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    """The stages of Runge and Kutta have the damping of the start of the step."""
    damping = mechanism.arrays.per_coordinate(mechanism.arrays.damping)
    undamped = replace(mechanism, bodies=tuple(replace(b, joint=replace(b.joint, damping=0)) for b in mechanism.bodies))
    return runge_kutta((1 / 6, 1 / 3, 1 / 3, 1 / 6), undamped, q, v, tau - damping * v, h)


def half_implicit(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    dynamics = REFERENCE.load(mechanism)
    A = dynamics.mass_matrix(q) + h[:, :, None] / 2 * dynamics.inverse_dynamics_dv(q, 0 * v)
    v = v + h * np.linalg.solve(A, (tau - dynamics.nonlinear_effects(q, v))[..., None])[..., 0]
    return q + h * v, v


def half_as_fast(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    v = v + h / 2 * acceleration(mechanism, q, v, tau)
    return q + h * v, v


EULER = "semi-implicit Euler (v⁺, then q⁺ with v⁺)"

FAULTS: dict[str, tuple[Steps, str, Alteration]] = {
    "damping twice": (partial(altered, {"damping": 2}), EULER, OfForce(2.0, "damping")),
    "no armature": (partial(altered, {"armature": 0}), EULER, OfForce(0.0, "armature")),
    "gravity upside down": (heavier, EULER, OfForce(-1.0, "gravity")),
    "late force": (partial(late, 1.0), EULER, OfMotors(1.0, "late")),
    "half a step late": (partial(late, 0.5), EULER, OfMotors(0.5, "late")),
    "one weak motor": (weaker_motor, EULER, OfMotors(0.9, "force", 1)),
    "held damping": (held_damping, RUNGE_KUTTA.name, OfHeld(1.0, "damping")),
    "longer step": (longer, EULER, OfLength(1.01)),
    "position alone moves longer": (
        lambda mechanism, q, v, tau, h: (q + 1.01 * h * (after := semi_implicit(mechanism, q, v, tau, h)[1]), after),
        EULER,
        OfLength(1.01, of_positions=True),
    ),
    "h/2 in the line of v": (half_as_fast, EULER, OfAccelerations(0.5)),
    "heavier link": (heavier_link, EULER, OfForce(1.03, "inertia", 1)),
    "no damping at one joint": (partial(of_one_joint, {"damping": 0}, 1), EULER, OfForce(0.0, "damping", 1)),
    "wrong stage": (wrong_stage, RUNGE_KUTTA.name, OfEntry(1.0, 0.5, "moved", 2, 1)),
    "half implicit": (half_implicit, f"{EULER}, damping implicit", OfImplicit(0.5)),
    "wrong weight": (partial(runge_kutta, (1 / 6, 1 / 3, 1 / 3, 1 / 3)), RUNGE_KUTTA.name, OfEntry(1 / 3, 1 / 6, "both", -1, 3)),
}


BY_DAY = ("damping twice", "h/2 in the line of v", "heavier link", "wrong weight")


@pytest.mark.parametrize("fault", [pytest.param(name, marks=[] if name in BY_DAY else pytest.mark.nightly) for name in FAULTS])
def test_one_altered_part_is_solved_for(fault: str) -> None:
    step, scheme, alteration = FAULTS[fault]
    found = named("spatial-3r", step)
    assert (found.agrees, found.is_explained) == (False, True)
    assert (scheme_of(found), found.candidates[0].alteration) == (scheme, alteration)


def test_a_fault_that_is_larger_than_what_schemes_differ_by_leaves_the_simplest_one() -> None:
    def falling_aside(mechanism: Mechanism, *state: Array) -> tuple[Array, Array]:
        return semi_implicit(replace(mechanism, gravity=(0, mechanism.gravity[2], 0)), *state)

    found = named("spatial-3r", falling_aside)
    assert (found.is_explained, scheme_of(found)) == (False, EULER)


@pytest.mark.nightly
@pytest.mark.parametrize("force", ["friction", "spring"])
def test_every_force_of_joints_is_a_part(force: str) -> None:
    number = next(iter(JOINT_FORCES[force].parameters))
    found = named("elastic-joint", partial(altered, {number: 3}))
    assert (found.is_explained, found.candidates[0].alteration) == (True, OfForce(3.0, force))


def test_parts_make_the_whole() -> None:
    mechanism = find_mechanism("elastic-joint")
    case = case_of("elastic-joint")
    q, v, a = case.states.arguments(("q", "v", "a"))
    force = sum(part_of(mechanism, name, None).force(q, v, a) for name in ("inertia", "armature", *JOINT_FORCES))
    assert np.allclose(force, REFERENCE.load(mechanism).inverse_dynamics(q, v, a), rtol=1e-12)
    apart = sum(part_of(mechanism, "inertia", k).force(q, v, a) for k in range(len(mechanism.bodies)))
    assert np.allclose(apart, part_of(mechanism, "inertia", None).force(q, v, a), rtol=1e-12)


def test_whole_turns_are_put_back_where_they_change_nothing() -> None:
    for spec, is_put_back in (("planar-pendulum:2", True), ("elastic-joint", False)):
        mechanism = find_mechanism(spec)
        q = np.full((1, mechanism.nq), 3.1)
        step = Step(q, q, q, q, q, q + 0.1 - 2 * np.pi, q)
        assert np.allclose(unwrapped(mechanism, step).next_q, q + 0.1) == is_put_back


def test_no_order_is_stated_that_roundings_hide() -> None:
    def ask(q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
        return tuple(
            x.astype(np.float32).astype(float) for x in runge_kutta((1 / 6, 1 / 3, 1 / 3, 1 / 6), mechanism, q, v, tau, h)
        )

    mechanism = find_mechanism("planar-pendulum:2")
    q, v, tau = case_of("planar-pendulum:2").states.pick(np.arange(3)).arguments(("q", "v", "tau"))
    assert order_of(ask, q, v, tau, 0.02, 2.0**-23) is None


def test_steps_that_are_right_for_one_length_alone_follow_no_scheme() -> None:
    def step(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
        return semi_implicit(mechanism, q, v, tau, np.full_like(h, 1e-3))

    assert not named("planar-pendulum:2", step).is_explained
    assert named("planar-pendulum:2", step, 1e-3).agrees


def test_a_limit_of_velocities_is_seen() -> None:
    """Not every state is slow."""

    def step(mechanism: Mechanism, *state: Array) -> tuple[Array, Array]:
        q, v = semi_implicit(mechanism, *state)
        return q, np.clip(v, -50.0, 50.0)

    found = named("planar-pendulum:2", step)
    assert (found.agrees, scheme_of(found)) == (False, EULER)
    assert 0 < (found.residual.by_state < 4).sum() < 9


def lighter(share: float, mechanism: Mechanism, *state: Array) -> tuple[Array, Array]:
    """Each mass is wrong, about the same centre."""
    inertias = [replace(body.inertia, mass=body.inertia.mass * (1 - share)) for body in mechanism.bodies]
    bodies = tuple(replace(body, inertia=one) for body, one in zip(mechanism.bodies, inertias, strict=True))
    return semi_implicit(replace(mechanism, bodies=bodies), *state)


@pytest.mark.nightly
def test_a_mass_that_is_wrong_in_the_eleventh_digit_is_seen() -> None:
    assert not named("planar-pendulum:2", partial(lighter, 1e-11)).agrees


def test_how_a_quaternion_moves_is_part_of_the_name() -> None:
    def step(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
        v = v + h * acceleration(mechanism, q, v, tau)
        return normalised(mechanism, q, h * v), v

    found = named("spherical-pendulum", step)
    assert (found.agrees, scheme_of(found)) == (True, EULER)
    assert found.candidates[0].chart.move == "quaternions to first order, then normalised"


def turned(R: Array, x: Array) -> Array:
    return (R @ x[..., None])[..., 0]


def test_forces_are_held_along_the_axes_of_velocities_in_all_parts_of_a_step() -> None:
    """A free body's velocity is [ω; ṗ], and its force is that along the root's axes."""
    case = case_of("free-rigid-body")
    q, v, tau = case.states.arguments(("q", "v", "tau"))
    h, force = lengths(case, 0, None), turned(rotation(q[:, 3:]), tau[:, 3:])
    after, speed = q, v
    for _ in range(2):
        R = rotation(after[:, 3:])
        own = np.concatenate([tau[:, :3], turned(R.swapaxes(1, 2), force)], axis=1)
        a = acceleration(case.mechanism, after, speed, own)
        omega = speed[:, :3] + h / 2 * a[:, :3]
        along = turned(R, speed[:, 3:] + h / 2 * (a[:, 3:] + np.cross(speed[:, :3], speed[:, 3:])))
        after = straight(case.mechanism, after, h / 2 * np.concatenate([omega, turned(R.swapaxes(1, 2), along)], axis=1))
        speed = np.concatenate([omega, turned(rotation(after[:, 3:]).swapaxes(1, 2), along)], axis=1)
    charts = [chart for chart in charts_of(case.mechanism) if not chart.stages]
    equations, step = Equations(Motion(case.truth), case.scale), Step(q, v, tau, h, tau, after, speed)
    misses = [equations.residual(replace(SCHEMES[0], parts=2), chart, step).worst for chart in charts]
    follows = [chart for chart, miss in zip(charts, misses, strict=True) if miss <= BAR]
    assert [one.conventions.free_velocity for one in follows] == ["angular body, linear mixed"]


def test_a_centre_of_mass_goes_straight_on() -> None:
    """The velocities of a free body are those of its centre of mass, along fixed axes."""
    case = case_of("free-rigid-body")
    q, v, tau = case.states.arguments(("q", "v", "tau"))
    h, com, R = lengths(case, 0, None), case.mechanism.arrays.coms[0], rotation(q[:, 3:])
    a = acceleration(case.mechanism, q, v, tau)

    def of_mass(x: Array, sign: int = 1) -> Array:
        return x[:, 3:] + sign * np.cross(x[:, :3], com)

    omega = turned(R, v[:, :3] + h * a[:, :3])
    along = turned(R, of_mass(v) + h * (of_mass(a) + np.cross(v[:, :3], of_mass(v))))
    after = normalised(case.mechanism, q, h * np.concatenate([turned(R.swapaxes(1, 2), omega), 0 * omega], axis=1))
    end = rotation(after[:, 3:])
    after[:, :3] = q[:, :3] + (R - end) @ com + h * along
    speed = np.concatenate([turned(end.swapaxes(1, 2), x) for x in (omega, along)], axis=1)
    speed[:, 3:] = of_mass(speed, -1)
    step = Step(q, v, tau, h, tau, after, speed)
    equations = Equations(Motion(case.truth), case.scale)
    charts = [chart for chart in charts_of(case.mechanism) if not chart.stages]
    follows = [chart for chart in charts if equations.residual(SCHEMES[0], chart, step).worst <= BAR]
    assert [(one.conventions.free_velocity, one.move) for one in follows] == [
        ("center of mass", "quaternions to first order, then normalised")
    ]
    assert follows[0].words(case.mechanism).endswith("velocities added as [Rω; ċ]")


def of_one_vector(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    """The midpoint rule for [q, v] as one vector of numbers."""
    middle, speed = first_order(mechanism, q, h / 2 * v), v + h / 2 * acceleration(mechanism, q, v, tau)
    rate = first_order(mechanism, middle, speed) - middle
    return of_length_one(mechanism, q + h * rate), v + h * acceleration(mechanism, middle, speed, tau)


def drift_kick_drift(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    middle = integrate(mechanism, q, h / 2 * v)
    after = v + h * acceleration(mechanism, middle, v, tau)
    return integrate(mechanism, middle, h / 2 * after), after


@pytest.mark.parametrize(
    ("step", "scheme", "stages"),
    [(of_one_vector, "midpoint", "summed"), (drift_kick_drift, "leapfrog (drift, kick, drift)", "")],
)
def test_quaternions_that_move_more_than_once_in_a_step(step: Steps, scheme: str, stages: str) -> None:
    found = named("spherical-pendulum", step)
    assert (found.agrees, scheme_of(found), found.candidates[0].chart.stages) == (True, scheme, stages)


def test_a_right_velocity_and_a_wrong_position_are_told_apart() -> None:
    def step(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
        _, after = semi_implicit(mechanism, q, v, tau, h)
        return q + h * np.column_stack([after[:, 0], v[:, 1]]), after

    found = named("planar-pendulum:2", step)
    assert (found.is_explained, scheme_of(found)) == (False, EULER)
    off = np.median(np.abs(found.off), axis=0)
    assert off[1] > 1e-6 > 1e-12 > max(off[0], *off[2:])


def test_no_part_is_blamed_for_a_miss_of_a_few_roundings() -> None:
    """Nearly any factor mends it."""
    found = named("spatial-3r", partial(lighter, 1e-13))
    assert (found.agrees, found.candidates[0].alteration) == (False, None)


@pytest.mark.parametrize(("factor", "words"), [(0.5, "1/2"), (1 + 3e-8, "1 + 3e-08"), (1 - 2e-9, "1 − 2e-09"), (0.97, "0.97")])
def test_a_factor_near_one_is_not_printed_as_one(factor: float, words: str) -> None:
    assert OfForce(factor, "gravity").words(find_mechanism("pendulum")) == f"gravity were {words} times as large"


def test_every_scheme_has_words_of_its_own() -> None:
    words = [one.words for one in (*whole_steps(), *iterated_steps())]
    assert len({*words}) == len(words)
