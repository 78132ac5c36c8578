"""What is implausible in one link: each rule says it with the usual cause and the remedy, or gives None.

Most say that no matter within the shapes of the body, and no denser than lead, has the link's numbers. Thresholds are bounds:

* Along any direction, the standard deviation of a mass within a length L is at most L/2 (Popoviciu 1935). That of a homogeneous
  box is L/√12.
* Of all bodies of one mass and one density, a ball has the smallest ∫ r² dm = 3/5 m R².
"""

from __future__ import annotations

import math

import numpy as np

from cross_check.read.lint.links import Link
from cross_check.read.lint.shapes import Array
from mechanisms import Inertia, Placement
from mechanisms.inertia import CENTRE, six

LEAD, LIGHTEST = 11340, 1.2e-3
"""Densities (kg/m³): of lead, where steel has 7900 and copper 9000, and of a thousandth of air, because wings, frames and rotors
fill little of the box around them. A mesh in millimetres that is read as metres is below it."""

TENFOLD = math.sqrt(10 / 3)
"""Twice the standard deviation by the length, where moments are ten times those of a homogeneous box."""

Told = tuple[str, str] | None
"""What is implausible, and the usual cause with the remedy."""


def impossible(link: Link) -> Told:
    if not link.inertia.fault:
        return None
    return link.inertia.fault, "moments about another point than the centre of mass, a wrong sign, or a typing mistake"


def no_moments(link: Link) -> Told:
    if link.gyration or link.placement != Placement():
        return None
    return f"it has {link.mass:.4g} kg and no moments of inertia", "moments were left out; compute them from the shape"


def placeholder(link: Link) -> Told:
    if link.inertia.about_com != (1, 1, 1, 0, 0, 0):
        return None
    said = f"its moments are exactly 1 kg m², as of a cube of {link.mass:.4g} kg with sides of {math.sqrt(6 / link.mass):.2g} m"
    return said, "numbers of a template, or no <inertial> in SDF; compute moments from the shape"


def outside(link: Link) -> Told:
    size = float(np.linalg.norm(np.ptp(link.points, axis=0)))
    if not (link.mass and link.distance > size / 2 > 0):
        return None
    said = f"its centre of mass {_vector(link.com)} m is {link.distance:.2g} m away from its body, which is {size:.2g} m large"
    return said, "millimetres, or the frame of an assembly; give it in the link's frame, in metres"


def density(link: Link) -> Told:
    value = link.body.density
    if value is None or link.placement != Placement() or LIGHTEST <= value <= LEAD:
        return None
    box = _vector(np.ptp(link.points, axis=0))
    said = f"its body has {link.body.mass:.4g} kg in a box of {box} m, which is {value:.2g} kg/m³"
    if value > LEAD:
        return f"{said}, more than lead", "a mass in grams, or a placeholder for the mass or the shape"
    return f"{said}, less than a thousandth of air", "a mesh in millimetres without a scale, or a placeholder for the mass"


def too_small(link: Link) -> Told:
    ball = math.sqrt(3 / 5) * (3 * link.mass / (4 * math.pi * LEAD)) ** (1 / 3)
    if not 0 < link.gyration < ball:
        return None
    said = f"its moments are {(link.gyration / ball) ** 2:.2g} times those of a ball of lead of its mass, {link.mass:.4g} kg"
    return said, "moments in another unit, where 1 g cm² is 1e-7 kg m², a placeholder, or too large a mass"


def too_large(link: Link) -> Told:
    for spread, length in link.spreads(link.matrix) if link.mass else ():
        if spread > TENFOLD * length > 0:
            said = f"its moments need {link.mass:.4g} kg spread over {spread:.2g} m, and its body is {length:.2g} m long there"
            return said, "a wrong power of ten, a placeholder, or moments about another point; compute them from the shape"
    return None


def about_origin(link: Link) -> Told:
    if not link.body.has_shapes or not link.mass or link.distance:
        return None
    spread, length = max(link.spreads(link.matrix), key=lambda pair: pair[0] / pair[1] if pair[1] else 0)
    nearer = 2 * link.matrix - np.array(link.inertia.about(CENTRE), float)
    exists = not Inertia(link.mass, about_com=six(nearer.tolist())).fault
    fits = exists and all(within <= whole for within, whole in link.spreads(nearer))
    if not fits or spread <= length:
        return None
    said = f"its moments need {link.mass:.4g} kg at both ends of {spread:.3g} m, and its body is {length:.3g} m long there"
    return f"{said}; about the origin they would fit", "moments about the joint; give those about the centre of mass"


OF_LINK = (impossible, no_moments, placeholder, outside, density, too_small, too_large, about_origin)
"""In the order in which they are asked."""


def _vector(x: Array) -> str:
    return " ".join(f"{value:.2g}" for value in x)
