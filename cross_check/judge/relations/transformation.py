"""What a metamorphic relation declares: other questions, and how the answer to the original one follows from their answers.

A relation needs no truth. It transforms a mechanism and its states into **images**. For every quantity it says how the answers
about the images give the answer about the original. All answers come from the code under test.

Most transformations multiply the axes of an answer by constant matrices: permutations, powers of two, rotations, selections.
:func:`by_axes` makes these.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from mechanisms import Body, Mechanism
from mechanisms.quantities import (
    ALL_QUANTITIES,
    CONSTRAINT_QUANTITIES,
    INTEGRATION,
    PARAMETERS,
    QUANTITIES,
    USUAL,
    Axis,
    Quantity,
)

RELATED = tuple(name for name in USUAL if QUANTITIES[name].has_value or name == "forward_dynamics")
"""The quantities that relations are about: all usual ones that have one true value, and forward dynamics, which has one where M
is regular. The derivatives of forward dynamics follow from those of inverse dynamics, and a Coriolis matrix is not unique."""

OF_CONSTRAINTS = tuple(name for name, quantity in CONSTRAINT_QUANTITIES.items() if quantity.has_value)
"""The quantities of constraints that relations can be about: J and its drift, whose values do not depend on how code solves."""

ALL_RELATED = (*RELATED, *(name for name in QUANTITIES if name not in (*USUAL, *INTEGRATION)), *OF_CONSTRAINTS)
"""The quantities that relations can be about: further ones are checked if they are named beside the relation. Not integrated
positions: relations change neither dv nor the second position."""


class Back(NamedTuple):
    """The way back from the images: functions of one array (batch, …) for every image.

    ``answer`` makes the answer about the original from the answers about the images. ``size`` makes a bound on the error of that
    from bounds on the errors of the answers about the images.
    """

    answer: Callable[..., Array]
    size: Callable[..., Array]


@dataclass(frozen=True, eq=False)
class Question:
    """A mechanism at some states. ``states.tau`` may be any forces."""

    mechanism: Mechanism
    states: States
    lever: float = 0.0
    """By so many metres it stands farther away than the original: code may take moments about where that stood."""


@dataclass(frozen=True, eq=False)
class Related:
    """The original question, its images, and the way back for every quantity (by name) that the relation is about."""

    original: Question
    images: tuple[Question, ...]
    back: Mapping[str, Back]


def same(*sizes: Array) -> Array:
    """The answer about the only image, unchanged; the sum of the sizes of several images."""
    total: Any = sum(sizes)
    return total


SAME = Back(same, same)
"""The answer about the original is that about the image."""


def shifted(offset: Array) -> Back:
    """The answer about the image, plus ``offset``."""
    return Back(lambda x: x + offset, lambda size: size + np.abs(offset))


def _one(quantity: Quantity) -> float:
    return 1.0


MatrixOf = Callable[[Quantity, Axis], Array | None]
"""The matrix that multiplies an axis of the image's answer to give that of the original; None leaves the axis as it is."""


def by_axes(
    matrix_of: MatrixOf, names: Iterable[str] = ALL_RELATED, factor: Callable[[Quantity], float] = _one
) -> dict[str, Back]:
    """The way back that multiplies every axis of a quantity by a matrix, and the whole by ``factor``."""

    def back(quantity: Quantity) -> Back:
        pairs = [(axis, matrix) for axis, of in enumerate(quantity.axes, 1) if (matrix := matrix_of(quantity, of)) is not None]

        def through(x: Array, matrices: list[tuple[int, Array]]) -> Array:
            for axis, matrix in matrices:
                x = np.moveaxis(np.tensordot(x, matrix, (axis, 1)), -1, axis)
            return x * factor(quantity)

        magnitudes = [(axis, np.abs(matrix)) for axis, matrix in pairs]
        return Back(lambda x: through(x, pairs), lambda x: through(x, magnitudes))

    return {name: back(ALL_QUANTITIES[name]) for name in names}


@dataclass(frozen=True, eq=False)
class Correspondence:
    """The k-th body of a mechanism is that of ``image`` with the index ``bodies[k]``. Each has one frame and the same coordinates
    in both. ``frames`` are the indices of further frames, ``directions`` those of constrained directions; by default they are the
    same ones.
    """

    image: Mechanism
    bodies: list[int]
    frames: list[int] | None = None
    directions: list[int] | None = None

    @property
    def coordinates(self) -> list[int]:
        """The index in the image of every component of v."""
        return self._places(self.image.v_slices)

    def _places(self, slices: Sequence[slice]) -> list[int]:
        # A mimic joint has the coordinates of its leader.
        leading = (body for body in self.bodies if self.image.bodies[body].joint.mimic is None)
        return [k for body in leading for k in range(slices[body].start, slices[body].stop)]

    def states(self, states: States) -> States:
        """The states of the image. What belongs to no body of the mechanism is zero."""
        positions = self._places(self.image.q_slices)

        def spread(x: Array, places: list[int], n: int) -> Array:
            there = np.zeros((len(x), n, *x.shape[2:]))
            there[:, places] = x
            return there

        v, a, tau = (spread(x, self.coordinates, self.image.nv) for x in (states.v, states.a, states.tau))
        f = spread(states.f, self.bodies, len(self.image.bodies))
        return replaced(states, q=spread(states.q, positions, self.image.nq), v=v, a=a, tau=tau, f=f)

    def back(self, names: Iterable[str] = ALL_RELATED) -> dict[str, Back]:
        """The way back to the mechanism: it selects entries of every axis."""
        image, rows = self.image, len(self.image.constrained_directions)
        parameters = [len(PARAMETERS) * body + k for body in self.bodies for k in range(len(PARAMETERS))]
        chosen = {
            "nv": np.eye(image.nv)[self.coordinates],
            "bodies": np.eye(len(image.bodies))[self.bodies],
            "parameters": np.eye(len(PARAMETERS) * len(image.bodies))[parameters],
            "frames": np.eye(len(image.frames))[range(len(image.frames)) if self.frames is None else self.frames],
            "directions": np.eye(rows)[range(rows) if self.directions is None else self.directions],
        }
        return by_axes(lambda quantity, axis: chosen[axis] if isinstance(axis, str) else None, names)


def rebuilt(mechanism: Mechanism, change: Callable[[Body], Body], **others: Any) -> Mechanism:
    """The mechanism with every body changed; ``others`` are fields of the mechanism."""
    return dataclasses.replace(mechanism, bodies=tuple(map(change, mechanism.bodies)), **others)


def replaced(states: States, **columns: Array) -> States:
    """The states with these columns instead of their own."""
    changed: Any = columns
    return dataclasses.replace(states, **changed)
