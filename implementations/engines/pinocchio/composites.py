"""A Pinocchio model whose composite joints are taken apart: its reader of MJCF joins the joints of one body into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

PREFIX = "Composite_"
"""What Pinocchio puts in front of the name of the first joint of a body."""

LISTS = ("gravity", "armature", "damping", "friction", "lowerPositionLimit", "upperPositionLimit", "velocityLimit", "effortLimit")
"""What a model has for itself, or for every coordinate; these keep their order."""


def taken_apart(pin: Any, model: Any, joints: Mapping[str, Sequence[str]]) -> Any:
    """The model with a chain of joints, and bodies without mass between them, in the place of every composite joint.

    ``joints`` has the names of all joints of a body by that of the first.
    """
    if not any(name.startswith(PREFIX) for name in model.names):
        return model
    made, at = pin.Model(), [0]
    made.name = model.name
    for k in range(1, model.njoints):
        joint, name, place, last = model.joints[k], model.names[k], model.jointPlacements[k], at[model.parents[k]]
        if name.startswith(PREFIX):
            several = joint.extract()
            for part, step, its in zip(several.joints, several.jointPlacements, joints[name.removeprefix(PREFIX)], strict=True):
                last, place = made.addJoint(last, part, place * step, its), pin.SE3.Identity()
        else:
            last = made.addJoint(last, joint, place, name)
        made.appendBodyToJoint(last, model.inertias[k], pin.SE3.Identity())
        at.append(last)
    for name in LISTS:
        if hasattr(model, name):
            setattr(made, name, getattr(model, name))
    return made
