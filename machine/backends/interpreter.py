"""The loop of the interpreter, which LLVM compiles.

``run`` takes the blocks of states from ``begin`` to ``end`` one after another. It copies the inputs of a block into registers,
calls a function of a table for each instruction, and copies the outputs. A register is ``block`` float64 numbers, or twice as
many: the high words, then the low words. The last block may be shorter; its unused columns keep what was there before, and
no result depends on them.

An instruction is as many numbers as there are ``columns``: the function, the registers a and b, the target, and in the last
column the register c, which is the target where there are four.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from machine.backends.tiles import read_tile, states_until, write_tile
from machine.compiling.routines import Record
from machine.compiling.target import Target
from machine.compiling.translate import Addresses, Doubles, Ints, Longs, text_of
from machine.compiling.writer import POINTER, Array, Number, Writer

STREAM = 5
"""How many numbers a stream is."""

Step = Callable[..., None]
"""Writes what a function of the table does for a vector of states of the registers a, b, t and c, and of ``block`` numbers."""


class Memory(Record):
    """What ``run`` reads and writes.

    Inputs come in ``streams``. A stream is five numbers: the address of an array, how many registers it fills, the distance in
    the array from state to state and from register to register, counted in float64 numbers, and where it goes: 0 for the first
    word of the first register, 1 for the second word. ``sources`` are the same numbers, to read addresses. ``numbers`` are the
    registers of the outputs, which go to ``high`` and ``low``.
    """

    code: Ints
    registers: Doubles
    sources: Addresses
    streams: Longs
    numbers: Ints
    high: Doubles
    low: Doubles


def interpreter(table: Mapping[str, Step], words: int, target: Target, lanes: int) -> str:
    """``run`` for registers of one word or of two, and the functions of the ``table``, which have so many ``lanes``."""
    width_of_vectors = target.width
    widths = [2**n for n in reversed(range(width_of_vectors.bit_length()))]

    def run(
        memory: Memory,
        instructions: int,
        columns: int,
        streams: int,
        outputs: int,
        by_state: int,
        begin: int,
        end: int,
        block: int,
    ) -> None:
        for start in range(begin, end, block):
            count = min(block, end - start)
            for k in range(streams):
                stream = memory.streams.at(STREAM * k)
                source, to = Array(memory.sources[STREAM * k], "double"), memory.registers.at(stream[4] * block)
                read(to, block, source.at(start * stream[2]), stream[1], stream[2], stream[3], count)
            for n in range(instructions):
                perform(memory.code.at(n * columns), columns, memory.registers, words * block, block)
            to_high, to_low = memory.high.at(start * by_state), memory.low.at(start * by_state)
            write(memory.registers, block, memory.numbers, outputs, to_high, to_low, by_state, count)

    def read(to: Doubles, block: int, source: Doubles, n: int, by_state: int, by_component: int, count: int) -> None:
        """Fill n registers, of which it takes one word. One of the distances is 1."""
        size = words * block
        if by_state == 1:
            for k in range(n):
                copy(to.at(k * size), source.at(k * by_component), count)
        else:
            column = 0
            for width in widths:
                while n - column >= width:
                    for state in range(0, count, width_of_vectors):
                        tile, tile_from = to.at(column * size + state), source.at(state * by_state + column)
                        if count - state >= width_of_vectors:
                            read_tile(tile, size, tile_from, by_state, width, range(width_of_vectors))
                        else:
                            read_tile(tile, size, tile_from, by_state, width, states_until(count - state - 1))
                    column += width

    def write(
        registers: Doubles, block: int, numbers: Ints, n: int, high: Doubles, low: Doubles, by_state: int, count: int
    ) -> None:
        """Store n registers."""
        for state in range(0, count, width_of_vectors):
            column = 0
            for width in widths:
                while n - column >= width:
                    to = state * by_state + column
                    tiles, tile_from, those = (high.at(to), low.at(to)), registers.at(state), numbers.at(column)
                    if count - state >= width_of_vectors:
                        write_tile(words, tiles, tile_from, block, those, by_state, width, range(width_of_vectors))
                    else:
                        write_tile(words, tiles, tile_from, block, those, by_state, width, states_until(count - state - 1))
                    column += width

    def whole_block(step: Step) -> Callable[..., None]:
        def function(a: Doubles, b: Doubles, t: Doubles, c: Doubles, block: int) -> None:
            for i in range(0, block, lanes):
                step(a.at(i), b.at(i), t.at(i), c.at(i), block)

        return function

    names = ", ".join(f"ptr @{name}" for name in table)
    functions = {name: whole_block(step) for name, step in table.items()}
    return (
        f"@table = internal constant [{len(table)} x ptr] [{names}]\n"
        + text_of(functions, lambda: Writer(lanes, target.fma))
        + text_of({"run": run, "read": read, "write": write}, lambda: Writer(target.width, target.fma))
    )


def perform(step: Array, columns: Any, registers: Array, size: Any, block: Any) -> None:
    """Call the function of an instruction."""
    places = [registers.at(step[column] * size).start for column in (1, 2, 3, columns - 1)]
    table = Array(Number(size.writer, "@table", POINTER), POINTER)
    arguments = ", ".join(f"ptr {place.name}" for place in places)
    size.writer.lines.append(f"  call void {table[step[0]].name}({arguments}, i64 {block.name})")


def copy(to: Array, source: Array, count: Any) -> None:
    """Copy numbers that follow one another."""
    addresses = f"ptr {to.start.name}, ptr {source.start.name}"
    to.start.writer.lines.append(f"  call void @llvm.memcpy.p0.p0.i64({addresses}, i64 {(count * 8).name}, i1 false)")
