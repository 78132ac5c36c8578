"""adam (ami-iit), rigid-body dynamics of robots with a floating base for automatic differentiation, in three array libraries.

One code computes with NumPy, with JAX and with PyTorch: "adam", "adam-jax", and "adam-torch" or "adam-torch-float32".

How adam differs from our conventions
-------------------------------------

==================== ========================================== ======================================================
what                 adam                                       conversion
==================== ========================================== ======================================================
model                made of a URDF alone                       :func:`mechanisms.write_urdf` writes one; said as a
                                                                workaround, because what we write wrongly is invisible
base                 always free                                six rows and columns left out for a fixed base; a free
                                                                one is our free body, at the root's frame
joints               revolute, continuous, prismatic            others :class:`Unsupported`
continuous: q        the angle                                  declared
axis                 as long as the URDF has it               of length one in what we write
frames               a representation of all velocities, the    all of them,
                     base's too: body-fixed, inertial, mixed    :mod:`implementations.engines.representations`
spatial vectors      linear first, [v; ω]                       exchanged
gravity              an acceleration of six numbers; its        ours is given
                     default is in float32
batches              any leading axes, but for ``aba`` in       NumPy is asked for one state at a time, the others for
                     NumPy                                      blocks (:mod:`implementations.engines.blocks`)
damping, armature    none                                       damping added to h; armature added to M
==================== ========================================== ======================================================

It has no inverse dynamics with accelerations, and no energies. Its forward dynamics always has a free base.
"""

from __future__ import annotations

import importlib
from importlib import metadata
from typing import Any

import numpy as np

from implementations.engines.adam.calls import AdamCalls
from implementations.engines.blocks import BlockByBlock, InJAX
from implementations.engines.declared import Adapter, declared, imported
from implementations.engines.left_out import completed
from implementations.engines.representations import NAMES, InEveryRepresentation
from implementations.engines.segments import not_there, require_hinges_and_slides
from implementations.protocol import Dynamics, Unsupported
from implementations.state_by_state import StateByState
from mechanisms import Mechanism, write_urdf


class Adam(Adapter):
    """The implementation "adam". Raises :class:`implementations.protocol.Missing` if adam is not installed."""

    name = extra = "adam"
    of_library = ("adam.numpy", "KinDynComputations", "numpy")
    """adam's module and class, and the module of the arrays."""
    answers = StateByState

    @property
    def version(self) -> str:
        self._library()
        package = self.of_library[2].partition(".")[0]
        return metadata.version("adam-robotics") + (f" ({package} {metadata.version(package)})" if package != "numpy" else "")

    def load(self, mechanism: Mechanism) -> Dynamics:
        free, joints = mechanism.has_free_base, require_hinges_and_slides("adam", mechanism)
        if free and not joints:
            raise Unsupported("adam's Jacobians and its forward dynamics fail where no joint is behind a free base")
        if free and any(frame.body < 0 for frame in mechanism.frames):
            raise Unsupported("a free base has no root in adam, to which a frame could be fixed")
        self._library()
        urdf = write_urdf(mechanism, free_base=free)
        require_subspaces(model_factory(urdf).get_joints())
        links = [body.name for body in mechanism.bodies]
        return self.dynamics_of(urdf, joints, links, mechanism, list(range(len(links))))

    def dynamics_of(
        self, urdf: str, joints: list[str], links: list[str], mechanism: Mechanism, order: list[int], fixed_mass: bool = False
    ) -> Dynamics:
        """What adam answers about the model of a ``urdf``, in our coordinates.

        ``joints`` are adam's joints in its order, and ``links`` the names of the links that our bodies are, in the ``order`` of
        these joints, behind the base if it is free: there is one more then. ``fixed_mass`` says whether a link that does not
        move has mass.
        """
        adam, (made, xp) = engine(self.extra), self._library()
        dtype = getattr(xp, np.dtype(mechanism.precision.dtype).name)
        gravity = xp.asarray(np.append(mechanism.arrays.gravity, np.zeros(3)), dtype=dtype)
        free = len(links) > len(joints)

        def asked(frame: str) -> StateByState:
            computed = made(urdf, joints, dtype=dtype, gravity=gravity)
            computed.set_frame_velocity_representation(getattr(adam.Representations, NAMES[frame]))
            calls = AdamCalls(computed, lambda x: xp.asarray(x, dtype=dtype), links, frame, free, fixed_mass)
            return self.answers(mechanism, calls)

        dynamics = InEveryRepresentation(asked, mechanism, declared("adam").conventions, order, "aligned")
        return completed("adam", mechanism, dynamics)

    def _library(self) -> tuple[Any, Any]:
        """adam's class, and the module of the arrays. Raises :class:`implementations.protocol.Missing`."""
        engine(self.extra)
        module, name, arrays = self.of_library
        title = f"adam with {arrays.partition('.')[0]}"
        return getattr(imported(title, self.extra, module, name), name), imported(title, self.extra, arrays)


class AdamJAX(InJAX, Adam):
    """The implementation "adam-jax". It computes in float64 where JAX is told so: with ``JAX_ENABLE_X64=1``."""

    name = extra = "adam-jax"
    of_library = ("adam.jax", "KinDynComputations", "jax.numpy")
    answers = BlockByBlock


class AdamTorch(Adam):
    """The implementation "adam-torch", in float64 and on the CPU."""

    name = extra = "adam-torch"
    of_library = ("adam.pytorch", "KinDynComputationsBatch", "torch")
    answers = BlockByBlock


class AdamTorchFloat32(AdamTorch):
    """The implementation "adam-torch-float32": adam's own default with PyTorch."""

    name = "adam-torch-float32"
    precision = "float32"


def computations(urdf: str, joints: list[str]) -> Any:
    """adam's computations of a URDF with these joints in this order, with NumPy."""
    engine()
    return importlib.import_module("adam.numpy").KinDynComputations(urdf, joints)


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
            raise not_there("adam", joint.type, joint.name)
        try:
            joint.motion_subspace()
        except ValueError as error:
            raise Unsupported(f"adam's motion subspace of a {joint.type} joint cannot be made, at {joint.name!r}") from error


def engine(extra: str = "adam") -> Any:
    """adam's Python module. Raises :class:`implementations.protocol.Missing`."""
    imported("adam", extra, "adam.numpy")
    return imported("adam", extra, "adam")
