"""Claims as text: the recorded programs of a certificate, for a checker that needs nothing of this project.

docs/claims.md has the format. ``checker/check_claims.c`` reads it, and decides the claims by a rule and code of its own. The
programs are recorded anew, on tapes that do not merge equal instructions: a line of the file is one operation that an algorithm
or the oracle did. So both sides have a value in common only where the algorithms themselves hand it over.

A constant n/m of a tape becomes three lines, two integers and their quotient; a negative integer is zero minus a positive one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cross_check.prove.proof.exact import Exact
from cross_check.prove.proof.generic import is_general
from cross_check.prove.proof.instructions import ADD, CONSTANT, DIV, INPUT, MUL, SUB
from cross_check.prove.proof.objects import BY_DEFAULT, REFERENCE, about
from cross_check.prove.proof.prove import programs
from cross_check.prove.proof.rounds import Recording, without_collection
from cross_check.prove.proof.tape import Tape
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.reference import PROVABLE
from mechanisms import Mechanism

FORMAT = "dalembert-claims 1"

CHECKER = Path(__file__).parent / "checker" / "check_claims.c"
"""The source of the checker."""

LONGEST_NAME = 200
"""The largest number of characters of a name in a file."""

SYMBOLS = {ADD: "+", SUB: "-", MUL: "*", DIV: "/"}


def file_name(spec: str, program: str) -> str:
    """The name of the file of one program. ``spec`` is foreign text; it becomes one plain word."""
    return f"{re.sub(r'[^A-Za-z0-9_+]+', '-', spec)[:80].strip('-') or 'mechanism'}.{program}.claims"


class Claims(NamedTuple):
    """The name of a program within its certificate, and its file's text."""

    name: str
    text: str


def export(
    mechanism: Mechanism,
    spec: str,
    in_general: bool = True,
    algorithms: Mapping[str, Callable[..., Tensor]] = PROVABLE,
    build: Callable[[Mechanism, Exact], Model] = build,
    quantities: Iterable[str] = BY_DEFAULT,
    implementation: str = REFERENCE,
) -> Iterator[Claims]:
    """The claims of the certificate that :func:`~cross_check.prove.proof.prove.prove` makes of the same arguments.

    Raises what it raises.
    """
    in_general = in_general and is_general(mechanism)
    what = about(in_general, bool(mechanism.constraints))
    if implementation != REFERENCE:
        what += f"; algorithms of {implementation}"
    for name, statements in programs(mechanism, spec, in_general, algorithms, build, quantities).items():
        with without_collection():
            recording = Recording(statements, merges=False)
            text = text_of(recording, spec, what)
        yield Claims(name, text)


def text_of(recording: Recording, mechanism: str, what: str) -> str:
    """All claims of a recording. ``mechanism`` and ``what`` are for people; they may be any text."""
    lines = _Lines(recording.tape)
    nonzero = sorted({lines.value[n] for n in recording.tape.divisors})
    head = [FORMAT, f"mechanism {plain(mechanism)}", f"about {plain(what)}"]
    counts = [f"values {len(lines.made)}", f"nonzero {len(nonzero)}", f"claims {len(recording.claims)}"]
    claims: list[str] = []
    for claim in recording.claims:
        claims.append(f"claim {len(claim.left)} {plain(claim.claim.name)}")
        claims += (f"{lines.value[x]} {lines.value[y]}" for x, y in zip(claim.left, claim.right, strict=True))
    made = (f"{number} {how}" for number, how in enumerate(lines.made))
    return "\n".join([*head, *counts, *made, *(f"nonzero {n}" for n in nonzero), *claims, "end", ""])


def plain(text: str) -> str:
    """``text`` in printable ASCII: other characters, and backslashes, are written as Python writes them in a string."""
    escaped = text.encode("unicode_escape").decode("ascii")
    return escaped[:LONGEST_NAME].rstrip() or "-"


class _Lines:
    """How every value of a tape is ``made`` in the file, and its number there: ``value[n]`` for value n of the tape."""

    def __init__(self, tape: Tape) -> None:
        self.made: list[str] = []
        self.value: list[int] = []
        self._integers: dict[Any, int] = {}
        for kind, a, b in tape.instructions():
            if kind == INPUT:
                number = self._append("x")
            elif kind == CONSTANT:
                number = self._constant(tape.constants[a])
            else:
                number = self._append(f"{SYMBOLS[kind]} {self.value[a]} {self.value[b]}")
            self.value.append(number)

    def _append(self, how: str) -> int:
        self.made.append(how)
        return len(self.made) - 1

    def _constant(self, x: Any) -> int:
        top = self._integer(x.p)
        return top if x.q == 1 else self._append(f"/ {top} {self._integer(x.q)}")

    def _integer(self, n: Any) -> int:
        if n not in self._integers:
            self._integers[n] = self._append(f"n {n}" if n >= 0 else f"- {self._integer(0 * n)} {self._integer(-n)}")
        return self._integers[n]
