"""Compares all readers of a file, and what their engines compute from it, by checks of the harness."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from cross_check import harness
from cross_check.entry import Entry
from cross_check.exchange.results.objects import Results
from cross_check.judge.settings import Settings
from cross_check.read.readers import files
from cross_check.read.readers.computed import Check
from cross_check.read.readers.results import Comparison
from mechanisms import Mechanism

SETTINGS = Settings(quantities=("mass_matrix", "gravity", "nonlinear_effects", "inverse_dynamics"), invariants=False)
"""What is compared, and at which states, if the caller does not say."""


def compared(
    name: str,
    text: str,
    free_base: bool,
    entries: Sequence[Entry],
    missing: Mapping[str, str],
    progress: Callable[[str], None] = lambda reader: None,
    settings: Settings = SETTINGS,
) -> Comparison:
    """What :func:`cross_check.read.readers.files.compared` gives; what engines compute is compared as ``settings`` say."""

    def run(mechanism: Mechanism, group: Sequence[Entry], quantities: tuple[str, ...], explain: bool) -> Results:
        asked = replace(settings, quantities=quantities)
        return harness.check([(mechanism.name, mechanism)], group, asked, explain=explain)

    return files.compared(name, text, free_base, entries, missing, progress, Check(run, settings.quantities, settings.bar))
