"""The work on one mechanism: the truth about it, then one part for every implementation."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.pose import skeleton_of
from cross_check.exchange.recorded_data.subject import ELSEWHERE, LoadedRecording, Recorded
from cross_check.exchange.results.document import equations_from
from cross_check.exchange.results.objects import HISTORY, Cell, Invariant, MechanismSummary, Rounding, Skipped
from cross_check.exchange.results.parts import POINTS, Part, counted, merge_parts
from cross_check.explain.findings.known import findings_of, with_reason, with_reasons
from cross_check.explain.known_faults import Remembering, Suspect, known_cells, known_relations
from cross_check.judge.comparison.case import Case, Model
from cross_check.judge.comparison.coarse_states import beyond_range
from cross_check.judge.comparison.lost_digits import explained_by_differences
from cross_check.judge.comparison.measure import Measured, distance, measure
from cross_check.judge.comparison.other_levers import explained_by_levers
from cross_check.judge.comparison.recorded_digits import IF_ROUNDED
from cross_check.judge.comparison.rotation_lengths import explained_by_lengths
from cross_check.judge.comparison.sampling import Block, States
from cross_check.judge.comparison.truth import Truth, name_of_truth
from cross_check.judge.estimate import blocks_of
from cross_check.judge.history.check import ask_again
from cross_check.judge.history.sibling import is_for_one_robot
from cross_check.judge.relations.check import check_relations, more_serious
from cross_check.judge.relations.invariants import INVARIANTS, with_lost_digits
from cross_check.judge.relations.table import USUAL
from cross_check.judge.settings import Settings
from cross_check.judge.sharpness.columns import Problems
from cross_check.judge.sharpness.judged import sharpened
from implementations.one_robot import REASONS, OneRobot
from implementations.plugins.registry import BUILT_IN, OURS
from implementations.processes.restricted import Restricted
from implementations.processes.subject import Failure, Loaded, Subject
from implementations.protocol import Unsupported
from machine.code_cache import OFF
from mechanisms import Mechanism
from mechanisms.numbers.precision import FLOAT64, Precision
from mechanisms.quantities import ALL_QUANTITIES, ByConstrainedMotion, quantities_of
from oracle import OracleError

EQUATION_TERMS = 120
"""Equations of motion with more terms than this are not typeset."""

FEW_COORDINATES = 8
"""Engines are asked again about mechanisms with at most so many coordinates; users' code about all."""

DRAWN = 200
"""Mechanisms with more bodies than this are not drawn."""

MANY, FEWER = 32, 3
"""So many different answers without so many of their last bits are no chance."""

GIVEN = "the states of a run with recorded data need not satisfy the constraints"


@dataclass(frozen=True)
class Task:
    """A mechanism, the spec that names it, the implementations to compare with the truth about it, and the states."""

    spec: str
    mechanism: Mechanism
    entries: tuple[Entry, ...]
    settings: Settings
    blocks: tuple[Block, ...]
    """Consecutive blocks of states."""
    is_smallest: bool = False
    """Whether no mechanism of the run is smaller, among mechanisms with quaternions or without. There quantities are asked in
    batches of other sizes, too, and engines are asked again, however many coordinates there are."""
    keeps_errors: bool = False
    """Whether cells keep the error of every state, where there are very many."""

    @property
    def first(self) -> int:
        """The number of the first state."""
        return self.blocks[0].first

    @property
    def states(self) -> int:
        """How many states it has."""
        return sum(block.size for block in self.blocks)


_ONE_AT_A_TIME = threading.Lock()
"""A cluster may run tasks in several threads of a process, but engines and users' code need not be safe in threads."""


def compute(task: Task) -> list[Part]:
    """All parts of a task; a function that another process can be sent."""
    with _ONE_AT_A_TIME:
        return list(parts_of(task, lambda activity, entry: None))


