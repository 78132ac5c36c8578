"""Other conventions: of positions, velocities, axes and frames, for what goes in, what comes out, or both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from score.changes import answer, ask, is_free, links, permute, sliding
from score.entry import DYNAMICS, USUAL, fault
from score.library.model import Array, Link
from score.library.root_frame import RootFrame
from score.library.vectors import back, cross, times
from score.words import COM, FREE, GRAVITY, ORIGIN, QUATERNION, SIGN, SWAPPED, TRANSPOSED

STANFORD, TREE, SATELLITE, FLYING = "stanford-arm", "wall-arms", "satellite", "free:ur5"
FORCES = ("inverse_dynamics", "nonlinear_effects", "gravity")
FLIGHT = ("inverse_dynamics", "mass_matrix", "nonlinear_effects", "gravity", "kinetic_energy", "potential_energy", "placements")


def has_quaternion(link: Link) -> bool:
    return link.form in ("ball", "free")


def of_q(code: Any, chosen: Callable[[Link], bool], change: Callable[[Array], Array]) -> None:
    """The positions of the chosen joints are changed before the code sees them."""

    def changed(letter: str, x: Array) -> Array:
        x = x.copy()
        for link in links(code, chosen) if letter == "q" else ():
            x[:, link.q] = change(x[:, link.q])
        return x

    ask(code, changed)


def of_v(code: Any, chosen: Callable[[Link], bool], change: Callable[[Array], Array], letters: str = "va") -> None:
    """The same for velocities and accelerations."""

    def changed(letter: str, x: Array) -> Array:
        x = x.copy()
        for link in links(code, chosen) if letter in letters else ():
            x[:, link.v] = change(x[:, link.v])
        return x

    ask(code, changed)


@fault(
    "convention", QUATERNION, r"w x y z|w first|wxyz|order|scalar", term="quaternion|free", where=has_quaternion, mechanism=FLYING
)
def quaternion_w_first(code: Any) -> None:
    """Quaternions are w x y z."""
    of_q(code, has_quaternion, lambda q: np.hstack([q[:, :-4], np.roll(q[:, -4:], -1, axis=1)]))


@fault(
    "convention",
    QUATERNION,
    r"w x y z|w first|wxyz|order|scalar",
    term="quaternion|spherical",
    where=has_quaternion,
    mechanism=TREE,
    of=RootFrame,
)
def quaternion_of_ball_w_first(code: Any) -> None:
    """The quaternion of a ball joint is w x y z."""
    of_q(code, has_quaternion, lambda q: np.roll(q, -1, axis=1))


@fault("convention", QUATERNION, rf"conjugat|{TRANSPOSED}", term="quaternion|spherical", where=has_quaternion, mechanism=TREE)
def quaternion_conjugate(code: Any) -> None:
    """Quaternions turn the parent's axes to the body's: they are conjugates."""
    of_q(code, has_quaternion, lambda q: q * np.array([1.0] * (q.shape[1] - 4) + [-1, -1, -1, 1]))


@fault(
    "convention",
    f"linear|velocity|{FREE}",
    r"linear.*(first|before)|order|swap|halves",
    term="free|velocity",
    where=is_free,
    mechanism=FLYING,
    offers=FLIGHT,
)
def linear_velocity_first(code: Any) -> None:
    """The velocity, acceleration and force of a free base are linear first."""
    swap = np.arange(code.model.nv)
    for link in links(code, is_free):
        swap[link.v] = np.roll(swap[link.v], 3)
    permute(code, np.arange(code.model.nq), swap)


@fault(
    "convention",
    f"linear|velocity|{FREE}",
    r"linear.*(first|before)|order|swap|halves",
    term="free|velocity",
    where=is_free,
    mechanism=SATELLITE,
)
def linear_velocity_in_first(code: Any) -> None:
    """The velocity and the acceleration of a free base go in linear first; what comes out is angular first."""
    of_v(code, is_free, lambda v: np.roll(v, 3, axis=1))


def _framed(code: Any, turn_angular: bool) -> None:
    """The caller's [ω; v] of a free base is along the root's axes: v, or both."""

    def parts(q: Array) -> list[tuple[slice, Array]]:
        poses = code.poses(q)
        return [(link.v, poses[i][0]) for i, link in enumerate(code.model.links) if is_free(link)]

    def into(q: Array, x: Array) -> Array:
        x = x.copy()
        for part, R in parts(q):
            w = back(R, x[:, part][:, :3]) if turn_angular else x[:, part][:, :3]
            x[:, part] = np.hstack([w, back(R, x[:, part][:, 3:])])
        return x

    def out(q: Array, x: Array) -> Array:
        x = x.copy()
        for part, R in parts(q):
            n = times(R, x[:, part][:, :3]) if turn_angular else x[:, part][:, :3]
            x[:, part] = np.hstack([n, times(R, x[:, part][:, 3:])])
        return x

    def accelerated(q: Array, v: Array, a: Array) -> Array:
        """Ṙᵀ of what is turned: v' = R v, so v̇ = Rᵀ v̇' − ω × v."""
        v, a = into(q, v), into(q, a)
        for part, _ in parts(q):
            w, u = v[:, part][:, :3], v[:, part][:, 3:]
            a[:, part] -= np.hstack([0 * w, cross(w, u)])
        return a

    ID, M = code.inverse_dynamics, code.mass_matrix
    code.inverse_dynamics = lambda q, v, a: out(q, ID(q, into(q, v), accelerated(q, v, a)))
    code.nonlinear_effects = lambda q, v: out(q, ID(q, into(q, v), accelerated(q, v, 0 * v)))
    answer(code, "gravity", lambda g, q: out(q, g))
    T = code.kinetic_energy
    code.kinetic_energy = lambda q, v: T(q, into(q, v))

    def mass_matrix(q: Array) -> Array:
        columns = [out(q, m) for m in np.moveaxis(M(q), 2, 0)]
        return np.stack([out(q, row) for row in np.moveaxis(np.stack(columns, axis=2), 1, 0)], axis=1)

    code.mass_matrix = mass_matrix


@fault(
    "convention",
    f"velocity|{FREE}",
    r"world|root|aligned|parent|joint.s axes",
    term="free|velocity",
    where=is_free,
    mechanism="free:cart-pole",
    offers=FLIGHT,
)
def base_velocity_in_root_axes(code: Any) -> None:
    """The velocity of a free base is along the root's axes, with forces to match."""
    _framed(code, turn_angular=True)


