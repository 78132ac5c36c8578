"""The causes of what disagrees on integrated positions: experiments with masses, velocities and forces do not concern them."""

from __future__ import annotations

from cross_check.comparison.case import prepare
from cross_check.comparison.steps import TURNS
from cross_check.diagnosis.usual_faults import UsualFaults
from cross_check.faults.integration import INTEGRATION_FAULTS

OF_INTEGRATION = UsualFaults(
    INTEGRATION_FAULTS,
    lambda mechanism, settings, states: prepare(mechanism, settings.seed, max(states, 2 * len(TURNS))),
    "integration",
    "it disagrees on integrated positions or differences, and no usual fault with them explains it",
    "make integrate agree first, then its derivatives, then difference; docs/conventions.md says what they mean",
)
