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
from cross_check.explain.formulations import FORMULATIONS
from cross_check.explain.formulations.formulas import in_words
from cross_check.explain.formulations.source import Slip, Source
from cross_check.explain.formulations.table import some_states, table
from cross_check.memory import Array
from implementations.protocol import Unsupported
from mechanisms import Mechanism, find_mechanism
from mechanisms.quantities import QUANTITIES

SMALL = "random:73:3:{}"
"""A chain or a tree of three bodies, with these kinds of joints."""

MOST = 12
"""So many slips that are close become faults."""

OF_FORCES = ("gravity", "nonlinear_effects", "inverse_dynamics", "inverse_dynamics_with_forces")
"""What inverse dynamics answers."""

OF_ALL = ("homogeneous", "christoffel")
"""Formulations from which code may compute all that it answers."""


def slips_like(symptom: Symptom, given: Fault, is_over: Callable[[], bool]) -> Iterator[Fault]:
    """The slips with which a formulation answers as the code does, the most usual first."""
    laboratory, quantity = symptom.trial.laboratory, symptom.quantity
    if given is not NO_FAULT or quantity not in (*OF_FORCES, "mass_matrix", "placements"):
        return
    for mechanism in _asked(laboratory, symptom.trial.mechanism):
        try:
            question, seen = _seen(laboratory, mechanism, symptom)
        except NoAnswer:
            continue
        for module, stands_for in FORMULATIONS.items():
            if is_over() or (stands_for == "crba") != (quantity == "mass_matrix"):
                continue
            with suppress(Unsupported):
                laboratory.count(mechanism)
                found = table(module, mechanism)
                for slip in islice(found.like(question, seen), MOST):
                    yield from _faults(found.source, slip, quantity)
        return


def _asked(laboratory: Laboratory, mechanism: Mechanism) -> Iterator[Mechanism]:
    """The mechanisms that the code is asked about: the first that it knows."""
    kinds = sorted({body.joint.kind for body in mechanism.bodies} - {"fixed"})
    if laboratory.has_other_mechanisms and len(mechanism.bodies) > 3:
        yield find_mechanism(SMALL.format(",".join(kinds)))
    yield mechanism


def _seen(laboratory: Laboratory, mechanism: Mechanism, symptom: Symptom) -> tuple[int | None, Array]:
    """The question of a table that the symptom asks, and the answers of the code (states, …)."""
    states, quantity = some_states(mechanism), symptom.quantity
    takes = QUANTITIES[quantity].arguments
    v = states.v * bool("v" in takes and symptom.trial.states.v.any())
    a = states.a * bool("a" in takes and symptom.trial.states.a.any())
    by_name = {"q": states.q, "v": v, "a": a, "f": np.zeros_like(states.f)}
    answer = laboratory.ask(mechanism, quantity, *(by_name[name] for name in takes))
    if quantity == "placements":
        return None, answer
    return 2 * bool(v.any()) + bool(a.any()), answer


def _faults(own: Source, slip: Slip, quantity: str) -> Iterator[Fault]:
    """The slip; of inverse dynamics, with an M that has it, too."""
    name, group = in_words(own, slip)
    start, end = slip.place.start, slip.place.end
    edit = Edit(own.module, own.text[start:end].decode(), f"({slip.text})", at=start)
    routes: tuple[tuple[Edit, ...], ...] = ((), BY_UNIT_ACCELERATIONS) if quantity in OF_FORCES else ((),)
    if own.module in OF_ALL:
        routes = (*routes, (WHOLE,)) if quantity in OF_FORCES else ((WHOLE,),)
    yield from (Fault(name, group, (edit, *route)) for route in routes)
