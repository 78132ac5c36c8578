"""Slips in formulations with which the answers would be those of the code under test, and terms that are wrong at some joints.

All single slips of all formulations are tried on a small mechanism of the same kinds of joints. Code that knows no other
mechanism is compared on its own. Slips that give the answers of the code there become faults, which are tried as all others are.

Which kinds of joints, with which axes, have a wrong term is asked of mechanisms with one joint each. A fault at joints of some
classes is a mixture on a large mechanism. On a mechanism with one joint it is whole or absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice

import numpy as np

from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer, Trial, try_sampled
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.joint_traits import AXES, SKEW, JointClass, class_of
from cross_check.explain.faults.fault import BY_UNIT_ACCELERATIONS, NO_FAULT, WHOLE, Edit, Fault, both, scaled
from cross_check.explain.faults.terms.factors import terms
from cross_check.explain.formulations import ANSWERS, FORMULATIONS, OF_FORCES
from cross_check.explain.slips.formulas import in_words
from cross_check.explain.slips.source import Change
from cross_check.explain.slips.table import CLOSE, some_states, table
from cross_check.memory import Array
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism
from mechanisms.joint_kinds import JOINT_KINDS, MOVING
from mechanisms.library.textbook_tables import SKEW as SKEW_INERTIA
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


def pairs_like(symptom: Symptom, given: Fault = NO_FAULT) -> Iterator[tuple[Fault, Fault]]:
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


STATES = 6
FACTORS = (0, -1, 2, 0.5)


def wrong_classes(symptom: Symptom, given: Fault) -> Iterator[Fault]:
    """Terms that are left out, doubled, halved or negated at joints of some classes, as mechanisms with one such joint show.

    Every class is tried once one of the symptom's own mechanism is wrong. The faults are not tried on the symptom itself.
    """
    laboratory, quantity = symptom.trial.laboratory, symptom.quantity
    own = dict.fromkeys(class_of(body.joint) for body in symptom.trial.mechanism.bodies)
    wrong = _wrong(laboratory, quantity, own, given)
    if not wrong:
        return
    wrong |= _wrong(laboratory, quantity, [one for one in classes() if one not in own], given)
    for term in terms():
        for factor in FACTORS:
            if laboratory.is_over():
                return
            fault = both(given, scaled(term, factor))

            def fits(one: JointClass, fault: Fault = fault) -> bool:
                return bool(wrong[one].errors(quantity, fault).max(initial=0) <= laboratory.loose)

            # Most terms fit at none of the mechanism's own joints.
            if fitting := [one for one in wrong if one in own and fits(one)]:
                fitting += (one for one in wrong if one not in own and fits(one))
                yield scaled(term, factor, trait=frozenset(fitting))


def classes() -> Iterator[JointClass]:
    """Every class of joints."""
    for kind in MOVING:
        yield from ((kind, axis) for axis in ((*AXES.values(), SKEW) if JOINT_KINDS[kind].has_axis else ("+z",)))


def alone(one: JointClass) -> Mechanism:
    """A body on a joint of this class."""
    kind, axis = one
    numbers = next((named for named, name in AXES.items() if name == axis), (0, Fraction(3, 5), Fraction(4, 5)))
    description = JOINT_KINDS[kind]
    takes = description.takes_armature_and_damping
    joint = Joint(
        "the joint",
        kind,
        axis=numbers if description.has_axis else (0, 0, 1),
        armature=Fraction(7, 10) if takes else 0,
        damping=Fraction(3, 10) if takes else 0,
        pitch=Fraction(1, 5) if description.takes_pitch else 0,
    )
    # No number of this inertia is zero, and none equals another.
    return Mechanism(f"a {kind} joint alone, axis {axis}", (Body("the body", "world", joint, SKEW_INERTIA),))


def _wrong(laboratory: Laboratory, quantity: str, tried: Iterable[JointClass], given: Fault) -> dict[JointClass, Trial]:
    """The classes for which the code is wrong on a mechanism with one joint."""
    wrong: dict[JointClass, Trial] = {}
    for one in tried:
        if laboratory.is_over():
            break
        trial = try_sampled(laboratory, alone(one), 0, STATES)
        try:
            if np.isfinite(errors := trial.errors(quantity, given)).all() and errors.max(initial=0) > laboratory.bar:
                wrong[one] = trial
        except NoAnswer:
            continue
    return wrong
