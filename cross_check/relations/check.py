"""Check metamorphic relations: answers of one implementation about several mechanisms and states, compared with one another.

The error of a relation is in ε-units of the sizes of all answers that it compares. Code whose answers about the original and
about the images are within a few ε-units of the truth keeps every relation within as many.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.invariants import STATES
from cross_check.comparison.measure import rounded
from cross_check.comparison.other_levers import contradiction_by_levers
from cross_check.error_scale.motion_magnitudes import MotionMagnitudes
from cross_check.error_scale.sizes import ErrorScale, in_epsilons
from cross_check.faults.supposition import suppose
from cross_check.memory import Array
from cross_check.relations.canary import VISIBLE, Canary
from cross_check.relations.relation import OF_CONSTRAINTS, RELATED, Back, Question, Related, Relation
from cross_check.relations.table import RELATIONS
from cross_check.results import INFINITE, Invariant
from cross_check.results.objects import NO_READER, NOT_READ
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms import Mechanism, MechanismError
from mechanisms.quantities import ALL_QUANTITIES

Load = Callable[[Mechanism], Loaded]
"""Raises :class:`Failure`, and :class:`Unsupported` for a mechanism that the implementation refuses."""


def check_relations(
    case: Case,
    loaded: Loaded,
    load: Load,
    implementation: str,
    bar: float,
    names: Sequence[str],
    quantities: Collection[str] = (),
) -> tuple[list[Invariant], float]:
    """The relations with these names, for one implementation and mechanism, and the seconds that the implementation took.

    ``loaded`` has the mechanism of the case; ``load`` loads its images. ``quantities`` are asked for beside the usual ones.
    """
    asked = Asked(case, loaded, load, quantities)
    return [_check(asked, RELATIONS[name], implementation, bar) for name in names], asked.seconds


class Asked:
    """The implementation under test. Answers about the mechanism of the case are kept."""

    def __init__(self, case: Case, loaded: Loaded, load: Load, quantities: Collection[str] = ()) -> None:
        # Code is loaded either with constraints, for their quantities, or without them.
        self.quantities = (
            {*OF_CONSTRAINTS} & {*quantities} if case.mechanism.constraints else {*RELATED, *quantities} - {*OF_CONSTRAINTS}
        )
        self.case, self.states = case, case.states.pick(np.arange(len(case.states))[:STATES])
        self.seconds = 0.0
        self._bounds = MotionMagnitudes
        self._scales: dict[tuple[object, ...], ErrorScale] = {}
        self._loaded, self._load = loaded, load
        self._kept: dict[str, Array] = {}
        self._posed: dict[tuple[object, ...], tuple[Loaded, dict[str, Array]]] = {}
        self._reads_files: bool | None = None

    def about(self, mechanism: Mechanism, bounds: type[MotionMagnitudes], quantity: str) -> Asked:
        """The same code, asked for one quantity of another mechanism, or of the same, with the sizes of these bounds."""
        other = copy(self)
        other.quantities, other._bounds, other._scales = {quantity}, bounds, {}
        if mechanism is not self.case.mechanism:
            other.case, other._loaded, other._kept = suppose(mechanism, self.case.states), self._load(mechanism), {}
        return other

    def pose(self, question: Question) -> Posed:
        """The question, with its mechanism loaded."""
        mechanism, columns = question.mechanism, question.states.columns.values()
        key: tuple[object, ...] = (mechanism.name, mechanism.fingerprint)
        scale = self._scales.setdefault((*key, question.lever), ErrorScale(self._bounds(mechanism, lever=question.lever)))
        if mechanism is self.case.mechanism:
            kept = self._kept if question.states is self.states else {}
            return Posed(self, question, self._loaded, scale, kept)
        key = (*key, *(column.tobytes() for column in columns))
        if key not in self._posed:
            # Several relations may ask the same.
            self._posed[key] = (self._load(mechanism), {})
        return Posed(self, question, self._posed[key][0], scale, self._posed[key][1])

    def reads_what_it_is_given(self, plain: Posed) -> bool:
        """False if it answers about the file of another mechanism as about the plain file. Found out once."""
        if self._reads_files is None:
            try:
                self._reads_files = self._tells_apart(plain)
            except (Failure, Unsupported, MechanismError):
                # It refuses the file, so it has read it; the relations say what else is wrong.
                self._reads_files = True
        return self._reads_files

    def _tells_apart(self, plain: Posed) -> bool:
        states = plain.question.states
        canary = Canary(plain.question.mechanism)
        posed, differ = self.pose(Question(canary.mechanism, states)), False
        for name in RELATED:
            quantity = ALL_QUANTITIES[name]
            if not (plain.loaded.offers(name) and quantity.is_defined(canary.plain)):
                continue
            with suppress(Unsupported):
                right, before = float(canary.change(quantity, states).max(initial=0)), plain.answer(name)
                if not right > VISIBLE * np.abs(before).max(initial=0):
                    continue
                if not np.abs(posed.answer(name) - before).max(initial=0) <= VISIBLE * right:
                    return True
                differ = True
        return not differ


@dataclass(frozen=True, eq=False)
class Posed:
    """A question put to the implementation."""

    asked: Asked
    question: Question
    loaded: Loaded
    scale: ErrorScale
    kept: dict[str, Array]

    def answer(self, quantity: str) -> Array:
        if quantity not in self.kept:
            answer = self.loaded.ask(quantity, *self.question.states.arguments(ALL_QUANTITIES[quantity].arguments))
            self.asked.seconds += answer.seconds
            self.kept[quantity] = answer.value
        return self.kept[quantity]

    @cached_property
    def case(self) -> Case:
        """Its mass matrix by the reference, which only says where q̈ exists and how well M is conditioned."""
        return suppose(self.question.mechanism, self.question.states, scale=self.scale)

    def size(self, quantity: str) -> Array:
        """The size of the answer; of the forces that it needs, for forward dynamics."""
        states = self.question.states
        if quantity == "forward_dynamics":
            return self.scale.shared_force(states.q, states.v, self.answer(quantity))
        return self.scale.size(quantity, *states.arguments(ALL_QUANTITIES[quantity].arguments))


def _check(asked: Asked, relation: Relation, implementation: str, bar: float) -> Invariant:
    mechanism = asked.case.mechanism.name
    ids = (f"{mechanism}/{implementation}/{relation.name}", mechanism, implementation, relation.name)
    if asked.case.mechanism.has_mimics and not relation.holds_with_mimics:
        return Invariant(*ids, "unsupported", "it says nothing about mechanisms with mimic joints")
    try:
        related = relation.relate(asked.case.mechanism, asked.states)
        original = asked.pose(related.original)
        if relation.reads_file:
            if not _reads(original, related):
                return Invariant(*ids, "unsupported", NO_READER)
            if not asked.reads_what_it_is_given(original):
                return Invariant(*ids, "failed", NOT_READ)
        images = [asked.pose(image) for image in related.images]
        errors, reason = errors_by_quantity(related, original, images)
    except (Unsupported, MechanismError) as refusal:
        return Invariant(*ids, "unsupported", str(refusal))
    except Failure as failure:
        return Invariant(*ids, "failed", str(failure))
    if not errors:
        lacking = f"{implementation} has no quantity that the relation is about"
        return Invariant(*ids, "unsupported", reason) if reason else Invariant(*ids, "not offered", lacking)
    error = _largest(errors)
    if error <= bar:
        return Invariant(*ids, "agrees", "", rounded(error))
    if why := _lost_digits(asked, relation, errors, bar):
        return Invariant(*ids, "lost digits", why, rounded(error))
    return Invariant(*ids, "discrepancy", _where(related.original, errors, bar), rounded(error))


def _largest(errors: Mapping[str, Array]) -> float:
    return max((float(units.max(initial=0)) for units in errors.values()), default=INFINITE)


def _lost_digits(asked: Asked, relation: Relation, errors: Mapping[str, Array], bar: float) -> str:
    """Why all errors above the bar are rounding at the end of a longer lever than sizes count; empty if they are not."""

    def error(mechanism: Mechanism, bounds: type[MotionMagnitudes]) -> float:
        there = asked.about(mechanism, bounds, name)
        related = relation.relate(mechanism, there.states)
        posed = (there.pose(question) for question in (related.original, *related.images))
        return _largest(errors_by_quantity(related, next(posed), [*posed])[0])

    reasons = []
    for name in sorted((name for name in errors if _largest({name: errors[name]}) > bar), key=lambda name: -errors[name].max()):
        reasons.append(contradiction_by_levers(asked.case.mechanism, [ALL_QUANTITIES[name]], error, bar))
        if reasons[-1] is None:
            return ""
    return reasons[0] or ""


def more_serious(one: Invariant, other: Invariant) -> Invariant:
    """Of two results of one relation, about different quantities, the one that says more: a failure, else the larger error."""
    order = ("failed", "discrepancy", "known", "lost digits", "agrees", "unsupported", "not offered")
    return min(one, other, key=lambda result: (order.index(result.verdict), -(result.error or 0)))


def _reads(posed: Posed, related: Related) -> bool:
    """Whether the code asks for the mechanism's file when it is asked for a quantity, or before."""
    for name in related.back:
        if not posed.loaded.asked_for_source and posed.loaded.offers(name):
            with suppress(Unsupported):
                posed.answer(name)
    return posed.loaded.asked_for_source


