"""Whether wrong answers follow from other wrong answers of the same code, so that one fault makes them all wrong.

Code whose M and h are wrong solves M q̈ + h = τ for another q̈, and is right in that. So its q̈ needs no cause of its own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.explain.diagnosis.laboratory import NoAnswer, Trial
from cross_check.judge.error_scale.sizes import in_epsilons
from cross_check.memory import Array

Own = Callable[[str], Array]
"""The code's answer about a quantity at the states of the trial."""


def _forward_by_mass_matrix(trial: Trial, own: Own) -> tuple[Array, Array]:
    s, a = trial.states, own("forward_dynamics")
    reached = np.einsum("bij,bj->bi", own("mass_matrix"), a) + own("nonlinear_effects")
    return reached - s.tau, trial.scale.shared_force(s.q, s.v, a)


def _forward_by_inverse(trial: Trial, own: Own) -> tuple[Array, Array]:
    s, a = trial.states, own("forward_dynamics")
    reached = trial.laboratory.ask(trial.mechanism, "inverse_dynamics", s.q, s.v, a)
    return reached - s.tau, trial.scale.shared_force(s.q, s.v, a)


def _inverse_by_mass_matrix(trial: Trial, own: Own) -> tuple[Array, Array]:
    s = trial.states
    reached = np.einsum("bij,bj->bi", own("mass_matrix"), s.a) + own("nonlinear_effects")
    return own("inverse_dynamics") - reached, trial.scale.size("inverse_dynamics", s.q, s.v, s.a)


def _bias_by_inverse(trial: Trial, own: Own) -> tuple[Array, Array]:
    s = trial.states
    tau = trial.laboratory.ask(trial.mechanism, "inverse_dynamics", s.q, s.v, 0 * s.a)
    return own("nonlinear_effects") - tau, trial.scale.size("nonlinear_effects", s.q, s.v)


def _bias_by_coriolis(trial: Trial, own: Own) -> tuple[Array, Array]:
    """h = C v + g + damping · v."""
    s, m = trial.states, trial.mechanism.arrays
    rest = own("gravity") + m.per_coordinate(m.damping) * s.v
    reached = np.einsum("bij,bj->bi", own("coriolis_matrix"), s.v) + rest
    return own("nonlinear_effects") - reached, trial.scale.size("nonlinear_effects", s.q, s.v)


def _gravity_by_bias(trial: Trial, own: Own) -> tuple[Array, Array]:
    s = trial.states
    h = trial.laboratory.ask(trial.mechanism, "nonlinear_effects", s.q, 0 * s.v)
    return own("gravity") - h, trial.scale.size("gravity", s.q)


def _mass_matrix_by_inverse(trial: Trial, own: Own) -> tuple[Array, Array]:
    """M e_j = ID(q, 0, e_j) − ID(q, 0, 0)."""
    s, still = trial.states, 0 * trial.states.v

    def tau(a: Array) -> Array:
        return trial.laboratory.ask(trial.mechanism, "inverse_dynamics", s.q, still, a)

    at_rest = tau(still)
    columns = [tau(still + unit) - at_rest for unit in np.eye(still.shape[1])]
    size = trial.scale.size("mass_matrix", s.q) + trial.scale.size("gravity", s.q)[:, :, None]
    return own("mass_matrix") - np.stack(columns, axis=2), size


def _kinetic_by_mass_matrix(trial: Trial, own: Own) -> tuple[Array, Array]:
    s = trial.states
    T = np.einsum("bi,bij,bj->b", s.v, own("mass_matrix"), s.v) / 2
    return own("kinetic_energy") - T, trial.scale.size("kinetic_energy", s.q, s.v)


EQUATIONS: tuple[tuple[str, tuple[str, ...], Callable[[Trial, Own], tuple[Array, Array]]], ...] = (
    ("nonlinear_effects", ("inverse_dynamics",), _bias_by_inverse),
    ("nonlinear_effects", ("coriolis_matrix", "gravity"), _bias_by_coriolis),
    ("gravity", ("nonlinear_effects",), _gravity_by_bias),
    ("mass_matrix", ("inverse_dynamics",), _mass_matrix_by_inverse),
    ("inverse_dynamics", ("mass_matrix", "nonlinear_effects"), _inverse_by_mass_matrix),
    ("kinetic_energy", ("mass_matrix",), _kinetic_by_mass_matrix),
    ("forward_dynamics", ("mass_matrix", "nonlinear_effects"), _forward_by_mass_matrix),
    ("forward_dynamics", ("inverse_dynamics",), _forward_by_inverse),
)
"""A quantity, the quantities from which it follows, and the violation of the equation with its size."""


def follows_from(trial: Trial, quantity: str, bar: float) -> tuple[tuple[str, ...], ...]:
    """The sets of other quantities from which the code's answers about ``quantity`` follow exactly."""
    found = []
    for name, sources, violation in EQUATIONS:
        if name != quantity:
            continue
        try:
            with np.errstate(all="ignore"):
                off, size = violation(trial, trial.answer)
        except NoAnswer:
            continue
        if np.nan_to_num(in_epsilons(off, size + 0 * off), nan=np.inf).max(initial=0) <= bar:
            found.append(sources)
    return tuple(found)
