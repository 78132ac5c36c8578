"""Faults of code that solves for constraints: in J, in the drift, in the forces, in the restitution and in derivatives.

A fault changes the mechanism, or puts other algorithms in the place of the reference's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from cross_check.explain.faults.wrong_mechanisms import Wrong, with_bodies
from cross_check.memory import Array
from implementations.algorithms import Algorithm, AlgorithmicDynamics
from implementations.field import Real, Tensor, constant
from implementations.spatial_algebra.constrained_dynamics import UNCHANGED, Changes, algorithms
from implementations.spatial_algebra.constraints import (
    constraint_drift,
    constraint_jacobian,
    frames,
    of,
    relative,
    rows,
    velocity,
)
from implementations.spatial_algebra.jcalc import transforms
from implementations.spatial_algebra.kinematics import accelerations, classical_accelerations, jacobians, velocities
from implementations.spatial_algebra.mimic import with_mimic
from implementations.spatial_algebra.model import Closure, Link, Model, build
from implementations.spatial_algebra.reference import ALGORITHMS, BY_PARTS
from implementations.spatial_algebra.spatial import Plucker, crm
from mechanisms import Constraint, Joint, Mechanism, Placement
from mechanisms.quantities import ALL_QUANTITIES, RESTITUTIONS


@dataclass(frozen=True)
class ConstraintFault:
    """One way to be wrong. ``name`` completes the sentence "The code is wrong in this: …"."""

    name: str
    mechanism: Wrong = field(default=lambda mechanism: mechanism)
    jacobian: Algorithm = constraint_jacobian
    drift: Algorithm = constraint_drift
    of_tree: Mapping[str, Algorithm] = field(default_factory=dict)
    """What differs from the reference in the quantities of the tree."""
    restitutions: Mapping[str, Fraction] = field(default_factory=lambda: RESTITUTIONS)
    turned: tuple[str, ...] = ()
    """The quantities whose answers have the opposite sign, by the beginning of their names."""
    changes: Changes = UNCHANGED
    """What is wrong in the terms of derivatives by q and v."""
    by_state: Callable[[Mechanism, Array, Array], Array] = lambda mechanism, q, answer: answer
    """What code does to an answer of derivatives by the state."""

    def answer(self, mechanism: Mechanism, quantity: str, *arguments: Array) -> Array:
        """What code with this fault answers (batch, …)."""
        wrong = self.mechanism(mechanism)
        own = algorithms(
            {**ALGORITHMS, **self.of_tree},
            with_mimic("constraint_jacobian", self.jacobian),
            with_mimic("constraint_drift", self.drift),
            BY_PARTS,
            self.restitutions,
            self.changes,
        )
        dynamics = AlgorithmicDynamics(wrong, build(wrong, Real()), own)
        answer: Array = getattr(dynamics, quantity)(*(x.copy() for x in arguments))
        if ALL_QUANTITIES[quantity].by == "x":
            answer = self.by_state(wrong, arguments[0], answer)
        return -answer if quantity.startswith(self.turned) else answer


def _constraints(change: Callable[[Constraint], Constraint]) -> Wrong:
    """Every constraint is changed."""
    return lambda m: replace(m, constraints=tuple(map(change, m.constraints)))


def _exchanged(one: Constraint) -> Constraint:
    return Constraint(one.name, one.second, one.first, one.directions, one.second_placement, one.first_placement)


def _joints(change: Callable[[Joint], Joint]) -> Wrong:
    return lambda m: with_bodies(m, lambda _, body: replace(body, joint=change(body.joint)))


def _along_root(model: Model, q: Tensor) -> list[Plucker]:
    """The frames with the root's axes."""
    one = constant(model.field, ((1, 0, 0), (0, 1, 0), (0, 0, 1)))[..., None]
    return [Plucker(one + 0 * X.E, X.r) for X in frames(model, q)]


def _at_root(model: Model, q: Tensor) -> list[Plucker]:
    """The frames at the root's origin."""
    return [Plucker(X.E, 0 * X.r) for X in frames(model, q)]


def _at_first_origins(model: Model, q: Tensor) -> list[Plucker]:
    """The first frames: their own axes, at their own origins."""
    swapped = (
        replace(one, first=one.second, second=one.first, to_first=one.to_second, to_second=one.to_first) for one in model.closures
    )
    at_first = frames(replace(model, closures=tuple(swapped)), q)
    return [Plucker(X.E, Y.r) for X, Y in zip(frames(model, q), at_first, strict=True)]