@fault(
    "convention",
    f"velocity|{FREE}",
    r"world|root|aligned|mixed|parent|joint.s",
    term="free|velocity",
    where=is_free,
    mechanism=FLYING,
    offers=FLIGHT,
)
def base_velocity_mixed(code: Any) -> None:
    """The linear velocity of a free base is along the root's axes, the angular velocity along the body's."""
    _framed(code, turn_angular=False)


@fault(
    "convention", f"acceleration|{FREE}", r"classical|spatial|point|ω × v", term="free|acceler", where=is_free, mechanism=FLYING
)
def classical_base_acceleration(code: Any) -> None:
    """The acceleration of a free base is that of a point."""
    right = code.inverse_dynamics

    def inverse_dynamics(q: Array, v: Array, a: Array) -> Array:
        a = a.copy()
        for link in links(code, is_free):
            own = v[:, link.v]
            a[:, link.v] -= np.hstack([0 * own[:, :3], cross(own[:, :3], own[:, 3:])])
        return right(q, v, a)

    code.inverse_dynamics = inverse_dynamics


@fault("convention", r"degree|180|unit", term="angle|degree|unit|convention|position|state", offers=DYNAMICS)
def degrees(code: Any) -> None:
    """Angles are in degrees; velocities are in radians."""
    of_q(code, lambda link: link.form == "angle", np.radians)


@fault(
    "convention",
    r"degree|180|unit",
    term="angle|degree|unit|convention|velocity|state",
    mechanism=STANFORD,
    offers=DYNAMICS,
    where=lambda link: not sliding(link),
)
def degrees_per_second(code: Any) -> None:
    """Angles, their rates and their accelerations are in degrees."""
    of_q(code, lambda link: link.form == "angle", np.radians)
    of_v(code, lambda link: link.form == "angle", np.radians)


@fault("convention", r"degree|180|unit|factor", where="wrist_1_joint", term="angle|degree|unit|convention|position|joint")
def degrees_of_one_joint(code: Any) -> None:
    """The angle of wrist 1 is in degrees."""
    of_q(code, lambda link: link.joint == "wrist_1_joint", np.radians)


