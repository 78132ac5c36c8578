"""Terms of the equations that are left out, counted twice, or have the wrong sign."""

from __future__ import annotations

from typing import Any

import numpy as np

from score.changes import answer, has_armature, has_damping, has_products, is_free, links, sliding
from score.entry import DYNAMICS, fault
from score.library.jacobian_sums import JacobianSums
from score.library.root_frame import ArticulatedBodies, RootFrame, force_cross
from score.library.vectors import cross, times
from score.words import ABSENT, CENTRIPETAL, CORIOLIS, GRAVITY, GYRO, SIGN, TWICE

STANFORD, PUMA, TREE, SATELLITE = "stanford-arm", "puma560", "wall-arms", "satellite"


@fault("term model", "armature|rotor", ABSENT, term="armature", where=has_armature, mechanism=STANFORD)
def armature_left_out(code: Any) -> None:
    """The armature is left out."""
    code.model.per_coordinate = lambda what, right=code.model.per_coordinate: right(what) * (what != "armature")


@fault("term model", "armature|rotor", ABSENT, term="armature", where=has_armature, mechanism=PUMA)
def armature_left_out_of_tau(code: Any) -> None:
    """The armature is in M, and missing in inverse dynamics."""
    code.rotor_forces = lambda a: 0


@fault("term model", "armature|rotor", TWICE, term="armature", where=has_armature, mechanism=STANFORD, offers=DYNAMICS)
def armature_twice(code: Any) -> None:
    """The armature counts twice."""
    for link in links(code):
        link.armature *= 2


@fault("term model", "armature|rotor", "damping|h\\b|velocity|nonlinear", term="armature", where=has_armature, mechanism=PUMA)
def armature_times_velocity(code: Any) -> None:
    """The armature is multiplied by the velocity instead of the acceleration."""
    J = code.model.per_coordinate("armature")
    code.rotor_forces, right = (lambda a: 0), code.friction_forces
    code.friction_forces = lambda v: right(v) + J * v


@fault("term model", "damping|friction", ABSENT, term="damping", where=has_damping, mechanism=STANFORD)
def damping_left_out(code: Any) -> None:
    """The damping is left out."""
    code.friction_forces = lambda v: 0


@fault("term model", "damping|friction", SIGN, term="damping", where=has_damping, mechanism=PUMA)
def damping_sign(code: Any) -> None:
    """The damping has the wrong sign."""
    right = code.friction_forces
    code.friction_forces = lambda v: -right(v)


@fault("term model", "damping|friction", TWICE, term="damping", where=has_damping, mechanism="furuta-pendulum")
def damping_twice(code: Any) -> None:
    """The damping counts twice."""
    right = code.friction_forces
    code.friction_forces = lambda v: 2 * right(v)


@fault(
    "term", "damping|friction", r"v²|v\^2|square|quadratic|v \|v\||\|v\|", term="damping", where=has_damping, mechanism=STANFORD
)
def damping_quadratic(code: Any) -> None:
    """The damping grows with v |v|."""
    right = code.friction_forces
    code.friction_forces = lambda v: right(v * abs(v))


@fault("term", GYRO, ABSENT, term="gyroscopic|inertia")
def gyroscopic_left_out(code: Any) -> None:
    """ω × Iω is left out."""
    code.gyroscopic = lambda link, w: 0 * w


@fault("term", GYRO, SIGN, term="gyroscopic|inertia", mechanism=STANFORD)
def gyroscopic_sign(code: Any) -> None:
    """ω × Iω has the wrong sign."""
    right = code.gyroscopic
    code.gyroscopic = lambda link, w: -right(link, w)


@fault("term", GYRO, ABSENT, term="gyroscopic|inertia", mechanism=TREE, of=JacobianSums)
def gyroscopic_left_out_of_sums(code: Any) -> None:
    """ω × Iω is left out of a sum with Jacobians."""
    code.gyroscopic = lambda link, w: 0 * w


@fault("term", GYRO, "products|diagonal|moments", term="gyroscopic|inertia", where=has_products, mechanism=TREE)
def gyroscopic_diagonal(code: Any) -> None:
    """ω × Iω uses the moments of inertia alone."""
    code.gyroscopic = lambda link, w: cross(w, w * np.diag(link.inertia))


