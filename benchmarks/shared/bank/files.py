"""Faults of the reader of URDF."""

from __future__ import annotations

from shared.fault import faults

INERTIAL = ".placed(_origin(inertial))"
ORIGIN = "Placement(Rotation.from_rpy(*map(float, angles)), translation)"

FAULTS = faults(
    "urdf",
    ("the default axis is z", "direction = basis()[0] if", "direction = basis()[2] if"),
    (
        "an axis is read in the parent's frame",
        'unit_vector(direction, "its <axis>", normalise=True)',
        'placement.rotation.inverse()(unit_vector(direction, "its <axis>", normalise=True))',
    ),
    ("damping is ignored", 'given.get("damping", "0")', 'given.get("no-damping", "0")'),
    ("friction is read as damping", 'given.get("damping", "0")', 'given.get("friction", "0")'),
    ("the origin of an inertial is ignored", INERTIAL, ""),
    ("the rpy of an inertial is ignored", INERTIAL, ".placed(Placement(translation=_origin(inertial).translation))"),
    ("the xyz of an inertial is ignored", INERTIAL, ".placed(Placement(_origin(inertial).rotation))"),
    ("an inertial's origin is read the wrong way", INERTIAL, ".placed(_origin(inertial).inverse())"),
    ("the rpy of origins is ignored", ORIGIN, "Placement(translation=translation)"),
    ("the xyz of origins is ignored", ORIGIN, "Placement(Rotation.from_rpy(*map(float, angles)))"),
    ("ixy and iyz are exchanged", '("ixx", "iyy", "izz", "ixy", "ixz", "iyz")', '("ixx", "iyy", "izz", "iyz", "ixz", "ixy")'),
    (
        "prismatic joints are read as revolute",
        'KINDS |= {"continuous": "revolute"}',
        'KINDS |= {"continuous": "revolute", "prismatic": "revolute"}',
    ),
    ("gravity of the file is ignored", "EARTH if gravity is None else", "EARTH if True else"),
    ("a free root link loses its inertia", 'ROOT_JOINT, "free"), inertias[root])', 'ROOT_JOINT, "free"))'),
    (
        "a joint called fixed to the world loses its placement when it becomes free",
        '"free", placement=only.joint.placement)',
        '"free")',
    ),
)
