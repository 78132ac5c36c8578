"""What every command shares: finding mechanisms and implementations by words, and a run that shows its progress."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from importlib.metadata import version
from itertools import chain, count
from pathlib import Path
from typing import Any

from cross_check.distribution import Distribution, LocalProcesses
from cross_check.exchange.recorded_data.subject import PREFIX, Recorded, find_recorded
from cross_check.exchange.results import Results, ResultsError, Skipped
from cross_check.exchange.results.error_file import ErrorFile
from cross_check.exchange.results.parts import POINTS, new_recorder
from cross_check.harness import Entry, check, describe
from cross_check.judge.comparison.case import Model
from cross_check.judge.comparison.given import states_of
from cross_check.judge.estimate import estimate, require_memory
from cross_check.judge.one_robot import restricted
from cross_check.judge.relations.table import split_words
from cross_check.judge.settings import Settings, SettingsError
from dalembert.journals import Keeping
from dalembert.printing import show_progress
from implementations.plugins.registry import BY_NAME, GROUPS, names_of_implementations
from implementations.plugins.user_code import UserCodeError, as_implementation
from implementations.plugins.user_mechanism import IsCode
from implementations.processes.find import find_mechanism, find_subject
from implementations.processes.home import Home
from implementations.processes.limits import Limits
from implementations.processes.remote import Remote, can_isolate
from implementations.processes.subject import Broken, InProcess
from implementations.protocol import DoesNotLoad, Implementation, Missing
from mechanisms import Mechanism, MechanismError
from mechanisms.library.drawn import default_drawn
from mechanisms.library.robots import DEFAULT_ROBOTS
from mechanisms.library.textbook import DEFAULT_TEXTBOOK
from mechanisms.library.textbook_tables import DEFAULT_LOOPS
from mechanisms.numbers.precision import precision_named
from mechanisms.plain_text import count as counted
from mechanisms.plain_text import one_line
from mechanisms.quantities import ALL_GROUPS, expand_groups
from oracle import OracleError


class RequirementError(Exception):
    """An implementation that must be there is not; one sentence with the remedy."""


USER_ERRORS = (MechanismError, UserCodeError, ResultsError, SettingsError, OracleError)
"""Errors that users can correct in their words or files; one sentence each, with the remedy."""

MISSING_ERRORS = (RequirementError, Missing)
"""Errors because something is not installed."""


DEFAULT_LIMITS = Limits()


@dataclasses.dataclass(frozen=True)
class Execution:
    """How a run is carried out. It changes no number."""

    in_process: bool = False
    """Whether code under test is loaded and called in this process, for debuggers; nothing then protects the run from it."""
    limits: Limits = DEFAULT_LIMITS
    jobs: int = 1
    """The number of processes that compute."""
    scheduler: str | None = None
    """The address of a Dask scheduler whose workers compute instead."""
    explain: bool = True
    """Whether what disagrees is diagnosed."""
    home: Home | None = None
    """Where code under test lives; by default the present folder, and the Python that runs this."""

    def distribution(self) -> Distribution | None:
        """What computes, if it is not this process."""
        if self.in_process:
            return None
        if self.scheduler:
            from cross_check.cluster import DaskCluster

            return DaskCluster(self.scheduler)
        return LocalProcesses(self.jobs) if self.jobs > 1 else None


def execution_from(given: dict[str, Any]) -> Execution:
    """How the run is carried out. What says this is taken out of ``given``."""
    limits = {name: given.pop(name) for name in ("timeout", "memory") if name in given}
    others = {name: given.pop(name) for name in ("in_process", "jobs", "explain") if name in given}
    return Execution(limits=Limits(**limits), **others)


def entry(spec: str | Implementation, name: str | None = None, execution: Execution | None = None) -> Entry:
    """An implementation under test: a name, ``module``, ``module:name``, ``file.py``, ``file.py:name``, ``cmd:COMMAND`` for
    a program, ``lib:FILE`` for a shared library, ``recorded:FILE`` for recorded data, or the object itself.

    It runs in a process of its own; an object runs in a fork of this process. Code that does not load fails all of its cells.
    Raises :class:`UserCodeError` for a word that names nothing usable.
    """
    execution = execution or Execution()
    if isinstance(spec, str) and spec.startswith(PREFIX):
        recorded = find_recorded(spec)
        return Entry(name or recorded.name, spec, recorded)
    if isinstance(spec, str):
        try:
            subject = find_subject(spec, execution.in_process, execution.limits, execution.home)
            return Entry(name or subject.name, spec, subject)
        except DoesNotLoad as error:
            known_as = name or one_line(spec, 100)
            return Entry(known_as, spec, Broken(known_as, str(error)))
    known_as = getattr(spec, "__name__", type(spec).__name__)
    given = as_implementation(spec, known_as, known_as)
    isolated = can_isolate() and not execution.in_process
    subject = Remote(given.name, execution.limits, given) if isolated else InProcess(given)
    return Entry(name or given.name, name or given.name, subject)


def about_code(code: Entry, settings: Settings) -> tuple[str, str, str, str, str, int]:
    """What :class:`cross_check.exchange.about_code.AboutCode` says of the code behind the form."""
    return (
        version("dalembert"),
        code.name,
        code.spec,
        code.version,
        settings.precision_of(code.subject, code.spec).name,
        settings.seed,
    )


def find_entries(specs: Sequence[str], required: Sequence[str], execution: Execution) -> tuple[list[Entry], list[Skipped]]:
    """The implementations asked for. By default these are all that have a name; those of :data:`BY_NAME` run only when named.

    Missing ones of the default, and of a group (:data:`GROUPS`), are skipped. Raises :class:`RequirementError` if one that was
    named or required is missing or broken.
    """
    listed = names_of_implementations()
    of_groups = [name for group in GROUPS if group in specs for name in GROUPS[group]]
    specs = [spec for spec in specs if spec not in GROUPS]
    entries, skipped = [], []
    by_default = () if specs or of_groups else (name for name in listed if name not in BY_NAME)
    for spec in dict.fromkeys((*specs, *of_groups, *by_default, *required)):
        try:
            one = entry(spec, execution=execution)
            if isinstance(one.subject, Broken) and spec not in specs:
                raise UserCodeError(one.subject.reason)
            entries.append(one)
        except (Missing, UserCodeError) as error:
            if spec not in listed:
                raise
            status = "missing" if isinstance(error, Missing) else "broken"
            if spec in (*specs, *required):
                asked = "required and " if spec in required else ""
                raise RequirementError(f"{spec} is {asked}{status}: {error}") from error
            skipped.append(Skipped(spec, f"{status}: {error}"))
    distinguish(entries)
    return entries, skipped


def distinguish(entries: list[Entry]) -> None:
    """Of several entries with one name, give the later ones their spec as their name."""
    for k, this in enumerate(entries):
        if this.name in [other.name for other in entries[:k]]:
            entries[k] = Entry(this.spec, this.spec, this.subject)


Chosen = list[tuple[str, Mechanism]]
"""Mechanisms, each with the word that names it."""


@dataclasses.dataclass(frozen=True)
class Selection:
    """What the words of a command name: mechanisms with their specs, implementations, and what cannot take part."""

    mechanisms: Chosen
    entries: list[Entry]
    skipped: list[Skipped]


def select(
    mechanisms: Sequence[str],
    implementations: Sequence[str],
    required: Sequence[str],
    execution: Execution,
    seed: int = 0,
    usual: Sequence[str] = (),
) -> Selection:
    """What the words name. A word among ``mechanisms`` that names a file of code names an implementation.

    Without mechanisms, these are the robots that implementations declare, or else the ``usual`` ones. If none are usual, they are
    those of a default check, of which some are drawn from ``seed``. Code for one robot is asked about this robot alone. Raises
    what :func:`find_mechanisms`, :func:`find_entries` and :func:`restricted` raise.
    """
    # Mechanisms come first: implementations start processes, and a wrong word should not wait for them.
    chosen, code = find_named(mechanisms, implementations, execution.in_process)
    implementations = (*implementations, *code)
    entries, missing = find_entries(implementations, required, execution)
    unavailable: list[Skipped] = []
    named = entries if implementations else ()
    if not chosen and not (chosen := declared_robots(named)):
        for one in named:
            restricted(one.subject, one.name, [])  # Code for one robot is refused, as no mechanism is named and none declared.
        chosen, unavailable = find_mechanisms(usual, seed=seed)
    kept = []
    for one in entries:
        try:
            kept.append(dataclasses.replace(one, subject=restricted(one.subject, one.name, chosen)))
        except SettingsError as error:
            if implementations:
                raise
            # What an installed package offers hides nothing else.
            missing.append(Skipped(one.name, str(error)))
    return Selection(chosen, kept, missing + unavailable)


def declared_robots(entries: Iterable[Entry]) -> Chosen:
    """The robots that code for one robot declares."""
    robots = [entry.subject.one_robot for entry in entries]
    found = {one.mechanism.fingerprint: (one.spec, one.mechanism) for one in robots if one and one.mechanism}
    return distinctly_named(list(found.values()))


def find_named(words: Sequence[str], implementations: Sequence[str], in_process: bool) -> tuple[Chosen, list[str]]:
    """The mechanisms that the words name, and the words that name code: files that offer quantities and that are not named as
    implementations, too."""
    found, code = [], []
    for word in dict.fromkeys(words):
        try:
            found.append((word, find_mechanism(word, in_process, or_code=word not in implementations)))
        except IsCode:
            code.append(word)
    return distinctly_named(found), code


def find_mechanisms(specs: Sequence[str], in_process: bool = False, seed: int = 0) -> tuple[Chosen, list[Skipped]]:
    """The mechanisms asked for.

    By default :data:`DEFAULT_TEXTBOOK`, :data:`DEFAULT_LOOPS`, what :func:`default_drawn` draws from ``seed``, and
    :data:`DEFAULT_ROBOTS`.
    """
    if specs:
        return distinctly_named([(spec, find_mechanism(spec, in_process)) for spec in dict.fromkeys(specs)]), []
    textbook = [(spec, find_mechanism(spec)) for spec in (*DEFAULT_TEXTBOOK, *DEFAULT_LOOPS, *default_drawn(seed))]
    try:
        return distinctly_named(textbook + [(spec, find_mechanism(spec)) for spec in DEFAULT_ROBOTS]), []
    except MechanismError as error:
        return distinctly_named(textbook), [Skipped("real robots", str(error))]


def distinctly_named(mechanisms: Chosen) -> Chosen:
    """Mechanisms with distinct names, because cells are identified by them."""
    names: set[str] = set()
    for k, (spec, mechanism) in enumerate(mechanisms):
        if mechanism.name in names:
            unused = next(name for name in chain([spec], (f"{spec} {n}" for n in count(2))) if name not in names)
            mechanisms[k] = (spec, dataclasses.replace(mechanism, name=unused))
        names.add(mechanisms[k][1].name)
    return mechanisms


def settings_from(given: Mapping[str, Any]) -> Settings:
    """Settings by name; None means the default. If quantities, relations or groups are named, invariants are left out.

    ``as_read`` adds the relations that try the reader of code which reads files itself.
    """
    given = dict(given)
    reads = ["as-read"] if given.pop("as_read", False) else []
    names = [field.name for field in dataclasses.fields(Settings) if field.name not in ("given", "files")]
    if unknown := sorted(given.keys() - set(names)):
        raise SettingsError(f"there is no setting {unknown[0]!r}; use {', '.join(names)}")
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    chosen["relations"] = sum(split_words([*_words(chosen.get("relations", ())), *reads]), ())
    if "quantities" in chosen:
        relations, quantities = split_words(_words(chosen["quantities"]))
        chosen.setdefault("invariants", False)
        chosen["quantities"] = expand_groups(quantities, ALL_GROUPS)
        chosen["relations"] = tuple(dict.fromkeys((*relations, *chosen["relations"])))
    return Settings(**chosen)


def at_recorded_states(mechanisms: Chosen, entries: Sequence[Entry], settings: Settings, given: Mapping[str, Any]) -> Settings:
    """The settings for a run with these entries: if some are recorded data, its states are compared instead of sampled ones.

    ``given`` are the settings that the user gave. Raises :class:`SettingsError` and :class:`RecordedError`.
    """
    files = [entry.subject for entry in entries if isinstance(entry.subject, Recorded)]
    if not files:
        return settings
    name = files[0].table.path.name
    if len(mechanisms) != 1:
        raise SettingsError(f"{name} is about one mechanism, and this run has {len(mechanisms)}; name the one of the file")
    if chosen := [word for word in ("seed", "states") if given.get(word) is not None]:
        raise SettingsError(f"the states of {name} are compared, and none is sampled; leave {' and '.join(chosen)} out")
    if settings.relations:
        raise SettingsError(f"relations ask code anew, and {name} cannot be asked; leave {settings.relations[0]!r} out")
    mechanism = mechanisms[0][1].in_precision(precision_named(settings.precision))
    return settings.at(states_of(mechanism, files), [str(file.table.path) for file in files])


def _words(given: str | Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def run(
    selection: Selection,
    settings: Settings,
    execution: Execution,
    keeping: Keeping | None = None,
    errors: Path | None = None,
) -> Results:
    """Check and show the progress. An interrupted run gives what it has finished, marked as interrupted.

    ``keeping`` has the journal; into ``errors`` goes the error of every state. Raises what opening these files raises, and
    :class:`SettingsError` for a run that does not fit into the memory.
    """
    require_memory([mechanism for _, mechanism in selection.mechanisms], settings, 1 if execution.scheduler else execution.jobs)
    recorder = new_recorder(settings.recorded)
    recorder.skipped += selection.skipped
    describe(recorder, selection.mechanisms, selection.entries, settings)
    distribution = execution.distribution()
    if keeping:
        loaded = {file: digest for one in selection.entries for file, digest in one.subject.files.items()}
        keeping.begin(recorder, settings, [mechanism.fingerprint for _, mechanism in selection.mechanisms], loaded)
    if settings.states > POINTS:
        print(_expected(selection, settings, execution), file=sys.stderr)
    try:
        with show_progress() as show, ErrorFile(errors, settings.states) if errors else nullcontext() as error_file:
            check(selection.mechanisms, selection.entries, settings, recorder, show, distribution, error_file, execution.explain)
    except KeyboardInterrupt:
        recorder.interrupted = True
    finally:
        for one in selection.entries:
            one.subject.close()
    return recorder.snapshot()


def _expected(selection: Selection, settings: Settings, execution: Execution) -> str:
    """What a run with very many states needs, in one sentence."""
    needs = [estimate(Model(mechanism), settings, len(selection.entries)) for _, mechanism in selection.mechanisms]
    minutes = sum(need.seconds for need in needs) / execution.jobs / 60
    memory = max(need.memory for need in needs) / 2**20
    states = f"{counted(settings.states, 'state')} of {counted(len(needs), 'mechanism')}"
    processes = "one process" if execution.jobs == 1 else f"{execution.jobs} processes"
    time = f"about {minutes:.0f} min" if minutes >= 1 else "less than a minute"
    return f"{states}: {time} on {processes}, and {memory:.0f} MiB for each"
