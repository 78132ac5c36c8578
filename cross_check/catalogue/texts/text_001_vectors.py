"""Text 001, "Spatial Vector": velocity and force of a body, transforms, cross products, inertia."""

from __future__ import annotations

from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import (
    X_force,
    X_motion,
    ad,
    ad_star,
    block,
    cross,
    join,
    one,
    skew,
    total,
    vector,
    zero,
)
from cross_check.catalogue.point import Point, matrix, plucker
from cross_check.catalogue.series import rate
from cross_check.catalogue.texts.text_000_bodies import about
from cross_check.catalogue.texts.text_000_transforms import across, across_star
from implementations.field import Tensor
from implementations.spatial_algebra.spatial import crf, crm

VECTORS = Chapter("001", "Spatial vectors")


def shift(r: Tensor) -> Tensor:
    """[1 0; r× 1]"""
    return block([one(3), zero(3, 3)], [skew(r), one(3)])


@VECTORS.identity("velocity", "Spatial Velocity", order=1)
def velocity_of_a_point(p: Point) -> Equations:
    """Velocity of a point of a body: v_P = v_O + ω × OP"""
    B, P_B = p.moving(), p.vector()
    P = B.R @ P_B + B.r
    v = (B.X_inverse @ B.body_twist[:, None])[:, 0]
    yield v[3:] + cross(v[:3], P), rate(P)


@VECTORS.identity("force", "Spatial Force")
def moment_about_another_point(p: Point) -> Equations:
    """Moment about another point: n_P = n_O + f × OP"""
    P, forces = p.vector(), [(p.vector(), p.vector()) for _ in range(3)]
    n_O, f = total(cross(x, k) for x, k in forces), total(k for _, k in forces)
    about_P = plucker(one(3), -P).T @ join(n_O, f)[:, None]
    yield about_P[:3], n_O + cross(f, P)
    yield about_P[:3], sum(cross(x - P, k) for x, k in forces)


@VECTORS.identity("X", "Operations")
def transform(p: Point) -> Equations:
    """Transform of motion vectors: ᴮX_A = [E 0; 0 E][1 0; −r× 1] = [E 0; −E r× E]"""
    E, r = p.rotation(), p.vector()
    product = block([E, zero(3, 3)], [zero(3, 3), E]) @ shift(-r)
    yield matrix(plucker(E, r)), product
    yield product, X_motion(E, r)


@VECTORS.identity("X-star", "Operations")
def transform_of_forces(p: Point) -> Equations:
    """Transform of force vectors: ᴮX*_A = [E 0; 0 E][1 −r×; 0 1] = [E −E r×; 0 E] = X⁻ᵀ"""
    E, r = p.rotation(), p.vector()
    product = block([E, zero(3, 3)], [zero(3, 3), E]) @ block([one(3), -skew(r)], [zero(3, 3), one(3)])
    yield product, X_force(E, r)
    yield matrix(plucker(E, r).T) @ product, one(6)


@VECTORS.identity("power", "Operations")
def power(p: Point) -> Equations:
    """Power is the same in every frame: mᵀ f = (X m)ᵀ (X* f)"""
    X, m, f = p.frame(), p.vector(6), p.vector(6)
    E, r = X.E[..., 0], X.r[:, 0]
    yield (X @ m[:, None])[:, 0] @ (X_force(E, r) @ f), m @ f


@VECTORS.identity("carried", "Operations", order=1)
def carried_along(p: Point) -> Equations:
    """Vectors fixed in a body: ṙ = ω × r, ṁ = v̂ × m̂ and ḟ = v̂ ×* f̂"""
    B, r, m, f = p.moving(), p.vector(), p.vector(6), p.vector(6)
    yield cross(B.w, B.R @ r), rate(B.R @ r)
    m_A, f_A = (B.X_inverse @ m[:, None])[:, 0], (B.X.T @ f[:, None])[:, 0]
    yield rate(m_A), crm(B.space_twist, m_A)
    yield rate(f_A), crf(B.space_twist, f_A)


@VECTORS.identity("crm", "Operations")
def motion_cross(p: Point) -> Equations:
    """Motion cross product as a matrix: v̂× = [ω× 0; v_O× ω×]"""
    v = p.vector(6)
    yield across(v), ad(v)


@VECTORS.identity("crf", "Operations")
def force_cross(p: Point) -> Equations:
    """Force cross product as a matrix: v̂×* = [ω× v_O×; 0 ω×] = −(v̂×)ᵀ"""
    v = p.vector(6)
    yield across_star(v), ad_star(v)
    yield ad_star(v), -ad(v).T


@VECTORS.identity("inertia", "Operations")
def inertia_about_O(p: Point) -> Equations:
    """Spatial inertia about O: I_O = [1 c×; 0 1] I_C [1 0; c×ᵀ 1] = [Ī_C + m c× c×ᵀ, m c×; m c×ᵀ, m 1]"""
    inertia = p.inertia()
    c, m = vector(*inertia.com), inertia.mass
    rotational = vector(*inertia.matrix).reshape(3, 3)
    I_C = block([rotational, zero(3, 3)], [zero(3, 3), m * one(3)])
    I_O = shift(-c).T @ I_C @ shift(-c)
    yield about(p, inertia), I_O
    yield I_O, block([rotational + m * (skew(c) @ skew(c).T), m * skew(c)], [m * skew(c).T, m * one(3)])


@VECTORS.identity("momentum", "Operations")
def momentum_about_O(p: Point) -> Equations:
    """Momentum about O: h_O = [1 c×; 0 1] I_C v_C, with v_C = [1 0; c×ᵀ 1] v_O the velocity about C"""
    inertia, v_O = p.inertia(), p.vector(6)
    c, w = vector(*inertia.com), v_O[:3]
    v_C = v_O[3:] + cross(w, c)
    yield shift(-c) @ v_O, join(w, v_C)
    spin, linear = vector(*inertia.matrix).reshape(3, 3) @ w, inertia.mass * v_C
    yield about(p, inertia) @ v_O, join(spin + cross(c, linear), linear)
