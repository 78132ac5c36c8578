"""RBDL (Felis, Autonomous Robots 2017), through its own Python binding or through the librbdl inside ``biorbd``.

PyPI has no ``rbdl``: users build that binding from RBDL's sources, and where it is present it is preferred. ``biorbd``
is on PyPI, bundles librbdl, and hands every call used here straight to it.

How RBDL differs from our conventions
-------------------------------------

==================== ========================================== ======================================================
what                 RBDL                                       conversion
==================== ========================================== ======================================================
joint axis           about or along x, y or z (biorbd)          any other axis: the body's frame is turned, exactly,
                                                                until its z is the axis; q and v do not change
free joint: q        x y z, quaternion x y z, and w at the      permuted; it does not normalise, so the length must
                     end of q                                   be 1
free joint: v        [ṗ; ω], ṗ in the joint's frame             v′ = T v with T = [0 R; 1 0], which is orthogonal
free joint: a        v̇′                                         a′ = T a + Ṫ v, Ṫ v = [R (ω × v); 0]
free joint: τ, M, h  conjugate to v′                            τ = Tᵀ τ′, M = Tᵀ M′ T, h = Tᵀ (h′ + M′ Ṫ v)
damping              none; an applied force                     damping · v added to τ and h, taken from τ before
                                                                ``ForwardDynamics``
armature             none                                       added to τ, M and T; :class:`Unsupported` in
                                                                forward dynamics, which cannot have it added
==================== ========================================== ======================================================
"""

from __future__ import annotations

import importlib
import re
import warnings
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from typing import Any

import numpy as np

from implementations.batch import each
from implementations.protocol import Array, Missing, Unsupported
from mechanisms import Inertia, Joint, Mechanism, Placement, Rotation
from mechanisms.geometry import basis


class RBDL:
    """The implementation "rbdl". Raises :class:`Missing` where neither ``rbdl`` nor ``biorbd`` is installed."""

    name = "rbdl"

    @property
    def version(self) -> str:
        return _binding().version()

    def load(self, mechanism: Mechanism) -> RBDLDynamics:
        return RBDLDynamics(mechanism)
