"""Correct code in disguise: other frames inside, other orders of sums, other ways to the same rotation, batches and memory."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import Any

import numpy as np

from score.changes import FORCES, JACOBIANS, ask, each, everything, has_quaternion, is_angle, is_ball, scale
from score.entry import ALL, CART, DYNAMICS, FLYING, PUMA, SATELLITE, STANFORD, TREE, disguise
from score.library.model import Array, Link
from score.library.root_frame import RootFrame, blocks
from score.library.three_vectors import JacobianSums
from score.library.vectors import cross, rodrigues, skew, times

ROUNDING = r"rounding|rounded|wrap|degrees and back"
REAL = tuple(name for name in ALL if not name.endswith(("_dq", "_dv")))
"""The quantities that need no complex step."""


def in_chunks(size: int) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """A change of functions: they get so many states at a time."""
    return lambda f: lambda *given: np.concatenate([f(*(x[k : k + size] for x in given)) for k in range(0, len(given[0]), size)])


@disguise(CART)
def one_state_at_a_time(code: Any) -> None:
    """States are computed one by one."""
    each(code, in_chunks(1))


@disguise(STANFORD)
def chunks_of_seven(code: Any) -> None:
    """States are computed in chunks of seven."""
    each(code, in_chunks(7))


@disguise(TREE)
def from_the_last_to_the_first(code: Any) -> None:
    """The batch is reversed inside."""
    each(code, lambda f: lambda *given: f(*(x[::-1] for x in given))[::-1])


@disguise("ur5")
def columns_first(code: Any) -> None:
    """Arrays are in Fortran's order."""
    each(code, lambda f: lambda *given: np.asfortranarray(f(*map(np.asfortranarray, given))))


@disguise(STANFORD)
def read_only(code: Any) -> None:
    """Answers cannot be written on."""

    def sealed(x: Array) -> Array:
        x = np.ascontiguousarray(x)
        x.setflags(write=False)
        return x

    everything(code, sealed)


@disguise(TREE)
def remembered(code: Any) -> None:
    """Answers are kept by the exact arguments."""

    def kept(f: Callable[..., Array]) -> Callable[..., Array]:
        memory: dict[bytes, Array] = {}

        def asked(*given: Array) -> Array:
            key = b"".join(x.tobytes() for x in given) + str([x.shape for x in given]).encode()
            if key not in memory:
                memory[key] = f(*given)
            return memory[key].copy()

        return asked

    each(code, kept)


@disguise(STANFORD, offers=REAL)
def extended_inside(code: Any) -> None:
    """Everything but solving is computed in extended precision."""
    solve = code.solve
    code.solve = lambda M, x: solve(M.astype(float), x.astype(float))
    ask(code, "qvatf", lambda x: x.astype(np.longdouble))
    everything(code, lambda x: x.astype(float))


@disguise(TREE, offers=REAL)
def angles_of_exponentials(code: Any) -> None:
    """Cosines and sines are the parts of exp(i q)."""
    code.cosine, code.sine = (lambda x: np.exp(1j * x).real), (lambda x: np.exp(1j * x).imag)


@disguise(STANFORD)
def half_angles(code: Any) -> None:
    """Sine and cosine are those of the half angle, combined."""
    code.sine = lambda x: 2 * np.sin(x / 2) * np.cos(x / 2)
    code.cosine = lambda x: (np.cos(x / 2) - np.sin(x / 2)) * (np.cos(x / 2) + np.sin(x / 2))


def rotating(code: Any, chosen: Callable[[Link], bool], rotation: Callable[[Link, Array], Array]) -> None:
    """The rotations of these links are computed otherwise."""
    right = code.rotation
    code.rotation = lambda link, q: rotation(link, q) if chosen(link) else right(link, q)


def each_matrix(x: Array) -> Array:
    """Numbers (batch,) as factors of matrices (batch, 3, 3)."""
    return x[:, None, None]


@disguise(PUMA)
def sine_of_the_complement(code: Any) -> None:
    """Rotations are a aᵀ + cos (1 − a aᵀ) + sin [a]×."""

    def rotation(link: Link, q: Array) -> Array:
        a, c, s = link.turn[:, 0], each_matrix(np.cos(q[:, -1])), each_matrix(np.sin(q[:, -1]))
        return np.outer(a, a) + c * (np.eye(3) - np.outer(a, a)) + s * skew(a)

    rotating(code, is_angle, rotation)


