"""Newton's free joints, whose velocity is that of the centre of mass of the body that they carry."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from implementations.conventions import coordinates
from implementations.conventions.rates import crossing, rotation
from implementations.protocol import Array
from mechanisms.quantities.steps import is_step, quantity_named

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


class OfOrigins:
    """``dynamics`` in Newton's coordinates, where velocities of free joints are those of the origins of links.

    Newton's velocity is C v, and its acceleration C a + b: v of the centre of mass is ṗ + ω × r, with r from the origin.
    """

    def __init__(self, dynamics: Any, joints: list[FreeJoint], nv: int) -> None:
        self._dynamics, self._joints, self._nv = dynamics, joints, nv

    def __dir__(self) -> list[str]:
        return dir(self._dynamics)

    def __getattr__(self, quantity: str) -> Callable[..., Array]:
        if quantity.startswith("_"):
            raise AttributeError(quantity)
        getattr(self._dynamics, quantity)
        return partial(self._answer, quantity)

    def _answer(self, quantity: str, q: Array, *others: Array) -> Array:
        names = quantity_named(quantity).arguments
        state = {name: x.astype(np.float64) for name, x in zip(names, (q, *others), strict=True)}
        if not self._joints:
            return self._asked(state, quantity)
        C, b = self._change(state)
        theirs = coordinates.read(state, C, b)
        if is_step(quantity):
            moved, turned = np.split(self._asked(theirs, quantity), [q.shape[1]], axis=1)
            at_end, _ = self._change({"q": moved})
            return np.concatenate([moved, np.linalg.solve(at_end, turned[..., None])[..., 0]], axis=1)
        answer = self._asked(theirs, quantity)
        return np.asarray(coordinates.answered(quantity, answer, C, b, True, partial(self._asked, theirs)))

    def _asked(self, state: dict[str, Array], quantity: str) -> Array:
        return np.asarray(getattr(self._dynamics, quantity)(*(state[name] for name in quantity_named(quantity).arguments)))

    def _change(self, state: dict[str, Array]) -> tuple[Array, Array]:
        """C (batch, nv, nv), and b (batch, nv), which is zero for a state without velocity."""
        q, v = state["q"], state.get("v")
        b = np.zeros((len(q), self._nv))
        C = np.zeros((len(q), self._nv, self._nv)) + np.eye(self._nv)
        for joint in self._joints:
            r = joint.lever(q)
            C[:, joint.v, joint.v][:, LINEAR, ANGULAR] = -crossing(r)
            if v is not None:
                omega = v[:, joint.v][:, ANGULAR]
                b[:, joint.v][:, LINEAR] = np.cross(omega, np.cross(omega, r))
        return C, b
