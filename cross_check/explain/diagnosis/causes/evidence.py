"""Experiments that show which term is wrong: parts of the state, of the inertia or of gravity are taken away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.explain.diagnosis.laboratory import NoAnswer, Trial, try_states
from cross_check.explain.diagnosis.probes import with_inertias, with_joints
from cross_check.explain.faults.fault import NO_FAULT, Fault
from implementations.protocol import Unsupported
from mechanisms import Inertia
from mechanisms.body import GRAVITY_COMPENSATION
from mechanisms.joint_forces import JOINT_FORCES
from mechanisms.quantities import QUANTITIES

USUAL = "random"
"""The kind of states that experiments use: everything moves, and no number is extreme."""

NEARLY = 100.0
"""A recorded state is nearly as wrong as the worst if its error is at most so many times smaller."""

PLAIN = 100.0
"""An example is off by so many times the bar at least, so that it shows a fault and not rounding."""


def observations(trial: Trial, quantity: str, rest: Fault = NO_FAULT) -> tuple[Observation, ...]:
    """What is seen in ``quantity`` as parts of the state and of the mechanism are taken away.

    ``trial`` has the mechanism at the states of a run; those of the kind :data:`USUAL` are used. Experiments that the code
    cannot answer are left out, and so are those that can change nothing. Answers are compared with those of code that has the
    faults of ``rest``.
    """
    chosen = [k for k, kind in enumerate(trial.states.kinds) if kind == USUAL]
    usual = trial.pick(np.array(chosen, dtype=np.intp)) if chosen else trial
    made = []
    everything = [("everything as it is", usual)]
    for asked, experiment in (*everything, *_experiments(usual, QUANTITIES[quantity].arguments)):
        try:
            made.append(Observation(asked, _seen(experiment, quantity, rest)))
        except (NoAnswer, Unsupported):
            continue
    if growth := _growth(usual, quantity, rest):
        made.insert(4, growth)
    return tuple(made)


def plain_state(trial: Trial, quantity: str) -> int:
    """The place of the state that an example begins with: the first wrong one of the kind :data:`USUAL`, else the worst one.

    Recorded states are of no kind: of those that are nearly as wrong as the worst, it is the one with the smallest numbers.
    Raises :class:`NoAnswer`.
    """
    states, errors = trial.states, trial.errors(quantity)
    usual = [k for k, kind in enumerate(states.kinds) if kind == USUAL and errors[k] > trial.laboratory.bar]
    nearly = np.flatnonzero(errors >= errors.max() / NEARLY) if states.numbers else np.array([errors.argmax()])
    largest = np.abs(np.hstack([states.q, states.v, states.a])).max(axis=1)
    return int(usual[0] if usual else nearly[largest[nearly].argmin()])


def _experiments(trial: Trial, arguments: tuple[str, ...]) -> Iterator[tuple[str, Trial]]:
    zero, calm = np.zeros_like(trial.states.v), np.zeros_like(trial.states.f)
    mechanism, states = trial.mechanism, trial.states
    if "v" in arguments:
        yield "nothing moves", trial.at(v=zero, a=zero, f=calm)
    if "a" in arguments or "tau" in arguments:
        yield "accelerations alone", trial.at(v=zero, f=calm)
        yield "velocities alone", trial.at(a=zero, f=calm)
    if "f" in arguments:
        yield "without forces on the bodies", trial.at(f=calm)
    changed = []
    if any(mechanism.gravity):
        changed.append(("without gravity", replace(mechanism, gravity=(0, 0, 0))))
    if any(body.joint.armature != 0 for body in mechanism.bodies):
        changed.append(("without armature", with_joints(mechanism, "no armature", lambda j: replace(j, armature=0))))
    for name, force in JOINT_FORCES.items():
        if any(name in body.joint.forces for body in mechanism.bodies):
            none: Any = dict.fromkeys(force.parameters, 0)
            changed.append((f"without {force.words}", with_joints(mechanism, f"no {name}", partial(replace, **none))))
    if mechanism.lifted:
        bodies = tuple(replace(body, lifted=Inertia.massless()) for body in mechanism.bodies)
        changed.append(
            (f"without {GRAVITY_COMPENSATION}", replace(mechanism, name=f"{mechanism.name}, not lifted", bodies=bodies))
        )
    if any(not body.inertia.is_massless for body in mechanism.bodies):
        changed.append(("point masses", with_inertias(mechanism, "point masses", lambda I: Inertia(I.mass, I.com))))
        changed.append(("masses at the origins", with_inertias(mechanism, "masses at the origins", lambda I: Inertia(I.mass))))
        changed.append(("bodies without mass", with_inertias(mechanism, "massless bodies", lambda I: Inertia.massless())))
    for asked, other in changed:
        yield asked, try_states(trial.laboratory, other, states)


def _seen(trial: Trial, quantity: str, rest: Fault) -> str:
    if trial.errors(quantity, rest).max(initial=0) <= trial.laboratory.bar:
        return "agrees"
    return trial.off_in_words(quantity, rest)


def _growth(trial: Trial, quantity: str, rest: Fault) -> Observation | None:
    """How much further off the answers are at twice the velocity: 2 times for damping, 4 times for Coriolis terms."""
    if "v" not in QUANTITIES[quantity].arguments:
        return None
    still = np.zeros_like(trial.states.a)
    once, twice = (trial.at(v=k * trial.states.v, a=still, f=0 * trial.states.f) for k in (1, 2))
    try:
        at_rest = trial.at(v=still, a=still).errors(quantity, rest).max(initial=0)
        if once.errors(quantity, rest).max(initial=0) <= trial.laboratory.bar or at_rest > trial.laboratory.bar:
            return None
        growth = twice.off(quantity, rest) / once.off(quantity, rest)
        return Observation("velocities twice as large", f"{growth:.4g} times as far off")
    except (NoAnswer, Unsupported, ZeroDivisionError):
        return None
