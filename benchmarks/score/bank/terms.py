"""Terms of the equations that are left out, counted twice, or have the wrong sign."""

from __future__ import annotations

from typing import Any

import numpy as np

from score.changes import (
    answer,
    beside,
    has_armature,
    has_damping,
    has_products,
    is_free,
    links,
    moving,
    scale,
    sliding,
    without_product,
)
from score.entry import CART, DYNAMICS, FLYING, PUMA, SPATIAL, STANFORD, TREE, fault
from score.library.root_frame import ArticulatedBodies, RootFrame
from score.library.three_vectors import JacobianSums
from score.library.vectors import cross
from score.words import (
    ABSENT,
    ARMATURE,
    ARMATURE_OF_ONE,
    CENTRIPETAL,
    CORIOLIS,
    FRICTION,
    GRAVITY_TERM,
    GRAVITY_VECTOR,
    GYROSCOPIC,
    MOMENTUM_RATE,
    SIGN,
    SUMMED,
    TRIANGLE,
    TWICE,
    Topic,
)  # fmt: skip

FURUTA = "furuta-pendulum"
CENTRIPETAL_TERM = Topic("term", f"{CENTRIPETAL}|{CORIOLIS}", "centri|oriolis|velocity|bias")
CORIOLIS_OF_SLIDES = Topic("term", CORIOLIS, "oriolis|velocity|bias|prismatic")
LEVER = Topic("term", "moment|lever|torque|force", "moment|lever|force|transm")
ROTATIONAL_ENERGY = Topic("term", "energy", "energ|inertia")
ONE_FRICTION = FRICTION._replace(kinds="term")


@fault(ARMATURE, ABSENT, where=has_armature, on=STANFORD)
def armature_left_out(code: Any) -> None:
    """The armature is left out."""
    for link in links(code):
        link.armature = 0.0


@fault(ARMATURE, ABSENT, where=has_armature, on=PUMA)
def armature_left_out_of_tau(code: Any) -> None:
    """The armature is in M, and missing in inverse dynamics."""
    scale(code, "rotor_forces", 0)


@fault(ARMATURE, TWICE, where=has_armature, on=STANFORD, offers=DYNAMICS)
def armature_twice(code: Any) -> None:
    """The armature counts twice."""
    for link in links(code):
        link.armature *= 2


@fault(ARMATURE, "damping|h\\b|velocity|nonlinear", where=has_armature, on=PUMA)
def armature_times_velocity(code: Any) -> None:
    """The armature is multiplied by the velocity instead of the acceleration."""
    J = code.model.per_coordinate("armature")
    code.rotor_forces, right = (lambda a: 0), code.friction_forces
    code.friction_forces = lambda v: right(v) + J * v


@fault(FRICTION, ABSENT, where=has_damping, on=STANFORD)
def damping_left_out(code: Any) -> None:
    """The damping is left out."""
    scale(code, "friction_forces", 0)


@fault(FRICTION, SIGN, where=has_damping, on=PUMA)
def damping_sign(code: Any) -> None:
    """The damping has the wrong sign."""
    scale(code, "friction_forces", -1)


@fault(FRICTION, TWICE, where=has_damping, on=FURUTA)
def damping_twice(code: Any) -> None:
    """The damping counts twice."""
    scale(code, "friction_forces", 2)


@fault(ONE_FRICTION, r"v²|v\^2|square|quadratic|v \|v\||\|v\|", where=has_damping, on=STANFORD)
def damping_quadratic(code: Any) -> None:
    """The damping grows with v |v|."""
    right = code.friction_forces
    code.friction_forces = lambda v: right(v * abs(v))


@fault(GYROSCOPIC, ABSENT)
def gyroscopic_left_out(code: Any) -> None:
    """ω × Iω is left out."""
    scale(code, "gyroscopic", 0)


@fault(GYROSCOPIC, SIGN, on=STANFORD)
def gyroscopic_sign(code: Any) -> None:
    """ω × Iω has the wrong sign."""
    scale(code, "gyroscopic", -1)


@fault(GYROSCOPIC, ABSENT, on=TREE, of=JacobianSums)
def gyroscopic_left_out_of_sums(code: Any) -> None:
    """ω × Iω is left out of a sum with Jacobians."""
    scale(code, "gyroscopic", 0)


@fault(GYROSCOPIC, "products|diagonal|moments", where=has_products, on=TREE)
def gyroscopic_diagonal(code: Any) -> None:
    """ω × Iω uses the moments of inertia alone."""
    code.gyroscopic = lambda link, w: cross(w, w * np.diag(link.inertia))


@fault(CENTRIPETAL_TERM, ABSENT, on=STANFORD)
def centripetal_left_out(code: Any) -> None:
    """The centripetal acceleration ω × (ω × r) is left out."""
    scale(code, "centripetal", 0)


@fault(CENTRIPETAL_TERM, SIGN)
def centripetal_sign(code: Any) -> None:
    """The centripetal acceleration has the wrong sign."""
    scale(code, "centripetal", -1)


