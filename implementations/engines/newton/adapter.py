"""Newton (Disney Research, Google DeepMind, NVIDIA): its own articulations, in float32 as Warp's kernels; the CPU runs them here.

How Newton differs from our conventions
---------------------------------------

==================== ========================================== ======================================================
what                 Newton                                     conversion
==================== ========================================== ======================================================
states               worlds                                     blocks: :mod:`implementations.engines.blocks`
continuous: q        the angle                                  computed from its cosine and sine
spherical: v, a, τ   ω along the joint's axes                   v = T v′
planar: v, a, τ      [ṗ₁, ṗ₂; ω₃] along the joint's axes        v = T v′, a = T a′ + b
free: v, a, τ        [v; ω] along the joint's axes, v that of   v = T v′, a = T a′ + b
                     the centre of mass
motions              linear first                               permuted
time steps           of ``SolverFeatherstone``, of one length    one for every length
                     for all worlds
damping              ``SolverFeatherstone`` has it; inverse     added there
                     dynamics has not
==================== ========================================== ======================================================

:mod:`implementations.engines.newton.calls` lists the differences in what is computed, and
:mod:`implementations.engines.newton.model` maps our joints to Newton's. Kernels are compiled when they are launched first; Warp
keeps them in its cache.

Newton's other solvers move bodies, and keep them together by constraints; ``SolverMuJoCo`` is MuJoCo Warp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from implementations.conventions.converted import Converted
from implementations.engines.blocks import BlockByBlock
from implementations.engines.declared import Adapter, declared, imported, warp
from implementations.engines.left_out import Completed
from implementations.engines.newton.calls import NewtonCalls
from implementations.engines.newton.free_joints import free_joints, with_centres
from implementations.engines.newton.model import build
from mechanisms import Mechanism


class Newton(Adapter):
    """The implementation "newton". Raises :class:`implementations.protocol.Missing` if Newton is not installed."""

    name = "newton"
    precision = "float32"

    def load(self, mechanism: Mechanism) -> Completed:
        return dynamics_of(mechanism, *build(engine()[1], mechanism))


def dynamics_of(mechanism: Mechanism, model: Any, bodies: list[int], frames: list[int], order: Sequence[int]) -> Completed:
    """What Newton answers about a model, in our coordinates.

    ``bodies`` and ``frames`` have the number of each link in a world; ``order`` the index of our body for every joint that moves.
    """
    wp, newton = engine()
    answers = BlockByBlock(mechanism, NewtonCalls(wp, newton, model, bodies, frames))
    of_links = with_centres(mechanism, free_joints(newton, model), order)
    converted = Converted(answers, of_links, declared("newton").conventions, order, range(len(bodies)))
    return Completed(converted, mechanism, damped=("forward_dynamics",), armature=np.zeros(mechanism.nv))


def engine() -> tuple[Any, Any]:
    """Warp, and Newton. Raises :class:`implementations.protocol.Missing`."""
    return warp("newton"), imported("Newton", "newton", "newton", "ModelBuilder")
