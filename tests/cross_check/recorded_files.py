"""Recorded files for tests: a table of text or numbers under names, written as CSV, JSON or NPZ."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from cross_check.exchange.recorded_data.number_text import NOT_ASKED
from cross_check.judge.comparison.sampling import sample
from implementations.spatial_algebra.reference import Reference
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

About = Mapping[str, Any] | None

Rows = dict[str, list[Any]]
"""By the name of a column: a number for every state."""


def names(mechanism: Mechanism, array: str) -> list[str]:
    """The names of the columns, as docs/recorded.md describes them; written again here, for the columns that tests use."""
    v, bodies = mechanism.coordinates, [body.name for body in mechanism.bodies]
    axes: dict[str, Sequence[Sequence[str]]] = {
        "q": [mechanism.positions],
        **{name: [v] for name in ("v", "a", "tau", "inverse_dynamics", "gravity", "nonlinear_effects", "forward_dynamics")},
        **{name: [v, v] for name in ("mass_matrix", "forward_dynamics_dq", "forward_dynamics_dtau", "coriolis_matrix")},
        "kinetic_energy": [],
        "f": [bodies, ["nx", "ny", "nz", "fx", "fy", "fz"]],
        "inverse_dynamics_with_forces": [v],
    }
    return [".".join((array, *entry)) for entry in product(*axes[array])]


def rows_of(
    mechanism: Mechanism, quantities: Sequence[str] = ("inverse_dynamics",), count: int = 18, code: Any = None, seed: int = 0
) -> Rows:
    """States, and the answers of ``code`` (our reference by default), as columns; ``state`` has the numbers."""
    states = sample(mechanism, seed, count)
    reference = Reference().load(mechanism)
    states = states.with_forces(np.asarray(reference.inverse_dynamics(states.q, states.v, states.a), dtype=float))
    dynamics = code.load(mechanism) if code else reference
    arguments = dict.fromkeys(name for quantity in quantities for name in QUANTITIES[quantity].arguments)
    arrays = {name: states.columns[name] for name in arguments}
    arrays |= {name: getattr(dynamics, name)(*states.arguments(QUANTITIES[name].arguments)) for name in quantities}
    rows: Rows = {"state": list(range(count))}
    for name, array in arrays.items():
        flat = np.asarray(array, dtype=float).reshape(count, -1)
        rows |= dict(zip(names(mechanism, name), flat.T.tolist(), strict=True))
    return rows


def write(path: Path, rows: Mapping[str, Sequence[Any]], about: About = None, text: Callable[[Any], str] = repr) -> Path:
    """Write the rows in the format of the path's ending; None stands for no number."""
    about, columns = dict(about or {}), list(rows)
    table = list(zip(*rows.values(), strict=True))
    if path.suffix == ".csv":
        lines = [f"# {key}: {value}" for key, value in about.items()] + [",".join(columns)]
        lines += [",".join("" if x is None else x if isinstance(x, str) else text(x) for x in row) for row in table]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif path.suffix == ".json":
        document = {"schema": "dalembert-recorded-1", **about, "columns": columns, "rows": [list(row) for row in table]}
        path.write_text(json.dumps(document), encoding="utf-8")
    else:
        arrays = {name: np.array([NOT_ASKED if x is None else x for x in column], dtype=float) for name, column in rows.items()}
        np.savez(path, **{key: np.array(value) for key, value in about.items()}, **arrays)  # type: ignore[arg-type]
    return path
