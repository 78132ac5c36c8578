"""Invariants: equations between the answers about one mechanism.

Errors are in ε-units as elsewhere: the violation over ε times the size of what was summed. Where a derivative is
needed it is a central difference of eighth order along the mechanism's motion, whose step h amplifies rounding by 1/h
and whose truncation stays below that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cross_check.exchange.results import INFINITE, Cell, Invariant
from cross_check.judge.comparison.judgements import bounded
from cross_check.judge.error_scale.sizes import in_epsilons
from cross_check.judge.relations.relation import Asked, Errors, NotOffered, Relation
from cross_check.memory import Array
from mechanisms.quantities import QUANTITIES, Quantity
from mechanisms.states import integrate

STENCIL = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
"""Offsets and weights of f(+) − f(−) (Fornberg 1988, Table 1)."""


class Subject:
    """An implementation's answers about one mechanism at some states."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.states = asked, asked.states
        self.mechanism, self.size = asked.case.mechanism, asked.scale.size
        self.resistance = self.mechanism.arrays.resistance(self.states.v)
        self.h = 2.0**-6 / (1 + np.abs(self.states.v).sum(axis=1))
        self.reach = np.abs(self.states.q).max(axis=1)
        """Moving q by h v rounds it by ε times this, and what is differentiated by that times its slope."""

    def __call__(self, quantity: str, *arguments: Array) -> Array:
        return self.asked.ask(self.asked.loaded, quantity, *arguments)

    def require_regular_mass_matrix(self) -> None:
        self.asked.case.mass_matrix.require_regular(self.states.q)

    def rate(self, function: Callable[[Array, Array], Array]) -> Array:
        """d/ds function(q ⊕ s v, v + s a) at s = 0, for every state."""
        # One batch has all displaced states: most code takes hardly longer for it than for one of the displacements.
        s, offsets = self.states, [sign * k for k, _ in STENCIL for sign in (1, -1)]
        steps = np.concatenate([offset * self.h for offset in offsets])[:, None]
        q, v, a = (np.tile(x, (len(offsets), 1)) for x in (s.q, s.v, s.a))
        values = function(integrate(self.mechanism, q, steps * v), v + steps * a)
        moved = values.reshape(len(STENCIL), 2, len(self.h), *values.shape[1:])
        total: Any = sum(weight * (ahead - back) for (_, weight), (ahead, back) in zip(STENCIL, moved, strict=True))
        return total / self.h.reshape(-1, *[1] * (total.ndim - 1))


def symmetry(subject: Subject) -> Array:
    """M = Mᵀ."""
    q = subject.states.q
    M = subject("mass_matrix", q)
    return in_epsilons(M - M.swapaxes(1, 2), subject.size("mass_matrix", q))


def positive_definiteness(subject: Subject) -> Array:
    """xᵀ M x > 0 for every x: the most negative eigenvalue of M, scaled to a unit diagonal, counts as an error."""
    M = subject("mass_matrix", subject.states.q)
    subject.require_regular_mass_matrix()
    diagonal = np.diagonal(M, axis1=1, axis2=2)
    if (diagonal <= 0).any():
        return np.array([INFINITE])
    scale = 1 / np.sqrt(diagonal)
    scaled = scale[:, :, None] * M * scale[:, None, :]
    if not np.isfinite(scaled).all():
        return np.array([INFINITE])
    least = np.linalg.eigvalsh((scaled + scaled.swapaxes(1, 2)) / 2)[:, 0]
    return in_epsilons(np.minimum(least, 0), np.full(len(least), M.shape[1] * subject.mechanism.precision.coarseness))


def inversion(subject: Subject) -> Array:
    """ID(q, v, FD(q, v, τ)) = τ."""
    s = subject.states
    subject.require_regular_mass_matrix()
    a = subject("forward_dynamics", s.q, s.v, s.tau)
    return in_epsilons(subject("inverse_dynamics", s.q, s.v, a) - s.tau, subject.asked.scale.shared_force(s.q, s.v, a))


