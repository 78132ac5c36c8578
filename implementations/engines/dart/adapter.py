"""DART (Lee et al., JOSS 2018), through its Python module ``dartpy``.

How DART differs from our conventions
-------------------------------------

==================== ========================================== ======================================================
what                 DART                                       conversion
==================== ========================================== ======================================================
spherical: q         the rotation vector, axis times angle      computed from the quaternion, at most π long
free: q              the rotation vector, then x y z            the same
free: v, a, τ        [ω; ṗ], both along the axes of the         rotated: to the axes of the joint's frame by a constant
                     *parent body*                              matrix, to those of the body by T(q)
planar: v, a, τ      rates of x, y and the angle                the angle first, then rotated to the body's axes
continuous: q        the angle                                  computed from its cosine and sine
pitch                metres per turn                            multiplied by 2π
damping              τ = M a + h + D v in inverse dynamics,     the time step is zero
                     but τ = M a + h + D (v + a Δt) in forward
                     dynamics, Δt being the time step
damping, springs     not in Coriolis and gravity forces         h is inverse dynamics at a = 0 where there are any, and g
                                                                that at rest where there are springs
gravity compensation of whole bodies; no part of the energy     the gravity mode of bodies; V is not compared
armature             none                                       added to τ, M and T; :class:`Unsupported` in
                                                                forward dynamics and M⁻¹, where it cannot be added
==================== ========================================== ======================================================

:mod:`implementations.engines.dart.skeletons` maps our joints to DART's, and
:mod:`implementations.engines.dart.calls` lists the differences in kinematics.
:mod:`implementations.conventions` converts coordinates.

DART has no derivatives of dynamics, no Coriolis matrix, no regressor and no matrix of the centroidal momentum.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from implementations.engines.dart.calls import DARTCalls
from implementations.engines.dart.skeletons import skeleton_of
from implementations.engines.declared import Adapter, engine_of
from implementations.engines.left_out import in_our_coordinates
from implementations.protocol import Dynamics
from implementations.state_by_state import StateByState
from mechanisms import Mechanism


class DART(Adapter):
    """The implementation "dart". Raises :class:`implementations.protocol.Missing` if DART is not installed."""

    name = "dart"

    def load(self, mechanism: Mechanism) -> Dynamics:
        dart = engine()
        skeleton, nodes = skeleton_of(dart, mechanism)
        return dynamics_of(dart, mechanism, skeleton, nodes, range(len(nodes)))


def dynamics_of(dart: Any, mechanism: Mechanism, skeleton: Any, nodes: Sequence[Any], order: Sequence[int]) -> Dynamics:
    """What DART answers about a skeleton, in our coordinates. ``order`` has the index of our body for each of the ``nodes``."""
    calls = DARTCalls(dart, mechanism, skeleton, nodes, order)
    return in_our_coordinates("dart", mechanism, StateByState(mechanism, calls), order)


engine = partial(engine_of, "dart")
