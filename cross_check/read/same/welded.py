"""The links that are welded into one body, so that a difference is found at the link that has it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from cross_check.read.same.matched import Matching
from cross_check.read.same.numbers import Number, compared, taken
from mechanisms import Body, Joint, Mechanism
from mechanisms.body import MASSLESS


class InLink(NamedTuple):
    """A number that differs in one of the links: the link of both, and the first body with the second one's number."""

    first: Body
    second: Body
    number: Number
    whole: Body
    relation: str | None = None


def in_links(m: Matching, i: int) -> list[InLink]:
    """Numbers that differ in the links that body i and its counterpart consist of; or links that only one of them consists of, if
    nothing else differs. Empty where neither tells more than the bodies do.

    A weld may be the one that differs, or what is on it.
    """
    body = m.first.bodies[i]
    mine, theirs, T, length = _parts(m.first, i), _parts(m.second, m.pairs[i]), m.frames[i], m.length(i, m.pairs[i])
    found = []
    for name in (name for name in mine if name in theirs):
        a, b = mine[name], theirs[name]
        there = T @ b.joint.placement
        kept = replace(b, joint=a.joint).seen_from(a.joint.placement.inverse() @ there)
        welds = replace(b, joint=replace(a.joint, placement=there))
        one, numbers = min(((c, compared(a, c, length)) for c in (welds, kept)), key=lambda pair: len(pair[1]))
        found += [InLink(a, b, number, _total(body, {**mine, name: taken(a, one, number.path)})) for number in numbers]
    if mine.keys() == theirs.keys():
        return found if len(mine) > 1 else []
    if found or not mine.keys() & theirs.keys():
        return []
    for name, link in {**theirs, **mine}.items():
        if not (name in mine and name in theirs):
            others = {other: part for other, part in mine.items() if other != name}
            if name in theirs:
                others[name] = replace(link, joint=replace(link.joint, placement=T @ link.joint.placement))
            have, has = (links[name].inertia.mass if name in links else Fraction(0) for links in (mine, theirs))
            number = Number("inertia.mass", (have,), (has,), 1.0)
            found.append(InLink(link, link, number, _total(body, others), "one has no inertia for this link"))
    return found


def _parts(mechanism: Mechanism, i: int) -> dict[str, Body]:
    """The links with inertia that body i consists of, by name, each with its frame in the body's frame as a fixed joint."""
    given = {body.name: body for body in mechanism.unwelded}
    links = [
        replace(given[link.name], joint=Joint(link.joint, "fixed", placement=link.placement))
        for link in mechanism.links
        if link.body == i and link.name in given
    ]
    return {link.name: link for link in links if not link.inertia.is_massless}


def _total(body: Body, links: dict[str, Body]) -> Body:
    """The body that the links make."""
    nothing = replace(body, inertia=MASSLESS, lifted=MASSLESS)
    return reduce(Body.welded_with, (link.seen_from(link.joint.placement) for link in links.values()), nothing)
