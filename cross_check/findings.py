"""Known faults of released engines: expected by name and version, so that they neither block a run nor hide a new one.

A finding says exactly what is wrong by undoing it. A discrepancy is known only if the repaired answers agree; any other
fault in the same place stays a discrepancy. Each finding has a minimal reproduction under ``docs/findings/``, with the
proof of who is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from implementations.protocol import Dynamics
from mechanisms import Mechanism


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
    """Add the ½ armature q̇² that is left out for revolute joints about any axis but +x, +y and +z."""
    forgotten = np.array(
        [
            float(body.joint.armature) if body.joint.kind == "revolute" and sorted(body.joint.axis) != [0, 0, 1] else 0.0
            for body in mechanism.bodies
            for _ in range(body.joint.nv)
        ]
    )
    return Repaired(dynamics, kinetic_energy=lambda q, v: dynamics.kinetic_energy(q, v) + (forgotten * v * v).sum(axis=1) / 2)


FINDINGS = (
    Finding(
        "pinocchio-kinetic-energy-unaligned-armature",
        "pinocchio",
        r"3\.(3\.1|[4789]\.0)|4\.[01]\.0",
        _with_unaligned_armature,
    ),
)
"""Versions are those in which the fault was found by running them."""


def findings_of(implementation: str, version: str, findings: tuple[Finding, ...] = FINDINGS) -> Iterator[Finding]:
    """The known faults of this version of this implementation."""
    return (f for f in findings if f.implementation == implementation and re.fullmatch(f.versions, version))
