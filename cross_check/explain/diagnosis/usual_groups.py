"""The groups of quantities whose causes are found by comparison with usual faults.

Experiments that take bodies away would open the loops of mechanisms with constraints. Experiments with masses, velocities and
forces do not concern integrated positions.
"""

from __future__ import annotations

from cross_check.explain.diagnosis.constraint_example import constraint_example
from cross_check.explain.diagnosis.usual_faults import UsualFaults
from cross_check.explain.faults.constraints import CONSTRAINT_FAULTS
from cross_check.explain.faults.integration import INTEGRATION_FAULTS
from cross_check.judge.comparison.case import Model, prepare
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.comparison.steps import TURNS

OF_CONSTRAINTS = UsualFaults(
    CONSTRAINT_FAULTS,
    lambda mechanism, settings, states: Model(mechanism).satisfying(sample(mechanism, settings.seed, states)),
    "constraints",
    "it disagrees on constraints, and no usual fault with constraints explains it",
    "make J and the drift agree first, then M and h of the tree, then λ; docs/loops.md has the signs",
    constraint_example,
)

OF_INTEGRATION = UsualFaults(
    INTEGRATION_FAULTS,
    lambda mechanism, settings, states: prepare(mechanism, settings.seed, max(states, 2 * len(TURNS))),
    "integration",
    "it disagrees on integrated positions or differences, and no usual fault with them explains it",
    "make integrate agree first, then its derivatives, then difference; docs/conventions.md says what they mean",
)
