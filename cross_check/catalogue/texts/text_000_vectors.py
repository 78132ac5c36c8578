"""Text 000, §§2.1, 2.2: spatial velocity, acceleration and force."""

from __future__ import annotations

from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import X_force, X_motion, ad, cross, join, skew, total, undo, unhat, vector
from cross_check.catalogue.point import Point, matrix, plucker, pose_of
from cross_check.catalogue.series import rate
from implementations.spatial_algebra import spatial
from implementations.spatial_algebra.jcalc import jcalc
from implementations.spatial_algebra.spatial import crf, crm

VELOCITY = Chapter("000", "§2.1 Spatial velocity and acceleration")
FORCE = Chapter("000", "§2.2 Spatial force")


@VELOCITY.identity("1", "eq. 1")
def cross_matrix(p: Point) -> Equations:
    """Cross product as a matrix: a × b = a^× b, and (a^×)ᵀ = −a^×"""
    a, b = p.vector(), p.vector()
    yield spatial.cross(a, b), skew(a) @ b
    yield skew(a).T, -skew(a)


@VELOCITY.identity("2", "eq. 2", order=1)
def spatial_velocity(p: Point) -> Equations:
    """Spatial velocity: ᴼv̂_B = [ω; v_O], v_O the velocity of the body’s point that passes O"""
    B = p.moving()
    of_the_body = -B.R.T @ B.r
    v_O = rate(B.R) @ of_the_body + rate(B.r)
    yield -matrix(B.X_inverse) @ rate(matrix(B.X)), ad(join(B.w, v_O))


@VELOCITY.identity("3", "eq. 3")
def velocity_about_another_origin(p: Point) -> Equations:
    """Spatial velocity about the origin of I: ᴵv̂_B = [ω_IB; v_IB + r_IB × ω_IB]"""
    R, r, w, v = p.rotation(), p.vector(), p.vector(), p.vector()
    yield plucker(R, -R.T @ r) @ join(R.T @ w, R.T @ v)[:, None], join(w, v + cross(r, w))


@VELOCITY.identity("4", "eq. 4", order=1)
def velocity_in_the_body(p: Point) -> Equations:
    """Spatial velocity in the body’s own frame: ᴮv̂_B = [ᴮω_IB; ᴮv_IB]"""
    B = p.moving()
    yield -rate(matrix(B.X)) @ matrix(B.X_inverse), ad(join(B.R.T @ B.w, B.R.T @ rate(B.r)))


@VELOCITY.identity("2.1-relative", "§2.1", order=1)
def relative_velocity(p: Point) -> Equations:
    """Relative velocity: v̂_12 = v̂_2 − v̂_1, all in one frame"""
    one, two = p.moving(), p.moving()
    T = pose_of(two.X.after(one.X_inverse))
    yield unhat(rate(T) @ undo(T)), X_motion(one.R.T, one.r) @ (two.space_twist - one.space_twist)


@VELOCITY.identity("2.1-tied", "§2.1", order=2)
def tied_bodies(p: Point) -> Equations:
    """Rigidly connected bodies: v̂_1 = v̂_2 and â_1 = â_2"""
    one, X_21 = p.moving(), p.frame()
    T = pose_of(X_21.after(one.X))
    v = unhat(rate(T) @ undo(T))
    yield v, one.space_twist
    yield rate(v), rate(one.space_twist)


@VELOCITY.identity("5", "eq. 5", order=1)
def derivative_in_a_moving_frame(p: Point) -> Equations:
    """Derivative in a moving frame: ᴼ[dŝ/dt] = d(ᴼŝ)/dt + ᴼv̂_O × ᴼŝ"""
    O, s = p.moving(), p.path(6)
    yield rate(s) + crm(O.body_twist, s), X_motion(O.R.T, O.r) @ rate(X_motion(O.R, -O.R.T @ O.r) @ s)


