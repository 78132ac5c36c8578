"""Suppositions: cases in which the code with a given fault is right. The judgements of a check then tell whether code under
test has just this fault.

The reference in float64 serves as the truth, so that no oracle is needed and any mechanism can be tried at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cross_check.explain.faults.fault import NO_FAULT, Fault
from cross_check.explain.faults.mutants import MutantDynamics
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.sampling import States
from cross_check.judge.comparison.truth import ReferenceTruth
from cross_check.judge.error_scale.sizes import ErrorScale
from cross_check.memory import Array
from implementations.protocol import Unsupported
from mechanisms import Mechanism

LARGEST_CONDITION = 1e14
"""Of the mass matrix of code with a fault; beyond that, M a says nothing about a."""


class SupposedTruth(ReferenceTruth):
    """The reference with one fault, in float64, in the place of the truth."""

    def __init__(
        self,
        mechanism: Mechanism,
        fault: Fault = NO_FAULT,
        dynamics: MutantDynamics | None = None,
        tau: Array | None = None,
    ) -> None:
        super().__init__(mechanism, dynamics or MutantDynamics(fault, mechanism))
        own = any(edit.module == "aba" for edit in fault.edits)
        reads = fault.changes(mechanism) and bool(own or fault.state or fault.answer or fault.condition)
        self._tau = tau if reads else None

    def forces(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """τ (batch, nv) that a needs.

        Code that takes τ for another, answers otherwise, or has a fault of its own there, does not invert its inverse dynamics.
        What it answers to τ is known, so a needs M times its distance from that more than τ. Raises :class:`Unsupported` if this
        M is singular: then any a would do.
        """
        if self._tau is None:
            return super().forces(q, v, a)
        M = self.values("mass_matrix", q)
        if not (np.linalg.cond(M) < LARGEST_CONDITION).all():
            raise Unsupported("code with this fault has a singular M")
        off = a - self.dynamics.forward_dynamics(q, v, self._tau)
        tau: Array = self._tau + np.einsum("bij,bj->bi", M, off)
        return tau, np.zeros_like(tau)


def suppose(
    mechanism: Mechanism,
    states: States,
    fault: Fault = NO_FAULT,
    scale: ErrorScale | None = None,
    dynamics: MutantDynamics | None = None,
) -> Case:
    """The case in which the reference with ``fault`` is right, at these states. ``states.tau`` is kept.

    ``scale`` is that of the mechanism, and ``dynamics`` the code with the fault, for callers that have them already.
    """
    truth = SupposedTruth(mechanism, fault, dynamics, states.tau)
    return Case.of(mechanism, truth, scale or ErrorScale(mechanism), states)


def with_forces(mechanism: Mechanism, states: States) -> States:
    """The states with the τ that the reference has there, for forward dynamics."""
    tau: Any = SupposedTruth(mechanism).dynamics.inverse_dynamics(states.q, states.v, states.a)
    return states.with_forces(np.asarray(tau, dtype=np.float64))


def restrictions(states: States, arguments: Sequence[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """The velocities, accelerations and forces that are set to zero of a quantity's arguments, in words; last none.

    At rest fewer terms enter than with accelerations or velocities alone, and then fewer than in motion.
    """
    still, calm = np.zeros_like(states.v), np.zeros_like(states.f)
    if "v" in arguments:
        yield {"v": still, "a": still, "f": calm}, "at rest" if {"a", "tau"} & {*arguments} else "without velocity"
    if "a" in arguments or "tau" in arguments:
        yield {"v": still, "f": calm}, "with accelerations alone"
        yield {"a": still, "f": calm}, "with velocities alone"
    if "f" in arguments:
        yield {"v": still, "a": still}, "with forces on the bodies alone"
        yield {"f": calm}, "without forces on the bodies"
    yield {}, ""


def having_forces(mechanism: Mechanism, states: States) -> States:
    """The states; if no τ was given, with that of :func:`with_forces`."""
    return states if states.has_forces else with_forces(mechanism, states)
