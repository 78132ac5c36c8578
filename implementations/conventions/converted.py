"""Code with conventions of its own, as code with ours: states are converted before it is asked, answers afterwards.

Our velocity is v = T v', where v' is the code's, and our acceleration is a = T a' + b
(:mod:`implementations.conventions.coordinates`). T is a product of factors, one for each convention that differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from implementations.arrays_of_frameworks import as_numpy
from implementations.conventions import coordinates
from implementations.conventions.change import Change
from implementations.conventions.declared import Conventions
from implementations.protocol import Array, Failure, Unsupported, require_unchanged
from mechanisms import Mechanism
from mechanisms.plain_text import one_line
from mechanisms.quantities import ALL_QUANTITIES, INTEGRATION, MOMENTUM, MOTION, PARAMETERS, POSITIONS
from mechanisms.quantities.steps import is_step

_WITHOUT_TABLE = tuple(
    name
    for name, quantity in ALL_QUANTITIES.items()
    if {"nv", "state"} & {*quantity.axes} and name not in (*coordinates.ALONG_V, *INTEGRATION)
)
"""Quantities along coordinates of which no table says how they change, such as the derivatives of motions."""


class Converted:
    """``dynamics`` of a mechanism, with the quantities as methods; see :class:`implementations.protocol.Dynamics`.

    ``order`` has the index of our body for every joint of the code, in the code's order; ``body_order`` the same for every body.
    A quantity that cannot be converted raises :class:`Unsupported`.
    """

    def __init__(
        self,
        dynamics: Any,
        mechanism: Mechanism,
        conventions: Conventions,
        order: Sequence[int] | None = None,
        body_order: Sequence[int] | None = None,
    ) -> None:
        self._dynamics, self._mechanism, self._conventions = dynamics, mechanism, conventions
        self._order = list(range(len(mechanism.bodies)) if order is None else order)
        self._bodies = list(self._order if body_order is None else body_order)
        self._change = Change(mechanism, conventions, self._order)

    def __dir__(self) -> list[str]:
        return dir(self._dynamics)

    def __getattr__(self, quantity: str) -> Callable[..., Array]:
        if quantity.startswith("_") or not callable(getattr(self._dynamics, quantity, None)):
            raise AttributeError(quantity)
        return partial(self._answer, quantity)

    def _answer(self, quantity: str, *arguments: Array) -> Array:
        # States are converted in float64, and rounded once.
        arguments = tuple(np.asarray(x, np.float64) for x in arguments)
        if is_step(quantity):
            return self._stepped(quantity, *arguments)
        if quantity in self._unconverted:
            raise Unsupported(f"it cannot be converted from coordinates that turn with q ({self._conventions.words})")
        state: dict[str, Any] = dict(zip(ALL_QUANTITIES[quantity].arguments, arguments, strict=True))
        if quantity in INTEGRATION:
            return self._along_motions(quantity, state)
        if self._change.is_one:
            return self._asked(quantity, state)
        inverse, b = self._change.at(state["q"], state.get("v"))
        theirs = coordinates.read(state, inverse, b)
        answer = self._asked(quantity, theirs)
        return np.asarray(coordinates.answered(quantity, answer, inverse, b, True, lambda other: self._asked(other, theirs)))

    def _stepped(self, quantity: str, q: Array, v: Array, tau: Array, h: Array) -> Array:
        """The velocity after the step is one at the position after it."""
        change = self._change
        theirs = (change.position(q), change.velocity(q, v), change.force(q, tau), h)
        given = [np.asarray(x, self._mechanism.precision.dtype) for x in theirs]
        before = [x.copy() for x in given]
        answer = as_numpy(getattr(self._dynamics, quantity)(*given)).astype(np.float64)
        require_unchanged(quantity, before, given)
        expected = (len(q), given[0].shape[1] + self._mechanism.nv)
        if answer.shape != expected:
            raise Failure(f"{quantity} returned shape {answer.shape}, not {expected}")
        moved = change.our_position(answer[:, : given[0].shape[1]])
        return np.concatenate([moved, change.our_velocity(moved, answer[:, given[0].shape[1] :])], axis=1)

    def _along_motions(self, quantity: str, state: dict[str, Any]) -> Array:
        """Integrated positions, differences and their derivatives, where T is a constant matrix that permutes v."""
        if self._change.varies:
            raise Unsupported(f"a velocity that is constant along other axes is another motion ({self._conventions.words})")
        inverse, _ = self._change.at(state["q"], None)
        if "dv" in state:
            state["dv"] = (inverse @ state["dv"][..., None])[..., 0]
        answer = self._asked(quantity, state)
        if quantity == "integrate":
            return answer
        T = inverse.swapaxes(-1, -2)
        return self._without_turns((T @ answer[..., None])[..., 0]) if quantity == "difference" else T @ answer @ inverse

    def _without_turns(self, step: Array) -> Array:
        """Differences (batch, nv) of positions; those of circles that the code has as angles, less whole turns."""
        if self._conventions.continuous == "angle":
            for body, own in zip(self._mechanism.bodies, self._mechanism.v_slices, strict=True):
                for turn in (step[:, own][:, slot.v] for slot in body.joint.slots if slot.form == "circle"):
                    turn -= 2 * np.pi * np.round(turn / (2 * np.pi))
        return step

    @property
    def _unconverted(self) -> tuple[str, ...]:
        """Quantities that contain derivatives of T or b, which we do not have; those without a table also where T is constant."""
        change = self._change
        return (
            *(() if change.is_one else _WITHOUT_TABLE),
            *coordinates.without_derivatives(change.varies, change.has_bias),
        )

    def _asked(self, quantity: str, state: dict[str, Any]) -> Array:
        """The answer at a state that has the code's velocities and our positions, everything in our order."""
        if not callable(getattr(self._dynamics, quantity, None)):
            raise Unsupported(f"{quantity} is needed to convert it, and is not offered")
        declared = ALL_QUANTITIES[quantity]
        theirs = {name: x[:, self._change.rows] for name, x in state.items() if name in ("v", "a", "tau", "v_minus", "dv")}
        theirs |= {name: self._change.position(state[name]) for name in POSITIONS if name in state}
        if "f" in state:
            theirs["f"] = self._parts_exchanged(state["f"], 2)[:, self._bodies]
        given = [np.asarray(theirs[name], self._mechanism.precision.dtype) for name in declared.arguments]
        before = [x.copy() for x in given]
        answer = as_numpy(getattr(self._dynamics, quantity)(*given))
        answer = answer.astype(np.float64) if answer.dtype.kind == "f" else answer
        require_unchanged(quantity, before, given)  # The caller has other arrays, and could not see it.
        expected = (len(state["q"]), *declared.dimensions_for(self._mechanism, theirs["q"]))
        if answer.shape != expected:
            if self._change.is_one:
                return answer  # The caller refuses it, and says why.
            raise Failure(f"{quantity} returned shape {answer.shape}, not {expected}")
        places = {
            "nv": self._change.rows,
            "state": [*self._change.rows, *(self._mechanism.nv + k for k in self._change.rows)],
            "bodies": self._bodies,
            "frames": list(range(len(self._mechanism.frames))),
            "parameters": [len(PARAMETERS) * i + k for i in self._bodies for k in range(len(PARAMETERS))],
        }
        if declared.axes == ("nq",):
            return self._change.our_position(answer)
        for axis, entries in enumerate(declared.axes, 1):
            if entries == "directions":
                continue  # Constraints and their directions have the order of the mechanism in all conventions.
            if isinstance(entries, str):
                answer = np.take(answer, np.argsort(places[entries]), axis)
            elif entries in (MOTION, MOMENTUM):
                answer = self._parts_exchanged(answer, axis)
        return answer

    def _parts_exchanged(self, x: Array, axis: int) -> Array:
        return np.roll(x, 3, axis) if self._conventions.spatial_vectors == "linear first" else x


def order_of(what: str, ours: Sequence[str], theirs: Sequence[str] | None) -> list[int]:
    """For every name of theirs, the index of ours. Raises :class:`Failure`."""
    if theirs is None:
        return list(range(len(ours)))
    places = {name: k for k, name in enumerate(ours)}
    seen: set[str] = set()
    problem = next((f"lacks {name!r}" for name in ours if name not in set(theirs)), "")
    for name in theirs:
        if name not in places:
            problem = f"has {one_line(name, 60)!r}, which is none of the {what} that move"
        elif name in seen:
            problem = f"has {one_line(name, 60)!r} twice"
        seen.add(name)
    if problem:
        raise Failure(f"load: its list of {what} {problem}; list every one once, in the order of the code")
    return [places[name] for name in theirs]
