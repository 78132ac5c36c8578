"""What a run found, as frozen objects. Their fields and types give the JSON and its schema
(:mod:`cross_check.exchange.results.codec`).

Cell ids are ``mechanism/implementation/quantity``. They stay the same from run to run, so two runs can be compared
cell by cell. Sequences and mappings are copied when an object is built; sequences become tuples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, get_args

from cross_check.defaults import BAR
from cross_check.exchange.results.causes import Cause, Inputs
from cross_check.exchange.results.codec import LATER, Error, Frozen, Natural, Positive, Size, to_json
from cross_check.exchange.results.versions import Verdict, Versions
from mechanisms.numbers.precision import FLOAT64, NAMES

SCHEMA = "dalembert-results-4"

COMPARED = ("agrees", "lost digits", "discrepancy", "known")
"""The verdicts of cells whose numbers were compared with the truth."""

RIGHT = ("agrees", "lost digits")
"""The verdicts of right answers. Those that lost digits are above the bar because rounding is amplified."""

DECLARED = "it is declared as a finite difference"
"""The beginning of the message of a cell that is as good as a finite difference, and is right because it is declared as one."""

AS_WRITTEN = "right as far as the file can show"
"""What the message of a cell of recorded data begins with that is off by no more than the file explains."""

SCATTERS = "recorded answers scatter by"
"""What such a message then says if answers to one state differ; otherwise it is about the file's digits."""

NOT_RECORDED = "no state has a recorded answer"
"""The message of a cell of recorded data that was not compared."""

BASIC = ("gravity", "rotational inertia", "Coriolis and centrifugal")
"""The groups of faults that make dynamics. A run that shows nothing of one of them says so in its last line."""

HISTORY = "independent of history"
"""The name of the invariant that two answers to one question are the same."""

INFINITE = 1e99
"""Stands for an infinite error, because JSON has no infinity."""


PrecisionName = Annotated[str, {"pattern": f"^({NAMES.pattern})$"}]

Point = Annotated[Sequence[float], {"minItems": 3, "maxItems": 3}]


class Bin(NamedTuple):
    """So many errors from 10^(k/10) to 10^((k+1)/10). The lowest bin also counts everything below it."""

    k: Annotated[int, {"minimum": -40, "maximum": 990}]
    errors: Annotated[int, {"minimum": 1, "maximum": 10**18}]


@dataclass(frozen=True)
class Worst(Frozen):
    """The state and component of a cell's largest error, with full precision."""

    state: Natural
    kind: str
    coordinate: str
    inputs: Inputs
    got: float
    expected: float
    magnitude: Size
    """The size of what is summed: an ε-unit is ε of the code's precision times it."""


@dataclass(frozen=True)
class Ulps:
    """How far a cell's answers are from the correctly rounded ones, in units in the last place.

    A unit is the gap between the correctly rounded value and the next smaller float64 (in magnitude), so a neighbour above a
    power of two is two units away. Components whose correctly rounded value is zero do not count. Where large terms cancel,
    correct code is off by many units: only the quantiles show what is usual.
    """

    rounded: Annotated[float, {"minimum": 0, "maximum": 1}]
    """The share of answers that are correctly rounded."""
    median: Size
    most: Size
    """99 % of the answers are within this distance."""
    largest: Size


@dataclass(frozen=True)
class Histogram(Frozen):
    """The errors of very many states in ε-units, counted. :mod:`cross_check.exchange.results.parts` makes it."""

    states: Positive
    over: Natural
    """How many are above the bar."""
    median: Size
    most: Size
    """99 % of the states are within this error. As the median, it is the upper end of a bin."""
    bins: Mapping[str, Annotated[Sequence[Bin], {"minItems": 1}]]
    """By kind of state, ascending."""