@fault("term", f"{CENTRIPETAL}|{CORIOLIS}", ABSENT, term="centri|oriolis|velocity|bias", mechanism=STANFORD)
def centripetal_left_out(code: Any) -> None:
    """The centripetal acceleration ω × (ω × r) is left out."""
    code.centripetal = lambda w, r: 0 * w


@fault("term", f"{CENTRIPETAL}|{CORIOLIS}", SIGN, term="centri|oriolis|velocity|bias")
def centripetal_sign(code: Any) -> None:
    """The centripetal acceleration has the wrong sign."""
    code.centripetal = lambda w, r: -cross(w, cross(w, r))


@fault("term", CORIOLIS, ABSENT, term="oriolis|velocity|bias|prismatic", where=sliding, mechanism=STANFORD)
def coriolis_left_out(code: Any) -> None:
    """The Coriolis acceleration 2 ω × u of slides is left out."""
    code.coriolis = lambda w, u: 0 * w


@fault(
    "term",
    CORIOLIS,
    rf"half|factor|2|{ABSENT}",
    term="oriolis|velocity|bias|prismatic",
    where=sliding,
    mechanism=STANFORD,
    of=JacobianSums,
)
def coriolis_half(code: Any) -> None:
    """The Coriolis acceleration of slides is ω × u instead of 2 ω × u."""
    code.coriolis = cross


@fault("term", f"{CORIOLIS}|turn", ABSENT, term="oriolis|velocity|bias|axis")
def turning_axes_left_out(code: Any) -> None:
    """The rate of the joint's axis, ω × s q̇, is left out."""
    code.turning_axis = lambda w, wj: 0 * w


@fault("term", f"{CORIOLIS}|turn|axis", SIGN, term="oriolis|velocity|bias|axis", mechanism="spatial-3r")
def turning_axes_sign(code: Any) -> None:
    """The rate of the joint's axis has the wrong sign."""
    code.turning_axis = lambda w, wj: cross(wj, w)


@fault("term", "tangential|angular acceleration|acceleration|ω̇ ×", ABSENT, term="acceler|inertia|lever|tangential")
def tangential_left_out(code: Any) -> None:
    """The tangential acceleration ω̇ × r of a joint's origin is left out."""
    code.tangential = lambda dw, r: 0 * dw


@fault(
    "term", "tangential|angular acceleration|acceleration|centre of mass", ABSENT, term="acceler|inertia|mass", mechanism=STANFORD
)
def tangential_of_centers_left_out(code: Any) -> None:
    """The tangential acceleration ω̇ × c of the centres of mass is left out."""
    code.body_force = lambda link, m: link.mass * (m.du + code.centripetal(m.w, link.com + 0 * m.w))


@fault("term", "moment|lever|torque|centre of mass", ABSENT, term="moment|lever|force|mass", mechanism=STANFORD)
def moments_of_bodies_left_out(code: Any) -> None:
    """The moment c × F of a body's force about its origin is left out."""
    code.body_lever = lambda link, f: 0 * f


@fault("term", "moment|lever|torque|force", ABSENT, term="moment|lever|force|transm", mechanism=TREE)
def levers_left_out(code: Any) -> None:
    """The moment p × F of a child's force about the parent's origin is left out."""
    code.joint_lever = lambda p, f: 0 * f


@fault("term", "moment|lever|torque|force", SIGN, term="moment|lever|force|transm")
def levers_sign(code: Any) -> None:
    """The moment of a child's force has the wrong sign."""
    code.joint_lever = lambda p, f: cross(f, p)


@fault("term model convention", GRAVITY, ABSENT, term="gravity")
def gravity_left_out(code: Any) -> None:
    """Gravity is left out."""
    code.model.gravity = np.zeros(3)


@fault("term model convention", GRAVITY, SIGN, term="gravity", mechanism=STANFORD)
def gravity_sign(code: Any) -> None:
    """Gravity has the wrong sign."""
    code.model.gravity = -code.model.gravity


