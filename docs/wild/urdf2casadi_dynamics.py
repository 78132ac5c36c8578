"""urdf2casadi: inverse dynamics, gravity and mass matrix of one chain of a URDF file, as CasADi functions."""

from functools import cache

import numpy as np
from urdf2casadi.urdfparser import URDFparser

import dalembert


@cache
def functions(mechanism):
    parser = URDFparser()
    parser.from_string(dalembert.source_of(mechanism).text)
    chain, gravity = (mechanism.root, mechanism.bodies[-1].name), list(mechanism.arrays.gravity)
    return (
        parser.get_inverse_dynamics_rnea(*chain, gravity=gravity),
        parser.get_gravity_rnea(*chain, gravity),
        parser.get_inertia_matrix_crba(*chain),
    )


def inverse_dynamics(mechanism, q, v, a):
    m = mechanism.arrays  # the URDF parser reads damping and no armature; the functions have neither
    return np.array(functions(mechanism)[0](q, v, a)).ravel() + m.armature * a + m.damping * v


def gravity(mechanism, q):
    return np.array(functions(mechanism)[1](q)).ravel()


def mass_matrix(mechanism, q):
    return np.array(functions(mechanism)[2](q)) + np.diag(mechanism.arrays.armature)
