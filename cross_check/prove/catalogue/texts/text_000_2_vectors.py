"""Text 000, §2: spatial velocity, acceleration and force, cross products, transforms, and derivatives of transforms."""

from __future__ import annotations

from cross_check.prove.catalogue.language import *

VELOCITY = Chapter("000", "§2.1 Spatial velocity and acceleration")
FORCE = Chapter("000", "§2.2 Spatial force")
CROSS = Chapter("000", "§2.3 Spatial cross products")
TRANSFORM = Chapter("000", "§2.4 Transforms")


@VELOCITY.identity("1", "eq. 1")
def cross_matrix(a: Vector, b: Vector) -> Equations:
    """Cross product as a matrix: a × b = a^× b, and (a^×)ᵀ = −a^×"""
    yield spatial.cross(a, b), skew(a) @ b
    yield skew(a).T, -skew(a)


@VELOCITY.identity("2", "eq. 2", order=1)
def spatial_velocity(B: Moving) -> Equations:
    """Spatial velocity: ᴼv̂_B = [ω; v_O], v_O the velocity of the body’s point that passes O"""
    v_O = rate(B.R) @ (-B.R.T @ B.r) + rate(B.r)
    yield -matrix(B.X_inverse) @ rate(matrix(B.X)), ad(join(B.w, v_O))


@VELOCITY.identity("3", "eq. 3")
def velocity_about_another_origin(R: Turn, r: Vector, w: Vector, v: Vector) -> Equations:
    """Spatial velocity about the origin of I: ᴵv̂_B = [ω_IB; v_IB + r_IB × ω_IB]"""
    yield times(plucker(R, -R.T @ r), join(R.T @ w, R.T @ v)), join(w, v + cross(r, w))


@VELOCITY.identity("4", "eq. 4", order=1)
def velocity_in_the_body(B: Moving) -> Equations:
    """Spatial velocity in the body’s own frame: ᴮv̂_B = [ᴮω_IB; ᴮv_IB]"""
    yield -rate(matrix(B.X)) @ matrix(B.X_inverse), ad(join(B.R.T @ B.w, B.R.T @ rate(B.r)))


@VELOCITY.identity("2.1-relative", "§2.1", order=1)
def relative_velocity(one: Moving, two: Moving) -> Equations:
    """Relative velocity: v̂_12 = v̂_2 − v̂_1, all in one frame"""
    yield space_twist(pose_of(two.X.after(one.X_inverse))), one.into @ (two.space_twist - one.space_twist)


@VELOCITY.identity("2.1-tied", "§2.1", order=2)
def tied_bodies(one: Moving, X_21: Transform) -> Equations:
    """Rigidly connected bodies: v̂_1 = v̂_2 and â_1 = â_2"""
    v = space_twist(pose_of(X_21.after(one.X)))
    yield v, one.space_twist
    yield rate(v), rate(one.space_twist)


@VELOCITY.identity("5", "eq. 5", order=1)
def derivative_in_a_moving_frame(O: Moving, s: SpatialPath) -> Equations:
    """Derivative in a moving frame: ᴼ[dŝ/dt] = d(ᴼŝ)/dt + ᴼv̂_O × ᴼŝ"""
    yield rate(s) + crm(O.body_twist, s), O.into @ rate(O.out_of @ s)


@VELOCITY.identity("5-force", "eq. 5", order=1)
def derivative_of_a_force_in_a_moving_frame(O: Moving, f: SpatialPath) -> Equations:
    """Derivative of a force in a moving frame: ᴼ[df̂/dt] = d(ᴼf̂)/dt + ᴼv̂_O ×* ᴼf̂"""
    yield rate(f) + crf(O.body_twist, f), O.force_into @ rate(O.force_out_of @ f)


@VELOCITY.identity("6", "eq. 6", order=2)
def spatial_acceleration(B: Moving) -> Equations:
    """Spatial acceleration: ᴼâ = ᴼ[dv̂/dt] = [ω̇; v̇_O] for O at rest"""
    v_O = rate(B.R) @ (-B.R.T @ B.r) + rate(B.r)
    yield times(B.X_inverse, rate(B.body_twist)), join(rate(B.w), rate(v_O))


@VELOCITY.identity("6-point", "§2.1", order=2)
def acceleration_of_the_point_that_passes(B: Moving) -> Equations:
    """Acceleration of the point that passes O: r̈ of the body’s point that passes O is v̇_O + ω × v_O"""
    a = times(B.X_inverse, rate(B.body_twist))
    yield a[3:] + cross(B.w, B.space_twist[3:]), rate(rate(B.R)) @ (-B.R.T @ B.r) + rate(rate(B.r))


