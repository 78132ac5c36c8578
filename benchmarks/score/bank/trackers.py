"""Faults that the public trackers of dynamics libraries tell of, planted again; ``source`` is the page of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from score.bank.misread import exchange_x_and_z
from score.bank.quantities import CORIOLIS_MATRIX, WITH_CORIOLIS
from score.changes import (
    answer,
    answer_at,
    ask,
    ask_at,
    has_armature,
    has_damping,
    has_products,
    is_ball,
    is_free,
    links,
    scale,
    sliding,
)  # fmt: skip
from score.entry import DYNAMICS, FLYING, PUMA, SATELLITE, SPATIAL, STANFORD, TREE, fault, misread
from score.library.dynamics import Motion
from score.library.model import Array, Link
from score.library.root_frame import RootFrame
from score.library.vectors import back, cross, times
from score.words import (
    ABSENT,
    ARMATURE_OF_ONE,
    COM,
    CORIOLIS,
    DAMPING,
    GRAVITY_VECTOR,
    INERTIA,
    MOMENT,
    PARENT,
    PRODUCTS,
    ROTOR,
    SIGN,
    TRIANGLE,
    TWICE,
    Topic,
)  # fmt: skip

GITHUB = "https://github.com"
PINOCCHIO, DART, MUJOCO = f"{GITHUB}/stack-of-tasks/pinocchio", f"{GITHUB}/dartsim/dart", f"{GITHUB}/google-deepmind/mujoco"
TOOLBOX, JULIA = f"{GITHUB}/petercorke/robotics-toolbox-python", f"{GITHUB}/JuliaRobotics/RigidBodyDynamics.jl"
DRAKE, BULLET = f"{GITHUB}/RobotLocomotion/drake", f"{GITHUB}/bulletphysics/bullet3"


@fault(ARMATURE_OF_ONE, ABSENT, where=has_armature, on=STANFORD, source=f"{PINOCCHIO}/issues/671")
def armature_not_in_mass_matrix(code: Any) -> None:
    """The armature is in inverse dynamics, and missing in M and forward dynamics."""
    code.mass_matrix = code.inertia_matrix


@fault(ARMATURE_OF_ONE, TWICE, where=has_armature, on=PUMA, source=f"{GITHUB}/choreonoid/choreonoid/issues/26")
def rotors_twice_in_mass_matrix(code: Any) -> None:
    """M contains the armature twice."""
    answer(code, "mass_matrix", lambda M, q: M + np.diag(code.model.per_coordinate("armature")))


@fault(Topic("term", ROTOR, "armature|energ"), ABSENT, where=has_armature, on=STANFORD, source=f"{PINOCCHIO}/pull/676")
def energy_without_rotors(code: Any) -> None:
    """The kinetic energy has no armature."""
    J = code.model.per_coordinate("armature")
    answer(code, "kinetic_energy", lambda T, q, v: T - (v * v) @ J / 2)


IMPLICIT = Topic("term convention", "damping", "damping")


@fault(IMPLICIT, r"dt|time step|acceleration|implicit|\ba\b", where=has_damping, on=STANFORD, source=f"{DART}/issues/1450")
def implicit_damping(code: Any) -> None:
    """Inverse dynamics has the damping D (v + a dt), with dt = 1 ms."""
    D = code.model.per_coordinate("damping")
    answer(code, "inverse_dynamics", lambda x, q, v, a: x + D * a * 1e-3)


ONE = r"\b1\b|constant|same|every|all|instead|another|wrong|factor"


@fault(DAMPING, ONE, unnamed=".", on=PUMA, source=f"{GITHUB}/osrf/drcsim/issues/488")
def damping_is_one(code: Any) -> None:
    """The damping of every joint is 1."""
    for link in code.model.bodies:
        if link.turn.shape[1] == 1:
            link.damping = 1.0


HALF_FILLED = Topic("term convention", "mass matrix|M\\b", "mass matrix")


@fault(HALF_FILLED, TRIANGLE, on=FLYING, of=RootFrame, source=f"{PINOCCHIO}/issues/1298")
def upper_triangle(code: Any) -> None:
    """The composite-rigid-body algorithm fills the upper triangle of M."""
    answer(code, "mass_matrix", lambda M, q: np.triu(M))


PARENTHESIS = Topic("term", "acceleration|rotat|frame|placement", "acceler|rotat|transform|placement|velocity|oriolis")


@fault(PARENTHESIS, r"rotat|turn|axes|frame|not |parent", source=f"{TOOLBOX}/pull/268")
def rotation_of_one_term(code: Any) -> None:
    """Of the acceleration of a joint's origin, the tangential term alone is rotated: a parenthesis is wrong."""

    def origin_acceleration(k: Motion, R: Array, p: Array) -> Array:
        return back(R, k.du + code.tangential(k.dw, p)) + code.centripetal(k.w, p)

    code.origin_acceleration = origin_acceleration


