"""Sines and cosines that are approximate: those of the code are measured on a pendulum, and predict the answers on any mechanism.

A point mass of 1 kg, 1 m from the axis, hangs in gravity of 1 m/s². The torque that holds it is cos q for one direction of
gravity, and sin q for another. The reference computes with the measured functions in the place of its own. Taylor polynomials,
tables, other angles, few digits and roots are recognised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from math import factorial

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.digits.deviation import Deviation, Loss
from cross_check.explain.diagnosis.digits.rounding import FEW_DIGITS_OF_PI
from cross_check.explain.faults.readings.rounded import BINARY, Format
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from implementations.field import Real, Tensor
from implementations.spatial_algebra.reference import Reference
from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.numbers.precision import SAME

Pair = tuple[Array, Array]
"""Cosines and sines."""

RIGHT = 0.1
"""An approximation is exact at a smaller part of ordinary angles."""

Described = tuple[str, bool]
"""A sentence, and whether the functions are recognised."""

Candidate = tuple[str, Callable[[Array], Pair]]
"""A sentence, and functions of angles."""

ORDERS = range(1, 16)

WITHIN = 8
"""At so many angles on either side a limit is tried."""


class Sines(Real):
    """float64 with other cosines and sines."""

    def __init__(self, cos_sin: Callable[[Array], Pair]) -> None:
        super().__init__()
        object.__setattr__(self, "_cos_sin", cos_sin)

    def cos_sin(self, angle: Tensor) -> tuple[Tensor, Tensor]:
        c, s = self._cos_sin(angle.ravel())  # type: ignore[attr-defined]
        return c.reshape(angle.shape), s.reshape(angle.shape)


@cache
def pendulum(gravity: tuple[int, int, int]) -> Mechanism:
    """The mechanism that measures: gravity (0, −1, 0) gives cosines, (1, 0, 0) sines."""
    body = Body("point", "world", Joint("hinge", "revolute"), Inertia(1, (1, 0, 0)))
    return Mechanism("pendulum of a point", (body,), gravity)


def measured(off: Deviation, q: Array) -> Pair | None:
    """The code's cosines and sines of the angles q (count,); None if the code answers nothing that shows them."""
    zero = np.zeros((len(q), 1))
    for quantity, arguments in (("gravity", ()), ("inverse_dynamics", (zero, zero)), ("nonlinear_effects", (zero,))):
        c, s = (off.ask(quantity, q[:, None], *arguments, mechanism=pendulum(g)) for g in ((0, -1, 0), (1, 0, 0)))
        if c is not None and s is not None:
            return c[:, 0], s[:, 0]
    R = off.ask("placements", q[:, None], mechanism=pendulum((0, -1, 0)))
    return None if R is None else (R[:, 0, 0, 0], R[:, 0, 1, 0])


def approximations(off: Deviation) -> Iterator[Loss]:
    """The code's sines and cosines, if they are measured and are approximate."""
    angles = [off.states.q[:, q] for _, q in off.mechanism.slots("angle")]
    if not angles:
        return
    known = np.unique(np.concatenate(angles))
    pair, ε = measured(off, known), off.mechanism.precision.epsilon
    if pair is None or not _is_approximation(known, pair, ε):
        return
    words, is_recognised = described(lambda q: measured(off, q), known, pair, ε)
    if not is_recognised and np.abs(np.hypot(*pair) - 1).max() <= BAR * ε:
        return  # Exact functions of other angles are a convention, or a condition on the angle.
    errors = error(known, pair)
    ordinary = np.abs(np.sin(2 * known)) > 0.01
    if not is_recognised and (errors[ordinary] <= BAR * ε).mean() > RIGHT:
        return  # What is exact at many angles and wrong at others is a condition on the angle.
    worst = int(errors.argmax())
    seen = Observation(
        "cos q and sin q, from the torque that holds a pendulum of 1 kg at 1 m",
        f"off by up to {errors[worst]:.1e}, most at q = {known[worst]:.4g}",
    )

    def measured_again(q: Array) -> Pair:
        if (pair := measured(off, q)) is None:
            raise ValueError("the code shows no sines of these angles")
        return pair

    predicts = "the reference with the cosines and sines measured there"
    yield Loss(words, loads=Reference(Sines(measured_again)).load, seen=(seen,), predicts=predicts)


