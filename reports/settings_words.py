"""The settings of a run in words: what they were, and where each came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cross_check.results.objects import Results, plain
from mechanisms.quantities import ALL_QUANTITIES, ALL_USUAL
from reports.words import one_line


class SettingRow(NamedTuple):
    """A setting on one line. ``origin`` is empty where it is not known."""

    name: str
    value: str
    origin: str = ""


def setting_rows(results: Results) -> list[SettingRow]:
    """Every setting, the version of dalembert first."""
    settings = results.settings
    rows = [SettingRow("dalembert", settings.version)]
    if results.effective:
        return rows + [SettingRow(one_line(one.name), _joined(one.values), one_line(one.origin)) for one in results.effective]
    names = (*(["recorded"] if settings.recorded else []), "seed", "states", "bar", "certified")
    return rows + [SettingRow(name, _joined(plain(getattr(settings, name)))) for name in names]


def _joined(values: Sequence[str]) -> str:
    words = {"all": set(ALL_QUANTITIES), "usual": set(ALL_USUAL)}
    return next((word for word, names in words.items() if set(values) == names), one_line(", ".join(values)) or "none")
