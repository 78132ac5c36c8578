"""ManipulaPy: the dynamics of the chain that its URDF reader makes. Armature and damping are not part of it."""

from functools import cache

import numpy as np
from ManipulaPy.urdf_processor import URDFToSerialManipulator

import dalembert


@cache
def load(mechanism):
    with dalembert.source_of(mechanism).file() as path:
        return URDFToSerialManipulator(str(path)).dynamics


def mass_matrix(mechanism, q):
    return load(mechanism).mass_matrix(q) + np.diag(mechanism.arrays.armature)


def gravity(mechanism, q):
    return load(mechanism).gravity_forces(q, mechanism.arrays.gravity)


def inverse_dynamics(mechanism, q, v, a):
    m = mechanism.arrays
    return load(mechanism).inverse_dynamics(q, v, a, m.gravity, np.zeros(6)) + m.armature * a + m.damping * v