def _is_approximation(q: Array, pair: Pair, ε: float) -> bool:
    """Whether the functions are off, but not by a fixed linear map: a factor, a sign, a quarter turn are no approximation."""
    right, given, least = np.column_stack([np.cos(q), np.sin(q)]), np.column_stack(pair), np.abs(q).argmin()
    off = np.abs(given - right)
    if len(q) < 3 or off.max() <= BAR * ε or not off[least].max() < 0.1:
        return False
    A, *_ = np.linalg.lstsq(right, given, rcond=None)
    return bool(np.abs(right @ A - given).max() > 1e-2 * off.max() or np.abs(A - np.eye(2)).max() < 1e-6)


def error(q: Array, pair: Pair) -> Array:
    """How far cosines and sines are from those of the angles."""
    return np.hypot(pair[0] - np.cos(q), pair[1] - np.sin(q))


def described(ask: Callable[[Array], Pair | None], q: Array, pair: Pair, ε: float = EPSILON) -> Described:
    """What is known of the functions, whose numbers have this ε."""
    if root := _root(ask, ε):
        return root, True
    # Functions that are nearly right must not pass for any others that are.
    least = min(SAME * ε, error(q, pair).max() / 8)
    for words, function in (*_series(), *_tables(q, pair), *_scaled(q, pair), *_rounded()):
        fits = np.zeros(q.shape, dtype=bool)
        # Functions of the angle within one turn jump. There rounding may lead to the other side.
        for x in (q, q * (1 - ε), q * (1 + ε)):
            c, s = function(x)
            # A quarter turn that is added to a large angle rounds it.
            tolerance = least * np.maximum(1, np.maximum(np.abs(c), np.abs(s))) + ε * np.abs(q)
            fits |= (np.abs(c - pair[0]) <= tolerance) & (np.abs(s - pair[1]) <= tolerance)
        if fits.all():
            return words, True
    return _small_only(ask, q, pair, ε) or ("sines and cosines are approximate", False)


def _series() -> Iterator[Candidate]:
    """Taylor series, on the angle and on the angle within one turn."""
    odd, even = (n for n in ORDERS if n % 2), (0, 2, 4, 6, 8, 10)
    pairs = [*((n, m) for n in odd for m in (n - 1, n + 1, None)), *((None, m) for m in even)]
    for turned, (sine, cosine) in product((False, True), pairs):
        orders = {name: n for name, n in (("sin q", sine), ("cos q", cosine)) if n is not None}
        words = ", ".join(f"{name} {'as' if k else 'is taken as'} {_polynomial(n)}" for k, (name, n) in enumerate(orders.items()))
        yield words + (", with q within ±π" if turned else ""), partial(_taylor, sine, cosine, turned)


