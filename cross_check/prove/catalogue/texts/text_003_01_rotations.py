"""Text 003, §§1–13: rotations, points and vectors, changes of coordinates, motions as exponentials, and twists."""

from __future__ import annotations

from cross_check.prove.catalogue.language import *
from implementations.spatial_algebra.jcalc import from_quaternion

DEFINITIONS = Chapter("003", "§1 Definitions")
POINTS = Chapter("003", "§§2–6 Points, vectors and coordinates")
EXPONENTIAL = Chapter("003", "§7 Rotations as exponentials")
ANGULAR = Chapter("003", "§9 Angular velocity")
SCREWS = Chapter("003", "§8 Motions as exponentials")
TWISTS = Chapter("003", "§§10–13 Twists")


def quaternion_rotation(e: Tensor) -> Tensor:
    """R (3, 3) of the quaternion (x, y, z, w), by the reference."""
    return from_quaternion(e[:, None])[..., 0].T


def about_rotation(w: Tensor, c: Any, s: Any) -> Tensor:
    """R (3, 3) about a unit vector, by the reference."""
    return about(w[:, None], vector(c), vector(s))[..., 0].T


@DEFINITIONS.identity("1-group", "§1")
def rotations(θ: AnyAngle, e: Quaternion, w: Unit) -> Equations:
    """Rotations: Rᵀ R = 1 and det R = 1 for quaternions of any length and for rotations about any axis"""
    for R in (quaternion_rotation(e), about_rotation(w, θ.c, θ.s)):
        yield R.T @ R, one(3)
        yield det(R), 1


@DEFINITIONS.identity("1-skew", "§1")
def rotated_cross(e: Quaternion, r: Vector, q: Vector) -> Equations:
    """Cross product of a rotated vector: ω × q = [ω] q and [R r] = R [r] Rᵀ"""
    R = quaternion_rotation(e)
    yield spatial.cross(r, q), skew(r) @ q
    yield skew(R @ r), R @ skew(r) @ R.T


@DEFINITIONS.identity("1-velocity", "§1", order=1)
def velocity_of_a_rotating_point(B: Turning, q: Vector) -> Equations:
    """Velocity of a rotating point: v = ω × p = [ω] p"""
    yield spatial.cross(B.w, B.R @ q), rate(B.R @ q)


@POINTS.identity("2", "§2")
def points_and_vectors(E: Turn, r: Vector, a: Vector, b: Vector) -> Equations:
    """Points and vectors: T [p; 1] = [R p + r; 1] transforms points, T [v; 0] = [R v; 0] transforms their differences"""
    T = undo(pose_of(plucker(E, r)))
    yield T @ point(a), point(E @ (a - r))
    yield T @ (point(a) - point(b)), join(E @ (a - b), vector(0))


@POINTS.identity("4", "§§3, 4")
def turned_coordinates(R: Turn, q: Vector) -> Equations:
    """Coordinates in a rotated frame: p^s = R_sb p^b; the columns of R_sb are the axes of {b} in {s}"""
    yield times(plucker(R.T, zero(3)), join(q, q))[:3], R.T @ q
    yield R @ q, sum(axis * x for axis, x in zip(R.T, q, strict=True))


@POINTS.warning("5", "§5")
def rotations_commute(e: Quaternion, f: Quaternion) -> Equations:
    """Finite rotations as vectors: R_1 R_2 = R_2 R_1

    the sum of vectors does not depend on their order; the product of finite rotations does
    """
    yield quaternion_rotation(e) @ quaternion_rotation(f), quaternion_rotation(f) @ quaternion_rotation(e)


@POINTS.identity("5-small", "§5", order=1)
def small_rotations(p: Point, ab: Turning, bc: Turning, x: Vector, y: Vector) -> Equations:
    """Angular velocities are vectors: ω_ac = ω_ab + R_ab ω_bc"""
    R = ab.R @ bc.R
    yield unskew(rate(R) @ R.T), ab.w + ab.R @ bc.w
    first, second = (one(3) + skew(w) * p.time for w in (x, y))
    yield rate(first @ second), rate(second @ first)