@VELOCITY.identity("5-force", "eq. 5", order=1)
def derivative_of_a_force_in_a_moving_frame(p: Point) -> Equations:
    """Derivative of a force in a moving frame: ᴼ[df̂/dt] = d(ᴼf̂)/dt + ᴼv̂_O ×* ᴼf̂"""
    O, f = p.moving(), p.path(6)
    yield rate(f) + crf(O.body_twist, f), X_force(O.R.T, O.r) @ rate(X_force(O.R, -O.R.T @ O.r) @ f)


@VELOCITY.identity("6", "eq. 6", order=2)
def spatial_acceleration(p: Point) -> Equations:
    """Spatial acceleration: ᴼâ = ᴼ[dv̂/dt] = [ω̇; v̇_O] for O at rest"""
    B = p.moving()
    v_O = rate(B.R) @ (-B.R.T @ B.r) + rate(B.r)
    yield B.X_inverse @ rate(B.body_twist)[:, None], join(rate(B.w), rate(v_O))


@VELOCITY.identity("6-point", "§2.1", order=2)
def acceleration_of_the_point_that_passes(p: Point) -> Equations:
    """Acceleration of the point that passes O: r̈ of the body’s point that passes O is v̇_O + ω × v_O"""
    B = p.moving()
    a = (B.X_inverse @ rate(B.body_twist)[:, None])[:, 0]
    of_the_body = -B.R.T @ B.r
    yield a[3:] + cross(B.w, B.space_twist[3:]), rate(rate(B.R)) @ of_the_body + rate(rate(B.r))


@VELOCITY.warning("6-not-a-point", "§2.1", order=2)
def spatial_acceleration_of_a_point(p: Point) -> Equations:
    """Spatial acceleration as a point’s: v̇_O is the acceleration of the body’s point that passes O

    v̇_O is the change of the velocity at O, where different points of the body pass; no point needs to have this acceleration
    """
    B = p.moving()
    yield rate(B.space_twist)[3:], rate(rate(B.R)) @ (-B.R.T @ B.r) + rate(rate(B.r))


@VELOCITY.identity("7", "eq. 7", order=2)
def accelerations_add(p: Point) -> Equations:
    """Accelerations add: â_B = â_A + â_AB, without Coriolis terms"""
    A, AB = p.moving(), p.moving()
    T = pose_of(AB.X.after(A.X))
    relative = X_motion(A.R, -A.R.T @ A.r) @ AB.space_twist
    yield rate(unhat(rate(T) @ undo(T))), rate(A.space_twist) + rate(relative)


@VELOCITY.identity("2.1-axis", "§2.1")
def axis_in_parent_and_child(p: Point) -> Equations:
    """A joint’s axis in parent and child: ᶜŝ = ᶜX_P ᴾŝ = ᴾŝ for revolute, prismatic and helical joints"""
    for kind in ("revolute", "prismatic", "helical"):
        (link,) = p.model(p.mechanism([-1], [kind])).links
        X, S = jcalc(link, vector(p.number() if kind == "prismatic" else p.angle().t)[:, None], p.field)
        yield X @ S[:, 0], link.S[:, 0]


@FORCE.identity("8", "eq. 8")
def spatial_force(p: Point) -> Equations:
    """Spatial force: f̂ = [Σ r_k × f_k; Σ f_k], and f̂ · v̂ = Σ f_k · v_k is its power in every frame"""
    R, r, w, v_O = p.rotation(), p.vector(), p.vector(), p.vector()
    forces = [(p.vector(), p.vector()) for _ in range(3)]
    f_B = total(join(cross(R.T @ (x - r), R.T @ f), R.T @ f) for x, f in forces)
    yield (plucker(R.T, r) @ join(w, v_O)[:, None])[:, 0] @ f_B, sum(f @ (v_O + cross(w, x)) for x, f in forces)
    yield plucker(R.T, r).T @ f_B[:, None], sum(join(cross(x, f), f) for x, f in forces)
