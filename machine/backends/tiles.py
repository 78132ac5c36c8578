"""Tiles: squares of numbers that are copied between the arrays of a caller and registers.

A caller's array has the numbers of one state next to each other, a register has those of many states. A tile has as many states
as a vector holds and 2ⁿ numbers of each: it is loaded, turned in registers and stored, so that every line of the cache is touched
once. Copies change no bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from machine.arithmetic.double_double import canonical, canonical_word
from machine.compiling.writer import Array, Number


def read_tile(to: Array, size: Any, source: Array, by_state: Any, width: int, states: Sequence[Any]) -> None:
    """Fill ``width`` registers, ``size`` numbers apart, with the columns of as many states as a vector holds."""
    writer = to.start.writer
    rows = [writer.load(source.at(state * by_state).start, width) for state in states]
    columns = turned([joined(rows[k::width], width) for k in range(width)], len(states))
    for k, column in enumerate(columns):
        writer.store(column, to.at(k * size).start)


def write_tile(
    words: int,
    outputs: Sequence[Array],
    registers: Array,
    block: Any,
    numbers: Array,
    by_state: Any,
    width: int,
    states: Sequence[Any],
) -> None:
    """Store ``width`` registers, which have these numbers, next to each other for every state, with one bit pattern for NaN.

    ``outputs`` are for high and for low words; ``words`` says whether there are low ones.
    """
    writer = registers.start.writer
    columns = []
    for k in range(width):
        register = registers.at(numbers[k] * words * block)
        loaded = [writer.load(x.start) for x in (register, register.at(block))[:words]]
        columns.append(canonical(writer, (loaded[0], loaded[1])) if words == 2 else (canonical_word(writer, loaded[0]),))
    for output, column in zip(outputs, zip(*columns, strict=True), strict=False):
        rows = split(turned(column, len(states)), len(states))
        # The last state overwrites what was written in its place.
        for state, row in reversed([*zip(states, rows, strict=True)]):
            writer.store(row, output.at(state * by_state).start, aligned=False)


def states_until(last: Any) -> list[Number]:
    """As many states as a vector holds; the ``last`` one takes the place of states that are missing."""
    return [last.writer.select(last > k, k, last) for k in range(last.writer.lanes)]


def joined(parts: Sequence[Number], width: int) -> Number:
    """Vectors of ``width`` numbers, one behind the other, in one vector."""
    while len(parts) > 1:
        parts = [shuffled(a, b, range(2 * width)) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        width *= 2
    return parts[0]


def split(parts: Sequence[Number], lanes: int) -> list[Number]:
    """Every vector in pieces of as many numbers as there are vectors: the first pieces of all, then the second ones."""
    width = len(parts)
    return [shuffled(part, part, range(start, start + width)) for start in range(0, lanes, width) for part in parts]


def turned(vectors: Sequence[Number], lanes: int) -> list[Number]:
    """The transposes of the squares that 2ⁿ vectors of numbers form, side by side."""
    rows, distance = list(vectors), 1
    while distance < len(rows):
        for i in range(len(rows)):
            if not i & distance:
                a, b = rows[i], rows[i + distance]
                rows[i] = shuffled(a, b, [j + (lanes - distance) * bool(j & distance) for j in range(lanes)])
                rows[i + distance] = shuffled(a, b, [j + (lanes if j & distance else distance) for j in range(lanes)])
        distance *= 2
    return rows


def shuffled(a: Number, b: Number, places: Sequence[int]) -> Number:
    """The numbers that stand at these places of a and b, one behind the other."""
    mask = f"<{len(places)} x i32> <{', '.join(f'i32 {k}' for k in places)}>"
    return a.writer.write(f"shufflevector {a.kind} {a.name}, {b.kind} {b.name}, {mask}", f"<{len(places)} x double>")
