"""Plants each mutant of the bank in a copy of the checkout, runs the tests that reach its file, and counts who survives.

    PYTHONPATH=benchmarks python -m mutants [WORD...]
    PYTHONPATH=benchmarks python -m mutants --draw 450

What --output has already is not done again. --draw writes another bank.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter
from typing import Any

from edits import Edit, read_edits, write_edits

from mutants.draw import draw, room
from mutants.reach import nearest_tests

ROOT = Path(__file__).parents[2]
BANK = Path(__file__).with_name("bank.jsonl")
VERDICTS = ("killed", "survived", "out of time", "no test", "gone")
NEAREST = 12
"""So many files of tests are run for one mutant."""

OPTIONS = ["-x", "-q", "--no-header", "-p", "no:cacheprovider"]
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


def copy_of(root: Path, folder: Path) -> Path:
    """The files that git knows, and their compiled code, which Python compares with the source's digest: it hides no mutant."""
    for file in subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.splitlines():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / file, path)
    subprocess.run([sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", str(folder)], check=False)
    return folder


def run_tests(copy: Path, tests: list[str], limit: float) -> tuple[str, str]:
    """“killed” and the first test that fails, “survived”, or “out of time”."""
    with tempfile.TemporaryDirectory() as cache:
        there = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": cache}
        command = [sys.executable, "-m", "pytest", *OPTIONS, "-m", "not nightly", *tests]
        try:
            ran = subprocess.run(command, cwd=copy, env=there, capture_output=True, text=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return "out of time", ""
    if ran.returncode in (0, 5):
        return "survived", ""
    return "killed", (FAILED.findall(ran.stdout) or [f"pytest ended with {ran.returncode}"])[0]


def judged(mutant: Edit, copy: Path, tests: list[str], limit: float) -> dict[str, Any]:
    """The mutant's verdict, the test that noticed it, and the seconds that this took."""
    start, path = perf_counter(), copy / mutant.file
    try:
        right = path.read_text("utf-8")
        mutant.plant(copy)
        verdict, test = run_tests(copy, tests, limit) if tests else ("no test", "")
        path.write_text(right, "utf-8")
    except (ValueError, FileNotFoundError):
        verdict, test = "gone", ""
    found = {"verdict": verdict, "test": test, "seconds": round(perf_counter() - start, 1)}
    return {"key": key(mutant), "file": mutant.file, "mutant": mutant.sentence, **found}


def key(mutant: Edit) -> str:
    return sha256(repr(mutant).encode()).hexdigest()[:16]


def table(results: list[dict[str, Any]]) -> str:
    """By room: how many mutants of each verdict, and seconds."""
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    for one in results:
        for name in (room(one["file"]), "**all**"):
            rooms[name] += Counter({one["verdict"]: 1, "mutants": 1})
            rooms[name]["seconds"] += one["seconds"]
    lines = [f"| room | mutants | {' | '.join(VERDICTS)} | seconds |", "|---" + "|--:" * (len(VERDICTS) + 2) + "|"]
    for name, count in sorted(rooms.items()):
        cells = (count["mutants"], *(count[verdict] or "" for verdict in VERDICTS), f"{count['seconds']:.0f}")
        lines.append(f"| {name} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only mutants whose file contains one of these")
    parser.add_argument("--draw", type=int, metavar="N", help="write a bank of about N mutants, and run none")
    parser.add_argument("--seed", type=int, default=0, help="of the bank that is drawn")
    parser.add_argument("--most", type=int, default=10**6, help="run so many; the first ones are a fair sample")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--limit", type=float, default=300, help="seconds for one mutant")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "mutants.jsonl")
    given = parser.parse_args()
    if given.draw:
        write_edits(BANK, sorted(draw(ROOT, given.draw, given.seed), key=key))
        return
    given.output.parent.mkdir(parents=True, exist_ok=True)
    lines = given.output.read_text("utf-8").splitlines() if given.output.exists() else []
    done = {one["key"]: one for one in map(json.loads, lines)}
    chosen = [one for one in read_edits(BANK) if not given.words or any(word in one.file for word in given.words)][: given.most]
    reached, copies = nearest_tests(ROOT), SimpleQueue[Path]()
    with tempfile.TemporaryDirectory(prefix="dalembert-mutants-") as folder, ThreadPoolExecutor(given.jobs) as pool:
        for job in range(given.jobs):
            copies.put(copy_of(ROOT, Path(folder, str(job))))

        def run(mutant: Edit) -> dict[str, Any]:
            copy = copies.get()
            try:
                return judged(mutant, copy, reached.get(mutant.file, [])[:NEAREST], given.limit)
            finally:
                copies.put(copy)

        killers = set[str]()
        for one in pool.map(run, [mutant for mutant in chosen if key(mutant) not in done]):
            done[one["key"]] = one
            if one["verdict"] == "killed":
                # Where pytest named no test, any of them may have ended it.
                killers |= {one["test"]} if one["test"].startswith("tests/") else set(reached[one["file"]][:NEAREST])
            with given.output.open("a", encoding="utf-8") as file:
                file.write(json.dumps(one, ensure_ascii=False) + "\n")
            print(f"{one['verdict']:12} {one['seconds']:6.1f} s  {one['file']}, {one['mutant']}  {one['test']}", flush=True)
        wrong = run_tests(copies.get(), sorted(killers), 10 * given.limit) if killers else ("survived", "")
    print(table([done[key(mutant)] for mutant in chosen]))
    if wrong[0] != "survived":
        sys.exit(f"the tests that killed mutants also fail without one, so nothing was measured: {wrong[1] or wrong[0]}")


if __name__ == "__main__":
    main()
