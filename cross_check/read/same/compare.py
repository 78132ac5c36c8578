"""Are two mechanisms one robot? The verdict, with every number that differs, its lines, and what it does to τ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cross_check.read.readers.compare import EXACT, FEW_DIGITS
from cross_check.read.same.facts import constraints_differ, facts, fixed_in_one
from cross_check.read.same.matched import HERE, Matching, named
from cross_check.read.same.motion import Array, Motion, torques
from cross_check.read.same.numbers import NUMBERS, Number, apart, compared, decimals, far, pose, relation, taken
from cross_check.read.same.results import Difference, Same
from cross_check.read.same.welded import in_links
from mechanisms import Body, Mechanism, MechanismError
from mechanisms.mimic import Mimic
from mechanisms.numbers.exact import dot

NOTICEABLE = 0.01
"""Numbers that change some τ by a larger part of it are no lost digits: the smallest moment of a slender rod may double."""

Found = tuple[Difference, int, Mechanism]
"""A number that differs, the index of its body, −1 for gravity, and the first mechanism with the second one's number alone."""


def same(first: Mechanism, second: Mechanism, renamed: Mapping[str, str] | None = None) -> Same:
    """Whether the mechanisms are one robot: τ is the same function of the same coordinates.

    ``renamed`` has names of joints or links of the second, by those of the first. Frames of bodies may differ, and the place of
    the root, as far as gravity allows.
    """
    return Comparison.of(first, second, renamed or {}).same()


