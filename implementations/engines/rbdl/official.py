"""RBDL's own Python binding, behind the interface of :mod:`implementations.engines.rbdl.adapter`; build_binding.py builds it.

==================== ========================================== ======================================================
what                 RBDL                                       conversion
==================== ========================================== ======================================================
placements           ``CalcBodyToBaseCoordinates`` and          the segment's frame is rotated back to the body's, here and
                     ``CalcBodyWorldOrientation``, transposed   in all local quantities
Jacobians            ``CalcPointJacobian6D``, along the root's  aligned: of the body's origin; world: of the point of the
                     axes, of any point of the body             body at the root's origin
local Jacobians      ``CalcBodySpatialJacobian``                :class:`Unsupported` if there is a quaternion: the binding
                                                                then writes behind the matrix
velocities           ``CalcPointVelocity6D``, of any point      as the Jacobians
local velocities     ``Model.v`` after ``UpdateKinematics``     none
accelerations        ``CalcPointAcceleration6D``: [ω̇; p̈]        none; these are the classical ones
local accelerations  ``Model.a``, spatial, without gravity      none; the drifts J̇ v are those at rest
frames               points of bodies, along the root's axes    none; not offered where a frame is fixed to the root
centre of mass       ``CalcCenterOfMass``                       none
centroidal momentum  angular momentum about the centre of mass  followed by mass · velocity of the centre of mass
                     from ``CalcCenterOfMass``
external forces      [n; f] of every body, about the root's     forces are moved to the root's origin with RBDL's
                     origin and along its axes                  placements
==================== ========================================== ======================================================

The binding offers no kinetic energy, no derivatives and no momentum matrix. Spatial accelerations and drifts are those along the
body's axes only.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from implementations.engines.rbdl.model import Motion, floats, tree_of
from implementations.protocol import Array, Unsupported
from implementations.state_by_state import of_places
from mechanisms import Mechanism
from mechanisms.joint import Kind

ORIGIN = np.zeros(3)

API_VERSION = "_Z20rbdl_get_api_versionv"
"""The name of C++'s ``int rbdl_get_api_version()`` in a library that GCC or Clang has built."""