@VELOCITY.warning("6-not-a-point", "§2.1", order=2)
def spatial_acceleration_of_a_point(B: Moving) -> Equations:
    """Spatial acceleration as a point’s: v̇_O is the acceleration of the body’s point that passes O

    v̇_O is the change of the velocity at O, where different points of the body pass; no point needs to have this acceleration
    """
    yield rate(B.space_twist)[3:], rate(rate(B.R)) @ (-B.R.T @ B.r) + rate(rate(B.r))


@VELOCITY.identity("7", "eq. 7", order=2)
def accelerations_add(A: Moving, AB: Moving) -> Equations:
    """Accelerations add: â_B = â_A + â_AB, without Coriolis terms"""
    yield rate(space_twist(pose_of(AB.X.after(A.X)))), rate(A.space_twist) + rate(A.out_of @ AB.space_twist)


@VELOCITY.identity("2.1-axis", "§2.1")
def axis_in_parent_and_child(p: Point) -> Equations:
    """A joint’s axis in parent and child: ᶜŝ = ᶜX_P ᴾŝ = ᴾŝ for revolute, prismatic and helical joints"""
    for kind in ("revolute", "prismatic", "helical"):
        (link,) = p.model(p.mechanism([-1], [kind])).links
        X, S = jcalc(link, vector(p.number() if kind == "prismatic" else p.angle().t)[:, None], p.field)
        yield X @ S[:, 0], link.S[:, 0]


@FORCE.identity("8", "eq. 8")
def spatial_force(R: Turn, r: Vector, w: Vector, v_O: Vector, forces: Forces) -> Equations:
    """Spatial force: f̂ = [Σ r_k × f_k; Σ f_k], and f̂ · v̂ = Σ f_k · v_k is its power in every frame"""
    f_B = total(join(cross(R.T @ (x - r), R.T @ f), R.T @ f) for x, f in forces)
    yield times(plucker(R.T, r), join(w, v_O)) @ f_B, sum(f @ (v_O + cross(w, x)) for x, f in forces)
    yield plucker(R.T, r).T @ f_B[:, None], sum(join(cross(x, f), f) for x, f in forces)


@CROSS.identity("9", "eq. 9")
def motion_cross_motion(v: Spatial, m: Spatial) -> Equations:
    """Motion cross motion: v̂ × m̂ = [ω × m; ω × m_O + v_O × m]"""
    yield crm(v, m), join(cross(v[:3], m[:3]), cross(v[:3], m[3:]) + cross(v[3:], m[:3]))


@CROSS.identity("10", "eq. 10")
def motion_cross_force(v: Spatial, f: Spatial) -> Equations:
    """Motion cross force: v̂ ×* f̂ = [ω × τ_O + v_O × f; ω × f]"""
    yield crf(v, f), join(cross(v[:3], f[:3]) + cross(v[3:], f[3:]), cross(v[:3], f[3:]))


@CROSS.identity("9-antisymmetric", "§2.3")
def anticommutativity(a: Spatial, b: Spatial) -> Equations:
    """Anticommutativity: â × b̂ = −b̂ × â, so v̂ × v̂ = 0"""
    yield crm(a, b), -crm(b, a)
    yield crm(a, a), zero(6)


@CROSS.identity("9-jacobi", "§2.3")
def jacobi(a: Spatial, b: Spatial, c: Spatial) -> Equations:
    """Jacobi’s identity: â × (b̂ × ĉ) + b̂ × (ĉ × â) + ĉ × (â × b̂) = 0"""
    yield crm(a, crm(b, c)) + crm(b, crm(c, a)) + crm(c, crm(a, b)), zero(6)


@CROSS.identity("9-commutator", "§2.3")
def commutator_of(a: Spatial, b: Spatial) -> Equations:
    """Cross product of a cross product: (â × b̂)× = â× b̂× − b̂× â×"""
    yield across(crm(a, b)), commutator(across(a), across(b))


@CROSS.identity("10-commutator", "§2.3")
def commutator_on_forces(a: Spatial, b: Spatial) -> Equations:
    """Cross product of a cross product, for forces: (â × b̂)×* = â×* b̂×* − b̂×* â×*"""
    yield across_star(crm(a, b)), commutator(across_star(a), across_star(b))


@CROSS.identity("10-transposed", "§2.3")
def transposed_cross(v: Spatial) -> Equations:
    """Relation of the two cross products: v̂×* = −(v̂×)ᵀ"""
    yield across_star(v), -across(v).T


@CROSS.identity("10-power", "§2.3")
def power_rule(v: Spatial, m: Spatial, f: Spatial) -> Equations:
    """Power of vectors fixed in a body: (v̂ × m̂) · f̂ + m̂ · (v̂ ×* f̂) = 0"""
    yield crm(v, m) @ f, -(m @ crf(v, f))


