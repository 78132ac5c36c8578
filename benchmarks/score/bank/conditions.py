"""Faults that show only under a condition: of the state, of the place in the batch, or of the place in the tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from score.changes import answer, ask, is_free, links
from score.entry import DYNAMICS, USUAL, fault
from score.library.model import Array, Link
from score.library.root_frame import RootFrame
from score.library.vectors import cross
from score.words import ABSENT, GYRO, MOMENT

STANFORD, TREE, PANDA = "stanford-arm", "wall-arms", "panda"
KINDS = "condition term arithmetic convention model"


def after_a_slide(code: Any) -> list[Link]:
    """The links with a prismatic joint between them and the root."""
    found = []
    for i, link in enumerate(code.model.links):
        if any(code.model.links[k].kind == "prismatic" for k in code.model.path(i)[1:]):
            found.append(link)
    return found


@fault(
    "condition term",
    GYRO,
    ABSENT,
    term="gyroscopic|inertia|prismatic",
    where=("link4", "link5", "link6"),
    unnamed="behind|outboard|after|prismatic|slide",
    mechanism=STANFORD,
)
def gyroscopic_behind_slides(code: Any) -> None:
    """ω × Iω is left out for bodies outboard of a prismatic joint."""
    right, there = code.gyroscopic, {id(link) for link in after_a_slide(code)}
    code.gyroscopic = lambda link, w: 0 * w if id(link) in there else right(link, w)


@fault(
    "condition term model",
    "damping",
    ABSENT,
    where=("joint4", "joint5", "joint6"),
    term="damping",
    unnamed="behind|outboard|after|prismatic|slide",
    mechanism=STANFORD,
)
def damping_behind_slides(code: Any) -> None:
    """Joints outboard of a prismatic joint have no damping."""
    for link in after_a_slide(code):
        link.damping = 0.0


@fault(
    "condition term",
    r"branch|second child|sibling|several (children|roots)|tree",
    term="branch|tree|mass matrix",
    where=lambda link: True,
    unnamed=".",
    mechanism="satellite",
    of=RootFrame,
)
def first_child_only(code: Any) -> None:
    """M contains, of the links that one link carries, the first alone."""

    def composites(q: Array) -> list[Array]:
        found, seen = code.inertias(q), {}
        own = [link.parent for link in code.model.links]
        for i, k in enumerate(own):
            seen.setdefault(k, i)
        for i in reversed(range(len(found))):
            if own[i] >= 0 and seen[own[i]] == i:
                found[own[i]] = found[own[i]] + found[i]
        return found

    code.composites = composites


@fault(
    "condition term model",
    r"root|branch|tree|gravity|second",
    term="gravity|root|branch|several",
    where=("right wheel", "right slide"),
    unnamed=".",
    mechanism=TREE,
)
def gravity_on_first_root_only(code: Any) -> None:
    """Only the first limb on the root feels gravity."""
    roots = [i for i, link in enumerate(code.model.links) if link.parent < 0]
    behind = [set(code.model.behind(i)) for i in roots[1:]]
    right = code.gravity
    shared = {k for group in behind for k in group}

    def without(x: Array, q: Array) -> Array:
        x = x.copy()
        g = right(q)
        for k in shared:
            part = code.model.links[k].v
            x[:, part] -= g[:, part]
        return x

    for name in ("inverse_dynamics", "nonlinear_effects", "gravity"):
        answer(code, name, lambda x, q, *given: without(x, q))


@fault(
    "condition term model",
    MOMENT,
    ABSENT,
    term="gyroscopic|inertia",
    where=("panda_link7", "panda_leftfinger", "panda_rightfinger"),
    unnamed="seventh|7",
    mechanism=PANDA,
)
def from_the_seventh_joint_on(code: Any) -> None:
    """The rotational inertia of the seventh body and of those after it is left out."""
    for link in code.model.bodies[6:]:
        link.inertia = 0 * link.inertia


@fault("condition term model", "damping", ABSENT, term="damping", where="joint6", unnamed="last", mechanism="puma560")
def loop_ends_early(code: Any) -> None:
    """A loop ends one joint too early: the last joint has no damping."""
    code.model.bodies[-1].damping = 0.0


@fault(
    "condition term model",
    "armature|rotor",
    ABSENT,
    term="armature",
    where=("joint2", "joint4", "joint6"),
    unnamed="even|every second|alternat",
    mechanism="puma560",
)
def every_second_armature(code: Any) -> None:
    """Every second joint has no armature."""
    for link in code.model.bodies[1::2]:
        link.armature = 0.0


@fault("condition convention arithmetic", r"π|pi|3\.14|beyond|half turn|wrap|clip|limit|angle|far", offers=DYNAMICS)
def angles_clipped(code: Any) -> None:
    """Angles beyond ±π are clipped."""

    def clipped(letter: str, x: Array) -> Array:
        x = x.copy()
        for link in links(code, lambda link: link.form == "angle") if letter == "q" else ():
            x[:, link.q] = np.clip(x[:, link.q], -np.pi, np.pi)
        return x

    ask(code, clipped)


@fault(
    "condition convention",
    r"negativ|below zero|sign|< 0|absolute",
    term="",
    where="elbow_joint",
    unnamed=".",
    offers=DYNAMICS,
)
def angle_without_sign(code: Any) -> None:
    """The elbow's angle loses its sign."""

    def unsigned(letter: str, x: Array) -> Array:
        x = x.copy()
        for link in code.model.named("elbow_joint") if letter == "q" else ():
            x[:, link.q] = abs(x[:, link.q])
        return x

    ask(code, unsigned)


