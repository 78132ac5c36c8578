"""Derivatives of motions in Drake: its velocities, accelerations and Jacobians, evaluated with its automatic derivatives.

The seeds are those of :mod:`implementations.engines.drake.partials`. Accelerations are the classical ones; Drake has no
others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from implementations.engines.drake.partials import Twin
from implementations.engines.drake.plant import Built
from implementations.protocol import Array
from mechanisms.quantities import FRAMES


class DrakeMotionDerivatives:
    """The part of :class:`implementations.engines.drake.adapter.DrakeDynamics` that has derivatives of motions."""

    _drake: Any
    _plant: Any
    _built: Built

    if TYPE_CHECKING:

        @property
        def _twin(self) -> Twin: ...
        def _answer(self, name: str, ask: Callable[..., Any], q: Array, *others: Array) -> Array: ...
        def _by_q(self, q: Array, v: Array, function: Callable[..., Array], x: Array) -> Array: ...
        def _by_v(self, q: Array, v: Array, function: Callable[..., Array]) -> Array: ...

    def offer_motion_derivatives(self) -> None:
        """The derivatives become methods: those of bodies, and those of frames if the plant has them."""
        bodies = [int(body.body_frame().index()) for body in self._built.bodies]
        asked: dict[str, Callable[..., Any]] = {
            "classical_accelerations_dq": lambda q, v, a: self._by_q(q, v, self._accelerations, a),
            "classical_accelerations_dv": lambda q, v: self._by_v(q, v, self._accelerations),
        }
        for of, numbers in (("", bodies), ("frame_", [int(frame.index()) for frame in self._built.frames])):
            for frame in FRAMES if numbers else ():
                velocity, jacobian = partial(self._velocities_dq, numbers, frame), partial(self._jacobians_dq, numbers, frame)
                asked |= {f"{of}velocities_dq_{frame}": velocity, f"{of}jacobians_dq_{frame}": jacobian}
        for name, ask in asked.items():
            setattr(self, name, partial(self._answer, name, ask))

    def _velocities_dq(self, numbers: list[int], frame: str, q: Array, v: Array) -> Array:
        def ask(plant: Any, context: Any) -> Any:
            found = []
            for one, world in self._with_world(plant, numbers):
                motion = one.CalcSpatialVelocity(context, world, one if frame == "local" else world)
                if frame == "world":
                    motion = motion.Shift(-one.CalcPoseInWorld(context).translation())
                found.append(np.concatenate([motion.rotational(), motion.translational()]))
            return found

        return self._by_q(q, v, lambda q, v, x: self._twin.of_motions(ask, q, v), v)

    def _jacobians_dq(self, numbers: list[int], frame: str, q: Array) -> Array:
        def ask(plant: Any, context: Any) -> Any:
            of, origin, found = self._drake.JacobianWrtVariable.kV, self._twin.constants(np.zeros(3)), []
            for one, world in self._with_world(plant, numbers):
                point = plant.CalcPointsPositions(context, world, origin, one)[:, 0] if frame == "world" else origin
                axes = one if frame == "local" else world
                found.append(plant.CalcJacobianSpatialVelocity(context, of, one, point, world, axes))
            return found

        still = np.zeros(self._plant.num_velocities())
        return self._by_q(q, still, lambda q, v, x: self._twin.of_motions(ask, q, v), still)

    def _accelerations(self, q: Any, v: Any, a: Array) -> Array:
        def ask(plant: Any, context: Any) -> Any:
            motions = plant.CalcSpatialAccelerationsFromVdot(context, self._twin.constants(a))
            return [
                np.concatenate([(m := motions[int(body.index())]).rotational(), m.translational()]) for body in self._built.bodies
            ]

        return self._twin.of_motions(ask, q, v)

    def _with_world(self, plant: Any, numbers: list[int]) -> list[tuple[Any, Any]]:
        """Frames of the plant with automatic derivatives, each with its world frame."""
        return [(plant.get_frame(self._drake.FrameIndex(number)), plant.world_frame()) for number in numbers]
