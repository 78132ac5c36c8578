"""Text 000, §§2.3, 2.4: cross products of spatial vectors, transforms, and derivatives of transforms."""

from __future__ import annotations

from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import X_force, X_motion, block, cross, join, one, skew, zero
from cross_check.catalogue.point import Point, matrix, plucker
from cross_check.catalogue.series import rate
from implementations.field import Tensor
from implementations.spatial_algebra.spatial import Plucker, crf, crm

CROSS = Chapter("000", "§2.3 Spatial cross products")
TRANSFORM = Chapter("000", "§2.4 Transforms")


def across(v: Tensor) -> Tensor:
    """v̂× (6, 6), by the reference’s cross product."""
    return crm(v[:, None], one(6))


def across_star(v: Tensor) -> Tensor:
    """v̂×* (6, 6), by the reference’s cross product for forces."""
    return crf(v[:, None], one(6))


def star(X: Plucker) -> Tensor:
    """ᴮX*_A (6, 6): the inverse of the transpose of the reference’s ᴮX_A."""
    E, r = X.E[..., 0], X.r[:, 0]
    return matrix(plucker(E.T, -E @ r).T)


@CROSS.identity("9", "eq. 9")
def motion_cross_motion(p: Point) -> Equations:
    """Motion cross motion: v̂ × m̂ = [ω × m; ω × m_O + v_O × m]"""
    v, m = p.vector(6), p.vector(6)
    yield crm(v, m), join(cross(v[:3], m[:3]), cross(v[:3], m[3:]) + cross(v[3:], m[:3]))


@CROSS.identity("10", "eq. 10")
def motion_cross_force(p: Point) -> Equations:
    """Motion cross force: v̂ ×* f̂ = [ω × τ_O + v_O × f; ω × f]"""
    v, f = p.vector(6), p.vector(6)
    yield crf(v, f), join(cross(v[:3], f[:3]) + cross(v[3:], f[3:]), cross(v[:3], f[3:]))


@CROSS.identity("9-antisymmetric", "§2.3")
def anticommutativity(p: Point) -> Equations:
    """Anticommutativity: â × b̂ = −b̂ × â, so v̂ × v̂ = 0"""
    a, b = p.vector(6), p.vector(6)
    yield crm(a, b), -crm(b, a)
    yield crm(a, a), zero(6)


@CROSS.identity("9-jacobi", "§2.3")
def jacobi(p: Point) -> Equations:
    """Jacobi’s identity: â × (b̂ × ĉ) + b̂ × (ĉ × â) + ĉ × (â × b̂) = 0"""
    a, b, c = p.vector(6), p.vector(6), p.vector(6)
    yield crm(a, crm(b, c)) + crm(b, crm(c, a)) + crm(c, crm(a, b)), zero(6)


@CROSS.identity("9-commutator", "§2.3")
def commutator(p: Point) -> Equations:
    """Cross product of a cross product: (â × b̂)× = â× b̂× − b̂× â×"""
    a, b = p.vector(6), p.vector(6)
    yield across(crm(a, b)), across(a) @ across(b) - across(b) @ across(a)


@CROSS.identity("10-commutator", "§2.3")
def commutator_on_forces(p: Point) -> Equations:
    """Cross product of a cross product, for forces: (â × b̂)×* = â×* b̂×* − b̂×* â×*"""
    a, b = p.vector(6), p.vector(6)
    yield across_star(crm(a, b)), across_star(a) @ across_star(b) - across_star(b) @ across_star(a)


@CROSS.identity("10-transposed", "§2.3")
def transposed_cross(p: Point) -> Equations:
    """Relation of the two cross products: v̂×* = −(v̂×)ᵀ"""
    v = p.vector(6)
    yield across_star(v), -across(v).T


@CROSS.identity("10-power", "§2.3")
def power_rule(p: Point) -> Equations:
    """Power of vectors fixed in a body: (v̂ × m̂) · f̂ + m̂ · (v̂ ×* f̂) = 0"""
    v, m, f = p.vector(6), p.vector(6), p.vector(6)
    yield crm(v, m) @ f, -(m @ crf(v, f))


@TRANSFORM.identity("11", "eq. 11")
def transform(p: Point) -> Equations:
    """Transform of motion vectors: ᴮX_A = [R 0; 0 R][1 0; −r× 1] = [R 0; −R r× R]"""
    R, r = p.rotation(), p.vector()
    turn, shift = block([R, zero(3, 3)], [zero(3, 3), R]), block([one(3), zero(3, 3)], [-skew(r), one(3)])
    yield matrix(plucker(R, r)), turn @ shift
    yield turn @ shift, X_motion(R, r)


