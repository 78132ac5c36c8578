"""Models that are read wrongly: one number, sign, axis or frame of one body or joint, or of all."""

from __future__ import annotations

from typing import Any

import numpy as np

from score.changes import both, has_mass, has_offset, has_products, links
from score.entry import DYNAMICS, PUMA, SATELLITE, SPATIAL, STANFORD, TREE, fault, misread
from score.library.model import Link
from score.library.root_frame import RootFrame
from score.library.three_vectors import JacobianSums
from score.library.vectors import skew
from score.words import (
    ABSENT,
    ARMATURE,
    AXIS,
    COM,
    COM_OF_BODY,
    DAMPING,
    INERTIA,
    JOINT_AXIS,
    JOINT_FRAME,
    JOINT_ORIGIN,
    MASS,
    MASS_OF_BODY,
    MOMENT,
    NUMBER,
    ORIGIN,
    OTHER,
    PARENT,
    PRODUCTS,
    SIGN,
    SWAPPED,
    TRANSPOSED,
    TWICE,
    Topic,
)  # fmt: skip

STEINER = "origin|centre of mass|parallel|Steiner"


def steiner(link: Link) -> np.ndarray[Any, Any]:
    c = skew(link.com)
    return -link.mass * c @ c


@misread(MASS_OF_BODY, rf"{NUMBER}|low", where="forearm_link")
def mass_one_per_cent_low(link: Link) -> None:
    """The mass of the forearm is 1 % low."""
    link.mass *= 0.99


@misread(MASS_OF_BODY, rf"{NUMBER}|high", where="link3", on=STANFORD, offers=("inverse_dynamics",))
def mass_one_gram_high(link: Link) -> None:
    """The mass of link3 is 1 g high; only inverse dynamics is offered."""
    link.mass += 0.001


@misread(MASS_OF_BODY, ABSENT, where="left hand", on=TREE)
def mass_of_hand_left_out(link: Link) -> None:
    """The left hand has no mass, and keeps its inertia about its centre of mass."""
    link.mass = 0.0


@fault(Topic("model", rf"{MASS}|{COM}|{MOMENT}|inerti|link", "mass|inerti"), SWAPPED, where=("forearm_link", "wrist_1_link"))
def swapped_links(code: Any) -> None:
    """The inertial numbers of the forearm and of wrist 1 are exchanged."""
    for one, other in both(code, "forearm_link", "wrist_1_link"):
        one.mass, one.com, one.inertia, other.mass, other.com, other.inertia = (
            *(other.mass, other.com, other.inertia), *(one.mass, one.com, one.inertia),
        )  # fmt: skip


@fault(Topic("model", MASS, "mass|inerti"), SWAPPED, where=("link4", "link5"), on=PUMA, of=RootFrame)
def swapped_masses(code: Any) -> None:
    """The masses of link4 and link5 are exchanged."""
    for one, other in both(code, "link4", "link5"):
        one.mass, other.mass = other.mass, one.mass


@misread(COM_OF_BODY, SIGN, where="upper_arm_link")
def com_sign(link: Link) -> None:
    """The centre of mass of the upper arm has the wrong sign."""
    link.com = -link.com


@misread(COM_OF_BODY, PARENT, where="upper_arm_link")
def com_in_parent_axes(link: Link) -> None:
    """The centre of mass of the upper arm is read along the parent's axes."""
    link.com = link.R.T @ link.com


@misread(COM_OF_BODY, PARENT, where="left hand", on=TREE, of=JacobianSums)
def com_of_hand_in_parent_axes(link: Link) -> None:
    """The centre of mass of the left hand is read along the parent's axes."""
    link.com = link.R.T @ link.com


@misread(COM_OF_BODY, rf"{NUMBER}|off|shift|mov", where="link2", on=STANFORD)
def com_off_by_one_millimetre(link: Link) -> None:
    """The centre of mass of link2 is 1 mm off along z."""
    link.com = link.com + np.array([0, 0, 0.001])


@misread(COM_OF_BODY, ABSENT, where="camera", on=SATELLITE)
def com_of_camera_left_out(link: Link) -> None:
    """The centre of mass of the camera is taken to be its origin."""
    link.com = 0 * link.com


def _product(name: str, body: str, mechanism: str, r: int, s: int, kind: str) -> None:
    def change(link: Link) -> None:
        link.inertia = link.inertia.copy()
        link.inertia[r, s] *= -1
        link.inertia[s, r] *= -1

    change.__name__, change.__doc__ = name, f"{kind} of {body} has the wrong sign"
    misread(Topic("model", rf"{kind}|product", "inertia|product"), SIGN, where=body, on=mechanism)(change)


_product("ixy_sign", "left hand", TREE, 0, 1, "Ixy")
_product("ixz_sign", "camera", SATELLITE, 0, 2, "Ixz")
_product("iyz_sign", "right slide", TREE, 1, 2, "Iyz")


