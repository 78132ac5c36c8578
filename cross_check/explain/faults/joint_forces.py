"""Forces of joints that the mechanism does not have: friction, springs, constant forces; and friction by another law."""

from __future__ import annotations

from collections.abc import Callable

from cross_check.explain.faults.fault import Edit, Fault
from cross_check.explain.faults.terms import has_damping

DAMPING = "link.damping * qd[link.v]"
RETURN = "return np.concatenate(τ[::-1])"
OF_DERIVATIVE = "np.eye(model.nv, dtype=int)[..., None] * damping"

OF_JOINT_FORCES: tuple[Fault, ...] = (
    Fault(
        "friction is damping · sign(v) instead of damping · v",
        "damping",
        (Edit("rnea", DAMPING, "link.damping * np.sign(qd[link.v])"), Edit("derivatives", f"dτ + {OF_DERIVATIVE}", "dτ")),
        needs=has_damping,
    ),
    Fault(
        "friction is damping · |v| instead of damping · v",
        "damping",
        (Edit("rnea", DAMPING, "link.damping * np.abs(qd[link.v])"),),
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


def _at(joint: str) -> str:
    """A condition in the code: at the joint with this name, or at all with one velocity. A name is text from a file: only its
    literal gets into code."""
    return f"link.joint.name == {joint!r}" if joint else "link.joint.nv == 1"


def _named(joint: str) -> str:
    return f"joint {joint}" if joint else "every joint"


def _force(joint: str, law: str) -> tuple[Edit, ...]:
    """A force, by a law, of the joint with this name; of every joint if it is empty."""
    forces = f"τ = [τi + ({law} if {_at(joint)} else 0) for τi, link in zip(τ, reversed(model.links), strict=True)]"
    return (Edit("rnea", RETURN, f"{forces}\n    {RETURN}"),)


def _where(joint: str) -> tuple[str, ...]:
    return (joint,) if joint else ()


def spring(joint: str, stiffness: float) -> Fault:
    """stiffness · q in τ, for a joint with one position."""
    said = f"{_named(joint)} has a spring: {stiffness:.6g} · q is added to τ"
    return Fault(said, "springs", _force(joint, f"({stiffness!r}) * q[link.q]"), where=_where(joint))


def energy_of_spring(joint: str, stiffness: float) -> Fault:
    """½ stiffness · q² in the potential energy."""
    energy = f"V + ({stiffness!r}) / 2 * sum((q[link.q] ** 2).sum(axis=0) for link in model.links if {_at(joint)})"
    said = f"{_named(joint)} has a spring: ½ · {stiffness:.6g} · q² is added to the potential energy"
    return Fault(said, "springs", (Edit("energy", "return V", f"return {energy}"),), where=_where(joint))


def constant_force(joint: str, force: float) -> Fault:
    """A constant in τ."""
    said = f"{force:.6g} is added to the force of {_named(joint)}"
    return Fault(said, "constant forces", _force(joint, f"({force!r}) + 0 * qd[link.v]"), where=_where(joint))


def dry_friction(joint: str, force: float) -> Fault:
    """force · sign(v) in τ."""
    said = f"{_named(joint)} has dry friction: {force:.6g} · sign(v) is added to τ"
    return Fault(said, "friction", _force(joint, f"({force!r}) * np.sign(qd[link.v])"), where=_where(joint))


def damped_sign(part: float) -> Fault:
    """Dry friction in proportion to the damping."""
    edit = Edit("rnea", DAMPING, f"{DAMPING} + ({part!r}) * link.damping * np.sign(qd[link.v])")
    return Fault(f"friction is damping · (v + {part:.6g} · sign(v))", "damping", (edit,), needs=has_damping)


FITTED: tuple[tuple[str, Callable[[str, float], Fault]], ...] = (
    ("springs", spring),
    ("springs", energy_of_spring),
    ("constant forces", constant_force),
    ("friction", dry_friction),
)
"""Forces of a joint with one velocity, or of all, and one number, which is zero if there is none."""
