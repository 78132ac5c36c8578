"""What a scheme makes of states: stage by stage, then the answer, by way of the code's answer where a stage is a share of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cross_check.judge.error_scale.sizes import EPSILON, ErrorScale
from cross_check.memory import Array
from cross_check.steps.motion import Motion
from cross_check.steps.moves import Chart, between, change_of
from cross_check.steps.schemes import Row, Scheme, Stage
from cross_check.steps.taken import Step
from mechanisms.errors import MechanismError
from mechanisms.joint_kinds import Form

LEAST: dict[Form, float] = {"quaternion": 1.0, "circle": 1.0, "angle": np.pi, "distance": 0.0}
"""The size that a number of a position has at least: code may keep angles from −π to π, by sums with π."""


class Followed(NamedTuple):
    """What a scheme makes of the states, and the sizes of what it sums, both in our coordinates."""

    q: Array
    v: Array
    forces: Array
    """The size of forces (batch, nv)."""
    moves: Array
    """The size of q̂ (batch, nq)."""


def followed(motion: Motion, scale: ErrorScale | None, scheme: Scheme, chart: Chart, step: Step) -> Followed:
    """What the scheme makes of the states; NaN if it leads to numbers that are not finite. Sizes are zero without a ``scale``."""
    part = step._replace(h=step.h / scheme.parts)
    try:
        given = Pass(motion, scale, scheme, chart, part).followed()
        if scheme.parts > 1:
            # The code holds τ along its own axes.
            change = change_of(motion.mechanism, chart.conventions)
            held = change.force(step.q, step.tau)
        for _ in range(scheme.parts - 1):
            sizes = given.forces, given.moves
            part = part._replace(q=given.q, v=given.v, tau=change.our_force(given.q, held))
            given = Pass(motion, scale, scheme, chart, part).followed()
            given = given._replace(forces=np.maximum(sizes[0], given.forces), moves=sizes[1] + given.moves)
        return given
    except (MechanismError, np.linalg.LinAlgError):
        nothing = (np.full_like(x, np.nan) for x in (step.q, step.v, step.v, step.q))
        return Followed(*nothing)


class Pass:
    """One pass through the stages of a scheme. Velocities w and their rates are in the coordinates of the chart."""

    def __init__(self, motion: Motion, scale: ErrorScale | None, scheme: Scheme, chart: Chart, step: Step) -> None:
        self._motion, self._scale, self._scheme, self._chart, self._step = motion, scale, scheme, chart, step
        self._mechanism, self._change = motion.mechanism, change_of(motion.mechanism, chart.conventions)
        self._has_answer = scheme.parts == 1
        self._w = self._change.velocity(step.q, step.v)
        self._next_w = self._change.velocity(step.next_q, step.next_v) if self._has_answer else self._w
        self._force = self._change.force(step.q, step.tau)
        self._sums = scheme.by_stages and chart.sums
        self._ks, self._rates, self._q_rates = list[Array](), list[Array](), list[Array]()
        self._forces = np.zeros_like(step.v)

    def followed(self) -> Followed:
        """All stages, then the answer."""
        q, d = self._step.q, np.zeros_like(self._w)
        for stage, weight in zip(self._scheme.stages, self._scheme.answer.gained, strict=True):
            q, d = self._evaluated(stage, float(weight))
        answer, h = self._scheme.answer, self._step.h
        made = self._w + h * _sum(answer.gained, self._ks, self._w)
        exact = self._scheme.moves_with_the_answer and self._has_answer
        way = float(answer.node) * h * self._next_w if exact else self._way(answer)
        q = self._moved(q, way - d, answer.moved) if self._scheme.goes_on else self._moved(self._step.q, way, answer.moved)
        q = self._chart.summed(self._mechanism, q) if self._sums else q
        at = self._step.next_q if self._has_answer else q
        moves = self._size(self._scale, way, exact or not any(answer.moved)) if self._scale else np.zeros_like(q)
        return Followed(q, self._change.our_velocity(at, made), self._forces, moves)

    def _evaluated(self, stage: Stage, weight: float) -> tuple[Array, Array]:
        """Evaluate the forces of a stage; its position, and by what it moved beyond a share of the whole step."""
        step, change = self._step, self._change
        d = self._way(stage)
        Q = step.q if not stage.along else between(self._mechanism, step.q, step.next_q, float(stage.along), self._sums)
        if d.any():
            Q = self._moved(Q, d, stage.moved)
        w = self._w + float(stage.gaining) * (self._next_w - self._w) + step.h * _sum(stage.gained, self._ks, self._w)
        v = change.our_velocity(Q, w)
        # Forces are held along the axes of the scheme's velocities.
        k = self._motion.acceleration(change, Q, v, change.our_force(Q, self._force), step.h, self._scheme.implicit)
        self._ks.append(change.acceleration(Q, v, k))
        self._rates.append(self._chart.rate(self._mechanism, d, w))
        if self._sums:
            self._q_rates.append(self._chart.q_rate(self._mechanism, Q, v))
        if self._scale:
            self._forces = self._forces + abs(weight) * self._scale.shared_force(Q, v, k)
        return Q, d

    def _way(self, row: Stage) -> Array:
        """What a position moves by, in the coordinates of the chart at q."""
        h, w = self._step.h, self._w
        if self._scheme.by_stages:
            return np.asarray(h * _sum(row.moved, self._rates, w))
        return np.asarray(h * (float(row.node) * w + h * _sum(row.moved, self._ks, w)))

    def _moved(self, start: Array, way: Array, weights: Row) -> Array:
        if self._sums:
            return np.asarray(start + self._step.h * _sum(weights, self._q_rates, start))
        return self._chart.moved(self._mechanism, start, self._change.our_velocity(start, way))

    def _size(self, scale: ErrorScale, way: Array, exact: bool) -> Array:
        """The size of every number of q̂."""
        steps, step = np.abs(way), self._step
        if not exact:
            inverse = np.abs(np.linalg.inv(self._motion.truth.high_low("mass_matrix", step.q)[0]))
            # The residual multiplies this size by the coarseness, which is in the size of forces already.
            forces = self._forces / scale.precision.coarseness
            steps = steps + step.h**2 * (inverse @ forces[..., None])[..., 0]
        size = np.maximum(np.abs(step.q), np.abs(step.next_q))
        mechanism, fault = self._mechanism, self._chart.fault
        if fault is not None:
            size = size + fault.bound(step.q, self._change.our_velocity(step.q, way)) / EPSILON
        for body, own, along in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
            for slot in body.joint.slots:
                whole = body.joint.velocity_is_body_twist or slot.form in ("quaternion", "circle")
                by = steps[:, along].max(axis=1, keepdims=True) if whole else steps[:, along][:, slot.v]
                size[:, own][:, slot.q] = size[:, own][:, slot.q] + LEAST[slot.form] + by
        return size


def _sum(row: Row, rates: Sequence[Array], like: Array) -> Array:
    """Σ rowⱼ rateⱼ over the stages that are there."""
    return sum((float(weight) * rate for weight, rate in zip(row, rates, strict=False) if weight), np.zeros_like(like))
