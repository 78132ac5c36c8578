"""The schemes that the time steps of engines follow, and that a wrong step of each is seen."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from cross_check.steps.asked import lengths, steps_case
from cross_check.steps.naming import Naming
from cross_check.steps.taken import Step
from implementations.engines.declared import ENGINES
from implementations.protocol import Missing
from mechanisms import find_mechanism
from mechanisms.numbers.precision import precision_named

pytestmark = pytest.mark.engines

SLOW = ("drake", "pybullet")
"""From fast states, Bullet clamps velocities, and Drake's iterations end before the last digits."""

EULER, RUNGE_KUTTA = "semi-implicit Euler (v⁺, then q⁺ with v⁺)", "Runge–Kutta of fourth order"

SCHEMES = {
    "mujoco spatial-3r step_euler": f"{EULER}, damping implicit",
    "mujoco spatial-3r step_implicit": f"{EULER}, all forces of velocity implicit",
    "mujoco spatial-3r step_implicitfast": f"{EULER}, damping implicit",
    "mujoco spatial-3r step_rk4": RUNGE_KUTTA,
    "mujoco-warp spatial-3r step_euler": f"{EULER}, damping implicit",
    "mjx spatial-3r step_euler": f"{EULER}, damping implicit",
    "brax spatial-3r step_exact": f"{EULER}, damping implicit",
    "brax spatial-3r step_iterated": f"{EULER}, in 2 equal steps",
    "newton cart-pole step": EULER,
    "newton free-rigid-body step": EULER,
    "jaxsim cart-pole step_semi_implicit_euler": EULER,
    "jaxsim cart-pole step_runge_kutta4": f"{RUNGE_KUTTA}, as if damping of the start of the step acted until its end",
    "jaxsim free-rigid-body step_runge_kutta4": RUNGE_KUTTA,
    "dart cart-pole step": f"{EULER}, damping implicit",
    "pybullet cart-pole step": EULER,
    "drake cart-pole step_discrete_tamsi": EULER,
    "drake cart-pole step_discrete_sap": f"{EULER}, damping implicit",
    "drake cart-pole step_implicit_euler": "implicit Euler, in halves",
    "drake cart-pole step_radau3": "Radau IIA, third order",
    "drake cart-pole step_runge_kutta5": "Dormand–Prince, fifth order",
    "drake cart-pole step_bogacki_shampine3": "Bogacki–Shampine, third order",
}

BY_NIGHT = ("jaxsim free-rigid-body step_runge_kutta4", "newton free-rigid-body step")

FAULTY = ("mujoco-warp spatial-3r step_euler", "newton cart-pole step", "jaxsim cart-pole step_semi_implicit_euler")
"""Steps in which a fault is planted by day."""


def said(asked: str, longer: float = 1.0) -> str:
    """The scheme of an engine's step, which takes so many times the length that is asked for."""
    name, spec, step = asked.split()
    engine = next(one for one in ENGINES if one.name == name)
    adapter = getattr(import_module(f"implementations.engines.{engine.folder}.adapter"), engine.adapter)()
    mechanism = find_mechanism(spec).in_precision(precision_named(getattr(adapter, "precision", "float64")))
    case = steps_case(mechanism, 0, 9)
    if name in SLOW:
        case = case.pick(np.flatnonzero(np.abs(case.states.v).max(axis=1) < 10.0))
    q, v, tau = case.states.arguments(("q", "v", "tau"))
    h = lengths(case, 0, None)
    try:
        answer = getattr(adapter.load(mechanism), step)(q, v, tau, longer * h)
    except Missing as missing:
        pytest.skip(str(missing))
    taken = Step(q, v, tau, h, tau, answer[:, : mechanism.nq], answer[:, mechanism.nq :])
    found = Naming(case.truth, case.scale, taken).named()
    assert found.is_explained
    first = found.candidates[0]
    altered = [f"as if {first.alteration.words(mechanism)}"] if first.alteration else []
    return ", ".join([first.scheme.words, *altered])


@pytest.mark.parametrize("asked", [pytest.param(one, marks=pytest.mark.nightly if one in BY_NIGHT else ()) for one in SCHEMES])
def test_steps_of_engines_are_named(asked: str) -> None:
    assert said(asked) == SCHEMES[asked]


@pytest.mark.slow
@pytest.mark.parametrize("asked", FAULTY)
def test_a_step_that_is_too_long_is_seen(asked: str) -> None:
    assert said(asked, 1.01) == f"{SCHEMES[asked]}, as if the length of the step were 1.01 h"
