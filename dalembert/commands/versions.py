"""Releases of a package, each in an environment of its own, compared with the truth and with one another."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from cross_check.exchange.releases import Key, Search, cells_of, steps_of
from cross_check.exchange.results import Cell, Results, Skipped
from cross_check.exchange.results.objects import COMPARED
from cross_check.exchange.results.versions import Bisection, Installed, Versions
from cross_check.harness import Entry
from cross_check.judge.settings import Settings
from dalembert.cli.exits import FAILED
from dalembert.cli.options import sampled
from dalembert.commands.comparing import cores, finish
from dalembert.environments.installer import between
from dalembert.environments.kept import Environment, environment, folder_of_environments, kept_environments, remove_environments
from dalembert.environments.requirement import EnvironmentsError, Requirement, order, parse, same_version
from dalembert.outputs import input_files, remove_earlier, require_outputs
from dalembert.session import Execution, RequirementError, Selection, find_mechanisms, run, settings_from
from implementations.plugins.registry import ABOUT, implementation_of
from implementations.plugins.user_code import UserCodeError
from implementations.processes.find import find_subject
from implementations.processes.home import Home
from implementations.processes.limits import Limits
from implementations.protocol import Missing
from mechanisms import Mechanism
from mechanisms.plain_text import listing, one_line


def versions(requirement: tuple[str, ...], is_list: bool, remove: bool, **chosen: Any) -> int:
    """Compare the releases, or list or remove environments; the exit code."""
    if is_list or remove:
        if requirement or (is_list and remove):
            raise click.UsageError("--list and --remove stand alone; leave the rest out")
        return _remove() if remove else _list()
    if not requirement:
        raise click.UsageError("name releases, such as pin==3.9.0 pin==4.1.0")
    if chosen["every"] and not chosen["bisect"]:
        raise click.UsageError("--every says how to bisect; give --bisect, too")
    requirements = parsed(requirement)
    ends = ends_of(requirements) if chosen["bisect"] else None
    implementation = implementation_for(requirements, chosen["implementation"])
    settings = settings_from(sampled(chosen) | {"invariants": False})
    files = input_files(chosen["mechanism"], (implementation,))
    require_outputs(chosen, files)
    mechanisms, unavailable = find_mechanisms(chosen["mechanism"], seed=settings.seed)
    remove_earlier(chosen, files)
    processes = 1 if ends else chosen["jobs"] or cores()
    how = Execution(limits=Limits(chosen["timeout"], chosen["memory"]), jobs=processes)
    python = str(Path(chosen["python"]).expanduser().absolute()) if chosen["python"] else sys.executable
    comparison = Comparison(implementation, mechanisms, settings, how, python, list(unavailable))
    results = comparison.bisect(*ends, chosen["every"]) if ends else comparison.run(requirements)
    return finish(results, chosen, "what was finished is shown, and environments are kept")


def _list() -> int:
    for one in kept_environments():
        kept = one.record
        click.echo(f"{kept.requirement}  {len(kept.packages)} packages  {kept.megabytes:.0f} MB  {one.python}")
    return 0


def _remove() -> int:
    count, megabytes, left = remove_environments()
    click.echo(f"removed {count} environments with {megabytes:.0f} MB below {folder_of_environments()}")
    for name in left:
        click.echo(f"{name} is in use, or cannot be removed; try again later", err=True)
    return FAILED if left else 0


@dataclass
class Comparison:
    """Releases that run with one implementation on the same mechanisms and states. ``python`` makes the environments."""

    implementation: str
    mechanisms: Sequence[tuple[str, Mechanism]]
    settings: Settings
    execution: Execution
    python: str = sys.executable
    skipped: list[Skipped] = field(default_factory=list)
    """Releases that cannot run here, and why."""
    installed: dict[str, Installed] = field(default_factory=dict)
    """The environments of those that can, by name."""

    def run(self, requirements: Sequence[Requirement]) -> Results:
        """All releases in one run, so that the truth is computed once. What cannot run is left out, and said.

        Raises :class:`RequirementError` if none can run.
        """
        entries = [entry for one in requirements if (entry := self.entry(one))]
        if not entries:
            raise RequirementError(f"none of the releases can run here; {self.skipped[-1].what}: {self.skipped[-1].why}")
        followed = [replace(entry, follows=before.name) for before, entry in pairwise(entries)]
        results = run(Selection(list(self.mechanisms), [entries[0], *followed], self.skipped), self.settings, self.execution)
        return replace(results, versions=Versions([self.installed[entry.name] for entry in entries], steps_of(results)))

    def entry(self, requirement: Requirement) -> Entry | None:
        """The release as an implementation; None if it cannot run here, which is noted under ``skipped``."""
        name = str(requirement)
        try:
            there = environment(requirement, self.python)
            _tell(name, there)
            home = Home(python=there.python, is_alone=True)
            subject = find_subject(self.implementation, False, self.execution.limits, home)
            entry = Entry(name, self.implementation, subject)
            _ = entry.version  # It starts the process, and loads the engine.
        except (EnvironmentsError, UserCodeError, Missing) as error:
            self.skipped.append(Skipped(name, one_line(str(error).removeprefix(name).strip(" :"), 500)))
            print(one_line(f"{name}: {self.skipped[-1].why}", 600), file=sys.stderr)
            return None
        kept = there.record
        self.installed[name] = Installed(name, there.python, kept.packages, kept.seconds, kept.megabytes)
        return entry

    def bisect(self, first: Requirement, last: Requirement, every: bool = False) -> Results:
        """The two ends, then the releases between them until it is known where the verdicts change; ``every`` tests them all.

        Interrupted, it gives what it has tested. Raises :class:`EnvironmentsError`, and :class:`RequirementError` if an end
        cannot run.
        """
        known = between(first, last, self.python)
        results = self.run([first, last])
        if len(results.implementations) < 2:
            lost = next(one for one in self.skipped if one.what in (str(first), str(last)))
            raise RequirementError(f"a bisection needs both ends; {lost.what}: {lost.why}")
        parts = dict.fromkeys((first.version, last.version), results)
        ends = tuple(cells_of(results, str(one)) for one in (first, last))
        search = Search(first.name, (first.version, last.version), known, (ends[0], ends[1]))

        def test(version: str) -> Mapping[Key, Cell] | str:
            requirement = first.at(version)
            skipped = len(self.skipped)
            entry = self.entry(requirement)
            if entry is None:
                return self.skipped[skipped].why
            part = run(Selection(list(self.mechanisms), [entry], []), self.settings, self.execution)
            if part.interrupted:
                raise KeyboardInterrupt
            parts[version] = part
            cells = cells_of(part, str(requirement))
            return cells if any(cell.verdict in (*COMPARED, "failed") for cell in cells.values()) else "it answered nothing"

        interrupted = results.interrupted
        try:
            if not interrupted:
                search.run(test, every)
        except KeyboardInterrupt:
            interrupted = True
        tested = [first.at(version) for version in search.order if version in parts]
        return self._merged(tested, parts, search.result(), interrupted)

    def _merged(
        self, requirements: Sequence[Requirement], parts: Mapping[str, Results], found: Bisection, interrupted: bool
    ) -> Results:
        """One run of all releases, in their order."""
        names = [str(one) for one in requirements]
        runs = [parts[one.version] for one in requirements]
        whole = runs[0]
        pairs = list(zip(names, runs, strict=True))
        cells = [
            # Only the ends were compared with one another; where other releases stand between them, that says nothing.
            cell if len(names) == 2 else replace(cell, moved=None)
            for mechanism in whole.mechanisms
            for name, part in pairs
            for cell in part.cells
            if cell.implementation == name and cell.mechanism == mechanism.name
        ]
        summaries = [entry for name, part in pairs for entry in part.implementations if entry.name == name]
        causes = [cause for name, part in pairs for cause in part.causes if cause.implementation == name]
        skipped = tuple(dict.fromkeys([*self.skipped, *(one for part in runs for one in part.skipped)]))
        merged = replace(whole, implementations=summaries, cells=cells, causes=causes, skipped=skipped, interrupted=interrupted)
        return replace(merged, versions=Versions([self.installed[name] for name in names], steps_of(merged), found))


def parsed(words: Sequence[str]) -> list[Requirement]:
    """The requirements, each once. Raises :class:`EnvironmentsError`."""
    return list({str(one): one for one in map(parse, words)}.values())


def implementation_for(requirements: Sequence[Requirement], given: str | None) -> str:
    """The implementation that runs: the one given, else the engine's own whose package all requirements name.

    Raises :class:`EnvironmentsError`.
    """
    if given in ABOUT:
        raise EnvironmentsError(f"{given} is dalembert's own and has no releases; name the engine, or your code that uses it")
    if given:
        return given
    names = list(dict.fromkeys(one.name for one in requirements))
    if len(names) > 1 and (without := [name for name in names if implementation_of(name) is None]):
        what = f"{listing(without)} {'contains' if len(without) == 1 else 'contain'} no engine that has an adapter"
        raise EnvironmentsError(f"{what}; compare releases of one engine, or name the code that uses the packages with -i")
    if len(names) > 1:
        raise EnvironmentsError(f"{names[0]} and {names[1]} are two packages; compare releases of one, or name the code with -i")
    found = implementation_of(names[0])
    if found is None:
        raise EnvironmentsError(
            f"{names[0]!r} is no engine that has an adapter; name the code that uses it, such as -i my_dynamics.py"
        )
    return found


def ends_of(requirements: Sequence[Requirement]) -> tuple[Requirement, Requirement]:
    """The two ends of a bisection, the older first. Raises :class:`EnvironmentsError`."""
    if len(requirements) != 2:
        raise EnvironmentsError(f"a bisection is between two releases, and {len(requirements)} are named; name two")
    first, last = sorted(requirements, key=lambda one: order(one.version))
    if first.name != last.name or first.others != last.others:
        raise EnvironmentsError(f"{first} and {last} differ in more than the release; name one package, with the same others")
    if same_version(first.version, last.version):
        raise EnvironmentsError(f"{first} and {last} are one release; name two")
    return first, last


def _tell(name: str, there: Environment) -> None:
    how = "kept from before"
    if there.is_new:
        as_of = f"as of {there.day}" if there.day else "of today"
        how = f"installed in {there.record.seconds:.1f} s with dependencies {as_of}"
    text = f"{name}: {how}, {len(there.record.packages)} packages, {there.record.megabytes:.0f} MB in {there.folder}"
    print(one_line(text, 600), file=sys.stderr, flush=True)
