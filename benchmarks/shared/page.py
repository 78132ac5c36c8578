"""docs/shared.md."""

from __future__ import annotations

from collections.abc import Sequence

from mechanisms.plain_text import markdown
from shared.fault import SENSES, Fault, Seen

BEGINNING = """# What both sides share, and what guards it

`PYTHONPATH=benchmarks python -m shared` measures and writes this page.

The two derivations share no mechanics, but both read the description of a mechanism in `mechanisms/`: numbers,
rotations, placements, axes, the inertias of welded bodies. Adapters to engines read it, too. What is wrong there can
be wrong on both sides of every comparison, and then nothing disagrees.

## Why it is shared

A derivation must know which mechanism it is about. Two descriptions of every mechanism would have to be kept equal,
and nothing could tell which of two different ones was meant.

## What guards it

- **Pinocchio's model** is made from the numbers that the mechanism was given. Pinocchio welds bodies and turns
  inertias with its own functions. `implementations/engines/pinocchio/places.py` makes rotations and the directions of
  axes from quaternions and axes, by other formulas than ours. `Mechanism.unwelded` has the bodies as they were given. So
  Pinocchio disagrees if our rotations, `Joint.triad`, `Joint.screws` or our welding are wrong.
- **Engines that read files**, such as `pinocchio-urdf`, take nothing from our reader of URDF but the names of joints,
  their kinds, and gravity.
- **Test vectors** in `docs/vectors` were computed earlier. They change if a mechanism changes.
- **Unit tests** of `mechanisms/` compare with numbers that were worked out by hand.

What the author of a mechanism wrote cannot be separated: numbers, kinds of joints, names of parents. Unit tests alone
guard it. The table shows what else they guard alone.

## What notices which fault

Every fault is one edit of one file, planted alone. An error while a mechanism is made counts as noticed.
"""

LEGEND = {
    "proof": "- `prove` is a proof of inverse dynamics on `every-joint`.",
    "check": "- `check` compares inverse dynamics of the reference, Pinocchio and RBDL with the truth, on six mechanisms "
    "without a file and three with one; the table has the names of those that disagree.",
    "reader": "- `own reader` is `pinocchio-urdf`, on a robot and on `benchmarks/shared/traits.urdf`.",
    "vectors": "- `vectors` are those of two mechanisms.",
    "tests": "- `unit test` is the first that fails of the quick tests of `mechanisms/`.",
}
"""What asks, by sense."""


def page(rows: Sequence[tuple[Fault, Seen]]) -> str:
    """The page; columns that no row has are left out, and rows about which nothing was asked."""
    bank, rows = len(rows), [(fault, seen) for fault, seen in rows if any(what is not None for what in seen.values())]
    names = dict(zip(SENSES, ("`prove`", "`check`", "own reader", "vectors", "unit test"), strict=True))
    asked = [sense for sense in SENSES if any(seen.get(sense) is not None for _, seen in rows)]
    whole = [seen for _, seen in rows if all(seen.get(sense) is not None for sense in SENSES)]
    nothing = sum(not any(seen.values()) for seen in whole)
    tests_alone = sum(bool(seen["tests"]) and not any(seen[sense] for sense in SENSES[:-1]) for seen in whole)
    said = [f"{len(rows)} faults were planted, of {bank} in the bank."]
    if whole:
        said.append(
            f"Of the {len(whole)} about which all were asked, {nothing} are noticed by nothing, {tests_alone} by tests alone."
        )
    return "\n".join(
        [
            BEGINNING,
            *(LEGEND[sense] for sense in asked),
            "",
            *said,
            "An empty field means that nothing was noticed, and a “?” that it was not asked yet.",
            "",
            f"| file | fault | {' | '.join(names[sense] for sense in asked)} |",
            f"|---|---|{'---|' * len(asked)}",
            *(_row(fault, [_field(sense, seen.get(sense)) for sense in asked]) for fault, seen in rows),
            "",
        ]
    )


def _row(fault: Fault, fields: Sequence[str]) -> str:
    return f"| {fault.module} | {markdown(fault.sentence)} | {' | '.join(fields)} |"


def _field(sense: str, seen: list[str] | None) -> str:
    if seen is None:
        return "?"
    if any("Error:" in what for what in seen):
        return "an error"
    if sense == "tests":
        return ", ".join(f"`{what.split('[')[0]}`" for what in seen)
    return ", ".join(map(markdown, seen))
