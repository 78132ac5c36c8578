"""Misread models: hypotheses about one body or joint, and about all of a mechanism's.

A mechanism has bodies outboard of fixed joints lumped into those that carry them, and nothing that is fixed to the root. So code
that loses a welded body shows as other inertial parameters of the body that carries it, and code that counts bodies fixed to the
root shows in the centre of mass, the centroidal momentum and the potential energy alone
(:func:`cross_check.explain.diagnosis.numbers.determined.fixed_to_root`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np

from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.bodies import (
    INERTIA,
    OF_BODY,
    OF_INERTIA,
    OF_JOINT,
    ORIGIN,
    PLACEMENT,
    Change,
)
from cross_check.explain.faults.changes.mechanisms import (
    has_compensation,
    has_massless_link,
)
from cross_check.explain.faults.edits import faults_of
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.readings.bodies import BODIES, COMPENSATED, one_kilogram
from cross_check.explain.faults.readings.joints import JOINTS, of_neighbours, sign
from mechanisms import Body, Joint, Mechanism
from mechanisms.errors import MechanismError
from mechanisms.geometry import basis
from mechanisms.numbers.exact import Scalar


def misreadings(mechanism: Mechanism) -> Iterator[Fault]:
    """Every body and every joint of the mechanism, read wrongly in every way that changes it; ``Fault.where`` names it.

    Ways that give the same numbers here are all kept: on another mechanism the code shows which of them it is.
    """
    for body in mechanism.bodies:
        joint = body.joint.name
        yield from _misread(body, ((body.name, words.format(body.name), group, change) for words, group, change in BODIES))
        yield from sign(body)
        yield from _misread(body, ((joint, words.format(joint), group, change) for words, group, change in JOINTS))
        yield from _misread(body, of_neighbours(mechanism, body))


def _misread(body: Body, ways: Iterable[tuple[str, str, str, Change]]) -> Iterator[Fault]:
    """The faults that a body is changed, in those ways that change a number. A way has a place, a sentence and a group, too."""
    right = _digits(body)
    is_it = lambda other: other.name == body.name  # noqa: E731
    for where, said, group, change in ways:
        # No joint can have what some code reads, as a universal one whose axes become parallel.
        with suppress(MechanismError):
            if _digits(change(body)) != right:
                yield Fault(
                    said, group, mechanism=wm.every(change, is_it), needs=lambda m: any(map(is_it, m.bodies)), where=(where,)
                )


def _digits(body: Body) -> tuple[object, ...]:
    """All of a body and its joint, but for rounding."""
    joint = body.joint
    vectors = (one.read(body) for one in (ORIGIN, *OF_BODY, *OF_JOINT))
    others = (joint.axis, joint.second_axis or (0, 0, 0), *joint.placement.rotation.matrix)
    return body.parent, joint.kind, *map(_rounded, (*vectors, *others))


def _rounded(vector: Sequence[Scalar]) -> tuple[object, ...]:
    """Ten digits of a vector; its components are rounded together."""
    x = np.array(vector, dtype=float)
    largest = np.abs(x).max()
    return (f"{largest:.10g}", *(np.round(x / largest, 10) + 0.0).tolist()) if largest else ()


def exchanged(joint: Joint) -> Joint:
    """Armature and damping are exchanged."""
    return replace(joint, armature=joint.damping, damping=joint.armature)


TAKEN_OF_OTHERS: tuple[Fault, ...] = (
    *(
        Fault(f"{one.name} of every body is that of the {where}", one.group, mechanism=wm.of_others(one, by, wraps))
        for one in (*OF_INERTIA, INERTIA, PLACEMENT, ORIGIN)
        for where, by, wraps in (
            ("previous one", -1, False),
            ("next one", 1, False),
            ("previous one, and of the first that of the last", -1, True),
            ("next one, and of the last that of the first", 1, True),
        )
    ),
    *(
        Fault(f"the axis of every joint is {name}", "axes", mechanism=wm.joint(partial(wm.with_axis, axis)))
        for name, axis in zip("xyz", basis(), strict=True)
    ),
    Fault("armature and damping are exchanged", "armature", mechanism=wm.joint(exchanged)),
)
"""Mechanisms in which numbers are taken for those of another body, joint or kind: indices that are off by one, fixed axes."""

ALSO_OF_ALL = (
    "the centre of mass of {} has the opposite sign",
    "the rotational inertia of {} is read in the parent's axes",
    "the inertia of {} is read in the parent's axes",
    "the inertia of {} about its centre of mass is moved to its origin twice",
    "the parallel-axis term of {} has the wrong sign",
    "roll, pitch and yaw of {} are made in the opposite order",
    "roll, pitch and yaw of {} are read as yaw, pitch and roll",
    "roll, pitch and yaw of {} are read as degrees",
    "the origin of {} has the opposite sign",
)
"""Sentences on one body or joint that are hypotheses on all. :data:`cross_check.explain.faults.typical.FAULTS` has most of the
others."""

WHOLE: tuple[Fault, ...] = (
    *faults_of("whole"),
    *(
        Fault(words.format(""), "gravity compensation", mechanism=wm.every(change), needs=has_compensation)
        for words, change in COMPENSATED
    ),
    *(
        Fault(
            f"bodies without inertia have {words}",
            "bodies without mass",
            mechanism=wm.every(partial(one_kilogram, moment)),
            needs=has_massless_link,
        )
        for words, moment in (("1 kg", 0), ("1 kg and 1 kg m²", 1))
    ),
    *TAKEN_OF_OTHERS,
    *(
        Fault(sentence.format("every body"), group, mechanism=wm.every(change))
        for sentence, group, change in (*BODIES, *JOINTS)
        if sentence in ALSO_OF_ALL
    ),
)
"""Hypotheses about all bodies and joints."""
