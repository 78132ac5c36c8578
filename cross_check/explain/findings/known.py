"""Known faults of released engines, by engine and version. A known fault does not block a run and does not hide another one.

A finding predicts the wrong numbers (:mod:`cross_check.explain.findings.finding`). A discrepancy is known only if it shows again,
and if the answer, less the predicted errors, is right (:mod:`cross_check.explain.known_faults`); any other fault in the same cell
remains a discrepancy. ``docs/findings/`` has one page per finding, with a minimal reproduction and the proof that the engine is
wrong.
"""

from __future__ import annotations

import re

from cross_check.explain.findings import constraint_derivatives, constraint_rows, dart, integration, missing_terms
from cross_check.explain.findings import motion_derivatives as motions
from cross_check.explain.findings.average_velocity import digits_of_inverse
from cross_check.explain.findings.finding import Finding, Functions
from cross_check.explain.findings.nearly_the_same import with_coordinate_axes, without_own_places
from implementations.protocol import Dynamics
from mechanisms import Mechanism


def _with_fixed_axes(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Derivatives and C without the terms that are due to axes that move in the body's frame."""
    of_constraints = constraint_derivatives.with_fixed_axes_of_constraints(mechanism, right)
    return {**missing_terms.with_fixed_axes(mechanism, right), **of_constraints}


AXES = r"3\.(3\.1|[4789]\.0)|4\.[01]\.0"
MOTIONS = r"2\.7\.0|3\.[4789]\.0|4\.[01]\.0"
INTEGRATED = r"3\.[49]\.0|4\.[01]\.0"
RBDL, BIORBD = r"3\.3\.1", r"3\.3\.1 \(biorbd 1\.12\.4\)"
DARTS = r"6\.(16\.[2-7]|17\.[01]|18\.0|19\.[0-5]|20\.0)"
IDYNTREES = r"14\.2\.0|15\.1\.0"
JAXSIMS = r"0\.9\.0( \(JAX .*\))?"
"""Versions that share faults; those of Pinocchio by what its faults concern."""

FINDINGS = (
    Finding("pinocchio-kinetic-energy-unaligned-armature", "pinocchio", AXES, missing_terms.without_unaligned_armature),
    Finding("pinocchio-jacobian-time-variation-subspace", "pinocchio", AXES, missing_terms.without_subspace_rates),
    Finding(
        "pinocchio-kinematic-hessian-order", "pinocchio", r"4\.[01]\.0", motions.in_another_order, motions.of_numbers_elsewhere
    ),
    Finding("pinocchio-derivatives-subspace", "pinocchio", AXES, _with_fixed_axes),
    Finding("pinocchio-constraint-derivatives-first-column", "pinocchio", INTEGRATED, constraint_derivatives.with_extra_column),
    Finding("pinocchio-impulse-second-joint", "pinocchio", INTEGRATED, constraint_rows.without_second_velocity),
    Finding(
        "rbdl-loop-constraint-rows", "rbdl", f"{RBDL}|{BIORBD}", constraint_rows.with_rbdls_rows, constraint_rows.of_rbdls_sums
    ),
    Finding("pinocchio-acceleration-derivatives-world", "pinocchio", MOTIONS, motions.with_own_rates),
    Finding("pinocchio-motion-derivatives-aligned", "pinocchio", r"3\.[479]\.0|4\.[01]\.0", motions.with_still_origins),
    Finding("pinocchio-kinematic-hessian-local", "pinocchio", r"4\.[01]\.0", motions.with_products_in_joints),
    Finding("pinocchio-centroidal-map-rate", "pinocchio", MOTIONS, missing_terms.about_still_center),
    Finding("pinocchio-jexp3-sign", "pinocchio", INTEGRATED, integration.with_wrong_sign),
    Finding("pinocchio-jexp6-small-angles", "pinocchio", INTEGRATED, bound=integration.small_angles),
    Finding("pinocchio-planar-small-turns", "pinocchio", INTEGRATED, bound=integration.quotients),
    Finding(
        "pinocchio-angles-from-cosines",
        "pinocchio",
        INTEGRATED,
        integration.without_tiny_turns,
        integration.cosines,
        by_chance=True,
    ),
    Finding("pinocchio-jexp6-whole-turns", "pinocchio", INTEGRATED, bound=integration.whole_turns_of_twists),
    Finding("rbdl-nonlinear-effects-euler-at-root", "rbdl", RBDL, missing_terms.without_first_velocity_products),
    Finding("biorbd-inverse-dynamics-damping", "rbdl", BIORBD, missing_terms.with_reversed_damping),
    Finding("drake-nearly-coordinate-axes", "drake", r"1\.51\.1", with_coordinate_axes),
    Finding("drake-nearly-coordinate-axes", "drake-urdf", r"1\.51\.1", with_coordinate_axes),
    Finding("mujoco-nearly-the-same-frame", "mujoco", r"3\.(2|3)\.7|4\.0\.0", without_own_places),
    Finding("dart-small-rotation-vectors", "dart", DARTS, dart.with_short_series, dart.of_short_series),
    Finding("dart-small-screws", "dart", DARTS, dart.advancing_too_little),
    Finding("dart-small-rotation-vectors", "dart-urdf", DARTS, dart.with_short_series, dart.of_short_series),
    Finding("dart-inverse-mass-matrix-welds", "dart-urdf", DARTS, dart.without_welded_forces),
    Finding("idyntree-coriolis-matrix-free-base", "idyntree", IDYNTREES, missing_terms.without_turning_base),
    Finding("idyntree-com-jacobian-digits", "idyntree", r"15\.1\.0", bound=digits_of_inverse),
    Finding("idyntree-com-jacobian-digits", "idyntree-urdf", r"15\.1\.0", bound=digits_of_inverse),
    Finding("idyntree-coriolis-matrix-free-base", "idyntree-urdf", IDYNTREES, missing_terms.without_turning_base),
    Finding("jaxsim-potential-energy-sign", "jaxsim", JAXSIMS, missing_terms.with_reversed_potential),
)
"""``versions`` are those that were run and showed the fault."""


def findings_of(engine: str, version: str, findings: tuple[Finding, ...] = FINDINGS) -> tuple[Finding, ...]:
    """The known faults of this version of an engine, in the order of :class:`cross_check.explain.findings.finding.Prediction`.

    ``engine`` is the name of a registered adapter; nothing else has known faults, so it is empty for all other code.
    """
    return tuple(finding for finding in findings if finding.implementation == engine and re.fullmatch(finding.versions, version))
