"""What is implausible in one link: each rule says it with the usual cause and the remedy, or gives None.

Most say that no matter within the shapes of the body, and no denser than tungsten, has the link's numbers. Bounds:

* Along any direction, the standard deviation of a mass within a length L is at most L/2 (Popoviciu 1935).
* Of all bodies of one mass and one density, a ball has the smallest ∫ r² dm = 3/5 m R².
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from cross_check.read.lint.links import FAR, Link
from cross_check.read.lint.shapes import Array
from cross_check.read.lint.shapes import outside as from_hull
from mechanisms import Inertia, Placement
from mechanisms.inertia import CENTRE, six

DENSEST, LIGHTEST = 20000, 1.2e-3
"""Densities (kg/m³): of tungsten, rounded up, and of a thousandth of air, because wings, frames and rotors fill little of the box
around them. A mesh in millimetres that is read as metres is below it."""

TENTH, HUNDREDTH = 0.1, 0.01
"""A body may be larger than its shapes by so much of its length along any direction. A centre of mass is rounded to less than so
much of the body's size."""

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
    if link.inertia.about_com != (1, 1, 1, 0, 0, 0) or (link.body.has_shapes and _fits(link, link.matrix)):
        return None
    said = f"its moments are exactly 1 kg m², as of a cube of {link.mass:.4g} kg with sides of {math.sqrt(6 / link.mass):.2g} m"
    return said, "numbers of a template, or no <inertial> in SDF; compute moments from the shape"


def outside(link: Link) -> Told:
    if not link.mass:
        return None
    away, length = from_hull(link.points, link.com)
    size = float(np.linalg.norm(np.ptp(link.points, axis=0)))
    # Without shapes, a body may also be as large as its moments say.
    if away <= max(TENTH * length, HUNDREDTH * size, 0 if link.body.has_shapes else FAR * link.gyration) or not size:
        return None
    said = f"its centre of mass {_vector(link.com)} m is {away:.2g} m away from its body, which is {length:.2g} m long there"
    turned = sorted(
        (link.com * signs for signs in product((1, -1), repeat=3)), key=lambda com: float(np.abs(com - link.com).sum())
    )
    within = next((com for com in turned if link.body.has_shapes and not any(from_hull(link.points, com))), None)
    if within is not None:
        return said, f"a wrong sign, or the frame of another link; {_vector(within)} would be within it"
    return said, "millimetres, or the frame of an assembly; give it in the link's frame, in metres"


def density(link: Link) -> Told:
    value = link.body.density
    if value is None or link.placement != Placement() or LIGHTEST <= value <= DENSEST:
        return None
    box = _vector(np.ptp(link.points, axis=0))
    said = f"its body has {link.body.mass:.4g} kg in a box of {box} m, which is {value:.2g} kg/m³"
    if value > DENSEST:
        return f"{said}, more than tungsten", "a mass in grams, or a placeholder for the mass or the shape"
    return f"{said}, less than a thousandth of air", "a mesh in millimetres without a scale, or a placeholder for the mass"


def too_small(link: Link) -> Told:
    ball = math.sqrt(3 / 5) * (3 * link.mass / (4 * math.pi * DENSEST)) ** (1 / 3)
    if not 0 < link.gyration < ball:
        return None
    said = f"its moments are {(link.gyration / ball) ** 2:.2g} times those of a ball of tungsten of its mass, {link.mass:.4g} kg"
    return said, "moments in another unit, where 1 g cm² is 1e-7 kg m², a placeholder, or too large a mass"


def too_large(link: Link) -> Told:
    if not link.mass:
        return None
    pairs = link.spreads(link.matrix)
    spread, length = max(pairs, key=lambda pair: pair[0] / pair[1] if pair[1] else 0, default=(0.0, 0.0))
    if not spread > (1 + TENTH) * length > 0:
        return None
    said = f"its moments need {link.mass:.4g} kg at both ends of {spread:.3g} m, and its body is {length:.3g} m long there"
    for matrix, would, cause in _mistaken(link) if link.body.has_shapes else ():
        if _fits(link, matrix):
            return f"{said}; {would} would fit", cause
    return said, "a wrong power of ten, a placeholder, or moments about another point; compute them from the shape"


def _mistaken(link: Link) -> Iterator[tuple[Array, str, str]]:
    """What the inertia would be if the usual mistakes had been made, with words."""
    nearer = 2 * link.matrix - np.array(link.inertia.about(CENTRE), float)
    yield nearer, "about the origin they", "moments about the joint; give those about the centre of mass"
    for order in permutations(range(3)):
        turned = link.matrix[np.ix_(order, order)]
        axes = f"with the axes in the order {' '.join('xyz'[k] for k in order)} they"
        yield turned, axes, "moments that were given about other axes, as of a cylinder along z; exchange them"


def _fits(link: Link, matrix: Array) -> bool:
    """Whether matter within the body has this rotational inertia about the centre of mass."""
    exists = not Inertia(link.mass, about_com=six(matrix.tolist())).fault
    return exists and all(spread <= length for spread, length in link.spreads(matrix))


OF_LINK = (impossible, no_moments, placeholder, outside, density, too_small, too_large)
"""In the order in which they are asked."""


def _vector(x: Array) -> str:
    return " ".join(f"{value:.2g}" for value in x)
