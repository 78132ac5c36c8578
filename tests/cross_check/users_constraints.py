"""A user's J and drift of constraints, with 3-vectors along the root's axes, and the slips that are usual in such code.

With the axes R of a constraint, which turn with the first body, b the second frame's origin, and u = ḃ − ṗ₁ − ω₁ × (b − p₁):

    J v = [Rᵀ (ω₂ − ω₁); Rᵀ u],        J̇ v = [Rᵀ (α₂ − α₁ − ω₁ × (ω₂ − ω₁)); Rᵀ (u̇ − ω₁ × u)]
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from implementations.plugins.user_code import load_algorithms

CODE = """
from dataclasses import replace
import numpy as np
from implementations.spatial_algebra.reference import PROVABLE
from implementations.spatial_algebra.spatial import cross, mul

ONE = np.eye(3, dtype=int)[..., None]


def exchanged(one):
    return replace(one, first=one.second, second=one.first, to_first=one.to_second, to_second=one.to_first)


def of(body, motions):
    return motions[body] if body >= 0 else 0 * motions[0]


def ends(model, q):
    T = PROVABLE["placements"](model, q)
    for one in model.closures:
        R1 = T[one.first, :, :3] if one.first >= 0 else ONE
        R2 = T[one.second, :, :3] if one.second >= 0 else ONE
        axes = mul(one.to_first.E, R1.swapaxes(0, 1))
        d = mul(R2, one.to_second.r)
        yield one, axes, d, of(one.second, T)[:, 3] + d - of(one.first, T)[:, 3]


def rows(one, axes, angular, linear):
    moved = np.concatenate([mul(axes, angular), mul(axes, linear)])
    return [moved[k] for k in one.rows]


def constraint_jacobian(model, q):
    V, found = PROVABLE["jacobians_aligned"](model, q), []
    for one, axes, d, c in ends(model, q):
        first, second = of(one.first, V), of(one.second, V)
        turn = second[:3] - first[:3]
        u = second[3:] + cross(second[:3], d) - first[3:] - cross(first[:3], c)
        found += rows(one, axes, turn, u)
    return np.stack(found)


def constraint_drift(model, q, v):
    V, A, found = PROVABLE["velocities_aligned"](model, q, v), PROVABLE["drifts_aligned"](model, q, v), []
    for one, axes, d, c in ends(model, q):
        (w1, p1), (w2, p2) = (np.split(of(body, V), 2) for body in (one.first, one.second))
        (dw1, dp1), (dw2, dp2) = (np.split(of(body, A), 2) for body in (one.first, one.second))
        moved = p2 + cross(w2, d) - p1
        u = moved - cross(w1, c)
        du = dp2 + cross(dw2, d) + cross(w2, cross(w2, d)) - dp1 - cross(dw1, c) - cross(w1, moved)
        found += rows(one, axes, dw2 - dw1 - cross(w1, w2 - w1), du - cross(w1, u))
    return np.stack(found)
"""


class Slip(NamedTuple):
    """An edit of the code, and the quantities that are wrong after it."""

    name: str
    old: str
    new: str
    wrong: frozenset[str]


JACOBIAN, DRIFT = frozenset({"constraint_jacobian"}), frozenset({"constraint_drift"})
BOTH = JACOBIAN | DRIFT

SLIPS = (
    Slip("J has the opposite sign", "rows(one, axes, turn, u)", "rows(one, axes, -turn, -u)", JACOBIAN),
    Slip("the drift has the opposite sign", "w1), du - cross(w1, u))", "w1), cross(w1, u) - du)", DRIFT),
    Slip("the frames are exchanged", "in model.closures:", "in map(exchanged, model.closures):", BOTH),
    Slip("the axes are the root's", "mul(one.to_first.E, R1.swapaxes(0, 1))", "ONE", BOTH),
    Slip("the axes are those of the first body", "mul(one.to_first.E, R1.swapaxes(0, 1))", "R1.swapaxes(0, 1)", BOTH),
    Slip("the axes are transposed", "= mul(one.to_first.E, R1.swapaxes(0, 1))", "= mul(R1, one.to_first.E.swapaxes(0, 1))", BOTH),
    Slip("the lever of the frame", "of(one.first, T)[:, 3]\n", "of(one.first, T)[:, 3] - mul(R1, one.to_first.r)\n", BOTH),
    Slip("the lever ends at the second body", "d = mul(R2, one.to_second.r)", "d = 0 * mul(R2, one.to_second.r)", BOTH),
    # This is right where the two origins coincide.
    Slip("the frames coincide", "of(one.second, T)[:, 3] + d - of(one.first, T)[:, 3]", "mul(R1, one.to_first.r)", BOTH),
    Slip("the lever is along the body's axes", "d = mul(R2, one.to_second.r)", "d = one.to_second.r", BOTH),
    Slip("a centripetal term is left out", " + cross(w2, cross(w2, d))", "", DRIFT),
    Slip("the drift lacks the turning of the axes", "du - cross(w1, u)", "du", DRIFT),
    Slip("the angular drift lacks the turning of the axes", "dw2 - dw1 - cross(w1, w2 - w1)", "dw2 - dw1", DRIFT),
    Slip("the axes turn with the second body", "du - cross(w1, u)", "du - cross(w2, u)", DRIFT),
    Slip("the first body's motion is left out", "turn = second[:3] - first[:3]", "first, turn = 0 * first, second[:3]", JACOBIAN),
    Slip("the motion is that of the body before", "return motions[body] if", "return motions[body - 1] if", BOTH),
    Slip("a direction is repeated", "for k in one.rows]", "for k in (one.rows[0], *one.rows[:-1])]", BOTH),
    Slip("directions are taken in the opposite order", "for k in one.rows]", "for k in reversed(one.rows)]", BOTH),
)


def algorithms(folder: Path, slip: Slip | None = None) -> dict[str, Callable[..., Any]]:
    """The user's algorithms from a file in ``folder``, with this slip."""
    code = CODE
    if slip:
        assert code.count(slip.old) == 1, slip.name
        code = code.replace(slip.old, slip.new)
    file = folder / "users_constraints_under_proof.py"
    file.write_text(code, "utf-8")
    return load_algorithms(str(file))