@fault(
    "convention",
    r"milli|0\.001|1000|unit|factor",
    where="joint3",
    term="distance|unit|convention|position|joint",
    mechanism=STANFORD,
)
def millimetres_of_one_slide(code: Any) -> None:
    """The position of the slide is in millimetres."""
    of_q(code, lambda link: link.joint == "joint3", lambda q: q / 1000)


@fault("convention", r"order|revers|permut", term="order|joint|convention", offers=DYNAMICS)
def reversed_order(code: Any) -> None:
    """The joints are in reverse order, in q, v, a, τ and M."""
    permute(code, np.arange(code.model.nq)[::-1], np.arange(code.model.nv)[::-1])


@fault("convention", r"order|permut|breadth|depth|swap|exchang", term="order|joint|convention", mechanism=TREE, offers=DYNAMICS)
def breadth_first_order(code: Any) -> None:
    """The joints are numbered breadth first."""
    depth = [len({code.model.links[k].index for k in code.model.path(i)}) for i in range(len(code.model.links))]
    order = sorted(range(len(depth)), key=lambda i: depth[i])
    q, v = ([k for i in order for k in range(*getattr(code.model.links[i], x).indices(999))] for x in "qv")
    permute(code, np.argsort(q), np.argsort(v))


@fault(
    "convention",
    r"order|permut|swap|exchang",
    term="order|joint|convention",
    offers=DYNAMICS,
    where=("wrist_1_joint", "wrist_2_joint"),
    unnamed=".",
)
def two_joints_exchanged(code: Any) -> None:
    """Wrist 1 and wrist 2 are exchanged in q, v, a and τ."""
    pair = [*code.model.named("wrist_1_joint"), *code.model.named("wrist_2_joint")]
    q, v = np.arange(code.model.nq), np.arange(code.model.nv)
    if len(pair) == 2:
        q[[pair[0].q.start, pair[1].q.start]] = q[[pair[1].q.start, pair[0].q.start]]
        v[[pair[0].v.start, pair[1].v.start]] = v[[pair[1].v.start, pair[0].v.start]]
    permute(code, q, v)


@fault(
    "convention term",
    "inverse|nonlinear|gravity|τ|force",
    SIGN,
    term="sign|force|convention|τ",
    mechanism=STANFORD,
    offers=FORCES,
)
def forces_of_the_mechanism(code: Any) -> None:
    """τ is the force that the mechanism exerts: all forces have the other sign."""
    for name in FORCES:
        answer(code, name, lambda x, *given: -x)


@fault(
    "convention",
    r"cosine|sine|continuous",
    rf"{SWAPPED}|first",
    term="continuous|cosine",
    where=lambda link: link.form == "circle",
    mechanism="gyroscope",
)
def sine_first(code: Any) -> None:
    """The position of a continuous joint is its sine and cosine."""
    of_q(code, lambda link: link.form == "circle", lambda q: q[:, ::-1])


@fault(
    "convention",
    r"Euler|angle|rotat",
    r"order|intrinsic|extrinsic|fixed|revers|x.*y.*z|swap|exchang",
    term="uler|angle",
    where=lambda link: "euler" in link.kind,
    mechanism="crane",
    offers=("inverse_dynamics", "gravity", "mass_matrix", "placements"),
)
def euler_angles_about_fixed_axes(code: Any) -> None:
    """The first and the third Euler angle are exchanged, in q, v, a and τ: turns about fixed axes."""
    q, v = np.arange(code.model.nq), np.arange(code.model.nv)
    own = [link for link in code.model.links if "euler" in link.kind]
    for first, third in zip(own[::3], own[2::3], strict=True):
        q[[first.q.start, third.q.start]] = q[[third.q.start, first.q.start]]
        v[[first.v.start, third.v.start]] = v[[third.v.start, first.v.start]]
    permute(code, q, v)


@fault(
    "convention",
    r"planar|velocity",
    r"parent|joint|world|root|frame|axes",
    term="planar|velocity",
    where=lambda link: link.kind == "planar",
    mechanism="puck",
)
def planar_velocity_in_parent_axes(code: Any) -> None:
    """The linear velocity of a planar joint goes in along the axes of the parent."""

    def changed(right: Any) -> Any:
        def motions(q: Array, v: Array, a: Array, base: Array | None = None) -> Any:
            v, a = v + 0 * a, a + 0 * v
            for link in links(code, lambda link: link.form == "planar"):
                c, s = np.cos(q[:, link.q][:, 2]), np.sin(q[:, link.q][:, 2])
                for x in (v, a):
                    _, one, two = x[:, link.v].T
                    x[:, link.v] = np.stack([x[:, link.v.start], c * one + s * two, c * two - s * one], axis=1)
            return right(q, v, a, base)

        return motions

    code.motions = changed(code.motions)


