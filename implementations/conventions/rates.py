"""The velocities that code has for free, spherical and planar joints: T(q) with v = T v', and b with a = T a' + b.

Our velocity is [ω; v] along the body's axes; a joint with fewer components has a part of it. R and p are the body's pose in the
joint's frame, which is the root's frame for most mechanisms. Positions q have any leading axes. Wrappers for users contain the
text of these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

COMPONENTS = {"spherical": slice(0, 3), "planar": slice(2, 5), "free": slice(0, 6)}
"""Which components of [ω; v] the velocity of a joint has, by the kind of its pose."""

ALONG_JOINT = {
    "joint": (True, True),
    "mixed": (True, True),
    "angular body, linear mixed": (False, True),
    "angular mixed, linear body": (True, False),
    "center of mass": (True, True),
}
"""By a declared value: whether ω is along the joint's axes, and whether the velocity of the point is."""


def of_joints(kind: str, mechanism: Any, q: Any, block: Callable[[Any, Any], Any]) -> Any:
    """T (…, nv, nv), with the components of block(R, p) (…, 6, 6) that joints of this kind have, and ones for other joints."""
    # The positions may be complex, for derivatives.
    T = np.zeros((*q.shape[:-1], mechanism.nv, mechanism.nv), np.result_type(q, float)) + np.eye(mechanism.nv)
    part = COMPONENTS[kind]
    for body, own_q, own_v in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        if body.joint.pose == kind:
            own = q[..., own_q]
            R = turn_about_z(own[..., 2]) if kind == "planar" else rotation(own[..., -4:])
            T[..., own_v, own_v] = block(R, own[..., :3])[..., part, part]
    return T


def turn_about_z(angle: Any) -> Any:
    """R (…, 3, 3) of angles (…)."""
    c, s = np.cos(angle)[..., None, None], np.sin(angle)[..., None, None]
    return c * np.diag((1, 1, 0)) + s * crossing(np.array((0, 0, 1))) + np.diag((0, 0, 1))


def rotation(e: Any) -> Any:
    """R (…, 3, 3) of a quaternion x y z w of any length; each entry is rounded as little as float64 allows."""
    x, y, z, w = np.moveaxis(np.asarray(e), -1, 0)
    # Sums of squares are subtracted once, and the square of the length divides once.
    rows = (
        (x * x + w * w - (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), y * y + w * w - (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), z * z + w * w - (x * x + y * y)),
    )
    R = np.stack([np.stack(row, -1) for row in rows], -2)
    return R / (x * x + y * y + (z * z + w * w))[..., None, None]


def crossing(u: Any) -> Any:
    """[u]× (…, 3, 3)."""
    return np.cross(u[..., None, :], np.eye(3)).swapaxes(-1, -2)


def blocks(A: Any, B: Any, C: Any, D: Any) -> Any:
    """[[A, B], [C, D]] (…, 6, 6) of (…, 3, 3)."""
    return np.concatenate((np.concatenate((A, B), -1), np.concatenate((C, D), -1)), -2)


def along_joint(kind: str, angular: bool, linear: bool, mechanism: Any, q: Any) -> Any:
    """v' has ω, if ``angular``, and the velocity of the body's origin, if ``linear``, along the joint's axes."""

    def block(R: Any, p: Any) -> Any:
        Rt, one = R.swapaxes(-1, -2), 0 * R + np.eye(3)
        return blocks(Rt if angular else one, 0 * R, 0 * R, Rt if linear else one)

    return of_joints(kind, mechanism, q, block)


def spatial(mechanism: Any, q: Any) -> Any:
    """v' of free joints is the spatial twist: along the joint's axes, of the point at the joint's origin."""

    def block(R: Any, p: Any) -> Any:
        Rt = R.swapaxes(-1, -2)
        return blocks(Rt, 0 * R, -Rt @ crossing(p), Rt)

    return of_joints("free", mechanism, q, block)


def inverse_spatial(mechanism: Any, q: Any) -> Any:
    """The inverse of :func:`spatial`."""
    return of_joints("free", mechanism, q, lambda R, p: blocks(R, 0 * R, crossing(p) @ R, R))


def of_mass(mechanism: Any, q: Any) -> Any:
    """v' of free joints has the velocity of the body's centre of mass in the place of its origin's."""
    T = np.eye(mechanism.nv)
    for i, (body, own) in enumerate(zip(mechanism.bodies, mechanism.v_slices, strict=True)):
        if body.joint.pose == "free":
            T[own, own][3:, :3] = crossing(mechanism.arrays.coms[i])
    return T


def inverse_of_mass(mechanism: Any, q: Any) -> Any:
    """The inverse of :func:`of_mass`."""
    return 2 * np.eye(mechanism.nv) - of_mass(mechanism, q)


def linear_first(kind: str, mechanism: Any, q: Any) -> Any:
    """v' has the linear components of joints of this kind before the angular ones."""
    T = np.eye(mechanism.nv)
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        if body.joint.pose == kind:
            T[own, own] = np.roll(T[own, own], body.joint.nv - body.joint.description.distances, axis=0)
    return T


INVERSES: dict[Any, Callable[[Any, Any], Any]] = {spatial: inverse_spatial, of_mass: inverse_of_mass}
"""The inverses of the factors that are not orthogonal."""


def factors(kind: str, twist: str, order: str) -> list[Callable[[Any, Any], Any]]:
    """The factors of T for joints of this kind, of which code declares such a velocity and such an order of its components."""
    found: list[Callable[[Any, Any], Any]] = []
    if twist == "center of mass":
        found.append(of_mass)
    if twist != "body":
        found.append(spatial if twist == "spatial" else partial(along_joint, kind, *ALONG_JOINT[twist]))
    return [*found, partial(linear_first, kind)] if order == "linear first" else found


def varies(factors: Iterable[Callable[[Any, Any], Any]]) -> bool:
    """Whether their product depends on q."""
    return any(getattr(factor, "func", factor) in (spatial, along_joint) for factor in factors)


def classical(kind: str, mechanism: Any, q: Any, v: Any) -> Any:
    """b where a' of joints of this kind has the acceleration of the body's origin: −ω × v."""
    b, part = np.zeros_like(v), COMPONENTS[kind]
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        if body.joint.pose == kind:
            twist = np.zeros((*v.shape[:-1], 6), v.dtype)
            twist[..., part] = v[..., own]
            product = np.cross(twist[..., :3], twist[..., 3:])
            b[..., own] = -np.concatenate((0 * product, product), -1)[..., part]
    return b


def classical_of_mass(mechanism: Any, q: Any, v: Any) -> Any:
    """b where a' of free joints has the acceleration of the body's centre of mass: −ω × (v + ω × c)."""
    return classical("free", mechanism, q, (inverse_of_mass(mechanism, q) @ v[..., None])[..., 0])


def of_point(twist: str) -> Callable[[Any, Any, Any], Any]:
    """b where a' of free joints has the acceleration of the point whose velocity is the linear part of such a velocity."""
    return classical_of_mass if twist == "center of mass" else partial(classical, "free")


def weighed(mechanism: Any, q: Any, v: Any) -> Any:
    """b where a' is measured against free fall: the gravity g along the body's axes, for joints on the root."""
    b = np.zeros((*q.shape[:-1], mechanism.nv))
    for i, (body, own_q, own_v) in enumerate(zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True)):
        if body.joint.pose == "free" and mechanism.parents[i] < 0:
            R = mechanism.arrays.rotations[i] @ rotation(q[..., own_q][..., 3:])
            b[..., own_v.start + 3 : own_v.stop] = mechanism.arrays.gravity @ R
    return b
