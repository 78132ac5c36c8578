"""The entries, one module for each class."""

from score.bank import (
    arithmetic,
    conditions,
    conventions,
    disguises,
    formulations,
    history,
    misread,
    pairs,
    quantities,
    terms,
    trackers,
)

__all__ = [
    "arithmetic",
    "conditions",
    "conventions",
    "disguises",
    "formulations",
    "history",
    "misread",
    "pairs",
    "quantities",
    "terms",
    "trackers",
]
