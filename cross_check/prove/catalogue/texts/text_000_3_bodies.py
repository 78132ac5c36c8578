"""Text 000, §§3–5: spatial inertia, the motion of one body, and the recursive Newton–Euler algorithm, equation by equation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from cross_check.prove.catalogue.language import *
from mechanisms import Rotation
from mechanisms.joint import MOVING

INERTIA = Chapter("000", "§3 Spatial inertia")
BODY = Chapter("000", "§4 Motion of a rigid body")
RNEA = Chapter("000", "§5 Recursive Newton–Euler algorithm")


@INERTIA.identity("17", "eq. 17")
def inertia_of_a_body(body: AnyBody) -> Equations:
    """Spatial inertia: Î = [I_O, m c×; m c×ᵀ, m 1]"""
    yield body.I, body.printed


@INERTIA.identity("17-momentum", "§§3, 4")
def momentum(body: Masses, v: Spatial) -> Equations:
    """Momentum: ĥ = Î v̂ = [Σ r_k × m_k v_k; Σ m_k v_k]"""
    momenta = [(r, m * (v[3:] + cross(v[:3], r))) for m, r in body.masses]
    yield body.I @ v, sum(join(cross(r, h), h) for r, h in momenta)


@INERTIA.identity("18", "eq. 18")
def parallel_axes(body: Masses) -> Equations:
    """Inertia about any point: I_O = I_c + m c× c×ᵀ = Σ m_k r_k× r_k×ᵀ"""
    I_O = body.printed[:3, :3]
    yield body.I[:3, :3], I_O
    yield I_O, sum(m * (skew(r) @ skew(r).T) for m, r in body.masses)


@INERTIA.identity("19", "eq. 19")
def combined_inertia(p: Point, one: AnyBody, two: AnyBody) -> Equations:
    """Bodies tied together: Î = Î_1 + Î_2: without parallel-axis terms or a new centre of mass"""
    yield p.solid_of(one.inertia + two.inertia).I, one.printed + two.printed


@INERTIA.identity("20", "eq. 20")
def carried_inertia(p: Point, body: AnyBody) -> Equations:
    """Inertia in another frame: ᴬÎ = ᴮX_Aᵀ ᴮÎ ᴮX_A"""
    placement = Placement(Rotation(*p.vector(4)), tuple(p.vector()))
    R, r = vector(*placement.rotation.matrix).reshape(3, 3), vector(*placement.translation)
    carried = plucker(R.T, r).carry(body.I[..., None])
    yield carried, p.solid_of(body.inertia.placed(placement)).printed
    yield carried, X_motion(R.T, r).T @ body.printed @ X_motion(R.T, r)


@INERTIA.identity("21", "eq. 21", order=1)
def derivative_of_inertia(B: Moving, body: AnyBody) -> Equations:
    """Derivative of inertia: ᴮ[dÎ/dt] = v̂ ×* Î − Î v̂×"""
    fixed, I = B.X.carry(body.I[..., None])[..., 0], body.printed
    yield B.force_into @ rate(fixed) @ B.out_of, ad_star(B.body_twist) @ I - I @ ad(B.body_twist)
    yield rate(fixed), ad_star(B.space_twist) @ fixed - fixed @ ad(B.space_twist)


@BODY.identity("22", "eq. 22", order=2)
def equation_of_motion(B: Moving, body: AnyBody) -> Equations:
    """Equation of motion: ᴮf̂ = ᴮ[d(Î v̂)/dt] = Î â + v̂ ×* Î v̂"""
    momentum_in_A = B.force_out_of @ body.printed @ B.body_twist
    yield force_on(body.I, B.body_twist), B.force_into @ rate(momentum_in_A)


@BODY.slip("22-printed", "eq. 22", corrected="22", order=2)
def equation_of_motion_by_components(B: Moving, body: AnyBody) -> Equations:
    """Equation of motion, first line: ᴮf̂ = d(ᴮÎ ᴮv̂)/dt, by components

    the brackets of eq. 5 are missing; the derivative of the components in a moving frame lacks v̂ ×* Î v̂
    """
    yield force_on(body.I, B.body_twist), rate(body.printed @ B.body_twist)


@BODY.identity("22-newton", "eq. 22", order=2)
def newtons_law(B: Moving, body: Masses) -> Equations:
    """Newton’s law: Î â + v̂ ×* Î v̂ = [Σ r_k × m_k ẍ_k; Σ m_k ẍ_k]"""
    yield force_on(body.I, B.body_twist), body.newton(B)


@BODY.identity("23", "eq. 23")
def inertia_about_the_centre_of_mass(body: CentredBody) -> Equations:
    """Inertia about the centre of mass: Î = [I_B, 0; 0, m 1] with the origin at the centre of mass"""
    yield body.I, block([body.J, zero(3, 3)], [zero(3, 3), body.m * one(3)])


@BODY.identity("26", "eq. 26")
def weight(R: Turn, r: Vector, g: Vector, m: Number) -> Equations:
    """Weight in the body’s frame: ᴮX_I [0; m ᴵg] = [0; m ᴮg], with the origin at the centre of mass"""
    yield times(plucker(R, r), join(zero(3), m * g)), join(zero(3), m * (R @ g))


@BODY.identity("26-anywhere", "eq. 26")
def weight_about_any_origin(R: Turn, r: Vector, g: Vector, body: Masses) -> Equations:
    """Weight about any origin: ᴮÎ ᴮX_I [0; ᴵg] = [Σ r_k × m_k ᴮg; Σ m_k ᴮg]"""
    field = matrix(plucker(R, r)) @ join(zero(3), g)
    yield body.I @ field, sum(m * join(cross(x, R @ g), R @ g) for m, x in body.masses)


@BODY.warning("26-as-a-force", "eq. 26")
def weight_moved_as_a_force(R: Turn, r: Vector, g: Vector, m: Number) -> Equations:
    """Weight moved as a force: ᴮX*_I [0; m ᴵg] is its weight

    X* looks right because [0; m g] is a force; but its line of action passes through I’s origin, not through the centre of mass
    """
    yield plucker(R.T, -R @ r).T @ join(zero(3), m * g)[:, None], join(zero(3), m * (R @ g))


@BODY.identity("27", "eqs. 24, 25, 27", order=2)
def classical_form(B: Moving, body: CentredBody) -> Equations:
    """Classical form: [n; f] = [I ω̇ + ω × I ω; m v̇ + ω × m v] about the centre of mass, v̇ by components"""
    w, v = B.body_twist[:3], B.body_twist[3:]
    n, f = body.J @ rate(w) + cross(w, body.J @ w), body.m * rate(v) + cross(w, body.m * v)
    yield force_on(body.I, B.body_twist), join(n, f)


@BODY.warning("27-classical", "eqs. 25, 27", order=2)
def classical_form_with_the_acceleration_of_the_origin(B: Moving, body: CentredBody) -> Equations:
    """Classical form with the acceleration of B: f = m a_B + ω × m v_B with a_B the acceleration of the point B

    a_B must be the rate of the components of v_B in B; the acceleration of the point B already contains ω × v_B
    """
    w, v = B.body_twist[:3], B.body_twist[3:]
    yield force_on(body.I, B.body_twist)[3:], body.m * (B.R.T @ rate(rate(B.r))) + cross(w, body.m * v)


def across_a(kind: Kind) -> None:
    """Eqs. 28, 29 for one kind of joint."""

    @RNEA.identity(f"29-{kind}", "eqs. 28, 29", order=1, of=kind)
    def velocity_across(p: Point) -> Equations:
        """Velocity across a joint: v̂_J = v̂_i − v̂_λ(i) = Ŝ q̇, so that Ẋ_J = −(Ŝ q̇)× X_J"""
        m = motion_of(p, p.mechanism([-1], [kind]))
        X, S = jcalc(m.model.links[0], m.q, p.field)
        yield rate(matrix(X)), -ad(S[..., 0] @ m.qd[:, 0]) @ matrix(X)


for kind in MOVING:
    across_a(kind)


def newton_euler(
    m: Motion, a0: Tensor, external: Sequence[Tensor] = (), product: Callable[[Tensor], Tensor] = ad_star
) -> tuple[list[Tensor], list[Tensor], Tensor]:
    """â_i, f̂_i^net and τ (eqs. 30–38).

    ``a0`` is the acceleration of the root, and ``external`` are the external forces in the bodies' own frames.
    ``product`` makes the matrix of the product in eq. 36 from v̂; the correct one is v̂×*.
    """
    v: list[Tensor] = []
    a: list[Tensor] = []
    for i, λ in enumerate(m.model.parents):
        own, vJ = m.model.links[i].v, m.joint(i)
        v.append((m.X[i] @ v[λ] if λ >= 0 else zero(6)) + vJ)
        joint = m.S[i] @ m.qdd[own, 0] + rate(m.S[i]) @ m.qd[own, 0] + ad(v[i]) @ vJ
        a.append(m.X[i] @ (a[λ] if λ >= 0 else a0) + joint)
    net = [I @ a_i + product(v_i) @ (I @ v_i) for I, a_i, v_i in zip(m.inertias, a, v, strict=True)]
    f = [net[i] - external[i] if len(external) else net[i] for i in range(len(net))]
    for i, λ in reversed(list(enumerate(m.model.parents))):
        if λ >= 0:
            f[λ] = f[λ] + m.X[i].T @ f[i]
    return a, net, np.concatenate([S.T @ f_i for S, f_i in zip(m.S, f, strict=True)])


def weights(m: Motion, g: Tensor) -> Tensor:
    """The weight of every body, [c × m g; m g] about the root's origin (bodies, 6, 1)."""
    forces = [link.mass[()] * g for link in m.model.links]
    return np.stack([join(cross(c, f), f) for c, f in zip(m.centres, forces, strict=True)])[..., None]


