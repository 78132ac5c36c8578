"""Faults that the public trackers of dynamics libraries tell of, planted again; ``source`` is the page of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from score.changes import answer, ask, has_armature, has_damping, is_free, links, sliding
from score.entry import DYNAMICS, fault
from score.library.dynamics import Motion
from score.library.model import Array
from score.library.root_frame import RootFrame
from score.library.vectors import back, cross, times
from score.words import ABSENT, COM, CORIOLIS, GRAVITY, MOMENT, PARENT, SIGN, TWICE

GITHUB = "https://github.com"
STANFORD, PUMA, TREE, SATELLITE, FLYING = "stanford-arm", "puma560", "wall-arms", "satellite", "free:ur5"


@fault(
    "term",
    "armature|rotor",
    ABSENT,
    term="armature",
    where=has_armature,
    mechanism=STANFORD,
    source=f"{GITHUB}/stack-of-tasks/pinocchio/issues/671",
)
def armature_not_in_mass_matrix(code: Any) -> None:
    """The armature is in inverse dynamics, and missing in M and forward dynamics."""
    code.mass_matrix = code.inertia_matrix


@fault(
    "term",
    "armature|rotor",
    TWICE,
    term="armature",
    where=has_armature,
    mechanism=PUMA,
    source=f"{GITHUB}/choreonoid/choreonoid/issues/26",
)
def rotors_twice_in_mass_matrix(code: Any) -> None:
    """M contains the armature twice."""
    answer(code, "mass_matrix", lambda M, q: M + np.diag(code.model.per_coordinate("armature")))


@fault(
    "term",
    "armature|rotor",
    ABSENT,
    term="armature|energ",
    where=has_armature,
    mechanism=STANFORD,
    source=f"{GITHUB}/stack-of-tasks/pinocchio/pull/676",
)
def energy_without_rotors(code: Any) -> None:
    """The kinetic energy has no armature."""
    J = code.model.per_coordinate("armature")
    answer(code, "kinetic_energy", lambda T, q, v: T - (v * v) @ J / 2)


@fault(
    "term convention",
    "damping",
    r"dt|time step|acceleration|implicit|\ba\b",
    term="damping",
    where=has_damping,
    mechanism=STANFORD,
    source=f"{GITHUB}/dartsim/dart/issues/1450",
)
def implicit_damping(code: Any) -> None:
    """Inverse dynamics has the damping D (v + a dt), with dt = 1 ms."""
    D = code.model.per_coordinate("damping")
    answer(code, "inverse_dynamics", lambda x, q, v, a: x + D * a * 1e-3)


@fault(
    "term model",
    "damping",
    r"\b1\b|constant|same|every|all|instead|another|wrong|factor",
    term="damping",
    where=lambda link: True,
    unnamed=".",
    mechanism=PUMA,
    source=f"{GITHUB}/osrf/drcsim/issues/488",
)
def damping_is_one(code: Any) -> None:
    """The damping of every joint is 1."""
    for link in code.model.bodies:
        if link.turn.shape[1] == 1:
            link.damping = 1.0


@fault(
    "term convention",
    "mass matrix|M\\b",
    "triangle|upper|lower|symmetr",
    term="mass matrix",
    mechanism=FLYING,
    of=RootFrame,
    source=f"{GITHUB}/stack-of-tasks/pinocchio/issues/1298",
)
def upper_triangle(code: Any) -> None:
    """The composite-rigid-body algorithm fills the upper triangle of M."""
    answer(code, "mass_matrix", lambda M, q: np.triu(M))


@fault(
    "term",
    "acceleration|rotat|frame|placement",
    r"rotat|turn|axes|frame|not |parent",
    term="acceler|rotat|transform|placement|velocity|oriolis",
    source=f"{GITHUB}/petercorke/robotics-toolbox-python/pull/268",
)
def rotation_of_one_term(code: Any) -> None:
    """Of the acceleration of a joint's origin, the tangential term alone is rotated: a parenthesis is wrong."""

    def motions(q: Array, v: Array, a: Array, base: Array | None = None) -> list[Motion]:
        zero = np.zeros((len(q), 3))
        root = Motion(zero, zero, zero, zero, zero, zero + (0 if base is None else base))
        found: list[Motion] = []
        for link in code.model.links:
            k = found[link.parent] if link.parent >= 0 else root
            R, p = code.placement(link, q)
            wj, uj = v[:, link.v] @ link.turn.T, v[:, link.v] @ link.slide.T
            w0 = back(R, k.w)
            dw = back(R, k.dw) + a[:, link.v] @ link.turn.T + cross(w0, wj)
            du = back(R, k.du + cross(k.dw, p)) + cross(k.w, cross(k.w, p))
            du = du + 2 * cross(w0, uj) + a[:, link.v] @ link.slide.T + cross(wj, uj)
            found.append(Motion(R, p, w0 + wj, back(R, k.u + cross(k.w, p)) + uj, dw, du))
        return found

    code.motions = motions


