"""Approximate sines and cosines that are recognised: Taylor polynomials, tables, other angles, few digits, roots."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from cross_check.explain.diagnosis.digits.roundings import FEW_DIGITS_OF_PI
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array

Pair = tuple[Array, Array]
"""Cosines and sines."""

ORDERS = range(1, 16)

WITHIN = 8
"""At so many angles on either side a limit is tried."""


def described(ask: Callable[[Array], Pair | None], q: Array, pair: Pair) -> tuple[str, dict[str, float], bool]:
    """What is known of the functions: a sentence, its numbers, and whether they are recognised."""
    if root := _root(ask):
        return root, {}, True
    # Functions that are nearly right must not pass for any others that are.
    least = min(64 * EPSILON, np.hypot(pair[0] - np.cos(q), pair[1] - np.sin(q)).max() / 8)
    for words, numbers, function in (*_series(), *_tables(q, pair), *_scaled(q, pair), *_rounded()):
        c, s = function(q)
        # A quarter turn that is added to a large angle rounds it.
        tolerance = least * np.maximum(1, np.maximum(np.abs(c), np.abs(s))) + EPSILON * np.abs(q)
        if (np.abs(c - pair[0]) <= tolerance).all() and (np.abs(s - pair[1]) <= tolerance).all():
            return words, numbers, True
    return _small_only(ask, q, pair) or ("sines and cosines are approximate", {}, False)


def _series() -> Any:
    """Taylor series, on the angle and on the angle within one turn."""
    for turned in (False, True):
        for sine_order in (n for n in ORDERS if n % 2):
            for cosine_order in (sine_order - 1, sine_order + 1, 99):
                words = f"sin q is taken as {_polynomial(sine_order)}"
                if cosine_order != 99:
                    words += f", cos q as {_polynomial(cosine_order)}"
                yield (
                    words + (", with q within ±π" if turned else ""),
                    {"order": float(sine_order)},
                    _taylor(sine_order, cosine_order, turned),
                )
        for cosine_order in (0, 2, 4, 6, 8, 10):
            words = f"cos q is taken as {_polynomial(cosine_order)}" + (", with q within ±π" if turned else "")
            yield words, {"order": float(cosine_order)}, _taylor(99, cosine_order, turned)


@cache
def _taylor(sine_order: int, cosine_order: int, turned: bool) -> Callable[[Array], Pair]:
    def functions(q: Array) -> Pair:
        x = np.remainder(q + np.pi, 2 * np.pi) - np.pi if turned else q
        c, s, term = np.zeros_like(x), np.zeros_like(x), np.ones_like(x)
        for n in range(max(k for k in (sine_order, cosine_order, 0) if k < 99) + 1):
            if n % 2 and n <= sine_order:
                s = s + (-1) ** (n // 2) * term
            if not n % 2 and n <= cosine_order:
                c = c + (-1) ** (n // 2) * term
            term = term * x / (n + 1)
        return np.cos(q) if cosine_order == 99 else c, np.sin(q) if sine_order == 99 else s

    return functions


def _polynomial(order: int) -> str:
    """The Taylor polynomial in words."""
    factorials = {0: "1", 1: "q", 2: "q²/2", 3: "q³/6", 4: "q⁴/24", 5: "q⁵/120"}
    if order > 5:
        return f"its Taylor polynomial of order {order}"
    terms = [factorials[n] for n in range(order % 2, order + 1, 2)]
    return "".join(("" if not k else " + " if k % 2 == 0 else " − ") + term for k, term in enumerate(terms))


def _tables(q: Array, pair: Pair) -> Any:
    """Tables of one turn, of which the measured error suggests the length."""
    error = np.hypot(pair[0] - np.cos(q), pair[1] - np.sin(q)).max()
    # The nearest entry is off by half of the spacing at most, the one below by the spacing, a chord by an eighth of its square.
    near = {float(round(2 * np.pi / spacing)) for spacing in (2 * error, error, np.sqrt(8 * error))}
    usual = {float(n) for k in range(4, 17) for n in (2**k, 2**k - 1)} | {
        float(m * 10**k) for m in (9, 18, 36, 72, 1, 2, 5) for k in range(1, 6)
    }
    for count in sorted(near | {n for n in usual if any(n / 1.3 < x < 1.3 * n or n / 1.3 < x / 2 < 1.3 * n for x in near)}):
        for way in ("nearest", "below", "between"):
            words = {"nearest": "to the nearest", "below": "to the one below", "between": "by linear interpolation"}[way]
            sentence = f"sines and cosines come from a table of {count:.0f} entries a turn, {words}"
            yield sentence, {"entries": count}, _table(count, way)


@cache
def _table(count: float, way: str) -> Callable[[Array], Pair]:
    def functions(q: Array) -> Pair:
        spacing = 2 * np.pi / count
        place = np.remainder(q, 2 * np.pi) / spacing
        low = np.floor(place)
        if way == "between":
            w = place - low
            left, right = low * spacing, (low + 1) * spacing
            return (1 - w) * np.cos(left) + w * np.cos(right), (1 - w) * np.sin(left) + w * np.sin(right)
        entry = np.round(place) if way == "nearest" else low
        return np.cos(entry * spacing), np.sin(entry * spacing)

    return functions


def _scaled(q: Array, pair: Pair) -> Any:
    """Angles that are multiplied by a number near one: a wrong π."""
    small = np.abs(q).argsort()[-1]
    turns = [float(k) / np.pi for k in FEW_DIGITS_OF_PI]
    factor = 1 + float(
        np.arcsin(np.clip(pair[1][small] * np.cos(q[small]) - pair[0][small] * np.sin(q[small]), -1, 1)) / q[small]
    )
    for k in (*turns, *(1 / k for k in turns), factor):
        yield f"angles are multiplied by {k:.9g}", {"factor": k}, _factor(k)


@cache
def _factor(k: float) -> Callable[[Array], Pair]:
    return lambda q: (np.cos(k * q), np.sin(k * q))


def _rounded() -> Any:
    for name, made in (("float32", np.float32), ("float16", np.float16)):
        yield f"sines and cosines are rounded to {name}", {"bits": float(np.finfo(made).nmant + 1)}, _stored(made)


@cache
def _stored(made: Any) -> Callable[[Array], Pair]:
    return lambda q: (np.cos(q).astype(made).astype(np.float64), np.sin(q).astype(made).astype(np.float64))


def _root(ask: Callable[[Array], Pair | None]) -> str:
    """Whether one function is the root of one minus the square of the other: it has lost digits where it is small."""
    small = np.geomspace(1e-6, 1e-1, 48)
    for words, angles, right, which in (
        ("the sine is computed as √(1 − cos²) and loses digits where it is small", small, np.sin, 1),
        ("the cosine is computed as √(1 − sin²) and loses digits where it is small", np.pi / 2 - small, np.cos, 0),
    ):
        if (pair := ask(angles)) is None:
            return ""
        # The square is off by rounding, and its root by as much in proportion to the function's inverse.
        off = np.abs(pair[which] - right(angles)) * np.abs(right(angles)) / EPSILON
        other = np.abs(pair[1 - which] - (np.sin if which == 0 else np.cos)(angles)) / EPSILON
        if off.max() <= 2 and other.max() <= 2 and (off > 1e-2).mean() > 0.5:
            return words
    return ""


def _small_only(ask: Callable[[Array], Pair | None], q: Array, pair: Pair) -> Any:
    """Taylor polynomials of small angles only: the limit is found by bisection."""
    wrong = np.hypot(pair[0] - np.cos(q), pair[1] - np.sin(q)) > 8 * EPSILON
    inside = np.abs(q[wrong]).max()
    beyond = np.abs(q[~wrong & (np.abs(q) > inside)])
    if not beyond.size:
        return None
    low, high = inside, beyond.min()
    for _ in range(40):
        middle = np.sqrt(low * high)
        if (there := ask(np.array([middle]))) is None:
            return None
        is_wrong = np.hypot(there[0] - np.cos(middle), there[1] - np.sin(middle))[0] > 8 * EPSILON
        low, high = (middle, high) if is_wrong else (low, middle)
    limit = float(f"{high:.3g}") if abs(float(f"{high:.3g}") / high - 1) < 1e-6 else high
    within = limit * np.linspace(-1, 1, 2 * WITHIN + 1)[1:-1]
    if (there := ask(within)) is None:
        return None
    # Below the limit, all angles are as the function has them, and not those alone at which the code was seen to err.
    known = np.abs(q) < limit
    asked, seen = np.append(q[known], within), [np.append(x[known], y) for x, y in zip(pair, there, strict=True)]
    for words, numbers, function in (("angles are taken as zero", {}, _zero), *_series()):
        if all((np.abs(x - y) <= 4 * EPSILON).all() for x, y in zip(function(asked), seen, strict=True)):
            return f"{words} where |q| < {limit:.4g}", {**numbers, "limit": limit}, True
    is_right = np.hypot(seen[0] - np.cos(asked), seen[1] - np.sin(asked)) <= EPSILON
    if is_right[np.abs(asked) > limit / 2].any():
        return None  # Another condition than a limit.
    return f"sines and cosines are approximate where |q| < {limit:.4g}", {"limit": limit}, False


def _zero(q: Array) -> Pair:
    return np.ones_like(q), np.zeros_like(q)
