"""Equations of a lemma, proven as identities of rational functions over ℚ. Nothing is drawn at random, and nothing is rounded.

Both sides are recorded on one tape (:mod:`cross_check.prove.proof.tape`), whose inputs are the free numbers of the lemma. Then
the tape is evaluated in the ring of rational functions of these numbers (:mod:`cross_check.prove.theorem.quotients`). An equation
is proven if the numerator of its difference is the polynomial zero. Two sides that are one value of the tape are equal without
that.

The equation then holds wherever no divisor of the recorded program is zero. Every divisor is evaluated, also one that no result
needs, so that none is the function zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from cross_check.prove.proof.exact import OnTape
from cross_check.prove.proof.instructions import CONSTANT, DIV, INPUT, OPERATIONS
from cross_check.prove.proof.tape import Tape
from cross_check.prove.theorem.quotients import Quotient, Quotients

Equations = Iterable[tuple[str, Any, Any]]
"""What an equation says, and the arrays of its two sides."""


class Outcome(NamedTuple):
    """How many components of the equations were compared, and the first that is no identity, with its equation."""

    identities: int
    broken: str | None


def identities(field: OnTape, equations: Equations) -> Outcome:
    """Whether the sides of ``equations``, whose numbers are values of the tape of ``field``, are the same functions."""
    found = _outcome(field, equations, lambda pairs: _equal(field.tape, pairs))
    _require_divisors(field.tape)
    return found


def same_program(field: OnTape, equations: Equations) -> Outcome:
    """Whether the sides of ``equations`` are the same values of the tape: computed from the same numbers in the same way."""
    return _outcome(field, equations, lambda pairs: {(x, y): x == y for x, y in pairs})


Pair = tuple[int, int]
"""The numbers of a component of both sides, on the tape."""


def _outcome(field: OnTape, equations: Equations, equal: Callable[[list[Pair]], dict[Pair, bool]]) -> Outcome:
    """Raises :class:`ValueError` for sides of different shapes, or without components."""
    compared = 0
    for text, left, right in equations:
        sides = [np.asarray(side, dtype=object) for side in (left, right)]
        shape = sides[0].shape
        if shape != sides[1].shape or not sides[0].size:
            raise ValueError(f"{text}: the sides have the shapes {shape} and {sides[1].shape}")
        pairs = list(zip(*([field.tape.lift(x).n for x in side.flat] for side in sides), strict=True))
        are_equal = equal([pair for pair in pairs if pair[0] != pair[1]])
        compared += len(pairs)
        for index, pair in zip(np.ndindex(shape), pairs, strict=True):
            if not are_equal.get(pair, True):
                return Outcome(compared, f"{text}, component {_written(index)}")
    return Outcome(compared, None)


def _equal(tape: Tape, pairs: list[Pair]) -> dict[Pair, bool]:
    """Whether each two values of the tape are equal functions."""
    found = _functions(tape, {n for pair in pairs for n in pair})
    return {(x, y): (found[x] - found[y]).is_zero() for x, y in pairs}


def _require_divisors(tape: Tape) -> None:
    """Raise :class:`ZeroDivisionError` if a divisor is the function zero, also if no result needs the quotient."""
    divisors = {*tape.divisors, *(b for kind, _, b in tape.instructions() if kind == DIV)}
    found = _functions(tape, divisors)
    if any(found[n].is_zero() for n in divisors):
        raise ZeroDivisionError


def _functions(tape: Tape, results: set[int]) -> dict[int, Quotient]:
    """The ``results`` and what they depend on, as functions of the inputs. Raises :class:`ZeroDivisionError`."""
    instructions, needed = list(tape.instructions()), set(results)
    for n, (kind, a, b) in reversed(list(enumerate(instructions))):
        if n in needed and kind not in (INPUT, CONSTANT):
            needed |= {a, b}
    inputs = [n for n in tape.inputs if n in needed]
    ring = Quotients(len(inputs))
    found = dict(zip(inputs, ring.variables(), strict=False))
    for n in sorted(needed - found.keys()):
        kind, a, b = instructions[n]
        if kind == CONSTANT:
            found[n] = ring.number(int(tape.constants[a].p)) / ring.number(int(tape.constants[a].q))
        else:
            found[n] = OPERATIONS[kind](found[a], found[b])
    return found


def _written(index: tuple[int, ...]) -> str:
    """The indices of a component, counted from 1, without the last one, which counts states."""
    return "[" + ", ".join(str(k + 1) for k in index[:-1]) + "]"
