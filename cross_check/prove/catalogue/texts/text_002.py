"""Text 002: Plücker bases, their duals and maps, derivatives in moving coordinates, and spatial acceleration.

Motions and forces are written in a frame at rest. In that frame, Oxyz has the axes i, j, k and the origin O.
"""

from __future__ import annotations

from cross_check.prove.catalogue.language import *

BASES = Chapter("002", "§2 Plücker basis vectors")
DUAL = Chapter("002", "§3 Dual coordinate systems")
ORDER = Chapter("002", "§3 Both orders")
MAPS = Chapter("002", "§4 Basis maps")
DYADS = Chapter("002", "§5 Spatial and Euclidean vectors")
DERIVATIVES = Chapter("002", "§6 Differentiation")
ACCELERATION = Chapter("002", "§7 Acceleration")

SWAP = block([zero(3, 3), one(3)], [one(3), zero(3, 3)])
"""From angular first to linear first, and back."""


@BASES.identity("1", "eq. 1")
def any_reference(O: Vector, P: Vector, v: Spatial) -> Equations:
    """Velocity of a point, from any other: v_P = v_O + ω × OP for every O"""
    yield times(plucker(one(3), O), v)[3:] + cross(v[:3], P - O), v[3:] + cross(v[:3], P)


@BASES.identity("5", "eq. 5")
def motion_basis(O: Resting, P: Vector, along: Number) -> Equations:
    """Motion basis: d_Ox is the rotation about the line Ox, which keeps its points; d_x moves every point by i"""
    yield matrix(O.X_inverse), O.D
    for k in range(3):
        yield (hat(O.D[:, k]) @ point(O.r + along * O.R[:, k]))[:3], zero(3)
        yield (hat(O.D[:, k]) @ point(O.r + P))[:3], cross(O.R[:, k], P)
        yield (hat(O.D[:, k + 3]) @ point(P))[:3], O.R[:, k]


@BASES.identity("6", "eqs. 6–8")
def velocity_in_a_basis(O: Resting, v: Spatial) -> Equations:
    """Velocity in a Plücker basis: v̂ = ω_x d_Ox + … + v_Oz d_z for every position and orientation of Oxyz"""
    coordinates = times(O.X, v)
    yield coordinates, join(O.R.T @ v[:3], O.R.T @ (v[3:] + cross(v[:3], O.r)))
    yield sum(d * x for d, x in zip(O.D.T, coordinates, strict=True)), v


@BASES.identity("11", "eq. 11")
def force_basis(O: Resting, P: Vector, along: Number) -> Equations:
    """Force basis: e_x is a couple, with the same moment about every point; e_Ox is a force along Ox, without moment about O"""
    yield O.X.T @ one(6), O.E
    for k in range(3):
        yield X_force(one(3), P) @ O.E[:, k], join(O.R[:, k], zero(3))
        yield X_force(one(3), O.r + along * O.R[:, k]) @ O.E[:, k + 3], join(zero(3), O.R[:, k])


@BASES.identity("12", "eqs. 12–14")
def force_in_a_basis(O: Resting, f: Spatial) -> Equations:
    """Force in a Plücker basis: f̂ = n_Ox e_x + … + f_z e_Oz for every position and orientation of Oxyz"""
    coordinates = star(O.X) @ f
    yield coordinates, join(O.R.T @ (f[:3] - cross(O.r, f[3:])), O.R.T @ f[3:])
    yield sum(e * x for e, x in zip(O.E.T, coordinates, strict=True)), f


@DUAL.identity("15", "eqs. 5, 11, 15")
def dual_plucker_bases(O: Resting) -> Equations:
    """Plücker bases are dual: d_i · e_j = δ_ij"""
    yield O.D.T @ O.E, one(6)


@DUAL.identity("16", "eqs. 15–18")
def scalar_product(D: Matrix, m: Spatial, f: Spatial) -> Equations:
    """Scalar product by coordinates: m̂ · f̂ = m̲ᵀ f̲, e_i · m̂ = m_i, d_i · f̂ = f_i in any dual bases"""
    E = inverse(D).T
    yield D.T @ E, one(6)
    yield (D @ m) @ (E @ f), m @ f
    yield E.T @ (D @ m), m
    yield D.T @ (E @ f), f


