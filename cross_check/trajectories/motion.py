"""The equations of motion as dy/dt = f(y), y = (q, v), from each of the two derivations.

    q̇ = G(q) v        v̇ = a,        M a + h = τ + Jᵀ λ,        J a + J̇ v = 0

``oracle``: M, h, J and J̇ v from energy; the equations with multipliers are solved as one system. ``reference``: a from the
articulated-body algorithm; under constraints M and h from spatial algebra, and λ first, from J M⁻¹ Jᵀ. In common they have what G
is (:mod:`mechanisms.position_rates`), and which rows of J are kept where some follow from others. Constraints hold at the start,
and stay, because their second rates are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import oracle
from cross_check.trajectories.straight_line import code_of
from cross_check.trajectories.tube import Equation
from implementations.field import Recorded
from implementations.linear import solve
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS, OF_CONSTRAINTS
from machine.recording.assemble import assemble
from machine.recording.recording import Recording
from machine.recording.tangents import tangents
from machine.recording.values import Values, new_inputs
from mechanisms import Mechanism
from mechanisms.position_rates import position_rate
from oracle import multipliers
from oracle.fields import Recorded as OracleRecorded

Rows = Sequence[int]
"""The rows of J that are kept."""


def by_oracle(mechanism: Mechanism, rows: Rows, recording: Recording, q: Values, v: Values, τ: Any) -> Any:
    """a (nv,) from Lagrange's equations with multipliers."""
    field = OracleRecorded(recording)
    of: Any
    if not rows and oracle.is_small(mechanism):
        of = oracle.Evaluator(oracle.derive(mechanism), field)
    else:
        of = oracle.EulerLagrange(mechanism, field).keeping()
    M, h = of.mass_matrix(q[None]), of.nonlinear_effects(q[None], v[None])
    free = (τ - h[0])[None, :, None]
    if not rows:
        return multipliers.gauss_jordan(np.concatenate([M, free], 2))[0, :, 0]
    J, drift = of.constraint_jacobian(q[None])[:, rows], of.constraint_drift(q[None], v[None])[:, rows]
    return multipliers.solve(M, J, free, -drift[:, :, None])[0][0, :, 0]


def by_reference(mechanism: Mechanism, rows: Rows, recording: Recording, q: Values, v: Values, τ: Any) -> Any:
    """a (nv,) from the recursive algorithms."""
    model = build(mechanism, Recorded(recording))
    state = q[:, None], v[:, None]
    free = ALGORITHMS["forward_dynamics"](model, *state, τ[:, None])[:, 0]
    if not rows:
        return free
    M = ALGORITHMS["mass_matrix"](model, q[:, None])[..., 0]
    J = OF_CONSTRAINTS["constraint_jacobian"](model, q[:, None])[rows, :, 0]
    drift = OF_CONSTRAINTS["constraint_drift"](model, *state)[rows, 0]
    pull = solve(M, J.T)
    return free - pull @ solve(J @ pull, J @ free + drift)


DERIVATIONS: Mapping[str, Callable[..., Any]] = {"oracle": by_oracle, "reference": by_reference}


def equation(
    mechanism: Mechanism, derivation: str, rows: Rows = (), force: Callable[[Values, Values], Any] | None = None
) -> Equation:
    """The equations of motion under ``force``, τ as a function of q and v, by default none."""
    recording = Recording()
    y = new_inputs(recording, mechanism.nq + mechanism.nv)
    q, v = y[: mechanism.nq], y[mechanism.nq :]
    τ = force(q, v) if force else 0 * v
    a = DERIVATIONS[derivation](mechanism, rows, recording, q, v, τ)
    rate: Any = np.concatenate([np.stack(position_rate(mechanism, q, v)), a])
    rates = rate.references
    slopes = tangents(recording, rates, y.references, np.eye(y.size, dtype=np.int32))
    return Equation(code_of(assemble(recording, rates)), code_of(assemble(recording, np.append(rates, slopes))))
