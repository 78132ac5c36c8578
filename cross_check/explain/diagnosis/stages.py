"""The stages of a search: ways to find faults that explain one symptom, from the quickest to the slowest.

A stage proposes faults, singly or in pairs, beside the faults that are ``given`` already. Those count that explain the symptom
(:meth:`Stages.found`). A symptom has some hundred numbers of about fifteen digits. So a fault with few numbers of its own that
explains them all is no accident.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce

import numpy as np

from cross_check.explain.diagnosis.conditions.conditions import Condition
from cross_check.explain.diagnosis.conditions.sometimes import condition_of, faults_where, is_at_ordinary_states, is_still
from cross_check.explain.diagnosis.digits import Arithmetic, explain_arithmetic
from cross_check.explain.diagnosis.formulated import pairs_like, slips_like, wrong_classes
from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer
from cross_check.explain.diagnosis.numbers.bodies import misread_bodies
from cross_check.explain.diagnosis.numbers.determined import fixed_bodies, inertia_maps, permutation
from cross_check.explain.diagnosis.numbers.fits import Fitted, bodies_alike, fit, flat, pairs
from cross_check.explain.diagnosis.symptoms import ORDER, Symptom
from cross_check.explain.faults import families
from cross_check.explain.faults.answers.kinematics_and_matrices import CLOSE, wrong_entries
from cross_check.explain.faults.changes.joint_traits import traits_of
from cross_check.explain.faults.families import Family
from cross_check.explain.faults.fault import NO_FAULT, Fault, Term, both, joints_of, scaled
from cross_check.explain.faults.mutants import loaded
from cross_check.explain.faults.readings.rounded import ROUNDED_NUMBERS
from cross_check.explain.faults.terms.factors import terms
from cross_check.explain.formulations import FORMULATIONS
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

FEW = 3
"""Every fault is tried at so many states first: those at which the code is furthest off."""

NEARLY_RIGHT = 1e11
"""ε-units: answers that are off by less are right to four digits."""

USUAL = (-1.0, 2.0, 0.5)
"""Factors of answers that are listed."""

FITTED = 8
"""Numbers are fitted at so many states."""

Faults = tuple[Fault, ...]


@dataclass(frozen=True)
class Stage:
    """One way to find faults."""

    tries: str
    """What it tries, in words."""
    find: Callable[[Symptom, Fault], Iterable[Fault | Faults]]
    """For a symptom, and faults that are given already: the faults that may explain it beside these, single ones or several."""
    looks_at_whole: bool = False
    """Whether it looks at unrestricted symptoms alone."""
    alone: bool = False
    """Whether it looks for faults beside no others."""
    few_terms: bool = False
    """Whether it is for quantities alone that few enough terms enter for a fit to be quick."""
    fits: bool = False
    """Whether it fits numbers to answers."""
    asks_elsewhere: bool = False
    """Whether it needs answers about other mechanisms."""
    tries_few: bool = False
    """Whether its faults are tried at few states first, because they are many."""


@dataclass
class Stages:
    """The stages for one mechanism."""

    laboratory: Laboratory
    mechanism: Mechanism
    candidates: Sequence[Fault]
    """The faults that are listed, the most usual first."""
    is_by_batch: bool = False
    """Whether answers are known to depend on the batch, so that conditions are sought first."""

    def __post_init__(self) -> None:
        self.candidates = [fault for fault in self.candidates if fault.changes(self.mechanism)]
        self._misread: list[Fault] | None = None
        self._sought: set[str] = set()
        """The quantities for which conditions were sought."""
        self.arithmetic: dict[str, Arithmetic | None] = {}
        """By quantity: the arithmetic that explains it."""
        self.conditions: dict[str, Condition] = {}
        """By quantity: the condition that separates the states in which it is wrong."""

    @cached_property
    def all(self) -> tuple[Stage, ...]:
        """In the order in which they are tried."""
        sometimes = Stage("a fault in some states only", self.conditional, looks_at_whole=True, alone=True, fits=True)
        early = replace(sometimes, tries="a fault in some ordinary states only", find=self.sometimes)
        numbers = "a factor of a term, or of all masses, everywhere; damping at the end of a time step"
        everywhere = Stage(numbers, self.number_everywhere, few_terms=True)
        read = "inertias that are read wrongly, from answers about every body alone"
        digits = Stage("arithmetic of answers that are nearly right", self.few_digits, looks_at_whole=True, alone=True)
        several = replace(everywhere, fits=True)
        stages = (
            *((replace(sometimes, tries="a fault in some batches only"),) if self.is_by_batch else ()),
            digits,
            self.from_list,
            everywhere,
            Stage(read, self.read, asks_elsewhere=True, tries_few=True),
            replace(everywhere, tries="another gravity", find=self.gravity_vector),
            Stage("another order of joints, bodies welded to the root", self.orders),
            self.of_answers,
            replace(digits, tries="rounding, finite differences, approximate sines, loose solvers", find=self.digits),
            Stage(f"single slips in {len(FORMULATIONS)} formulations of the equations of motion", slips_like),
            early,
            self.with_one_number,
            Stage("single entries of a matrix", self.entries, looks_at_whole=True, alone=True),
            Stage("pairs of slips in one formulation", pairs_like, alone=True, fits=True, asks_elsewhere=True),
            sometimes,
            Stage("a term that is wrong at joints of one kind", wrong_classes, fits=True, asks_elsewhere=True),
            replace(several, tries="several bodies that are read wrongly in the same way", find=self.alike),
            replace(several, tries="several numbers of one body, of one placement or of one term", find=self.several_numbers),
            replace(several, tries="pairs of faults", find=self.two_faults),
        )
        return tuple(stage for stage in stages if self.laboratory.has_other_mechanisms or not stage.asks_elsewhere)

    @cached_property
    def from_list(self) -> Stage:
        """The faults that are listed."""
        tries = f"{len(self.candidates)} single faults: terms, conventions, numbers that are read wrongly"
        return Stage(tries, self.listed, tries_few=True)

    @cached_property
    def of_answers(self) -> Stage:
        """Faults of the answers, whatever they are computed from."""
        return Stage("answers that are all multiplied or shifted", self.answers)

    @cached_property
    def with_one_number(self) -> Stage:
        """A fault with one number, which is fitted."""
        tries = "another factor of a term, or another number of a body or joint"
        return Stage(tries, self.one_number, few_terms=True, fits=True)

    def found(self, stage: Stage, symptom: Symptom, given: Fault) -> Iterator[Faults]:
        """The faults of a stage that explain the symptom beside those that are given.

        Raises :class:`NoAnswer` if the code does not answer what the stage asks.
        """
        fits = not stage.few_terms or QUANTITIES[symptom.quantity].family in ORDER
        if (stage.looks_at_whole and symptom.asked) or (stage.alone and given is not NO_FAULT) or not fits:
            return
        tried = (self._few(symptom, given), symptom) if stage.tries_few else (symptom,)
        for proposed in stage.find(symptom, given):
            faults = proposed if isinstance(proposed, tuple) else (proposed,)
            whole = reduce(both, faults, given)
            if all(self.agrees(one, whole) for one in tried):
                yield faults
            if self.laboratory.is_over():
                return

    def single(self, symptom: Symptom) -> Iterator[Iterator[Fault]]:
        """The single faults that explain the symptom alone: those of the list, of all answers, and those with one number."""
        for stage in (self.from_list, self.of_answers, self.with_one_number):
            yield (fault for (fault,) in self.found(stage, symptom, NO_FAULT))

    def agrees(self, symptom: Symptom, fault: Fault) -> bool:
        """Whether code with the fault would answer as the code under test does."""
        return symptom.trial.explains(symptom.quantity, fault)

    def listed(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """Faults of the list."""
        # Its own sign and factor come last: a fault of other quantities, too, says more.
        own = [family.at(k) for family in families.of_answers(symptom.quantity)[:1] for k in USUAL]
        yield from (*self.candidates, *own)

    def entries(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """Single entries of a matrix that are wrong."""
        quantity, trial = symptom.quantity, symptom.trial
        right = getattr(loaded((), trial.mechanism), quantity)(*trial.states.arguments(QUANTITIES[quantity].arguments))
        close = trial.mechanism.precision.near(CLOSE)
        yield from wrong_entries(quantity, trial.answer(quantity), right, close)

    def few_digits(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """Arithmetic that predicts answers which are nearly right."""
        if self.is_nearly_right(symptom):
            yield from self.digits(symptom, given)

    def is_nearly_right(self, symptom: Symptom) -> bool:
        """Whether the answers are right to four digits."""
        largest = max(NEARLY_RIGHT / symptom.trial.mechanism.precision.coarseness, self.laboratory.loose)
        return bool(np.abs(symptom.residual()).max(initial=0.0) < largest)

    def digits(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """Arithmetic that predicts answers."""
        if found := self.arithmetic_of(symptom):
            yield from found.faults

    def arithmetic_of(self, symptom: Symptom) -> Arithmetic | None:
        """The arithmetic that explains a quantity; it is asked for once."""
        if symptom.quantity not in self.arithmetic:
            self.arithmetic[symptom.quantity] = explain_arithmetic(symptom.trial, symptom.quantity, self._known_digits())
        return self.arithmetic[symptom.quantity]

    def _known_digits(self) -> set[str]:
        """The sentences of the arithmetic that explains other quantities."""
        known = [one for one in self.arithmetic.values() if one and one.is_exact]
        return {words for one in known for words in (one.sentence, *(fault.name for fault in one.faults))}

    def gravity_vector(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """Another gravity."""
        group = families.of_gravity()
        if fitted := self._fitted(symptom, group, given):
            yield families.other_gravity(self.mechanism, fitted[1])

    def read(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """Inertias that the code has read wrongly, as its answers about single bodies show."""
        if self._misread is None:
            self._misread = list(misread_bodies(symptom.trial.laboratory, self.mechanism))
            if self._misread:
                # What holds for every mechanism is simpler than the numbers of this one.
                with suppress(NoAnswer):
                    self._misread = [*inertia_maps(symptom.trial.laboratory, self.mechanism)] or self._misread
                # One sentence about all numbers is simpler than one about each.
                rounded = [fault for fault in ROUNDED_NUMBERS if fault.changes(self.mechanism)]
                self._misread = rounded + self._misread
        yield from self._misread

    def orders(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """Conventions with numbers: an order of joints, masses of bodies that are welded to the root."""
        trial, quantity = symptom.trial, symptom.quantity
        for find in (partial(permutation, trial, quantity), partial(fixed_bodies, trial)):
            # Each asks for another quantity, which the code may not have.
            with suppress(NoAnswer):
                if fault := find():
                    yield fault

    def answers(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """Answers that are all multiplied, or shifted by a constant."""
        for family in families.of_answers(symptom.quantity):
            if fitted := self._fitted(symptom, [family], given):
                yield fitted[0]

    def sometimes(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """As :meth:`conditional`, if answers are right at a state where nothing is special: few faults without condition are."""
        if is_at_ordinary_states(symptom, ~self.wrong_states(symptom)):
            yield from self.conditional(symptom, given)

    def conditional(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """A fault that acts in some states only, with the condition that separates them."""
        if symptom.quantity in self._sought:
            return
        wrong = self.wrong_states(symptom)
        if not self.is_by_batch and (wrong.all() or is_still(symptom, ~wrong)):
            return
        self._sought.add(symptom.quantity)
        if found := condition_of(symptom, wrong):
            self.conditions[symptom.quantity] = found
            yield from faults_where(found, symptom, wrong, self.single)

    def wrong_states(self, symptom: Symptom, given: Fault = NO_FAULT) -> Array:
        """At which states (batch,) code with the fault ``given`` answers otherwise than the code under test."""
        return symptom.trial.errors(symptom.quantity, given) > self.laboratory.bar

    def number_everywhere(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """A number that concerns the whole mechanism: there are few of these."""
        yield from self._one_of(families.everywhere(), symptom, given)

    def one_number(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """A factor of a term, or a number of the mechanism."""
        yield from self._one_of(self._families(), symptom, given)

    def _one_of(self, tried: Iterable[Family], symptom: Symptom, given: Fault) -> Iterator[Fault]:
        few = self._few(symptom, given)
        r = flat(few, given)
        absent: set[str] = set()
        """The terms that do not enter the quantity."""
        for family in tried:
            if self.laboratory.is_over():
                return
            if family.term and family.term.name in absent:
                continue
            d = flat(few, both(given, family.at(family.right + family.step))) - r
            if family.term and not family.where and not d.any():
                absent.add(family.term.name)
            if abs(r @ d) > 0.3 * np.linalg.norm(r) * np.linalg.norm(d) and (fitted := self._fitted(symptom, [family], given)):
                yield fitted[0]
                if family.term and family.where:
                    yield from self._wider(family.term, fitted[1][0], family.where)

    def several_numbers(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """Factors of one term at several joints, all numbers of one body, or of one joint's placement. The first that fits."""
        several: Fault | None = None
        for term in terms():
            group = families.of_term(term, self.mechanism)
            if self.laboratory.is_over() or len(group) < 2 or not self._enters(term, symptom, given):
                continue
            if (fitted := self._fitted(symptom, group, given, 0.8)) is None:
                continue
            wrong = {family.where[0]: k for family, k in zip(group, fitted[1], strict=True) if k != family.right}
            if len(factors := set(wrong.values())) == 1:
                (factor,) = factors
                yield scaled(term, factor, tuple(wrong))
                yield from self._wider(term, factor, tuple(wrong))
                return
            several = several or fitted[0]
        for group in families.of_all_joints(self.mechanism):
            if not self.laboratory.is_over() and len(group) > 1 and (fitted := self._fitted(symptom, group, given, 0.8)):
                yield families.of_joint_numbers(group, fitted[1], fitted[0])
                return
        of_one = (*families.of_bodies(self.mechanism), *families.of_placements(self.mechanism))
        fits = (self._fitted(symptom, group, given, 0.8) for group in of_one if not self.laboratory.is_over())
        if several := several or next((found[0] for found in fits if found), None):
            yield several

    def alike(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """Several bodies that are read wrongly in the same way."""
        if not symptom.quantity.startswith("forward"):
            yield from bodies_alike(self._few(symptom, given), given)

    def _enters(self, term: Term, symptom: Symptom, given: Fault) -> bool:
        """Whether the answer has the term."""
        few = self._few(symptom, given)
        return not np.array_equal(flat(few, both(given, scaled(term, 2))), flat(few, given))

    def _wider(self, term: Term, factor: float, joints: tuple[str, ...]) -> Iterator[Fault]:
        """A term that is wrong at some joints may be so because of what these have in common: then it is on any mechanism."""
        for trait in traits_of(set(joints), set(joints_of(term, self.mechanism)), self.mechanism):
            yield scaled(term, factor, trait=trait)

    def two_faults(self, symptom: Symptom, given: Fault) -> Iterator[Faults]:
        """Two faults at once."""
        few = self._few(symptom, given)
        return pairs(symptom, few, given, self.candidates, list(self._families()))

    def _families(self) -> Iterator[Family]:
        yield from families.everywhere()
        for body in families.of_bodies(self.mechanism):
            yield from body
        yield from families.of_joints(self.mechanism)
        for placement in families.of_placements(self.mechanism):
            yield from placement

    def _fitted(self, symptom: Symptom, group: Sequence[Family], given: Fault, similar: float = 0.3) -> Fitted | None:
        """The fault of a group of families, fitted at a few states, that explains the symptom at all states."""
        found = fit(self._few(symptom, given, FITTED), group, given, similar)
        if not (found and self.agrees(symptom, both(given, found[0]))):
            return None
        return replace(found[0], is_fitted=True), found[1]

    def _few(self, symptom: Symptom, given: Fault = NO_FAULT, states: int = FEW) -> Symptom:
        """The symptom at the states at which the code is furthest off."""
        worst: Array = np.argsort(-symptom.trial.errors(symptom.quantity, given), kind="stable")[:states]
        return replace(symptom, trial=symptom.trial.pick(np.sort(worst)))
