"""Traits of mechanisms. A fault that needs a trait changes nothing without it."""

from __future__ import annotations

from collections.abc import Callable

from mechanisms import Mechanism


def has_armature(m: Mechanism) -> bool:
    return any(body.joint.armature != 0 for body in m.bodies)


def _has_force(name: str) -> Callable[[Mechanism], bool]:
    """Whether a joint has this force of :mod:`mechanisms.joint_forces`."""
    return lambda m: any(name in body.joint.forces for body in m.bodies)


has_damping, has_friction, has_springs = map(_has_force, ("damping", "friction", "spring"))


def branches(m: Mechanism) -> bool:
    inner = [λ for λ in m.parents if λ >= 0]
    return len(set(inner)) < len(inner)


def has_several_roots(m: Mechanism) -> bool:
    return m.parents.count(-1) > 1


def has_massless_link(m: Mechanism) -> bool:
    return any(body.inertia.mass == 0 and λ >= 0 for body, λ in zip(m.bodies, m.parents, strict=True))
