"""Faults that show only under a condition: of the state, of the place in the batch, or of the place in the tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from score.changes import FORCES, answer, answer_at, ask, ask_at, has_quaternion, is_angle, is_free
from score.entry import CART, DYNAMICS, PUMA, SATELLITE, STANFORD, TREE, fault
from score.library.model import Array, Link
from score.library.root_frame import RootFrame
from score.library.vectors import cross
from score.words import ABSENT, BEHIND_SLIDES, GYRO, MOMENT, ROTOR, Topic

ANY_KIND = "condition term arithmetic convention model"
OF_PLACE = "condition term model"


def after_a_slide(code: Any) -> list[Link]:
    """The links with a prismatic joint between them and the root."""
    model = code.model
    return [link for i, link in enumerate(model.links) if any(model.links[k].kind == "prismatic" for k in model.path(i)[1:])]


WRIST = ("link4", "link5", "link6")
GYROSCOPIC_THERE = Topic("condition term", GYRO, "gyroscopic|inertia|prismatic")


@fault(GYROSCOPIC_THERE, ABSENT, where=WRIST, unnamed=BEHIND_SLIDES, on=STANFORD)
def gyroscopic_behind_slides(code: Any) -> None:
    """ω × Iω is left out for bodies outboard of a prismatic joint."""
    right, there = code.gyroscopic, {id(link) for link in after_a_slide(code)}
    code.gyroscopic = lambda link, w: 0 * w if id(link) in there else right(link, w)


DAMPING_THERE = Topic(OF_PLACE, "damping", "damping")


@fault(DAMPING_THERE, ABSENT, where=("joint4", "joint5", "joint6"), unnamed=BEHIND_SLIDES, on=STANFORD)
def damping_behind_slides(code: Any) -> None:
    """Joints outboard of a prismatic joint have no damping."""
    for link in after_a_slide(code):
        link.damping = 0.0


BRANCHES = Topic("condition term", r"branch|second child|sibling|several (children|roots)|tree", "branch|tree|mass matrix")


@fault(BRANCHES, unnamed=".", on=SATELLITE, of=RootFrame)
def first_child_only(code: Any) -> None:
    """M contains, of the links that one link carries, the first alone."""
    parents = [link.parent for link in code.model.links]
    code.carried = lambda i: parents.index(parents[i]) == i


ROOTS = Topic(OF_PLACE, r"root|branch|tree|gravity|second", "gravity|root|branch|several")


@fault(ROOTS, where=("right wheel", "right slide"), unnamed=".", on=TREE)
def gravity_on_first_root_only(code: Any) -> None:
    """Only the first limb on the root feels gravity."""
    model = code.model
    others = {id(link) for i, link in enumerate(model.links) if model.path(i)[-1] != 0}
    answer_at(code, FORCES, lambda link: id(link) in others, lambda x, g: x - g)


HAND = ("panda_link7", "panda_leftfinger", "panda_rightfinger")


@fault(Topic(OF_PLACE, MOMENT, "gyroscopic|inertia"), ABSENT, where=HAND, unnamed="seventh|7", on="panda")
def from_the_seventh_joint_on(code: Any) -> None:
    """The rotational inertia of the seventh body and of those after it is left out."""
    for link in code.model.bodies[6:]:
        link.inertia = 0 * link.inertia


@fault(DAMPING_THERE, ABSENT, where="joint6", unnamed="last", on=PUMA)
def loop_ends_early(code: Any) -> None:
    """A loop ends one joint too early: the last joint has no damping."""
    code.model.bodies[-1].damping = 0.0


EVEN = ("joint2", "joint4", "joint6")


@fault(Topic(OF_PLACE, ROTOR, "armature"), ABSENT, where=EVEN, unnamed="even|every second|alternat", on=PUMA)
def every_second_armature(code: Any) -> None:
    """Every second joint has no armature."""
    for link in code.model.bodies[1::2]:
        link.armature = 0.0


FAR = Topic("condition convention arithmetic", r"π|pi|3\.14|beyond|half turn|wrap|clip|limit|angle|far")


@fault(FAR, offers=DYNAMICS)
def angles_clipped(code: Any) -> None:
    """Angles beyond ±π are clipped."""
    ask_at(code, "q", is_angle, lambda q: np.clip(q, -np.pi, np.pi))


NEGATIVE = Topic("condition convention", r"negativ|below zero|sign|< 0|absolute")


@fault(NEGATIVE, where="elbow_joint", unnamed=".", offers=DYNAMICS)
def angle_without_sign(code: Any) -> None:
    """The elbow's angle loses its sign."""
    ask_at(code, "q", ("elbow_joint",), abs)


@fault(Topic("condition", r"last|batch|row|state"), offers=DYNAMICS, on=STANFORD)
def last_of_the_batch(code: Any) -> None:
    """The last state of a batch gets no gravity in inverse dynamics."""

    def ends(x: Array, q: Array, *given: Array) -> Array:
        x = x.copy()
        x[-1] -= code.gravity(q[-1:])[0]
        return x

    answer(code, "inverse_dynamics", ends)


