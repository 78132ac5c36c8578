"""Which bodies of two mechanisms correspond, and where the frame of the one is in that of the other.

The frame of a body is a choice. Let λ be the parent of a body, P the placement of its joint, X(q) its motion.
A frame T of the second mechanism's body in that of the first one's changes its numbers to

    P₂' = T_λ P₂ T⁻¹,   X₂'(q) = T X₂(q) T⁻¹,

with the same coordinates q. T is taken from what suggests one: the frames as they are written, the poses at q = 0, the
joints of the children, the principal axes. The T that leaves the fewest numbers different is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from cross_check.read.readers.compare import FEW_DIGITS
from cross_check.read.same.numbers import compared, far
from cross_check.read.same.results import Sides
from mechanisms import Body, Mechanism, Placement, Rotation
from mechanisms.geometry import cross
from mechanisms.numbers.exact import Vector, dot

HERE = Placement()

ON_A_LINE = ("revolute", "continuous", "helical", "cylindrical")
"""Kinds of joints that turn about a line: the frame of the body may be anywhere on it."""

Pairs = dict[int, int]
"""Indices of bodies of the second mechanism by those of the first; −1 is the root."""


def named(first: Mechanism, second: Mechanism, renamed: Mapping[str, str]) -> Pairs:
    """Bodies that correspond by the names of their joints, or else of a link that they consist of.

    ``renamed`` has names of the second by those of the first.
    """
    pairs: Pairs = {-1: -1}
    for names in (_joints, _links):
        theirs = names(second)
        for i, mine in enumerate(names(first)):
            here = {renamed.get(name, name) for name in mine}
            found = [j for j, there in enumerate(theirs) if here & there and j not in pairs.values()]
            if i not in pairs and found:
                pairs[i] = found[0]
    return pairs


def _joints(mechanism: Mechanism) -> list[set[str]]:
    return [{body.joint.name} for body in mechanism.bodies]


def _links(mechanism: Mechanism) -> list[set[str]]:
    return [{link.name for link in mechanism.links if link.body == i} for i in range(len(mechanism.bodies))]


@dataclass(frozen=True)
class Matching:
    """Bodies that correspond, and by the body of the first the frame of the second one's."""

    first: Mechanism
    second: Mechanism
    pairs: Pairs
    frames: dict[int, Placement]

    @classmethod
    def of(cls, first: Mechanism, second: Mechanism, pairs: Pairs) -> Matching:
        """Complete the ``pairs`` by bodies of the same kind that fit best, on bodies that correspond, and find the frames."""
        whole = cls(first, second, dict(pairs), {})
        free = [j for j in range(len(second.bodies)) if j not in pairs.values()]
        roots = [
            (i, j) for i, parent in enumerate(first.parents) if i not in pairs for j in free if parent == second.parents[j] == -1
        ]
        tried = list[tuple[tuple[float, ...], Matching]]()
        for root in whole._roots(roots):
            tried.append(cls(first, second, dict(pairs), {-1: root})._completed(free))
            if not any(tried[-1][0]):
                break
        return min(tried, key=lambda one: one[0])[1]

    def _completed(self, free: list[int]) -> tuple[tuple[float, ...], Matching]:
        """Itself, with the pairs that its root leaves and all frames, and how many differences those leave."""
        off = [(0.0, 0.0, 0.0)]
        for i, parent in enumerate(self.first.parents):
            if i not in self.pairs:
                left = [j for j in free if j not in self.pairs.values() and self.second.parents[j] == self.pairs.get(parent)]
                if siblings := [j for j in left if self.is_one_kind(i, j)]:
                    self.pairs[i] = min(siblings, key=lambda j: self._fit(i, j)[0])
            if i in self.pairs:
                fewest, self.frames[i] = self._fit(i, self.pairs[i])
                off.append(fewest)
        return tuple(map(sum, zip(*off, strict=True))), self

    @property
    def sides(self) -> Sides:
        return self.first, self.second

    @property
    def gravity(self) -> Vector:
        """That of the second, in the frame of the first."""
        return self.frames[-1].rotation(self.second.gravity)

    def is_one_kind(self, i: int, j: int) -> bool:
        kinds = {self.first.bodies[i].joint.kind, self.second.bodies[j].joint.kind}
        return len(kinds) == 1 or kinds == {"revolute", "continuous"}

    def has_one_parent(self, i: int) -> bool:
        return self.pairs.get(self.first.parents[i]) == self.second.parents[self.pairs[i]]

    def moved(self, i: int, T: Placement, j: int) -> Body:
        """Body j of the second with the name of body i of the first, and in its frames; T is where its own frame is there."""
        a, b = self.first.bodies[i], self.second.bodies[j]
        over = self.frames.get(self.first.parents[i], HERE)
        # The position of a free joint is the pose of its body's frame, wherever that is.
        back = HERE if b.joint.kind == "free" else T.inverse()
        joint = replace(b.joint, name=a.joint.name, placement=(over @ b.joint.placement @ back).shortened())
        if joint.description.has_axis:
            axis, second = T.rotation(joint.axis), joint.second_axis and T.rotation(joint.second_axis)
            joint = replace(joint, axis=axis, second_axis=second)
        return replace(b, name=a.name, parent=a.parent, joint=joint).seen_from(T)

    def length(self, i: int, j: int) -> float:
        """The largest distance (m) among the numbers of both bodies and of what hangs on them."""
        vectors = []
        for mechanism, k in ((self.first, i), (self.second, j)):
            near = [b.joint for n, b in enumerate(mechanism.bodies) if k in (n, mechanism.parents[n])]
            vectors += [joint.placement.translation for joint in near]
            vectors += [mechanism.bodies[k].inertia.com] if k >= 0 else []
        return max([1e-9, *map(far, vectors)])

    def _fit(self, i: int, j: int) -> tuple[tuple[int, int, float], Placement]:
        """The frame that leaves the fewest differences, and how many: differences, lost digits, and their size."""
        length, tried = self.length(i, j), list[tuple[tuple[int, int, float], Placement]]()
        for T in self._suggested(i, j):
            numbers = compared(self.first.bodies[i], self.moved(i, T, j), length)
            off = sum(not one.is_digits for one in numbers) + self._lines_off(i, T, j, length)
            # Frames as they are written explain two differences sooner than other frames explain one.
            off += off > 0 and T != HERE
            tried.append(((off, len(numbers), sum(one.share for one in numbers)), T))
            if tried[-1][0] == (0, 0, 0.0):
                break
        return min(tried, key=lambda one: one[0])

    def _suggested(self, i: int, j: int) -> Iterator[Placement]:
        a, b = self.first.bodies[i], self.second.bodies[j]
        kind = b.joint.kind
        if kind == "planar" or (b.joint.compound and kind not in ("cylindrical", "universal")):
            # Coordinates along a triad fix the frame.
            one, other = (Rotation.from_matrix(tuple(zip(*body.joint.triad, strict=True))) for body in (a, b))
            yield Placement(one @ other.inverse())
            return
        over = self.frames.get(self.first.parents[i], HERE)
        raw = [HERE, a.joint.placement.inverse() @ over @ b.joint.placement]
        children = self._children(i, j)
        raw += [self.first.bodies[c].joint.placement @ self.second.bodies[d].joint.placement.inverse() for c, d in children]
        # Of a free body alone, the frame decides where its centre of mass is.
        for T in (*raw, *(_principal(a, b) if children or kind != "free" else ())):
            if kind in ON_A_LINE:
                axis = T.rotation(b.joint.axis)
                along = dot(axis, T.translation)
                yield Placement(T.rotation, tuple(along * x for x in axis)).shortened()
            else:
                yield (T if kind in ("prismatic", "free") else Placement(T.rotation)).shortened()

    def _children(self, i: int, j: int) -> list[tuple[int, int]]:
        """The joints on both bodies that correspond."""
        return [(c, d) for c, d in self.pairs.items() if c >= 0 and self.first.parents[c] == i and self.second.parents[d] == j]

    def _lines_off(self, i: int, T: Placement, j: int, length: float) -> int:
        """How many joints on the bodies have another axis, or another line that they turn about."""
        return sum(_is_off(self.first.bodies[c], T, self.second.bodies[d], length) for c, d in self._children(i, j))

    def _roots(self, others: list[tuple[int, int]]) -> list[Placement]:
        """Where the second root may be in the first one: with gravity, and the joints on it, as nearly alike as can be."""
        raw, g, length = [HERE], self.first.gravity, self.length(-1, -1)
        for i, j in [*self._children(-1, -1), *others]:
            a, b = self.first.bodies[i].joint, self.second.bodies[j].joint
            if a.kind != "free" and b.kind != "free":
                shift = Placement(translation=_minus(a.placement.translation, b.placement.translation))
                raw += [(a.placement @ b.placement.inverse()).shortened(), shift]

        def off(T: Placement) -> int:
            leans = far(g, T.rotation(self.second.gravity)) > FEW_DIGITS * max(map(abs, (*g, 1)))
            return leans + self._lines_off(-1, T, -1, length)

        each = [(off(T), T) for T in raw]
        return [T for count, T in each if count == min(each, key=lambda one: one[0])[0]]


