"""A mechanism in PyBullet: its multibody, made by ``createMultiBody`` in a world of its own, and its functions of one state.

PyBullet takes principal moments of inertia and a quaternion, so the inertia matrix is decomposed here. It numbers links by depth;
the name "link5" tells that a link was the fifth that was given. A joint with several angles and distances becomes several links,
all but the last without mass. PyBullet keeps kinematic trees between calls, also those of bodies that were removed, so every
mechanism gets another world.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from implementations.engines.declared import engine_of
from implementations.engines.files import with_what_it_said
from implementations.engines.segments import Segment, motions, segments
from implementations.protocol import Array, Unsupported
from mechanisms import Joint, Mechanism, Placement
from mechanisms.joint import Screw

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
    "moments",
)
"""What describes links to ``createMultiBody``; the principal moments of inertia, which come last, are set afterwards."""


def engine() -> Any:
    """PyBullet's Python module. Raises :class:`implementations.protocol.Missing`."""
    # It prints when it was built.
    return with_what_it_said(lambda: engine_of("pybullet"))[0]


class World:
    """A world whose functions need not be told which one it is."""

    def __init__(self) -> None:
        self.pybullet = engine()
        self._client = self.pybullet.connect(self.pybullet.DIRECT)
        # It prints that it has freed more than it had. At the end of the process nothing needs to be freed.
        weakref.finalize(self, with_what_it_said, partial(self.pybullet.disconnect, self._client)).atexit = False

    def call(self, name: str, *arguments: Any, **named: Any) -> Any:
        return getattr(self.pybullet, name)(*arguments, **named, physicsClientId=self._client)


class Multibody:
    """The quantities of one state of a multibody on a fixed base, in PyBullet's own coordinates: one for every joint that moves.

    ``links`` are the links of our bodies. ``rows`` are the places in q and v of PyBullet's coordinates: (those of q, those of v).
    """

    def __init__(self, world: World, body: int, links: Sequence[int], rows: tuple[Sequence[int], Sequence[int]]) -> None:
        self._world, self._body, self._links = world, body, list(links)
        self._q, self._v = (np.array(x, dtype=int) for x in rows)
        self._back = np.argsort(self._v)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        self._require_base("inverse dynamics")
        rates = ((x[self._v]).tolist() for x in (v, a))
        return np.array(self._about("calculateInverseDynamics", q[self._q].tolist(), *rates))[self._back]

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self.inverse_dynamics(q, v, 0 * v)

    def gravity(self, q: Array) -> Array:
        none = np.zeros(len(self._v))
        return self.inverse_dynamics(q, none, none)

    def mass_matrix(self, q: Array) -> Array:
        return np.array(self._about("calculateMassMatrix", q[self._q].tolist()))[self._back][:, self._back]

    def step(self, q: Array, v: Array, tau: Array, h: Array) -> Array:
        """Where ``stepSimulation`` leads without the motors that every joint has at first."""
        bullet, moving, force = self._world.pybullet, self._moving, tau[self._v].tolist()
        for link, *state in zip(moving, q[self._q], v[self._v], strict=True):
            self._about("resetJointState", link, *map(float, state))
        self._about("setJointMotorControlArray", moving, bullet.VELOCITY_CONTROL, forces=[0.0] * len(moving))
        self._about("setJointMotorControlArray", moving, bullet.TORQUE_CONTROL, forces=force)
        self._world.call("setTimeStep", float(h[0]))
        self._world.call("stepSimulation")
        states = np.array([one[:2] for one in self._about("getJointStates", moving)])
        return np.concatenate([states[np.argsort(self._q), 0], states[self._back, 1]])

    def jacobians_aligned(self, q: Array) -> list[Array]:
        self._require_base("Jacobians")
        still = [0.0] * len(self._v)
        pairs = (self._about("calculateJacobian", link, [0.0] * 3, q[self._q].tolist(), still, still) for link in self._links)
        return [np.array([*turning, *moving])[:, self._back] for moving, turning in pairs]

    @cached_property
    def _moving(self) -> list[int]:
        """The links whose joints move, in the order of PyBullet's coordinates."""
        joints = range(self._about("getNumJoints"))
        return [joint for joint in joints if self._about("getJointInfo", joint)[2] != self._world.pybullet.JOINT_FIXED]

    @cached_property
    def _is_turned(self) -> bool:
        """Whether the base is turned. Its frame is that of its principal axes, which a file may turn."""
        return any(self._about("getBasePositionAndOrientation")[1][:3])

    def _require_base(self, what: str) -> None:
        if self._is_turned:
            raise Unsupported(f"PyBullet's {what} ignore how a fixed base is turned, and this base has turned principal axes")

    def _about(self, name: str, *arguments: Any, **named: Any) -> Any:
        return self._world.call(name, self._body, *arguments, **named)


