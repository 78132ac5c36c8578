"""Objects that nobody can change, down to their parts."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


def frozen(value: Any) -> Any:
    """A copy in which every list is a tuple."""
    match value:
        case list():
            return tuple(map(frozen, value))
        case dict():
            return {key: frozen(part) for key, part in value.items()}
    return value


class Frozen:
    """Copies the sequences and mappings that a frozen dataclass is built from, so that nobody can change them afterwards."""

    def __post_init__(self) -> None:
        for part in fields(self):  # type: ignore[arg-type]
            value = getattr(self, part.name)
            if isinstance(value, (list, dict)):
                object.__setattr__(self, part.name, frozen(value))