NEXT_ORIGIN = Topic("term model", COM, "moment|lever|mass|force")


@fault(NEXT_ORIGIN, "origin|moment|lever|placement|parent|instead", on=STANFORD, source=f"{TOOLBOX}/issues/404")
def force_at_the_next_origin(code: Any) -> None:
    """The moment of a body's force is taken with the joint's translation instead of the centre of mass."""
    code.body_lever = lambda link, f: cross(link.p + 0 * f, f)


WRONG_WAY = Topic("term", "force|moment", "force|transform|rotat|transm")


@fault(WRONG_WAY, rf"transform|rotat|transpos|invers|direction|frame|{PARENT}", source=f"{TOOLBOX}/pull/691")
def forces_turned_the_wrong_way(code: Any) -> None:
    """The lever of a child's force is taken with the force in the child's axes."""
    forces = code.forces

    def turned(q: Array, v: Array, a: Array, gravity: Array, f: Array | None = None) -> Array:
        rotations = iter([code.placement(link, q)[0] for link in reversed(code.model.links) if link.parent >= 0])
        code.joint_lever = lambda p, x: cross(p, back(next(rotations), x))
        return forces(q, v, a, gravity, f)

    code.forces = turned


AT_THEIR_JOINT = Topic("term", "acceleration|a\\b", "acceler|inertia|mass")


@fault(AT_THEIR_JOINT, rf"parent|propagat|{ABSENT}|carried|inertia|diagonal|{TWICE}", source=f"{DRAKE}/issues/2201")
def accelerations_stay_at_their_joint(code: Any) -> None:
    """Inverse dynamics with acceleration uses the diagonal of M alone: accelerations do not reach other joints."""
    M, h = code.mass_matrix, code.nonlinear_effects
    code.inverse_dynamics = lambda q, v, a: np.diagonal(M(q), axis1=1, axis2=2) * a + h(q, v)


@fault(GRAVITY_VECTOR, SIGN, on=TREE, source=f"{GITHUB}/gbionics/idyntree/issues/81")
def gravity_horizontal_sign(code: Any) -> None:
    """The sign of gravity's horizontal components is wrong."""
    code.model.gravity = code.model.gravity * np.array([-1, -1, 1])


@fault(GRAVITY_VECTOR, SIGN, on=PUMA, source=f"{JULIA}/pull/2", of=RootFrame)
def gravity_pulls_up(code: Any) -> None:
    """Gravity has the wrong sign in the base acceleration."""
    code.model.gravity = -code.model.gravity


CONVERTED = Topic(
    "term convention model", "prismatic|slid|joint3|force|degree|180", "prismatic|force|unit|degree|convention|joint"
)
FORCED = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
OPENRAVE = f"{GITHUB}/rdiankov/openrave/pull/1481"


@fault(CONVERTED, r"degree|factor|180|unit|0\.017|convert", where=sliding, on=STANFORD, source=OPENRAVE, offers=FORCED)
def slides_converted(code: Any) -> None:
    """The force of a slide is multiplied by π/180, as if it were an angle."""
    answer_at(code, "inverse_dynamics", sliding, lambda x, g: x * (np.pi / 180))


POSITION = Topic("model convention term", "rotation|position|angle|q\\b|wrist|joint")
WRIST = "wrist_1_joint"


@fault(POSITION, rf"{ABSENT}|zero|constant|stand|not used", where=WRIST, on=FLYING, source=f"{BULLET}/issues/4578")
def position_of_one_joint_ignored(code: Any) -> None:
    """The position of wrist 1 is ignored."""
    ask_at(code, "q", (WRIST,), lambda q: 0 * q)


