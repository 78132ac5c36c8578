"""Motions in Pinocchio and their derivatives, with our bodies' frames as operational frames of its model.

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
motions, forces      linear first, [v; ω] and [f; n]            exchanged, with all other axes
frames               LOCAL, WORLD, LOCAL_WORLD_ALIGNED          local, world, aligned
a body's frame       rotated for some joints                    an operational frame on the joint rotates it back
acceleration         spatial in all three frames                the classical one by its own function
J̇ v                  J̇ only                                     multiplied by v
external forces      in the joint's frame                       transformed by the operational frame's placement
damping              none                                       damping · v added to τ
order of joints      its own                                    :mod:`implementations.engines.pinocchio.coordinates`
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

from collections.abc import Iterator
from typing import Any

import numpy as np

from implementations.engines.pinocchio.calls import OF_EVERY_PLACE, REFERENCES
from implementations.engines.pinocchio.places import floats, place_of
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.quantities import FRAMES, QUANTITIES

DERIVED = "pin.computeForwardKinematicsDerivatives(model, data, q, v, {a})"

HESSIANS = (
    "pin.computeJointJacobians(model, data, q), pin.computeJointKinematicHessians(model, data), "
    "pin.updateFramePlacements(model, data)"
)

DERIVATIVES = {
    "velocities_dq": (DERIVED.format(a="0 * v"), "get{}VelocityDerivatives", "[0].reshape(6, -1)"),
    "accelerations_dq": (DERIVED.format(a="a"), "get{}AccelerationDerivatives", "[1].reshape(6, -1)"),
    "accelerations_dv": (DERIVED.format(a="0 * v"), "get{}AccelerationDerivatives", "[2].reshape(6, -1)"),
    "jacobians_dq": (HESSIANS, "get{}KinematicHessian", ".reshape(6, model.nv, -1)"),
}
"""By the family: the calls for the state, Pinocchio's function of one joint or frame, and what is taken of its answer."""

CLASSICAL = (
    "(pin.getPointClassicAccelerationDerivatives(model, data, joint, placement, {reference})[{part}].reshape(3, -1), "
    "of(model, data, k, {reference})[{part}].reshape(6, -1)[3:])"
)
"""The rows of ∂p̈, and the angular rows of ∂V̇."""


class Motions:
    """The frames of one mechanism in ``model``, to which they are added here, and what they are asked.

    ``turned`` (bodies, 3, 3) rotates from our bodies' axes to those of the joints in Pinocchio.
    """

    def __init__(self, pin: Any, model: Any, mechanism: Mechanism, order: list[int], turned: Array) -> None:
        self._pin, self._model = pin, model
        self.joints = [1 + order.index(i) for i in range(len(order))]
        self.bodies: list[int] = []
        """The operational frame of every body."""
        for body, joint, R in zip(mechanism.bodies, self.joints, turned, strict=True):
            # The number keeps a body called "universe" apart from Pinocchio's own.
            self.bodies.append(self._add(f"{joint} {body.name}", joint, pin.SE3(R, np.zeros(3))))
        self.frames: list[int] = []
        for k, frame in enumerate(mechanism.frames):
            joint = self.joints[frame.body] if frame.body >= 0 else 0
            here = pin.SE3(turned[frame.body], np.zeros(3)) if frame.body >= 0 else pin.SE3.Identity()
            place = place_of(frame.placement)
            self.frames.append(self._add(f"fixed {k}", joint, here * pin.SE3(floats(place.R), floats(place.p))))
        unturned = [np.array_equal(R, np.eye(3)) for R in turned]
        places = zip(self.joints, self.bodies, unturned, strict=True)
        self._bodies = [("Joint", joint) if is_joint else ("Frame", frame) for joint, frame, is_joint in places]

    def _add(self, name: str, joint: int, placement: Any) -> int:
        number: int = self._model.addFrame(self._pin.Frame(name, joint, 0, placement, self._pin.FrameType.OP_FRAME))
        return number

    def forces(self, f: Array) -> Any:
        """The forces on the bodies (bodies, 6) as Pinocchio takes them, one for every joint."""
        forces = self._pin.StdVec_Force()
        forces.extend([self._pin.Force.Zero()] * self._model.njoints)
        for joint, frame, force in zip(self.joints, self.bodies, np.roll(f, 3, 1), strict=True):
            forces[joint] = self._model.frames[frame].placement.act(self._pin.Force(force))
        return forces

    def expressions(self) -> Iterator[tuple[str, str]]:
        """The name of every quantity of a motion that this version of Pinocchio has, and its expression."""
        for name, quantity in QUANTITIES.items():
            family = quantity.family.removeprefix("frame_")
            numbers = "frames" if "frames" in quantity.axes else "bodies"
            if family in OF_EVERY_PLACE and getattr(self, numbers):
                yield name, OF_EVERY_PLACE[family].of_frames(numbers, _reference(quantity.frame))

    def derivatives(self) -> Iterator[tuple[str, str, list[Any]]]:
        """The same for derivatives of motions, with the ``places`` that the expressions refer to."""
        pin, bodies = self._pin, self._bodies
        for prefix, places in (("", bodies), ("frame_", [("Frame", frame) for frame in self.frames])):
            for family, (at_state, function, part) in DERIVATIVES.items():
                if not places or not hasattr(pin, function.format("Frame")):
                    continue
                asked = [(getattr(pin, function.format(kind)), k) for kind, k in places]
                for frame in FRAMES:
                    each = f"[of(model, data, k, {_reference(frame)}){part} for of, k in places]"
                    yield f"{prefix}{family}_{frame}", f"({at_state}, {each})[-1]", asked
        if hasattr(pin, "getPointClassicAccelerationDerivatives"):
            points = [(getattr(pin, f"get{kind}AccelerationDerivatives"), k, *self._point(kind, k)) for kind, k in bodies]
            for name, a, derivative in (("dq", "a", 1), ("dv", "0 * v", 2)):
                rows = CLASSICAL.format(reference=_reference("aligned"), part=derivative)
                each = f"[np.concatenate({rows}) for of, k, joint, placement in places]"
                yield f"classical_accelerations_{name}", f"({DERIVED.format(a=a)}, {each})[1]", points

    def _point(self, kind: str, number: int) -> tuple[int, Any]:
        """The joint of a joint or a frame, and where on it the origin is."""
        if kind == "Joint":
            return number, self._pin.SE3.Identity()
        frame = self._model.frames[number]
        return frame.parentJoint, frame.placement


def _reference(frame: str | None) -> str:
    return f"pin.ReferenceFrame.{REFERENCES[frame]}"
