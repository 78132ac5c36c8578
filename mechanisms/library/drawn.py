"""Mechanisms that nobody chose: drawn from a seed, each with some traits that code has limits for.

Code keeps arrays of a fixed length, cuts names, takes small numbers for zero. Usual mechanisms show none of this. Each trait of
:data:`TRAITS` is one mechanism, with joints that nearly all code has, revolute and prismatic:

- deep: a chain of more than 32 bodies, with a few beside it. Their names have more than 128 characters, and differ at the end;
- broad: more than 64 bodies, more than 16 of them on the root, and more than 16 on one body, three bodies deep. Some names differ
  in upper and lower case alone;
- numbers: masses from 10⁻⁷ to 10³ kg in one tree, lengths from 10⁻⁵ to 10³ m, axes and turns that are between 10⁻⁹ and 1 degree
  beside the principal ones.

Gravity has any direction and size. Each size is the limit and a few more, which are drawn: code may have any limit below it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from mechanisms.body import Body
from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement, Rotation
from mechanisms.inertia import Inertia
from mechanisms.library.generate import random_mechanism
from mechanisms.mechanism import Mechanism
from mechanisms.numbers.exact import Vector

PREFIX = "drawn"
"""The first word of such a mechanism's name, as in drawn:7:deep."""

DEPTH, BODIES, ROOTS, CHILDREN, LETTERS = 32, 64, 16, 16, 128
"""Limits that the mechanisms exceed."""

TWIGS = 3
"""Bodies that stand beside the chain of the trait "deep"."""

HEAVIEST, LIGHTEST = 3, -7
"""Powers of ten of the masses (kg) of the trait "numbers"."""

PRINCIPAL = (
    *(Rotation(1, 0, 0, 0), Rotation(1, 1, 0, 0), Rotation(1, 0, 1, 0), Rotation(1, 0, 0, 1)),
    *(Rotation(0, 1, 0, 0), Rotation(0, 0, 1, 0), Rotation(1, 1, 1, 1), Rotation(1, -1, 1, 1)),
)
"""Rotations that take coordinate axes to coordinate axes."""


def drawn_mechanism(seed: int, trait: str) -> Mechanism:
    """The mechanism drawn from ``seed`` with a trait of :data:`TRAITS`. Raises :class:`MechanismError` for an unknown trait."""
    if trait not in TRAITS:
        raise MechanismError(f"there is no trait {trait!r} of drawn mechanisms; use {', '.join(TRAITS)}")
    draw = random.Random(f"{PREFIX} {seed} {trait}")
    bodies = tuple(TRAITS[trait](draw))
    gravity = tuple(Fraction(draw.randint(-1000, 1000), 100) for _ in range(3))
    return Mechanism(f"{PREFIX}:{seed}:{trait}", bodies, gravity)


def default_drawn(seed: int) -> tuple[str, ...]:
    """The names of the mechanisms that a default check draws from its seed."""
    return tuple(f"{PREFIX}:{seed}:{trait}" for trait in TRAITS)


def _deep(draw: random.Random) -> Iterator[Body]:
    depth = DEPTH + draw.randint(1, 4)
    # In a chain alone, code that takes one name for another may still find the right parent: the body before.
    parents = [*range(-1, depth - 1), *(draw.randrange(depth - 2) for _ in range(TWIGS))]
    bodies = _ordinary(draw, len(parents))
    stem = "".join(draw.choice("abcdefghijklmnopqrstuvwxyz_") for _ in range(LETTERS))
    return _joined(bodies, [f"{stem}{i}" for i in range(len(bodies))], parents)


def _broad(draw: random.Random) -> Iterator[Body]:
    bodies = _ordinary(draw, BODIES + draw.randint(1, 4))
    roots, children = ROOTS + draw.randint(1, 4), CHILDREN + draw.randint(1, 4)
    hub = draw.randrange(roots)
    parents = [-1] * roots + [hub] * children
    # Those that follow stand on any body but the hub and those that are last.
    parents += [draw.choice([k for k in range(roots + children) if k != hub]) for _ in bodies[len(parents) :]]
    names = [f"link{i // 2}" if i % 2 else f"Link{i // 2}" for i in range(len(bodies))]
    return _joined(bodies, names, parents)


def _numbers(draw: random.Random) -> Iterator[Body]:
    count = 8
    bodies = _ordinary(draw, count)
    exponents = [HEAVIEST + (LIGHTEST - HEAVIEST) * k / (count - 1) for k in range(count)]
    turns = [-9 + 9 * k / (count - 1) for k in range(count)]
    draw.shuffle(turns)
    made = []
    for body, exponent, turn in zip(bodies, exponents, turns, strict=True):
        mass, length = _power(exponent), _power(draw.uniform(-5, 3))
        axis = tuple(row[2] for row in _beside(draw, turn).matrix)
        place = Placement(_beside(draw, turn), tuple(length * x for x in body.joint.placement.translation))
        joint = replace(body.joint, axis=axis, placement=place)
        size = _power(draw.uniform(-3, 0))
        made.append(replace(body, joint=joint, inertia=_scaled(body.inertia, mass, size)))
    return _joined(made, [f"body{i}" for i in range(count)], [draw.randrange(-1, i) for i in range(count)])


TRAITS: dict[str, Callable[[random.Random], Iterator[Body]]] = {"deep": _deep, "broad": _broad, "numbers": _numbers}


IN_WORDS = {
    "deep": "chains of more than 32 bodies and names of more than 128 characters",
    "broad": "trees of more than 64 bodies with 17 roots and 17 children of one body",
    "numbers": "masses from 1e-7 to 1000 kg in one tree and axes just beside x, y and z",
}
"""What code may have a limit for, by trait."""


def _ordinary(draw: random.Random, count: int) -> Sequence[Body]:
    return random_mechanism(draw.randrange(10**9), count, armature=False, damping=False).bodies


def _joined(bodies: Sequence[Body], names: Sequence[str], parents: Sequence[int]) -> Iterator[Body]:
    """The bodies with these names, which their joints share, each on the body of this number."""
    for body, name, parent in zip(bodies, names, parents, strict=True):
        joint = replace(body.joint, name=f"{name}_joint")
        yield replace(body, name=name, parent=names[parent] if parent >= 0 else "world", joint=joint)


def _beside(draw: random.Random, exponent: float) -> Rotation:
    """A rotation that is about 10^exponent degrees beside one that keeps the coordinate axes."""
    half = Fraction(_power(exponent)) * Fraction(draw.randint(500, 1000), 1000) / 115
    x, y, z = (half * Fraction(draw.randint(-1000, 1000), 1000) for _ in range(3))
    return draw.choice(PRINCIPAL) @ Rotation(1, x or half, y or half, z)


def _power(exponent: float) -> Fraction:
    """Ten to this power, to three digits."""
    return Fraction(f"{10**exponent:.2e}")


def _scaled(inertia: Inertia, mass: Fraction, size: Fraction) -> Inertia:
    """The inertia of a body with this many times the mass and the size."""
    com: Vector = tuple(size * x for x in inertia.com)
    return Inertia(mass, com, tuple(size**2 * mass / inertia.mass * x for x in inertia.about_com))
