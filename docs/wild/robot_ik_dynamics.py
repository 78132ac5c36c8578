"""robot-ik: ``DynamicsSolver``, given the standard Denavit-Hartenberg parameters of ``planar-pendulum``.

Its z is along the hinges, its x is along the link, down where q is zero; a link's frame is at the link's far end.
"""

from functools import cache

import numpy as np
from robot_ik.dynamics.solver import DynamicsSolver, LinkInertia, RobotDynamicsModel

mechanism = "planar-pendulum:2"

TURN = np.array([[0, 0, -1], [-1, 0, 0], [0, 1, 0]])  # from our axes to theirs


@cache
def load(mechanism):
    m, n = mechanism.arrays, mechanism.nv
    lengths = -2 * m.coms[:, 2]
    links = [
        LinkInertia(mass, TURN @ com - [length, 0, 0], TURN @ inertia @ TURN.T)
        for mass, com, length, inertia in zip(m.masses, m.coms, lengths, m.inertias, strict=True)
    ]
    return DynamicsSolver(RobotDynamicsModel(lengths, np.zeros(n), np.zeros(n), links, TURN @ m.gravity, m.damping))


def inverse_dynamics(mechanism, q, v, a):
    return load(mechanism).inverse_dynamics(q, v, a)


def gravity(mechanism, q):
    return load(mechanism).gravity_torque(q)


def mass_matrix(mechanism, q):
    return load(mechanism).inertia_matrix(q)
