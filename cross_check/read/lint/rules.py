"""What is implausible in a mechanism: in one link (:mod:`cross_check.read.lint.link_rules`), in several links, and in angles."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from cross_check.read.lint.angles import degrees, radians
from cross_check.read.lint.link_rules import OF_LINK, TENTH, impossible
from cross_check.read.lint.links import Link
from cross_check.read.lint.shapes import Array
from cross_check.read.lint.written import Written
from mechanisms import Mechanism, Placement
from mechanisms.errors import Place

DIGITS = 1e-3
"""Numbers that differ by less, relative to the largest one, are the same."""

TWICE = 2
"""Left and right differ by no larger factor, nor do links with one inertia, nor a body's mass from that of all others."""

ALUMINIUM = 2700
"""The density (kg/m³) of what most parts of robots are made of."""


@dataclass(frozen=True)
class Warning:
    """Something implausible."""

    rule: str
    name: str
    """Of the link, or what else it is about."""
    place: Place | None
    said: str
    cause: str
    """The usual one, with the remedy."""


def warnings(mechanism: Mechanism, links: Sequence[Link], written: Written) -> list[Warning]:
    """All that is implausible; of each link, the first that a rule finds."""
    found: dict[str, Warning] = {}
    for link in links:
        for rule in OF_LINK if link.matters else (impossible,):
            if link.name not in found and (told := rule(link)):
                found[link.name] = Warning(rule.__name__, link.name, link.place, *told)
    others = [link for link in links if link.matters and link.name not in found]
    for compare in OF_SEVERAL:
        for link, said, cause in compare(others):
            found.setdefault(link.name, Warning(compare.__name__, link.name, link.place, said, cause))
    return [*found.values(), *_of_joints(mechanism, written)]


Of = Iterator[tuple[Link, str, str]]


def outweighs(links: Sequence[Link]) -> Of:
    """A body whose size is not known weighs twice as much as all others, and is not the first one nor next to it."""
    masses = {link.body.index: link.body.mass for link in links}
    for link in links:
        rest = sum(masses.values()) - link.body.mass
        inboard = sum(k in masses for k in link.body.inboard)
        if link.placement == Placement() and inboard > 1 and link.body.mass > TWICE * rest and not link.body.has_shapes:
            said = f"its body has {link.body.mass:.4g} kg, and all other bodies together {rest:.4g} kg"
            yield link, said, "a mass in another unit, or that of the whole robot"


def solid(links: Sequence[Link]) -> Of:
    """Most bodies of a CAD system are denser than aluminium, though the boxes around them hold more than the body."""
    drawn = [link.body for link in links if link.body.has_meshes]
    densities = {body.index: body.density for body in drawn if body.density is not None}
    dense = [link for link in links if densities.get(link.body.index, 0) > ALUMINIUM]
    count = len({link.body.index for link in dense})
    if len(densities) > 2 and count > len(densities) / 2:
        heaviest = max(dense, key=lambda link: link.mass)
        said = f"{count} of {len(densities)} bodies are denser than aluminium in the boxes around them"
        cause = "masses of housings that were taken for solid, or for another material"
        yield heaviest, f"{said}; the heaviest link of these has {heaviest.mass:.4g} kg", cause


def welded_twice(links: Sequence[Link]) -> Of:
    """Two links of one body have one inertia at one place."""
    for one, other in combinations(links, 2):
        first, second = ((link.body.index, link.inertia.mass, link.inertia.about_com) for link in (one, other))
        if first == second and one.mass:
            a, b = (np.array(link.placement(link.inertia.com), float) for link in (one, other))
            if np.linalg.norm(a - b) < DIGITS * one.gyration:
                said = f"it has the {one.mass:.4g} kg, the moments and the centre of mass of {one.name!r}, which is welded to it"
                yield other, said, "one part exported with two links, or copied numbers; remove one <inertial>, or compute it"


