"""Writes mechanisms as MJCF, what was read from that as SDF, and what was read from that as URDF, and compares after each.

``PYTHONPATH=benchmarks python -m written_files --random 2000`` prints how many robots and random mechanisms each format keeps
exactly, and why the others change: a format cannot say something, or a number is no decimal and is rounded.

With ``--into FOLDER`` it writes the files. ``python -m mjcf_files FOLDER`` and ``python -m sdf_files FOLDER`` then compare what
MuJoCo and Drake make of them.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechanisms import Mechanism, MechanismError, Rotation, parse_urdf, robot, robot_names, write_urdf
from mechanisms.body import MASSLESS
from mechanisms.files.attributes import decimal
from mechanisms.files.mjcf.read import parse_mjcf
from mechanisms.files.mjcf.write import in_mjcf, write_mjcf
from mechanisms.files.sdf.read import parse_sdf
from mechanisms.files.sdf.write import in_sdf, write_sdf
from mechanisms.files.written import static, welded
from mechanisms.joint_forces import JOINT_PARAMETERS
from mechanisms.joint_kinds import MOVING, Kind
from mechanisms.library.generate import USUAL, random_mechanism

Leg = tuple[str, Callable[[Mechanism], Mechanism], Callable[[Mechanism], str], Callable[..., Mechanism]]

LEGS: tuple[Leg, ...] = (
    ("MJCF", in_mjcf, write_mjcf, parse_mjcf),
    ("SDF", in_sdf, write_sdf, parse_sdf),
    ("URDF", lambda mechanism: mechanism, write_urdf, parse_urdf),
)
"""A format, the mechanism that is said in it, its writer and its reader."""

SAME = "the same, exactly"

KINDS: tuple[tuple[Kind, ...], ...] = (
    USUAL,
    MOVING,
    (*USUAL, "fixed"),
    ("revolute", "spherical", "helical", "universal", "fixed"),
)
"""The kinds of joints that random mechanisms have in turn."""


def plain(part: Any) -> Any:
    """All that decides how a mechanism moves, and all names; a rotation as its matrix: the length of a quaternion is free."""
    if isinstance(part, Rotation):
        return part.matrix
    if is_dataclass(part):
        return tuple(plain(getattr(part, field.name)) for field in fields(part) if field.compare)
    return tuple(map(plain, part)) if isinstance(part, tuple) else part


def rounded(part: Any, other: Any) -> bool:
    """Whether the two, before bodies are welded, differ by the last digit of float64 alone, in numbers without decimal text."""
    if isinstance(part, Mechanism):
        names = part.name == other.name and len(part.frames) == len(other.frames)
        return names and rounded(parts_of(part), parts_of(other))
    if isinstance(part, Rotation):
        pairs = zip(sum(part.matrix, ()), sum(other.matrix, ()), strict=True)
        return all(abs(float(a - b)) < 1e-15 for a, b in pairs)
    if is_dataclass(part):
        names = [field.name for field in fields(part) if field.compare]
        return type(part) is type(other) and all(rounded(getattr(part, x), getattr(other, x)) for x in names)
    if isinstance(part, tuple):
        return len(part) == len(other) and all(rounded(a, b) for a, b in zip(part, other, strict=True))
    return bool(part == other or (isinstance(part, Fraction) and other == Fraction(decimal(part))))


def parts_of(mechanism: Mechanism) -> tuple[Any, ...]:
    """What it was made of, but inertias that do not move."""
    bodies = welded(mechanism)
    still = static(bodies, mechanism.root)
    moving = tuple(replace(body, inertia=MASSLESS) if body.name in still else body for body in bodies)
    return (mechanism.root, moving, mechanism.gravity, mechanism.constraints)


def outcomes(mechanism: Mechanism) -> Iterator[tuple[str, str]]:
    """For each format, what became of the mechanism that the format before it gave; none after one that refuses."""
    for form, said_in, write, parse in LEGS:
        try:
            said = said_in(mechanism)
            read = replace(parse(write(mechanism), physical=mechanism.physical), physical=mechanism.physical)
        except MechanismError as error:
            yield form, re.sub(r"'[^']*'|\d+", "…", str(error))
            return
        changed = " of a mechanism that it can say" if plain(said) != plain(mechanism) else ""
        if plain(read) == plain(said):
            yield form, SAME + changed
        else:
            yield form, "rounded" if rounded(said, read) else f"WRONG: {mechanism.name}"
        mechanism = read


def drawn(seed: int) -> Mechanism:
    """A random mechanism; every kind of traits comes in turn."""
    kinds, mimics = KINDS[seed % len(KINDS)], seed // 4 % 3 == 1
    mechanism = random_mechanism(
        seed,
        1 + seed % 13,
        kinds,
        seed % 5 == 0,
        "chain" if seed % 7 == 0 else "tree",
        tilted_gravity=seed % 2 == 0,
        mimics=mimics,
    )
    return with_forces(mechanism, random.Random(seed)) if seed // 4 % 3 == 2 else mechanism


def with_forces(mechanism: Mechanism, draw: random.Random) -> Mechanism:
    """With springs and friction at half of the joints that may have them."""
    bodies = []
    for body in mechanism.bodies:
        if body.joint.kind in ("revolute", "prismatic", "helical") and draw.random() < 0.5:
            numbers = {name: Fraction(draw.randrange(1, 10**6), 10**4) for name in JOINT_PARAMETERS}
            body = replace(body, joint=replace(body.joint, **numbers))
        bodies.append(body)
    return replace(mechanism, bodies=tuple(bodies))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=2000, help="how many random mechanisms")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    parser.add_argument("--into", type=Path, help="write the files here, for mjcf_files and sdf_files")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.random)
    for title, mechanisms in (("robots", map(robot, robot_names())), ("random", map(drawn, seeds))):
        found: Counter[tuple[str, str]] = Counter()
        for mechanism in mechanisms:
            found.update(outcomes(mechanism))
            for form, _, write, _ in LEGS if given.into else ():
                with suppress(MechanismError):
                    name = f"{mechanism.name}.{'xml' if form == 'MJCF' else form.lower()}"
                    (given.into / name).write_text(write(mechanism), "utf-8")
        for form, *_ in LEGS:
            for (at, words), times in found.most_common():
                if at == form:
                    print(f"{title:8}{form:5}{times:6}  {words}", flush=True)


if __name__ == "__main__":
    main()
