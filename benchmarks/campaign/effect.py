"""How far a code's answers are from those of the right code: measured, at states where the code is said to be wrong."""

from typing import Any

import numpy as np

import dalembert
from campaign.conventions import Converted
from campaign.library import ARGUMENTS, Library
from campaign.links import Array, numbers_of
from campaign.wrong import Variant, call_of, draw

CLEAR = 1e-13
"""A larger effect is no rounding: the first set with one is taken, and otherwise the set with the largest effect."""


def states(library: Library, batch: int, rng: np.random.Generator) -> dict[str, Array]:
    """Generic states, and some that are small, large, at rest, or at zero."""
    scale = 10.0 ** rng.uniform(-8, 1.5, (4, batch, 1)) * (rng.random((4, batch, 1)) < 0.4) + (rng.random((4, batch, 1)) < 0.6)
    for k, zero in enumerate((slice(0, 4), slice(1, 4), slice(2, 4), slice(2, 3))):
        scale[zero, k : k + 1] = 0
    nq, nv, L = library.data.nq, library.data.nv, library.links
    q = rng.standard_normal((batch, nq)) * scale[0]
    v, a, tau = (rng.standard_normal((batch, nv)) * scale[k] for k in (1, 2, 3))
    for i in range(library.n):
        if L.kind[i] in ("ball", "free", "circle"):
            part = slice(L.q[i].stop - (2 if L.kind[i] == "circle" else 4), L.q[i].stop)
            q[:, part] = rng.standard_normal((batch, part.stop - part.start))
            q[:, part] /= np.linalg.norm(q[:, part], axis=1, keepdims=True)
    return {"q": q, "v": v, "a": a, "t": tau}


def effect_on(variant: Variant, name: str) -> float:
    """The largest difference from right answers on the mechanism `name`, in units of the answer; 1 for a written argument."""
    mechanism = dalembert.find_mechanism(name)
    right, code = Library(numbers_of(mechanism)), variant.library(mechanism)
    rng, worst = np.random.default_rng(0), 0.0
    asked = [q for q in variant.offers if q in (variant.reached or variant.offers) and variant.only in ("", q)]
    for quantity in asked[: 3 if not variant.declared else None]:
        ask, answer = code.asked(quantity), (Converted(right, variant.declared) if variant.declared else right).asked(quantity)
        for batch in (35, 6, *[1] * (1 + 45 * (variant.group == "history" and quantity == asked[0]))):
            drawn = states(right, batch, rng)
            args = [drawn[letter] for letter in ARGUMENTS[quantity]]
            if variant.when:
                variant.when.plant(code, call_of(right, quantity, args), rng)
            worst = max(worst, _difference(ask, answer, args))
            if variant.group == "history" and batch > 1:
                worst = max(worst, *(_difference(ask, answer, x) for x in _near(args)))
        if worst > CLEAR:
            break
    return worst


def _near(args: list[Array]) -> list[list[Array]]:
    """Other states that a careless cache confuses with these."""
    q, *rest = args
    moved = [[q, *rest[:-1], rest[-1][::-1] + 1e-9]] if rest else [[q + 1e-9]]
    return [*moved, [-x for x in args], [*args[:-1], args[-1][:, ::-1].copy()], args]


def _difference(f: Any, right: Any, args: list[Array]) -> float:
    given = [x.copy() for x in args]
    with np.errstate(all="ignore"):
        answer = f(*given)
        expected = right(*args)
        if any(not np.array_equal(x, y) for x, y in zip(given, args, strict=True)) or not np.isfinite(answer).all():
            return 1.0
        worst = float(np.abs(answer - expected).max() / (np.abs(expected).max() or 1.0))
        if f.__closure__ and len(args[0]) == 6:  # Does a later call change this answer?
            kept = answer.copy()
            f(*[x[::-1].copy() for x in args])
            worst = max(worst, float(not np.array_equal(answer, kept)))
    return worst


def choose(variant: Variant) -> tuple[tuple[str, ...], float]:
    """The mechanisms that a code is checked on, and its effect there: zero if it is inert on all sets."""
    best: tuple[tuple[str, ...], float] = (variant.sets[0], 0.0)
    for one in variant.sets[:4]:
        effect = max(effect_on(variant, name) for name in one)
        if effect > best[1]:
            best = (one, effect)
        if effect > CLEAR:
            break
    return best


def variant(k: int, seed: int = 0) -> tuple[Variant, tuple[str, ...], float]:
    """The k-th wrong code, its mechanisms and its effect: the first attempt that is not inert, of eight."""
    for attempt in range(8):
        one = draw(k, seed, attempt)
        try:
            mechanisms, effect = choose(one)
        except (ValueError, np.linalg.LinAlgError):  # A fault that makes shapes or matrices impossible is no code that runs.
            mechanisms, effect = one.sets[0], 0.0
        if effect > 0:
            break
    return one, mechanisms, effect