def power_balance(subject: Subject) -> Array:
    """d(T + V)/dt = vᵀ (τ − the forces of damping and friction): energy changes by the work of the joints alone."""
    s = subject.states
    power = (s.v * (subject("inverse_dynamics", s.q, s.v, s.a) - subject.resistance)).sum(axis=1)
    rate = subject.rate(lambda q, v: subject("kinetic_energy", q, v) + subject("potential_energy", q))
    energies = subject.size("kinetic_energy", s.q, s.v) + subject.size("potential_energy", s.q)
    forces = subject.size("inverse_dynamics", s.q, s.v, s.a)
    rounding = (energies + subject.reach * forces.sum(axis=1)) / subject.h
    return in_epsilons(rate - power, rounding + (np.abs(s.v) * forces).sum(axis=1))


def passivity(subject: Subject) -> Array:
    """vᵀ (Ṁ − 2C) v = 0, with C v = h − g − the forces of damping and friction: velocity products do no work."""
    s = subject.states
    products = subject("nonlinear_effects", s.q, s.v) - subject("gravity", s.q) - subject.resistance
    Mdot = subject.rate(lambda q, v: subject("mass_matrix", q))
    work = np.einsum("bi,bij,bj->b", s.v, Mdot, s.v) - 2 * (s.v * products).sum(axis=1)
    masses = np.einsum("bi,bij,bj->b", np.abs(s.v), subject.size("mass_matrix", s.q), np.abs(s.v))
    forces = subject.size("nonlinear_effects", s.q, s.v)
    rounding = (masses + subject.reach * forces.sum(axis=1)) / subject.h
    return in_epsilons(work, rounding + 2 * (np.abs(s.v) * forces).sum(axis=1))


@dataclass(frozen=True)
class OfOneMechanism(Relation):
    """``violation`` gives errors (batch, …) in ε-units, from the answers for the quantities ``needs``."""

    violation: Callable[[Subject], Array]
    needs: tuple[str, ...]

    def errors(self, asked: Asked) -> Errors:
        if missing := [quantity for quantity in self.needs if not asked.loaded.offers(quantity)]:
            raise NotOffered(f"no {', '.join(missing)}")
        with np.errstate(over="ignore", invalid="ignore"):
            return {self.name: bounded(self.violation(Subject(asked)))}

    def quantities(self, key: str) -> list[Quantity]:
        return [QUANTITIES[name] for name in self.needs]


INVERSION = "ID∘FD = identity"

INVARIANTS = {
    name: OfOneMechanism(name, "", violation, needs)
    for name, violation, needs in (
        ("M = Mᵀ", symmetry, ("mass_matrix",)),
        ("M positive definite", positive_definiteness, ("mass_matrix",)),
        (INVERSION, inversion, ("inverse_dynamics", "forward_dynamics")),
        ("power balance", power_balance, ("inverse_dynamics", "kinetic_energy", "potential_energy")),
        ("vᵀ(Ṁ − 2C)v = 0", passivity, ("mass_matrix", "nonlinear_effects", "gravity")),
    )
}
"""Every invariant, by name."""


def with_lost_digits(invariant: Invariant, cells: Sequence[Cell], bar: float) -> Invariant:
    """The invariant. If it is ID∘FD = identity and broken, but by no more than forward dynamics has lost, it has lost digits.

    ID(q, v, FD) − τ is the residual of forward dynamics and the error of inverse dynamics together.
    """
    if invariant.name != INVERSION or invariant.verdict != "discrepancy":
        return invariant
    forward, inverse = (next((c for c in cells if c.quantity == f"{way}_dynamics"), None) for way in ("forward", "inverse"))
    if not (forward and inverse and forward.verdict == "lost digits" and inverse.verdict == "agrees"):
        return invariant
    is_explained = (invariant.error or 0.0) <= 1.01 * (forward.error or 0.0) + bar
    return replace(invariant, verdict="lost digits", message=forward.message) if is_explained else invariant
