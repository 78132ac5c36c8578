"""Text 002, §§4, 5: basis maps, and the dyads between spatial and Euclidean vectors."""

from __future__ import annotations

from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import block, join, one, skew, total, vector, zero
from cross_check.catalogue.point import Point, matrix
from cross_check.catalogue.texts.text_000_transforms import star
from cross_check.catalogue.texts.text_002_bases import frame, inverse
from implementations.field import Tensor

MAPS = Chapter("002", "§4 Basis maps")
DYADS = Chapter("002", "§5 Spatial and Euclidean vectors")


@MAPS.identity("21", "eqs. 21–23")
def basis_map(p: Point) -> Equations:
    """A basis maps coordinates to vectors: u = Σ b_i u_i = ℬ u̲, and ℬ⁻¹ has the rows b*_i ·"""
    B, u = p.matrix(6, 6), p.vector(6)
    yield B @ u, sum(b * x for b, x in zip(B.T, u, strict=True))
    dual = inverse(B).T
    yield vector(*(b @ (B @ u) for b in dual.T)), u


@MAPS.identity("24", "eqs. 2–4, 9, 10, 24")
def cartesian_inverse(p: Point) -> Equations:
    """Inverse of 𝒞: 𝒞⁻¹ = [i·; j·; k·]"""
    C, v = frame(p).C, p.vector()
    yield vector(*(axis @ v for axis in C.T)), inverse(C) @ v


@MAPS.identity("25", "eq. 25")
def motion_inverse(p: Point) -> Equations:
    """Inverse of 𝒟_O: 𝒟_O⁻¹ = [e_x·; …; e_Oz·], the reference’s X to Oxyz"""
    O = frame(p)
    yield matrix(O.X), O.E.T
    yield matrix(O.X) @ O.D, one(6)


@MAPS.identity("26", "eq. 26")
def force_inverse(p: Point) -> Equations:
    """Inverse of ℰ_O: ℰ_O⁻¹ = [d_Ox·; …; d_z·], the reference’s X* to Oxyz"""
    O = frame(p)
    yield star(O.X), O.D.T
    yield star(O.X) @ O.E, one(6)


@MAPS.identity("4-transform", "§4")
def transform_of_bases(p: Point) -> Equations:
    """Transforms are made of bases: ᴮX_A = 𝒟_B⁻¹ 𝒟_A: its columns are the elements of the basis of A in the coordinates of B"""
    A, B = frame(p), frame(p)
    X = matrix(B.X.after(A.X_inverse))
    yield X, B.E.T @ A.D
    for k in range(6):
        yield X[:, k], (B.X @ A.D[:, [k]])[:, 0]


@MAPS.identity("4-force", "§4")
def transform_of_force_bases(p: Point) -> Equations:
    """Transform of force bases: ᴮX*_A = ℰ_B⁻¹ ℰ_A"""
    A, B = frame(p), frame(p)
    yield star(B.X) @ matrix(A.X.T), B.D.T @ A.E


def dyads(basis: Tensor, C: Tensor) -> Tensor:
    """Σ b_k i_k· (6, 3), which maps Euclidean vectors to spatial vectors."""
    return total(b[:, None] * axis for b, axis in zip(basis.T, C.T, strict=True))


@DYADS.identity("27", "eq. 27")
def velocity_of_two_vectors(p: Point) -> Equations:
    """A velocity of two Euclidean vectors: v̂ = Rot_O^M ω + Lin^M v_O"""
    O, w, v_O = frame(p), p.vector(), p.vector()
    coordinates = join(O.C.T @ w, O.C.T @ v_O)
    yield O.X_inverse @ coordinates[:, None], dyads(O.D[:, :3], O.C) @ w + dyads(O.D[:, 3:], O.C) @ v_O


@DYADS.identity("28", "eq. 28")
def rotations(p: Point) -> Equations:
    """Rot_O^M: d_Ox i· + d_Oy j· + d_Oz k· = [1; O×], which depends on O, but not on the axes"""
    O = frame(p)
    yield dyads(O.D[:, :3], O.C), block([one(3)], [skew(O.O)])


@DYADS.identity("29", "eq. 29")
def translations(p: Point) -> Equations:
    """Lin^M: d_x i· + d_y j· + d_z k· = [0; 1], independent of O and of the axes"""
    O = frame(p)
    yield dyads(O.D[:, 3:], O.C), block([zero(3, 3)], [one(3)])


@DYADS.identity("30", "eq. 30")
def force_of_two_vectors(p: Point) -> Equations:
    """A force of two Euclidean vectors: f̂ = Rot^F n_O + Lin_O^F f"""
    O, n_O, f = frame(p), p.vector(), p.vector()
    coordinates = join(O.C.T @ n_O, O.C.T @ f)
    yield O.X.T @ coordinates[:, None], dyads(O.E[:, :3], O.C) @ n_O + dyads(O.E[:, 3:], O.C) @ f


@DYADS.identity("31", "eq. 31")
def couples(p: Point) -> Equations:
    """Rot^F: e_x i· + e_y j· + e_z k· = [1; 0], independent of O and of the axes"""
    O = frame(p)
    yield dyads(O.E[:, :3], O.C), block([one(3)], [zero(3, 3)])


@DYADS.identity("32", "eq. 32")
def forces(p: Point) -> Equations:
    """Lin_O^F: e_Ox i· + e_Oy j· + e_Oz k· = [O×; 1], which depends on O, but not on the axes"""
    O = frame(p)
    yield dyads(O.E[:, 3:], O.C), block([skew(O.O)], [one(3)])
