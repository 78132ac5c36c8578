"""The links that are welded into one body, so that a difference is found at the link that has it."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import add

from cross_check.read.same.numbers import Number, compared, taken
from mechanisms import Body, Inertia, Joint, Mechanism, Placement


def parts(mechanism: Mechanism, i: int) -> dict[str, Body]:
    """The links with inertia that body i consists of, by name, each with its frame in the body's frame as a fixed joint."""
    given = {body.name: body for body in mechanism.unwelded}
    body = mechanism.bodies[i]
    own = replace(given.get(body.name, body), joint=Joint(body.joint.name, "fixed"))
    links = [own] + [
        replace(given[frame.name], joint=Joint(frame.joint, "fixed", placement=frame.placement))
        for frame in mechanism.frames
        if frame.body == i and frame.name in given
    ]
    return {link.name: link for link in links if not link.inertia.is_massless}


def total(links: dict[str, Body]) -> Inertia:
    """The inertia of the body that the links make."""
    return reduce(add, (link.inertia.placed(link.joint.placement) for link in links.values()), Inertia.massless())


def in_one(mine: dict[str, Body], theirs: dict[str, Body], T: Placement, length: float) -> dict[str, Inertia]:
    """Links that only one of the bodies consists of, with the first body's inertia without, or with them; empty where other links
    differ, too."""
    both = [{name: link for name, link in links.items() if name in mine and name in theirs} for links in (mine, theirs)]
    if not both[0] or in_parts(both[0], both[1], T, length):
        return {}
    added = {n: replace(b, joint=replace(b.joint, placement=T @ b.joint.placement)) for n, b in theirs.items() if n not in mine}
    without = {name: total({n: b for n, b in mine.items() if n != name}) for name in mine if name not in theirs}
    return without | {name: total({**mine, name: link}) for name, link in added.items()}


def in_parts(
    mine: dict[str, Body], theirs: dict[str, Body], T: Placement, length: float
) -> list[tuple[Body, Body, Number, Inertia]]:
    """Numbers that differ in links of the same names: the links of both, the number, and the first body's inertia with it alone.

    T is the frame of the second body in the first one. A weld may be the one that differs, or what is on it.
    """
    found = []
    for name, a in mine.items():
        b = theirs[name]
        there = T @ b.joint.placement
        kept = replace(b, joint=a.joint, inertia=b.inertia.placed(a.joint.placement.inverse() @ there))
        welds = replace(b, joint=replace(a.joint, placement=there))
        one, numbers = min(((c, compared(a, c, length)) for c in (welds, kept)), key=lambda pair: len(pair[1]))
        found += [(a, b, number, total({**mine, name: taken(a, one, number.path)})) for number in numbers]
    return found
