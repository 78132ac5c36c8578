"""Whether wrong answers follow from other wrong answers of the same code, so that one fault makes them all wrong.

Code whose M and h are wrong solves M q̈ + h = τ for another q̈, and is right in that. So its q̈ needs no cause of its own.

A fault edits one algorithm of the reference, and the reference's derivatives are another. Code that differentiates its own
dynamics, by automatic differentiation or by the same wrong formula, carries the fault over.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cross_check.explain.diagnosis.laboratory import NoAnswer, Trial
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.following import FOLLOWING, following
from cross_check.judge.comparison.sampling import States
from cross_check.judge.error_scale.sizes import in_epsilons
from cross_check.memory import Array
from mechanisms.quantities import QUANTITIES

DERIVED = tuple(name for name in FOLLOWING if name != "mass_matrix")
"""The quantities that users know as derivatives."""


@dataclass(frozen=True)
class _Code:
    """What the code of a trial answers. The acceleration of ``states`` may be the code's own."""

    trial: Trial
    states: States

    def __call__(self, quantity: str, **changed: Any) -> Array:
        """The answer (batch, …) at the states, where some columns are ``changed``. Raises :class:`NoAnswer`."""
        if not changed and "a" not in QUANTITIES[quantity].arguments:
            return self.trial.answer(quantity)
        arguments = replace(self.states, **changed).arguments(QUANTITIES[quantity].arguments)
        return self.trial.laboratory.ask(self.trial.mechanism, quantity, *arguments)


def _by_mass_matrix(code: _Code) -> Array:
    return np.asarray(np.einsum("bij,bj->bi", code("mass_matrix"), code.states.a) + code("nonlinear_effects"))


def _by_coriolis(code: _Code) -> Array:
    """h = C v + g, and the forces of damping and friction."""
    v = code.states.v
    rest = code("gravity") + code.trial.mechanism.arrays.resistance(v)
    return np.asarray(np.einsum("bij,bj->bi", code("coriolis_matrix"), v) + rest)


def _by_unit_accelerations(code: _Code) -> Array:
    """M e_j = ID(q, 0, e_j) − ID(q, 0, 0)."""
    still = 0 * code.states.v
    at_rest = code("inverse_dynamics", v=still, a=still)
    return np.stack([code("inverse_dynamics", v=still, a=still + e) - at_rest for e in np.eye(still.shape[1])], axis=2)


def _energy(code: _Code) -> Array:
    return np.asarray(np.einsum("bi,bij,bj->b", code.states.v, code("mass_matrix"), code.states.v) / 2)


EQUATIONS: tuple[tuple[str, tuple[str, ...], Callable[[_Code], Array]], ...] = (
    ("nonlinear_effects", ("inverse_dynamics",), lambda code: code("inverse_dynamics", a=0 * code.states.a)),
    ("nonlinear_effects", ("coriolis_matrix", "gravity"), _by_coriolis),
    ("gravity", ("nonlinear_effects",), lambda code: code("nonlinear_effects", v=0 * code.states.v)),
    ("mass_matrix", ("inverse_dynamics",), _by_unit_accelerations),
    ("inverse_dynamics", ("mass_matrix", "nonlinear_effects"), _by_mass_matrix),
    ("kinetic_energy", ("mass_matrix",), _energy),
    ("forward_dynamics", ("mass_matrix", "nonlinear_effects"), _by_mass_matrix),
    ("forward_dynamics", ("inverse_dynamics",), lambda code: code("inverse_dynamics")),
)
"""A quantity, the quantities from which it follows, and what they give for it; for forward dynamics, τ at the code's own q̈."""


def follows_from(trial: Trial, quantity: str) -> tuple[tuple[str, ...], ...]:
    """The sets of other quantities from which the code's answers about ``quantity`` follow exactly."""
    found = []
    for sources, reached in ((sources, reached) for name, sources, reached in EQUATIONS if name == quantity):
        with suppress(NoAnswer), np.errstate(all="ignore"):
            states, seen = trial.states, trial.answer(quantity)
            if quantity == "forward_dynamics":
                states, seen = replace(states, a=seen), states.tau
                size = trial.scale.shared_force(states.q, states.v, states.a)
            else:
                size = trial.scale.size(quantity, *states.arguments(QUANTITIES[quantity].arguments))
            if quantity == "mass_matrix":
                size = size + trial.scale.size("gravity", states.q)[:, :, None]
            off = seen - reached(_Code(trial, states))
            if np.nan_to_num(in_epsilons(off, size + 0 * off), nan=np.inf).max(initial=0) <= trial.laboratory.loose:
                found.append(sources)
    return tuple(found)


def follows(trial: Trial, quantity: str, fault: Fault) -> bool:
    """Whether the answers are the derivatives of code with this fault, at every state.

    The code's own τ or q̈, if it answers that, must have the fault as well. Its q̈ may be that of forward dynamics with the fault,
    or the one that solves its inverse dynamics. A fault whose functions take no complex numbers predicts nothing.
    """
    if quantity not in FOLLOWING:
        return False
    dynamics = quantity.rpartition("_d")[0] if quantity in DERIVED else "inverse_dynamics"
    # Code that has the derivatives alone may compute them of any dynamics.
    with suppress(NoAnswer):
        if not trial.explains(dynamics, fault):
            return False
    try:
        ways = (following(fault, solves) for solves in (False, True))
        return any(trial.explains(quantity, one) for one in ways)
    except (NoAnswer, TypeError):
        return False