@disguise(SATELLITE)
def rotations_about_z(code: Any) -> None:
    """A turn about an axis is a turn about z between two changes of axes."""

    def rotation(link: Link, q: Array) -> Array:
        a = link.turn[:, 0]
        x = np.cross(a, np.eye(3)[np.argmin(abs(a))])
        x = x / np.linalg.norm(x)
        B = np.stack([x, np.cross(a, x), a], axis=1)
        return B @ rodrigues(np.array([0.0, 0.0, 1.0]), np.cos(q[:, -1]), np.sin(q[:, -1])) @ B.T

    rotating(code, is_angle, rotation)


@disguise("screw-jack")
def rotations_by_quaternions(code: Any) -> None:
    """Turns are quaternions of half angles."""

    def rotation(link: Link, q: Array) -> Array:
        s, c, K = each_matrix(np.sin(q[:, -1] / 2)), each_matrix(np.cos(q[:, -1] / 2)), skew(link.turn[:, 0])
        return np.eye(3) + 2 * c * s * K + 2 * s * s * (K @ K)

    rotating(code, is_angle, rotation)


@disguise(FLYING, offers=REAL)
def quaternion_normalised(code: Any) -> None:
    """Quaternions are normalised first."""
    right = code.rotation

    def rotation(link: Link, q: Array) -> Array:
        return right(link, np.hstack([q[:, :-4], q[:, -4:] / np.linalg.norm(q[:, -4:], axis=1, keepdims=True)]))

    rotating(code, has_quaternion, rotation)


@disguise(TREE)
def quaternion_with_other_sign(code: Any) -> None:
    """Quaternions are multiplied by −1."""
    right = code.rotation
    rotating(code, is_ball, lambda link, q: right(link, -q))


@disguise(SATELLITE)
def quaternion_as_a_matrix(code: Any) -> None:
    """The rotation of a quaternion is 1 + 2 w [e]× + 2 [e]×²."""

    def rotation(link: Link, q: Array) -> Array:
        K, w = skew(q[:, -4:-1]), each_matrix(q[:, -1])
        return np.eye(3) + 2 * w * K + 2 * (K @ K)

    rotating(code, has_quaternion, rotation)


@disguise("gyroscope", offers=REAL)
def circle_as_an_angle(code: Any) -> None:
    """Cosine and sine are turned into an angle, and back."""
    right = code.rotation

    def rotation(link: Link, q: Array) -> Array:
        angle = np.arctan2(q[:, 1], q[:, 0])
        return right(link, np.stack([np.cos(angle), np.sin(angle)], axis=1))

    rotating(code, lambda link: link.form == "circle", rotation)


@disguise("ur5", offers=REAL, tolerated=ROUNDING)
def angles_wrapped(code: Any) -> None:
    """Angles are wrapped to ±π."""
    ask(code, "q", lambda x: np.remainder(x + np.pi, 2 * np.pi) - np.pi)


@disguise("ur5", offers=REAL, tolerated=ROUNDING)
def degrees_and_back(code: Any) -> None:
    """Angles are turned into degrees and back."""
    ask(code, "q", lambda x: np.radians(np.degrees(x)))


@disguise("puma560", offers=DYNAMICS, tolerated=ROUNDING)
def angles_of_tangents(code: Any) -> None:
    """Angles are reduced by the arctangent of their sine and cosine."""
    ask(code, "q", lambda x: np.arctan2(np.sin(x), np.cos(x)))


@disguise(STANFORD)
def axes_reversed(code: Any) -> None:
    """All axes are reversed inside, and so are q, v, a and τ."""
    for link in code.model.links:
        link.turn, link.slide = -link.turn, -link.slide
    ask(code, "qvat", lambda x: -x)
    for name in (*FORCES, "forward_dynamics", "inverse_dynamics_with_forces", *JACOBIANS, "joint_torque_regressor"):
        scale(code, name, -1)


INSIDE = ("jacobians_local", "velocities_local")
"""Quantities that do not depend on the root's frame."""


@disguise(TREE, offers=(*DYNAMICS[:-1], *INSIDE))
def root_moved(code: Any) -> None:
    """The root's origin is elsewhere."""
    for link in code.model.links:
        if link.parent < 0:
            link.p = link.p + np.array([0.3, -0.2, 0.5])


