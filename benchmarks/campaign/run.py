"""Asks dalembert about codes, by its public API, and keeps each verdict as a line of JSON."""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import dalembert
from campaign.codes import Code, one_robot
from campaign.effect import variant
from campaign.library import Library
from campaign.links import numbers_of
from campaign.right import right

TOGETHER = 12
"""So many codes are checked in one run: they share the truth."""
BLOCK = 96
"""So many codes are drawn before they are sorted by mechanisms."""


@cache
def functions_are_accepted() -> bool:
    """Whether this dalembert takes functions without the argument `mechanism`, for one robot."""
    code = Code("one", lambda mechanism: Library(numbers_of(mechanism)), ("inverse_dynamics",))
    module = one_robot(code, dalembert.find_mechanism("pendulum"))
    return "failed" not in {item.verdict for item in _check(["pendulum"], [dalembert.entry(module, "one")]).items}


def _check(mechanisms: list[str], entries: list[Any]) -> dalembert.Results:
    return dalembert.check(mechanisms, entries, explain=False)


def drawn(kind: str, numbers: Iterable[int], seed: int) -> Iterator[dict[str, Any]]:
    """A record of each code, with the code itself under "code".

    A wrong code for one robot has a twin, the same code without the fault: what is said of both is no verdict on the fault.
    """
    for k in numbers:
        if kind == "wrong":
            one, mechanisms, effect = variant(k, seed)
            record = {"size": one.size, "effect": effect, "robot": one.robot}
        else:
            one = right(k, seed)
            mechanisms, record = one.mechanisms, {"size": 0.0, "effect": 0.0, "robot": one.robot}
        code: Any = one.code()
        twin: Any = Code(f"{one.name}-twin", partial(_robot, one.robot), one.offers) if kind == "wrong" and one.robot else None
        as_module = bool(one.robot) and k % 2 == 0 and one.group not in ("batch", "history", "writing")
        as_module = as_module and functions_are_accepted()
        if as_module:
            robot = dalembert.find_mechanism(one.robot)
            code, twin = one_robot(code, robot), twin and one_robot(twin, robot)
        yield record | {"kind": kind, "k": k, "seed": seed, "name": one.name, "group": one.group, "sentence": one.sentence,
                        "offers": len(one.offers), "mechanisms": list(mechanisms), "module": as_module, "code": code,
                        "twin": twin}  # fmt: skip


def _robot(name: str, _: Any) -> Library:
    return Library(numbers_of(dalembert.find_mechanism(name)))


def checked(records: Iterable[dict[str, Any]], mechanisms: list[str], default: bool) -> Iterator[dict[str, Any]]:
    """The records with verdicts: those on the same mechanisms together."""
    groups = defaultdict(list)
    for record in records:
        if mechanisms and not record["robot"]:
            record["mechanisms"] = mechanisms
        if default and not record["robot"]:
            record["mechanisms"] = []
        groups[tuple(record["mechanisms"])].append(record)
    for names, group in groups.items():
        for start in range(0, len(group), TOGETHER):
            some, began = group[start : start + TOGETHER], time.time()
            codes, twins = ([record.pop(name) for record in some] for name in ("code", "twin"))
            if names:
                entries = [dalembert.entry(code, record["name"]) for code, record in zip(codes, some, strict=True)]
                pairs = zip(twins, some, strict=True)
                entries += [dalembert.entry(twin, f"{record['name']}-twin") for twin, record in pairs if twin]
                items = [vars_of(item) for item in _check(list(names), entries).items]
            else:
                items = _by_command(some)
            for record in some:
                mine, twin = ([x for x in items if x["implementation"] == f"{record['name']}{end}"] for end in ("", "-twin"))
                yield record | judged(mine, twin) | {"seconds": round((time.time() - began) / len(some), 2)}


def vars_of(item: Any) -> dict[str, Any]:
    """What is kept of a cell or an invariant."""
    names = ("implementation", "mechanism", "quantity", "name", "verdict", "message", "error")
    return {name: getattr(item, name) for name in names if hasattr(item, name)}


def judged(items: Sequence[dict[str, Any]], twin: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """green, red or other, with what is not in order and is not said of the twin, too."""
    said = [_what(item) for item in twin]
    bad = [item for item in items if item["verdict"] not in ("agrees", "not offered") and _what(item) not in said]
    verdicts = sorted({item["verdict"] for item in bad})
    agrees = any(item["verdict"] == "agrees" for item in items)
    colour = "red" if "discrepancy" in verdicts else "green" if agrees and not bad else "other"
    return {"colour": colour, "verdicts": verdicts, "seen": [f"{_what(item)}, {item['error']}" for item in bad[:4]]}


def _what(item: dict[str, Any]) -> str:
    return f"{item['mechanism']} {item.get('quantity') or item.get('name')}: {item['verdict']}, {item['message'][:200]}"


def _by_command(records: list[dict[str, Any]], mechanisms: Sequence[str] = ()) -> list[dict[str, Any]]:
    """What the command line says: without mechanisms, about the tool's default set."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "results.json")
        specs = [f"campaign.run:{record['name']}_{record['seed']}" for record in records]
        given = [word for spec in specs for word in ("-i", spec)]
        command = [sys.executable, "-m", "dalembert", "check", *mechanisms, *given, "--no-explain", "-o", str(output)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if not output.exists():
            raise RuntimeError(done.stderr[-2000:])
        document = json.loads(output.read_text())
    names = dict(zip([one["name"] for one in document["implementations"]], records, strict=True))
    items = [*document["cells"], *document["invariants"]]
    return [item | {"implementation": names[item["implementation"]]["name"]} for item in items]


def __getattr__(name: str) -> Code:
    """Each code by name, for the command line: ``dalembert check -i campaign.run:wrong17``; ``wrong17_3`` is of seed 3."""
    match = re.fullmatch(r"(wrong|right)([0-9]+)(?:_([0-9]+))?", name)
    if not match:
        raise AttributeError(name)
    k, seed = int(match[2]), int(match[3] or 0)
    return (variant(k, seed)[0] if match[1] == "wrong" else right(k, seed)).code()
