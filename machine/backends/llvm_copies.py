"""The loops that copy between the arrays of a caller and registers, tile after tile, in LLVM's assembly language."""

from __future__ import annotations

from collections.abc import Sequence

from machine.backends.llvm_target import Target
from machine.backends.llvm_tiles import read_tile, write_tile

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