def parts_of(task: Task, progress: Callable[[str, Entry | None], None]) -> Iterator[Part]:
    """The truth's part, if the task has the first states; then the part of every implementation.

    ``progress`` is called with what is being done, and with the implementation if there is one.
    """
    settings, name, tree = task.settings, task.mechanism.name, task.mechanism.tree
    models = Models(task.mechanism, settings, lambda activity: progress(activity, None))
    # Few blocks are alive at a time: each is released when its implementations are through.
    done: dict[str, list[Part]] = {entry.name: [] for entry in task.entries}
    loads: dict[str, Loaded | Unsupported | Failure] = {}
    constrained_loads: dict[str, Loaded | Unsupported | Failure] = {}
    for block in task.blocks:
        at = cache(partial(models.at, block))
        if block.first == 0:
            case, constrained, _ = at(FLOAT64)
            compared = settings.essential(task.spec, tree, lambda name: True)
            summary = replace(_described(case, task.spec, compared), fingerprint=task.mechanism.fingerprint)
            summary = replace(summary, constraints=summary_of_constraints(constrained)) if constrained is not None else summary
            yield Part(name, states=settings.states, rounding=_rounding(case.truth), summary=summary)
        known: dict[str, Sequence[Measured]] = {entry.follows: () for entry in task.entries if entry.follows}
        for entry in task.entries:
            progress("checking", entry)
            precision = settings.precision_of(entry.subject, entry.spec)
            case, constrained, problems = at(precision)
            if entry.name not in loads:
                loads[entry.name] = _loaded(entry, case.mechanism)
            own = settings.essential(task.spec, tree, _offered_by(loads[entry.name]))
            part = _part(case, entry, loads[entry.name], own, known, problems, task.is_smallest)
            part = replace(part, rounding=_rounding(case.truth), not_compared=_not_compared(entry, loads[entry.name], task))
            if constrained is not None:
                if entry.name not in constrained_loads:
                    constrained_loads[entry.name] = _loaded(entry, task.mechanism.in_precision(precision))
                known_one = _of_one_robot(entry, case.mechanism) if part.one_robot else entry
                part = _with_constraints(part, constrained, known_one, constrained_loads[entry.name], task)
            if settings.states > POINTS and not task.keeps_errors:
                part = replace(part, cells=[counted(cell, case.states.kinds, settings.bar) for cell in part.cells])
            done[entry.name].append(part)
            if block is task.blocks[-1]:
                yield merge_parts(done.pop(entry.name))


def lost(task: Task) -> list[Part]:
    """The parts of a task whose process ended, whoever computed it: every cell has failed."""
    settings, mechanism = task.settings, task.mechanism
    why = "the process that compared it ended; the machine may have too little memory"
    names = quantities_of(mechanism, settings.essential(task.spec, mechanism, lambda name: True).quantities)
    parts = [_failed(Part(mechanism.name, entry.name, task.first, task.states), settings, why, names) for entry in task.entries]
    if task.first > 0:
        return parts
    truth = name_of_truth(mechanism, settings.certified)
    summary = summary_of_mechanism(task.spec, mechanism, truth, settings.kinds(0, task.blocks[0].size))
    return [Part(mechanism.name, states=settings.states, summary=summary), *parts]


def _failed(part: Part, settings: Settings, why: str, names: Sequence[str], output: str = "") -> Part:
    """The part, every cell and every relation of which has failed for this reason; cells have these ``names``."""
    ids = (part.mechanism, part.implementation)
    cells = [Cell("/".join((*ids, name)), *ids, name, "failed", why, output=output) for name in names]
    checked = settings.relations if part.first == 0 else ()
    relations = [Invariant("/".join((*ids, name)), *ids, name, "failed", why) for name in checked]
    return replace(part, cells=cells, invariants=relations)


_models: dict[tuple[str, str, bool], dict[Precision, Model]] = {}


def _model(mechanism: Mechanism, certified: bool, progress: Callable[[str], None]) -> Model:
    """The model of the mechanism, which the tasks about it share; only those of the last mechanism are kept."""
    key = (mechanism.name, mechanism.fingerprint, certified)
    if key not in _models:
        _models.clear()
        _models[key] = {}
    if mechanism.precision not in _models[key]:
        _models[key][mechanism.precision] = Model(mechanism, certified, progress)
    return _models[key][mechanism.precision]


class Models:
    """What a mechanism is compared with, for code in any precision."""

    def __init__(self, mechanism: Mechanism, settings: Settings, progress: Callable[[str], None]) -> None:
        self._mechanism, self._settings, self._progress = mechanism, settings, progress
        self._constrained: dict[Precision, Model] = {}

    def at(self, block: Block, precision: Precision) -> tuple[Case, Case | Unsupported | None, Problems | None]:
        """At a block of states: the case of the tree, and of the mechanism with its constraints, or why there is none; None if it
        has none. And what the errors of the first states are fitted to."""
        mechanism, settings = self._mechanism.in_precision(precision), self._settings
        case = _model(mechanism.tree, settings.certified, self._progress).case(settings.seed, block, settings.given)
        constrained = None
        if settings.of_constraints(mechanism):
            # Its programs serve all blocks.
            if precision not in self._constrained:
                self._constrained[precision] = Model(mechanism)
            constrained = satisfying(self._constrained[precision], case.states, block.first, settings)
        return case, constrained, Problems(case) if block.first == 0 else None


