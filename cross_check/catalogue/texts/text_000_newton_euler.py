"""Text 000, §5: the recursive Newton–Euler algorithm, equation by equation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import X_force, ad, cross, join, point, unskew, vector, zero
from cross_check.catalogue.point import MovingFrame, Point, matrix
from cross_check.catalogue.recursion import FORK, Motion, moving, newton_euler, without_losses
from cross_check.catalogue.series import rate
from cross_check.catalogue.texts.text_000_bodies import made_of, newton
from cross_check.catalogue.travel import travel
from implementations.field import Tensor
from implementations.spatial_algebra.external_forces import rnea_with_external_forces
from implementations.spatial_algebra.jcalc import jcalc
from implementations.spatial_algebra.rnea import rnea
from mechanisms import Body, Joint, Mechanism
from mechanisms.joint import MOVING, Kind

RNEA = Chapter("000", "§5 Recursive Newton–Euler algorithm")


def across_a(kind: Kind) -> None:
    """Eqs. 28, 29 for one kind of joint."""

    @RNEA.identity(f"29-{kind}", "eqs. 28, 29", order=1, of=kind)
    def velocity_across(p: Point) -> Equations:
        """Velocity across a joint: v̂_J = v̂_i − v̂_λ(i) = Ŝ q̇, so that Ẋ_J = −(Ŝ q̇)× X_J"""
        mechanism = p.mechanism([-1], [kind])
        (link,), (q, qd) = p.model(mechanism).links, travel(p, mechanism)
        X, S = jcalc(link, q, p.field)
        yield rate(matrix(X)), -ad(S[..., 0] @ qd[:, 0]) @ matrix(X)


for kind in MOVING:
    across_a(kind)


def weights(m: Motion, g: Tensor) -> Tensor:
    """The weight of every body, [c × m g; m g] about the root's origin (bodies, 6, 1)."""
    centres = [(T @ point(link.com[:, 0]))[:3] for T, link in zip(m.T, m.model.links, strict=True)]
    forces = [link.mass[()] * g for link in m.model.links]
    return np.stack([join(cross(c, f), f) for c, f in zip(centres, forces, strict=True)])[..., None]


@RNEA.identity("31", "eq. 31", order=2)
def gravity_by_acceleration(p: Point) -> Equations:
    """Gravity by an accelerated root: â_0 = −â_g with â_g = [0; g] has the same effect as the weight of every body"""
    mechanism = p.mechanism(*FORK)
    weightless = moving(p, replace(mechanism, gravity=(0, 0, 0)))
    heavy = p.model(mechanism)
    external = weights(weightless, heavy.gravity[3:, 0])
    state = weightless.q, weightless.qd, weightless.qdd
    yield rnea(heavy, *state), rnea_with_external_forces(weightless.model, *state, external)


@RNEA.slip("31-printed", "above eq. 30, eq. 31", corrected="31", order=2)
def gravity_as_printed(p: Point) -> Equations:
    """Gravity by an accelerated root: z up: â_0 = −[0 0 0 0 0 g]ᵀ with g = 9.81 m/s²

    one sign is wrong: either â_g = [0 0 0 0 0 −g]ᵀ, or â_0 = +â_g; as printed, gravity acts upwards
    """
    m = moving(p, replace(without_losses(p.mechanism(*FORK)), gravity=(0, 0, 0)))
    g = p.number()
    external = weights(m, vector(p.fraction(0), p.fraction(0), -g))
    _, _, tau = newton_euler(m, -vector(0, 0, 0, 0, 0, g))
    yield rnea_with_external_forces(m.model, m.q, m.qd, m.qdd, external), tau


@RNEA.identity("34", "eqs. 30, 32, 34", order=1)
def link_velocity(p: Point) -> Equations:
    """Velocity of a link: ᵢv̂_i = ⁱX_λ(i) v̂_λ(i) + Ŝ_i q̇_i with v̂_0 = 0"""
    m = moving(p, p.mechanism(*FORK))
    for i, λ in enumerate(m.model.parents):
        yield m.v[i], (m.X[i] @ m.v[λ] if λ >= 0 else zero(6)) + m.joint(i)


