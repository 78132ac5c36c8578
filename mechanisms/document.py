"""A mechanism as plain JSON data, exactly, and back: so it crosses from one process to another.

A number is the text ``n/d``, numerator and denominator in hexadecimal digits: decimal digits take quadratic time.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from mechanisms.errors import MechanismError
from mechanisms.mechanism import Mechanism

NUMBER = re.compile(r"(-?[0-9a-f]+)/([0-9a-f]+)")


def to_document(mechanism: Mechanism) -> dict[str, Any]:
    """The fields of the mechanism and of its parts, by name; the file that it was read from only if that describes it still.

    Raises :class:`MechanismError` for a mechanism with symbols.
    """
    document = _encoded(mechanism)
    if mechanism.source is None:
        del document["read_from"]
    if mechanism.unwelded == mechanism.bodies:
        del document["written"]
    if not mechanism.constraints:
        del document["constraints"]
    return document


def from_document(document: Any) -> Mechanism:
    """The mechanism that :func:`to_document` wrote. Raises :class:`MechanismError` for anything else."""
    try:
        return _decoded(Mechanism, {"read_from": None, "written": [], "constraints": [], **document})
    except MechanismError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError, RecursionError) as error:
        raise MechanismError(f"this is no mechanism ({type(error).__name__}); send one of this version") from error


def _encoded(value: Any) -> Any:
    match value:
        case None | bool() | str() | int():
            return value
        case Fraction():
            return f"{value.numerator:x}/{value.denominator:x}"
        case tuple():
            return [_encoded(part) for part in value]
    if is_dataclass(value):
        return {part.name: _encoded(getattr(value, part.name)) for part in fields(value)}
    raise MechanismError(f"a mechanism with a scalar of type {type(value).__name__} has no document; give plain numbers")


@cache
def _types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _decoded(kind: Any, value: Any) -> Any:
    if kind is Any:
        numerator, denominator = NUMBER.fullmatch(value).groups()  # type: ignore[union-attr]
        return Fraction(int(numerator, 16), int(denominator, 16))
    if get_origin(kind) is UnionType:
        (kind,) = (option for option in get_args(kind) if option is not NoneType)
        return None if value is None else _decoded(kind, value)
    if get_origin(kind) is tuple:
        return tuple(_decoded(get_args(kind)[0], part) for part in value)
    if is_dataclass(kind):
        types = _types(kind)  # type: ignore[arg-type]
        if types.keys() != value.keys():
            raise ValueError(f"the fields are not those of {kind}")
        return kind(**{name: _decoded(types[name], part) for name, part in value.items()})  # type: ignore[operator]
    if not isinstance(value, str if get_origin(kind) is Literal else kind):
        raise TypeError(f"{type(value)} is not {kind}")
    return value
