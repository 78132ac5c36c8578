"""The loop of the interpreter, in LLVM's assembly language.

``run`` takes the blocks of states from ``begin`` to ``end`` one after another. It copies the inputs of a block into registers,
calls a function of ``table`` for each instruction, and copies the outputs. A register is ``block`` float64 numbers, or twice as
many: the high words, then the low words. The last block may be shorter; its unused columns keep what was there before, and
no result depends on them.

An instruction is as many numbers as there are ``columns``: the function, the registers a and b, the target, and in the last
column the register c, which is the target where there are four.

Inputs come in ``streams``. A stream is five numbers: the address of an array, how many registers it fills, the distance in the
array from state to state and from register to register, counted in float64 numbers, and where it goes: 0 for the first word of
the first register, 1 for the second word. :mod:`machine.backends.llvm_copies` has the copies.
"""

from __future__ import annotations

from collections.abc import Sequence

from machine.backends.llvm_copies import copies
from machine.backends.llvm_target import Target
from machine.backends.llvm_text import Writer

LOOP = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @run(ptr %code, i64 %instructions, i64 %columns, ptr %registers, ptr %streams, i64 %stream_count,
                 ptr %numbers, i64 %outputs, ptr %high, ptr %low, i64 %by_state, i64 %begin, i64 %end, i64 %block) {
entry:
  %size = mul i64 %block, SIZE
  %last = sub i64 %columns, 1
  br label %blocks
blocks:
  %start = phi i64 [ %begin, %entry ], [ %next_start, %stored ]
  %left = sub i64 %end, %start
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %load, label %done
load:
  %partial = icmp slt i64 %left, %block
  %count = select i1 %partial, i64 %left, i64 %block
  br label %streams_left
streams_left:
  %i = phi i64 [ 0, %load ], [ %next_i, %stream ]
  %any_stream = icmp slt i64 %i, %stream_count
  br i1 %any_stream, label %stream, label %steps
stream:
  %in = getelementptr [5 x i64], ptr %streams, i64 %i
  %in_n = getelementptr i64, ptr %in, i64 1
  %in_by_state = getelementptr i64, ptr %in, i64 2
  %in_by_component = getelementptr i64, ptr %in, i64 3
  %in_word = getelementptr i64, ptr %in, i64 4
  %array = load ptr, ptr %in
  %n_components = load i64, ptr %in_n
  %state_stride = load i64, ptr %in_by_state
  %component_stride = load i64, ptr %in_by_component
  %first_word = load i64, ptr %in_word
  %in_offset = mul i64 %start, %state_stride
  %in_from = getelementptr double, ptr %array, i64 %in_offset
  %to_offset = mul i64 %first_word, %block
  %in_to = getelementptr double, ptr %registers, i64 %to_offset
  call void @read(ptr %in_to, i64 %size, ptr %in_from, i64 %n_components, i64 %state_stride, i64 %component_stride, i64 %count)
  %next_i = add i64 %i, 1
  br label %streams_left
steps:
  %n = phi i64 [ 0, %streams_left ], [ %next_n, %step ]
  %any_step = icmp slt i64 %n, %instructions
  br i1 %any_step, label %step, label %store
step:
  %at_index = mul i64 %n, %columns
  %at = getelementptr i32, ptr %code, i64 %at_index
  %at_a = getelementptr i32, ptr %at, i64 1
  %at_b = getelementptr i32, ptr %at, i64 2
  %at_target = getelementptr i32, ptr %at, i64 3
  %at_c = getelementptr i32, ptr %at, i64 %last
  %op = load i32, ptr %at
  %a_32 = load i32, ptr %at_a
  %b_32 = load i32, ptr %at_b
  %target_32 = load i32, ptr %at_target
  %c_32 = load i32, ptr %at_c
  %op_64 = zext i32 %op to i64
  %a_64 = zext i32 %a_32 to i64
  %b_64 = zext i32 %b_32 to i64
  %target_64 = zext i32 %target_32 to i64
  %c_64 = zext i32 %c_32 to i64
  %a_offset = mul i64 %a_64, %size
  %b_offset = mul i64 %b_64, %size
  %target_offset = mul i64 %target_64, %size
  %c_offset = mul i64 %c_64, %size
  %a = getelementptr i8, ptr %registers, i64 %a_offset
  %b = getelementptr i8, ptr %registers, i64 %b_offset
  %target = getelementptr i8, ptr %registers, i64 %target_offset
  %c = getelementptr i8, ptr %registers, i64 %c_offset
  %entry_of_table = getelementptr ptr, ptr @table, i64 %op_64
  %function = load ptr, ptr %entry_of_table
  call void %function(ptr %a, ptr %b, ptr %target, ptr %c, i64 %block)
  %next_n = add i64 %n, 1
  br label %steps
store:
  %out_offset = mul i64 %start, %by_state
  %out_high = getelementptr double, ptr %high, i64 %out_offset
  %out_low = getelementptr double, ptr %low, i64 %out_offset
  call void @write(ptr %registers, i64 %size, ptr %numbers, i64 %outputs, ptr %out_high, ptr %out_low, i64 %by_state, i64 %count)
  br label %stored
stored:
  %next_start = add i64 %start, %block
  br label %blocks
done:
  ret void
}
"""


FUNCTION = """
define internal void @{name}(ptr %a, ptr %b, ptr %t, ptr %c, i64 %block) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{body}
  %next = add i64 %i, {lanes}
  %more = icmp slt i64 %next, %block
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def block_function(name: str, writer: Writer) -> str:
    """A function for ``table``: what ``writer`` wrote for the states from %i on of registers %a, %b, %t and %c."""
    return FUNCTION.format(name=name, body="\n".join(writer.lines), lanes=writer.lanes)


def interpreter(table: Sequence[str], words: int, target: Target) -> str:
    """``table`` of these functions, and ``run`` for registers of one word or of two."""
    names = ", ".join(f"ptr @{name}" for name in table)
    loop = LOOP.replace("SIZE", str(8 * words))
    return f"@table = internal constant [{len(table)} x ptr] [{names}]\n{loop}{copies(target, words)}"
