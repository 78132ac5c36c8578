"""Text 004: velocities in moving frames, and the propagation of velocity and force along links."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cross_check.prove.catalogue.language import *
from implementations.spatial_algebra.model import Link

DESCRIPTION = Chapter("004", "1 Description of motion")
BODY = Chapter("004", "2 Motion of a rigid body")
LINKS = Chapter("004", "3 Links")
FORCES = Chapter("004", "4 Forces and moments")


@DESCRIPTION.identity("1-fixed", "1, angular velocity", order=1)
def fixed_vector(B: Turning, r_B: Vector) -> Equations:
    """A vector fixed in a rotating body: ṙ = ω × r for r of any length, so |r| is constant"""
    r = B.R @ r_B
    yield rate(r), spatial.cross(B.w, r)
    yield rate(vector(r @ r)), zero(1)


@DESCRIPTION.slip("1-printed", "1, angular velocity, remark 1", corrected="1-fixed", order=1)
def unit_vectors_only(B: Turning, r_B: Vector) -> Equations:
    """A vector fixed in a rotating body: ê̇ = ω × ê holds for unit vectors only: if ṙ = ω × r, then |r|² = 1

    it holds for every vector fixed in the body; the length must be constant, but it need not be 1
    """
    yield (B.R @ r_B) @ (B.R @ r_B), 1


@DESCRIPTION.identity("1-growing", "1, angular velocity, remark 1", order=1)
def growing_vector(B: Turning, e: Unit, λ: NumberPath) -> Equations:
    """A vector of variable length: ṙ = λ̇ ê + ω × r for r = λ ê"""
    r = B.R @ e * λ
    yield rate(r), B.R @ e * rate(vector(λ))[0] + spatial.cross(B.w, r)


@DESCRIPTION.warning("1-lengths", "1, angular velocity, remark 1", order=1)
def any_length(B: Turning, e: Unit, λ: NumberPath) -> Equations:
    """A vector of variable length: ṙ = ω × r for r = λ ê with any λ(t)

    this holds only for constant λ, as the text says
    """
    r = B.R @ e * λ
    yield rate(r), cross(B.w, r)


class Plane:
    """The text’s two bases of the plane, Î Ĵ at rest and î ĵ rotated by θ, and the points A and B."""

    def __init__(self, p: Point) -> None:
        speed = p.path(1)[0]
        self.θ = p.angle(speed)
        self.w = vector(p.fraction(0), p.fraction(0), speed)
        o = 0 * speed
        c, s = self.θ.c, self.θ.s
        self.I, self.J = vector(1 + o, o, o), vector(o, 1 + o, o)
        self.i, self.j = about(vector(o, o, 1 + o)[:, None], vector(c), vector(s))[:2, :, 0]
        (self.xB, self.yB), (self.x, self.y) = p.path(2), p.path(2)
        self.r_AB = self.i * self.x + self.j * self.y
        self.r_A = self.I * self.xB + self.J * self.yB + self.r_AB


AnyPlane = Annotated[Plane, Plane]


@BODY.identity("2-position", "2, position")
def position(k: AnyPlane) -> Equations:
    """Position in two bases: r_A = r_B + r_A/B, r_A/B = x_IJ Î + y_IJ Ĵ = x î + y ĵ"""
    c, s = k.θ.c, k.θ.s
    yield k.r_AB, k.I * (c * k.x - s * k.y) + k.J * (s * k.x + c * k.y)
    yield k.i, vector(c, s, 0 * c)


@BODY.identity("2-velocity", "2, velocity", order=1)
def velocity(k: AnyPlane) -> Equations:
    """Velocity in two bases: v_A = (ẋ_B Î + ẏ_B Ĵ) + (ẋ î + ẏ ĵ) + x (ω × î) + y (ω × ĵ)

    the text’s first line, ṙ_B Î + ṙ_A/B Ĵ, multiplies vectors by vectors; it means ṙ_B + ṙ_A/B
    """
    (dxB, dyB), (dx, dy) = rate(vector(k.xB, k.yB)), rate(vector(k.x, k.y))
    seen = k.I * dxB + k.J * dyB + k.i * dx + k.j * dy
    yield rate(k.r_A), seen + spatial.cross(k.w, k.i) * k.x + spatial.cross(k.w, k.j) * k.y
    x, y, _ = k.r_AB
    yield rate(k.r_A), seen + spatial.cross(k.w, k.I) * x + spatial.cross(k.w, k.J) * y


@BODY.identity("2-frames", "2, velocity", order=1)
def velocity_in_a_moving_frame(B: Moving, Q: Path) -> Equations:
    """Velocity of a point in a moving frame: ᴬV_Q = ᴬV_B + R ᴮV_Q + ᴬΩ_B × (R ᴮP_Q)"""
    yield rate(B.R @ Q + B.r), rate(B.r) + B.R @ rate(Q) + cross(B.w, B.R @ Q)
    V = times(B.X_inverse, B.body_twist)
    yield rate(B.R @ Q + B.r), V[3:] + spatial.cross(V[:3], B.R @ Q + B.r) + B.R @ rate(Q)


class NextLink(NamedTuple):
    """A link with a joint along Ẑ, and the reference’s X to it from the preceding link."""

    link: Link
    X: Plucker

    @property
    def R(self) -> Tensor:
        """The rotation of the link’s frame in the preceding link."""
        return self.X.E[..., 0].T

    @property
    def P(self) -> Tensor:
        """The origin of the link’s frame in the preceding link."""
        return self.X.r[:, 0]

    @property
    def axis(self) -> Tensor:
        """R Ẑ"""
        return self.R[:, 2]

    def passed(self, v: Tensor, speed: Any) -> tuple[Tensor, Tensor]:
        """ω and v of the link’s frame in the frame of the preceding link, by the reference’s X and S."""
        here = times(self.X, v) + self.link.S[:, 0, 0] * speed
        return self.R @ here[:3], self.R @ here[3:]


def after(kind: Kind) -> Callable[[Point], NextLink]:
    """Draws the outboard link of a joint of this kind, at a random position."""

    def draw(p: Point) -> NextLink:
        placement = p.mechanism([-1], ["revolute"]).bodies[0].joint.placement
        link = p.link(Joint("joint", kind, placement=placement))
        q = p.angle().t if kind == "revolute" else p.number()
        return NextLink(link, jcalc(link, vector(q)[:, None], p.field)[0].after(link.XT))

    return draw


Turned = Annotated[NextLink, after("revolute")]
Slid = Annotated[NextLink, after("prismatic")]


@LINKS.identity("3-turning", "3 (1)")
def turning_joint(i: Turned, v: Spatial, speed: Number) -> Equations:
    """Across a revolute joint: ω_{i+1} = ω_i + R (θ̇ Ẑ), v_{i+1} = v_i + ω_i × P, in frame i"""
    w_next, v_next = i.passed(v, speed)
    yield w_next, v[:3] + i.axis * speed
    yield v_next, v[3:] + cross(v[:3], i.P)


@LINKS.identity("3-sliding", "3 (2)")
def sliding_joint(i: Slid, v: Spatial, speed: Number) -> Equations:
    """Across a prismatic joint: ω_{i+1} = ω_i, v_{i+1} = v_i + ω_i × P + R (ḋ Ẑ), in frame i"""
    w_next, v_next = i.passed(v, speed)
    yield w_next, v[:3]
    yield v_next, v[3:] + cross(v[:3], i.P) + i.axis * speed


@FORCES.identity("4", "4")
def force_and_moment(i: Turned, f: Spatial) -> Equations:
    """Force and moment on the preceding link: f_i = R f_{i+1}, n_i = R n_{i+1} + P × f_i"""
    yield i.X.T @ f[:, None], join(i.R @ f[:3] + cross(i.P, i.R @ f[3:]), i.R @ f[3:])


@FORCES.identity("4-matrix", "4, remark 2")
def cross_matrix(a: Vector, b: Vector) -> Equations:
    """Cross product as a matrix: P × R = [0 −p_z p_y; p_z 0 −p_x; −p_y p_x 0] R"""
    yield spatial.cross(a, b), skew(a) @ b
