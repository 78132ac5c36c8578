"""Probes: mechanisms on which explanations that fit equally well so far predict different answers. The code decides.

Tried are variants of the mechanism itself, on which faults at its own bodies and joints can show, then textbook mechanisms that
have many traits. A probe that the code cannot load, or on which its answers are those of no explanation, decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from cross_check.explain.diagnosis.laboratory import WITHOUT_NUMBER, Laboratory, NoAnswer, Trial, try_sampled
from cross_check.explain.diagnosis.numbers.bodies import alone
from cross_check.explain.diagnosis.search import Explanation, predicts
from cross_check.explain.diagnosis.stages import Stages
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.diagnosis.words import kind_of
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.mechanisms import has_armature, has_damping
from cross_check.explain.faults.fault import Fault, both
from cross_check.explain.faults.terms.usual import NO_ARMATURE, NO_DAMPING
from mechanisms import Inertia, Joint, Mechanism, Placement, Rotation
from mechanisms.library.textbook import TEXTBOOK
from mechanisms.numbers.exact import Vector
from mechanisms.quantities import QUANTITIES

TEXTBOOK_PROBES = ("spatial-3r", "wall-arms", "satellite", "every-joint", "lead-screw", "telescope")

STATES = 6

OTHERS, GENERAL_STATES = ("spatial-3r", "wall-arms"), 18
"""Mechanisms on which the code may be wrong by the same fault, and at how many states of each it is asked."""

NEAR_ROUNDING = 1e4
"""Relative to the largest number of an answer: what differs by less may be rounding."""

SAME_HERE = "it predicts the same answers about this robot"
"""Why nothing decides between explanations of code for one robot."""

GENERAL_INERTIA = Inertia(
    Fraction(13, 10),
    (Fraction(7, 100), Fraction(-11, 100), Fraction(19, 100)),
    tuple(Fraction(n, 1000) for n in (31, 43, 37, 5, -7, 3)),
)
TURN = Rotation.from_rpy(0.3, -0.7, 1.1)
ARMATURE, DAMPING = Fraction(7, 10), Fraction(13, 10)
GRAVITY = (Fraction(3), Fraction(-5), Fraction(7))
MOVED = (Fraction(3, 100), Fraction(-7, 100), Fraction(11, 100))


@dataclass(frozen=True)
class Decided:
    """What probes left."""

    chosen: Explanation
    passed: tuple[Symptom, ...]
    """Probes whose answers it predicts, where others predict different ones."""
    alternatives: tuple[str, ...]
    """Explanations that would differ on a probe that the code does not answer: sentences that name it."""
    refuted: tuple[str, ...] = ()
    """Explanations whose answers on a probe are not those of the code: sentences that name it."""
    elsewhere: int = 0
    """On so many mechanisms with general numbers the code answers as it predicts."""


@dataclass(frozen=True)
class Doubt:
    """What mechanisms with general numbers say of an explanation."""

    why: str = ""
    """Why it may not hold; empty if nothing contradicts it."""
    is_refuted: bool = False
    elsewhere: int = 0
    """On so many of them the code answers as it predicts."""


def distinguished(laboratory: Laboratory, mechanism: Mechanism, explanations: Sequence[Explanation]) -> Decided:
    """The explanation that probes leave. Of those that predict the same on all probes, the first stands for all."""
    left, passed, undecided = list(explanations), list[Symptom](), dict[int, str]()
    refuted: list[str] = []
    for probe in probes(mechanism):
        if len(left) < 2 or laboratory.is_over():
            break
        trial = try_sampled(laboratory, probe, 0, STATES)
        for quantity in _quantities(left):
            different = [e for e in left[1:] if not _same(trial, quantity, left[0], e)]
            if not different:
                continue
            try:
                fitting = [e for e in left if trial.explains(quantity, e.fault)]
            except NoAnswer:
                says = f"{QUANTITIES[quantity].title} on {probe.name} would decide, and the code does not answer there"
                for e in different:
                    undecided.setdefault(id(e), SAME_HERE if laboratory.knows_one_robot else says)
                continue
            if fitting:
                where = f"{QUANTITIES[quantity].title} on {probe.name} is otherwise"
                refuted += (f"{_named(e)}: {where}" for e in left if e not in fitting)
                left = fitting
                passed.append(Symptom(trial, quantity, f"on {probe.name}"))
    # A trait may fit one probe by accident: it must fit all of them.
    left = [e for e in left if not (_has_trait(e) and _compared(laboratory, _textbook(), e, (e.fault,))[0])]
    left = left or list(explanations[:1])
    names: dict[str, dict[str, None]] = {}
    """By what would decide: the explanations, of which several may have one name."""
    for e in left[1:]:
        if id(e) in undecided:
            names.setdefault(undecided[id(e)], {})[_named(e)] = None
    others = tuple(f"{'; or '.join(same)}: {why}" for why, same in names.items())
    return Decided(left[0], tuple(passed), others, tuple(refuted))


def generalized(laboratory: Laboratory, decided: Decided, candidates: Callable[[Mechanism], Sequence[Fault]]) -> Decided:
    """The same, but for a fault that names no body and no joint and explains the code on another mechanism, too.

    A cause that names bodies and joints of one mechanism says that the code is right on mechanisms without these. If it is not,
    it may be a part only of what is wrong. Without a fault that explains both, that is an alternative.
    """
    chosen = decided.chosen
    if not all(fault.where for fault in chosen.faults):
        return decided
    others = (TEXTBOOK[name]() for name in OTHERS)
    for trial, quantity in _asked(laboratory, others, chosen, GENERAL_STATES):
        # Mechanisms may share names of joints.
        if laboratory.is_over() or not trial.is_wrong(quantity) or trial.explains(quantity, chosen.fault):
            continue
        stages = Stages(laboratory, trial.mechanism, candidates(trial.mechanism))
        for fault in (fault for several in stages.single(Symptom(trial, quantity)) for fault in several):
            if not fault.where and predicts(fault, chosen.explained):
                return replace(decided, chosen=replace(chosen, faults=(fault,)))
        wrong = f"{QUANTITIES[quantity].title} of {trial.mechanism.name} is wrong"
        said = f"a fault that concerns other mechanisms, too: {wrong}, and this does not explain it"
        return replace(decided, alternatives=(*decided.alternatives, said))
    return decided


def doubt(laboratory: Laboratory, mechanism: Mechanism, explanation: Explanation) -> Doubt:
    """What mechanisms with general numbers say of an explanation.

    What contradicts a convention does not refute it: another convention may be the same on this mechanism.
    """
    is_convention = all(kind_of(fault) == "convention" for fault in explanation.faults)
    if is_convention and _is_near_rounding(explanation) and not _is_shown(laboratory, mechanism, explanation):
        return Doubt("what it explains is nearly as small as rounding, and it shows on no other mechanism", True)
    tried, possible = _general_experiments(mechanism, explanation)
    otherwise, agreeing = _compared(laboratory, tried, explanation, possible)
    return Doubt(otherwise, bool(otherwise) and not is_convention, 0 if otherwise else agreeing)


def _is_near_rounding(explanation: Explanation) -> bool:
    """Whether what it explains differs from right answers by :data:`NEAR_ROUNDING` at most, so that rounding may look like it.

    Frames that nearly coincide make conventions nearly the same.
    """
    return all(
        _same(s.trial, s.quantity, Explanation(()), explanation, NEAR_ROUNDING * s.trial.mechanism.precision.epsilon)
        for s in explanation.explained
    )


def _is_shown(laboratory: Laboratory, mechanism: Mechanism, explanation: Explanation) -> bool:
    """Whether there is a probe on which it predicts other answers than right ones, by far, and the code gives them."""
    for trial, quantity in _asked(laboratory, (*general(mechanism), *_textbook()), explanation):
        with suppress(NoAnswer):
            if not _same(trial, quantity, Explanation(()), explanation) and trial.explains(quantity, explanation.fault):
                return True
    return False


def _quantities(explanations: Sequence[Explanation]) -> dict[str, None]:
    """The quantities that they explain."""
    return dict.fromkeys(symptom.quantity for e in explanations for symptom in e.explained)


def _asked(
    laboratory: Laboratory, mechanisms: Iterable[Mechanism], explanation: Explanation, states: int = STATES
) -> Iterator[tuple[Trial, str]]:
    """Every quantity that is explained, on every mechanism."""
    for mechanism in mechanisms:
        trial = try_sampled(laboratory, mechanism, 0, states)
        yield from ((trial, quantity) for quantity in _quantities([explanation]))


def _compared(
    laboratory: Laboratory, mechanisms: Iterable[Mechanism], explanation: Explanation, possible: Sequence[Fault]
) -> tuple[str, int]:
    """On which of the mechanisms code answers otherwise than with any of the ``possible`` faults, empty if on none; and on how
    many mechanisms it answers as with one of them."""
    agreeing = set[str]()
    for trial, quantity in _asked(laboratory, mechanisms, explanation):
        with suppress(NoAnswer):
            if not any(trial.explains(quantity, fault) for fault in possible):
                return f"{QUANTITIES[quantity].title} on {trial.mechanism.name} is otherwise", len(agreeing)
            agreeing.add(trial.mechanism.name)
    return "", len(agreeing)


def _textbook() -> Iterator[Mechanism]:
    return (TEXTBOOK[name]() for name in TEXTBOOK_PROBES)


def _has_trait(explanation: Explanation) -> bool:
    return any(fault.has_trait for fault in explanation.faults)


def _named(explanation: Explanation) -> str:
    return "; ".join(fault.name for fault in explanation.faults)


def _same(trial: Trial, quantity: str, one: Explanation, other: Explanation, apart: float = 1e-9) -> bool:
    """Whether two explanations predict the same answers, or one predicts none. No code is asked.

    ``apart`` is the largest difference of answers that are the same, relative to the largest one.
    """
    answers = []
    for explanation in (one, other):
        try:
            truth = trial.case(explanation.fault).truth
            with np.errstate(all="ignore"):
                answers.append(truth.values(quantity, *trial.states.arguments(QUANTITIES[quantity].arguments)))
        except WITHOUT_NUMBER:
            answers.append(np.full(1, np.nan))
    first, second = answers
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return True
    size = trial.mechanism.precision.near(apart) * float(np.abs(first).max(initial=0))
    return first.shape == second.shape and bool(np.abs(first - second).max(initial=0) <= size)


def probes(mechanism: Mechanism) -> Iterator[Mechanism]:
    """Variants of the mechanism, then textbook mechanisms."""
    yield from general(mechanism)
    for body in mechanism.bodies[:3] + mechanism.bodies[-3:]:
        if not body.inertia.is_massless:
            yield alone(mechanism, body)
    yield with_inertias(mechanism, "point masses", lambda I: Inertia(I.mass, I.com))
    yield with_inertias(mechanism, "massless bodies", lambda I: Inertia.massless())
    yield with_joints(mechanism, "joints without armature", lambda j: replace(j, armature=0))
    yield from _textbook()


def general(mechanism: Mechanism) -> Iterator[Mechanism]:
    """The mechanism with numbers of which none is zero: of inertias, then of placements, then of rotors and dampers."""
    yield with_inertias(mechanism, "inertias without zeros", lambda I: GENERAL_INERTIA)
    yield with_joints(mechanism, "turned placements", lambda j: replace(j, placement=_turned(j.placement)))
    yield with_joints(mechanism, "rotors and dampers", _driven)


def _general_experiments(mechanism: Mechanism, explanation: Explanation) -> tuple[Iterable[Mechanism], Sequence[Fault]]:
    """Mechanisms on which code answers as the explanation predicts if it holds in general, and the faults that predict it.

    Numbers of one body or joint that are read wrongly are those of this mechanism. So such faults are tried with another gravity
    alone. Code that knows no rotors, no dampers or no other gravity, as readers of files do, contradicts nothing where the
    mechanism has none.
    """
    fault = explanation.fault
    if any(one.where and kind_of(one) == "model" for one in explanation.faults):
        return (with_gravity(GRAVITY, mechanism),), [fault, *(both(fault, other) for other in _other_gravities(mechanism))]
    return general(mechanism), [fault, *_with_ignored(fault, mechanism)]


def _other_gravities(mechanism: Mechanism) -> Iterator[Fault]:
    """What code has that takes no gravity from the mechanism: that of this one, or the usual one."""
    for wrong in (partial(with_gravity, mechanism.gravity), wm.usual_gravity):
        yield Fault("gravity is another one", "gravity", mechanism=wrong)


def _with_ignored(fault: Fault, mechanism: Mechanism) -> Iterator[Fault]:
    """The fault, and rotors or dampers that are ignored, or both, where the mechanism does not have them."""
    if fault.condition:
        return
    absent = [ignored for has, ignored in ((has_armature, NO_ARMATURE), (has_damping, NO_DAMPING)) if not has(mechanism)]
    yield from (both(fault, ignored) for ignored in absent)
    if len(absent) == 2:
        yield both(fault, both(*absent))


def _driven(joint: Joint) -> Joint:
    return replace(joint, armature=ARMATURE, damping=DAMPING) if joint.description.takes_armature_and_damping else joint


def _turned(placement: Placement) -> Placement:
    """The placement, turned and moved further, so that no number of it is zero or occurs twice."""
    translation = tuple(x + more for x, more in zip(placement.translation, MOVED, strict=True))
    return Placement(placement.rotation @ TURN, translation)


def with_gravity(gravity: Vector, mechanism: Mechanism) -> Mechanism:
    return replace(mechanism, name=f"{mechanism.name} with another gravity", gravity=gravity)


def with_inertias(mechanism: Mechanism, name: str, change: Callable[[Inertia], Inertia]) -> Mechanism:
    bodies = tuple(replace(body, inertia=change(body.inertia)) for body in mechanism.bodies)
    return replace(mechanism, name=f"{mechanism.name} with {name}", bodies=bodies, physical=False)


def with_joints(mechanism: Mechanism, name: str, change: Callable[[Joint], Joint]) -> Mechanism:
    bodies = tuple(replace(body, joint=change(body.joint)) for body in mechanism.bodies)
    return replace(mechanism, name=f"{mechanism.name} with {name}", bodies=bodies, physical=mechanism.physical)
