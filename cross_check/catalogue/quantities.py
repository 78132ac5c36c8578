"""The quantities of identities: types of parameters, each with the function that draws it at a point.

A parameter with the type :class:`~cross_check.catalogue.point.Point` is the point itself.
"""

from __future__ import annotations

from typing import Annotated, Any

from cross_check.catalogue.motion import CHAIN, FORK, Motion, moving
from cross_check.catalogue.notation import Angle
from cross_check.catalogue.point import Frame, MovingFrame, Point, PointMasses, RotatingFrame, Solid
from implementations.field import Tensor
from implementations.spatial_algebra.spatial import Plucker

Number = Annotated[Any, Point.number]
Vector = Annotated[Tensor, Point.vector]
Unit = Annotated[Tensor, Point.unit]
Path = Annotated[Tensor, Point.path]
Spatial = Annotated[Tensor, lambda p: p.vector(6)]
SpatialPath = Annotated[Tensor, lambda p: p.path(6)]
Matrix = Annotated[Tensor, lambda p: p.matrix(6, 6)]
Screw = Annotated[Tensor, Point.screw]
Turn = Annotated[Tensor, Point.rotation]
Pose = Annotated[Tensor, Point.pose]
Transform = Annotated[Plucker, Point.transform]
Resting = Annotated[Frame, Point.frame]
Turning = Annotated[RotatingFrame, Point.turning]
Moving = Annotated[MovingFrame, Point.moving]
AnyAngle = Annotated[Angle, Point.angle]
AnyBody = Annotated[Solid, Point.solid]
CentredBody = Annotated[Solid, lambda p: p.solid(centred=True)]
Masses = Annotated[PointMasses, Point.masses]
Forces = Annotated[list[tuple[Tensor, Tensor]], Point.forces]

Fork = Annotated[Motion, moving(*FORK)]
LosslessFork = Annotated[Motion, moving(*FORK, losses=False)]
WeightlessFork = Annotated[Motion, moving(*FORK, losses=False, gravity=False)]
Chain = Annotated[Motion, moving(*CHAIN)]
Hinged = Annotated[Motion, moving([-1, 0], ["free", "revolute"])]
LosslessHinged = Annotated[Motion, moving([-1, 0], ["free", "revolute"], losses=False)]
WeightlessHinged = Annotated[Motion, moving([-1, 0], ["free", "revolute"], losses=False, gravity=False)]
Two = Annotated[Motion, moving([-1, 0], ["revolute", "prismatic"])]
TurningAxes = Annotated[Motion, moving([-1, 0], ["revolute", "universal"])]
WithUniversal = Annotated[Motion, moving([-1, 0, 1, 0], ["revolute", "universal", "prismatic", "spherical"])]
FloatingUniversal = Annotated[Motion, moving([-1, 0, 1], ["free", "universal", "prismatic"])]
Carrying = Annotated[Motion, moving([-1, 0, 1, 0], ["free", "revolute", "prismatic", "revolute"], losses=False)]
Wrenches = Annotated[Tensor, lambda p: p.matrix(2, 6)]
TwoForces = Annotated[Tensor, lambda p: p.vector(2)[:, None]]
MatrixPath = Annotated[Tensor, lambda p: p.path(36).reshape(6, 6)]
Quaternion = Annotated[Tensor, lambda p: p.vector(4)]
QuaternionPath = Annotated[Tensor, lambda p: p.path(4)]
Advancing = Annotated[Angle, lambda p: p.angle(p.fraction(1))]
NumberPath = Annotated[Any, lambda p: p.path(1)[0]]
TwoNumbers = Annotated[Tensor, lambda p: p.vector(2)]
Universal = Annotated[Motion, moving([-1], ["universal"])]