@fault(
    "term model",
    COM,
    "origin|moment|lever|placement|parent|instead",
    term="moment|lever|mass|force",
    mechanism=STANFORD,
    source=f"{GITHUB}/petercorke/robotics-toolbox-python/issues/404",
)
def force_at_the_next_origin(code: Any) -> None:
    """The moment of a body's force is taken with the joint's translation instead of the centre of mass."""
    code.body_lever = lambda link, f: cross(link.p + 0 * f, f)


@fault(
    "term",
    "force|moment",
    rf"transform|rotat|transpos|invers|direction|frame|{PARENT}",
    term="force|transform|rotat|transm",
    source=f"{GITHUB}/petercorke/robotics-toolbox-python/pull/691",
)
def forces_turned_the_wrong_way(code: Any) -> None:
    """The lever of a child's force is taken with the force in the child's axes."""
    forces = code.forces

    def turned(q: Array, v: Array, a: Array, gravity: Array, f: Array | None = None) -> Array:
        rotations = iter([code.placement(link, q)[0] for link in reversed(code.model.links) if link.parent >= 0])
        code.joint_lever = lambda p, x: cross(p, back(next(rotations), x))
        return forces(q, v, a, gravity, f)

    code.forces = turned


@fault(
    "term",
    "acceleration|a\\b",
    rf"parent|propagat|{ABSENT}|carried|inertia|diagonal|{TWICE}",
    term="acceler|inertia|mass",
    source=f"{GITHUB}/RobotLocomotion/drake/issues/2201",
)
def accelerations_stay_at_their_joint(code: Any) -> None:
    """Inverse dynamics with acceleration uses the diagonal of M alone: accelerations do not reach other joints."""
    M, h = code.mass_matrix, code.nonlinear_effects
    code.inverse_dynamics = lambda q, v, a: np.diagonal(M(q), axis1=1, axis2=2) * a + h(q, v)


@fault("term model convention", GRAVITY, SIGN, term="gravity", mechanism=TREE, source=f"{GITHUB}/gbionics/idyntree/issues/81")
def gravity_horizontal_sign(code: Any) -> None:
    """The sign of gravity's horizontal components is wrong."""
    code.model.gravity = code.model.gravity * np.array([-1, -1, 1])


@fault(
    "term model convention",
    GRAVITY,
    SIGN,
    term="gravity",
    mechanism=PUMA,
    source=f"{GITHUB}/JuliaRobotics/RigidBodyDynamics.jl/pull/2",
    of=RootFrame,
)
def gravity_pulls_up(code: Any) -> None:
    """Gravity has the wrong sign in the base acceleration."""
    code.model.gravity = -code.model.gravity


@fault(
    "term convention model",
    "prismatic|slid|joint3|force|degree|180",
    r"degree|factor|180|unit|0\.017|convert",
    term="prismatic|force|unit|degree|convention|joint",
    where=sliding,
    mechanism=STANFORD,
    source=f"{GITHUB}/rdiankov/openrave/pull/1481",
    offers=("inverse_dynamics", "forward_dynamics", "mass_matrix"),
)
def slides_converted(code: Any) -> None:
    """The force of a slide is multiplied by π/180, as if it were an angle."""

    def converted(x: Array, *given: Array) -> Array:
        x = x.copy()
        for link in links(code, sliding):
            x[:, link.v] *= np.pi / 180
        return x

    answer(code, "inverse_dynamics", converted)


@fault(
    "model convention term",
    "rotation|position|angle|q\\b|wrist|joint",
    rf"{ABSENT}|zero|constant|stand|not used",
    term="",
    where="wrist_1_joint",
    mechanism=FLYING,
    source=f"{GITHUB}/bulletphysics/bullet3/issues/4578",
)
def position_of_one_joint_ignored(code: Any) -> None:
    """The position of wrist 1 is ignored."""

    def ignored(letter: str, x: Array) -> Array:
        x = x.copy()
        for link in code.model.named("wrist_1_joint") if letter == "q" else ():
            x[:, link.q] = 0
        return x

    ask(code, ignored)


