"""Robotics Toolbox for Python: ``Robot.rne`` and what uses it, on the robot that its own reader makes of a URDF file."""

import re
from functools import cache
from io import StringIO

from roboticstoolbox import Robot
from roboticstoolbox.models.URDF.URDFRobot import URDF_file

import dalembert


@cache
def load(mechanism):
    text = re.sub(r"(?s)<(visual|collision)\b.*?</\1>", "", dalembert.source_of(mechanism).text)  # it would look for the meshes
    links = URDF_file(StringIO(text))[0]
    robot = Robot(links, gravity=mechanism.arrays.gravity)
    for body, damping, armature in zip(mechanism.bodies, mechanism.arrays.damping, mechanism.arrays.armature, strict=True):
        link = next(link for link in robot.links if link.name == body.name)
        link.B, link.Jm, link.G = damping, armature, 1  # URDF has no armature
    return robot


def inverse_dynamics(mechanism, q, v, a):
    return load(mechanism).rne(q, v, a)


def gravity(mechanism, q):
    return load(mechanism).gravload(q)


def mass_matrix(mechanism, q):
    return load(mechanism).inertia(q)


def coriolis_matrix(mechanism, q, v):
    return load(mechanism).coriolis(q, v)


def forward_dynamics(mechanism, q, v, tau):
    return load(mechanism).accel(q, v, tau)
