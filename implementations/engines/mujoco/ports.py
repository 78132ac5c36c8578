"""Programs that compute on MuJoCo's models what MuJoCo computes: for batches, in another precision.

A port has the fields of MuJoCo's data for every state of a batch: ``xpos`` (batch, nbody, 3), ``qfrc_bias`` (batch, nv), …. The
quantities follow from them as from MuJoCo's own: :mod:`implementations.engines.mujoco.adapter` has the conventions.

Every port is asked for :data:`implementations.engines.blocks.BLOCK` states at once, since ports compile a program for every size
of a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

import numpy as np

from implementations.conventions.converted import Converted
from implementations.engines.blocks import BlockByBlock
from implementations.engines.mujoco.adapter import CONVENTIONS, engine, places_of
from implementations.engines.mujoco.models import model_of
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.quantities.steps import steps_among

Fields = Mapping[str, Any]


Step = Callable[[Array, Array, Array, Array], tuple[Any, Any]]
"""qpos and qvel (BLOCK, …) after steps from q, v and tau, of h (BLOCK,) seconds."""


class Port(Protocol):
    """One model in a port."""

    offers: frozenset[str]
    """The quantities of :class:`OfBlocks` that it has."""
    steps: Mapping[str, Step]
    """Its steps, by integrator."""

    def fields(self, stage: str, q: Array, v: Array, a: Array, tau: Array) -> Fields:
        """MuJoCo's fields after a ``stage`` of its computations, each (BLOCK, …), at states in MuJoCo's coordinates.

        Stages are "position", "velocity", "inverse" (``qfrc_inverse`` of qacc = a), "forward" (``qacc`` of qfrc_applied = tau),
        and "jacobians", "solve" (``M⁻¹``), "motion" (``xvel``: [ω; v] of our bodies), "subtree" and "energy". A port may compute
        more.
        """


def load(mechanism: Mechanism, port: Callable[[Any, Any, list[int], list[int]], Port]) -> Converted:
    """The dynamics of a mechanism in the ``port`` of these: MuJoCo, its model, and the numbers of our bodies and frames there."""
    mj = engine()
    model, bodies = model_of(mj, mechanism)
    # Ports do not have the integrator that MuJoCo's ∂τ/∂v needs.
    model.opt.integrator = mj.mjtIntegrator.mjINT_EULER
    order, numbers, sites = places_of(mj, model, bodies, mechanism)
    ported = port(mj, model, numbers, sites)
    offered = frozenset(name for name in ported.offers if sites or not name.startswith("frame_"))
    of_blocks = OfBlocks(model, ported, numbers, sites)
    answers = BlockByBlock(mechanism, Offered(of_blocks, offered | {*steps_among(vars(of_blocks))}))
    return Converted(answers, mechanism, CONVENTIONS, order)


class JAXPort:
    """What ports in JAX have in common: functions of the model and of one state, each compiled once for blocks of states.

    ``model`` has what all functions take before the state.
    """

    def __init__(self, jax: Any, *model: Any, **options: Any) -> None:
        self._jax, self._model, self._options = jax, model, options
        self._device, self._compiled = jax.devices("cpu")[0], dict[Callable[..., Any], Callable[..., Any]]()

    def _asked(self, function: Callable[..., Any], *states: Array) -> Any:
        jax = self._jax
        if function not in self._compiled:
            axes = (*(None for _ in self._model), *(0 for _ in states))
            self._compiled[function] = jax.jit(jax.vmap(function, in_axes=axes), compiler_options=self._options)
        with jax.default_device(self._device):
            return self._compiled[function](*self._model, *map(jax.numpy.asarray, states))


class Offered:
    """The methods of ``dynamics`` with these ``names``."""

    def __init__(self, dynamics: Any, names: frozenset[str]) -> None:
        self._dynamics, self._names = dynamics, names

    def __dir__(self) -> list[str]:
        return [*self._names]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._names:
            raise AttributeError(name)
        return getattr(self._dynamics, name)


class OfBlocks:
    """The quantities of a block of states of a model in a port, in MuJoCo's coordinates."""

    def __init__(self, model: Any, port: Port, bodies: list[int], sites: list[int]) -> None:
        self._model, self._port, self._bodies, self._sites = model, port, bodies, sites
        vars(self).update({f"step_{name}": partial(self._stepped, step) for name, step in port.steps.items()})

    @staticmethod
    def _stepped(step: Step, q: Array, v: Array, tau: Array, h: Array) -> Array:
        return np.concatenate([np.asarray(x) for x in step(q, v, tau, h[:, 0])], axis=1)

    def _at(self, stage: str, q: Array, v: Array | None = None, a: Array | None = None, tau: Array | None = None) -> Fields:
        """The fields (BLOCK, …) after a stage, at the states."""
        still = np.zeros((len(q), self._model.nv), q.dtype)
        states = [q, *(still if x is None else x for x in (v, a, tau))]
        return {name: np.asarray(field) for name, field in self._port.fields(stage, *states).items()}

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Any:
        return self._at("inverse", q, v, a)["qfrc_inverse"]

    def mass_matrix(self, q: Array) -> Any:
        return self._at("position", q)["M"]

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Any:
        return self._at("forward", q, v, tau=tau)["qacc"]

    def forward_dynamics_dtau(self, q: Array) -> Any:
        return self._at("solve", q)["M⁻¹"]

    def nonlinear_effects(self, q: Array, v: Array) -> Any:
        fields = self._at("velocity", q, v)
        return fields["qfrc_bias"] - fields["qfrc_passive"]

    def gravity(self, q: Array) -> Any:
        return self._at("velocity", q)["qfrc_bias"]

    def kinetic_energy(self, q: Array, v: Array) -> Any:
        return self._at("energy", q, v)["energy"][:, 1]

    def potential_energy(self, q: Array) -> Any:
        return self._at("energy", q)["energy"][:, 0]

    def placements(self, q: Array) -> Any:
        return self._poses(self._at("position", q), "x", self._bodies)

    def frame_placements(self, q: Array) -> Any:
        return self._poses(self._at("position", q), "site_x", self._sites)

    @staticmethod
    def _poses(fields: Fields, prefix: str, numbers: list[int]) -> Array:
        turns, points = fields[f"{prefix}mat"], fields[f"{prefix}pos"]
        turns = turns.reshape(*points.shape, 3)
        return np.concatenate([turns, points[..., None]], axis=-1)[:, numbers]

    def velocities_aligned(self, q: Array, v: Array) -> Any:
        return self._at("motion", q, v)["xvel"]

    def jacobians_aligned(self, q: Array) -> Any:
        return self._at("jacobians", q)["of bodies"]

    def jacobians_world(self, q: Array) -> Any:
        return self._at("jacobians", q)["at the origin"]

    def frame_jacobians_aligned(self, q: Array) -> Any:
        return self._at("jacobians", q)["of sites"]

    def center_of_mass(self, q: Array) -> Any:
        return self._at("position", q)["subtree_com"][:, 0]

    def center_of_mass_velocity(self, q: Array, v: Array) -> Any:
        return self._at("subtree", q, v)["subtree_linvel"][:, 0]

    def centroidal_momentum(self, q: Array, v: Array) -> Any:
        fields = self._at("subtree", q, v)
        linear = self._model.body_subtreemass[0] * fields["subtree_linvel"][:, 0]
        return np.concatenate([fields["subtree_angmom"][:, 0], linear], axis=1)
