"""Models that are read wrongly: one number, sign, axis or frame of one body or joint, or of all."""

from __future__ import annotations

from typing import Any

import numpy as np

from score.changes import has_mass, has_offset, has_products, links
from score.entry import DYNAMICS, fault
from score.library.jacobian_sums import JacobianSums
from score.library.model import Link
from score.library.root_frame import RootFrame
from score.library.vectors import skew
from score.words import ABSENT, AXIS, COM, MASS, MOMENT, NUMBER, ORIGIN, OTHER, PARENT, SIGN, SWAPPED, TRANSPOSED, TWICE

STANFORD, PUMA, TREE, SATELLITE = "stanford-arm", "puma560", "wall-arms", "satellite"


def steiner(link: Link) -> np.ndarray[Any, Any]:
    c = skew(link.com)
    return -link.mass * c @ c


@fault("model", MASS, rf"{NUMBER}|low", term="mass|inertial", where="forearm_link")
def mass_one_per_cent_low(code: Any) -> None:
    """The mass of the forearm is 1 % low."""
    for link in code.model.named("forearm_link"):
        link.mass *= 0.99


@fault("model", MASS, rf"{NUMBER}|high", term="mass|inertial", where="link3", mechanism=STANFORD, offers=("inverse_dynamics",))
def mass_one_gram_high(code: Any) -> None:
    """The mass of link3 is 1 g high; only inverse dynamics is offered."""
    for link in code.model.named("link3"):
        link.mass += 0.001


@fault("model", MASS, ABSENT, term="mass|inertial", where="left hand", mechanism=TREE)
def mass_of_hand_left_out(code: Any) -> None:
    """The left hand has no mass, and keeps its inertia about its centre of mass."""
    for link in code.model.named("left hand"):
        link.mass = 0.0


@fault("model", rf"{MASS}|{COM}|{MOMENT}|inerti|link", SWAPPED, term="mass|inerti", where=("forearm_link", "wrist_1_link"))
def swapped_links(code: Any) -> None:
    """The inertial numbers of the forearm and of wrist 1 are exchanged."""
    pair = [*code.model.named("forearm_link"), *code.model.named("wrist_1_link")]
    if len(pair) == 2:
        first, second = pair
        for name in ("mass", "com", "inertia"):
            ours, theirs = getattr(first, name), getattr(second, name)
            setattr(first, name, theirs)
            setattr(second, name, ours)


@fault("model", MASS, SWAPPED, term="mass|inerti", where=("link4", "link5"), mechanism=PUMA, of=RootFrame)
def swapped_masses(code: Any) -> None:
    """The masses of link4 and link5 are exchanged."""
    pair = [*code.model.named("link4"), *code.model.named("link5")]
    if len(pair) == 2:
        pair[0].mass, pair[1].mass = pair[1].mass, pair[0].mass


@fault("model", COM, SIGN, term="mass|inertial", where="upper_arm_link")
def com_sign(code: Any) -> None:
    """The centre of mass of the upper arm has the wrong sign."""
    for link in code.model.named("upper_arm_link"):
        link.com = -link.com


@fault("model", COM, PARENT, term="mass|inertial", where="upper_arm_link")
def com_in_parent_axes(code: Any) -> None:
    """The centre of mass of the upper arm is read along the parent's axes."""
    for link in code.model.named("upper_arm_link"):
        link.com = link.R.T @ link.com


@fault("model", COM, PARENT, term="mass|inertial", where="left hand", mechanism=TREE, of=JacobianSums)
def com_of_hand_in_parent_axes(code: Any) -> None:
    """The centre of mass of the left hand is read along the parent's axes."""
    for link in code.model.named("left hand"):
        link.com = link.R.T @ link.com


@fault("model", COM, rf"{NUMBER}|off|shift|mov", term="mass|inertial", where="link2", mechanism=STANFORD)
def com_off_by_one_millimetre(code: Any) -> None:
    """The centre of mass of link2 is 1 mm off along z."""
    for link in code.model.named("link2"):
        link.com = link.com + np.array([0, 0, 0.001])


