"""Other conventions: of positions, velocities, axes and frames, for what goes in, what comes out, or both."""

from __future__ import annotations

from typing import Any

import numpy as np

from score.changes import (
    FORCES,
    answer,
    answer_at,
    ask,
    ask_at,
    both,
    exchange,
    has_quaternion,
    is_angle,
    is_ball,
    is_free,
    links,
    moving,
    permute,
    sliding,
    without_product,
)  # fmt: skip
from score.entry import CART, DYNAMICS, FLYING, SATELLITE, SPATIAL, STANFORD, TREE, fault
from score.library.model import Array, Link
from score.library.root_frame import RootFrame
from score.library.vectors import back, cross, times
from score.words import COM, FREE, FREE_VELOCITY, GRAVITY, GRAVITY_VECTOR, ORIGIN, QUATERNION, SIGN, SWAPPED, TRANSPOSED, Topic

FLIGHT = (*(name for name in DYNAMICS if name != "forward_dynamics"), "placements")
KINEMATIC = ("placements", *(f"{x}_{frame}" for x in ("jacobians", "velocities") for frame in ("local", "world", "aligned")))
APPLIED = ("inverse_dynamics_with_forces", "inverse_dynamics", "jacobians_local")

W_FIRST = r"w x y z|w first|wxyz|order|scalar"
LINEAR_FIRST = r"linear.*(first|before)|order|swap"
QUATERNION_OF_BALL = Topic("convention", QUATERNION, "quaternion|spherical")
LINEAR_OF_FREE = Topic("convention", f"linear|velocity|{FREE}", "free|velocity")
ORDER = "order|joint|convention"


@fault(Topic("convention", QUATERNION, "quaternion|free"), W_FIRST, where=has_quaternion, on=FLYING)
def quaternion_w_first(code: Any) -> None:
    """Quaternions are w x y z."""
    ask_at(code, "q", has_quaternion, lambda q: np.hstack([q[:, :-4], np.roll(q[:, -4:], -1, axis=1)]))


@fault(QUATERNION_OF_BALL, W_FIRST, where=has_quaternion, on=TREE, of=RootFrame)
def quaternion_of_ball_w_first(code: Any) -> None:
    """The quaternion of a ball joint is w x y z."""
    ask_at(code, "q", has_quaternion, lambda q: np.roll(q, -1, axis=1))


@fault(QUATERNION_OF_BALL, rf"conjugat|{TRANSPOSED}", where=has_quaternion, on=TREE)
def quaternion_conjugate(code: Any) -> None:
    """Quaternions turn the parent's axes to the body's: they are conjugates."""
    ask_at(code, "q", has_quaternion, lambda q: q * np.array([1.0] * (q.shape[1] - 4) + [-1, -1, -1, 1]))


@fault(LINEAR_OF_FREE, f"{LINEAR_FIRST}|halves", where=is_free, on=FLYING, offers=FLIGHT)
def linear_velocity_first(code: Any) -> None:
    """The velocity, acceleration and force of a free base are linear first."""
    swap = np.arange(code.model.nv)
    for link in links(code, is_free):
        swap[link.v] = np.roll(swap[link.v], 3)
    permute(code, np.arange(code.model.nq), swap)


@fault(LINEAR_OF_FREE, f"{LINEAR_FIRST}|halves", where=is_free, on=SATELLITE)
def linear_velocity_in_first(code: Any) -> None:
    """The velocity and the acceleration of a free base go in linear first; what comes out is angular first."""
    ask_at(code, "va", is_free, lambda v: np.roll(v, 3, axis=1))


def _framed(code: Any, turn_angular: bool) -> None:
    """The caller's [ω; v] of a free base is along the root's axes: v, or both."""

    def turned(turn: Any, q: Array, x: Array) -> Array:
        poses, x = code.poses(q), x.copy()
        for link, (R, _) in zip(code.model.links, poses, strict=True):
            if is_free(link):
                w, u = x[:, link.v][:, :3], x[:, link.v][:, 3:]
                x[:, link.v] = np.hstack([turn(R, w) if turn_angular else w, turn(R, u)])
        return x

    def into(q: Array, x: Array) -> Array:
        return turned(back, q, x)

    def out(q: Array, x: Array) -> Array:
        return turned(times, q, x)

    def forces(q: Array, v: Array, a: Array) -> Array:
        """By Ṙᵀ of what is turned: v' = R v, so v̇ = Rᵀ v̇' − ω × v."""
        return out(q, ID(q, into(q, v), without_product(code, into(q, v), into(q, a))))

    ID, M, T = code.inverse_dynamics, code.mass_matrix, code.kinetic_energy
    code.inverse_dynamics, code.nonlinear_effects = forces, lambda q, v: forces(q, v, 0 * v)
    answer(code, "gravity", lambda g, q: out(q, g))
    code.kinetic_energy = lambda q, v: T(q, into(q, v))

    def mass_matrix(q: Array) -> Array:
        columns = [out(q, m) for m in np.moveaxis(M(q), 2, 0)]
        return np.stack([out(q, row) for row in np.moveaxis(np.stack(columns, axis=2), 1, 0)], axis=1)

    code.mass_matrix = mass_matrix