@dataclass(frozen=True)
class Sharpness:
    """What the errors of all states, fitted to the numbers of the mechanism, say of these numbers."""

    needed: Size
    """By so many ε of their sizes must the numbers of the mechanism be off to explain the errors: zero if noise explains them.
    At most :data:`INFINITE`."""
    bound: Size
    """Every number that shows is right to this part of its size, or some others are wrong, too."""
    shown: Natural
    """So many numbers show,"""
    numbers: Natural
    """of so many that the quantity depends on."""
    number: str = ""
    """Where the errors are systematic: the number that explains them best; empty if no single one does."""
    change: float = 0.0
    """By this part of its size it is too large."""
    limit: Size = field(default=BAR, metadata=LATER)
    """Right code is off by no more ε in its numbers."""

    def is_systematic(self, bar: float) -> bool:
        """Whether roundings of the numbers cannot explain the errors."""
        return self.needed > min(bar, self.limit)

    @property
    def amount(self) -> str:
        """By how much the number is off, and of which size (:mod:`cross_check.judge.sharpness.variation`)."""
        size = next((words for start, words in SIZES.items() if self.number.startswith(start)), "of its size")
        return f"{self.change:+.2g} {size}"

    @property
    def sentence(self) -> str:
        """What is wrong, where the errors are systematic: a clause."""
        if self.number:
            return f"{self.number} is off by {self.amount}"
        off = f"would have to be off by {self.needed:.3g} ε" if self.needed < INFINITE else "cannot explain it"
        return f"no small error of a single number of the mechanism explains this; all together {off}"


SIZES = {
    "the centre of mass": "of the body's √(tr I / m)",
    "the inertia": "of the body's tr I",
    "the orientation": "rad",
    "the axis": "rad",
    "gravity": "of |g|",
}
"""What errors of numbers are relative to, by the beginning of a number's name; all others are relative to themselves."""


@dataclass(frozen=True)
class Cell(Frozen):
    """One quantity of one mechanism by one implementation."""

    id: str
    mechanism: str
    implementation: str
    quantity: str
    verdict: Verdict
    message: str = ""
    error: Error = None
    """The largest error in ε-units."""
    errors: Sequence[Size] = ()
    """The largest error of every state, in ε-units, three digits. Empty if there is a histogram."""
    coordinates: Sequence[Size] = ()
    """The largest error of every coordinate, in the mechanism's order, for quantities that have one value per coordinate."""
    worst: Worst | None = None
    ulps: Ulps | None = None
    """Only in certified runs of one block of states, and not for quantities that are checked by the residual of an equation."""
    output: str = ""
    """What the implementation printed meanwhile: the beginning and the end."""
    histogram: Histogram | None = None
    """Only in runs of more states than have an entry in ``errors``."""
    by_kind: Mapping[str, Sequence[Size]] = field(default_factory=dict)
    """Where some error is above the bar, by kind of state: the largest error of every coordinate, or of every body where the
    quantity has a value for every body."""
    place: str = field(default="", metadata=LATER)
    """Of a cell that is wrong: where the user's project defines the function, as "my_dynamics.py:12"; empty if not known."""
    missing: Natural = 0
    """In so many states recorded data has no answer. Nothing is known of them."""
    states: Sequence[Natural] = ()
    """For recorded data, the numbers of the states that ``errors`` belong to."""
    sharpness: Sharpness | None = field(default=None, metadata=LATER)
    """How well the numbers of the mechanism are known from all errors, of quantities that are fitted. Where the largest error is
    above the bar, only if one number explains the errors."""
    moved: Error = field(default=None, metadata=LATER)
    """The largest distance, in ε-units, from the answers of the release before it; 0 for the same bits. Only where releases are
    compared, and both answer."""


@dataclass(frozen=True)
class Invariant:
    """A property that an implementation's answers must have among themselves."""

    id: str
    mechanism: str
    implementation: str
    name: str
    verdict: Verdict
    message: str = ""
    error: Error = None
    """The largest violation in ε-units."""


Item = Cell | Invariant

NO_READER = "it did not ask for the mechanism's file (mechanism.source, dalembert.source_of), so its reader was not tried"
"""The message of relations that try the reader of code which has none."""

NOT_READ = (
    "it answered about the file of another mechanism as about the plain file; "
    "it does not read the file that it is given, so its reader was not tried"
)
"""The message of relations that try the reader of code which reads some other file, or keeps one too long."""