@fault("model", COM, ABSENT, term="mass|inertial", where="camera", mechanism=SATELLITE)
def com_of_camera_left_out(code: Any) -> None:
    """The centre of mass of the camera is taken to be its origin."""
    for link in code.model.named("camera"):
        link.com = 0 * link.com


def _product(name: str, body: str, mechanism: str, r: int, s: int, kind: str) -> None:
    def change(code: Any) -> None:
        for link in code.model.named(body):
            link.inertia = link.inertia.copy()
            link.inertia[r, s] *= -1
            link.inertia[s, r] *= -1

    change.__name__, change.__doc__ = name, f"{kind} of {body} has the wrong sign"
    fault("model", rf"{kind}|product", SIGN, term="inertia|product", where=body, mechanism=mechanism)(change)


_product("ixy_sign", "left hand", TREE, 0, 1, "Ixy")
_product("ixz_sign", "camera", SATELLITE, 0, 2, "Ixz")
_product("iyz_sign", "right slide", TREE, 1, 2, "Iyz")


@fault("model", r"Ixx|Iyy|Izz|moments?|inertia", SWAPPED, term="inertia", where="link2", mechanism=PUMA)
def exchanged_moments(code: Any) -> None:
    """Ixx and Izz of link2 are exchanged."""
    for link in code.model.named("link2"):
        xx, _yy, zz = np.diag(link.inertia)
        link.inertia = link.inertia + np.diag([zz - xx, 0, xx - zz])


@fault("model", MOMENT, "origin|centre of mass|parallel|Steiner", term="inertia", where="forearm_link")
def inertia_about_origin(code: Any) -> None:
    """The inertia of the forearm is taken for that about the origin."""
    for link in code.model.named("forearm_link"):
        link.inertia = link.inertia - steiner(link)


@fault("model", MOMENT, "origin|centre of mass|parallel|Steiner|twice", term="inertia", where="link3", mechanism=STANFORD)
def parallel_axes_twice(code: Any) -> None:
    """The parallel axes of link3 are added twice: its inertia about the origin stands for that about the centre of mass."""
    for link in code.model.named("link3"):
        link.inertia = link.inertia + steiner(link)


@fault("model", MOMENT, ABSENT, term="inertia", where="wrist_2_link")
def inertia_of_wrist_left_out(code: Any) -> None:
    """Wrist 2 is a point mass."""
    for link in code.model.named("wrist_2_link"):
        link.inertia = 0 * link.inertia


@fault("model", MOMENT, rf"{NUMBER}|high", term="inertia", where="link5", mechanism=PUMA)
def izz_ten_per_cent_high(code: Any) -> None:
    """Izz of link5 is 10 % high."""
    for link in code.model.named("link5"):
        link.inertia = link.inertia * np.array([[1, 1, 1], [1, 1, 1], [1, 1, 1.1]])


@fault("model", MOMENT, rf"{PARENT}|rotat|turn|axes|frame", term="inertia", where="left hand", mechanism=TREE)
def inertia_in_parent_axes(code: Any) -> None:
    """The rotational inertia of the left hand is read along the parent's axes."""
    for link in code.model.named("left hand"):
        link.inertia = link.R.T @ link.inertia @ link.R


@fault("model", MOMENT, SIGN, term="inertia|product", where=has_products, mechanism=TREE)
def products_sign(code: Any) -> None:
    """All products of inertia have the wrong sign."""
    for link in links(code):
        link.inertia = 2 * np.diag(np.diag(link.inertia)) - link.inertia


@fault("model", MOMENT, "origin|centre of mass|parallel|Steiner", term="inertia", where=has_offset, mechanism=STANFORD)
def inertias_about_origins(code: Any) -> None:
    """All inertias are taken for those about the origins."""
    for link in links(code):
        link.inertia = link.inertia - steiner(link)


@fault("model", COM, ABSENT, term="mass", where=has_offset, mechanism="spatial-3r")
def coms_left_out(code: Any) -> None:
    """All centres of mass are taken to be the origins."""
    for link in links(code):
        link.com = 0 * link.com


