"""Which kinds of joints, with which axes, have a wrong term: asked of mechanisms with one joint each.

A fault at joints of some classes is a mixture on a large mechanism. On a mechanism with one joint it is whole or absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np

from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer, Trial, try_sampled
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.changes.joint_traits import AXES, SKEW, JointClass, class_of
from cross_check.explain.faults.fault import Fault, both, scaled
from cross_check.explain.faults.terms.factors import terms
from mechanisms import Body, Joint, Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, MOVING
from mechanisms.library.textbook_joints import SKEW as SKEW_INERTIA

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
