"""Text 002, §§2, 3: Plücker bases, their duals, and both orders of their elements.

Motions and forces are written in a frame at rest. In that frame, Oxyz has the axes i, j, k and the origin O.
"""

from __future__ import annotations

from typing import NamedTuple

from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import X_force, X_motion, block, cross, hat, join, one, point, skew, vector, zero
from cross_check.catalogue.point import Point, matrix, plucker
from cross_check.catalogue.texts.text_000_transforms import across, star
from implementations.field import Tensor
from implementations.linear import solve
from implementations.spatial_algebra.model import spatial_inertia
from implementations.spatial_algebra.spatial import Plucker

BASES = Chapter("002", "§2 Plücker basis vectors")
DUAL = Chapter("002", "§3 Dual coordinate systems")
ORDER = Chapter("002", "§3 Both orders")

SWAP = block([zero(3, 3), one(3)], [one(3), zero(3, 3)])
"""From angular first to linear first, and back."""


class Oxyz(NamedTuple):
    """A Cartesian frame: 𝒞 = [i j k] and O."""

    C: Tensor
    O: Tensor

    @property
    def D(self) -> Tensor:
        """𝒟_O (eq. 5): unit rotations about Ox, Oy, Oz, then unit translations, as columns."""
        return block([self.C, zero(3, 3)], [skew(self.O) @ self.C, self.C])

    @property
    def E(self) -> Tensor:
        """ℰ_O (eq. 11): unit couples about x, y, z, then unit forces along Ox, Oy, Oz."""
        return block([self.C, skew(self.O) @ self.C], [zero(3, 3), self.C])

    @property
    def X(self) -> Plucker:
        """The reference’s transform to this frame."""
        return plucker(self.C.T, self.O)

    @property
    def X_inverse(self) -> Plucker:
        """The reference’s transform from this frame."""
        return plucker(self.C, -self.C.T @ self.O)


def frame(p: Point) -> Oxyz:
    return Oxyz(p.rotation(), p.vector())


def inverse(M: Tensor) -> Tensor:
    return solve(M[..., None], one(len(M))[..., None])[..., 0]


@BASES.identity("1", "eq. 1")
def any_reference(p: Point) -> Equations:
    """Velocity of a point, from any other: v_P = v_O + ω × OP for every O"""
    O, P, v = p.vector(), p.vector(), p.vector(6)
    about_O = plucker(one(3), O) @ v[:, None]
    yield about_O[3:, 0] + cross(v[:3], P - O), v[3:] + cross(v[:3], P)


@BASES.identity("5", "eq. 5")
def motion_basis(p: Point) -> Equations:
    """Motion basis: d_Ox is the rotation about the line Ox, which keeps its points; d_x moves every point by i"""
    O, P, along = frame(p), p.vector(), p.number()
    yield matrix(O.X_inverse), O.D
    for k in range(3):
        yield (hat(O.D[:, k]) @ point(O.O + along * O.C[:, k]))[:3], zero(3)
        yield (hat(O.D[:, k]) @ point(O.O + P))[:3], cross(O.C[:, k], P)
        yield (hat(O.D[:, k + 3]) @ point(P))[:3], O.C[:, k]


@BASES.identity("6", "eqs. 6–8")
def velocity_in_a_basis(p: Point) -> Equations:
    """Velocity in a Plücker basis: v̂ = ω_x d_Ox + … + v_Oz d_z for every position and orientation of Oxyz"""
    O, v = frame(p), p.vector(6)
    coordinates = (O.X @ v[:, None])[:, 0]
    yield coordinates, join(O.C.T @ v[:3], O.C.T @ (v[3:] + cross(v[:3], O.O)))
    yield sum(d * x for d, x in zip(O.D.T, coordinates, strict=True)), v


@BASES.identity("11", "eq. 11")
def force_basis(p: Point) -> Equations:
    """Force basis: e_x is a couple, with the same moment about every point; e_Ox is a force along Ox, without moment about O"""
    O, P, along = frame(p), p.vector(), p.number()
    yield O.X.T @ one(6), O.E
    for k in range(3):
        yield X_force(one(3), P) @ O.E[:, k], join(O.C[:, k], zero(3))
        yield X_force(one(3), O.O + along * O.C[:, k]) @ O.E[:, k + 3], join(zero(3), O.C[:, k])