@fault("model convention", MASS, r"gram|1000|0\.001|unit|kg|factor", term="mass", where=has_mass, offers=DYNAMICS)
def masses_in_grams(code: Any) -> None:
    """All masses are in grams."""
    for link in links(code):
        link.mass *= 1000


@fault(
    "model convention",
    "length|translat|placement|millimet|distance|origin",
    r"milli|1000|0\.001|unit|factor|mm",
    term="placement|length|unit",
)
def placements_in_millimetres(code: Any) -> None:
    """The origins of all joints are in millimetres."""
    for link in links(code):
        link.p = 1000 * link.p


@fault("model", MASS, "1 kg|default|without|massless|no (mass|inertia)", term="mass|inertia", where="cross", mechanism=SATELLITE)
def one_kilogram_by_default(code: Any) -> None:
    """Bodies without inertia get 1 kg."""
    for link in links(code, lambda link: link.is_body and link.mass == 0 and not link.inertia.any()):
        link.mass = 1.0


@fault("model convention", AXIS, SIGN, term="ax|joint", where="elbow_joint")
def axis_sign(code: Any) -> None:
    """The axis of the elbow has the wrong sign."""
    for link in code.model.named("elbow_joint"):
        link.turn, link.slide = -link.turn, -link.slide


@fault("model", AXIS, rf"{OTHER}|\b[xyz]\b|\(", term="ax|joint", where="wrist_2_joint")
def wrong_axis(code: Any) -> None:
    """The axis of wrist 2 is another one of its frame's axes."""
    for link in code.model.named("wrist_2_joint"):
        link.turn = np.roll(link.turn, 1, axis=0)


@fault("model", AXIS, PARENT, term="ax|joint", where="pan", mechanism=SATELLITE)
def axis_in_parent_frame(code: Any) -> None:
    """The axis of the pan joint is read in the parent's frame."""
    for link in code.model.named("pan"):
        link.turn = link.R.T @ link.turn


@fault(
    "model",
    AXIS,
    r"snap|round|x, y or z|align|skew|coordinate|nearest|\(|\b[xyz]\b",
    term="ax|joint",
    where="left elbow",
    mechanism=TREE,
)
def snapped_axis(code: Any) -> None:
    """The skew axis of the left elbow is snapped to the nearest of x, y and z."""
    for link in code.model.named("left elbow"):
        link.turn = np.sign(link.turn) * (np.abs(link.turn) == np.abs(link.turn).max())


@fault("model", f"{ORIGIN}|rotat|frame", TRANSPOSED, term="placement|rotat", where="shoulder_lift_joint")
def transposed_placement(code: Any) -> None:
    """The rotation of the shoulder lift's placement is transposed."""
    for link in code.model.named("shoulder_lift_joint"):
        link.R = link.R.T


@fault(
    "model",
    f"{ORIGIN}|rotat|frame",
    rf"{ABSENT}|not (rotated|turned)|identity",
    term="placement|rotat",
    where="joint4",
    mechanism=PUMA,
)
def placement_not_turned(code: Any) -> None:
    """The placement of joint4 is not rotated."""
    for link in code.model.named("joint4"):
        link.R = np.eye(3)


@fault("model", ORIGIN, rf"{ABSENT}|not translated", term="placement", where="left wrist", mechanism=TREE)
def placement_not_shifted(code: Any) -> None:
    """The origin of the left wrist is left out."""
    for link in code.model.named("left wrist"):
        link.p = 0 * link.p


@fault("model", ORIGIN, rf"{NUMBER}|off|mov|shift|\bmm\b", term="placement", where="wrist_1_joint")
def origin_off_by_one_millimetre(code: Any) -> None:
    """The origin of wrist 1 is 1 mm off along x."""
    for link in code.model.named("wrist_1_joint"):
        link.p = link.p + np.array([0.001, 0, 0])


@fault("model", ORIGIN, SIGN, term="placement", where="joint4", mechanism=PUMA)
def origin_sign(code: Any) -> None:
    """The origin of joint4 has the wrong sign."""
    for link in code.model.named("joint4"):
        link.p = -link.p


