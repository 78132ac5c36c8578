"""Brax (Google): ``brax.generalized``, dynamics in generalized coordinates in JAX, on the CPU.

Its system is made from MuJoCo's model by ``brax.io.mjcf.load_model``. :mod:`implementations.engines.mujoco.adapter` makes the
model; conventions are MuJoCo's.

==================== ========================================== ======================================================
what                 Brax                                       conversion
==================== ========================================== ======================================================
states               of one state                               ``vmap``, over blocks of states
                                                                (:mod:`implementations.engines.mujoco.ports`)
h                    ``dynamics.forward`` without forces        the negative
forward dynamics     q̈ of ``integrator.integrate``              none
time steps           ``integrator.integrate`` after             forces are added there: there are no actuators
                     ``dynamics.forward``, as ``pipeline.step``
Jacobians            ``point_jacobian`` of a point on a link    of the body's origin: aligned; of the root's: world
centre of mass       of every tree on the root                  of mechanisms with one tree
==================== ========================================== ======================================================

Brax has no inverse dynamics: its ``dynamics.inverse`` is h without damping. It has neither energies nor ball joints.

``pipeline.init`` is called part by part, because its check of the model fails at models without geometry.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

from implementations.conventions.converted import Converted
from implementations.engines.blocks import InJAX
from implementations.engines.declared import Adapter, declared, imported
from implementations.engines.mujoco.ports import Fields, JAXPort, Step, load
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


class BraxModel(JAXPort):
    """One model; see :class:`implementations.engines.mujoco.ports.Port`. Raises :class:`Unsupported`."""

    def __init__(self, jax: Any, brax: Any, mj: Any, model: Any, bodies: list[int], sites: list[int]) -> None:
        joints = [
            model.jnt_type[first : first + count] for first, count in zip(model.body_jntadr, model.body_jntnum, strict=True)
        ]
        if mj.mjtJoint.mjJNT_BALL in model.jnt_type:
            raise Unsupported(BALL)
        if _has_turned_slides(mj, model, joints):
            raise Unsupported(SLIDES)
        with jax.default_device(jax.devices("cpu")[0]), warnings.catch_warnings(action="ignore"):
            system = import_module("brax.io.mjcf").load_model(model)
        super().__init__(jax, system)
        self._brax, self._bodies = brax, bodies
        self.steps: Mapping[str, Step] = {
            name: partial(self._asked, partial(self._stepped, iterations))
            for name, iterations in (("exact", 0), ("iterated", system.matrix_inv_iterations))
        }
        self._stacked = any(mj.mjtJoint.mjJNT_HINGE in own[:-1] for own in joints)
        lost = {"center_of_mass"} if system.link_parents.count(-1) > 1 else set()
        self.offers = declared("brax").offers - lost

    def fields(self, stage: str, q: Array, v: Array, a: Array, tau: Array) -> Fields:
        """All fields, whatever the ``stage``; see :meth:`implementations.engines.mujoco.ports.Port.fields`."""
        if stage == "motion" and self._stacked:
            raise Unsupported(STACKS)
        found: Fields = self._asked(self._of_state, q, v, tau)
        return found

    def _stepped(self, iterations: int, system: Any, q: Any, v: Any, tau: Any, h: Any) -> Any:
        """Two steps of h/2 if M⁻¹ is iterated: the first one has the exact M⁻¹ of the state at which it begins."""
        generalized, parts = self._brax.generalized, 2 if iterations else 1
        system = system.tree_replace({"opt.timestep": h / parts}).replace(matrix_inv_iterations=iterations)
        state = generalized.mass.matrix_inv(system, self._placed(system, q, v), 0)
        for part in range(parts):
            if part:
                moved = self._placed(system, state.q, state.qd).replace(mass_mx_inv=state.mass_mx_inv)
                state = generalized.mass.matrix_inv(system, moved, iterations)
            pushed = state.replace(qf_smooth=generalized.dynamics.forward(system, state, tau))
            state = generalized.integrator.integrate(system, pushed)
        return state.q, state.qd

    def _placed(self, system: Any, q: Any, v: Any) -> Any:
        """Brax's state at q and v, without M and M⁻¹."""
        generalized, places = self._brax.generalized, self._brax.kinematics.forward(system, q, v)
        return generalized.dynamics.transform_com(system, generalized.base.State.init(q, v, *places))

    def _of_state(self, system: Any, q: Any, v: Any, tau: Any) -> Fields:
        jax, jp, brax = self._jax, self._jax.numpy, self._brax
        generalized = brax.generalized
        state = generalized.mass.matrix_inv(system, self._placed(system, q, v), 0)
        pushed = state.replace(qf_smooth=generalized.dynamics.forward(system, state, tau))
        links = jp.array(self._bodies) - 1

        def jacobians(points: Any) -> Any:
            """J (bodies, 6, nv)."""
            of = jax.vmap(partial(generalized.constraint.point_jacobian, system, state.root_com, state.cdof))
            return of(points, links).matrix().swapaxes(1, 2)

        x, xd = brax.base.Transform.zero((1,)).concatenate(state.x), state.xd
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