@DUAL.identity("19", "eqs. 19, 20")
def dual_transform(A: Matrix, B: Matrix, m: Spatial, f: Spatial) -> Equations:
    """Transform of dual coordinates: ᴮX_A^F = (ᴮX_A^M)^−T, so m̲_Aᵀ f̲_A = m̲_Bᵀ f̲_B, in any dual bases"""
    X_M, X_F = inverse(B) @ A, B.T @ inverse(A).T
    yield X_F.T @ X_M, one(6)
    yield (X_M @ m) @ (X_F @ f), m @ f


@ORDER.identity("order", "§3")
def orders(O: Resting, v: Spatial, f: Spatial) -> Equations:
    """Linear first or angular first: the same vector: v̲ and f̲ in either order, with 𝒟 and ℰ in that order"""
    angular = times(O.X, v)
    yield (O.D @ SWAP) @ (SWAP @ angular), O.D @ angular
    yield (SWAP @ v) @ (SWAP @ f), v @ f
    yield (O.D @ SWAP).T @ (O.E @ SWAP), one(6)


@ORDER.identity("order-X", "§3")
def transforms_in_either_order(E: Turn, r: Vector) -> Equations:
    """Transforms, linear first: X_lin = P X P = [E −E r×; 0 E], X*_lin = [E 0; −E r× E], P = [0 1; 1 0]"""
    yield SWAP @ matrix(plucker(E, r)) @ SWAP, X_force(E, r)
    yield SWAP @ star(plucker(E, r)) @ SWAP, X_motion(E, r)


@ORDER.identity("order-cross", "§3")
def products_in_either_order(v: Spatial, body: AnyBody) -> Equations:
    """Cross products and inertia, linear first: P v̂× P = [ω× v×; 0 ω×], P Î P = [m 1, −m c×; m c×, I_O]"""
    yield SWAP @ across(v) @ SWAP, ad_star(v)
    I, m, c = body.I, body.m, skew(body.c)
    yield SWAP @ I @ SWAP, block([m * one(3), -m * c], [m * c, I[:3, :3]])


@MAPS.identity("21", "eqs. 21–23")
def basis_map(B: Matrix, u: Spatial) -> Equations:
    """A basis maps coordinates to vectors: u = Σ b_i u_i = ℬ u̲, and ℬ⁻¹ has the rows b*_i ·"""
    yield B @ u, sum(b * x for b, x in zip(B.T, u, strict=True))
    yield vector(*(b @ (B @ u) for b in inverse(B))), u


@MAPS.identity("24", "eqs. 2–4, 9, 10, 24")
def cartesian_inverse(O: Resting, v: Vector) -> Equations:
    """Inverse of 𝒞: 𝒞⁻¹ = [i·; j·; k·]"""
    yield vector(*(axis @ v for axis in O.R.T)), inverse(O.R) @ v


@MAPS.identity("25", "eq. 25")
def motion_inverse(O: Resting) -> Equations:
    """Inverse of 𝒟_O: 𝒟_O⁻¹ = [e_x·; …; e_Oz·], the reference’s X to Oxyz"""
    yield matrix(O.X), O.E.T
    yield matrix(O.X) @ O.D, one(6)


@MAPS.identity("26", "eq. 26")
def force_inverse(O: Resting) -> Equations:
    """Inverse of ℰ_O: ℰ_O⁻¹ = [d_Ox·; …; d_z·], the reference’s X* to Oxyz"""
    yield star(O.X), O.D.T
    yield star(O.X) @ O.E, one(6)


@MAPS.identity("4-transform", "§4")
def transform_of_bases(A: Resting, B: Resting) -> Equations:
    """Transforms are made of bases: ᴮX_A = 𝒟_B⁻¹ 𝒟_A: its columns are the elements of the basis of A in the coordinates of B"""
    X = matrix(B.X.after(A.X_inverse))
    yield X, B.E.T @ A.D
    for k in range(6):
        yield X[:, k], times(B.X, A.D[:, k])


@MAPS.identity("4-force", "§4")
def transform_of_force_bases(A: Resting, B: Resting) -> Equations:
    """Transform of force bases: ᴮX*_A = ℰ_B⁻¹ ℰ_A"""
    yield star(B.X) @ matrix(A.X.T), B.D.T @ A.E