def _taylor(sine: int | None, cosine: int | None, turned: bool, q: Array) -> Pair:
    """The polynomials of these orders; the functions themselves for None."""
    x = np.remainder(q + np.pi, 2 * np.pi) - np.pi if turned else q
    c, s = (
        sum((-1) ** (n // 2) * x**n / factorial(n) for n in range(order % 2, order + 1, 2)) if order is not None else right
        for order, right in ((cosine, np.cos(q)), (sine, np.sin(q)))
    )
    return c, s


def _polynomial(order: int) -> str:
    """The Taylor polynomial in words."""
    factorials = {0: "1", 1: "q", 2: "q²/2", 3: "q³/6", 4: "q⁴/24", 5: "q⁵/120"}
    if order > 5:
        return f"its Taylor polynomial of order {order}"
    terms = [factorials[n] for n in range(order % 2, order + 1, 2)]
    return "".join(("" if not k else " + " if k % 2 == 0 else " − ") + term for k, term in enumerate(terms))


def _tables(q: Array, pair: Pair) -> Iterator[Candidate]:
    """Tables of one turn, of which the measured error suggests the length."""
    worst = error(q, pair).max()
    # The nearest entry is off by half of the spacing at most, the one below by the spacing, a chord by an eighth of its square.
    near = {float(round(2 * np.pi / spacing)) for spacing in (2 * worst, worst, np.sqrt(8 * worst))}
    usual = {float(n) for k in range(4, 17) for n in (2**k, 2**k - 1)} | {
        float(m * 10**k) for m in (9, 18, 36, 72, 1, 2, 5) for k in range(1, 6)
    }
    for count in sorted(near | {n for n in usual if any(n / 1.3 < x < 1.3 * n or n / 1.3 < x / 2 < 1.3 * n for x in near)}):
        for way in ("to the nearest", "to the one below", "by linear interpolation"):
            yield f"sines and cosines come from a table of {count:.0f} entries a turn, {way}", partial(_table, count, way)


def _table(count: float, way: str, q: Array) -> Pair:
    spacing = 2 * np.pi / count
    place = np.remainder(q, 2 * np.pi) / spacing
    low = np.round(place) if way == "to the nearest" else np.floor(place)
    w = place - low if way == "by linear interpolation" else np.zeros_like(place)
    left, right = low * spacing, (low + 1) * spacing
    return (1 - w) * np.cos(left) + w * np.cos(right), (1 - w) * np.sin(left) + w * np.sin(right)


def _scaled(q: Array, pair: Pair) -> Iterator[Candidate]:
    """Angles that are multiplied by a number near one: a wrong π."""
    largest = np.abs(q).argmax()
    x, c, s = q[largest], pair[0][largest], pair[1][largest]
    factor = 1 + float(np.arcsin(np.clip(s * np.cos(x) - c * np.sin(x), -1, 1)) / x)
    turns = [float(k) / np.pi for k in FEW_DIGITS_OF_PI]
    for k in (*turns, *(1 / k for k in turns), factor):
        yield f"angles are multiplied by {k:.9g}", partial(_multiplied, k)


def _multiplied(k: float, q: Array) -> Pair:
    return np.cos(k * q), np.sin(k * q)


def _rounded() -> Iterator[Candidate]:
    for form in BINARY:
        yield f"sines and cosines are rounded to {form.words}", partial(_stored, form)


def _stored(form: Format, q: Array) -> Pair:
    return form.round(np.cos(q)), form.round(np.sin(q))


def _root(ask: Callable[[Array], Pair | None], ε: float) -> str:
    """Whether one function is the root of one minus the square of the other: it has lost digits where it is small."""
    small = np.geomspace(1e-6, 1e-1, 48)
    for which, angles, words in (
        (1, small, "the sine is computed as √(1 − cos²) and loses digits where it is small"),
        (0, np.pi / 2 - small, "the cosine is computed as √(1 − sin²) and loses digits where it is small"),
    ):
        if (pair := ask(angles)) is None:
            return ""
        right = np.cos(angles), np.sin(angles)
        off = [np.abs(x - y) / ε for x, y in zip(pair, right, strict=True)]
        # The square is off by rounding, and its root by as much in proportion to the function's inverse.
        own = off[which] * np.abs(right[which])
        if own.max() <= 2 and off[1 - which].max() <= 2 and (own > 1e-2).mean() > 0.5:
            return words
    return ""


def _small_only(ask: Callable[[Array], Pair | None], q: Array, pair: Pair, ε: float) -> Described | None:
    """Taylor polynomials of small angles only: the limit is found by bisection."""
    wrong = error(q, pair) > 8 * ε
    inside = np.abs(q[wrong]).max()
    beyond = np.abs(q[~wrong & (np.abs(q) > inside)])
    if not beyond.size:
        return None
    low, high = inside, beyond.min()
    for _ in range(40):
        middle = np.sqrt(low * high)
        if (there := ask(np.array([middle]))) is None:
            return None
        is_wrong = error(np.array([middle]), there)[0] > 8 * ε
        low, high = (middle, high) if is_wrong else (low, middle)
    limit = float(f"{high:.3g}") if abs(float(f"{high:.3g}") / high - 1) < 1e-6 else high
    within = limit * np.linspace(-1, 1, 2 * WITHIN + 1)[1:-1]
    if (there := ask(within)) is None:
        return None
    # Below the limit, all angles are as the function has them, and not those alone at which the code was seen to err.
    known = np.abs(q) < limit
    asked, seen = np.append(q[known], within), [np.append(x[known], y) for x, y in zip(pair, there, strict=True)]
    zero: Candidate = ("angles are taken as zero", lambda q: (np.ones_like(q), np.zeros_like(q)))
    for words, function in (zero, *_series()):
        if all((np.abs(x - y) <= 4 * ε).all() for x, y in zip(function(asked), seen, strict=True)):
            return f"{words} where |q| < {limit:.4g}", True
    is_right = error(asked, (seen[0], seen[1])) <= ε
    if is_right[np.abs(asked) > limit / 2].any():
        return None  # Another condition than a limit.
    return f"sines and cosines are approximate where |q| < {limit:.4g}", False