@fault(
    "term model convention",
    GRAVITY,
    r"vertical|along .?z|−z|-z|x and y|always|direction|horizontal",
    term="gravity",
    mechanism=TREE,
)
def gravity_vertical(code: Any) -> None:
    """Gravity always points along −z, with 9.81 m/s²."""
    code.model.gravity = np.array([0, 0, -9.81])


@fault("term", GRAVITY, TWICE, term="gravity", mechanism=STANFORD)
def gravity_twice_in_forward_dynamics(code: Any) -> None:
    """Gravity counts twice in forward dynamics."""
    right, M, g = code.forward_dynamics, code.mass_matrix, code.gravity
    code.forward_dynamics = lambda q, v, tau: right(q, v, tau) - np.linalg.solve(M(q), g(q)[..., None])[..., 0]


@fault(
    "term", "nonlinear|bias|h\\b|velocity|Coriolis|gravity", ABSENT, term="bias|gravity|oriolis|forward|velocity", mechanism=TREE
)
def forward_dynamics_without_bias(code: Any) -> None:
    """Forward dynamics is M⁻¹ τ, without nonlinear effects."""
    code.forward_dynamics = lambda q, v, tau: np.linalg.solve(code.mass_matrix(q), tau[..., None])[..., 0]


@fault("term", "armature|rotor", ABSENT, term="armature", where=has_armature, mechanism=STANFORD, of=ArticulatedBodies)
def armature_left_out_of_forward_dynamics(code: Any) -> None:
    """Forward dynamics by articulated bodies has no armature."""
    code.joint_inertia = lambda link, D: D


@fault(
    "term",
    "bias|Coriolis|acceleration|velocity|articulated",
    ABSENT,
    term="oriolis|bias|velocity|articulated|forward",
    of=ArticulatedBodies,
)
def articulated_bias_left_out(code: Any) -> None:
    """The articulated bodies do not carry the bias acceleration of what is behind them."""
    code.carried_bias = lambda Ia, c: 0 * c


@fault(
    "term",
    f"{GYRO}|momentum|v ×\\* ?I ?v|velocity",
    SIGN,
    term="gyroscopic|momentum|velocity|oriolis",
    mechanism=TREE,
    of=RootFrame,
)
def momentum_rate_sign(code: Any) -> None:
    """V ×* I V has the wrong sign."""
    code.momentum_rate = lambda I, V: -force_cross(V, times(I, V))


@fault("term", f"{GYRO}|momentum|v ×\\* ?I ?v|velocity", ABSENT, term="gyroscopic|momentum|velocity|oriolis", of=RootFrame)
def momentum_rate_left_out(code: Any) -> None:
    """V ×* I V is left out."""
    code.momentum_rate = lambda I, V: 0 * V


@fault("term", f"{CORIOLIS}|rate|velocity", ABSENT, term="oriolis|bias|velocity|axis", mechanism=STANFORD, of=RootFrame)
def screw_rate_left_out(code: Any) -> None:
    """V × S q̇ is left out."""
    code.screw_rate = lambda V, own: 0 * own


@fault(
    "term model",
    "inertia",
    r"parallel|Steiner|Huygens|about (the|its) (origin|centre)|centre of mass",
    term="inertia",
    of=RootFrame,
)
def parallel_axes_left_out(code: Any) -> None:
    """The inertia about the centre of mass is taken for that about the origin: no parallel axes."""
    code.parallel_axes = lambda link, c: 0 * c


@fault(
    "term model",
    "inertia|mass",
    r"rotat|turn|transform|body.?s|frame|orient|behind|outboard",
    term="inertia|mass matrix",
    mechanism=TREE,
    of=JacobianSums,
)
def inertia_not_turned(code: Any) -> None:
    """M uses the inertia in the body's axes as if it were in the root's."""
    code.turned_inertia = lambda link, R: np.broadcast_to(link.inertia, R.shape)


@fault("term", "mass matrix|M\\b|composite", "triangle|upper|lower|symmetr", term="mass matrix", mechanism=STANFORD)
def one_triangle(code: Any) -> None:
    """Only the upper triangle of M is filled."""
    answer(code, "mass_matrix", lambda M, q: np.triu(M))