def dyads(basis: Tensor, O: Frame) -> Tensor:
    """Σ b_k i_k· (6, 3), which maps Euclidean vectors to spatial vectors."""
    return total(b[:, None] * axis for b, axis in zip(basis.T, O.R.T, strict=True))


@DYADS.identity("27", "eq. 27")
def velocity_of_two_vectors(O: Resting, w: Vector, v_O: Vector) -> Equations:
    """A velocity of two Euclidean vectors: v̂ = Rot_O^M ω + Lin^M v_O"""
    coordinates = join(O.R.T @ w, O.R.T @ v_O)
    yield times(O.X_inverse, coordinates), dyads(O.D[:, :3], O) @ w + dyads(O.D[:, 3:], O) @ v_O


@DYADS.identity("28", "eq. 28")
def rotations(O: Resting) -> Equations:
    """Rot_O^M: d_Ox i· + d_Oy j· + d_Oz k· = [1; O×], which depends on O, but not on the axes"""
    yield dyads(O.D[:, :3], O), block([one(3)], [skew(O.r)])


@DYADS.identity("29", "eq. 29")
def translations(O: Resting) -> Equations:
    """Lin^M: d_x i· + d_y j· + d_z k· = [0; 1], independent of O and of the axes"""
    yield dyads(O.D[:, 3:], O), block([zero(3, 3)], [one(3)])


@DYADS.identity("30", "eq. 30")
def force_of_two_vectors(O: Resting, n_O: Vector, f: Vector) -> Equations:
    """A force of two Euclidean vectors: f̂ = Rot^F n_O + Lin_O^F f"""
    coordinates = join(O.R.T @ n_O, O.R.T @ f)
    yield O.X.T @ coordinates[:, None], dyads(O.E[:, :3], O) @ n_O + dyads(O.E[:, 3:], O) @ f


@DYADS.identity("31", "eq. 31")
def couples(O: Resting) -> Equations:
    """Rot^F: e_x i· + e_y j· + e_z k· = [1; 0], independent of O and of the axes"""
    yield dyads(O.E[:, :3], O), block([one(3)], [zero(3, 3)])


@DYADS.identity("32", "eq. 32")
def forces(O: Resting) -> Equations:
    """Lin_O^F: e_Ox i· + e_Oy j· + e_Oz k· = [O×; 1], which depends on O, but not on the axes"""
    yield dyads(O.E[:, 3:], O), block([skew(O.r)], [one(3)])


@DERIVATIVES.identity("35", "eqs. 33–35", order=1)
def in_any_coordinates(b: MatrixPath, u: SpatialPath) -> Equations:
    """Derivative in any moving coordinates: ℬ⁻¹ u̇ = d(u̲)/dt + ℬ⁻¹ ℬ̇ u̲"""
    yield inverse(b) @ rate(b @ u), rate(u) + inverse(b) @ rate(b) @ u


@DERIVATIVES.identity("36", "eq. 36", order=1)
def cartesian_basis(O: Moving) -> Equations:
    """Rotating Cartesian axes: 𝒞⁻¹ 𝒞̇ = ω×"""
    yield spatial.cross((O.R.T @ O.w)[:, None], one(3)), O.R.T @ rate(O.R)


@DERIVATIVES.identity("37", "eq. 37", order=1)
def moving_motion_basis(O: Moving) -> Equations:
    """Moving motion basis: 𝒟_O⁻¹ 𝒟̇_O = v̂_O× = [ω× 0; v_O× ω×]"""
    yield across(O.body_twist), matrix(O.X) @ rate(O.D)
    yield ad(O.body_twist), matrix(O.X) @ rate(O.D)


@DERIVATIVES.identity("38", "eq. 38", order=1)
def moving_force_basis(O: Moving) -> Equations:
    """Moving force basis: ℰ_O⁻¹ ℰ̇_O = v̂_O×* = [ω× v_O×; 0 ω×]"""
    yield across_star(O.body_twist), star(O.X) @ rate(O.E)
    yield ad_star(O.body_twist), star(O.X) @ rate(O.E)


