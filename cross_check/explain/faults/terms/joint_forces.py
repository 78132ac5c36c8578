"""Forces of joints that the mechanism does not have: friction, springs, constant forces; and those that it has by another law."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from cross_check.explain.faults.changes.mechanisms import has_damping, has_friction
from cross_check.explain.faults.fault import Edit, Fault, everywhere

FORCE = "joint_force(model, link, q, qd)"
SIGN = "model.field.sign(qd[link.v])"
RETURN = "return np.concatenate(τ[::-1])"
OF_DERIVATIVE = 'diagonal(model, "damping")'


def with_damping(force: str) -> str:
    """The force of a joint whose damping is multiplied by another number than q̇."""
    return f"({FORCE} + link.damping * ({force} - qd[link.v]))"


def _friction(law: str, force: str, *of_derivative: Edit) -> Fault:
    """Friction by another law, which is damping times a force, and its derivative by v."""
    edit = Edit("rnea", FORCE, with_damping(force))
    return Fault(f"friction is damping · {law}", "damping", (edit, *of_derivative), needs=has_damping)


FRICTION_LAWS: tuple[Fault, ...] = (
    Fault(
        "Coulomb friction is taken for damping: friction · v instead of friction · sign(v)",
        "friction",
        everywhere(SIGN, "qd[link.v]", "joint_forces"),
        needs=has_friction,
    ),
    Fault(
        "Coulomb friction is constant: friction instead of friction · sign(v)",
        "friction",
        everywhere(SIGN, "(0 * qd[link.v] + 1)", "joint_forces"),
        needs=has_friction,
    ),
)
"""Coulomb friction by another law."""

OF_JOINT_FORCES: tuple[Fault, ...] = (
    _friction("sign(v) instead of damping · v", "np.sign(qd[link.v])", Edit("derivatives", f"dτ + {OF_DERIVATIVE}", "dτ")),
    _friction("|v| instead of damping · v", "np.abs(qd[link.v])"),
    _friction(
        "|v| v instead of damping · v",
        "qd[link.v] * np.abs(qd[link.v])",
        Edit("derivatives", OF_DERIVATIVE, f"{OF_DERIVATIVE} * 2 * np.abs(qd)"),
    ),
)


def damped_sign(part: float) -> Fault:
    """Dry friction in proportion to the damping."""
    return _friction(f"(v + {part:.6g} · sign(v))", f"(qd[link.v] + ({part!r}) * np.sign(qd[link.v]))")


def smoothed(width: float) -> Fault:
    """Coulomb friction without its jump, as integrators like it; the ``width`` is a velocity, in the unit of each joint."""
    said = f"Coulomb friction is smoothed: friction · tanh(v / {width:.6g}) instead of friction · sign(v)"
    smooth = f"np.tanh(qd[link.v] / {width!r})" if width else SIGN
    return Fault(said, "friction", everywhere(SIGN, smooth, "joint_forces"), needs=has_friction)


def _added(group: str, said: str, edit: Callable[[str, str], Edit], joint: str, number: float) -> Fault:
    """A force or an energy with one number, of the joint with this name; of every joint with one velocity if it is empty.

    ``said`` has places for the joint and the number. ``edit`` makes the change of a condition on ``link``, and the number.
    """
    # A name is text from a file: only its literal gets into code.
    condition = f"link.joint.name == {joint!r}" if joint else "link.joint.nv == 1"
    words = said.format(f"joint {joint}" if joint else "every joint", number)
    return Fault(words, group, (edit(condition, f"({number!r})"),), where=(joint,) if joint else ())


def _force(law: str, condition: str, number: str) -> Edit:
    """A force by a law in which k is the number."""
    force = f"{law.replace('k', number, 1)} if {condition} else 0"
    return Edit("rnea", RETURN, f"τ = [τi + ({force}) for τi, link in zip(τ, reversed(model.links), strict=True)]\n    {RETURN}")


def _energy(condition: str, number: str) -> Edit:
    energy = f"V + {number} / 2 * sum((q[link.q] ** 2).sum(axis=0) for link in model.links if {condition})"
    return Edit("energy", "return V", f"return {energy}")


LAWS: tuple[tuple[str, str, Callable[[str, str], Edit]], ...] = (
    ("springs", "{} has a spring: {:.6g} · q is added to τ", partial(_force, "k * q[link.q]")),
    ("springs", "{} has a spring: ½ · {:.6g} · q² is added to the potential energy", _energy),
    ("constant forces", "{1:.6g} is added to the force of {0}", partial(_force, "k + 0 * qd[link.v]")),
    ("friction", "{} has dry friction: {:.6g} · sign(v) is added to τ", partial(_force, "k * np.sign(qd[link.v])")),
)

FITTED: tuple[tuple[str, Callable[[str, float], Fault]], ...] = tuple((law[0], partial(_added, *law)) for law in LAWS)
"""Forces of a joint with one velocity, or of all, and one number, which is zero if there is none."""
