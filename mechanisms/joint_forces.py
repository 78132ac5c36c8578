"""What a joint does besides moving: the forces that its own position and velocity determine.

    force            adds to τ                        energy                          parameters of :class:`mechanisms.Joint`
    damping          damping · q̇                      none: it takes power            damping (N m s/rad or N s/m)
    Coulomb friction friction · sign(q̇)               none: it takes power            friction (N m or N)
    spring           stiffness · (q − rest)           ½ stiffness · (q − rest)²       stiffness (N m/rad or N/m), rest (rad or m)

This table gives the names and units. Each derivation of the equations of motion has formulas of its own. What has an energy
belongs to V, and so to g = ∂V/∂q; what has none belongs to h alone.

Coulomb friction is that of a joint that slides. At q̇ = 0 a real joint may stick with any force up to ``friction``; here sign(0)
is zero, so that the force at rest is that without friction. Its derivative by q̇ is zero everywhere else.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple


class JointParameter(NamedTuple):
    """One number of a force. Its unit is that of the joint's armature, of its position and of seconds, each to a power."""

    armature: int
    position: int
    second: int
    signed: bool = False
    """Whether it may be negative."""


class JointForce(NamedTuple):
    """One force; ``parameters`` by name. There is no such force where the first of them is zero."""

    parameters: dict[str, JointParameter]
    words: str
    """What a joint has, with an article where the word needs one."""
    has_energy: bool = False
    """Whether it is the slope of an energy. Then the position has to be one angle or one distance."""


JOINT_FORCES = {
    "damping": JointForce({"damping": JointParameter(1, 0, -1)}, "damping"),
    "friction": JointForce({"friction": JointParameter(1, 1, -2)}, "Coulomb friction"),
    "spring": JointForce(
        {"stiffness": JointParameter(1, 0, -2), "rest": JointParameter(0, 1, 0, signed=True)}, "a spring", has_energy=True
    ),
}
"""Every force, by name."""

JOINT_PARAMETERS = {name: one for force in JOINT_FORCES.values() for name, one in force.parameters.items()}
"""The parameters of all of them, by name."""

NO_DYNAMICS: dict[str, Any] = dict.fromkeys(("armature", *JOINT_PARAMETERS), Fraction(0))
"""All numbers of a joint that act on its own coordinates, rotor inertia and the parameters of its forces, where it has none."""
