"""Claims as programs: both sides of each are recorded once, as functions of the numbers that are drawn."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, NamedTuple, TypeVar

from cross_check.proof.degrees import Degrees, difference, height
from cross_check.proof.exact import OnTape, on_tape
from cross_check.proof.generic import Draw
from cross_check.proof.scalars import RuleError
from cross_check.proof.statement import Claim, ProofError, Sides

C = TypeVar("C", bound=Claim)


class Recorded(NamedTuple, Generic[C]):
    """A claim, and the numbers of both sides' values on a tape."""

    claim: C
    left: list[int]
    right: list[int]


class Recording(Generic[C]):
    """Both sides of ``claims`` on one tape. If it ``merges``, what they have in common is computed once.

    Raises :class:`~cross_check.proof.statement.ProofError` for an algorithm that does more with its numbers than +, −, × and ÷.
    """

    def __init__(
        self,
        claims: Sequence[C],
        sides: Callable[[C, OnTape, Draw], Sides] = lambda claim, field, draw: claim.sides(field, draw),
        progress: Callable[[int], None] = lambda done: None,
        merges: bool = True,
    ) -> None:
        field = on_tape(merges)
        self.tape = field.tape
        self.claims: list[Recorded[C]] = []

        for done, claim in enumerate(claims):
            progress(done)
            with one_sentence(claim.name):
                left, right = ([self.tape.lift(x).n for x in side] for side in sides(claim, field, self.tape.input))
            self.claims.append(Recorded(claim, left, right))
        self.degrees = Degrees(self.tape)

    def degree(self, claim: Recorded[C]) -> int:
        """An upper bound on the degree of the numerator of the difference, over all components; at least 1."""
        return max(1, *(difference(self.degrees, x, y) for x, y in zip(claim.left, claim.right, strict=True)))

    def height(self, claim: Recorded[C]) -> int:
        """An upper bound on log₂ of the sum of the absolute values of this numerator's coefficients, over all components."""
        return max(0, *(height(self.degrees, x, y) for x, y in zip(claim.left, claim.right, strict=True)))

    def digest(self) -> str:
        """Of all claims and the programs of both sides: SHA-256."""
        names = " ".join(claim.claim.name for claim in self.claims)
        outputs = [n for claim in self.claims for side in (claim.left, claim.right) for n in (len(side), *side)]
        return f"{names} {self.tape.digest(outputs)}"


@contextmanager
def without_collection() -> Iterator[None]:
    """Python does not search for cycles of references. A tape has none, and searching its many objects takes half the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def one_sentence(name: str) -> Iterator[None]:
    """Say what an algorithm under proof may not do."""
    try:
        yield
    except RuleError as error:
        raise ProofError(f"{name} cannot be proven: {error}") from error
    except TypeError as error:
        raise ProofError(f"{name} cannot be proven: it does more with its numbers than +, −, × and ÷ ({error})") from error
    except ZeroDivisionError as error:
        raise ProofError(f"{name} cannot be proven: it divides by the function zero") from error
