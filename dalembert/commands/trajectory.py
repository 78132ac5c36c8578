"""Certified trajectories on the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from cross_check.exchange.results import ResultsError
from cross_check.trajectories.bank import BANK, Subject
from cross_check.trajectories.document import Difference, Proof, Trajectory, certify, prove_again, read, write
from dalembert.cli.exits import DIFFERENT
from dalembert.outputs import input_files, require_outputs
from dalembert.printing import find_mechanism, progress
from mechanisms import Mechanism
from mechanisms.numbers.exact import exact
from mechanisms.plain_text import one_line
from mechanisms.states import neutral

SHOWN = 8
"""So many differences are printed."""


def trajectory(mechanism: str | None, proven: Path | None, output: Path | None, **options: Any) -> int:
    """Certify a trajectory, or prove a file again, or list what has a name; the exit code."""
    given = [name for name in ("time", "samples", "digits", "q", "v") if options[name] is not None]
    if proven and (mechanism or output or given):
        raise click.UsageError("--prove reads everything from its FILE; leave all other arguments out")
    if proven:
        return _prove(proven)
    if not mechanism:
        if output or given:
            raise click.UsageError("name a mechanism, such as double-pendulum")
        click.echo("\n".join(f"{name:20} {subject.time:>4} s  {subject.about}" for name, subject in BANK.items()))
        return 0
    return _certify(mechanism, output, **options)


def subject_of(word: str) -> Subject:
    """What the word names: a trajectory of the bank, or a mechanism at rest in its neutral position."""
    if word in BANK:
        return BANK[word]
    found = find_mechanism(word)
    return Subject(lambda: found, "at rest in its neutral position")


def _certify(word: str, output: Path | None, time: str, samples: int, digits: int, q: str | None, v: str | None) -> int:
    require_outputs({"output": output}, input_files((word,)))
    subject = subject_of(word)
    made = subject.make()
    whole = exact(time or subject.time, "--time")
    if not whole > 0:
        raise click.UsageError("--time must be above zero")
    times = [_text(whole * k / (samples or 1)) for k in range(1, (samples or 1) + 1)]
    state = _numbers("q", q, subject.q, [_text(Fraction(x)) for x in neutral(made)]), _numbers("v", v, subject.v, ["0"] * made.nv)
    with progress() as show:
        found, differences = certify(word, subject, *state, times, digits or 15, show)
    _show(found)
    if output:
        write(found, output)
        click.echo(f"wrote {output}; `dalembert trajectory --prove {output}` proves it again", err=True)
    return _verdict(found.proofs, differences)


def _prove(path: Path) -> int:
    kept, subject, _ = read_again(path, "with other numbers; certify it anew with dalembert trajectory")
    with progress() as show:
        proofs, differences = prove_again(kept, subject, show)
    click.echo(f"{one_line(kept.mechanism)}: {len(kept.times)} times up to {kept.times[-1]} s, {_within(kept)}")
    return _verdict(proofs, differences)


def read_again(path: Path, otherwise: str) -> tuple[Trajectory, Subject, Mechanism]:
    """The trajectory in a file, with its mechanism.

    Raises :class:`ResultsError` unless the file has all numbers of its mechanism, at times in rising order; and if the mechanism
    has other numbers now, of which the error says ``otherwise``.
    """
    kept = read(path)
    subject = subject_of(kept.mechanism)
    made = subject.make()
    if made.fingerprint != kept.fingerprint:
        raise ResultsError(f"{path} is about a mechanism {one_line(kept.mechanism)} {otherwise}")
    times = [exact(time) for time in kept.times]
    is_rising = all(a < b for a, b in zip([Fraction(0), *times], times, strict=False))
    wanted = {"q": made.nq, "v": made.nv}
    rows = {"q": kept.q, "v": kept.v}
    is_whole = all(
        len(kept.start.get(name, ())) == n == len(kept.coordinates.get(name, ())) and [*map(len, rows[name])] == [n] * len(times)
        for name, n in wanted.items()
    )
    if not (is_rising and is_whole):
        raise ResultsError(f"{path} lacks numbers, or its times do not rise; write it again with dalembert trajectory -o")
    return kept, subject, made


def _numbers(name: str, given: str | None, usual: str, neutral: Sequence[str]) -> list[str]:
    """The decimal numbers that are ``given``, or else the ``usual`` ones; those that these lack are ``neutral``."""
    numbers = re.split(r"[,\s]+", given.strip()) if given else usual.split()
    for number in numbers:
        exact(number, f"a number of -{name}")
    if len(numbers) > len(neutral) or (given and len(numbers) < len(neutral)):
        raise click.UsageError(f"-{name} has {len(numbers)} numbers; give {len(neutral)}, with spaces between them")
    return [*numbers, *neutral[len(numbers) :]]


def _text(x: Fraction) -> str:
    """A decimal number, rounded to 17 digits where it has more."""
    short = str(int(x)) if x.denominator == 1 else repr(float(x))
    return short if Fraction(short) == x else f"{float(x):.17g}"


def _show(found: Trajectory) -> None:
    click.echo(f"{one_line(found.mechanism)} at {found.times[-1]} s, {_within(found)}:")
    numbers = [
        (name, kind, rows[-1][k])
        for kind, rows in (("q", found.q), ("v", found.v))
        for k, name in enumerate(found.coordinates[kind])
    ]
    width = max(len(name) for name, _, _ in numbers)
    for name, kind, number in numbers:
        click.echo(f"    {kind} {one_line(name):{width}} {number:>{found.digits + 8}}")


def _within(found: Trajectory) -> str:
    return f"every number within 1e-{found.digits}"


def _verdict(proofs: Sequence[Proof], differences: Sequence[Difference]) -> int:
    """Print what is proven, or the differences; the exit code."""
    for difference in differences[:SHOWN]:
        click.echo(one_line(str(difference)))
    ways = ", ".join(f"{one.derivation} ({one.operations} operations, {one.bits} bits, {one.steps} steps)" for one in proofs)
    refuted = any(difference.is_refuted for difference in differences)
    verdict = "refuted" if refuted else "not proven" if differences else "proven twice"
    click.echo(f"{verdict}: {ways}")
    return DIFFERENT if differences else 0
