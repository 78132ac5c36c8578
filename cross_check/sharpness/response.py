"""How much answers change with every number of a mechanism: the columns that errors are fitted to.

An error ξ of a placement, as a motion, moves everything outboard of it with its carrier c. With the sums Σ over the bodies outboard,

    y = V_c × ξ,   z = A_c × ξ + V_c × y

    δΣf = ξ ×* Σf + ΣI z + ΣB y        δτ_j = S_j · δΣf for a coordinate j that carries it                          (1)
                                       δτ_j = S_j · (ΣI z + ΣB y), with the sums of j, for one that it carries      (2)
    δT  = Σh · y                       δh  = ξ ×* Σh + ΣI y                                                         (3)
    δU  = −ξ · ΣI [0; g]                                                                                            (4)

because (2) is what remains of S_j · ξ ×* Σf + (ξ × S_j) · Σf = 0. A joint's axis turns by a turn before the joint and the
opposite turn after it. All are linear in the inertias: the ten inertial parameters of a body are ten inertias δI, for which

    δf = δI A + V ×* δI V,        δT = ½ V · δI V,        δh = δI V                                                   (5)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from cross_check.memory import Array
from cross_check.sharpness.motion import Motion, acting_on, crf, crm, skew, times
from cross_check.sharpness.parameters import AXES, Sizes, geometric, inertial
from mechanisms import Mechanism


GRAVITY = tuple(f"gravity along {axis}" for axis in AXES)


class Columns(NamedTuple):
    """The changes (batch, …, numbers) that one unit of the size of each number makes."""

    names: tuple[str, ...]
    values: Array


class Placed(NamedTuple):
    """An error of a placement: motions ξ (batch, 6, numbers) of what is outboard of ``body``, with the motion of their carrier.

    Equation (2) holds for the coordinates ``carried``, and (1) for those that carry it.
    """

    body: int
    ξ: Array
    V: Array
    A: Array
    carried: list[int]

    @property
    def y(self) -> Array:
        return crm(self.V) @ self.ξ

    @property
    def z(self) -> Array:
        return crm(self.A) @ self.ξ + crm(self.V) @ self.y


def forces(motion: Motion) -> Iterator[Columns]:
    """δτ (batch, nv, numbers) of inverse dynamics."""
    S, mechanism = motion.S, motion.mechanism
    carriers = [[j for c in _path(mechanism, b) for j in _coordinates(mechanism, c)] for b in range(len(mechanism.bodies))]
    owner = np.repeat(np.arange(len(mechanism.bodies)), [slot.stop - slot.start for slot in mechanism.v_slices])
    SI = times(motion.inertia[:, owner], S)
    SB = times(motion.turning[:, owner].swapaxes(-1, -2), S)

    def placed(one: Placed) -> Array:
        b, δτ = one.body, np.zeros((len(S), mechanism.nv, one.ξ.shape[-1]))
        y, z = one.y, one.z
        carrying = [j for j in carriers[b] if j not in one.carried]
        δf = acting_on(motion.force[:, b]) @ one.ξ + motion.inertia[:, b] @ z + motion.turning[:, b] @ y
        δτ[:, carrying] = S[:, carrying] @ δf
        δτ[:, one.carried] = SI[:, one.carried] @ z + SB[:, one.carried] @ y
        return δτ

    def inertias(b: int, δI: Inertias) -> Array:
        δτ = np.zeros((len(S), mechanism.nv, 10))
        δτ[:, carriers[b]] = S[:, carriers[b]] @ (δI(motion.A[:, b]) + crf(motion.V[:, b]) @ δI(motion.V[:, b]))
        return δτ

    yield from _columns(motion, placed, inertias)
    for b, body in enumerate(mechanism.bodies):
        slot = mechanism.v_slices[b]
        for name, number, rates in (("armature", body.joint.armature, motion.a), ("damping", body.joint.damping, motion.v)):
            if number:
                δτ = np.zeros((len(S), mechanism.nv, 1))
                δτ[:, slot, 0] = float(number) * rates[:, slot]
                yield Columns((f"the {name} of {body.joint.name}",), δτ)
    δA = np.concatenate((np.zeros((3, 3)), np.eye(3))) * np.linalg.norm(motion.fall, axis=1)[:, None, None]
    yield Columns(GRAVITY, -SI @ δA)


def kinetic_energy(motion: Motion) -> Iterator[Columns]:
    """δT (batch, numbers)."""

    def placed(one: Placed) -> Array:
        return times(one.y.swapaxes(1, 2), motion.momentum[:, one.body])

    def inertias(b: int, δI: Inertias) -> Array:
        return times(δI(motion.V[:, b]).swapaxes(1, 2), motion.V[:, b]) / 2

    yield from _columns(motion, placed, inertias)
    for b, body in enumerate(motion.mechanism.bodies):
        if body.joint.armature:
            rates = motion.v[:, motion.mechanism.v_slices[b]]
            yield Columns((f"the armature of {body.joint.name}",), float(body.joint.armature) * rates**2 / 2)


def potential_energy(motion: Motion) -> Iterator[Columns]:
    """δU (batch, numbers)."""
    g = -motion.fall[:, 3:]
    weight = times(motion.inertia, -motion.fall[:, None])

    def placed(one: Placed) -> Array:
        return -times(one.ξ.swapaxes(1, 2), weight[:, one.body])

    def inertias(b: int, δI: Inertias) -> Array:
        δm, δmc = δI.moments
        return -times(δmc.swapaxes(1, 2), g) + δm * (g * motion.root).sum(axis=1, keepdims=True)

    yield from _columns(motion, placed, inertias)
    lever = np.einsum("b,nbi->ni", motion.mechanism.arrays.masses, motion.center - motion.root[:, None])
    yield Columns(GRAVITY, -lever * np.linalg.norm(g, axis=1, keepdims=True))


def centroidal_momentum(motion: Motion) -> Iterator[Columns]:
    """δ[k; l] (batch, 6, numbers): h about the centre of mass c = Σ (m c) / Σ m, which moves, too."""
    m = motion.mechanism.arrays.masses
    c = np.einsum("b,nbi->ni", m, motion.center) / m.sum()
    roots = [b for b, λ in enumerate(motion.mechanism.parents) if λ < 0]
    l = motion.momentum[:, roots, 3:].sum(axis=1)

    def at_center(δh: Array, δm: Array, δmc: Array) -> Array:
        δc = (δmc - c[..., None] * δm) / m.sum()
        return np.concatenate((δh[:, :3] + skew(l) @ δc - skew(c) @ δh[:, 3:], δh[:, 3:]), axis=1)

    def placed(one: Placed) -> Array:
        b, outboard = one.body, motion.inertia[:, one.body]
        δh = acting_on(motion.momentum[:, b]) @ one.ξ + outboard @ one.y
        # The linear part of ΣI ξ is what the displacement ξ adds to Σ m c.
        return at_center(δh, np.zeros((1, 1, 1)), (outboard @ one.ξ)[:, 3:])

    def inertias(b: int, δI: Inertias) -> Array:
        δm, δmc = δI.moments
        return at_center(δI(motion.V[:, b]), δm[:, None], δmc)

    yield from _columns(motion, placed, inertias)


class Inertias:
    """The ten inertial parameters of a body as changes δI of its inertia, one unit of the size of each."""

    def __init__(self, motion: Motion, sizes: Sizes, b: int) -> None:
        self.R, self.p = motion.R[:, b], motion.p[:, b]
        self.unit = np.array([sizes.mass[b], *[sizes.moment[b]] * 3, *[sizes.inertia[b]] * 6])

    def __call__(self, x: Array) -> Array:
        """δI x (batch, 6, 10) of motions x (batch, 6)."""
        # Parameters are along the body's axes and about its origin.
        to_body = self.R.swapaxes(1, 2)
        w, v = times(to_body, x[:, :3]), times(to_body, x[:, 3:] - times(skew(self.p), x[:, :3]))
        n, l = np.zeros((2, len(x), 3, 10))
        l[..., 0] = v
        # Σ m c eₖ: the moment eₖ × v and the momentum ω × eₖ.
        n[..., 1:4], l[..., 1:4] = -skew(v), skew(w)
        for k, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)), 4):
            n[:, i, k] = w[:, j]
            n[:, j, k] = w[:, i]
        n, l = self.R @ n, self.R @ l
        return self.unit * np.concatenate((n + skew(self.p) @ l, l), axis=1)

    @property
    def moments(self) -> tuple[Array, Array]:
        """The changes of m (batch, 10) and of m c, from the point (batch, 3, 10)."""
        δm, δmc = np.zeros((len(self.p), 10)), np.zeros((len(self.p), 3, 10))
        δm[:, 0], δmc[..., 0], δmc[..., 1:4] = 1, self.p, self.R
        return self.unit * δm, self.unit * δmc


def _columns(
    motion: Motion, placed: Callable[[Placed], Array], inertias: Callable[[int, Inertias], Array]
) -> Iterator[Columns]:
    """The columns of the inertia and of the joint of every body."""
    mechanism, sizes = motion.mechanism, Sizes.of(motion.mechanism)
    data, length = mechanism.arrays, len(motion.v)
    carried: list[list[int]] = [[] for _ in mechanism.bodies]
    for b in range(len(mechanism.bodies)):
        for c in _path(mechanism, b):
            carried[c] += _coordinates(mechanism, b)
    for b, body in enumerate(mechanism.bodies):
        yield Columns(tuple(inertial(body.name)), inertias(b, Inertias(motion, sizes, b)))
        λ, joint = mechanism.parents[b], body.joint
        R, p = (motion.R[:, λ], motion.p[:, λ]) if λ >= 0 else (np.broadcast_to(np.eye(3), (length, 3, 3)), motion.root)
        V, A = (motion.V[:, λ], motion.A[:, λ]) if λ >= 0 else (np.zeros((length, 6)), motion.fall)
        frame, origin = R @ data.rotations[b], p + R @ data.translations[b]
        shift = np.concatenate((np.zeros((length, 3, 3)), sizes.place[b] * frame), axis=1)
        before = Placed(b, np.concatenate((_turn(frame, origin), shift), axis=2), V, A, carried[b])
        yield Columns(tuple(geometric(joint.name)), placed(before))
        if joint.nv == 1:
            across = np.linalg.svd(data.axes[[b]])[2][1:].T
            after = [j for j in carried[b] if j not in _coordinates(mechanism, b)]
            turned = before._replace(ξ=_turn(frame @ across, origin))
            back = Placed(b, _turn(motion.R[:, b] @ across, motion.p[:, b]), motion.V[:, b], motion.A[:, b], after)
            yield Columns((f"the axis of {joint.name}",) * 2, placed(turned) - placed(back))


def _turn(axes: Array, origin: Array) -> Array:
    """The turns (batch, 6, k) about axes (batch, 3, k) through a point (batch, 3)."""
    return np.concatenate((axes, skew(origin) @ axes), axis=1)


def _path(mechanism: Mechanism, b: int) -> list[int]:
    """The body and all that carry it."""
    path = []
    while b >= 0:
        path.append(b)
        b = mechanism.parents[b]
    return path


def _coordinates(mechanism: Mechanism, b: int) -> range:
    slot = mechanism.v_slices[b]
    return range(slot.start, slot.stop)
