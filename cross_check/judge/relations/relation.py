"""What a relation is: an equation between answers of one implementation. It needs no truth.

An invariant is an equation between answers about one mechanism (:mod:`cross_check.judge.relations.invariants`). A metamorphic
relation transforms a mechanism and its states, and compares the answers about the original with those about the images
(:mod:`cross_check.judge.relations.transformation`). The error of a relation is in ε-units of the sizes of all answers that it
compares. Code whose answers are within a few ε-units of the truth keeps every metamorphic relation within as many.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import bounded
from cross_check.judge.comparison.sampling import States
from cross_check.judge.error_scale.motion_magnitudes import MotionMagnitudes
from cross_check.judge.error_scale.sizes import ErrorScale, in_epsilons
from cross_check.judge.relations.transformation import OF_CONSTRAINTS, RELATED, Back, Question, Related
from cross_check.memory import Array
from implementations.processes.subject import Loaded
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES, Quantity

Load = Callable[[Mechanism], Loaded]
"""Raises :class:`Failure`, and :class:`Unsupported` for a mechanism that the implementation refuses."""

STATES = 28
"""How many states relations are tried on: each takes up to eight calls per state."""

Errors = dict[str, Array]
"""The errors (batch, …) in ε-units, by quantity; invariants have one entry."""


class NotOffered(Exception):
    """The implementation lacks what a relation is about: the end of a sentence about it."""


class Asked:
    """The implementation under test. Answers about the mechanism of the case are kept."""

    def __init__(self, case: Case, loaded: Loaded, load: Load, quantities: Collection[str] = ()) -> None:
        # Code is loaded either with constraints, for their quantities, or without them.
        self.quantities = (
            {*OF_CONSTRAINTS} & {*quantities} if case.mechanism.constraints else {*RELATED, *quantities} - {*OF_CONSTRAINTS}
        )
        self.case, self.states = case, case.states.pick(np.arange(len(case.states))[:STATES])
        self.seconds = 0.0
        self.loaded, self._load = loaded, load
        self.reads_files: bool | None = None
        """Whether it reads the file that it is given; None until that is found out."""
        self._bounds = MotionMagnitudes
        self._scales: dict[tuple[object, ...], ErrorScale] = {_key(case.mechanism, 0.0): case.scale}
        self._kept: Errors = {}
        self._posed: dict[tuple[object, ...], tuple[Loaded, Errors]] = {}

    def about(self, mechanism: Mechanism, bounds: type[MotionMagnitudes], quantity: str) -> Asked:
        """The same code, asked for one quantity of another mechanism, or of the same, with the sizes of these bounds."""
        other = copy(self)
        other.quantities, other._bounds, other._scales = {quantity}, bounds, {}
        if mechanism is not self.case.mechanism:
            other.case, other.loaded, other._kept = Case.by_reference(mechanism, self.case.states), self._load(mechanism), {}
        return other

    @property
    def scale(self) -> ErrorScale:
        """The sizes of answers about the mechanism of the case."""
        return self._scale_of(self.case.mechanism, 0.0)

    def ask(self, loaded: Loaded, quantity: str, *arguments: Array) -> Array:
        answer = loaded.ask(quantity, *arguments)
        self.seconds += answer.seconds
        return answer.value

    def pose(self, question: Question) -> Posed:
        """The question, with its mechanism loaded."""
        mechanism = question.mechanism
        scale = self._scale_of(mechanism, question.lever)
        if mechanism is self.case.mechanism:
            kept = self._kept if question.states is self.states else {}
            return Posed(self, question, self.loaded, scale, kept)
        columns = question.states.columns.values()
        key = _key(mechanism, *(column.tobytes() for column in columns))
        if key not in self._posed:
            # Several relations may ask the same.
            self._posed[key] = (self._load(mechanism), {})
        return Posed(self, question, self._posed[key][0], scale, self._posed[key][1])

    def _scale_of(self, mechanism: Mechanism, lever: float) -> ErrorScale:
        key = _key(mechanism, lever)
        if key not in self._scales:
            self._scales[key] = ErrorScale(self._bounds(mechanism, lever=lever))
        return self._scales[key]


def _key(mechanism: Mechanism, *others: object) -> tuple[object, ...]:
    return (mechanism.name, mechanism.fingerprint, *others)


@dataclass(frozen=True, eq=False)
class Posed:
    """A question put to the implementation."""

    asked: Asked
    question: Question
    loaded: Loaded
    scale: ErrorScale
    kept: Errors

    def answer(self, quantity: str) -> Array:
        if quantity not in self.kept:
            arguments = self.question.states.arguments(ALL_QUANTITIES[quantity].arguments)
            self.kept[quantity] = self.asked.ask(self.loaded, quantity, *arguments)
        return self.kept[quantity]

    @cached_property
    def case(self) -> Case:
        """Its mass matrix by the reference, which only says where q̈ exists and how well M is conditioned."""
        return Case.by_reference(self.question.mechanism, self.question.states, self.scale)

    def size(self, quantity: str) -> Array:
        """The size of the answer; of the forces that it needs, for forward dynamics."""
        states = self.question.states
        if quantity == "forward_dynamics":
            return self.scale.shared_force(states.q, states.v, self.answer(quantity))
        return self.scale.size(quantity, *states.arguments(ALL_QUANTITIES[quantity].arguments))


@dataclass(frozen=True)
class Relation:
    """``meaning`` is a sentence without a full stop."""

    name: str
    meaning: str

    def errors(self, asked: Asked) -> Errors:
        """Raises :class:`Unsupported`, :class:`NotOffered`, and what loading and asking raise."""
        raise NotImplementedError

    def quantities(self, key: str) -> list[Quantity]:
        """What an entry of the errors is about."""
        return [ALL_QUANTITIES[key]]

    def where(self, errors: Errors, asked: Asked, bar: float) -> str:
        """Where the relation is broken, in words."""
        return ""


@dataclass(frozen=True)
class Metamorphic(Relation):
    """``relate`` raises :class:`Unsupported`, with the reason, for a mechanism to which the relation does not apply."""

    relate: Callable[[Mechanism, States], Related]
    holds_with_mimics: bool = False
    """Whether it also holds for mechanisms with mimic joints, whose leaders and offsets it would have to change otherwise."""

    def errors(self, asked: Asked) -> Errors:
        """The errors, by quantity."""
        if asked.case.mechanism.has_mimics and not self.holds_with_mimics:
            raise Unsupported("it says nothing about mechanisms with mimic joints")
        related = self.relate(asked.case.mechanism, asked.states)
        original = asked.pose(related.original)
        self.require_asked(asked, original, related)
        return errors_by_quantity(related, original, [asked.pose(image) for image in related.images])

    def require_asked(self, asked: Asked, original: Posed, related: Related) -> None:
        """Raise :class:`Unsupported` or :class:`Failure` for code that the relation says nothing about."""

    def where(self, errors: Errors, asked: Asked, bar: float) -> str:
        """Which quantity breaks the relation most, where, and how many others do."""
        broken = [name for name, units in errors.items() if units.max(initial=0) > bar]
        worst = max(broken, key=lambda name: float(errors[name].max()))
        k, *indices = map(int, np.unravel_index(int(errors[worst].argmax()), errors[worst].shape))
        question = self.relate(asked.case.mechanism, asked.states).original
        component = ALL_QUANTITIES[worst].component(question.mechanism, indices)
        where = f"{worst} ({component})" if component else worst
        others = len(broken) - 1
        more = f", and by {others} {'others' if others > 1 else 'other'}" if others else ""
        kept = len(errors) - len(broken)
        return f"broken by {where} in state {k} ({question.states.kinds[k]}){more}" + (f"; {kept} keep it" if kept else "")


def errors_by_quantity(related: Related, original: Posed, images: Sequence[Posed]) -> Errors:
    """The errors, by quantity. Raises :class:`Unsupported` or :class:`NotOffered` where there are none."""
    errors: Errors = {}
    reason = ""
    for name, back in related.back.items():
        asked = name in original.asked.quantities and ALL_QUANTITIES[name].is_compared(related.original.mechanism)
        if not (asked and original.loaded.offers(name)):
            continue
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                errors[name] = bounded(_units(name, back, related.back, original, images))
        except Unsupported as refusal:
            reason = reason or str(refusal)
    if not errors:
        raise Unsupported(reason) if reason else NotOffered("no quantity that the relation is about")
    return errors


def _units(name: str, back: Back, others: Mapping[str, Back], original: Posed, images: Sequence[Posed]) -> Array:
    if ALL_QUANTITIES[name].needs_regular_mass_matrix:
        original.case.mass_matrix.require_regular(original.question.states.q)
    difference = original.answer(name) - back.answer(*(image.answer(name) for image in images))
    sizes = [image.size(name) for image in images]
    if name != "forward_dynamics":
        return in_epsilons(difference, original.size(name) + back.size(*sizes))
    # What solving M a = F may lose if M is ill-conditioned, as for the derivatives of forward dynamics: algorithms that are right
    # about the original may lose more about an image.
    q = original.question.states.q
    forces = original.size(name) + others["inverse_dynamics"].size(*sizes)
    inverse = np.abs(original.case.mass_matrix.inverse(q))
    sensitivity = np.einsum("bij,bj->bi", inverse, np.sqrt(original.scale.subtree_inertias(q)))
    return in_epsilons(difference, sensitivity * (sensitivity * forces).sum(axis=1, keepdims=True))
