"""Decides whether a value is exactly the middle of two float64, where balls of any precision contain both.

A value is a rational function of the cosines and sines of the state's angles; all other numbers are binary fractions. If that
function is the constant m for *all* angles, it is m at these. This is the only way in which a value can be rational although
the cosines and sines that it is computed from are not, unless the angles themselves satisfy an equation, such as q₂ = 2 q₁
(Lindemann and Weierstrass). The claim is proven as certificates are: by the program, at a random point, with a probability of
error of 2⁻¹⁰⁰ at most (:mod:`cross_check.proof.rounds`). Equal angles get one t = tan(q/2), opposite ones get t and −t, and the
angle zero gets zero.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from cross_check.proof.exact import Exact, OnTape, each
from cross_check.proof.generic import Draw
from cross_check.proof.number import Number
from cross_check.proof.rounds import proofs_of
from cross_check.proof.statement import Sides
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES
from oracle import EulerLagrange
from oracle.fields import half_angle

Array = np.ndarray[Any, Any]


def proven_ties(mechanism: Mechanism, quantity: str, state: tuple[Array, ...], middles: Mapping[int, Fraction]) -> set[int]:
    """The components that are proven to be ties at one state.

    ``state`` has the float64 arguments of ``quantity`` for a batch of one; ``middles`` has the suspected exact values by the
    indices of the components of the ravelled answer.
    """
    if not middles:
        return set()
    ties = [Tie(mechanism, quantity, state, k, middle) for k, middle in middles.items()]
    return {tie.index for tie, proof in zip(ties, proofs_of(ties, seed=0), strict=True) if proof.verdict == "proven"}


@dataclass(frozen=True)
class Tie:
    """The claim that one component of ``quantity`` is the number ``middle``, whatever the angles of ``state`` are."""

    mechanism: Mechanism
    quantity: str
    state: tuple[Array, ...]
    index: int
    middle: Fraction

    @property
    def modular(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return f"component {self.index} of {self.quantity} is {self.middle}"

    def sides(self, field: Exact, draw: Draw) -> Sides:
        assert isinstance(field, OnTape)
        numbers = Angles(field.element, tape=field.tape)
        names = QUANTITIES[self.quantity].arguments
        exact = [each(lambda x: field.tape.constant(Fraction(float(x))), given) for given in self.state]
        if "q" in names:
            q = names.index("q")
            exact[q] = self._position(exact[q], self.state[q], numbers)
        answer = getattr(EulerLagrange(self.mechanism, numbers), self.quantity)(*exact)
        return [answer.ravel()[self.index]], [self.middle]

    def _position(self, exact: Array, given: Array, numbers: Angles) -> Array:
        """q with t for every angle, and with a general cosine and sine for every circle: in float64 their length is not one."""
        for _, slot in self.mechanism.slots("angle"):
            exact[:, slot] = each(numbers.half, given[:, slot])
        for _, slot in self.mechanism.slots("circle"):
            exact[0, slot] = half_angle(numbers.half_of_circle(*given[0, slot]))
        return exact

    def component(self, k: int) -> list[int]:
        return [self.index]


@dataclass(frozen=True)
class Angles(OnTape):
    """The numbers of a tape, where every t belongs to an angle (rad) that is known."""

    known: dict[Any, Number] = dataclasses.field(default_factory=dict)
    """t by the magnitude of an angle, or by the cosine and the magnitude of the sine of a circle."""

    def half(self, angle: Any) -> Number:
        """t of an exact angle."""
        exact = Fraction(angle)
        return self._half(abs(exact), exact)

    def half_of_circle(self, cosine: float, sine: float) -> Number:
        """t of the angle of a vector of any length."""
        return self._half((cosine, abs(sine)), sine)

    def _half(self, magnitude: Any, sign: float | Fraction) -> Number:
        if not magnitude:
            return self.tape.zero
        if magnitude not in self.known:
            self.known[magnitude] = self.tape.input()
        t = self.known[magnitude]
        return -t if sign < 0 else t

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
