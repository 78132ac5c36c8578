"""Text 000, §6: a ball that rolls, and a floating base with a single link.

The ball is seen in the frames I (at rest), P (contact), Q (centre) and B (turns with the ball). The text omits §6.2; its
equations are ours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cross_check.prove.catalogue.language import *

BALL = Chapter("000", "§6.1 A ball that rolls")
SINGLE = Chapter("000", "§6.2 A floating base with a single link")


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

    @property
    def acceleration(self) -> Tensor:
        """[0 0 0 0 0 v²/r]ᵀ"""
        return vector(0, 0, 0, 0, 0, self.v * self.v / self.r)

    @property
    def contact(self) -> Tensor:
        """The ball’s point that passes P, in B."""
        return self.B.R.T @ (self.P.r - self.Q.r)

    def velocity_in(self, frame: MovingFrame) -> Tensor:
        """v̂_B in ``frame``, by the reference."""
        return times(frame.X, self.B.space_twist)


def roll(p: Point) -> Ball:
    """Eqs. 39–43: d = v t, θ = ω t with ω = v/r."""
    v, r = p.number(), p.number()
    (t,) = flow(vector(p.number()), lambda t: p.fraction(1) + 0 * t, p.order)
    θ = p.angle(v / r)
    R_QB = vector(1, 0, 0, 0, θ.c, θ.s, 0, -θ.s, θ.c).reshape(3, 3)
    P, Q = vector(0 * v, v * t, 0 * v), vector(0 * v, v * t, r)
    w = unskew(rate(R_QB) @ R_QB.T)
    return Ball(v, r, t, θ, MovingFrame(one(3), P, zero(3)), MovingFrame(one(3), Q, zero(3)), MovingFrame(R_QB, Q, w))


Rolling = Annotated[Ball, roll]


@BALL.identity("43", "eqs. 39, 40, 43", order=1)
def rotation(b: Rolling) -> Equations:
    """Rotation of the ball: R_QB is the rotation by −θ about x, because rolling towards +y is a rotation about −x"""
    yield about(vector(1, 0, 0)[:, None], vector(b.θ.c), vector(b.θ.s)), b.B.R
    yield b.B.w, b.spin


@BALL.identity("45-contact", "§6.1", order=1)
def no_slip(b: Rolling) -> Equations:
    """No slip: the ball’s point that passes P is at rest"""
    yield rate(b.B.R) @ b.contact + rate(b.B.r), zero(3)


@BALL.identity("44", "eqs. 41, 44", order=1)
def transform_to_contact(b: Rolling) -> Equations:
    """Transform to P: ᴾX_I = [1 0; −r_IP× 1] with r_IP = [0 v t 0]ᵀ"""
    r_IP = vector(0 * b.v, b.v * b.t, 0 * b.v)
    yield matrix(b.P.X), block([one(3), zero(3, 3)], [-skew(r_IP), one(3)])


@BALL.identity("45", "eq. 45", order=1)
def velocity_in_P(b: Rolling) -> Equations:
    """Velocity in P: ᴾv̂_B = [−v/r 0 0 0 0 0]ᵀ"""
    yield b.velocity_in(b.P), join(b.spin, zero(3))


@BALL.identity("46", "eq. 46", order=1)
def velocity_in_I(b: Rolling) -> Equations:
    """Velocity in I: ᴵv̂_B = [−v/r 0 0 0 0 (v/r) v t]ᵀ = ᴵX_P ᴾv̂_B"""
    printed = join(b.spin, vector(0, 0, b.v / b.r * b.v * b.t))
    yield b.B.space_twist, printed
    yield times(b.P.X_inverse, join(b.spin, zero(3))), printed


@BALL.identity("47", "eqs. 42, 47", order=1)
def velocity_in_Q(b: Rolling) -> Equations:
    """Velocity in Q: v̂_B in Q = [−v/r 0 0 0 v 0]ᵀ"""
    yield b.velocity_in(b.Q), join(b.spin, vector(0, b.v, 0))


@BALL.slip("47-printed", "eq. 47", corrected="47", order=1)
def velocity_in_Q_as_printed(b: Rolling) -> Equations:
    """Velocity in Q: v̂_B in Q = [−v/r 0 0 v 0 0]ᵀ

    v is the x component here, but the ball rolls along y, as in eqs. 41 and 48
    """
    yield b.velocity_in(b.Q), join(b.spin, vector(b.v, 0, 0))


@BALL.identity("48", "eq. 48", order=1)
def velocity_in_B(b: Rolling) -> Equations:
    """Velocity in B: ᴮv̂_B = [ω; R_BQ [0 v 0]ᵀ] = [−v/r 0 0 0 v cos θ v sin θ]ᵀ

    the last column of eq. 48 has five numbers: the 0 before v cos θ is missing
    """
    yield b.velocity_in(b.B), join(b.spin, b.B.R.T @ vector(0, b.v, 0))
    yield b.B.R.T @ vector(0, b.v, 0), vector(0, b.v * b.θ.c, b.v * b.θ.s)


@BALL.identity("49", "eq. 49", order=2)
def acceleration_in_I(b: Rolling) -> Equations:
    """Acceleration, by differentiation in I: ᴵâ_B = d(ᴵv̂_B)/dt = [0 0 0 0 0 v²/r]ᵀ"""
    yield rate(b.B.space_twist), b.acceleration


@BALL.identity("50", "eq. 50", order=2)
def acceleration_in_P(b: Rolling) -> Equations:
    """Acceleration, by differentiation in P: ᴾâ_B = 0 + [0 0 0 0 v 0]ᵀ × ᴾv̂_B = [0 0 0 0 0 v²/r]ᵀ"""
    v = b.velocity_in(b.P)
    yield rate(v), zero(6)
    yield b.P.body_twist, vector(0, 0, 0, 0, b.v, 0)
    yield rate(v) + crm(b.P.body_twist, v), b.acceleration


@BALL.identity("51", "eq. 51", order=2)
def accelerations_agree(b: Rolling) -> Equations:
    """Accelerations in I and P agree: ᴵâ_B = ᴵX_P ᴾâ_B with ᴵX_P = [1 0; −ᴾr_PI× 1]"""
    yield matrix(b.P.X_inverse), X_motion(one(3), vector(0 * b.v, -b.v * b.t, 0 * b.v))
    yield times(b.P.X_inverse, b.acceleration), rate(b.B.space_twist)


@BALL.identity("5-ball", "eqs. 5, 47, 48", order=2)
def acceleration_in_Q_and_B(b: Rolling) -> Equations:
    """Acceleration in Q and B: eq. 5 in Q and in B also gives ᴵâ_B"""
    for frame in (b.Q, b.B):
        v = b.velocity_in(frame)
        yield times(frame.X_inverse, rate(v) + crm(frame.body_twist, v)), b.acceleration


@BALL.identity("49-points", "§6.1", order=2)
def acceleration_of_points(b: Rolling, x_B: Vector) -> Equations:
    """Accelerations of points: the point at x_B accelerates by ω × (ω × x), the point at P by v²/r upwards"""
    x = b.B.R @ x_B
    yield rate(rate(x + b.B.r)), cross(b.B.w, cross(b.B.w, x))
    yield rate(rate(b.B.R)) @ b.contact + rate(rate(b.B.r)), b.acceleration[3:]


@SINGLE.identity("6.2-mass", "§6.2")
def mass_matrix(m: LosslessHinged) -> Equations:
    """Mass matrix: M = [Î_0 + Xᵀ Î_1 X, Xᵀ Î_1 ŝ; ŝᵀ Î_1 X, ŝᵀ Î_1 ŝ]"""
    (I0, I1), X, s = m.inertias, m.X[1], m.S[1]
    yield m.M, block([I0 + X.T @ I1 @ X, X.T @ I1 @ s], [s.T @ I1 @ X, s.T @ I1 @ s])


@SINGLE.identity("6.2-vectors", "§6.2")
def last_column(p: Point) -> Equations:
    """Last column of the mass matrix:
    F = [I_c a + c × f; f], H = a · I_c a + m |a × d|², f = m a × d, with the axis a and the vector d from the axis to c
    """
    hinge, link = p.mechanism([-1], ["revolute"]).bodies[0].joint, p.solid()
    m = motion_of(p, without_losses(chain((Joint("free", "free"), p.inertia()), (hinge, link.inertia))))
    R, r = m.X[1][:3, :3].T, vector(*hinge.placement.translation)
    a, d, I_c = R @ vector(*hinge.axis), R @ link.c, R @ link.J @ R.T
    f = link.m * cross(a, d)
    yield m.M[:6, 6], join(I_c @ a + cross(r + d, f), f)
    yield m.M[6, 6], a @ I_c @ a + link.m * (cross(a, d) @ cross(a, d))


@SINGLE.identity("6.2-momentum", "§6.2", order=2)
def momentum(m: WeightlessHinged) -> Equations:
    """Momentum: Î₀ᶜ â_0 + F q̈ + p̂₀ᶜ = [Σ ĥ]˙, the rate of the total momentum, which is constant without forces"""
    to_root = [m.X[0].T, (m.X[1] @ m.X[0]).T]
    whole = total(Xt @ I @ v for Xt, I, v in zip(to_root, m.inertias, m.v, strict=True))
    yield m.X[0].T @ rnea(*m.state, m.qdd)[:6, 0], rate(whole)


@SINGLE.identity("6.2-forward", "§6.2")
def forward_dynamics(m: LosslessHinged, tau: Number) -> Equations:
    """Forward dynamics: [â_0; q̈] = [Î₀ᶜ F; Fᵀ H]⁻¹ ([0; τ] − [p̂₀ᶜ; C]), the result of the articulated-body algorithm"""
    force = join(zero(6), vector(tau))[:, None]
    yield solve(crba(m.model, m.q), force - nonlinear_effects(*m.state)), aba(*m.state, force)


@SINGLE.identity("6.2-plane", "§6.2")
def in_the_plane(p: Point) -> Equations:
    """Plane motion:
    M and h of a base (m₀, J₀) and a link (m, J, centre of mass at l) with a revolute joint at (b, 0), in cos q and sin q
    """
    o, (m0, J0, m, J, b, l) = p.fraction(0), p.vector(6)
    base = Inertia(m0, (o, o, o), (p.number(), p.number(), J0, o, o, o))
    link = Inertia(m, (l, o, o), (p.number(), p.number(), J, o, o, o))
    hinge = Joint("hinge", "revolute", placement=Placement(translation=(b, o, o)))
    model = p.model(chain((Joint("free", "free"), base), (hinge, link)))
    q, (ω, v1, v2, qd) = p.angle(), p.vector(4)
    position = join(p.vector(7), vector(q.t))[:, None]
    c, s = q.c, q.s
    lb, plane = l * b * c, [2, 3, 4, 6]
    M = [
        [J0 + J + m * (b * b + l * l + 2 * lb), -m * l * s, m * (b + l * c), J + m * (l * l + lb)],
        [-m * l * s, m0 + m, o, -m * l * s],
        [m * (b + l * c), o, m0 + m, m * l * c],
        [J + m * (l * l + lb), -m * l * s, m * l * c, J + m * l * l],
    ]
    yield crba(model, position)[np.ix_(plane, plane)], np.array(M, dtype=object)
    u1, u2 = v1 - l * s * (ω + qd), v2 + b * ω + l * c * (ω + qd)
    f1, f2 = m * (-l * c * qd * (ω + qd) - ω * u2), m * (-l * s * qd * (ω + qd) + ω * u1)
    h = vector((b + l * c) * f2 - l * s * f1, f1 - m0 * ω * v2, f2 + m0 * ω * v1, l * c * f2 - l * s * f1)
    yield nonlinear_effects(model, position, vector(o, o, ω, v1, v2, o, qd)[:, None])[plane], h
