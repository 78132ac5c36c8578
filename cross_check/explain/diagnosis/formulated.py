"""Slips in formulations with which the answers would be those of the code under test.

All single slips of all formulations are tried on a small mechanism of the same kinds of joints. Code that knows no other
mechanism is compared on its own. Slips that give the answers of the code there become faults, which are tried as all others are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice

import numpy as np

from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.fault import NO_FAULT, Edit, Fault
from cross_check.explain.faults.routes import BY_UNIT_ACCELERATIONS, WHOLE
from cross_check.explain.formulations import ANSWERS, FORMULATIONS, OF_FORCES
from cross_check.explain.formulations.formulas import in_words
from cross_check.explain.formulations.source import Slip, Source
from cross_check.explain.formulations.table import CLOSE, some_states, table
from cross_check.memory import Array
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism
from mechanisms.quantities import QUANTITIES

SMALL = ("random:38:3:{}", "random:75:4:{}")
"""A small chain and a small tree with these kinds of joints."""

MOST = 12
"""So many slips that are close become faults."""


def slips_like(symptom: Symptom, given: Fault, is_over: Callable[[], bool]) -> Iterator[Fault]:
    """The slips with which a formulation answers as the code does, the most usual first."""
    laboratory, quantity = symptom.trial.laboratory, symptom.quantity
    if given is not NO_FAULT or quantity not in {"placements"}.union(*ANSWERS.values()):
        return
    for mechanism in _asked(laboratory, symptom.trial.mechanism):
        try:
            question, seen, is_wrong = _seen(laboratory, mechanism, symptom)
        except NoAnswer:
            continue
        if not is_wrong:
            continue
        for module, formulation in FORMULATIONS.items():
            answers = (*ANSWERS[formulation.stands_for], *({"placements"} & {*formulation.computes}))
            if is_over() or quantity not in answers or len(mechanism.bodies) > formulation.largest:
                continue
            with suppress(Unsupported):
                laboratory.count(mechanism)
                found = table(module, mechanism)
                named = {in_words(found.source, slip): slip for slip in reversed([*islice(found.like(question, seen), MOST)])}
                for (name, group), slip in reversed(named.items()):
                    yield from _faults(name, group, found.source, slip, quantity)
        return


def _asked(laboratory: Laboratory, mechanism: Mechanism) -> Iterator[Mechanism]:
    """The mechanisms that the code is asked about, the smallest first."""
    kinds = sorted({body.joint.kind for body in mechanism.bodies} - {"fixed"})
    if laboratory.has_other_mechanisms and len(mechanism.bodies) > 3:
        yield from (find_mechanism(spec.format(",".join(kinds))) for spec in SMALL)
    yield mechanism


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
    is_wrong = bool(np.abs(answer - right).max() > CLOSE * np.abs(right).max())
    return None if quantity == "placements" else 2 * bool(v.any()) + bool(x.any()), answer, is_wrong


def _faults(name: str, group: str, own: Source, slip: Slip, quantity: str) -> Iterator[Fault]:
    """The slip; of inverse dynamics, with an M that has it, too; and in code that computes all from the formulation."""
    start, end = slip.place.start, slip.place.end
    edit = Edit(own.module, own.text[start:end].decode(), f"({slip.text})", at=start)
    routes: tuple[tuple[Edit, ...], ...] = ((), BY_UNIT_ACCELERATIONS) if quantity in OF_FORCES else ((),)
    if FORMULATIONS[own.module].computes:
        routes = ((WHOLE,),) if quantity in ("placements", "kinetic_energy") else (*routes, (WHOLE,))
    yield from (Fault(name, group, (edit, *route)) for route in routes)