class Official:
    """RBDL's own Python binding, built from its sources with RBDL_BUILD_PYTHON_WRAPPER."""

    native: ClassVar[dict[Kind, str]] = {
        "translation": "JointTypeTranslationXYZ",
        "euler-xyz": "JointTypeEulerXYZ",
        "euler-yxz": "JointTypeEulerYXZ",
        "euler-zyx": "JointTypeEulerZYX",
        "spherical": "JointTypeSpherical",
        "free": "JointTypeFloatingBase",
    }
    """Joints that it has a name for. It has no name for RBDL's JointTypeEulerZXY (RBDL's issue 54)."""

    composes: ClassVar[bool] = True
    """RBDL itself composes joints of several axes, in any direction."""

    damped: ClassVar[tuple[str, ...]] = ()

    workarounds: ClassVar[tuple[str, ...]] = (
        "damping, which RBDL does not have, is added to forces and subtracted before ForwardDynamics",
        "the potential energy is computed from RBDL's mass and centre of mass",
    )

    def __init__(self, engine: Any, mechanism: Mechanism) -> None:
        self.engine = engine
        self.model = model = engine.Model()
        self._gravity = model.gravity = mechanism.arrays.gravity
        tree, self.ends = tree_of(mechanism, self)
        self.ids: list[int] = []
        """RBDL's number of every segment's body."""
        for segment in tree:
            X = engine.SpatialTransform()
            X.E = np.array(segment.placement.rotation.inverse().matrix, dtype=float)
            X.r = np.array(segment.placement.translation, dtype=float)
            body = engine.Body.fromMassComInertia(*floats(segment.inertia))
            parent = self.ids[segment.parent] if segment.parent >= 0 else 0
            self.ids.append(model.AddBody(parent, X, self._joint(segment.motion), body))

    def _joint(self, motion: Motion) -> Any:
        if not isinstance(motion, tuple):
            return self.engine.Joint.fromJointType(self.native[motion])
        # RBDL makes of six numbers a revolute, a prismatic or a helical joint, and of several rows a chain of them.
        axes = [[[x * screw.turns for x in screw.axis], [x * screw.advance for x in screw.axis]] for screw in motion]
        return self.engine.Joint.fromJointAxes(np.array(axes, dtype=float).reshape(-1, 6))

    def number_of(self, segment: int) -> int:
        """RBDL's number of the body of a segment."""
        return self.ids[segment]

    @staticmethod
    def version(engine: Any) -> str:
        """RBDL's version, from the library that the binding has loaded, or else what the binding says of itself."""
        try:
            number = getattr(ctypes.CDLL(engine.__file__), API_VERSION)()
        except (AttributeError, OSError):
            return str(getattr(engine, "__version__", "unknown"))
        return f"{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"

    def inverse_dynamics(self, q: Array, v: Array, a: Array, forces: Array | None = None) -> Array:
        """``forces`` are [n; f] of every body of RBDL, the root included, about the root's origin and along its axes."""
        self.engine.InverseDynamics(self.model, q, v, a, tau := np.zeros(len(v)), forces)
        return tau

    def mass_matrix(self, q: Array) -> Array:
        # RBDL writes only the entries that can differ from zero.
        M = np.zeros((self.model.qdot_size,) * 2)
        self.engine.CompositeRigidBodyAlgorithm(self.model, q, M)
        return M

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        self.engine.ForwardDynamics(self.model, q, self.padded(v), self.padded(tau), a := np.zeros(len(q)))
        return a[: len(v)]

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        self.engine.NonlinearEffects(self.model, q, self.padded(v), h := np.zeros(len(q)))
        return h[: len(v)]

    def gravity(self, q: Array) -> Array:
        return self.nonlinear_effects(q, np.zeros(self.model.qdot_size))

    def kinetic_energy(self, q: Array, v: Array) -> float:
        raise Unsupported("RBDL's Python binding offers no kinetic energy; compare its mass matrix instead")

    def potential_energy(self, q: Array) -> float:
        # What RBDL's CalcPotentialEnergy does, which the binding leaves out.
        mass = self.engine.CalcCenterOfMass(self.model, q, np.zeros(len(q)), com := np.zeros(3))
        return -mass * float(self._gravity @ com)

    def padded(self, v: Array) -> Array:
        """``v`` with zeros up to the size of q, which several functions of the binding read, whatever the size of v is."""
        return np.concatenate([v, np.zeros(self.model.q_size - len(v))])


class Point(NamedTuple):
    """A point (3,) of a body of RBDL, whose axes ``turn`` (3, 3) rotates to ours."""

    body: int
    turn: Array
    point: Array = ORIGIN


