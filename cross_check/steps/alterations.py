"""What may be wrong with a step beside its scheme: one part of the forces, of the step or of the tableau is another number.

The number is solved for (:mod:`cross_check.steps.fitting`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from cross_check.steps.parts import KINDS, OF_ONE, has, part_of
from cross_check.steps.schemes import Number, Row, Scheme, Stage
from cross_check.steps.taken import Step
from mechanisms import Mechanism
from mechanisms.joint_forces import JOINT_FORCES

SIMPLE = 24
"""A number with a denominator up to this one is read as a fraction. Others are printed as they are."""

LARGEST_FACTOR = 100.0
"""A mass may be so many times too large, or too small."""


@dataclass(frozen=True)
class Alteration(ABC):
    """Another number in the place of the right one."""

    value: float

    @property
    def right(self) -> float:
        """The number in right code."""
        return 1.0

    @property
    def is_possible(self) -> bool:
        """Whether code may have this number by mistake."""
        return True

    @abstractmethod
    def words(self, mechanism: Mechanism) -> str:
        """The end of a sentence that begins with "as if"."""

    def of_step(self, mechanism: Mechanism, step: Step) -> Step:
        """What code with this alteration is given in the place of the step."""
        return step

    def of_scheme(self, scheme: Scheme) -> Scheme:
        """What code with this alteration does in the place of the scheme."""
        return scheme


@dataclass(frozen=True)
class OfForce(Alteration):
    """A part of the forces (:mod:`cross_check.steps.parts`) times a factor."""

    part: str
    which: int | None = None
    """The index of the one body whose joint has it; None for all."""

    @property
    def more(self) -> float:
        """What is added to the force along the step, in multiples of the right force."""
        return self.value - self.right

    @property
    def is_possible(self) -> bool:
        """Motion hardly depends on masses if all are scaled: a factor near zero would be fitted to roundings."""
        return self.part != "inertia" or 1 / LARGEST_FACTOR <= self.value <= LARGEST_FACTOR

    def words(self, mechanism: Mechanism) -> str:
        body = None if self.which is None else mechanism.bodies[self.which]
        at = "" if body is None else f" of {body.name}" if self.part in ("inertia", "lifted") else f" at {body.joint.name}"
        return _times(f"{KINDS[self.part].words}{at}", self.value)


@dataclass(frozen=True)
class OfHeld(OfForce):
    """How much of a force of joints is that at the start of the step."""

    @property
    def right(self) -> float:
        return 0.0

    @property
    def more(self) -> float:
        return -self.value

    def of_step(self, mechanism: Mechanism, step: Step) -> Step:
        held = part_of(mechanism, self.part, self.which).force(step.q, step.v, 0 * step.v)
        return step._replace(tau=step.tau - self.value * held)

    def words(self, mechanism: Mechanism) -> str:
        what = f"{KINDS[self.part].words} of the start of the step acted until its end"
        return what if self.value == 1 else f"{number(self.value)} of the {what}"


@dataclass(frozen=True)
class OfMotors(Alteration):
    """The applied force of all coordinates, or of one, times a factor, or a part of it that comes late."""

    part: Literal["force", "late"]
    which: int | None = None

    @property
    def right(self) -> float:
        return 0.0 if self.part == "late" else 1.0

    def of_step(self, mechanism: Mechanism, step: Step) -> Step:
        more = np.full(step.tau.shape[1], self.value - self.right)
        if self.which is not None:
            more[np.arange(len(more)) != self.which] = 0.0
        return step._replace(tau=step.tau + more * (step.tau if self.part == "force" else step.before - step.tau))

    def words(self, mechanism: Mechanism) -> str:
        at = "" if self.which is None else f" at {mechanism.coordinates[self.which]}"
        if self.part == "force":
            return _times(f"the applied force{at}", self.value)
        what = f"the applied force of the state before{at}"
        return f"{what} acted" if self.value == 1 else f"{number(self.value)} of {what} acted in place of its own"


@dataclass(frozen=True)
class OfLength(Alteration):
    """h times a factor: of the whole step, or of how far positions move with the velocities that they have."""

    of_positions: bool = False

    def of_step(self, mechanism: Mechanism, step: Step) -> Step:
        return step if self.of_positions else step._replace(h=step.h * self.value)

    def of_scheme(self, scheme: Scheme) -> Scheme:
        if not self.of_positions:
            return scheme
        answer = scheme.answer
        moved = tuple(self.value * float(x) for x in answer.moved)
        return replace(scheme, answer=replace(answer, node=self.value * float(answer.node), moved=moved))

    def words(self, mechanism: Mechanism) -> str:
        if self.of_positions:
            return f"positions moved for {number(self.value)} h"
        return f"the length of the step were {number(self.value)} h"


@dataclass(frozen=True)
class OfAccelerations(Alteration):
    """All accelerations times a factor, as by h / 2 in the line of v, or by the wrong inertia of a single joint."""

    def of_scheme(self, scheme: Scheme) -> Scheme:
        for k in range(-1, len(scheme.stages)):
            row = (*scheme.stages, scheme.answer)[k]
            moved = row.moved if scheme.by_stages else self._times(row.moved)
            scheme = scheme.with_row(k, replace(row, moved=moved, gained=self._times(row.gained)))
        return scheme

    def _times(self, row: Row) -> Row:
        return tuple(self.value * float(x) for x in row)

    def words(self, mechanism: Mechanism) -> str:
        return _times("accelerations", self.value)


@dataclass(frozen=True)
class OfImplicit(Alteration):
    """What is implicit, times a factor."""

    def words(self, mechanism: Mechanism) -> str:
        return f"{number(self.value)} of it were implicit"


Place = Literal["node", "moved", "gained", "both", "along", "gaining", "share"]

NAMES: dict[Place, str] = {"node": "c", "moved": "ā", "gained": "a", "both": "a", "along": "λ", "gaining": "λ", "share": "λ"}

ROWS: dict[Place, tuple[str, ...]] = {"both": ("moved", "gained"), "share": ("along", "gaining")}
"""The rows of places that are two."""


@dataclass(frozen=True)
class OfEntry(Alteration):
    """One number of the tableau. "both" and "share" are one number for positions and for velocities."""

    was: float
    place: Place
    row: int
    """That of a stage; −1 for the answer's."""
    column: int = 0

    @property
    def right(self) -> float:
        return self.was

    def of_scheme(self, scheme: Scheme) -> Scheme:
        row = (*scheme.stages, scheme.answer)[self.row]
        changed: dict[str, Any] = {name: self._changed(getattr(row, name)) for name in ROWS.get(self.place, (self.place,))}
        return scheme.with_row(self.row, replace(row, **changed))

    def _changed(self, old: Row | Number) -> Row | Number:
        if not isinstance(old, tuple):
            return self.value
        return (*old[: self.column], self.value, *old[self.column + 1 :])

    @property
    def name(self) -> str:
        """The name of the number, such as a₃₂ or b₂."""
        is_answer, letter = self.row == -1, NAMES[self.place]
        if is_answer:
            letter = letter.replace("ā", "b̄").replace("a", "b")
        places = ([] if is_answer else [self.row]) + ([self.column] if self.place in ("moved", "gained", "both") else [])
        return letter + "".join(chr(ord("₁") + k) for k in places)

    def words(self, mechanism: Mechanism) -> str:
        return f"{self.name} were {number(self.value)} instead of {number(self.was)}"


