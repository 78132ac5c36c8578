"""adam (ami-iit), rigid-body dynamics of robots with a floating base for automatic differentiation; its NumPy backend is called.

How adam differs from our conventions
-------------------------------------

==================== ========================================== ======================================================
what                 adam                                       conversion
==================== ========================================== ======================================================
model                made of a URDF alone                       :func:`mechanisms.write_urdf` writes one; said as a
                                                                workaround, because what we write wrongly is invisible
base                 always free                                six rows and columns left out for a fixed base
joints               revolute, continuous, prismatic            others :class:`Unsupported`; a free base only through its
                                                                own reader, since URDF says "floating"
continuous: q        the angle                                  declared
axis                 as long as the URDF has it               of length one in what we write
base velocity        [v; ω] in the body's frame, for one of     declared: linear first
                     three representations, which is chosen
gravity              an acceleration of six numbers; its        ours is given
                     default is in float32
damping, armature    none                                       damping added to h; armature added to M
==================== ========================================== ======================================================

It has no inverse dynamics with accelerations, and no energies. Its forward dynamics always has a free base without a force.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from implementations.batches import for_each_state
from implementations.conventions.converted import Converted
from implementations.conventions.declared import Conventions
from implementations.conventions.rates import rotation
from implementations.protocol import Array, Missing, Unsupported
from mechanisms import Mechanism, write_urdf
from mechanisms.quantities import QUANTITIES

CONVENTIONS = Conventions(free_velocity_order="linear first", spatial_vectors="linear first", continuous="angle")

JOINTS = ("revolute", "continuous", "prismatic")


class Adam:
    """The implementation "adam". Raises :class:`Missing` if adam is not installed."""

    name = "adam"
    workarounds = (
        "the model is given as a URDF that we write, because adam has no other way in",
        "damping, which adam does not have, is added to h",
        "armature, which adam does not have, is added to the mass matrix",
    )

    @property
    def version(self) -> str:
        from importlib import metadata

        engine()
        return metadata.version("adam-robotics")

    def load(self, mechanism: Mechanism) -> Converted:
        for body in mechanism.bodies:
            if body.joint.kind not in JOINTS:
                raise Unsupported(f"adam has no {body.joint.kind} joint, which joint {body.joint.name!r} is")
        names = [body.joint.name for body in mechanism.bodies]
        require_subspaces(model_factory(write_urdf(mechanism)).get_joints())
        computed = computations(write_urdf(mechanism), names, mechanism.arrays.gravity)
        links = [body.name for body in mechanism.bodies]
        return Converted(AdamDynamics(computed, links, False, mechanism, list(range(len(names)))), mechanism, CONVENTIONS)


class AdamDynamics:
    """One model in adam. ``links`` are the names of our bodies' links in the ``order`` of adam's joints, behind the base if that
    is free; see :class:`implementations.protocol.Dynamics`."""

    def __init__(
        self, computed: Any, links: list[str], free: bool, mechanism: Mechanism, order: list[int], fixed_mass: bool = False
    ) -> None:
        self._adam, self._links, self._free, self._mechanism = computed, links, free, mechanism
        data, self._at = mechanism.arrays, 0 if free else 6
        v = np.concatenate([np.arange(mechanism.v_slices[i].start, mechanism.v_slices[i].stop) for i in order])
        self._armature, self._damping = (data.per_coordinate(x)[v] for x in (data.armature, data.damping))
        self._fixed_mass = fixed_mass
        self._n = mechanism.nv

    def mass_matrix(self, q: Array) -> Array:
        return self._each(self._adam.mass_matrix, (self._n, self._n), 2, q) + np.diag(self._armature)

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self._each(self._adam.bias_force, (self._n,), 1, q, v) + self._damping * v

    def gravity(self, q: Array) -> Array:
        return self._each(self._adam.gravity_term, (self._n,), 1, q)

    def placements(self, q: Array) -> Array:
        def of_state(q: Array) -> list[Array]:
            return [np.asarray(self._adam.forward_kinematics(link, *self._position(q)))[:3] for link in self._links]

        return for_each_state(of_state, (len(self._links), 3, 4), q)

    def jacobians_local(self, q: Array) -> Array:
        if self._free and self._n == 6:
            raise Unsupported("adam's Jacobian cannot be made for a robot without joints")

        def of_state(q: Array) -> list[Array]:
            return [np.asarray(self._adam.jacobian(link, *self._position(q)))[:, self._at :] for link in self._links]

        return for_each_state(of_state, (len(self._links), 6, self._n), q)

    def drifts_local(self, q: Array, v: Array) -> Array:
        def of_state(q: Array, v: Array) -> list[Array]:
            state = (*self._position(q), *self._velocity(v))
            return [np.asarray(self._adam.jacobian_dot(link, *state))[:, self._at :] @ v for link in self._links]

        return for_each_state(of_state, (len(self._links), 6), q, v)

    def center_of_mass(self, q: Array) -> Array:
        self._require_center_of_mass()
        return for_each_state(lambda q: np.asarray(self._adam.CoM_position(*self._position(q))), (3,), q)

    def center_of_mass_jacobian(self, q: Array) -> Array:
        self._require_center_of_mass()
        ask = self._adam.CoM_jacobian
        return for_each_state(lambda q: np.asarray(ask(*self._position(q)))[:, self._at :], (3, self._n), q)

    def _require_center_of_mass(self) -> None:
        QUANTITIES["center_of_mass"].require_defined(self._mechanism)
        if self._fixed_mass:
            raise Unsupported("adam's centre of mass counts links that do not move, and some of these have mass")

    def _each(self, ask: Any, shape: tuple[int, ...], axes: int, q: Array, *rates: Array) -> Array:
        def of_state(q: Array, *rates: Array) -> Array:
            state = list(self._position(q))
            if rates:
                state += self._velocity(rates[0])
                state += [rate[6 if self._free else 0 :] for rate in rates[1:]]
            answer = np.asarray(ask(*state))
            return answer[(slice(self._at, None),) * axes]

        return for_each_state(of_state, shape, q, *rates)

    def _position(self, q: Array) -> tuple[Array, Array]:
        """The base's transform (4, 4), and the positions of the joints."""
        base = np.eye(4)
        if not self._free:
            return base, q
        base[:3, :3], base[:3, 3] = rotation(q[3:7]), q[:3]
        return base, q[7:]

    def _velocity(self, v: Array) -> tuple[Array, Array]:
        return (v[:6], v[6:]) if self._free else (np.zeros(6), v)


