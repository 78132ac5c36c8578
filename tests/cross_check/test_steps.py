"""The schemes of time steps: what is named, what is solved for, and what is not accused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from cross_check.judge.comparison.case import Case
from cross_check.steps.alterations import Alteration, OfEntry, OfForce, OfLength, OfMotors
from cross_check.steps.asked import lengths, steps_case
from cross_check.steps.motion import Motion
from cross_check.steps.moves import charts_of, first_order, normalised, of_length_one
from cross_check.steps.naming import Named, Naming
from cross_check.steps.order import order_of
from cross_check.steps.residual import Equations
from cross_check.steps.schemes import RUNGE_KUTTA, SCHEMES, iterated_steps, whole_steps
from cross_check.steps.taken import Step
from implementations.engines.declared import ENGINES
from implementations.protocol import Missing
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism
from mechanisms.numbers.precision import precision_named
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
    case = case_of(spec)
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


EULER = "semi-implicit Euler (v⁺, then q⁺ with v⁺)"

FAULTS: dict[str, tuple[Steps, str, Alteration]] = {
    "damping twice": (partial(altered, {"damping": 2}), EULER, OfForce(2.0, "damping")),
    "no armature": (partial(altered, {"armature": 0}), EULER, OfForce(0.0, "armature")),
    "gravity upside down": (heavier, EULER, OfForce(-1.0, "gravity")),
    "late force": (partial(late, 1.0), EULER, OfMotors(1.0, "late")),
    "half a step late": (partial(late, 0.5), EULER, OfMotors(0.5, "late")),
    "one weak motor": (weaker_motor, EULER, OfMotors(0.9, "force", 1)),
    "longer step": (longer, EULER, OfLength(1.01)),
    "wrong weight": (partial(runge_kutta, (1 / 6, 1 / 3, 1 / 3, 1 / 3)), RUNGE_KUTTA.name, OfEntry(1 / 3, 1 / 6, "both", -1, 3)),
}


BY_DAY = ("damping twice", "one weak motor", "wrong weight")


@pytest.mark.parametrize("fault", [pytest.param(name, marks=[] if name in BY_DAY else pytest.mark.nightly) for name in FAULTS])
def test_one_altered_part_is_solved_for(fault: str) -> None:
    step, scheme, alteration = FAULTS[fault]
    found = named("spatial-3r", step)
    assert (found.agrees, found.is_explained) == (False, True)
    assert (scheme_of(found), found.candidates[0].alteration) == (scheme, alteration)


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


def test_a_mass_that_is_wrong_in_the_eleventh_digit_is_seen() -> None:
    assert not named("planar-pendulum:2", partial(lighter, 1e-11)).agrees


def test_how_a_quaternion_moves_is_part_of_the_name() -> None:
    def step(mechanism: Mechanism, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
        v = v + h * acceleration(mechanism, q, v, tau)
        return normalised(mechanism, q, h * v), v

    found = named("spherical-pendulum", step)
    assert (found.agrees, scheme_of(found)) == (True, EULER)
    assert found.candidates[0].chart.move == "quaternions to first order, then normalised"


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


SLOW = 10.0

ENGINE_STEPS = {
    "mujoco spatial-3r step_euler": f"{EULER}, damping implicit",
    "mujoco spatial-3r step_implicit": f"{EULER}, all forces of velocity implicit",
    "mujoco spatial-3r step_implicitfast": f"{EULER}, damping implicit",
    "mujoco spatial-3r step_rk4": "Runge–Kutta of fourth order",
    "mujoco-warp spatial-3r step_euler": f"{EULER}, damping implicit",
    "mjx spatial-3r step_euler": f"{EULER}, damping implicit",
    "dart cart-pole step": f"{EULER}, damping implicit",
    "pybullet cart-pole step": EULER,
    "drake cart-pole step_discrete_tamsi": EULER,
    "drake cart-pole step_discrete_sap": f"{EULER}, damping implicit",
    "drake cart-pole step_implicit_euler": "implicit Euler, in halves",
    "drake cart-pole step_radau3": "Radau IIA, third order",
    "drake cart-pole step_runge_kutta5": "Dormand–Prince, fifth order",
    "drake cart-pole step_bogacki_shampine3": "Bogacki–Shampine, third order",
}
"""The schemes of engines' steps."""


@pytest.mark.engines
@pytest.mark.parametrize("asked", ENGINE_STEPS)
def test_steps_of_engines_are_named(asked: str) -> None:
    name, spec, step = asked.split()
    engine = next(one for one in ENGINES if one.name == name)
    adapter = getattr(import_module(f"implementations.engines.{engine.folder}.adapter"), engine.adapter)()
    mechanism = find_mechanism(spec).in_precision(precision_named(getattr(adapter, "precision", "float64")))
    # From fast states, Bullet clamps velocities, and Drake's iterations end before the last digits.
    case = steps_case(mechanism, 0, 9)
    case = case.pick(np.flatnonzero(np.abs(case.states.v).max(axis=1) < SLOW))
    q, v, tau = case.states.arguments(("q", "v", "tau"))
    h = lengths(case, 0, None)
    try:
        answer = getattr(adapter.load(mechanism), step)(q, v, tau, h)
    except Missing as missing:
        pytest.skip(str(missing))
    taken = Step(q, v, tau, h, tau, answer[:, : mechanism.nq], answer[:, mechanism.nq :])
    found = Naming(case.truth, case.scale, taken).named()
    assert (found.agrees, scheme_of(found)) == (True, ENGINE_STEPS[asked])


def test_every_scheme_has_words_of_its_own() -> None:
    words = [one.words for one in (*whole_steps(), *iterated_steps())]
    assert len({*words}) == len(words)