@fault(
    "convention",
    r"angular velocity|velocity|ω|spherical|ball",
    r"parent|joint|world|root|frame|axes",
    term="spherical|velocity",
    where=lambda link: link.form == "ball",
    mechanism="spherical-pendulum",
    offers=("nonlinear_effects", "kinetic_energy", "velocities_local", "gravity", "placements"),
)
def ball_velocity_in_parent_axes(code: Any) -> None:
    """The angular velocity of a ball joint goes in along the parent's axes."""
    right = code.motions

    def motions(q: Array, v: Array, a: Array, base: Array | None = None) -> Any:
        v = v + 0 * a
        for link in links(code, lambda link: link.form == "ball"):
            v[:, link.v] = back(code.rotation(link, q[:, link.q]), v[:, link.v])
        return right(q, v, a, base)

    code.motions = motions


@fault("term model convention", GRAVITY, r"9\.8|factor|size|instead", term="gravity", mechanism=STANFORD)
def gravity_rounded(code: Any) -> None:
    """Gravity is 9.8 m/s²."""
    code.model.gravity = code.model.gravity / 9.81 * 9.8


@fault("term model convention", GRAVITY, r"9\.80665|factor|size|instead", term="gravity", mechanism="cart-pole")
def gravity_standard(code: Any) -> None:
    """Gravity is 9.80665 m/s²."""
    code.model.gravity = code.model.gravity / 9.81 * 9.80665


KINEMATIC = ("placements", *(f"{x}_{frame}" for x in ("jacobians", "velocities") for frame in ("local", "world", "aligned")))


@fault(
    "convention",
    "acobian|velocit",
    r"linear.*(first|before)|order|swap",
    term="acobian|velocit|order|convention|twist",
    offers=KINEMATIC,
    mechanism=STANFORD,
)
def motions_linear_first(code: Any) -> None:
    """Jacobians and velocities are [v; ω]."""
    for frame in ("local", "world", "aligned"):
        answer(code, f"jacobians_{frame}", lambda J, q: np.roll(J, 3, axis=2))
        answer(code, f"velocities_{frame}", lambda V, q, v: np.roll(V, 3, axis=2))


@fault("convention", "acobian", r"aligned|root.?s axes|body.?s origin|frame", term="acobian|frame|convention", offers=KINEMATIC)
def world_jacobians_at_origins(code: Any) -> None:
    """World Jacobians are those at the bodies' origins."""
    code.outside["jacobians_world"] = code.jacobians_aligned


@fault(
    "convention",
    "velocit",
    r"aligned|root.?s axes|body.?s axes|local|frame",
    term="velocit|frame|convention",
    offers=KINEMATIC,
    mechanism=TREE,
)
def local_velocities_in_root_axes(code: Any) -> None:
    """Local velocities are along the root's axes."""
    code.outside["velocities_local"] = code.velocities_aligned


@fault(
    "convention",
    "acceleration",
    r"spatial|classical|point|ω ×",
    term="acceler|convention",
    mechanism=STANFORD,
    offers=("accelerations_local", "accelerations_aligned", "classical_accelerations", "velocities_local"),
)
def spatial_accelerations_are_classical(code: Any) -> None:
    """Aligned spatial accelerations are classical ones."""
    code.outside["accelerations_aligned"] = code.classical_accelerations


@fault(
    "convention",
    "acceleration",
    GRAVITY,
    term="acceler|gravity",
    mechanism=TREE,
    offers=("classical_accelerations", "velocities_local", "inverse_dynamics"),
)
def accelerations_with_gravity(code: Any) -> None:
    """Classical accelerations contain −gravity."""
    answer(code, "classical_accelerations", lambda A, q, v, a: A - np.concatenate([np.zeros(3), code.model.gravity]))


@fault("convention", f"rotation|{ORIGIN}", TRANSPOSED, term="placement|rotat", offers=KINEMATIC, mechanism=TREE)
def placements_transposed(code: Any) -> None:
    """The rotations of placements are transposed."""
    answer(code, "placements", lambda P, q: np.concatenate([np.swapaxes(P[..., :3], 2, 3), P[..., 3:]], axis=-1))


