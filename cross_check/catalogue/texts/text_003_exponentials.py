"""Text 003, §§22, 23: products of exponentials."""

from __future__ import annotations

from cross_check.catalogue.arm import angle_of, arm, in_tool, placed_at, product
from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import (
    Ad,
    Angle,
    exp_rotation,
    exp_screw,
    exp_slide,
    hat,
    join,
    one,
    pose,
    undo,
    vector,
    zero,
)
from cross_check.catalogue.point import Point, pose_of
from cross_check.catalogue.recursion import moving
from cross_check.catalogue.series import flow, rate
from cross_check.catalogue.texts.text_003_logarithms import left_of_rotation
from implementations.field import Tensor
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from mechanisms import Body, Inertia, Joint, Mechanism, Placement
from mechanisms.geometry import basis

EXPONENTIALS = Chapter("003", "§§22, 23 Products of exponentials")


@EXPONENTIALS.identity("22", "§22")
def pose_in_base(p: Point) -> Equations:
    """Pose in the base frame: T(θ) = e^{[ξ_1]θ_1} … e^{[ξ_n]θ_n} M"""
    a = arm(p)
    yield a.T, product(a.e) @ a.M


@EXPONENTIALS.slip("22-printed", "§22", corrected="22")
def pose_without_M(p: Point) -> Equations:
    """Pose after the outermost joint alone: T = e^{[ξ_n]θ_n}

    M is missing here; the equations that follow contain it
    """
    mechanism, tool = p.mechanism([-1], ["revolute"]), p.pose()
    m = moving(p, mechanism)
    ξ = Ad(placed_at(mechanism.bodies[0].joint)) @ m.model.links[0].S[:, 0, 0]
    yield m.T[0] @ tool, exp_screw(ξ, angle_of(p, m.q[0, 0]))


@EXPONENTIALS.identity("23-screws", "§23")
def screws_in_tool(p: Point) -> Equations:
    """Screws in the tool frame: [ξ^t] = M⁻¹ [ξ^s] M, ξ^t = [Ad_{M⁻¹}] ξ^s, e^{[ξ^t]θ} = M⁻¹ e^{[ξ^s]θ} M"""
    M, ξ, θ = p.pose(), join(p.unit(), p.vector()), p.angle()
    yield hat(Ad(undo(M)) @ ξ), undo(M) @ hat(ξ) @ M
    yield exp_screw(Ad(undo(M)) @ ξ, θ), undo(M) @ exp_screw(ξ, θ) @ M


@EXPONENTIALS.identity("23", "§23")
def pose_in_tool(p: Point) -> Equations:
    """Pose in the tool frame: T(θ) = M e^{[ξ_1^t]θ_1} … e^{[ξ_n^t]θ_n}"""
    a = arm(p)
    yield a.T, a.M @ product(in_tool(a)[1])


def multiple(p: Point, k: Angle, n: int) -> Angle:
    """The angle n k."""
    c, s = k.c, k.s
    for _ in range(n - 1):
        c, s = c * k.c - s * k.s, c * k.s + s * k.c
    t = s / (1 + c)
    p.field.angles.append((t, k.size * n))
    return Angle(k.size * n, c, s, t)


@EXPONENTIALS.slip("23-printed", "§23", corrected="23")
def pose_by_a_sum(p: Point) -> Equations:
    """Pose in the tool frame: T(θ) = M e^{[ξ_1^t]θ_1 + … + [ξ_n^t]θ_n}

    the exponential of a sum is not the product of exponentials; joints about x and y with the angles 3k and 4k refute it
    """
    k = p.angle()
    θ = [multiple(p, k, n) for n in (3, 4, 5)]
    offsets = [p.vector(), p.vector()]
    placed = [Placement(translation=tuple(r)) for r in offsets]
    joints = [Joint(f"joint{i}", "revolute", basis()[i], placed[i]) for i in range(2)]
    bodies = (Body("a", "world", joints[0], Inertia.massless()), Body("b", "a", joints[1], Inertia.massless()))
    model = p.model(Mechanism("two", bodies))
    T = pose_of(transforms_from_root(model, transforms(model, vector(θ[0].t, θ[1].t)[:, None])[0])[1])
    M = pose(one(3), offsets[0] + offsets[1])
    home = [pose(one(3), offsets[0]), M]
    ξ = [Ad(undo(M) @ home[i]) @ one(6)[i] for i in range(2)]
    # |φ| = 5 k, as 3² + 4² = 5²
    total = ξ[0] * θ[0].size + ξ[1] * θ[1].size
    axis = total[:3] * (1 / θ[2].size)
    yield T, M @ pose(exp_rotation(axis, θ[2]), left_of_rotation(total[:3], θ[2]) @ total[3:])


@EXPONENTIALS.identity("23-difference", "§23", order=2)
def product_against_sum(p: Point) -> Equations:
    """Sum and product of exponentials:
    e^{[a]t} e^{[b]t} − e^{([a] + [b])t} = ½ t² [[a], [b]] + O(t³), so both are equal only for screws that commute
    """
    a, b = hat(p.vector(6)), hat(p.vector(6))

    def exp(A: Tensor) -> Tensor:
        """e^{At} to t², from Ṫ = A T"""
        return flow(one(4) + 0 * A, lambda T: (A @ T.reshape(4, 4)).ravel(), p.order).reshape(4, 4)

    difference = exp(a) @ exp(b) - exp(a + b)
    yield difference, zero(4, 4)
    yield rate(difference), zero(4, 4)
    yield rate(rate(difference)), a @ b - b @ a


@EXPONENTIALS.identity("23-commuting", "§23")
def product_of_commuting(p: Point) -> Equations:
    """Screws that commute:
    e^{[a]θ} e^{[b]d} = e^{[a]θ + [b]d} for a rotation about an axis and a translation along it, because [[a], [b]] = 0
    """
    w, θ, d = p.unit(), p.angle(), p.number()
    a, b = join(w, p.vector()), join(zero(3), w)
    total = a * θ.size + b * d
    yield hat(a) @ hat(b), hat(b) @ hat(a)
    yield exp_screw(a, θ) @ exp_slide(b, d), pose(exp_rotation(w, θ), left_of_rotation(total[:3], θ) @ total[3:])
