"""Mechanisms with loops, in the form of :mod:`mechanisms.library.textbook`: benchmarks of multibody dynamics.

Each is a tree with constraints that close its loops. The loops of hinges with parallel axes are closed in the two directions of
their plane only, because the hinges keep all others.
"""

from __future__ import annotations

from collections.abc import Callable

from mechanisms.body import Body
from mechanisms.constraint import POINT, WELD, Constraint
from mechanisms.geometry import Placement, basis
from mechanisms.inertia import Inertia, box, cylinder
from mechanisms.joint import Joint
from mechanisms.mechanism import Mechanism
from mechanisms.numbers.exact import exact

X, Y, Z = basis()

UPRIGHT, FLAT = ("vx", "vz"), ("vx", "vy")
"""The directions of the plane x–z and of the plane x–y."""


def four_bar() -> Mechanism:
    """Crank, coupler and rocker of steel rods, on a frame of 1 m, in the vertical plane.

    The crank makes whole turns: shortest and longest bar together are shorter than the other two (Grashof), 0.3 + 1 < 0.8 + 0.7.
    """
    bodies = (
        Body("crank", "world", Joint("drive", "revolute", Y, armature="0.02", damping="0.1"), _rod("0.9", "0.3")),
        Body("coupler", "crank", Joint("crank pin", "revolute", Y, _at("0.3")), _rod("2.4", "0.8")),
        Body("rocker", "world", Joint("rocker pivot", "revolute", Y, _at(1), damping="0.05"), _rod("2.1", "0.7")),
    )
    pin = Constraint("rocker pin", "coupler", "rocker", UPRIGHT, _at("0.8"), _at("0.7"))
    return Mechanism("four-bar", bodies, constraints=(pin,))


def slider_crank() -> Mechanism:
    """A crank, a connecting rod and a piston in an offset bore; the rod has balls at both ends, and may spin.

    The ball at the crank is a joint, the ball at the piston keeps two points together.
    """
    bodies = (
        Body("crank", "world", Joint("crankshaft", "revolute", Y, armature="0.004", damping="0.02"), _rod("1.1", "0.08")),
        Body("rod", "crank", Joint("big end", "euler-zyx", placement=_at("0.08")), _rod("0.6", "0.25")),
        Body("piston", "world", Joint("bore", "prismatic", X, _at(0, "0.01", "0.02"), damping="3"), Inertia("0.5")),
    )
    small_end = Constraint("small end", "piston", "rod", POINT, second_placement=_at("0.25"))
    return Mechanism("slider-crank", bodies, constraints=(small_end,))


def bricard() -> Mechanism:
    """Bricard's mechanism: six hinges at corners of a cube, each axis at right angles to the bars that it joins.

    Counted, six constraints on six coordinates allow no motion. It moves, because one of them follows from the others wherever
    the loop is closed. Bars of 1 m and 10 kg; one is the ground, one is cut in the middle and welded. M. González et al., "A
    benchmarking system for MBS simulation software", Multibody System Dynamics 16, 2006.
    """
    whole, half = ("1", 10), ("0.5", 5)
    bodies = (
        Body("bar1", "world", Joint("hinge1", "revolute", Y), _beam(*whole, 0)),
        Body("bar2", "bar1", Joint("hinge2", "revolute", Z, _at(1)), _beam(*whole, 1)),
        Body("bar3", "bar2", Joint("hinge3", "revolute", X, _at(0, 1)), _beam(*half, 2)),
        Body("bar5", "world", Joint("hinge6", "revolute", X, _at(0, 0, 1)), _beam(*whole, 1)),
        Body("bar4", "bar5", Joint("hinge5", "revolute", Z, _at(0, 1)), _beam(*whole, 0)),
        Body("rest of bar3", "bar4", Joint("hinge4", "revolute", Y, _at(1)), _beam("-0.5", 5, 2)),
    )
    weld = Constraint("weld", "bar3", "rest of bar3", WELD, _at(0, 0, "0.5"), _at(0, 0, "-0.5"))
    return Mechanism("bricard", bodies, constraints=(weld,))