@fault("convention", f"{ORIGIN}", COM, term="placement|mass", offers=USUAL, mechanism=STANFORD)
def placements_of_centers(code: Any) -> None:
    """Placements are those of the centres of mass."""

    def placements(P: Array, q: Array) -> Array:
        coms = np.array([link.com for link in code.model.bodies])
        return np.concatenate([P[..., :3], P[..., 3:] + P[..., :3] @ coms[:, :, None]], axis=-1)

    answer(code, "placements", placements)


APPLIED = ("inverse_dynamics_with_forces", "inverse_dynamics", "jacobians_local")


@fault("convention term", "force", SIGN, term="force", offers=APPLIED, mechanism=STANFORD)
def external_forces_sign(code: Any) -> None:
    """External forces have the wrong sign."""
    ask(code, lambda letter, x: -x if letter == "f" else x)


@fault("convention", "force", r"force.*(first|before)|order|swap|linear", term="force", offers=APPLIED)
def external_forces_first(code: Any) -> None:
    """External forces are [f; n]."""
    ask(code, lambda letter, x: np.roll(x, 3, axis=2) if letter == "f" else x)


@fault("convention", "force", r"root|world|aligned|axes|frame", term="force", offers=APPLIED, mechanism=TREE)
def external_forces_in_root_axes(code: Any) -> None:
    """External forces are along the root's axes, at the bodies' origins."""
    right = code.inverse_dynamics_with_forces

    def with_forces(q: Array, v: Array, a: Array, f: Array) -> Array:
        R = code.placements(q)[..., :3]
        return right(q, v, a, np.concatenate([back(R, f[..., :3]), back(R, f[..., 3:])], axis=-1))

    code.inverse_dynamics_with_forces = with_forces


@fault(
    "convention",
    "energy|potential|V\\b",
    r"zero|constant|offset|reference",
    term="potential|energ|convention",
    offers=DYNAMICS,
    mechanism="cart-pole",
)
def potential_energy_from_rest(code: Any) -> None:
    """The potential energy is zero at the position zero."""
    right = code.potential_energy
    code.potential_energy = lambda q: right(q) - right(0 * q)


@fault(
    "convention",
    "momentum|centroidal",
    r"origin|about",
    term="momentum|centroidal",
    offers=("centroidal_momentum", "center_of_mass", "kinetic_energy"),
    mechanism=TREE,
)
def momentum_about_origin(code: Any) -> None:
    """The angular momentum is about the root's origin."""

    def moved(h: Array, q: Array, v: Array) -> Array:
        return np.hstack([h[:, :3] + cross(code.center_of_mass(q), h[:, 3:]), h[:, 3:]])

    answer(code, "centroidal_momentum", moved)


@fault(
    "convention",
    "momentum|centroidal",
    r"linear|order|first|swap",
    term="momentum|centroidal",
    offers=("centroidal_momentum_matrix", "center_of_mass", "mass_matrix"),
)
def momentum_matrix_linear_first(code: Any) -> None:
    """The centroidal momentum matrix is [l; k]."""
    answer(code, "centroidal_momentum_matrix", lambda A, q: np.roll(A, 3, axis=1))


@fault(
    "convention",
    "regressor|parameter|Ixz|Iyz|products",
    SWAPPED,
    term="regressor|parameter|inertia",
    offers=("joint_torque_regressor", "inverse_dynamics"),
    mechanism="spatial-3r",
)
def regressor_order(code: Any) -> None:
    """The regressor's parameters are Ixx, Ixy, Iyy, Ixz, Iyz, Izz instead of moments first."""
    order = [0, 1, 2, 3, 4, 7, 5, 8, 9, 6]
    answer(code, "joint_torque_regressor", lambda Y, *given: Y[..., [10 * (k // 10) + order[k % 10] for k in range(Y.shape[-1])]])


@fault(
    "convention",
    "sign|negat",
    "joint|axis|coordinate|τ",
    where="shoulder_lift_joint",
    term="ax|sign|joint",
    offers=("inverse_dynamics",),
)
def one_force_sign(code: Any) -> None:
    """The force of the shoulder lift has the other sign; only inverse dynamics is offered."""

    def signed(x: Array, *given: Array) -> Array:
        x = x.copy()
        for link in code.model.named("shoulder_lift_joint"):
            x[:, link.v] *= -1
        return x

    answer(code, "inverse_dynamics", signed)
