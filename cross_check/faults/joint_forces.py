"""Forces of joints that the mechanism does not have: friction, springs, constant forces; and friction by another law."""

from __future__ import annotations

from collections.abc import Callable

from cross_check.faults.fault import Edit, Fault
from cross_check.faults.terms import has_damping

DAMPING = "link.damping * qd[link.v]"
OF_DERIVATIVE = "np.eye(model.nv, dtype=int)[..., None] * damping"

OF_JOINT_FORCES: tuple[Fault, ...] = (
    Fault(
        "friction is damping · sign(v) instead of damping · v",
        "damping",
        (Edit("rnea", DAMPING, "link.damping * np.sign(qd[link.v])"), Edit("derivatives", f"dτ + {OF_DERIVATIVE}", "dτ")),
        needs=has_damping,
    ),
    Fault(
        "friction is damping · |v| v instead of damping · v",
        "damping",
        (
            Edit("rnea", DAMPING, f"{DAMPING} * np.abs(qd[link.v])"),
            Edit("derivatives", OF_DERIVATIVE, f"{OF_DERIVATIVE} * 2 * np.abs(qd)"),
        ),
        needs=has_damping,
    ),
)


def _force(joint: str, law: str) -> Edit:
    """A force of the joint with this name, by a law. A name is text from a file: only its literal gets into code."""
    return Edit("rnea", DAMPING, f"{DAMPING} + ({law} if link.joint.name == {joint!r} else 0)")


def spring(joint: str, stiffness: float) -> Fault:
    """stiffness · q in τ, for a joint with one position."""
    edit = _force(joint, f"({stiffness!r}) * q[link.q]")
    return Fault(f"joint {joint} has a spring: {stiffness:.6g} · q is added to τ", "springs", (edit,), where=(joint,))


def energy_of_spring(joint: str, stiffness: float) -> Fault:
    """½ stiffness · q² in the potential energy."""
    energy = (
        f"V + ({stiffness!r}) / 2 * sum((q[link.q] ** 2).sum(axis=0) for link in model.links if link.joint.name == {joint!r})"
    )
    said = f"joint {joint} has a spring: ½ · {stiffness:.6g} · q² is added to the potential energy"
    return Fault(said, "springs", (Edit("energy", "return V", f"return {energy}"),), where=(joint,))


def constant_force(joint: str, force: float) -> Fault:
    """A constant in τ."""
    edit = _force(joint, f"({force!r}) + 0 * qd[link.v]")
    return Fault(f"{force:.6g} is added to the force of joint {joint}", "constant forces", (edit,), where=(joint,))


def dry_friction(joint: str, force: float) -> Fault:
    """force · sign(v) in τ."""
    edit = _force(joint, f"({force!r}) * np.sign(qd[link.v])")
    return Fault(f"joint {joint} has dry friction: {force:.6g} · sign(v) is added to τ", "friction", (edit,), where=(joint,))


FITTED: tuple[tuple[str, Callable[[str, float], Fault]], ...] = (
    ("springs", spring),
    ("springs", energy_of_spring),
    ("constant forces", constant_force),
    ("friction", dry_friction),
)
"""Forces of a joint with one velocity and one number, which is zero if there is none."""
