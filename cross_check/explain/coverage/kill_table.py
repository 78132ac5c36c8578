"""The kill table: which textbook mechanism shows which fault, and in which quantities, at 98 states of seed 0.

``kills.json`` has the table; ``python docs/write_kill_table.py`` measures it again. It says which mechanisms to propose, and what
a run at these states shows. At other states it says where to look for a fault first, and faults are tried.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

PATH = Path(__file__).with_name("kills.json")

Kills = Mapping[str, Mapping[str, frozenset[str]]]
"""By fault and mechanism: the quantities that show the fault."""


@cache
def kill_table() -> Kills:
    """The table of the file."""
    document = json.loads(PATH.read_text("utf-8"))
    names = document["quantities"]
    return {
        fault: {mechanism: _unpacked(names, mask) for mechanism, mask in row.items()} for fault, row in document["faults"].items()
    }


def packed(kills: Kills, quantities: tuple[str, ...]) -> str:
    """The table as the text of the file. A set of quantities is a hexadecimal number, with one bit for each quantity."""
    rows = []
    for fault, row in kills.items():
        masks = {m: f"{sum(1 << k for k, name in enumerate(quantities) if name in shown):x}" for m, shown in row.items()}
        rows.append(f"  {json.dumps(fault, ensure_ascii=False)}: {json.dumps(masks)}")
    faults = ",\n".join(rows)
    return f'{{\n "quantities": {json.dumps(quantities)},\n "faults": {{\n{faults}\n }}\n}}\n'


def _unpacked(names: list[str], mask: str) -> frozenset[str]:
    bits = int(mask, 16)
    return frozenset(name for k, name in enumerate(names) if bits >> k & 1)
