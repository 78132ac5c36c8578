"""Check relations: equations between answers of one implementation."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cross_check.exchange.results import Invariant
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import largest, rounded
from cross_check.judge.comparison.other_levers import contradiction_by_levers
from cross_check.judge.error_scale.motion_magnitudes import MotionMagnitudes
from cross_check.judge.relations.invariants import INVARIANTS
from cross_check.judge.relations.relation import Asked, Errors, Load, NotOffered, Relation
from cross_check.judge.relations.table import RELATIONS
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms import Mechanism, MechanismError

ALL: dict[str, Relation] = {**INVARIANTS, **RELATIONS}


def check_relations(
    case: Case,
    loaded: Loaded,
    load: Load,
    implementation: str,
    bar: float,
    names: Sequence[str],
    quantities: Collection[str] = (),
) -> tuple[list[Invariant], float]:
    """The invariants and relations with these names, for one implementation and mechanism, and the seconds that it took.

    ``loaded`` has the mechanism of the case; ``load`` loads others. ``quantities`` are asked for beside the usual ones.
    """
    asked = Asked(case, loaded, load, quantities)
    return [_check(asked, ALL[name], implementation, bar) for name in names], asked.seconds


def _check(asked: Asked, relation: Relation, implementation: str, bar: float) -> Invariant:
    mechanism = asked.case.mechanism
    ids = (f"{mechanism.name}/{implementation}/{relation.name}", mechanism.name, implementation, relation.name)
    try:
        errors = relation.errors(asked)
    except NotOffered as missing:
        return Invariant(*ids, "not offered", f"{implementation} has {missing}")
    except (Unsupported, MechanismError) as refusal:
        return Invariant(*ids, "unsupported", str(refusal))
    except Failure as failure:
        return Invariant(*ids, "failed", str(failure))
    error = _largest(errors)
    if error <= bar:
        return Invariant(*ids, "agrees", "", rounded(error))
    if why := _lost_digits(asked, relation, errors, bar):
        return Invariant(*ids, "lost digits", why, rounded(error))
    return Invariant(*ids, "discrepancy", relation.where(errors, asked, bar), rounded(error))


def _largest(errors: Errors) -> float:
    return max(map(largest, errors.values()))


def _lost_digits(asked: Asked, relation: Relation, errors: Errors, bar: float) -> str:
    """Why all errors above the bar are rounding at the end of a longer lever than sizes count; empty if they are not."""

    def error(mechanism: Mechanism, bounds: type[MotionMagnitudes]) -> float:
        return _largest(relation.errors(asked.about(mechanism, bounds, name)))

    reasons = []
    for name in sorted((name for name in errors if largest(errors[name]) > bar), key=lambda name: -errors[name].max()):
        reasons.append(contradiction_by_levers(asked.case.mechanism, relation.quantities(name), error, bar))
        if reasons[-1] is None:
            return ""
    return reasons[0] or ""


def more_serious(one: Invariant, other: Invariant) -> Invariant:
    """Of two results of one relation, about different quantities, the one that says more: a failure, else the larger error."""
    order = ("failed", "discrepancy", "known", "lost digits", "agrees", "unsupported", "not offered")
    return min(one, other, key=lambda result: (order.index(result.verdict), -(result.error or 0)))
