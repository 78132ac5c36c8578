"""Slips in formulations with which the answers would be those of the code under test.

All single slips of all formulations are tried on a small mechanism of the same kinds of joints. Code that knows no other
mechanism is compared on its own. Slips that give the answers of the code there become faults, which are tried as all others are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

import numpy as np

from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.fault import BY_UNIT_ACCELERATIONS, NO_FAULT, WHOLE, Edit, Fault
from cross_check.explain.formulations import ANSWERS, FORMULATIONS, OF_FORCES
from cross_check.explain.slips.formulas import in_words
from cross_check.explain.slips.source import Change
from cross_check.explain.slips.table import CLOSE, some_states, table
from cross_check.memory import Array
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Inertia, Mechanism, find_mechanism
from mechanisms.quantities import QUANTITIES

SMALL = ("random:38:3:{}", "random:75:4:{}")
"""A small chain and a small tree with these kinds of joints."""

MOST = 12
"""So many slips that are close become faults."""

MOST_FIRST = 4
"""So many slips that show alone on a simpler mechanism are tried with a second one."""

ASKED = {"placements"}.union(*ANSWERS.values())
"""Quantities that formulations answer."""


def slips_like(symptom: Symptom, given: Fault) -> Iterator[Fault]:
    """The slips with which a formulation answers as the code does, the most usual first; beside ``given`` slips of it."""
    return _like(symptom, given, _asked(symptom.trial.laboratory, symptom.trial.mechanism))


def pairs_like(symptom: Symptom) -> Iterator[tuple[Fault, Fault]]:
    """Two slips of one formulation, of which one alone shows on a simpler mechanism."""
    for simple in _simpler(symptom.trial.laboratory, symptom.trial.mechanism):
        for first in islice(_like(symptom, NO_FAULT, [simple]), MOST_FIRST):
            yield from ((first, second) for second in slips_like(symptom, first))


def _like(symptom: Symptom, given: Fault, mechanisms: Iterable[Mechanism]) -> Iterator[Fault]:
    """The slips with which answers about the first of the mechanisms on which the code is wrong are those of the code."""
    laboratory, quantity = symptom.trial.laboratory, symptom.quantity
    before = [edit.on(symptom.trial.mechanism) for edit in given.edits if edit.module in FORMULATIONS]
    if quantity not in ASKED or (given is not NO_FAULT and not before):
        return
    changes: dict[str, list[Change]] = {}
    for edit in before:
        changes.setdefault(edit.module, []).append(Change(edit.at or 0, edit.right.encode(), edit.wrong.encode()))
    for mechanism in mechanisms:
        try:
            question, seen, is_wrong = _seen(laboratory, mechanism, symptom)
        except NoAnswer:
            continue
        if not is_wrong:
            continue
        for module in changes or FORMULATIONS:
            formulation = FORMULATIONS[module]
            answers = (*ANSWERS[formulation.stands_for], *({"placements"} & {*formulation.computes}))
            if laboratory.is_over() or quantity not in answers or len(mechanism.bodies) > formulation.largest:
                continue
            with suppress(Unsupported):
                laboratory.count(mechanism)
                close = laboratory.precision.near(CLOSE)
                found = table(module, mechanism, tuple(sorted(changes.get(module, ()))))
                named = {
                    in_words(found.source, slip): slip for slip in reversed([*islice(found.like(question, seen, close), MOST)])
                }
                for (name, group), slip in reversed(named.items()):
                    if change := found.source.change_of(slip):
                        edit = Edit(module, change.right.decode(), change.wrong.decode(), at=change.at)
                        # By each of the routes, or by that of the slips beside it.
                        routes = ((),) if before else _routes(module, quantity)
                        yield from (Fault(name, group, (edit, *route)) for route in routes)
        return


def _asked(laboratory: Laboratory, mechanism: Mechanism) -> Iterator[Mechanism]:
    """The mechanisms that the code is asked about, the smallest first."""
    kinds = sorted({body.joint.kind for body in mechanism.bodies} - {"fixed"})
    if laboratory.has_other_mechanisms and len(mechanism.bodies) > 3:
        yield from (find_mechanism(spec.format(",".join(kinds))) for spec in SMALL)
    yield mechanism


def _simpler(laboratory: Laboratory, mechanism: Mechanism) -> Iterator[Mechanism]:
    """Small mechanisms on which fewer terms show: with joints of one kind, and with points for bodies."""
    kinds = sorted({body.joint.kind for body in mechanism.bodies} - {"fixed"})
    if laboratory.has_other_mechanisms:
        yield from (find_mechanism(SMALL[0].format(kind)) for kind in kinds if len(kinds) > 1)
        small = find_mechanism(SMALL[0].format(",".join(kinds)))
        yield wm.inertia(lambda inertia: Inertia(inertia.mass, inertia.com))(small)


def _seen(laboratory: Laboratory, mechanism: Mechanism, symptom: Symptom) -> tuple[int | None, Array, bool]:
    """The question of a table that the symptom asks, the answers of the code (states, …), and whether these are wrong."""
    states, quantity = some_states(mechanism), symptom.quantity
    takes = QUANTITIES[quantity].arguments
    asked = symptom.trial.states
    v = states.v * bool("v" in takes and asked.v.any())
    x = states.a * bool(("a" in takes and asked.a.any()) or ("tau" in takes and asked.tau.any()))
    by_name = {"q": states.q, "v": v, "a": x, "tau": x, "f": np.zeros_like(states.f)}
    arguments = tuple(by_name[name] for name in takes)
    answer, right = laboratory.ask(mechanism, quantity, *arguments), getattr(REFERENCE.load(mechanism), quantity)(*arguments)
    is_wrong = bool(np.abs(answer - right).max() > laboratory.precision.near(CLOSE) * np.abs(right).max())
    return None if quantity == "placements" else 2 * bool(v.any()) + bool(x.any()), answer, is_wrong


def _routes(module: str, quantity: str) -> Sequence[tuple[Edit, ...]]:
    """How other quantities may follow: M from inverse dynamics, and all that code has which computes it from the formulation."""
    if quantity in ("placements", "kinetic_energy"):
        return ((WHOLE,),)
    routes: tuple[tuple[Edit, ...], ...] = ((), BY_UNIT_ACCELERATIONS) if quantity in OF_FORCES else ((),)
    return (*routes, (WHOLE,)) if FORMULATIONS[module].computes else routes