def flyball_governor() -> Mechanism:
    """Watt's governor: two arms with balls on a spindle, and two links that lift a sleeve. It turns, and the sleeve slides."""
    ball = "0.06"
    bodies = [
        Body("spindle", "world", Joint("spin", "revolute", Z, damping="0.01"), cylinder(20, "0.03", 1, com=(0, 0, "0.5"))),
        Body("sleeve", "spindle", Joint("slide", "prismatic", Z, _at(0, 0, "0.4"), damping="5"), box(3, ("0.1", "0.1", "0.1"))),
    ]
    pins = []
    for name, side in (("left", -1), ("right", 1)):
        arm = Inertia(6, (0, 0, "-0.6"), _sphere(6, ball))
        hinge = Joint(f"{name} hinge", "revolute", Y, _at(exact("0.08") * side, 0, 1), damping="0.02")
        elbow = Joint(f"{name} elbow", "revolute", Y, _at(0, 0, "-0.35"))
        link = cylinder("0.4", "0.008", "0.35", com=(0, 0, "-0.175"))
        bodies += [Body(f"{name} arm", "spindle", hinge, arm), Body(f"{name} link", f"{name} arm", elbow, link)]
        on_sleeve = _at(exact("0.08") * side)
        pins.append(Constraint(f"{name} pin", "sleeve", f"{name} link", UPRIGHT, on_sleeve, _at(0, 0, "-0.35")))
    return Mechanism("flyball-governor", tuple(bodies), constraints=tuple(pins))


def squeezing_mechanism() -> Mechanism:
    """Andrews' squeezing mechanism: seven bodies in a plane, without gravity, which three loops tie to one point.

    q = (β, Θ, γ, δ, Φ, ε, Ω). A drive turns K1 with 0.033 N m; a spring pulls at K3 (docs/loops.md). Numbers and frames of F.
    Mazzia, C. Magherini, "Test set for initial value problem solvers", 2008, ch. II.9; moments of inertia about x and y, which do
    not matter, are half of those about z. W. Schiehlen, "Multibody systems handbook", 1990; E. Hairer, G. Wanner, "Solving
    ordinary differential equations II", 1996, VII.7.
    """
    a, b = _at("-0.06934", "-0.00227"), _at("-0.03635", "0.03273")
    bodies = (
        Body("K1", "world", Joint("beta", "revolute", Z), _plate("0.04325", ("0.00092", 0), "2.194e-6")),
        Body("K2", "K1", Joint("theta", "revolute", Z, _at("0.007")), _plate("0.00365", ("-0.0115", 0), "4.410e-7")),
        Body("K3", "world", Joint("gamma", "revolute", Z, b), _plate("0.02373", ("0.01043", "-0.01874"), "5.255e-6")),
        Body("K5", "world", Joint("delta", "revolute", Z, a), _plate("0.07050", ("0.02308", "0.00916"), "1.169e-5")),
        Body("K4", "K5", Joint("phi", "revolute", Z, _at("0.04")), _plate("0.00706", (0, "-0.00579"), "5.667e-7")),
        Body("K7", "world", Joint("epsilon", "revolute", Z, a), _plate("0.05498", ("0.00449", "-0.01228"), "1.912e-5")),
        Body("K6", "K7", Joint("omega", "revolute", Z, _at(0, "-0.04")), _plate("0.00706", ("0.00579", 0), "5.667e-7")),
    )
    ends = {"K3": _at(0, "-0.035"), "K4": _at(0, "-0.02"), "K6": _at("0.02")}
    pins = tuple(Constraint(f"pin {name}", "K2", name, FLAT, _at("-0.028"), end) for name, end in ends.items())
    return Mechanism("squeezing-mechanism", bodies, (0, 0, 0), constraints=pins)


def _at(x: object, y: object = 0, z: object = 0) -> Placement:
    """A frame at this point (m), its axes not turned."""
    return Placement(translation=(x, y, z))


def _rod(mass: object, length: object) -> Inertia:
    """A round rod of 1 cm radius along x, from the body's origin on."""
    return cylinder(mass, "0.01", length, axis=0, com=(exact(length) / 2, 0, 0))


def _beam(length: object, mass: object, axis: int) -> Inertia:
    """A square beam of 0.1 m along an axis, from the body's origin on; a negative length goes the other way."""
    l = exact(length)
    sides, middle = [exact("0.1")] * 3, [exact(0)] * 3
    sides[axis], middle[axis] = abs(l), l / 2
    return box(mass, sides, tuple(middle))


def _sphere(mass: object, radius: object) -> tuple[object, ...]:
    """The moments of a ball about its centre."""
    moment = exact(mass) * exact(radius) ** 2 * exact("0.4")
    return (moment, moment, moment, 0, 0, 0)


def _plate(mass: object, com: tuple[object, object], moment: object) -> Inertia:
    """A body in the plane x–y with this moment of inertia about z and its centre of mass."""
    I = exact(moment)
    return Inertia(mass, (*com, 0), (I / 2, I / 2, I, 0, 0, 0))


LOOPS: dict[str, Callable[..., Mechanism]] = {
    made.__name__.replace("_", "-"): made for made in (four_bar, slider_crank, bricard, flyball_governor, squeezing_mechanism)
}
"""By name."""

DEFAULT_LOOPS = ("four-bar", "bricard")
"""Those of a default check: one with independent constraints, one with redundant ones."""
