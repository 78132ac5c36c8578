"""iDynTree's KinDynComputations of one mechanism, in iDynTree's own coordinates, in one of its three representations.

q has the numbers of iDynTree's joints, behind the base's x y z and quaternion w x y z if the base moves. v and a have the base's
[v; ω], then a number for every degree of freedom. :mod:`implementations.engines.idyntree.adapter` converts from and to ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from implementations.engines.idyntree.model import Built
from implementations.protocol import Array, Unsupported
from implementations.state_by_state import after, of_places
from mechanisms.plain_text import one_line

BASE = 6
"""iDynTree's vectors and matrices begin with six entries of the base, also where the base does not move."""

PARAMETERS = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""iDynTree's order of a link's inertial parameters, all about the link's origin."""

OURS = [PARAMETERS.index(name) for name in ("m", "mcx", "mcy", "mcz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")]


class Computations:
    """The quantities of one state, in one ``representation`` of velocities, which is our ``frame``. Not thread-safe.

    ``rows`` are the places in v of iDynTree's degrees of freedom, in iDynTree's order, the moving base left out.
    """

    def __init__(self, id: Any, built: Built, frame: str, representation: Any, rows: Sequence[int], gravity: Array) -> None:
        self._id, self._built, self._model, self._gravity = id, built, built.model, gravity
        self._mixed = representation == id.MIXED_REPRESENTATION
        self._asked = id.KinDynComputations()
        self._asked.loadRobotModel(built.model)
        self._asked.setFloatingBase(built.base)
        self._asked.setFrameVelocityRepresentation(representation)
        bodies, frames = ([built.model.getFrameIndex(name) for name in names] for names in (built.links, built.frames))
        self._links = [built.model.getFrameLink(body) for body in bodies]
        self._in_link = [built.model.getFrameTransform(body) for body in bodies]
        base = range(BASE) if built.floats else ()
        self._rows: NDArray[np.int_] = np.array([*base, *rows])
        self._back = np.argsort(self._rows)
        self._skipped = 0 if built.floats else BASE
        self._dofs = built.model.getNrOfDOFs()
        self._matrices = tuple(id.MatrixDynSize() for _ in range(3))
        self._jacobian = id.MatrixDynSize(6, BASE + self._dofs)
        self._torques = id.FreeFloatingGeneralizedTorques(built.model)
        self._wrenches = id.LinkWrenches(built.model)
        # iDynTree has one function for all representations.
        acceleration = "classical_accelerations" if self._mixed else f"accelerations_{frame}"
        asked = {
            "placements": lambda place: self._asked.getWorldTransform(place).asHomogeneousTransform().toNumPy()[:3],
            f"jacobians_{frame}": self._jacobian_of,
            f"velocities_{frame}": lambda place: self._asked.getFrameVel(place).toNumPy(),
        }
        for places, prefix in ((bodies, ""), (frames, "frame_")):
            accelerations = {acceleration: lambda place: self._asked.getFrameAcc(place, *self._given).toNumPy()}
            vars(self).update(of_places(self._set, places, asked, prefix))
            vars(self).update(of_places(self._set_accelerated, places, accelerations, prefix))
        vars(self).update(of_places(self._set, bodies, {f"drifts_{frame}": self._drift}))
        of_all: dict[str, Callable[[], Any]] = {
            "nonlinear_effects": lambda: self._forces(self._asked.generalizedBiasForces),
            "gravity": lambda: self._forces(self._asked.generalizedGravityForces),
            "mass_matrix": lambda: self._square(self._asked.getFreeFloatingMassMatrix, self._matrices[:1]),
            "center_of_mass_jacobian": self._center_of_mass_jacobian,
            "center_of_mass": lambda: self._asked.getCenterOfMassPosition().toNumPy(),
            "center_of_mass_velocity": lambda: self._asked.getCenterOfMassVelocity().toNumPy(),
            "centroidal_momentum": lambda: self._asked.getCentroidalTotalMomentum().toNumPy(),
        }
        vars(self).update(after(self._set, of_all))

    def _set(self, q: Array, v: Array | None = None) -> None:
        id, pose, base, joints = self._id, self._id.Transform.Identity(), np.zeros(BASE), q
        v = np.zeros(len(self._rows)) if v is None else v
        if self._built.floats:
            pose, base, joints = self._pose(q), v[:BASE].copy(), q[7:].copy()
        rates = id.VectorDynSize(v[self._rows][BASE - self._skipped :])
        self._asked.setRobotState(pose, id.VectorDynSize(joints), id.Twist(base), rates, id.Vector3(self._gravity))

    def _set_accelerated(self, q: Array, v: Array, a: Array) -> None:
        self._set(q, v)
        self._given = self._acceleration(a)

    def _acceleration(self, a: Array) -> tuple[Any, Any]:
        base = a[:BASE] if self._built.floats else np.zeros(BASE)
        joints = a[self._rows][BASE - self._skipped :]
        return self._id.Vector6(base.copy()), self._id.VectorDynSize(joints)

    def _pose(self, q: Array) -> Any:
        id = self._id
        return id.Transform(id.Rotation.RotationFromQuaternion(id.Vector4(q[3:7].copy())), id.Position(q[:3].copy()))

    def _jacobian_of(self, place: int) -> Array:
        self._asked.getFrameFreeFloatingJacobian(place, self._jacobian)
        return self._columns(self._jacobian)

    def _drift(self, place: int) -> Array:
        self._require_link_as_base("its bias acceleration", self._built.floats and self._mixed)
        return self._asked.getFrameBiasAcc(place).toNumPy()

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self.inverse_dynamics_with_forces(q, v, a, np.zeros((0, 6)))

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        self._set(q, v)
        self._wrenches.zero()
        for link, in_link, force in zip(self._links, self._in_link, f, strict=False):
            self._wrenches[link] = in_link * self._id.Wrench(force.copy())
        return self._forces(partial(self._asked.inverseDynamics, *self._acceleration(a), self._wrenches))

    def coriolis_matrix(self, q: Array, v: Array) -> Array:
        self._require_link_as_base("its Coriolis matrix", self._built.floats)
        self._set(q, v)
        return self._square(self._asked.getCoriolisAndMassMatrices, self._matrices)

    def joint_torque_regressor(self, q: Array, v: Array, a: Array) -> Array:
        self._require_link_as_base("its regressor", self._built.floats)
        self._set(q, v)
        Y, columns = self._matrices[0], np.concatenate([10 * link + np.array(OURS) for link in self._links])
        Y.resize(BASE + self._dofs, 10 * self._model.getNrOfLinks())
        self._asked.inverseDynamicsInertialParametersRegressor(*self._acceleration(a), Y)
        return Y.toNumPy()[self._skipped :][self._back][:, columns]

    @cached_property
    def _articulated(self) -> tuple[Any, ...]:
        """What iDynTree's articulated-body algorithm needs: the order of links, buffers, and the state."""
        id, model = self._id, self._model
        traversal = id.Traversal()
        model.computeFullTreeTraversal(traversal, model.getLinkIndex(self._built.base))
        state = (of(model) for of in (id.FreeFloatingPos, id.FreeFloatingVel, id.FreeFloatingAcc))
        return traversal, id.ArticulatedBodyAlgorithmInternalBuffers(model), *state

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """By iDynTree's articulated-body algorithm. It has no gravity, so the forces that hold it are taken from τ before."""
        if not self._built.floats:
            raise Unsupported("iDynTree's articulated-body algorithm is for a free base only")
        self._require_link_as_base("its articulated-body algorithm", True)
        id, (traversal, buffers, position, velocity, acceleration) = self._id, self._articulated
        self._set(q)
        tau = tau - self._forces(self._asked.generalizedGravityForces)
        position.worldBasePos, position.jointPos = self._pose(q), id.JointPosDoubleArray(q[7:])
        velocity.baseVel, velocity.jointVel = id.Twist(v[:BASE].copy()), id.JointDOFsDoubleArray(v[self._rows][BASE:])
        self._wrenches.zero()
        self._wrenches[self._model.getLinkIndex(self._built.base)] = id.Wrench(tau[:BASE].copy())
        torques = id.JointDOFsDoubleArray(tau[self._rows][BASE:])
        if not id.ArticulatedBodyAlgorithm(
            self._model, traversal, position, velocity, self._wrenches, torques, buffers, acceleration
        ):
            raise Unsupported("iDynTree's articulated-body algorithm is for joints of one degree of freedom only")
        return np.concatenate([acceleration.baseAcc.toNumPy(), acceleration.jointAcc.toNumPy()])[self._back]

    def center_of_mass_acceleration(self, q: Array, v: Array, a: Array) -> Array:
        """Its Jacobian times the acceleration, and its bias acceleration."""
        self._set(q, v)
        return self._center_of_mass_jacobian() @ a + self._asked.getCenterOfMassBiasAcc().toNumPy()

    def _center_of_mass_jacobian(self) -> Array:
        matrix = self._matrices[0]
        matrix.resize(3, BASE + self._dofs)
        self._asked.getCenterOfMassJacobian(matrix)
        return self._columns(matrix)

    def centroidal_momentum_matrix(self, q: Array) -> Array:
        self._require_link_as_base("its centroidal momentum matrix", True)
        self._set(q)
        self._asked.getCentroidalTotalMomentumJacobian(self._jacobian)
        return self._columns(self._jacobian)

    def _require_link_as_base(self, what: str, floats: bool) -> None:
        """Raise :class:`Unsupported` where a base that ``floats`` is a frame, as iDynTree's reader makes of a link without mass.

        See docs/findings/idyntree-frame-as-base.md.
        """
        if floats and not self._model.isLinkNameUsed(self._built.base):
            name = one_line(self._built.base, 60)
            raise Unsupported(f"iDynTree has made link {name!r} a frame of another link, and {what} is wrong for such a base")

    def _forces(self, ask: Callable[[Any], Any]) -> Array:
        ask(self._torques)
        parts = [self._torques.baseWrench().toNumPy(), self._torques.jointTorques().toNumPy()]
        return np.concatenate(parts)[self._skipped :][self._back]

    def _square(self, ask: Callable[..., Any], matrices: Sequence[Any]) -> Array:
        """The first of the matrices that are asked for."""
        ask(*matrices)
        return self._columns(matrices[0])[self._skipped :][self._back]

    def _columns(self, matrix: Any) -> Array:
        return matrix.toNumPy()[:, self._skipped :][:, self._back]
