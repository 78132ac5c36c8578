"""Gymnasium's CartPole and Acrobot, as recorded data: both take a force on one joint only, so the states are chosen here.

``python gymnasium_dynamics.py`` writes cart_pole.csv and acrobot.csv. It needs Gymnasium, and not dalembert.
"""

import csv
import sys
from fractions import Fraction
from pathlib import Path

G = (0, 0, "-9.8")


def cart_pole():
    from dalembert import Body, Inertia, Joint, Mechanism

    rod = Fraction(1, 120)  # of 1 m and 0.1 kg, about its middle
    pole = Inertia("0.1", (0, 0, "0.5"), (rod, rod, 0, 0, 0, 0))
    cart = Body("cart", "world", Joint("slide", "prismatic", (1, 0, 0)), Inertia(1))
    return Mechanism("cart_pole", (cart, Body("pole", "cart", Joint("hinge", "revolute", (0, 1, 0)), pole)), G)


def acrobot():
    from dalembert import Body, Inertia, Joint, Mechanism, Placement, Rotation

    link = Inertia(1, (0, 0, "-0.5"), (1, 1, 0, 0, 0, 0))
    upper = Body("upper", "world", Joint("shoulder", "revolute", (0, 1, 0)), link)
    below = Placement(Rotation(1, 0, 0, 0), (0, 0, -1))
    return Mechanism("acrobot", (upper, Body("lower", "upper", Joint("elbow", "revolute", (0, 1, 0), below), link)), G)


def of_cart_pole(env, q, v, tau):
    env.state, env.tau, env.force_mag = (q[0], v[0], q[1], v[1]), 1.0, tau[0]
    env.step(1)
    return env.state[1] - v[0], env.state[3] - v[1]  # Euler's method, with a step of one second


def of_acrobot(env, q, v, tau):
    return env._dsdt([*q, *v, tau[1]])[2:4]


def write(name, joints, driven, accelerations):
    import gymnasium
    import numpy as np

    env = gymnasium.make({"cart_pole": "CartPole-v1", "acrobot": "Acrobot-v1"}[name]).unwrapped
    env.reset()
    if sys.argv[1:] and name == "acrobot":
        env.book_or_nips = sys.argv[1]
    random = np.random.default_rng(0)
    with Path(f"{name}.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow([f"{array}.{joint}" for array in ("q", "v", "tau", "forward_dynamics") for joint in joints])
        for _ in range(98):
            q, v, tau = random.uniform(-3, 3, (3, 2))
            tau[1 - driven] = 0
            table.writerow([*q, *v, *tau, *accelerations(env, q, v, tau)])


if __name__ == "__main__":
    write("cart_pole", ("slide", "hinge"), 0, of_cart_pole)
    write("acrobot", ("shoulder", "elbow"), 1, of_acrobot)
