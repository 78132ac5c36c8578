"""Which failures are of one kind: only the quantity, the mechanism, numbers and the calling lines differ in their messages."""

from __future__ import annotations

import re

from cross_check.results.objects import Item, name_of
from mechanisms.quantities import ALL_QUANTITIES

ALONE, NOT_ALONE = "state {} alone shows it", "no state does so alone"
"""How messages of cells end. Messages of invariants do not."""

_ENDS = re.compile(rf"; (?:{ALONE.format('[0-9]+')}|{NOT_ALONE})$")

_PLACE = re.compile(r" \(([^():;]*\.py:[0-9]+)[:;)].*$")
"""Where users' code raised: the file and the line, then the line itself and the lines that called it."""

_VARYING = re.compile(r"\w*\d\w*")
"""Words of a message that differ from cell to cell: numbers, addresses, numbered names."""


def kind_of_failure(item: Item) -> str:
    """What the messages of failures of one kind have in common. The line of code belongs to it."""
    message = _ENDS.sub("", item.message)
    place = _PLACE.search(message)
    said = message[: place.start()] if place else message
    first, _, rest = said.partition(" ")
    said = f"… {rest}" if first in ALL_QUANTITIES else said
    said = said.replace(name_of(item), "…").replace(item.mechanism, "…")
    return _VARYING.sub("…", said) + (f" ({place[1]})" if place else "")
