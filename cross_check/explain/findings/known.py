"""Known faults of released engines, by engine and version. A known fault does not block a run and does not hide another one.

A finding predicts the wrong numbers (:mod:`cross_check.explain.findings.finding`). A discrepancy is known only if it shows again,
and if the answer, less the predicted errors, is right (:mod:`cross_check.explain.known_faults`); any other fault in the same cell
remains a discrepancy. ``docs/findings/`` has one page per finding, with a minimal reproduction and the proof that the engine is
wrong.
"""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from cross_check.explain.findings.average_velocity import digits_of_inverse
from cross_check.explain.findings.constraint_derivatives import with_extra_column, with_fixed_axes_of_constraints
from cross_check.explain.findings.dart import (
    advancing_too_little,
    of_short_series,
    with_short_series,
    without_welded_forces,
)
from cross_check.explain.findings.drake import with_coordinate_axes
from cross_check.explain.findings.finding import Finding, Functions, without_terms
from cross_check.explain.findings.fixed_axes import MISSING_TERMS
from cross_check.explain.findings.impacts import without_second_velocity
from cross_check.explain.findings.integration import (
    cosines,
    quotients,
    small_angles,
    whole_turns_of_twists,
    with_wrong_sign,
    without_tiny_turns,
)
from cross_check.explain.findings.loop_rows import of_rbdls_sums, with_rbdls_rows
from cross_check.explain.findings.motion_derivatives import (
    in_another_order,
    of_numbers_elsewhere,
    with_axes_fixed,
    with_own_rates,
    with_products_in_joints,
    with_still_origins,
)
from cross_check.explain.findings.mujoco import without_own_places
from cross_check.explain.findings.rbdl import with_reversed_damping, without_first_velocity_products
from cross_check.explain.findings.still_center import about_still_center
from cross_check.explain.findings.turning_base import without_turning_base
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.jcalc import transforms, velocity_product
from implementations.spatial_algebra.kinematics import all_in_frame
from implementations.spatial_algebra.model import Model
from mechanisms import Mechanism
from mechanisms.quantities import FRAMES


def _without_unaligned_armature(mechanism: Mechanism, right: Dynamics) -> Functions:
    """T without the ½ armature q̇² of revolute and helical joints about any axis but +x, +y and +z."""
    joints = [body.joint for body in mechanism.bodies]
    unaligned = [joint.kind in ("revolute", "helical") and sorted(joint.axis) != [0, 0, 1] for joint in joints]
    missing = mechanism.arrays.per_coordinate(mechanism.arrays.armature * unaligned)
    return {"kinetic_energy": lambda q, v: right.kinetic_energy(q, v) - (missing * v * v).sum(axis=1) / 2}


def _without_subspace_rates(mechanism: Mechanism, right: Dynamics) -> Functions:
    """J̇ v without Ṡ q̇, for joints whose axes move in the body's frame."""
    return without_terms(mechanism, right, {f"drifts_{frame}": partial(_subspace_rates, frame=frame) for frame in FRAMES})


def _subspace_rates(model: Model, q: Array, qd: Array, frame: str) -> Array:
    """Σ Ṡ q̇ over the joints on the path from the root to every body (bodies, 6, batch)."""
    X, S = transforms(model, q)
    sums: list[Array] = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        own = velocity_product(S[i], qd[link.v]) if link.compound else np.zeros((6, q.shape[-1]))
        sums.append(own if λ < 0 else X[i] @ sums[λ] + own)
    return all_in_frame(frame, model, X, sums)


