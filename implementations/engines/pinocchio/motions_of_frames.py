"""Kinematics in Pinocchio, with our bodies' frames as operational frames of its model.

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
motions, forces      linear first, [v; ω] and [f; n]            exchanged, in :func:`_rolled` only
frames               LOCAL, WORLD, LOCAL_WORLD_ALIGNED          local, world, aligned
a body's frame       rotated for some joints                    an operational frame on the joint rotates it back
acceleration         spatial in all three frames                the classical one by its own function
J̇ v                  J̇ only                                     multiplied by v
external forces      in the joint's frame                       transformed by the operational frame's placement
damping              none                                       damping · v added to τ
order of joints      its own                                    :mod:`implementations.engines.pinocchio.coordinates`
==================== ========================================== ======================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from implementations.batches import for_each_state
from implementations.engines.pinocchio.coordinates import Coordinates
from implementations.engines.pinocchio.places import floats, place_of
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES


class PinocchioKinematics:
    """One mechanism's kinematics. Methods that call Pinocchio take one state in its coordinates. Not thread-safe."""

    def __init__(
        self, pin: Any, model: Any, mechanism: Mechanism, order: list[int], coordinates: Coordinates, turned: Array
    ) -> None:
        self._pin, self._mechanism, self._coordinates = pin, mechanism, coordinates
        self._joints = [1 + order.index(i) for i in range(len(order))]
        self._frames = []
        for body, joint, R in zip(mechanism.bodies, self._joints, turned, strict=True):
            placement = pin.SE3(R, np.zeros(3))
            # The number keeps a body called "universe" apart from Pinocchio's own.
            self._frames.append(model.addFrame(pin.Frame(f"{joint} {body.name}", joint, 0, placement, pin.FrameType.OP_FRAME)))
        self._fixed = []
        for k, frame in enumerate(mechanism.frames):
            joint = self._joints[frame.body] if frame.body >= 0 else 0
            here = pin.SE3(turned[frame.body], np.zeros(3)) if frame.body >= 0 else pin.SE3.Identity()
            place = place_of(frame.placement)
            placement = here * pin.SE3(floats(place.R), floats(place.p))
            self._fixed.append(model.addFrame(pin.Frame(f"fixed {k}", joint, 0, placement, pin.FrameType.OP_FRAME)))
        self._model = model
        self._frame_data = (model, model.createData())
        of = pin.ReferenceFrame
        self._local, self._world, self._aligned = of.LOCAL, of.WORLD, of.LOCAL_WORLD_ALIGNED
        self._references = {"local": self._local, "world": self._world, "aligned": self._aligned}
        if self._fixed:
            self._offer_frames()

    def placements(self, q: Array) -> Array:
        return self._answer("placements", partial(self._placements, self._frames), q)

    def jacobians_local(self, q: Array) -> Array:
        return self._answer("jacobians_local", partial(self._jacobians, self._frames, self._local), q)

    def jacobians_world(self, q: Array) -> Array:
        return self._answer("jacobians_world", partial(self._jacobians, self._frames, self._world), q)

    def jacobians_aligned(self, q: Array) -> Array:
        return self._answer("jacobians_aligned", partial(self._jacobians, self._frames, self._aligned), q)

    def velocities_local(self, q: Array, v: Array) -> Array:
        return self._answer("velocities_local", partial(self._of_bodies, self._pin.getFrameVelocity, self._local), q, v)

    def velocities_world(self, q: Array, v: Array) -> Array:
        return self._answer("velocities_world", partial(self._of_bodies, self._pin.getFrameVelocity, self._world), q, v)

    def velocities_aligned(self, q: Array, v: Array) -> Array:
        return self._answer("velocities_aligned", partial(self._of_bodies, self._pin.getFrameVelocity, self._aligned), q, v)

    def accelerations_local(self, q: Array, v: Array, a: Array) -> Array:
        return self._answer("accelerations_local", partial(self._of_bodies, self._pin.getFrameAcceleration, self._local), q, v, a)

    def accelerations_world(self, q: Array, v: Array, a: Array) -> Array:
        return self._answer("accelerations_world", partial(self._of_bodies, self._pin.getFrameAcceleration, self._world), q, v, a)

    def accelerations_aligned(self, q: Array, v: Array, a: Array) -> Array:
        ask = partial(self._of_bodies, self._pin.getFrameAcceleration, self._aligned)
        return self._answer("accelerations_aligned", ask, q, v, a)

    def classical_accelerations(self, q: Array, v: Array, a: Array) -> Array:
        ask = partial(self._of_bodies, self._pin.getFrameClassicalAcceleration, self._aligned)
        return self._answer("classical_accelerations", ask, q, v, a)

    def drifts_local(self, q: Array, v: Array) -> Array:
        return self._answer("drifts_local", partial(self._drifts, self._local), q, v)

    def drifts_world(self, q: Array, v: Array) -> Array:
        return self._answer("drifts_world", partial(self._drifts, self._world), q, v)

    def drifts_aligned(self, q: Array, v: Array) -> Array:
        return self._answer("drifts_aligned", partial(self._drifts, self._aligned), q, v)

    def center_of_mass(self, q: Array) -> Array:
        return self._answer("center_of_mass", self._center_of_mass, q)

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        return self._answer("centroidal_momentum", self._centroidal_momentum, q, v)

    def centroidal_momentum_matrix(self, q: Array) -> Array:
        return self._answer("centroidal_momentum_matrix", self._centroidal_momentum_matrix, q)

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        tau = self._answer("inverse_dynamics_with_forces", self._inverse_dynamics, q, v, a, f)
        return tau + self._coordinates.to_ours(self._model.damping) * v

    def _offer_frames(self) -> None:
        """The motions of the mechanism's own frames are methods too."""
        pin, fixed = self._pin, self._fixed
        of_frames = {"frame_placements": partial(self._placements, fixed)}
        classical = partial(self._motions, fixed, pin.getFrameClassicalAcceleration, self._aligned)
        of_frames["frame_classical_accelerations"] = classical
        for frame, reference in self._references.items():
            of_frames[f"frame_jacobians_{frame}"] = partial(self._jacobians, fixed, reference)
            of_frames[f"frame_velocities_{frame}"] = partial(self._motions, fixed, pin.getFrameVelocity, reference)
            of_frames[f"frame_accelerations_{frame}"] = partial(self._motions, fixed, pin.getFrameAcceleration, reference)
        for name, ask in of_frames.items():
            setattr(self, name, partial(self._answer, name, ask))

    def _answer(self, name: str, ask: Callable[..., Any], q: Array, *others: Array) -> Array:
        """``ask`` evaluated at every state, with its columns in our order."""
        quantity = QUANTITIES[name]
        quantity.require_defined(self._mechanism)
        state = [self._coordinates.position(q), *(self._coordinates.to_pinocchio(x) if x.ndim == 2 else x for x in others)]
        answer = for_each_state(ask, quantity.dimensions(self._mechanism), *state)
        for axis, entries in enumerate(quantity.axes, 1):
            if entries == "nv":
                answer = np.moveaxis(self._coordinates.to_ours(np.moveaxis(answer, axis, -1)), -1, axis)
        return answer

    def _placements(self, frames: Sequence[int], q: Array) -> Any:
        model, data = self._frame_data
        self._pin.framesForwardKinematics(model, data, q)
        return [data.oMf[frame].homogeneous[:3] for frame in frames]

    def _jacobians(self, frames: Sequence[int], reference: Any, q: Array) -> Any:
        self._pin.computeJointJacobians(*self._frame_data, q)
        self._pin.updateFramePlacements(*self._frame_data)
        return [angular_first(self._pin.getFrameJacobian(*self._frame_data, frame, reference)) for frame in frames]

    def _motions(self, frames: Sequence[int], ask: Any, reference: Any, *state: Array) -> Any:
        self._pin.forwardKinematics(*self._frame_data, *state)
        return [_rolled(ask(*self._frame_data, frame, reference).vector) for frame in frames]

    def _of_bodies(self, ask: Any, reference: Any, *state: Array) -> Any:
        return self._motions(self._frames, ask, reference, *state)

    def _drifts(self, reference: Any, q: Array, v: Array) -> Any:
        self._pin.computeJointJacobiansTimeVariation(*self._frame_data, q, v)
        self._pin.updateFramePlacements(*self._frame_data)
        rates = (self._pin.getFrameJacobianTimeVariation(*self._frame_data, frame, reference) for frame in self._frames)
        return [angular_first(rate) @ v for rate in rates]

    def _center_of_mass(self, q: Array) -> Any:
        return self._pin.centerOfMass(*self._frame_data, q, False)

    def _centroidal_momentum(self, q: Array, v: Array) -> Any:
        return _rolled(self._pin.computeCentroidalMomentum(*self._frame_data, q, v).vector)

    def _centroidal_momentum_matrix(self, q: Array) -> Any:
        return angular_first(self._pin.ccrba(*self._frame_data, q, np.zeros(self._model.nv)))

    def _inverse_dynamics(self, q: Array, v: Array, a: Array, f: Array) -> Any:
        return self._pin.rnea(*self._frame_data, q, v, a, self._external(f))

    def _external(self, f: Array) -> Any:
        """The forces on the bodies (bodies, 6) as Pinocchio takes them, one for every joint."""
        forces = self._pin.StdVec_Force([self._pin.Force.Zero()] * self._model.njoints)
        for joint, frame, force in zip(self._joints, self._frames, f, strict=True):
            forces[joint] = self._model.frames[frame].placement.act(self._pin.Force(_rolled(force)))
        return forces


def _rolled(x: Array) -> Array:
    """x (6, …) with its halves exchanged: from Pinocchio's order to ours, or back."""
    return x[_EXCHANGED]


_EXCHANGED = np.array([3, 4, 5, 0, 1, 2])


def angular_first(x: Array) -> Array:
    """x (6, nv, …), with its rows in our order. Pinocchio returns a single column as a vector."""
    return _rolled(x.reshape(6, *(x.shape[1:] or (1,))))
