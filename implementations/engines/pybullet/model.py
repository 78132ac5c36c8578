"""Builds PyBullet's multibody of a mechanism by ``createMultiBody``.

PyBullet takes principal moments of inertia and a quaternion, so the inertia matrix is decomposed here. It numbers links by depth;
the name "link5" tells that a link was the fifth that was given. A joint with several angles and distances becomes several links,
all but the last without mass.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from implementations.engines.pybullet.world import Multibody, World
from implementations.protocol import Unsupported
from mechanisms import Inertia, Joint, Mechanism, Placement
from mechanisms.joint import Screw

BASE = 0
"""The number of the base in ``linkParentIndices``; links are counted from 1 there."""


def built(mechanism: Mechanism) -> Multibody:
    """Raises :class:`Unsupported` for joints that PyBullet computes wrongly or does not have, and for free ones."""
    world, links, given, coordinates = World(), Links(), {-1: BASE}, []
    for i, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        at, placement = given[parent], body.joint.placement
        motions = list(_motions(body.joint))
        for k, (motion, q, v) in enumerate(motions):
            inertia = body.inertia if k == len(motions) - 1 else Inertia.massless()
            at, placement = links.add(world, at, motion, placement, inertia), Placement()
            coordinates.append((mechanism.q_slices[i].start + q - _circles(mechanism, i), mechanism.v_slices[i].start + v))
        given[i] = at
    body = world.call("createMultiBody", baseMass=0, **links.arguments)
    numbers = [world.call("getJointInfo", body, joint)[12] for joint in range(len(coordinates))]
    order = [int(name.decode().removeprefix("link")) for name in numbers]
    for link, number in enumerate(order):
        # What drags a body in PyBullet's simulation enters nothing that is computed here, but is no part of the mechanism.
        dragless = {"linearDamping": 0, "angularDamping": 0, "jointDamping": 0}
        world.call("changeDynamics", body, link, localInertiaDiagonal=links.moments[number - 1], **dragless)
    world.call("setGravity", *map(float, mechanism.gravity))
    rows = tuple([coordinates[number - 1][k] for number in order] for k in (0, 1))
    places = {number: link for link, number in enumerate(order)}
    return Multibody(world, body, [places[given[i]] for i in range(len(mechanism.bodies))], (rows[0], rows[1]))


class Links:
    """The arguments of ``createMultiBody``, and every link's principal moments of inertia."""

    def __init__(self) -> None:
        self.moments: list[list[float]] = []
        self.arguments: dict[str, list[Any]] = {name: [] for name in _ARGUMENTS}

    def add(self, world: World, parent: int, motion: Screw, placement: Placement, inertia: Inertia) -> int:
        """The new link's number."""
        moments, axes = np.linalg.eigh(np.array(inertia.matrix, dtype=float))
        axes[:, 0] *= np.sign(np.linalg.det(axes))
        joint = world.pybullet.JOINT_REVOLUTE if motion.turns else world.pybullet.JOINT_PRISMATIC
        rotation = np.array(placement.rotation.quaternion, dtype=float)
        values = (
            float(inertia.mass),
            -1,
            -1,
            [float(x) for x in placement.translation],
            np.roll(rotation / np.linalg.norm(rotation), -1).tolist(),
            [float(x) for x in inertia.com],
            _quaternion(axes),
            parent,
            joint,
            [float(x) for x in motion.axis],
        )
        for name, value in zip(_ARGUMENTS, values, strict=True):
            self.arguments[name].append(value)
        self.moments.append(moments.tolist())
        return len(self.moments)


_ARGUMENTS = (
    "linkMasses",
    "linkCollisionShapeIndices",
    "linkVisualShapeIndices",
    "linkPositions",
    "linkOrientations",
    "linkInertialFramePositions",
    "linkInertialFrameOrientations",
    "linkParentIndices",
    "linkJointTypes",
    "linkJointAxis",
)


def _motions(joint: Joint) -> Iterator[tuple[Screw, int, int]]:
    """The motions of a joint, in the order of its position, each with its place in the joint's q and v."""
    for k, slot in enumerate(joint.slots):
        if slot.form == "quaternion":
            if joint.kind == "free":
                raise Unsupported(f"the adapter does not convert PyBullet's free base, which joint {joint.name!r} is")
            raise Unsupported(f"PyBullet computes {joint.kind} joints, which joint {joint.name!r} is, wrongly")
        screw = joint.screws[slot.v.start]
        if screw.turns and screw.advance:
            raise Unsupported(f"PyBullet has no helical joint, which joint {joint.name!r} is")
        yield screw, k, slot.v.start


def _circles(mechanism: Mechanism, i: int) -> int:
    """How many numbers of q the continuous joints before joint ``i`` have more than angles."""
    return sum(body.joint.nq - len(body.joint.slots) for body in mechanism.bodies[:i])


def _quaternion(R: Any) -> list[float]:
    """x y z w of a rotation matrix, by the largest of its four numbers."""
    K = np.array(
        [
            [R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0],
            [R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
            [R[2, 0] + R[0, 2], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1], 0],
            [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], np.trace(R)],
        ]
    )
    return [float(x) for x in np.linalg.eigh(K)[1][:, -1]]
