"""Whole simulations: recordings, and runs of code that steps; judged, printed, and written as a page or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import click
import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.recorded_data.subject import Recorded
from cross_check.exchange.recorded_data.table import RecordedError
from cross_check.exchange.results import ResultsError
from cross_check.exchange.results.files import write_text
from cross_check.judge.settings import Settings
from cross_check.memory import Array
from cross_check.simulations.following import Following
from cross_check.simulations.judged import Judge, numbers
from cross_check.simulations.parting import apart_along, parted
from cross_check.simulations.results import FORM, Simulation, Simulations
from cross_check.simulations.run import recorded_run, simulated_run
from cross_check.steps.asked import names_of_steps, steps_case
from cross_check.trajectories.document import Trajectory
from dalembert.cli.exits import FAILED
from dalembert.commands.asking import Refusals, asked, keep_json
from dalembert.commands.trajectory import read_again
from dalembert.outputs import is_page, remove_earlier
from dalembert.printing import progress
from dalembert.session import Execution, about_code, entry, select
from implementations.processes.subject import Loaded
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.numbers.precision import precision_named
from mechanisms.plain_text import one_line
from mechanisms.states import of_length_one
from reports.simulations import sentences, simulations_page

SHORT = 1e-3
"""The step (s) of a simulation, if none is given."""

SECONDS = 1.0
"""How long code is simulated where no trajectory says how long."""

PARTS = (1, 2, 4)
"""Code is simulated with h, h/2 and h/4."""

MECHANISMS = ("cart-pole", "spatial-3r", "free-rigid-body")
"""Where code steps if nothing else is named: damped joints, turns about several axes, and a body in free flight."""

START_OF = 1e-9
"""A recording starts where a trajectory does if no number differs by more."""


def certified(path: Path) -> tuple[Trajectory, Mechanism]:
    """A certified trajectory without motors, and its mechanism. Raises :class:`ResultsError`."""
    kept, subject, made = read_again(path, "that has other numbers now; choose another trajectory")
    if subject.force or made.constraints:
        about = f"{path} is about a mechanism {one_line(kept.mechanism)}"
        raise ResultsError(f"{about} that has motors or constraints; choose another trajectory")
    return kept, made


def names_of(code: Entry, loaded: Loaded, about: str) -> Sequence[str]:
    """The names of its steps; prints that it has none."""
    names = names_of_steps(loaded)
    if not names:
        click.echo(f"{about}: {code.name} offers no step; define step(mechanism, q, v, tau, h) (docs/steps.md)")
    return names


@dataclass
class Judged:
    """One run of one code, and what is known of it."""

    code: Entry
    mechanism: Mechanism
    found: Simulation
    following: Following


def simulate(codes: tuple[str, ...], words: tuple[str, ...], options: dict[str, Any], how: Execution, settings: Settings) -> int:
    """Judge recordings and runs of code; the exit code."""
    if options["scheme"]:
        raise click.UsageError("--scheme is for steps from single states; leave it out")
    kept, made = certified(options["along"]) if options["along"] else (None, None)
    if kept and made:
        others = [word for word in words if not word.endswith(".py")]
        if others:
            raise click.UsageError(f"--along takes its mechanism from its FILE; leave {others[0]} out")
        entries, chosen = [entry(word, execution=how) for word in (*codes, *words)], [(kept.mechanism, made)]
    else:
        selection = select(words, codes, (), how, settings.seed, MECHANISMS)
        entries, chosen = selection.entries, selection.mechanisms
    if any(isinstance(one.subject, Recorded) for one in entries) and options["h"]:
        raise click.UsageError("the steps of a recording have their lengths; leave --h out")
    if any(isinstance(one.subject, Recorded) for one in entries) and not (kept or len(words) - len(entries) + len(codes) == 1):
        raise click.UsageError("a recording is about one mechanism; name it")
    if options["output"] and len(entries) > 1 and not is_page(options["output"]):
        raise click.UsageError("-o has the simulations of one code, but for a page (.html); name one code")
    remove_earlier({"output": options["output"]})
    runs, refusals, parts = list[Judged](), Refusals(), list[int]()
    with asked(entries, lambda: _keep(entries, runs, options["output"], settings)):
        for one, (spec, mechanism) in product(entries, chosen):
            with refusals.said(f"{one_line(spec)}, {one.name}"):
                for run in _judged(one, spec, mechanism, kept, options, settings):
                    runs.append(run)
                    click.echo("\n  ".join(map(one_line, sentences(run.found, one.name))))
        parts += [_part(*pair) for pair in combinations(runs, 2) if pair[0].code is not pair[1].code]
    end = refusals.exit_code(bool(runs), all(run.found.is_right for run in runs))
    return end if end == FAILED else max([end, *parts, *refusals.ends])


def _keep(entries: Sequence[Entry], runs: Sequence[Judged], output: Path | None, settings: Settings) -> None:
    codes = [(one, tuple(run.found for run in runs if run.code is one)) for one in entries if runs]
    documents = [Simulations(FORM, *about_code(one, settings), found) for one, found in codes]
    if output and documents and is_page(output):
        write_text(simulations_page(documents), output)
        click.echo(f"wrote {output}", err=True)
    elif documents:
        keep_json(documents[0], output)


def _part(first: Judged, second: Judged) -> int:
    """Print whether two runs are the same, and if not, why; the exit code."""
    if first.found.mechanism != second.found.mechanism or (
        first.found.step != second.found.step and first.found.step and second.found.step
    ):
        return 0
    apart = apart_along(first.mechanism, first.following.run, second.following.run)
    names = (first.code.name, second.code.name)
    words, same = parted(first.mechanism, names, (first.following.named, second.following.named), apart)
    click.echo(f"{one_line(first.found.mechanism)}: {one_line(words)}")
    return 0 if same else 1


def _judged(
    code: Entry, spec: str, mechanism: Mechanism, kept: Trajectory | None, options: dict[str, Any], settings: Settings
) -> Iterator[Judged]:
    """Every run of the code. Raises what asking raises, and :class:`RecordedError`."""
    if mechanism.constraints:
        raise Unsupported("simulations of mechanisms with constraints are not judged")
    with progress() as show:
        if isinstance(code.subject, Recorded):
            table = code.subject.table
            own = mechanism.in_precision(precision_named(code.subject.precision)) if code.subject.precision else mechanism
            run = recorded_run(table, own)
            if kept:
                q, v = numbers(own, kept.start["q"], kept.start["v"])
                if not (np.allclose(run.q[0], q, rtol=0, atol=START_OF) and np.allclose(run.v[0], v, rtol=0, atol=START_OF)):
                    problem = f"its first row is not where {options['along']} starts"
                    raise RecordedError(table.path, problem, "leave --along out, or certify a trajectory from the first row")
            yield Judged(code, own, *Judge(own).judge(spec, "", run, kept, partial(_shown, show, spec)))
            return
        own = mechanism.in_precision(settings.precision_of(code.subject, code.spec))
        loaded, judge = code.subject.load(own), Judge(own)
        start, h = _start(own, kept, options["h"] or SHORT, settings)
        for name in names_of(code, loaded, one_line(spec)):
            runs = []
            for parts in PARTS:
                sizes = h.repeat(parts, axis=0) / parts
                activity = partial(show, f"{one_line(spec)}, {name}: simulated with {sizes.max():g} s")
                runs.append(simulated_run(own, loaded, name, *start, sizes, activity))
            yield Judged(code, own, *judge.judge(spec, name, runs[0], kept, partial(_shown, show, spec), runs[1:]))


def _shown(show: Any, spec: str, activity: str, done: int, total: int) -> None:
    show(f"{one_line(spec)}: {activity}", done, total)


def _start(mechanism: Mechanism, kept: Trajectory | None, h: float, settings: Settings) -> tuple[tuple[Array, Array], Array]:
    """A state, and the lengths of the steps from it (n, 1), of which some end at each time of the trajectory."""
    gaps = np.diff([0.0, *map(float, kept.times)]) if kept else np.array([SECONDS])
    counts = np.maximum(1, np.ceil(gaps / h - 1e-9)).astype(int)
    sizes = np.repeat(gaps / counts, counts)[:, None]
    if kept:
        return numbers(mechanism, kept.start["q"], kept.start["v"]), sizes
    q, v = steps_case(mechanism, settings.seed, STATES).states.arguments(("q", "v"))
    speeds = np.abs(v).max(axis=1)
    k = int(np.argsort(speeds)[-len(speeds) // 2])
    return (of_length_one(mechanism, q)[k], v[k]), sizes


STATES = 12
"""Among so many states the one with the middle speed is the start."""
