"""Code is asked again at the worst states that a file has: the same code, another release, or other code."""

from __future__ import annotations

from pathlib import Path

import click

from cross_check.entry import Entry
from cross_check.exchange.recorded_data.subject import Recorded
from cross_check.exchange.results import ResultsError
from cross_check.exchange.worst_states import WorstState, read
from cross_check.judge.comparison.case import Model
from cross_check.judge.settings import Settings
from cross_check.judge.worst.region import states_at
from cross_check.judge.worst.search import Worst, answered
from dalembert.cli.exits import FAILED, NOTHING
from dalembert.session import Execution, entry
from implementations.processes.find import find_mechanism
from implementations.processes.subject import Failure
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.numbers.precision import PRECISIONS, Precision
from mechanisms.plain_text import one_line
from mechanisms.quantities import QUANTITIES
from reports.words import number, units


def ask_again(path: Path, engine: str | None, how: Execution, settings: Settings) -> int:
    """Print the error at each state of the file beside the recorded one; the exit code. ``engine`` may name other code."""
    known = read(path)
    code = entry(engine or known.spec, execution=how)
    try:
        if isinstance(code.subject, Recorded):
            raise click.UsageError("recorded data cannot be asked again; name code")
        of_states = PRECISIONS[known.precision]
        precision = settings.precision_of(code) if engine or code.subject.precision else of_states
        if precision.bits < of_states.bits:
            told = f"{path} has states of {known.precision}, and {one_line(code.name)} computes in {precision.name}"
            raise ResultsError(f"{told}; search its own with dalembert worst")
        click.echo(f"{_named(code.name, code.version)}, at the worst states of {_named(known.code, known.version)}:")
        outcomes = [_print(one, _mechanism(one, path, precision), code) for one in known.worst]
    finally:
        code.subject.close()
    return FAILED if "failed" in outcomes else 0 if "compared" in outcomes else NOTHING


def _named(name: str, version: str) -> str:
    return f"{one_line(name)} {one_line(version)}"


def _mechanism(one: WorstState, path: Path, precision: Precision) -> Mechanism:
    found = find_mechanism(one.mechanism).tree
    if found.fingerprint != one.fingerprint:
        about = f"{path} is about a mechanism {one_line(one.mechanism)} with other numbers"
        raise ResultsError(f"{about}; search anew with dalembert worst")
    return found.in_precision(precision)


def _print(one: WorstState, mechanism: Mechanism, code: Entry) -> str:
    """Print the line of one state; "compared", "failed" or "unsupported"."""
    about = f"{one_line(one.mechanism)}, {QUANTITIES[one.quantity].title}"
    try:
        found = _answer(one, mechanism, code)
    except (Unsupported, Failure) as reason:
        word = "failed" if isinstance(reason, Failure) else "unsupported"
        click.echo(f"{about}: {word}: {one_line(str(reason))}")
        return word
    where = QUANTITIES[one.quantity].component(mechanism, found.indices)
    change = "the same error" if found.found == one.found else f"{units(one.found)} in the file"
    at = f" at {where}" if where else ""
    click.echo(f"{about}: {units(found.found)}{at}, {change}; value {number(found.value)}, expected {number(found.expected)}")
    return "compared"


def _answer(one: WorstState, mechanism: Mechanism, code: Entry) -> Worst:
    states, quantity = states_at(mechanism, one.arguments(mechanism)), QUANTITIES[one.quantity]
    loaded = code.subject.load(mechanism)
    if not loaded.offers(quantity.name):
        raise Unsupported(f"{code.name} has no {quantity.name}")
    model = Model(mechanism)
    if quantity.needs_regular_mass_matrix:
        quantity.require_compared(mechanism)
    return answered(model, loaded, quantity, states, one.copies)