POINT = Topic("convention term", "force", "force")
APPLIED = ("inverse_dynamics_with_forces", "inverse_dynamics", "jacobians_local")
BIORBD = f"{GITHUB}/pyomeca/biorbd/issues/340"


@fault(POINT, "point|lever|moment|centres? of mass|origin|com", on=TREE, offers=APPLIED, source=BIORBD)
def point_of_application_ignored(code: Any) -> None:
    """External forces act at the centres of mass."""

    def moved(f: Array) -> Array:
        coms = np.array([link.com for link in code.model.bodies])
        return np.concatenate([f[..., :3] + cross(coms + 0 * f[..., 3:], f[..., 3:]), f[..., 3:]], axis=-1)

    ask(code, "f", moved)


ONCE_MORE = Topic("term", CORIOLIS + "|nonlinear|h\\b|velocity", "bias|oriolis|velocity|nonlinear")
KUKA = f"{GITHUB}/CentroEPiaggio/kuka-lwr/pull/97"


@fault(ONCE_MORE, r"velocity|multipl|times v|q̇|square|power|third|order", on=SPATIAL, source=KUKA)
def coriolis_vector_times_velocity(code: Any) -> None:
    """The Coriolis forces are multiplied by the velocity once more."""
    g, D = code.gravity, code.model.per_coordinate("damping")
    answer(code, "nonlinear_effects", lambda h, q, v: (h - g(q) - D * v) * v + g(q) + D * v)


PRINCIPAL = "principal|rotat|axes|diagonal|product|eigen"


@misread(PRODUCTS, PRINCIPAL, where="left hand", on=TREE, source=f"{MUJOCO}/issues/3559")
def principal_axes_lost(link: Link) -> None:
    """The principal moments of the left hand are taken along the body's axes: the rotation is lost."""
    link.inertia = np.diag(np.linalg.eigvalsh(link.inertia))


@misread(PRODUCTS, "product|diagonal|rotat|principal", where=has_products, on=SATELLITE, source=f"{DART}/issues/47")
def products_left_out(link: Link) -> None:
    """All products of inertia are left out."""
    link.inertia = np.diag(np.diag(link.inertia))


UNEQUAL = ("left shoulder", "left hand", "right wheel", "right slide")
X_AND_Z = r"x and z|exchang|swap|order|permut|Ixx|Izz"


@fault(INERTIA, X_AND_Z, where=UNEQUAL, unnamed=".", on=TREE, source=f"{MUJOCO}/issues/1851")
def moments_x_and_z_exchanged(code: Any) -> None:
    """Ixx and Izz of all bodies are exchanged."""
    for link in links(code):
        exchange_x_and_z(link)


ONCE = rf"rotat|turn|axes|{PARENT}|transpos|frame"


@misread(INERTIA, ONCE, where="left hand", on=TREE, source=f"{GITHUB}/newton-physics/newton/pull/2243")
def inertia_turned_once(link: Link) -> None:
    """The inertia of the left hand is R I instead of R I Rᵀ, symmetrised."""
    turned = link.R @ link.inertia
    link.inertia = (turned + turned.T) / 2


TURNED = rf"rotat|turn|axes|frame|{PARENT}|transpos"


@misread(Topic("model", COM, "mass|com"), TURNED, where="upper_arm_link", source=f"{GITHUB}/ros/robot_model/pull/66")
def com_turned(link: Link) -> None:
    """The centre of mass of the upper arm is rotated as the inertia is."""
    link.com = link.R @ link.com


INERTIAL = Topic("model", rf"mass|inerti|{MOMENT}", "mass|inert")


@misread(INERTIAL, ABSENT, where="shoulder_link", source=f"{GITHUB}/openrr/urdf-rs/issues/56")
def inertial_data_ignored(link: Link) -> None:
    """The inertial numbers of the shoulder are ignored: it has no mass."""
    link.mass, link.inertia = 0.0, 0 * link.inertia


@misread(Topic("model", "mass|inerti", "mass|inert"), ABSENT, where="link6", on=STANFORD, source=f"{TOOLBOX}/issues/636")
def last_link_dropped(link: Link) -> None:
    """The last link of the arm is dropped: it has no mass."""
    link.mass, link.inertia = 0.0, 0 * link.inertia