@fault(
    "convention term",
    "force",
    "point|lever|moment|centres? of mass|origin|com",
    term="force",
    mechanism=TREE,
    offers=("inverse_dynamics_with_forces", "inverse_dynamics", "jacobians_local"),
    source=f"{GITHUB}/pyomeca/biorbd/issues/340",
)
def point_of_application_ignored(code: Any) -> None:
    """External forces act at the centres of mass."""

    def moved(letter: str, x: Array) -> Array:
        if letter != "f":
            return x
        coms = np.array([link.com for link in code.model.bodies])
        return np.concatenate([x[..., :3] + cross(coms + 0 * x[..., 3:], x[..., 3:]), x[..., 3:]], axis=-1)

    ask(code, moved)


@fault(
    "term",
    CORIOLIS + "|nonlinear|h\\b|velocity",
    r"velocity|multipl|times v|q̇|square|power|third|order",
    term="bias|oriolis|velocity|nonlinear",
    mechanism="spatial-3r",
    source=f"{GITHUB}/CentroEPiaggio/kuka-lwr/pull/97",
)
def coriolis_vector_times_velocity(code: Any) -> None:
    """The Coriolis forces are multiplied by the velocity once more."""
    g, D = code.gravity, code.model.per_coordinate("damping")
    answer(code, "nonlinear_effects", lambda h, q, v: (h - g(q) - D * v) * v + g(q) + D * v)


@fault(
    "model",
    MOMENT,
    "principal|rotat|axes|diagonal|product|eigen",
    term="inertia|product",
    where=("left hand",),
    mechanism=TREE,
    source=f"{GITHUB}/google-deepmind/mujoco/issues/3559",
)
def principal_axes_lost(code: Any) -> None:
    """The principal moments of the left hand are taken along the body's axes: the rotation is lost."""
    for link in code.model.named("left hand"):
        link.inertia = np.diag(np.linalg.eigvalsh(link.inertia))


@fault(
    "model",
    MOMENT,
    "product|diagonal|rotat|principal",
    term="inertia|product",
    where=lambda link: bool((link.inertia - np.diag(np.diag(link.inertia))).any()),
    mechanism=SATELLITE,
    source=f"{GITHUB}/dartsim/dart/issues/47",
)
def products_left_out(code: Any) -> None:
    """All products of inertia are left out."""
    for link in links(code):
        link.inertia = np.diag(np.diag(link.inertia))


@fault(
    "model",
    MOMENT,
    r"x and z|exchang|swap|order|permut|Ixx|Izz",
    term="inertia",
    where=("left shoulder", "left hand", "right wheel", "right slide"),
    unnamed=".",
    mechanism=TREE,
    source=f"{GITHUB}/google-deepmind/mujoco/issues/1851",
)
def moments_x_and_z_exchanged(code: Any) -> None:
    """Ixx and Izz of all bodies are exchanged."""
    for link in links(code):
        xx, _, zz = np.diag(link.inertia)
        link.inertia = link.inertia + np.diag([zz - xx, 0, xx - zz])


@fault(
    "model",
    MOMENT,
    rf"rotat|turn|axes|{PARENT}|transpos|frame",
    term="inertia",
    where="left hand",
    mechanism=TREE,
    source=f"{GITHUB}/newton-physics/newton/pull/2243",
)
def inertia_turned_once(code: Any) -> None:
    """The inertia of the left hand is R I instead of R I Rᵀ, symmetrised."""
    for link in code.model.named("left hand"):
        turned = link.R @ link.inertia
        link.inertia = (turned + turned.T) / 2


@fault(
    "model",
    COM,
    rf"rotat|turn|axes|frame|{PARENT}|transpos",
    term="mass|com",
    where="upper_arm_link",
    source=f"{GITHUB}/ros/robot_model/pull/66",
)
def com_turned(code: Any) -> None:
    """The centre of mass of the upper arm is rotated as the inertia is."""
    for link in code.model.named("upper_arm_link"):
        link.com = link.R @ link.com


@fault(
    "model",
    rf"mass|inerti|{MOMENT}",
    ABSENT,
    term="mass|inert",
    where="shoulder_link",
    source=f"{GITHUB}/openrr/urdf-rs/issues/56",
)
def inertial_data_ignored(code: Any) -> None:
    """The inertial numbers of the shoulder are ignored: it has no mass."""
    for link in code.model.named("shoulder_link"):
        link.mass, link.inertia = 0.0, 0 * link.inertia


@fault(
    "model",
    "mass|inerti",
    ABSENT,
    term="mass|inert",
    where="link6",
    mechanism=STANFORD,
    source=f"{GITHUB}/petercorke/robotics-toolbox-python/issues/636",
)
def last_link_dropped(code: Any) -> None:
    """The last link of the arm is dropped: it has no mass."""
    for link in code.model.named("link6"):
        link.mass, link.inertia = 0.0, 0 * link.inertia


