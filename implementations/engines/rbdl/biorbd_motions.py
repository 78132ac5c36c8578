"""Kinematics and external forces in the RBDL of ``biorbd``.

==================== ========================================== ======================================================
what                 biorbd                                     conversion
==================== ========================================== ======================================================
placements           ``globalJCS``, of segments                 the segment's frame is rotated back to the body's
velocities           ``CalcPointVelocity6D``: [ω; ṗ] of the     none; this is the aligned frame
                     segment's origin
frames               ``CalcPointVelocity6D`` of their origins   none; not offered where a frame is fixed to the root
centre of mass       ``CoM``                                    none
centroidal momentum  ``angularMomentum``, about the centre of   followed by mass · ``CoMdot``; :class:`Unsupported` if
                     mass                                       there is a quaternion: ``CoMdot`` then reads
                                                                memory behind v, and is NaN now and then
external forces      ``ExternalForceSet``, [n; f] at a point    rotated to the segment's axes; :class:`Unsupported` if
                     of the segment, along its axes             there is a quaternion: ``biorbd`` counts its three
                                                                velocities as three bodies of RBDL, and applies all
                                                                later forces to wrong bodies
==================== ========================================== ======================================================

biorbd has no function for a body's 6 × nv Jacobian, nor for its angular acceleration.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.engines.rbdl.biorbd_binding import Biorbd
from implementations.engines.rbdl.segments import ends, segments
from implementations.engines.state_by_state import of_places
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism


class BiorbdMotions(Biorbd):
    """One mechanism in the RBDL of ``biorbd``, at one state. Not thread-safe."""

    def __init__(self, engine: Any, mechanism: Mechanism) -> None:
        Biorbd.__init__(self, engine, mechanism.arrays.gravity, segments(mechanism, self.native, self.composes))
        self._mechanism, self._origin = mechanism, engine.Vector3d(0, 0, 0)
        turned = ends(mechanism, self.native, self.composes)
        self._ends = [(segment, np.array(turn.rotation.matrix, dtype=float)) for segment, turn in turned]
        bodies = [self.model.getBodyRbdlId(f"segment{segment}") for segment, _ in self._ends]
        points = [
            (
                bodies[frame.body],
                engine.Vector3d(*(self._ends[frame.body][1].T @ np.array(frame.placement.translation, dtype=float))),
            )
            for frame in mechanism.frames
            if frame.body >= 0
        ]
        places = [(body, self._origin) for body in bodies]
        for prefix, of in (("", places), ("frame_", points if len(points) == len(mechanism.frames) else [])):
            vars(self).update(of_places(self._set, of, {"velocities_aligned": self._velocity}, prefix))

    def _set(self, q: Array, v: Array) -> None:
        self._q, self._v = q, v

    def _velocity(self, place: tuple[int, Any]) -> Array:
        return self.model.CalcPointVelocity6D(self._q, self._v, *place).to_array()

    def placements(self, q: Array) -> list[Array]:
        # The first call brings the kinematics up to date for all.
        places = [self.model.globalJCS(q, segment).to_array()[:3] for segment, _ in self._ends]
        return [np.hstack([T[:, :3] @ turn.T, T[:, 3:]]) for T, (_, turn) in zip(places, self._ends, strict=True)]

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        self._require_no_quaternion("biorbd's CoMdot reads memory behind v")
        momentum = self.model.mass() * self.model.CoMdot(q, v).to_array()
        return np.concatenate([self.model.angularMomentum(q, v).to_array(), momentum])

    def center_of_mass_velocity(self, q: Array, v: Array) -> Array:
        self._require_no_quaternion("biorbd's CoMdot reads memory behind v")
        return self.model.CoMdot(q, v).to_array()

    def center_of_mass_acceleration(self, q: Array, v: Array, a: Array) -> Array:
        self._require_no_quaternion("biorbd's CoMddot reads memory behind v")
        return self.model.CoMddot(q, v, a).to_array()

    def center_of_mass_jacobian(self, q: Array) -> Array:
        self._require_no_quaternion("biorbd's CoMJacobian reads memory behind v")
        return self.model.CoMJacobian(q).to_array()

    def forward_dynamics_dtau(self, q: Array) -> Array:
        self._require_no_quaternion("biorbd's massMatrixInverse is wrong")
        return self.model.massMatrixInverse(q).to_array()

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        self._require_no_quaternion("biorbd puts external forces on other bodies")
        forces = self.model.externalForceSet()
        for (segment, turn), force in zip(self._ends, f, strict=True):
            turned = self.engine.SpatialVector(*(turn.T @ force[:3]), *(turn.T @ force[3:]))
            forces.addInSegmentReferenceFrame(self.engine.String(f"segment{segment}"), turned, self._origin)
        return self.model.InverseDynamics(q, v, a, forces).to_array()

    def _require_no_quaternion(self, fault: str) -> None:
        """Raise :class:`Unsupported` with the ``fault`` of biorbd, which counts velocities by q, where there is a quaternion."""
        if quaternions := self._mechanism.slots("quaternion"):
            joint, _ = quaternions[0]
            raise Unsupported(f"{fault} where there is a quaternion, as in {joint.name!r}")