@POINTS.identity("6", "§6")
def moved_coordinates(ab: Pose, bc: Pose, q: Vector) -> Equations:
    """Coordinates in a moved frame: p^s = R p^b + r, [p^s; 1] = T [p^b; 1], T_ac = T_ab T_bc"""
    X_ab, X_bc = (plucker(T[:3, :3].T, T[:3, 3]) for T in (ab, bc))
    T = pose_of(X_bc.after(X_ab))
    yield T, ab @ bc
    yield (T @ point(q))[:3], ab[:3, :3] @ (bc[:3, :3] @ q + bc[:3, 3]) + ab[:3, 3]
    yield undo(ab) @ ab, one(4)


@EXPONENTIAL.identity("7", "§7", order=1)
def rodrigues(w: Unit, θ: Advancing) -> Equations:
    """Rodrigues’ formula: R = e^{[ω]θ} = 1 + sin θ [ω] + (1 − cos θ) [ω]²

    dR/dθ = [ω] R with R(0) = 1 has one solution, e^{[ω]θ}; the right side satisfies both equations
    """
    R = about_rotation(w, θ.c, θ.s)
    yield R, exp_rotation(w, θ)
    yield rate(R), skew(w) @ R
    yield about_rotation(w, 1 + 0 * θ.c, 0 * θ.s), one(3)


@EXPONENTIAL.identity("7-group", "§7")
def exponential_is_a_rotation(w: Unit, θ: AnyAngle) -> Equations:
    """Rodrigues’ formula gives a rotation: R = 1 + sin θ [ω] + (1 − cos θ) [ω]²: R Rᵀ = 1, det R = 1, R ω = ω"""
    R = exp_rotation(w, θ)
    yield R @ R.T, one(3)
    yield det(R), 1
    yield R @ w, w


@EXPONENTIAL.identity("7-log", "§7, inverted")
def logarithm_of_a_rotation(w: Unit, θ: AnyAngle) -> Equations:
    """Logarithm of a rotation: tr R = 1 + 2 cos θ and [ω] sin θ = ½ (R − Rᵀ)"""
    R = about_rotation(w, θ.c, θ.s)
    yield R[0, 0] + R[1, 1] + R[2, 2], 1 + 2 * θ.c
    yield R - R.T, skew(w) * (2 * θ.s)


@EXPONENTIAL.identity("7-moved", "§§1, 7")
def conjugate(w: Unit, θ: AnyAngle, R: Turn) -> Equations:
    """Rotated axis: e^{[R ω]θ} = R e^{[ω]θ} Rᵀ"""
    yield about_rotation(R @ w, θ.c, θ.s), R @ exp_rotation(w, θ) @ R.T


@ANGULAR.identity("9", "§9", order=1)
def angular_velocity(e: QuaternionPath, q: Vector) -> Equations:
    """Angular velocity in the space frame: [ω] = Ṙ R⁻¹ and ṗ^s = Ṙ R⁻¹ p^s"""
    R = quaternion_rotation(e)
    w, x, dw, dx = e[3], e[:3], rate(e)[3], rate(e)[:3]
    half_turn = x * (-dw) + dx * w + cross(x, dx)
    yield rate(R) @ R.T, skew(half_turn * (2 / (e @ e)))
    yield rate(R @ q), rate(R) @ R.T @ (R @ q)


@ANGULAR.identity("12", "§12", order=1)
def angular_velocity_in_the_body(B: Turning, q: Vector) -> Equations:
    """Angular velocity in the body frame: [ω^b] = R⁻¹ Ṙ, ω^s = R ω^b, [ω^s] = R [ω^b] R⁻¹, v^b = R⁻¹ Ṙ p^b"""
    R, w = B
    yield R.T @ rate(R), skew(R.T @ w)
    yield skew(w), R @ skew(R.T @ w) @ R.T
    yield spatial.cross(R.T @ w, q), R.T @ rate(R @ q)