def number(x: float) -> str:
    """As a fraction if it is a simple one."""
    near = Fraction(x).limit_denominator(SIMPLE)
    if float(near) == x:
        return str(near)
    rough = f"{x:.6g}"
    return f"1 {'+' if x > 1 else '−'} {abs(x - 1):.2g}" if rough == "1" else rough


def _times(what: str, factor: float) -> str:
    if factor == 0:
        return f"{what} were left out"
    if factor == -1:
        return f"{what} had the opposite sign"
    return f"{what} were {number(factor)} times as large"


def simple(x: float) -> Iterator[float]:
    """Numbers near x: the fractions with small denominators and three decimals first, then x itself."""
    for near in (float(Fraction(x).limit_denominator(SIMPLE)), round(x, 3), round(x, 4)):
        if abs(near - x) <= 1e-5 * max(1.0, abs(x)):
            yield near
    yield x


def alterations_of_all(mechanism: Mechanism) -> Iterator[Alteration]:
    """Every part of the whole mechanism and of the step, with its right number."""
    yield OfMotors(1.0, "force")
    yield OfMotors(0.0, "late")
    for part in KINDS:
        if any(has(body, part) for body in mechanism.bodies):
            yield OfForce(1.0, part)
    yield OfLength(1.0)
    yield OfLength(1.0, of_positions=True)
    yield OfAccelerations(1.0)


def alterations_held(mechanism: Mechanism) -> Iterator[Alteration]:
    """The forces of joints that may be held. Shares of what is implicit come before them: an implicit force of which half is
    held is a force of which half is implicit."""
    for part in JOINT_FORCES:
        if any(has(body, part) for body in mechanism.bodies):
            yield OfHeld(0.0, part)


def alterations_of_joints(mechanism: Mechanism) -> Iterator[Alteration]:
    """The parts of single joints and bodies."""
    if mechanism.nv > 1:
        for k in range(mechanism.nv):
            yield OfMotors(1.0, "force", k)
    if len(mechanism.bodies) > 1:
        for part in OF_ONE:
            for k, body in enumerate(mechanism.bodies):
                if has(body, part):
                    yield OfForce(1.0, part, k)


def alterations_of(scheme: Scheme) -> Iterator[Alteration]:
    """Every number of the tableau, and the share of what is implicit."""
    if scheme.implicit:
        yield OfImplicit(1.0)
    n = len(scheme.stages)
    for row, stage in (*((i, scheme.stages[i]) for i in range(n)), (-1, scheme.answer)):
        yield from _of_row(scheme, stage, row, n if row < 0 else row)


def _of_row(scheme: Scheme, stage: Stage, row: int, columns: int) -> Iterator[Alteration]:
    def entry(was: Number, place: Place, column: int = 0) -> OfEntry:
        return OfEntry(float(was), float(was), place, row, column)

    for column in range(columns):
        if scheme.by_stages:
            yield entry(stage.gained[column], "both", column)
        yield entry(stage.gained[column], "gained", column)
        yield entry(stage.moved[column], "moved", column)
    if not scheme.by_stages:
        yield entry(stage.node, "node")
    if stage.along and stage.along == stage.gaining:
        yield entry(stage.along, "share")
    elif stage.gaining:
        yield entry(stage.gaining, "gaining")
