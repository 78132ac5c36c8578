"""Writes docs/urdf-traits.json and docs/urdf-traits.md: what the reader of every engine makes of the torture set.

Run ``python docs/write_urdf_traits.py``. Every engine that is installed is asked, in a worker process, because readers end their
process on some files. ``--page`` writes the page again from the JSON file, and asks no engine.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from cross_check.readers.tortured import TONES, Tone, outcome
from implementations.engines.as_read import SUFFIX
from implementations.engines.declared import ENGINES
from implementations.plugins.user_code import UserCodeError
from implementations.processes.limits import Limits
from implementations.processes.remote import Remote
from implementations.protocol import Missing
from mechanisms import MechanismError, parse_urdf
from mechanisms.plain_text import markdown
from mechanisms.urdf_traits import GROUPS, TRAITS, Trait

PAGE = Path(__file__).with_name("urdf-traits.md")
DATA = PAGE.with_suffix(".json")

SECONDS = 20.0
"""What one file may take."""

SIGNS: dict[Tone, str] = {
    "right": "✓",
    "digits": "digits",
    "refuses": "refuses",
    "refuses what is right": "refuses",
    "warns": "warns",
    "misreads": "**misreads**",
    "accepts": "accepts",
    "breaks": "**breaks**",
    "not asked": "–",
}

OURS = "dalembert"

HEAD = """\
# What readers make of URDF

This page is for everybody who writes a URDF file or a reader of URDF. After reading it you can say which features of a file the
readers of engines take differently, and you can test your own reader with the same {traits} files.

Each file has one trait. The right reading of it was written by hand, in numbers. The column "right" says what a reader must do:

- **read**: the file has one right reading, and a reader must find it.
- **refuse**: the file has no right reading.
- **either**: the file breaks a rule of the format. A reader may refuse it. If the reader reads it, there is one right reading.

| command | what it does |
| --- | --- |
| `dalembert traits "axis of zero"` | prints one file |
| `dalembert traits -o FOLDER` | writes all files, and `traits.json` with the right numbers and the reason for each |

The comparison covers the joints that move, with kind, parent, origin, axis, damping and mimicked joint, and the mass, centre of
mass and inertia of all that a joint carries, along the root's axes at position zero.

[urdf-traits.json](urdf-traits.json) has the answer of every reader to every file in words, and the reason for the right answer
with its source. A wrong reading of one file says nothing about the engine's dynamics. [urdf.md](urdf.md) says how `dalembert`
reads URDF. `python docs/write_urdf_traits.py` asks the engines that are installed, and writes this page.
"""

TABLES = """\
The tables have the files that some reader takes wrongly, and the files of "either" that some reader refuses. A reader that a row
does not name is right. All readers are right on files without a row. Traits with the same answers share a row. `{ours}` is right
on every file; a row names it where it refuses a file of "either".
"""


def ask() -> dict[str, Any]:
    """The content of the JSON file. Engines that are not installed are left out."""
    answers: dict[str, dict[str, dict[str, str]]] = {name: {} for name in TRAITS}
    readers = []
    for engine in ENGINES:
        if "urdf" not in engine.reads:
            continue
        reader = Remote(engine.name + SUFFIX, Limits(timeout=SECONDS))
        try:
            version = reader.version
        except (Missing, UserCodeError) as error:
            print(f"{engine.name}: {error}", file=sys.stderr)
            continue
        readers.append({"name": engine.name, "version": version})
        for name, trait in TRAITS.items():
            one = outcome(trait, reader)
            # Some readers quote the name that they give to a text without a file: a path in the current folder.
            words = one.words.replace(str(Path.cwd()), "…")
            answers[name][engine.name] = {"answer": one.tone, **({"words": words} if words else {})}
        reader.close()
        print(f"{engine.name} {version}", file=sys.stderr, flush=True)
    traits = {
        name: {"right": trait.right, "why": trait.why, OURS: _ours(trait), "readers": answers[name]}
        for name, trait in TRAITS.items()
    }
    return {"readers": readers, "traits": traits}


def render(data: Mapping[str, Any]) -> str:
    """The page."""
    names = [reader["name"] for reader in data["readers"]]
    lines = [HEAD.format(traits=len(TRAITS)), "## Numbers of files", ""]
    lines += [_row("answer", "what the reader does", *(f"{one['name']} {one['version']}" for one in data["readers"]))]
    lines += [_row("---", "---", *("--:" for _ in names))]
    asked = [trait["readers"] for trait in data["traits"].values()]
    for tone, meaning in TONES.items():
        counts = (sum(one[name]["answer"] == tone for one in asked) for name in names)
        lines.append(_row(SIGNS[tone], meaning, *map(str, counts)))
    lines += ["", TABLES.format(ours=OURS)]
    for group, traits in GROUPS.items():
        rows: dict[tuple[str, str], list[str]] = defaultdict(list)
        for trait in traits:
            if differ := _who_differs(data["traits"][trait.name], names):
                rows[trait.right, differ].append(markdown(trait.name))
        lines += [f"## {group}", "", _row("trait", "right", "who differs"), _row("---", "---", "---")]
        lines += [_row("; ".join(alike), right, differ) for (right, differ), alike in rows.items()]
        lines.append("")
    return "\n".join(lines)


def _who_differs(trait: Mapping[str, Any], names: Collection[str]) -> str:
    """The readers that do not read a file rightly, where it may be read, or do not refuse it, where it must be refused."""
    by_sign: dict[str, list[str]] = defaultdict(list)
    usual = ("right", "not asked") if trait["right"] != "refuse" else ("refuses", "not asked")
    for name in names:
        if (tone := trait["readers"][name]["answer"]) not in usual:
            by_sign[SIGNS[tone]].append(name)
    if trait[OURS] == "refuses" and trait["right"] == "either":
        by_sign["refuses"].append(OURS)
    return "; ".join(f"{sign}: {_listed(who, names)}" for sign, who in sorted(by_sign.items()))


def _listed(who: Collection[str], names: Collection[str]) -> str:
    others = [name for name in names if name not in who]
    if len(others) > 2 or OURS in who:
        return ", ".join(who)
    return "all engines" + (f" but {' and '.join(others)}" if others else "")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _ours(trait: Trait) -> str:
    try:
        return "notes" if parse_urdf(trait.content).notes else "reads"
    except MechanismError:
        return "refuses"


def as_lines(data: Mapping[str, Any]) -> Iterator[str]:
    """The JSON text, with one line for every trait."""
    yield '{"readers": ' + json.dumps(data["readers"], ensure_ascii=False) + ","
    yield '"traits": {'
    yield ",\n".join(json.dumps({name: one}, ensure_ascii=False)[1:-1] for name, one in data["traits"].items())
    yield "}}"


if __name__ == "__main__":
    if sys.argv[1:] != ["--page"]:
        DATA.write_text("\n".join(as_lines(ask())) + "\n", "utf-8")
    PAGE.write_text(render(json.loads(DATA.read_text("utf-8"))), "utf-8")