@RNEA.identity("31", "eq. 31", order=2)
def gravity_by_acceleration(p: Point) -> Equations:
    """Gravity by an accelerated root: â_0 = −â_g with â_g = [0; g] has the same effect as the weight of every body"""
    mechanism = p.mechanism(*FORK)
    m, heavy = motion_of(p, replace(mechanism, gravity=(0, 0, 0))), p.model(mechanism)
    pushed = rnea_with_external_forces(*m.state, m.qdd, weights(m, heavy.gravity[3:, 0]))
    yield rnea(heavy, m.q, m.qd, m.qdd), pushed


@RNEA.slip("31-printed", "above eq. 30, eq. 31", corrected="31", order=2)
def gravity_as_printed(m: WeightlessFork, g: Number) -> Equations:
    """Gravity by an accelerated root: z up: â_0 = −[0 0 0 0 0 g]ᵀ with g = 9.81 m/s²

    one sign is wrong: either â_g = [0 0 0 0 0 −g]ᵀ, or â_0 = +â_g; as printed, gravity acts upwards
    """
    _, _, tau = newton_euler(m, -vector(0, 0, 0, 0, 0, g))
    yield rnea_with_external_forces(*m.state, m.qdd, weights(m, vector(0 * g, 0 * g, -g))), tau


