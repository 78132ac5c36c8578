"""Builds Newton's model of a mechanism with ``ModelBuilder``.

=========== ================================================================================================
ours        Newton's
=========== ================================================================================================
revolute    REVOLUTE, as is continuous
prismatic   PRISMATIC
universal   D6 with two angular axes, which must be at right angles; otherwise two REVOLUTE
translation D6 with three linear axes
euler-…     D6 with three angular axes
planar      D6 with two linear axes and an angular one
cylindrical REVOLUTE and PRISMATIC
spherical   BALL
free        FREE
helical     none
=========== ================================================================================================

Frames of the mechanism are links without mass on FIXED joints. Links and joints have the same numbers, since
``SolverFeatherstone`` takes one for the other (docs/findings/newton-featherstone-joint-numbers.md).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from implementations.engines.blocks import BLOCK
from implementations.engines.segments import Segment, motions, segments
from mechanisms import Joint, Mechanism, Placement
from mechanisms.joint import Screw

Axes = tuple[Screw, ...]
"""The motions of a joint of Newton; none for BALL and FREE."""


class Built(NamedTuple):
    """Worlds with the same mechanism, as many as a block has states."""

    model: Any
    bodies: list[int]
    """The number of the link of each of our bodies in one world, which is also that of its last joint."""
    frames: list[int]
    """The number of the link of each of our frames."""


def build(newton: Any, mechanism: Mechanism) -> Built:
    """Newton's model of ``mechanism``. Raises :class:`implementations.protocol.Unsupported`."""
    one = newton.ModelBuilder()
    tree, ends = segments(mechanism, _motions)
    for segment in tree:
        _add(newton, one, segment)
    bodies = [end.segment for end in ends]
    frames = []
    for frame in mechanism.frames:
        parent = bodies[frame.body] if frame.body >= 0 else -1
        frames.append(one.add_link())
        one.add_joint_fixed(parent=parent, child=frames[-1], parent_xform=transform(frame.placement))
    one.add_articulation(list(range(one.joint_count)))
    worlds = newton.ModelBuilder()
    worlds.replicate(one, BLOCK)
    # Its check would change inertias that no body can have.
    model = worlds.finalize("cpu", skip_validation_inertia=True)
    model.set_gravity(mechanism.arrays.gravity)
    return Built(model, bodies, frames)


def _motions(joint: Joint) -> list[tuple[Axes, Placement]]:
    """The motions of Newton's joints for ``joint``."""
    screws = motions(joint, without_helix="Newton")
    if joint.kind in ("spherical", "free"):
        return [((), Placement())]
    axes = tuple(screw for screw in screws if screw)
    is_chain = joint.kind == "cylindrical" or (joint.kind == "universal" and not _at_right_angles(joint))
    return [(group, Placement()) for group in ([(axis,) for axis in axes] if is_chain else [axes])]


def _at_right_angles(joint: Joint) -> bool:
    first, second = (screw.axis for screw in joint.screws)
    return sum(x * y for x, y in zip(first, second, strict=True)) == 0


def _add(newton: Any, builder: Any, segment: Segment[Axes]) -> None:
    inertia, joint, kinds = segment.inertia, segment.joint, newton.JointType
    about_com, com = np.array(inertia.matrix, dtype=float), np.array(inertia.com, dtype=float)
    link = builder.add_link(mass=float(inertia.mass), com=com, inertia=about_com, label=segment.name)
    place = {"parent": segment.parent, "child": link, "parent_xform": transform(segment.placement), "label": segment.name}
    if joint.kind == "spherical":
        builder.add_joint_ball(**place)
        return
    if joint.kind == "free":
        builder.add_joint_free(**place)
        return
    axes: dict[bool, list[Any]] = {False: [], True: []}
    for screw in segment.motion:
        axis = np.array(screw.axis, dtype=float)
        axes[screw.turns].append(
            newton.ModelBuilder.JointDofConfig(axis=axis, damping=float(joint.damping), armature=float(joint.armature))
        )
    single = kinds.REVOLUTE if axes[True] else kinds.PRISMATIC
    kind = single if len(segment.motion) == 1 else kinds.D6
    builder.add_joint(kind, linear_axes=axes[False], angular_axes=axes[True], **place)


def transform(placement: Placement) -> tuple[float, ...]:
    """x y z, and the unit quaternion x y z w."""
    w, *xyz = placement.rotation.quaternion
    largest = max(map(abs, (w, *xyz)))
    quaternion = np.array([x / largest for x in (*xyz, w)], dtype=float)
    return (*map(float, placement.translation), *(quaternion / np.linalg.norm(quaternion)))
