"""JaxSim (ami-iit), rigid-body dynamics and simulation of robots in JAX, on the CPU.

How JaxSim differs from our conventions
---------------------------------------

==================== ========================================== ======================================================
what                 JaxSim                                     conversion
==================== ========================================== ======================================================
base                 one link, which moves freely or is fixed   our free body, if it is the only one on the root and
                                                                its joint is at the root's origin; otherwise a link
                                                                of 10⁻³⁰ kg: links without mass become nan
joints               revolute and prismatic, with one number    others :class:`Unsupported`
quaternion           w x y z                                    declared
spatial vectors      linear first, [v; ω]                       exchanged
representations      body-fixed, inertial and mixed, of all     all of them,
                     velocities, the base's too                 :mod:`implementations.engines.representations`
gravity              one number, along z                        :class:`Unsupported` along another axis
damping, armature    kept or left out; damping is in time       damping added to τ and h, subtracted before forward
                     steps alone                                dynamics; armature added to τ and M,
                                                                :class:`Unsupported` in forward dynamics and steps
limits of motors     3000 N m, less above 30 rad/s              taken away in time steps
states               one                                        ``vmap``, over blocks of states
                                                                (:mod:`implementations.engines.blocks`)
==================== ========================================== ======================================================

XLA compiles one program for every quantity, when it is asked first.

The precision is float64, as JaxSim sets it, unless ``JAX_ENABLE_X64=0`` is in the environment.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from implementations.engines.blocks import BlockByBlock
from implementations.engines.declared import Adapter, declared, imported
from implementations.engines.jaxsim.calls import Calls
from implementations.engines.left_out import Completed
from implementations.engines.representations import InEveryRepresentation
from implementations.engines.segments import pose_of, require_hinges_and_slides
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism

REPRESENTATIONS = {"local": "Body", "world": "Inertial", "aligned": "Mixed"}
"""The names of JaxSim's representations, by our frames."""

ROOT_MASS = 1e-30


@dataclass(frozen=True)
class Built:
    """A model whose links are our bodies, behind the root if that does not move."""

    model: Any
    order: list[int]
    """The index of our body for every link."""
    frames: Sequence[int] = ()
    """JaxSim's index of every frame of the mechanism, or none."""


class JaxSim(Adapter):
    """The implementation "jaxsim". Raises :class:`implementations.protocol.Missing` if JaxSim is not installed."""

    name = "jaxsim"

    @property
    def precision(self) -> str:
        """JaxSim enables float64 in JAX unless this variable is 0."""
        return "float32" if os.environ.get("JAX_ENABLE_X64") == "0" else "float64"

    def load(self, mechanism: Mechanism) -> Completed:
        return dynamics_of(mechanism, built(mechanism))


def dynamics_of(mechanism: Mechanism, made: Built) -> Completed:
    """What JaxSim answers about a model, in our coordinates."""
    representations = engine().common.VelRepr

    def asked(frame: str) -> BlockByBlock:
        return BlockByBlock(mechanism, Calls(made.model, made.frames, frame, getattr(representations, REPRESENTATIONS[frame])))

    dynamics = InEveryRepresentation(asked, mechanism, declared("jaxsim").conventions, made.order, "aligned")
    return Completed(dynamics, mechanism, "JaxSim")


def built(mechanism: Mechanism) -> Built:
    """Raises :class:`Unsupported` for what JaxSim's models do not have."""
    js, described = engine(), imported("JaxSim", "jaxsim", "jaxsim.parsers.descriptions")
    data, floats = mechanism.arrays, mechanism.has_free_base
    if data.gravity[:2].any():
        raise Unsupported("JaxSim has gravity along z alone")
    require_hinges_and_slides("JaxSim", mechanism)
    links: list[Any] = [] if floats else [_link(described, "root", ROOT_MASS, np.zeros(3), np.zeros((3, 3)))]
    joints: list[Any] = []
    for i, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        if body.inertia.mass == 0:
            raise Unsupported(f"JaxSim has no links without mass, which body {body.name!r} is")
        links.append(_link(described, f"link{i}", data.masses[i], data.coms[i], data.inertias[i]))
        if floats and parent < 0:
            continue
        on = links[parent + (not floats)]
        pose = pose_of(body.joint.placement)
        damping = float(body.joint.damping)
        kind = getattr(described.JointType, "Prismatic" if body.joint.kind == "prismatic" else "Revolute")
        joints.append(described.JointDescription(f"joint{i}", data.axes[i], pose, kind, links[-1], on, friction_viscous=damping))
    frames = [
        described.LinkDescription(
            f"frame{k}",
            0.0,
            np.zeros((3, 3)),
            parent_name=links[frame.body + (not floats)].name,
            pose=pose_of(frame.placement),
        )
        for k, frame in enumerate(mechanism.frames)
        if not floats or min(frame.body for frame in mechanism.frames) >= 0  # A free base has no root to which it could be fixed.
    ]
    description = described.ModelDescription.build_model_from(
        mechanism.name, links, joints, frames, fixed_base=not floats, base_link_name=links[0].name
    )
    model = js.model.JaxSimModel.build(description, gravity=float(data.gravity[2]))
    order = [int(name[len("link") :]) for name in model.link_names()[not floats :]]
    return Built(model, order, [model.number_of_links() + model.frame_names().index(frame.name) for frame in frames])


def _link(described: Any, name: str, mass: float, com: Array, inertia: Array) -> Any:
    spatial = imported("JaxSim", "jaxsim", "jaxsim.math").Inertia.to_sixd(mass, com, inertia)
    return described.LinkDescription(name, mass, np.asarray(spatial))


def engine() -> Any:
    """JaxSim's functions. Raises :class:`implementations.protocol.Missing`."""
    # It sets how NumPy prints.
    with np.printoptions():
        return imported("JaxSim", "jaxsim", "jaxsim.api", "model")
