"""Newton's free joints, whose velocity is that of the centre of mass of the body that they carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from implementations.conventions.rates import rotation
from implementations.protocol import Array
from mechanisms import Inertia, Mechanism

LINEAR, ANGULAR = slice(0, 3), slice(3, 6)
"""The parts of Newton's velocities, forces and motions."""


class FreeJoint(NamedTuple):
    """A free joint of one world."""

    q: slice
    v: slice
    parent: int
    """The link on which it is, −1 for the root."""
    on_moving: bool
    """Whether that link moves."""
    turn: Array
    """R (3, 3) from the joint's axes to those of the parent."""
    com: Array
    """The centre of mass of the link that it carries, in the frame of the joint on that link (3,)."""

    def lever(self, q: Array) -> Array:
        """From the joint's place on the link to the centre of mass, along the joint's axes (batch, 3)."""
        return np.asarray(rotation(q[:, self.q][:, 3:].astype(np.float64)) @ self.com)


def free_joints(newton: Any, model: Any) -> list[FreeJoint]:
    """Those of the first world."""
    kinds, children, parents, before, *starts, on_parent, on_child, coms = (
        getattr(model, name).numpy()
        for name in (
            *("joint_type", "joint_child", "joint_parent", "joint_ancestor", "joint_q_start", "joint_qd_start"),
            *("joint_X_p", "joint_X_c", "body_com"),
        )
    )

    def moves(k: int) -> bool:
        return k >= 0 and bool(starts[1][k + 1] > starts[1][k] or moves(before[k]))

    found = []
    for k in np.flatnonzero(kinds[: model.joint_count // model.world_count] == int(newton.JointType.FREE)):
        q, v = (slice(int(start[k]), int(start[k + 1])) for start in starts)
        place, end = on_parent[k].astype(float), on_child[k].astype(float)
        com = rotation(end[3:]).T @ (coms[children[k]] - end[:3])
        found.append(FreeJoint(q, v, int(parents[k]), moves(before[k]), rotation(place[3:]), com))
    return found


def with_centres(mechanism: Mechanism, joints: list[FreeJoint], order: Sequence[int]) -> Mechanism:
    """The mechanism whose free bodies have the centres of mass of Newton's links, to which a file may weld others.

    ``order`` has the index of our body for every joint that moves.
    """
    bodies, free = list(mechanism.bodies), (i for i in order if mechanism.bodies[i].joint.kind == "free")
    for i, joint in zip(free, joints, strict=True):
        bodies[i] = replace(bodies[i], inertia=Inertia(1, tuple(map(float, joint.com))))
    return replace(mechanism, bodies=tuple(bodies))
