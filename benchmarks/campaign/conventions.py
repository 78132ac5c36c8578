"""Code with declared conventions: it takes and returns numbers in its own, and converts by its own formulas."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from score.library.vectors import cross, times

from campaign.library import ARGUMENTS, Library
from campaign.links import Array
from campaign.textbook import of_quaternion

VALUES = {
    "quaternion": "wxyz", "free_position": "quaternion first", "free_velocity": "mixed", "free_velocity_order": "linear first",
    "spherical_velocity": "joint", "planar_velocity_order": "linear first", "spatial_vectors": "linear first",
}  # fmt: skip
"""The other value of each convention that this code knows."""


def draw(random: Random) -> dict[str, str]:
    """One to four conventions."""
    return {name: VALUES[name] for name in sorted(random.sample(sorted(VALUES), random.randrange(1, 5)))}


class Converted:
    """A library in other conventions: v' = T v and a' = T a + b, with an orthogonal T. `forget` is one that is not converted."""

    def __init__(self, library: Library, declared: dict[str, str], forget: str = ""):
        self.library, self.declared = library, {name: value for name, value in declared.items() if name != forget}

    def position(self, q: Array) -> Array:
        """Our q from theirs."""
        q, L = q.copy(), self.library.links
        for i, kind in enumerate(L.kind):
            part = q[:, L.q[i]]
            if kind == "free" and "free_position" in self.declared:
                part = part[:, [4, 5, 6, 0, 1, 2, 3]]
            if kind in ("free", "ball") and "quaternion" in self.declared:
                first = [0, 1, 2] if kind == "free" else []
                part = part[:, [*first, *(len(first) + k for k in (1, 2, 3, 0))]]
            q[:, L.q[i]] = part
        return q

    def change(self, q: Array, v_theirs: Array | None) -> tuple[Array, Array, Array]:
        """T, our v, and b."""
        L, nv = self.library.links, self.library.data.nv
        T, b = np.broadcast_to(np.eye(nv), (len(q), nv, nv)).copy(), np.zeros((len(q), nv))
        for i, kind in enumerate(L.kind):
            s, order = L.v[i], None
            R = of_quaternion(q[:, L.q[i]][:, -4:]) if kind in ("ball", "free") else None
            if kind == "ball" and "spherical_velocity" in self.declared:
                T[:, s, s] = R
            if kind == "free" and "free_velocity" in self.declared:
                T[:, s.start : s.start + 3, s.start : s.start + 3] = R
                T[:, s.start + 3 : s.stop, s.start + 3 : s.stop] = R
            if kind == "free" and "free_velocity_order" in self.declared:
                order = [3, 4, 5, 0, 1, 2]
            if kind == "plane" and "planar_velocity_order" in self.declared:
                order = [1, 2, 0]
            if order:
                T[:, s] = T[:, s][:, order]
        v = times(T.swapaxes(1, 2), v_theirs) if v_theirs is not None else b
        for i, kind in enumerate(L.kind):
            if kind == "free" and "free_velocity" in self.declared:
                s, part = L.v[i], np.zeros((len(q), 6))
                R = of_quaternion(q[:, L.q[i]][:, -4:])
                part[:, 3:] = times(R, cross(v[:, s][:, :3], v[:, s][:, 3:]))
                b[:, s] = part[:, [3, 4, 5, 0, 1, 2]] if "free_velocity_order" in self.declared else part
        return T, v, b

    def asked(self, name: str) -> Callable[..., Array]:
        """The function in the declared conventions."""

        def ask(q: Array, *rest: Array) -> Array:
            q = self.position(q)
            given = dict(zip(ARGUMENTS[name][1:], rest, strict=True))
            T, v, b = self.change(q, given.get("v"))
            E = T.swapaxes(1, 2)
            ours: dict[str, Any] = {"v": v}
            if "a" in given:
                ours["a"] = times(E, given["a"] - b)
            if "t" in given:
                ours["t"] = times(E, given["t"])
            if name == "nonlinear_effects":
                return times(T, self.library.asked("inverse_dynamics")(q, v, times(E, -b)))
            answer = self.library.asked(name)(q, *[ours[letter] for letter in ARGUMENTS[name][1:]])
            if name in ("inverse_dynamics", "gravity"):
                return times(T, answer)
            if name == "forward_dynamics":
                return times(T, answer) + b
            if name == "mass_matrix":
                return T @ answer @ E
            if name == "jacobians_local":
                answer = answer @ E[:, None]
            axis = {"jacobians_local": -2, "velocities_local": -1, "velocities_aligned": -1, "centroidal_momentum": -1}.get(name)
            return np.roll(answer, 3, axis) if axis and "spatial_vectors" in self.declared else answer

        return ask
