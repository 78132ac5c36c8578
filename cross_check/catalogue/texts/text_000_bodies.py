"""Text 000, §§3, 4: spatial inertia, and the motion of one body."""

from __future__ import annotations

from typing import Any

from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import X_force, X_motion, ad, ad_star, block, cross, join, one, skew, vector, zero
from cross_check.catalogue.point import MovingFrame, Point, matrix, plucker
from cross_check.catalogue.series import rate
from implementations.field import Tensor
from implementations.spatial_algebra.model import spatial_inertia
from implementations.spatial_algebra.spatial import crf, mul
from mechanisms import Inertia, Placement, Rotation

INERTIA = Chapter("000", "§3 Spatial inertia")
BODY = Chapter("000", "§4 Motion of a rigid body")


def about(p: Point, inertia: Inertia) -> Tensor:
    """The reference’s Î (6, 6)."""
    return spatial_inertia(inertia, p.field)[..., 0]


def printed(inertia: Inertia) -> Tensor:
    """Î of eqs. 17, 18."""
    m, c = inertia.mass, skew(vector(*inertia.com))
    return block([vector(*inertia.matrix).reshape(3, 3) + m * (c @ c.T), m * c], [m * c.T, m * one(3)])


def made_of(masses: list[tuple[Any, Tensor]]) -> Inertia:
    """The inertia of point masses: Σ m (|r|² 1 − r rᵀ) about their centre of mass."""
    total = sum(m for m, _ in masses)
    c = sum(m * r for m, r in masses) / total
    I = sum(m * (one(3) * (d @ d) - d[:, None] * d) for m, d in ((m, r - c) for m, r in masses))
    return Inertia(total, tuple(c), (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]))


def newton(masses: list[tuple[Any, Tensor]], B: MovingFrame, g: Any = 0) -> Tensor:
    """[n; f] about B's origin, in B: the sum of the forces f_k = m_k (ẍ_k − g) on the point masses."""
    positions = [(m, B.R @ r + B.r) for m, r in masses]
    forces = [(x - B.r, m * (rate(rate(x)) - g)) for m, x in positions]
    return join(B.R.T @ sum(cross(arm, f) for arm, f in forces), B.R.T @ sum(f for _, f in forces))


@INERTIA.identity("17", "eq. 17")
def inertia_of_a_body(p: Point) -> Equations:
    """Spatial inertia: Î = [I_O, m c×; m c×ᵀ, m 1]"""
    inertia = p.inertia()
    yield about(p, inertia), printed(inertia)


@INERTIA.identity("17-momentum", "§§3, 4")
def momentum(p: Point) -> Equations:
    """Momentum: ĥ = Î v̂ = [Σ r_k × m_k v_k; Σ m_k v_k]"""
    masses, v = p.masses(), p.vector(6)
    momenta = [(r, m * (v[3:] + cross(v[:3], r))) for m, r in masses]
    yield about(p, made_of(masses)) @ v, sum(join(cross(r, h), h) for r, h in momenta)


@INERTIA.identity("18", "eq. 18")
def parallel_axes(p: Point) -> Equations:
    """Inertia about any point: I_O = I_c + m c× c×ᵀ = Σ m_k r_k× r_k×ᵀ"""
    masses = p.masses()
    inertia = made_of(masses)
    c = skew(vector(*inertia.com))
    I_O = vector(*inertia.matrix).reshape(3, 3) + inertia.mass * (c @ c.T)
    yield about(p, inertia)[:3, :3], I_O
    yield I_O, sum(m * (skew(r) @ skew(r).T) for m, r in masses)


@INERTIA.identity("19", "eq. 19")
def combined_inertia(p: Point) -> Equations:
    """Bodies tied together: Î = Î_1 + Î_2: without parallel-axis terms or a new centre of mass"""
    one, two = p.inertia(), p.inertia()
    yield about(p, one + two), printed(one) + printed(two)


@INERTIA.identity("20", "eq. 20")
def carried_inertia(p: Point) -> Equations:
    """Inertia in another frame: ᴬÎ = ᴮX_Aᵀ ᴮÎ ᴮX_A"""
    inertia, e, r = p.inertia(), p.vector(4), p.vector()
    placement = Placement(Rotation(*e), tuple(r))
    R = vector(*placement.rotation.matrix).reshape(3, 3)
    yield plucker(R.T, r).carry(spatial_inertia(inertia, p.field)), printed(inertia.placed(placement))
    yield plucker(R.T, r).carry(spatial_inertia(inertia, p.field)), X_motion(R.T, r).T @ printed(inertia) @ X_motion(R.T, r)


@INERTIA.identity("21", "eq. 21", order=1)
def derivative_of_inertia(p: Point) -> Equations:
    """Derivative of inertia: ᴮ[dÎ/dt] = v̂ ×* Î − Î v̂×"""
    B, inertia = p.moving(), p.inertia()
    fixed = B.X.carry(spatial_inertia(inertia, p.field))[..., 0]
    I = printed(inertia)
    yield X_force(B.R.T, B.r) @ rate(fixed) @ X_motion(B.R, -B.R.T @ B.r), ad_star(B.body_twist) @ I - I @ ad(B.body_twist)
    yield rate(fixed), ad_star(B.space_twist) @ fixed - fixed @ ad(B.space_twist)