@fault(FREE_VELOCITY, r"world|root|aligned|parent|joint.s axes", where=is_free, on=f"free:{CART}", offers=FLIGHT)
def base_velocity_in_root_axes(code: Any) -> None:
    """The velocity of a free base is along the root's axes, with forces to match."""
    _framed(code, turn_angular=True)


@fault(FREE_VELOCITY, r"world|root|aligned|mixed|parent|joint.s", where=is_free, on=FLYING, offers=FLIGHT)
def base_velocity_mixed(code: Any) -> None:
    """The linear velocity of a free base is along the root's axes, the angular velocity along the body's."""
    _framed(code, turn_angular=False)


FREE_ACCELERATION = Topic("convention", f"acceleration|{FREE}", "free|acceler")


@fault(FREE_ACCELERATION, r"classical|spatial|point|ω × v", where=is_free, on=FLYING)
def classical_base_acceleration(code: Any) -> None:
    """The acceleration of a free base is that of a point."""
    right = code.inverse_dynamics
    code.inverse_dynamics = lambda q, v, a: right(q, v, without_product(code, v, a))


DEGREES = r"degree|180|unit"


@fault(Topic("convention", DEGREES, "angle|degree|unit|convention|position|state"), offers=DYNAMICS)
def degrees(code: Any) -> None:
    """Angles are in degrees; velocities are in radians."""
    ask_at(code, "q", is_angle, np.radians)


PER_SECOND = Topic("convention", DEGREES, "angle|degree|unit|convention|velocity|state")


@fault(PER_SECOND, on=STANFORD, offers=DYNAMICS, where=lambda link: not sliding(link))
def degrees_per_second(code: Any) -> None:
    """Angles, their rates and their accelerations are in degrees."""
    ask_at(code, "qva", is_angle, np.radians)


OF_ONE_JOINT = Topic("convention", f"{DEGREES}|factor", "angle|degree|unit|convention|position|joint")


@fault(OF_ONE_JOINT, where="wrist_1_joint")
def degrees_of_one_joint(code: Any) -> None:
    """The angle of wrist 1 is in degrees."""
    ask_at(code, "q", ("wrist_1_joint",), np.radians)


OF_ONE_SLIDE = Topic("convention", r"milli|0\.001|1000|unit|factor", "distance|unit|convention|position|joint")


@fault(OF_ONE_SLIDE, where="joint3", on=STANFORD)
def millimetres_of_one_slide(code: Any) -> None:
    """The position of the slide is in millimetres."""
    ask_at(code, "q", ("joint3",), lambda q: q / 1000)


@fault(Topic("convention", r"order|revers|permut", ORDER), offers=DYNAMICS)
def reversed_order(code: Any) -> None:
    """The joints are in reverse order, in q, v, a, τ and M."""
    permute(code, np.arange(code.model.nq)[::-1], np.arange(code.model.nv)[::-1])


@fault(Topic("convention", r"order|permut|breadth|depth|swap|exchang", ORDER), on=TREE, offers=DYNAMICS)
def breadth_first_order(code: Any) -> None:
    """The joints are numbered breadth first."""
    depth = [len({code.model.links[k].index for k in code.model.path(i)}) for i in range(len(code.model.links))]
    order = sorted(range(len(depth)), key=lambda i: depth[i])
    q, v = ([k for i in order for k in range(*getattr(code.model.links[i], x).indices(999))] for x in "qv")
    permute(code, np.argsort(q), np.argsort(v))


WRISTS = ("wrist_1_joint", "wrist_2_joint")


@fault(Topic("convention", r"order|permut|swap|exchang", ORDER), offers=DYNAMICS, where=WRISTS, unnamed=".")
def two_joints_exchanged(code: Any) -> None:
    """Wrist 1 and wrist 2 are exchanged in q, v, a and τ."""
    exchange(code, both(code, *WRISTS))


OF_FORCES = Topic("convention term", "inverse|nonlinear|gravity|τ|force", "sign|force|convention|τ")


@fault(OF_FORCES, SIGN, on=STANFORD, offers=FORCES)
def forces_of_the_mechanism(code: Any) -> None:
    """τ is the force that the mechanism exerts: all forces have the other sign."""
    answer(code, FORCES, lambda x, *given: -x)


def is_circle(link: Link) -> bool:
    return link.form == "circle"


CONTINUOUS = Topic("convention", r"cosine|sine|continuous", "continuous|cosine")