@fault(CORIOLIS_OF_SLIDES, ABSENT, where=sliding, on=STANFORD)
def coriolis_left_out(code: Any) -> None:
    """The Coriolis acceleration 2 ω × u of slides is left out."""
    scale(code, "coriolis", 0)


@fault(CORIOLIS_OF_SLIDES, rf"hal[fv]|factor|2|{ABSENT}", where=sliding, on=STANFORD, of=JacobianSums)
def coriolis_half(code: Any) -> None:
    """The Coriolis acceleration of slides is ω × u instead of 2 ω × u."""
    scale(code, "coriolis", 0.5)


@fault(Topic("term", f"{CORIOLIS}|turn", "oriolis|velocity|bias|axis"), ABSENT)
def turning_axes_left_out(code: Any) -> None:
    """The rate of the joint's axis, ω × s q̇, is left out."""
    scale(code, "turning_axis", 0)


@fault(Topic("term", f"{CORIOLIS}|turn|axis", "oriolis|velocity|bias|axis"), SIGN, on=SPATIAL)
def turning_axes_sign(code: Any) -> None:
    """The rate of the joint's axis has the wrong sign."""
    scale(code, "turning_axis", -1)


@fault(Topic("term", "tangential|angular acceleration|acceleration|ω̇ ×", "acceler|inertia|lever|tangential"), ABSENT)
def tangential_left_out(code: Any) -> None:
    """The tangential acceleration ω̇ × r of a joint's origin is left out."""
    scale(code, "tangential", 0)


TANGENTIAL_OF_CENTERS = Topic("term", "tangential|angular acceleration|acceleration|centre of mass", "acceler|inertia|mass")


@fault(TANGENTIAL_OF_CENTERS, ABSENT, on=STANFORD)
def tangential_of_centers_left_out(code: Any) -> None:
    """The tangential acceleration ω̇ × c of the centres of mass is left out."""
    code.body_force = lambda link, m: link.mass * (m.du + code.centripetal(m.w, link.com + 0 * m.w))


@fault(Topic("term", "moment|lever|torque|centre of mass", "moment|lever|force|mass"), ABSENT, on=STANFORD)
def moments_of_bodies_left_out(code: Any) -> None:
    """The moment c × F of a body's force about its origin is left out."""
    scale(code, "body_lever", 0)


@fault(LEVER, ABSENT, on=TREE)
def levers_left_out(code: Any) -> None:
    """The moment p × F of a child's force about the parent's origin is left out."""
    scale(code, "joint_lever", 0)


@fault(LEVER, SIGN)
def levers_sign(code: Any) -> None:
    """The moment of a child's force has the wrong sign."""
    scale(code, "joint_lever", -1)


@fault(GRAVITY_VECTOR, ABSENT)
def gravity_left_out(code: Any) -> None:
    """Gravity is left out."""
    code.model.gravity = np.zeros(3)


@fault(GRAVITY_VECTOR, SIGN, on=STANFORD)
def gravity_sign(code: Any) -> None:
    """Gravity has the wrong sign."""
    code.model.gravity = -code.model.gravity


@fault(GRAVITY_VECTOR, r"vertical|along .?z|−z|-z|x and y|always|direction|horizontal", on=TREE)
def gravity_vertical(code: Any) -> None:
    """Gravity always points along −z, with 9.81 m/s²."""
    code.model.gravity = np.array([0, 0, -9.81])


@fault(GRAVITY_TERM, TWICE, on=STANFORD)
def gravity_twice_in_forward_dynamics(code: Any) -> None:
    """Gravity counts twice in forward dynamics."""
    right, M, g = code.forward_dynamics, code.mass_matrix, code.gravity
    code.forward_dynamics = lambda q, v, tau: right(q, v, tau) - code.solve(M(q), g(q))


BIAS = Topic("term", "nonlinear|bias|h\\b|velocity|Coriolis|gravity", "bias|gravity|oriolis|forward|velocity")


@fault(BIAS, ABSENT, on=TREE)
def forward_dynamics_without_bias(code: Any) -> None:
    """Forward dynamics is M⁻¹ τ, without nonlinear effects."""
    code.forward_dynamics = lambda q, v, tau: code.solve(code.mass_matrix(q), tau)


@fault(ARMATURE_OF_ONE, ABSENT, where=has_armature, on=STANFORD, of=ArticulatedBodies)
def armature_left_out_of_forward_dynamics(code: Any) -> None:
    """Forward dynamics by articulated bodies has no armature."""
    code.joint_inertia = lambda link, D: D


CARRIED_BIAS = Topic("term", "bias|Coriolis|acceleration|velocity|articulated", "oriolis|bias|velocity|articulated|forward")


@fault(CARRIED_BIAS, ABSENT, of=ArticulatedBodies)
def articulated_bias_left_out(code: Any) -> None:
    """The articulated bodies do not carry the bias acceleration of what is behind them."""
    scale(code, "carried_bias", 0)


@fault(MOMENTUM_RATE, SIGN, on=TREE, of=RootFrame)
def momentum_rate_sign(code: Any) -> None:
    """V ×* I V has the wrong sign."""
    scale(code, "momentum_rate", -1)


