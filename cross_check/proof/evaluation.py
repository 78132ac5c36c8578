"""Evaluates tapes: the values of recorded programs at one point, in any field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cross_check.proof.kinds import ADD, DIV, INPUT, MUL, SUB
from cross_check.proof.tape import Tape


def values(tape: Tape, element: Callable[[int], Any], inputs: Sequence[int]) -> list[Any]:
    """All values of a tape in the field whose scalars ``element`` makes from integers.

    Raises :class:`ZeroDivisionError` if a divisor is zero, also if no result needs the quotient.
    """
    found: list[Any] = []
    add = found.append
    for kind, a, b in tape.instructions():
        if kind == MUL:
            add(found[a] * found[b])
        elif kind == ADD:
            add(found[a] + found[b])
        elif kind == SUB:
            add(found[a] - found[b])
        elif kind == DIV:
            add(found[a] / found[b])
        elif kind == INPUT:
            add(element(inputs[a]))
        else:
            add(element(int(tape.constants[a].p)) / element(int(tape.constants[a].q)))
    if any(found[n] == 0 for n in tape.divisors):
        raise ZeroDivisionError
    return found


def residues(tape: Tape, p: int, inputs: Sequence[int]) -> list[int]:
    """All values of a tape modulo the prime ``p``, as integers that are congruent to them.

    Raises :class:`ZeroDivisionError` as :func:`values` does. Sums are not reduced, which saves a third of the time. FLINT's
    residues are faster than Python's integers for primes below 2⁶⁴, but slower for larger ones.
    """
    found: list[int] = []
    add = found.append
    for kind, a, b in tape.instructions():
        if kind == MUL:
            add(found[a] * found[b] % p)
        elif kind == ADD:
            add(found[a] + found[b])
        elif kind == SUB:
            add(found[a] - found[b])
        elif kind == DIV:
            add(found[a] * _inverse(found[b], p) % p)
        elif kind == INPUT:
            add(inputs[a])
        else:
            add(int(tape.constants[a].p) * _inverse(int(tape.constants[a].q), p) % p)
    if any(not found[n] % p for n in tape.divisors):
        raise ZeroDivisionError
    return found


def _inverse(x: int, p: int) -> int:
    try:
        return pow(x, -1, p)
    except ValueError:
        raise ZeroDivisionError from None
