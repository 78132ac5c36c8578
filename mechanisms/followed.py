"""Which joint every mimic joint follows: chains of mimic joints resolved, and loops, unknown and unsuitable leaders refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mechanisms.errors import MechanismError
from mechanisms.joint import Joint
from mechanisms.mimic import Mimic


def resolved(joints: Mapping[str, Joint]) -> dict[str, Joint]:
    """The joints by name, each following a joint that has a coordinate of its own.

    Raises :class:`MechanismError` for an unknown leader, for a leader that cannot be followed, and for joints that follow each
    other in a loop.
    """
    done: dict[str, Joint] = {}
    for name, joint in joints.items():
        path: dict[str, Mimic] = {}
        while joint.name not in done and joint.mimic is not None:
            if joint.name in path:
                loop = ", ".join(map(repr, path))
                raise MechanismError(f"joints {loop} mimic each other in a loop; let one of them move on its own")
            path[joint.name] = joint.mimic
            joint = _leader(joint.name, joint.mimic, joints)
        for follower, mimic in reversed(path.items()):
            leader = done.get(mimic.joint, joints[mimic.joint]).mimic
            done[follower] = joints[follower] if leader is None else replace(joints[follower], mimic=mimic.after(leader))
        done.setdefault(name, joints[name])
    return done


def _leader(follower: str, mimic: Mimic, joints: Mapping[str, Joint]) -> Joint:
    if mimic.joint not in joints:
        raise MechanismError(f"joint {follower!r} mimics {mimic.joint!r}, which is no joint of the mechanism; correct the name")
    joints[mimic.joint].require_one_slot(f"joint {follower!r} mimics it")
    return joints[mimic.joint]