@BODY.identity("22", "eq. 22", order=2)
def equation_of_motion(p: Point) -> Equations:
    """Equation of motion: ᴮf̂ = ᴮ[d(Î v̂)/dt] = Î â + v̂ ×* Î v̂"""
    B, inertia = p.moving(), p.inertia()
    I, v = spatial_inertia(inertia, p.field), B.body_twist[:, None]
    momentum_in_A = X_force(B.R, -B.R.T @ B.r) @ printed(inertia) @ B.body_twist
    yield mul(I, rate(v)) + crf(v, mul(I, v)), X_force(B.R.T, B.r) @ rate(momentum_in_A)


@BODY.slip("22-printed", "eq. 22", corrected="22", order=2)
def equation_of_motion_by_components(p: Point) -> Equations:
    """Equation of motion, first line: ᴮf̂ = d(ᴮÎ ᴮv̂)/dt, by components

    the brackets of eq. 5 are missing; the derivative of the components in a moving frame lacks v̂ ×* Î v̂
    """
    B, inertia = p.moving(), p.inertia()
    I, v = spatial_inertia(inertia, p.field), B.body_twist[:, None]
    yield mul(I, rate(v)) + crf(v, mul(I, v)), rate(printed(inertia) @ B.body_twist)


@BODY.identity("22-newton", "eq. 22", order=2)
def newtons_law(p: Point) -> Equations:
    """Newton’s law: Î â + v̂ ×* Î v̂ = [Σ r_k × m_k ẍ_k; Σ m_k ẍ_k]"""
    B, masses = p.moving(), p.masses()
    I, v = spatial_inertia(made_of(masses), p.field), B.body_twist[:, None]
    yield mul(I, rate(v)) + crf(v, mul(I, v)), newton(masses, B)


@BODY.identity("23", "eq. 23")
def inertia_about_the_centre_of_mass(p: Point) -> Equations:
    """Inertia about the centre of mass: Î = [I_B, 0; 0, m 1] with the origin at the centre of mass"""
    inertia = p.inertia(centred=True)
    rotational = vector(*inertia.matrix).reshape(3, 3)
    yield about(p, inertia), block([rotational, zero(3, 3)], [zero(3, 3), inertia.mass * one(3)])


@BODY.identity("26", "eq. 26")
def weight(p: Point) -> Equations:
    """Weight in the body’s frame: ᴮX_I [0; m ᴵg] = [0; m ᴮg], with the origin at the centre of mass"""
    R, r, g, m = p.rotation(), p.vector(), p.vector(), p.number()
    yield plucker(R, r) @ join(zero(3), m * g)[:, None], join(zero(3), m * (R @ g))


@BODY.identity("26-anywhere", "eq. 26")
def weight_about_any_origin(p: Point) -> Equations:
    """Weight about any origin: ᴮÎ ᴮX_I [0; ᴵg] = [Σ r_k × m_k ᴮg; Σ m_k ᴮg]"""
    R, r, g, masses = p.rotation(), p.vector(), p.vector(), p.masses()
    field = matrix(plucker(R, r)) @ join(zero(3), g)
    yield about(p, made_of(masses)) @ field, sum(m * join(cross(x, R @ g), R @ g) for m, x in masses)


@BODY.warning("26-as-a-force", "eq. 26")
def weight_moved_as_a_force(p: Point) -> Equations:
    """Weight moved as a force: ᴮX*_I [0; m ᴵg] is its weight

    X* looks right because [0; m g] is a force; but its line of action passes through I’s origin, not through the centre of mass
    """
    R, r, g, m = p.rotation(), p.vector(), p.vector(), p.number()
    yield plucker(R.T, -R @ r).T @ join(zero(3), m * g)[:, None], join(zero(3), m * (R @ g))


@BODY.identity("27", "eqs. 24, 25, 27", order=2)
def classical_form(p: Point) -> Equations:
    """Classical form: [n; f] = [I ω̇ + ω × I ω; m v̇ + ω × m v] about the centre of mass, v̇ by components"""
    B, inertia = p.moving(), p.inertia(centred=True)
    I, v, m = spatial_inertia(inertia, p.field), B.body_twist, inertia.mass
    J, w = vector(*inertia.matrix).reshape(3, 3), v[:3]
    n, f = J @ rate(w) + cross(w, J @ w), m * rate(v[3:]) + cross(w, m * v[3:])
    yield mul(I, rate(v)[:, None]) + crf(v[:, None], mul(I, v[:, None])), join(n, f)


@BODY.warning("27-classical", "eqs. 25, 27", order=2)
def classical_form_with_the_acceleration_of_the_origin(p: Point) -> Equations:
    """Classical form with the acceleration of B: f = m a_B + ω × m v_B with a_B the acceleration of the point B

    a_B must be the rate of the components of v_B in B; the acceleration of the point B already contains ω × v_B
    """
    B, inertia = p.moving(), p.inertia(centred=True)
    I, v, m = spatial_inertia(inertia, p.field), B.body_twist[:, None], inertia.mass
    f = mul(I, rate(v)) + crf(v, mul(I, v))
    yield f[3:], m * (B.R.T @ rate(rate(B.r))) + cross(v[:3, 0], m * v[3:, 0])
