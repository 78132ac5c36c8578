"""How much answers change with every number of a mechanism: the columns that errors are fitted to.

An error ξ of a placement, as a motion, moves everything outboard of it with its carrier c. With sums Σ over the bodies outboard,

    y = V_c × ξ,   z = A_c × ξ + V_c × y

    δΣf = ξ ×* Σf + ΣI z + ΣB y        δτ_j = S_j · δΣf for a coordinate j that carries it                          (1)
                                       δτ_j = S_j · (ΣI z + ΣB y), with the sums of j, for one that it carries      (2)
    δT  = Σh · y                       δh  = ξ ×* Σh + ΣI y                                                         (3)
    δU  = −ξ · ΣI [0; g]                                                                                            (4)

because S_j · ξ ×* Σf + (ξ × S_j) · Σf = 0 leaves no more than (2). The ten numbers of a body's inertia are inertias δI:

    δf = δI A + V ×* δI V,        δT = ½ V · δI V,        δh = δI V                                                   (5)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from cross_check.judge.sharpness.motion import Motion, acting_on, crf, skew, times
from cross_check.judge.sharpness.variation import AXES, MASS, Columns, Inertias, Placed, Sizes, columns_of, coordinates, path
from cross_check.memory import Array

GRAVITY = tuple(f"gravity along {axis}" for axis in AXES)


def forces(motion: Motion, sizes: Sizes | None = None) -> Iterator[Columns]:
    """δτ (batch, nv, numbers) of inverse dynamics, for one unit of ``sizes``, by default the mechanism's own."""
    S, mechanism = motion.S, motion.mechanism
    carriers = [[j for c in path(mechanism, b) for j in coordinates(mechanism, c)] for b in range(len(mechanism.bodies))]
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

    yield from columns_of(motion, placed, inertias, sizes)
    for b, body in enumerate(mechanism.bodies):
        slot = mechanism.v_slices[b]
        joint, (stretch, relaxed) = body.joint, springs(motion, b)
        changes = (
            ("armature", joint.armature, motion.a[:, slot]),
            ("damping", joint.damping, motion.v[:, slot]),
            ("friction", joint.friction, np.sign(motion.v[:, slot])),
            ("stiffness", joint.stiffness, stretch),
            ("rest", joint.stiffness * joint.rest, -relaxed),
        )
        for name, number, by in changes:
            if number:
                δτ = np.zeros((len(S), mechanism.nv, 1))
                δτ[:, slot, 0] = float(number) * by
                yield Columns((f"the {name} of {joint.name}",), δτ)
    δA = np.concatenate((np.zeros((3, 3)), np.eye(3))) * np.linalg.norm(motion.fall, axis=1)[:, None, None]
    yield Columns(GRAVITY, -SI @ δA)


def without_lifted(blocks: Iterable[Columns], lifted: Iterable[Columns]) -> Iterator[Columns]:
    """The columns of a mechanism less those of the masses that gravity compensation lifts, which have numbers of their own."""
    upward = {block.names: block.values for block in lifted}
    for names, values in blocks:
        if names not in upward:
            yield Columns(names, values)
        elif names[0].startswith(MASS):
            yield Columns(names, values)
            yield Columns(tuple(name.replace("the", "the lifted", 1) for name in names[:4]), -upward[names][..., :4])
        else:
            yield Columns(names, values - upward[names])


def springs(motion: Motion, b: int) -> tuple[Array, Array]:
    """q − rest of the spring of a joint, and the change of it if rest were one less: (batch, 1) each; zero without one."""
    joint, q = motion.mechanism.bodies[b].joint, motion.q[:, motion.mechanism.q_slices[b]]
    return motion.weight * (q[:, :1] - float(joint.rest)) * (joint.stiffness != 0), motion.weight


def kinetic_energy(motion: Motion) -> Iterator[Columns]:
    """δT (batch, numbers)."""

    def placed(one: Placed) -> Array:
        return times(one.y.swapaxes(1, 2), motion.momentum[:, one.body])

    def inertias(b: int, δI: Inertias) -> Array:
        return times(δI(motion.V[:, b]).swapaxes(1, 2), motion.V[:, b]) / 2

    yield from columns_of(motion, placed, inertias)
    for b, body in enumerate(motion.mechanism.bodies):
        if body.joint.armature:
            rates = motion.v[:, motion.mechanism.v_slices[b]]
            yield Columns((f"the armature of {body.joint.name}",), float(body.joint.armature) * rates**2 / 2)


def potential_energy(motion: Motion, sizes: Sizes | None = None) -> Iterator[Columns]:
    """δU (batch, numbers), for one unit of ``sizes``, by default the mechanism's own."""
    g = -motion.fall[:, 3:]
    weight = times(motion.inertia, -motion.fall[:, None])

    def placed(one: Placed) -> Array:
        return -times(one.ξ.swapaxes(1, 2), weight[:, one.body])

    def inertias(b: int, δI: Inertias) -> Array:
        δm, δmc = δI.moments
        return -times(δmc.swapaxes(1, 2), g) + δm * (g * motion.root).sum(axis=1, keepdims=True)

    yield from columns_of(motion, placed, inertias, sizes)
    for b, body in enumerate(motion.mechanism.bodies):
        stretch, _ = springs(motion, b)
        if k := float(body.joint.stiffness):
            yield Columns((f"the stiffness of {body.joint.name}",), k * stretch**2 / 2)
            yield Columns((f"the rest of {body.joint.name}",), -k * float(body.joint.rest) * stretch)
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

    yield from columns_of(motion, placed, inertias)
