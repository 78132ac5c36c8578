"""Text 003, §§8–13: screws and twists, and their transforms between frames."""

from __future__ import annotations

from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import (
    Ad,
    ad,
    block,
    cross,
    exp_screw,
    exp_slide,
    hat,
    join,
    one,
    point,
    pose,
    skew,
    undo,
    unhat,
    vector,
    zero,
)
from cross_check.catalogue.point import Point, matrix, plucker, pose_of
from cross_check.catalogue.series import rate
from implementations.screws import adjoints
from implementations.spatial_algebra.jcalc import jcalc
from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.joint import Kind

SCREWS = Chapter("003", "§8 Motions as exponentials")
TWISTS = Chapter("003", "§§10–13 Twists")


@SCREWS.identity("8", "§8", order=1)
def screw_motion(p: Point) -> Equations:
    """Screw motion: T = e^{[ξ]θ} = [e^{[ω]θ}, (1 θ + (1 − cos θ)[ω] + (θ − sin θ)[ω]²) v; 0, 1]

    dT/dθ = [ξ] T with T(0) = 1 has one solution, e^{[ξ]θ}; the right side satisfies both equations
    """
    ξ, θ = join(p.unit(), p.vector()), p.angle(p.fraction(1))
    T = exp_screw(ξ, θ)
    yield rate(T), hat(ξ) @ T
    still = θ._replace(size=p.fraction(0), c=p.fraction(1), s=p.fraction(0))
    yield exp_screw(ξ, still), one(4)


@SCREWS.identity("8-axis", "§8")
def turning_about_a_line(p: Point) -> Equations:
    """Rotation about a line: d(p − r)/dt = ω × (p − r), so [ξ] = [[ω], −ω × r; 0, 0], for any r of the line"""
    w, r, q, along = p.unit(), p.vector(), p.vector(), p.number()
    velocity = plucker(one(3), -r) @ join(w, zero(3))[:, None]
    yield velocity, join(w, -cross(w, r))
    yield (hat(velocity[:, 0]) @ point(q))[:3], cross(w, q - r)
    yield -cross(w, r + along * w), -cross(w, r)


@SCREWS.identity("8-helical", "§8")
def helical_joint(p: Point) -> Equations:
    """The reference’s helical joint:
    e^{[ξ]θ} with v = −ω × r + h ω is a rotation about the line through r, and a translation by h θ along it
    """
    w, r, h, θ = p.unit(), p.vector(), p.number(), p.angle()
    joint = Joint("joint", "helical", tuple(w), pitch=h)
    link = p.model(Mechanism("one", (Body("body", "world", joint, Inertia.massless()),))).links[0]
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
def pure_translation(p: Point) -> Equations:
    """Pure translation: ω = 0: e^{[ξ]θ} = [1, θ v; 0, 1]"""
    v, distance = p.vector(), p.angle(p.fraction(1)).size
    T = exp_slide(join(zero(3), v), distance)
    yield rate(T), hat(join(zero(3), v)) @ T
    yield exp_slide(join(zero(3), v), p.fraction(0)), one(4)
    yield hat(join(zero(3), v)) @ hat(join(zero(3), v)), zero(4, 4)


@SCREWS.identity("8-velocity", "§8", order=1)
def velocity_at_the_origin(p: Point) -> Equations:
    """Meaning of v: v is the velocity of the body’s point that passes the origin; a point r on the axis is at rest"""
    w, r, θ = p.unit(), p.vector(), p.angle(p.fraction(1))
    ξ = join(w, -cross(w, r))
    T = exp_screw(ξ, θ)
    yield (rate(T) @ undo(T) @ point(zero(3)))[:3], ξ[3:]
    yield T @ point(r), point(r)


@SCREWS.identity("8-log", "§§8, 16")
def logarithm(p: Point) -> Equations:
    """Logarithm of a motion: v = (1/θ − ½ [ω] + (1/θ − ½ cot ½θ)[ω]²) p for e^{[ξ]θ} = [R, p; 0, 1]"""
    ξ, θ = join(p.unit(), p.vector()), p.angle()
    W, T = skew(ξ[:3]), exp_screw(ξ, θ)
    half, per = p.fraction(1, 2), 1 / θ.size
    yield (one(3) * per - W * half + W @ W * (per - half / θ.t)) @ T[:3, 3], ξ[3:]