@misread(Topic("model", r"Ixx|Iyy|Izz|moments?|inertia", "inertia"), SWAPPED, where="link2", on=PUMA)
def exchanged_moments(link: Link) -> None:
    """Ixx and Izz of link2 are exchanged."""
    exchange_x_and_z(link)


def exchange_x_and_z(link: Link) -> None:
    """Exchange the moments of inertia about x and z."""
    xx, _, zz = np.diag(link.inertia)
    link.inertia = link.inertia + np.diag([zz - xx, 0, xx - zz])


@misread(INERTIA, STEINER, where="forearm_link")
def inertia_about_origin(link: Link) -> None:
    """The inertia of the forearm is taken for that about the origin."""
    link.inertia = link.inertia - steiner(link)


@misread(INERTIA, f"{STEINER}|twice", where="link3", on=STANFORD)
def parallel_axes_twice(link: Link) -> None:
    """The parallel axes of link3 are added twice: its inertia about the origin stands for that about the centre of mass."""
    link.inertia = link.inertia + steiner(link)


@misread(INERTIA, ABSENT, where="wrist_2_link")
def inertia_of_wrist_left_out(link: Link) -> None:
    """Wrist 2 is a point mass."""
    link.inertia = 0 * link.inertia


@misread(INERTIA, rf"{NUMBER}|high", where="link5", on=PUMA)
def izz_ten_per_cent_high(link: Link) -> None:
    """Izz of link5 is 10 % high."""
    link.inertia = link.inertia * np.array([[1, 1, 1], [1, 1, 1], [1, 1, 1.1]])


@misread(INERTIA, rf"{PARENT}|rotat|turn|axes|frame", where="left hand", on=TREE)
def inertia_in_parent_axes(link: Link) -> None:
    """The rotational inertia of the left hand is read along the parent's axes."""
    link.inertia = link.R.T @ link.inertia @ link.R


@misread(PRODUCTS, SIGN, where=has_products, on=TREE)
def products_sign(link: Link) -> None:
    """All products of inertia have the wrong sign."""
    link.inertia = 2 * np.diag(np.diag(link.inertia)) - link.inertia


@misread(INERTIA, STEINER, where=has_offset, on=STANFORD)
def inertias_about_origins(link: Link) -> None:
    """All inertias are taken for those about the origins."""
    link.inertia = link.inertia - steiner(link)


@misread(Topic("model", COM, "mass"), ABSENT, where=has_offset, on=SPATIAL)
def coms_left_out(link: Link) -> None:
    """All centres of mass are taken to be the origins."""
    link.com = 0 * link.com


@misread(Topic("model convention", MASS, "mass"), r"gram|1000|0\.001|unit|kg|factor", where=has_mass, offers=DYNAMICS)
def masses_in_grams(link: Link) -> None:
    """All masses are in grams."""
    link.mass *= 1000


LENGTH = Topic("model convention", "length|translat|placement|millimet|distance|origin", "placement|length|unit")


@fault(LENGTH, r"milli|1000|0\.001|unit|factor|mm")
def placements_in_millimetres(code: Any) -> None:
    """The origins of all joints are in millimetres."""
    for link in links(code):
        link.p = 1000 * link.p


@fault(Topic("model", MASS, "mass|inertia"), "1 kg|default|without|massless|no (mass|inertia)", where="cross", on=SATELLITE)
def one_kilogram_by_default(code: Any) -> None:
    """Bodies without inertia get 1 kg."""
    for link in links(code, lambda link: link.is_body and link.mass == 0 and not link.inertia.any()):
        link.mass = 1.0


@misread(Topic("model convention", AXIS, "ax|joint"), SIGN, where="elbow_joint")
def axis_sign(link: Link) -> None:
    """The axis of the elbow has the wrong sign."""
    link.turn, link.slide = -link.turn, -link.slide


@misread(JOINT_AXIS, rf"{OTHER}|\b[xyz]\b|\(", where="wrist_2_joint")
def wrong_axis(link: Link) -> None:
    """The axis of wrist 2 is another one of its frame's axes."""
    link.turn = np.roll(link.turn, 1, axis=0)


@misread(JOINT_AXIS, PARENT, where="pan", on=SATELLITE)
def axis_in_parent_frame(link: Link) -> None:
    """The axis of the pan joint is read in the parent's frame."""
    link.turn = link.R.T @ link.turn


@misread(JOINT_AXIS, r"snap|round|x, y or z|align|skew|coordinate|nearest|\(|\b[xyz]\b", where="left elbow", on=TREE)
def snapped_axis(link: Link) -> None:
    """The skew axis of the left elbow is snapped to the nearest of x, y and z."""
    link.turn = np.sign(link.turn) * (np.abs(link.turn) == np.abs(link.turn).max())


