"""What code may declare about its conventions. Each has a few values; the first one is ours (docs/conventions.md)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields

from mechanisms import Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, Form
from mechanisms.quantities import ALL_QUANTITIES, MOMENTUM, MOTION, POSITIONS

VALUES: dict[str, dict[str, str]] = {
    "quaternion": {
        "xyzw": "x y z w",
        "wxyz": "w x y z",
        "rotation vector": "three numbers instead: the axis times the angle, which is more than π where w is negative",
    },
    "free_position": {
        "position first": "x y z, then the quaternion",
        "quaternion first": "the quaternion, then x y z",
    },
    "free_velocity": {
        "body": "[ω; v]: the body's spatial velocity along the body's axes",
        "mixed": "[Rω; ṗ]: ω, and the velocity of the body's origin, both along the joint's axes",
        "spatial": "the spatial twist along the joint's axes, of the point at the joint's origin",
        "angular body, linear mixed": "[ω; ṗ]: ω along the body's axes, the origin's velocity along the joint's",
        "angular mixed, linear body": "[Rω; v]: ω along the joint's axes, the origin's velocity along the body's",
    },
    "free_velocity_order": {
        "angular first": "three angular components, then three linear ones",
        "linear first": "three linear components, then three angular ones",
    },
    "free_acceleration": {
        "rate": "the rate of the velocity's components",
        "spatial": "the spatial acceleration, along the same axes as the velocity",
        "point": "the linear part is the acceleration of the body's origin, along the velocity's axes; not with `spatial`",
    },
    "spherical_velocity": {
        "body": "ω along the body's axes",
        "joint": "ω along the joint's axes",
    },
    "planar_velocity": {
        "body": "[ω₃; v₁, v₂] along the body's axes",
        "joint": "[ω₃; ṗ₁, ṗ₂] along the joint's axes",
    },
    "planar_velocity_order": {
        "angular first": "the angular component, then two linear ones",
        "linear first": "two linear components, then the angular one",
    },
    "continuous": {
        "cosine and sine": "two numbers of q, the cosine and the sine of the angle",
        "angle": "one number of q, the angle",
    },
    "spatial_vectors": {
        "angular first": "motions [ω; v], forces [n; f], momenta [k; l] of bodies",
        "linear first": "motions [v; ω], forces [f; n], momenta [l; k] of bodies",
    },
}
"""By the name of the field of :class:`Conventions`: the values, and what each of them means."""


class UnknownConvention(ValueError):
    """A convention or a value that does not exist; one sentence with the remedy."""


@dataclass(frozen=True)
class Conventions:
    """The conventions that code has for its coordinates and for the spatial vectors of bodies; see :data:`VALUES`."""

    quaternion: str = "xyzw"
    free_position: str = "position first"
    free_velocity: str = "body"
    free_velocity_order: str = "angular first"
    free_acceleration: str = "rate"
    spherical_velocity: str = "body"
    planar_velocity: str = "body"
    planar_velocity_order: str = "angular first"
    continuous: str = "cosine and sine"
    spatial_vectors: str = "angular first"

    @classmethod
    def declared(cls, given: Mapping[str, str]) -> Conventions:
        """The conventions by name; what is not given is ours. Raises :class:`UnknownConvention`."""
        for name, value in given.items():
            if not isinstance(name, str) or name not in VALUES:
                raise UnknownConvention(f"there is no convention {name!r}; use {', '.join(VALUES)}")
            if not isinstance(value, str) or value not in VALUES[name]:
                allowed = " or ".join(map(repr, VALUES[name]))
                raise UnknownConvention(f"the convention {name!r} has no value {value!r}; use {allowed}")
        if given.get("free_velocity") == "spatial" and given.get("free_acceleration") == "point":
            remedy = "use the acceleration 'rate', which is the same as 'spatial' here"
            raise UnknownConvention(f"the free_velocity 'spatial' has no point for the free_acceleration 'point'; {remedy}")
        return cls(**given)

    @property
    def words(self) -> str:
        """Those that are not ours, in words; empty if there are none."""
        return ", ".join(f"{name}: {value}" for name, value in self.differing.items())

    @property
    def differing(self) -> dict[str, str]:
        """Those that are not ours."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}


OF_SLOTS: dict[str, Form] = {"quaternion": "quaternion", "continuous": "circle"}
"""The conventions that concern all slots of one form, of any kind of joint."""

OF_POSITIONS = (*OF_SLOTS, "free_position")
"""The conventions that change q alone. The others change v, a, τ and spatial vectors."""


def acting(words: str, mechanism: Mechanism, quantities: Iterable[str], joints: Collection[str] | None = None) -> str:
    """Those of the conventions in ``words`` that change a question about one of these quantities, or its answer, in words.

    ``words`` are those of :attr:`Conventions.words`. Where ``joints`` are named, the conventions concern one of them.
    """
    kinds = {body.joint.kind for body in mechanism.bodies if joints is None or body.joint.name in joints}
    said = {name: value for name, value in re.findall(r"(\w+): (.+?)(?=, \w+: |$)", words) if value in VALUES.get(name, ())}
    if "free_velocity" not in said and said.get("free_acceleration") == "spatial":
        # It is the rate of the velocity's components where these are along the body's axes.
        del said["free_acceleration"]
    asked = [quantity for quantity in quantities if quantity in ALL_QUANTITIES]
    changing = (name for name in said if any(_acts(name, kinds, quantity) for quantity in asked))
    return ", ".join(f"{name}: {said[name]}" for name in changing)


def _acts(name: str, kinds: Collection[str], quantity: str) -> bool:
    """Whether the convention changes the quantity's arguments or answer on a mechanism with these kinds of joints."""
    asked = ALL_QUANTITIES[quantity]
    if name == "spatial_vectors":
        return "f" in asked.arguments or any(axis in (MOTION, MOMENTUM) for axis in asked.axes)
    if name in OF_SLOTS:
        has_joint = any(OF_SLOTS[name] in JOINT_KINDS[kind].forms for kind in kinds)  # type: ignore[index]
    else:
        has_joint = name.partition("_")[0] in {JOINT_KINDS[kind].pose for kind in kinds}  # type: ignore[index]
    changes = name in OF_POSITIONS or {*asked.arguments} - {*POSITIONS, "f"} or {"nv", "state"} & {*asked.axes}
    return has_joint and bool(changes)
