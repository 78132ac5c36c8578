"""Judges what a reader makes of a trait's file: is it right, and if not, what is wrong first?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mechanisms.reading import Numbers, Reading, ReadJoint
from mechanisms.urdf_traits import Trait

SMALL = 1e-6
"""Distances (m) and moments of inertia per mass (m²) below this are compared absolutely, for rounding around zero."""


def wrong(trait: Trait, reading: Reading, tolerance: float = 1e-9) -> list[str]:
    """What ``reading`` has wrong, the first cause first; empty if it is right.

    Joints are matched by name, because no specification has an order of them. What a reader does not keep, such as damping, is
    not compared. ``tolerance`` is relative to the largest component of a vector.
    """
    if trait.joints is None:
        return ["reads what has no right reading"]
    found = {joint.name: joint for joint in reading.joints}
    right = {joint.name: joint for joint in trait.joints}
    missing = [f"{name} is missing" for name in right if name not in found]
    more = [f"{name} is added" for name in found if name not in right]
    if missing or more:
        return missing + more
    return [phrase for name in right for phrase in _joint(right[name], found[name], tolerance)]


def _joint(right: ReadJoint, got: ReadJoint, tolerance: float) -> Iterator[str]:
    if got.kind != right.kind:
        yield f"{right.name} is {got.kind}, not {right.kind}"
        return
    if got.parent != right.parent:
        yield f"{right.name} hangs on {got.parent or 'the root'}, not on {right.parent or 'the root'}"
        return
    if right.mimic != got.mimic:
        yield f"{right.name} moves on its own" if got.mimic is None else f"{right.name} follows with {_mimic(got)}"
    if not _near(right.origin, got.origin, tolerance, SMALL):
        yield f"origin {_words(got.origin)}, not {_words(right.origin)}"
    if not _near(right.axis, got.axis, tolerance, 0):
        yield f"axis {_words(got.axis)}, not {_words(right.axis)}"
    yield from _mass(right, got, tolerance)
    if got.damping is not None and right.damping is not None and not _near((right.damping,), (got.damping,), tolerance, SMALL):
        yield f"damping {got.damping:.6g}, not {right.damping:.6g}"


def _mass(right: ReadJoint, got: ReadJoint, tolerance: float) -> Iterator[str]:
    ours, theirs = right.carries, got.carries
    if not _near((ours.mass,), (theirs.mass,), tolerance, 0):
        yield f"mass {theirs.mass:.6g} kg, not {ours.mass:.6g}"
        return
    # The centre of no mass is anywhere.
    if ours.mass and not _near(ours.com, theirs.com, tolerance, SMALL):
        yield f"centre of mass {_words(theirs.com)}, not {_words(ours.com)}"
    # Readers that keep inertias about other points lose digits to the distance.
    distance = max(1.0, *map(abs, ours.com))
    if not _near(ours.inertia, theirs.inertia, tolerance, SMALL * abs(ours.mass) * distance * distance):
        yield f"inertia {_words(theirs.inertia)}, not {_words(ours.inertia)}"


def _near(right: Numbers, got: Numbers, tolerance: float, least: float) -> bool:
    if len(right) != len(got):
        return False
    size = max([least, *map(abs, right)])
    return all(abs(a - b) <= tolerance * size for a, b in zip(right, got, strict=True))


def _mimic(joint: ReadJoint) -> str:
    assert joint.mimic
    return f"{joint.mimic.multiplier:g} · {joint.mimic.leader} + {joint.mimic.offset:g}"


def _words(numbers: Sequence[float]) -> str:
    return " ".join(f"{x + 0.0:.4g}" for x in numbers) or "none"
