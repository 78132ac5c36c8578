"""Fourteen faults that dynamics code has in real life, each one edit of the reference's own text: planted_faults.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import implementations
from mechanisms.quantities import QUANTITIES

HOME = Path(implementations.__file__).parent

MODULES = {
    **{path.stem: f"spatial_algebra.{path.stem}" for path in HOME.glob("spatial_algebra/[a-z]*.py")},
    "field": "field",
    "linear": "linear",
}
"""The modules of the reference, as their names in a copy and within implementations. All else stays the project's own."""

ALL = frozenset(name for name, quantity in QUANTITIES.items() if quantity.group == "dynamics")

TWO_ROOTS = "random:18:4"
"""Its second body hangs alone from the root, by a joint that feels gravity."""

WEIGHED = "weighed.urdf"
"""A file that the tests write, in which one body weighs 1.234 kg."""


@dataclass(frozen=True)
class Fault:
    """One exact edit of one file; on ``mechanism``, ``cells`` and ``invariants`` turn red, and nothing else of the dynamics."""

    name: str
    file: str
    right: str
    wrong: str
    mechanism: str
    cells: list[str]
    invariants: list[str]


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
FAULTS = tuple(Fault(name, **fault) for name, fault in _TABLES.items())


def plant(folder: Path, prefix: str, fault: Fault | None) -> str:
    """Write the reference into ``folder``, modules of its own that begin with ``prefix``; returns what to type for it."""
    for name, module in MODULES.items():
        text = HOME.joinpath(*module.split(".")).with_suffix(".py").read_text("utf-8")
        if fault and fault.file == name:
            assert text.count(fault.right) == 1, f"{name}.py no longer has {fault.right!r} once; plant {fault.name!r} elsewhere"
            text = text.replace(fault.right, fault.wrong)
        for other, origin in MODULES.items():
            text = text.replace(f"from implementations.{origin} import", f"from {prefix}{other} import")
        (folder / f"{prefix}{name}.py").write_text(text, "utf-8")
    return str(folder / f"{prefix}reference.py:REFERENCE")
