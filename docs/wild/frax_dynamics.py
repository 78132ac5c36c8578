"""frax: the dynamics of the robot that its own reader makes of a URDF file, in JAX. It knows neither armature nor damping."""

from functools import cache

import dalembert
import frax
import jax
import numpy as np

jax.config.update("jax_enable_x64", True)


@cache
def load(mechanism):
    with dalembert.source_of(mechanism).file() as path:
        robot = frax.Robot(str(path))
    functions = (robot.mass_matrix, robot.gravity_vector, robot.centrifugal_coriolis_vector)
    return robot, *map(jax.jit, functions)


def joint_order(mechanism):
    return load(mechanism)[0].joint_names


def mass_matrix(mechanism, q):
    robot, mass_matrix, *_ = load(mechanism)
    return np.array(mass_matrix(q)) + np.diag(own_order(mechanism, mechanism.arrays.armature))


def gravity(mechanism, q):
    return load(mechanism)[2](q)


def inverse_dynamics(mechanism, q, v, a):
    coriolis = load(mechanism)[3](q, v)
    return mass_matrix(mechanism, q) @ a + coriolis + gravity(mechanism, q) + own_order(mechanism, mechanism.arrays.damping) * v


def own_order(mechanism, numbers):
    """One number for every joint, in frax's order."""
    by_name = dict(zip((body.joint.name for body in mechanism.bodies), numbers, strict=True))
    return np.array([by_name[name] for name in joint_order(mechanism)])