@fault(Topic("condition history", r"64|batch|row|state|beyond|after the"))
def beyond_the_64th(code: Any) -> None:
    """States beyond the 64th of a batch repeat the 64th."""
    answer(code, "mass_matrix", lambda M, q: M[np.minimum(np.arange(len(M)), 63)])


@fault(Topic("condition", r"first|batch|row|state"), offers=DYNAMICS, on=TREE)
def first_of_the_batch(code: Any) -> None:
    """The first state of a batch has the potential energy zero."""
    answer(code, "potential_energy", lambda V, q: V * (np.arange(len(V)) > 0))


@fault(Topic(ANY_KIND, r"fast|speed|veloc|limit|clip|10|large|above|saturat"), offers=DYNAMICS)
def speeds_clipped(code: Any) -> None:
    """Velocities are clipped to ±10."""
    ask(code, "v", lambda x: np.clip(x, -10, 10))


@fault(Topic(ANY_KIND, r"slow|small|below|threshold|tiny|zero|dead|1e-|10⁻|0\.001"), offers=DYNAMICS, on=STANFORD)
def slow_is_still(code: Any) -> None:
    """Velocities below 1e-3 are taken for zero."""
    ask(code, "v", lambda x: np.where(abs(x) < 1e-3, 0, x))


@fault(Topic(ANY_KIND, r"small|below|threshold|tiny|zero|1e-|10⁻|0\.0"), offers=DYNAMICS)
def small_turns_are_none(code: Any) -> None:
    """Angles below 1e-4 are taken for zero."""
    ask(code, "q", lambda x: np.where(abs(x) < 1e-4, 0, x))


@fault(Topic("condition", r"zero|one|any|still|rest|all"), offers=DYNAMICS, on=STANFORD)
def any_zero_velocity_is_rest(code: Any) -> None:
    """If any velocity is exactly zero, all are taken for zero."""
    ask(code, "v", lambda x: np.where((x == 0).any(axis=1, keepdims=True), 0, x))


HALF = Topic("condition convention", r"w < 0|negativ|sign|half|quaternion")


@fault(HALF, where=has_quaternion, on="free:ur5", offers=DYNAMICS)
def quaternion_with_negative_w(code: Any) -> None:
    """A quaternion with w < 0 gets another sign of w: it is taken for its conjugate."""
    ask_at(code, "q", has_quaternion, lambda q: np.hstack([q[:, :-1], abs(q[:, -1:])]))


SLIDE = Topic(ANY_KIND, r"1 m|limit|beyond|clip|far|slide|prismatic|distance|\b1\b")


@fault(SLIDE, where="joint3", on=STANFORD, offers=DYNAMICS)
def slide_ends(code: Any) -> None:
    """The slide ends at ±1 m."""
    ask_at(code, "q", ("joint3",), lambda q: np.clip(q, -1, 1))


RESTING = Topic("condition term", r"acceler|rest|a = 0|zero|damping", "damping|acceler|")


@fault(RESTING, on=STANFORD, offers=("inverse_dynamics",))
def shortcut_without_acceleration(code: Any) -> None:
    """Without acceleration, inverse dynamics forgets the damping."""
    D = code.model.per_coordinate("damping")
    answer(code, "inverse_dynamics", lambda x, q, v, a: x - D * v * ~a.any(axis=1, keepdims=True))


CARRIED = Topic(OF_PLACE, r"mass|inertia|composite|M\b", "inertia|mass|tree|massless")
ARM = ("left hand", "left wrist", "left link")
MASSLESS = rf"massless|behind|outboard|after|carr|subtree|{ABSENT}"


@fault(CARRIED, MASSLESS, where=ARM, unnamed="massless|without (mass|inertia)", on=TREE, of=RootFrame)
def behind_massless_links(code: Any) -> None:
    """M leaves out what is behind a body without mass."""
    links = code.model.links
    code.carried = lambda i: bool(links[links[i].parent].mass or not links[links[i].parent].is_body)


PLANAR = Topic(f"{OF_PLACE} convention", rf"{GYRO}|skew|axis|z\b|plan", "gyroscopic|ax|inertia|oriolis")


@fault(PLANAR, unnamed=".", on=SATELLITE)
def planar_gyroscopic(code: Any) -> None:
    """Only the z component of ω × Iω is kept."""
    code.gyroscopic = lambda link, w: cross(w, w @ link.inertia.T) * np.array([0, 0, 1])


@fault(Topic("condition term", r"free|base|gravity", "gravity|free"), where=is_free, unnamed=".", on=f"free:{CART}")
def no_gravity_on_the_base(code: Any) -> None:
    """The forces of a free base contain no gravity."""
    answer_at(code, FORCES, is_free, lambda x, g: x - g)
