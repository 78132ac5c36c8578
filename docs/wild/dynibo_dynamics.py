"""dynibo: the dynamics of the robot that its own reader makes of a URDF file. It knows neither armature nor damping."""

from functools import cache

import numpy as np
from dynibo import Robot

import dalembert


@cache
def load(mechanism):
    with dalembert.source_of(mechanism).file() as path:
        return Robot.from_urdf(str(path))


def inverse_dynamics(mechanism, q, v, a):
    m = mechanism.arrays
    return load(mechanism).inverse_dynamics(q, v, a) + m.armature * a + m.damping * v


def gravity(mechanism, q):
    return load(mechanism).gravity(q)


def mass_matrix(mechanism, q):
    return load(mechanism).mass_matrix(q).reshape(mechanism.nv, mechanism.nv).T + np.diag(mechanism.arrays.armature)
