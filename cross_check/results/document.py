"""JSON documents read as objects, validated; above all, the results of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

import jsonschema

from cross_check.results.files import ResultsError, read_json
from cross_check.results.frozen import frozen
from cross_check.results.objects import (
    SCHEMA,
    EquationTerms,
    MechanismSummary,
    Results,
    Term,
    fits,
    has_systematic_errors,
    json_key,
)


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of the document."""
    return json.loads(Path(__file__).with_name("results.schema.json").read_text("utf-8"))


def results_from(document: Mapping[str, Any]) -> Results:
    """The results that a valid document holds."""
    return from_json(Results, document)


def equations_from(terms: Mapping[str, Any]) -> EquationTerms:
    """Equations of motion from what ``oracle.Equations.terms`` gives."""
    return from_json(EquationTerms, terms)


def read_results(path: Path) -> Results:
    """The results in ``path``, validated. Raises :class:`ResultsError`."""
    document = read_json(path)
    version = document.get("schema") if isinstance(document, dict) else None
    if version != SCHEMA:
        mismatch = f"schema {version!r}, not {SCHEMA!r}"
        raise ResultsError(f"{path} is no results file of this version ({mismatch}); run `dalembert check` again")
    require_valid(document, schema(), path, "run `dalembert check` again")
    results = results_from(document)
    if contradiction := _contradiction(results):
        raise ResultsError(f"{path} contradicts itself: {contradiction[:300]}; run `dalembert check` again")
    return results


def _contradiction(results: Results) -> str:
    """What the schema cannot say: lengths fit, a cell belongs to the run, occurs once, and its verdict follows from its error."""
    for what, names in (("mechanism", results.mechanisms), ("implementation", results.implementations)):
        if len({one.name for one in names}) < len(names):
            return f"two {what}s have one name"
    for mechanism in results.mechanisms:
        if wrong := _misshapen(mechanism):
            return f"{wrong} of {mechanism.name!r} do not fit its size"
    mechanisms = {mechanism.name for mechanism in results.mechanisms}
    implementations = {implementation.name for implementation in results.implementations}
    seen = set()
    for item in results.items:
        if item.mechanism not in mechanisms or item.implementation not in implementations:
            return f"{item.id} has a mechanism or an implementation that the run does not list"
        if (type(item), item.id) in seen:
            return f"{item.id} occurs twice"
        bar = results.settings.bar
        if not fits(item.verdict, item.error, bar, has_systematic_errors(item, bar)):
            measured = f"an error of {item.error} and a bar of {bar:g}"
            return f"{item.id} has the verdict {item.verdict!r} with {measured}"
        seen.add((type(item), item.id))
    return ""


def _misshapen(mechanism: MechanismSummary) -> str:
    """The first part that has not one entry for every component of q or v; empty if there is none."""
    nv, equations = mechanism.nv, mechanism.equations
    lengths: dict[str, list[tuple[int, int]]] = {
        "the coordinates": [(len(mechanism.coordinates), nv)],
        "the positions": [(len(mechanism.positions), mechanism.nq)],
        "the bodies": [(mechanism.mimics < mechanism.bodies <= nv + mechanism.mimics, True)],  # Every body moves.
        "the bones": [(len(mechanism.skeleton), mechanism.bodies if mechanism.skeleton else 0)],
        "the parents": [(bone.parent < k, True) for k, bone in enumerate(mechanism.skeleton)],
    }
    if equations:
        vectors = (equations.v, equations.g, equations.damping, equations.M, equations.C, *equations.M, *equations.C)
        lengths["the equations"] = [(len(vector), nv) for vector in vectors]
    return next((what for what, pairs in lengths.items() if any(length != right for length, right in pairs)), "")


MOST_PROBLEMS = 100
"""So many problems of a document are compared, to name the gravest."""


def require_valid(document: Any, schema: Mapping[str, Any], path: Path, remedy: str) -> None:
    """Raise :class:`ResultsError` if the document in ``path`` does not have this JSON Schema.

    An integer must be written as one: JSON Schema would accept 1.0, which Python does not accept as an index.
    """
    problem = jsonschema.exceptions.best_match(islice(_Validator(schema).iter_errors(document), MOST_PROBLEMS))
    if problem:
        raise ResultsError(f"{path} is damaged at {problem.json_path}: {problem.message[:200]}; {remedy}")


def _is_integer(_: Any, value: Any) -> bool:
    return type(value) is int


_Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)


def object_schema(properties: Mapping[str, Any], others: bool = False) -> dict[str, Any]:
    """The JSON Schema of an object that must have all of these properties, and none but these unless ``others``."""
    return {"type": "object", "required": list(properties), "properties": properties, "additionalProperties": others}


def map_schema(values: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an object with any keys, and with values of this schema."""
    return {"type": "object", "additionalProperties": values}


def schema_of(kind: Any) -> dict[str, Any]:
    """The JSON Schema of what ``to_json`` makes of an object of this type; ``Annotated`` adds keywords to it."""
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
        return object_schema({json_key(name): schema_of(hint) for name, hint in hints.items()})
    return {"type": {str: "string", int: "integer", bool: "boolean"}[kind]}


@cache
def types_of(kind: type) -> dict[str, Any]:
    """The types of a dataclass's fields."""
    return get_type_hints(kind)


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
    if kind is Term:
        return Term(*value)
    if get_origin(kind) is Sequence:
        return tuple(from_json(get_args(kind)[0], part) for part in value)
    if get_origin(kind) is Mapping:
        return {name: from_json(get_args(kind)[1], part) for name, part in value.items()}
    return frozen(value)