def fits(verdict: str, error: float | None, bar: float, is_systematic: bool) -> bool:
    """Whether a verdict can belong to this error, which was rounded to three digits after it was judged.

    Systematic errors are a discrepancy, within the bar, too.
    """
    match verdict:
        case "agrees":
            return error is not None and error <= 1.005 * bar and not is_systematic
        case "lost digits" | "discrepancy":
            return error is not None and (error >= 0.995 * bar or (is_systematic and verdict == "discrepancy"))
    return True


def has_systematic_errors(item: Cell | Invariant, bar: float) -> bool:
    """Whether the item is a cell whose errors roundings of the mechanism's numbers cannot explain."""
    return isinstance(item, Cell) and item.sharpness is not None and item.sharpness.is_systematic(bar)


def name_of(item: Item) -> str:
    """The quantity of a cell, the name of an invariant."""
    return item.quantity if isinstance(item, Cell) else item.name


class Term(NamedTuple):
    """A coefficient, exact or marked by "≈", times powers of generators such as ``"cos q1"``."""

    coefficient: str
    powers: Mapping[str, int]


Polynomial = Sequence[Term]


@dataclass(frozen=True)
class EquationTerms(Frozen):
    """Equations of motion as terms: M and C are matrices, T and V scalars, the others vectors; q and v name the joints."""

    q: Sequence[str]
    v: Sequence[str]
    M: Sequence[Sequence[Polynomial]]
    C: Sequence[Sequence[Polynomial]]
    g: Sequence[Polynomial]
    damping: Sequence[Polynomial]
    T: Polynomial
    V: Polynomial
    friction: Sequence[Polynomial] = ()
    """Empty if no joint has Coulomb friction."""


@dataclass(frozen=True)
class Rounding:
    """What it took to round a certified truth correctly."""

    bits: Natural
    """The largest precision that a value needed."""
    ties: Natural
    """How many values are proven to be the middle of two float64."""
    undecided: Natural = 0
    """How many values no precision could separate from the middle of two float64, and no proof could show to be the middle."""


@dataclass(frozen=True)
class Bone(Frozen):
    """One body of a mechanism in one pose, and the joint that carries it: enough to draw it. :mod:`cross_check.exchange.pose`
    computes it.

    Points are in metres, along the root's axes.
    """

    body: str
    joint: str
    kind: str
    """Of the joint."""
    parent: Annotated[int, {"minimum": -1}]
    """The index of the body that carries it, -1 for the root."""
    start: Point
    """The origin of the joint's frame, which is fixed to the parent."""
    origin: Point
    """The origin of the body's frame."""
    center: Point
    """The body's centre of mass; its origin if it has no mass."""
    axis: Annotated[Sequence[float], {"maxItems": 3}]
    """The joint's axis, a unit vector; empty if joints of this kind have none."""


Skeleton = Sequence[Bone]
"""The bodies of a mechanism in their order."""


@dataclass(frozen=True)
class MechanismSummary(Frozen):
    """A mechanism of the run, and the truth that was used for it."""

    name: str
    spec: str
    bodies: Positive
    nq: Positive
    nv: Positive
    fingerprint: Annotated[str, {"pattern": "^[0-9a-f]{16}$", "maxLength": 16}]
    coordinates: Sequence[str]
    truth: Annotated[str, {"enum": ["symbolic", "jets", "certified"]}]
    bridge: Mapping[str, Size]
    """The distance between oracle and reference in double-double, per quantity in ε-units. If the truth is certified,
    it is the distance between the truth and the reference in float64."""
    kinds: Sequence[str]
    """The kind of every state; of the first ones in runs with a histogram of the errors."""
    faults: Mapping[str, str] = field(default_factory=dict)
    """Bodies with an inertia that no body can have, and the reason. Such inertias are accepted only on request."""
    equations: EquationTerms | None = None
    certified: Rounding | None = None
    positions: Sequence[str] = ()
    """A name for every component of q."""
    skeleton: Skeleton = ()
    """Its shape at position zero; empty if it has very many bodies."""
    notes: Sequence[str] = ()
    """What the reader ignored in its file though it may matter, one sentence each."""
    constraints: str = ""
    """What its constraints leave of its freedom, and which are redundant; empty if none were compared."""
    mimics: Natural = field(default=0, metadata=LATER)
    """So many joints follow another one, and have no coordinate of their own."""