def copied(links: Sequence[Link]) -> Of:
    """Links of different sizes have one inertia."""
    groups = defaultdict(list)
    for link in links:
        if link.size and link.gyration:
            groups[link.inertia.mass, link.inertia.about_com].append(link)
    for same in groups.values():
        sizes = [link.size for link in same]
        if len(same) > 2 and max(sizes) > TWICE * min(sizes):
            said = f"{len(same)} links of {min(sizes):.2g} to {max(sizes):.2g} m have its {same[0].mass:.4g} kg and its moments"
            yield same[0], said, "numbers copied from link to link; compute them from the shapes"


def unlike(links: Sequence[Link]) -> Of:
    """Left and right differ, or no reflection takes one to the other though all their numbers agree but for signs."""
    for one, other in _pairs(links):
        if max(one.size, other.size) > (1 + TENTH) * min(one.size, other.size):
            continue  # They are drawn as different parts.
        sizes = (("kg", one.mass, other.mass), ("m of radius of gyration", one.gyration, other.gyration))
        differs = next(((unit, a, b) for unit, a, b in sizes if max(a, b) > TWICE * min(a, b)), None)
        if differs:
            unit, a, b = differs
            yield other, f"it has {b:.3g} {unit}, and {one.name!r} has {a:.3g}", "one side was changed, or is a placeholder"
        elif _agree(abs(one.com), abs(other.com)) and _agree(abs(one.matrix), abs(other.matrix)) and not _reflects(one, other):
            said = f"no reflection of axes takes the centre of mass and the moments of {one.name!r} to its own"
            cause = "signs that were not mirrored with the centre of mass; a product of inertia has those of both its axes"
            yield other, said, cause


OF_SEVERAL = (outweighs, solid, welded_twice, copied, unlike)


def _pairs(links: Sequence[Link]) -> Iterator[tuple[Link, Link]]:
    """Links whose names differ in left and right alone."""
    named = {link.name: link for link in links if link.mass}
    for name, link in named.items():
        for left, right in (("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"), ("l", "r"), ("L", "R")):
            parts = name.split(left)
            for k in range(1, len(parts)):
                if other := named.get(left.join(parts[:k]) + right + left.join(parts[k:])):
                    yield link, other


def _agree(one: Array, other: Array) -> bool:
    return bool(np.abs(one - other).max() <= DIGITS * np.abs(one).max())


def _reflects(one: Link, other: Link) -> bool:
    """Whether axes can be turned over so that one becomes the other."""
    turned = map(np.array, product((1.0, -1.0), repeat=3))
    return any(_agree(s * one.com, other.com) and _agree(np.outer(s, s) * one.matrix, other.matrix) for s in turned)


def _of_joints(mechanism: Mechanism, written: Written) -> Iterator[Warning]:
    # A root without mass is a part of the surroundings, or fixed: only here it is on a free joint.
    is_freed = mechanism.read_from is not None and mechanism.read_from.free_base
    root = mechanism.bodies[0].joint.name if is_freed else ""
    for joint in (name for name in mechanism.subtrees_without_inertia if name != root):
        body = next(body.name for body in mechanism.bodies if body.joint.name == joint)
        said = "neither it nor anything that it carries has mass, so that M is singular"
        cause = "<inertial> was left out; add it, or make the joint fixed"
        yield Warning("massless", body, written.places.get(body), said, cause)
    for joint, lower, upper, place in written.ranges:
        if float(lower) >= float(upper):
            said = f"it goes from {lower} to {upper}, so that the joint cannot move"
            yield Warning("range", f"the range of joint {joint!r}", place, said, "ends that were exchanged, or left out")
    for angle, cause in [*degrees(mechanism, written), *radians(written)]:
        unit = "rad" if angle.unit == 1 else "degrees"
        turns = f", which is {abs(angle.value) * angle.unit / (2 * math.pi):.2g} turns"
        yield Warning("degrees", angle.what, angle.place, f"it is {angle.text} {unit}{turns}", cause)
