"""Loop constraints in RBDL, through its own binding or through ``biorbd``: one axis of ``AddLoopConstraint`` for every direction.

==================== ========================================== ======================================================
what                 RBDL                                       conversion
==================== ========================================== ======================================================
frames               a rotation E from the frame to the body    the frame in its segment
sign, axes           the successor relative to the predecessor, none; but see below
                     along the predecessor's frame
Baumgarte's terms    off                                        none: J a + J̇ v = 0
accelerations        ``ForwardDynamicsConstraintsDirect``       as in forward dynamics
redundant rows       LU of the whole system; the answers are    none
                     right as far as rounding lets it solve
J                    the columns are velocity errors of unit    J = J′ T
                     velocities, in the official binding
λ                    forces on bodies, ``calcForces``, in the   those on the predecessor, along its frame, with the other
                     official binding                           sign
Jᵀ λ                 none                                       forces on both bodies, times ``CalcPointJacobian6D``
impacts              ``ComputeConstraintImpulsesDirect``,       r = 0; the bindings cannot set RBDL's ``v_plus``
                     in ``biorbd``
==================== ========================================== ======================================================

The bindings offer no drift, no J M⁻¹ Jᵀ and no ∂q̈/∂τ.

One difference is a fault of RBDL, which the adapter does not correct: rows of angular directions contain linear velocities, and
those of linear directions leave out that the predecessor turns (docs/findings/rbdl-loop-constraint-rows.md). Where all linear
directions are constrained, both are zero, and only J of angular directions is wrong.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from implementations.engines.rbdl.biorbd import Biorbd
from implementations.engines.rbdl.official import Official
from implementations.protocol import Array
from mechanisms import Mechanism, Placement


class LoopFrame(NamedTuple):
    """A frame of a constraint: RBDL's number of its body, 0 for the root, and where the frame is in the segment."""

    body: int
    R: Array
    p: Array


class Loop(NamedTuple):
    """A constraint's two frames, and its directions in [ω; v]."""

    first: LoopFrame
    second: LoopFrame
    rows: tuple[int, ...]


def loops(mechanism: Mechanism, binding: Official | Biorbd) -> list[Loop]:
    """The constraints of ``mechanism`` on the bodies of ``binding``."""
    ends = dict(zip((body.name for body in mechanism.bodies), binding.ends, strict=True))

    def frame(name: str, placement: Placement) -> LoopFrame:
        R, p = (np.array(x, dtype=float) for x in (placement.rotation.matrix, placement.translation))
        if name == mechanism.root:
            return LoopFrame(0, R, p)
        back = np.array(ends[name].turn.rotation.matrix, dtype=float).T
        return LoopFrame(binding.number_of(ends[name].segment), back @ R, back @ p)

    return [
        Loop(frame(one.first, one.first_placement), frame(one.second, one.second_placement), one.rows)
        for one in mechanism.constraints
    ]


class OfficialConstraints(Official):
    """One mechanism with constraints in RBDL's own binding, at one state."""

    def __init__(self, engine: Any, mechanism: Mechanism) -> None:
        Official.__init__(self, engine, mechanism)
        self._loops, self._nv = loops(mechanism, self), mechanism.nv
        self._set: Any = engine.ConstraintSet()
        for k, loop in enumerate(self._loops):
            frames = [self._frame(end) for end in (loop.first, loop.second)]
            for row in loop.rows:
                axis = engine.SpatialVector.fromPythonArray(np.eye(6)[row])
                # With a number of its own, a constraint is not joined to the one before.
                self._set.AddLoopConstraint(loop.first.body, loop.second.body, *frames, axis, user_defined_id=k)
        self._set.Bind(self.model)

    def constraint_jacobian(self, q: Array) -> Array:
        columns = []
        for velocity in np.eye(self._nv):
            column = [np.zeros(len(loop.rows)) for loop in self._loops]
            for k, errors in enumerate(column):
                self._set.calcVelocityError(k, self.model, q, velocity, errors, True)
            columns.append(np.concatenate(column))
        return np.array(columns).T

    def constrained_acceleration(self, q: Array, v: Array, tau: Array) -> Array:
        a = np.zeros(len(q))
        self.engine.ForwardDynamicsConstraintsDirect(self.model, q, self.padded(v), self.padded(tau), self._set, a)
        return a[: len(v)]

    def constraint_multipliers(self, q: Array, v: Array, tau: Array) -> Array:
        forces = self._forces(q, v, tau, in_root_frame=False)
        return np.concatenate([-force[0][list(loop.rows)] for loop, force in zip(self._loops, forces, strict=True)])

    def constraint_forces(self, q: Array, v: Array, tau: Array) -> Array:
        total = np.zeros(self._nv)
        for loop, pair in zip(self._loops, self._forces(q, v, tau, in_root_frame=True), strict=True):
            for end, force in zip((loop.first, loop.second), pair, strict=True):
                J = np.zeros((6, self._nv))
                self.engine.CalcPointJacobian6D(self.model, q, end.body, end.p, J, True)
                total += J.T @ force
        return total

    def _frame(self, end: LoopFrame) -> Any:
        X = self.engine.SpatialTransform()
        X.E, X.r = np.ascontiguousarray(end.R), end.p
        return X

    def _forces(self, q: Array, v: Array, tau: Array, in_root_frame: bool) -> list[Array]:
        """[n; f] on the predecessor and on the successor of every constraint (2, 6), about the constraint's point."""
        self.constrained_acceleration(q, v, tau)
        found = []
        for k in range(len(self._loops)):
            bodies, frames, forces = np.zeros(2, np.uint32), np.zeros((6, 6, 2)), np.zeros((6, 2))
            self._set.calcForces(k, self.model, q, self.padded(v), bodies, frames, forces, in_root_frame, True)
            found.append(forces.T)
        return found


class BiorbdConstraints(Biorbd):
    """One mechanism with constraints in the RBDL of ``biorbd``, at one state. Its calcLoopConstraintForces ends the process."""

    def __init__(self, engine: Any, mechanism: Mechanism) -> None:
        Biorbd.__init__(self, engine, mechanism)
        for k, loop in enumerate(loops(mechanism, self)):
            frames = [
                engine.RotoTrans(engine.Rotation(*map(float, end.R.flat)), engine.Vector3d(*map(float, end.p)))
                for end in (loop.first, loop.second)
            ]
            for row in loop.rows:
                axis, name = engine.SpatialVector(*np.eye(6)[row]), engine.String(f"loop{k}")
                self.model.AddLoopConstraint(loop.first.body, loop.second.body, *frames, axis, name, False, 0.0)

    def constrained_acceleration(self, q: Array, v: Array, tau: Array) -> Array:
        return self.model.ForwardDynamicsConstraintsDirect(q, v, tau).to_array()[: len(v)]

    def impact_velocity_plastic(self, q: Array, v: Array) -> Array:
        return self.model.ComputeConstraintImpulsesDirect(q, v).to_array()[: len(v)]
