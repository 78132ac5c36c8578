"""Problems of which correct algorithms in float64 lose as many digits: a bad condition, or an explicit inverse of M."""

from __future__ import annotations

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation
from cross_check.explain.diagnosis.digits.solvers import right_side
from cross_check.memory import Array
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.protocol import Unsupported
from implementations.screws.product_of_exponentials import SCREWS
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms.quantities import ByForces, BySolution

HOPELESS = 1e12
"""Larger errors, in ε-units, are not those of correct algorithms: M would be singular to working precision."""


def explain_conditioning(off: Deviation) -> Arithmetic | None:
    """Whether correct algorithms in float64 are as far off at the same states: then the answers are as good as they can be."""
    if off.units.max() > HOPELESS:
        return None
    algorithms = correct_answers(off)
    spread = np.max([_units(off, answer) for answer in algorithms.values()], axis=0)
    κ = condition(off.mass_matrix.astype(np.float64))
    if _as_far(off.units, spread):
        worst = int(off.units.argmax())
        sentence = f"{off.name} is ill-conditioned there, and correct algorithms are off by as much"
        seen = (
            Observation(f"{off.name} at state {worst}", f"off by {off.units[worst]:.2g} ε-units"),
            *(
                Observation(f"the same by {name}", f"off by {_units(off, x)[worst]:.2g} ε-units")
                for name, x in algorithms.items()
            ),
            Observation("the condition of M, scaled to a unit diagonal, at that state", f"{κ[worst]:.2g}"),
        )
        return Arithmetic(sentence, seen, {"condition": float(κ[worst])}, is_fault=False)
    if isinstance(off.quantity.judged, ByForces | BySolution) and (B := right_side(off, REFERENCE)) is not None:
        M = REFERENCE.load(off.mechanism).mass_matrix(off.states.q)
        inverse = np.einsum("bij,bjk->bik", np.linalg.inv(M), B.astype(np.float64)).reshape(off.answer.shape)
        by_inverse = _units(off, inverse)
        if _as_far(off.units, by_inverse):
            worst = int(off.units.argmax())
            seen = (
                Observation(f"{off.name} at state {worst}", f"off by {off.units[worst]:.2g} ε-units"),
                Observation("an explicit inverse of M times the right side", f"off by {by_inverse[worst]:.2g} ε-units"),
                Observation("algorithms that solve the equation", f"off by at most {spread[worst]:.2g} ε-units"),
            )
            sentence = f"{off.name} has the errors of an explicit inverse of M, which loses more digits than solving the equation"
            return Arithmetic(sentence, seen, {"condition": float(κ[worst])}, is_fault=False)
    return None


def _as_far(units: Array, others: Array) -> bool:
    """Whether errors are as large as those of other algorithms: 16 times as large at most, and 64 times at a single state."""
    within = (units <= np.maximum(BAR, 64 * others)).all()
    return bool(within and units.max() <= 16 * others.max())


def _units(off: Deviation, answer: Array) -> Array:
    """How far another answer is from the true one (batch,), in the same ε-units."""
    return off.answered(answer).distance(off.true)


def condition(M: Array) -> Array:
    """κ (batch,) of M, scaled to a unit diagonal: radians and metres may differ by many orders of magnitude."""
    own = np.sqrt(np.diagonal(M, axis1=1, axis2=2))
    with np.errstate(all="ignore"):
        return np.linalg.cond(np.nan_to_num(M / own[:, :, None] / own[:, None, :], nan=0.0, posinf=0.0))


def correct_answers(off: Deviation) -> dict[str, Array]:
    """The answers of correct algorithms in float64, by their names."""
    found: dict[str, Array] = {}
    for implementation in (REFERENCE, NEWTON_EULER, SCREWS):
        loaded = implementation.load(off.mechanism)
        if hasattr(loaded, off.name):
            try:
                found[implementation.name] = getattr(loaded, off.name)(*off.arguments)
            except (ArithmeticError, Unsupported):
                continue
    if isinstance(off.quantity.judged, ByForces | BySolution) and (B := right_side(off, REFERENCE)) is not None:
        B64 = B.astype(np.float64)
        M = REFERENCE.load(off.mechanism).mass_matrix(off.states.q)
        try:
            found["Gaussian elimination"] = np.linalg.solve(M, B64).reshape(off.answer.shape)
            L = np.linalg.cholesky(M)
            found["Cholesky's factors"] = np.linalg.solve(L.swapaxes(1, 2), np.linalg.solve(L, B64)).reshape(off.answer.shape)
        except np.linalg.LinAlgError:
            pass
    return found
