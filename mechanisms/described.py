"""A mechanism in words, with every number exactly. Two mechanisms with the same words move alike."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

from mechanisms.body import Body, Frame
from mechanisms.constraint import Constraint
from mechanisms.geometry import Placement, Rotation
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.mechanism import Mechanism
from mechanisms.mimic import Mimic

OURS = (Mechanism, Body, Frame, Joint, Inertia, Placement, Rotation, Mimic, Constraint)


def described(mechanism: Mechanism) -> str | None:
    """All that decides how a mechanism moves; None where it holds a symbol, or an object of a class that is not ours."""
    try:
        return _words(mechanism)
    except TypeError:
        return None


def _words(x: Any) -> str:
    if type(x) in (str, bool, int, Fraction, type(None)):
        return repr(x)
    if type(x) is tuple:
        return f"({' '.join(map(_words, x))})"
    if type(x) in OURS:
        # The file that a mechanism was read from does not decide how it moves.
        fields = (field for field in dataclasses.fields(x) if field.compare)
        return f"{type(x).__name__}[{' '.join(_words(getattr(x, field.name)) for field in fields)}]"
    raise TypeError(f"{type(x).__name__} is no part of a mechanism")
