"""Code with conventions of its own, as code with ours: states are converted before it is asked, answers afterwards.

Our velocity is v = T v', where v' is the code's, and our acceleration is a = T a' + b
(:mod:`implementations.conventions.coordinates`). T is a product of factors, one for each convention that differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from implementations.conventions import coordinates, positions, rates
from implementations.conventions.declared import Conventions
from implementations.protocol import Array, Failure, Unsupported
from mechanisms import Joint, Mechanism
from mechanisms.plain_text import one_line
from mechanisms.quantities import MOMENTUM, MOTION, PARAMETERS, QUANTITIES

Rates = Callable[[Mechanism, Array], Array]

_FREE: dict[str, Rates | None] = {
    "body": None,
    "mixed": rates.mixed,
    "spatial": rates.spatial,
    "angular body, linear mixed": rates.linear_mixed,
    "angular mixed, linear body": rates.angular_mixed,
}

_WITH_POINT = ("mixed", "angular body, linear mixed")
"""Velocities whose linear part is ṗ along fixed axes. Its rate is the acceleration of the origin."""

_CONSTANT = (rates.linear_first, rates.planar_linear_first)
"""Factors that do not depend on q."""

_BY_Q = ("inverse_dynamics_dq", "forward_dynamics_dq", "coriolis_matrix")
_BY_V = ("inverse_dynamics_dv", "forward_dynamics_dv")


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
        # A mimic joint has no coordinates of its own.
        self._driven = [i for i in self._order if mechanism.bodies[i].joint.mimic is None]
        self._rows = positions.coordinates_in_order(mechanism.v_slices, self._driven)
        kinds = {body.joint.kind for body in mechanism.bodies}
        self._rates = list(_rates(conventions, kinds))
        self._biases = list(_biases(conventions, kinds))

    def __getattr__(self, quantity: str) -> Callable[..., Array]:
        if quantity.startswith("_") or not callable(getattr(self._dynamics, quantity, None)):
            raise AttributeError(quantity)
        return partial(self._answer, quantity)

    def _answer(self, quantity: str, *arguments: Array) -> Array:
        if quantity in self._unconverted:
            raise Unsupported(f"it cannot be converted from coordinates that turn with q ({self._conventions.words})")
        state: dict[str, Any] = dict(zip(QUANTITIES[quantity].arguments, arguments, strict=True))
        if not (self._rates or self._biases):
            return self._asked(quantity, state)
        q = state["q"]
        inverse = self._inverse(q)
        b = np.zeros((len(q), self._mechanism.nv))
        if "v" in state:
            b = b - sum((inverse @ bias(self._mechanism, q, state["v"])[..., None])[..., 0] for bias in self._biases)
        theirs = coordinates.read(state, inverse, b)
        answer = self._asked(quantity, theirs)
        return np.asarray(coordinates.answered(quantity, answer, inverse, b, True, lambda other: self._asked(other, theirs)))

    @property
    def _unconverted(self) -> tuple[str, ...]:
        """Quantities that contain derivatives of T or b, which we do not have."""
        varies = any(rate not in _CONSTANT for rate in self._rates)
        return (*(_BY_Q if varies or self._biases else ()), *(_BY_V if self._biases else ()))

    def _inverse(self, q: Array) -> Array:
        """T⁻¹ (batch, nv, nv)."""
        inverse: Array = np.zeros((len(q), self._mechanism.nv, self._mechanism.nv)) + np.eye(self._mechanism.nv)
        for rate in self._rates:
            # All but one are orthogonal, and a transpose has no rounding.
            of = rates.inverse_spatial if rate is rates.spatial else rate
            factor = of(self._mechanism, q)
            inverse = (factor if rate is rates.spatial else factor.swapaxes(-1, -2)) @ inverse
        return inverse

    def _asked(self, quantity: str, state: dict[str, Any]) -> Array:
        """The answer at a state that has the code's velocities and our positions, everything in our order."""
        if not callable(getattr(self._dynamics, quantity, None)):
            raise Unsupported(f"{quantity} is needed to convert it, and is not offered")
        declared = QUANTITIES[quantity]
        theirs = {name: x[:, self._rows] for name, x in state.items() if name in ("v", "a", "tau")}
        theirs["q"] = self.position(state["q"])
        if "f" in state:
            theirs["f"] = self._parts_exchanged(state["f"], 2)[:, self._bodies]
        before = {name: x.copy() for name, x in theirs.items()}
        answer = np.asarray(getattr(self._dynamics, quantity)(*(theirs[name] for name in declared.arguments)))
        # The caller has other arrays, and could not see this.
        if written := next((name for name in declared.arguments if not np.array_equal(theirs[name], before[name])), ""):
            raise Failure(f"{quantity} writes into its input {written}; let it work on a copy")
        if answer.shape != (len(state["q"]), *declared.dimensions(self._mechanism)):
            return answer  # The caller refuses it, and says why.
        places = {
            "nv": self._rows,
            "bodies": self._bodies,
            "parameters": [len(PARAMETERS) * i + k for i in self._bodies for k in range(len(PARAMETERS))],
        }
        for axis, entries in enumerate(declared.axes, 1):
            if isinstance(entries, str):
                answer = np.take(answer, np.argsort(places[entries]), axis)
            elif entries in (MOTION, MOMENTUM):
                answer = self._parts_exchanged(answer, axis)
        return answer

    def position(self, q: Array) -> Array:
        """The code's q (batch, nq') of ours (batch, nq)."""
        if self._conventions.quaternion == "wxyz":
            q = positions.in_slots("quaternion", positions.w_first, self._mechanism, q)
        if self._conventions.free_position == "quaternion first":
            q = positions.orientation_first(self._mechanism, q)
        parts = [q[:, own] for own in self._mechanism.q_slices]
        if self._conventions.quaternion == "rotation vector":
            parts = [
                self._with_rotation_vector(body.joint, part) for body, part in zip(self._mechanism.bodies, parts, strict=True)
            ]
        if self._conventions.continuous == "angle":
            for k, body in enumerate(self._mechanism.bodies):
                if body.joint.kind == "continuous":
                    parts[k] = np.arctan2(parts[k][:, 1:], parts[k][:, :1])
        return np.concatenate([parts[i] for i in self._driven], axis=1)

    def _with_rotation_vector(self, joint: Joint, q: Array) -> Array:
        """The joint's position with a rotation vector in place of a quaternion."""
        if joint.slots[-1].form != "quaternion":
            return q
        if self._conventions.free_position == "quaternion first":
            return np.hstack([positions.rotation_vector(q[:, :4]), q[:, 4:]])
        return np.hstack([q[:, :-4], positions.rotation_vector(q[:, -4:])])

    def _parts_exchanged(self, x: Array, axis: int) -> Array:
        return np.roll(x, 3, axis) if self._conventions.spatial_vectors == "linear first" else x


def _rates(conventions: Conventions, kinds: set[Any]) -> Iterator[Rates]:
    """The factors of T that are not one for these kinds of joints."""
    if "spherical" in kinds and conventions.spherical_velocity == "joint":
        yield partial(rates.along_parent, "spherical")
    if "planar" in kinds and conventions.planar_velocity == "joint":
        yield partial(rates.along_parent, "planar")
    if "planar" in kinds and conventions.planar_velocity_order == "linear first":
        yield rates.planar_linear_first
    if "free" in kinds:
        if twist := _FREE[conventions.free_velocity]:
            yield twist
        if conventions.free_velocity_order == "linear first":
            yield rates.linear_first


def _biases(conventions: Conventions, kinds: set[Any]) -> Iterator[Callable[[Mechanism, Array, Array], Array]]:
    """The summands of b."""
    is_rate_of_point = conventions.free_velocity in _WITH_POINT and conventions.free_acceleration == "rate"
    if "free" in kinds and (conventions.free_acceleration == "point" or is_rate_of_point):
        yield rates.classical
    if "planar" in kinds and conventions.planar_velocity == "joint":
        yield rates.classical_slide


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
