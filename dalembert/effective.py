"""The settings of a run as they took effect, each with its origin, for the results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cross_check.results import Results
from cross_check.results.objects import EffectiveSetting, plain
from cross_check.settings import Settings

DEFAULT = "default"

NUMBERS = ("quantities", "relations", "invariants", "seed", "states", "bar", "certified", "strict")
"""The names of :class:`Settings`, in the order in which they are shown."""


def with_settings(
    results: Results, settings: Settings, origins: Mapping[str, str], others: Mapping[str, Any] | None = None
) -> Results:
    """The results with every setting that the run was made with.

    ``origins`` says by name where a setting came from; what it does not name is a default. ``others`` are further settings by
    name: strings, numbers, switches or lists of strings; None is left out.
    """
    values = {
        "implementations": [entry.spec for entry in results.implementations],
        "mechanisms": [mechanism.spec for mechanism in results.mechanisms],
        **{name: getattr(settings, name) for name in NUMBERS},
        "recorded": settings.files or None,
        **(others or {}),
    }
    # Whoever names quantities leaves the invariants out, and may name relations among them.
    told = {name: origins["quantities"] for name in ("relations", "invariants") if "quantities" in origins} | dict(origins)
    if settings.relations and "as_read" in origins:
        told["relations"] = origins["as_read"]
    if settings.files:  # No state was drawn.
        values["seed"], told["states"], told["recorded"] = None, "recorded data", told.get("implementations", DEFAULT)
    effective = [
        EffectiveSetting(name, plain(value), told.get(name, DEFAULT)) for name, value in values.items() if value is not None
    ]
    return replace(results, effective=effective)
