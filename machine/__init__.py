"""Executes recorded programs in float64 and in double-double; knows no mechanics."""

from machine.allocate import allocate
from machine.program import Op, Program
from machine.run import advice, backend, run

__all__ = ["Op", "Program", "advice", "allocate", "backend", "run"]
