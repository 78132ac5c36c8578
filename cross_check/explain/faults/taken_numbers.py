"""Mechanisms in which numbers are taken for those of another body, joint or kind: indices that are off by one, fixed axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults.fault import Fault
from mechanisms import Body, Joint, Mechanism, Placement
from mechanisms.geometry import basis


def of_other(take: Callable[[Body, Body], Body], by: int, wraps: bool, m: Mechanism) -> Mechanism:
    """Every body takes numbers of the body so many places after it; where there is none it takes its own, or it ``wraps``."""
    bodies = m.bodies
    inside = range(len(bodies))
    return wm.with_bodies(m, lambda i, b: take(b, bodies[(i + by) % len(bodies)]) if wraps or i + by in inside else b)


TAKEN: tuple[tuple[str, str, Callable[[Body, Body], Body]], ...] = (
    ("the mass", "mass", lambda b, o: replace(b, inertia=replace(b.inertia, mass=o.inertia.mass))),
    ("the centre of mass", "centre of mass", lambda b, o: replace(b, inertia=replace(b.inertia, com=o.inertia.com))),
    (
        "the rotational inertia",
        "rotational inertia",
        lambda b, o: replace(b, inertia=replace(b.inertia, about_com=o.inertia.about_com)),
    ),
    ("the inertia", "inertia", lambda b, o: replace(b, inertia=o.inertia)),
    ("the placement", "placements", lambda b, o: replace(b, joint=replace(b.joint, placement=o.joint.placement))),
    (
        "the origin",
        "placements",
        lambda b, o: replace(
            b,
            joint=replace(b.joint, placement=Placement(b.joint.placement.rotation, o.joint.placement.translation)),
        ),
    ),
)
"""What may be taken of another body: the subject of a sentence, the group, and the change of a body."""


def exchanged(joint: Joint) -> Joint:
    """Armature and damping are exchanged."""
    return replace(joint, armature=joint.damping, damping=joint.armature)


TAKEN_OF_OTHERS: tuple[Fault, ...] = (
    *(
        Fault(
            f"{what} of every body is that of the {where if wraps else f'{where} one'}",
            group,
            mechanism=partial(of_other, take, by, wraps),
        )
        for what, group, take in TAKEN
        for where, by, wraps in (
            ("previous", -1, False),
            ("next", 1, False),
            ("previous one, and of the first that of the last", -1, True),
            ("next one, and of the last that of the first", 1, True),
        )
    ),
    *(
        Fault(f"the axis of every joint is {name}", "axes", mechanism=wm.joint(partial(wm.with_axis, axis)))
        for name, axis in zip("xyz", basis(), strict=True)
    ),
    Fault("armature and damping are exchanged", "armature", mechanism=wm.joint(exchanged)),
)