@BASES.identity("12", "eqs. 12–14")
def force_in_a_basis(p: Point) -> Equations:
    """Force in a Plücker basis: f̂ = n_Ox e_x + … + f_z e_Oz for every position and orientation of Oxyz"""
    O, f = frame(p), p.vector(6)
    coordinates = star(O.X) @ f
    yield coordinates, join(O.C.T @ (f[:3] - cross(O.O, f[3:])), O.C.T @ f[3:])
    yield sum(e * x for e, x in zip(O.E.T, coordinates, strict=True)), f


@DUAL.identity("15", "eqs. 5, 11, 15")
def dual_plucker_bases(p: Point) -> Equations:
    """Plücker bases are dual: d_i · e_j = δ_ij"""
    O = frame(p)
    yield O.D.T @ O.E, one(6)


@DUAL.identity("16", "eqs. 15–18")
def scalar_product(p: Point) -> Equations:
    """Scalar product by coordinates: m̂ · f̂ = m̲ᵀ f̲, e_i · m̂ = m_i, d_i · f̂ = f_i in any dual bases"""
    D, m, f = p.matrix(6, 6), p.vector(6), p.vector(6)
    E = inverse(D).T
    yield D.T @ E, one(6)
    yield (D @ m) @ (E @ f), m @ f
    yield E.T @ (D @ m), m
    yield D.T @ (E @ f), f


@DUAL.identity("19", "eqs. 19, 20")
def dual_transform(p: Point) -> Equations:
    """Transform of dual coordinates: ᴮX_A^F = (ᴮX_A^M)^−T, so m̲_Aᵀ f̲_A = m̲_Bᵀ f̲_B, in any dual bases"""
    A, B, m, f = p.matrix(6, 6), p.matrix(6, 6), p.vector(6), p.vector(6)
    X_M, X_F = inverse(B) @ A, B.T @ inverse(A).T
    yield X_F.T @ X_M, one(6)
    yield (X_M @ m) @ (X_F @ f), m @ f


@ORDER.identity("order", "§3")
def orders(p: Point) -> Equations:
    """Linear first or angular first: the same vector: v̲ and f̲ in either order, with 𝒟 and ℰ in that order"""
    O, v, f = frame(p), p.vector(6), p.vector(6)
    angular, linear = O.X @ v[:, None], SWAP @ (O.X @ v[:, None])
    yield (O.D @ SWAP) @ linear, O.D @ angular
    yield (SWAP @ v) @ (SWAP @ f), v @ f
    yield (O.D @ SWAP).T @ (O.E @ SWAP), one(6)


@ORDER.identity("order-X", "§3")
def transforms_in_either_order(p: Point) -> Equations:
    """Transforms, linear first: X_lin = P X P = [E −E r×; 0 E], X*_lin = [E 0; −E r× E], P = [0 1; 1 0]"""
    E, r = p.rotation(), p.vector()
    yield SWAP @ matrix(plucker(E, r)) @ SWAP, X_force(E, r)
    yield SWAP @ star(plucker(E, r)) @ SWAP, X_motion(E, r)


@ORDER.identity("order-cross", "§3")
def products_in_either_order(p: Point) -> Equations:
    """Cross products and inertia, linear first: P v̂× P = [ω× v×; 0 ω×], P Î P = [m 1, −m c×; m c×, I_O]"""
    v, inertia = p.vector(6), p.inertia()
    yield SWAP @ across(v) @ SWAP, block([skew(v[:3]), skew(v[3:])], [zero(3, 3), skew(v[:3])])
    I, m, c = spatial_inertia(inertia, p.field)[..., 0], inertia.mass, skew(vector(*inertia.com))
    yield SWAP @ I @ SWAP, block([m * one(3), -m * c], [m * c, I[:3, :3]])
