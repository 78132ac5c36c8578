"""Writes what was read from random files and real robots, and reads it again: then nothing may change any more.

python tests/fuzz/fixpoint.py --files 10000 --seed 0
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter

from mechanisms import Mechanism, MechanismError, parse_urdf, robot, robot_names, write_urdf


def random_urdf(seed: int) -> str:
    """A tree of one to eight links with numbers of every length; one joint in four is fixed."""
    draw = random.Random(seed)
    parts = ['<robot name="r" unphysical="true"><link name="base"/>']
    if draw.random() < 0.3:
        parts.append(f'<gravity xyz="{_vector(draw)}"/>')
    for k in range(1, draw.randint(2, 9)):
        kind = (
            "fixed"
            if k > 1 and draw.random() < 0.25
            else draw.choice(("revolute", "continuous", "prismatic", "planar", "floating"))
        )
        dynamics = f'<dynamics damping="{abs(float(_number(draw)))}" armature="{draw.random():.3}"/>'
        parts.append(
            f'<link name="l{k}">{_inertial(draw)}</link><joint name="j{k}" type="{kind}">{_origin(draw)}'
            f'<parent link="{draw.choice(["base", *(f"l{i}" for i in range(1, k))])}"/><child link="l{k}"/>'
            f'<axis xyz="{_direction(draw)}"/>{dynamics if kind in ("revolute", "continuous", "prismatic") else ""}</joint>'
        )
    return "".join([*parts, "</robot>"])


def is_expressible(text: str) -> bool:
    """Whether all numbers of the mechanism are decimals: welding bodies and turning inertias divides by other numbers."""
    return 'type="fixed"' not in text and not re.search('<inertial><origin xyz="[^"]*" rpy', text)


def _inertial(draw: random.Random) -> str:
    if draw.random() < 0.1:
        return ""
    moments = " ".join(f'{entry}="{_number(draw)}"' for entry in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    return (
        f'<inertial>{_origin(draw, draw.random() < 0.2)}<mass value="{draw.uniform(0.1, 9)!r}"/><inertia {moments}/></inertial>'
    )


def _origin(draw: random.Random, turned: bool = True) -> str:
    if not turned:
        return f'<origin xyz="{_vector(draw)}"/>'
    quarter = " ".join(str(draw.choice((0, 1.5707963267948966, -1.5707963267948966, 3.141592653589793))) for _ in range(3))
    angles = draw.choice((quarter, _vector(draw), " ".join(f"{draw.uniform(-7, 7):.{draw.choice((3, 17))}g}" for _ in range(3))))
    return f'<origin xyz="{_vector(draw)}" rpy="{angles}"/>'


def _direction(draw: random.Random) -> str:
    return draw.choice(("1 0 0", "0 -1 0", "0 0 2", "0 -3 4", "0.577350 0.577350 0.577350", "1 1e-17 0", _vector(draw)))


def _vector(draw: random.Random) -> str:
    return " ".join(_number(draw) for _ in range(3))


def _number(draw: random.Random) -> str:
    """A float64 to the last bit, a short decimal, one with more digits than a float64 has, or rounding noise."""
    x = draw.uniform(-1, 1)
    return draw.choice((repr(x), f"{x:.4f}", f"{x:.3e}", f"{x:.25f}", f"{x * 1e-17:.6g}", f"{x:.17f}{draw.randrange(10**9):09}"))


def outcome(mechanism: Mechanism) -> str:
    """What writing and reading changes: "nothing", something "once", or something "again"."""
    once = parse_urdf(write_urdf(mechanism))
    if parse_urdf(write_urdf(once)).fingerprint != once.fingerprint:
        return "again"
    return "nothing" if once.fingerprint == mechanism.fingerprint else "once"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    for name in robot_names():
        counts["robots", outcome(robot(name))] += 1
    for seed in range(given.seed, given.seed + given.files):
        text = random_urdf(seed)
        kind = "expressible" if is_expressible(text) else "welded or turned"
        try:
            counts[kind, outcome(parse_urdf(text))] += 1
        except MechanismError as error:
            counts[kind, f"refused ({error})"] += 1
    for key, times in sorted(counts.items()):
        print(*key, times, sep=": ")
    return int(any(changed == "again" for _, changed in counts))


if __name__ == "__main__":
    sys.exit(main())
