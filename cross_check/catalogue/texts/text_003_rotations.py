"""Text 003, §§1–9: rotations, points and vectors, changes of coordinates, and rotations as exponentials."""

from __future__ import annotations

from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import (
    cross,
    det,
    exp_rotation,
    join,
    one,
    point,
    skew,
    undo,
    unskew,
    vector,
    zero,
)
from cross_check.catalogue.point import Point, plucker, pose_of
from cross_check.catalogue.series import rate
from implementations.field import Tensor
from implementations.spatial_algebra import spatial
from implementations.spatial_algebra.jcalc import about, from_quaternion

DEFINITIONS = Chapter("003", "§1 Definitions")
POINTS = Chapter("003", "§§2–6 Points, vectors and coordinates")
EXPONENTIAL = Chapter("003", "§7 Rotations as exponentials")
ANGULAR = Chapter("003", "§9 Angular velocity")


def quaternion_rotation(e: Tensor) -> Tensor:
    """R (3, 3) of the quaternion (x, y, z, w), by the reference."""
    return from_quaternion(e[:, None])[..., 0].T


def about_rotation(w: Tensor, c: object, s: object) -> Tensor:
    """R (3, 3) about a unit vector, by the reference."""
    return about(w[:, None], vector(c), vector(s))[..., 0].T


@DEFINITIONS.identity("1-group", "§1")
def rotations(p: Point) -> Equations:
    """Rotations: Rᵀ R = 1 and det R = 1 for quaternions of any length and for rotations about any axis"""
    θ = p.angle()
    for R in (quaternion_rotation(p.vector(4)), about_rotation(p.unit(), θ.c, θ.s)):
        yield R.T @ R, one(3)
        yield det(R), 1


@DEFINITIONS.identity("1-skew", "§1")
def rotated_cross(p: Point) -> Equations:
    """Cross product of a rotated vector: ω × q = [ω] q and [R r] = R [r] Rᵀ"""
    R, r, q = quaternion_rotation(p.vector(4)), p.vector(), p.vector()
    yield spatial.cross(r, q), skew(r) @ q
    yield skew(R @ r), R @ skew(r) @ R.T


@DEFINITIONS.identity("1-velocity", "§1", order=1)
def velocity_of_a_point(p: Point) -> Equations:
    """Velocity of a rotating point: v = ω × p = [ω] p"""
    (R, w), q = p.turning(), p.vector()
    yield spatial.cross(w, R @ q), rate(R @ q)


@POINTS.identity("2", "§2")
def points_and_vectors(p: Point) -> Equations:
    """Points and vectors: T [p; 1] = [R p + r; 1] transforms points, T [v; 0] = [R v; 0] transforms their differences"""
    X, a, b = p.frame(), p.vector(), p.vector()
    T = undo(pose_of(X))
    E, r = X.E[..., 0], X.r[:, 0]
    yield T @ point(a), point(E @ (a - r))
    yield T @ (point(a) - point(b)), join(E @ (a - b), vector(0))


@POINTS.identity("4", "§§3, 4")
def turned_coordinates(p: Point) -> Equations:
    """Coordinates in a rotated frame: p^s = R_sb p^b; the columns of R_sb are the axes of {b} in {s}"""
    R, q = p.rotation(), p.vector()
    X = plucker(R.T, zero(3))
    yield (X @ join(q, q)[:, None])[:3], R.T @ q
    yield R @ q, sum(axis * x for axis, x in zip(R.T, q, strict=True))


@POINTS.warning("5", "§5")
def rotations_commute(p: Point) -> Equations:
    """Finite rotations as vectors: R_1 R_2 = R_2 R_1

    the sum of vectors does not depend on their order; the product of finite rotations does
    """
    first, second = quaternion_rotation(p.vector(4)), quaternion_rotation(p.vector(4))
    yield first @ second, second @ first


@POINTS.identity("5-small", "§5", order=1)
def small_rotations(p: Point) -> Equations:
    """Angular velocities are vectors: ω_ac = ω_ab + R_ab ω_bc"""
    ab, bc = p.turning(), p.turning()
    R = ab.R @ bc.R
    yield unskew(rate(R) @ R.T), ab.w + ab.R @ bc.w
    first, second = (one(3) + skew(p.vector()) * p.time for _ in range(2))
    yield rate(first @ second), rate(second @ first)


