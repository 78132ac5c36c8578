"""MJX (Google DeepMind): MuJoCo's computations in JAX, in float32, on the CPU.

Its model is MuJoCo's own, which :mod:`implementations.engines.mujoco.adapter` makes; conventions are MuJoCo's.

==================== ========================================== ======================================================
what                 MJX                                        conversion
==================== ========================================== ======================================================
states               of one state                               ``vmap``, over blocks of states
                                                                (:mod:`implementations.engines.mujoco.ports`)
Jacobians            ``jac``, transposed                        transposed
M⁻¹                  ``solve_m`` of one vector                  asked for every unit vector
energies             none                                       none
==================== ========================================== ======================================================

XLA compiles one program for a model, with all quantities, at the first question: half a minute of a processor for six joints.
XLA's fusion of loops is switched off: it repeats subexpressions of such chains of small matrices, and compiles several times as
long.

The precision is float64 where JAX is told so: with ``JAX_ENABLE_X64=1`` in the environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from implementations.conventions.converted import Converted
from implementations.engines.blocks import InJAX
from implementations.engines.declared import Adapter, declared, imported
from implementations.engines.mujoco.ports import Fields, JAXPort, Step, load
from implementations.protocol import Array
from mechanisms import Mechanism

UNFUSED = {"xla_disable_hlo_passes": "fusion"}


class MJX(InJAX, Adapter):
    """The implementation "mjx". Raises :class:`implementations.protocol.Missing` if MJX is not installed."""

    name = "mjx"

    def load(self, mechanism: Mechanism) -> Converted:
        return load(mechanism, partial(MJXModel, *engine()))


class MJXModel(JAXPort):
    """One model; see :class:`implementations.engines.mujoco.ports.Port`."""

    offers = declared("mjx").offers

    def __init__(self, jax: Any, mjx: Any, mj: Any, model: Any, bodies: list[int], sites: list[int]) -> None:
        device = jax.devices("cpu")[0]
        put = mjx.put_model(model, device=device)
        super().__init__(jax, put, mjx.make_data(put, device=device), **UNFUSED)
        self._mjx, kinds = mjx, mjx._src.types.IntegratorType
        # MJX has only the name of the discrete one.
        stepped = {one.name.lower(): partial(self._stepped, one) for one in kinds if one != kinds.DISCRETE}
        self.steps: Mapping[str, Step] = {name: partial(self._asked, function) for name, function in stepped.items()}
        self._bodies, self._sites, self._bodies_of_sites = bodies, sites, model.site_bodyid

    def fields(self, stage: str, q: Array, v: Array, a: Array, tau: Array) -> Fields:
        """All fields, whatever the ``stage``; see :meth:`implementations.engines.mujoco.ports.Port.fields`."""
        found: Fields = self._asked(self._of_state, q, v, a, tau)
        return found

    def _stepped(self, integrator: Any, model: Any, data: Any, q: Any, v: Any, tau: Any, h: Any) -> Any:
        model = model.replace(opt=model.opt.replace(integrator=integrator, timestep=h))
        after = self._mjx.step(model, data.replace(qpos=q, qvel=v, qfrc_applied=tau))
        return after.qpos, after.qvel

    def _of_state(self, model: Any, data: Any, q: Any, v: Any, a: Any, tau: Any) -> Fields:
        jp, mjx, vmap = self._jax.numpy, self._mjx, self._jax.vmap
        d = mjx.inverse(model, data.replace(qpos=q, qvel=v, qacc=a))
        moving = mjx.subtree_vel(model, d)._impl

        def jacobians(points: Any, bodies: Any) -> Any:
            """J (places, 6, nv)."""
            linear, angular = vmap(lambda point, body: mjx.jac(model, d, point, body))(points, jp.array(bodies))
            return jp.concatenate([angular, linear], axis=2).swapaxes(1, 2)

        bodies, sites = jp.array(self._bodies), jp.array(self._sites, int)
        origin = jp.zeros((len(bodies), 3))
        return {
            **{name: getattr(d, name) for name in ("xpos", "xmat", "site_xpos", "site_xmat", "subtree_com")},
            **{name: getattr(d, name) for name in ("qfrc_bias", "qfrc_passive", "qfrc_inverse")},
            "M": mjx.full_m(model, d),
            "M⁻¹": vmap(lambda unit: mjx._src.smooth.solve_m(model, d, unit), out_axes=1)(jp.eye(model.nv)),
            "qacc": mjx.forward(model, data.replace(qpos=q, qvel=v, qfrc_applied=tau)).qacc,
            "subtree_linvel": moving.subtree_linvel,
            "subtree_angmom": moving.subtree_angmom,
            "of bodies": jacobians(d.xpos[bodies], bodies),
            "at the origin": jacobians(origin, bodies),
            **({"of sites": jacobians(d.site_xpos[sites], self._bodies_of_sites[self._sites])} if self._sites else {}),
        }


def engine() -> tuple[Any, Any]:
    """JAX, and MJX. Raises :class:`implementations.protocol.Missing`."""
    jax = imported("JAX", "mjx", "jax", "jit")
    return jax, imported("MJX", "mjx", "mujoco.mjx", "put_model")
