"""Motions that code takes about the centre of mass of their tree: what this costs in digits, and whether the code does so.

The error scale measures the motion of a body by distances R from the root's origin: its own, and those of joints that move it.
Code may keep the motions of a whole tree about the tree's centre of mass instead. Then every distance is longer by that of the
centre of mass, at most C = Σ m (R + c) / Σ m over the tree. A body at the root's origin has R = 0, and a right answer about it
may be off by any number of ε-units.

A cell is explained by this only if both hold:

1. With R + C in place of R (docs/notes/error-scale.md, eq. 37), no error is above the bar.
2. The code loads the same mechanism with the mass of every tree at the origin of its first body, and answers again. There,
   with the C of that mechanism, no error is above the bar.

Motions do not depend on masses. So the second experiment changes the lever, and nothing else: a wrong term, a wrong placement or
a wrong entry stays what it is, and now is far above the bar of the shorter lever.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.judgements import compare
from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes, summed
from cross_check.error_scale.sizes import ErrorScale
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms import Inertia, Mechanism
from mechanisms.errors import MechanismError
from mechanisms.quantities import Quantity
from mechanisms.write_urdf import source_of

OF_BODIES = ("jacobians", "velocities", "accelerations", "classical_accelerations", "drifts")

FAMILIES = (*OF_BODIES, *(f"frame_{family}" for family in OF_BODIES))
"""Motions of bodies and of frames: they do not depend on masses."""

SMALL = 2.0**-40
"""The mass of other bodies than the first, in kg. Engines refuse bodies without mass."""


class AboutTheCenterOfMass(MotionMagnitudes):
    """The bounds of code that takes motions about the centre of mass of their tree."""

    def distances(self, q: Array) -> list[Array]:
        """R + C."""
        R = super().distances(q)
        trees = [body for body, λ in enumerate(self.mechanism.parents) if λ < 0]
        far = {b: self._center(R, self.subtrees[tree]) for tree in trees for b in self.subtrees[tree]}
        return [r + far[b] for b, r in enumerate(R)]

    def _center(self, R: list[Array], bodies: list[int]) -> Array:
        """C of a tree: zero if it has no mass."""
        mass = sum(self.masses[b] for b in bodies)
        return summed(self.masses[b] * (R[b] + self.c[b]) for b in bodies) / (mass or 1)


def explained_by_levers(
    case: Case, loaded: Loaded, load: Callable[[Mechanism], Loaded], quantity: Quantity, bar: float
) -> str | None:
    """Why an answer above the bar is right, in words that quote both experiments; None if it is not so explained.

    ``load`` loads another mechanism in the same implementation. Code that cannot load it, or does not answer, is not explained.
    """
    if quantity.family not in FAMILIES:
        return None
    try:
        with_lever = _largest(case, loaded, case.mechanism, quantity)
        if not with_lever <= bar:
            return None
        moved = with_mass_at_first_bodies(case.mechanism)
        without = _largest(case, load(moved), moved, quantity)
    except (Unsupported, Failure, MechanismError):
        return None
    if not without <= bar:
        return None
    return (
        "motions are taken about the centre of mass of their tree: with the lever to it they are off by "
        f"{with_lever:.2g} ε-units; where the mass is moved to the origin of the first body, by {without:.2g}"
    )


def with_mass_at_first_bodies(mechanism: Mechanism) -> Mechanism:
    """The mechanism with the mass of every tree at the origin of its first body; all others have hardly any.

    One that was read from a file has a file of its own, for code that reads files.
    """
    bodies = tuple(
        replace(body, inertia=Inertia(mass, about_com=(mass, mass, mass, 0, 0, 0)))
        for body, λ in zip(mechanism.bodies, mechanism.parents, strict=True)
        for mass in [1.0 if λ < 0 else SMALL]
    )
    name = f"{mechanism.name} with its mass at the first body"
    moved = replace(mechanism, name=name, bodies=bodies, read_from=None)
    return replace(moved, read_from=source_of(moved)) if mechanism.source else moved


def _largest(case: Case, loaded: Loaded, mechanism: Mechanism, quantity: Quantity) -> float:
    """The largest error of the answers in ε-units, where C is that of ``mechanism``: the masses enter no true value."""
    there = replace(case, scale=ErrorScale(AboutTheCenterOfMass(mechanism)))
    answer = loaded.ask(quantity.name, *case.states.arguments(quantity.arguments)).value
    return float(np.nan_to_num(compare(there, quantity, answer).units, nan=np.inf).max(initial=0.0))