@fault(
    "term convention",
    "acobian|free",
    r"translat|linear|frame|root|axes|free|rotat",
    term="acobian|free",
    where=is_free,
    mechanism=FLYING,
    offers=("jacobians_world", "jacobians_aligned", "placements"),
    source=f"{GITHUB}/dartsim/dart/issues/1657",
)
def world_jacobian_of_a_free_joint(code: Any) -> None:
    """In world and aligned Jacobians, the translations of a free joint are not rotated to the root's axes."""
    for name in ("jacobians_world", "jacobians_aligned"):

        def unturned(J: Array, q: Array) -> Array:
            J = J.copy()
            for link in links(code, is_free):
                J[:, :, 3:, link.v.start + 3 : link.v.stop] = np.eye(3)
            return J

        answer(code, name, unturned)


@fault(
    "term model",
    "centre of mass|com|base|free|acceleration|velocity|ω",
    r"free|base|ω|centre",
    term="free|mass|velocity|oriolis|centri|acceler",
    where=is_free,
    mechanism=SATELLITE,
    source=f"{GITHUB}/JuliaRobotics/RigidBodyDynamics.jl/issues/626",
)
def floating_body_with_offset(code: Any) -> None:
    """For the body of a free joint, ω × (ω × c) of its centre of mass is left out."""
    right = code.body_force

    def body_force(link: Any, m: Motion) -> Array:
        return right(link, m) - (link.mass * cross(m.w, cross(m.w, link.com + 0 * m.w)) if is_free(link) else 0)

    code.body_force = body_force


@fault(
    "term",
    "oriolis|C\\b",
    r"transpos|cross|sign|wrong|skew|Ṁ",
    term="oriolis",
    mechanism="spatial-3r",
    of=RootFrame,
    offers=("coriolis_matrix", "nonlinear_effects", "gravity", "mass_matrix"),
    source=f"{GITHUB}/robotology/urdf2casadi-matlab/pull/10",
)
def coriolis_matrix_transposed(code: Any) -> None:
    """The Coriolis matrix has a wrong cross product: it is transposed."""
    answer(code, "coriolis_matrix", lambda C, q, v: np.swapaxes(C, 1, 2))


@fault(
    "term convention",
    "derivative|∂|velocity",
    SIGN,
    term="derivative|∂|velocity|forward|inverse",
    offers=("inverse_dynamics", "inverse_dynamics_dv"),
    source=f"{GITHUB}/google-deepmind/mujoco_warp/pull/1663",
)
def derivative_sign(code: Any) -> None:
    """∂τ/∂v has the wrong sign."""
    answer(code, "inverse_dynamics_dv", lambda X, q, v: -X)


@fault(
    "term",
    "derivative|∂|spherical|ball|free|motion",
    r"spherical|ball|several|behind|outboard|S × S|free|not (at|on) the root|universal|compound",
    term="",
    where=lambda link: link.form == "ball",
    mechanism=TREE,
    offers=("inverse_dynamics", "inverse_dynamics_dv", "inverse_dynamics_dq"),
    source=f"{GITHUB}/stack-of-tasks/pinocchio/pull/770",
)
def derivative_of_a_ball(code: Any) -> None:
    """In ∂τ/∂q, the turn of a ball joint is taken with the velocity behind the joint instead of that before it."""
    M = code.mass_matrix

    def wrong(X: Array, q: Array, v: Array, a: Array) -> Array:
        X = X.copy()
        for link in links(code, lambda link: link.form == "ball"):
            for j, unit in enumerate(np.eye(3)):
                e = np.zeros_like(v)
                e[:, link.v] = cross(v[:, link.v], unit + 0 * v[:, link.v])
                X[:, :, link.v.start + j] += times(M(q), e)
        return X

    answer(code, "inverse_dynamics_dq", wrong)


@fault(
    "history convention condition term failed",
    r"index|order|free|shift|fixed|joint",
    term="",
    mechanism=FLYING,
    where=lambda link: True,
    unnamed=".",
    offers=DYNAMICS,
    source=f"{GITHUB}/bulletphysics/bullet3/issues/1379",
)
def indices_shifted(code: Any) -> None:
    """Velocities of the joints behind a free base are off by one index."""

    def shifted(letter: str, x: Array) -> Array:
        free = links(code, is_free)
        if letter != "v" or not free or free[0].v.start:
            return x
        return np.hstack([x[:, :6], np.roll(x[:, 6:], 1, axis=1)])

    ask(code, shifted)
