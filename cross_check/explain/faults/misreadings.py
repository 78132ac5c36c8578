"""Misread models: hypotheses about one body or joint, and about all of a mechanism's.

A mechanism has bodies outboard of fixed joints lumped into those that carry them, and nothing that is fixed to the root. So code
that loses a welded body shows as other inertial parameters of the body that carries it, and code that counts bodies fixed to the
root shows in the centre of mass, the centroidal momentum and the potential energy alone
(:mod:`cross_check.explain.faults.fitted`).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from cross_check.explain.faults import misread_bodies as bodies
from cross_check.explain.faults import misread_joints as joints
from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults.fault import Edit, Fault, everywhere
from cross_check.explain.faults.taken_numbers import TAKEN_OF_OTHERS
from cross_check.explain.faults.terms import has_armature, has_damping, has_massless_link
from cross_check.explain.faults.units import in_units
from mechanisms import Mechanism


def misreadings(mechanism: Mechanism) -> Iterator[Fault]:
    """Every body and every joint of the mechanism, read wrongly in every way that changes it; ``Fault.where`` names it."""
    for body in mechanism.bodies:
        ways = bodies.Misreadings(body)
        yield from bodies.of_body(ways)
        yield from joints.of_joint_and_parent(mechanism, ways)


def of_all(change: bodies.Change, mechanism: Mechanism) -> Mechanism:
    return wm.with_bodies(mechanism, lambda i, body: change(body))


THOUSAND, THOUSANDTH = "1000", "1/1000"
RADIAN = str(Fraction(180 / np.pi))

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

PARENTS_RATE = "link.damping * (qd[model.links[model.parents[i]].v][:1] if model.parents[i] >= 0 else 0 * qd[link.v])"

WHOLE: tuple[Fault, ...] = (
    in_units("gravity is 9.8 instead of 9.81", "gravity", gravity="980/981"),
    in_units("gravity is 10 instead of 9.81", "gravity", gravity="1000/981"),
    in_units("masses are read in grams", "units", mass=THOUSAND),
    in_units("masses are read in tonnes", "units", mass=THOUSANDTH),
    in_units("masses and moments of inertia are a thousand times too large", "units", mass=THOUSAND, moments=(THOUSAND,) * 6),
    in_units("masses and moments of inertia are a thousand times too small", "units", mass=THOUSANDTH, moments=(THOUSANDTH,) * 6),
    in_units("lengths are a thousand times too large", "units", com=THOUSAND, origins=THOUSAND),
    in_units("lengths are a thousand times too small", "units", com=THOUSANDTH, origins=THOUSANDTH),
    in_units("the origins of all joints are in millimetres", "units", origins=THOUSAND),
    in_units("the origins of all joints are a thousand times too near", "units", origins=THOUSANDTH),
    in_units("all centres of mass are in millimetres", "units", com=THOUSAND),
    *(
        in_units(f"{what} and moments of inertia are in {unit}", "units", **lengths, moments=(moment,) * 6)
        for what, names in (("lengths", ("com", "origins")), ("centres of mass", ("com",)))
        for unit, length, moment in (("mm and kg mm²", THOUSAND, "1000000"), ("mm and g mm²", THOUSAND, "1000000000"))
        for lengths in (dict.fromkeys(names, length),)
    ),
    in_units("the mass of every body is halved", "mass", mass="1/2"),
    in_units("the mass of every body counts twice", "mass", mass="2"),
    in_units("damping is per degree instead of per radian", "units", damping=RADIAN),
    in_units("damping counts twice", "damping", damping="2"),
    *(
        Fault(f"{what} of the next joint is taken", f"{what} of each joint", mechanism=wm.shifted(what, -1))
        for what in ("armature", "damping")
    ),
    Fault(
        "armature multiplies the velocity instead of the acceleration",
        "armature",
        (
            Edit("rnea", "link.armature * qdd[link.v]", "link.armature * qd[link.v]"),
            Edit("aba", "[..., None] * link.armature", "[..., None] * 0"),
            Edit("aba", "link.damping * qd[link.v]", "(link.damping + link.armature) * qd[link.v]"),
            Edit("crba", "H[k, k] + link.armature[k - link.v.start]", "H[k, k]"),
        ),
        needs=has_armature,
    ),
    Fault(
        "damping multiplies the acceleration instead of the velocity",
        "damping",
        everywhere("link.damping * qd[link.v]", "link.damping * qdd[link.v]", "rnea"),
        needs=has_damping,
    ),
    Fault(
        "damping takes the velocity of the parent's joint",
        "damping",
        everywhere("link.damping * qd[link.v]", PARENTS_RATE, "rnea", "aba"),
        needs=has_damping,
    ),
    Fault(
        "bodies without inertia have 1 kg",
        "bodies without mass",
        mechanism=lambda m: wm.with_bodies(m, lambda i, b: bodies.one_kilogram(b, 0)),
        needs=has_massless_link,
    ),
    Fault(
        "bodies without inertia have 1 kg and 1 kg m²",
        "bodies without mass",
        mechanism=lambda m: wm.with_bodies(m, lambda i, b: bodies.one_kilogram(b, 1)),
        needs=has_massless_link,
    ),
    in_units("products of inertia have the opposite sign", "products of inertia", moments=("1", "1", "1", "-1", "-1", "-1")),
    in_units("the six moments of inertia are read row by row", "rotational inertia", order=(0, 3, 5, 1, 2, 4)),
    *(
        in_units(f"{names} are exchanged", "rotational inertia", order=order)
        for names, order in (
            ("Ixx and Iyy", (1, 0, 2, 3, 4, 5)),
            ("Ixx and Izz", (2, 1, 0, 3, 4, 5)),
            ("Ixy and Ixz", (0, 1, 2, 4, 3, 5)),
            ("Ixy and Iyz", (0, 1, 2, 5, 4, 3)),
            ("Ixz and Iyz", (0, 1, 2, 3, 5, 4)),
        )
    ),
    *TAKEN_OF_OTHERS,
    *(
        Fault(
            sentence.format("every body"),
            group,
            mechanism=partial(of_all, change),
        )
        for sentence, group, change in (
            *bodies.BODIES,
            *((words, "placements", joints.placed(place)) for words, place in joints.PLACEMENTS),
        )
        if sentence in ALSO_OF_ALL
    ),
)
"""Hypotheses about all bodies and joints."""