@RNEA.identity("34", "eqs. 30, 32, 34", order=1)
def link_velocity(m: Fork) -> Equations:
    """Velocity of a link: ᵢv̂_i = ⁱX_λ(i) v̂_λ(i) + Ŝ_i q̇_i with v̂_0 = 0"""
    for i, λ in enumerate(m.model.parents):
        yield m.v[i], (m.X[i] @ m.v[λ] if λ >= 0 else zero(6)) + m.joint(i)


def accelerations(m: Motion) -> Equations:
    """The derivative of every ᵢv̂_i, and ᵢâ_i of eq. 35."""
    a, _, _ = newton_euler(m, zero(6))
    return zip(map(rate, m.v), a, strict=True)


@RNEA.identity("35", "eqs. 33, 35", order=2)
def link_acceleration(m: Fork) -> Equations:
    """Acceleration of a link: ᵢâ_i = ⁱX_λ(i) â_λ(i) + Ŝ_i q̈_i + v̂_i × v̂_Ji"""
    return accelerations(m)


@RNEA.identity("33", "eq. 33", order=2)
def acceleration_across(m: TurningAxes) -> Equations:
    """Acceleration across a joint with moving axes: â_J = Ŝ q̈ + (dŜ/dt) q̇ + v̂_i × v̂_J"""
    return accelerations(m)


