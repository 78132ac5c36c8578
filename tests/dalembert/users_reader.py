"""Inverse dynamics with a URDF reader of its own, as a user may have written them: no word of it is dalembert's."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from functools import cache
from types import SimpleNamespace as Record

import numpy as np

import dalembert


def number(text):
    return float(text)


def numbers(element, name, default):
    return np.array([number(x) for x in (default if element is None else element.get(name, default)).split()])


def skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def turn(axis, angle):
    return np.eye(3) + np.sin(angle) * skew(axis) + (1 - np.cos(angle)) * skew(axis) @ skew(axis)


def from_rpy(roll, pitch, yaw):
    x, y, z = np.eye(3)
    return turn(z, yaw) @ turn(y, pitch) @ turn(x, roll)


def blocks(a, b, c, d):
    whole = np.empty((6, 6))
    whole[:3, :3], whole[:3, 3:], whole[3:, :3], whole[3:, 3:] = a, b, c, d
    return whole


def pose(element):
    origin = element.find("origin")
    return from_rpy(*numbers(origin, "rpy", "0 0 0")), numbers(origin, "xyz", "0 0 0")


def spatial_inertia(link):
    """About the link's origin, angular first."""
    inertial = link.find("inertial")
    if inertial is None:
        return np.zeros((6, 6))
    R, c = pose(inertial)
    mass = number(inertial.find("mass").get("value"))
    entry = {key: number(value) for key, value in inertial.find("inertia").items()}
    I = np.array([[entry["i" + "".join(sorted(a + b))] for b in "xyz"] for a in "xyz"])
    I = R @ I @ R.T
    C = skew(c)
    return blocks(I + mass * C @ C.T, mass * C, mass * C.T, mass * np.eye(3))


def motion_map(R, p):
    """Takes twists of the parent's frame to those of a frame at p that is turned by R."""
    return blocks(R.T, 0, -R.T @ skew(p), R.T)


def subspace(kind, axis):
    z = np.zeros(3)
    if kind in ("revolute", "continuous"):
        return [np.r_[axis, z]]
    if kind == "prismatic":
        return [np.r_[z, axis]]
    if kind == "planar":
        e1, e2 = directions(axis)
        return [np.r_[axis, z], np.r_[z, e1], np.r_[z, e2]]
    if kind == "floating":
        return list(np.eye(6))
    return []


def directions(axis):
    """The two directions of a plane, as dalembert has them."""
    x, y, z = axis
    if z < -1 + 1e-12:
        return np.array([1.0, 0, 0]), np.array([0, -1.0, 0])
    return np.array([1 - x * x / (1 + z), -x * y / (1 + z), -x]), np.array([-x * y / (1 + z), 1 - y * y / (1 + z), -y])


def read(text, free_base, base_joint):
    """Joints that move, parents first, each with its subtree of fixed joints lumped into its body."""
    robot = ET.fromstring(text)
    links = {link.get("name"): link for link in robot.findall("link")}
    joints = robot.findall("joint")
    children = {joint.find("child").get("link") for joint in joints}
    root = next(name for name in links if name not in children)
    moving = []

    def visit(link, holder, R, p):
        """The link sits at (R, p) in the body of ``holder``."""
        if holder is not None:
            X = motion_map(R, p)
            holder.inertia = holder.inertia + X.T @ spatial_inertia(links[link]) @ X
        for joint in joints:
            if joint.find("parent").get("link") != link:
                continue
            R1, p1 = pose(joint)
            child, kind = joint.find("child").get("link"), joint.get("type")
            if kind == "fixed":
                visit(child, holder, R @ R1, p + R @ p1)
                continue
            axis = numbers(joint.find("axis"), "xyz", "1 0 0")
            body = join(joint.get("name"), kind, axis / np.linalg.norm(axis), holder, R @ R1, p + R @ p1)
            dynamics = joint.find("dynamics")
            body.damping = numbers(dynamics, "damping", "0")[0]
            body.armature = numbers(dynamics, "armature", "0")[0]
            visit(child, body, np.eye(3), np.zeros(3))

    def join(name, kind, axis, holder, R, p):
        S = np.array(subspace(kind, axis)).reshape(-1, 6).T
        body = Record(name=name, kind=kind, axis=axis, parent=holder, R=R, p=p, S=S, inertia=np.zeros((6, 6)))
        body.damping = body.armature = 0.0
        moving.append(body)
        return body

    base = join(base_joint, "floating", np.zeros(3), None, np.eye(3), np.zeros(3)) if free_base else None
    visit(root, base, np.eye(3), np.zeros(3))
    return moving


@cache
def load(mechanism):
    source = dalembert.source_of(mechanism)
    own = {body.name: body for body in read(source.text, source.free_base, mechanism.bodies[0].joint.name)}
    for body, q, v in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        own[body.joint.name].q, own[body.joint.name].v = q, v
    return list(own.values())


def position(body, q):
    """The rotation and the translation of the joint."""
    if body.kind in ("revolute", "continuous"):
        return turn(body.axis, q[0]), np.zeros(3)
    if body.kind == "prismatic":
        return np.eye(3), body.axis * q[0]
    if body.kind == "planar":
        e1, e2 = directions(body.axis)
        return turn(body.axis, q[2]), e1 * q[0] + e2 * q[1]
    x, y, z, w = q[3:] / np.linalg.norm(q[3:])
    K = skew((x, y, z))
    return np.eye(3) + 2 * w * K + 2 * K @ K, q[:3]


def cross(V):
    return blocks(skew(V[:3]), 0, skew(V[3:]), skew(V[:3]))


def inverse_dynamics(mechanism, q, v, a):
    bodies = load(mechanism)
    gravity = np.r_[np.zeros(3), -mechanism.arrays.gravity]
    for body in bodies:
        R, p = position(body, q[body.q])
        body.X = motion_map(body.R @ R, body.p + body.R @ p)
        V0, A0 = (body.parent.V, body.parent.A) if body.parent else (np.zeros(6), gravity)
        own = body.S @ v[body.v]
        body.V = body.X @ V0 + own
        body.A = body.X @ A0 + body.S @ a[body.v] + cross(body.V) @ own
        body.F = body.inertia @ body.A - cross(body.V).T @ body.inertia @ body.V
    tau = np.empty(len(v))
    for body in reversed(bodies):
        tau[body.v] = body.S.T @ body.F + body.armature * a[body.v] + body.damping * v[body.v]
        if body.parent:
            body.parent.F = body.parent.F + body.X.T @ body.F
    return tau
