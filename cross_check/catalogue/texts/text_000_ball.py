"""Text 000, §6.1: a ball that rolls, seen in the frames I (at rest), P (contact), Q (centre) and B (turns with the ball)."""

from __future__ import annotations

from typing import Any, NamedTuple

from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import Angle, X_motion, block, cross, join, one, skew, unskew, vector, zero
from cross_check.catalogue.point import MovingFrame, Point, matrix
from cross_check.catalogue.series import flow, rate
from implementations.field import Tensor
from implementations.spatial_algebra.jcalc import about
from implementations.spatial_algebra.spatial import crm

BALL = Chapter("000", "§6.1 A ball that rolls")


class Ball(NamedTuple):
    v: Any
    r: Any
    t: Any
    θ: Angle
    P: MovingFrame
    Q: MovingFrame
    B: MovingFrame

    @property
    def spin(self) -> Tensor:
        """ω = [−v/r 0 0]ᵀ"""
        return vector(-self.v / self.r, 0, 0)


def roll(p: Point) -> Ball:
    """Eqs. 39–43: d = v t, θ = ω t with ω = v/r."""
    v, r = p.number(), p.number()
    (t,) = flow(vector(p.number()), lambda t: p.fraction(1) + 0 * t, p.order)
    θ = p.angle(v / r)
    R_QB = vector(1, 0, 0, 0, θ.c, θ.s, 0, -θ.s, θ.c).reshape(3, 3)
    P, Q = vector(0 * v, v * t, 0 * v), vector(0 * v, v * t, r)
    w = unskew(rate(R_QB) @ R_QB.T)
    return Ball(v, r, t, θ, MovingFrame(one(3), P, zero(3)), MovingFrame(one(3), Q, zero(3)), MovingFrame(R_QB, Q, w))


@BALL.identity("43", "eqs. 39, 40, 43", order=1)
def rotation(p: Point) -> Equations:
    """Rotation of the ball: R_QB is the rotation by −θ about x, because rolling towards +y is a rotation about −x"""
    b = roll(p)
    yield about(vector(1, 0, 0)[:, None], vector(b.θ.c), vector(b.θ.s)), b.B.R
    yield b.B.w, b.spin


@BALL.identity("45-contact", "§6.1", order=1)
def no_slip(p: Point) -> Equations:
    """No slip: the ball’s point that passes P is at rest"""
    b = roll(p)
    contact = b.B.R.T @ (b.P.r - b.Q.r)
    yield rate(b.B.R) @ contact + rate(b.B.r), zero(3)


@BALL.identity("44", "eqs. 41, 44", order=1)
def transform_to_contact(p: Point) -> Equations:
    """Transform to P: ᴾX_I = [1 0; −r_IP× 1] with r_IP = [0 v t 0]ᵀ"""
    b = roll(p)
    r_IP = vector(0 * b.v, b.v * b.t, 0 * b.v)
    yield matrix(b.P.X), block([one(3), zero(3, 3)], [-skew(r_IP), one(3)])


@BALL.identity("45", "eq. 45", order=1)
def velocity_in_P(p: Point) -> Equations:
    """Velocity in P: ᴾv̂_B = [−v/r 0 0 0 0 0]ᵀ"""
    b = roll(p)
    yield b.P.X @ b.B.space_twist[:, None], join(b.spin, zero(3))


@BALL.identity("46", "eq. 46", order=1)
def velocity_in_I(p: Point) -> Equations:
    """Velocity in I: ᴵv̂_B = [−v/r 0 0 0 0 (v/r) v t]ᵀ = ᴵX_P ᴾv̂_B"""
    b = roll(p)
    printed = join(b.spin, vector(0, 0, b.v / b.r * b.v * b.t))
    yield b.B.space_twist, printed
    yield b.P.X_inverse @ join(b.spin, zero(3))[:, None], printed


@BALL.identity("47", "eqs. 42, 47", order=1)
def velocity_in_Q(p: Point) -> Equations:
    """Velocity in Q: v̂_B in Q = [−v/r 0 0 0 v 0]ᵀ"""
    b = roll(p)
    yield b.Q.X @ b.B.space_twist[:, None], join(b.spin, vector(0, b.v, 0))


