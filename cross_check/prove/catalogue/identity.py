"""An entry of the catalogue: an equation of a text, as printed or as corrected, with both sides to compute."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any, get_type_hints

import numpy as np

from cross_check.prove.catalogue.point import Point
from cross_check.prove.catalogue.results import Entry, Kind
from cross_check.prove.catalogue.series import now
from cross_check.prove.proof.exact import Exact, on_tape
from cross_check.prove.proof.generic import Draw
from cross_check.prove.proof.statement import Sides
from implementations.field import Tensor

Equations = Iterator[tuple[Any, Any]]
"""The left and the right side of each equation, as arrays or scalars."""

Equation = Callable[..., Equations]
"""Its parameters are quantities. The type of each says how it is drawn (:mod:`cross_check.prove.catalogue.quantities`)."""

Computation = Callable[[], tuple[bool, str]]
"""Whether numbers confirm a statement, and one line that shows them."""


@dataclass(frozen=True)
class Computed(Entry):
    """A statement about numbers, for one case."""

    compute: Computation


@dataclass(frozen=True)
class Identity(Entry):
    """An equation with universally quantified variables; ``equations`` yields both sides.

    ``order`` is the number of time derivatives that the equation needs. The ``note`` of a slip says what is wrong, and
    ``corrected`` is the id of the correct identity.
    """

    equations: Equation
    kind: Kind = "identity"
    order: int = 0
    corrected: str = ""

    modular = False

    @property
    def name(self) -> str:
        return self.id

    def sides(self, field: Exact, draw: Draw) -> Sides:
        pairs = self._pairs(field, draw)
        left, right = ([now(x) for side in sides for x in side.flat] for sides in zip(*pairs, strict=True))
        return left, right

    def component(self, k: int) -> list[int]:
        """The number of the equation, counted from 0, and the indices of the k-th number in its left side."""
        field = on_tape()
        for equation, (left, _) in enumerate(self._pairs(field, field.tape.input)):
            if k < left.size:
                return [equation, *(int(i) for i in np.unravel_index(k, left.shape))]
            k -= left.size
        raise IndexError(f"{self.id} has no such component")

    def _pairs(self, field: Exact, draw: Draw) -> list[tuple[Tensor, Tensor]]:
        p, hints = Point(field, draw, self.order), get_type_hints(self.equations, include_extras=True)
        quantities = [p if hint is Point else hint.__metadata__[0](p) for name, hint in hints.items() if name != "return"]
        pairs = [(_array(left), _array(right)) for left, right in self.equations(*quantities)]
        if not pairs or any(left.shape != right.shape or not left.size for left, right in pairs):
            shapes = [(left.shape, right.shape) for left, right in pairs]
            raise ValueError(f"{self.id} states no equation, or its sides have different shapes: {shapes}")
        return pairs


def _array(side: Any) -> Tensor:
    """A side as an array of objects, without the last axis if that is a batch of one."""
    array = np.array(side, dtype=object)
    while array.ndim > 1 and array.shape[-1] == 1:
        array = array[..., 0]
    return array


@dataclass
class Chapter:
    """A section of a text. Decorators add its entries, one function for each.

    The docstring of the function is the statement, in the form ``Title: statement``. A note may follow after an empty line.
    """

    text: str
    section: str
    entries: list[Identity | Computed] = field(default_factory=list)

    def identity(
        self, id: str, where: str, *, kind: Kind = "identity", order: int = 0, of: str = "", corrected: str = ""
    ) -> Callable[[Equation], Equation]:
        """Add the equations that the decorated function yields as the identity ``text.id``; ``where`` is their place in the text.

        ``of`` distinguishes identities that share one title, for example by the kind of joint.
        """

        def add(equations: Equation) -> Equation:
            right = f"{self.text}.{corrected}" if corrected else ""
            described = self._described(equations, id, where, of)
            self.entries.append(Identity(**described, equations=equations, kind=kind, order=order, corrected=right))
            return equations

        return add

    def slip(self, id: str, where: str, *, corrected: str, order: int = 0) -> Callable[[Equation], Equation]:
        """Add an equation that is false as printed; ``corrected`` is the id of the correct identity."""
        return self.identity(id, where, kind="slip", order=order, corrected=corrected)

    def warning(self, id: str, where: str, *, order: int = 0) -> Callable[[Equation], Equation]:
        """Add an equation that is false, but easily taken for true; the text warns of it, or should."""
        return self.identity(id, where, kind="warning", order=order)

    def computed(self, id: str, where: str) -> Callable[[Computation], Computation]:
        """Add a statement about numbers, which the decorated function computes."""

        def add(compute: Computation) -> Computation:
            self.entries.append(Computed(**self._described(compute, id, where), compute=compute))
            return compute

        return add

    def _described(self, function: Callable[..., Any], id: str, where: str, of: str = "") -> dict[str, Any]:
        """The fields of an :class:`~cross_check.prove.catalogue.results.Entry`."""
        head, _, note = (" ".join(part.split()) for part in cleandoc(function.__doc__ or "").partition("\n\n"))
        title, _, statement = head.partition(": ")
        return {
            "id": f"{self.text}.{id}",
            "text": self.text,
            "section": self.section,
            "title": f"{title}, {of}" if of else title,
            "citation": f"text {self.text}, {where}",
            "statement": statement,
            "note": note,
        }
