"""Tiles: squares of numbers that are copied between the arrays of a caller and registers, in LLVM's assembly language.

A caller's array has the numbers of one state next to each other, a register has those of many states. A tile has as many states
as a vector holds and 2ⁿ numbers of each: it is loaded, turned in registers and stored, so that every line of the cache is touched
once. Copies change no bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from machine.arithmetic.double_double import canonical, canonical_word
from machine.backends.llvm_target import Target
from machine.backends.llvm_text import Number, Writer

TILE = """
define internal void @{name}({parameters}) {{
entry:
  %whole = icmp sge i64 %left, {lanes}
  br i1 %whole, label %all, label %some
all:
{all}
  ret void
some:
{some}
  ret void
}}
"""


def read_tile(target: Target, width: int) -> str:
    """Numbers of ``width`` columns for as many states as a vector holds. %left states are there; the last one stands for those
    that are not."""

    def body(writer: Writer, whole: bool) -> None:
        states = [str(k) if whole else least(writer, k) for k in range(writer.lanes)]
        loads = [f"load <{width} x double>, ptr {pointer}, align 8" for pointer in pointers(writer, "%from", "%stride", states)]
        rows = [writer.write(load) for load in loads]
        columns = turned(writer, [joined(writer, rows[k::width], width) for k in range(width)])
        for column, pointer in zip(columns, pointers(writer, "%to", "%size", map(str, range(width))), strict=True):
            writer.store(Number(writer, column), pointer)

    return tile(f"read_{width}", "ptr %to, i64 %size, ptr %from, i64 %stride, i64 %left", target, body)


def write_tile(target: Target, width: int, words: int) -> str:
    """The other way round: ``width`` registers, which %entries names, for at most %left states."""

    def body(writer: Writer, whole: bool) -> None:
        columns = []
        for k in range(width):
            entry = writer.write(f"getelementptr i32, ptr %entries, i64 {k}")
            number = writer.write(f"sext i32 {writer.write(f'load i32, ptr {entry}')} to i64")
            (high,) = pointers(writer, "%from", "%size", [number])
            low = [writer.write(f"getelementptr i8, ptr {high}, i64 %word")] * (words - 1)
            found = [writer.load(pointer) for pointer in (high, *low)]
            columns.append(canonical(writer, (found[0], found[1])) if low else (canonical_word(writer, found[0]),))
        states = [str(k) for k in range(writer.lanes)]
        for base, word in zip(("%to", "%to_low"), zip(*columns, strict=True), strict=False):
            rows = split(writer, turned(writer, [x.name for x in word]))
            for state, row, pointer in zip(states, rows, pointers(writer, base, "%stride", states), strict=True):
                store = f"  store <{width} x double> {row}, ptr {pointer}, align 8"
                writer.lines += [store] if whole else only_if(writer.write(f"icmp slt i64 {state}, %left"), store)

    parameters = "ptr %from, i64 %size, i64 %word, ptr %entries, ptr %to, ptr %to_low, i64 %stride, i64 %left"
    return tile(f"write_{width}", parameters, target, body)


def tile(name: str, parameters: str, target: Target, body: Callable[[Writer, bool], None]) -> str:
    """A function with one ``body`` for tiles whose states are all there, and one for those at the end."""
    writer = Writer(target.width, target.fma)
    parts = []
    for whole in (True, False):
        writer.lines = []
        body(writer, whole)
        parts.append("\n".join(writer.lines))
    return TILE.format(name=name, parameters=parameters, lanes=target.width, all=parts[0], some=parts[1])


def pointers(writer: Writer, base: str, stride: str, numbers: Iterable[str]) -> list[str]:
    """``base`` + number · ``stride`` bytes."""
    offsets = [writer.write(f"mul i64 {number}, {stride}") for number in numbers]
    return [writer.write(f"getelementptr i8, ptr {base}, i64 {offset}") for offset in offsets]


def least(writer: Writer, state: int) -> str:
    """``state``, or the last one that is there."""
    last = writer.write("sub i64 %left, 1")
    there = writer.write(f"icmp slt i64 {state}, {last}")
    return writer.write(f"select i1 {there}, i64 {state}, i64 {last}")


def only_if(condition: str, line: str) -> list[str]:
    """The line is executed where the condition holds."""
    name = condition.removeprefix("%")
    branch = f"  br i1 {condition}, label %if_{name}, label %after_{name}"
    return [branch, f"if_{name}:", line, f"  br label %after_{name}", f"after_{name}:"]


def joined(writer: Writer, parts: Sequence[str], width: int) -> str:
    """Vectors of ``width`` numbers, one behind the other, in one vector."""
    while len(parts) > 1:
        parts = [shuffled(writer, a, b, width, range(2 * width)) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        width *= 2
    return parts[0]


def split(writer: Writer, parts: Sequence[str]) -> list[str]:
    """Every vector in pieces of as many numbers as there are vectors: the first pieces of all, then the second ones."""
    width = len(parts)
    starts = range(0, writer.lanes, width)
    return [shuffled(writer, part, part, writer.lanes, range(start, start + width)) for start in starts for part in parts]


def turned(writer: Writer, vectors: Sequence[str]) -> list[str]:
    """The transposes of the squares that 2ⁿ vectors of numbers form, side by side."""
    rows, distance = list(vectors), 1
    while distance < len(rows):
        for i in range(len(rows)):
            if not i & distance:
                a, b = rows[i], rows[i + distance]
                lanes = range(writer.lanes)
                rows[i] = shuffled(writer, a, b, len(lanes), [j + (len(lanes) - distance) * bool(j & distance) for j in lanes])
                other = [j + (len(lanes) if j & distance else distance) for j in lanes]
                rows[i + distance] = shuffled(writer, a, b, len(lanes), other)
        distance *= 2
    return rows


def shuffled(writer: Writer, a: str, b: str, width: int, numbers: Sequence[int]) -> str:
    """The numbers that stand at these places of a and b, one behind the other; both have ``width`` numbers."""
    mask = ", ".join(f"i32 {k}" for k in numbers)
    return writer.write(f"shufflevector <{width} x double> {a}, <{width} x double> {b}, <{len(numbers)} x i32> <{mask}>")
