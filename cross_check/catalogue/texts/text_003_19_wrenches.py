"""Text 003, §§19–21, 30, 31, 35: wrenches, points of a body, and Lie brackets."""

from __future__ import annotations

from cross_check.catalogue.frames import plucker
from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import *
from cross_check.catalogue.point import chain
from cross_check.catalogue.quantities import *
from cross_check.catalogue.series import rate
from implementations.screws import adjoints
from implementations.spatial_algebra.bias import gravity
from implementations.spatial_algebra.kinematics import classical_accelerations
from implementations.spatial_algebra.spatial import crm
from mechanisms import Inertia, Joint

WRENCHES = Chapter("003", "§§19–21 Wrenches")
POINTS = Chapter("003", "§§30, 31 Points of a body")
BRACKETS = Chapter("003", "§35 Lie brackets")


@WRENCHES.identity("19", "§19")
def wrench(c: Vector, V: Spatial, forces: Forces) -> Equations:
    """A force system as a force at the centre of mass:
    a system of forces is equivalent to one couple and one force: both have the same power for every motion
    """
    force, couple = total(f for _, f in forces), total(cross(x - c, f) for x, f in forces)
    at_origin = plucker(one(3), c).T @ join(couple, force)[:, None]
    yield at_origin, sum(join(cross(x, f), f) for x, f in forces)
    yield at_origin[:, 0] @ V, sum(f @ (V[3:] + cross(V[:3], x)) for x, f in forces)


@WRENCHES.identity("20", "§20")
def wrench_in_both_frames(T: Pose, F: Spatial, V: Spatial) -> Equations:
    """Wrenches in both frames: F^b = [Ad_T]ᵀ F^s = [Rᵀ −Rᵀ[r]; 0 Rᵀ] [τ^s; f^s], so V^s · F^s = V^b · F^b"""
    R, r = T[:3, :3], T[:3, 3]
    F_b = plucker(R, -R.T @ r).T @ F[:, None]
    yield F_b, Ad(T).T @ F
    yield F_b, block([R.T, -R.T @ skew(r)], [zero(3, 3), R.T]) @ F
    yield F_b, join(R.T @ F[:3] - R.T @ skew(r) @ F[3:], R.T @ F[3:])
    yield V @ F_b[:, 0], (Ad(T) @ V) @ F


@WRENCHES.identity("21", "§21")
def stick(p: Point, r: Vector, w: Unit, weight: Vector, m: Number) -> Equations:
    """A stick held level: F^b = [0; −g] is F^s = [r × −g; −g], the force of the wall and the moment r × −g of the motor"""
    yield plucker(one(3), r).T @ join(zero(3), -weight)[:, None], join(cross(r, -weight), -weight)
    body = Joint("motor", "revolute", tuple(w)), Inertia(m, tuple(r), tuple(p.vector(6)))
    model = p.model(chain(body, gravity=weight / m))
    yield gravity(model, vector(p.fraction(0))[:, None]), vector(w @ cross(r, -weight))


@POINTS.identity("30", "§30", order=2)
def acceleration_of_a_point(B: Moving, r: Vector) -> Equations:
    """Acceleration of a point of a body: ṗ = ω^b × r + v^b, p̈ = v̇^b + [ω̇^b] r + [ω^b] v^b + [ω^b]² r, in {b}"""
    w, v = B.body_twist[:3], B.body_twist[3:]
    x = B.R @ r + B.r
    yield (hat(B.body_twist) @ point(r))[:3], B.R.T @ rate(x)
    yield cross(w, r) + v, B.R.T @ rate(x)
    yield rate(v) + skew(rate(w)) @ r + skew(w) @ v + skew(w) @ skew(w) @ r, B.R.T @ rate(rate(x))


@POINTS.identity("30-origin", "§30", order=2)
def acceleration_of_a_bodys_origin(m: Chain) -> Equations:
    """Acceleration of a body’s origin: p̈ = R (v̇^b + [ω^b] v^b), r = 0, for every body of a tree"""
    for ours, v, B in zip(classical_accelerations(*m.state, m.qdd), m.v, m.frames, strict=True):
        yield ours, join(B.R @ rate(v[:3]), B.R @ (rate(v[3:]) + cross(v[:3], v[3:])))
        yield ours[3:], rate(rate(B.r))


@POINTS.identity("31", "§31", order=2)
def angular_momentum(m: Number, r: Path) -> Equations:
    """Angular momentum of a point mass: L = r × p with p = m v, so L̇ = r × f"""
    yield rate(cross(r, m * rate(r))), cross(r, m * rate(rate(r)))


@BRACKETS.identity("35", "§35")
def lie_bracket(x: Spatial, y: Spatial) -> Equations:
    """Lie bracket: [[x], [y]] = [x][y] − [y][x] = [ad(x) y]; ad(x) = [ω] on so(3), [[ω] 0; [v] [ω]] on se(3)"""
    yield crm(x, y), unhat(commutator(hat(x), hat(y)))
    yield crm(x, y), ad(x) @ y
    yield adjoints.ad(x[:, None]), ad(x)
    yield adjoints.bracket(x[:, None]), hat(x)
    yield commutator(skew(x[:3]), skew(y[:3])), skew(cross(x[:3], y[:3]))


@BRACKETS.identity("35-derivative", "§35", order=1)
def bracket_by_conjugation(p: Point, x: Screw, y: Spatial, θ: Advancing) -> Equations:
    """Lie bracket as the derivative of conjugation:
    d/dθ e^{[x]θ} [y] e^{−[x]θ} = [x][y] − [y][x] at θ = 0, and d[Ad]/dθ = ad(x) [Ad]
    """
    T = exp_screw(x, θ)
    moved = T @ hat(y) @ undo(T)
    yield rate(moved), commutator(hat(x), moved)
    yield rate(Ad(T)), ad(x) @ Ad(T)
    T = exp_screw(x, Angle(p.time, p.fraction(1), p.time, p.time))  # to first order, as the angle is 0 now
    yield rate(T @ hat(y) @ undo(T)), commutator(hat(x), hat(y))


@BRACKETS.slip("35-printed", "§35", corrected="35-derivative")
def bracket_as_printed(x: Screw, y: Spatial, θ: AnyAngle) -> Equations:
    """Lie bracket by conjugation: Y′ = g Y g⁻¹ = X Y − Y X, g = e^{[x]θ}

    the bracket is not g Y g⁻¹ itself, but its derivative at θ = 0, as the preceding sentence of the text says
    """
    T = exp_screw(x, θ)
    yield T @ hat(y) @ undo(T), commutator(hat(x), hat(y))


@BRACKETS.slip("35-inverse", "§35", corrected="35-derivative")
def bracket_by_inverse(x: Spatial, y: Spatial) -> Equations:
    """Lie bracket by the algebra’s own elements: [x, y] = X Y X⁻¹ = ad(x) y, hence X Y = [ad(x) y] X

    X is an element of the algebra, not of the group; its matrix is singular and has no inverse
    """
    yield hat(x) @ hat(y), hat(ad(x) @ y) @ hat(x)
