"""Certifies the trajectories with a name, and writes the table of docs/trajectories.md and the files in docs/trajectories.

    python docs/write_trajectories.py [NAME …]

Without names, all are certified, which takes an hour. Seconds are those of one core.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from time import process_time

from cross_check.trajectories.bank import BANK
from cross_check.trajectories.document import certify, write
from mechanisms.numbers.exact import exact
from mechanisms.states import neutral

FOLDER = Path(__file__).parent / "trajectories"
PAGE = FOLDER.with_suffix(".md")
BEGIN, END = "<!-- written by docs/write_trajectories.py -->\n", "<!-- end -->"
HEADER = (
    "| trajectory | time (s) | decimals | from | operations | bits | steps | seconds for both |\n"
    "|---|--:|--:|---|--:|--:|--:|--:|\n"
)
DIGITS, SAMPLES = 15, 10


def rows_of(name: str) -> list[list[str]]:
    """The lines of one trajectory, which is written to its file."""
    subject = BANK[name]
    made = subject.make()
    starts = (subject.q, map(str, neutral(made).tolist())), (subject.v, ["0"] * made.nv)
    q, v = ([*given.split(), *list(usual)[len(given.split()) :]] for given, usual in starts)
    times = [str(float(exact(subject.time) * Fraction(k + 1, SAMPLES))) for k in range(SAMPLES)]
    before = process_time()
    found, differences = certify(name, subject, q, v, times, DIGITS, lambda doing, done, total: None)
    if differences:
        raise SystemExit(f"{name}: {differences[0]}")
    seconds = f"{process_time() - before:.0f}"
    write(found, FOLDER / f"{name}.json")
    about = [name, subject.time, str(DIGITS)]
    return [[*about, one.derivation, *map(str, (one.operations, one.bits, one.steps)), seconds] for one in found.proofs]


def main(names: list[str]) -> None:
    for name in names or BANK:
        made = rows_of(name)
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        table, _, after = rest.partition(END)
        kept = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
        rows = sorted([row for row in kept if row[0] != name] + made, key=lambda row: list(BANK).index(row[0]))
        lines = "".join(f"| {' | '.join(row)} |\n" for row in rows)
        PAGE.write_text(f"{before}{BEGIN}{HEADER}{lines}{END}{after}", encoding="utf-8")
        print(*made, sep="\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