@SCREWS.identity("8", "§8", order=1)
def screw_motion(p: Point, ξ: Screw, θ: Advancing) -> Equations:
    """Screw motion: T = e^{[ξ]θ} = [e^{[ω]θ}, (1 θ + (1 − cos θ)[ω] + (θ − sin θ)[ω]²) v; 0, 1]

    dT/dθ = [ξ] T with T(0) = 1 has one solution, e^{[ξ]θ}; the right side satisfies both equations
    """
    T = exp_screw(ξ, θ)
    yield rate(T), hat(ξ) @ T
    still = θ._replace(size=p.fraction(0), c=p.fraction(1), s=p.fraction(0))
    yield exp_screw(ξ, still), one(4)


@SCREWS.identity("8-axis", "§8")
def turning_about_a_line(w: Unit, r: Vector, q: Vector, along: Number) -> Equations:
    """Rotation about a line: d(p − r)/dt = ω × (p − r), so [ξ] = [[ω], −ω × r; 0, 0], for any r of the line"""
    velocity = times(plucker(one(3), -r), join(w, zero(3)))
    yield velocity, join(w, -cross(w, r))
    yield (hat(velocity) @ point(q))[:3], cross(w, q - r)
    yield -cross(w, r + along * w), -cross(w, r)


@SCREWS.identity("8-helical", "§8")
def helical_joint(p: Point, w: Unit, r: Vector, h: Number, θ: AnyAngle) -> Equations:
    """The reference’s helical joint:
    e^{[ξ]θ} with v = −ω × r + h ω is a rotation about the line through r, and a translation by h θ along it
    """
    link = p.link(Joint("joint", "helical", tuple(w), pitch=h))
    X, _ = jcalc(link, vector(θ.t)[:, None], p.field)
    line = pose(one(3), r)
    yield line @ pose_of(X) @ undo(line), exp_screw(join(w, h * w - cross(w, r)), θ)


@SCREWS.identity("8-joints", "§8")
def exponentials_of_joints(p: Point) -> Equations:
    """Exponentials of joints: e^{−[ξ]θ} of the reference’s screws, for revolute, helical and prismatic joints"""
    kinds: list[Kind] = ["revolute", "helical", "prismatic"]
    for kind in kinds:
        (link,) = adjoints.build(p.mechanism([-1], [kind]), p.field).links
        ξ, θ = link.A[:, 0], p.angle()
        t, T = (θ.size, exp_slide(ξ, θ.size)) if kind == "prismatic" else (θ.t, exp_screw(ξ, θ))
        yield adjoints.displacement(link, vector(t)[:, None], p.field), undo(T)


@SCREWS.identity("8-slide", "§8", order=1)
def pure_translation(p: Point, v: Vector, θ: Advancing) -> Equations:
    """Pure translation: ω = 0: e^{[ξ]θ} = [1, θ v; 0, 1]"""
    ξ = join(zero(3), v)
    T = exp_slide(ξ, θ.size)
    yield rate(T), hat(ξ) @ T
    yield exp_slide(ξ, p.fraction(0)), one(4)
    yield hat(ξ) @ hat(ξ), zero(4, 4)


@SCREWS.identity("8-velocity", "§8", order=1)
def velocity_at_the_origin(w: Unit, r: Vector, θ: Advancing) -> Equations:
    """Meaning of v: v is the velocity of the body’s point that passes the origin; a point r on the axis is at rest"""
    ξ = join(w, -cross(w, r))
    T = exp_screw(ξ, θ)
    yield (rate(T) @ undo(T) @ point(zero(3)))[:3], ξ[3:]
    yield T @ point(r), point(r)


@SCREWS.identity("8-log", "§§8, 16")
def logarithm(p: Point, ξ: Screw, θ: AnyAngle) -> Equations:
    """Logarithm of a motion: v = (1/θ − ½ [ω] + (1/θ − ½ cot ½θ)[ω]²) p for e^{[ξ]θ} = [R, p; 0, 1]"""
    W, T = skew(ξ[:3]), exp_screw(ξ, θ)
    half, per = p.fraction(1, 2), 1 / θ.size
    yield (one(3) * per - W * half + W @ W * (per - half / θ.t)) @ T[:3, 3], ξ[3:]


