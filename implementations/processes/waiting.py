"""A call that takes long: who is told meanwhile, and how much longer a first call may take.

A function that a framework compiles is compiled in the first call with arguments of new shapes. That may take minutes, where the
second call takes a millisecond. So the first call has a limit of its own, if the process of the code has loaded such a framework.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

COMPILERS = ("cupy", "jax", "numba", "taichi", "tensorflow", "torch", "warp")
"""Packages that compile functions while they run."""

FIRST = 5.0
"""The first call of a quantity with arguments of new shapes may take so many times the usual limit."""

PATIENCE = 5.0
"""Seconds after which a call is said to be slow, and again after as many."""

Tell = Callable[[str], None]

_told: ContextVar[Tell] = ContextVar("told", default=lambda what: None)


@contextmanager
def telling(tell: Tell) -> Iterator[None]:
    """Calls that take long are told to ``tell``, in words."""
    token = _told.set(tell)
    try:
        yield
    finally:
        _told.reset(token)


def tell(what: str) -> None:
    """Tell whoever asked for it what is waited for."""
    _told.get()(what)


def may_compile() -> bool:
    """Whether this process has loaded a package that compiles functions while they run."""
    return any(name in sys.modules for name in COMPILERS)
