"""Random mechanisms, the same for the same seed on every machine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from mechanisms.body import Body
from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement, Rotation, cross
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.joint_kinds import JOINT_KINDS, MOVING, Kind
from mechanisms.mechanism import EARTH, Mechanism
from mechanisms.mimic import Mimic
from mechanisms.numbers.exact import Vector

Shape = Literal["tree", "chain"]

USUAL: tuple[Kind, ...] = ("revolute", "prismatic")
"""The default kinds of joints in random mechanisms."""

MIMIC = "mimic"
"""The word for mimic joints in the name of a random mechanism."""


def random_mechanism(
    seed: int,
    bodies: int = 6,
    kinds: Sequence[Kind] = USUAL,
    free_base: bool = False,
    shape: Shape = "tree",
    *,
    armature: bool = True,
    damping: bool = True,
    tilted_gravity: bool = False,
    mimics: bool = False,
) -> Mechanism:
    """``bodies`` bodies, fixed ones included, drawn with :class:`random.Random`; every number is a small fraction.

    * tree: in a "chain" every body follows the one before; in a "tree" each parent is uniform over the bodies before it;
    * joints: uniform over ``kinds``; an axis is a rational point of the sphere, and one in three is a coordinate axis;
      a placement is a quaternion of integers in −4…4 and a translation uniform in ±0.5 m;
    * inertias: mass in 0.1…5 kg, centre of mass in ±0.2 m, and second moments about it per unit of mass Σ = L Lᵀ + (1 cm)² 1,
      with the entries of L in ±0.1 m. Then I = m (tr(Σ) 1 − Σ) is the inertia of a possible body, with skew principal axes;
    * pitches of helical joints in ±0.3 m/rad; second axes of universal joints, drawn as axes are;
    * ``armature`` in 0…0.2 (kg m² or kg) and ``damping`` in 0…1 (N m s or N s/m), each on half of the joints;
    * gravity: the usual, or with ``tilted_gravity`` any direction, each component in ±9.81 m/s²;
    * with ``mimics``, half of the revolute, prismatic and helical joints follow any of the others, inboard or outboard of
      them, with a multiplier in ±2 and an offset in ±1 (rad or m).

    With ``free_base`` the first joint is free. At least one joint moves: if all other joints are fixed, the last
    is drawn among the kinds that move. Raises :class:`MechanismError` for no bodies and for kinds of which none moves.
    """
    if (unknown := next((kind for kind in kinds if kind not in JOINT_KINDS), None)) is not None:
        raise MechanismError(f"there is no kind of joint {unknown!r}; use {', '.join(JOINT_KINDS)}")
    moving = [kind for kind in kinds if kind != "fixed"]
    if bodies < 1 or not kinds or not (moving or free_base) or shape not in ("tree", "chain"):
        raise MechanismError(
            f"a random mechanism of {bodies} bodies, kinds {tuple(kinds)!r} and shape {shape!r} cannot be drawn; "
            "give at least one body, a kind that moves, and the shape tree or chain"
        )
    draw = random.Random(seed)
    drawn: list[Body] = []
    for i in range(bodies):
        kind: Kind = "free" if free_base and i == 0 else draw.choice(kinds)
        if i == bodies - 1 and kind == "fixed" and all(body.joint.kind == "fixed" for body in drawn):
            kind = draw.choice(moving)
        parent = i - 1 if shape == "chain" else draw.randrange(-1, i)
        axis, described = _axis(draw), JOINT_KINDS[kind]
        joint = Joint(
            f"joint{i + 1}",
            kind,
            axis,
            Placement(_rotation(draw), _vector(draw, "0.5")),
            _on_half(draw, "0.2") if armature and described.takes_armature_and_damping else 0,
            _on_half(draw, "1") if damping and described.takes_armature_and_damping else 0,
            _uniform(draw, "0.3") if described.takes_pitch else 0,
            _not_parallel(draw, axis) if described.takes_second_axis else None,
        )
        drawn.append(Body(f"body{i + 1}", f"body{parent + 1}" if parent >= 0 else "world", joint, _inertia(draw)))
    gravity = _vector(draw, "9.81") if tilted_gravity else EARTH
    if mimics:
        drawn = _following(seed, drawn)
    words = ["free"] * free_base + ["random", str(seed), str(bodies)]
    if tuple(kinds) != USUAL or mimics:
        words.append("all" if tuple(kinds) == MOVING else ",".join(kinds))
    if mimics:
        words[-1] += f",{MIMIC}"
    return Mechanism(":".join(words), tuple(drawn), gravity)


def kinds_of(words: str) -> tuple[Kind, ...]:
    """The kinds of joints that a word names: "all" for all that move, or several names with commas between them.

    Raises :class:`MechanismError` for an unknown name.
    """
    named = [word.strip() for word in words.split(",")]
    if named == ["all"]:
        return MOVING
    if (unknown := next((word for word in named if word not in JOINT_KINDS), None)) is not None:
        raise MechanismError(f"there is no kind of joint {unknown!r}; use all, or some of {', '.join(MOVING)}")
    return tuple(kind for word in named for kind in JOINT_KINDS if kind == word)


def kinds_and_mimics(words: str) -> tuple[tuple[Kind, ...], bool]:
    """The kinds of joints in ``words``, and whether the word "mimic" is among them: "all,mimic"."""
    named = [word.strip() for word in words.split(",")]
    others = [word for word in named if word != MIMIC]
    return (kinds_of(",".join(others)) if others else USUAL), MIMIC in named


def _following(seed: int, bodies: Sequence[Body]) -> list[Body]:
    """The bodies, with half of the joints of one angle or distance following the others."""
    # A generator of its own: without their mimics, the bodies are those of the same seed.
    draw = random.Random(f"{seed} {MIMIC}")
    names = [b.joint.name for b in bodies if [slot.form for slot in b.joint.slots] in (["angle"], ["distance"])]
    draw.shuffle(names)
    leaders, followers = names[: -(-len(names) // 2)], names[-(-len(names) // 2) :]
    mimics = {name: Mimic(draw.choice(leaders), _uniform(draw, "2") or 1, _uniform(draw, "1")) for name in sorted(followers)}
    return [replace(b, joint=replace(b.joint, mimic=mimics.get(b.joint.name))) for b in bodies]


def _uniform(draw: random.Random, bound: str) -> Fraction:
    """Uniform over the thousandths of ±``bound``."""
    return Fraction(bound) * Fraction(draw.randint(-1000, 1000), 1000)


def _vector(draw: random.Random, bound: str) -> Vector:
    return tuple(_uniform(draw, bound) for _ in range(3))


def _on_half(draw: random.Random, bound: str) -> Fraction:
    """A number between zero and ``bound`` in half of the cases, otherwise zero."""
    return abs(_uniform(draw, bound)) if draw.random() < 0.5 else Fraction(0)


def _rotation(draw: random.Random) -> Rotation:
    w, x, y, z = (draw.randint(-4, 4) for _ in range(4))
    return Rotation(w if any((w, x, y, z)) else 1, x, y, z)


def _axis(draw: random.Random) -> Vector:
    """The third column of a rational rotation is a rational unit vector."""
    if draw.randrange(3) == 0:
        k = draw.randrange(3)
        return tuple(Fraction(int(i == k)) for i in range(3))
    return tuple(row[2] for row in _rotation(draw).matrix)


def _not_parallel(draw: random.Random, axis: Vector) -> Vector:
    """An axis that is not parallel to ``axis``."""
    while not any(cross(axis, second := _axis(draw))):
        pass
    return second


def _inertia(draw: random.Random) -> Inertia:
    mass = Fraction(draw.randint(10, 500), 100)
    L = [_vector(draw, "0.1") for _ in range(3)]
    second = [[sum(a * b for a, b in zip(r, s, strict=True)) + (Fraction(1, 10_000) if r is s else 0) for s in L] for r in L]
    trace = second[0][0] + second[1][1] + second[2][2]
    moments = (mass * (trace - second[k][k]) for k in range(3))
    products = (-mass * second[i][j] for i, j in ((0, 1), (0, 2), (1, 2)))
    return Inertia(mass, _vector(draw, "0.2"), (*moments, *products))