@DERIVATIVES.identity("39", "eq. 39")
def cross_matrix(w: Vector, u: Vector) -> Equations:
    """Cross product as a matrix: ω× u = [0 −ω_z ω_y; ω_z 0 −ω_x; −ω_y ω_x 0] u"""
    yield spatial.cross(w, u), skew(w) @ u


@DERIVATIVES.identity("40", "eq. 40", order=1)
def euclidean(O: Moving, v: Path) -> Equations:
    """Derivative of a Euclidean vector: 𝒞⁻¹ v̇ = d(v̲)/dt + ω × v̲"""
    yield rate(v) + spatial.cross(O.R.T @ O.w, v), O.R.T @ rate(O.R @ v)


@DERIVATIVES.slip("40-printed", "eq. 40", corrected="40", order=1)
def euclidean_as_printed(O: Moving, v: Path) -> Equations:
    """Derivative of a Euclidean vector: 𝒞⁻¹ v̇ = v̲ + ω × v̲

    the dot over the first v̲ is missing
    """
    yield O.R.T @ rate(O.R @ v), v + cross(O.R.T @ O.w, v)


@DERIVATIVES.identity("41", "eq. 41", order=1)
def motion_vector(O: Moving, m: SpatialPath) -> Equations:
    """Derivative of a motion vector: 𝒟_O⁻¹ dm̂/dt = d(m̲)/dt + v̂_O × m̲"""
    yield rate(m) + crm(O.body_twist, m), matrix(O.X) @ rate(O.D @ m)


@DERIVATIVES.identity("42", "eq. 42", order=1)
def force_vector(O: Moving, f: SpatialPath) -> Equations:
    """Derivative of a force vector: ℰ_O⁻¹ df̂/dt = d(f̲)/dt + v̂_O ×* f̲"""
    yield rate(f) + crf(O.body_twist, f), star(O.X) @ rate(O.E @ f)


def followed(body: MovingFrame) -> tuple[Frame, Tensor]:
    """A frame that moves with a point O of a body but does not rotate, and the body's velocity [ω; v_O] at O."""
    return Frame(one(3), body.r), join(body.w, rate(body.r))


@ACCELERATION.identity("43", "eq. 43", order=2)
def acceleration(body: Moving) -> Equations:
    """Acceleration in a frame that follows a point:
    𝒟_O⁻¹ dv̂/dt = [ω̇; v̇_O] + [0; v_O] × [ω; v_O] = [ω̇; v̇_O] + [0; v_O × ω]
    """
    O, v = followed(body)
    there = matrix(plucker(one(3), body.r)) @ rate(O.D @ v)
    yield rate(v) + crm(join(zero(3), v[3:]), v), there
    yield join(rate(v[:3]), rate(v[3:]) + cross(v[3:], v[:3])), there
    yield O.D @ v, body.space_twist


@ACCELERATION.slip("43-printed", "eq. 43", corrected="43", order=2)
def acceleration_as_printed(body: Moving) -> Equations:
    """Acceleration in a frame that follows a point: 𝒟_O⁻¹ dv̂/dt = [ω̇; v_O] + [0; v_O × ω]

    the dot over v_O is missing
    """
    O, v = followed(body)
    yield matrix(plucker(one(3), body.r)) @ rate(O.D @ v), join(rate(v[:3]), v[3:] + cross(v[3:], v[:3]))


@ACCELERATION.identity("44", "eq. 44", order=2)
def classical_acceleration(body: Moving) -> Equations:
    """Spatial and classical acceleration: 𝒟_O⁻¹ dv̂/dt = [ω̇; r̈] + [0; ṙ × ω]"""
    O, v = followed(body)
    there = times(plucker(one(3), body.r), rate(body.space_twist))
    yield there, join(rate(body.w), rate(rate(body.r)) + cross(rate(body.r), body.w))
    yield O.D @ v, body.space_twist


@ACCELERATION.warning("44-argument", "§7", order=2)
def faulty_argument(body: Moving) -> Equations:
    """Classical acceleration as a spatial one: [ω̇; r̈] are the coordinates of dv̂/dt in 𝒟_O

    velocities are 𝒟_O times their coordinates, not 𝒞 times them, and 𝒟_O moves with O
    """
    yield rate(followed(body)[1]), times(plucker(one(3), body.r), rate(body.space_twist))
