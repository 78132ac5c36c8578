"""Plants every fault in a copy of mechanisms/, asks everything that could notice it, and writes docs/shared.md
and docs/shared.csv.

    PYTHONPATH=benchmarks python -m shared [WORD...]
    PYTHONPATH=benchmarks python -m shared --kept

It runs in the checkout, needs ``pip install "dalembert[engines]" pytest hypothesis``, and takes about ten minutes
with two processes that have a core each. What it has finished is kept in build/shared; remove that folder to begin
again. With words, only faults whose module or sentence contains one of them are planted, and no page is written. With
--kept the page is written from what is kept.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from edits import Edit, read_edits

from shared.seen import SENSES, Seen, what

HOME = Path(__file__).parents[2]
KEPT = HOME / "build" / "shared"
PAGE = HOME / "docs" / "shared.md"
TABLE = PAGE.with_suffix(".csv")
FAULTS = read_edits(Path(__file__).with_name("faults.jsonl"))
WORKERS = 2

SECONDS = 300
"""A fault with which something takes longer than this is seen."""

OTHERS = ("numpy", "scipy.linalg", "pinocchio", "biorbd", "flint", "click", "jinja2", "pytest", "hypothesis.strategies")
"""Modules of others, loaded once: every fault then has a fork of this process, with its own mechanisms/."""


def seen(fault: Edit | None) -> Seen:
    """What notices the fault, kept for the next time. It runs in a process of its own."""
    kept = _kept(fault)
    missing = [sense for sense, path in kept.items() if not path.exists()]
    if missing:
        with tempfile.TemporaryDirectory(prefix="dalembert-shared-") as folder:
            _enter(Path(folder), fault)
            for sense in missing:
                signal.alarm(SECONDS)
                answer = what(sense)
                signal.alarm(0)
                kept[sense].parent.mkdir(parents=True, exist_ok=True)
                kept[sense].write_text(json.dumps(answer), "utf-8")
            os.chdir(HOME)
    answers: Seen = {sense: json.loads(path.read_text("utf-8")) for sense, path in kept.items()}
    print(f"{fault.sentence if fault else 'nothing'}: {answers}", file=sys.stderr, flush=True)
    return answers


def _kept(fault: Edit | None) -> dict[str, Path]:
    """The file of every sense."""
    key = sha256(repr(fault).encode()).hexdigest()[:16]
    return {sense: KEPT / sense / f"{key}.json" for sense in SENSES}


def _enter(folder: Path, fault: Edit | None) -> None:
    """Make ``folder`` a checkout with this fault, from which this process and its children import."""
    for path in HOME.iterdir():
        if path.name not in (".git", "build", "mechanisms", "benchmarks"):
            (folder / path.name).symlink_to(path)
    shutil.copytree(HOME / "mechanisms", folder / "mechanisms", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(HOME / "benchmarks", folder / "benchmarks", ignore=shutil.ignore_patterns("__pycache__"))
    if fault:
        fault.plant(folder)
    if "mechanisms" in sys.modules:
        raise RuntimeError("mechanisms/ was imported before the fault was planted, so nothing would be measured")
    os.chdir(folder)
    sys.path[:0] = [str(folder)]
    os.environ.update(PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1")
    sys.dont_write_bytecode = True


def _write(rows: list[tuple[Edit, Seen]]) -> None:
    # Imported last, because a fork that has mechanisms/ already would have it without the fault.
    sys.path[:0] = [str(HOME)]
    from shared.page import page, table

    PAGE.write_text(page(rows), "utf-8")
    TABLE.write_text(table(rows), "utf-8")


def main(words: list[str]) -> None:
    if words == ["--kept"]:
        kept = [
            {sense: json.loads(path.read_text("utf-8")) if path.exists() else None for sense, path in _kept(fault).items()}
            for fault in FAULTS
        ]
        _write(list(zip(FAULTS, kept, strict=True)))
        return
    chosen = [fault for fault in FAULTS if not words or any(word in f"{fault.file} {fault.sentence}" for word in words)]
    for module in OTHERS:
        with suppress(ImportError):
            importlib.import_module(module)
    with multiprocessing.get_context("fork").Pool(WORKERS, maxtasksperchild=1) as pool:
        nothing, *rows = pool.imap(seen, [None, *chosen], chunksize=1)
    if any(nothing.values()):
        raise SystemExit(f"something is seen where nothing is planted, so nothing was measured: {nothing}")
    if not words:
        _write(list(zip(chosen, rows, strict=True)))


if __name__ == "__main__":
    main(sys.argv[1:])
