"""The settings that the command line and a project's file may give, each declared once.

The options of the commands follow from this table, and what ``[tool.dalembert]`` may have. Nothing heavy is imported here, so
that --help answers at once.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from cross_check.defaults import BAR, SEED, STATES
from dalembert.renderings import RENDERINGS, STYLES
from implementations.processes.limits import Limits


class Kind(NamedTuple):
    """What a file must give for a setting: in words, and as a test."""

    says: str
    fits: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    from mechanisms.limits import LARGEST

    return type(value) in (int, float) and abs(value) < LARGEST


def _are_words(value: Any) -> bool:
    return TEXT.fits(value) or (isinstance(value, list) and bool(value) and all(map(TEXT.fits, value)))


def _is_below(value: Any) -> bool:
    return TEXT.fits(value) and not (Path(value).is_absolute() or ".." in Path(value).parts)


SWITCH = Kind("true or false", lambda value: isinstance(value, bool))
WHOLE = Kind("a whole number", lambda value: type(value) is int)
NUMBER = Kind("a number", _is_number)
TEXT = Kind("a string", lambda value: isinstance(value, str) and bool(value))
WORDS = Kind("a string or a list of strings", _are_words)
WRITTEN = Kind("a path below the file's folder", _is_below)
"""Others wrote the file, perhaps. Its settings must not overwrite files elsewhere."""


class Setting(NamedTuple):
    """One setting. Its option is ``--NAME`` unless ``flags`` say otherwise; a setting without help is an argument."""

    name: str
    kind: Kind
    help: str = ""
    default: float | str | None = None
    least: int = 0
    most: int | None = None
    """The limits of a whole number."""
    metavar: str | None = None
    flags: tuple[str, ...] = ()

    @property
    def parameter(self) -> str:
        """The name by which a command gets it."""
        return self.flags[-1].partition("/")[0].lstrip("-").replace("-", "_") if self.flags else self.name


IMPLEMENTATION = (
    "Name, engines, readers (all of them), module[:name], file.py[:name], cmd:COMMAND, lib:FILE, recorded:FILE; repeatable."
)
CERTIFIED = "Compare with values that are correctly rounded, with proof (docs/certified.md): slower; errors in ulps, too."
PRECISION = "Judge code that declares no precision in this one: float32, q15.16, … (docs/precision.md).  [default: float64]"
STRICT = "Fail (exit 6) if the run cannot show gravity, rotational inertia or Coriolis terms at all."
AS_READ = "Also give the mechanism in equivalent files, to try the reader of code that reads files (docs/as-read.md)."
EXPLAIN = "Find out why what disagrees does.  [default: explain]"
REBUILD = "Also find the wrong line of C and C++, which COMMAND builds in a copy of this folder (docs/diagnosis.md)."
ANNOTATIONS = "Print what is wrong for GitHub's pages, at lines of code; auto does so in GitHub's own runs."

_DECLARED = (
    Setting("implementations", WORDS, IMPLEMENTATION, metavar="SPEC", flags=("-i", "--implementation")),
    Setting("mechanisms", WORDS, flags=("mechanism",)),
    Setting("quantities", WORDS, "Compare only this quantity, relation or group.", metavar="NAME", flags=("-q", "--quantity")),
    Setting("require", WORDS, "Fail (exit 3) if NAME is not installed; repeatable.", metavar="NAME"),
    Setting("seed", WHOLE, "Seed of the states.", SEED),
    Setting("states", WHOLE, "States per mechanism.", STATES, least=1, most=10**9),
    Setting("jobs", WHOLE, "Processes that compute.  [default: one per core]", least=1, most=1024, flags=("-j", "--jobs")),
    Setting("bar", NUMBER, "Largest error that agrees, in ε-units.", BAR),
    Setting(
        "timeout", NUMBER, "The longest time that one call of an implementation may take.", Limits.timeout, metavar="SECONDS"
    ),
    Setting("memory", NUMBER, "The memory that the process of an implementation may have.", Limits.memory, metavar="GIB"),
    Setting("precision", TEXT, PRECISION),
    Setting("certified", SWITCH, CERTIFIED),
    Setting("as_read", SWITCH, AS_READ, flags=("--as-read/--no-as-read",)),
    Setting("strict", SWITCH, STRICT, flags=("--strict/--no-strict",)),
    Setting("explain", SWITCH, EXPLAIN, flags=("--explain/--no-explain",)),
    Setting("baseline", WRITTEN, "The file that you commit.", "dalembert-baseline.json"),
    Setting("python", TEXT, "Run implementations with this Python, which has their packages.", metavar="FILE"),
    Setting("rebuild", TEXT, REBUILD, metavar="COMMAND"),
    Setting("annotations", TEXT, ANNOTATIONS, STYLES[0]),
    Setting("output", WRITTEN, "Write the results (JSON) here.", flags=("-o", "--output")),
    *(Setting(kind.option, WRITTEN, kind.help) for kind in RENDERINGS),
)

SETTINGS = {one.name: one for one in _DECLARED}
"""In the order in which an error lists them."""
