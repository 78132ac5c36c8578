"""Known faults of released engines: expected by name and version, so that they neither block a run nor hide a new one.

A finding says exactly what is wrong by undoing it. A discrepancy is known only if the repaired answers agree; any other
fault in the same place stays a discrepancy. Each finding has a minimal reproduction under ``docs/findings/``, with the
proof of who is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cross_check.findings.fixed_axes import LACKING
from implementations.algorithms import in_blocks
from implementations.field import Real
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.jcalc import transforms, velocity_product
from implementations.spatial_algebra.kinematics import all_seen
from implementations.spatial_algebra.model import Model, build
from mechanisms import Mechanism
from mechanisms.quantities import FRAMES


@dataclass(frozen=True)
class Finding:
    """A fault of one engine, in the versions that a regular expression matches whole."""

    name: str
    implementation: str
    versions: str
    repair: Callable[[Mechanism, Dynamics], Dynamics]
    """The engine's dynamics of a mechanism with the fault undone."""

    @property
    def page(self) -> str:
        return f"docs/findings/{self.name}.md"


class Repaired:
    """Dynamics in which some methods are replaced."""

    def __init__(self, dynamics: Dynamics, **methods: Callable[..., Any]) -> None:
        self._dynamics = dynamics
        vars(self).update(methods)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dynamics, name)


def _with_unaligned_armature(mechanism: Mechanism, dynamics: Dynamics) -> Dynamics:
    """Add the ½ armature q̇² that is left out for revolute and helical joints about any axis but +x, +y and +z."""
    joints = [body.joint for body in mechanism.bodies]
    skew = [joint.kind in ("revolute", "helical") and sorted(joint.axis) != [0, 0, 1] for joint in joints]
    forgotten = mechanism.arrays.per_coordinate(mechanism.arrays.armature * skew)
    return Repaired(dynamics, kinetic_energy=lambda q, v: dynamics.kinetic_energy(q, v) + (forgotten * v * v).sum(axis=1) / 2)


def _with_subspace_rates(mechanism: Mechanism, dynamics: Dynamics) -> Dynamics:
    """Add to J̇ v what Ṡ q̇ adds to it, of joints whose axes move in the body's frame."""
    model = build(mechanism, Real())

    def drifts(frame: str, q: Array, v: Array) -> Array:
        return getattr(dynamics, f"drifts_{frame}")(q, v) + in_blocks(partial(_subspace_rates, frame=frame), model, (q, v))

    return Repaired(dynamics, **{f"drifts_{frame}": partial(drifts, frame) for frame in FRAMES})


def _subspace_rates(model: Model, q: Array, qd: Array, frame: str) -> Array:
    """Σ Ṡ q̇ over the joints that carry every body (bodies, 6, batch)."""
    X, S = transforms(model, q)
    total: list[Array] = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        own = velocity_product(S[i], qd[link.v]) if link.compound else np.zeros((6, q.shape[-1]))
        total.append(own if λ < 0 else X[i] @ total[λ] + own)
    return all_seen(frame, model, X, total)


def _with_moving_axes(mechanism: Mechanism, dynamics: Dynamics) -> Dynamics:
    """Add to derivatives and to C what the way of axes that move in the body's frame adds to them."""
    model = build(mechanism, Real())

    def answer(quantity: str, *state: Array) -> Array:
        return getattr(dynamics, quantity)(*state) + in_blocks(LACKING[quantity], model, state)

    return Repaired(dynamics, **{quantity: partial(answer, quantity) for quantity in LACKING})


FINDINGS = (
    Finding(
        "pinocchio-kinetic-energy-unaligned-armature",
        "pinocchio",
        r"3\.(3\.1|[4789]\.0)|4\.[01]\.0",
        _with_unaligned_armature,
    ),
    Finding(
        "pinocchio-jacobian-time-variation-subspace",
        "pinocchio",
        r"3\.(3\.1|[4789]\.0)|4\.[01]\.0",
        _with_subspace_rates,
    ),
    Finding(
        "pinocchio-derivatives-subspace",
        "pinocchio",
        r"3\.(3\.1|[4789]\.0)|4\.[01]\.0",
        _with_moving_axes,
    ),
)
"""Versions are those in which the fault was found by running them."""


def findings_of(implementation: str, version: str, findings: tuple[Finding, ...] = FINDINGS) -> Iterator[Finding]:
    """The known faults of this version of this implementation."""
    return (f for f in findings if f.implementation == implementation and re.fullmatch(f.versions, version))