def computations(urdf: str, joints: list[str], gravity: Array) -> Any:
    """adam's computations with these joints in this order, in the representation of the body's frame."""
    adam = engine()
    made = importlib.import_module("adam.numpy").KinDynComputations(urdf, joints, gravity=np.append(gravity, np.zeros(3)))
    made.set_frame_velocity_representation(adam.Representations.BODY_FIXED_REPRESENTATION)
    return made


def model_factory(urdf: str) -> Any:
    """adam's links and joints of a URDF."""
    engine()
    spec = importlib.import_module("adam.core.array_api_math").spec_from_reference(np.array(0.0))
    math = importlib.import_module("adam.numpy.numpy_like").SpatialMath(spec)
    return importlib.import_module("adam.model").URDFModelFactory(urdf, math)


def require_subspaces(joints: Any) -> None:
    """Raises :class:`Unsupported` for a joint that adam does not have, or fails at: in 0.5, at prismatic joints."""
    for joint in joints:
        if joint.type in ("floating", "planar"):
            raise Unsupported(f"adam has no {joint.type} joint, which joint {joint.name!r} is")
        try:
            joint.motion_subspace()
        except ValueError as error:
            raise Unsupported(f"adam's motion subspace of a {joint.type} joint cannot be made, at {joint.name!r}") from error


def engine() -> Any:
    """adam's Python module. Raises :class:`Missing`."""
    try:
        adam = importlib.import_module("adam")
        importlib.import_module("adam.numpy")
    except ImportError as error:
        raise Missing('adam is not installed; pip install "dalembert[adam]"') from error
    return adam
