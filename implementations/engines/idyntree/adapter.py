"""iDynTree (Nori et al., Frontiers in Robotics and AI 2015), through its Python module.

How iDynTree differs from our conventions
-----------------------------------------

==================== ========================================== ======================================================
what                 iDynTree                                   conversion
==================== ========================================== ======================================================
spatial vectors      linear first, [v; ω] and [f; n]            exchanged
quaternion           w x y z; normalised                        permuted
base                 every model has one that moves: six rows   taken out where the mechanism's root does not move
                     and columns come first
frames               a representation of all velocities, the    all of them,
                     base's too: body-fixed, inertial, mixed    :mod:`implementations.engines.representations`
acceleration         in the mixed representation [p̈; ω̇]         it is the classical one; the spatial one along the
                                                                root's axes is not offered
free, not the base   no joint                                   three prismatic joints and a spherical joint; the
                                                                velocity [ṗ; ω] is converted
planar: v            no joint                                   two prismatic joints and a revolute one; the same
forward dynamics     ``ArticulatedBodyAlgorithm``: free bases   :class:`Unsupported` for others;
                     and joints with one degree of freedom;     ``generalizedGravityForces`` are subtracted from τ
                     without gravity
inertial parameters  m, m c, Ixx, Ixy, Ixz, Iyy, Iyz, Izz       permuted
damping              kept, but enters no quantity               damping · v added to τ and h, subtracted before
                                                                ``ArticulatedBodyAlgorithm``
armature             none                                       added to τ and M; :class:`Unsupported` in forward
                                                                dynamics
==================== ========================================== ======================================================

iDynTree has neither energies nor derivatives. :mod:`implementations.engines.idyntree.model` maps our joints to iDynTree's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from implementations.engines.declared import Adapter, declared, engine_of
from implementations.engines.idyntree.computations import Computations
from implementations.engines.idyntree.model import Built, built
from implementations.engines.left_out import completed
from implementations.engines.representations import NAMES, InEveryRepresentation
from implementations.protocol import Dynamics
from implementations.state_by_state import StateByState
from mechanisms import Mechanism


class IDynTree(Adapter):
    """The implementation "idyntree". Raises :class:`implementations.protocol.Missing` if iDynTree is not installed."""

    name = "idyntree"

    def load(self, mechanism: Mechanism) -> Dynamics:
        id = engine()
        made = built(id, mechanism)
        return dynamics_of(id, mechanism, made, degrees_of_freedom(mechanism))


def degrees_of_freedom(mechanism: Mechanism) -> list[int]:
    """For every degree of freedom of the model that the adapter builds, its place in v behind the conversions."""
    rows: list[int] = []
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        # The conversion puts the distances of a free joint first, and keeps the angle of a planar one first.
        slots = [slot.v for slot in body.joint.slots] if body.joint.kind != "free" else [slice(0, body.joint.nv)]
        rows += [own.start + k for v in slots for k in range(v.start, v.stop)]
    return rows


def dynamics_of(id: Any, mechanism: Mechanism, made: Built, rows: Sequence[int], order: Sequence[int] | None = None) -> Dynamics:
    """What iDynTree answers about a model, in our coordinates.

    ``rows`` are the places in v of the model's degrees of freedom, those of a free base included. ``order`` has the index of our
    body for every joint of the model, if it is not ours.
    """

    joints = rows[6:] if made.floats else rows

    def asked(frame: str) -> StateByState:
        return StateByState(mechanism, Computations(id, made, frame, getattr(id, NAMES[frame]), joints, mechanism.arrays.gravity))

    conventions = declared("idyntree").conventions
    dynamics = InEveryRepresentation(asked, mechanism, conventions, order, "local", chains=not made.floats)
    return completed("idyntree", mechanism, dynamics)


engine = partial(engine_of, "idyntree")
