"""The loops of :class:`machine.recording.tape.Tape`, compiled by LLVM: an instruction takes some nanoseconds."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from machine.backends.llvm_target import Compiled, compile_text, host
from machine.recording.python_tape import FACTORS

FIELDS = ("op", "a", "b", "level", "place", "rank", "first", "second", "made", "at", "table", "mask", "size")
ARRAYS = FIELDS[:-3]
"""What the loops get: an array of int64, in this order. All but the last two are addresses, the first ones those of the tape."""


def load(*names: str) -> str:
    """Code that loads fields."""
    return "\n".join(
        f"  %at_{name} = getelementptr i64, ptr %tape, i64 {FIELDS.index(name)}\n"
        f"  %{name} = load {'i64' if name in ('mask', 'size') else 'ptr'}, ptr %at_{name}"
        for name in names
    )


def get(result: str, array: str, index: str, kind: str = "i32") -> str:
    """Code that reads an entry of an array."""
    return f"  %at_{result} = getelementptr {kind}, ptr %{array}, i32 %{index}\n  %{result} = load {kind}, ptr %at_{result}"


def put(index: str, array: str, value: str, kind: str = "i32") -> str:
    """Code that writes an entry of an array."""
    at = f"%to_{array}_{index}"
    return f"  {at} = getelementptr {kind}, ptr %{array}, i32 %{index}\n  store {kind} {value}, ptr {at}"


LOOPS = f"""
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)

define i64 @ranked(i32 %o, i64 %x, i64 %y) {{
  %o_64 = zext i32 %o to i64
  %x_1 = mul i64 %x, {FACTORS[0]}
  %y_1 = xor i64 %y, %o_64
  %y_2 = mul i64 %y_1, {FACTORS[1]}
  %m_1 = add i64 %x_1, %y_2
  %m_2 = lshr i64 %m_1, 29
  %m_3 = xor i64 %m_1, %m_2
  %m_4 = mul i64 %m_3, {FACTORS[2]}
  %m_5 = lshr i64 %m_4, 32
  %m_6 = xor i64 %m_4, %m_5
  ret i64 %m_6
}}

define i1 @in_order(ptr %tape, i32 %x, i32 %y) {{
{load("rank")}
{get("rank_x", "rank", "x", "i64")}
{get("rank_y", "rank", "y", "i64")}
  %less = icmp ult i64 %rank_x, %rank_y
  %same = icmp eq i64 %rank_x, %rank_y
  %older = icmp sle i32 %x, %y
  %tie = and i1 %same, %older
  %result = or i1 %less, %tie
  ret i1 %result
}}

define i32 @hash(i32 %o, i32 %x, i32 %y) {{
  %h1 = mul i32 %x, 2654435761
  %h2 = add i32 %h1, %y
  %h3 = mul i32 %h2, 2246822507
  %h4 = add i32 %h3, %o
  %h5 = mul i32 %h4, 2654435761
  %h6 = lshr i32 %h5, 15
  %h7 = xor i32 %h5, %h6
  ret i32 %h7
}}

