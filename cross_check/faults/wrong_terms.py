"""Terms that are left out, have the wrong sign, count twice or are halved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cross_check.faults.classical_terms import BY_UNIT_ACCELERATIONS, CLASSICAL_TERMS
from cross_check.faults.fault import Fault
from cross_check.faults.scaled import SPATIAL_TERMS, joints_of, scaled
from mechanisms import Mechanism

TERMS = (*SPATIAL_TERMS, *CLASSICAL_TERMS)

FACTORS = (0, -1, 2, 0.5)


def usual(mechanism: Mechanism) -> Iterator[Fault]:
    """Every term with the usual factors, everywhere; at single joints where no factor can be fitted.

    Terms that contribute to M come again, with an M that has the same fault.
    """
    for term in TERMS:
        if joints := joints_of(term, mechanism):
            faults = [scaled(term, factor) for factor in FACTORS]
            yield from faults
            if term.in_mass_matrix:
                yield from (replace(fault, edits=(*fault.edits, *BY_UNIT_ACCELERATIONS)) for fault in faults)
            if not term.is_affine and len(joints) > 1:
                yield from (scaled(term, factor, (joint,)) for joint in joints for factor in (0, -1))