def freely_moving(p: Point, body: PointMasses, g: Tensor) -> tuple[Motion, Tensor]:
    """The motion of a free body of point masses, and the sum of the forces on them."""
    m = motion_of(p, chain((Joint("joint", "free"), body.inertia), gravity=g))
    (B,) = m.frames
    return m, body.newton(MovingFrame(B.R, B.r, unskew(rate(B.R) @ B.R.T)), g)


@RNEA.identity("36", "eq. 36", order=2)
def net_force(p: Point, body: Masses, g: Vector) -> Equations:
    """Net force on a link: f̂^net = Î â + v̂ ×* Î v̂, which satisfies Newton’s law"""
    m, force = freely_moving(p, body, g)
    yield rnea(*m.state, m.qdd), force
    _, net, _ = newton_euler(m, join(zero(3), -g))
    yield net[0], force


@RNEA.slip("36-printed", "eq. 36", corrected="36", order=2)
def net_force_as_printed(p: Point, body: Masses, g: Vector) -> Equations:
    """Net force on a link: f̂^net = Î â + v̂ × Î v̂

    × stands in the place of ×*; momentum transforms like a force vector, as in eq. 22
    """
    m, _ = freely_moving(p, body, g)
    _, net, _ = newton_euler(m, join(zero(3), -g), product=ad)
    yield rnea(*m.state, m.qdd), net[0]


def in_own_frames(m: Motion, forces: Tensor) -> list[Tensor]:
    """``forces`` (bodies, 6) in the root's frame, each in its body's frame: ⁱX*_0 f̂_i."""
    return [B.force_into @ f for B, f in zip(m.frames, forces, strict=True)]


@RNEA.identity("37", "eqs. 37, 38", order=2)
def joint_forces(p: Point, m: LosslessFork) -> Equations:
    """Force across a joint: f̂_Ji = f̂_i^net − ⁱX*_0 f̂_i^ext + Σ_j ⁱX*_j f̂_Jj, τ_i = Ŝᵢᵀ f̂_Ji"""
    external = p.matrix(4, 6)
    _, _, tau = newton_euler(m, -m.model.gravity[:, 0], in_own_frames(m, external))
    yield rnea_with_external_forces(*m.state, m.qdd, external[..., None]), tau


@RNEA.identity("38", "eq. 38", order=2)
def virtual_work(p: Point, m: WeightlessFork) -> Equations:
    """Work of the joints: Σ τ_i q̇_i = Σ (f̂_i^net − f̂_i^ext) · v̂_i (d’Alembert)"""
    external = p.matrix(4, 6)
    _, net, _ = newton_euler(m, zero(6))
    tau = rnea_with_external_forces(*m.state, m.qdd, external[..., None])
    local = in_own_frames(m, external)
    yield tau[:, 0] @ m.qd[:, 0], sum((n - f) @ v for n, f, v in zip(net, local, m.v, strict=True))


@RNEA.identity("5-free-base", "§5", order=1)
def free_joint(p: Point) -> Equations:
    """Velocity of a free joint: Ŝ = 1, and q̇ is the base’s spatial velocity in its own frame"""
    m = motion_of(p, p.mechanism([-1], ["free"]))
    yield m.v[0], m.qd[:, 0]
    yield m.S[0], np.eye(6, dtype=object)
