"""Codes that remember, and codes that write into their arguments: each wraps a right function."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from campaign.changes import log_uniform
from campaign.links import Array

Function = Callable[..., Array]
Wrap = Callable[[Any, Function], Function]


def _cached(key: Callable[..., Any]) -> Wrap:
    """Answers are kept for each state by `key` of its arguments."""

    def wrap(_: Any, f: Function) -> Function:
        known: dict[Any, Array] = {}

        def g(*args: Array) -> Array:
            answers = f(*args)
            return np.stack([known.setdefault(key(*row), answer) for *row, answer in zip(*args, answers, strict=True)])

        return g

    return wrap


def _counting(wrong: Callable[[Array, int], Array]) -> Wrap:
    def wrap(_: Any, f: Function) -> Function:
        calls = [0]

        def g(*args: Array) -> Array:
            calls[0] += 1
            return wrong(f(*args), calls[0])

        return g

    return wrap


def _remembering(wrong: Callable[[Array, Array], Array]) -> Wrap:
    """The answer depends on the first entry of the answer before."""

    def wrap(_: Any, f: Function) -> Function:
        last: list[Array] = []

        def g(*args: Array) -> Array:
            answer = f(*args)
            result = wrong(answer, last[-1]) if last and last[-1].shape[1:] == answer.shape[1:] else answer
            last[:] = [answer.copy()]
            return result

        return g

    return wrap


def _one_buffer(_: Any, f: Function) -> Function:
    buffers: dict[Any, Array] = {}

    def g(*args: Array) -> Array:
        answer = f(*args)
        buffer = buffers.setdefault(answer.shape, np.empty_like(answer))
        buffer[...] = answer
        return buffer

    return g


def history(random: Random) -> tuple[str, float, Wrap]:
    """A sentence, a size and a wrapper."""
    digits, n, s = random.randrange(2, 13), random.choice((2, 3, 5, 10, 40)), log_uniform(random, 1e-13, 1)
    return random.choice((
        (f"answers are cached by arguments that are rounded to {digits} decimals", 10.0**-digits,
         _cached(lambda *x: tuple(np.round(np.concatenate(x), digits)))),
        ("answers are cached by q alone", 1, _cached(lambda q, *x: q.tobytes())),
        ("answers are cached by the last argument alone", 1, _cached(lambda *x: x[-1].tobytes())),
        ("answers are cached by the sum of the arguments", 1e-15, _cached(lambda *x: sum(float(one.sum()) for one in x))),
        ("answers are cached by the absolute values of the arguments", 1,
         _cached(lambda *x: np.abs(np.concatenate(x)).tobytes())),
        ("answers are cached by the arguments in float32", 6e-8,
         _cached(lambda *x: np.concatenate(x).astype(np.float32).tobytes())),
        ("answers are cached by the first coordinate of each argument", 1, _cached(lambda *x: tuple(one[0] for one in x))),
        (f"the first call is off by {s:.2g}", s, _counting(lambda x, k: x * (1 + s * (k == 1)))),
        (f"every {n}-th call is off by {s:.2g}", s, _counting(lambda x, k: x * (1 + s * (k % n == 0)))),
        (f"every call after the {n}-th is off by {s:.2g}", s, _counting(lambda x, k: x * (1 + s * (k > n)))),
        (f"each call is off by {s:.2g} more than the one before", s, _counting(lambda x, k: x * (1 + s * (k - 1)))),
        (f"{s:.2g} of the answer before is mixed into an answer", s, _remembering(lambda x, last: x + s * last[:1])),
        ("the first state gets the first answer of the call before", 1,
         _remembering(lambda x, last: np.concatenate((last[:1], x[1:])))),
        ("the last state gets the last answer of the call before", 1,
         _remembering(lambda x, last: np.concatenate((x[:-1], last[-1:])))),
        ("a later call overwrites the answers of an earlier one", 1, _one_buffer),
    ))  # fmt: skip


def _writing(write: Callable[..., None], before: bool = False) -> Wrap:
    def wrap(library: Any, f: Function) -> Function:
        def g(*args: Array) -> Array:
            if before:
                write(library, *args)
            answer = f(*args)
            if not before:
                write(library, *args)
            return answer

        return g

    return wrap


def _wrap_angles(library: Any, q: Array, *rest: Array) -> None:
    for i, kind in enumerate(library.links.kind):
        if kind == "screw" and library.links.turn[i].any() and not library.links.slide[i].any():
            k = library.links.q[i].start
            q[:, k] = np.where(np.abs(q[:, k]) > np.pi, (q[:, k] + np.pi) % (2 * np.pi) - np.pi, q[:, k])


def writing(random: Random) -> tuple[str, float, Wrap]:
    """The answers are right; what the caller handed over is changed."""
    s = log_uniform(random, 1e-15, 1)
    return random.choice((
        ("angles beyond half a turn are wrapped in the caller's array", 1, _writing(_wrap_angles, True)),
        ("the caller's q is filled with zeros afterwards", 1, _writing(lambda o, q, *x: q.fill(0))),
        ("the caller's last argument is filled with zeros afterwards", 1, _writing(lambda o, *x: x[-1].fill(0))),
        (f"the caller's last argument grows by {s:.2g} afterwards", s, _writing(lambda o, *x: x[-1].__imul__(1 + s) is None)),
        ("the last state of the caller's last argument is cleared", 1, _writing(lambda o, *x: x[-1][-1].fill(0))),
        ("the rows of the caller's q are reversed afterwards", 1, _writing(lambda o, q, *x: q.__setitem__(..., q[::-1].copy()))),
        ("numbers below 1e-6 in the caller's last argument become zero afterwards", 1e-6,
         _writing(lambda o, *x: x[-1].__setitem__(np.abs(x[-1]) < 1e-6, 0.0))),
    ))  # fmt: skip
