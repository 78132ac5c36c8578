"""Brax (Google): ``brax.generalized``, dynamics in generalized coordinates in JAX, on the CPU.

Its system is made from MuJoCo's model by ``brax.io.mjcf.load_model``. :mod:`implementations.engines.mujoco.adapter` makes the
model; conventions are MuJoCo's.

==================== ========================================== ======================================================
what                 Brax                                       conversion
==================== ========================================== ======================================================
states               of one state                               ``vmap``, over blocks of states
                                                                (:mod:`implementations.engines.mujoco.ports`)
h                    ``dynamics.forward`` without forces        the negative
forward dynamics     q̈ of ``integrator.integrate``              none; the step itself is not asked
Jacobians            ``point_jacobian`` of a point on a link    of the body's origin: aligned; of the root's: world
centre of mass       of every tree on the root                  of mechanisms with one tree
==================== ========================================== ======================================================

Brax has no inverse dynamics: its ``dynamics.inverse`` is h without damping. It has neither energies nor ball joints.

``pipeline.init`` is called part by part, because its check of the model fails at models without geometry.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cached_property, partial
from importlib import import_module
from typing import Any

from implementations.conventions.converted import Converted
from implementations.engines.blocks import BLOCK, InJAX
from implementations.engines.declared import Adapter, declared, imported
from implementations.engines.mujoco.ports import Fields, Step, load
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism

BALL = "Brax has no ball joint: no spherical joint, and no free joint that is not at the root's frame"
SLIDES = "Brax computes slides wrongly where the frame of their body is turned against the root's"
STACKS = "Brax's velocities of a body are wrong where another joint of the body follows a hinge"


class Brax(InJAX, Adapter):
    """The implementation "brax". Raises :class:`implementations.protocol.Missing` if Brax is not installed."""

    name = "brax"

    def load(self, mechanism: Mechanism) -> Converted:
        return load(mechanism, partial(BraxModel, *engine()))


class BraxModel:
    """One model; see :class:`implementations.engines.mujoco.ports.Port`. Raises :class:`Unsupported`."""

    steps: Mapping[str, Step] = {}
    """None: Brax's own step takes an approximate inverse of M."""

    def __init__(self, jax: Any, brax: Any, mj: Any, model: Any, bodies: list[int], sites: list[int]) -> None:
        joints = [
            model.jnt_type[first : first + count] for first, count in zip(model.body_jntadr, model.body_jntnum, strict=True)
        ]
        if mj.mjtJoint.mjJNT_BALL in model.jnt_type:
            raise Unsupported(BALL)
        if _has_turned_slides(mj, model, joints):
            raise Unsupported(SLIDES)
        self._jax, self._brax, self._bodies = jax, brax, bodies
        self._stacked = any(mj.mjtJoint.mjJNT_HINGE in own[:-1] for own in joints)
        self._sizes = (model.nq, model.nv, model.nv)
        self._device = jax.devices("cpu")[0]
        with jax.default_device(self._device), warnings.catch_warnings(action="ignore"):
            self._system = import_module("brax.io.mjcf").load_model(model)
        lost = {"center_of_mass"} if self._system.link_parents.count(-1) > 1 else set()
        self.offers = declared("brax").offers - lost

    def fields(self, stage: str, q: Array, v: Array, a: Array, tau: Array) -> Fields:
        """All fields, whatever the ``stage``; see :meth:`implementations.engines.mujoco.ports.Port.fields`."""
        if stage == "motion" and self._stacked:
            raise Unsupported(STACKS)
        with self._jax.default_device(self._device):
            found: Fields = self._program(self._system, *map(self._jax.numpy.asarray, (q, v, tau)))
            return found

    @cached_property
    def _program(self) -> Any:
        """The compiled function of the system and a block of states."""
        jax = self._jax
        states = [jax.numpy.zeros((BLOCK, size)) for size in self._sizes]
        return jax.jit(jax.vmap(self._of_state, in_axes=(None, 0, 0, 0))).lower(self._system, *states).compile()

    def _of_state(self, system: Any, q: Any, v: Any, tau: Any) -> Fields:
        jax, jp, brax = self._jax, self._jax.numpy, self._brax
        generalized = brax.generalized
        x, xd = brax.kinematics.forward(system, q, v)
        state = generalized.base.State.init(q, v, x, xd)
        state = generalized.dynamics.transform_com(system, state)
        state = generalized.mass.matrix_inv(system, state, 0)
        pushed = state.replace(qf_smooth=generalized.dynamics.forward(system, state, tau))
        links = jp.array(self._bodies) - 1

        def jacobians(points: Any) -> Any:
            """J (bodies, 6, nv)."""
            of = jax.vmap(partial(generalized.constraint.point_jacobian, system, state.root_com, state.cdof))
            return of(points, links).matrix().swapaxes(1, 2)

        x = brax.base.Transform.zero((1,)).concatenate(x)
        bias = -generalized.dynamics.forward(system, state, jp.zeros_like(tau))
        return {
            "xpos": x.pos,
            "xmat": jax.vmap(brax.math.quat_to_3x3)(x.rot),
            "xvel": xd.matrix()[links],
            "subtree_com": state.root_com,
            "qfrc_bias": bias,
            "qfrc_passive": jp.zeros_like(bias),
            "M": state.mass_mx,
            "M⁻¹": state.mass_mx_inv,
            "qacc": generalized.integrator.integrate(system, pushed).qdd,
            "of bodies": jacobians(x.pos[links + 1]),
            "at the origin": jacobians(jp.zeros((len(links), 3))),
        }


def _has_turned_slides(mj: Any, model: Any, joints: list[Array]) -> bool:
    """Whether a slide's body, before its ``joints`` move it, may have other axes than the root."""
    turned = [False]
    for body in range(1, model.nbody):
        before = turned[model.body_parentid[body]] or abs(model.body_quat[body, 0]) != 1
        if before and mj.mjtJoint.mjJNT_SLIDE in joints[body]:
            return True
        turned.append(before or (joints[body] != mj.mjtJoint.mjJNT_SLIDE).any())
    return False


def engine() -> tuple[Any, Any]:
    """JAX, and Brax. Raises :class:`implementations.protocol.Missing`."""
    jax = imported("JAX", "brax", "jax", "jit")
    with warnings.catch_warnings(action="ignore"):  # It warns of what it imports, and where warnings are errors it fails.
        imported("Brax", "brax", "brax.generalized.pipeline", "init")
        return jax, imported("Brax", "brax", "brax", "generalized")
