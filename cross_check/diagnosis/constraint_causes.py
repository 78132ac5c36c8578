"""The causes of what disagrees on the constraints of mechanisms: experiments that take bodies away would open the loops."""

from __future__ import annotations

from cross_check.comparison.constrained_case import ConstrainedModel
from cross_check.comparison.sampling import sample
from cross_check.diagnosis.constraint_example import constraint_example
from cross_check.diagnosis.usual_faults import UsualFaults
from cross_check.faults.constraints import CONSTRAINT_FAULTS

OF_CONSTRAINTS = UsualFaults(
    CONSTRAINT_FAULTS,
    lambda mechanism, settings, states: ConstrainedModel(mechanism).case(sample(mechanism, settings.seed, states)),
    "constraints",
    "it disagrees on constraints, and no usual fault with constraints explains it",
    "make J and the drift agree first, then M and h of the tree, then λ; docs/loops.md has the signs",
    constraint_example,
)
