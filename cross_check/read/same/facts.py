"""Differences that are no numbers: which joints there are, of which kind, on what, following what; and constraints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from cross_check.read.readers.compare import FEW_DIGITS
from cross_check.read.same.matched import Matching, named
from cross_check.read.same.numbers import apart, pose
from cross_check.read.same.results import Difference, Sides
from mechanisms import POINT, WELD, Body, Constraint, Joint, Mechanism, MechanismError, Placement


def fixed_in_one(first: Mechanism, second: Mechanism, renamed: Mapping[str, str]) -> tuple[Sides, list[Difference]]:
    """Joints that move in one mechanism and are fixed in the other: both mechanisms with them fixed, and the differences."""
    pairs, back = named(first, second, renamed), {new: old for old, new in renamed.items()}
    found, made = list[Difference](), list[Mechanism]()
    for mine, other, names, matched in ((first, second, renamed, pairs.keys()), (second, first, back, pairs.values())):
        fixed = set()
        for i, body in enumerate(mine.bodies):
            if i not in matched and (twin := _fixed(other, names, body)):
                fixed.add(body.joint.name)
                sides = [(body.joint.name, body.joint.kind), (twin, "fixed")]
                joints, kinds = zip(*(sides if mine is first else sides[::-1]), strict=True)
                found.append(Difference.between((first, second), "joint", joints, "type", kinds))
        made.append(_welded(mine, fixed))
    return (made[0], made[1]), found


def _fixed(mechanism: Mechanism, renamed: Mapping[str, str], body: Body) -> str | None:
    """The name of the fixed joint of the mechanism that corresponds to that of the body."""
    joint, link = (renamed.get(name, name) for name in (body.joint.name, body.name))
    return next((frame.joint for frame in mechanism.frames if joint == frame.joint or link == frame.name), None)


def _welded(mechanism: Mechanism, joints: set[str]) -> Mechanism:
    """The mechanism with the joints fixed, if something moves then, and nothing follows them."""
    if not joints:
        return mechanism
    fixed = [Joint(b.joint.name, "fixed", placement=b.joint.placement) for b in mechanism.unwelded]
    bodies = tuple(replace(b, joint=j) if j.name in joints else b for b, j in zip(mechanism.unwelded, fixed, strict=True))
    # Frames that fixed joints make are made again.
    frames = tuple(frame for frame in mechanism.frames if frame.name not in {body.name for body in bodies})
    try:
        return replace(mechanism, bodies=bodies, frames=frames, written=())
    except MechanismError:
        return mechanism


def facts(m: Matching, bodies: Mapping[int, Body]) -> Iterator[Difference]:
    """What differs in the tree; ``bodies`` are those of the second in the frames and with the names of the first."""
    for side, matched in ((0, m.pairs.keys()), (1, m.pairs.values())):
        for i, body in enumerate(m.sides[side].bodies):
            if i not in matched:
                has = f"{body.joint.kind}, from {body.parent!r} to {body.name!r}"
                yield _only(m, side, "joint", body.joint.name, has)
    for i, body in bodies.items():
        mine, other = m.first.bodies[i], m.second.bodies[m.pairs[i]]
        told = partial(Difference.between, m.sides, "joint", (mine.joint.name, other.joint.name))
        if not m.is_one_kind(i, m.pairs[i]):
            yield told("type", (mine.joint.kind, other.joint.kind))
        if not m.has_one_parent(i):
            yield told("parent", (mine.parent, other.parent))
        follows = [f"follows {b.joint.mimic.joint!r}" if b.joint.mimic else "moves by itself" for b in (mine, body)]
        if follows[0] != follows[1]:
            yield told("mimic", follows)


def _only(m: Matching, side: int, kind: str, name: str, has: str) -> Difference:
    """A part that only one of the mechanisms has."""
    step = 1 - 2 * side
    return Difference.between(m.sides, kind, (name, None)[::step], kind, (has, f"no such {kind}")[::step])


def constraints_differ(m: Matching) -> Iterator[Difference]:
    """Constraints of only one mechanism, and such that hold other frames; they correspond by what they hold and by names."""
    theirs = list(m.second.constraints)
    for mine in m.first.constraints:
        fitted = {k: found for k, one in enumerate(theirs) if (found := _fitted(mine, _in_first(m, one)))}
        off = [(max(map(apart, _held(mine), _held(one))), theirs[k].name != mine.name, k) for k, one in fitted.items()]
        if not off:
            yield _only(m, 0, "constraint", mine.name, _ends(mine))
            continue
        most, _, k = min(off)
        twin = theirs.pop(k)
        if most > FEW_DIGITS:
            frames = [" and ".join(map(pose, _held(one))) for one in (mine, fitted[k])]
            yield Difference.between(m.sides, "constraint", (mine.name, twin.name), "frames", frames)
    for one in theirs:
        yield _only(m, 1, "constraint", one.name, _ends(one))


def _ends(one: Constraint) -> str:
    return f"{' '.join(one.directions)} between {one.first!r} and {one.second!r}"


def _held(one: Constraint) -> tuple[Placement, Placement]:
    return one.first_placement, one.second_placement


def _in_first(m: Matching, one: Constraint) -> Constraint | None:
    """A constraint of the second mechanism with the names and the frames of the first one; None without them."""
    back = {m.second.bodies[j].name if j >= 0 else m.second.root: i for i, j in m.pairs.items()}
    if not {one.first, one.second} <= back.keys():
        return None
    i, j = back[one.first], back[one.second]
    first, second = (m.first.bodies[k].name if k >= 0 else m.first.root for k in (i, j))
    return Constraint(
        one.name, first, second, one.directions, m.frames[i] @ one.first_placement, m.frames[j] @ one.second_placement
    )


def _fitted(mine: Constraint, one: Constraint | None) -> Constraint | None:
    """The constraint with ends and frames as alike ``mine`` as the same one can have; None if it holds something else."""
    if one and one.directions in (POINT, WELD) and one.first != mine.first:
        one = Constraint(one.name, one.second, one.first, one.directions, one.second_placement, one.first_placement)
    if not one or (one.first, one.second, one.directions) != (mine.first, mine.second, mine.directions):
        return None
    first, second = _held(one)
    if one.directions == WELD:
        first, second = mine.first_placement, second @ first.inverse() @ mine.first_placement
    if one.directions == POINT:
        first, second = (Placement(own.rotation, its.translation) for own, its in zip(_held(mine), (first, second), strict=True))
    return replace(one, first_placement=first, second_placement=second)
