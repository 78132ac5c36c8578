"""JaxSim's functions as our quantities, in JaxSim's coordinates, in one of its representations of velocities.

q has the positions of the joints, behind the base's x y z and quaternion w x y z if the base moves; v, a and τ the base's six
numbers, linear first, before those of the joints. :mod:`implementations.engines.jaxsim.adapter` converts from and to ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from math import inf
from typing import Any

Array = Any
"""JAX's."""

Asked = Callable[..., Array]

UNOPTIMISED = {"xla_backend_optimization_level": 0}
"""Compiling takes half as long, and the programs run for milliseconds."""


class Calls:
    """Compiled functions of blocks of states; the ``representation`` is our ``frame``.

    The links are our bodies, behind the root if the base does not move. ``frames`` are JaxSim's indices of our frames.
    """

    def __init__(self, model: Any, frames: Sequence[int], frame: str, representation: Any) -> None:
        self._jax, self._js = import_module("jax"), import_module("jaxsim.api")
        self._model, self._representation, self._floats = model, representation, model.floating_base()
        limits = import_module("jaxsim.rbda.actuation").ActuationParams
        self._unlimited = limits(torque_max=inf, omega_th=inf)
        self._own = slice(0 if self._floats else 6, None)
        """The rows and columns of joints, and those of a base that moves."""
        self._links = slice(0 if self._floats else 1, None)
        js = self._js.model, self._js.com, self._js.link, self._js.frame
        asked = {**self._dynamics(js[0]), **self._of_mass(js[1]), **self._of_links(js[0], js[2], frame)}
        if frames:
            asked |= self._of_frames(js[3], self._jax.numpy.array(frames), frame)
        jit, vmap = self._jax.jit, self._jax.vmap
        vars(self).update({name: jit(vmap(function), compiler_options=UNOPTIMISED) for name, function in asked.items()})

    def _at(self, q: Array, v: Array | None = None) -> tuple[Any, Any]:
        """The model, and its data at a state."""
        state: dict[str, Array] = {"joint_positions": q[7 if self._floats else 0 :]}
        if v is not None:
            state["joint_velocities"] = v[6 if self._floats else 0 :]
        if self._floats:
            state |= {"base_position": q[:3], "base_quaternion": q[3:7]}
            if v is not None:
                state |= {"base_linear_velocity": v[:3], "base_angular_velocity": v[3:6]}
        data = self._js.data.JaxSimModelData
        return self._model, data.build(self._model, velocity_representation=self._representation, **state)

    def _dynamics(self, model: Any) -> dict[str, Asked]:
        own, at = self._own, self._at
        asked: dict[str, Asked] = {
            "inverse_dynamics": self._forces,
            "inverse_dynamics_with_forces": self._forces,
            "forward_dynamics": self._accelerations,
            "mass_matrix": lambda q: model.free_floating_mass_matrix(*at(q))[own, own],
            "nonlinear_effects": lambda q, v: model.free_floating_bias_forces(*at(q, v))[own],
            "gravity": lambda q: model.free_floating_gravity_forces(*at(q))[own],
            "coriolis_matrix": lambda q, v: model.free_floating_coriolis_matrix(*at(q, v))[own, own],
            "kinetic_energy": lambda q, v: model.kinetic_energy(*at(q, v)),
            "potential_energy": lambda q: model.potential_energy(*at(q)),
        }
        for integrator in model.IntegratorType:
            if integrator != model.IntegratorType.RungeKutta4Fast:  # It fails without collision shapes.
                words = re.sub("([A-Z])", r"_\1", integrator.name).lower()
                asked[f"step{words}"] = partial(self._stepped, integrator)
        if self._floats:
            asked["forward_dynamics_dtau"] = lambda q: model.free_floating_mass_matrix_inverse(*at(q))
        return asked

    def _of_mass(self, com: Any) -> dict[str, Asked]:
        own, at = self._own, self._at
        return {
            "center_of_mass": lambda q: com.com_position(*at(q)),
            "center_of_mass_velocity": lambda q, v: com.com_linear_velocity(*at(q, v)),
            "center_of_mass_jacobian": lambda q: com.average_centroidal_velocity_jacobian(*at(q))[:3, own],
            "centroidal_momentum": lambda q, v: com.centroidal_momentum(*at(q, v)),
            "centroidal_momentum_matrix": lambda q: com.centroidal_momentum_jacobian(*at(q))[:, own],
        }

    def _of_links(self, model: Any, link: Any, frame: str) -> dict[str, Asked]:
        own, links, at = self._own, self._links, self._at

        def velocities(q: Array, v: Array) -> Array:
            model_and_data = at(q, v)
            indices = self._jax.numpy.arange(self._model.number_of_links())[links]
            return self._jax.vmap(lambda one: link.velocity(*model_and_data, link_index=one))(indices)

        def drifts(q: Array, v: Array) -> Array:
            if frame == "local":
                return model.link_bias_accelerations(*at(q, v))[links]
            return model.generalized_free_floating_jacobian_derivative(*at(q, v))[links][..., own] @ v

        return {
            "placements": lambda q: model.forward_kinematics(*at(q))[links, :3],
            f"jacobians_{frame}": lambda q: model.generalized_free_floating_jacobian(*at(q))[links][..., own],
            f"velocities_{frame}": velocities,
            f"drifts_{frame}": drifts,
        }

    def _of_frames(self, of: Any, frames: Array, frame: str) -> dict[str, Asked]:
        def each(ask: Asked, *state: Array) -> Array:
            model_and_data = self._at(*state)
            return self._jax.vmap(lambda one: ask(*model_and_data, frame_index=one))(frames)

        return {
            "frame_placements": lambda q: each(of.transform, q)[:, :3],
            f"frame_jacobians_{frame}": lambda q: each(of.jacobian, q)[..., self._own],
            f"frame_velocities_{frame}": lambda q, v: each(of.velocity, q, v),
        }

    def _forces(self, q: Array, v: Array, a: Array, f: Array | None = None) -> Array:
        jp, given = self._jax.numpy, {"joint_accelerations": a[6 if self._floats else 0 :]}
        if self._floats:
            given["base_acceleration"] = a[:6]
        if f is not None:
            given["link_forces"] = f if self._floats else jp.concatenate([jp.zeros((1, 6)), f])
        return jp.concatenate(self._js.model.inverse_dynamics(*self._at(q, v), **given))[self._own]

    def _accelerations(self, q: Array, v: Array, tau: Array) -> Array:
        joints, links = self._applied(tau)
        found = self._js.model.forward_dynamics(*self._at(q, v), joint_forces=joints, link_forces=links)
        return self._jax.numpy.concatenate(found)[self._own]

    def _stepped(self, integrator: Any, q: Array, v: Array, tau: Array, h: Array) -> Array:
        model, data = self._at(q, v)
        model = replace(model, integrator=integrator, time_step=h[0], actuation_params=self._unlimited)
        joints, links = self._applied(tau)
        after = self._js.model.step(model, data, joint_force_references=joints, link_forces=links)
        base = [after.base_position, after.base_orientation] if self._floats else []
        return self._jax.numpy.concatenate([*base, after.joint_positions, after.generalized_velocity[self._own]])

    def _applied(self, tau: Array) -> tuple[Array, Array | None]:
        """The forces of joints and of links. The six forces of a base that moves are a force on its link."""
        if not self._floats:
            return tau, None
        others = self._jax.numpy.zeros((self._model.number_of_links() - 1, 6))
        return tau[6:], self._jax.numpy.concatenate([tau[None, :6], others])
