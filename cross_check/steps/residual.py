"""By how much a step misses the equations of a scheme, in ε-units.

The velocity is judged by forces, as accelerations are: e = M (v⁺ − v̂) / h, where v̂ is what the scheme's equations give with the
truth's accelerations. What is summed has the size

    Σ |bᵢ| size(τᵢ) + √J max √J (|v| + |v⁺|) / h

with the sizes of forces that are shared among the joints (:meth:`cross_check.judge.error_scale.sizes.ErrorScale.shared_force`),
and J as there: v⁺ is rounded to ε |v⁺|. Positions are judged by value. Their size is |q| + h |u|, where u is the velocity
with which they move, and by h² |M⁻¹| times the size of forces where u contains accelerations that the answer does not have.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from cross_check.judge.comparison.judgements import nearest_position
from cross_check.judge.error_scale.sizes import ErrorScale, in_epsilons
from cross_check.memory import Array
from cross_check.steps.alterations import Alteration
from cross_check.steps.motion import Motion
from cross_check.steps.moves import Chart, between, change_of
from cross_check.steps.schemes import Row, Scheme


class Step(NamedTuple):
    """Steps of code: from states (batch, …), with forces held for a time h (batch, 1), to q⁺ and v⁺."""

    q: Array
    v: Array
    tau: Array
    h: Array
    before: Array
    """The force of the state that was asked before."""
    next_q: Array
    next_v: Array

    def pick(self, chosen: Array) -> Step:
        """Those of the states with these indices."""
        return Step(*(column[chosen] for column in self))


class Followed(NamedTuple):
    """What a scheme makes of the states, and the sizes of what it sums, both in our coordinates."""

    q: Array
    v: Array
    forces: Array
    """The size of forces (batch, nv)."""
    moves: Array
    """The size of q̂ (batch, nq)."""


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

    def residual(self, scheme: Scheme, chart: Chart, step: Step) -> Residual:
        """By how much the step misses the scheme's equations."""
        with np.errstate(all="ignore"):
            given = self.followed(scheme, chart, step)
            missed = (self.motion.mass_matrix(step.next_q) @ (step.next_v - given.v)[..., None])[..., 0] / step.h
            inertia = np.sqrt(self.scale.subtree_inertias(step.next_q))
            speed = (inertia * (abs(step.v) + abs(step.next_v))).max(axis=1, keepdims=True) / step.h
            q = nearest_position(self.mechanism, step.next_q, given.q)
            coarseness = self.scale.precision.coarseness
            misses, sizes = (q - given.q, missed), (coarseness * given.moves, given.forces + coarseness * inertia * speed)
            return Residual(np.concatenate(misses, axis=1), np.concatenate(sizes, axis=1))

    def followed(self, scheme: Scheme, chart: Chart, step: Step) -> Followed:
        """What the scheme makes of the states, by way of the answers where a stage is a share of the step."""
        step, scheme = _altered(step, self.motion.alteration), _reweighted(scheme, self.motion.alteration)
        part = step._replace(h=step.h / scheme.parts)
        given = self._once(scheme, chart, part)
        for _ in range(scheme.parts - 1):
            sizes = given.forces, given.moves
            given = self._once(scheme, chart, part._replace(q=given.q, v=given.v))
            given = given._replace(forces=np.maximum(sizes[0], given.forces), moves=sizes[1] + given.moves)
        return given

    def _once(self, scheme: Scheme, chart: Chart, step: Step) -> Followed:
        mechanism, h = self.mechanism, step.h
        change = change_of(mechanism, chart.conventions)
        w = change.velocity(step.q, step.v)
        force = change.force(step.q, step.tau)
        answer = scheme.parts == 1
        next_w = change.velocity(step.next_q, step.next_v) if answer else w
        ks, rates, q_rates, forces = list[Array](), list[Array](), list[Array](), np.zeros_like(step.v)
        sums = scheme.by_stages and chart.sums

        def displacement(speed: float, row: Row, weights: Row) -> Array:
            """What a position moves by, in the coordinates of the chart at q."""
            return h * (_sum(weights, rates, w) if scheme.by_stages else speed * w + h * _sum(row, ks, w))

        def moved(d: Array, weights: Row, start: Array = step.q) -> Array:
            if sums:
                return start + h * _sum(weights, q_rates, start)
            return chart.moved(mechanism, start, change.our_velocity(start, d))

        for i, node in enumerate(scheme.nodes):
            d = displacement(float(node), scheme.moved[i], scheme.gained[i])
            to, gain = scheme.share(i, "moved"), scheme.share(i, "gained")
            if to is None:
                Q = moved(d, scheme.gained[i]) if d.any() else step.q
            else:
                share, rest = to
                Q = step.next_q if share == 1 else between(mechanism, step.q, step.next_q, float(share))
                if any(rest) or node != share:
                    on = displacement(float(node - share), rest, gain[1] if gain else rest)
                    Q = chart.moved(mechanism, Q, change.our_velocity(Q, on))
            if gain is None:
                W = w + h * _sum(scheme.gained[i], ks, w)
            else:
                W = w + float(gain[0]) * (next_w - w) + h * _sum(gain[1], ks, w)
            V = change.our_velocity(Q, W)
            # Forces are held along the axes of the scheme's velocities.
            k = self.motion.acceleration(change, Q, V, change.our_force(Q, force), h, scheme.implicit)
            ks.append(change.acceleration(Q, V, k))
            rates.append(chart.rate(mechanism, d, W))
            if sums:
                q_rates.append(chart.q_rate(mechanism, Q, V))
            forces = forces + abs(float(scheme.gains[i])) * self.scale.shared_force(Q, V, k)
        made = w + h * _sum(scheme.gains, ks, w)
        exact = scheme.moves_with_the_answer and answer
        way = h * next_w if exact else displacement(1.0, scheme.moves, scheme.gains)
        q = moved(way - d, scheme.gains, Q) if scheme.goes_on else moved(way, scheme.gains)
        q = chart.summed(mechanism, q) if sums else q
        return Followed(q, change.our_velocity(step.next_q if answer else q, made), forces, self._size(step, way, forces, exact))

    def _size(self, step: Step, moved: Array, forces: Array, exact: bool) -> Array:
        """The size of every number of q̂. A quaternion, a cosine and a sine have the size one."""
        steps = np.abs(moved)
        if not exact:
            inverse = np.abs(np.linalg.inv(self.motion.truth.high_low("mass_matrix", step.q)[0]))
            steps = steps + step.h**2 * (inverse @ forces[..., None])[..., 0]
        size = np.maximum(np.abs(step.q), np.abs(step.next_q))
        for body, own, along in zip(self.mechanism.bodies, self.mechanism.q_slices, self.mechanism.v_slices, strict=True):
            for slot in body.joint.slots:
                whole = body.joint.velocity_is_body_twist or slot.form in ("quaternion", "circle")
                by = steps[:, along].max(axis=1, keepdims=True) if whole else steps[:, along][:, slot.v]
                one = 1.0 if slot.form in ("quaternion", "circle") else 0.0
                size[:, own][:, slot.q] = size[:, own][:, slot.q] + one + by
        return size


def _altered(step: Step, alteration: Alteration | None) -> Step:
    """What code with this alteration is given in place of the step."""
    if alteration is None or alteration.part not in ("force", "late", "step"):
        return step
    if alteration.part == "step":
        return step._replace(h=step.h * alteration.factor)
    other = step.tau if alteration.part == "force" else step.before - step.tau
    return step._replace(tau=step.tau + alteration.weights(step.tau.shape[1]) * other)


def _reweighted(scheme: Scheme, alteration: Alteration | None) -> Scheme:
    """The scheme with another weight of one stage."""
    if alteration is None or alteration.part != "stage":
        return scheme
    weights = [alteration.factor if k == alteration.coordinate else 1 for k in range(len(scheme.gains))]
    moves, gains = (tuple(Fraction(w) * x for w, x in zip(weights, row, strict=True)) for row in (scheme.moves, scheme.gains))
    return replace(scheme, moves=moves, gains=gains)


def _sum(row: Row, ks: list[Array], like: Array) -> Array:
    """Σ rowⱼ kⱼ over the stages that are there."""
    return sum((float(weight) * k for weight, k in zip(row, ks, strict=False) if weight), np.zeros_like(like))