def built(mechanism: Mechanism) -> Multibody:
    """Raises :class:`Unsupported` for joints that PyBullet computes wrongly or does not have, and for free ones."""
    world, coordinates = World(), list[tuple[int, int]]()
    arguments: dict[str, list[Any]] = {name: [] for name in _ARGUMENTS}
    tree, ends = segments(mechanism, _motions)
    for segment in tree:
        for name, value in zip(_ARGUMENTS, _link(world, segment), strict=True):
            arguments[name].append(value)
    start = 0
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        # After the conversions, every number of q is an angle or a distance.
        coordinates += [(start + k, own.start + slot.v.start) for k, slot in enumerate(body.joint.slots)]
        start += len(body.joint.slots)
    moments = arguments.pop("moments")
    body = world.call("createMultiBody", baseMass=0, **arguments)
    names = [world.call("getJointInfo", body, joint)[12] for joint in range(len(tree))]
    order = [int(name.decode().removeprefix("link")) - 1 for name in names]
    for link, number in enumerate(order):
        # What drags a body in PyBullet's simulation enters nothing that is computed here, but is no part of the mechanism.
        damping = float(tree[number].joint.damping)
        dragless = {"linearDamping": 0, "angularDamping": 0, "jointDamping": damping}
        world.call("changeDynamics", body, link, localInertiaDiagonal=moments[number], **dragless)
    world.call("setGravity", *map(float, mechanism.gravity))
    q, v = ([coordinates[number][k] for number in order] for k in (0, 1))
    return Multibody(world, body, [order.index(end.segment) for end in ends], (q, v))


def _link(world: World, segment: Segment[Screw]) -> tuple[Any, ...]:
    """A segment's part of every one of :data:`_ARGUMENTS`."""
    moments, axes = np.linalg.eigh(np.array(segment.inertia.matrix, dtype=float))
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    rotation = np.array(segment.placement.rotation.quaternion, dtype=float)
    return (
        float(segment.inertia.mass),
        -1,
        -1,
        [float(x) for x in segment.placement.translation],
        np.roll(rotation / np.linalg.norm(rotation), -1).tolist(),
        [float(x) for x in segment.inertia.com],
        _quaternion(axes),
        # The base is 0, and links are counted from 1.
        segment.parent + 1,
        world.pybullet.JOINT_REVOLUTE if segment.motion.turns else world.pybullet.JOINT_PRISMATIC,
        [float(x) for x in segment.motion.axis],
        moments.tolist(),
    )


def _motions(joint: Joint) -> Iterator[tuple[Screw, Placement]]:
    for screw in motions(joint, without_helix="PyBullet"):
        if screw is None:
            if joint.kind == "free":
                raise Unsupported(f"the adapter does not convert PyBullet's free base, which joint {joint.name!r} is")
            raise Unsupported(f"PyBullet computes {joint.kind} joints, which joint {joint.name!r} is, wrongly")
        yield screw, Placement()


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