def measure_state(state: int, mechanism: Mechanism, entry: Entry, settings: Settings) -> list[Cell]:
    """The cells of one implementation and mechanism, with the details of the state in this place instead of the worst one.

    Raises what loading the mechanism raises.
    """
    mechanism = mechanism.in_precision(settings.precision_of(entry.subject, entry.spec))
    tree = mechanism.tree
    blocks = blocks_of(tree, settings)
    block = blocks[state // blocks.size]
    case = Model(tree, settings.certified).case(settings.seed, block, settings.given)
    loaded = entry.subject.load(tree)
    k = state - block.first
    measured = _measured(case, loaded, tree, entry, settings.of_trees, settings.bar, k)
    found = [cell_with_lost_digits(one.cell, case, loaded, entry.subject, settings.bar) for one in measured]
    if not (names := settings.of_constraints(mechanism)):
        return found
    constrained = satisfying(Model(mechanism), case.states, block.first, settings)
    measured = _measured(constrained, _loaded(entry, mechanism), mechanism, entry, names, settings.bar, k)
    return [*found, *(one.cell for one in measured)]


def satisfying(model: Model, drawn: States, first: int, settings: Settings) -> Case | Unsupported:
    """The case at states that satisfy the constraints, or the reason why it is missing.

    No states may satisfy them, or the constraints may be singular.
    """
    if settings.given is not None:
        return Unsupported(GIVEN)
    try:
        case = model.satisfying(drawn, first)
        case.equations(ByConstrainedMotion("acceleration"))
        return case
    except Unsupported as reason:
        return reason


def _measured(
    case: Case | Unsupported,
    loaded: Loaded | Unsupported | Failure,
    mechanism: Mechanism,
    entry: Entry,
    names: Sequence[str],
    bar: float,
    state: int | None = None,
) -> list[Measured]:
    """A cell for each of the quantities. With ``state``, the cell has the details of this state of the case."""

    def of(name: str) -> Measured:
        ids = (f"{mechanism.name}/{entry.name}/{name}", mechanism.name, entry.name, name)
        for reason in (case, loaded):
            if isinstance(reason, Unsupported):
                return Measured(Cell(*ids, "unsupported", str(reason)))
            if isinstance(reason, Failure):
                return Measured(Cell(*ids, "failed", str(reason), output=reason.output))
        assert isinstance(case, Case) and not isinstance(loaded, (Unsupported, Failure))
        one = measure(case, loaded, entry.name, ALL_QUANTITIES[name], bar, state)
        is_wrong = one.cell.verdict in ("discrepancy", "failed") and state is None
        # A cell that is wrong says where its function is defined.
        return one._replace(cell=replace(one.cell, place=loaded.place(name))) if is_wrong else one

    return [of(name) for name in names]


def _offered_by(loaded: Loaded | Unsupported | Failure) -> Callable[[str], bool]:
    """Whether a quantity is offered; code that cannot be asked may have any."""

    def offers(name: str) -> bool:
        with suppress(Failure):
            return isinstance(loaded, (Unsupported, Failure)) or loaded.offers(name)
        return True

    return offers


def _not_compared(entry: Entry, loaded: Loaded | Unsupported | Failure, task: Task) -> tuple[str, ...]:
    """What users' code offers beside the quantities of the run. Engines offer dozens."""
    if entry.spec in BUILT_IN or isinstance(loaded, (Unsupported, Failure, LoadedRecording)):
        return ()
    compared = quantities_of(task.mechanism, task.settings.quantities)
    with suppress(Failure):
        return tuple(name for name in ALL_QUANTITIES if name not in compared and loaded.offers(name))
    return ()


def _loaded(entry: Entry, mechanism: Mechanism) -> Loaded | Unsupported | Failure:
    """The mechanism in the implementation, or why it is not."""
    if why := beyond_range(mechanism):
        return Unsupported(why)
    try:
        return entry.subject.load(mechanism)
    except (Unsupported, Failure) as reason:
        return reason


def _part(
    case: Case,
    entry: Entry,
    loaded: Loaded | Unsupported | Failure,
    settings: Settings,
    known: dict[str, Sequence[Measured]],
    problems: Problems | None,
    is_smallest: bool = False,
) -> Part:
    """All cells of one implementation and one mechanism at the states of the case; at the first ones the invariants, too.

    ``known`` has a key for every entry that another one follows, and gets what was measured of it. Errors are fitted to the
    ``problems`` if there are any.
    """
    mechanism = case.mechanism.name
    nothing = Part(mechanism, entry.name, case.first, len(case.states))
    if isinstance(loaded, Unsupported):
        skipped = Skipped(f"{mechanism}/{entry.name}", str(loaded))
        return replace(nothing, skipped=(with_reason(entry.subject.engine, entry.version, skipped),))
    if isinstance(loaded, Failure):
        return _failed(nothing, settings, str(loaded), settings.of_trees, loaded.output)
    measured = _measured(case, loaded, case.mechanism, entry, settings.of_trees, settings.bar)
    cells, seconds = [one.cell for one in measured], sum(one.seconds for one in measured)
    fewer = _fewer_bits(entry, case, measured) if case.first == 0 else ()
    if before := known.get(entry.follows):
        then = {one.cell.quantity: one for one in before}
        moved = [distance(then[now.cell.quantity], now) if now.cell.quantity in then else None for now in measured]
        cells = [replace(cell, moved=units) for cell, units in zip(cells, moved, strict=True)]
    if entry.name in known:
        known[entry.name] = measured
    cells = with_reasons(entry.subject.engine, entry.version, cells)
    if isinstance(entry.subject, Recorded):
        lacking = _not_recorded(entry, mechanism, loaded) if case.first == 0 else ()
        rounded = [Skipped(c.id, c.message) for c in cells if c.verdict == "lost digits" or IF_ROUNDED in c.message]
        cells = sharpened(cells, measured, problems, settings.bar)
        return replace(nothing, cells=cells, skipped=(*lacking, *rounded, *fewer), seconds=seconds)
    lane = Lane(case, entry, loaded, settings)
    cells = lane.explained(cells, measured)
    if case.first > 0:
        return replace(nothing, cells=cells, seconds=seconds)
    invariants, spent = lane.relations(tuple(INVARIANTS) if settings.invariants else (), cells)
    # Code that fails is not asked more than it has to be: a process that ends too often is given up.
    can_be_asked = all(cell.verdict != "failed" for cell in cells)
    fresh = entry.subject.fresh
    is_one_robot = can_be_asked and _may_be_one_robot(entry) and is_for_one_robot(case, entry.subject, loaded, fresh)
    if is_one_robot:
        lane = replace(lane, entry=_of_one_robot(entry, case.mechanism))
    # Our adapters of engines use no set, random number, batch or cache by names, and nothing that large mechanisms alone show.
    # Our own code keeps nothing but the mechanism's numbers and programs.
    is_users = entry.spec not in BUILT_IN
    asks_again = is_users or is_smallest or (entry.spec not in OURS and case.mechanism.nv <= FEW_COORDINATES)
    if settings.invariants and asks_again:
        found, of_history = lane.history(measured, cells, is_smallest, can_be_asked and is_users)
        invariants, spent = [*invariants, *found], spent + of_history
        nothing = replace(nothing, skipped=_declared(entry, mechanism, found, is_smallest))
    relations, of_relations = lane.relations(settings.relations, cells)
    above = [cell.verdict for cell in cells]
    cells = sharpened(cells, measured, problems, settings.bar)
    if above != [cell.verdict for cell in cells]:
        cells = known_cells(lane.suspect, cells, measured, problems)
    shown = REASONS["experiment"] if is_one_robot else ""
    seconds += spent + of_relations
    nothing = replace(nothing, skipped=(*nothing.skipped, *fewer))
    return replace(nothing, cells=cells, invariants=[*invariants, *relations], seconds=seconds, one_robot=shown)


@dataclass(frozen=True)
class Lane:
    """One implementation that has loaded the mechanism of a case, with constraints or without, and is asked at its states."""

    case: Case
    entry: Entry
    loaded: Loaded
    settings: Settings

    @property
    def suspect(self) -> Suspect:
        subject = self.entry.subject
        findings = findings_of(subject.engine, self.entry.version)
        return Suspect(self.case, self.loaded, subject.load, self.entry.name, self.settings, findings)

    def explained(self, cells: list[Cell], measured: Sequence[Measured]) -> list[Cell]:
        """The cells. A cell that disagrees may have lost digits, or be known."""
        if not any(cell.verdict == "discrepancy" for cell in cells):
            return cells
        # The wrong answers are explained, not the answers of a second call.
        remembering, bar = Remembering(self.loaded, self.case, measured), self.settings.bar
        cells = [cell_with_lost_digits(cell, self.case, remembering, self.entry.subject, bar) for cell in cells]
        return known_cells(self.suspect, cells, measured)

    def relations(self, names: Sequence[str], cells: Sequence[Cell] = ()) -> tuple[list[Invariant], float]:
        """The relations and invariants with these names, and the seconds that the implementation took."""
        load, settings = self.entry.subject.load, self.settings
        found, seconds = check_relations(self.case, self.loaded, load, self.entry.name, settings.bar, names, settings.quantities)
        found = [with_lost_digits(one, cells, settings.bar) for one in found]
        return known_relations(self.suspect, found), seconds

    def history(
        self, measured: Sequence[Measured], cells: Sequence[Cell], in_batches: bool, is_asked_more: bool
    ) -> tuple[list[Invariant], float]:
        """Whether answers depend on what was called before, and the seconds that the implementation took."""
        subject = self.entry.subject
        answers = {one.cell.quantity: one.answer for one in measured if one.answer is not None}
        more = (in_batches and is_asked_more, subject.elsewhere if is_asked_more else (), is_asked_more)
        found = ask_again(self.case, subject, self.loaded, answers, cells, self.settings.bar, subject.fresh, *more)
        return [found.invariant(self.case.mechanism.name, self.entry.name)], found.seconds


def _of_one_robot(entry: Entry, mechanism: Mechanism) -> Entry:
    """The entry, which is asked about this mechanism alone, because an experiment has shown that it knows no other."""
    return replace(entry, subject=Restricted(entry.subject, OneRobot("experiment"), [mechanism]))


def _may_be_one_robot(entry: Entry) -> bool:
    """Whether an experiment has to say if it is code for one robot: users' code is, if nothing else says so."""
    return entry.spec not in BUILT_IN and not isinstance(entry.subject, Restricted)


def _with_constraints(
    part: Part, case: Case | Unsupported, entry: Entry, loaded: Loaded | Unsupported | Failure, task: Task
) -> Part:
    """The part with the cells of the mechanism's constraints."""
    if part.skipped and not part.cells:
        return part  # The implementation cannot represent the tree.
    settings, mechanism = task.settings, task.mechanism
    measured = _measured(case, loaded, mechanism, entry, settings.of_constraints(mechanism), settings.bar)
    cells, seconds = [one.cell for one in measured], part.seconds + sum(one.seconds for one in measured)
    if isinstance(case, Unsupported) or isinstance(loaded, (Unsupported, Failure)):
        return replace(part, cells=[*part.cells, *cells], seconds=seconds)
    lane = Lane(case, entry, loaded, settings)
    part = replace(part, cells=[*part.cells, *lane.explained(cells, measured)], seconds=seconds)
    if case.first > 0:
        return part
    found, seconds = lane.relations([name for name in settings.relations if name in USUAL])
    relations = {one.name: one for one in found}
    invariants = [more_serious(one, relations.get(one.name, one)) for one in part.invariants]
    return replace(part, invariants=invariants, seconds=part.seconds + seconds)


def summary_of_constraints(case: Case | Unsupported) -> str:
    """One sentence: how many degrees of freedom the constraints leave, or why there is no case."""
    if isinstance(case, Unsupported):
        return str(case)
    directions, rank = len(case.mechanism.constrained_directions), case.states.rank
    freedom = f"{directions} constrained directions leave {case.mechanism.nv - rank} of {case.mechanism.nv} degrees of freedom"
    if rank == directions:
        return freedom
    follow = "1 follows" if directions - rank == 1 else f"{directions - rank} follow"
    return f"{freedom}; {follow} from the others, so λ is not unique and Jᵀλ is"


def cell_with_lost_digits(cell: Cell, case: Case, loaded: Loaded, subject: Subject, bar: float) -> Cell:
    """The cell; it has lost digits if a declared way of computing explains its errors, and is seen in the code."""
    if cell.verdict != "discrepancy" or isinstance(loaded, LoadedRecording):
        return cell
    quantity = ALL_QUANTITIES[cell.quantity]
    why = (
        explained_by_lengths(case, loaded, quantity, bar)
        or explained_by_levers(case, loaded, subject.load, quantity, bar)
        or explained_by_differences(case, loaded, quantity, subject.finite_differences, bar)
    )
    return replace(cell, verdict="lost digits", message=why, place="") if why else cell


def _declared(entry: Entry, mechanism: str, found: Sequence[Invariant], asks_batches: bool) -> tuple[Skipped, ...]:
    """What is not seen because the code declares that it needs batches of some sizes, or that its answers scatter."""
    lane, sizes = f"{mechanism}/{entry.name}", entry.subject.batch_sizes
    notes = [Skipped(f"{lane}: {HISTORY}", one.message) for one in found if one.verdict == "agrees" and one.message]
    if sizes and asks_batches:
        why = f"it is asked in batches of {' and '.join(map(str, sizes))} states alone, as it declares"
        notes.append(Skipped(f"{lane}: batches of other sizes", why))
    return tuple(notes)


def _fewer_bits(entry: Entry, case: Case, measured: Sequence[Measured]) -> tuple[Skipped, ...]:
    """That all answers are multiples of several steps of the declared fixed point: the code has fewer bits."""
    precision, lane = case.mechanism.precision, f"{case.mechanism.name}/{entry.name}"
    answers = [one.answer.ravel() for one in measured if one.answer is not None] if precision.is_fixed else []
    steps = np.unique(np.concatenate(answers) / precision.epsilon) if answers else np.empty(0)
    zeros = next((n for n in reversed(range(precision.bits)) if not (steps % 2**n).any()), 0)
    if len(steps) < MANY or zeros < FEWER:
        return ()
    before, behind = precision.exponent + zeros, precision.bits - 1 - zeros
    why = f"all answers are multiples of 2^-{behind}; if the code computes in q{before}.{behind}, declare that"
    return (Skipped(f"{lane}: the last {zeros} bits of {precision.name}", why),)


def _not_recorded(entry: Entry, mechanism: str, loaded: Loaded) -> tuple[Skipped, ...]:
    """What recorded data lacks, and what was done to it."""
    assert isinstance(loaded, LoadedRecording)
    name, recording = f"{mechanism}/{entry.name}", loaded.recording
    missing = [Skipped(f"{name}: {quantities}", sentence) for quantities, sentence in recording.missing_words()]
    others = [Skipped(name, note) for note in recording.notes]
    return (*missing, *others, Skipped(name, f"invariants, relations and the history of calls: {ELSEWHERE}"))


def _rounding(truth: Truth) -> Rounding | None:
    return Rounding(**truth.certificate) if truth.certificate else None


def _described(case: Case, spec: str, settings: Settings) -> MechanismSummary:
    """The mechanism's summary, with its equations and the distance between oracle and reference."""
    truth = case.truth
    equations = truth.equations_of_at_most(EQUATION_TERMS)
    terms = equations_from(equations.terms()) if equations else None
    bridge = {name: float(f"{units:.3g}") for name, units in case.distance_to_reference(settings.of_trees).items()}
    # Not a maximum: no number is larger than NaN.
    apart = next((name for name, units in bridge.items() if not units <= settings.bar), None)
    # Given cosines and sines may have a length that makes the two derivations different functions.
    if settings.given is None and apart:
        raise OracleError(
            f"the two derivations of {apart} of {case.mechanism.name!r} differ by {bridge[apart]} ε-units, so there is no truth; "
            f"run it again with {OFF}=1, and report this if it stays"
        )
    summary = summary_of_mechanism(spec, case.mechanism, truth.name, case.states.kinds)
    return replace(summary, bridge=bridge, equations=terms, certified=_rounding(truth))


def summary_of_mechanism(spec: str, mechanism: Mechanism, truth: str, kinds: Sequence[str]) -> MechanismSummary:
    """What is known of a mechanism before the truth about it is computed."""
    return MechanismSummary(
        mechanism.name,
        spec,
        len(mechanism.bodies),
        mechanism.nq,
        mechanism.nv,
        mechanism.fingerprint,
        list(mechanism.coordinates),
        truth,
        {},
        list(kinds),
        dict(mechanism.faults),
        positions=list(mechanism.positions),
        skeleton=skeleton_of(mechanism) if len(mechanism.bodies) <= DRAWN else (),
        notes=mechanism.notes,
        mimics=sum(body.joint.mimic is not None for body in mechanism.bodies),
    )
