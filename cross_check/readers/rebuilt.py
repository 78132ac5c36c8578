"""The mechanism that a reading describes, built from its numbers alone: what an engine should compute that has read them."""

from __future__ import annotations

from dataclasses import replace

from mechanisms import Body, Inertia, Joint, Mechanism, MechanismError, Placement, Rotation
from mechanisms.geometry import unit_vector
from mechanisms.joint_kinds import JOINT_KINDS, Kind
from mechanisms.numbers import exact
from mechanisms.reading import Numbers, Reading, ReadJoint


def rebuilt(reading: Reading, root: str) -> Mechanism:
    """The mechanism of a reading; every frame is parallel to the root's at position zero.

    Raises :class:`MechanismError` where a reading does not say enough: for joints with several coordinates, whose frame matters,
    but for a free joint that begins in the root's frame.
    """
    origins: dict[str, Numbers] = {"": (0.0, 0.0, 0.0), **{joint.name: joint.origin for joint in reading.joints}}
    bodies = tuple(_body(joint, origins, root) for joint in reading.joints)
    return Mechanism(reading.name, bodies, reading.gravity, root, physical=False)


def in_order_of(ours: Reading, theirs: Reading) -> Reading:
    """Their reading with its joints in our order; as it is where the trees of joints differ."""
    mine, other = ({joint.name: joint for joint in reading.joints} for reading in (ours, theirs))
    if {name: joint.parent for name, joint in mine.items()} != {name: joint.parent for name, joint in other.items()}:
        return theirs
    return replace(theirs, joints=tuple(other[name] for name in mine))


def _body(joint: ReadJoint, origins: dict[str, Numbers], root: str) -> Body:
    kind: Kind = joint.kind  # type: ignore[assignment]
    single = kind in JOINT_KINDS and JOINT_KINDS[kind].nv == 1 and kind != "helical"
    if not single and not (kind == "free" and not any(joint.origin) and not joint.parent):
        raise MechanismError(f"a reading does not say enough about joint {joint.name!r}, which is {joint.kind}")
    placement = Placement(Rotation.identity(), _difference(joint.origin, origins[joint.parent]))
    made = (
        Joint(joint.name, "free", placement=placement)
        if kind == "free"
        else Joint(
            joint.name,
            kind,
            unit_vector(tuple(map(exact, joint.axis)), "its axis", normalise=True),
            placement,
            joint.armature or 0,
            joint.damping or 0,
        )
    )
    carries = joint.carries
    inertia = Inertia(carries.mass, _difference(carries.com, joint.origin), carries.inertia)
    # Bodies need names: each gets its joint's.
    return Body(f"body of {joint.name}", f"body of {joint.parent}" if joint.parent else root, made, inertia)


def _difference(one: Numbers, other: Numbers) -> tuple[object, ...]:
    return tuple(exact(a) - exact(b) for a, b in zip(one, other, strict=True))
