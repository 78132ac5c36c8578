"""Whether wrong answers follow from other wrong answers of the same code, so that one fault makes them all wrong.

Code whose M and h are wrong solves M q̈ + h = τ for another q̈, and is right in that. So its q̈ needs no cause of its own.

A fault edits one algorithm of the reference, and the reference's derivatives are another. Code that differentiates its own
dynamics, by automatic differentiation or by the same wrong formula, carries the fault over. Its derivatives are those of the τ
and q̈ that code with the fault computes, exact to rounding: a complex step has no difference that could cancel (W. Squire,
G. Trapp, SIAM Review 40(1), 1998, eq. 3):

    f'(x) d = Im f(x + i h d) / h + O(h²)                    h = 1e−100
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.diagnosis.laboratory import NoAnswer, Trial
from cross_check.explain.faults.changes.states import State
from cross_check.explain.faults.coordinates.conventions import product
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import edited
from cross_check.judge.error_scale.sizes import in_epsilons
from cross_check.memory import Array
from implementations.algorithms import evaluate_in_blocks
from implementations.conventions.rates import along_joint
from implementations.field import Real
from mechanisms import Mechanism, motions
from mechanisms.quantities import QUANTITIES

STEP = 1e-100

COMPLEX = Real(np.complex128)  # type: ignore[arg-type]

OF_DYNAMICS = ("inverse_dynamics", "forward_dynamics")

FOLLOWING = ("mass_matrix", *(name for name, one in QUANTITIES.items() if one.base in OF_DYNAMICS))
"""The quantities that are derivatives of τ and of q̈."""


def following(fault: Fault, solves: bool) -> Fault:
    """Code with the fault, whose derivatives are those of its own inverse and forward dynamics.

    If it ``solves``, its q̈ is the one for which its own inverse dynamics gives τ; else it has the fault in both.
    """

    def answer(m: Mechanism, quantity: str, state: State, value: Array) -> Array:
        if quantity not in FOLLOWING:
            return fault.answered(m, quantity, state, value)
        own = Differentiated(fault, m)
        if quantity == "mass_matrix" or quantity.startswith("inverse"):
            by = "a" if quantity == "mass_matrix" else quantity[-1]
            return own.derivative("inverse_dynamics", by, state)
        return own.solved(quantity, state) if solves else own.derivative("forward_dynamics", quantity.rpartition("_d")[2], state)

    quantities = dict.fromkeys((*fault.quantities, *FOLLOWING)) if fault.quantities or not fault.answer else ()
    return replace(fault, answer=answer, quantities=tuple(quantities))


class Differentiated:
    """Code with a fault, which has loaded a mechanism, and its derivatives."""

    def __init__(self, fault: Fault, mechanism: Mechanism) -> None:
        self._fault, self._mechanism = fault, mechanism

    def value(self, quantity: str, state: State) -> Array:
        """The answer (batch, …), complex where the state is. Arguments that are not given are zero."""
        m, fault = self._mechanism, self._fault
        given = {
            name: state[name] if name in state else np.zeros((len(state["q"]), m.nv)) for name in QUANTITIES[quantity].arguments
        }
        wrong, read = fault.mechanism_read(m), fault.state_read(m, dict(given))
        reference = edited(tuple(edit.on(wrong) for edit in fault.edits) if fault.changes(m) else ())
        answer: Any = evaluate_in_blocks(reference.ALGORITHMS[quantity], reference.build(wrong, COMPLEX), tuple(read.values()))
        return fault.answered(m, quantity, given, answer)

    def derivative(self, quantity: str, by: str, state: State) -> Array:
        """∂ of a quantity (batch, nv) by q, v, a or tau (batch, nv, nv), along the components of v."""
        n, states = self._mechanism.nv, len(state["q"])
        base = state.get(by, np.zeros((states, n)))
        along = [_rates(self._mechanism, state["q"], k) if by == "q" else np.eye(n)[k] for k in range(n)]
        moved = np.concatenate([base + 1j * STEP * d for d in along])
        repeated = {name: np.concatenate([x] * n) for name, x in state.items()}
        columns = self.value(quantity, {**repeated, by: moved}).imag / STEP
        return np.moveaxis(columns.reshape(n, states, -1), 0, -1)

    def solved(self, quantity: str, state: State) -> Array:
        """The derivative of the q̈ that solves τ = ID(q, v, q̈)."""
        M = self.derivative("inverse_dynamics", "a", state)
        if quantity.endswith("dtau"):
            return np.linalg.inv(M)
        by = quantity[-1]
        zero = np.zeros((len(state["q"]), self._mechanism.nv))
        tau = state.get("tau", zero)
        h = self.value("inverse_dynamics", {**state, "a": zero}).real
        a = np.linalg.solve(M, (tau - h)[..., None])[..., 0]
        return -np.linalg.solve(M, self.derivative("inverse_dynamics", by, {**state, "a": a}))


def _rates(m: Mechanism, q: Array, k: int) -> Array:
    """q̇ (batch, nq) at the velocity whose k-th component is one."""
    rates = np.zeros_like(q)
    along = product([partial(along_joint, kind, False, True) for kind in ("planar", "free")], m, q)
    # T of these is orthogonal, so that its rows are the velocities ṗ along the joint's axes.
    v = along[:, k]
    for body, own_q, own_v in zip(m.bodies, m.q_slices, m.v_slices, strict=True):
        for slot in body.joint.slots:
            x, rate = q[:, own_q][:, slot.q], v[:, own_v][:, slot.v]
            if slot.form == "circle":
                rate = np.column_stack([-x[:, 1], x[:, 0]]) * rate
            elif slot.form == "quaternion":
                rate = motions.multiply(x, np.column_stack([rate / 2, 0 * rate[:, 0]]))
            rates[:, own_q.start + slot.q.start : own_q.start + slot.q.stop] = rate
    return rates


DERIVED = tuple(name for name in FOLLOWING if name != "mass_matrix")
"""The quantities that users know as derivatives."""


def _by_mass_matrix(code: Trial) -> Array:
    return np.asarray(np.einsum("bij,bj->bi", code.answer("mass_matrix"), code.states.a) + code.answer("nonlinear_effects"))


def _by_coriolis(code: Trial) -> Array:
    """h = C v + g, and the forces of damping and friction."""
    v = code.states.v
    rest = code.answer("gravity") + code.mechanism.arrays.resistance(v)
    return np.asarray(np.einsum("bij,bj->bi", code.answer("coriolis_matrix"), v) + rest)


def _by_unit_accelerations(code: Trial) -> Array:
    """M e_j = ID(q, 0, e_j) − ID(q, 0, 0)."""
    still = 0 * code.states.v
    at_rest = code.answer("inverse_dynamics", v=still, a=still)
    return np.stack([code.answer("inverse_dynamics", v=still, a=still + e) - at_rest for e in np.eye(still.shape[1])], axis=2)


def _energy(code: Trial) -> Array:
    return np.asarray(np.einsum("bi,bij,bj->b", code.states.v, code.answer("mass_matrix"), code.states.v) / 2)


EQUATIONS: tuple[tuple[str, tuple[str, ...], Callable[[Trial], Array]], ...] = (
    ("nonlinear_effects", ("inverse_dynamics",), lambda code: code.answer("inverse_dynamics", a=0 * code.states.a)),
    ("nonlinear_effects", ("coriolis_matrix", "gravity"), _by_coriolis),
    ("gravity", ("nonlinear_effects",), lambda code: code.answer("nonlinear_effects", v=0 * code.states.v)),
    ("mass_matrix", ("inverse_dynamics",), _by_unit_accelerations),
    ("inverse_dynamics", ("mass_matrix", "nonlinear_effects"), _by_mass_matrix),
    ("kinetic_energy", ("mass_matrix",), _energy),
    ("forward_dynamics", ("mass_matrix", "nonlinear_effects"), _by_mass_matrix),
    ("forward_dynamics", ("inverse_dynamics",), lambda code: code.answer("inverse_dynamics")),
)
"""A quantity, the quantities from which it follows, and what they give for it; for forward dynamics, τ at the code's own q̈."""


