"""RBDL's coordinates: the order of q, and v′ = T v. :mod:`implementations.engines.rbdl.adapter` has the table of differences.

A free joint has v′ = [ṗ; ω] in RBDL, with ṗ in the joint's frame. Ours is v = [ω; Rᵀ ṗ]. A planar joint is the same in two
dimensions:

    T = [0 R; 1 0],    T⁻¹ = Tᵀ,    Ṫ v = [R (ω × v); 0]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from implementations.protocol import Array
from mechanisms import Mechanism


class Coordinates:
    """Converts our coordinates to RBDL's. ``velocities_differ`` says whether T is not the identity for some joint."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._circles: list[tuple[int, slice]] = []
        self._poses: list[tuple[slice, slice]] = []
        in_order: list[int] = []
        at_the_end: list[int] = []
        for body, q, v in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
            if body.joint.velocity_is_body_twist and body.joint.description.distances:
                self._poses.append((q, v))
            for slot in body.joint.slots:
                numbers = range(q.start + slot.q.start, q.start + slot.q.stop)
                if slot.form == "circle":
                    self._circles.append((len(in_order), slice(numbers.start, numbers.stop)))
                if slot.form == "quaternion":
                    at_the_end.append(numbers[-1])
                in_order += numbers[: slot.v.stop - slot.v.start]
        self._q = np.array(in_order + at_the_end)
        self.velocities_differ = bool(self._poses)

    def change_at(self, q: Array) -> Change:
        """The change of coordinates at our position q (batch, nq)."""
        rbdl_q = q[:, self._q]
        for k, circle in self._circles:
            cosine, sine = q[:, circle].T
            rbdl_q[:, k] = np.arctan2(sine, cosine)
        return Change(rbdl_q, [_part(v, _rotation(q[:, pose])) for pose, v in self._poses])


class Part(NamedTuple):
    """One joint's part of T: where ω and v stand in our velocities, where ṗ and ω in RBDL's, and R (batch, n, n)."""

    turning: slice
    moving: slice
    first: slice
    last: slice
    R: Array


class Change:
    """The change of coordinates at a batch of positions: RBDL's ``q`` (batch, its nq), and T, the identity for most joints."""

    def __init__(self, q: Array, parts: list[Part]) -> None:
        self.q = q
        self._parts = parts

    def to_rbdl(self, ours: Array) -> Array:
        """T x for x (batch, nv): from our coordinates to RBDL's."""
        rbdl = np.array(ours)
        for turning, moving, first, last, R in self._parts:
            rbdl[:, first] = np.einsum("bij,bj->bi", R, ours[:, moving])
            rbdl[:, last] = ours[:, turning]
        return rbdl

    def to_ours(self, rbdl: Array) -> Array:
        """Tᵀ x along the last axis of x (batch, ..., nv): from RBDL's coordinates to ours."""
        ours = np.array(rbdl)
        for turning, moving, first, last, R in self._parts:
            ours[..., turning] = rbdl[..., last]
            ours[..., moving] = np.einsum("bij,b...i->b...j", R, rbdl[..., first])
        return ours

    def bias(self, v: Array) -> Array:
        """Ṫ v, for our v (batch, nv)."""
        rbdl = np.zeros_like(v)
        for turning, moving, first, _, R in self._parts:
            rbdl[:, first] = np.einsum("bij,bj->bi", R, _cross(v[:, turning], v[:, moving]))
        return rbdl


def _part(v: slice, R: Array) -> Part:
    n = R.shape[-1]
    return Part(slice(v.start, v.stop - n), slice(v.stop - n, v.stop), slice(v.start, v.start + n), slice(v.start + n, v.stop), R)


def _cross(w: Array, v: Array) -> Array:
    """ω × v: in space, both (batch, 3); or in the plane, with ω (batch, 1) normal to it and v (batch, 2)."""
    return np.cross(w, v) if w.shape[1] == 3 else w * np.stack([-v[:, 1], v[:, 0]], axis=1)


def _rotation(q: Array) -> Array:
    """R: (batch, 3, 3) at positions q (batch, 7) of a free joint, (batch, 2, 2) at positions (batch, 3) of a planar joint."""
    if q.shape[1] == 3:
        c, s = np.cos(q[:, 2]), np.sin(q[:, 2])
        return np.array([[c, -s], [s, c]]).transpose(2, 0, 1)
    # (w² − uᵀu) 1 + 2 u uᵀ + 2 w [u]×, of a unit quaternion.
    u, w = q[:, None, 3:6], q[:, 6, None, None]
    ut = u.swapaxes(1, 2)
    return (w * w - u @ ut) * np.eye(3) + 2 * (ut @ u) + 2 * w * np.cross(np.eye(3), u)
