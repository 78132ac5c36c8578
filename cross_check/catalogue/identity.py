"""What the catalogue consists of: an equation of a seed, word for word or set right, with both sides to compute."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any, Literal

import numpy as np

from cross_check.catalogue.point import Point
from cross_check.catalogue.series import now
from cross_check.proof.degree import Degree
from cross_check.proof.exact import DEGREES, Exact
from cross_check.proof.generic import Draw
from cross_check.proof.statement import Sides, bound
from implementations.field import Tensor

Kind = Literal["identity", "slip", "warning"]
"""What a seed states and holds; what a seed states and does not hold, as printed; what is easily taken to hold and does not."""

Equations = Iterator[tuple[Any, Any]]
"""Left and right of one equation after the other, arrays or scalars."""

Equation = Callable[[Point], Equations]


@dataclass(frozen=True)
class Identity:
    """An equation for all that it is about; ``equations`` yields its sides at a :class:`Point`.

    ``order`` is how many derivatives by time it takes. Of a slip, ``note`` says what is wrong, and ``corrected`` is the
    identity that is right.
    """

    id: str
    section: str
    title: str
    citation: str
    statement: str
    equations: Equation
    kind: Kind = "identity"
    order: int = 0
    note: str = ""
    corrected: str = ""

    modular = False

    @property
    def seed(self) -> str:
        return self.id[:3]

    @property
    def name(self) -> str:
        return self.id

    @property
    def expected(self) -> Literal["true", "false"]:
        return "true" if self.kind == "identity" else "false"

    def sides(self, field: Exact, draw: Draw) -> Sides:
        pairs = self._pairs(field, draw)
        left, right = ([now(x) for side in sides for x in side.flat] for sides in zip(*pairs, strict=True))
        return left, right

    def degree(self) -> int:
        return bound(self)

    def component(self, k: int) -> list[int]:
        """The equation, from 0, and the indices in its left side."""
        for equation, (left, _) in enumerate(self._pairs(DEGREES, lambda: Degree(1))):
            if k < left.size:
                return [equation, *(int(i) for i in np.unravel_index(k, left.shape))]
            k -= left.size
        raise IndexError(f"{self.id} has no such component")

    def _pairs(self, field: Exact, draw: Draw) -> list[tuple[Tensor, Tensor]]:
        pairs = [(_array(left), _array(right)) for left, right in self.equations(Point(field, draw, self.order))]
        if not pairs or any(left.shape != right.shape or not left.size for left, right in pairs):
            raise ValueError(f"{self.id} states no equation, or one between {[(a.shape, b.shape) for a, b in pairs]}")
        return pairs


def _array(side: Any) -> Tensor:
    """A side as an array of objects, without the batch of one that our own arrays have."""
    array = np.array(side, dtype=object)
    while array.ndim > 1 and array.shape[-1] == 1:
        array = array[..., 0]
    return array


@dataclass
class Chapter:
    """A section of a seed, filled by decorators: one function for each equation.

    The function's docstring is what the equation says, ``Title: statement``; a note may follow after an empty line.
    """

    seed: str
    section: str
    identities: list[Identity] = field(default_factory=list)

    def identity(
        self, id: str, where: str, *, kind: Kind = "identity", order: int = 0, of: str = "", corrected: str = ""
    ) -> Callable[[Equation], Equation]:
        """Adds what the decorated function yields as the identity ``seed.id``, which the seed has at ``where``.

        ``of`` is what it is about, where there are several alike.
        """

        def add(equations: Equation) -> Equation:
            head, _, note = cleandoc(equations.__doc__ or "").partition("\n\n")
            title, _, statement = _line(head).partition(": ")
            about = f"{title}, {of}" if of else title
            right = f"{self.seed}.{corrected}" if corrected else ""
            self.identities.append(
                Identity(
                    f"{self.seed}.{id}",
                    self.section,
                    about,
                    f"text {self.seed}, {where}",
                    statement,
                    equations,
                    kind,
                    order,
                    _line(note),
                    right,
                )
            )
            return equations

        return add

    def slip(self, id: str, where: str, *, corrected: str, order: int = 0) -> Callable[[Equation], Equation]:
        """What the seed prints, and is not so; ``corrected`` is the identity that is."""
        return self.identity(id, where, kind="slip", order=order, corrected=corrected)

    def warning(self, id: str, where: str, *, order: int = 0) -> Callable[[Equation], Equation]:
        """What is not so, though it is easily taken to be; the seed says so, or needs it said."""
        return self.identity(id, where, kind="warning", order=order)


def _line(text: str) -> str:
    return " ".join(text.split())
