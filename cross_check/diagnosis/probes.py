"""Probes: mechanisms on which explanations that fit equally well so far predict different answers. The code decides.

Tried are variants of the mechanism itself, on which faults at its own bodies and joints can show, then textbook mechanisms that
have many traits. A probe that the code cannot load, or on which its answers are those of no explanation, decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cross_check.diagnosis.laboratory import Laboratory, NoAnswer, Trial, try_sampled
from cross_check.diagnosis.search import Explanation
from cross_check.diagnosis.symptoms import Symptom
from implementations.protocol import Unsupported
from mechanisms import Inertia, Joint, Mechanism
from mechanisms.errors import MechanismError
from mechanisms.quantities import QUANTITIES
from mechanisms.textbook import TEXTBOOK

TEXTBOOK_PROBES = ("spatial-3r", "wall-arms", "satellite", "every-joint", "lead-screw", "telescope")

STATES = 6


@dataclass(frozen=True)
class Decided:
    """What probes left."""

    chosen: Explanation
    passed: tuple[Symptom, ...]
    """Probes whose answers it predicts, where others predict different ones."""
    alternatives: tuple[str, ...]
    """Explanations that would differ on a probe that the code does not answer: sentences that name it."""


def distinguished(
    laboratory: Laboratory,
    mechanism: Mechanism,
    explanations: Sequence[Explanation],
    bar: float,
    is_over: Callable[[], bool] = lambda: False,
) -> Decided:
    """The explanation that probes leave. Of those that predict the same on all probes, the first stands for all."""
    left, passed, undecided = list(explanations), list[Symptom](), dict[int, str]()
    for probe in probes(mechanism):
        if len(left) < 2 or is_over():
            break
        trial = try_sampled(laboratory, probe, 0, STATES)
        for quantity in dict.fromkeys(symptom.quantity for e in left for symptom in e.explained):
            different = [e for e in left[1:] if not _same(trial, quantity, left[0], e)]
            if not different:
                continue
            try:
                fitting = [e for e in left if trial.explains(quantity, e.fault, bar)]
            except NoAnswer as why:
                for e in different:
                    undecided.setdefault(id(e), f"{QUANTITIES[quantity].title} on {probe.name} would decide, but {why}")
                continue
            if fitting:
                left = fitting
                passed.append(Symptom(trial, quantity, f"on {probe.name}"))
    others = [f"{'; '.join(fault.name for fault in e.faults)}: {undecided[id(e)]}" for e in left[1:] if id(e) in undecided]
    return Decided(left[0], tuple(passed), tuple(others))


def _same(trial: Trial, quantity: str, one: Explanation, other: Explanation) -> bool:
    """Whether two explanations predict the same answers, or one predicts none. No code is asked."""
    answers = []
    for explanation in (one, other):
        try:
            truth = trial.case(explanation.fault).truth
            with np.errstate(all="ignore"):
                answers.append(truth.values(quantity, *trial.states.arguments(QUANTITIES[quantity].arguments)))
        except (ArithmeticError, LookupError, ValueError, MechanismError, Unsupported, np.linalg.LinAlgError):
            answers.append(np.full(1, np.nan))
    first, second = answers
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return True
    size = float(np.abs(first).max(initial=0))
    return first.shape == second.shape and bool(np.abs(first - second).max(initial=0) <= 1e-9 * size)


def probes(mechanism: Mechanism) -> Iterator[Mechanism]:
    """Variants of the mechanism, then textbook mechanisms."""
    for body in mechanism.bodies[:3] + mechanism.bodies[-3:]:
        if not body.inertia.is_massless:
            yield replace(
                mechanism,
                name=f"{body.name} alone on a free joint",
                bodies=(replace(body, parent=mechanism.root, joint=Joint(body.joint.name, "free")),),
                frames=(),
            )
    yield with_inertias(mechanism, "point masses", lambda I: Inertia(I.mass, I.com))
    yield with_inertias(mechanism, "massless bodies", lambda I: Inertia.massless())
    yield with_joints(mechanism, "joints without armature", lambda j: replace(j, armature=0))
    for name in TEXTBOOK_PROBES:
        if name in TEXTBOOK:
            yield TEXTBOOK[name]()


def with_inertias(mechanism: Mechanism, name: str, change: Callable[[Inertia], Inertia]) -> Mechanism:
    bodies = tuple(replace(body, inertia=change(body.inertia)) for body in mechanism.bodies)
    return replace(mechanism, name=f"{mechanism.name} with {name}", bodies=bodies, physical=False)


def with_joints(mechanism: Mechanism, name: str, change: Callable[[Joint], Joint]) -> Mechanism:
    bodies = tuple(replace(body, joint=change(body.joint)) for body in mechanism.bodies)
    return replace(mechanism, name=f"{mechanism.name} with {name}", bodies=bodies, physical=mechanism.physical)
