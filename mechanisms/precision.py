"""The precision of FLINT's balls, for one computation at a time.

The precision belongs to the whole process. Without a lock, one thread would change it while another one computes. The results
would still contain the exact values, but would be too wide to decide anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

_computing = RLock()


def _unlocked() -> None:
    """A process that is forked while another thread computes would wait for a thread that it does not have."""
    global _computing
    _computing = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlocked)


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with ``bits``; other threads that ask for a precision wait."""
    from flint import ctx  # Most mechanisms need no balls, and come without FLINT.

    with _computing, ctx.workprec(bits):
        yield
