"""Writes the tables of docs/benchmarks.md, each between two lines of the page:

    <!-- NAME: written by benchmarks/test_WHAT.py -->
    <!-- end -->

Below a table stands when it was measured. The part ``runs`` of the page says with which versions and on which processor each
run was, and which tables the last one did not measure.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from math import log
from pathlib import Path
from statistics import linear_regression

RUNS = "runs"
"""The name of the part that describes the runs."""

PART = re.compile(r"^(<!-- (?P<name>[\w-]+): written by (?P<file>[\w./]+) -->)\n(?P<content>.*?)^(<!-- end -->)$", re.M | re.S)
MEASURED = re.compile(r"^Measured on (?P<time>\d{4}-\d\d-\d\d \d\d:\d\d) UTC\.$", re.M)
RUN = re.compile(r"^- \*\*(?P<time>[\d :-]+) UTC\*\*: (?P<with>.*?)\.(?: Only .*)?$", re.M)


class PageError(Exception):
    """A table that the page has no place for; one sentence."""


@dataclass(frozen=True)
class Table:
    """One table of the page. ``name`` is that of its place; every row has as many cells as the header."""

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if any(len(row) != len(self.header) for row in self.rows):
            raise ValueError(f"the rows of the table {self.name} do not all have {len(self.header)} cells")

    def in_markdown(self) -> str:
        """Its lines, without the time."""
        lines = (self.header, *self.rows)
        header, *rows = ("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)
        return "\n".join([header, "|" + "---|" * len(self.header), *rows])

    def as_text(self) -> list[str]:
        """Its lines for a terminal, in columns."""
        lines = [self.header, *self.rows]
        widths = [max(len(line[k]) for line in lines) for k in range(len(self.header))]
        return [f"{self.name}:"] + [
            "    " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
        ]


def growth(
    sizes: Sequence[int], best: Mapping[tuple[str, int], float], shown: Callable[[str, float], str]
) -> list[tuple[str, ...]]:
    """A row for every name in ``best``: its seconds at each size, and the slope of log time against log size."""
    rows = []
    for name in dict.fromkeys(name for name, _ in best):
        seconds = [best[name, n] for n in sizes]
        slope = linear_regression([log(n) for n in sizes], [log(t) for t in seconds]).slope
        rows.append((name, *(shown(name, t) for t in seconds), f"{slope:.2f}"))
    return rows


def places(page: str) -> dict[str, str]:
    """The names of the tables that the page has places for, and the files that write them."""
    return {part["name"]: part["file"] for part in PART.finditer(page) if part["name"] != RUNS}


def with_tables(page: str, tables: Iterable[Table], time: str, measured_with: str) -> str:
    """The page with these tables, which were measured at ``time`` ("2026-11-23 02:30", UTC) with these versions.

    Other tables and the text stay as they are. Raises :class:`PageError` for a table that the page has no place for.
    """
    new = {table.name: f"{table.in_markdown()}\n\nMeasured on {time} UTC." for table in tables}
    there = {part["name"] for part in PART.finditer(page)}
    if missing := [name for name in (RUNS, *new) if name not in there]:
        lines = "; ".join(f"<!-- {name}: written by benchmarks/test_WHAT.py -->" for name in missing)
        raise PageError(f"the page has no place for {', '.join(missing)}; add the line {lines}, and below it <!-- end -->")
    page = _replaced(page, new)
    runs = {run["time"]: run["with"] for run in RUN.finditer(page)} | {time: measured_with}
    return _replaced(page, {RUNS: "\n".join(_lines_of_runs(runs, _times(page)))})


def _replaced(page: str, contents: Mapping[str, str]) -> str:
    def one(part: re.Match[str]) -> str:
        return f"{part[1]}\n\n{contents[part['name']]}\n\n{part[5]}" if part["name"] in contents else part[0]

    return PART.sub(one, page)


def _times(page: str) -> dict[str, str]:
    """When every table that was measured was measured."""
    found = ((part["name"], MEASURED.search(part["content"])) for part in PART.finditer(page))
    return {name: measured["time"] for name, measured in found if measured}


def _lines_of_runs(runs: Mapping[str, str], times: Mapping[str, str]) -> list[str]:
    """One line for every run that a table is from, the last run first."""
    lines: list[str] = []
    for time in sorted(set(times.values()), reverse=True):
        older = f" Only the tables {_words(sorted(name for name, at in times.items() if at == time))} are as old as that."
        lines.append(f"- **{time} UTC**: {runs.get(time, 'it is not known with which versions')}.{older * bool(lines)}")
    return lines


def _words(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


PACKAGES = {"numpy": "NumPy", "llvmlite": "llvmlite", "pin": "Pinocchio", "biorbd": "biorbd", "sympy": "SymPy"}


def measured_with() -> str:
    """Versions and the processor in one phrase."""
    # Not above, because it imports NumPy, before which the threads of BLAS are set.
    from mechanisms.plain_text import markdown

    versions = [f"CPython {platform.python_version()}"]
    for package, name in PACKAGES.items():
        try:
            versions.append(f"{name} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"no {name}")
    return f"{', '.join(versions)}; {markdown(processor(), 100)}, {os.cpu_count()} cores"


def processor() -> str:
    """The name of the processor, and the longest vectors that it has."""
    name, vectors = platform.processor() or platform.machine(), ""
    with suppress(OSError):
        facts = {
            key.strip(): value.strip()
            for key, colon, value in (line.partition(":") for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines())
            if colon
        }
        name = facts.get("model name", name)
        flags = facts.get("flags", "").split()
        vectors = next((words for flag, words in {"avx512f": " with AVX-512", "avx2": " with AVX2"}.items() if flag in flags), "")
    return name + vectors
