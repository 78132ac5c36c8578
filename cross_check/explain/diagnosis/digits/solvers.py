"""Equations with M that are solved loosely: a changed diagonal, or iterations that stop early.

Forward dynamics solves M x = τ − h, its derivatives M X = −F, and M⁻¹ solves M X = 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation
from cross_check.explain.diagnosis.digits.iterations import iterated
from cross_check.memory import Array
from implementations.recorded.traced import PRECISE
from mechanisms.quantities import QUANTITIES, ByForces, BySolution


def right_side(off: Deviation, reference: Any = PRECISE) -> Array | None:
    """B (batch, nv, columns) with M X = B as this reference computes it, rounded once; None if the quantity solves nothing."""
    load: Any = reference.load(off.mechanism)
    judged = off.quantity.judged
    if isinstance(judged, ByForces):
        return (off.states.tau - load.nonlinear_effects(off.states.q, off.states.v)).astype(np.float64)[..., None]
    if not isinstance(judged, BySolution):
        return None
    if judged.negated is None:
        return np.broadcast_to(np.eye(off.mechanism.nv), off.answer.shape)
    arguments = list(QUANTITIES[judged.negated].arguments)
    state = {**off.states.columns}
    state["a"] = load.forward_dynamics(off.states.q, off.states.v, off.states.tau)
    return -getattr(load, judged.negated)(*(state[name] for name in arguments)).astype(np.float64)


def explain_solver(off: Deviation) -> Arithmetic | None:
    """The loose solver that predicts every answer, or None."""
    B = right_side(off)
    if B is None:
        return None
    x = off.answer.reshape(B.shape)
    for explain in (_regularised, iterated):
        if (found := explain(off, off.mass_matrix, B, x)) is not None:
            return found
    return None


def _regularised(off: Deviation, M: Array, B: Array, x: Array) -> Arithmetic | None:
    """(M + λ D) x = b, with D = 1 or the diagonal of M."""
    residual = B - np.einsum("bij,bjk->bik", M, x)
    diagonal = np.diagonal(M, axis1=1, axis2=2)[..., None]
    for words, D in (("", np.ones_like(diagonal)), (" of themselves", diagonal)):
        changed = D * x
        size = float((changed * changed).sum())
        λ = float((residual * changed).sum()) / size if size else 0.0
        if abs(λ) < 1e-14:
            continue
        short = float(f"{λ:.3g}")
        for value in (short, λ):
            predicted = np.linalg.solve(M + value * D * np.eye(M.shape[1]), B)
            if off.is_explained(predicted.reshape(off.answer.shape)):
                sentence = f"{value:.6g}{words} is added to the diagonal elements of M before {off.name} is solved"
                if words == "":
                    other = off.ask("mass_matrix", off.states.q)
                    if other is not None and np.abs(other - M).max() > abs(value) / 2:
                        return None
                seen = off.observe(
                    f"the solution with {value:.6g}{words} added to the diagonal of M",
                    off.distance(predicted.reshape(off.answer.shape)),
                )
                return Arithmetic(sentence, seen, {"added": value}, tried=off.answer.size)
    return None