Where = Callable[[Model, Tensor], list[Plucker]]
"""The frames of the constraints, one for each."""


def _jacobian(where: Where, of_closure: Callable[[Closure, Tensor], Tensor]) -> Algorithm:
    """The rows, in these frames, of what ``of_closure`` makes of the Jacobians of bodies."""

    def jacobian(model: Model, q: Tensor) -> Tensor:
        J = jacobians(model, q, "world")
        return rows(model, q, where(model, q), [of_closure(one, J) for one in model.closures])

    return jacobian


def _drift(where: Where, of_closure: Callable[[Closure, Plucker, Tensor, Tensor], Tensor]) -> Algorithm:
    """The rows, in these frames, of what ``of_closure`` makes of the right frame, and of bodies' velocities and accelerations."""

    def drift(model: Model, q: Tensor, qd: Tensor) -> Tensor:
        v, a = velocities(model, q, qd, "world"), accelerations(model, q, qd, 0 * qd, "world")
        there = zip(model.closures, frames(model, q), strict=True)
        return rows(model, q, where(model, q), [of_closure(one, C, v, a) for one, C in there])

    return drift


def _difference(second: Algorithm, first: Algorithm) -> Algorithm:
    return lambda model, *state: second(model, *state) - first(model, *state)


def _drift_of_origins(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    a = classical_accelerations(model, q, qd, 0 * qd)
    return rows(model, q, _at_root(model, q), [relative(one, a) for one in model.closures])


def _weight_alone(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    return ALGORITHMS["gravity"](model, q)


def _by_position(**factors: float) -> Changes:
    """These terms of the derivatives by q are multiplied by these factors."""
    return Changes(by_position=lambda terms: terms._replace(**{name: x * getattr(terms, name) for name, x in factors.items()}))


def _by_velocity(**factors: float) -> Changes:
    return Changes(by_velocity=lambda terms: terms._replace(**{name: x * getattr(terms, name) for name, x in factors.items()}))


def _weightless(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    return ALGORITHMS["inverse_dynamics_dq"](model, q, qd, qdd) - ALGORITHMS["gravity_dq"](model, q)


def _without_acceleration(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    return ALGORITHMS["inverse_dynamics_dq"](model, q, qd, 0 * qdd)


def _undamped(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    return ALGORITHMS["inverse_dynamics_dv"](replace(model, links=tuple(map(_without_damping, model.links))), q, qd)


def _without_damping(link: Link) -> Link:
    return replace(link, damping=0 * link.damping)


def _exchanged_blocks(mechanism: Mechanism, q: Array, answer: Array) -> Array:
    return np.roll(answer, mechanism.nv, axis=2)


def _transposed(block: int) -> Callable[[Mechanism, Array, Array], Array]:
    """One of the two blocks is transposed, if it is square."""

    def transposed(mechanism: Mechanism, q: Array, answer: Array) -> Array:
        blocks = np.split(answer, 2, axis=2)
        if answer.shape[1] == mechanism.nv:
            blocks[block] = blocks[block].swapaxes(1, 2)
        return np.concatenate(blocks, axis=2)

    return transposed


def _in_parents(mechanism: Mechanism, q: Array, answer: Array) -> Array:
    """Free and spherical joints are turned and moved along the axes of their parents, not of their own bodies."""
    X, _ = transforms(build(mechanism, Real()), np.moveaxis(q, 0, -1))
    answer = answer.copy()
    for Xi, body, own in zip(X, mechanism.bodies, mechanism.v_slices, strict=True):
        if body.joint.kind in ("free", "spherical"):
            size = own.stop - own.start
            turn = np.moveaxis(Xi @ np.broadcast_to(np.eye(6)[..., None], (6, 6, len(q))), -1, 0)[:, :size, :size]
            answer[:, :, own] = answer[:, :, own] @ turn
    return answer


CONSTRAINT_FAULTS = (
    ConstraintFault("the multipliers have the opposite sign", turned=("constraint_multipliers",)),
    ConstraintFault("the constraint forces have the opposite sign", turned=("constraint_forces", "impact_forces")),
    ConstraintFault("first and second frame are exchanged", _constraints(_exchanged)),
    ConstraintFault("the drift is left out", drift=lambda model, q, qd: 0 * constraint_drift(model, q, qd)),
    ConstraintFault("the drift has the opposite sign", drift=lambda model, q, qd: -constraint_drift(model, q, qd)),
    ConstraintFault(
        "the drift lacks the motion of the constraint's frame", drift=_drift(frames, lambda one, C, v, a: relative(one, a))
    ),
    ConstraintFault("the drift is that of the bodies' origins", drift=_drift_of_origins),
    ConstraintFault(
        "the first body's motion is left out",
        jacobian=_jacobian(frames, lambda one, J: of(one.second, J)),
        drift=_drift(frames, lambda one, C, v, a: of(one.second, a) - crm(of(one.first, v), of(one.second, v))),
    ),
    ConstraintFault(
        "J has the first frame's velocity at its own origin, and not at the second frame's",
        jacobian=_difference(
            _jacobian(frames, lambda one, J: of(one.second, J)), _jacobian(_at_first_origins, lambda one, J: of(one.first, J))
        ),
        drift=_difference(
            _drift(frames, lambda one, C, v, a: of(one.second, a) - crm(velocity(one, C, v), of(one.second, v))),
            _drift(_at_first_origins, lambda one, C, v, a: of(one.first, a)),
        ),
    ),
    ConstraintFault(
        "J and the drift are along the root's axes",
        jacobian=_jacobian(_along_root, relative),
        drift=_drift(_along_root, lambda one, C, v, a: relative(one, a) - crm(velocity(one, C, v), relative(one, v))),
    ),
    ConstraintFault("J is about the root's origin", jacobian=_jacobian(_at_root, relative)),
    ConstraintFault(
        "the second frame is taken at its body's origin", _constraints(lambda one: replace(one, second_placement=Placement()))
    ),
    ConstraintFault("damping is left out", _joints(lambda joint: replace(joint, damping=0))),
    ConstraintFault("armature is left out", _joints(lambda joint: replace(joint, armature=0))),
    ConstraintFault("gravity is left out", lambda m: replace(m, gravity=(0, 0, 0))),
    ConstraintFault("gravity has the opposite sign", lambda m: replace(m, gravity=tuple(-g for g in m.gravity))),
    ConstraintFault("velocities and damping are left out of h", of_tree={"nonlinear_effects": _weight_alone}),
    ConstraintFault("the restitution is ignored", restitutions=dict.fromkeys(RESTITUTIONS, Fraction(0))),
    ConstraintFault("the restitution has the opposite sign", restitutions={word: -r for word, r in RESTITUTIONS.items()}),
    ConstraintFault("∂(Jᵀ)λ/∂q is left out of the derivatives", changes=_by_position(pull=0)),
    ConstraintFault("∂(Jᵀ)λ/∂q has the opposite sign in the derivatives", changes=_by_position(pull=-1)),
    ConstraintFault("∂(J)a/∂q is left out of the derivatives", changes=_by_position(motion=0)),
    ConstraintFault("∂(J̇v)/∂q is left out of the derivatives", changes=_by_position(drift=0)),
    ConstraintFault("∂(J)a/∂q and ∂(J̇v)/∂q are left out of the derivatives", changes=_by_position(motion=0, drift=0)),
    ConstraintFault("∂(J̇v)/∂v is left out of the derivatives", changes=_by_velocity(drift=0)),
    ConstraintFault("∂(J̇v)/∂v is half as large in the derivatives", changes=_by_velocity(drift=0.5)),
    ConstraintFault("damping is left out of the derivatives", of_tree={"inverse_dynamics_dv": _undamped}),
    ConstraintFault("gravity is left out of the derivatives", of_tree={"inverse_dynamics_dq": _weightless}),
    ConstraintFault("the derivatives take ∂ID/∂q at zero acceleration", of_tree={"inverse_dynamics_dq": _without_acceleration}),
    ConstraintFault("the derivatives by q and v are exchanged", by_state=_exchanged_blocks),
    ConstraintFault("the derivatives by q are transposed", by_state=_transposed(0)),
    ConstraintFault("the derivatives by v are transposed", by_state=_transposed(1)),
    ConstraintFault("the derivatives by q are along the axes of the parents of free and spherical joints", by_state=_in_parents),
)
"""The likely ones first."""
