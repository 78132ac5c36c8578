"""Text 002, §§6, 7: derivatives in moving coordinates, and spatial acceleration."""

from __future__ import annotations

from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import ad, ad_star, cross, join, one, skew, zero
from cross_check.catalogue.point import MovingFrame, Point, matrix, plucker
from cross_check.catalogue.series import rate
from cross_check.catalogue.texts.text_000_transforms import across, across_star, star
from cross_check.catalogue.texts.text_002_bases import Oxyz, inverse
from implementations.field import Tensor
from implementations.spatial_algebra import spatial
from implementations.spatial_algebra.spatial import crf, crm

DERIVATIVES = Chapter("002", "§6 Differentiation")
ACCELERATION = Chapter("002", "§7 Acceleration")


@DERIVATIVES.identity("35", "eqs. 33–35", order=1)
def in_any_coordinates(p: Point) -> Equations:
    """Derivative in any moving coordinates: ℬ⁻¹ u̇ = d(u̲)/dt + ℬ⁻¹ ℬ̇ u̲"""
    B, u = p.path(36).reshape(6, 6), p.path(6)
    yield inverse(B) @ rate(B @ u), rate(u) + inverse(B) @ rate(B) @ u


@DERIVATIVES.identity("36", "eq. 36", order=1)
def cartesian_basis(p: Point) -> Equations:
    """Rotating Cartesian axes: 𝒞⁻¹ 𝒞̇ = ω×"""
    O = p.moving()
    yield spatial.cross((O.R.T @ O.w)[:, None], one(3)), O.R.T @ rate(O.R)


@DERIVATIVES.identity("37", "eq. 37", order=1)
def motion_basis(p: Point) -> Equations:
    """Moving motion basis: 𝒟_O⁻¹ 𝒟̇_O = v̂_O× = [ω× 0; v_O× ω×]"""
    O = p.moving()
    D = Oxyz(O.R, O.r).D
    yield across(O.body_twist), matrix(O.X) @ rate(D)
    yield ad(O.body_twist), matrix(O.X) @ rate(D)


@DERIVATIVES.identity("38", "eq. 38", order=1)
def force_basis(p: Point) -> Equations:
    """Moving force basis: ℰ_O⁻¹ ℰ̇_O = v̂_O×* = [ω× v_O×; 0 ω×]"""
    O = p.moving()
    E = Oxyz(O.R, O.r).E
    yield across_star(O.body_twist), star(O.X) @ rate(E)
    yield ad_star(O.body_twist), star(O.X) @ rate(E)


@DERIVATIVES.identity("39", "eq. 39")
def cross_matrix(p: Point) -> Equations:
    """Cross product as a matrix: ω× u = [0 −ω_z ω_y; ω_z 0 −ω_x; −ω_y ω_x 0] u"""
    w, u = p.vector(), p.vector()
    yield spatial.cross(w, u), skew(w) @ u


@DERIVATIVES.identity("40", "eq. 40", order=1)
def euclidean(p: Point) -> Equations:
    """Derivative of a Euclidean vector: 𝒞⁻¹ v̇ = d(v̲)/dt + ω × v̲"""
    O, v = p.moving(), p.path()
    yield rate(v) + spatial.cross(O.R.T @ O.w, v), O.R.T @ rate(O.R @ v)


@DERIVATIVES.slip("40-printed", "eq. 40", corrected="40", order=1)
def euclidean_as_printed(p: Point) -> Equations:
    """Derivative of a Euclidean vector: 𝒞⁻¹ v̇ = v̲ + ω × v̲

    the dot over the first v̲ is missing
    """
    O, v = p.moving(), p.path()
    yield O.R.T @ rate(O.R @ v), v + cross(O.R.T @ O.w, v)


@DERIVATIVES.identity("41", "eq. 41", order=1)
def motion_vector(p: Point) -> Equations:
    """Derivative of a motion vector: 𝒟_O⁻¹ dm̂/dt = d(m̲)/dt + v̂_O × m̲"""
    O, m = p.moving(), p.path(6)
    yield rate(m) + crm(O.body_twist, m), matrix(O.X) @ rate(Oxyz(O.R, O.r).D @ m)


@DERIVATIVES.identity("42", "eq. 42", order=1)
def force_vector(p: Point) -> Equations:
    """Derivative of a force vector: ℰ_O⁻¹ df̂/dt = d(f̲)/dt + v̂_O ×* f̲"""
    O, f = p.moving(), p.path(6)
    yield rate(f) + crf(O.body_twist, f), star(O.X) @ rate(Oxyz(O.R, O.r).E @ f)


def followed(p: Point) -> tuple[MovingFrame, Oxyz, Tensor]:
    """A body, a frame that moves with a point O of it but does not rotate, and the body's velocity [ω; v_O] at O."""
    body = p.moving()
    return body, Oxyz(one(3), body.r), join(body.w, rate(body.r))


@ACCELERATION.identity("43", "eq. 43", order=2)
def acceleration(p: Point) -> Equations:
    """Acceleration in a frame that follows a point:
    𝒟_O⁻¹ dv̂/dt = [ω̇; v̇_O] + [0; v_O] × [ω; v_O] = [ω̇; v̇_O] + [0; v_O × ω]
    """
    body, O, v = followed(p)
    there = matrix(plucker(one(3), body.r)) @ rate(O.D @ v)
    yield rate(v) + crm(join(zero(3), v[3:]), v), there
    yield join(rate(v[:3]), rate(v[3:]) + cross(v[3:], v[:3])), there
    yield O.D @ v, body.space_twist


@ACCELERATION.slip("43-printed", "eq. 43", corrected="43", order=2)
def acceleration_as_printed(p: Point) -> Equations:
    """Acceleration in a frame that follows a point: 𝒟_O⁻¹ dv̂/dt = [ω̇; v_O] + [0; v_O × ω]

    the dot over v_O is missing
    """
    body, O, v = followed(p)
    yield matrix(plucker(one(3), body.r)) @ rate(O.D @ v), join(rate(v[:3]), v[3:] + cross(v[3:], v[:3]))


@ACCELERATION.identity("44", "eq. 44", order=2)
def classical_acceleration(p: Point) -> Equations:
    """Spatial and classical acceleration: 𝒟_O⁻¹ dv̂/dt = [ω̇; r̈] + [0; ṙ × ω]"""
    body, O, v = followed(p)
    there = (plucker(one(3), body.r) @ rate(body.space_twist)[:, None])[:, 0]
    yield there, join(rate(body.w), rate(rate(body.r)) + cross(rate(body.r), body.w))
    yield O.D @ v, body.space_twist


@ACCELERATION.warning("44-argument", "§7", order=2)
def faulty_argument(p: Point) -> Equations:
    """Classical acceleration as a spatial one: [ω̇; r̈] are the coordinates of dv̂/dt in 𝒟_O

    velocities are 𝒟_O times their coordinates, not 𝒞 times them, and 𝒟_O moves with O
    """
    body, _, v = followed(p)
    yield rate(v), plucker(one(3), body.r) @ rate(body.space_twist)[:, None]
