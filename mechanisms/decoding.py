"""Plain JSON data as the frozen dataclasses that it was made of, by the types of their fields."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

NUMBER = re.compile(r"(-?[0-9a-f]+)/([0-9a-f]+)")
"""The text of an exact number: numerator and denominator in hexadecimal digits."""


@cache
def _types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def decoded(kind: Any, value: Any) -> Any:
    """The ``kind`` that the ``value`` describes. Fields that have a default value may be left out; those of any type are numbers.

    Raises ValueError, TypeError or AttributeError for anything else.
    """
    if kind is Any:
        numerator, denominator = NUMBER.fullmatch(value).groups()  # type: ignore[union-attr]
        return Fraction(int(numerator, 16), int(denominator, 16))
    if get_origin(kind) is UnionType:
        (kind,) = (option for option in get_args(kind) if option is not NoneType)
        return None if value is None else decoded(kind, value)
    if get_origin(kind) is tuple:
        return tuple(decoded(get_args(kind)[0], part) for part in value)
    if is_dataclass(kind):
        types = _types(kind)  # type: ignore[arg-type]
        needed = {part.name for part in fields(kind) if part.default is MISSING and part.default_factory is MISSING}
        if not needed <= value.keys() <= types.keys():
            raise ValueError(f"the fields are not those of {kind}")
        return kind(**{name: decoded(types[name], part) for name, part in value.items()})  # type: ignore[operator]
    if kind is float and type(value) is int:
        return float(value)
    if not isinstance(value, str if get_origin(kind) is Literal else kind):
        raise TypeError(f"{type(value)} is not {kind}")
    return value
