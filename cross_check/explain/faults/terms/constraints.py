"""Faults of code that solves for constraints: in J, in the drift, in the forces, in the restitution and in derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.states import State
from cross_check.explain.faults.fault import Edit, Fault, WrongAnswer
from cross_check.explain.faults.terms.joint_forces import OF_DERIVATIVE
from cross_check.memory import Array
from implementations.field import Real
from implementations.spatial_algebra.jcalc import transforms
from implementations.spatial_algebra.model import build
from mechanisms import Constraint, Mechanism, Placement
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_QUANTITIES

GROUP = "constraints"

JACOBIAN = "return rows(model, q, frames(model, q), [relative(closure, J) for closure in model.closures])"
DRIFT = "return rows(model, q, there, changes)"
CHANGE = "relative(one, a) - crm(velocity(one, C, v), relative(one, v)) for one"
"""What the reference has J and the drift from, and the change of one constraint's velocity at q̈ = 0."""

ALONG_ROOT = "[Plucker(np.eye(3)[..., None] + 0 * X.E, X.r) for X in frames(model, q)]"
AT_ROOT = "[Plucker(X.E, 0 * X.r) for X in frames(model, q)]"
"""The frames with the root's axes, and at the root's origin."""

FIRST = (
    Edit("constraints", "def frames(model: Model, q: Tensor)", 'def frames(model: Model, q: Tensor, at: str = "second")'),
    Edit("constraints", "placed(one.second, one.to_second).r", 'placed(getattr(one, at), getattr(one, f"to_{at}")).r'),
)
"""With these edits, ``frames(model, q, "first")`` has the frames at the origins of the first ones."""

OF_FIRST = 'rows(model, q, frames(model, q, "first"), [of(one.first, {}) for one in model.closures])'
"""The rows there of what the first bodies have."""

PULL, MOTION = 'np.einsum("ijk...,i...->jk...", dJ, λ)', 'np.einsum("ijk...,j...->ik...", dJ, a)'
DRIFT_BY_Q, DRIFT_BY_V = 'by_parts["constraint_drift_dq"](model, q, qd)', 'by_parts["constraint_drift_dv"](model, q, qd)'
FORCES_BY_Q = 'of_tree["inverse_dynamics_dq"](model, q, qd, a)'
"""The terms of the derivatives of constrained motion."""


def _edited(name: str, *edits: tuple[str, str], module: str = "constraints", more: tuple[Edit, ...] = ()) -> Fault:
    return Fault(name, GROUP, (*more, *(Edit(module, right, wrong) for right, wrong in edits)))


def _solved(name: str, *edits: tuple[str, str]) -> Fault:
    """Other equations are solved."""
    return _edited(name, *edits, module="constrained_dynamics")


def _multiplied(name: str, factor: float, *terms: str) -> Fault:
    """These terms of the equations are multiplied by a factor."""
    return _solved(name, *((term, f"{factor} * {term}") for term in terms))


def _placed(name: str, change: Callable[[Constraint], Constraint]) -> Fault:
    """Every constraint is changed."""
    return Fault(name, GROUP, mechanism=lambda m: replace(m, constraints=tuple(map(change, m.constraints))))


def _turned(name: str, *beginnings: str) -> Fault:
    """The quantities whose names begin so have the opposite sign."""
    quantities = tuple(one for one in CONSTRAINT_QUANTITIES if one.startswith(beginnings))
    return Fault(name, GROUP, answer=lambda m, quantity, state, answer: -answer, quantities=quantities)


def _by_state(name: str, answer: WrongAnswer) -> Fault:
    """The derivatives by the state, which have a block by q and one by v, are changed."""
    quantities = tuple(one for one in CONSTRAINT_QUANTITIES if ALL_QUANTITIES[one].by == "x")
    return Fault(name, GROUP, answer=answer, quantities=quantities)


def _exchanged(one: Constraint) -> Constraint:
    return Constraint(one.name, one.second, one.first, one.directions, one.second_placement, one.first_placement)


def _exchanged_blocks(m: Mechanism, quantity: str, state: State, answer: Array) -> Array:
    return np.roll(answer, m.nv, axis=2)


def _transposed(block: int) -> WrongAnswer:
    """One of the two blocks is transposed, if it is square."""

    def transposed(m: Mechanism, quantity: str, state: State, answer: Array) -> Array:
        blocks = np.split(answer, 2, axis=2)
        if answer.shape[1] == m.nv:
            blocks[block] = blocks[block].swapaxes(1, 2)
        return np.concatenate(blocks, axis=2)

    return transposed


