"""Answers that depend on what was asked before: caches, buffers, globals, and state that is left over."""

from __future__ import annotations

from typing import Any

import numpy as np

from score.changes import answer, links
from score.entry import DYNAMICS, USUAL, fault
from score.library.model import Array, Model
from score.library.root_frame import RootFrame
from score.words import CACHE

STANFORD, TREE = "stanford-arm", "wall-arms"
KINDS = "history failed"


@fault(KINDS, CACHE, offers=DYNAMICS)
def mass_matrix_cached_by_size(code: Any) -> None:
    """M is computed again only if the batch has another size."""
    kept: dict[int, Array] = {}
    answer(code, "mass_matrix", lambda M, q: kept.setdefault(len(q), M).copy())


@fault(KINDS, CACHE, mechanism=STANFORD)
def cached_by_rounded_position(code: Any) -> None:
    """Gravity is kept for positions that agree in six decimals."""
    right, kept = code.gravity, {}

    def gravity(q: Array) -> Array:
        return np.array([kept.setdefault(np.round(x, 6).tobytes(), g) for x, g in zip(q, right(q), strict=True)])

    code.gravity = gravity


@fault(KINDS, CACHE, mechanism=TREE, of=RootFrame)
def cached_without_velocity(code: Any) -> None:
    """Nonlinear effects are kept by the position alone."""
    right, kept = code.nonlinear_effects, {}

    def nonlinear_effects(q: Array, v: Array) -> Array:
        return np.array([kept.setdefault(x.tobytes(), h) for x, h in zip(q, right(q, v), strict=True)])

    code.nonlinear_effects = nonlinear_effects


@fault(KINDS, rf"{CACHE}|buffer|overwrit|array|again", offers=DYNAMICS)
def one_buffer(code: Any) -> None:
    """All answers of inverse dynamics are written into one array, which is returned."""
    buffers: dict[tuple[int, ...], Array] = {}

    def kept(x: Array, *given: Array) -> Array:
        buffer = buffers.setdefault(x.shape, np.empty_like(x))
        buffer[:] = x
        return buffer

    answer(code, "inverse_dynamics", kept)


@fault(
    KINDS,
    CACHE,
    offers=DYNAMICS,
    mechanism="cart-pole",
    source="https://github.com/petercorke/robotics-toolbox-python/issues/134",
)
def payload_stays(code: Any) -> None:
    """Every call of gravity leaves a milligram on the last body."""
    right = code.gravity

    def gravity(q: Array) -> Array:
        code.model.links[-1].mass += 1e-6
        return right(q)

    code.gravity = gravity


LATEST: list[Model] = []
"""The model that was loaded last, as a library with one global model has it."""


@fault(KINDS, rf"{CACHE}|mechanism|global|load", offers=DYNAMICS, mechanism=STANFORD)
def one_model_for_all(code: Any) -> None:
    """There is one gravity for all mechanisms: that of the one loaded last."""
    LATEST[:] = [code.model]
    right = code.gravity

    def gravity(q: Array) -> Array:
        code.model.gravity = LATEST[0].gravity
        return right(q)

    code.gravity = gravity


@fault(
    KINDS,
    CACHE,
    offers=("velocities_local", "placements", "mass_matrix"),
    source="https://github.com/stack-of-tasks/pinocchio/issues/1916",
)
def stale_placements(code: Any) -> None:
    """Placements are those of the last call of velocities, if it had as many states."""
    kept: list[Array] = []
    right = code.placements

    def velocities(V: Array, q: Array, v: Array) -> Array:
        kept[:] = [q.copy()]
        return V

    answer(code, "velocities_local", velocities)
    code.placements = lambda q: right(kept[0] if kept and kept[0].shape == q.shape else q)


@fault(KINDS, CACHE, mechanism=TREE, offers=("forward_dynamics", "mass_matrix", "nonlinear_effects"))
def warm_start(code: Any) -> None:
    """Forward dynamics takes one step of refinement from the previous answer."""
    kept: list[Array] = []
    right = code.forward_dynamics

    def forward_dynamics(q: Array, v: Array, tau: Array) -> Array:
        a = right(q, v, tau)
        if kept and kept[0].shape == a.shape:
            a = a + 1e-9 * (kept[0] - a)
        kept[:] = [a]
        return a

    code.forward_dynamics = forward_dynamics


@fault(KINDS, CACHE, mechanism="cart-pole", offers=DYNAMICS, source="https://github.com/erincatto/box2d/issues/152")
def stale_mass(code: Any) -> None:
    """The energy uses the position of the previous state of the batch."""
    right = code.potential_energy
    code.potential_energy = lambda q: right(np.vstack([q[:1], q[:-1]]))


@fault(KINDS, rf"{CACHE}|warm|size|batch", offers=USUAL)
def first_call_differs(code: Any) -> None:
    """The first call of inverse dynamics has no gravity yet."""
    right, calls = code.inverse_dynamics, []

    def inverse_dynamics(q: Array, v: Array, a: Array) -> Array:
        calls.append(1)
        return right(q, v, a) - (code.gravity(q) if len(calls) == 1 else 0)

    code.inverse_dynamics = inverse_dynamics


@fault(KINDS, rf"{CACHE}|number of calls|calls", offers=DYNAMICS, mechanism="scara")
def damping_wears_off(code: Any) -> None:
    """The damping falls by a thousandth with every call."""
    right = code.inverse_dynamics

    def inverse_dynamics(q: Array, v: Array, a: Array) -> Array:
        for link in links(code):
            link.damping *= 0.999
        return right(q, v, a)

    code.inverse_dynamics = inverse_dynamics
