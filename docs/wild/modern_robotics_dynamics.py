"""Modern Robotics: the code of the textbook by Lynch and Park, for chains. Links have their frames at the centres of mass."""

from functools import cache
from itertools import pairwise

import modern_robotics as mr
import numpy as np


@cache
def load(mechanism):
    """Mlist, Glist and Slist of chapter 8."""
    m = mechanism.arrays
    pose, homes, screws = np.eye(4), [np.eye(4)], []
    for R, p, com, twist in zip(m.rotations, m.translations, m.coms, m.screws, strict=True):
        pose = pose @ mr.RpToTrans(R, p)
        screws.append(mr.Adjoint(pose) @ twist)
        homes.append(pose @ mr.RpToTrans(np.eye(3), com))
    homes.append(homes[-1])
    Mlist = [mr.TransInv(first) @ second for first, second in pairwise(homes)]
    Glist = np.zeros((len(m.masses), 6, 6))
    Glist[:, :3, :3], Glist[:, 3:, 3:] = m.inertias, m.masses[:, None, None] * np.eye(3)
    return np.array(Mlist), Glist, np.array(screws).T


def inverse_dynamics(mechanism, q, v, a):
    m = mechanism.arrays
    return mr.InverseDynamics(q, v, a, m.gravity, np.zeros(6), *load(mechanism)) + m.armature * a + m.damping * v


def gravity(mechanism, q):
    return mr.GravityForces(q, mechanism.arrays.gravity, *load(mechanism))


def mass_matrix(mechanism, q):
    return mr.MassMatrix(q, *load(mechanism)) + np.diag(mechanism.arrays.armature)
