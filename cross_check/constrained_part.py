"""The work on the constraints of one mechanism: states that satisfy them, and a cell for each of their quantities.

All other quantities are those of the tree, which code under test loads without the constraints (:mod:`cross_check.part`).
"""

from __future__ import annotations

from collections.abc import Sequence

from cross_check.comparison.constrained_case import ConstrainedCase, ConstrainedModel
from cross_check.comparison.measure import Measured, measure
from cross_check.comparison.sampling import States
from cross_check.results import Cell
from cross_check.settings import Settings
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import CONSTRAINT_QUANTITIES, ByConstrainedMotion

GIVEN = "the states of a run with recorded data need not satisfy the constraints"


def of_constraints(mechanism: Mechanism, settings: Settings) -> tuple[str, ...]:
    """The quantities of constraints that are to be compared."""
    return tuple(name for name in settings.quantities if name in CONSTRAINT_QUANTITIES) if mechanism.constraints else ()


def constrained_case(model: ConstrainedModel, drawn: States, first: int, settings: Settings) -> ConstrainedCase | Unsupported:
    """The case at states that satisfy the constraints, or why there is none: none are found, or the constraints are singular."""
    if settings.given is not None:
        return Unsupported(GIVEN)
    try:
        case = model.case(drawn, first)
        case.equations(ByConstrainedMotion("acceleration"))
        return case
    except Unsupported as reason:
        return reason


def constrained_cells(
    case: ConstrainedCase | Unsupported,
    loaded: Loaded | Unsupported | Failure,
    mechanism: Mechanism,
    implementation: str,
    settings: Settings,
    state: int | None = None,
) -> Sequence[Measured]:
    """A cell for every quantity of constraints. With ``state``, the details are those of this state of the case."""

    def measured(name: str) -> Measured:
        ids = (f"{mechanism.name}/{implementation}/{name}", mechanism.name, implementation, name)
        for reason in (case, loaded):
            if isinstance(reason, Unsupported):
                return Measured(Cell(*ids, "unsupported", str(reason)))
            if isinstance(reason, Failure):
                return Measured(Cell(*ids, "failed", str(reason), output=reason.output))
        assert isinstance(case, ConstrainedCase) and not isinstance(loaded, (Unsupported, Failure))
        return measure(case, loaded, implementation, CONSTRAINT_QUANTITIES[name], settings.bar, state)

    return [measured(name) for name in of_constraints(mechanism, settings)]


def summary_of(case: ConstrainedCase | Unsupported) -> str:
    """One sentence: how many degrees of freedom the constraints leave, or why there is no case."""
    if isinstance(case, Unsupported):
        return str(case)
    directions, rank = len(case.mechanism.constrained_directions), case.states.rank
    freedom = f"{directions} constrained directions leave {case.mechanism.nv - rank} of {case.mechanism.nv} degrees of freedom"
    if rank == directions:
        return freedom
    follow = "1 follows" if directions - rank == 1 else f"{directions - rank} follow"
    return f"{freedom}; {follow} from the others, so λ is not unique and Jᵀλ is"
