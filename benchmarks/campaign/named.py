"""Each code by name, for the command line: ``dalembert check -i campaign.named:wrong17``; ``wrong17_3`` is of seed 3."""

import re
from typing import Any

from campaign import effect, right
from campaign.codes import Code


def code(name: str) -> Code:
    """The code called `name`."""
    match = re.fullmatch(r"(wrong|right)([0-9]+)(?:_([0-9]+))?", name)
    if not match:
        raise AttributeError(name)
    k, seed = int(match[2]), int(match[3] or 0)
    return effect.variant(k, seed)[0].code() if match[1] == "wrong" else right.right(k, seed).code()


def __getattr__(name: str) -> Any:
    return code(name)
