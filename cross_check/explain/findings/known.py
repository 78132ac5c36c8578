"""Known faults of released engines, by engine and version. A known fault does not block a run and does not hide another one.

A finding predicts the wrong numbers (:mod:`cross_check.explain.findings.finding`). A discrepancy is known only if it shows again,
and if the answer, less the predicted errors, is right (:mod:`cross_check.explain.known_faults`); any other fault in the same cell
remains a discrepancy. ``docs/findings/`` has one page per finding, with a minimal reproduction and the proof that the engine is
wrong.
"""

from __future__ import annotations

import re

from cross_check.explain.findings.average_velocity import digits_of_inverse
from cross_check.explain.findings.constraint_derivatives import with_extra_column, with_fixed_axes_of_constraints
from cross_check.explain.findings.constraint_rows import of_rbdls_sums, with_rbdls_rows, without_second_velocity
from cross_check.explain.findings.dart import (
    advancing_too_little,
    of_short_series,
    with_short_series,
    without_welded_forces,
)
from cross_check.explain.findings.finding import Finding, Functions, lacking
from cross_check.explain.findings.fixed_axes import MISSING_TERMS
from cross_check.explain.findings.integration import (
    cosines,
    quotients,
    small_angles,
    whole_turns_of_twists,
    with_wrong_sign,
    without_tiny_turns,
)
from cross_check.explain.findings.missing_terms import (
    about_still_center,
    with_reversed_damping,
    without_first_velocity_products,
    without_subspace_rates,
    without_turning_base,
    without_unaligned_armature,
)
from cross_check.explain.findings.motion_derivatives import (
    FIXED_AXES,
    in_another_order,
    of_numbers_elsewhere,
    with_own_rates,
    with_products_in_joints,
    with_still_origins,
)
from cross_check.explain.findings.nearly_the_same import with_coordinate_axes, without_own_places
from implementations.protocol import Dynamics
from mechanisms import Mechanism


def _with_fixed_axes(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Derivatives and C without the terms that are due to axes that move in the body's frame."""
    own = lacking({**MISSING_TERMS, **FIXED_AXES})(mechanism, right)
    return {**own, **with_fixed_axes_of_constraints(mechanism, right)}


AXES = r"3\.(3\.1|[4789]\.0)|4\.[01]\.0"
MOTIONS = r"2\.7\.0|3\.[4789]\.0|4\.[01]\.0"
INTEGRATED = r"3\.[49]\.0|4\.[01]\.0"
RBDL, BIORBD = r"3\.3\.1", r"3\.3\.1 \(biorbd 1\.12\.4\)"
DARTS = r"6\.(16\.[2-7]|17\.[01]|18\.0|19\.[0-5]|20\.0)"
IDYNTREES = r"14\.2\.0|15\.1\.0"

FINDINGS = (
    Finding("pinocchio-kinetic-energy-unaligned-armature", "pinocchio", AXES, without_unaligned_armature),
    Finding("pinocchio-jacobian-time-variation-subspace", "pinocchio", AXES, without_subspace_rates),
    Finding("pinocchio-kinematic-hessian-order", "pinocchio", r"4\.[01]\.0", in_another_order, of_numbers_elsewhere),
    Finding("pinocchio-derivatives-subspace", "pinocchio", AXES, _with_fixed_axes),
    Finding("pinocchio-constraint-derivatives-first-column", "pinocchio", INTEGRATED, with_extra_column),
    Finding("pinocchio-impulse-second-joint", "pinocchio", INTEGRATED, without_second_velocity),
    Finding("rbdl-loop-constraint-rows", "rbdl", f"{RBDL}|{BIORBD}", with_rbdls_rows, of_rbdls_sums),
    Finding("pinocchio-acceleration-derivatives-world", "pinocchio", MOTIONS, with_own_rates),
    Finding("pinocchio-motion-derivatives-aligned", "pinocchio", r"3\.[479]\.0|4\.[01]\.0", with_still_origins),
    Finding("pinocchio-kinematic-hessian-local", "pinocchio", r"4\.[01]\.0", with_products_in_joints),
    Finding("pinocchio-centroidal-map-rate", "pinocchio", MOTIONS, about_still_center),
    Finding("pinocchio-jexp3-sign", "pinocchio", INTEGRATED, with_wrong_sign),
    Finding("pinocchio-jexp6-small-angles", "pinocchio", INTEGRATED, bound=small_angles),
    Finding("pinocchio-planar-small-turns", "pinocchio", INTEGRATED, bound=quotients),
    Finding("pinocchio-angles-from-cosines", "pinocchio", INTEGRATED, without_tiny_turns, cosines, by_chance=True),
    Finding("pinocchio-jexp6-whole-turns", "pinocchio", INTEGRATED, bound=whole_turns_of_twists),
    Finding("rbdl-nonlinear-effects-euler-at-root", "rbdl", RBDL, without_first_velocity_products),
    Finding("biorbd-inverse-dynamics-damping", "rbdl", BIORBD, with_reversed_damping),
    Finding("drake-nearly-coordinate-axes", "drake", r"1\.51\.1", with_coordinate_axes),
    Finding("drake-nearly-coordinate-axes", "drake-urdf", r"1\.51\.1", with_coordinate_axes),
    Finding("mujoco-nearly-the-same-frame", "mujoco", r"3\.(2|3)\.7|4\.0\.0", without_own_places),
    Finding("dart-small-rotation-vectors", "dart", DARTS, with_short_series, of_short_series),
    Finding("dart-small-screws", "dart", DARTS, advancing_too_little),
    Finding("dart-small-rotation-vectors", "dart-urdf", DARTS, with_short_series, of_short_series),
    Finding("dart-inverse-mass-matrix-welds", "dart-urdf", DARTS, without_welded_forces),
    Finding("idyntree-coriolis-matrix-free-base", "idyntree", IDYNTREES, without_turning_base),
    Finding("idyntree-com-jacobian-digits", "idyntree", r"15\.1\.0", bound=digits_of_inverse),
    Finding("idyntree-com-jacobian-digits", "idyntree-urdf", r"15\.1\.0", bound=digits_of_inverse),
    Finding("idyntree-coriolis-matrix-free-base", "idyntree-urdf", IDYNTREES, without_turning_base),
)
"""``versions`` are those that were run and showed the fault."""


def findings_of(engine: str, version: str, findings: tuple[Finding, ...] = FINDINGS) -> tuple[Finding, ...]:
    """The known faults of this version of an engine, in the order of :class:`cross_check.explain.findings.finding.Prediction`.

    ``engine`` is the name of a registered adapter; nothing else has known faults, so it is empty for all other code.
    """
    return tuple(finding for finding in findings if finding.implementation == engine and re.fullmatch(finding.versions, version))