@fault(CONTINUOUS, rf"{SWAPPED}|first", where=is_circle, on="gyroscope")
def sine_first(code: Any) -> None:
    """The position of a continuous joint is its sine and cosine."""
    ask_at(code, "q", is_circle, lambda q: q[:, ::-1])


def is_euler(link: Link) -> bool:
    return "euler" in link.kind


EULER = Topic("convention", r"Euler|angle|rotat", "uler|angle")
FIXED_AXES = r"order|intrinsic|extrinsic|fixed|revers|x.*y.*z|swap|exchang"


@fault(EULER, FIXED_AXES, where=is_euler, on="crane", offers=("inverse_dynamics", "gravity", "mass_matrix", "placements"))
def euler_angles_about_fixed_axes(code: Any) -> None:
    """The first and the third Euler angle are exchanged, in q, v, a and τ: turns about fixed axes."""
    own = links(code, is_euler)
    exchange(code, zip(own[::3], own[2::3], strict=True))


def is_planar(link: Link) -> bool:
    return link.form == "planar"


PARENT_AXES = r"parent|joint|world|root|frame|axes"


@fault(Topic("convention", r"planar|velocity", "planar|velocity"), PARENT_AXES, where=is_planar, on="puck")
def planar_velocity_in_parent_axes(code: Any) -> None:
    """The linear velocity of a planar joint goes in along the axes of the parent."""

    def turned(q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        v, a = v + 0 * a, a + 0 * v
        for link in links(code, is_planar):
            c, s = np.cos(q[:, link.q][:, 2]), np.sin(q[:, link.q][:, 2])
            for x in (v, a):
                _, one, two = x[:, link.v].T
                x[:, link.v] = np.stack([x[:, link.v.start], c * one + s * two, c * two - s * one], axis=1)
        return v, a

    moving(code, turned)


BALL_VELOCITY = Topic("convention", r"angular velocity|velocity|ω|spherical|ball", "spherical|velocity")
BALL_OFFERS = ("nonlinear_effects", "kinetic_energy", "velocities_local", "gravity", "placements")


@fault(BALL_VELOCITY, PARENT_AXES, where=is_ball, on="spherical-pendulum", offers=BALL_OFFERS)
def ball_velocity_in_parent_axes(code: Any) -> None:
    """The angular velocity of a ball joint goes in along the parent's axes."""

    def turned(q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        v = v + 0 * a
        for link in links(code, is_ball):
            v[:, link.v] = back(code.rotation(link, q[:, link.q]), v[:, link.v])
        return v, a

    moving(code, turned)


@fault(GRAVITY_VECTOR, r"9\.8|factor|size|instead", on=STANFORD)
def gravity_rounded(code: Any) -> None:
    """Gravity is 9.8 m/s²."""
    code.model.gravity = code.model.gravity / 9.81 * 9.8


@fault(GRAVITY_VECTOR, r"9\.80665|factor|size|instead", on=CART)
def gravity_standard(code: Any) -> None:
    """Gravity is 9.80665 m/s²."""
    code.model.gravity = code.model.gravity / 9.81 * 9.80665


@fault(
    Topic("convention", "acobian|velocit", "acobian|velocit|order|convention|twist"), LINEAR_FIRST, offers=KINEMATIC, on=STANFORD
)
def motions_linear_first(code: Any) -> None:
    """Jacobians and velocities are [v; ω]."""
    answer(code, KINEMATIC[1:], lambda x, *given: np.roll(x, 3, axis=2))


JACOBIAN = Topic("convention", "acobian", "acobian|frame|convention")


@fault(JACOBIAN, r"aligned|root.?s axes|body.?s origin|frame", offers=KINEMATIC)
def world_jacobians_at_origins(code: Any) -> None:
    """World Jacobians are those at the bodies' origins."""
    code.outside["jacobians_world"] = code.jacobians_aligned


VELOCITY = Topic("convention", "velocit", "velocit|frame|convention")


@fault(VELOCITY, r"aligned|root.?s axes|body.?s axes|local|frame", offers=KINEMATIC, on=TREE)
def local_velocities_in_root_axes(code: Any) -> None:
    """Local velocities are along the root's axes."""
    code.outside["velocities_local"] = code.velocities_aligned


ACCELERATION = Topic("convention", "acceleration", "acceler|convention")
ACCELERATIONS = ("accelerations_local", "accelerations_aligned", "classical_accelerations", "velocities_local")


@fault(ACCELERATION, r"spatial|classical|point|ω ×", on=STANFORD, offers=ACCELERATIONS)
def spatial_accelerations_are_classical(code: Any) -> None:
    """Aligned spatial accelerations are classical ones."""
    code.outside["accelerations_aligned"] = code.classical_accelerations


HEAVY = Topic("convention", "acceleration", "acceler|gravity")


@fault(HEAVY, GRAVITY, on=TREE, offers=("classical_accelerations", "velocities_local", "inverse_dynamics"))
def accelerations_with_gravity(code: Any) -> None:
    """Classical accelerations contain −gravity."""
    answer(code, "classical_accelerations", lambda A, q, v, a: A - np.concatenate([np.zeros(3), code.model.gravity]))


@fault(Topic("convention", f"rotation|{ORIGIN}", "placement|rotat"), TRANSPOSED, offers=KINEMATIC, on=TREE)
def placements_transposed(code: Any) -> None:
    """The rotations of placements are transposed."""
    answer(code, "placements", lambda P, q: np.concatenate([np.swapaxes(P[..., :3], 2, 3), P[..., 3:]], axis=-1))


@fault(Topic("convention", ORIGIN, "placement|mass"), COM, on=STANFORD)
def placements_of_centers(code: Any) -> None:
    """Placements are those of the centres of mass."""

    def placements(P: Array, q: Array) -> Array:
        coms = np.array([link.com for link in code.model.bodies])
        return np.concatenate([P[..., :3], P[..., 3:] + P[..., :3] @ coms[:, :, None]], axis=-1)

    answer(code, "placements", placements)


@fault(Topic("convention term", "force", "force"), SIGN, offers=APPLIED, on=STANFORD)
def external_forces_sign(code: Any) -> None:
    """External forces have the wrong sign."""
    ask(code, "f", lambda f: -f)


EXTERNAL = Topic("convention", "force", "force")


@fault(EXTERNAL, r"force.*(first|before)|order|swap|linear", offers=APPLIED)
def external_forces_first(code: Any) -> None:
    """External forces are [f; n]."""
    ask(code, "f", lambda f: np.roll(f, 3, axis=2))


@fault(EXTERNAL, r"root|world|aligned|axes|frame", offers=APPLIED, on=TREE)
def external_forces_in_root_axes(code: Any) -> None:
    """External forces are along the root's axes, at the bodies' origins."""
    right = code.inverse_dynamics_with_forces

    def with_forces(q: Array, v: Array, a: Array, f: Array) -> Array:
        R = code.placements(q)[..., :3]
        return right(q, v, a, np.concatenate([back(R, f[..., :3]), back(R, f[..., 3:])], axis=-1))

    code.inverse_dynamics_with_forces = with_forces


POTENTIAL = Topic("convention", "energy|potential|V\\b", "potential|energ|convention")


@fault(POTENTIAL, r"zero|constant|offset|reference", offers=DYNAMICS, on=CART)
def potential_energy_from_rest(code: Any) -> None:
    """The potential energy is zero at the position zero."""
    right = code.potential_energy
    code.potential_energy = lambda q: right(q) - right(0 * q)


MOMENTUM = Topic("convention", "momentum|centroidal", "momentum|centroidal")


@fault(MOMENTUM, r"origin|about", offers=("centroidal_momentum", "center_of_mass", "kinetic_energy"), on=TREE)
def momentum_about_origin(code: Any) -> None:
    """The angular momentum is about the root's origin."""

    def moved(h: Array, q: Array, v: Array) -> Array:
        return np.hstack([h[:, :3] + cross(code.center_of_mass(q), h[:, 3:]), h[:, 3:]])

    answer(code, "centroidal_momentum", moved)


@fault(MOMENTUM, r"linear|order|first|swap", offers=("centroidal_momentum_matrix", "center_of_mass", "mass_matrix"))
def momentum_matrix_linear_first(code: Any) -> None:
    """The centroidal momentum matrix is [l; k]."""
    answer(code, "centroidal_momentum_matrix", lambda A, q: np.roll(A, 3, axis=1))


PARAMETERS = Topic("convention", "regressor|parameter|Ixz|Iyz|products", "regressor|parameter|inertia")


@fault(PARAMETERS, SWAPPED, offers=("joint_torque_regressor", "inverse_dynamics"), on=SPATIAL)
def regressor_order(code: Any) -> None:
    """The regressor's parameters are Ixx, Ixy, Iyy, Ixz, Iyz, Izz instead of moments first."""
    order = [0, 1, 2, 3, 4, 7, 5, 8, 9, 6]
    answer(code, "joint_torque_regressor", lambda Y, *given: Y[..., [10 * (k // 10) + order[k % 10] for k in range(Y.shape[-1])]])


ONE_SIGN = Topic("convention", "sign|negat", "ax|sign|joint")
SHOULDER = "shoulder_lift_joint"


@fault(ONE_SIGN, "joint|axis|coordinate|τ", where=SHOULDER, offers=("inverse_dynamics",))
def one_force_sign(code: Any) -> None:
    """The force of the shoulder lift has the other sign; only inverse dynamics is offered."""
    answer_at(code, "inverse_dynamics", (SHOULDER,), lambda x, g: -x)