define i32 @intern(ptr %tape, i32 %o, i32 %x, i32 %y, i32 %at) {{
entry:
{load("op", "a", "b", "level", "place", "rank", "table", "mask", "size")}
{get("place_x", "place", "x")}
{get("place_y", "place", "y")}
  %early = call i32 @llvm.smax.i32(i32 %place_x, i32 %place_y)
  %start = call i32 @hash(i32 %o, i32 %x, i32 %y)
  %mask_32 = trunc i64 %mask to i32
  br label %probe
probe:
  %i = phi i32 [ %start, %entry ], [ %next, %other ]
  %slot = and i32 %i, %mask_32
{get("number", "table", "slot")}
  %empty = icmp eq i32 %number, 0
  br i1 %empty, label %new, label %compare
compare:
{get("its_op_8", "op", "number", "i8")}
  %its_op = sext i8 %its_op_8 to i32
{get("its_a", "a", "number")}
{get("its_b", "b", "number")}
  %same_op = icmp eq i32 %its_op, %o
  %same_a = icmp eq i32 %its_a, %x
  %same_b = icmp eq i32 %its_b, %y
  %same_1 = and i1 %same_op, %same_a
  %same = and i1 %same_1, %same_b
  br i1 %same, label %found, label %other
other:
  %next = add i32 %slot, 1
  br label %probe
found:
  %anywhere = icmp slt i32 %at, 0
  br i1 %anywhere, label %done, label %lower
lower:
{get("its_place", "place", "number")}
  %wanted = call i32 @llvm.smax.i32(i32 %early, i32 %at)
  %lower_place = call i32 @llvm.smin.i32(i32 %its_place, i32 %wanted)
{put("number", "place", "%lower_place")}
  br label %done
done:
  ret i32 %number
new:
  %made = trunc i64 %size to i32
{put("slot", "table", "%made")}
  %op_8 = trunc i32 %o to i8
{put("made", "op", "%op_8", "i8")}
{put("made", "a", "%x")}
{put("made", "b", "%y")}
{get("rank_x", "rank", "x", "i64")}
{get("rank_y", "rank", "y", "i64")}
  %rank_made = call i64 @ranked(i32 %o, i64 %rank_x, i64 %rank_y)
{put("made", "rank", "%rank_made", "i64")}
{get("level_x", "level", "x")}
{get("level_y", "level", "y")}
  %level_xy = call i32 @llvm.smax.i32(i32 %level_x, i32 %level_y)
  %level_made = add i32 %level_xy, 1
{put("made", "level", "%level_made")}
  %here = icmp slt i32 %at, 0
  %given = select i1 %here, i32 %made, i32 %at
  %place_made = call i32 @llvm.smax.i32(i32 %early, i32 %given)
{put("made", "place", "%place_made")}
  %size_1 = add i64 %size, 1
  store i64 %size_1, ptr %at_size
  ret i32 %made
}}

define i32 @sum(ptr %tape, i32 %a, i32 %b, i32 %at) {{
  %opposite = sub i32 0, %b
  %x = call i32 @llvm.abs.i32(i32 %a, i1 false)
  %y = call i32 @llvm.abs.i32(i32 %b, i1 false)
  %total = add i32 %a, %b
  %a_is_zero = icmp eq i32 %a, 0
  %b_is_zero = icmp eq i32 %b, 0
  %cancels = icmp eq i32 %a, %opposite
  %simple_1 = or i1 %a_is_zero, %b_is_zero
  %simple = or i1 %simple_1, %cancels
  br i1 %simple, label %known, label %general
known:
  ret i32 %total
general:
  %xor = xor i32 %a, %b
  %differ = icmp slt i32 %xor, 0
  %o = zext i1 %differ to i32
  %in_order = call i1 @in_order(ptr %tape, i32 %x, i32 %y)
  %first = select i1 %in_order, i32 %x, i32 %y
  %second = select i1 %in_order, i32 %y, i32 %x
  %leading = select i1 %in_order, i32 %a, i32 %b
  %negative = icmp slt i32 %leading, 0
  %number = call i32 @intern(ptr %tape, i32 %o, i32 %first, i32 %second, i32 %at)
  %minus = sub i32 0, %number
  %result = select i1 %negative, i32 %minus, i32 %number
  ret i32 %result
}}

define i32 @product(ptr %tape, i32 %a, i32 %b, i32 %at) {{
  %x = call i32 @llvm.abs.i32(i32 %a, i1 false)
  %y = call i32 @llvm.abs.i32(i32 %b, i1 false)
  %smaller = call i32 @llvm.smin.i32(i32 %x, i32 %y)
  %simple = icmp sle i32 %smaller, 1
  br i1 %simple, label %known, label %general
known:
  %value = mul i32 %a, %b
  ret i32 %value
general:
  %in_order = call i1 @in_order(ptr %tape, i32 %x, i32 %y)
  %first = select i1 %in_order, i32 %x, i32 %y
  %second = select i1 %in_order, i32 %y, i32 %x
  %xor = xor i32 %a, %b
  %negative = icmp slt i32 %xor, 0
  %number = call i32 @intern(ptr %tape, i32 2, i32 %first, i32 %second, i32 %at)
  %minus = sub i32 0, %number
  %result = select i1 %negative, i32 %minus, i32 %number
  ret i32 %result
}}