FREE_JACOBIAN = Topic("term convention", "acobian|free", "acobian|free")
UNTURNED = r"translat|linear|frame|root|axes|free|rotat"
WORLD = ("jacobians_world", "jacobians_aligned")


@fault(FREE_JACOBIAN, UNTURNED, where=is_free, on=FLYING, offers=(*WORLD, "placements"), source=f"{DART}/issues/1657")
def world_jacobian_of_a_free_joint(code: Any) -> None:
    """In world and aligned Jacobians, the translations of a free joint are not rotated to the root's axes."""

    def unturned(J: Array, q: Array) -> Array:
        J = J.copy()
        for link in links(code, is_free):
            J[:, :, 3:, link.v.start + 3 : link.v.stop] = np.eye(3)
        return J

    answer(code, WORLD, unturned)


OFFSET = Topic("term model", "centre of mass|com|base|free|acceleration|velocity|ω", "free|mass|velocity|oriolis|centri|acceler")


@fault(OFFSET, r"free|base|ω|centre", where=is_free, on=SATELLITE, source=f"{JULIA}/issues/626")
def floating_body_with_offset(code: Any) -> None:
    """For the body of a free joint, ω × (ω × c) of its centre of mass is left out."""
    right = code.body_force

    def body_force(link: Any, m: Motion) -> Array:
        return right(link, m) - (link.mass * cross(m.w, cross(m.w, link.com + 0 * m.w)) if is_free(link) else 0)

    code.body_force = body_force


CROSSED = r"transpos|cross|sign|wrong|skew|Ṁ"
CASADI = f"{GITHUB}/robotology/urdf2casadi-matlab/pull/10"


@fault(CORIOLIS_MATRIX, CROSSED, on=SPATIAL, of=RootFrame, offers=WITH_CORIOLIS, source=CASADI)
def coriolis_matrix_transposed(code: Any) -> None:
    """The Coriolis matrix has a wrong cross product: it is transposed."""
    answer(code, "coriolis_matrix", lambda C, q, v: np.swapaxes(C, 1, 2))


DERIVATIVE = Topic("term convention", "derivative|∂|velocity", "derivative|∂|velocity|forward|inverse")
BY_V = ("inverse_dynamics", "inverse_dynamics_dv")


@fault(DERIVATIVE, SIGN, offers=BY_V, source=f"{GITHUB}/google-deepmind/mujoco_warp/pull/1663")
def derivative_sign(code: Any) -> None:
    """∂τ/∂v has the wrong sign."""
    scale(code, "inverse_dynamics_dv", -1)


OF_BALL = Topic("term", "derivative|∂|spherical|ball|free|motion")
SEVERAL = r"spherical|ball|several|behind|outboard|S × S|free|not (at|on) the root|universal|compound"


@fault(OF_BALL, SEVERAL, where=is_ball, on=TREE, offers=(*BY_V, "inverse_dynamics_dq"), source=f"{PINOCCHIO}/pull/770")
def derivative_of_a_ball(code: Any) -> None:
    """In ∂τ/∂q, the turn of a ball joint is taken with the velocity behind the joint instead of that before it."""
    M = code.mass_matrix

    def wrong(X: Array, q: Array, v: Array, a: Array) -> Array:
        X = X.copy()
        for link in links(code, is_ball):
            for j, unit in enumerate(np.eye(3)):
                e = np.zeros_like(v)
                e[:, link.v] = cross(v[:, link.v], unit + 0 * v[:, link.v])
                X[:, :, link.v.start + j] += times(M(q), e)
        return X

    answer(code, "inverse_dynamics_dq", wrong)


SHIFTED = Topic("history convention condition term failed", r"index|order|free|shift|fixed|joint")


@fault(SHIFTED, on=FLYING, unnamed=".", offers=DYNAMICS, source=f"{BULLET}/issues/1379")
def indices_shifted(code: Any) -> None:
    """Velocities of the joints behind a free base are off by one index."""

    def shifted(v: Array) -> Array:
        free = links(code, is_free)
        return v if not free or free[0].v.start else np.hstack([v[:, :6], np.roll(v[:, 6:], 1, axis=1)])

    ask(code, "v", shifted)
