"""Messages of the protocol: one JSON object a line, with float64 arrays that no conversion rounds.

Arrays are listed in the message as ``{"name": …, "shape": […]}``. A program chooses how their numbers are written:

    raw        little-endian float64 after the line, one array after the other
    hex        in the list, as hexadecimal floats ("0x1.8p+1"), which are exact
    decimal    in the list, as the shortest decimal numbers that read back as the same float64

``protocol.schema.json`` is the schema of every message. Messages are checked against it in both directions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from implementations.protocol import Array, NotAMessage
from mechanisms.plain_text import one_line

VERSION = 1

Numbers = Literal["raw", "hex", "decimal"]

LONGEST_BARE_LINE = 1 << 20
"""Bytes that a line may have beside the numbers in it."""

LONGEST_NUMBER = 40
"""Bytes that a number in a line may take, with what separates it from the next one."""


class NotJSON(NotAMessage):
    """A line that is not JSON."""

    def __init__(self, line: bytes) -> None:
        remedy = "standard output is for the protocol alone, so print everything else to standard error"
        super().__init__(f"{shown(line)}, which is not JSON; {remedy}")


def encoded(header: Mapping[str, Any], arrays: Mapping[str, Array], numbers: Numbers) -> Iterator[bytes]:
    """The parts of a message, to be sent one after the other."""
    listed = [{"name": name, "shape": list(x.shape), **_values(x, numbers)} for name, x in arrays.items()]
    message = {**header, **({"arrays": listed} if listed else {})}
    yield json.dumps(message).encode() + b"\n"
    if numbers == "raw":
        for x in arrays.values():
            yield np.asarray(x, dtype="<f8", order="C").tobytes()


def _values(x: Array, numbers: Numbers) -> dict[str, Any]:
    if numbers == "raw":
        return {}
    flat = np.asarray(x, dtype=np.float64).reshape(-1).tolist()
    return {numbers: [value.hex() for value in flat] if numbers == "hex" else flat}


def decoded(
    line: bytes, kind: str, numbers: Numbers, read: Callable[[int], bytes], most: int = 0
) -> tuple[dict, dict[str, Array]]:
    """The message in ``line``, which must be of this ``kind`` or a refusal, and its arrays, of ``most`` numbers at most.

    ``read`` gives the bytes that follow the line. Raises :class:`NotAMessage`.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise NotJSON(line) from None
    if not isinstance(message, dict):
        raise NotAMessage(f"a line that is no JSON object: {shown(line)}")
    is_refusal = bool({"unsupported", "error"} & message.keys())
    listed = message.get("arrays")
    bare = {**message, "arrays": [_bare(x) for x in listed]} if isinstance(listed, list) else message
    require_valid(bare, "refusal" if is_refusal else kind)
    arrays: dict[str, Array] = {}
    for entry in message.pop("arrays", ()):
        shape = entry["shape"]
        size = math.prod(shape)
        if size > most:
            raise NotAMessage(f"an array of shape {tuple(shape)}, which has more than the {most} numbers that were asked for")
        values = read(8 * size) if numbers == "raw" else _numbers(entry, numbers, size)
        arrays[entry["name"]] = np.frombuffer(values, "<f8").reshape(shape).astype(np.float64)
    return message, arrays


def _bare(entry: Any) -> Any:
    """A listed array without its numbers, which are checked one by one when they are read."""
    return (
        {key: [] if key in ("hex", "decimal") and isinstance(x, list) else x for key, x in entry.items()}
        if isinstance(entry, dict)
        else entry
    )


def _numbers(entry: dict[str, Any], numbers: Numbers, size: int) -> bytes:
    given = entry.get(numbers)
    if not isinstance(given, list):
        raise NotAMessage(f"the array {one_line(entry['name'], 60)!r} without {numbers!r}, the numbers that it announced")
    if len(given) != size:
        raise NotAMessage(f"{len(given)} numbers for an array of shape {tuple(entry['shape'])}")
    read = _hex if numbers == "hex" else _decimal
    return np.array([read(x) for x in given], dtype="<f8").tobytes()


def _hex(text: Any) -> float:
    try:
        return float.fromhex(text)
    except (TypeError, ValueError, OverflowError):
        raise NotAMessage(f"{one_line(str(text), 60)!r}, which is no hexadecimal float") from None


def _decimal(number: Any) -> float:
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise NotAMessage(f"{one_line(str(number), 60)!r}, which is no number")
    try:
        return float(number)
    except OverflowError:
        return math.copysign(math.inf, number)


def require_valid(message: Any, kind: str) -> None:
    """Raise :class:`NotAMessage` for what is no message of this kind, such as "hello reply"."""
    import jsonschema  # Here, so that a worker in another Python needs NumPy alone.

    problem = jsonschema.exceptions.best_match(_validator(kind).iter_errors(message))
    if problem is not None:
        place = ".".join(map(str, problem.absolute_path))
        where = f" (at {one_line(place, 100)!r})" if place else ""
        raise NotAMessage(f"a wrong {kind}{where}: {one_line(problem.message, 200)}")


@cache
def _validator(kind: str) -> Any:
    import jsonschema

    schema = json.loads(SCHEMA.read_text())
    return jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{kind.replace(' ', '%20')}"})


SCHEMA = Path(__file__).with_name("protocol.schema.json")


def longest_line(numbers: Numbers, most: int) -> int:
    """How many bytes a line with ``most`` numbers may have."""
    return LONGEST_BARE_LINE + (0 if numbers == "raw" else LONGEST_NUMBER * most)


def shown(line: bytes) -> str:
    """The beginning of a line, as text in a sentence."""
    return repr(one_line(line[:400].decode("utf-8", "replace"), 120))
