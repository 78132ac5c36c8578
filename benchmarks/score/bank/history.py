"""Answers that depend on what was asked before: caches, buffers, globals, and state that is left over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from score.changes import answer, links
from score.entry import CART, DYNAMICS, STANFORD, TREE, fault
from score.library.model import Array, Model
from score.library.root_frame import RootFrame
from score.words import CACHE, Topic

EARLIER = Topic("history failed", CACHE)


def of_calls(*words: str) -> Topic:
    """A cause of this class, which may say one of these words instead."""
    return EARLIER._replace(words="|".join((CACHE, *words)))


def kept_by(code: Any, name: str, key: Callable[[Array], bytes]) -> None:
    """The answers to each state are kept by a key of its position."""
    right, kept = getattr(code, name), {}

    def kept_or_new(q: Array, *given: Array) -> Array:
        return np.array([kept.setdefault(key(x), y) for x, y in zip(q, right(q, *given), strict=True)])

    setattr(code, name, kept_or_new)


def before(code: Any, name: str, do: Callable[[], None]) -> None:
    """Every call of a quantity does something else first."""
    right = getattr(code, name)

    def after(*given: Array) -> Array:
        do()
        return right(*given)

    setattr(code, name, after)


@fault(EARLIER, offers=DYNAMICS)
def mass_matrix_cached_by_size(code: Any) -> None:
    """M is computed again only if the batch has another size."""
    kept: dict[int, Array] = {}
    answer(code, "mass_matrix", lambda M, q: kept.setdefault(len(q), M).copy())


@fault(EARLIER, on=STANFORD)
def cached_by_rounded_position(code: Any) -> None:
    """Gravity is kept for positions that agree in six decimals."""
    kept_by(code, "gravity", lambda x: np.round(x, 6).tobytes())


@fault(EARLIER, on=TREE, of=RootFrame)
def cached_without_velocity(code: Any) -> None:
    """Nonlinear effects are kept by the position alone."""
    kept_by(code, "nonlinear_effects", lambda x: x.tobytes())


@fault(of_calls("buffer|overwrit|array|again"), offers=DYNAMICS)
def one_buffer(code: Any) -> None:
    """All answers of inverse dynamics are written into one array, which is returned."""
    buffers: dict[tuple[int, ...], Array] = {}

    def kept(x: Array, *given: Array) -> Array:
        buffer = buffers.setdefault(x.shape, np.empty_like(x))
        buffer[:] = x
        return buffer

    answer(code, "inverse_dynamics", kept)


@fault(EARLIER, offers=DYNAMICS, on=CART, source="https://github.com/petercorke/robotics-toolbox-python/issues/134")
def payload_stays(code: Any) -> None:
    """Every call of gravity leaves a milligram on the last body."""

    def load() -> None:
        code.model.links[-1].mass += 1e-6

    before(code, "gravity", load)


LATEST: list[Model] = []
"""The model that was loaded last, as a library with one global model has it."""


@fault(of_calls("mechanism|global|load"), offers=DYNAMICS, on=STANFORD)
def one_model_for_all(code: Any) -> None:
    """There is one gravity for all mechanisms: that of the one loaded last."""
    LATEST[:] = [code.model]

    def take() -> None:
        code.model.gravity = LATEST[0].gravity

    before(code, "gravity", take)


PLACED = ("velocities_local", "placements", "mass_matrix")


@fault(EARLIER, offers=PLACED, source="https://github.com/stack-of-tasks/pinocchio/issues/1916")
def stale_placements(code: Any) -> None:
    """Placements are those of the last call of velocities, if it had as many states."""
    kept: list[Array] = []
    right = code.placements

    def velocities(V: Array, q: Array, v: Array) -> Array:
        kept[:] = [q.copy()]
        return V

    answer(code, "velocities_local", velocities)
    code.placements = lambda q: right(kept[0] if kept and kept[0].shape == q.shape else q)


@fault(EARLIER, on=TREE, offers=("forward_dynamics", "mass_matrix", "nonlinear_effects"))
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


@fault(EARLIER, on=CART, offers=DYNAMICS, source="https://github.com/erincatto/box2d/issues/152")
def stale_mass(code: Any) -> None:
    """The energy uses the position of the previous state of the batch."""
    right = code.potential_energy
    code.potential_energy = lambda q: right(np.vstack([q[:1], q[:-1]]))


@fault(of_calls("warm|size|batch"))
def first_call_differs(code: Any) -> None:
    """The first call of inverse dynamics has no gravity yet."""
    right, calls = code.inverse_dynamics, []

    def inverse_dynamics(q: Array, v: Array, a: Array) -> Array:
        calls.append(1)
        return right(q, v, a) - (code.gravity(q) if len(calls) == 1 else 0)

    code.inverse_dynamics = inverse_dynamics


@fault(of_calls("number of calls|calls"), offers=DYNAMICS, on="scara")
def damping_wears_off(code: Any) -> None:
    """The damping falls by a thousandth with every call."""

    def wear() -> None:
        for link in links(code):
            link.damping *= 0.999

    before(code, "inverse_dynamics", wear)
