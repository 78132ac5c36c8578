"""``python -m score``: score the checker, and write docs/score.md if every entry was run.

In another precision than float64, its place in docs/precision.md is written, if it has one.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
PAGE, NUMBERS = ROOT / "docs" / "score.md", ROOT / "reports" / "score.json"
OTHER_PRECISIONS = ROOT / "docs" / "precision.md"
"""Has a place for the tables of some."""


def main() -> None:
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
    from mechanisms.numbers.precision import FLOAT64, PRECISIONS
    from score.page import numbers, page, tables, totals
    from score.run import BANK, score

    parser = argparse.ArgumentParser(prog="score", description="Score the checker on the bank of faulty and correct code.")
    parser.add_argument("words", nargs="*", help="run the entries whose name or class contains one of these; default: all")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="how many entries at once")
    parser.add_argument("--kept", action="store_true", help="judge the results of earlier checks where build/score has them")
    parser.add_argument("--list", action="store_true", help="print the entries, and run none")
    names = [name for name, one in PRECISIONS.items() if one.dtype.name == name]
    parser.add_argument("--precision", choices=names, default=FLOAT64.name, help="in which codes compute")
    given = parser.parse_args()
    chosen = [e for e in BANK.values() if not given.words or any(w in f"{e.title} {e.group}" for w in given.words)]
    if not chosen:
        sys.exit("no entry has such a name or class; `--list` prints them")
    if given.list:
        for entry in chosen:
            print(f"{entry.group:12} {entry.tried_on:18} {entry.title}: {entry.sentence}")
        return
    start, verdicts = perf_counter(), []
    for verdict in score([entry.title for entry in chosen], max(1, given.jobs), given.kept, given.precision):
        verdicts.append(verdict)
        right = verdict.correct or verdict.named or not verdict.shows
        mark = "+" if right and not verdict.accusations else "-"
        said = "; ".join(verdict.said) or verdict.reason
        print(f"{len(verdicts):4} {mark} {verdict.name}: {said}"[:300], flush=True)
    print(f"{totals(verdicts)} {perf_counter() - start:.0f} s")
    if len(chosen) < len(BANK):
        return
    if given.precision == FLOAT64.name:
        PAGE.write_text(page(verdicts), "utf-8")
        NUMBERS.write_text(json.dumps(numbers(verdicts)) + "\n", "utf-8")
        print(f"wrote {PAGE.name} and {NUMBERS.name}")
        return
    name = f"score-{given.precision}"
    if f"<!-- {name}:" in OTHER_PRECISIONS.read_text("utf-8"):
        sys.path.append(str(ROOT / "docs"))
        with_parts = import_module("written").with_parts
        OTHER_PRECISIONS.write_text(with_parts(OTHER_PRECISIONS, **{name: tables(verdicts, "###")}), "utf-8")
        print(f"wrote {OTHER_PRECISIONS.name}")


if __name__ == "__main__":
    main()
