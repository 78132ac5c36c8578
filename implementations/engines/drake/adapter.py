"""Drake (Tedrake et al.), through its Python module ``pydrake``: a continuous ``MultibodyPlant``.

How Drake differs from our conventions
--------------------------------------

==================== ========================================== ======================================================
what                 Drake                                      conversion
==================== ========================================== ======================================================
joint order          its own                                    q, v, a, τ and M permuted
continuous: q        the angle                                  computed from its cosine and sine
free: q              quaternion w x y z, then x y z             permuted
free: v, a, τ        [Rω; ṗ] along the joint's axes             v = T v′, a = T a′ + b
spherical: q         roll, pitch, yaw                           by Drake's own ``RollPitchYaw(quaternion)``
spherical: v, a, τ   Rω along the joint's axes                  v = T v′
planar: v, a, τ      [ṗ₁, ṗ₂; ω₃] along the joint's axes        permuted; v = T v′, a = T a′ + b
triad                x, y, z of the joint's frames              the frames are turned, the bodies' frames are not
several coordinates  some joints                                else a chain:
                                                                :mod:`implementations.engines.drake.plant`
armature             ``JointActuator``: gear ratio squared      none: Drake adds it
                     times the rotor's inertia
damping              of joints                                  none: Drake adds it to the contributions of its force
                                                                elements
==================== ========================================== ======================================================

:mod:`implementations.conventions` converts q, v, a and τ. :mod:`implementations.engines.drake.calls` lists the
differences in kinematics and in derivatives.

h is Drake's C(q, v) v (``CalcBiasTerm``) minus the generalized forces of its force elements, which are gravity, damping and
springs. g is that of gravity alone, or minus these forces at rest where there are springs.
Forward dynamics is the derivative of the plant's state. Drake has no Coriolis matrix and no centroidal momentum matrix.

Drake has constraints for mimic joints in discrete plants only.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any

from implementations.engines.declared import Adapter, imported
from implementations.engines.drake.calls import DrakeCalls
from implementations.engines.drake.plant import Built, DrakeCoordinates, build
from implementations.engines.drake.steps import steps
from implementations.engines.left_out import in_our_coordinates
from implementations.protocol import Dynamics
from implementations.state_by_state import OfState, StateByState
from mechanisms import Mechanism

MODULES = (
    *("multibody.tree", "multibody.plant", "multibody.math", "multibody.parsing"),
    *("math", "common.eigen_geometry", "autodiffutils", "systems.analysis"),
)
"""The modules of ``pydrake`` that the adapter uses, imported when they are asked for."""


class Drake(Adapter):
    """The implementation "drake". Raises :class:`implementations.protocol.Missing` if Drake is not installed."""

    name = "drake"

    def load(self, mechanism: Mechanism) -> Dynamics:
        drake = engine()
        return dynamics_of(drake, mechanism, built := build(drake, mechanism), steps(drake, mechanism, built.plant))


def dynamics_of(drake: Any, mechanism: Mechanism, built: Built, steps: Mapping[str, OfState] | None = None) -> Dynamics:
    """What Drake answers about a plant, in our coordinates; ``steps`` it takes by their names."""
    calls = DrakeCalls(drake, built)
    vars(calls).update(steps or {})
    asked = StateByState(mechanism, calls, DrakeCoordinates(drake, mechanism, built))
    return in_our_coordinates("drake", mechanism, asked)


@cache
def engine() -> Any:
    """All names of these modules in one namespace. Raises :class:`implementations.protocol.Missing` if Drake is not installed."""
    modules = [imported("Drake", "drake", f"pydrake.{module}") for module in MODULES]
    names: dict[str, Any] = {}
    for module in modules:
        names |= vars(module)
    return SimpleNamespace(**names)