@fault(MOMENTUM_RATE, ABSENT, of=RootFrame)
def momentum_rate_left_out(code: Any) -> None:
    """V ×* I V is left out."""
    scale(code, "momentum_rate", 0)


@fault(Topic("term", f"{CORIOLIS}|rate|velocity", "oriolis|bias|velocity|axis"), ABSENT, on=STANFORD, of=RootFrame)
def screw_rate_left_out(code: Any) -> None:
    """V × S q̇ is left out."""
    scale(code, "screw_rate", 0)


PARALLEL_AXES = r"parallel|Steiner|Huygens|about (the|its) (origin|centre)|centre of mass"


@fault(Topic("term model", "inertia", "inertia"), PARALLEL_AXES, of=RootFrame)
def parallel_axes_left_out(code: Any) -> None:
    """The inertia about the centre of mass is taken for that about the origin: no parallel axes."""
    scale(code, "parallel_axes", 0)


AXES_OF_BODIES = r"rotat|turn|transform|body.?s|frame|orient|behind|outboard"


@fault(Topic("term model", "inertia|mass", "inertia|mass matrix"), AXES_OF_BODIES, on=TREE, of=JacobianSums)
def inertia_not_turned(code: Any) -> None:
    """M uses the inertia in the body's axes as if it were in the root's."""
    code.turned_inertia = lambda link, R: np.broadcast_to(link.inertia, R.shape)


@fault(Topic("term", "mass matrix|M\\b|composite", "mass matrix"), TRIANGLE, on=STANFORD)
def one_triangle(code: Any) -> None:
    """Only the upper triangle of M is filled."""
    answer(code, "mass_matrix", lambda M, q: np.triu(M))


@fault(Topic("term", "mass matrix|M\\b|coupling", "mass matrix"), "diagonal|coupling")
def diagonal_only(code: Any) -> None:
    """M is diagonal: the coupling is left out."""
    answer(code, "mass_matrix", lambda M, q: M * np.eye(M.shape[1]))


@fault(SUMMED, "behind|composite|outboard|subtree|carr|child", on=TREE, of=RootFrame)
def composites_left_out(code: Any) -> None:
    """M does not contain the outboard bodies."""
    code.carried = lambda i: False


@fault(Topic("term", "energy", "energ"), "½|half|1/2|twice|doubl|factor", on=CART, offers=DYNAMICS)
def kinetic_energy_without_half(code: Any) -> None:
    """The kinetic energy is vᵀ M v, without ½."""
    scale(code, "kinetic_energy", 2)


@fault(ROTATIONAL_ENERGY, "rotat|inertia|turn")
def kinetic_energy_of_points(code: Any) -> None:
    """The kinetic energy has no rotational part."""

    def points(model: Any) -> None:
        for link in model.links:
            link.inertia = np.zeros((3, 3))

    code.kinetic_energy = beside(code, points).kinetic_energy


@fault(Topic("term convention", "potential|V\\b", "potential|energ|gravity"), SIGN, on=STANFORD)
def potential_energy_sign(code: Any) -> None:
    """The potential energy has the wrong sign."""
    scale(code, "potential_energy", -1)


@fault(Topic("term convention", "potential|V\\b", "potential|energ|mass"), "centre|origin|com")
def potential_energy_of_origins(code: Any) -> None:
    """The potential energy is that of masses at the bodies' origins."""

    def origins(model: Any) -> None:
        for link in model.links:
            link.com = np.zeros(3)

    code.potential_energy = beside(code, origins).potential_energy


@fault(Topic("term", "acceleration|a\\b|inertia|M a", "acceler|inertia|mass"), TWICE, on=FURUTA)
def accelerations_twice(code: Any) -> None:
    """Inverse dynamics counts the accelerations twice."""
    right = code.inverse_dynamics
    code.inverse_dynamics = lambda q, v, a: right(q, v, 2 * a)


@fault(ONE_FRICTION, ABSENT, where=has_damping, on=PUMA)
def nonlinear_effects_without_damping(code: Any) -> None:
    """The nonlinear effects have no damping, and inverse dynamics has it."""
    D = code.model.per_coordinate("damping")
    answer(code, "nonlinear_effects", lambda h, q, v: h - D * v)


@fault(GRAVITY_TERM, ABSENT, on=STANFORD)
def nonlinear_effects_without_gravity(code: Any) -> None:
    """The nonlinear effects have no gravity."""
    g = code.gravity
    answer(code, "nonlinear_effects", lambda h, q, v: h - g(q))


FREE_BIAS = Topic("term", "Coriolis|velocity|acceleration|bias|body|base|free", "free|oriolis|bias|velocity")


@fault(FREE_BIAS, f"{ABSENT}|{SIGN}|classical|spatial", where=is_free, on=FLYING)
def free_base_velocity_product(code: Any) -> None:
    """The acceleration of a free base has no ω × v."""
    moving(code, lambda q, v, a: (v, without_product(code, v, a)))
