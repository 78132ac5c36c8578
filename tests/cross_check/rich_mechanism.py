"""A mechanism on which hypotheses are told apart: a free base with unlike limbs, every parameter in use, no symmetry left."""

from __future__ import annotations

from fractions import Fraction

from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation


def _inertia(mass: str, *com: str) -> Inertia:
    k = Fraction(mass)
    moments = (Fraction(31, 100), Fraction(43, 100), Fraction(52, 100), Fraction(3, 100), Fraction(-5, 100), Fraction(7, 100))
    return Inertia(mass, com, tuple(k * x for x in moments))


def _at(roll: float, pitch: float, yaw: float, *origin: str) -> Placement:
    return Placement(Rotation.from_rpy(roll, pitch, yaw), origin)


RICH = Mechanism(
    "rich",
    (
        Body("trunk", "world", Joint("flight", "free"), _inertia("7", "0.1", "-0.2", "0.05")),
        Body(
            "right thigh",
            "trunk",
            Joint("r hip", "revolute", ("0.6", 0, "0.8"), _at(0.3, -0.5, 0.7, "0.1", "0.3", "-0.2"), "0.2", "0.4"),
            _inertia("2", "0.05", "0.1", "0.2"),
        ),
        Body(
            "left thigh",
            "trunk",
            Joint("l hip", "continuous", (0, "0.8", "0.6"), _at(-0.2, 0.4, 1.1, "0.1", "-0.3", "-0.2"), "0.3", "0.7"),
            _inertia("3", "-0.1", "0.15", "0.1"),
        ),
        Body("right cross", "right thigh", Joint("knee r", "revolute", (0, 1, 0), _at(1.2, 0.2, -0.3, "0.3", "0.02", "-0.1"))),
        Body(
            "left shank",
            "left thigh",
            Joint("a slide", "prismatic", (1, 0, 0), _at(0.5, 0.6, -0.7, "0.2", "0.1", "0.3"), "0.1", "0.9"),
            _inertia("1.5", "0.2", "0.1", "-0.3"),
        ),
        Body(
            "right foot",
            "right cross",
            Joint("m foot", "spherical", placement=_at(-0.4, 0.1, 0.8, "0.1", "0.2", "0.1")),
            _inertia("1", "0.1", "-0.1", "0.1"),
        ),
        Body(
            "ear",
            "trunk",
            Joint("glue", "fixed", placement=_at(0.1, 0.2, 0.3, "0.1", "0.1", "0.1")),
            _inertia("0.5", "0", "0", "0"),
        ),
    ),
    physical=False,
)
"""Its bodies come breadth first."""

CHAINED = Mechanism("chained", tuple(RICH.bodies[i] for i in (0, 1, 3, 5, 2, 4)), physical=False)
"""The same bodies, depth first."""

JOINTED = Mechanism(
    "jointed",
    (
        Body("sledge", "world", Joint("plane", "planar"), _inertia("3", "0.2", "-0.1", "0.3")),
        Body(
            "head",
            "sledge",
            Joint("neck", "euler-xyz", placement=_at(0.3, -0.5, 0.7, "0.1", "0.3", "-0.2")),
            _inertia("2", "0.05", "0.1", "0.2"),
        ),
    ),
    physical=False,
)
"""The kinds of joints that the others lack and conventions concern."""