def follows_from(trial: Trial, quantity: str) -> tuple[tuple[str, ...], ...]:
    """The sets of other quantities from which the code's answers about ``quantity`` follow exactly."""
    found = []
    for sources, reached in ((sources, reached) for name, sources, reached in EQUATIONS if name == quantity):
        with suppress(NoAnswer), np.errstate(all="ignore"):
            states, seen, code = trial.states, trial.answer(quantity), trial
            if quantity == "forward_dynamics":
                code = replace(trial, states=replace(states, a=seen), whole=None)
                size, seen = trial.scale.shared_force(states.q, states.v, seen), states.tau
            else:
                size = trial.scale.size(quantity, *states.arguments(QUANTITIES[quantity].arguments))
            if quantity == "mass_matrix":
                size = size + trial.scale.size("gravity", states.q)[:, :, None]
            off = seen - reached(code)
            if np.nan_to_num(in_epsilons(off, size + 0 * off), nan=np.inf).max(initial=0) <= trial.laboratory.loose:
                found.append(sources)
    return tuple(found)


def follows(trial: Trial, quantity: str, fault: Fault) -> bool:
    """Whether the answers are the derivatives of code with this fault, at every state.

    The code's own τ or q̈, if it answers that, must have the fault as well. Its q̈ may be that of forward dynamics with the fault,
    or the one that solves its inverse dynamics. A fault whose functions take no complex numbers predicts nothing.
    """
    if quantity not in FOLLOWING:
        return False
    dynamics = quantity.rpartition("_d")[0] if quantity in DERIVED else "inverse_dynamics"
    # Code that has the derivatives alone may compute them of any dynamics.
    with suppress(NoAnswer):
        if not trial.explains(dynamics, fault):
            return False
    try:
        ways = (following(fault, solves) for solves in (False, True))
        return any(trial.explains(quantity, one) for one in ways)
    except (NoAnswer, TypeError):
        return False
