"""Results made by hand: every verdict, hostile text, a baseline, and nothing at all."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from cross_check.exchange.pose import skeleton_of
from cross_check.exchange.releases import steps_of
from cross_check.exchange.results import INFINITE, Cell, Invariant, Results, RunSettings, Skipped
from cross_check.exchange.results.causes import Cause, ChangedLines, Example, Mend, Observation
from cross_check.exchange.results.document import equations_from
from cross_check.exchange.results.objects import (
    REGRESSIONS,
    BaselineComparison,
    Change,
    Coverage,
    EffectiveSetting,
    EquationTerms,
    Histogram,
    ImplementationSummary,
    MechanismSummary,
    Rounding,
    Sharpness,
    Times,
    Ulps,
    Worst,
)
from cross_check.exchange.results.versions import Bisection, Installed, Trial, Versions
from cross_check.prove.catalogue.results import (
    CatalogueResults,
    ComputedResult,
    EntryResult,
    IdentityResult,
    IdentityWitness,
    Text,
    catalogue_from,
)
from mechanisms import find_mechanism
from mechanisms.files.document import to_document
from mechanisms.quantities import QUANTITIES

DYNAMICS = [name for name, quantity in QUANTITIES.items() if quantity.group == "dynamics"]

KINDS = ("zero", "random", "at rest", "quarter turns", "tiny", "large", "fast")

EQUATION_TERMS: dict[str, Any] = {
    "q": ["slide", "hinge"],
    "v": ["slide", "hinge"],
    "M": [
        [[["1.1", {}]], [["0.05", {"cos q2": 1}]]],
        [[["0.05", {"cos q2": 1}]], [["1/30", {}], ["-1", {"m_2": 2}], ["1", {"l1": 1}]]],
    ],
    "C": [[[], [["-0.05", {"sin q2": 1, "v2": 1}]]], [[], []]],
    "g": [[], [["≈-1.25e-05", {"sin q2": 2, "q1": 3}]]],
    "damping": [[["0.1", {}]], []],
    "T": [["0.55", {"v1": 2}]],
    "V": [["-0.5", {"cos q2": 1}], ["2", {}], ["≈0.333333", {"m": 1}]],
}

EQUATIONS = equations_from(EQUATION_TERMS)

HOSTILE = (
    "<script>alert(1)</script> \"quoted\" 'single' `tick` | [x](http://evil)"
    " @team #1 \x1b[31m\x00\ud800\u202e أبجد &amp; </style>\n# x"
)


def equations(**changes: Any) -> EquationTerms:
    """:data:`EQUATIONS` with some parts changed, these as plain data."""
    return equations_from({**EQUATION_TERMS, **changes})


def results(mechanisms: int = 1, implementations: int = 1, states: int = 14, nv: int = 2) -> Results:
    """A run in which everything agrees."""
    entries = [ImplementationSummary(f"engine{i}", f"engine{i}", f"{i}.0") for i in range(implementations)]
    joints = [f"joint{k}" for k in range(nv)]
    kinds = [KINDS[k % len(KINDS)] for k in range(states)]
    summaries, cells, invariants = [], [], []
    for name in (f"arm{m}" for m in range(mechanisms)):
        summaries.append(
            MechanismSummary(name, name, nv, nv, nv, "0" * 16, joints, "symbolic", {"gravity": 0.02}, kinds, positions=joints)
        )
        for entry in entries:
            cells += [agreeing(name, entry.name, quantity, states, joints) for quantity in DYNAMICS]
            invariants.append(Invariant(f"{name}/{entry.name}/M = Mᵀ", name, entry.name, "M = Mᵀ", "agrees", error=0.0))
    return Results(
        RunSettings("0.1.0", 3, states, 16.0),
        entries,
        summaries,
        cells,
        invariants,
        machine={"python": "3.11"},
        times=Times(8.0, {entry.name: 1.0 for entry in entries}),
    )


def agreeing(mechanism: str, implementation: str, quantity: str, states: int, joints: list[str]) -> Cell:
    errors = [round(0.001 + (k * 0.377) % 3, 3) for k in range(states)]
    inputs = {name: [0.1234567890123456 * k for k in range(len(joints))] for name in QUANTITIES[quantity].arguments}
    worst = Worst(1, "random", joints[0], inputs, 1.0, 1.0000000000000002, 2.0)
    ident = f"{mechanism}/{implementation}/{quantity}"
    return Cell(ident, mechanism, implementation, quantity, "agrees", "", max(errors), errors, [0.5] * len(joints), worst)


def very_large(wrong: int = 3) -> Results:
    """A run of a million states with a histogram of the errors; ``wrong`` states of the first cell are wrong."""
    run = results()
    bins = dict.fromkeys(KINDS, ((-40, 1000), (-3, 90000), (2, 50000)))
    right = Histogram(987_000, 0, 0.631, 2.0, bins)
    some = replace(right, states=987_000 + wrong, over=wrong, bins={**bins, "fast": (*bins["fast"], (110, wrong))})
    cells = [replace(cell, errors=(), histogram=right) for cell in run.cells]
    cells[0] = replace(cells[0], verdict="discrepancy", error=1.2e11, histogram=some)
    return replace(run, settings=replace(run.settings, states=987_000), cells=cells)


def with_cell(run: Results, k: int, **changes: Any) -> Results:
    """The run with one cell changed."""
    return replace(run, cells=(*run.cells[:k], replace(run.cells[k], **changes), *run.cells[k + 1 :]))


def with_mechanism(run: Results, **changes: Any) -> Results:
    """The run with its first mechanism changed."""
    return replace(run, mechanisms=(replace(run.mechanisms[0], **changes), *run.mechanisms[1:]))


def certified(implementations: int = 2, ties: int = 0, undecided: int = 0) -> Results:
    """A run in which everything agrees with a certified truth."""
    run = results(2, implementations)
    ulps = {"arm0": Ulps(0.4321, 1.0, 12.0, 999.0), "arm1": Ulps(0.9, 0.0, 3.0, INFINITE)}
    return replace(
        run,
        settings=replace(run.settings, certified=True),
        mechanisms=[
            replace(about, truth="certified", certified=rounding)
            for about, rounding in zip(run.mechanisms, (Rounding(192, 0), Rounding(1536, ties, undecided)), strict=True)
        ],
        cells=[cell if cell.quantity == "forward_dynamics" else replace(cell, ulps=ulps[cell.mechanism]) for cell in run.cells],
    )


BARE: dict[str, Any] = {"error": None, "errors": [], "coordinates": [], "worst": None}
"""A cell without numbers."""


def mixed() -> Results:
    """Every verdict once, and equations of motion."""
    run = with_mechanism(results(implementations=2), spec="my arm.urdf", equations=EQUATIONS)
    errors = [1e12 if kind not in ("zero", "at rest") else 0.5 for kind in run.mechanisms[0].kinds]
    worst = Worst(3, "quarter turns", "joint1", {"q": [0.1, -2.5], "v": [0.0, 1.0], "a": [1.0, 2.0]}, 1.5, -0.25, 3.0)
    run = with_cell(run, 0, verdict="discrepancy", error=INFINITE, errors=errors, coordinates=[0.5, INFINITE], worst=worst)
    changes: list[dict[str, Any]] = [
        {"verdict": "failed", "message": "mass_matrix raised ValueError: singular", **BARE},
        {"verdict": "not offered", "message": "engine0 has no forward_dynamics", **BARE},
        {"verdict": "unsupported", "message": "no damping", **BARE},
        {"verdict": "known", "message": "known fault of engine0 0.0: docs/findings/x.md", "error": 40.0},
    ]
    for k, change in enumerate(changes, 1):
        run = with_cell(run, k, **change)
    broken = replace(run.invariants[0], verdict="discrepancy", error=123.0)
    return replace(run, invariants=(broken, *run.invariants[1:]), skipped=[Skipped("drake", "not installed; pip install drake")])


def hostile() -> Results:
    """Hostile text wherever results have text."""
    h = HOSTILE
    verdicts: Any = ("lost digits", "discrepancy", "failed", "known", "not offered", "unsupported", "agrees")
    terms = equations(v=[h, h], V=[[h, {h: 2, f"cos {h}": 1}]])
    worst = Worst(0, h, h, {h: [1.0], "q": [1.0, 2.0]}, 1.0, 2.0, 3.0)
    quantities = {verdict: "gravity" if verdict == "agrees" else h + verdict for verdict in verdicts}
    return Results(
        RunSettings(h, 0, 2, 16.0),
        [ImplementationSummary(h, h, h, [h])],
        [MechanismSummary(h, h, 2, 2, 2, "0" * 16, [h, h], "symbolic", {h: 1.0}, [h, h], {h: h}, terms)],
        [
            Cell(f"{h}/{h}/{quantity}", h, h, quantity, verdict, h, 1e5, [1e5, 1.0], [1e5, 1.0], worst)
            for verdict, quantity in quantities.items()
        ],
        [Invariant(f"{h}/{h}/{quantity}", h, h, quantity, verdict, h, 1e5) for verdict, quantity in quantities.items()],
        [Skipped(h, h)],
        interrupted=True,
        baseline=BaselineComparison(h, [Change("worse", h, h, h), Change("new", h, h)]),
        machine={h: h},
        times=Times(2.0, {h: 1.0}),
        causes=[
            cause(
                h, h, [f"{h}/{h}/{h}discrepancy"], sentence=h, evidence=[Observation(h, h)], remedy=h, alternatives=[h], where=[h]
            ),
            cause(h, f"{h} known", [f"{h}/{h}/{h}known"], kind="known", sentence=h, page=h, text=h, ruled_out=[h], untried=[h]),
        ],
    )


def empty() -> Results:
    return Results(RunSettings("0.1.0", 0, 98, 16.0))


def with_changes(*kinds: Any) -> Results:
    """A run in which everything agrees, compared with a baseline."""
    changes = [Change(kind, f"arm0/engine0/{kind}", f"message on {kind}", "agrees, 1 ε-units") for kind in kinds]
    return replace(results(), baseline=BaselineComparison("baseline.json", changes))


def moved() -> Results:
    """A run with every kind of change since a baseline; of some cells, the errors then and now are known."""
    run = with_changes(*REGRESSIONS, "broken", "new", "fixed", "better", "moved")
    assert run.baseline
    errors = {"worse": 0.5, "fixed": 1e9, "moved": 2.0}
    drawn = [Change(kind, cell.id, "moved", then=then) for cell, (kind, then) in zip(run.cells, errors.items(), strict=False)]
    return replace(run, baseline=replace(run.baseline, changes=[*run.baseline.changes, *drawn]))


EXAMPLE = Example(
    bodies=2,
    mechanism="{}",
    urdf="",
    quantity="inverse_dynamics",
    inputs={"q": (0.0, 1.0), "v": (1.0, 0.0), "a": (0.0, 0.0)},
    components=("shoulder", "elbow"),
    units=("N m", "N m"),
    got=(1.0, -2259.0),
    expected=(1.0, -3406.0),
    exact=("1", "-3406"),
    calculation="",
    script="print(1)",
    test="",
    issue="",
)


def cause(implementation: str, word: str, cells: Any, **changes: Any) -> Cause:
    """A cause that is certain, with evidence and an example."""
    given: dict[str, Any] = {
        "kind": "term",
        "sentence": f"the term {word} is missing",
        "tried": 12,
        "evidence": [Observation("no acceleration", "agrees"), Observation("twice the velocity", "4.00 times the error")],
        "remedy": "add the term",
        "example": EXAMPLE,
    }
    return Cause(id=f"{implementation}/{word}", implementation=implementation, cells=cells, **(given | changes))


def explained() -> Results:
    """Two causes, cells and invariants without a cause, failures of one kind, and a known finding that has no cause.

    On two mechanisms by a user's code and by an engine. The user's inverse dynamics and mass matrix have a cause each.
    """
    run, h = results(2, 2), "my_code.py"
    names = {"engine0": h, "engine1": "pinocchio"}
    page = "a known fault of this version, see docs/findings/x.md"
    wrong: dict[str, Any] = {
        "my_code.py inverse_dynamics": ("discrepancy", "", 1.2e11),
        "my_code.py mass_matrix": ("discrepancy", "", 1e5),
        "my_code.py gravity": ("discrepancy", "", 300.0),
        "my_code.py kinetic_energy": ("failed", "kinetic_energy raised ValueError: {mechanism} at 0x7f{n}", None),
        "my_code.py potential_energy": ("failed", "potential_energy raised ValueError: {mechanism} at 0x7f{n}", None),
        "pinocchio kinetic_energy": ("known", page, 40.0),
        "pinocchio gravity": ("discrepancy", "", 900.0),
    }
    cells = []
    for n, one in enumerate(run.cells):
        cell = replace(
            one, implementation=names[one.implementation], id=one.id.replace(one.implementation, names[one.implementation])
        )
        verdict, message, error = wrong.get(f"{cell.implementation} {cell.quantity}", ("agrees", "", cell.error))
        message = message.format(mechanism=cell.mechanism, n=n) if message else ""
        bare = BARE if verdict == "failed" else {"error": error}
        cells.append(replace(cell, verdict=verdict, message=message, **bare))
    run = replace(
        run,
        implementations=[replace(entry, name=names[entry.name], spec=names[entry.name]) for entry in run.implementations],
        cells=cells,
        invariants=[
            replace(one, implementation=names[one.implementation], verdict="discrepancy", error=50.0)
            for one in run.invariants
            if one.implementation == "engine0"
        ],
    )

    def of(name: str, quantity: str) -> list[str]:
        return [cell.id for cell in cells if (cell.implementation, cell.quantity) == (name, quantity)]

    mend = Mend([ChangedLines("mine.py", 26, "a = b - c <x>", "a = b + c <x>")], 120, 4)
    causes = [
        cause("pinocchio", "gravity", of("pinocchio", "gravity")),
        cause(h, "armature", of(h, "mass_matrix"), alternatives=["damping; a run without damping would decide"]),
        cause(h, "coriolis", of(h, "inverse_dynamics"), mend=mend, elsewhere=3),
    ]
    return replace(run, causes=causes)


def drawn() -> Results:
    """:func:`explained` with shapes of mechanisms, and an example that can be drawn."""
    run, mechanism = explained(), find_mechanism("cart-pole")
    example = replace(EXAMPLE, mechanism=json.dumps(to_document(mechanism)), urdf="<robot/>", calculation="1 + 1 = 2")
    where = [mechanism.bodies[1].name]
    causes = [replace(one, example=example, where=where, term="gravity", wrapper="a wrapper") for one in run.causes]
    cells = [
        replace(cell, by_kind={"zero": [0.5, 1e6], "fast": [3.0, 1e99]}) if cell.verdict == "discrepancy" else cell
        for cell in run.cells
    ]
    trees = [
        replace(about, skeleton=skeleton_of(find_mechanism(spec)), equations=EQUATIONS)
        for about, spec in zip(run.mechanisms, ("branched-tree", "every-joint"), strict=True)
    ]
    return replace(run, causes=causes, cells=cells, mechanisms=trees)


def all_wrong(mechanisms: int = 9, implementations: int = 1) -> Results:
    """A run in which every cell disagrees, for one cause if there is one implementation."""
    run = results(mechanisms, implementations)
    cells = [replace(cell, verdict="discrepancy", error=1e9, place="dynamics.py:12") for cell in run.cells]
    causes = [cause("engine0", "gravity", [cell.id for cell in cells])] if implementations == 1 else []
    return replace(run, cells=cells, causes=causes)


def one_function() -> Results:
    """As for a user who has one function: 140 of 144 quantities and invariants are not offered."""
    run = results(mechanisms=4)
    cells = [cell if cell.quantity == "gravity" else replace(cell, verdict="not offered", **BARE) for cell in run.cells]
    invariants = [replace(one, verdict="not offered", error=None, message="engine0 has no x") for one in run.invariants]
    return replace(run, cells=cells, invariants=invariants)


def releases() -> Results:
    """Three releases of an engine, and a bisection."""
    run = results(2, 3)
    cells = [replace(cell, moved=0.25 if cell.implementation == "engine1" else None) for cell in run.cells]
    broken: dict[str, Any] = {"verdict": "discrepancy", "error": 1e9, "moved": 1e9}
    cells = [replace(cell, **broken) if cell.id.endswith("engine2/gravity") else cell for cell in cells]
    run = replace(run, cells=cells, skipped=[Skipped("engine==1.1", HOSTILE)])
    trials = (Trial("1.0", "as before"), Trial("1.1", "not run", HOSTILE), Trial("1.2", "as after"))
    there = [Installed(entry.name, f"/{entry.name}/bin/python", {"numpy": "2.0"}, 1.0, 2.0) for entry in run.implementations]
    steps = steps_of(replace(run, implementations=[replace(one, spec=one.name) for one in run.implementations]))
    return replace(run, versions=Versions(there, steps, Bisection("engine", trials, "1.2", "1.0")))


def told_aside() -> Results:
    """Everything that is said beside the verdicts, settings with their origins, and an interruption."""
    run = with_mechanism(results(2, 2), notes=["<spring> is ignored"], constraints="2 directions leave 1", faults={"arm": "odd"})
    one, other = run.implementations
    one = replace(one, workarounds=["damping is added"], not_compared=["integrate", "constraint_jacobian"])
    sharp = [replace(cell, sharpness=Sharpness(0.0, 3e-15, 4, 4)) for cell in run.cells]
    missed = Coverage(["engine0"], 10, ["gravity"], {"armature": ["armature is <left> out"]}, ["armature"], ["revolute"])
    return replace(
        run,
        cells=sharp,
        implementations=[one, other],
        skipped=[Skipped("drake", "not installed; pip install drake")],
        effective=[EffectiveSetting("seed", ["4"], "command line"), EffectiveSetting("quantities", DYNAMICS, "default")],
        coverage=[missed],
        machine={"python": "3.11", "slower": "Programs run slowly"},
        interrupted=True,
    )


PROVEN = IdentityResult(
    id="000.1",
    text="000",
    section="§2 Vectors",
    title="Cross product",
    citation="text 000, eq. 1",
    statement="e^{[ω_1]θ} v̂_B = a^× b_i",
    note="",
    kind="identity",
    corrected="",
    verdict="proven",
    as_stated=True,
    degree=3,
    exponent=61,
    rounds=2,
    error="2^-116",
    witness=None,
)
WITNESS = IdentityWitness(component=[1, 0, 2], left="2", right="-3/4", drawn=["1"])
SLIP = replace(
    PROVEN,
    id="000.1-printed",
    statement="a × b = b × a",
    kind="slip",
    note="a sign of n_i",
    corrected="000.1",
    verdict="false",
    error=None,
    witness=WITNESS,
)
COMPUTED = ComputedResult(
    id="003.9",
    text="003",
    section="§2 Vectors",
    title="Newton",
    citation="text 000, eq. 1",
    statement="it converges",
    note="",
    kind="computed",
    verdict="computed",
    as_stated=True,
    evidence="2^-9, 2^-18",
)

ODD = replace(PROVEN, statement="X_λ(i) 2^{1 < 2 a_{i+1}}} _ ^ x_{open")

KINDS_OF_JOINTS = tuple(
    replace(PROVEN, id=f"000.29-{kind}", title=f"Velocity across a joint, {kind}", degree=k, error=f"2^-{110 + k}")
    for k, kind in enumerate(("revolute", "euler-xyz", "free"))
)


def refuted(entry: IdentityResult) -> IdentityResult:
    return replace(entry, as_stated=False, verdict="false", error=None, witness=WITNESS)


def catalogue(*entries: EntryResult) -> CatalogueResults:
    texts = [Text(name, f"Title {name}") for name in sorted({entry.text for entry in entries})]
    return CatalogueResults("1", 0, texts, entries)


def foreign(value: Any, key: str = "") -> Any:
    """Every text foreign, but for the words that the catalogue itself makes up."""
    if isinstance(value, dict):
        return {key: foreign(x, key) for key, x in value.items()}
    if isinstance(value, list):
        return [foreign(x, key) for x in value]
    return HOSTILE if isinstance(value, str) and key not in ("id", "text", "kind", "corrected", "error", "schema") else value


CATALOGUES = {
    "whole": catalogue(PROVEN, *KINDS_OF_JOINTS, SLIP, replace(SLIP, id="000.2", kind="warning"), COMPUTED),
    "wrong": catalogue(refuted(PROVEN), KINDS_OF_JOINTS[0], refuted(KINDS_OF_JOINTS[1]), replace(SLIP, as_stated=False)),
    "a slip alone": catalogue(SLIP),
    "odd mathematics": catalogue(ODD),
    "hostile": catalogue_from(foreign(catalogue(PROVEN, SLIP, COMPUTED).document())),
}