@TWISTS.identity("10", "§10", order=1)
def twist(B: Moving) -> Equations:
    """Twist: [V] = Ṫ T⁻¹ = [[ω], −ω × r + ṙ; 0, 0]"""
    yield times(B.X_inverse, B.body_twist), join(B.w, rate(B.r) - cross(B.w, B.r))
    yield rate(B.T) @ undo(B.T), hat(join(B.w, rate(B.r) - cross(B.w, B.r)))
    yield undo(B.T), pose(B.R.T, -B.R.T @ B.r)


@TWISTS.identity("10-point", "§10", order=1)
def twist_of_points(B: Moving, q: Vector) -> Equations:
    """Twist and velocity of a point: [ṗ^s; 0] = [V] [p^s; 1], so [V] [r; 1] = [ṙ; 0]"""
    V = hat(times(B.X_inverse, B.body_twist))
    yield V @ B.T @ point(q), rate(B.T @ point(q)) + zero(4)
    yield (V @ point(B.r))[:3], rate(B.r)


@TWISTS.identity("11", "§11", order=1)
def twist_by_motion(B: Moving, q: Vector) -> Equations:
    """Twist of a body that rotates and translates: ṗ = ω × p + ṙ + ω × (−r)"""
    x = B.R @ q + B.r
    yield rate(x), cross(B.w, x) + rate(B.r) + cross(B.w, -B.r)


@TWISTS.identity("13", "§13", order=1)
def velocity_of_a_point(B: Moving, q: Vector) -> Equations:
    """Velocity of a point of the body: [v^s; 0] = Ṫ [p^b; 1] and [v^b; 0] = T⁻¹ Ṫ [p^b; 1]"""
    v = rate(B.R @ q + B.r)
    yield rate(B.T) @ point(q), join(v, vector(0))
    yield undo(B.T) @ rate(B.T) @ point(q), join(B.R.T @ v, vector(0))


@TWISTS.slip("13-printed", "§13", corrected="13", order=1)
def velocity_of_a_point_as_printed(B: Moving, q: Vector) -> Equations:
    """Velocity of a point of the body: [v^s; 0] = Ṫ [p^b; 0]

    p^b is a point, so its fourth coordinate is 1 (§2); with 0, the velocity ṙ of the origin is missing
    """
    yield join(rate(B.R @ q + B.r), vector(0)), rate(B.T) @ join(q, vector(0))


@TWISTS.identity("13-body", "§13", order=1)
def twist_in_the_body(B: Moving) -> Equations:
    """Twist in the body frame: [V^b] = T⁻¹ Ṫ = [R⁻¹ Ṙ, R⁻¹ ṙ; 0, 0]"""
    yield -rate(matrix(B.X)) @ matrix(B.X_inverse), ad(body_twist(B.T))
    yield undo(B.T) @ rate(B.T), block([B.R.T @ rate(B.R), (B.R.T @ rate(B.r))[:, None]], [zero(1, 4)])


@TWISTS.identity("13-adjoint", "§13")
def adjoint(T: Pose, V: Spatial) -> Equations:
    """Twists in both frames: [V^s] = T [V^b] T⁻¹, V^s = [Ad_T] V^b, V^b = [Ad_{T⁻¹}] V^s; [Ad_T] is the reference’s ˢX_b"""
    R, r = T[:3, :3], T[:3, 3]
    yield unhat(T @ hat(V) @ undo(T)), Ad(T) @ V
    yield matrix(plucker(R, -R.T @ r)), Ad(T)
    yield matrix(plucker(R.T, r)), Ad(undo(T))
    yield adjoints.Ad(T[..., None]), Ad(T)
    yield Ad(undo(T)) @ Ad(T), one(6)


@TWISTS.identity("13-product", "§13")
def adjoint_of_a_product(A: Pose, B: Pose) -> Equations:
    """Product of adjoints: [Ad_{T_1 T_2}] = [Ad_{T_1}] [Ad_{T_2}]"""
    yield Ad(A @ B), Ad(A) @ Ad(B)
