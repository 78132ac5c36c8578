"""docs/shared.md, and the table of all results, docs/shared.csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from edits import Edit

from shared.seen import SENSES, Seen

BEGINNING = """# What both sides share, and what guards it

This page is for readers who ask which errors the agreement of two derivations cannot show. After it you know what both read,
and what notices a fault there. `PYTHONPATH=benchmarks python -m shared` measures and writes this page.

The two derivations share no mechanics, but both read the description of a mechanism in `mechanisms/`: numbers, rotations,
placements, axes, inertias of welded bodies. Adapters to engines read it, too. An error there can be the same on both sides of
a comparison, which then agrees.

## What guards it

- **Pinocchio's model** is made from the given numbers. Pinocchio welds bodies and turns inertias with its own functions, and
  `implementations/engines/pinocchio/places.py` makes rotations and axes from quaternions by other formulas.
  `Mechanism.unwelded` has the bodies as they were given. So Pinocchio disagrees if our rotations, `Joint.triad`,
  `Joint.screws` or our welding are wrong.
- **Engines that read files**, such as `pinocchio-urdf`, take from our reader of URDF only the names of joints, their kinds,
  and gravity.
- **Test vectors** in `docs/vectors` change if a mechanism changes.
- **Unit tests** of `mechanisms/` compare with numbers worked out by hand. They alone guard what the author of a mechanism
  wrote: numbers, kinds of joints, names of parents.

## What notices which fault

Every fault is one edit of one file, planted alone. An error while a mechanism is made counts as noticed.
[shared.csv](shared.csv) has every fault and what notices it; where only its last field is filled, a unit test alone does.

"""

Rows = Sequence[tuple[Edit, Seen]]


def page(rows: Rows) -> str:
    """What notices the faults. Faults about which not all were asked are left out."""
    whole = [seen for _, seen in rows if all(seen.get(sense) is not None for sense in SENSES)]
    alone = sum(bool(seen["tests"]) and not any(seen[sense] for sense in SENSES if sense != "tests") for seen in whole)
    unseen = sum(not any(seen.values()) for seen in whole)
    return "\n".join(
        [
            BEGINNING + "| column | what is asked | faults noticed |",
            "|---|---|--:|",
            *(f"| {sense.name} | {sense.asked} | {sum(bool(seen[key]) for seen in whole)} |" for key, sense in SENSES.items()),
            "",
            f"{len(whole)} faults were planted, of {len(rows)} in the bank. {unseen} are noticed by nothing, "
            f"{alone} by unit tests alone.",
            "",
        ]
    )


def table(rows: Rows) -> str:
    """All results as CSV: an empty field where nothing was noticed, and “?” where it was not asked yet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["file", "fault", *(sense.name.strip("`") for sense in SENSES.values())])
    for fault, seen in rows:
        writer.writerow([Path(fault.file).stem, fault.sentence, *(_field(sense, seen.get(sense)) for sense in SENSES)])
    return text.getvalue()


def _field(sense: str, seen: list[str] | None) -> str:
    if seen is None:
        return "?"
    if any("Error:" in what for what in seen):
        return "an error"
    if sense == "tests":
        return ", ".join(what.split("[")[0] for what in seen)
    return ", ".join(seen)
