"""Copies between the arrays of a caller and registers, in LLVM's assembly language.

A caller's array has the numbers of one state next to each other, a register has those of many states. Both are read and written
in tiles, of as many states as a vector holds and of 2ⁿ numbers each: a tile is loaded, turned in registers and stored, so that
every line of the cache is touched once. Copies change no bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from machine.double_double import canonical, canonical_word
from machine.llvm_target import Target
from machine.llvm_text import Number, Writer

READ = """
define internal void @read(ptr %to, i64 %size, ptr %from, i64 %n, i64 %by_state, i64 %by_component, i64 %count) {
entry:
  %bytes = mul i64 %count, 8
  %stride = mul i64 %by_state, 8
  %rows = icmp eq i64 %by_state, 1
  br i1 %rows, label %row_left, label %column_left
row_left:
  %k = phi i64 [ 0, %entry ], [ %next_k, %row ]
  %any_row = icmp slt i64 %k, %n
  br i1 %any_row, label %row, label %done
row:
  %row_offset = mul i64 %k, %by_component
  %row_from = getelementptr double, ptr %from, i64 %row_offset
  %row_at = mul i64 %k, %size
  %row_to = getelementptr i8, ptr %to, i64 %row_at
  call void @llvm.memcpy.p0.p0.i64(ptr %row_to, ptr %row_from, i64 %bytes, i1 false)
  %next_k = add i64 %k, 1
  br label %row_left
column_left:
  %column = phi i64 [ 0, %entry ], [ %next_column, %column_done ]
  %columns_left = sub i64 %n, %column
  %any_column = icmp sgt i64 %columns_left, 0
  br i1 %any_column, label %begin, label %done
begin:
WIDTH
  br label %tile_left
tile_left:
  %state = phi i64 [ 0, %begin ], [ %next_state, %tiled ]
  %left = sub i64 %count, %state
  %any_state = icmp sgt i64 %left, 0
  br i1 %any_state, label %tile, label %column_done
tile:
  %state_offset = mul i64 %state, %by_state
  %from_offset = add i64 %state_offset, %column
  %tile_from = getelementptr double, ptr %from, i64 %from_offset
  %register_offset = mul i64 %column, %size
  %register = getelementptr i8, ptr %to, i64 %register_offset
  %tile_to = getelementptr double, ptr %register, i64 %state
SWITCH
tiled:
  %next_state = add i64 %state, LANES
  br label %tile_left
column_done:
  %next_column = add i64 %column, %width
  br label %column_left
done:
  ret void
}
"""

WRITE = """
define internal void @write(ptr %registers, i64 %size, ptr %numbers, i64 %n, ptr %high, ptr %low, i64 %by_state, i64 %count) {
entry:
  %stride = mul i64 %by_state, 8
  %word = udiv i64 %size, WORDS
  br label %tile_left
tile_left:
  %state = phi i64 [ 0, %entry ], [ %next_state, %row_done ]
  %left = sub i64 %count, %state
  %any_state = icmp sgt i64 %left, 0
  br i1 %any_state, label %begin_row, label %done
begin_row:
  %from = getelementptr double, ptr %registers, i64 %state
  %state_offset = mul i64 %state, %by_state
  br label %column_left
column_left:
  %column = phi i64 [ 0, %begin_row ], [ %next_column, %tiled ]
  %columns_left = sub i64 %n, %column
  %any_column = icmp sgt i64 %columns_left, 0
  br i1 %any_column, label %tile, label %row_done
tile:
WIDTH
  %entries = getelementptr i32, ptr %numbers, i64 %column
  %to_offset = add i64 %state_offset, %column
  %to = getelementptr double, ptr %high, i64 %to_offset
  %to_low = getelementptr double, ptr %low, i64 %to_offset
SWITCH
tiled:
  %next_column = add i64 %column, %width
  br label %column_left
row_done:
  %next_state = add i64 %state, LANES
  br label %tile_left
done:
  ret void
}
"""

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


def copies(target: Target, words: int) -> str:
    """``read`` and ``write`` for registers of one word or of two.

    ``read`` fills n registers, ``size`` bytes apart, of which it takes one word: number k of state s is at
    ``by_state`` · s + ``by_component`` · k. One of these strides is 1. ``write`` stores the registers ``numbers`` next to each
    other for every state, with one bit pattern for NaN.
    """
    widths = [2**n for n in range(target.width.bit_length())]
    tiles = [tile for width in widths for tile in (read_tile(target, width), write_tile(target, width, words))]
    loops = [
        loop.replace("WIDTH", choice(widths)).replace("SWITCH", switch(widths, call))
        for loop, call in (
            (READ, "@read_{}(ptr %tile_to, i64 %size, ptr %tile_from, i64 %stride, i64 %left)"),
            (WRITE, "@write_{}(ptr %from, i64 %size, i64 %word, ptr %entries, ptr %to, ptr %to_low, i64 %stride, i64 %left)"),
        )
    ]
    return "".join((*tiles, *loops)).replace("LANES", str(target.width)).replace("WORDS", str(words))


def choice(widths: Sequence[int]) -> str:
    """%width: the largest of ``widths``, which begin with 1, that is at most %columns_left."""
    lines, last = [], "1"
    for width in widths[1:]:
        lines += [f"  %fits_{width} = icmp sge i64 %columns_left, {width}"]
        lines += [f"  %width_{width} = select i1 %fits_{width}, i64 {width}, i64 {last}"]
        last = f"%width_{width}"
    return "\n".join([*lines, f"  %width = add i64 {last}, 0"])


def switch(widths: Sequence[int], call: str) -> str:
    """Calls the function for tiles of %width."""
    cases = " ".join(f"i64 {width}, label %tile_{width}" for width in widths)
    calls = [f"tile_{width}:\n  call void {call.format(width)}\n  br label %tiled" for width in widths]
    return "\n".join([f"  switch i64 %width, label %tiled [ {cases} ]", *calls])


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
