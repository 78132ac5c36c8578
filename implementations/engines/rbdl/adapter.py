"""RBDL (Felis, Autonomous Robots 2017), through its own Python binding or through the librbdl inside ``biorbd``.

RBDL's own binding is not on PyPI; users build it from RBDL's sources. The adapter prefers it if it is installed. ``biorbd`` is
on PyPI, contains librbdl, and passes every call used here directly to it.

How RBDL differs from our conventions
-------------------------------------

==================== ========================================== ======================================================
what                 RBDL                                       conversion
==================== ========================================== ======================================================
joint axes           any in the official binding; x, y or z     through ``biorbd``, other axes: the body's frame is
                     in ``biorbd``                              rotated, exactly, until its x, y or z is the axis; q and v
                                                                do not change
several coordinates  a name for some joints; RBDL composes      through ``biorbd``, a chain of segments:
                     others of axes, in the official binding    :mod:`implementations.engines.rbdl.model`
helical              only in the official binding               none; :class:`Unsupported` through ``biorbd``
continuous: q        the angle                                  computed from its cosine and sine
quaternion           x y z, and w at the end of q               permuted; RBDL does not normalise, so the length must
                                                                be 1
free, planar: v      v′ = [ṗ; ω], ṗ in the joint's frame        v′ = T v with T = [0 R; 1 0], which is orthogonal
free, planar: a      v̇′                                         a′ = T a + Ṫ v, Ṫ v = [R (ω × v); 0]
free, planar:        conjugate to v′                            τ = Tᵀ τ′, M = Tᵀ M′ T, h = Tᵀ (h′ + M′ Ṫ v)
τ, M, h
damping              none in RBDL; ``biorbd`` has it in         added to τ and h and subtracted from τ before
                     ``ForwardDynamics``, with the wrong sign   ``ForwardDynamics`` where the binding has none; the sign
                     in ``InverseDynamics``, not in             stays, it is a known fault
                     ``NonLinearEffect``
armature             none                                       added to τ, M and T; :class:`Unsupported` in
                                                                forward dynamics, where it cannot be added
==================== ========================================== ======================================================

The two bindings have one interface, in RBDL's own coordinates: they are built from a tree of segments, and evaluated at one
state. No user-defined name is passed to RBDL. ``native`` has the joints that a binding has a name for, ``composes`` says whether
it makes other joints of several axes, ``damped`` in which quantities it has damping, ``workarounds`` what the adapter has to do
itself.
"""

from __future__ import annotations

import importlib
import warnings
from functools import partial
from typing import Any

from implementations.conventions.converted import Converted
from implementations.engines.declared import declared
from implementations.engines.left_out import Completed
from implementations.engines.rbdl.biorbd import Biorbd, BiorbdMotions, biorbd
from implementations.engines.rbdl.constraints import BiorbdConstraints, OfficialConstraints
from implementations.engines.rbdl.model import RBDLCoordinates
from implementations.engines.rbdl.official import Official, OfficialMotions
from implementations.protocol import Array, Missing
from implementations.state_by_state import StateByState
from mechanisms import Mechanism

OF_BINDING: dict[tuple[Any, bool], Any] = {
    (Official, False): OfficialMotions,
    (Official, True): OfficialConstraints,
    (Biorbd, False): BiorbdMotions,
    (Biorbd, True): BiorbdConstraints,
}
"""What answers at one state, by the binding, and whether the mechanism has constraints."""


class RBDL:
    """The implementation "rbdl".

    Raises :class:`Missing` if neither ``rbdl`` nor ``biorbd`` is installed.
    """

    name = "rbdl"
    mimic_joints = "RBDL has no mimic joints"

    @property
    def workarounds(self) -> tuple[str, ...]:
        kind, _ = binding()
        return ("armature, which RBDL does not have, is added to forces, M and the kinetic energy", *kind.workarounds)

    @property
    def version(self) -> str:
        kind, engine = binding()
        return kind.version(engine)

    def load(self, mechanism: Mechanism) -> Completed:
        kind, engine = binding()
        calls = OF_BINDING[kind, bool(mechanism.constraints)](engine, mechanism)
        asked = StateByState(mechanism, calls, RBDLCoordinates(mechanism))
        completed = WithDrifts if isinstance(calls, OfficialMotions) else Completed
        converted = Converted(asked, mechanism, declared("rbdl").conventions)
        return completed(converted, mechanism, "RBDL's forward dynamics", kind.damped)


class WithDrifts(Completed):
    """The drifts J̇ v are accelerations where our a is zero, which is not where RBDL's is."""

    def drifts_local(self, q: Array, v: Array) -> Array:
        return self.accelerations_local(q, v, 0 * v)


def binding() -> tuple[type[Official] | type[Biorbd], Any]:
    """The installed binding, preferably RBDL's own, and its module. Raises :class:`Missing` if there is none."""
    official = partial(importlib.import_module, "rbdl")
    for kind, imported, essential in ((Official, official, "NonlinearEffects"), (Biorbd, biorbd, "SegmentCharacteristics")):
        try:
            with warnings.catch_warnings():
                # SWIG's own types lack __module__, of which CPython 3.12 and later complain on import.
                warnings.filterwarnings("ignore", "builtin type [Ss]wig", DeprecationWarning)
                engine = imported()
        except ImportError:
            continue
        # A folder called rbdl beside the user's files imports too, as an empty package.
        if hasattr(engine, essential):
            return kind, engine
    raise Missing('RBDL is not installed; pip install "dalembert[rbdl]", or build RBDL with its Python wrapper')