@BALL.slip("47-printed", "eq. 47", corrected="47", order=1)
def velocity_in_Q_as_printed(p: Point) -> Equations:
    """Velocity in Q: v̂_B in Q = [−v/r 0 0 v 0 0]ᵀ

    v is the x component here, but the ball rolls along y, as in eqs. 41 and 48
    """
    b = roll(p)
    yield b.Q.X @ b.B.space_twist[:, None], join(b.spin, vector(b.v, 0, 0))


@BALL.identity("48", "eq. 48", order=1)
def velocity_in_B(p: Point) -> Equations:
    """Velocity in B: ᴮv̂_B = [ω; R_BQ [0 v 0]ᵀ] = [−v/r 0 0 0 v cos θ v sin θ]ᵀ

    the last column of eq. 48 has five numbers: the 0 before v cos θ is missing
    """
    b = roll(p)
    yield b.B.X @ b.B.space_twist[:, None], join(b.spin, b.B.R.T @ vector(0, b.v, 0))
    yield b.B.R.T @ vector(0, b.v, 0), vector(0, b.v * b.θ.c, b.v * b.θ.s)


@BALL.identity("49", "eq. 49", order=2)
def acceleration_in_I(p: Point) -> Equations:
    """Acceleration, by differentiation in I: ᴵâ_B = d(ᴵv̂_B)/dt = [0 0 0 0 0 v²/r]ᵀ"""
    b = roll(p)
    yield rate(b.B.space_twist), vector(0, 0, 0, 0, 0, b.v * b.v / b.r)


@BALL.identity("50", "eq. 50", order=2)
def acceleration_in_P(p: Point) -> Equations:
    """Acceleration, by differentiation in P: ᴾâ_B = 0 + [0 0 0 0 v 0]ᵀ × ᴾv̂_B = [0 0 0 0 0 v²/r]ᵀ"""
    b = roll(p)
    v = (b.P.X @ b.B.space_twist[:, None])[:, 0]
    yield rate(v), zero(6)
    yield b.P.body_twist, vector(0, 0, 0, 0, b.v, 0)
    yield rate(v) + crm(b.P.body_twist, v), vector(0, 0, 0, 0, 0, b.v * b.v / b.r)


@BALL.identity("51", "eq. 51", order=2)
def accelerations_agree(p: Point) -> Equations:
    """Accelerations in I and P agree: ᴵâ_B = ᴵX_P ᴾâ_B with ᴵX_P = [1 0; −ᴾr_PI× 1]"""
    b = roll(p)
    yield matrix(b.P.X_inverse), X_motion(one(3), vector(0 * b.v, -b.v * b.t, 0 * b.v))
    yield b.P.X_inverse @ vector(0, 0, 0, 0, 0, b.v * b.v / b.r)[:, None], rate(b.B.space_twist)


@BALL.identity("5-ball", "eqs. 5, 47, 48", order=2)
def acceleration_in_Q_and_B(p: Point) -> Equations:
    """Acceleration in Q and B: eq. 5 in Q and in B also gives ᴵâ_B"""
    b = roll(p)
    for frame in (b.Q, b.B):
        v = (frame.X @ b.B.space_twist[:, None])[:, 0]
        yield frame.X_inverse @ (rate(v) + crm(frame.body_twist, v))[:, None], vector(0, 0, 0, 0, 0, b.v * b.v / b.r)


@BALL.identity("49-points", "§6.1", order=2)
def acceleration_of_points(p: Point) -> Equations:
    """Accelerations of points: the point at x_B accelerates by ω × (ω × x), the point at P by v²/r upwards"""
    b, x_B = roll(p), p.vector()
    x = b.B.R @ x_B
    yield rate(rate(x + b.B.r)), cross(b.B.w, cross(b.B.w, x))
    contact = b.B.R.T @ (b.P.r - b.Q.r)
    yield rate(rate(b.B.R)) @ contact + rate(rate(b.B.r)), vector(0, 0, b.v * b.v / b.r)
