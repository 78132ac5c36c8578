"""What code may declare about its conventions. Each has a few values; the first one is ours (docs/conventions.md)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from mechanisms import Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, Form
from mechanisms.quantities import ALL_QUANTITIES, MOMENTUM, MOTION, POSITIONS

VALUES: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("conventions.toml").read_text("utf-8"))
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
