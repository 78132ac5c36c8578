"""The trajectories that are certified by name: a mechanism, where it starts, how long, and what drives it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.inertia import box
from mechanisms.library.by_name import find_mechanism
from mechanisms.library.textbook import pendulum, planar_pendulum
from mechanisms.numbers.exact import exact

Z = (0, 0, 1)


@dataclass(frozen=True)
class Subject:
    """A mechanism, and what is taken where a command does not say otherwise: q, v and a time (s), in decimal text.

    ``q`` and ``v`` are numbers with spaces between them; what is missing is the neutral position and rest. ``force`` gives τ
    (nv,) from recorded q and v; without it τ is zero.
    """

    make: Callable[[], Mechanism]
    about: str
    q: str = ""
    v: str = ""
    time: str = "1"
    force: Callable[[Any, Any], Any] | None = None


def top(
    name: str, moments: tuple[str, str, str], com: tuple[object, object, object] = (0, 0, 0), gravity: str = "0"
) -> Mechanism:
    """A body of 1 kg that turns about a fixed point, its moments of inertia (kg m²) about its centre of mass."""
    body = Body("top", "world", Joint("point", "spherical"), Inertia(1, com, (*moments, 0, 0, 0)))
    return Mechanism(name, (body,), (0, 0, -exact(gravity)))


def plate() -> Mechanism:
    """A thin plate of 0.2 × 0.2 m in free fall."""
    return Mechanism("spinning-plate", (Body("plate", "world", Joint("flight", "free"), box("0.3", ("0.2", "0.2", "0.002"))),))


def squeezing_forces(q: Any, v: Any) -> Any:
    """The torque of the drive, and of the spring from K3 to the ground (Mazzia & Magherini 2008, ch. II.9)."""
    sc, sd = exact("0.018"), exact("0.02")
    xb, yb, xc, yc = exact("-0.03635"), exact("0.03273"), exact("0.014"), exact("0.072")
    stiffness, rest, drive = 4530, exact("0.07785"), exact("0.033")
    γ = q[2]
    c, s = np.cos(γ), np.sin(γ)
    x, y = xb + sd * c + sc * s - xc, yb + sd * s - sc * c - yc
    length = np.sqrt(x * x + y * y)
    pull = -stiffness * (length - rest) / length
    zero = 0 * v[0]
    return np.stack([zero + drive, zero, pull * (x * (sc * c - sd * s) + y * (sd * c + sc * s)), *[zero] * 4])


def of_library(name: str) -> Callable[[], Mechanism]:
    return lambda: find_mechanism(name)


BANK: dict[str, Subject] = {
    "pendulum": Subject(lambda: pendulum(damping=0), "released from rest 0.0016 rad below its highest point", "3.14", time="10"),
    "double-pendulum": Subject(lambda: planar_pendulum(2, damping=0), "released from rest; chaotic", "2 1", time="10"),
    "triple-pendulum": Subject(lambda: planar_pendulum(3, damping=0), "released from rest; chaotic", "2 1 1", time="3"),
    "euler-top": Subject(lambda: top("euler-top", ("1", "2", "2.5")), "free, asymmetrical", v="1 1 1", time="10"),
    "dzhanibekov": Subject(
        lambda: top("dzhanibekov", ("1", "2", "2.8")), "free, about its middle axis: it turns over", v="0.001 6 0", time="5"
    ),
    "lagrange-top": Subject(
        lambda: top("lagrange-top", ("0.02", "0.02", "0.01"), (0, 0, "0.1"), "9.81"),
        "symmetrical and heavy, leaning",
        "0.3 0 0 1",
        "0 0 30",
        "2",
    ),
    "gyroscope": Subject(of_library("gyroscope"), "its rotor spins in a gimbal", "0.2 0.3 0.1 1 0", "0 0 0 50", "1"),
    "cart-pole": Subject(of_library("cart-pole"), "falls over", "0 0.1", time="5"),
    "spinning-plate": Subject(plate, "thrown, spins and wobbles", v="0.5 0.3 20 0 0 3", time="1"),
    "ur5": Subject(of_library("ur5"), "falls without motors", "0 -1 1 0 0 0", time="1"),
    "four-bar": Subject(of_library("four-bar"), "released from rest", "1 -0.5 1.7", time="2"),
    "slider-crank": Subject(of_library("slider-crank"), "its rod spins", "-0.5 0 0 0 0.3", "4 0 0 5 0", "0.2"),
    "bricard": Subject(of_library("bricard"), "falls from its cube", time="1"),
    "flyball-governor": Subject(of_library("flyball-governor"), "spins", "0 0 -0.54 1.08 0.54 -1.08", "5", "1"),
    "squeezing-mechanism": Subject(
        of_library("squeezing-mechanism"),
        "Andrews' start, driven",
        "-0.0617138900142764496358948458001 0 0.455279819163070380255912382449 0.487364979543842550225598953530"
        " 0.222668390165885884674473185609 1.23054744454982119249735015568 -0.222668390165885884674473185609",
        time="0.03",
        force=squeezing_forces,
    ),
}
"""By name. A name of a library's mechanism gives that mechanism, but "pendulum" one without damping."""