@dataclass(frozen=True)
class Comparison:
    """Two mechanisms whose bodies are matched; ``found`` are facts by which they differ already."""

    matching: Matching
    found: tuple[Difference, ...] = ()

    @classmethod
    def of(cls, first: Mechanism, second: Mechanism, renamed: Mapping[str, str]) -> Comparison:
        sides, fixed = fixed_in_one(first, second, renamed)
        return cls(Matching.of(*sides, named(*sides, renamed)), tuple(fixed))

    @cached_property
    def bodies(self) -> dict[int, Body]:
        """By the body of the first: the one of the second, with the names and in the frames of the first."""
        m, bodies = self.matching, dict[int, Body]()
        leading = {j: i for i, j in m.pairs.items()}
        for i in (k for k in m.frames if k >= 0):
            body = m.moved(i, m.frames[i], m.pairs[i])
            if mimic := body.joint.mimic:
                leader = leading.get(m.second.leaders[m.pairs[i]])
                name = mimic.joint if leader is None else m.first.bodies[leader].joint.name
                # A follower about the opposite axis, with the opposite numbers, moves the same way.
                sign = -1 if dot(body.joint.axis, m.first.bodies[i].joint.axis) < 0 else 1
                follower = Mimic(name, sign * mimic.multiplier, sign * mimic.offset)
                axis = tuple(sign * x for x in body.joint.axis)
                body = replace(body, joint=replace(body.joint, mimic=follower, axis=axis))
            bodies[i] = body
        return bodies

    @cached_property
    def motion(self) -> Motion:
        """The drawn states, with τ of the first mechanism."""
        return Motion.of(self.matching.first)

    def same(self) -> Same:
        m = self.matching
        told = [*self.found, *facts(m, self.bodies), *constraints_differ(m)]
        numbers = [(self._weighed(one, alone), i, alone) for one, i, alone in (*self._numbers(), *self._gravity())]
        notes = tuple(self._notes())
        if not told and all(one.is_digits for one, *_ in numbers):
            worst = sorted((one for one, *_ in numbers), key=lambda one: -(one.share or 0))
            return Same("digits" if worst else "exactly", tuple(worst), notes)
        motion = self.motion
        single, wrong = np.zeros_like(motion.tau), set[int]()
        for one, i, alone in numbers:
            if not one.is_digits:
                changes = motion.changes(alone)
                single += changes
                wrong.add(i)
                told.append(replace(one, effect=motion.largest(changes)))
        if any(one.share is None for one in told):
            return Same("different", _grouped(told), notes)
        other = self._with({i: self.bodies[i] for i in wrong - {-1}}, m.gravity if -1 in wrong else None)
        # Where links are is seen, even where τ does not depend on it.
        alike = all(one.kind == "body" for one in told) and motion.is_alike(other, single)
        return Same("motion" if alike else "different", _grouped(told), notes, motion.largest(motion.changes(other)))

    def _weighed(self, one: Difference, alone: Mechanism) -> Difference:
        """The difference; where τ shows lost digits, its share is the part by which τ changes."""
        share = self.motion.share(alone) if one.is_digits else 0.0
        return replace(one, share=share) if share > NOTICEABLE else one

    def at(self, state: int) -> tuple[Motion, Array]:
        """The drawn states with τ of the first, and τ (nv,) of the second at one of them, in the frames of the first.

        Raises :class:`MechanismError` where the mechanisms have no common state."""
        m = self.matching
        if self.found or any(one.what in ("joint", "type", "parent", "mimic") for one in facts(m, self.bodies)):
            raise MechanismError("the two have other joints, so there is no state that both can have; leave --state out")
        q, v, a = (x[[state]] for x in self.motion.states)
        return self.motion, torques(self._with(self.bodies, m.gravity), (q, v, a))[0]

    def _with(self, bodies: Mapping[int, Body], gravity: Any = None) -> Mechanism:
        """The first mechanism with other bodies."""
        first = self.matching.first
        pairs = ((a, bodies.get(i, a)) for i, a in enumerate(first.bodies))
        changed = tuple(replace(b, joint=replace(b.joint, kind=a.joint.kind)) for a, b in pairs)
        # Constraints enter no τ, and frames are not needed.
        return Mechanism(first.name, changed, gravity or first.gravity, first.root, physical=False)

    def _numbers(self) -> Iterator[Found]:
        m = self.matching
        for i, body in self.bodies.items():
            a, b = m.first.bodies[i], m.second.bodies[m.pairs[i]]
            numbers = compared(a, body, m.length(i, m.pairs[i]))
            links = in_links(m, i) if any(not number.is_joints for number in numbers) else []
            is_joint_alike = m.is_one_kind(i, m.pairs[i]) and m.has_one_parent(i)
            for number in numbers:
                if is_joint_alike if number.is_joints else not links:
                    yield self._difference(a, b, number), i, self._with({i: taken(a, body, number.path)})
            for link, its, number, whole, said in links:
                yield self._difference(link, its, number, said), i, self._with({i: whole})

    def _difference(self, a: Body, b: Body, number: Number, said: str | None = None) -> Difference:
        declared = NUMBERS[number.path]
        shown = [[side[k] for k in number.components] for side in (number.first, number.second)]
        values = [decimals(tuple(side), 12 if number.is_digits else 7) for side in shown]
        what = " ".join(filter(None, (declared.name, *(declared.components[k] for k in number.components))))
        turning, _, sliding = declared.unit.partition("|")
        unit = sliding if sliding and a.joint.kind != "fixed" and not a.joint.screws[0].turns else turning
        kind, names = ("joint", (a.joint.name, b.joint.name)) if number.is_joints else ("body", (a.name, b.name))
        words = relation(number, a.inertia) if said is None else said
        return Difference.between(self.matching.sides, kind, names, what, values, unit, relation=words, share=number.share)

    def _gravity(self) -> Iterator[Found]:
        m, g = self.matching, self.matching.first.gravity
        share = far(g, m.gravity) / max(far(g), far(m.gravity), 1e-9)
        if share > EXACT:
            values = decimals(g), decimals(m.gravity)
            told = Difference.between(m.sides, "gravity", ("", ""), "gravity", values, "m/s²", share=share)
            yield told, -1, self._with({}, m.gravity)

    def _notes(self) -> Iterator[str]:
        m = self.matching
        if apart(m.frames[-1], HERE) > EXACT:
            yield f"the root of the second is at {pose(m.frames[-1])} in that of the first"
        for i, j in [*m.pairs.items()][1:]:
            a, b, T = m.first.bodies[i].joint, m.second.bodies[j].joint, m.frames[i]
            if a.name != b.name:
                yield f"joint {a.name!r} is {b.name!r} in the second"
            if a.velocity_is_body_twist and apart(T, HERE) > FEW_DIGITS:
                yield f"q and v of joint {a.name!r} are about another frame of the body in the second: at {pose(T)}"
        lone = {body.joint.name for mechanism in m.sides for body in mechanism.bodies if body.joint.kind == "free"}
        if any(one.what == "joint" and one.name in lone for one in facts(m, self.bodies)):
            yield "the base of one moves freely; a URDF does not say whether it does, and free:FILE lets it"
        order = [m.second.v_slices[m.pairs[i]].start for i in sorted(m.frames) if i >= 0 and not m.first.bodies[i].joint.mimic]
        if order != sorted(order):
            yield "the order of the joints, and so of q and v, differs"


def _grouped(differences: list[Difference]) -> tuple[Difference, ...]:
    """Differences of one kind in several parts as one; facts first, then those with the largest effect."""
    groups: dict[Any, list[Difference]] = {}
    for k, one in enumerate(differences):
        groups.setdefault((one.kind, one.what, one.relation) if one.relation else k, []).append(one)
    told = []
    for several in groups.values():
        leading = max(several, key=lambda one: one.size)
        told.append(replace(leading, also=tuple(one.name for one in several if one is not leading)))
    return tuple(sorted(told, key=lambda one: (one.share is not None, -one.size)))