@disguise(STANFORD, offers=(*DYNAMICS, *INSIDE, "accelerations_local"))
def root_turned(code: Any) -> None:
    """The root and gravity are turned together."""
    Q = rodrigues(np.array([0.6, 0.0, 0.8]), np.array([np.cos(0.7)]), np.array([np.sin(0.7)]))[0]
    code.model.gravity = Q @ code.model.gravity
    for link in code.model.links:
        if link.parent < 0:
            link.R, link.p = Q @ link.R, Q @ link.p


@disguise("scara", offers=tuple(name for name in DYNAMICS if name != "forward_dynamics"))
def grams_and_millimetres(code: Any) -> None:
    """Everything is computed in grams and millimetres."""
    code.model.gravity = 1e3 * code.model.gravity
    for link in code.model.links:
        link.p, link.slide, link.mass, link.com = 1e3 * link.p, 1e3 * link.slide, 1e3 * link.mass, 1e3 * link.com
        link.inertia, link.armature, link.damping = 1e9 * link.inertia, 1e9 * link.armature, 1e9 * link.damping
    everything(code, lambda x: x / 1e9)


@disguise(PUMA, of=RootFrame)
def inertias_precomputed(code: Any) -> None:
    """What does not depend on the state is computed when the mechanism is loaded."""
    about_com = {id(link): -link.mass * skew(link.com) @ skew(link.com) for link in code.model.links}

    def spatial_inertia(link: Link, R: Array, p: Array) -> Array:
        c, r = R @ link.com, skew(p)
        C = skew(c)
        I = R @ (link.inertia + about_com[id(link)]) @ np.swapaxes(R, 1, 2) - link.mass * (r @ r + r @ C + C @ r)
        return blocks(I, link.mass * (C + r), link.mass)

    code.spatial_inertia = spatial_inertia


def _total(name: str, sentence: str, mechanism: str, total: Callable[[Array], Array]) -> None:
    """Energies and the centre of mass, by another sum over the bodies (bodies, batch, …)."""

    def change(code: Any) -> None:
        def moments(q: Array) -> list[Array]:
            return [link.mass * (p + R @ link.com) for link, (R, p) in zip(code.model.links, code.poses(q), strict=True)]

        code.potential_energy = lambda q: total(np.array([-x @ code.model.gravity for x in moments(q)]))
        code.center_of_mass = lambda q: total(np.array(moments(q))) / sum(link.mass for link in code.model.links)

    change.__name__, change.__doc__ = name, sentence
    disguise(mechanism, offers=("potential_energy", "center_of_mass", "inverse_dynamics", "gravity", "placements"))(change)


def _exact(x: Array) -> Array:
    return np.apply_along_axis(fsum, 0, x)


def _compensated(x: Array) -> Array:
    """Kahan's sum."""
    total, lost = 0 * x[0], 0 * x[0]
    for term in x:
        y = term - lost
        t = total + y
        lost, total = (t - total) - y, t
    return total


_total("summed_backwards", "Energies are summed from the last body to the first", STANFORD, lambda x: sum(x[::-1]))
_total("summed_exactly", "Energies are summed exactly", TREE, _exact)
_total("summed_with_compensation", "Energies are summed by Kahan's method", SATELLITE, _compensated)
_total(
    "summed_by_size",
    "Energies are summed by ascending size",
    PUMA,
    lambda x: np.take_along_axis(x, np.argsort(abs(x), axis=0), 0).sum(axis=0),
)
_total("summed_in_pairs", "Energies are summed in two halves", FLYING, lambda x: x[::2].sum(axis=0) + x[1::2].sum(axis=0))


@disguise(TREE, of=JacobianSums)
def bodies_backwards(code: Any) -> None:
    """M is summed from the last body to the first."""

    def inertia_matrix(q: Array) -> Array:
        poses, M = code.poses(q), 0.0
        for i in reversed(range(len(code.model.links))):
            link, (R, p) = code.model.links[i], poses[i]
            J = code.jacobian(poses, i, p + R @ link.com)
            M = np.swapaxes(J[:, :3], 1, 2) @ code.turned_inertia(link, R) @ J[:, :3] + (
                link.mass * np.swapaxes(J[:, 3:], 1, 2) @ J[:, 3:] + M
            )
        return M

    code.inertia_matrix = inertia_matrix


