"""The mechanism whose sizes are those of fixed point: every number of a mechanism is one at least, unless it is zero.

A floating-point product x y is off by a part ε of itself. In fixed point it is off by ε, and so by a part ε of a product of
numbers that are one at least. What it is multiplied by later makes the error larger, so that every factor counts as one at least,
not the product alone. A product with zero is exact (docs/notes/error-scale.md, eq. 72).
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

from mechanisms import Body, Inertia, Mechanism
from mechanisms.geometry import Placement
from mechanisms.joint_forces import NO_DYNAMICS


def at_least_one(mechanism: Mechanism) -> Mechanism:
    """The mechanism with masses (kg), lengths (m), moments of inertia (kg m²) and so on that are one at least, or zero."""
    return replace(
        mechanism,
        bodies=tuple(map(_body, mechanism.bodies)),
        gravity=_longer(mechanism.gravity),
        frames=tuple(replace(frame, placement=_placement(frame.placement)) for frame in mechanism.frames),
        constraints=tuple(one.placed(lambda name, placement: _placement(placement)) for one in mechanism.constraints),
        physical=False,
    )


def _body(body: Body) -> Body:
    joint, inertia, mimic = body.joint, body.inertia, body.joint.mimic
    moments = inertia.about_com
    trace = sum(abs(float(x)) for x in moments[:3])
    return replace(
        body,
        joint=replace(
            joint,
            placement=_placement(joint.placement),
            mimic=mimic and replace(mimic, multiplier=_larger(mimic.multiplier)),
            **{name: _larger(getattr(joint, name)) for name in ("pitch", *NO_DYNAMICS)},
        ),
        inertia=Inertia(_larger(inertia.mass), _longer(inertia.com), _longer(moments, trace)),
        lifted=Inertia(_larger(body.lifted.mass), _longer(body.lifted.com)),
    )


def _placement(placement: Placement) -> Placement:
    return replace(placement, translation=_longer(placement.translation))


def _larger(x: Any) -> Any:
    return _longer((x,))[0]


def _longer(vector: Any, length: float | None = None) -> Any:
    """The vector (n,), whose length is as given or Euclid's, with a length of one at least."""
    length = math.hypot(*map(float, vector)) if length is None else length
    return tuple(x / Fraction(length) for x in vector) if 0 < length < 1 else vector
