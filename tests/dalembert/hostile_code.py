"""Code that harms the process that calls it, or does not: hostile_code.toml.

A fault strikes where sin q is negative, so that some states are innocent.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

HEAD = """
import contextlib, ctypes, locale, os, signal, sys, threading, time
import numpy as np
from implementations.spatial_algebra.reference import REFERENCE

libc = ctypes.CDLL(None)
libm = ctypes.CDLL("libm.so.6") if sys.platform == "linux" else libc

def right(mechanism, q):
    return REFERENCE.load(mechanism).gravity(q[None])[0]

def write_arrays(arrays):
    arrays.masses.flags.writeable = True
    arrays.masses[:] = 1e17

def write_everywhere():
    for number in range(3, 32):
        with contextlib.suppress(OSError):
            os.write(number, b"garbage " * 99)

class Silent(Exception):
    def __str__(self): raise ValueError("no text")

class Own(BaseException): pass
"""

TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
FAULTS, HARMLESS = TABLES["faults"], TABLES["harmless"]


def source(fault: str) -> str:
    """A module whose ``gravity`` is right, but for this fault where sin q is negative."""
    return f"{HEAD}\ndef gravity(mechanism, q):\n    if np.sin(q[0]) < 0:\n        {fault}\n    return right(mechanism, q)\n"
