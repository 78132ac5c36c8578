"""What files about one code begin with."""

from __future__ import annotations

from dataclasses import dataclass

from cross_check.exchange.results.codec import Frozen, Natural
from cross_check.exchange.results.objects import PrecisionName


@dataclass(frozen=True)
class AboutCode(Frozen):
    """The form of the file, who wrote it, the code, and what it was asked with."""

    form: str
    dalembert: str
    code: str
    spec: str
    """The word that names the code."""
    version: str
    precision: PrecisionName
    seed: Natural
