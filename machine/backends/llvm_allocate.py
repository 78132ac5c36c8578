"""The two loops of :mod:`machine.allocate`, compiled by LLVM: a million instructions take a twentieth of a second."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from machine.backends.llvm_target import Compiled, compile_text, host
from machine.program import Words

LOOPS = """
define void @last_readers(ptr %code, i64 %instructions, i64 %first, ptr %last) {
entry:
  br label %loop
loop:
  %n = phi i64 [ %instructions, %entry ], [ %k, %next ]
  %left = icmp sgt i64 %n, 0
  br i1 %left, label %one, label %done
one:
  %k = sub i64 %n, 1
  %k_32 = trunc i64 %k to i32
  %value = add i64 %first, %k
  %its = getelementptr i32, ptr %last, i64 %value
  %reader = load i32, ptr %its
  %needed = icmp ne i32 %reader, -1
  br i1 %needed, label %read, label %next
read:
  %at = getelementptr [3 x i32], ptr %code, i64 %k
  %at_a = getelementptr i32, ptr %at, i64 1
  %at_b = getelementptr i32, ptr %at, i64 2
  %a = load i32, ptr %at_a
  %b = load i32, ptr %at_b
  %last_a = getelementptr i32, ptr %last, i32 %a
  %last_b = getelementptr i32, ptr %last, i32 %b
  %old_a = load i32, ptr %last_a
  %never_a = icmp eq i32 %old_a, -1
  %new_a = select i1 %never_a, i32 %k_32, i32 %old_a
  store i32 %new_a, ptr %last_a
  %old_b = load i32, ptr %last_b
  %never_b = icmp eq i32 %old_b, -1
  %new_b = select i1 %never_b, i32 %k_32, i32 %old_b
  store i32 %new_b, ptr %last_b
  br label %next
next:
  br label %loop
done:
  ret void
}

define void @release(i32 %value, i32 %n, ptr %last, ptr %places, i32 %inputs, i32 %first, ptr %free, ptr %count) {
  %its = getelementptr i32, ptr %last, i32 %value
  %reader = load i32, ptr %its
  %over = icmp eq i32 %reader, %n
  %no_input = icmp sge i32 %value, %inputs
  %early = icmp slt i32 %value, %first
  %constant = and i1 %no_input, %early
  %variable = xor i1 %constant, true
  %released = and i1 %over, %variable
  br i1 %released, label %push, label %done
push:
  %c = load i64, ptr %count
  %its_place = getelementptr i32, ptr %places, i32 %value
  %place = load i32, ptr %its_place
  %top = getelementptr i32, ptr %free, i64 %c
  store i32 %place, ptr %top
  %c_1 = add i64 %c, 1
  store i64 %c_1, ptr %count
  br label %done
done:
  ret void
}

define i64 @assign(ptr %code, i64 %instructions, i32 %inputs, i32 %first, ptr %last, ptr %places, ptr %free, ptr %counts,
                   ptr %result) {
entry:
  %registers = getelementptr i64, ptr %counts, i64 1
  %first_64 = zext i32 %first to i64
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %n_1, %next ]
  %kept = phi i64 [ 0, %entry ], [ %kept_now, %next ]
  %left = icmp slt i64 %n, %instructions
  br i1 %left, label %one, label %done
one:
  %value = add i64 %first_64, %n
  %its = getelementptr i32, ptr %last, i64 %value
  %reader = load i32, ptr %its
  %needed = icmp ne i32 %reader, -1
  br i1 %needed, label %read, label %next
read:
  %n_32 = trunc i64 %n to i32
  %at = getelementptr [3 x i32], ptr %code, i64 %n
  %at_a = getelementptr i32, ptr %at, i64 1
  %at_b = getelementptr i32, ptr %at, i64 2
  %op = load i32, ptr %at
  %a = load i32, ptr %at_a
  %b = load i32, ptr %at_b
  call void @release(i32 %a, i32 %n_32, ptr %last, ptr %places, i32 %inputs, i32 %first, ptr %free, ptr %counts)
  %twice = icmp eq i32 %a, %b
  br i1 %twice, label %place, label %other
other:
  call void @release(i32 %b, i32 %n_32, ptr %last, ptr %places, i32 %inputs, i32 %first, ptr %free, ptr %counts)
  br label %place
place:
  %c = load i64, ptr %counts
  %any = icmp sgt i64 %c, 0
  br i1 %any, label %pop, label %new
pop:
  %c_1 = sub i64 %c, 1
  store i64 %c_1, ptr %counts
  %top = getelementptr i32, ptr %free, i64 %c_1
  %popped = load i32, ptr %top
  br label %write
new:
  %r = load i64, ptr %registers
  %r_32 = trunc i64 %r to i32
  %r_1 = add i64 %r, 1
  store i64 %r_1, ptr %registers
  br label %write
write:
  %target = phi i32 [ %popped, %pop ], [ %r_32, %new ]
  %its_place = getelementptr i32, ptr %places, i64 %value
  store i32 %target, ptr %its_place
  %place_a = getelementptr i32, ptr %places, i32 %a
  %place_b = getelementptr i32, ptr %places, i32 %b
  %register_a = load i32, ptr %place_a
  %register_b = load i32, ptr %place_b
  %to = getelementptr [4 x i32], ptr %result, i64 %kept
  %to_a = getelementptr i32, ptr %to, i64 1
  %to_b = getelementptr i32, ptr %to, i64 2
  %to_target = getelementptr i32, ptr %to, i64 3
  store i32 %op, ptr %to
  store i32 %register_a, ptr %to_a
  store i32 %register_b, ptr %to_b
  store i32 %target, ptr %to_target
  %kept_1 = add i64 %kept, 1
  br label %next
next:
  %kept_now = phi i64 [ %kept, %one ], [ %kept_1, %write ]
  %n_1 = add i64 %n, 1
  br label %loop
done:
  ret i64 %kept
}
"""

POINTER, LONG, INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32


@cache
def compiled() -> Compiled:
    return compile_text(LOOPS, host(), cached=True)


def last_readers(first: int, code: Words, outputs: np.ndarray[Any, Any]) -> Words:
    """As :func:`machine.allocate.last_readers`."""
    last = np.full(first + len(code), -1, np.int32)
    last[outputs] = len(code)
    function = ctypes.CFUNCTYPE(None, POINTER, LONG, LONG, POINTER)(compiled().address("last_readers"))
    function(code.ctypes.data, len(code), first, last.ctypes.data)
    return last


def assign(inputs: int, code: Words, last: Words, place: Words, registers: int) -> tuple[Words, int, Words]:
    """As :func:`machine.allocate.assign`."""
    places = np.concatenate([place, np.zeros(len(code), np.int32)])
    unread = np.flatnonzero(last[:inputs] == -1)
    # No more registers can be free than there are.
    free = np.zeros(registers + len(code), np.int32)
    free[: len(unread)] = unread
    counts = np.array([len(unread), registers], np.int64)
    result = np.empty((len(code), 4), np.int32)
    function = ctypes.CFUNCTYPE(LONG, POINTER, LONG, INT, INT, *[POINTER] * 5)(compiled().address("assign"))
    arrays = [x.ctypes.data for x in (last, places, free, counts, result)]
    kept = function(code.ctypes.data, len(code), inputs, len(place), *arrays)
    return result[:kept], int(counts[1]), places
