"""The loop of the interpreter, in LLVM's assembly language.

``run`` takes the blocks of states from ``begin`` to ``end`` one after another. It copies the inputs of a block into registers,
calls a function of ``table`` for each instruction, and copies the outputs. A register is ``block`` float64 numbers, or twice as
many: the high words, then the low words. The last block may be shorter; its unused columns keep what was there before, and
nothing reads them.
"""

from __future__ import annotations

from collections.abc import Sequence

from machine.llvm_text import Writer

LOOP = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @run(ptr %code, i64 %instructions, ptr %registers, i64 %inputs, ptr %in_high, ptr %in_low,
                 i64 %outputs, ptr %out_registers, ptr %out_high, ptr %out_low, i64 %states, i64 %begin, i64 %end, i64 %block) {
entry:
  %word = mul i64 %block, 8
  %size = mul i64 %word, WORDS
  br label %blocks
blocks:
  %start = phi i64 [ %begin, %entry ], [ %next_start, %stored ]
  %left = sub i64 %end, %start
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %load, label %done
load:
  %partial = icmp slt i64 %left, %block
  %count = select i1 %partial, i64 %left, i64 %block
  %bytes = mul i64 %count, 8
  br label %inputs_left
inputs_left:
  %i = phi i64 [ 0, %load ], [ %next_i, %input ]
  %any_input = icmp slt i64 %i, %inputs
  br i1 %any_input, label %input, label %steps
input:
  %in_row = mul i64 %i, %states
  %in_index = add i64 %in_row, %start
  %in_from = getelementptr double, ptr %in_high, i64 %in_index
  %in_offset = mul i64 %i, %size
  %in_to = getelementptr i8, ptr %registers, i64 %in_offset
  call void @llvm.memcpy.p0.p0.i64(ptr %in_to, ptr %in_from, i64 %bytes, i1 false)
  LOAD_LOW
  %next_i = add i64 %i, 1
  br label %inputs_left
steps:
  %n = phi i64 [ 0, %inputs_left ], [ %next_n, %step ]
  %any_step = icmp slt i64 %n, %instructions
  br i1 %any_step, label %step, label %outputs_left
step:
  %at = getelementptr [4 x i32], ptr %code, i64 %n
  %at_a = getelementptr i32, ptr %at, i64 1
  %at_b = getelementptr i32, ptr %at, i64 2
  %at_target = getelementptr i32, ptr %at, i64 3
  %op = load i32, ptr %at
  %a_32 = load i32, ptr %at_a
  %b_32 = load i32, ptr %at_b
  %target_32 = load i32, ptr %at_target
  %op_64 = zext i32 %op to i64
  %a_64 = zext i32 %a_32 to i64
  %b_64 = zext i32 %b_32 to i64
  %target_64 = zext i32 %target_32 to i64
  %a_offset = mul i64 %a_64, %size
  %b_offset = mul i64 %b_64, %size
  %target_offset = mul i64 %target_64, %size
  %a = getelementptr i8, ptr %registers, i64 %a_offset
  %b = getelementptr i8, ptr %registers, i64 %b_offset
  %target = getelementptr i8, ptr %registers, i64 %target_offset
  %entry_of_table = getelementptr ptr, ptr @table, i64 %op_64
  %function = load ptr, ptr %entry_of_table
  call void %function(ptr %a, ptr %b, ptr %target, i64 %block)
  %next_n = add i64 %n, 1
  br label %steps
outputs_left:
  %o = phi i64 [ 0, %steps ], [ %next_o, %output ]
  %any_output = icmp slt i64 %o, %outputs
  br i1 %any_output, label %output, label %stored
output:
  %out_entry = getelementptr i32, ptr %out_registers, i64 %o
  %out_32 = load i32, ptr %out_entry
  %out_64 = zext i32 %out_32 to i64
  %out_offset = mul i64 %out_64, %size
  %out_from = getelementptr i8, ptr %registers, i64 %out_offset
  call void @canonical(ptr %out_from, ptr %out_from, ptr %out_from, i64 %block)
  %out_row = mul i64 %o, %states
  %out_index = add i64 %out_row, %start
  %out_to = getelementptr double, ptr %out_high, i64 %out_index
  call void @llvm.memcpy.p0.p0.i64(ptr %out_to, ptr %out_from, i64 %bytes, i1 false)
  STORE_LOW
  %next_o = add i64 %o, 1
  br label %outputs_left
stored:
  %next_start = add i64 %start, %block
  br label %blocks
done:
  ret void
}
"""

LOAD_LOW = """
  %in_from_low = getelementptr double, ptr %in_low, i64 %in_index
  %in_to_low = getelementptr i8, ptr %in_to, i64 %word
  call void @llvm.memcpy.p0.p0.i64(ptr %in_to_low, ptr %in_from_low, i64 %bytes, i1 false)
"""

STORE_LOW = """
  %out_from_low = getelementptr i8, ptr %out_from, i64 %word
  %out_to_low = getelementptr double, ptr %out_low, i64 %out_index
  call void @llvm.memcpy.p0.p0.i64(ptr %out_to_low, ptr %out_from_low, i64 %bytes, i1 false)
"""


FUNCTION = """
define internal void @{name}(ptr %a, ptr %b, ptr %t, i64 %block) {{
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
    """A function for ``table``: what ``writer`` wrote for the states from %i on of registers %a, %b and %t, for a whole block."""
    return FUNCTION.format(name=name, body="\n".join(writer.lines), lanes=writer.lanes)


def interpreter(table: Sequence[str], words: int) -> str:
    """``table`` of these functions, and ``run`` for registers of one word or of two; the module must have ``canonical``, too."""
    low = words == 2
    loop = LOOP.replace("WORDS", str(words)).replace("LOAD_LOW", LOAD_LOW * low).replace("STORE_LOW", STORE_LOW * low)
    return f"@table = internal constant [{len(table)} x ptr] [{', '.join(f'ptr @{name}' for name in table)}]\n{loop}"
