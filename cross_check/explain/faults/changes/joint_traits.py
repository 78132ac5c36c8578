"""What joints can have in common: kind, place in the tree, axis, placement, inertia. A fault may act at such joints alone.

A trait goes by its words, which complete "joints …", or is a set of classes: the class of a joint is its kind, and its axis by
name. A trait speaks of no mechanism, so that a fault at joints with a trait is the same fault on every mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from functools import lru_cache

from mechanisms import Joint, Mechanism
from mechanisms.geometry import basis
from mechanisms.joint_forces import JOINT_FORCES
from mechanisms.joint_kinds import JOINT_KINDS, MOVING, Kind
from mechanisms.numbers.exact import Vector
from mechanisms.plain_text import listing

SKEW = "skew"

AXES: dict[tuple[int, int, int], str] = {
    (1, 0, 0): "+x",
    (0, 1, 0): "+y",
    (0, 0, 1): "+z",
    (-1, 0, 0): "−x",
    (0, -1, 0): "−y",
    (0, 0, -1): "−z",
}
"""The axes that have a name. All others are skew."""

JointClass = tuple[Kind, str]
"""A kind of joint, and the name of its axis in the joint's frame."""


def class_of(joint: Joint) -> JointClass:
    """The class of a joint; joints without an axis have z."""
    return joint.kind, next((name for axis, name in AXES.items() if axis == tuple(joint.axis)), SKEW)


def words(classes: frozenset[JointClass]) -> str:
    """The joints of these classes, such as "revolute joints whose axis is none of +x, +y and +z"."""
    kinds: dict[frozenset[str], list[str]] = {}
    for kind in MOVING:
        if axes := frozenset(axis for one, axis in classes if one == kind):
            everywhere = not JOINT_KINDS[kind].has_axis or len(axes) == len(AXES) + 1
            kinds.setdefault(frozenset() if everywhere else axes, []).append(kind)
    return ", and at ".join(f"{listing(names)} joints{_whose(axes)}" for axes, names in kinds.items())


def _whose(axes: frozenset[str]) -> str:
    if not axes:
        return ""
    if SKEW not in axes:
        return f" whose axis is {' or '.join(name for name in AXES.values() if name in axes)}"
    return f" whose axis is none of {listing([name for name in AXES.values() if name not in axes])}"


KIND = "of the kind "
"""The beginning of the traits that are kinds of joints."""


Trait = str | frozenset[JointClass]


def joints_with(trait: Trait, m: Mechanism) -> tuple[str, ...]:
    """The names of the joints of ``m`` that have the trait."""
    if isinstance(trait, frozenset):
        return tuple(body.joint.name for body in m.bodies if class_of(body.joint) in trait)
    return tuple(body.joint.name for body, has in zip(m.bodies, _traits(m).get(trait, ()), strict=False) if has)


def in_words(trait: Trait) -> str:
    """The joints with the trait, for sentences."""
    if isinstance(trait, frozenset):
        return words(trait)
    kind = trait.removeprefix(KIND)
    return f"joints {trait}" if kind == trait else f"{kind} joints"


def traits_of(joints: Set[str], among: Set[str], m: Mechanism) -> Iterator[str]:
    """The traits that all of ``joints`` have, and not all of the joints ``among``; the simplest first."""
    for trait in _traits(m):
        having = set(joints_with(trait, m))
        if joints <= having and not among <= having:
            yield trait


@lru_cache(64)
def _traits(m: Mechanism) -> dict[str, list[bool]]:
    """By words: which joints have the trait."""
    count = len(m.bodies)
    joints, parents = [body.joint for body in m.bodies], m.parents
    massless = [body.inertia.is_massless for body in m.bodies]
    ancestors = [_ancestors(m, i) for i in range(count)]
    kinds = list(dict.fromkeys(joint.kind for joint in joints))
    rotated = [not _is_upright(joint) for joint in joints]
    several = [λ >= 0 and parents.count(λ) > 1 for λ in parents]
    later = [λ >= 0 and λ in parents[:i] for i, λ in enumerate(parents)]
    depth = [len(above) for above in ancestors]
    found: list[tuple[str, list[bool]]] = [
        *((KIND + kind, [joint.kind == kind for joint in joints]) for kind in kinds),
        ("with more than one velocity", [joint.nv > 1 for joint in joints]),
        ("that are the first of all", [i == 0 for i in range(count)]),
        ("on the root", [λ < 0 for λ in parents]),
        ("not on the root", [λ >= 0 for λ in parents]),
        ("that are the last of all", [i == count - 1 for i in range(count)]),
        ("at the end of a branch", [i not in parents for i in range(count)]),
        ("that are the second or a later one of several children", later),
        (
            "that are the first of several children",
            [has and not late for has, late in zip(several, later, strict=True)],
        ),
        ("outboard of a body with several children", [any(parents.count(k) > 1 for k in above) for above in ancestors]),
        *((f"outboard of a {kind} joint", [any(joints[k].kind == kind for k in above) for above in ancestors]) for kind in kinds),
        *((f"directly outboard of a {kind} joint", [λ >= 0 and joints[λ].kind == kind for λ in parents]) for kind in kinds),
        ("whose body has no mass", massless),
        ("directly outboard of a body without mass", [λ >= 0 and massless[λ] for λ in parents]),
        ("with armature", [joint.armature != 0 for joint in joints]),
        *((f"with {force.words}", [name in joint.forces for joint in joints]) for name, force in JOINT_FORCES.items()),
        ("whose axis is skew in its frame", [_has_axis(joint, lambda u: sum(x != 0 for x in u) > 1) for joint in joints]),
        ("whose axis points backwards", [_has_axis(joint, lambda u: tuple(-x for x in u) in basis()) for joint in joints]),
        ("whose placement is rotated", rotated),
        ("whose placement is translated", [any(joint.placement.translation) for joint in joints]),
        ("outboard of a rotated placement", [any(rotated[k] for k in above) for above in ancestors]),
        ("with an even number", [i % 2 == 1 for i in range(count)]),
        ("with an odd number", [i % 2 == 0 for i in range(count)]),
        *((f"from the {_ordinal(k + 1)} on", [i >= k for i in range(count)]) for k in range(1, count)),
        *((f"up to the {_ordinal(k)}", [i < k for i in range(count)]) for k in range(2, count)),
        *((f"with {d} or more joints between them and the root", [x >= d for x in depth]) for d in range(1, max(depth) + 1)),
    ]
    return dict(found)


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