@POINTS.identity("6", "§6")
def moved_coordinates(p: Point) -> Equations:
    """Coordinates in a moved frame: p^s = R p^b + r, [p^s; 1] = T [p^b; 1], T_ac = T_ab T_bc"""
    ab, bc, q = p.pose(), p.pose(), p.vector()
    X_ab, X_bc = (plucker(T[:3, :3].T, T[:3, 3]) for T in (ab, bc))
    T = pose_of(X_bc.after(X_ab))
    yield T, ab @ bc
    yield (T @ point(q))[:3], ab[:3, :3] @ (bc[:3, :3] @ q + bc[:3, 3]) + ab[:3, 3]
    yield undo(ab) @ ab, one(4)


@EXPONENTIAL.identity("7", "§7", order=1)
def rodrigues(p: Point) -> Equations:
    """Rodrigues’ formula: R = e^{[ω]θ} = 1 + sin θ [ω] + (1 − cos θ) [ω]²

    dR/dθ = [ω] R with R(0) = 1 has one solution, e^{[ω]θ}; the right side satisfies both equations
    """
    w, θ = p.unit(), p.angle(p.fraction(1))
    R = about_rotation(w, θ.c, θ.s)
    yield R, exp_rotation(w, θ)
    yield rate(R), skew(w) @ R
    yield about_rotation(w, p.fraction(1), p.fraction(0)), one(3)


@EXPONENTIAL.identity("7-group", "§7")
def exponential_is_a_rotation(p: Point) -> Equations:
    """Rodrigues’ formula gives a rotation: R = 1 + sin θ [ω] + (1 − cos θ) [ω]²: R Rᵀ = 1, det R = 1, R ω = ω"""
    w, θ = p.unit(), p.angle()
    R = exp_rotation(w, θ)
    yield R @ R.T, one(3)
    yield det(R), 1
    yield R @ w, w


@EXPONENTIAL.identity("7-log", "§7, inverted")
def logarithm(p: Point) -> Equations:
    """Logarithm of a rotation: tr R = 1 + 2 cos θ and [ω] sin θ = ½ (R − Rᵀ)"""
    w, θ = p.unit(), p.angle()
    R = about_rotation(w, θ.c, θ.s)
    yield R[0, 0] + R[1, 1] + R[2, 2], 1 + 2 * θ.c
    yield R - R.T, skew(w) * (2 * θ.s)


@EXPONENTIAL.identity("7-moved", "§§1, 7")
def conjugate(p: Point) -> Equations:
    """Rotated axis: e^{[R ω]θ} = R e^{[ω]θ} Rᵀ"""
    w, θ, R = p.unit(), p.angle(), p.rotation()
    yield about_rotation(R @ w, θ.c, θ.s), R @ exp_rotation(w, θ) @ R.T


@ANGULAR.identity("9", "§9", order=1)
def angular_velocity(p: Point) -> Equations:
    """Angular velocity in the space frame: [ω] = Ṙ R⁻¹ and ṗ^s = Ṙ R⁻¹ p^s"""
    e = p.path(4)
    R = quaternion_rotation(e)
    w, x, dw, dx = e[3], e[:3], rate(e)[3], rate(e)[:3]
    half_turn = x * (-dw) + dx * w + cross(x, dx)
    yield rate(R) @ R.T, skew(half_turn * (2 / (e @ e)))
    q = p.vector()
    yield rate(R @ q), rate(R) @ R.T @ (R @ q)


@ANGULAR.identity("12", "§12", order=1)
def angular_velocity_in_the_body(p: Point) -> Equations:
    """Angular velocity in the body frame: [ω^b] = R⁻¹ Ṙ, ω^s = R ω^b, [ω^s] = R [ω^b] R⁻¹, v^b = R⁻¹ Ṙ p^b"""
    (R, w), q = p.turning(), p.vector()
    yield R.T @ rate(R), skew(R.T @ w)
    yield skew(w), R @ skew(R.T @ w) @ R.T
    yield spatial.cross(R.T @ w, q), R.T @ rate(R @ q)