class OfficialMotions(Official):
    """One mechanism in RBDL's own binding, at one state. Not thread-safe."""

    def __init__(self, engine: Any, mechanism: Mechanism) -> None:
        Official.__init__(self, engine, mechanism)
        self._mechanism, self._still = mechanism, np.zeros(mechanism.nv)
        self._bodies = [Point(self.ids[segment], np.array(turn.rotation.matrix, dtype=float)) for segment, turn in self.ends]
        frames = [
            body._replace(point=body.turn.T @ np.array(frame.placement.translation, dtype=float))
            for frame in mechanism.frames
            if frame.body >= 0
            for body in [self._bodies[frame.body]]
        ]
        self._offer("", self._bodies, self._of_points() | self._of_bodies())
        if len(frames) == len(mechanism.frames):
            self._offer("frame_", frames, self._of_points())

    def _offer(self, prefix: str, points: Sequence[Point], asked: dict[str, Callable[[Point], Any]]) -> None:
        vars(self).update(of_places(self._update, points, asked, prefix))

    def _update(self, q: Array, v: Array | None = None, a: Array | None = None) -> None:
        self._q = q
        self._v, self._a = (self._still if x is None else x for x in (v, a))
        self.engine.UpdateKinematics(self.model, q, self._v, self._a)

    def _of_points(self) -> dict[str, Callable[[Point], Any]]:
        return {
            "jacobians_aligned": lambda at: self._jacobian(at.body, at.point),
            "velocities_aligned": lambda at: self._velocity(at.body, at.point),
            "classical_accelerations": lambda at: self.engine.CalcPointAcceleration6D(
                self.model, self._q, self._v, self._a, at.body, at.point, False
            ),
        }

    def _of_bodies(self) -> dict[str, Callable[[Point], Any]]:
        return {
            "placements": self._place,
            "jacobians_world": lambda at: self._jacobian(at.body, self._at_root(at.body)),
            "jacobians_local": self._body_jacobian,
            "velocities_world": lambda at: self._velocity(at.body, self._at_root(at.body)),
            "velocities_local": lambda at: self._local(self.model.v, at),
            "accelerations_local": lambda at: self._local(self.model.a, at),
        }

    def _place(self, at: Point) -> Array:
        R = self.engine.CalcBodyWorldOrientation(self.model, self._q, at.body, False).T
        p = self.engine.CalcBodyToBaseCoordinates(self.model, self._q, at.body, ORIGIN, False)
        return np.column_stack([R @ at.turn.T, p])

    def _at_root(self, body: int) -> Array:
        """The point of the body that is at the root's origin now."""
        return self.engine.CalcBaseToBodyCoordinates(self.model, self._q, body, ORIGIN, False)

    def _jacobian(self, body: int, point: Array) -> Array:
        # RBDL writes only the columns that can differ from zero.
        J = np.zeros((6, len(self._still)))
        self.engine.CalcPointJacobian6D(self.model, self._q, body, point, J, False)
        return J

    def _body_jacobian(self, at: Point) -> Array:
        if quaternions := self._mechanism.slots("quaternion"):
            joint, _ = quaternions[0]
            raise Unsupported(
                f"RBDL's binding writes behind the body's Jacobian where there is a quaternion, as in {joint.name!r}; "
                "compare those along the root's axes instead"
            )
        J = np.zeros((6, len(self._still)))
        self.engine.CalcBodySpatialJacobian(self.model, self._q, at.body, ORIGIN, J, False)
        return _turned(J, at)

    def _velocity(self, body: int, point: Array) -> Array:
        return self.engine.CalcPointVelocity6D(self.model, self._q, self._v, body, point, False)

    def _local(self, motions: Sequence[Any], at: Point) -> Array:
        """The motion of the body along its axes, of RBDL's list of spatial vectors of its bodies."""
        motion = motions[at.body]
        return _turned(np.array([motion[i] for i in range(6)]), at)

    def center_of_mass(self, q: Array) -> Array:
        return self._mass_motion(q, self._still)[0]

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        return self._mass_motion(q, v)[1]

    def _mass_motion(self, q: Array, v: Array) -> tuple[Array, Array]:
        """The centre of mass (3,), and [k; l] (6,)."""
        com, velocity, angular = np.zeros((3, 3))
        v = self.padded(v)
        mass = self.engine.CalcCenterOfMass(self.model, q, v, com, com_velocity=velocity, angular_momentum=angular)
        return com, np.concatenate([angular, mass * velocity])

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        self._update(q)
        forces = np.zeros((self._bodies[-1].body + 1, 6))
        for at, force in zip(self._bodies, f, strict=True):
            place = self._place(at)
            moment, linear = place[:, :3] @ force[:3], place[:, :3] @ force[3:]
            forces[at.body] = *(moment + np.cross(place[:, 3], linear)), *linear
        return self.inverse_dynamics(q, v, a, forces)


def _turned(motion: Array, at: Point) -> Array:
    """A motion (6, ...) along the segment's axes, along the body's."""
    return np.concatenate([at.turn @ motion[:3], at.turn @ motion[3:]])
