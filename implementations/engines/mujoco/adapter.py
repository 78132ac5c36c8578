"""MuJoCo (Todorov, Erez, Tassa, IROS 2012), through its Python module; models are built with ``MjSpec``.

How MuJoCo differs from our conventions
---------------------------------------

==================== ========================================== ======================================================
what                 MuJoCo                                     conversion
==================== ========================================== ======================================================
joint order          depth first                                joints and bodies permuted
quaternion           w x y z, normalised                        permuted
continuous: q        the angle                                  computed from its cosine and sine
free: v, a, τ        linear first, [ṗ; ω]: ṗ along the axes of  declared, :mod:`implementations.conventions` converts
                     the joint's frame, ω along the body's
planar: v, a, τ      [ṗ₁, ṗ₂; ω₃] along the joint's axes        the same
accelerations        contain −gravity                           asked of a copy of the model without gravity
inertia              principal moments and their axes           computed with NumPy: MuJoCo's own iteration loses fifty
                                                                roundings
armature, damping    of every joint, in all that is asked       none
springs              passive forces, as damping is              ``qfrc_spring`` subtracted from g
gravity compensation a passive force; no part of the energy     ``qfrc_gravcomp`` subtracted from g; V is not compared
friction             a constraint, which at rest lets a joint   none in ``mj_inverse`` and ``mj_forward``, but a very
                     creep                                      large damping of the constraint
forward dynamics     ``qacc`` of ``mj_forward``; an Euler step  none
                     treats damping implicitly
time steps           ``mj_step`` with each integrator           none; what is kept from the step before is reset
h                    ``qfrc_bias`` has no damping               ``qfrc_passive``, which has, subtracted from it; with
                                                                friction, ``mj_inverse`` at zero acceleration
external forces      no part of ``mj_inverse``                  ``mj_applyFT`` subtracted from it
Jacobians            of any point, along the root's axes        of the body's origin: aligned; of the root's: world
drifts               J̇ of a point that moves with the body      multiplied by v; aligned only
∂τ/∂v                ``qDeriv`` of the implicit integrator      the negative
M⁻¹                  ``mj_solveM``                              applied to the identity matrix
==================== ========================================== ======================================================

MuJoCo has no other analytic derivative, no Coriolis matrix and no regressor: ``mjd_inverseFD`` and ``mjd_transitionFD`` take
differences, which have half of the digits.

MuJoCo refuses bodies that move and have a mass or a principal moment below 1e−15 (point masses, and links without mass), and
moments that violate the triangle inequality at all.

:mod:`implementations.engines.mujoco.models` maps our joints to MuJoCo's.
"""

from __future__ import annotations

from typing import Any

from implementations.engines import left_out
from implementations.engines.declared import Adapter, declared, engine_of
from implementations.engines.mujoco.calls import MuJoCoCalls, MuJoCoConstraints
from implementations.engines.mujoco.models import let_joints_slide, model_of
from implementations.protocol import Dynamics, Missing
from implementations.state_by_state import StateByState
from mechanisms import Mechanism

CONVENTIONS = declared("mujoco").conventions


class MuJoCo(Adapter):
    """The implementation "mujoco". Raises :class:`Missing` if MuJoCo is not installed."""

    name = "mujoco"

    def load(self, mechanism: Mechanism) -> Dynamics:
        mj = engine()
        model, bodies = model_of(mj, mechanism)
        if mechanism.constraints:
            order = sorted(range(len(bodies)), key=bodies.__getitem__)
            asked = StateByState(mechanism, MuJoCoConstraints(mj, model, mechanism))
            return left_out.in_our_coordinates("mujoco", mechanism, asked, order)
        if mechanism.arrays.friction is not None:
            let_joints_slide(mj, model)
        return in_our_coordinates(mj, model, bodies, mechanism)


def in_our_coordinates(mj: Any, model: Any, bodies: list[int], mechanism: Mechanism) -> Dynamics:
    """The dynamics of a model, in which our bodies have the numbers ``bodies``."""
    order, numbers, sites = places_of(mj, model, bodies, mechanism)
    asked = StateByState(mechanism, MuJoCoCalls(mj, model, numbers, sites))
    return left_out.in_our_coordinates("mujoco", mechanism, asked, order)


def places_of(mj: Any, model: Any, bodies: list[int], mechanism: Mechanism) -> tuple[list[int], list[int], list[int]]:
    """The indices of our bodies in MuJoCo's order, their numbers in this order, and the numbers of the frames' sites.

    A model that MuJoCo has read has no such sites: then there are none.
    """
    order = sorted(range(len(bodies)), key=bodies.__getitem__)
    sites = [mj.mj_name2id(model, mj.mjtObj.mjOBJ_SITE, f"frame{k}") for k in range(len(mechanism.frames))]
    return order, [bodies[i] for i in order], sites if sites and min(sites) >= 0 else []


def engine() -> Any:
    """MuJoCo's Python module. Raises :class:`Missing`."""
    mj = engine_of("mujoco")
    if not hasattr(mj, "MjSpec"):
        raise Missing('this MuJoCo is too old and has no MjSpec; pip install "dalembert[mujoco]"')
    return mj
