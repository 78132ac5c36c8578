"""Known faults of released engines, by engine and version. A known fault does not block a run and does not hide another one.

A finding defines a fault by a repair that undoes it. A discrepancy is known only if it shows again, and if the repair changes the
wrong answers to right ones (:mod:`cross_check.known_faults`); any other fault in the same cell remains a discrepancy.
``docs/findings/`` has one page per finding, with a minimal reproduction and the proof that the engine is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from cross_check.findings.average_velocity import from_momentum
from cross_check.findings.constraint_derivatives import with_moving_axes_of_constraints, without_extra_column
from cross_check.findings.dart import WithInverse, WithoutSlides, without_small_turns, without_whole_turns
from cross_check.findings.fixed_axes import MISSING_TERMS
from cross_check.findings.impacts import add_second_velocity
from cross_check.findings.integration import (
    with_right_sign,
    without_cosines,
    without_quotients,
    without_small_angles,
    without_whole_turns_of_twists,
)
from cross_check.findings.loop_rows import right_rows
from cross_check.findings.motion_derivatives import (
    in_order,
    with_joints_alone,
    with_moving_axes,
    with_moving_origins,
    with_rates_of_parents,
)
from cross_check.findings.mujoco import with_own_places
from cross_check.findings.rbdl_repairs import add_first_velocity_products, reverse_damping
from cross_check.findings.repaired import Repaired
from cross_check.findings.still_center import move_center
from cross_check.findings.turning_base import add_turning_base
from implementations.algorithms import evaluate_in_blocks
from implementations.field import Real
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.jcalc import transforms, velocity_product
from implementations.spatial_algebra.kinematics import all_in_frame
from implementations.spatial_algebra.model import Model, build
from mechanisms import Mechanism
from mechanisms.quantities import FRAMES


@dataclass(frozen=True)
class Finding:
    """A fault of one engine, in all versions that the regular expression ``versions`` matches completely."""

    name: str
    implementation: str
    versions: str
    repair: Callable[[Mechanism, Dynamics], Dynamics]
    """The engine's dynamics of a mechanism with the fault undone."""

    @property
    def page(self) -> str:
        return f"docs/findings/{self.name}.md"

    @property
    def text(self) -> str:
        """The page, in Markdown. The wheel has the pages beside this module."""
        packaged = Path(__file__).with_name("pages") / f"{self.name}.md"
        return (packaged if packaged.exists() else Path(__file__).parents[2] / self.page).read_text("utf-8")

    @property
    def title(self) -> str:
        """The title of the page, as plain text."""
        return self.text.partition("\n")[0].lstrip("# ").replace("`", "")


def _add_unaligned_armature(mechanism: Mechanism, dynamics: Dynamics) -> Dynamics:
    """Add the ½ armature q̇² that is missing for revolute and helical joints about any axis but +x, +y and +z."""
    joints = [body.joint for body in mechanism.bodies]
    unaligned = [joint.kind in ("revolute", "helical") and sorted(joint.axis) != [0, 0, 1] for joint in joints]
    missing = mechanism.arrays.per_coordinate(mechanism.arrays.armature * unaligned)
    return Repaired(dynamics, kinetic_energy=lambda q, v: dynamics.kinetic_energy(q, v) + (missing * v * v).sum(axis=1) / 2)


def _add_subspace_rates(mechanism: Mechanism, dynamics: Dynamics) -> Dynamics:
    """Add Ṡ q̇ to J̇ v, for joints whose axes move in the body's frame."""
    model = build(mechanism, Real())

    def drifts(frame: str, q: Array, v: Array) -> Array:
        missing = evaluate_in_blocks(partial(_subspace_rates, frame=frame), model, (q, v))
        return getattr(dynamics, f"drifts_{frame}")(q, v) + missing

    return Repaired(dynamics, **{f"drifts_{frame}": partial(drifts, frame) for frame in FRAMES})


def _subspace_rates(model: Model, q: Array, qd: Array, frame: str) -> Array:
    """Σ Ṡ q̇ over the joints on the path from the root to every body (bodies, 6, batch)."""
    X, S = transforms(model, q)
    sums: list[Array] = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        own = velocity_product(S[i], qd[link.v]) if link.compound else np.zeros((6, q.shape[-1]))
        sums.append(own if λ < 0 else X[i] @ sums[λ] + own)
    return all_in_frame(frame, model, X, sums)


def _add_moving_axes(mechanism: Mechanism, dynamics: Dynamics) -> Dynamics:
    """Add the terms of derivatives and of C that are due to axes that move in the body's frame."""
    dynamics = with_moving_axes_of_constraints(mechanism, with_moving_axes(mechanism, dynamics))
    model = build(mechanism, Real())

    def repaired(quantity: str, *state: Array) -> Array:
        return getattr(dynamics, quantity)(*state) + evaluate_in_blocks(MISSING_TERMS[quantity], model, state)

    return Repaired(dynamics, **{quantity: partial(repaired, quantity) for quantity in MISSING_TERMS})