@dataclass(frozen=True)
class ImplementationSummary(Frozen):
    """An implementation of the run; ``spec`` is what the user typed."""

    name: str
    spec: str
    version: str
    workarounds: Sequence[str] = field(default=(), metadata=LATER)
    """What the adapter of an engine computes itself instead of the engine, one phrase each."""
    one_robot: Mapping[str, str] = field(default_factory=dict, metadata=LATER)
    """If it is code for one robot: the name of this mechanism, and how that is known, in a clause. It was asked about no other
    mechanism. Empty for code for any mechanism."""
    not_compared: Sequence[str] = field(default=(), metadata=LATER)
    """Of users' code: the quantities that it offers and that the run does not compare."""
    precision: PrecisionName = field(default=FLOAT64.name, metadata=LATER)
    """The precision in which it is judged: its states are numbers of that precision, and its ε-units count that precision's ε."""


@dataclass(frozen=True)
class Skipped:
    """What the run was asked for and did not do, and why."""

    what: str
    why: str


@dataclass(frozen=True)
class RunSettings(Frozen):
    """What the numbers depend on, beside the code and the mechanisms."""

    version: str
    seed: Natural
    states: Positive
    bar: Annotated[float, {"exclusiveMinimum": 0}]
    certified: bool = False
    recorded: Sequence[str] = ()
    """The files of recorded data whose states were compared, instead of sampled ones."""
    strict: bool = field(default=False, metadata=LATER)
    """Whether a run fails that cannot show gravity, rotational inertia or Coriolis terms at all."""
    precision: PrecisionName = field(default=FLOAT64.name, metadata=LATER)
    """The precision in which users' code computes that declares none."""

    @property
    def is_lenient(self) -> bool:
        """Whether the bar is larger than the usual one."""
        return self.bar > BAR


@dataclass(frozen=True)
class EffectiveSetting(Frozen):
    """A setting of the run as it took effect."""

    name: str
    values: Sequence[str]
    """One, but for settings that are lists; numbers in decimal."""
    origin: str
    """Where it came from: "command line", "pyproject.toml [tool.dalembert]", "baseline …", "the call" or "default"."""


def plain(value: str | float | bool | Sequence[str]) -> Sequence[str]:
    """The value of a setting in the form of :attr:`EffectiveSetting.values`."""
    match value:
        case bool():
            return ("yes" if value else "no",)
        case int() | float():
            return (f"{value:.15g}",)
        case str():
            return (value,)
    return tuple(value)


@dataclass(frozen=True)
class Times(Frozen):
    """Seconds: the whole run, and the share of every implementation."""

    total: Size = 0.0
    implementations: Mapping[str, Size] = field(default_factory=dict)


@dataclass(frozen=True)
class Coverage(Frozen):
    """What the comparisons of these implementations can show, measured with mutants of the reference.

    A fault is a way in which dynamics code is wrong, such as "gravity is left out". Faults are grouped by terms of the equations,
    such as "gravity" or "helical joints".
    """

    implementations: Sequence[str]
    faults: Natural
    """How many faults the quantities that were compared can show on some mechanism."""
    exercised: Sequence[str]
    """The groups of which every fault is visible."""
    invisible: Mapping[str, Sequence[str]]
    """By group: the faults that would not have been seen."""
    unseen: Sequence[str]
    """The groups of which no fault is visible."""
    joints: Sequence[str]
    """The kinds of joints that are exercised."""
    motion: str = ""
    """What the mechanisms' motion is restricted to: "planar motion", "motion without turning", or empty."""
    states: Natural = 0
    """So many states of the same mechanisms would show more; zero if they would not."""
    add: Sequence[str] = ()
    """The smallest set of mechanisms that would show the rest."""
    untried: Sequence[str] = field(default=(), metadata=LATER)
    """Mechanisms on which no fault was tried, because they are too large. What they would show is not known."""

    @property
    def hidden(self) -> int:
        """How many faults would not have been seen."""
        return sum(map(len, self.invisible.values()))

    @property
    def is_empty(self) -> bool:
        """Whether code with any of the faults would have passed."""
        return 0 < self.faults == self.hidden and not self.untried

    @property
    def lacks(self) -> tuple[str, ...]:
        """The terms of :data:`BASIC` of which nothing would have been seen, though what was compared has them."""
        return () if self.untried else tuple(term for term in BASIC if term in self.unseen)