@TRANSFORM.identity("11", "eq. 11")
def transform(R: Turn, r: Vector) -> Equations:
    """Transform of motion vectors: ᴮX_A = [R 0; 0 R][1 0; −r× 1] = [R 0; −R r× R]"""
    turn, shift = block([R, zero(3, 3)], [zero(3, 3), R]), block([one(3), zero(3, 3)], [-skew(r), one(3)])
    yield matrix(plucker(R, r)), turn @ shift
    yield turn @ shift, X_motion(R, r)


@TRANSFORM.identity("12", "eq. 12")
def transformed_motion(R: Turn, r: Vector, m: Spatial) -> Equations:
    """A motion vector in another frame: ᴮm̂ = ᴮX_A ᴬm̂ = [R m; R (m_A − r × m)]"""
    yield times(plucker(R, r), m), join(R @ m[:3], R @ (m[3:] - cross(r, m[:3])))


@TRANSFORM.identity("12-after", "eq. 12")
def transforms_in_turn(R: Turn, r: Vector, Q: Turn, s: Vector) -> Equations:
    """One transform after another: ᶜX_A = ᶜX_B ᴮX_A"""
    yield matrix(plucker(Q, s).after(plucker(R, r))), X_motion(Q, s) @ X_motion(R, r)


@TRANSFORM.identity("13", "eq. 13")
def inverse_transform(R: Turn, r: Vector) -> Equations:
    """Inverse transform: (ᴮX_A)⁻¹ = ᴬX_B = [Rᵀ 0; r× Rᵀ Rᵀ]"""
    inverse = block([R.T, zero(3, 3)], [skew(r) @ R.T, R.T])
    yield matrix(plucker(R.T, -R @ r)), inverse
    yield matrix(plucker(R, r)) @ inverse, one(6)


@TRANSFORM.identity("14", "eq. 14")
def transform_of_forces(R: Turn, r: Vector) -> Equations:
    """Transform of forces: ᴮX*_A = (ᴮX_A)⁻ᵀ = [R −R r×; 0 R]"""
    yield matrix(plucker(R, r).T).T, matrix(plucker(R, r))
    yield star(plucker(R, r)) @ matrix(plucker(R, r)).T, one(6)
    yield star(plucker(R, r)), X_force(R, r)


@TRANSFORM.identity("15", "eq. 15")
def transformed_force(R: Turn, r: Vector, f: Spatial) -> Equations:
    """A force in another frame: ᴮf̂ = ᴮX*_A ᴬf̂ = [R (n − r × f); R f]"""
    yield plucker(R.T, -R @ r).T @ f[:, None], join(R @ (f[:3] - cross(r, f[3:])), R @ f[3:])


@TRANSFORM.identity("12-cross", "§2.4")
def transformed_cross(R: Turn, r: Vector, a: Spatial, b: Spatial) -> Equations:
    """Transforms preserve cross products: X(â × b̂) = Xâ × Xb̂, so (Xâ)× = X â× X⁻¹"""
    X = plucker(R, r)
    yield times(X, crm(a, b)), crm(times(X, a), times(X, b))
    yield across(times(X, a)), X_motion(R, r) @ across(a) @ X_motion(R.T, -R @ r)


@TRANSFORM.identity("15-cross", "§2.4")
def transformed_cross_with_a_force(R: Turn, r: Vector, v: Spatial, f: Spatial) -> Equations:
    """Transforms preserve cross products of forces: X*(v̂ ×* f̂) = Xv̂ ×* X*f̂, so (Xv̂)×* = X* v̂×* Xᵀ"""
    X = plucker(R, r)
    yield X_force(R, r) @ crf(v, f), crf(times(X, v), star(X) @ f)
    yield across_star(times(X, v)), X_force(R, r) @ across_star(v) @ X_motion(R, r).T


@TRANSFORM.identity("16", "eq. 16", order=1)
def derivative_of_a_transform(A: Moving, B: Moving) -> Equations:
    """Derivative of a transform: d(ᴮX_A)/dt = ᴮ(v̂_A − v̂_B) × ᴮX_A"""
    X = matrix(B.X.after(A.X_inverse))
    yield rate(X), across(B.into @ (A.space_twist - B.space_twist)) @ X


@TRANSFORM.identity("16-force", "eqs. 14, 16", order=1)
def derivative_of_a_transform_of_forces(A: Moving, B: Moving) -> Equations:
    """Derivative of a transform of forces: d(ᴮX*_A)/dt = ᴮ(v̂_A − v̂_B) ×* ᴮX*_A"""
    X_star = star(B.X.after(A.X_inverse))
    yield rate(X_star), across_star(B.into @ (A.space_twist - B.space_twist)) @ X_star
