"""The quantities of identities: types of parameters, each with the function that draws it at a point.

A parameter with the type :class:`~cross_check.prove.catalogue.point.Point` is the point itself.
"""

from __future__ import annotations

from typing import Annotated, Any

from cross_check.prove.catalogue.frames import Frame, MovingFrame, PointMasses, RotatingFrame, Solid
from cross_check.prove.catalogue.motion import CHAIN, FORK, Motion, moving
from cross_check.prove.catalogue.notation import Angle
from cross_check.prove.catalogue.point import Point
from implementations.field import Tensor
from implementations.spatial_algebra.spatial import Plucker

# Constants

Number = Annotated[Any, Point.number]
Vector = Annotated[Tensor, Point.vector]
Spatial = Annotated[Tensor, lambda p: p.vector(6)]
Unit = Annotated[Tensor, Point.unit]
Screw = Annotated[Tensor, Point.screw]
Quaternion = Annotated[Tensor, lambda p: p.vector(4)]
Turn = Annotated[Tensor, Point.rotation]
Pose = Annotated[Tensor, Point.pose]
Matrix = Annotated[Tensor, lambda p: p.matrix(6, 6)]
AnyAngle = Annotated[Angle, Point.angle]

# What moves

Path = Annotated[Tensor, Point.path]
SpatialPath = Annotated[Tensor, lambda p: p.path(6)]
NumberPath = Annotated[Any, lambda p: p.path(1)[0]]
QuaternionPath = Annotated[Tensor, lambda p: p.path(4)]
MatrixPath = Annotated[Tensor, lambda p: p.path(36).reshape(6, 6)]
Advancing = Annotated[Angle, lambda p: p.angle(p.fraction(1))]

# Frames

Resting = Annotated[Frame, Point.frame]
Transform = Annotated[Plucker, Point.transform]
Moving = Annotated[MovingFrame, Point.moving]
Turning = Annotated[RotatingFrame, Point.turning]

# Bodies, and forces on them

AnyBody = Annotated[Solid, Point.solid]
CentredBody = Annotated[Solid, lambda p: p.solid(centred=True)]
Masses = Annotated[PointMasses, Point.masses]
Forces = Annotated[list[tuple[Tensor, Tensor]], Point.forces]

# Mechanisms on a root at rest

Fork = Annotated[Motion, moving(*FORK)]
LosslessFork = Annotated[Motion, moving(*FORK, losses=False)]
WeightlessFork = Annotated[Motion, moving(*FORK, losses=False, gravity=False)]
Chain = Annotated[Motion, moving(*CHAIN)]
Two = Annotated[Motion, moving([-1, 0], ["revolute", "prismatic"])]
TurningAxes = Annotated[Motion, moving([-1, 0], ["revolute", "universal"])]
Universal = Annotated[Motion, moving([-1], ["universal"])]
WithUniversal = Annotated[Motion, moving([-1, 0, 1, 0], ["revolute", "universal", "prismatic", "spherical"])]

# Mechanisms on a floating base

Hinged = Annotated[Motion, moving([-1, 0], ["free", "revolute"])]
LosslessHinged = Annotated[Motion, moving([-1, 0], ["free", "revolute"], losses=False)]
WeightlessHinged = Annotated[Motion, moving([-1, 0], ["free", "revolute"], losses=False, gravity=False)]
FloatingUniversal = Annotated[Motion, moving([-1, 0, 1], ["free", "universal", "prismatic"])]
Carrying = Annotated[Motion, moving([-1, 0, 1, 0], ["free", "revolute", "prismatic", "revolute"], losses=False)]

# For mechanisms with two bodies or coordinates

TwoNumbers = Annotated[Tensor, lambda p: p.vector(2)]
TwoForces = Annotated[Tensor, lambda p: p.vector(2)[:, None]]
Wrenches = Annotated[Tensor, lambda p: p.matrix(2, 6)]
