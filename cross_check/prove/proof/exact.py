"""The fields in which certificates are computed, for both sides: FLINT's fractions and residues, and values of a tape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpz_mod_ctx, nmod

from cross_check.prove.proof.instructions import INPUT, ZERO
from cross_check.prove.proof.scalars import Number, RuleError
from cross_check.prove.proof.tape import Tape
from implementations.field import Rational, Tensor
from mechanisms.numbers.exact import stand_in
from oracle.fields import each


@dataclass(frozen=True)
class Exact(Rational):
    """A field whose scalars ``element`` makes from integers. An angle q is given by t = tan(q/2).

    The number that stands for the angle itself is made from a hash of t with this many ``bits``
    (:func:`mechanisms.numbers.exact.stand_in`).
    """

    element: Callable[[int], Any]
    bits: int = 61

    def number(self, value: Any) -> Any:
        if not isinstance(value, (int, Fraction)):
            return value
        return self.element(value.numerator) / self.element(value.denominator)

    def once(self, key: Any, made: Callable[[], Any]) -> Any:
        """What ``made`` gives; on a tape computed once for each ``key``."""
        return made()

    def plain(self, x: Tensor) -> Tensor:
        """Results are returned unchanged."""
        return x

    def taken(self, answer: Tensor) -> Tensor:
        """The answer of an algorithm as numbers of the field."""
        return each(self.number, answer)

    def angle(self, position: Tensor) -> Tensor:
        return each(lambda t: self.element(stand_in(t, self.bits)), position)

    def position(self, angle: Tensor) -> Tensor:
        # The hash of a number is as good as a number that is drawn: both sides get the same one only from the same angle.
        return self.angle(angle)

    def sign(self, velocity: Tensor) -> Tensor:
        """A number that stands for it, odd in v: an identity that holds for every number holds for ±1, too."""
        return each(lambda v: self.element(stand_in(v, self.bits)) - self.element(stand_in(-v, self.bits)), velocity)


@dataclass(frozen=True)
class OnTape(Exact):
    """Values of a ``tape``. The number that stands for an angle is an input of its own, and so is the t of a computed angle.

    Both sides get the same input from the same value. They get different ones from values that are computed in different ways,
    even if these are equal functions: then the proof fails, and proves nothing that is false.
    """

    tape: Tape = field(default_factory=Tape)
    made: dict[Any, Any] = field(default_factory=dict)
    """What was computed once, by its key."""

    def once(self, key: Any, made: Callable[[], Any]) -> Any:
        if key not in self.made:
            self.made[key] = made()
        return self.made[key]

    def taken(self, answer: Tensor) -> Tensor:
        """Raises :class:`RuleError` if an element is no number of the tape, and no exact number."""
        return each(self.tape.lift, answer.astype(object))

    def program(self, x: Tensor) -> str:
        """A digest of everything that was recorded, and of where the elements of x are in it."""
        return self.tape.digest([number.n for number in x.flat])

    def angle(self, position: Tensor) -> Tensor:
        return each(self._angle, position)

    def position(self, angle: Tensor) -> Tensor:
        return each(self._position, angle)

    def sign(self, velocity: Tensor) -> Tensor:
        return each(self._sign, velocity)

    def _angle(self, t: Any) -> Number:
        n = self.tape.lift(t).n
        if self.tape.kind[n] != INPUT:
            raise RuleError("the algorithm takes the angle of a computed number; only positions have one")
        return self.once(("angle", n), self.tape.input)

    def _sign(self, velocity: Any) -> Number:
        v = self.tape.lift(velocity)
        if (negated := self.tape.negated(v)) is not None:
            return -self._sign(negated)
        return self.tape.zero if v.n == ZERO else self.once(("sign", self.tape.first(v.n)), self.tape.input)

    def _position(self, angle: Any) -> Number:
        n = self.tape.lift(angle).n
        return self.tape.zero if n == ZERO else self.once(("position", self.tape.first(n)), self.tape.input)


RATIONALS = Exact(fmpq)


def on_tape(merges: bool = True) -> OnTape:
    """The values of a new tape, which ``merges`` equal instructions or not."""
    tape = Tape(merges)
    return OnTape(tape.lift, tape=tape)


def residues(p: int) -> Exact:
    """The integers modulo the prime ``p``."""
    bits = p.bit_length()
    return Exact(lambda n: nmod(n, p), bits) if p < 2**64 else Exact(fmpz_mod_ctx(p), bits)
