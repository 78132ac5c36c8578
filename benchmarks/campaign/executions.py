"""Ways to execute a right function that leave it right: chunks, padding, caches, other precisions and orders."""

from collections.abc import Callable
from typing import Any

import numpy as np

from campaign.library import Library
from campaign.links import Array


def _rows(size: int) -> Callable[[Callable[..., Array], tuple[Array, ...]], Array]:
    def run(f: Callable[..., Array], args: tuple[Array, ...]) -> Array:
        parts = [f(*[x[k : k + size] for x in args]) for k in range(0, len(args[0]), size)]
        return np.concatenate(parts)

    return run


def _padded(f: Callable[..., Array], args: tuple[Array, ...]) -> Array:
    more = -len(args[0]) % 8
    return f(*[np.concatenate((x, np.repeat(x[-1:], more, 0))) for x in args])[: len(args[0])]


def _cache() -> Callable[[Callable[..., Array], tuple[Array, ...]], Array]:
    known: dict[Any, Array] = {}

    def run(f: Callable[..., Array], args: tuple[Array, ...]) -> Array:
        key = (f, *[x.tobytes() for x in args], len(args[0]))
        if key not in known:
            known[key] = f(*args)
        return known[key].copy()

    return run


def _quaternions(library: Library, args: tuple[Array, ...]) -> tuple[Array, ...]:
    q = args[0].copy()
    for i, kind in enumerate(library.links.kind):
        if kind in ("ball", "free"):
            k = slice(library.links.q[i].stop - 4, library.links.q[i].stop)
            q[:, k] *= np.where(q[:, k.stop - 1 : k.stop] < 0, -1.0, 1.0)
    return (q, *args[1:])


EXECUTIONS: dict[str, Callable[[Any], Callable[[Callable[..., Array], tuple[Array, ...]], Array]]] = {
    "whole batches": lambda o: lambda f, x: f(*x),
    "one state at a time": lambda o: _rows(1),
    "chunks of 16 states": lambda o: _rows(16),
    "chunks of 31 states": lambda o: _rows(31),
    "batches padded to multiples of 8": lambda o: _padded,
    "a cache keyed by all bytes": lambda o: _cache(),
    "long double": lambda o: lambda f, x: f(*[one.astype(np.longdouble) for one in x]).astype(np.float64),
    "lists of floats in between": lambda o: lambda f, x: np.array(f(*[np.array(one.tolist()) for one in x]).tolist()),
    "Fortran's order": lambda o: lambda f, x: np.asfortranarray(f(*[np.asfortranarray(one) for one in x])),
    "batches in reverse": lambda o: lambda f, x: f(*[one[::-1] for one in x])[::-1],
    "answers that are read-only": lambda o: lambda f, x: np.broadcast_to(y := f(*x), y.shape),
    "quaternions with w ≥ 0": lambda o: lambda f, x: f(*_quaternions(o, x)),
    "arguments in place, restored": lambda o: lambda f, x: f(*[np.array(one) for one in x]),
}
"""Ways to execute the same functions."""
