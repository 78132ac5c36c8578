"""Results documents made by hand: every verdict, hostile text, and nothing at all."""

from __future__ import annotations

from typing import Any

from cross_check.results import INFINITE, Cell, ImplementationSummary, Invariant, MechanismSummary, Results, Skipped, Ulps, Worst
from mechanisms.quantities import QUANTITIES

DYNAMICS = [name for name, quantity in QUANTITIES.items() if quantity.group == "dynamics"]

KINDS = ("zero", "random", "at rest", "quarter turns", "tiny", "large", "fast")

EQUATIONS: dict[str, Any] = {
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

HOSTILE = (
    "<script>alert(1)</script> \"quoted\" 'single' `tick` | [x](http://evil)"
    " @team #1 \x1b[31m\x00\ud800\u202e أبجد &amp; </style>\n# x"
)


def results(mechanisms: int = 1, implementations: int = 1, states: int = 14, nv: int = 2) -> Results:
    """A run in which everything agrees."""
    run = Results({"version": "0.1.0", "seed": 3, "states": states, "bar": 16.0}, machine={"python": "3.11"})
    run.times = {"total": 8.0, "implementations": {f"engine{i}": 1.0 for i in range(implementations)}}
    run.implementations = [ImplementationSummary(f"engine{i}", f"engine{i}", f"{i}.0") for i in range(implementations)]
    for m in range(mechanisms):
        name, joints = f"arm{m}", [f"joint{k}" for k in range(nv)]
        kinds = [KINDS[k % len(KINDS)] for k in range(states)]
        run.mechanisms.append(
            MechanismSummary(name, name, nv, nv, nv, "0" * 16, joints, "symbolic", {"gravity": 0.02}, kinds, positions=joints)
        )
        for i in range(implementations):
            run.cells += [agreeing(name, f"engine{i}", quantity, states, joints) for quantity in DYNAMICS]
            run.invariants.append(Invariant(f"{name}/engine{i}/M = Mᵀ", name, f"engine{i}", "M = Mᵀ", "agrees", error=0.0))
    return run


def agreeing(mechanism: str, implementation: str, quantity: str, states: int, joints: list[str]) -> Cell:
    errors = [round(0.001 + (k * 0.377) % 3, 3) for k in range(states)]
    inputs = {name: [0.1234567890123456 * k for k in range(len(joints))] for name in QUANTITIES[quantity].arguments}
    worst = Worst(1, "random", joints[0], inputs, 1.0, 1.0000000000000002, 2.0)
    ident = f"{mechanism}/{implementation}/{quantity}"
    return Cell(ident, mechanism, implementation, quantity, "agrees", "", max(errors), errors, [0.5] * len(joints), worst)


def certified(implementations: int = 2, ties: int = 0) -> Results:
    """A run in which everything agrees with a certified truth."""
    run = results(2, implementations)
    run.settings["certified"] = True
    certificates = [{"bits": 192, "ties": 0}, {"bits": 1536, "ties": ties}]
    run.mechanisms = [
        MechanismSummary(**{**vars(about), "truth": "certified", "certified": certificate})
        for about, certificate in zip(run.mechanisms, certificates, strict=True)
    ]
    ulps = {"arm0": Ulps(0.4321, 1.0, 12.0, 999.0), "arm1": Ulps(0.9, 0.0, 3.0, INFINITE)}
    run.cells = [
        cell if cell.quantity == "forward_dynamics" else Cell(**{**vars(cell), "ulps": ulps[cell.mechanism]})
        for cell in run.cells
    ]
    return run


def mixed() -> Results:
    """Every verdict once, and equations of motion."""
    run = results(implementations=2)
    summary = run.mechanisms[0]
    run.mechanisms[0] = MechanismSummary(**{**vars(summary), "spec": "my arm.urdf", "equations": EQUATIONS})
    ok = run.cells[0]
    errors = [1e12 if kind not in ("zero", "at rest") else 0.5 for kind in summary.kinds]
    worst = Worst(3, "quarter turns", "joint1", {"q": [0.1, -2.5], "v": [0.0, 1.0], "a": [1.0, 2.0]}, 1.5, -0.25, 3.0)
    wrong = {
        **vars(ok),
        "verdict": "discrepancy",
        "error": INFINITE,
        "errors": errors,
        "coordinates": [0.5, INFINITE],
        "worst": worst,
    }
    run.cells[0] = Cell(**wrong)
    bare = {"error": None, "errors": [], "coordinates": [], "worst": None}
    changes: list[dict[str, Any]] = [
        {"verdict": "failed", "message": "mass_matrix raised ValueError: singular", **bare},
        {"verdict": "not offered", "message": "engine0 has no forward_dynamics", **bare},
        {"verdict": "unsupported", "message": "no damping", **bare},
        {"verdict": "known", "message": "known fault of engine0 0.0: docs/findings/x.md", "error": 40.0},
    ]
    for k, change in enumerate(changes, 1):
        run.cells[k] = Cell(**{**vars(run.cells[k]), **change})
    run.invariants[0] = Invariant(**{**vars(run.invariants[0]), "verdict": "discrepancy", "error": 123.0})
    run.skipped.append(Skipped("drake", "not installed; pip install drake"))
    return run


def hostile() -> Results:
    """Hostile text wherever a document has text."""
    h = HOSTILE
    run = Results({"version": h, "seed": 0, "states": 2, "bar": 16.0}, machine={h: h}, interrupted=True)
    run.times = {"total": 2.0, "implementations": {h: 1.0}}
    run.implementations = [ImplementationSummary(h, h, h)]
    equations = {**EQUATIONS, "v": [h, h], "V": [[h, {h: 2, f"cos {h}": 1}]]}
    run.mechanisms = [MechanismSummary(h, h, 2, 2, 2, "0" * 16, [h, h], "symbolic", {h: 1.0}, [h, h], {h: h}, equations)]
    worst = Worst(0, h, h, {h: [1.0], "q": [1.0, 2.0]}, 1.0, 2.0, 3.0)
    for verdict in ("discrepancy", "failed", "known", "not offered", "unsupported", "agrees"):
        quantity = "gravity" if verdict == "agrees" else h + verdict
        run.cells.append(Cell(f"{h}/{h}/{quantity}", h, h, quantity, verdict, h, 1e5, [1e5, 1.0], [1e5, 1.0], worst))  # type: ignore[arg-type]
        run.invariants.append(Invariant(f"{h}/{h}/{quantity}", h, h, quantity, verdict, h, 1e5))  # type: ignore[arg-type]
    run.skipped = [Skipped(h, h)]
    return run


def empty() -> Results:
    return Results({"version": "0.1.0", "seed": 0, "states": 98, "bar": 16.0}, times={"total": 0.0, "implementations": {}})
