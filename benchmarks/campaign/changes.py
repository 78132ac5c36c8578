"""What may happen to a term: a sentence, a size, and a function of the term. Sizes are relative, 1 for a wrong term."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from score.library.vectors import times

from campaign.links import Array


@dataclass(frozen=True)
class Change:
    """`function(library, i, value, column)` is what a wrong code has for the `value` of link i."""

    sentence: str
    size: float
    function: Callable[[Any, int, Array, str], Array]


def log_uniform(random: Random, low: float, high: float) -> float:
    """A number between low and high, all decades alike."""
    return float(low * (high / low) ** random.random())


def scaled(random: Random, low: float = 1e-14) -> Change:
    """A factor 1 ± s."""
    size = log_uniform(random, low, 1) * random.choice((-1, 1))
    return Change(f"is multiplied by 1 {size:+.2g}", abs(size), lambda _, i, x, c: x * (1 + size))


def _transposed(_: Any, i: int, x: Array, column: str) -> Array:
    return x.swapaxes(-1, -2) if x.ndim > 1 and x.shape[-1] == x.shape[-2] else -x


def _neighbour(library: Any, i: int, x: Array, column: str, step: int) -> Array:
    values = getattr(library.links, column, None)
    if values is None or i < 0:
        return -x
    j = library.links.parent[i] if step == 0 else (i + step) % library.n
    return np.broadcast_to(values[j], x.shape) if np.shape(values[j]) == np.shape(values[i]) else x


def _other_frame(library: Any, i: int, x: Array, column: str, back: bool) -> Array:
    if i < 0 or x.ndim == 0 or (x.shape[-1] != 3 and x.shape[-2:-1] != (3,)):
        return x[..., ::-1] if x.ndim else -x
    R = library.frames[i][0] if i < len(library.frames) else library.links.rotation[i]
    R = R.swapaxes(-1, -2) if back else R
    if column and x.ndim == 2 and column != "inertia" and column != "rotation":  # (k, 3): every row is a vector
        return x @ R.swapaxes(-1, -2)
    return times(R, x) if (x.ndim < 3 and not column) or x.ndim == 1 else R @ x if x.shape[-2] == 3 else x @ R


def _exchanged(x: Array, k: int) -> Array:
    if x.ndim == 0 or x.shape[-1] < 2:
        return -x
    order = list(range(x.shape[-1]))
    k %= len(order)
    order[k - 1], order[k] = order[k], order[k - 1]
    return x[..., order]


def term(random: Random) -> Change:
    """A mistake in a formula."""
    factor, k = random.choice((0.5, 3.0, -0.5, 1.5, np.pi / 180, 9.80665 / 9.81)), random.randrange(3)
    step = random.choice((0, 1, -1))
    return random.choice((
        Change("has the wrong sign", 1, lambda _, i, x, c: -x),
        Change("is left out", 1, lambda _, i, x, c: 0 * x),
        Change("is counted twice", 1, lambda _, i, x, c: 2 * x),
        Change(f"is multiplied by {factor:.4g}", abs(1 - factor), lambda _, i, x, c: factor * x),
        Change("is transposed (or negated, if it is no matrix)", 1, _transposed),
        Change("is that of " + ("the parent", "the next link", "the link before")[step], 1,
               lambda o, i, x, c: _neighbour(o, i, x, c, step)),
        Change("is taken along the parent's axes", 1, lambda o, i, x, c: _other_frame(o, i, x, c, False)),
        Change("is turned by the link's rotation the wrong way", 1, lambda o, i, x, c: _other_frame(o, i, x, c, True)),
        Change(f"has its components {k - 1} and {k} exchanged", 1, lambda _, i, x, c: _exchanged(x, k)),
        Change("has lost its signs", 1, lambda _, i, x, c: np.abs(x)),
    ))  # fmt: skip


def arithmetic(random: Random) -> Change:
    """Numbers that are rounded, cut, noisy or snapped."""
    size, bits, digits = log_uniform(random, 1e-14, 1e-2), random.randrange(8, 50), random.randrange(3, 14)
    big = log_uniform(random, 1e-2, 30)
    return random.choice((
        Change("is rounded to float32", 6e-8, lambda _, i, x, c: np.asarray(x, np.float32).astype(np.float64)),
        Change("is rounded to float16", 5e-4, lambda _, i, x, c: np.clip(x, -6e4, 6e4).astype(np.float16).astype(np.float64)),
        Change(f"is rounded to {digits} decimals", 10.0**-digits, lambda _, i, x, c: np.round(x, digits)),
        Change(f"is truncated to multiples of 2^-{bits}", 2.0**-bits, lambda _, i, x, c: np.trunc(x * 2.0**bits) / 2.0**bits),
        Change(f"has noise of relative size {size:.2g}", size, lambda _, i, x, c: x * (1 + size * np.sin(1e6 * x + i))),
        Change(f"has noise of absolute size {size:.2g}", size, lambda _, i, x, c: x + size * np.sin(1e6 * x + i)),
        Change(f"is zero where it is below {size:.2g}", size, lambda _, i, x, c: np.where(np.abs(x) < size, 0.0, x)),
        Change(f"is clipped to ±{big:.3g}", 1, lambda _, i, x, c: np.clip(x, -big, big)),
        Change(f"has {size:.2g} added, against division by zero", size, lambda _, i, x, c: x + size),
    ))  # fmt: skip


def trigonometry(random: Random) -> tuple[str, Change]:
    """A sine or cosine that is computed otherwise; the site and the change."""
    n, terms = 2 ** random.randrange(6, 22), random.randrange(4, 14)

    def table(_: Any, i: int, x: Array, c: str) -> Array:
        knots = np.sin(np.linspace(-np.pi / 2, np.pi / 2, n))
        angle = np.arcsin(np.clip(x, -1, 1))
        return np.interp(angle, np.linspace(-np.pi / 2, np.pi / 2, n), knots)

    def series(_: Any, i: int, x: Array, c: str) -> Array:
        angle, total, one = np.arcsin(np.clip(x, -1, 1)), 0.0, 1.0
        for k in range(terms):
            one = angle if k == 0 else -one * angle * angle / (2 * k * (2 * k + 1))
            total = total + one
        return total

    return random.choice((
        ("sine", Change(f"comes from a table of {n} entries", 2.5 / n**2, table)),
        ("cosine", Change(f"comes from a table of {n} entries", 2.5 / n**2, table)),
        ("sine", Change(f"comes from a series of {terms} terms", 10.0 ** -(1.3 * terms - 2), series)),
        ("sine", Change("is √(1 − cos²)", 1, lambda _, i, x, c: np.abs(x))),
        ("cosine", Change("is √(1 − sin²)", 1, lambda _, i, x, c: np.abs(x))),
    ))  # fmt: skip
