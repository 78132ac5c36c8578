"""How wrong answers are distinguished: failures by their kind, and errors by how grave they are.

Of failures of one kind, only the quantity, the mechanism, numbers and the calling lines differ in their messages. Errors are
grave by their relative size: what is grossly wrong comes before what is nearly right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from cross_check.exchange.results.objects import BAR, INFINITE, Item, name_of
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


EPSILON = 2.0**-52

GROSS = 1e-3
"""An error of this part of the size of what was summed is gross; nothing is graver."""

STEP = 3
"""Decades from one class to the next."""


def severity(errors: Iterable[float | None]) -> int:
    """The class of the largest error (ε-units): 0 if it is gross, −1 for each step below. What failed has no number, and is 0."""
    sizes = [INFINITE if error is None else error for error in errors]
    relative = EPSILON * max([BAR, *sizes])
    return min(0, math.floor(math.log10(relative / GROSS) / STEP))
