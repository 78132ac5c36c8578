"""Terms that are left out, have the wrong sign, count twice or are halved, and those that are computed otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cross_check.explain.faults.classical_terms import ABOUT_ROOT, CLASSICAL_TERMS
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.joint_forces import OF_JOINT_FORCES
from cross_check.explain.faults.other_velocities import POSITIVE_COSINE, READ_AS_ANGLE
from cross_check.explain.faults.routes import BY_UNIT_ACCELERATIONS
from cross_check.explain.faults.scaled import SPATIAL_TERMS, joints_of, scaled
from cross_check.explain.faults.wrong_dynamics import OF_DYNAMICS
from cross_check.explain.faults.wrong_kinematics import OF_KINEMATICS
from cross_check.explain.faults.wrong_matrices import OF_MATRICES
from cross_check.explain.faults.wrong_regressors import OF_REGRESSORS
from mechanisms import Mechanism

TERMS = (*SPATIAL_TERMS, *CLASSICAL_TERMS)

OTHERWISE: tuple[Fault, ...] = (
    ABOUT_ROOT,
    replace(ABOUT_ROOT, edits=(*ABOUT_ROOT.edits, *BY_UNIT_ACCELERATIONS)),
    *OF_JOINT_FORCES,
    *OF_DYNAMICS,
    *OF_KINEMATICS,
    *OF_MATRICES,
    *OF_REGRESSORS,
    READ_AS_ANGLE,
    POSITIVE_COSINE,
)
"""Terms and quantities that are computed in another way than by a factor."""

FACTORS = (0, -1, 2, 0.5)


def usual(mechanism: Mechanism) -> Iterator[Fault]:
    """Every term with the usual factors, everywhere; at single joints where no factor can be fitted.

    Then those that are computed otherwise. Terms that contribute to M come again, with an M that has the same fault.
    """
    for term in TERMS:
        if joints := joints_of(term, mechanism):
            faults = [scaled(term, factor) for factor in FACTORS if not term.is_whole]
            yield from faults
            if term.in_mass_matrix:
                yield from (replace(fault, edits=(*fault.edits, *BY_UNIT_ACCELERATIONS)) for fault in faults)
            if not term.is_affine and len(joints) > 1:
                yield from (scaled(term, factor, (joint,)) for joint in joints for factor in (0, -1))
    yield from (fault for fault in OTHERWISE if fault.changes(mechanism))