@fault("model", ORIGIN, SIGN, term="placement", where="elbow_joint", mechanism="free:ur5", of=RootFrame)
def origin_sign_on_free_base(code: Any) -> None:
    """The origin of the elbow has the wrong sign, on a free base."""
    for link in code.model.named("elbow_joint"):
        link.p = -link.p


@fault("model", ORIGIN, ABSENT, term="placement|root", where="left ball", mechanism=TREE)
def placement_on_root_left_out(code: Any) -> None:
    """The placement of the left ball on the root is left out."""
    for link in code.model.named("left ball"):
        link.R, link.p = np.eye(3), np.zeros(3)


@fault(
    "model term",
    "damping",
    OTHER,
    term="damping",
    where=("joint1", "joint2", "joint3", "joint4", "joint5", "joint6"),
    unnamed=".",
    mechanism=STANFORD,
)
def damping_of_neighbours(code: Any) -> None:
    """Every joint has the damping of the next one."""
    bodies = code.model.bodies
    values = [link.damping for link in bodies]
    for link, value in zip(bodies, values[1:] + values[:1], strict=True):
        link.damping = value


@fault("model term", "damping", rf"{OTHER}|{NUMBER}", term="damping", where="joint3", mechanism=PUMA)
def damping_of_one_neighbour(code: Any) -> None:
    """Joint3 has the damping of joint4."""
    for link, other in zip(code.model.named("joint3"), code.model.named("joint4"), strict=False):
        link.damping = other.damping


@fault("model term", "damping", ABSENT, term="damping", where="right slide", mechanism=TREE)
def damping_of_slide_left_out(code: Any) -> None:
    """The damping of the right slide is left out."""
    for link in code.model.named("right slide"):
        link.damping = 0.0


@fault("model term", "armature|rotor", ABSENT, term="armature", where="joint6", mechanism=STANFORD)
def armature_of_last_left_out(code: Any) -> None:
    """The armature of joint6 is left out."""
    for link in code.model.named("joint6"):
        link.armature = 0.0


@fault("model term", "armature|rotor", TWICE, term="armature", where="joint2", mechanism=PUMA, of=RootFrame)
def armature_of_one_twice(code: Any) -> None:
    """The armature of joint2 counts twice."""
    for link in code.model.named("joint2"):
        link.armature *= 2


@fault("model", "pitch", SIGN, term="pitch|helical", where="vice", mechanism="screw-jack")
def pitch_sign(code: Any) -> None:
    """The pitch of the vice has the wrong sign."""
    for link in code.model.named("vice"):
        link.slide = -link.slide


@fault(
    "model convention",
    "pitch",
    r"turn|2 ?π|revolution|6\.28|0\.159|unit|factor",
    term="pitch|helical",
    where=("jack", "vice"),
    unnamed=".",
    mechanism="screw-jack",
)
def pitch_per_turn(code: Any) -> None:
    """The pitch is taken per turn instead of per radian."""
    for link in links(code, lambda link: link.kind == "helical"):
        link.slide = link.slide / (2 * np.pi)


@fault(
    "model convention",
    AXIS,
    r"right angle|perpendicular|orthogonal|second",
    term="ax|universal",
    where="second",
    unnamed=".",
    mechanism="universal-pendulum",
)
def second_axis_at_right_angle(code: Any) -> None:
    """The second axis of a universal joint is made perpendicular to the first."""
    for i, link in enumerate(code.model.links):
        if link.kind == "universal" and link.is_body:
            first = code.model.links[i - 1].turn[:, 0]
            t = link.turn[:, 0] - first * (first @ link.turn[:, 0])
            link.turn = (t / np.linalg.norm(t))[:, None]


@fault(
    "model",
    "parent|hung|hang|tree|root|behind|outboard",
    r"root|wrong|another|other|hub",
    term="tree|branch|parent",
    where="pan",
    mechanism=SATELLITE,
)
def wrong_parent(code: Any) -> None:
    """The cross hangs on the hub instead of the boom."""
    boom = next(code.model.named("boom"), None)
    for link in code.model.named("cross"):
        if boom is not None and link.parent == code.model.links.index(boom):
            link.parent = boom.parent
