"""One codec for everything that is kept as JSON: derived from frozen dataclasses and the types of their fields.

:func:`to_json` and :func:`from_json` are inverse to each other. JSON Schemas say what else must hold; :func:`require_valid` says
what is wrong in a file, where, and what to do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from cross_check.exchange.results.files import ResultsError, read_json


def frozen(value: Any) -> Any:
    """A copy in which every list is a tuple."""
    match value:
        case list():
            return tuple(map(frozen, value))
        case dict():
            return {key: frozen(part) for key, part in value.items()}
    return value


class Frozen:
    """Copies the sequences and mappings that a frozen dataclass is built from, so that nobody can change them afterwards."""

    def __post_init__(self) -> None:
        for part in fields(self):  # type: ignore[arg-type]
            value = getattr(self, part.name)
            if isinstance(value, (list, dict)):
                object.__setattr__(self, part.name, frozen(value))


LATER = {"later": True}
"""The metadata of fields that files of earlier versions lack."""

UNSAID = {"later": True, "unsaid": True}
"""The metadata of fields that files lack where they have the default value."""

Natural = Annotated[int, {"minimum": 0}]
Positive = Annotated[int, {"minimum": 1}]
Size = Annotated[float, {"minimum": 0}]
Error = Annotated[float | None, {"minimum": 0}]
"""In ε-units, if there is one."""


def json_key(name: str) -> str:
    """The key of a field in JSON: ``in_general`` is "in general"."""
    return name.replace("_", " ")


PLAIN = frozenset({float, int, str, bool, type(None)})
"""Most parts of results are numbers, and need no further look."""


def to_json(value: Any) -> Any:
    """Any frozen object as plain JSON data."""
    if type(value) in PLAIN:
        return value
    if is_dataclass(value):
        given = ((part, getattr(value, part.name)) for part in fields(value))
        said = ((part, own) for part, own in given if not (part.metadata.get("unsaid") and own == part.default))
        return {json_key(part.name): to_json(own) for part, own in said}
    if isinstance(value, Mapping):
        return {key: to_json(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(part) for part in value]
    return value


types_of = cache(get_type_hints)
"""The types of a dataclass's fields."""


def from_json(kind: Any, value: Any) -> Any:
    """``value``, which is plain JSON data, as an object of this type. It is the inverse of ``to_json``."""
    if get_origin(kind) in (Union, UnionType):
        if value is None:
            return None
        (kind,) = (option for option in get_args(kind) if option is not NoneType)
    if is_dataclass(kind):
        hints = types_of(cast(type, kind))
        parts = {name: from_json(hint, value[json_key(name)]) for name, hint in hints.items() if json_key(name) in value}
        return kind(**parts)  # type: ignore[operator]
    if isinstance(kind, type) and issubclass(kind, tuple):
        return kind(*value)
    if get_origin(kind) is Sequence:
        part_kind = get_args(kind)[0]
        return tuple(value) if part_kind in PLAIN else tuple(from_json(part_kind, part) for part in value)
    if get_origin(kind) is Mapping:
        return {name: from_json(get_args(kind)[1], part) for name, part in value.items()}
    return frozen(value)


@cache
def schema_in(file: Path) -> dict[str, Any]:
    """The JSON Schema in one of our own files."""
    return json.loads(file.read_text("utf-8"))


MOST_PROBLEMS = 100
"""So many problems of a document are compared, to name the gravest."""


def require_valid(document: Any, schema: Mapping[str, Any], path: Path, remedy: str) -> None:
    """Raise :class:`ResultsError` if the document in ``path`` does not have this JSON Schema.

    An integer must be written as one: JSON Schema would accept 1.0, which Python does not accept as an index.
    """
    import jsonschema  # Slow to import, and most processes read no file.

    problem = jsonschema.exceptions.best_match(islice(_validator()(schema).iter_errors(document), MOST_PROBLEMS))
    if problem:
        raise ResultsError(f"{path} is damaged at {problem.json_path}: {problem.message[:200]}; {remedy}")


@cache
def _validator() -> Any:
    import jsonschema

    plain = jsonschema.Draft202012Validator
    checker = plain.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    return jsonschema.validators.extend(plain, type_checker=checker)


def read_document(path: Path, kind: Any, version: str, what: str, remedy: str) -> Any:
    """The object of this type that is kept in ``path``. Raises :class:`ResultsError` for a file that is damaged or of another
    version; ``what`` and the remedy are what its sentence calls such a file, and advises."""
    document = read_json(path)
    found = document.get("schema") if isinstance(document, dict) else None
    if found != version:
        raise ResultsError(f"{path} is no {what} of this version (schema {found!r}, not {version!r}); {remedy}")
    require_valid(document, document_schema(kind, version), path, remedy)
    return from_json(kind, document)


@cache
def document_schema(kind: Any, version: str) -> dict[str, Any]:
    """The JSON Schema of an object that says its ``version`` under "schema"."""
    described = schema_of(kind)
    properties = {"schema": {"const": version}, **described["properties"]}
    return described | {"required": ["schema", *described["required"]], "properties": properties}


def object_schema(properties: Mapping[str, Any], others: bool = False) -> dict[str, Any]:
    """The JSON Schema of an object that must have all of these properties, and none but these unless ``others``."""
    return {"type": "object", "required": list(properties), "properties": properties, "additionalProperties": others}


def map_schema(values: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an object with any keys, and with values of this schema."""
    return {"type": "object", "additionalProperties": values}


def schema_of(kind: Any) -> dict[str, Any]:
    """The JSON Schema of what :func:`to_json` makes of an object of this type; ``Annotated`` adds keywords to it."""
    origin, options = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return schema_of(options[0]) | options[1]
    if origin in (Union, UnionType):
        (option,) = (schema_of(option) for option in options if option is not NoneType)
        return option | {"type": [option["type"], "null"]}
    if origin is Literal:
        return {"enum": list(options)} if len(options) > 1 else {"const": options[0]}
    if origin is Sequence:
        return {"type": "array", "items": schema_of(options[0])}
    if origin is Mapping:
        return map_schema(schema_of(options[1]))
    if is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        described = object_schema({json_key(name): schema_of(hint) for name, hint in hints.items()})
        later = {json_key(part.name) for part in fields(kind) if part.metadata.get("later")}
        return described | {"required": [name for name in described["required"] if name not in later]}
    if isinstance(kind, type) and issubclass(kind, tuple):
        entries = [schema_of(hint) for hint in get_type_hints(kind, include_extras=True).values()]
        return {"type": "array", "prefixItems": entries, "minItems": len(entries), "maxItems": len(entries)}
    return {"type": {str: "string", int: "integer", bool: "boolean", float: "number"}[kind]} if kind is not Any else {}