@RNEA.identity("35", "eqs. 33, 35", order=2)
def link_acceleration(p: Point) -> Equations:
    """Acceleration of a link: ᵢâ_i = ⁱX_λ(i) â_λ(i) + Ŝ_i q̈_i + v̂_i × v̂_Ji"""
    m = moving(p, p.mechanism(*FORK))
    a, _, _ = newton_euler(m, zero(6))
    for a_i, v_i in zip(a, m.v, strict=True):
        yield rate(v_i), a_i


@RNEA.identity("33", "eq. 33", order=2)
def acceleration_across(p: Point) -> Equations:
    """Acceleration across a joint with moving axes: â_J = Ŝ q̈ + (dŜ/dt) q̇ + v̂_i × v̂_J"""
    m = moving(p, p.mechanism([-1, 0], ["revolute", "universal"]))
    a, _, _ = newton_euler(m, zero(6))
    for a_i, v_i in zip(a, m.v, strict=True):
        yield rate(v_i), a_i


def freely_moving(p: Point) -> tuple[Motion, list[tuple[Any, Tensor]], MovingFrame, Tensor]:
    """A free body of point masses: its motion, the masses, the motion of its frame, and gravity."""
    masses, g = p.masses(), p.vector()
    body = Body("body", "world", Joint("joint", "free"), made_of(masses))
    m = moving(p, Mechanism("free", (body,), tuple(g)))
    R, r = m.T[0][:3, :3], m.T[0][:3, 3]
    return m, masses, MovingFrame(R, r, unskew(rate(R) @ R.T)), g


@RNEA.identity("36", "eq. 36", order=2)
def net_force(p: Point) -> Equations:
    """Net force on a link: f̂^net = Î â + v̂ ×* Î v̂, which satisfies Newton’s law"""
    m, masses, B, g = freely_moving(p)
    yield rnea(m.model, m.q, m.qd, m.qdd), newton(masses, B, g)
    _, net, _ = newton_euler(m, join(zero(3), -g))
    yield net[0], newton(masses, B, g)


@RNEA.slip("36-printed", "eq. 36", corrected="36", order=2)
def net_force_as_printed(p: Point) -> Equations:
    """Net force on a link: f̂^net = Î â + v̂ × Î v̂

    × stands in the place of ×*; momentum transforms like a force vector, as in eq. 22
    """
    m, _, _, g = freely_moving(p)
    _, net, _ = newton_euler(m, join(zero(3), -g), product=ad)
    yield rnea(m.model, m.q, m.qd, m.qdd), net[0]


@RNEA.identity("37", "eqs. 37, 38", order=2)
def joint_forces(p: Point) -> Equations:
    """Force across a joint: f̂_Ji = f̂_i^net − ⁱX*_0 f̂_i^ext + Σ_j ⁱX*_j f̂_Jj, τ_i = Ŝᵢᵀ f̂_Ji"""
    m = moving(p, without_losses(p.mechanism(*FORK)))
    external = [p.vector(6) for _ in m.T]
    local = [X_force(T[:3, :3].T, T[:3, 3]) @ f for T, f in zip(m.T, external, strict=True)]
    _, _, tau = newton_euler(m, -m.model.gravity[:, 0], local)
    yield rnea_with_external_forces(m.model, m.q, m.qd, m.qdd, np.stack(external)[..., None]), tau


@RNEA.identity("38", "eq. 38", order=2)
def virtual_work(p: Point) -> Equations:
    """Work of the joints: Σ τ_i q̇_i = Σ (f̂_i^net − f̂_i^ext) · v̂_i (d’Alembert)"""
    m = moving(p, replace(without_losses(p.mechanism(*FORK)), gravity=(0, 0, 0)))
    external = [p.vector(6) for _ in m.T]
    _, net, _ = newton_euler(m, zero(6))
    tau = rnea_with_external_forces(m.model, m.q, m.qd, m.qdd, np.stack(external)[..., None])
    local = [X_force(T[:3, :3].T, T[:3, 3]) @ f for T, f in zip(m.T, external, strict=True)]
    yield tau[:, 0] @ m.qd[:, 0], sum((n - f) @ v for n, f, v in zip(net, local, m.v, strict=True))


@RNEA.identity("5-free-base", "§5", order=1)
def free_joint(p: Point) -> Equations:
    """Velocity of a free joint: Ŝ = 1, and q̇ is the base’s spatial velocity in its own frame"""
    m = moving(p, p.mechanism([-1], ["free"]))
    yield m.v[0], m.qd[:, 0]
    yield m.S[0], np.eye(6, dtype=object)
