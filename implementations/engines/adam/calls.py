"""adam's functions as our quantities, in adam's own coordinates, in one of its representations of velocities.

q has the positions of the joints, behind the base's x y z and quaternion if the base moves; v and τ the base's six numbers,
linear first, before those of the joints. Arrays have any leading axes: those of a batch, or none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from implementations.conventions.rates import rotation
from implementations.protocol import Array, Unsupported


class AdamCalls:
    """One model in adam, whose representation is our ``frame``. ``array`` makes arrays of adam's library of NumPy's."""

    def __init__(
        self, adam: Any, array: Callable[[Array], Any], links: list[str], frame: str, free: bool, fixed_mass: bool
    ) -> None:
        self._adam, self._array, self._links, self._free, self._fixed_mass = adam, array, links, free, fixed_mass
        self._own = slice(0 if free else 6, None)
        """The rows and columns of joints, and the rows and columns of a free base."""
        vars(self).update({f"jacobians_{frame}": self._jacobians, f"drifts_{frame}": self._drifts})
        if free:
            self.forward_dynamics = self._accelerations

    def mass_matrix(self, q: Array) -> Array:
        return self._asked("mass_matrix", q)[..., self._own, self._own]

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self._asked("bias_force", q, v)[..., self._own]

    def gravity(self, q: Array) -> Array:
        return self._asked("gravity_term", q)[..., self._own]

    def center_of_mass(self, q: Array) -> Array:
        return self._of_all_mass("CoM_position", q)

    def center_of_mass_jacobian(self, q: Array) -> Array:
        return self._of_all_mass("CoM_jacobian", q)[..., self._own]

    def centroidal_momentum_matrix(self, q: Array) -> Array:
        return self._of_all_mass("centroidal_momentum_matrix", q)[..., self._own]

    def placements(self, q: Array) -> Array:
        return self._of_links("forward_kinematics", q)[..., :3, :]

    def _jacobians(self, q: Array) -> Array:
        return self._of_links("jacobian", q)[..., self._own]

    def _drifts(self, q: Array, v: Array) -> Array:
        rates = self._of_links("jacobian_dot", q, v)[..., self._own]
        return (rates @ v[..., None, :, None])[..., 0]

    def _accelerations(self, q: Array, v: Array, tau: Array) -> Array:
        base = {self._links[0]: self._array(tau[..., :6])}
        return np.asarray(self._adam.aba(*self._position(q), *self._velocity(v), self._array(tau[..., 6:]), base))

    def _of_all_mass(self, name: str, q: Array) -> Array:
        if self._fixed_mass:
            raise Unsupported("adam's centre of mass counts links that do not move, and some of these have mass")
        return self._asked(name, q)

    def _of_links(self, name: str, *state: Array) -> Array:
        """The answers about every link, (…, links, rows, columns)."""
        return np.stack([self._asked(name, *state, link=link) for link in self._links], axis=-3)

    def _asked(self, name: str, q: Array, v: Array | None = None, *, link: str | None = None) -> Array:
        velocity = () if v is None else self._velocity(v)
        return np.asarray(getattr(self._adam, name)(*(() if link is None else (link,)), *self._position(q), *velocity))

    def _position(self, q: Array) -> tuple[Any, Any]:
        """The base's transforms (…, 4, 4), and the positions of the joints."""
        base = np.zeros((*q.shape[:-1], 4, 4))
        base[..., range(4), range(4)] = 1
        if self._free:
            base[..., :3, :3], base[..., :3, 3] = rotation(q[..., 3:7]), q[..., :3]
        return self._array(base), self._array(q[..., 7 if self._free else 0 :])

    def _velocity(self, v: Array) -> tuple[Any, Any]:
        base = v[..., :6] if self._free else np.zeros((*v.shape[:-1], 6))
        return self._array(base), self._array(v[..., 6 if self._free else 0 :])
