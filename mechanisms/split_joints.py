"""Every joint of several angles or distances, split into joints of one angle or distance."""

from __future__ import annotations

from dataclasses import replace

from mechanisms.body import Body
from mechanisms.errors import Unsupported
from mechanisms.joint import Joint, Screw
from mechanisms.joint_kinds import Form, Kind, Slot
from mechanisms.mechanism import Mechanism


def elementary(mechanism: Mechanism) -> Mechanism:
    """The same mechanism, with compound joints split (:attr:`mechanisms.Joint.compound`).

    A cylindrical, universal, translation or euler joint becomes revolute and prismatic joints in series, with massless
    bodies between them. q, v and a keep their meaning. Names are new, and frames are left out. Raises :class:`Unsupported` for a
    mechanism with mimic joints.
    """
    if follower := next((body.joint for body in mechanism.bodies if body.joint.mimic), None):
        raise Unsupported(f"this derivation has no mimic joints, and joint {follower.name!r} is one")
    bodies: list[Body] = []
    carrier = ["root"]
    for number, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        joints = split(body.joint)
        holder = carrier[parent + 1]
        for k, joint in enumerate(joints):
            name = f"{number}.{k}"
            carried = (body.inertia, body.lifted) if k == len(joints) - 1 else ()
            bodies.append(Body(name, holder, replace(joint, name=name), *carried))
            holder = name
        carrier.append(holder)
    return Mechanism(mechanism.name, tuple(bodies), mechanism.gravity, "root", physical=False)


def split(joint: Joint) -> list[Joint]:
    """The joints, without names, that make the motions of a compound joint one after the other; of another, the joint itself."""
    if not joint.compound:
        return [joint]
    made = [_elementary(slot, screw) for slot, screw in zip(joint.slots, joint.screws, strict=True)]
    made[0] = replace(made[0], placement=joint.placement)
    return made


def _elementary(slot: Slot, screw: Screw) -> Joint:
    """The joint whose only coordinate this is."""
    if slot.form == "angle" and slot.advances:
        return Joint("", "helical", screw.axis, pitch=screw.advance)
    kinds: dict[Form, Kind] = {"angle": "revolute", "circle": "continuous", "distance": "prismatic"}
    return Joint("", kinds[slot.form], screw.axis)
