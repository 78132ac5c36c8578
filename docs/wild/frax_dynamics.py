"""frax: the dynamics of the robot that its own reader makes of a URDF file, in JAX. It knows neither armature nor damping."""

import tempfile
from functools import cache

import frax
import jax
import numpy as np

import dalembert

jax.config.update("jax_enable_x64", True)

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


@cache
def load(mechanism):
    root = f'<link name="{mechanism.root}"'
    # The reader fails on a root without inertia.
    text = dalembert.source_of(mechanism).text.replace(f"{root}/>", f"{root}>{INERTIAL}</link>")
    with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
        file.write(text)
        file.flush()
        robot = frax.Robot(file.name)
    functions = (robot.mass_matrix, robot.gravity_vector, robot.centrifugal_coriolis_vector)
    return robot, *map(jax.jit, functions)


def joint_order(mechanism):
    return load(mechanism)[0].joint_names


def mass_matrix(mechanism, q):
    return np.array(load(mechanism)[1](q)) + np.diag(own_order(mechanism, mechanism.arrays.armature))


def gravity(mechanism, q):
    return load(mechanism)[2](q)


def inverse_dynamics(mechanism, q, v, a):
    coriolis = load(mechanism)[3](q, v)
    return mass_matrix(mechanism, q) @ a + coriolis + gravity(mechanism, q) + own_order(mechanism, mechanism.arrays.damping) * v


def own_order(mechanism, numbers):
    """One number for every joint, in frax's order."""
    by_name = dict(zip((body.joint.name for body in mechanism.bodies), numbers, strict=True))
    return np.array([by_name[name] for name in joint_order(mechanism)])
