"""zcartpole: a cart with two rods in series. Its links have absolute angles, ours are relative; the cart comes first in both."""

from functools import cache

import numpy as np

from dalembert import Body, Inertia, Joint, Mechanism, Placement, Rotation

ABSOLUTE = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1]])  # their velocities from ours


def _link(name, parent, above, tip, rod, length, inertia, damping):
    mass = tip + rod
    com = (tip * length + rod * 0.4 * length) / mass
    about_com = inertia + tip * (length - com) ** 2 + rod * (com - 0.4 * length) ** 2
    joint = Joint(f"{name} hinge", "revolute", (0, 1, 0), Placement(Rotation(1, 0, 0, 0), (0, 0, above)), damping=damping)
    return Body(name, parent, joint, Inertia(mass, (0, 0, com), (about_com, about_com, 0, 0, 0, 0)))


mechanism = Mechanism(
    "cart with two rods",
    (
        Body("cart", "world", Joint("slide", "prismatic", (1, 0, 0), damping=0.1), Inertia(1)),
        _link("first", "cart", 0, 0.2, 0.1, 0.5, 0.1 * 0.5**2 / 12, 0.02),
        _link("second", "first", 0.5, 0.3, 0.05, 0.4, 0.05 * 0.4**2 / 12, 0.01),
    ),
)


@cache
def model():
    from zcartpole import ZNCartPole  # here, because another Python may read the mechanism

    rods = {"rod_mass": [0.1, 0.05], "rod_com": 0.4}
    return ZNCartPole([0.2, 0.3], [0.5, 0.4], M=1.0, cart_damping=0.1, joint_damping=[0.02, 0.01], **rods)


def mass_matrix(q):
    return ABSOLUTE.T @ model().mass_matrix(_circle(q)) @ ABSOLUTE


def inverse_dynamics(q, v, a):
    force = model().rhs_forces(_circle(q), (ABSOLUTE @ v)[1:], 0.0, v[0])
    return ABSOLUTE.T @ (model().mass_matrix(_circle(q)) @ ABSOLUTE @ a - force)


def _circle(q):
    return np.exp(1j * (ABSOLUTE @ q)[1:])