@TWISTS.identity("10", "§10", order=1)
def twist(p: Point) -> Equations:
    """Twist: [V] = Ṫ T⁻¹ = [[ω], −ω × r + ṙ; 0, 0]"""
    B = p.moving()
    yield B.X_inverse @ B.body_twist[:, None], join(B.w, rate(B.r) - cross(B.w, B.r))
    yield rate(B.T) @ undo(B.T), hat(join(B.w, rate(B.r) - cross(B.w, B.r)))
    yield undo(B.T), pose(B.R.T, -B.R.T @ B.r)


@TWISTS.identity("10-point", "§10", order=1)
def twist_of_points(p: Point) -> Equations:
    """Twist and velocity of a point: [ṗ^s; 0] = [V] [p^s; 1], so [V] [r; 1] = [ṙ; 0]"""
    B, q = p.moving(), p.vector()
    V = hat((B.X_inverse @ B.body_twist[:, None])[:, 0])
    yield V @ B.T @ point(q), rate(B.T @ point(q)) + zero(4)
    yield (V @ point(B.r))[:3], rate(B.r)


@TWISTS.identity("11", "§11", order=1)
def twist_by_motion(p: Point) -> Equations:
    """Twist of a body that rotates and translates: ṗ = ω × p + ṙ + ω × (−r)"""
    B, q = p.moving(), p.vector()
    x = B.R @ q + B.r
    yield rate(x), cross(B.w, x) + rate(B.r) + cross(B.w, -B.r)


@TWISTS.identity("13", "§13", order=1)
def velocity_of_a_point(p: Point) -> Equations:
    """Velocity of a point of the body: [v^s; 0] = Ṫ [p^b; 1] and [v^b; 0] = T⁻¹ Ṫ [p^b; 1]"""
    B, q = p.moving(), p.vector()
    v = rate(B.R @ q + B.r)
    yield rate(B.T) @ point(q), join(v, vector(0))
    yield undo(B.T) @ rate(B.T) @ point(q), join(B.R.T @ v, vector(0))


@TWISTS.slip("13-printed", "§13", corrected="13", order=1)
def velocity_of_a_point_as_printed(p: Point) -> Equations:
    """Velocity of a point of the body: [v^s; 0] = Ṫ [p^b; 0]

    p^b is a point, so its fourth coordinate is 1 (§2); with 0, the velocity ṙ of the origin is missing
    """
    B, q = p.moving(), p.vector()
    yield join(rate(B.R @ q + B.r), vector(0)), rate(B.T) @ join(q, vector(0))


@TWISTS.identity("13-body", "§13", order=1)
def twist_in_the_body(p: Point) -> Equations:
    """Twist in the body frame: [V^b] = T⁻¹ Ṫ = [R⁻¹ Ṙ, R⁻¹ ṙ; 0, 0]"""
    B = p.moving()
    yield -rate(matrix(B.X)) @ matrix(B.X_inverse), ad(unhat(undo(B.T) @ rate(B.T)))
    yield undo(B.T) @ rate(B.T), block([B.R.T @ rate(B.R), (B.R.T @ rate(B.r))[:, None]], [zero(1, 4)])


@TWISTS.identity("13-adjoint", "§13")
def adjoint(p: Point) -> Equations:
    """Twists in both frames: [V^s] = T [V^b] T⁻¹, V^s = [Ad_T] V^b, V^b = [Ad_{T⁻¹}] V^s; [Ad_T] is the reference’s ˢX_b"""
    T, V = p.pose(), p.vector(6)
    R, r = T[:3, :3], T[:3, 3]
    yield unhat(T @ hat(V) @ undo(T)), Ad(T) @ V
    yield matrix(plucker(R, -R.T @ r)), Ad(T)
    yield matrix(plucker(R.T, r)), Ad(undo(T))
    yield adjoints.Ad(T[..., None]), Ad(T)
    yield Ad(undo(T)) @ Ad(T), one(6)


@TWISTS.identity("13-product", "§13")
def adjoint_of_a_product(p: Point) -> Equations:
    """Product of adjoints: [Ad_{T_1 T_2}] = [Ad_{T_1}] [Ad_{T_2}]"""
    A, B = p.pose(), p.pose()
    yield Ad(A @ B), Ad(A) @ Ad(B)
