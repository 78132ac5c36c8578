"""What may be wrong with a step beside its scheme: one part of the forces, or the step itself, times a factor.

The factor is solved for: the miss is nearly linear in it, so that a few secant steps find where the miss is least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from cross_check.memory import Array
from mechanisms import Mechanism

PARTS = {
    "force": "the applied force",
    "late": "the applied force of the state before",
    "gravity": "gravity",
    "damping": "damping",
    "coriolis": "Coriolis and centrifugal forces",
    "velocity": "all forces of velocity",
    "springs": "the force of springs",
    "armature": "armature",
    "step": "the length of the step",
    "stage": "the weight of stage",
}
"""Every part, in words. "late" is what the applied force is replaced with, wholly or in part."""

OF_JOINTS = ("force", "damping", "springs", "armature")
"""The parts that each joint has of its own."""

SIMPLE = 24
"""A factor with a denominator up to this one is read as a fraction. Others are printed as they are."""


@dataclass(frozen=True)
class Alteration:
    """One part times a factor: at one coordinate, or at all.

    In right code the factor of "late" is zero, and every other is one.
    """

    part: str
    factor: float
    coordinate: int | None = None

    @property
    def right(self) -> float:
        """The factor in right code."""
        return 0.0 if self.part == "late" else 1.0

    def weights(self, n: int) -> Array:
        """By what the part of each coordinate is more than in right code (n,)."""
        more = np.full(n, self.factor - self.right)
        if self.coordinate is not None:
            more[np.arange(n) != self.coordinate] = 0.0
        return more

    def words(self, mechanism: Mechanism) -> str:
        """The alteration as the end of a sentence that begins with "as if"."""
        what = PARTS[self.part]
        if self.part == "stage":
            what += f" {(self.coordinate or 0) + 1}"
        elif self.coordinate is not None:
            what += f" at {mechanism.coordinates[self.coordinate]}"
        if self.part == "late":
            return f"{what} acted" if self.factor == 1 else f"{_number(self.factor)} of {what} acted in place of its own"
        if self.part == "step":
            return f"{what} were {_number(self.factor)} h"
        if self.factor == 0:
            return f"{what} were left out"
        if self.factor == -1:
            return f"{what} had the opposite sign"
        return f"{what} were {_number(self.factor)} times as large"


def _number(factor: float) -> str:
    near = Fraction(factor).limit_denominator(SIMPLE)
    if float(near) == factor:
        return str(near)
    rough = f"{factor:.6g}"
    return f"1 {'+' if factor > 1 else '−'} {abs(factor - 1):.2g}" if rough == "1" else rough


def simple(factor: float) -> Iterator[float]:
    """Numbers near the factor: the fractions with small denominators and three decimals first, then the factor itself."""
    for near in (float(Fraction(factor).limit_denominator(SIMPLE)), round(factor, 3)):
        if abs(near - factor) <= 1e-5 * max(1.0, abs(factor)):
            yield near
    yield factor


def alterations_of_all() -> Iterator[Alteration]:
    """Every part of the whole mechanism, with its right factor."""
    for part in PARTS:
        if part != "stage":
            yield Alteration(part, 0.0 if part == "late" else 1.0)


def alterations_of_joints(mechanism: Mechanism) -> Iterator[Alteration]:
    """The parts of single joints."""
    for part in OF_JOINTS if mechanism.nv > 1 else ():
        for k in range(mechanism.nv):
            yield Alteration(part, 1.0, k)


def alterations_of_stages(stages: int) -> Iterator[Alteration]:
    """The weight of each of several stages."""
    for k in range(stages if stages > 1 else 0):
        yield Alteration("stage", 1.0, k)
