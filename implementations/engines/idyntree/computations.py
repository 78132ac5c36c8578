"""iDynTree's KinDynComputations of one mechanism, in iDynTree's own coordinates, in one of its three representations.

q has the numbers of iDynTree's joints, behind the base's x y z and quaternion w x y z if the base moves. v and a have the base's
[v; ω], then a number for every degree of freedom. :mod:`implementations.engines.idyntree.adapter` converts from and to ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from implementations.batches import for_each_state
from implementations.engines.idyntree.model import Built
from implementations.protocol import Array, Unsupported
from mechanisms.plain_text import one_line

BASE = 6
"""iDynTree's vectors and matrices begin with six entries of the base, also where the base does not move."""

PARAMETERS = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""iDynTree's order of a link's inertial parameters, all about the link's origin."""

OURS = [PARAMETERS.index(name) for name in ("m", "mcx", "mcy", "mcz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")]


class Computations:
    """The quantities in one ``representation`` of velocities. Not thread-safe.

    ``rows`` are the places in v of iDynTree's degrees of freedom, in iDynTree's order, the moving base left out.
    """

    def __init__(self, id: Any, built: Built, frame: str, representation: Any, rows: Sequence[int], gravity: Array) -> None:
        self._id, self._built, self._model, self._gravity = id, built, built.model, gravity
        self._mixed = representation == id.MIXED_REPRESENTATION
        self._asked = id.KinDynComputations()
        self._asked.loadRobotModel(built.model)
        self._asked.setFloatingBase(built.base)
        self._asked.setFrameVelocityRepresentation(representation)
        self._frames = [built.model.getFrameIndex(name) for name in built.links]
        self._links = [built.model.getFrameLink(frame) for frame in self._frames]
        self._in_link = [built.model.getFrameTransform(frame) for frame in self._frames]
        base = range(BASE) if built.floats else ()
        self._rows: NDArray[np.int_] = np.array([*base, *rows])
        self._back = np.argsort(self._rows)
        self._skipped = 0 if built.floats else BASE
        self._nq, self._dofs = built.model.getNrOfPosCoords(), built.model.getNrOfDOFs()
        self._matrices = tuple(id.MatrixDynSize() for _ in range(3))
        self._jacobian = id.MatrixDynSize(6, BASE + self._dofs)
        self._torques = id.FreeFloatingGeneralizedTorques(built.model)
        self._wrenches = id.LinkWrenches(built.model)
        self._fixed = [built.model.getFrameIndex(name) for name in built.frames]
        if self._fixed:
            self._offer_frames(frame)
        # iDynTree has one function for all representations.
        for family in (self.jacobians, self.velocities, self.drifts):
            setattr(self, f"{family.__name__}_{frame}", family)
        setattr(self, "classical_accelerations" if frame == "aligned" else f"accelerations_{frame}", self.accelerations)

    def _offer_frames(self, frame: str) -> None:
        """The same functions, asked for the mechanism's own frames, are methods too."""
        of_frames = copy(self)
        of_frames._frames = self._fixed
        classical = "frame_classical_accelerations" if frame == "aligned" else f"frame_accelerations_{frame}"
        self.frame_placements = of_frames.placements
        setattr(self, f"frame_jacobians_{frame}", of_frames.jacobians)
        setattr(self, f"frame_velocities_{frame}", of_frames.velocities)
        setattr(self, classical, of_frames.accelerations)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self._forces(lambda q, v, a: self._inverse_dynamics(a, np.zeros((0, 6))), q, v, a)

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        return self._forces(lambda q, v, a, f: self._inverse_dynamics(a, f), q, v, a, f)

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self._forces(lambda q, v: self._asked.generalizedBiasForces(self._torques), q, v)

    def gravity(self, q: Array) -> Array:
        return self._forces(lambda q: self._asked.generalizedGravityForces(self._torques), q)

    def mass_matrix(self, q: Array) -> Array:
        return self._square(lambda M, *_: self._asked.getFreeFloatingMassMatrix(M), q)

    def coriolis_matrix(self, q: Array, v: Array) -> Array:
        self._require_link_as_base("its Coriolis matrix", self._built.floats)
        return self._square(self._asked.getCoriolisAndMassMatrices, q, v)

    def joint_torque_regressor(self, q: Array, v: Array, a: Array) -> Array:
        self._require_link_as_base("its regressor", self._built.floats)
        columns = np.concatenate([10 * link + np.array(OURS) for link in self._links])

        def regressor(q: Array, v: Array, a: Array) -> Array:
            Y = self._matrices[0]
            Y.resize(BASE + self._dofs, 10 * self._model.getNrOfLinks())
            self._asked.inverseDynamicsInertialParametersRegressor(*self._acceleration(a), Y)
            return Y.toNumPy()[self._skipped :][self._back][:, columns]

        return self._at(regressor, (len(self._rows), len(columns)), q, v, a)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """By iDynTree's articulated-body algorithm. It has no gravity, so the forces that hold it are taken from τ before."""
        if not self._built.floats:
            raise Unsupported("iDynTree's articulated-body algorithm is for a free base only")
        self._require_link_as_base("its articulated-body algorithm", True)
        id, traversal = self._id, self._id.Traversal()
        position, velocity, acceleration = (
            of(self._model) for of in (id.FreeFloatingPos, id.FreeFloatingVel, id.FreeFloatingAcc)
        )
        self._model.computeFullTreeTraversal(traversal, self._model.getLinkIndex(self._built.base))
        buffers = id.ArticulatedBodyAlgorithmInternalBuffers(self._model)

        def articulated(q: Array, v: Array, tau: Array) -> Array:
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

        return self._at(articulated, (len(self._rows),), q, v, tau - self.gravity(q))

    def placements(self, q: Array) -> Array:
        def of_all(q: Array) -> list[Array]:
            return [self._asked.getWorldTransform(frame).asHomogeneousTransform().toNumPy()[:3] for frame in self._frames]

        return self._at(of_all, (len(self._frames), 3, 4), q)

    def jacobians(self, q: Array) -> Array:
        def of_all(q: Array) -> list[Array]:
            matrices = []
            for frame in self._frames:
                self._asked.getFrameFreeFloatingJacobian(frame, self._jacobian)
                matrices.append(self._columns(self._jacobian))
            return matrices

        return self._at(of_all, (len(self._frames), 6, len(self._rows)), q)

    def velocities(self, q: Array, v: Array) -> Array:
        return self._motions(lambda frame, q, v: self._asked.getFrameVel(frame), q, v)

    def accelerations(self, q: Array, v: Array, a: Array) -> Array:
        return self._motions(lambda frame, q, v, a: self._asked.getFrameAcc(frame, *self._acceleration(a)), q, v, a)

    def drifts(self, q: Array, v: Array) -> Array:
        self._require_link_as_base("its bias acceleration", self._built.floats and self._mixed)

        return self._motions(lambda frame, q, v: self._asked.getFrameBiasAcc(frame), q, v)

    def center_of_mass(self, q: Array) -> Array:
        return self._at(lambda q: self._asked.getCenterOfMassPosition().toNumPy(), (3,), q)

    def center_of_mass_velocity(self, q: Array, v: Array) -> Array:
        return self._at(lambda q, v: self._asked.getCenterOfMassVelocity().toNumPy(), (3,), q, v)

    def center_of_mass_acceleration(self, q: Array, v: Array, a: Array) -> Array:
        """Its Jacobian times the acceleration, and its bias acceleration."""

        def acceleration(q: Array, v: Array, a: Array) -> Array:
            return self._center_of_mass_jacobian() @ a + self._asked.getCenterOfMassBiasAcc().toNumPy()

        return self._at(acceleration, (3,), q, v, a)

    def center_of_mass_jacobian(self, q: Array) -> Array:
        return self._at(lambda q: self._center_of_mass_jacobian(), (3, len(self._rows)), q)

    def _center_of_mass_jacobian(self) -> Array:
        matrix = self._matrices[0]
        matrix.resize(3, BASE + self._dofs)
        self._asked.getCenterOfMassJacobian(matrix)
        return self._columns(matrix)

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        return self._at(lambda q, v: self._asked.getCentroidalTotalMomentum().toNumPy(), (6,), q, v)

    def centroidal_momentum_matrix(self, q: Array) -> Array:
        self._require_link_as_base("its centroidal momentum matrix", True)

        def matrix(q: Array) -> Array:
            self._asked.getCentroidalTotalMomentumJacobian(self._jacobian)
            return self._columns(self._jacobian)

        return self._at(matrix, (6, len(self._rows)), q)

    def _require_link_as_base(self, what: str, floats: bool) -> None:
        """Raise :class:`Unsupported` where a base that ``floats`` is a frame, as iDynTree's reader makes of a link without mass.

        See docs/findings/idyntree-frame-as-base.md.
        """
        if floats and not self._model.isLinkNameUsed(self._built.base):
            name = one_line(self._built.base, 60)
            raise Unsupported(f"iDynTree has made link {name!r} a frame of another link, and {what} is wrong for such a base")

    def _forces(self, fill: Callable[..., Any], *state: Array) -> Array:
        def torques(*state: Array) -> Array:
            fill(*state)
            parts = [self._torques.baseWrench().toNumPy(), self._torques.jointTorques().toNumPy()]
            return np.concatenate(parts)[self._skipped :][self._back]

        return self._at(torques, (len(self._rows),), *state)

    def _inverse_dynamics(self, a: Array, f: Array) -> None:
        self._wrenches.zero()
        for link, in_link, force in zip(self._links, self._in_link, f, strict=False):
            self._wrenches[link] = in_link * self._id.Wrench(force.copy())
        self._asked.inverseDynamics(*self._acceleration(a), self._wrenches, self._torques)

    def _square(self, fill: Callable[..., Any], *state: Array) -> Array:
        def matrix(*state: Array) -> Array:
            fill(*self._matrices)
            return self._columns(self._matrices[0])[self._skipped :][self._back]

        return self._at(matrix, (len(self._rows),) * 2, *state)

    def _columns(self, matrix: Any) -> Array:
        return matrix.toNumPy()[:, self._skipped :][:, self._back]

    def _motions(self, ask: Callable[..., Any], *state: Array) -> Array:
        of_all = lambda *state: [ask(frame, *state).toNumPy() for frame in self._frames]  # noqa: E731
        return self._at(of_all, (len(self._frames), 6), *state)

    def _acceleration(self, a: Array) -> tuple[Any, Any]:
        base = a[:BASE] if self._built.floats else np.zeros(BASE)
        joints = a[self._rows][BASE - self._skipped :]
        return self._id.Vector6(base.copy()), self._id.VectorDynSize(joints)

    def _at(self, answer: Callable[..., Any], shape: tuple[int, ...], q: Array, *others: Array) -> Array:
        """``answer`` at every state, with that state set."""
        id = self._id

        def of_state(q: Array, *others: Array) -> Any:
            pose, base, joints = id.Transform.Identity(), np.zeros(BASE), q
            v = others[0] if others else np.zeros(len(self._rows))
            if self._built.floats:
                pose, base, joints = self._pose(q), v[:BASE].copy(), q[7:].copy()
            rates = id.VectorDynSize(v[self._rows][BASE - self._skipped :])
            self._asked.setRobotState(pose, id.VectorDynSize(joints), id.Twist(base), rates, id.Vector3(self._gravity))
            return answer(q, *others)

        return for_each_state(of_state, shape, q, *others)

    def _pose(self, q: Array) -> Any:
        id = self._id
        return id.Transform(id.Rotation.RotationFromQuaternion(id.Vector4(q[3:7].copy())), id.Position(q[:3].copy()))
