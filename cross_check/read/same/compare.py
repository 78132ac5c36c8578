"""Are two mechanisms one robot? The verdict, with every number that differs, its lines, and what it does to τ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from cross_check.read.readers.compare import EXACT, FEW_DIGITS
from cross_check.read.same.facts import constraints_differ, facts, fixed_in_one, place
from cross_check.read.same.matched import Matching, far, named
from cross_check.read.same.motion import Array, Motion, torques
from cross_check.read.same.numbers import NUMBERS, Number, compared, decimal, relation, spoken, taken
from cross_check.read.same.results import Difference, Same
from cross_check.read.same.welded import in_one, in_parts, parts
from mechanisms import Body, Mechanism, MechanismError
from mechanisms.mimic import Mimic

Found = tuple[Difference, Number, int, Mechanism]
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
        one, other, fixed = fixed_in_one(first, second, renamed)
        return cls(Matching.of(one, other, named(one, other, renamed)), tuple(fixed))

    @cached_property
    def bodies(self) -> dict[int, Body]:
        """By the body of the first: the one of the second, with the names and in the frames of the first."""
        m, bodies = self.matching, dict[int, Body]()
        leading = {j: i for i, j in m.pairs.items()}
        for i, T in m.frames.items():
            if i < 0:
                continue
            body = m.moved(i, T, m.pairs[i])
            if mimic := body.joint.mimic:
                leader = leading.get(m.second.leaders[m.pairs[i]])
                name = mimic.joint if leader is None else m.first.bodies[leader].joint.name
                body = replace(body, joint=replace(body.joint, mimic=Mimic(name, mimic.multiplier, mimic.offset)))
            bodies[i] = body
        return bodies

    def same(self) -> Same:
        m = self.matching
        told = [*self.found, *facts(m, self.bodies), *constraints_differ(m)]
        numbers = [*self._numbers(), *self._gravity()]
        notes = tuple(self._notes())
        if not told and all(number.is_digits for _, number, *_ in numbers):
            worst = sorted((one for one, *_ in numbers), key=lambda one: -(one.share or 0))
            return Same("digits" if worst else "exactly", tuple(worst), notes)
        motion = Motion.of(m.first)
        single = np.zeros_like(motion.tau)
        for one, number, _, alone in numbers:
            if number.is_digits:
                continue
            changes = motion.changes(alone)
            single += changes
            told.append(replace(one, effect=motion.largest(changes)))
        if any(one.share is None for one in told):
            return Same("different", tuple(_grouped(told)), notes)
        wrong = {i for _, number, i, _ in numbers if not number.is_digits}
        gravity = m.frames[-1].rotation(m.second.gravity) if -1 in wrong else m.first.gravity
        other = self._with({i: self.bodies[i] for i in wrong - {-1}}, gravity)
        # Where links are is seen, even where τ does not depend on it.
        alike = all(one.kind == "body" for one in told) and motion.is_alike(other, single)
        effect = motion.largest(motion.changes(other))
        return Same("motion" if alike else "different", tuple(_grouped(told)), notes, effect)

    def at(self, state: int) -> tuple[Motion, Array]:
        """The drawn states with τ of the first, and τ (nv,) of the second at one of them, in the frames of the first.

        Raises :class:`MechanismError` where the mechanisms have no common state."""
        m = self.matching
        if self.found or any(one.what in ("joint", "type", "parent", "mimic") for one in facts(m, self.bodies)):
            raise MechanismError("the two have other joints, so there is no state that both can have; leave --state out")
        motion = Motion.of(m.first)
        other = self._with(self.bodies, m.frames[-1].rotation(m.second.gravity))
        q, v, a = (x[[state]] for x in motion.states)
        return motion, torques(other, (q, v, a))[0]

    def _with(self, bodies: Mapping[int, Body], gravity: Any = None) -> Mechanism:
        """The first mechanism with other bodies."""
        first = self.matching.first
        changed = tuple(bodies.get(i, body) for i, body in enumerate(first.bodies))
        changed = tuple(replace(b, joint=replace(b.joint, kind=a.joint.kind)) for a, b in zip(first.bodies, changed, strict=True))
        # Constraints enter no τ, and frames are not needed.
        return Mechanism(first.name, changed, gravity or first.gravity, first.root, physical=False)

    def _numbers(self) -> Iterator[Found]:
        m = self.matching
        for i, body in self.bodies.items():
            a, b, length = m.first.bodies[i], m.second.bodies[m.pairs[i]], m.length(i, m.pairs[i])
            numbers = compared(a, body, length)
            mine, theirs = parts(m.first, i), parts(m.second, m.pairs[i])
            has_all = mine.keys() == theirs.keys()
            links = in_parts(mine, theirs, m.frames[i], length) if has_all and len(mine) > 1 else []
            dropped = {} if has_all else in_one(mine, theirs, m.frames[i], length)
            is_inertia_off = any(NUMBERS[number.path].place == "inertial" for number in numbers)
            for number in numbers:
                is_joint = NUMBERS[number.path].place == "joint"
                if (m.is_one_kind(i, m.pairs[i]) and m.has_one_parent(i)) if is_joint else not (links or dropped):
                    yield self._difference(a, b, number), number, i, self._with({i: taken(a, body, number.path)})
            for link, its, number, inertia in links if is_inertia_off else ():
                yield self._difference(link, its, number), number, i, self._with({i: replace(a, inertia=inertia)})
            for name, inertia in dropped.items() if is_inertia_off else ():
                sides = [links[name].inertia.mass if name in links else Fraction(0) for links in (mine, theirs)]
                number = Number("inertia.mass", (sides[0],), (sides[1],), 1.0)
                said = replace(
                    self._difference(_called(a, name), _called(b, name), number), relation="one has no inertia for this link"
                )
                yield said, number, i, self._with({i: replace(a, inertia=inertia)})

    def _difference(self, a: Body, b: Body, number: Number) -> Difference:
        m, declared = self.matching, NUMBERS[number.path]
        x, y = (
            " ".join(decimal(side[k], 12 if number.is_digits else 7) for k in number.components)
            for side in (number.first, number.second)
        )
        what = " ".join(filter(None, (declared.name, *(declared.components[k] for k in number.components))))
        turning, _, sliding = declared.unit.partition("|")
        unit = sliding if sliding and a.joint.kind != "fixed" and not a.joint.screws[0].turns else turning
        is_joint = declared.place == "joint"
        mine, theirs = (a.joint.name, b.joint.name) if is_joint else (a.name, b.name)
        lines = place(m.first, declared.place, mine), place(m.second, declared.place, theirs)
        kind = "joint" if is_joint else "body"
        return Difference(kind, mine, what, unit, x, y, *lines, relation(number, a.inertia), number.share)

    def _gravity(self) -> Iterator[Found]:
        m = self.matching
        g, other = m.first.gravity, m.frames[-1].rotation(m.second.gravity)
        share = far(g, other) / max(abs(float(x)) for x in (*g, *other, 1e-9))
        if share > EXACT:
            number = Number("gravity", g, other, share)
            lines = place(m.first, "gravity", ""), place(m.second, "gravity", "")
            x, y = (" ".join(map(decimal, vector)) for vector in (g, other))
            yield Difference("gravity", "", "gravity", "m/s²", x, y, *lines, share=share), number, -1, self._with({}, other)

    def _notes(self) -> Iterator[str]:
        m = self.matching
        if far(spoken(m.frames[-1].rotation), (0, 0, 0)) > EXACT or far(m.frames[-1].translation, (0, 0, 0)) > EXACT:
            yield f"the root of the second is {_at(m.frames[-1])} in that of the first"
        for i, j in m.pairs.items():
            a, b = m.first.bodies[i].joint, m.second.bodies[j].joint
            if i < 0:
                continue
            if a.name != b.name:
                yield f"joint {a.name!r} is {b.name!r} in the second"
            T = m.frames[i]
            if a.velocity_is_body_twist and (
                far(spoken(T.rotation), (0, 0, 0)) > FEW_DIGITS or far(T.translation, (0, 0, 0)) > FEW_DIGITS
            ):
                yield f"q and v of joint {a.name!r} are about another frame of the body in the second: {_at(T)}"
        lone = {body.joint.name for mechanism in (m.first, m.second) for body in mechanism.bodies if body.joint.kind == "free"}
        if any(one.what == "joint" and one.name in lone for one in facts(m, self.bodies)):
            yield "the base of one moves freely; a URDF does not say whether it does, and free:FILE lets it"
        order = [m.second.v_slices[m.pairs[i]].start for i in sorted(m.frames) if i >= 0 and not m.first.bodies[i].joint.mimic]
        if order != sorted(order):
            yield "the order of the joints, and so of q and v, differs"


def _called(body: Body, name: str) -> Body:
    return replace(body, name=name)


def _at(T: Any) -> str:
    return f"at {' '.join(map(decimal, T.translation))} m, rpy {' '.join(map(decimal, spoken(T.rotation)))}"


def _grouped(differences: list[Difference]) -> list[Difference]:
    """Differences of one kind in several parts as one; facts first, then those with the largest effect."""
    groups: dict[Any, list[Difference]] = {}
    for k, one in enumerate(differences):
        groups.setdefault((one.kind, one.what, one.relation) if one.relation else k, []).append(one)
    told = []
    for several in groups.values():
        leading = max(several, key=lambda one: one.size)
        told.append(replace(leading, also=tuple(one.name for one in several if one is not leading)))
    return sorted(told, key=lambda one: (one.share is not None, -one.size))
