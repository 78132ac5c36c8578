"""Numbers of faults, fitted to the answers of the code under test: by Gauss and Newton's method, or by one linear fit.

Residuals are in ε-units: a fit is good if every answer is within a few of them, which leaves about fifteen digits to the fit.

Several bodies may be read wrongly in the same way, though each one alone is read well. The answers are affine in the inertias
(J. Hollerbach, C. An, IJRR 5(3), 1986), so that these bodies are found by one linear fit: of the change that each of them makes
alone, the answers contain all or nothing.

If two faults do not act on each other, the residual r is the sum of their effects d, or of multiples of them where a number is to
be fitted. All pairs are compared at once by the inner products of effects:

    |r − d_i − d_j|² = |r|² + |d_i|² + |d_j|² − 2 r·d_i − 2 r·d_j + 2 d_i·d_j

The pairs that leave least are tried as they are: composed, at all states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from itertools import islice

import numpy as np

from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.bodies import Change
from cross_check.explain.faults.changes.joint_traits import in_words, joints_with, traits_of
from cross_check.explain.faults.families import Family
from cross_check.explain.faults.fault import NO_FAULT, Fault, both
from cross_check.explain.faults.readings.bodies import BODIES
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.numbers.precision import Precision
from mechanisms.plain_text import listing

MOST_STEPS = 8
"""Steps of a fit; families that are affine in their number need one or two."""

FELT = 1e3
"""Numbers whose steps change the answers by less are not felt: they would be fitted to rounding errors (ε-units of float64)."""

SAME = 1e-9
"""Fitted numbers that differ from the right ones by less than this share of their steps are the right ones, and bodies whose
effects differ by a smaller part have the same effect."""

HUGE = 1e18
"""Stands for an infinite residual."""

Fitted = tuple[Fault, tuple[float, ...]]
"""The fault, and the numbers of its families."""


def fit(symptom: Symptom, families: Sequence[Family], given: Fault = NO_FAULT, similar: float = 0.3) -> Fitted | None:
    """The fault with which code that has the fault ``given`` too would give the answers of ``symptom``; None if there is none.

    A direction whose cosine with the residual is below ``similar`` is given
    up at once.
    """

    def residual(x: Array) -> Array:
        tried = [(family.at(float(value)), value != family.right) for family, value in zip(families, x, strict=True)]
        # Faults of answers are compared on a scale of their own: on this one at the right value, too.
        faults = [fault for fault, is_wrong in tried if is_wrong or fault.answer]
        return flat(symptom, reduce(both, faults, given))

    def is_within(least: float, y: Array) -> bool:
        return bool(np.abs(residual(y)).max() <= least)

    precision, loose = symptom.trial.mechanism.precision, symptom.trial.laboratory.loose
    right = np.array([family.right for family in families], dtype=float)
    steps = first = np.array([family.step for family in families], dtype=float)
    x, r = right.copy(), residual(right)
    before = np.linalg.norm(r)
    for _ in range(MOST_STEPS):
        columns = np.stack([(residual(x + step) - r) for step in np.diag(steps)], axis=1) / steps
        sizes = np.linalg.norm(columns, axis=0)
        used = (sizes * steps > felt(precision)) & np.isfinite(sizes)
        if not used.any():
            return None
        scaled = columns[:, used] / sizes[used]
        change = np.linalg.lstsq(scaled, -r, rcond=precision.near(1e-13))[0]
        if np.linalg.norm(r + scaled @ change) > np.sqrt(1 - similar**2) * np.linalg.norm(r):
            return None
        x = x.copy()
        x[used] += change / sizes[used]
        # The next derivatives are taken closer to the solution, but not so close that they lose their digits.
        steps = np.where(used, np.clip(np.abs(x - right) * 1e-4, 1e-7 * np.abs(steps), np.abs(steps)), steps)
        r = residual(x)
        if np.abs(r).max() <= loose:
            if (np.abs(x - right) <= precision.near(SAME) * first).all():
                return None
            # A number whose whole effect is a few times the bar must not be left out of a fit that is right within the bar.
            bar = symptom.trial.laboratory.bar
            least = bar if np.abs(r).max() <= bar else loose
            return simplest(x, families, given, partial(is_within, least))
        after = np.linalg.norm(r)
        if not after < 0.5 * before:
            return None
        before = after
    return None


def felt(precision: Precision) -> float:
    """:data:`FELT` for code in this precision: at least what would be wrong."""
    return max(FELT / precision.coarseness, BAR)


def simplest(x: Array, families: Sequence[Family], given: Fault, explains: Callable[[Array], bool]) -> Fitted:
    """The fitted fault with as few numbers as explain the answers as well, and these with as few digits."""
    for k, family in enumerate(families):
        candidates = [family.right, -family.right, 0.0, 2 * family.right, family.right / 2]
        for digits in range(1, 8):
            candidates.append(float(f"{x[k]:.{digits}g}"))
            if family.right not in (0, 1):
                candidates.append(family.right * float(f"{x[k] / family.right:.{digits}g}"))
        for value in candidates:
            if explains(tried := np.concatenate([x[:k], [value], x[k + 1 :]])):
                x = tried
                break
    faults = [family.at(float(value)) for family, value in zip(families, x, strict=True) if value != family.right]
    return reduce(both, faults, NO_FAULT), tuple(map(float, x))


def flat(symptom: Symptom, fault: Fault = NO_FAULT) -> Array:
    """The residual as one vector, in which infinite numbers are huge."""
    return np.clip(np.nan_to_num(symptom.residual(fault), posinf=HUGE, neginf=-HUGE), -HUGE, HUGE).ravel()


WHOLE = 1e-6
"""How far a share of a change may be from all or nothing, but for rounding errors within the bar."""


def bodies_alike(symptom: Symptom, given: Fault) -> Iterator[Fault]:
    """The ways to misread several bodies, each followed by the traits of their joints. They are fitted to ``symptom``."""
    mechanism, r = symptom.trial.mechanism, flat(symptom, given)
    for sentence, group, change in BODIES:
        if symptom.trial.laboratory.is_over():
            return
        bodies = [body for body in mechanism.bodies if change(body) != body]
        if len(bodies) < 2 or " of {}" not in sentence:
            continue
        alone = [misread((body.name,), sentence, group, change) for body in bodies]
        columns = np.stack([flat(symptom, both(given, fault)) - r for fault in alone], axis=1)
        chosen = _chosen(columns, r, mechanism.precision)
        names = tuple(bodies[k].name for k in chosen)
        if len(names) < 2:
            continue
        yield misread(names, sentence, group, change)
        joints, among = {bodies[k].joint.name for k in chosen}, {body.joint.name for body in bodies}
        yield from (at_trait(trait, sentence, group, change) for trait in traits_of(joints, among, mechanism))


def _chosen(columns: Array, r: Array, precision: Precision) -> Sequence[int]:
    """The columns whose sum is −r; none if there are no such columns."""
    sizes = np.linalg.norm(columns, axis=0)
    told = np.flatnonzero((sizes > felt(precision)) & np.isfinite(sizes))
    if not len(told):
        return ()
    # Bodies of the same effect get the same shares.
    shares = np.linalg.lstsq(columns[:, told] / sizes[told], -r, rcond=precision.near(SAME))[0] / sizes[told]
    apart = np.abs(shares - np.round(shares.clip(0, 1)))
    return told[shares > 0.5].tolist() if (apart < np.maximum(WHOLE, BAR / sizes[told])).all() else ()


def misread(names: tuple[str, ...], sentence: str, group: str, change: Change) -> Fault:
    """The bodies with these names are read wrongly."""
    said = sentence.format(listing(list(names)))
    return Fault(said, group, mechanism=wm.every(change, lambda body: body.name in names), where=names)


def at_trait(trait: str, sentence: str, group: str, change: Change) -> Fault:
    """The bodies at joints with a trait are read wrongly."""

    def read(m: Mechanism) -> Mechanism:
        joints = joints_with(trait, m)
        return wm.every(change, lambda body: body.joint.name in joints)(m)

    said = sentence.format(f"bodies at {in_words(trait)}")
    return Fault(said, group, mechanism=read, needs=lambda m: bool(joints_with(trait, m)), has_trait=True)


MOST_TRIED = 24
"""So many pairs are composed and tried."""

REST = 0.7
"""Pairs that leave a larger share of the residual are not tried: faults that act on each other leave some."""


def pairs(
    symptom: Symptom, few: Symptom, given: Fault, faults: Sequence[Fault], families: Sequence[Family]
) -> Iterator[tuple[Fault, Fault]]:
    """The first pair of faults that, beside ``given``, explains ``symptom``. Effects are compared at the states of ``few``."""

    def explains(one: Fault, other: Fault) -> bool:
        return symptom.trial.explains(symptom.quantity, both(both(given, one), other))

    is_over, r = symptom.trial.laboratory.is_over, flat(few, given)
    listed = [(fault, r - flat(few, both(given, fault))) for fault in faults if not is_over()]
    listed = [(fault, d) for fault, d in listed if _counts(d)]
    fitted = [(f, r - flat(few, both(given, f.at(f.right + f.step)))) for f in families if not is_over()]
    fitted = [(family, d / np.linalg.norm(d)) for family, d in fitted if _counts(d)]
    D = np.array([d for _, d in listed]).reshape(len(listed), len(r))
    U = np.array([d for _, d in fitted]).reshape(len(fitted), len(r))

    def proposed() -> Iterator[tuple[Fault, Fault]]:
        for i, j in _best(_two(r, D), r):
            first, second = listed[i][0], listed[j][0]
            yield from ((first, second), (second, first))
        for i, k in _best(_one_fitted(r, D, U), r):
            fault, family = listed[i][0], fitted[k][0]
            if found := fit(symptom, [family], both(given, fault)):
                yield fault, found[0]
        for k, m in _best(_two_fitted(r, U), r):
            several = [fitted[k][0], fitted[m][0]]
            if found := fit(symptom, several, given):
                one, other = (family.at(x) for family, x in zip(several, found[1], strict=True))
                yield one, other

    yield from islice((pair for pair in proposed() if explains(*pair)), 1)


def _counts(effect: Array) -> bool:
    return bool(0 < np.abs(effect).max(initial=0) < HUGE)


def _best(rest: Array, r: Array) -> Iterator[tuple[int, int]]:
    """The index pairs with the smallest squares of what is left."""
    order = np.argsort(rest, axis=None)[:MOST_TRIED]
    for i, j in zip(*np.unravel_index(order, rest.shape), strict=True):
        if rest[i, j] < REST**2 * (r @ r):
            yield int(i), int(j)


def _two(r: Array, D: Array) -> Array:
    along, size = D @ r, (D * D).sum(axis=1)
    rest = r @ r - 2 * (along[:, None] + along) + size[:, None] + size + 2 * D @ D.T
    rest[np.tril_indices(len(D))] = np.inf
    return rest


def _one_fitted(r: Array, D: Array, U: Array) -> Array:
    left = r - D
    return (left * left).sum(axis=1)[:, None] - (left @ U.T) ** 2


def _two_fitted(r: Array, U: Array) -> Array:
    c, along = U @ U.T, U @ r
    with np.errstate(divide="ignore", invalid="ignore"):
        caught = (along[:, None] ** 2 + along**2 - 2 * c * np.outer(along, along)) / (1 - c * c)
    rest = r @ r - np.nan_to_num(caught, nan=0.0, posinf=0.0, neginf=0.0)
    rest[np.abs(c) > 1 - 1e-9] = np.inf
    rest[np.tril_indices(len(U))] = np.inf
    return rest