def errors_by_quantity(related: Related, original: Posed, images: Sequence[Posed]) -> tuple[dict[str, Array], str]:
    """By quantity, the errors (batch, …) in ε-units; and why a quantity is missing, if the implementation or M refuses it."""
    errors, reason = {}, ""
    for name, back in related.back.items():
        quantity = ALL_QUANTITIES[name]
        asked = name in original.asked.quantities and quantity.is_compared(related.original.mechanism)
        if not (asked and original.loaded.offers(name)):
            continue
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                units = _units(name, back, related, original, images)
            errors[name] = np.nan_to_num(np.minimum(units, INFINITE), nan=INFINITE)
        except Unsupported as refusal:
            reason = reason or str(refusal)
    return errors, reason


def _units(name: str, back: Back, related: Related, original: Posed, images: Sequence[Posed]) -> Array:
    if ALL_QUANTITIES[name].needs_regular_mass_matrix:
        original.case.mass_matrix.require_regular(original.question.states.q)
    difference = original.answer(name) - back.answer(*(image.answer(name) for image in images))
    sizes = [image.size(name) for image in images]
    if name != "forward_dynamics":
        return in_epsilons(difference, original.size(name) + back.size(*sizes))
    # What solving M a = F may lose if M is ill-conditioned, as for the derivatives of forward dynamics: algorithms that are right
    # about the original may lose more about an image.
    q = original.question.states.q
    forces = original.size(name) + related.back["inverse_dynamics"].size(*sizes)
    inverse = np.abs(original.case.mass_matrix.inverse(q))
    sensitivity = np.einsum("bij,bj->bi", inverse, np.sqrt(original.scale.subtree_inertias(q)))
    return in_epsilons(difference, sensitivity * (sensitivity * forces).sum(axis=1, keepdims=True))


def _where(question: Question, errors: dict[str, Array], bar: float) -> str:
    """Which quantity breaks the relation most, where, and how many others do."""
    broken = [name for name, units in errors.items() if units.max(initial=0) > bar]
    worst = max(broken, key=lambda name: float(errors[name].max()))
    k, *indices = map(int, np.unravel_index(int(errors[worst].argmax()), errors[worst].shape))
    component = ALL_QUANTITIES[worst].component(question.mechanism, indices)
    where = f"{worst} ({component})" if component else worst
    others = len(broken) - 1
    more = f", and by {others} {'others' if others > 1 else 'other'}" if others else ""
    kept = len(errors) - len(broken)
    return f"broken by {where} in state {k} ({question.states.kinds[k]}){more}" + (f"; {kept} keep it" if kept else "")
