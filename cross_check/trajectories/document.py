"""A certified trajectory: computed twice, by derivations that share nothing, and kept as a file that is proven again.

The decimals that are kept are within 10^−digits of the solution. Two enclosures of a hundredth of that show it, one from energy,
one from forces, with other numbers of coefficients and of bits, and so with other steps. Each must lie within the decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal, get_args

from cross_check.exchange.results.codec import Frozen, Positive, from_json, require_valid, schema_of, to_json
from cross_check.exchange.results.files import read_json, write_json
from cross_check.trajectories.bank import Subject
from cross_check.trajectories.enclose import Enclosure, Method, NotEnclosed, enclose
from cross_check.trajectories.motion import DERIVATIONS, equation
from cross_check.trajectories.start import start_of
from cross_check.trajectories.straight_line import Ball
from mechanisms import Mechanism
from mechanisms.numbers.exact import exact
from mechanisms.numbers.rounded import precision

Form = Literal["dalembert trajectory 1"]
FORM = get_args(Form)[0]

MOST_DIGITS, MOST_TIMES = 250, 10_000

Decimal = Annotated[str, {"pattern": r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$", "maxLength": 300}]

REMEDY = "write it again with dalembert trajectory -o"

METHODS: Mapping[str, tuple[Method, Method]] = {
    "oracle": (Method(0.36, 0), Method(0.42, 24)),
    "reference": (Method(0.42, 16), Method(0.36, 8)),
}
"""How each derivation's enclosure is computed: at first, and when a file is proven again."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Proof(Frozen):
    """One enclosure: the bits of its local errors, its steps, and the operations that f has."""

    derivation: Annotated[str, {"enum": list(DERIVATIONS)}]
    bits: Positive
    steps: Positive
    operations: Positive


@dataclass(frozen=True)
class Trajectory(Frozen):
    """Positions and velocities at times (s), each number within 10^−digits; SI units, the conventions of docs/conventions.md."""

    form: Form
    dalembert: str
    mechanism: str
    """The word that names it, and says what drives it."""
    fingerprint: str
    coordinates: Mapping[str, Sequence[str]]
    """The names of the numbers of q and of v."""
    digits: Annotated[int, {"minimum": 1, "maximum": MOST_DIGITS}]
    start: Mapping[str, Sequence[Decimal]]
    """q and v at t = 0 as they were given. Under constraints, those that depend on others are moved until all hold."""
    times: Annotated[Sequence[Decimal], {"minItems": 1, "maxItems": MOST_TIMES}]
    q: Sequence[Sequence[Decimal]]
    v: Sequence[Sequence[Decimal]]
    proofs: Sequence[Proof]
    prove: str = "dalembert trajectory --prove FILE"


@dataclass(frozen=True)
class Difference:
    """An enclosure that does not lie within the decimals."""

    derivation: str
    time: str
    coordinate: str
    value: str
    enclosure: str
    is_refuted: bool
    """Whether no number within the decimals is in the enclosure. Else the enclosure is only too wide."""

    def __str__(self) -> str:
        verdict = "refutes" if self.is_refuted else "does not prove"
        number = f"{self.coordinate} = {self.value} at {self.time} s"
        return f"the enclosure of the {self.derivation} {verdict} {number}: {self.enclosure}"


def certify(
    word: str, subject: Subject, q: Sequence[str], v: Sequence[str], times: Sequence[str], digits: int, progress: Progress
) -> tuple[Trajectory, list[Difference]]:
    """The trajectory from q and v, at ``times`` in rising order, and what the second enclosure says against the first one."""
    mechanism = subject.make()
    names = {"q": tuple(mechanism.positions), "v": tuple(mechanism.coordinates)}
    empty = Trajectory(
        *(FORM, version("dalembert"), word, mechanism.fingerprint, names, digits, {"q": q, "v": v}, times, (), (), ())
    )
    enclosures = _enclosures(empty, subject, mechanism, 0, progress)
    (first, *_), proofs = enclosures.values(), [proof for _, proof in enclosures.values()]
    decimals = [[_decimal(x, digits) for x in row] for row in first[0].balls]
    n = mechanism.nq
    made = replace(empty, q=[row[:n] for row in decimals], v=[row[n:] for row in decimals], proofs=proofs)
    return made, list(_differences(made, enclosures))


def prove_again(trajectory: Trajectory, subject: Subject, progress: Progress) -> tuple[list[Proof], list[Difference]]:
    """Both enclosures, computed in another way, and what they say against the decimals."""
    enclosures = _enclosures(trajectory, subject, subject.make(), 1, progress)
    return [proof for _, proof in enclosures.values()], list(_differences(trajectory, enclosures))


Enclosures = Mapping[str, tuple[Enclosure, Proof]]


def _enclosures(wanted: Trajectory, subject: Subject, mechanism: Mechanism, again: int, progress: Progress) -> Enclosures:
    """By derivation."""
    times: list[Fraction] = [exact(time) for time in wanted.times]
    q, v = ([exact(x) for x in wanted.start[name]] for name in "qv")
    start = start_of(mechanism, q, v, times[-1], subject.force)
    made = {}
    for derivation in DERIVATIONS:
        given = equation(mechanism, derivation, start.rows, subject.force)
        method = METHODS[derivation][again]
        said = f"{wanted.mechanism}, {derivation}"
        found = enclose(
            *(given, start.state, times, wanted.digits, method),
            lambda doing, done, total, said=said: progress(f"{said}: {doing}", done, total),  # type: ignore[misc]
        )
        with precision(found.bits):
            if not all(start.holds(row[: mechanism.nq]) for row in found.balls):
                raise NotEnclosed(f"constraints of {wanted.mechanism} that follow from the others at the start do not hold later")
        made[derivation] = found, Proof(derivation, found.bits, found.steps, len(given.rate.instructions))
    return made


def _differences(trajectory: Trajectory, enclosures: Enclosures) -> Iterator[Difference]:
    names = [f"{kind} of {name}" for kind in "qv" for name in trajectory.coordinates[kind]]
    unit = Fraction(1, 10**trajectory.digits)
    for derivation, (found, _) in enclosures.items():
        for time, values, row in zip(trajectory.times, zip(trajectory.q, trajectory.v, strict=True), found.balls, strict=True):
            for name, value, ball in zip(names, [*values[0], *values[1]], row, strict=True):
                middle, radius = _fraction(ball.mid()), _fraction(ball.rad())
                distance = abs(exact(value) - middle)
                if distance + radius > unit:
                    yield Difference(derivation, time, name, value, ball.str(trajectory.digits + 3), distance > unit + radius)


def _decimal(ball: Ball, digits: int) -> str:
    """The decimal number of so many decimals that is nearest to the middle of the ball."""
    whole = round(_fraction(ball.mid()) * 10**digits)
    text = f"{abs(whole):0{digits + 1}d}"
    return f"{'-' if whole < 0 else ''}{text[:-digits]}.{text[-digits:]}"


def _fraction(exactly: Ball) -> Fraction:
    mantissa, exponent = (int(part) for part in exactly.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def write(trajectory: Trajectory, path: Path) -> None:
    """Raises :class:`ResultsError` if the path cannot be written."""
    write_json(to_json(trajectory), path)


def read(path: Path) -> Trajectory:
    """Raises :class:`ResultsError` for a file that is damaged or cannot be read."""
    document = read_json(path)
    require_valid(document, schema_of(Trajectory), path, REMEDY)
    return from_json(Trajectory, document)
