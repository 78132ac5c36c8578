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
``SolverFeatherstone`` takes one for the other (docs/findings/newton-featherstone-joint-numbers.md). Every tree is an
articulation of its own, because Newton takes M about the first body of an articulation, which may be far from another tree.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from implementations.engines.blocks import BLOCK
from implementations.engines.segments import Segment, motions, quaternion_of, segments
from mechanisms import Frame, Joint, Mechanism, Placement
from mechanisms.joint import Screw
from mechanisms.numbers.exact import dot

Axes = tuple[Screw, ...]
"""The motions of a joint of Newton; none for BALL and FREE."""


class Built(NamedTuple):
    """Worlds with the same mechanism, as many as a block has states."""

    model: Any
    bodies: list[int]
    """The number of the link of each of our bodies in one world, which is also that of its last joint."""
    frames: list[int]
    """The number of the link of each of our frames."""
    order: list[int]
    """The index of our body for every joint: Newton has the joints tree by tree."""


def build(newton: Any, mechanism: Mechanism) -> Built:
    """Newton's model of ``mechanism``. Raises :class:`implementations.protocol.Unsupported`."""
    one = newton.ModelBuilder()
    tree, ends = segments(mechanism, _motions)
    parents = [segment.parent for segment in tree]
    parents += [ends[frame.body].segment if frame.body >= 0 else -1 for frame in mechanism.frames]
    roots: list[int] = []
    for k, parent in enumerate(parents):
        # A frame of the world has no tree, and is put into the first one.
        roots.append(roots[parent] if parent >= 0 else k if k < len(tree) else 0)
    by_trees = sorted(range(len(parents)), key=roots.__getitem__)
    links = {-1: -1, **{k: link for link, k in enumerate(by_trees)}}
    for k in by_trees:
        _add(newton, one, tree[k] if k < len(tree) else mechanism.frames[k - len(tree)], links[parents[k]])
    for _, joints in groupby(range(len(by_trees)), lambda joint: roots[by_trees[joint]]):
        one.add_articulation(list(joints))
    bodies = [links[end.segment] for end in ends]
    worlds = newton.ModelBuilder()
    worlds.replicate(one, BLOCK)
    # Its check would change inertias that no body can have.
    model = worlds.finalize("cpu", skip_validation_inertia=True)
    model.set_gravity(mechanism.arrays.gravity)
    order = sorted(range(len(bodies)), key=bodies.__getitem__)
    return Built(model, bodies, [links[k] for k in range(len(tree), len(parents))], order)


def _motions(joint: Joint) -> list[tuple[Axes, Placement]]:
    """The motions of Newton's joints for ``joint``."""
    screws = motions(joint, without_helix="Newton")
    if joint.kind in ("spherical", "free"):
        return [((), Placement())]
    axes = tuple(screw for screw in screws if screw)
    is_chain = joint.kind == "cylindrical" or (joint.kind == "universal" and dot(*(screw.axis for screw in joint.screws)) != 0)
    return [(group, Placement()) for group in ([(axis,) for axis in axes] if is_chain else [axes])]


def _add(newton: Any, builder: Any, segment: Segment[Axes] | Frame, parent: int) -> None:
    """A link, and its joint on the link ``parent``."""
    if isinstance(segment, Frame):
        builder.add_joint_fixed(parent=parent, child=builder.add_link(), parent_xform=transform(segment.placement))
        return
    inertia, joint, kinds = segment.inertia, segment.joint, newton.JointType
    about_com, com = np.array(inertia.matrix, dtype=float), np.array(inertia.com, dtype=float)
    link = builder.add_link(mass=float(inertia.mass), com=com, inertia=about_com, label=segment.name)
    place = {"parent": parent, "child": link, "parent_xform": transform(segment.placement), "label": segment.name}
    if add := {"spherical": builder.add_joint_ball, "free": builder.add_joint_free}.get(joint.kind):
        add(**place)
        return
    axes: dict[bool, list[Any]] = {False: [], True: []}
    for screw in segment.motion:
        axis = np.array(screw.axis, dtype=float)
        axes[screw.turns].append(
            newton.ModelBuilder.JointDofConfig(axis=axis, damping=float(joint.damping), armature=float(joint.armature))
        )
    kind = kinds.D6 if len(segment.motion) > 1 else kinds.REVOLUTE if axes[True] else kinds.PRISMATIC
    builder.add_joint(kind, linear_axes=axes[False], angular_axes=axes[True], **place)


def transform(placement: Placement) -> tuple[float, ...]:
    """x y z, and the unit quaternion x y z w."""
    quaternion = np.roll(quaternion_of(placement), -1)
    return (*map(float, placement.translation), *(quaternion / np.linalg.norm(quaternion)))
