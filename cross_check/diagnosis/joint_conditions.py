"""The smallest trait that exactly the faulty joints of a mechanism have: kind, place in the tree, axis, placement, inertia."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from itertools import combinations

from mechanisms import Joint, Mechanism
from mechanisms.geometry import basis
from mechanisms.numbers import Vector

Trait = tuple[str, frozenset[int]]
"""Words that complete "only joints …", and the indices of the joints that have it."""


def condition_of_joints(mechanism: Mechanism, faulty: Set[str]) -> str:
    """What just the joints with the names ``faulty`` have in common: words that complete "only joints …".

    Empty if all joints are faulty. The names, if no trait or pair of traits has just these joints; of a single joint, its name.
    """
    names = [body.joint.name for body in mechanism.bodies]
    wanted = frozenset(i for i, name in enumerate(names) if name in faulty)
    if len(wanted) == len(names) or not wanted:
        return ""
    if len(wanted) > 1 or len(names) > 2:
        found = list(traits(mechanism))
        single = [words for words, joints in found if joints == wanted]
        if single:
            return single[0]
        larger = [trait for trait in found if trait[1] > wanted]
        for (first, some), (second, others) in combinations(larger, 2) if len(wanted) > 1 else ():
            if some & others == wanted:
                return f"{first} and {second}"
    return ", ".join(repr(names[i]) for i in sorted(wanted))


def traits(m: Mechanism) -> Iterator[Trait]:
    """The simplest first. Each is a property of some joints, and not of all."""
    count = len(m.bodies)

    joints, parents = [body.joint for body in m.bodies], m.parents
    ancestors = [_ancestors(m, i) for i in range(count)]
    kinds = list(dict.fromkeys(joint.kind for joint in joints))
    rotated = [not _is_upright(joint) for joint in joints]
    later = [parents[i] in parents[:i] for i in range(count)]
    depth = [len(above) for above in ancestors]
    found: list[tuple[str, list[bool]]] = [
        *((f"of the kind {kind}", [joint.kind == kind for joint in joints]) for kind in kinds),
        ("with more than one velocity", [joint.nv > 1 for joint in joints]),
        ("that move the axes of their own coordinates", [joint.compound for joint in joints]),
        ("on the root", [λ < 0 for λ in parents]),
        ("not on the root", [λ >= 0 for λ in parents]),
        ("at the end of a branch", [i not in parents for i in range(count)]),
        ("with armature", [joint.armature != 0 for joint in joints]),
        ("with damping", [joint.damping != 0 for joint in joints]),
        ("whose body is massless", [body.inertia.is_massless for body in m.bodies]),
        ("whose axis is skew in its frame", [_has_axis(joint, lambda u: sum(x != 0 for x in u) > 1) for joint in joints]),
        ("whose axis points backwards", [_has_axis(joint, lambda u: tuple(-x for x in u) in basis()) for joint in joints]),
        ("whose placement is rotated", rotated),
        ("whose placement is translated", [any(joint.placement.translation) for joint in joints]),
        ("that are a second or later child of their body", later),
        ("that are the first of several children", [parents[i] in parents[i + 1 :] and not later[i] for i in range(count)]),
        *((f"behind a {kind} joint", [any(joints[k].kind == kind for k in above) for above in ancestors]) for kind in kinds),
        *((f"right behind a {kind} joint", [λ >= 0 and joints[λ].kind == kind for λ in parents]) for kind in kinds),
        ("behind a rotated placement", [any(rotated[k] for k in above) for above in ancestors]),
        ("behind a body with several children", [any(parents.count(k) > 1 for k in above) for above in ancestors]),
        *((f"from the {_ordinal(k + 1)} on", [i >= k for i in range(count)]) for k in range(1, count)),
        *((f"up to the {_ordinal(k)}", [i < k for i in range(count)]) for k in range(1, count)),
        *((f"with {d} or more joints between them and the root", [x >= d for x in depth]) for d in range(1, max(depth) + 1)),
        *((f"of the subtree of {joints[k].name!r}", [k in (i, *ancestors[i]) for i in range(count)]) for k in range(count)),
    ]
    for words, has in found:
        if any(has) and not all(has):
            yield words, frozenset(i for i, one in enumerate(has) if one)


def _ancestors(m: Mechanism, i: int) -> list[int]:
    found = []
    while (i := m.parents[i]) >= 0:
        found.append(i)
    return found


def _has_axis(joint: Joint, like: Callable[[Vector], bool]) -> bool:
    return joint.description.has_axis and like(joint.axis)


def _is_upright(joint: Joint) -> bool:
    _, x, y, z = joint.placement.rotation.quaternion
    return bool(x == y == z == 0)


def _ordinal(n: int) -> str:
    return f"{n}{'th' if 10 < n % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"
