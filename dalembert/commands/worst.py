"""The states at which a code loses most: searched for, or asked again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from cross_check.entry import Entry
from cross_check.exchange import worst_states as file
from cross_check.exchange.recorded_data.subject import Recorded
from cross_check.exchange.results import ResultsError
from cross_check.exchange.worst_states import FORM, WorstState, WorstStates, texts
from cross_check.judge.comparison.case import Model
from cross_check.judge.comparison.measure import finite
from cross_check.judge.settings import Settings
from cross_check.judge.worst.region import states_at
from cross_check.judge.worst.search import Worst, answered, is_searched, search
from dalembert.cli.exits import FAILED
from dalembert.commands.asking import Refusals, asked, keep_json
from dalembert.outputs import input_files, remove_earlier, require_outputs
from dalembert.printing import progress
from dalembert.session import Execution, about_code, entry, execution_from, select, settings_from
from implementations.processes.find import find_mechanism
from implementations.processes.subject import Loaded
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.numbers.precision import Precision, precision_named
from mechanisms.plain_text import one_line
from mechanisms.quantities import QUANTITIES, Quantity
from reports.words import number, units

USUAL = ("dynamics",)

SETTINGS = ("seed", "states", "precision")


def worst(engine: str | None, mechanism: tuple[str, ...], again: Path | None, **options: Any) -> int:
    """Search, or ask again at the states in a file; the exit code."""
    how = execution_from(options)
    settings = settings_from({name: options[name] for name in SETTINGS} | {"quantities": options["quantity"] or USUAL})
    if again:
        if mechanism or options["quantity"] or options["output"]:
            raise click.UsageError("--again asks at the states of its FILE; leave MECHANISM, -q and -o out")
        return ask_again(again, engine, how, settings)
    if not engine:
        raise click.UsageError("name the code to search, such as pinocchio, or give --again FILE")
    names = tuple(name for name in settings.quantities if is_searched(name))
    if settings.relations or not names or any(word not in names for word in options["quantity"] if word in settings.quantities):
        raise click.UsageError("only quantities of q, v, a, τ and forces on bodies are searched; name some, such as mass_matrix")
    require_outputs({"output": options["output"]}, input_files(mechanism, (engine,)))
    selection = select(mechanism, (engine,), (), how, settings.seed)
    code = selection.entries[0]
    if len(selection.entries) > 1 or isinstance(code.subject, Recorded):
        raise click.UsageError("one code is searched, and recorded data cannot be asked; name one code, then mechanisms")
    remove_earlier({"output": options["output"]})
    run = Run(code, settings)
    with asked([code], lambda: keep_json(run.document, options["output"])):
        run.search(selection.mechanisms, names)
    return run.refusals.exit_code(bool(run.worst))


@dataclass
class Run:
    """A search of one code; what it has found so far."""

    code: Entry
    settings: Settings
    worst: list[WorstState] = field(default_factory=list)
    refusals: Refusals = field(default_factory=Refusals)
    is_interrupted: bool = False

    def search(self, mechanisms: list[tuple[str, Mechanism]], names: tuple[str, ...]) -> None:
        """Print what is worst of every mechanism and quantity. Raises KeyboardInterrupt."""
        precision = self.settings.precision_of(self.code.subject, self.code.spec)
        try:
            for spec, mechanism in mechanisms:
                tree = mechanism.in_precision(precision).tree
                with self.refusals.said(one_line(spec)):
                    loaded, model = self.code.subject.load(tree), Model(tree)
                    for quantity in (QUANTITIES[name] for name in names if loaded.offers(name)):
                        about = f"{one_line(spec)}, {quantity.title}"
                        with self.refusals.said(about):
                            self._search(spec, about, model, loaded, quantity)
        except KeyboardInterrupt:
            self.is_interrupted = True
            raise

    def _search(self, spec: str, about: str, model: Model, loaded: Loaded, quantity: Quantity) -> None:
        budget = self.settings.states
        with progress() as show:
            found = search(
                model,
                loaded,
                quantity,
                self.settings.seed,
                budget,
                lambda done, largest: show(f"{about}: {units(largest)} ε-units", done, budget),
            )
        self.refusals.ends += [FAILED] if found.failure else []
        component = quantity.component(model.mechanism, found.indices)
        state = {name: texts(part) for name, part in found.arguments.items()}
        about_it = (spec, model.mechanism.fingerprint, quantity.name, found.sampled, found.found, found.states)
        value, expected, magnitude = (float(x).hex() for x in (found.value, found.expected, finite(found.magnitude)))
        self.worst.append(WorstState(*about_it, found.copies, component, state, value, expected, magnitude, found.failure))
        click.echo("\n".join(_lines(about, found, component)))
        if found.interrupted:
            raise KeyboardInterrupt

    @property
    def document(self) -> WorstStates:
        return WorstStates(FORM, *about_code(self.code, self.settings), self.is_interrupted, tuple(self.worst))


def _lines(about: str, found: Worst, component: str) -> Iterator[str]:
    """What is printed of one mechanism and quantity: errors in ε-units, and the state in full precision."""
    where = f" at {component}" if component else ""
    yield f"{about}: {units(found.sampled)} at sampled states, {units(found.found)} found{where}"
    for name, part in found.arguments.items():
        yield f"  {name} = {' '.join(number(float(x)) for x in part.ravel())}"
    batch = f", in a batch of {found.copies} copies" if found.copies > 1 else ""
    yield f"  value {number(found.value)}, expected {number(found.expected)}{batch}; {found.states} states were tried"
    if found.failure:
        yield f"  the search ended early, because code failed: {one_line(found.failure)}"


def ask_again(path: Path, engine: str | None, how: Execution, settings: Settings) -> int:
    """Print the error at each state of the file beside the recorded one; the exit code. ``engine`` may name other code."""
    known = file.read(path)
    code, refusals, compared = entry(engine or known.spec, execution=how), Refusals(), 0
    try:
        if isinstance(code.subject, Recorded):
            raise click.UsageError("recorded data cannot be asked again; name code")
        of_states = precision_named(known.precision)
        precision = settings.precision_of(code.subject, code.spec) if engine or code.subject.precision else of_states
        if precision.bits < of_states.bits:
            problem = f"{path} has states of {known.precision}, and {one_line(code.name)} computes in {precision.name}"
            raise ResultsError(f"{problem}; search its own with dalembert worst")
        now, then = (f"{one_line(name)} {one_line(of)}" for name, of in ((code.name, code.version), (known.code, known.version)))
        click.echo(f"{now}, at the worst states of {then}:")
        for one in known.worst:
            with refusals.said(f"{one_line(one.mechanism)}, {QUANTITIES[one.quantity].title}"):
                _ask_again(one, path, precision, code)
                compared += 1
    finally:
        code.subject.close()
    return refusals.exit_code(compared > 0)


def _ask_again(one: WorstState, path: Path, precision: Precision, code: Entry) -> None:
    """Print the line of one state. Raises what asking raises."""
    mechanism, quantity = find_mechanism(one.mechanism).tree, QUANTITIES[one.quantity]
    if mechanism.fingerprint != one.fingerprint:
        problem = f"{path} is about a mechanism {one_line(one.mechanism)} with other numbers"
        raise ResultsError(f"{problem}; search anew with dalembert worst")
    mechanism = mechanism.in_precision(precision)
    about, states = f"{one_line(one.mechanism)}, {quantity.title}", states_at(mechanism, one.arguments(mechanism))
    loaded = code.subject.load(mechanism)
    if not loaded.offers(quantity.name):
        raise Unsupported(f"{code.name} has no {quantity.name}")
    if quantity.needs_regular_mass_matrix:
        quantity.require_compared(mechanism)
    found = answered(Model(mechanism), loaded, quantity, states, one.copies)
    where = quantity.component(mechanism, found.indices)
    change = "the same error" if found.found == one.found else f"{units(one.found)} in the file"
    at = f" at {where}" if where else ""
    click.echo(f"{about}: {units(found.found)}{at}, {change}; value {number(found.value)}, expected {number(found.expected)}")