@TRANSFORM.identity("12", "eq. 12")
def transformed_motion(p: Point) -> Equations:
    """A motion vector in another frame: ᴮm̂ = ᴮX_A ᴬm̂ = [R m; R (m_A − r × m)]"""
    R, r, m = p.rotation(), p.vector(), p.vector(6)
    yield plucker(R, r) @ m[:, None], join(R @ m[:3], R @ (m[3:] - cross(r, m[:3])))


@TRANSFORM.identity("12-after", "eq. 12")
def transforms_in_turn(p: Point) -> Equations:
    """One transform after another: ᶜX_A = ᶜX_B ᴮX_A"""
    (R, r), (Q, s) = ((p.rotation(), p.vector()) for _ in range(2))
    yield matrix(plucker(Q, s).after(plucker(R, r))), X_motion(Q, s) @ X_motion(R, r)


@TRANSFORM.identity("13", "eq. 13")
def inverse_transform(p: Point) -> Equations:
    """Inverse transform: (ᴮX_A)⁻¹ = ᴬX_B = [Rᵀ 0; r× Rᵀ Rᵀ]"""
    R, r = p.rotation(), p.vector()
    inverse = block([R.T, zero(3, 3)], [skew(r) @ R.T, R.T])
    yield matrix(plucker(R.T, -R @ r)), inverse
    yield matrix(plucker(R, r)) @ inverse, one(6)


@TRANSFORM.identity("14", "eq. 14")
def transform_of_forces(p: Point) -> Equations:
    """Transform of forces: ᴮX*_A = (ᴮX_A)⁻ᵀ = [R −R r×; 0 R]"""
    R, r = p.rotation(), p.vector()
    yield matrix(plucker(R, r).T).T, matrix(plucker(R, r))
    yield star(plucker(R, r)) @ matrix(plucker(R, r)).T, one(6)
    yield star(plucker(R, r)), X_force(R, r)


@TRANSFORM.identity("15", "eq. 15")
def transformed_force(p: Point) -> Equations:
    """A force in another frame: ᴮf̂ = ᴮX*_A ᴬf̂ = [R (n − r × f); R f]"""
    R, r, f = p.rotation(), p.vector(), p.vector(6)
    yield plucker(R.T, -R @ r).T @ f[:, None], join(R @ (f[:3] - cross(r, f[3:])), R @ f[3:])


@TRANSFORM.identity("12-cross", "§2.4")
def transformed_cross(p: Point) -> Equations:
    """Transforms preserve cross products: X(â × b̂) = Xâ × Xb̂, so (Xâ)× = X â× X⁻¹"""
    X, a, b = p.frame(), p.vector(6)[:, None], p.vector(6)[:, None]
    yield X @ crm(a, b), crm(X @ a, X @ b)
    E, r = X.E[..., 0], X.r[:, 0]
    yield across((X @ a)[:, 0]), X_motion(E, r) @ across(a[:, 0]) @ X_motion(E.T, -E @ r)


@TRANSFORM.identity("15-cross", "§2.4")
def transformed_cross_with_a_force(p: Point) -> Equations:
    """Transforms preserve cross products of forces: X*(v̂ ×* f̂) = Xv̂ ×* X*f̂, so (Xv̂)×* = X* v̂×* Xᵀ"""
    X, v, f = p.frame(), p.vector(6)[:, None], p.vector(6)
    E, r = X.E[..., 0], X.r[:, 0]
    yield X_force(E, r) @ crf(v[:, 0], f), crf((X @ v)[:, 0], star(X) @ f)
    yield across_star((X @ v)[:, 0]), X_force(E, r) @ across_star(v[:, 0]) @ X_motion(E, r).T


@TRANSFORM.identity("16", "eq. 16", order=1)
def derivative_of_a_transform(p: Point) -> Equations:
    """Derivative of a transform: d(ᴮX_A)/dt = ᴮ(v̂_A − v̂_B) × ᴮX_A"""
    A, B = p.moving(), p.moving()
    X = B.X.after(A.X_inverse)
    apart = X_motion(B.R.T, B.r) @ (A.space_twist - B.space_twist)
    yield rate(matrix(X)), across(apart) @ matrix(X)


@TRANSFORM.identity("16-force", "eqs. 14, 16", order=1)
def derivative_of_a_transform_of_forces(p: Point) -> Equations:
    """Derivative of a transform of forces: d(ᴮX*_A)/dt = ᴮ(v̂_A − v̂_B) ×* ᴮX*_A"""
    A, B = p.moving(), p.moving()
    X = B.X.after(A.X_inverse)
    apart = X_motion(B.R.T, B.r) @ (A.space_twist - B.space_twist)
    yield rate(star(X)), across_star(apart) @ star(X)
