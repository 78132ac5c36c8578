"""A mechanism as plain JSON data, exactly, and back: so it crosses from one process to another. And a mechanism in words.

In JSON a number is the text ``n/d``, numerator and denominator in hexadecimal digits: decimal digits take quadratic time.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from mechanisms.body import Body, Frame
from mechanisms.constraint import Constraint
from mechanisms.decoding import decoded
from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement, Rotation
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.joint_forces import JOINT_PARAMETERS
from mechanisms.mechanism import Mechanism
from mechanisms.mimic import Mimic

OURS = (Mechanism, Body, Frame, Joint, Inertia, Placement, Rotation, Mimic, Constraint)

LEFT_OUT: dict[Any, tuple[str, ...]] = {
    Mechanism: ("read_from", "written", "constraints", "precision", "places"),
    Body: ("lifted",),
    Joint: tuple(name for name in JOINT_PARAMETERS if name != "damping"),
}
"""Fields that a document has only where they are not as usual."""


def to_document(mechanism: Mechanism) -> dict[str, Any]:
    """The fields of the mechanism and of its parts, by name; the file that it was read from only if that describes it still.

    Raises :class:`MechanismError` for a mechanism with symbols.
    """
    document = _encoded(mechanism)
    if mechanism.source is None:
        document.pop("read_from", None)
    if mechanism.unwelded == mechanism.bodies:
        document.pop("written", None)
    return document


def from_document(document: Any) -> Mechanism:
    """The mechanism that :func:`to_document` wrote. Raises :class:`MechanismError` for anything else."""
    try:
        mechanism: Mechanism = decoded(Mechanism, document)
        return mechanism
    except MechanismError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError, RecursionError) as error:
        raise MechanismError(f"this is no mechanism ({type(error).__name__}); send one of this version") from error


def described(mechanism: Mechanism) -> str | None:
    """All that decides how a mechanism moves, in words, with every number exactly. Mechanisms with the same words move alike.

    None where it holds a symbol, or an object of a class that is not ours.
    """
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
        # Neither the file that a mechanism was read from nor the precision of code decides how it moves.
        parts = (part for part in fields(x) if part.compare and part.name != "precision")
        return f"{type(x).__name__}[{' '.join(_words(getattr(x, part.name)) for part in parts)}]"
    raise TypeError(f"{type(x).__name__} is no part of a mechanism")


def _encoded(value: Any) -> Any:
    match value:
        case None | bool() | str() | int():
            return value
        case Fraction():
            return f"{value.numerator:x}/{value.denominator:x}"
        case tuple():
            return [_encoded(part) for part in value]
    if is_dataclass(value):
        usual = LEFT_OUT.get(type(value), ())
        given = ((part, getattr(value, part.name)) for part in fields(value) if part.name != "places")
        return {part.name: _encoded(own) for part, own in given if part.name not in usual or own != part.default}
    raise MechanismError(f"a mechanism with a scalar of type {type(value).__name__} has no document; give plain numbers")
