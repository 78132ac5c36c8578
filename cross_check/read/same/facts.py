"""Differences that are no numbers: which joints there are, of which kind, on what, following what; and constraints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from cross_check.read.readers.compare import FEW_DIGITS
from cross_check.read.same.matched import Matching, far, named
from cross_check.read.same.numbers import decimal, spoken
from cross_check.read.same.results import Difference
from mechanisms import POINT, WELD, Body, Constraint, Mechanism, MechanismError, Placement
from mechanisms.errors import Place


def place(mechanism: Mechanism, kind: str, name: str) -> Place | None:
    """Where a part is in its file; a body without <inertial> at the body, a joint that has no element of its own, too."""
    places = mechanism.places or {}
    others = {"inertial": ("body",), "joint": ("body",), "constraint": ("joint",)}.get(kind, ())
    return next((found for one in (kind, *others) if (found := places.get((one, name)))), None)


def fixed_in_one(
    first: Mechanism, second: Mechanism, renamed: Mapping[str, str]
) -> tuple[Mechanism, Mechanism, list[Difference]]:
    """Joints that move in one mechanism and are fixed in the other: both mechanisms with them fixed, and the differences."""
    found: list[Difference] = []
    pairs, back = named(first, second, renamed), {new: old for old, new in renamed.items()}
    mine, theirs = set[str](), set[str]()
    for i, body in enumerate(first.bodies):
        if i not in pairs and (twin := _fixed(second, renamed, body)):
            lines = place(first, "joint", body.joint.name), place(second, "joint", twin)
            found.append(Difference("joint", body.joint.name, "type", "", body.joint.kind, "fixed", *lines))
            mine.add(body.joint.name)
    for j, body in enumerate(second.bodies):
        if j not in pairs.values() and (twin := _fixed(first, back, body)):
            lines = place(first, "joint", twin), place(second, "joint", body.joint.name)
            found.append(Difference("joint", twin, "type", "", "fixed", body.joint.kind, *lines))
            theirs.add(body.joint.name)
    return _welded(first, mine), _welded(second, theirs), found


def _fixed(mechanism: Mechanism, renamed: Mapping[str, str], body: Body) -> str | None:
    """The name of the fixed joint of the mechanism that corresponds to that of the body."""
    joint, link = (renamed.get(name, name) for name in (body.joint.name, body.name))
    return next((frame.joint for frame in mechanism.frames if joint == frame.joint or link == frame.name), None)


def _welded(mechanism: Mechanism, joints: set[str]) -> Mechanism:
    """The mechanism with the joints fixed, if something moves then, and nothing follows them."""
    if not joints:
        return mechanism
    bodies = [
        replace(b, joint=replace(b.joint, kind="fixed", armature=0, damping=0, pitch=0, second_axis=None, mimic=None))
        if b.joint.name in joints
        else b
        for b in mechanism.unwelded
    ]
    # Frames that fixed joints make are made again.
    made = {body.name for body in mechanism.unwelded}
    try:
        return replace(
            mechanism, bodies=tuple(bodies), frames=tuple(f for f in mechanism.frames if f.name not in made), written=()
        )
    except MechanismError:
        return mechanism


def facts(m: Matching, bodies: Mapping[int, Body]) -> Iterator[Difference]:
    """What differs in the tree; ``bodies`` are those of the second in the frames and with the names of the first."""
    for mechanism, matched in ((m.first, m.pairs.keys()), (m.second, m.pairs.values())):
        for i, body in enumerate(mechanism.bodies):
            if i not in matched:
                has = f"{body.joint.kind}, from {body.parent!r} to {body.name!r}"
                line = place(mechanism, "joint", body.joint.name)
                sides: tuple[Any, ...] = (
                    (has, "no such joint", line, None) if mechanism is m.first else ("no such joint", has, None, line)
                )
                yield Difference("joint", body.joint.name, "joint", "", *sides)
    for i, body in bodies.items():
        a, b, its = m.first.bodies[i].joint, body.joint, m.second.bodies[m.pairs[i]]
        lines = place(m.first, "joint", a.name), place(m.second, "joint", its.joint.name)
        if not m.is_one_kind(i, m.pairs[i]):
            yield Difference("joint", a.name, "type", "", a.kind, b.kind, *lines)
        if not m.has_one_parent(i):
            yield Difference("joint", a.name, "parent", "", m.first.bodies[i].parent, its.parent, *lines)
        follows = [joint.mimic.joint if joint.mimic else "" for joint in (a, b)]
        if follows[0] != follows[1]:
            mine, theirs = (f"follows {leader!r}" if leader else "moves by itself" for leader in follows)
            yield Difference("joint", a.name, "mimic", "", mine, theirs, *lines)


def constraints_differ(m: Matching) -> Iterator[Difference]:
    """Constraints of only one mechanism, and such that hold other frames; they correspond by what they hold and by names."""
    theirs = list(m.second.constraints)
    for mine in m.first.constraints:
        off = [(_apart(m, mine, one), one.name != mine.name, k) for k, one in enumerate(theirs) if _holds_the_same(m, mine, one)]
        line = place(m.first, "constraint", mine.name)
        if not off:
            yield Difference("constraint", mine.name, "constraint", "", _ends(mine), "no such constraint", line)
            continue
        apart, _, k = min(off)
        twin = theirs.pop(k)
        if apart > FEW_DIGITS:
            lines = line, place(m.second, "constraint", twin.name)
            here, there = map(_frames, _moved(m, mine, twin))
            yield Difference("constraint", mine.name, "frames", "", here, there, *lines)
    for one in theirs:
        line = place(m.second, "constraint", one.name)
        yield Difference("constraint", one.name, "constraint", "", "no such constraint", _ends(one), None, line)


def _ends(one: Constraint) -> str:
    return f"{' '.join(one.directions)} between {one.first!r} and {one.second!r}"


def _frames(one: Constraint) -> str:
    return " and ".join(
        f"{' '.join(map(decimal, p.translation))} m, rpy {' '.join(map(decimal, spoken(p.rotation)))}"
        for p in (one.first_placement, one.second_placement)
    )


def _indices(mechanism: Mechanism, one: Constraint) -> list[int]:
    names = [mechanism.root, *(body.name for body in mechanism.bodies)]
    return [names.index(end) - 1 for end in (one.first, one.second)]


def _holds_the_same(m: Matching, mine: Constraint, one: Constraint) -> bool:
    ends, others = [m.pairs.get(i) for i in _indices(m.first, mine)], _indices(m.second, one)
    is_turned = one.directions in (POINT, WELD) and ends == others[::-1]
    return mine.directions == one.directions and (ends == others or is_turned)


def _moved(m: Matching, mine: Constraint, one: Constraint) -> tuple[Constraint, Constraint]:
    """Both constraints in the frames of the first mechanism, as alike as other frames of the same constraint can be."""
    ends, others = _indices(m.first, mine), _indices(m.second, one)
    placements = [one.first_placement, one.second_placement]
    if [m.pairs.get(i) for i in ends] != others:
        placements.reverse()
    first, second = (m.frames[i] @ placement for i, placement in zip(ends, placements, strict=True))
    if mine.directions == WELD:
        first, second = mine.first_placement, second @ first.inverse() @ mine.first_placement
    if mine.directions == POINT:
        first, second = (
            Placement(own.rotation, its.translation)
            for own, its in ((mine.first_placement, first), (mine.second_placement, second))
        )
    return mine, replace(mine, first_placement=first, second_placement=second)


def _apart(m: Matching, mine: Constraint, one: Constraint) -> float:
    """The largest difference of the frames (m, and entries of rotation matrices)."""
    pairs = [(getattr(side, name)) for name in ("first_placement", "second_placement") for side in _moved(m, mine, one)]
    return max(
        far((*p.translation, *sum(p.rotation.matrix, ())), (*q.translation, *sum(q.rotation.matrix, ())))
        for p, q in zip(pairs[::2], pairs[1::2], strict=True)
    )
