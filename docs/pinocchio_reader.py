"""Inverse dynamics by Pinocchio, on the model that Pinocchio's own URDF reader makes of the mechanism's file."""

from functools import cache

import numpy as np
import pinocchio as pin

import dalembert


@cache
def load(mechanism):
    source = dalembert.source_of(mechanism)
    if source.free_base:
        model = pin.buildModelFromXML(source.text, pin.JointModelFreeFlyer())
    else:
        model = pin.buildModelFromXML(source.text)
    if missing := next((body.joint.name for body in mechanism.bodies if not model.existJointName(body.joint.name)), None):
        raise dalembert.Unsupported(f"Pinocchio's model has no joint {missing!r}")
    model.gravity.linear[:] = mechanism.arrays.gravity
    return model, model.createData()


def joints(mechanism):
    """Pinocchio's joint, and the parts of our q and v, for every joint. Pinocchio has its own order: they are matched by name."""
    model, _ = load(mechanism)
    for body, q, v in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        yield model.joints[model.getJointId(body.joint.name)], q, v


def to_pinocchio(mechanism, q, *rates):
    """q; and velocities and accelerations, which Pinocchio has linear first."""
    model, _ = load(mechanism)
    theirs = np.empty(model.nq)
    turned = [np.empty(model.nv) for _ in rates]
    for joint, own, v in joints(mechanism):
        theirs[joint.idx_q : joint.idx_q + joint.nq] = position(joint, q[own])
        for ours, others in zip(rates, turned, strict=True):
            others[joint.idx_v : joint.idx_v + joint.nv] = ours[v][order(joint)]
    return theirs, *turned


def position(joint, q):
    if (joint.nq, joint.nv) == (2, 1):  # a continuous joint
        return np.cos(q[0]), np.sin(q[0])
    return [*q[:2], np.cos(q[2]), np.sin(q[2])] if joint.nv == 3 else q


def order(joint):
    return {1: [0], 3: [1, 2, 0], 6: [3, 4, 5, 0, 1, 2]}[joint.nv]


def inverse_dynamics(mechanism, q, v, a):
    model, data = load(mechanism)
    found = pin.rnea(model, data, *to_pinocchio(mechanism, q, v, a))
    tau = np.empty(len(v))
    for joint, _, own in joints(mechanism):
        tau[own] = found[joint.idx_v : joint.idx_v + joint.nv][np.argsort(order(joint))]
    m = mechanism.arrays
    return tau + m.per_coordinate(m.armature) * a + m.per_coordinate(m.damping) * v
