"""Writes docs/urdf-traits.json and the tables of docs/urdf-traits.md: what the reader of every engine makes of the torture set.

Run ``python docs/write_urdf_traits.py``. Every engine that is installed is asked, in a worker process, because readers end their
process on some files. ``--page`` writes the tables again from the JSON file, and asks no engine.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from tortured import TONES, Tone, outcome
from written import table, with_parts

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
    """The page, from the content of the JSON file."""
    names = [reader["name"] for reader in data["readers"]]
    asked = [trait["readers"] for trait in data["traits"].values()]
    counts = (
        (SIGNS[tone], meaning, *(sum(one[name]["answer"] == tone for one in asked) for name in names))
        for tone, meaning in TONES.items()
    )
    head = ("answer", "what the reader does", *(f"{one['name']} {one['version']}" for one in data["readers"]))
    return with_parts(
        PAGE,
        number=len(TRAITS),
        counts="\n".join(table(head, counts, "ll" + "r" * len(names))),
        differences="\n\n".join("\n".join(_group(group, traits, data, names)) for group, traits in GROUPS.items()),
    )


def _group(group: str, traits: Collection[Trait], data: Mapping[str, Any], names: Collection[str]) -> Iterator[str]:
    """The traits of one group that some reader takes wrongly. Traits with the same answers share a row."""
    rows: dict[tuple[str, str], list[str]] = defaultdict(list)
    for trait in traits:
        if differ := _who_differs(data["traits"][trait.name], names):
            rows[trait.right, differ].append(markdown(trait.name))
    yield from (f"## {group}", "")
    yield from table(("trait", "right", "who differs"), (("; ".join(alike), *row) for row, alike in rows.items()))


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