ChangeKind = Literal["replaced", "unrecorded", "broken", "worse", "lost", "new", "fixed", "better", "moved"]
"""The gravest first: another mechanism explains what follows."""

REGRESSIONS = ("worse", "lost", "replaced", "unrecorded")
"""Changes that fail the gate. A ``broken`` cell fails the run by its own verdict."""


@dataclass(frozen=True)
class Change:
    """A difference between the baseline and the run.

    ``worse``: it agrees, with an error larger than noise explains. ``lost``: it is not compared any more. ``replaced``: the
    mechanism is another one. ``unrecorded``: the baseline has no cell of the mechanism. ``broken``: it agreed. ``new``: it
    was not compared. ``fixed``: it did not agree. Two kinds occur only between two runs: ``better``, its error
    is smaller than noise explains; ``moved``, its numbers are others.
    """

    kind: ChangeKind
    id: str
    message: str
    before: str = ""
    """The cell in the baseline: its verdict and error; empty if there is none."""
    then: Error = None
    """The error in the baseline, in ε-units; None if there is none."""

    @property
    def sentence(self) -> str:
        return f"{self.message}; before: {self.before}" if self.before else self.message


REVISION = "revision "
"""What the path of a baseline begins with that is a run of other code."""


@dataclass(frozen=True)
class BaselineComparison(Frozen):
    """The run compared with a baseline file, or with a run of another revision of the code."""

    path: str
    changes: Sequence[Change] = ()

    @staticmethod
    def of(path: str, changes: Iterable[Change]) -> BaselineComparison:
        """The comparison with these changes, the gravest first."""
        return BaselineComparison(path, sorted(changes, key=lambda change: get_args(ChangeKind).index(change.kind)))

    @property
    def regressions(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.kind in REGRESSIONS)


@dataclass(frozen=True)
class Results(Frozen):
    """A run. All but ``machine`` and ``times`` is a function of the code, the mechanisms and the seed."""

    settings: RunSettings
    implementations: Sequence[ImplementationSummary] = ()
    mechanisms: Sequence[MechanismSummary] = ()
    cells: Sequence[Cell] = ()
    invariants: Sequence[Invariant] = ()
    skipped: Sequence[Skipped] = ()
    interrupted: bool = False
    baseline: BaselineComparison | None = None
    machine: Mapping[str, str] = field(default_factory=dict)
    times: Times = field(default_factory=Times)
    coverage: Sequence[Coverage] = field(default=(), metadata=LATER)
    """What the comparisons can show; implementations that compared the same share one. Empty if it was not measured."""
    causes: Sequence[Cause] = field(default=(), metadata=LATER)
    """Why cells disagree, the most informative first. Empty if it was not asked for."""
    effective: Sequence[EffectiveSetting] = field(default=(), metadata=LATER)
    """Every setting that the run was made with, and where it came from. Empty if nobody recorded it."""
    versions: Versions | None = field(default=None, metadata=LATER)
    """What moved from release to release, if the implementations are releases of one package."""

    @property
    def items(self) -> tuple[Item, ...]:
        return (*self.cells, *self.invariants)

    def mechanism(self, name: str) -> MechanismSummary:
        return next(mechanism for mechanism in self.mechanisms if mechanism.name == name)

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        return {"schema": SCHEMA, **to_json(self)}
