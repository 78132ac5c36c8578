"""Derivatives of motions in Pinocchio, and its kinematic Hessians.

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
∂V/∂q, ∂V̇/∂q,        of a joint or of a frame, in LOCAL, WORLD  the frame's where the body's axes are not the joint's;
∂V̇/∂v                and LOCAL_WORLD_ALIGNED                    rows exchanged, columns permuted
∂p̈                   ∂p̈ of a point                              behind the angular rows of ∂V̇, which are the same
∂J/∂q                of a joint or of a frame                   the same as for ∂V/∂q; the order of its entries is Pinocchio's
==================== ========================================== ======================================================

Faults of Pinocchio, which the adapter does not correct: docs/findings/pinocchio-acceleration-derivatives-world.md,
pinocchio-motion-derivatives-aligned.md, pinocchio-kinematic-hessian-order.md, pinocchio-kinematic-hessian-local.md and
pinocchio-derivatives-subspace.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from implementations.engines.pinocchio.motions_of_frames import angular_first
from implementations.protocol import Array


class PinocchioMotionDerivatives:
    """The part of :class:`implementations.engines.pinocchio.adapter.PinocchioDynamics` that has derivatives of motions.

    Places are pairs of a kind and a number: of a joint, or of a frame.
    """

    _pin: Any
    _model: Any
    _frame_data: tuple[Any, Any]
    _references: dict[str, Any]

    if TYPE_CHECKING:

        def _answer(self, name: str, ask: Callable[..., Any], q: Array, *others: Array) -> Array: ...

    def offer_motion_derivatives(self, bodies: Sequence[tuple[str, int]], frames: Sequence[int]) -> list[str]:
        """The derivatives become methods, as far as this version has them: those of bodies, and those of frames if there are any.

        Returns their names.
        """
        offered: dict[str, Callable[..., Any]] = {}
        for prefix, places in (("", bodies), ("frame_", [("Frame", frame) for frame in frames])):
            for frame, reference in self._references.items() if places else ():
                velocity, acceleration = (
                    partial(self._derivatives, places, what, reference) for what in ("Velocity", "Acceleration")
                )
                offered[f"{prefix}velocities_dq_{frame}"] = partial(velocity, 0)
                offered[f"{prefix}accelerations_dq_{frame}"] = partial(acceleration, 1)
                offered[f"{prefix}accelerations_dv_{frame}"] = partial(acceleration, 2)
                if hasattr(self._pin, "getFrameKinematicHessian"):
                    offered[f"{prefix}jacobians_dq_{frame}"] = partial(self._hessians, places, reference)
        if hasattr(self._pin, "getPointClassicAccelerationDerivatives"):
            offered["classical_accelerations_dq"] = partial(self._classical, bodies, 1)
            offered["classical_accelerations_dv"] = partial(self._classical, bodies, 2)
        for name, ask in offered.items():
            setattr(self, name, partial(self._answer, name, ask))
        return list(offered)

    def _prepare(self, q: Array, v: Array, a: Array | None) -> None:
        self._pin.computeForwardKinematicsDerivatives(*self._frame_data, q, v, 0 * v if a is None else a)

    def _derivatives(
        self, places: Sequence[tuple[str, int]], what: str, reference: Any, part: int, q: Array, v: Array, a: Array | None = None
    ) -> Any:
        self._prepare(q, v, a)
        return [
            angular_first(getattr(self._pin, f"get{kind}{what}Derivatives")(*self._frame_data, number, reference)[part])
            for kind, number in places
        ]

    def _classical(self, bodies: Sequence[tuple[str, int]], part: int, q: Array, v: Array, a: Array | None = None) -> Any:
        aligned = self._references["aligned"]
        rows = np.array(self._derivatives(bodies, "Acceleration", aligned, part, q, v, a))
        for own, (kind, number) in zip(rows, bodies, strict=True):
            frame = self._model.frames[number] if kind == "Frame" else None
            point = (frame.parentJoint, frame.placement) if frame else (number, self._pin.SE3.Identity())
            linear = self._pin.getPointClassicAccelerationDerivatives(*self._frame_data, *point, aligned)[part]
            own[3:] = linear.reshape(3, -1)
        return rows

    def _hessians(self, places: Sequence[tuple[str, int]], reference: Any, q: Array) -> Any:
        self._pin.computeJointJacobians(*self._frame_data, q)
        self._pin.computeJointKinematicHessians(*self._frame_data)
        self._pin.updateFramePlacements(*self._frame_data)
        return [
            angular_first(getattr(self._pin, f"get{kind}KinematicHessian")(*self._frame_data, number, reference))
            for kind, number in places
        ]
