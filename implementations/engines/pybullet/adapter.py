"""PyBullet 3 (Coumans and Bai), through its Python module: the multibodies of Bullet 3, in double precision.

How PyBullet differs from our conventions
-----------------------------------------

==================== ========================================== ======================================================
what                 PyBullet                                   conversion
==================== ========================================== ======================================================
links                renumbered, by depth                       q, v, a, τ and M permuted
inertia              principal moments and a quaternion         the matrix is decomposed into its eigenvectors
continuous: q        the angle                                  computed from its cosine and sine
planar: v            [ṗ; ω₃] along the joint's axes             converted
Jacobians            at a point, linear rows first              the point is the link's origin; rows exchanged
h, g                 no function                                ``calculateInverseDynamics`` with zeros for a and v
damping              only in ``stepSimulation``                 damping · v added to τ and h
armature             none                                       added to τ and M
==================== ========================================== ======================================================

PyBullet is asked about fixed bases, hinges and slides only. Forward dynamics is a step of its simulation, which is no function of
the state. Velocities of links are those of their centres of mass, and placements of links' frames have single precision, so
neither is asked for.
"""

from __future__ import annotations

from implementations.engines.declared import Adapter
from implementations.engines.left_out import in_our_coordinates
from implementations.engines.pybullet.model import Multibody, built
from implementations.engines.pybullet.model import engine as engine
from implementations.protocol import Dynamics
from implementations.state_by_state import StateByState
from mechanisms import Mechanism


class PyBullet(Adapter):
    """The implementation "pybullet". Raises :class:`implementations.protocol.Missing` if PyBullet is not installed."""

    name = "pybullet"

    def load(self, mechanism: Mechanism) -> Dynamics:
        engine()
        return dynamics_of(mechanism, built(mechanism))


def dynamics_of(mechanism: Mechanism, asked: Multibody, order: list[int] | None = None) -> Dynamics:
    """What PyBullet answers about a multibody, in our coordinates."""
    return in_our_coordinates("pybullet", mechanism, StateByState(mechanism, asked), order)
