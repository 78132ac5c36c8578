"""The state of a DART skeleton, and the components of v in DART's order and along DART's axes.

DART keeps the state in the skeleton, with the forces of the joints and the external forces on the bodies. So all of it is set
before every question; what the question does not give is set to zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from implementations.protocol import Array
from mechanisms import Body, Joint


class State:
    """Sets the state of ``skeleton``, whose coordinates are those of the joints that carry ``nodes``, one for each of ``bodies``.

    DART's velocity is C v, with the constant orthogonal matrix C (nv, nv). It puts the angle of a planar joint last, and rotates
    both halves of a free joint's velocity from the axes of the joint's frame to those of DART's parent body. DART's position is
    D q: its reader of URDF gives planar joints other axes of the same plane.
    """

    def __init__(self, skeleton: Any, nodes: Sequence[Any], bodies: Sequence[Body]) -> None:
        self._skeleton = skeleton
        self._C, self._D = np.eye(skeleton.getNumDofs()), np.eye(skeleton.getNumDofs())
        start = 0
        for node, body in zip(nodes, bodies, strict=True):
            own, joint = slice(start, start := start + body.joint.nv), node.getParentJoint()
            if body.joint.kind == "planar":
                self._D[own, own] = _planar(joint, body.joint)
                self._C[own, own] = self._D[own, own][:, [2, 0, 1]]
            if body.joint.kind == "free":
                self._C[own, own] = np.kron(np.eye(2), joint.getTransformFromParentBodyNode().rotation())

    def set(self, q: Array, v: Array | None = None, a: Array | None = None, tau: Array | None = None) -> None:
        """Everything that the skeleton keeps; what is not given is zero, and so are external forces on the bodies."""
        nothing = np.zeros(len(self._C))
        self._skeleton.clearExternalForces()
        self._skeleton.setPositions(self._D @ q)
        self._skeleton.setVelocities(nothing if v is None else self.to_dart(v))
        self._skeleton.setAccelerations(nothing if a is None else self.to_dart(a))
        self._skeleton.setForces(nothing if tau is None else self.to_dart(tau))

    def to_dart(self, x: Array) -> Array:
        """v, a or τ (nv,) in DART's components."""
        return self._C @ x

    def to_ours(self, x: Array) -> Array:
        """The last axis of x (…, nv), of v, a, τ or columns, from DART's components."""
        return x @ self._C

    def both_to_ours(self, matrix: Array) -> Array:
        """A matrix (nv, nv) with rows and columns from DART's components."""
        return self._C.T @ matrix @ self._C


def _planar(theirs: Any, ours: Joint) -> Array:
    """(3, 3): from our distances and angle to those of DART's joint, whose frame is rotated in the body."""
    R = theirs.getTransformFromChildBodyNode().rotation()
    axes = [R @ axis for axis in (theirs.getTranslationalAxis1(), theirs.getTranslationalAxis2(), theirs.getRotationalAxis())]
    D: Array = np.array(axes) @ np.array(ours.triad, dtype=float).T
    # Rounding apart, most are the same axes.
    return np.eye(3) if np.allclose(D, np.eye(3), rtol=0, atol=1e-14) else D
