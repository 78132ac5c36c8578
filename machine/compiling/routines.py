"""The machine's loops, which are written once: Python executes them, or LLVM executes what is compiled of their source."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from machine.compiling.target import Compiled, compile_text, host, works
from machine.compiling.translate import Function, SourceChanged, parameters, text_of


class Record:
    """The arrays that functions work on. A subclass annotates them; their memory may move, and is given again then."""

    def __init__(self, **arrays: np.ndarray[Any, Any]) -> None:
        self._addresses = np.zeros(len(type(self).__annotations__), np.int64)
        self._as_parameter_ = ctypes.c_void_p(self._addresses.ctypes.data)
        self.give(**arrays)

    def give(self, **arrays: np.ndarray[Any, Any]) -> None:
        """Set arrays."""
        names = list(type(self).__annotations__)
        for name, array in arrays.items():
            self._addresses[names.index(name)] = array.ctypes.data
            setattr(self, name, array.data)


def routines(*functions: Function) -> tuple[Function, ...]:
    """The functions, compiled where LLVM works and their source is at hand.

    They get records and whole numbers, and may call one another.
    """
    return _compiled(functions) if works() else functions


@cache
def _compiled(functions: tuple[Function, ...]) -> tuple[Function, ...]:
    try:
        text = text_of({function.__name__: function for function in functions})
    except SourceChanged:
        return functions
    code = compile_text(text, host(), cached=True)
    return tuple(_called(code, function) for function in functions)


def _called(code: Compiled, function: Function) -> Function:
    kinds = [ctypes.c_int64 if kind == "int" else ctypes.c_void_p for _, kind in parameters(function)]
    result = ctypes.c_int64 if function.__annotations__["return"] == "int" else None
    call = ctypes.PYFUNCTYPE(result, *kinds)(code.address(function.__name__))
    # The code lives as long as somebody can call it.
    call.code = code  # type: ignore[attr-defined]
    return call
