"""MuJoCo MJX, in float64: MuJoCo's own reader makes the model of a URDF file, and MJX computes."""

from functools import cache

import jax
import mujoco
import numpy as np
from mujoco import mjx

import dalembert

jax.config.update("jax_enable_x64", True)


@cache
def load(mechanism):
    model = mujoco.MjModel.from_xml_string(dalembert.source_of(mechanism).text)
    model.opt.gravity = mechanism.arrays.gravity
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    for body, armature, damping in zip(mechanism.bodies, mechanism.arrays.armature, mechanism.arrays.damping, strict=True):
        dof = model.joint(body.joint.name).dofadr[0]
        model.dof_armature[dof], model.dof_damping[dof] = armature, damping
    theirs, data = mjx.put_model(model), mjx.make_data(model)

    def answer(function, result):
        return jax.jit(lambda **state: result(function(theirs, data.replace(**state))))

    return (
        [model.joint(i).name for i in range(model.njnt)],
        answer(mjx.inverse, lambda d: d.qfrc_inverse),
        answer(mjx.forward, lambda d: d.qacc),
        answer(mjx.forward, lambda d: mjx.full_m(theirs, d)),
    )


def joint_order(mechanism):
    return load(mechanism)[0]


def inverse_dynamics(mechanism, q, v, a):
    return np.array(load(mechanism)[1](qpos=q, qvel=v, qacc=a))


def forward_dynamics(mechanism, q, v, tau):
    return np.array(load(mechanism)[2](qpos=q, qvel=v, qfrc_applied=tau))


def mass_matrix(mechanism, q):
    return np.array(load(mechanism)[3](qpos=q))
