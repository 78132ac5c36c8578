"""By how much a step misses the equations of a scheme, in ε-units.

The velocity is judged by forces, as accelerations are: e = M (v⁺ − v̂) / h, where v̂ is what the scheme's equations give with the
truth's accelerations. What is summed has the size

    Σ |bᵢ| size(τᵢ) + √J max √J (|v| + |v⁺|) / h

with the sizes of forces that are shared among the joints (:meth:`cross_check.judge.error_scale.sizes.ErrorScale.shared_force`),
and J as there: v⁺ is rounded to ε |v⁺|. Positions are judged by value. Their size is |q| + h |u|, where u is the velocity
with which they move, and by h² |M⁻¹| times the size of forces where u contains accelerations that the answer does not have.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Self

import numpy as np

from cross_check.judge.comparison.judgements import nearest_position
from cross_check.judge.error_scale.sizes import ErrorScale, in_epsilons
from cross_check.memory import Array
from cross_check.steps.alterations import Alteration, OfForce, OfImplicit
from cross_check.steps.following import Followed, followed
from cross_check.steps.motion import Motion
from cross_check.steps.moves import Chart
from cross_check.steps.schemes import Scheme
from cross_check.steps.taken import Step


@dataclass(frozen=True)
class Residual:
    """The misses of a step, of positions and then of forces, and the sizes of what is summed there: (batch, nq + nv)."""

    misses: Array
    sizes: Array

    @property
    def units(self) -> Array:
        """The misses in ε-units; infinite where a scheme leads nowhere."""
        return np.nan_to_num(in_epsilons(self.misses, self.sizes), nan=np.inf)

    @property
    def by_state(self) -> Array:
        """The largest miss of each state (batch,)."""
        return self.units.max(axis=1, initial=0.0)

    @property
    def worst(self) -> float:
        """The largest of all."""
        return float(self.by_state.max(initial=0.0))


class Equations:
    """The schemes' equations for one mechanism."""

    def __init__(self, motion: Motion, scale: ErrorScale) -> None:
        self.motion, self.scale, self.mechanism = motion, scale, motion.mechanism
        self._alteration: Alteration | None = None

    def altered(self, alteration: Alteration) -> Self:
        """The same equations with an alteration. Accelerations that are known already are kept where forces do not change."""
        altered = copy(self)
        altered._alteration = alteration
        if isinstance(alteration, OfForce | OfImplicit):
            altered.motion = Motion(self.motion.truth, alteration)
        return altered

    def residual(self, scheme: Scheme, chart: Chart, step: Step) -> Residual:
        """By how much the step misses the scheme's equations."""
        with np.errstate(all="ignore"):
            given = self.followed(scheme, chart, step)
            inertia = np.sqrt(self.scale.subtree_inertias(step.next_q))
            speed = (inertia * (abs(step.v) + abs(step.next_v))).max(axis=1, keepdims=True) / step.h
            coarseness = self.scale.precision.coarseness
            sizes = coarseness * given.moves, given.forces + coarseness * inertia * speed
            return Residual(self._missed(given, step), np.concatenate(sizes, axis=1))

    def misses(self, scheme: Scheme, chart: Chart, step: Step) -> Array:
        """The misses alone (batch, nq + nv), for those who know the sizes."""
        with np.errstate(all="ignore"):
            return self._missed(self.followed(scheme, chart, step, with_sizes=False), step)

    def followed(self, scheme: Scheme, chart: Chart, step: Step, with_sizes: bool = True) -> Followed:
        """What the scheme makes of the states, with the alteration; NaN if it leads to numbers that are not finite."""
        if self._alteration is not None:
            step, scheme = self._alteration.of_step(self.mechanism, step), self._alteration.of_scheme(scheme)
        return followed(self.motion, self.scale if with_sizes else None, scheme, chart, step)

    def _missed(self, given: Followed, step: Step) -> Array:
        forces = (self.motion.mass_matrix(step.next_q) @ (step.next_v - given.v)[..., None])[..., 0] / step.h
        return np.concatenate([nearest_position(self.mechanism, step.next_q, given.q) - given.q, forces], axis=1)