DARTS = r"6\.(16\.[2-7]|17\.[01]|18\.0|19\.[0-5]|20\.0)"

INTEGRATED = r"3\.[49]\.0|4\.[01]\.0"

FINDINGS = (
    Finding(
        "pinocchio-kinetic-energy-unaligned-armature",
        "pinocchio",
        r"3\.(3\.1|[4789]\.0)|4\.[01]\.0",
        _add_unaligned_armature,
    ),
    Finding(
        "pinocchio-jacobian-time-variation-subspace",
        "pinocchio",
        r"3\.(3\.1|[4789]\.0)|4\.[01]\.0",
        _add_subspace_rates,
    ),
    Finding("pinocchio-kinematic-hessian-order", "pinocchio", r"4\.[01]\.0", in_order),
    Finding(
        "pinocchio-derivatives-subspace",
        "pinocchio",
        r"3\.(3\.1|[4789]\.0)|4\.[01]\.0",
        _add_moving_axes,
    ),
    Finding("pinocchio-constraint-derivatives-first-column", "pinocchio", r"3\.[49]\.0|4\.[01]\.0", without_extra_column),
    Finding("pinocchio-impulse-second-joint", "pinocchio", r"3\.[49]\.0|4\.[01]\.0", add_second_velocity),
    Finding("rbdl-loop-constraint-rows", "rbdl", r"3\.3\.1( \(biorbd 1\.12\.4\))?", right_rows),
    Finding(
        "pinocchio-acceleration-derivatives-world",
        "pinocchio",
        r"2\.7\.0|3\.[4789]\.0|4\.[01]\.0",
        with_rates_of_parents,
    ),
    Finding("pinocchio-motion-derivatives-aligned", "pinocchio", r"3\.[479]\.0|4\.[01]\.0", with_moving_origins),
    Finding("pinocchio-kinematic-hessian-local", "pinocchio", r"4\.[01]\.0", with_joints_alone),
    Finding(
        "pinocchio-centroidal-map-rate",
        "pinocchio",
        r"2\.7\.0|3\.[4789]\.0|4\.[01]\.0",
        move_center,
    ),
    Finding("pinocchio-jexp3-sign", "pinocchio", INTEGRATED, with_right_sign),
    Finding("pinocchio-jexp6-small-angles", "pinocchio", INTEGRATED, without_small_angles),
    Finding("pinocchio-planar-small-turns", "pinocchio", INTEGRATED, without_quotients),
    Finding("pinocchio-angles-from-cosines", "pinocchio", INTEGRATED, without_cosines),
    Finding("pinocchio-jexp6-whole-turns", "pinocchio", INTEGRATED, without_whole_turns_of_twists),
    Finding(
        "rbdl-nonlinear-effects-euler-at-root",
        "rbdl",
        r"3\.3\.1",
        add_first_velocity_products,
    ),
    Finding(
        "biorbd-inverse-dynamics-damping",
        "rbdl",
        r"3\.3\.1 \(biorbd 1\.12\.4\)",
        reverse_damping,
    ),
    Finding("mujoco-nearly-the-same-frame", "mujoco", r"3\.(2|3)\.7|4\.0\.0", with_own_places),
    Finding("dart-small-rotation-vectors", "dart", DARTS, without_small_turns),
    Finding("dart-small-screws", "dart", DARTS, WithoutSlides),
    Finding("dart-small-rotation-vectors", "dart-urdf", DARTS, without_small_turns),
    Finding("dart-inverse-mass-matrix-welds", "dart-urdf", DARTS, WithInverse),
    Finding("dart-skew-axes-at-large-angles", "dart-urdf", DARTS, without_whole_turns),
    Finding("idyntree-coriolis-matrix-free-base", "idyntree", r"14\.2\.0|15\.1\.0", add_turning_base),
    Finding("idyntree-com-jacobian-digits", "idyntree", r"15\.1\.0", from_momentum),
    Finding("idyntree-com-jacobian-digits", "idyntree-urdf", r"15\.1\.0", from_momentum),
    Finding("idyntree-coriolis-matrix-free-base", "idyntree-urdf", r"14\.2\.0|15\.1\.0", add_turning_base),
)
"""``versions`` are those that were run and showed the fault."""


def findings_of(implementation: str, version: str, findings: tuple[Finding, ...] = FINDINGS) -> Iterator[Finding]:
    """The known faults of this version of this implementation."""
    return (
        finding for finding in findings if finding.implementation == implementation and re.fullmatch(finding.versions, version)
    )
