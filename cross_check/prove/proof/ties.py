"""Decides whether a value is exactly the middle of two float64, where balls of any precision contain both.

A value is a rational function of the cosines and sines of the state's angles; all other numbers are binary fractions. If that
function is the constant m for *all* angles, it is m at these. This is the only way in which a value can be rational although the
cosines and sines that it is computed from are not, unless the angles themselves satisfy an equation, such as q₃ = q₁ + q₂
(Lindemann and Weierstrass). The claim is proven as certificates are: by the program, at a random point, with a probability of
error of 2⁻¹⁰⁰ at most (:mod:`cross_check.prove.proof.rounds`). Equal angles get one t = tan(q/2), opposite ones get t and −t, and
the angle zero gets zero. Angles that are small multiples n of one angle, such as q₂ = 2 q₁, are functions of its t:

    tan(n q/2) = Im (1 + i t)ⁿ / Re (1 + i t)ⁿ                                                   A. de Moivre's formula

No denominator is zero, because n q/2 is rational and π is not. Of a circle only the direction counts. Its cosine and sine are
numbers if its length is rational.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, isqrt, lcm
from typing import Any

import numpy as np

from cross_check.prove.proof.exact import Exact, OnTape
from cross_check.prove.proof.generic import Draw
from cross_check.prove.proof.rounds import proofs_of
from cross_check.prove.proof.scalars import Number
from cross_check.prove.proof.statement import Sides
from mechanisms import Mechanism
from oracle import EulerLagrange
from oracle.fields import each, half_angle

Array = np.ndarray[Any, Any]

MOST = 16
"""The largest multiple of an angle that is a function of its t: the degrees of a program grow with it."""


def proven_ties(mechanism: Mechanism, quantity: str, state: tuple[Array, ...], middles: Mapping[int, Fraction]) -> set[int]:
    """The components that are proven to be ties at one state.

    ``state`` has the float64 arguments of ``quantity`` for a batch of one, q first; ``middles`` has the suspected exact values
    by the indices of the components of the ravelled answer. All claims share one program.
    """

    def answer(field: OnTape) -> Array:
        return field.once(answer, lambda: as_functions_of_angles(mechanism, quantity, state, field))

    ties = [Tie(quantity, k, middle, answer) for k, middle in middles.items()]
    return {tie.index for tie, proof in zip(ties, proofs_of(ties, seed=0), strict=True) if proof.verdict == "proven"}


def as_functions_of_angles(mechanism: Mechanism, quantity: str, state: tuple[Array, ...], field: OnTape) -> Array:
    """The ravelled answer at ``state`` as functions of its angles: t for every angle, cosine and sine for every circle."""
    q, *others = (each(Fraction, given) for given in state)
    angles = [angle for _, slot in mechanism.slots("angle") for angle in q[0, slot]]
    numbers = Angles(field.element, tape=field.tape, bases=common_parts(angles))
    for _, slot in mechanism.slots("angle"):
        q[:, slot] = each(numbers.half, q[:, slot])
    for _, slot in mechanism.slots("circle"):
        q[0, slot] = numbers.circle(*q[0, slot])
    exact = (each(field.tape.lift, given) for given in (q, *others))
    answer: Array = getattr(EulerLagrange(mechanism, numbers), quantity)(*exact)
    return answer.ravel()


@dataclass(frozen=True)
class Tie:
    """The claim that one component of ``quantity`` is the number ``middle`` for all angles, all other numbers being given.

    ``answer`` gives the components as functions of the angles.
    """

    quantity: str
    index: int
    middle: Fraction
    answer: Callable[[OnTape], Array]

    @property
    def modular(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return f"component {self.index} of {self.quantity} is {self.middle}"

    def sides(self, field: Exact, draw: Draw) -> Sides:
        assert isinstance(field, OnTape)
        return [self.answer(field)[self.index]], [self.middle]

    def component(self, k: int) -> list[int]:
        return [self.index]


@dataclass(frozen=True)
class Angles(OnTape):
    """The numbers of a tape, where every t belongs to an angle (rad) that is known."""

    bases: tuple[Fraction, ...] = ()
    """Angles whose small multiples are functions of their t."""
    known: dict[Any, Number] = dataclasses.field(default_factory=dict)
    """t by the magnitude of an angle, or by the sign of a circle's cosine and the magnitude of its tangent."""

    def half(self, angle: Fraction) -> Number:
        """t of an exact angle."""
        return self._half(abs(angle), angle)

    def circle(self, x: Fraction, y: Fraction) -> tuple[Number, Number]:
        """Cosine and sine of the angle of a vector; numbers if its length is rational, as for quarter turns and half turns."""
        length = _root(x * x + y * y)
        if length:
            return self.tape.constant(x / length), self.tape.constant(y / length)
        cosine, sine = half_angle(self._half((x > 0, abs(y / x)), y))
        return cosine, sine

    def _half(self, magnitude: Any, sign: Fraction) -> Number:
        if not magnitude:
            return self.tape.zero
        if magnitude not in self.known:
            self.known[magnitude] = self._multiple(magnitude) if isinstance(magnitude, Fraction) else self.tape.input()
        t = self.known[magnitude]
        return -t if sign < 0 else t

    def _multiple(self, angle: Fraction) -> Number:
        """t of an angle that is not known, by that of the base whose small multiple it is, if there is one."""
        base = next((base for base in self.bases if is_small_multiple(angle, base)), angle)
        return self.tape.input() if base == angle else tangent(self.half(base), int(angle / base))

    def angle(self, position: Array) -> Array:
        """The angle itself: a rational number, by which a helical joint advances and a mimic joint turns."""
        angles = {self.tape.zero.n: self.tape.zero}
        for magnitude, t in self.known.items():
            if isinstance(magnitude, Fraction):
                angles |= {t.n: self.tape.constant(magnitude), (-t).n: self.tape.constant(-magnitude)}
        return each(lambda t: angles[t.n], position)

    def position(self, angle: Array) -> Array:
        """The t of an angle that a mimic joint computes from its leader's."""
        return each(lambda x: self.half(self.tape.exact(x)), angle)


def common_parts(angles: Iterable[Fraction]) -> tuple[Fraction, ...]:
    """Angles of which all of these are small multiples, or their opposites; few, without the angle zero."""
    groups: list[list[Fraction]] = []
    for angle in sorted({abs(angle) for angle in angles} - {Fraction(0)}):
        group = next((group for group in groups if is_small_multiple(angle, common_part(*group, angle))), None)
        if group is None:
            groups.append([angle])
        else:
            group.append(angle)
    return tuple(common_part(*group) for group in groups)


def common_part(*angles: Fraction) -> Fraction:
    """The largest angle of which all of these are multiples."""
    whole = lcm(*(angle.denominator for angle in angles))
    return Fraction(gcd(*(int(angle * whole) for angle in angles)), whole)


def is_small_multiple(angle: Fraction, base: Fraction) -> bool:
    """Of angles that are not negative, and a base that is positive."""
    return angle % base == 0 and angle <= MOST * base


def tangent(t: Any, n: int) -> Any:
    """tan(n x) from t = tan x."""
    real, imaginary = 1, t
    for _ in range(n - 1):
        real, imaginary = real - imaginary * t, imaginary + real * t
    return imaginary / real


def _root(square: Fraction) -> Fraction | None:
    """The square root; None if it is not rational."""
    root = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    return root if root * root == square else None