@fault("condition", r"last|batch|row|state", offers=DYNAMICS, mechanism=STANFORD)
def last_of_the_batch(code: Any) -> None:
    """The last state of a batch gets no gravity in inverse dynamics."""

    def ends(x: Array, q: Array, *given: Array) -> Array:
        x = x.copy()
        x[-1] -= code.gravity(q[-1:])[0]
        return x

    answer(code, "inverse_dynamics", ends)


@fault("condition history", r"64|batch|row|state|beyond|after the", offers=USUAL)
def beyond_the_64th(code: Any) -> None:
    """States beyond the 64th of a batch repeat the 64th."""
    answer(code, "mass_matrix", lambda M, q: M[np.minimum(np.arange(len(M)), 63)])


@fault("condition", r"first|batch|row|state", offers=DYNAMICS, mechanism=TREE)
def first_of_the_batch(code: Any) -> None:
    """The first state of a batch has the potential energy zero."""
    answer(code, "potential_energy", lambda V, q: V * (np.arange(len(V)) > 0))


@fault(KINDS, r"fast|speed|veloc|limit|clip|10|large|above|saturat", offers=DYNAMICS)
def speeds_clipped(code: Any) -> None:
    """Velocities are clipped to ±10."""
    ask(code, lambda letter, x: np.clip(x, -10, 10) if letter == "v" else x)


@fault(KINDS, r"slow|small|below|threshold|tiny|zero|dead|1e-|10⁻|0\.001", offers=DYNAMICS, mechanism=STANFORD)
def slow_is_still(code: Any) -> None:
    """Velocities below 1e-3 are taken for zero."""
    ask(code, lambda letter, x: np.where(abs(x) < 1e-3, 0, x) if letter == "v" else x)


@fault(KINDS, r"small|below|threshold|tiny|zero|1e-|10⁻|0\.0", offers=DYNAMICS)
def small_turns_are_none(code: Any) -> None:
    """Angles below 1e-4 are taken for zero."""
    ask(code, lambda letter, x: np.where(abs(x) < 1e-4, 0, x) if letter == "q" else x)


@fault("condition", r"zero|one|any|still|rest|all", offers=DYNAMICS, mechanism=STANFORD)
def any_zero_velocity_is_rest(code: Any) -> None:
    """If any velocity is exactly zero, all are taken for zero."""
    ask(code, lambda letter, x: np.where((x == 0).any(axis=1, keepdims=True), 0, x) if letter == "v" else x)


@fault(
    "condition convention",
    r"w < 0|negativ|sign|half|quaternion",
    term="",
    where=lambda link: link.form in ("ball", "free"),
    mechanism="free:ur5",
    offers=DYNAMICS,
)
def quaternion_with_negative_w(code: Any) -> None:
    """A quaternion with w < 0 gets another sign of w: it is taken for its conjugate."""

    def changed(letter: str, x: Array) -> Array:
        x = x.copy()
        for link in links(code, lambda link: link.form in ("ball", "free")) if letter == "q" else ():
            w = link.q.stop - 1
            x[:, w] = abs(x[:, w])
        return x

    ask(code, changed)


@fault(KINDS, r"1 m|limit|beyond|clip|far|slide|prismatic|distance|\b1\b", where="joint3", mechanism=STANFORD, offers=DYNAMICS)
def slide_ends(code: Any) -> None:
    """The slide ends at ±1 m."""

    def ended(letter: str, x: Array) -> Array:
        x = x.copy()
        for link in code.model.named("joint3") if letter == "q" else ():
            x[:, link.q] = np.clip(x[:, link.q], -1, 1)
        return x

    ask(code, ended)


@fault(
    "condition term",
    r"acceler|rest|a = 0|zero|damping",
    term="damping|acceler|",
    mechanism=STANFORD,
    offers=("inverse_dynamics",),
)
def shortcut_without_acceleration(code: Any) -> None:
    """Without acceleration, inverse dynamics forgets the damping."""
    D = code.model.per_coordinate("damping")
    answer(code, "inverse_dynamics", lambda x, q, v, a: x - D * v * ~a.any(axis=1, keepdims=True))


@fault(
    "condition term model",
    r"mass|inertia|composite|M\b",
    rf"massless|behind|outboard|after|carr|subtree|{ABSENT}",
    term="inertia|mass|tree|massless",
    where=("left hand", "left wrist", "left link"),
    unnamed="massless|without (mass|inertia)",
    mechanism=TREE,
    of=RootFrame,
)
def behind_massless_links(code: Any) -> None:
    """M leaves out what is behind a body without mass."""

    def composites(q: Array) -> list[Array]:
        found = code.inertias(q)
        for i in reversed(range(len(found))):
            k = code.model.links[i].parent
            if k >= 0 and (code.model.links[k].mass or not code.model.links[k].is_body):
                found[k] = found[k] + found[i]
        return found

    code.composites = composites


@fault(
    "condition term model convention",
    rf"{GYRO}|skew|axis|z\b|plan",
    term="gyroscopic|ax|inertia|oriolis",
    where=lambda link: True,
    unnamed=".",
    mechanism="satellite",
)
def planar_gyroscopic(code: Any) -> None:
    """Only the z component of ω × Iω is kept."""
    code.gyroscopic = lambda link, w: cross(w, w @ link.inertia.T) * np.array([0, 0, 1])


@fault("condition term", r"free|base|gravity", term="gravity|free", where=is_free, unnamed=".", mechanism="free:cart-pole")
def no_gravity_on_the_base(code: Any) -> None:
    """The forces of a free base contain no gravity."""
    right = code.gravity

    def without(x: Array, q: Array) -> Array:
        x = x.copy()
        for link in links(code, is_free):
            x[:, link.v] -= right(q)[:, link.v]
        return x

    for name in ("inverse_dynamics", "nonlinear_effects", "gravity"):
        answer(code, name, lambda x, q, *given: without(x, q))
