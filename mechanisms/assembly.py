"""A tree put in order: parents first, welded bodies lumped, and every mimic joint following a joint with a coordinate of its own.

Chains of mimic joints are resolved; loops, and leaders that are unknown or unsuitable, are refused.
"""

from __future__ import annotations

import dataclasses
import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from mechanisms.body import Body, Frame
from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement
from mechanisms.joint import Joint
from mechanisms.mimic import Mimic


def unique(what: str, names: Sequence[str]) -> None:
    """Raise :class:`MechanismError` if a name is used twice."""
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise MechanismError(f"the {what} name {twice!r} is used twice; rename one", about=(what, twice))


def parents_first(root: str, bodies: tuple[Body, ...]) -> tuple[Body, ...]:
    """The bodies with parents first, otherwise in their order.

    Raises :class:`MechanismError` for names that are used twice, an unknown parent and a loop.
    """
    index = {body.name: i for i, body in enumerate(bodies)}
    unique("body", [root, *(body.name for body in bodies)])
    unique("joint", [body.joint.name for body in bodies])
    children: dict[str, list[int]] = defaultdict(list)
    for i, body in enumerate(bodies):
        if body.parent != root and body.parent not in index:
            message = f"the parent {body.parent!r} of body {body.name!r} is unknown; name a body or the root {root!r}"
            raise MechanismError(message, about=("body", body.name))
        children[body.parent].append(i)
    # Of the bodies whose parent is placed, the one that was given first comes next.
    ready, ordered = children.pop(root, []), list[Body]()
    while ready:
        body = bodies[heapq.heappop(ready)]
        ordered.append(body)
        for child in children.pop(body.name, []):
            heapq.heappush(ready, child)
    if children:
        loop = [body.name for body in bodies if body.parent in children]
        message = f"bodies {', '.join(map(repr, loop))} form a loop that never reaches the root {root!r}; cut it"
        raise MechanismError(message, about=("body", loop[0]))
    return tuple(ordered)


def following(given: tuple[Body, ...], moving: tuple[Body, ...]) -> tuple[Body, ...]:
    """The bodies that move, with the leaders of mimic joints found and checked among all that were given."""
    joints = _resolved({body.joint.name: body.joint for body in given})
    return tuple(
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, mimic=joints[body.joint.name].mimic)) for body in moving
    )


Carriers = dict[str, tuple[str, Placement | None]]
"""By the name of a body or a frame: the moving body or the root that it is fixed to, and where, if it is not that body itself."""


def lump(root: str, bodies: tuple[Body, ...]) -> tuple[tuple[Body, ...], tuple[Frame, ...], Carriers]:
    """Weld every body outboard of a fixed joint to the body that carries it: bodies, frames, and what carries what."""
    # None rather than an identity placement, because scalars of another field do not mix with its zeros and ones.
    carrier: Carriers = {root: (root, None)}
    moving: dict[str, Body] = {}
    welds: list[tuple[Body, str, Placement]] = []
    for body in bodies:
        holder, offset = carrier[body.parent]
        placement = (offset @ body.joint.placement).shortened() if offset else body.joint.placement
        if body.joint.kind != "fixed":
            carrier[body.name] = (body.name, None)
            joint = dataclasses.replace(body.joint, placement=placement)
            moving[body.name] = dataclasses.replace(body, parent=holder, joint=joint)
            continue
        carrier[body.name] = (holder, placement)
        welds.append((body, holder, placement))
        if holder != root:
            moving[holder] = moving[holder].welded_with(body.seen_from(placement))
    index = {root: -1, **{name: i for i, name in enumerate(moving)}}
    frames = tuple(Frame(b.name, b.joint.name, index[holder], placement) for b, holder, placement in welds)
    return tuple(moving.values()), frames, carrier


def _resolved(joints: Mapping[str, Joint]) -> dict[str, Joint]:
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
                message = f"joints {loop} mimic each other in a loop; let one of them move on its own"
                raise MechanismError(message, about=("joint", joint.name))
            path[joint.name] = joint.mimic
            joint = _leader(joint.name, joint.mimic, joints)
        for follower, mimic in reversed(path.items()):
            own, leader = joints[follower], done.get(mimic.joint, joints[mimic.joint]).mimic
            done[follower] = own if leader is None else dataclasses.replace(own, mimic=mimic.after(leader))
        done.setdefault(name, joints[name])
    return done


def _leader(follower: str, mimic: Mimic, joints: Mapping[str, Joint]) -> Joint:
    if mimic.joint not in joints:
        message = f"joint {follower!r} mimics {mimic.joint!r}, which is no joint of the mechanism; correct the name"
        raise MechanismError(message, about=("joint", follower))
    joints[mimic.joint].require_one_slot(f"joint {follower!r} mimics it")
    return joints[mimic.joint]