@misread(JOINT_FRAME, TRANSPOSED, where="shoulder_lift_joint")
def transposed_placement(link: Link) -> None:
    """The rotation of the shoulder lift's placement is transposed."""
    link.R = link.R.T


@misread(JOINT_FRAME, rf"{ABSENT}|not (rotated|turned)|identity", where="joint4", on=PUMA)
def placement_not_turned(link: Link) -> None:
    """The placement of joint4 is not rotated."""
    link.R = np.eye(3)


@misread(JOINT_ORIGIN, rf"{ABSENT}|not translated", where="left wrist", on=TREE)
def placement_not_shifted(link: Link) -> None:
    """The origin of the left wrist is left out."""
    link.p = 0 * link.p


@misread(JOINT_ORIGIN, rf"{NUMBER}|off|mov|shift|\bmm\b", where="wrist_1_joint")
def origin_off_by_one_millimetre(link: Link) -> None:
    """The origin of wrist 1 is 1 mm off along x."""
    link.p = link.p + np.array([0.001, 0, 0])


@misread(JOINT_ORIGIN, SIGN, where="joint4", on=PUMA)
def origin_sign(link: Link) -> None:
    """The origin of joint4 has the wrong sign."""
    link.p = -link.p


@misread(JOINT_ORIGIN, SIGN, where="elbow_joint", on="free:ur5", of=RootFrame)
def origin_sign_on_free_base(link: Link) -> None:
    """The origin of the elbow has the wrong sign, on a free base."""
    link.p = -link.p


@misread(Topic("model", ORIGIN, "placement|root"), ABSENT, where="left ball", on=TREE)
def placement_on_root_left_out(link: Link) -> None:
    """The placement of the left ball on the root is left out."""
    link.R, link.p = np.eye(3), np.zeros(3)


@fault(DAMPING, OTHER, where=tuple(f"joint{k}" for k in range(1, 7)), unnamed=".", on=STANFORD)
def damping_of_neighbours(code: Any) -> None:
    """Every joint has the damping of the next one."""
    bodies = code.model.bodies
    values = [link.damping for link in bodies]
    for link, value in zip(bodies, values[1:] + values[:1], strict=True):
        link.damping = value


@fault(DAMPING, rf"{OTHER}|{NUMBER}", where="joint3", on=PUMA)
def damping_of_one_neighbour(code: Any) -> None:
    """Joint3 has the damping of joint4."""
    for link, other in both(code, "joint3", "joint4"):
        link.damping = other.damping


@misread(DAMPING, ABSENT, where="right slide", on=TREE)
def damping_of_slide_left_out(link: Link) -> None:
    """The damping of the right slide is left out."""
    link.damping = 0.0


@misread(ARMATURE, ABSENT, where="joint6", on=STANFORD)
def armature_of_last_left_out(link: Link) -> None:
    """The armature of joint6 is left out."""
    link.armature = 0.0


@misread(ARMATURE, TWICE, where="joint2", on=PUMA, of=RootFrame)
def armature_of_one_twice(link: Link) -> None:
    """The armature of joint2 counts twice."""
    link.armature *= 2


@misread(Topic("model", "pitch", "pitch|helical"), SIGN, where="vice", on="screw-jack")
def pitch_sign(link: Link) -> None:
    """The pitch of the vice has the wrong sign."""
    link.slide = -link.slide


PITCH = Topic("model convention", "pitch", "pitch|helical")


@fault(PITCH, r"turn|2 ?π|revolution|6\.28|0\.159|unit|factor", where=("jack", "vice"), unnamed=".", on="screw-jack")
def pitch_per_turn(code: Any) -> None:
    """The pitch is taken per turn instead of per radian."""
    for link in links(code, lambda link: link.kind == "helical"):
        link.slide = link.slide / (2 * np.pi)


UNIVERSAL = Topic("model convention", AXIS, "ax|universal")


@fault(UNIVERSAL, r"right angle|perpendicular|orthogonal|second", where="second", unnamed=".", on="universal-pendulum")
def second_axis_at_right_angle(code: Any) -> None:
    """The second axis of a universal joint is made perpendicular to the first."""
    for link in links(code, lambda link: link.kind == "universal" and link.is_body):
        first = code.model.links[link.parent].turn[:, 0]
        t = link.turn[:, 0] - first * (first @ link.turn[:, 0])
        link.turn = (t / np.linalg.norm(t))[:, None]


HANGING = Topic("model", "parent|hung|hang|tree|root|behind|outboard", "tree|branch|parent")


@fault(HANGING, r"root|wrong|another|other|hub", where="pan", on=SATELLITE)
def wrong_parent(code: Any) -> None:
    """The cross hangs on the hub instead of the boom."""
    for link, boom in both(code, "cross", "boom"):
        if link.parent == code.model.links.index(boom):
            link.parent = boom.parent