@disguise(STANFORD)
def loops_over_entries(code: Any) -> None:
    """Products of matrices and vectors are loops over entries."""

    def gyroscopic(link: Link, w: Array) -> Array:
        I, n = link.inertia, []
        L = [sum(I[r, c] * w[:, c] for c in range(3)) for r in range(3)]
        for s, t in ((1, 2), (2, 0), (0, 1)):
            n.append(w[:, s] * L[t] - w[:, t] * L[s])
        return np.stack(n, axis=1)

    code.gyroscopic = gyroscopic


@disguise()
def einsum(code: Any) -> None:
    """Poses are products by einsum."""
    code.joined = lambda R0, p0, R, p: (np.einsum("bij,bjk->bik", R0, R), p0 + np.einsum("bij,bj->bi", R0, p))


@disguise("panda", offers=("inverse_dynamics", "mass_matrix", "placements"), joints=("revolute", "prismatic"))
def few_quantities(code: Any) -> None:
    """Three quantities, for hinges and slides alone."""


@disguise(PUMA, offers=("inverse_dynamics",))
def inverse_dynamics_alone(code: Any) -> None:
    """Inverse dynamics and nothing else."""


@disguise("planar-pendulum:2", offers=DYNAMICS)
def double_pendulum_by_hand(code: Any) -> None:
    """The mass matrix of a double pendulum by its formula, where the mechanism is one."""
    one, two = code.model.links[0], code.model.links[-1]
    planar = (
        len(code.model.links) == 2 and two.parent == 0 and not one.R[np.eye(3) == 0].any() and not two.R[np.eye(3) == 0].any()
    )
    if not (planar and (one.turn[:, 0] == [0, 1, 0]).all() and (two.turn[:, 0] == [0, 1, 0]).all() and not two.p[:2].any()):
        return
    if one.com[:2].any() or two.com[:2].any():
        return

    def mass_matrix(q: Array) -> Array:
        l, c, m = -two.p[2], -two.com[2], two.mass
        coupled = m * l * c * np.cos(q[:, 1])
        a = one.inertia[1, 1] + one.mass * one.com[2] ** 2 + one.armature
        b = two.inertia[1, 1] + m * c * c
        rows = [a + b + m * l * l + 2 * coupled, b + coupled, b + coupled, b + two.armature + 0 * coupled]
        return np.stack(rows, axis=1).reshape(-1, 2, 2)

    code.mass_matrix = mass_matrix


@disguise(CART, offers=DYNAMICS)
def forward_dynamics_of_two(code: Any) -> None:
    """Forward dynamics of two coordinates by Cramer's rule."""
    if code.model.nv != 2:
        return

    def forward_dynamics(q: Array, v: Array, tau: Array) -> Array:
        M, x = code.mass_matrix(q), tau - code.nonlinear_effects(q, v)
        determinant = M[:, 0, 0] * M[:, 1, 1] - M[:, 0, 1] * M[:, 1, 0]
        rows = [M[:, 1, 1] * x[:, 0] - M[:, 0, 1] * x[:, 1], M[:, 0, 0] * x[:, 1] - M[:, 1, 0] * x[:, 0]]
        return np.stack(rows, axis=1) / determinant[:, None]

    code.forward_dynamics = forward_dynamics


@disguise(SATELLITE, of=RootFrame)
def momentum_by_composites(code: Any) -> None:
    """The centroidal momentum matrix comes from composite inertias."""

    def momentum_matrix(q: Array) -> Array:
        A = np.zeros((len(q), 6, code.model.nv))
        for link, I, S in zip(code.model.links, code.composites(q), code.screws(q), strict=True):
            A[:, :, link.v] = I @ np.swapaxes(S, 1, 2)
        c = code.center_of_mass(q)[:, None, :]
        k = np.swapaxes(A[:, :3], 1, 2) - cross(c + 0 * np.swapaxes(A[:, 3:], 1, 2), np.swapaxes(A[:, 3:], 1, 2))
        return np.concatenate([np.swapaxes(k, 1, 2), A[:, 3:]], axis=1)

    code.centroidal_momentum_matrix = momentum_matrix
    code.centroidal_momentum = lambda q, v: times(momentum_matrix(q), v)