@fault("term", "mass matrix|M\\b|coupling", "diagonal|coupling", term="mass matrix")
def diagonal_only(code: Any) -> None:
    """M is diagonal: the coupling is left out."""
    answer(code, "mass_matrix", lambda M, q: M * np.eye(M.shape[1]))


@fault(
    "term",
    "mass matrix|M\\b|composite|inertia",
    "behind|composite|outboard|subtree|carr|child",
    term="mass matrix",
    mechanism=TREE,
    of=RootFrame,
)
def composites_left_out(code: Any) -> None:
    """M does not contain the outboard bodies."""
    code.composites = code.inertias


@fault("term", "energy", "½|half|1/2|twice|doubl|factor", term="energ", mechanism="cart-pole", offers=DYNAMICS)
def kinetic_energy_without_half(code: Any) -> None:
    """The kinetic energy is vᵀ M v, without ½."""
    answer(code, "kinetic_energy", lambda T, q, v: 2 * T)


@fault("term", "energy", "rotat|inertia|turn", term="energ|inertia")
def kinetic_energy_of_points(code: Any) -> None:
    """The kinetic energy has no rotational part."""
    right = code.kinetic_energy

    def of_points(q: Any, v: Any) -> Any:
        kept = [link.inertia for link in code.model.links]
        for link in code.model.links:
            link.inertia = np.zeros((3, 3))
        T = right(q, v)
        for link, inertia in zip(code.model.links, kept, strict=True):
            link.inertia = inertia
        return T

    code.kinetic_energy = of_points


@fault("term convention", "potential|V\\b", SIGN, term="potential|energ|gravity", mechanism=STANFORD)
def potential_energy_sign(code: Any) -> None:
    """The potential energy has the wrong sign."""
    answer(code, "potential_energy", lambda V, q: -V)


@fault("term convention", "potential|V\\b", "centre|origin|com", term="potential|energ|mass")
def potential_energy_of_origins(code: Any) -> None:
    """The potential energy is that of masses at the bodies' origins."""

    def potential_energy(q: Any) -> Any:
        poses = zip(code.model.links, code.poses(q), strict=True)
        return -sum(link.mass * p @ code.model.gravity for link, (_, p) in poses)

    code.potential_energy = potential_energy


@fault("term", "acceleration|a\\b|inertia|M a", TWICE, term="acceler|inertia|mass", mechanism="furuta-pendulum")
def accelerations_twice(code: Any) -> None:
    """Inverse dynamics counts the accelerations twice."""
    right = code.inverse_dynamics
    code.inverse_dynamics = lambda q, v, a: right(q, v, 2 * a)


@fault("term", "damping|friction", ABSENT, term="damping", where=has_damping, mechanism=PUMA)
def nonlinear_effects_without_damping(code: Any) -> None:
    """The nonlinear effects have no damping, and inverse dynamics has it."""
    D = code.model.per_coordinate("damping")
    answer(code, "nonlinear_effects", lambda h, q, v: h - D * v)


@fault("term", GRAVITY, ABSENT, term="gravity", mechanism=STANFORD)
def nonlinear_effects_without_gravity(code: Any) -> None:
    """The nonlinear effects have no gravity."""
    g = code.gravity
    answer(code, "nonlinear_effects", lambda h, q, v: h - g(q))


@fault(
    "term",
    "Coriolis|velocity|acceleration|bias|body|base|free",
    f"{ABSENT}|{SIGN}|classical|spatial",
    term="free|oriolis|bias|velocity",
    where=is_free,
    mechanism="free:ur5",
)
def free_base_velocity_product(code: Any) -> None:
    """The acceleration of a free base has no ω × v."""
    right = code.motions

    def motions(q: Any, v: Any, a: Any, base: Any = None) -> Any:
        a = a + np.zeros_like(v, dtype=np.result_type(a, v))
        for link in links(code, is_free):
            w, u = v[:, link.v][:, :3], v[:, link.v][:, 3:]
            a[:, link.v] = a[:, link.v] - np.hstack([0 * w, cross(w, u)])
        return right(q, v, a, base)

    code.motions = motions