def _with_fixed_axes(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Derivatives and C without the terms that are due to axes that move in the body's frame."""
    own = without_terms(mechanism, right, MISSING_TERMS)
    return {**own, **with_axes_fixed(mechanism, right), **with_fixed_axes_of_constraints(mechanism, right)}


DARTS = r"6\.(16\.[2-7]|17\.[01]|18\.0|19\.[0-5]|20\.0)"

INTEGRATED = r"3\.[49]\.0|4\.[01]\.0"

FINDINGS = (
    Finding(
        "pinocchio-kinetic-energy-unaligned-armature",
        "pinocchio",
        r"3\.(3\.1|[4789]\.0)|4\.[01]\.0",
        _without_unaligned_armature,
    ),
    Finding(
        "pinocchio-jacobian-time-variation-subspace",
        "pinocchio",
        r"3\.(3\.1|[4789]\.0)|4\.[01]\.0",
        _without_subspace_rates,
    ),
    Finding("pinocchio-kinematic-hessian-order", "pinocchio", r"4\.[01]\.0", in_another_order, of_numbers_elsewhere),
    Finding(
        "pinocchio-derivatives-subspace",
        "pinocchio",
        r"3\.(3\.1|[4789]\.0)|4\.[01]\.0",
        _with_fixed_axes,
    ),
    Finding("pinocchio-constraint-derivatives-first-column", "pinocchio", r"3\.[49]\.0|4\.[01]\.0", with_extra_column),
    Finding("pinocchio-impulse-second-joint", "pinocchio", r"3\.[49]\.0|4\.[01]\.0", without_second_velocity),
    Finding("rbdl-loop-constraint-rows", "rbdl", r"3\.3\.1( \(biorbd 1\.12\.4\))?", with_rbdls_rows, of_rbdls_sums),
    Finding(
        "pinocchio-acceleration-derivatives-world",
        "pinocchio",
        r"2\.7\.0|3\.[4789]\.0|4\.[01]\.0",
        with_own_rates,
    ),
    Finding("pinocchio-motion-derivatives-aligned", "pinocchio", r"3\.[479]\.0|4\.[01]\.0", with_still_origins),
    Finding("pinocchio-kinematic-hessian-local", "pinocchio", r"4\.[01]\.0", with_products_in_joints),
    Finding(
        "pinocchio-centroidal-map-rate",
        "pinocchio",
        r"2\.7\.0|3\.[4789]\.0|4\.[01]\.0",
        about_still_center,
    ),
    Finding("pinocchio-jexp3-sign", "pinocchio", INTEGRATED, with_wrong_sign),
    Finding("pinocchio-jexp6-small-angles", "pinocchio", INTEGRATED, bound=small_angles),
    Finding("pinocchio-planar-small-turns", "pinocchio", INTEGRATED, bound=quotients),
    Finding("pinocchio-angles-from-cosines", "pinocchio", INTEGRATED, without_tiny_turns, cosines, by_chance=True),
    Finding("pinocchio-jexp6-whole-turns", "pinocchio", INTEGRATED, bound=whole_turns_of_twists),
    Finding(
        "rbdl-nonlinear-effects-euler-at-root",
        "rbdl",
        r"3\.3\.1",
        without_first_velocity_products,
    ),
    Finding(
        "biorbd-inverse-dynamics-damping",
        "rbdl",
        r"3\.3\.1 \(biorbd 1\.12\.4\)",
        with_reversed_damping,
    ),
    Finding("drake-nearly-coordinate-axes", "drake", r"1\.51\.1", with_coordinate_axes),
    Finding("drake-nearly-coordinate-axes", "drake-urdf", r"1\.51\.1", with_coordinate_axes),
    Finding("mujoco-nearly-the-same-frame", "mujoco", r"3\.(2|3)\.7|4\.0\.0", without_own_places),
    Finding("dart-small-rotation-vectors", "dart", DARTS, with_short_series, of_short_series),
    Finding("dart-small-screws", "dart", DARTS, advancing_too_little),
    Finding("dart-small-rotation-vectors", "dart-urdf", DARTS, with_short_series, of_short_series),
    Finding("dart-inverse-mass-matrix-welds", "dart-urdf", DARTS, without_welded_forces),
    Finding("idyntree-coriolis-matrix-free-base", "idyntree", r"14\.2\.0|15\.1\.0", without_turning_base),
    Finding("idyntree-com-jacobian-digits", "idyntree", r"15\.1\.0", bound=digits_of_inverse),
    Finding("idyntree-com-jacobian-digits", "idyntree-urdf", r"15\.1\.0", bound=digits_of_inverse),
    Finding("idyntree-coriolis-matrix-free-base", "idyntree-urdf", r"14\.2\.0|15\.1\.0", without_turning_base),
)
"""``versions`` are those that were run and showed the fault."""


def findings_of(engine: str, version: str, findings: tuple[Finding, ...] = FINDINGS) -> tuple[Finding, ...]:
    """The known faults of this version of an engine, in the order of :class:`cross_check.explain.findings.finding.Prediction`.

    ``engine`` is the name of a registered adapter; nothing else has known faults, so it is empty for all other code.
    """
    return tuple(finding for finding in findings if finding.implementation == engine and re.fullmatch(finding.versions, version))