def _in_parents(m: Mechanism, quantity: str, state: State, answer: Array) -> Array:
    """Free and spherical joints are turned and moved along the axes of their parents, not of their own bodies."""
    X, _ = transforms(build(m, Real()), np.moveaxis(state["q"], 0, -1))
    answer = answer.copy()
    for Xi, body, own in zip(X, m.bodies, m.v_slices, strict=True):
        if body.joint.kind in ("free", "spherical"):
            size = own.stop - own.start
            turn = np.moveaxis(Xi @ np.broadcast_to(np.eye(6)[..., None], (6, 6, len(answer))), -1, 0)[:, :size, :size]
            answer[:, :, own] = answer[:, :, own] @ turn
    return answer


CONSTRAINT_FAULTS = (
    _turned("the multipliers have the opposite sign", "constraint_multipliers"),
    _turned("the constraint forces have the opposite sign", "constraint_forces", "impact_forces"),
    _placed("first and second frame are exchanged", _exchanged),
    _edited("the drift is left out", (DRIFT, f"{DRIFT} * 0")),
    _edited("the drift has the opposite sign", (DRIFT, f"{DRIFT} * -1")),
    _edited("the drift lacks the motion of the constraint's frame", (CHANGE, "relative(one, a) for one")),
    _edited(
        "the drift is that of the bodies' origins",
        ("import accelerations, full_batch", "import accelerations, classical_accelerations, full_batch"),
        (CHANGE, "relative(one, classical_accelerations(model, q, qd, 0 * qd)) for one"),
        (DRIFT, DRIFT.replace("there", AT_ROOT)),
    ),
    _edited(
        "the first body's motion is left out",
        ("relative(closure, J)", "of(closure.second, J)"),
        (CHANGE, "of(one.second, a) - crm(of(one.first, v), of(one.second, v)) for one"),
    ),
    _edited(
        "J has the first frame's velocity at its own origin, and not at the second frame's",
        (JACOBIAN, f"{JACOBIAN.replace('relative(closure', 'of(closure.second')} - {OF_FIRST.format('J')}"),
        (CHANGE, "of(one.second, a) - crm(velocity(one, C, v), of(one.second, v)) for one"),
        (DRIFT, f"{DRIFT} - {OF_FIRST.format('a')}"),
        more=FIRST,
    ),
    _edited(
        "J and the drift are along the root's axes",
        (JACOBIAN, JACOBIAN.replace("frames(model, q)", ALONG_ROOT)),
        (DRIFT, DRIFT.replace("there", ALONG_ROOT)),
    ),
    _edited("J is about the root's origin", (JACOBIAN, JACOBIAN.replace("frames(model, q)", AT_ROOT))),
    _placed("the second frame is taken at its body's origin", lambda one: replace(one, second_placement=Placement())),
    Fault("damping is left out", GROUP, mechanism=wm.scaled("damping", 0)),
    Fault("armature is left out", GROUP, mechanism=wm.scaled("armature", 0)),
    Fault("gravity is left out", GROUP, mechanism=wm.gravity((0, 0, 0))),
    Fault("gravity has the opposite sign", GROUP, mechanism=wm.gravity((-1, -1, -1))),
    _solved(
        "velocities and damping are left out of h", ('of_tree["nonlinear_effects"](model, q, qd)', 'of_tree["gravity"](model, q)')
    ),
    _multiplied("the restitution is ignored", 0, "float(r)"),
    _multiplied("the restitution has the opposite sign", -1, "float(r)"),
    _multiplied("∂(Jᵀ)λ/∂q is left out of the derivatives", 0, PULL),
    _multiplied("∂(Jᵀ)λ/∂q has the opposite sign in the derivatives", -1, PULL),
    _multiplied("∂(J)a/∂q is left out of the derivatives", 0, MOTION),
    _multiplied("∂(J̇v)/∂q is left out of the derivatives", 0, DRIFT_BY_Q),
    _multiplied("∂(J)a/∂q and ∂(J̇v)/∂q are left out of the derivatives", 0, MOTION, DRIFT_BY_Q),
    _multiplied("∂(J̇v)/∂v is left out of the derivatives", 0, DRIFT_BY_V),
    _multiplied("∂(J̇v)/∂v is half as large in the derivatives", 0.5, DRIFT_BY_V),
    _edited("damping is left out of the derivatives", (f"dτ + {OF_DERIVATIVE}", "dτ"), module="derivatives"),
    _solved("gravity is left out of the derivatives", (FORCES_BY_Q, f'{FORCES_BY_Q} - of_tree["gravity_dq"](model, q)')),
    _solved("the derivatives take ∂ID/∂q at zero acceleration", (FORCES_BY_Q, FORCES_BY_Q.replace(" a)", " 0 * a)"))),
    _by_state("the derivatives by q and v are exchanged", _exchanged_blocks),
    _by_state("the derivatives by q are transposed", _transposed(0)),
    _by_state("the derivatives by v are transposed", _transposed(1)),
    _by_state("the derivatives by q are along the axes of the parents of free and spherical joints", _in_parents),
)
"""The likely ones first."""