def _is_off(a: Body, T: Placement, b: Body, length: float) -> bool:
    one, other = a.joint.placement, T @ b.joint.placement
    aside = _minus(one.translation, other.translation)
    if a.joint.description.has_axis and b.joint.description.has_axis:
        axis = one.rotation(a.joint.axis)
        if far(axis, other.rotation(b.joint.axis)) > FEW_DIGITS:
            return True
        if a.joint.kind in ON_A_LINE:
            aside = cross(axis, aside)
        elif not a.joint.screws[0].turns:
            return False
    elif a.joint.kind == "free":
        return False
    return far(aside) > FEW_DIGITS * length


def _minus(x: Vector, y: Vector) -> Vector:
    return tuple(p - q for p, q in zip(x, y, strict=True))


def _principal(a: Body, b: Body) -> Iterator[Placement]:
    """Frames in which the principal axes coincide, and the centres of mass."""
    if a.inertia.is_massless or b.inertia.is_massless:
        return
    axes = [np.linalg.eigh(np.array(body.inertia.matrix, dtype=float))[1] for body in (a, b)]
    mine, theirs = (vectors * np.sign(np.linalg.det(vectors)) for vectors in axes)
    for signs in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)):
        rotation = Rotation.from_matrix(tuple(map(tuple, mine @ np.diag(signs) @ theirs.T)))
        yield Placement(rotation, _minus(a.inertia.com, rotation(b.inertia.com)))