define i1 @folds(ptr %tape, i32 %simple, i32 %count) {{
entry:
{load("op", "first", "second")}
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k_1, %next ]
  %left = icmp slt i32 %k, %count
  br i1 %left, label %one, label %no
one:
  %k_1 = add i32 %k, 1
{get("a", "first", "k")}
{get("b", "second", "k")}
  %x = call i32 @llvm.abs.i32(i32 %a, i1 false)
  %y = call i32 @llvm.abs.i32(i32 %b, i1 false)
{get("op_x", "op", "x", "i8")}
{get("op_y", "op", "y", "i8")}
  %constant_x = icmp eq i8 %op_x, -2
  %constant_y = icmp eq i8 %op_y, -2
  %constant = and i1 %constant_x, %constant_y
  %smaller = call i32 @llvm.smin.i32(i32 %x, i32 %y)
  %general = icmp sgt i32 %smaller, %simple
  %fold = and i1 %constant, %general
  br i1 %fold, label %yes, label %next
next:
  br label %loop
yes:
  ret i1 true
no:
  ret i1 false
}}

define i32 @operate(ptr %tape, i32 %o, i32 %count) {{
entry:
{load("first", "second", "made", "at")}
  switch i32 %o, label %loop [ i32 0, label %check i32 2, label %check ]
check:
  %simple = lshr i32 %o, 1
  %fold = call i1 @folds(ptr %tape, i32 %simple, i32 %count)
  br i1 %fold, label %stop, label %loop
stop:
  ret i32 0
loop:
  %k = phi i32 [ 0, %entry ], [ 0, %check ], [ %k_1, %next ]
  %left = icmp slt i32 %k, %count
  br i1 %left, label %one, label %done
one:
  %k_1 = add i32 %k, 1
{get("a", "first", "k")}
{get("b", "second", "k")}
{get("place", "at", "k")}
  switch i32 %o, label %other [ i32 0, label %add i32 2, label %multiply ]
add:
  %total = call i32 @sum(ptr %tape, i32 %a, i32 %b, i32 %place)
  br label %next
multiply:
  %value = call i32 @product(ptr %tape, i32 %a, i32 %b, i32 %place)
  br label %next
other:
  %number = call i32 @intern(ptr %tape, i32 %o, i32 %a, i32 %b, i32 %place)
  br label %next
next:
  %result = phi i32 [ %total, %add ], [ %value, %multiply ], [ %number, %other ]
{put("k", "made", "%result")}
  br label %loop
done:
  ret i32 1
}}

define i32 @total(ptr %tape, i32 %terms, i32 %count) {{
entry:
{load("first", "second", "made", "at")}
  br label %level
level:
  %rows = phi i32 [ %terms, %entry ], [ %fewer, %again ]
  %more = icmp sgt i32 %rows, 1
  br i1 %more, label %halve, label %done
halve:
  %pairs = lshr i32 %rows, 1
  %size = mul i32 %pairs, %count
  br label %copy
copy:
  %k = phi i32 [ 0, %halve ], [ %k_1, %one ]
  %left = icmp slt i32 %k, %size
  br i1 %left, label %one, label %add
one:
  %k_1 = add i32 %k, 1
  %row = udiv i32 %k, %count
  %shift = mul i32 %row, %count
  %even = add i32 %k, %shift
  %odd = add i32 %even, %count
{get("a", "made", "even")}
{get("b", "made", "odd")}
{put("k", "first", "%a")}
{put("k", "second", "%b")}
{put("k", "at", "-1")}
  br label %copy
add:
  %worked = call i32 @operate(ptr %tape, i32 0, i32 %size)
  %stop = icmp eq i32 %worked, 0
  br i1 %stop, label %done, label %rest
rest:
  %used = mul i32 %size, 2
  %all = mul i32 %rows, %count
  br label %move
move:
  %m = phi i32 [ %used, %rest ], [ %m_1, %move_one ]
  %to = phi i32 [ %size, %rest ], [ %to_1, %move_one ]
  %left_over = icmp slt i32 %m, %all
  br i1 %left_over, label %move_one, label %again
move_one:
{get("x", "made", "m")}
{put("to", "made", "%x")}
  %m_1 = add i32 %m, 1
  %to_1 = add i32 %to, 1
  br label %move
again:
  %fewer = sub i32 %rows, %pairs
  br label %level
done:
  ret i32 %rows
}}

