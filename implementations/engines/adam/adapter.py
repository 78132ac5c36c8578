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

from implementations.conventions.converted import Converted
from implementations.conventions.declared import Conventions
from implementations.conventions.rates import rotation
from implementations.engines.declared import imported
from implementations.engines.left_out import Completed
from implementations.protocol import Array, Unsupported
from implementations.state_by_state import StateByState, of_places
from mechanisms import Mechanism, write_urdf

CONVENTIONS = Conventions(free_velocity_order="linear first", spatial_vectors="linear first", continuous="angle")

JOINTS = ("revolute", "continuous", "prismatic")


class Adam:
    """The implementation "adam". Raises :class:`implementations.protocol.Missing` if adam is not installed."""

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

    def load(self, mechanism: Mechanism) -> Completed:
        for body in mechanism.bodies:
            if body.joint.kind not in JOINTS:
                raise Unsupported(f"adam has no {body.joint.kind} joint, which joint {body.joint.name!r} is")
        names = [body.joint.name for body in mechanism.bodies]
        require_subspaces(model_factory(write_urdf(mechanism)).get_joints())
        computed = computations(write_urdf(mechanism), names, mechanism.arrays.gravity)
        links = [body.name for body in mechanism.bodies]
        return dynamics_of(computed, links, False, mechanism, list(range(len(names))))


def dynamics_of(
    computed: Any, links: list[str], free: bool, mechanism: Mechanism, order: list[int], fixed_mass: bool = False
) -> Completed:
    """What adam answers about a model, in our coordinates.

    ``links`` are the names of our bodies' links in the ``order`` of adam's joints, behind the base if that is ``free``.
    ``fixed_mass`` says whether a link that does not move has mass.
    """
    calls = AdamCalls(computed, links, free, mechanism.nv, fixed_mass)
    return Completed(Converted(StateByState(mechanism, calls), mechanism, CONVENTIONS, order), mechanism)


class AdamCalls:
    """One model in adam, at one state."""

    def __init__(self, computed: Any, links: list[str], free: bool, nv: int, fixed_mass: bool) -> None:
        self._adam, self._free, self._n, self._fixed_mass = computed, free, nv, fixed_mass
        self._own = slice(0 if free else 6, None)
        """The rows and columns of joints, and the rows and columns of a free base."""
        of_links = {
            "placements": lambda link: np.asarray(self._adam.forward_kinematics(link, *self._state))[:3],
            "jacobians_local": lambda link: np.asarray(self._adam.jacobian(link, *self._state))[:, self._own],
            "drifts_local": lambda link: np.asarray(self._adam.jacobian_dot(link, *self._state))[:, self._own] @ self._v,
        }
        vars(self).update(of_places(self._set, links, of_links))

    def mass_matrix(self, q: Array) -> Array:
        return np.asarray(self._adam.mass_matrix(*self._position(q)))[self._own, self._own]

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return np.asarray(self._adam.bias_force(*self._position(q), *self._velocity(v)))[self._own]

    def gravity(self, q: Array) -> Array:
        return np.asarray(self._adam.gravity_term(*self._position(q)))[self._own]

    def center_of_mass(self, q: Array) -> Array:
        self._require_center_of_mass()
        return np.asarray(self._adam.CoM_position(*self._position(q)))

    def center_of_mass_jacobian(self, q: Array) -> Array:
        self._require_center_of_mass()
        return np.asarray(self._adam.CoM_jacobian(*self._position(q)))[:, self._own]

    def _require_center_of_mass(self) -> None:
        if self._fixed_mass:
            raise Unsupported("adam's centre of mass counts links that do not move, and some of these have mass")

    def _set(self, q: Array, v: Array | None = None) -> None:
        self._v = v
        self._state = self._position(q) if v is None else (*self._position(q), *self._velocity(v))

    def _position(self, q: Array) -> tuple[Array, ...]:
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
    """adam's Python module. Raises :class:`implementations.protocol.Missing`."""
    imported("adam", "adam", "adam.numpy")
    return imported("adam", "adam", "adam")