define void @fill(ptr %tape) {{
entry:
{load("op", "a", "b", "table", "mask", "size")}
  %mask_32 = trunc i64 %mask to i32
  %size_32 = trunc i64 %size to i32
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %n_1, %next ]
  %left = icmp slt i32 %n, %size_32
  br i1 %left, label %one, label %done
one:
  %n_1 = add i32 %n, 1
{get("op_8", "op", "n", "i8")}
  %is_made = icmp sge i8 %op_8, 0
  br i1 %is_made, label %find, label %next
find:
  %o = sext i8 %op_8 to i32
{get("x", "a", "n")}
{get("y", "b", "n")}
  %start = call i32 @hash(i32 %o, i32 %x, i32 %y)
  br label %probe
probe:
  %i = phi i32 [ %start, %find ], [ %after, %probe ]
  %slot = and i32 %i, %mask_32
  %after = add i32 %slot, 1
{get("number", "table", "slot")}
  %empty = icmp eq i32 %number, 0
  br i1 %empty, label %write, label %probe
write:
{put("slot", "table", "%n")}
  br label %next
next:
  br label %loop
done:
  ret void
}}

define void @needed(ptr %tape, ptr %flags, i32 %last) {{
entry:
{load("op", "a", "b")}
  br label %loop
loop:
  %n = phi i32 [ %last, %entry ], [ %n_1, %next ]
  %left = icmp sge i32 %n, 0
  br i1 %left, label %one, label %done
one:
  %n_1 = sub i32 %n, 1
{get("flag", "flags", "n", "i8")}
  %wanted = icmp ne i8 %flag, 0
  br i1 %wanted, label %kind, label %next
kind:
{get("o", "op", "n", "i8")}
  %is_made = icmp sge i8 %o, 0
  br i1 %is_made, label %mark, label %next
mark:
{get("x", "a", "n")}
{get("y", "b", "n")}
{put("x", "flags", "1", "i8")}
{put("y", "flags", "1", "i8")}
  br label %next
next:
  br label %loop
done:
  ret void
}}
"""

POINTER, INT = ctypes.c_void_p, ctypes.c_int32


@cache
def functions() -> dict[str, Any]:
    """The loops as functions of Python, and what keeps their code."""
    code: Compiled = compile_text(LOOPS, host(), cached=True)
    kinds: dict[str, tuple[Any, ...]] = {
        "operate": (INT, POINTER, INT, INT),
        "total": (INT, POINTER, INT, INT),
        "fill": (None, POINTER),
        "needed": (None, POINTER, POINTER, INT),
    }
    return {"code": code} | {name: ctypes.PYFUNCTYPE(*kind)(code.address(name)) for name, kind in kinds.items()}


class Loops:
    """The loops over one tape. The table is open-addressed, and at most half full."""

    def __init__(self, tape: Any) -> None:
        self._tape = tape
        found = functions()
        self._operate, self._total, self._fill, self._needed = (found[x] for x in ("operate", "total", "fill", "needed"))
        self._fields = np.zeros(len(FIELDS), np.int64)
        self._address = self._fields.ctypes.data
        self._table = np.zeros(0, np.int32)
        self.moved()

    def moved(self) -> None:
        """Take the addresses of the tape's arrays again, after they changed."""
        tape, fields = self._tape, self._fields
        for k, name in enumerate(ARRAYS):
            fields[k] = getattr(tape, name).ctypes.data
        if len(self._table) < 2 * len(tape.op):
            self._table = np.zeros(1 << (2 * len(tape.op) - 1).bit_length(), np.int32)
            fields[-3:] = self._table.ctypes.data, len(self._table) - 1, tape.size
            self._fill(self._address)

    def operate(self, op: int, count: int) -> bool:
        self._fields[-1] = self._tape.size
        worked = self._operate(self._address, op, count)
        self._tape.size = int(self._fields[-1])
        return bool(worked)

    def total(self, terms: int, count: int) -> int:
        self._fields[-1] = self._tape.size
        rows = int(self._total(self._address, terms, count))
        self._tape.size = int(self._fields[-1])
        return rows

    def needed(self, outputs: Any) -> Any:
        flags = np.zeros(self._tape.size, bool)
        flags[outputs] = True
        self._needed(self._address, flags.ctypes.data, len(flags) - 1)
        return flags
