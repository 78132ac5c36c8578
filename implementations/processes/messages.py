"""Messages between the harness and a worker process: a JSON header, then arrays as raw little-endian float64.

    8 bytes    the length of the header, little-endian
    header     JSON (UTF-8); under "arrays" it lists the shapes of the arrays that follow
    arrays     C order

What a worker sends is data: nothing in it is evaluated, and its size is bounded before it is read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from implementations.protocol import Array, NotAMessage

LONGEST_HEADER = 1 << 27
"""Bytes. The header that names a mechanism of a thousand bodies has about a million."""

LARGEST_ARRAYS = 1 << 34
"""Bytes."""

Receive = Callable[[memoryview], None]
"""Fills a buffer, or raises an error."""


def encoded(header: dict[str, Any], arrays: Sequence[Array]) -> Iterator[bytes | memoryview]:
    """The parts of a message, to be sent one after the other."""
    whole = [np.asarray(array, dtype="<f8", order="C") for array in arrays]
    text = json.dumps({**header, "arrays": [array.shape for array in whole]}).encode()
    yield len(text).to_bytes(8, "little") + text
    for array in whole:
        if array.size:
            yield array.reshape(-1).data.cast("B")


def received(receive: Receive) -> tuple[dict[str, Any], list[Array]]:
    """One message. Raises :class:`NotAMessage`, and what ``receive`` raises."""
    length = int.from_bytes(_bytes(receive, 8), "little")
    if length > LONGEST_HEADER:
        raise NotAMessage(f"a header of {length} bytes")
    try:
        header = json.loads(_bytes(receive, length))
        shapes = [tuple(map(_size, shape)) for shape in header.pop("arrays")]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise NotAMessage("a header that is no JSON object") from error
    if 8 * sum(map(math.prod, shapes)) > LARGEST_ARRAYS:
        raise NotAMessage("arrays that are too large")
    try:
        arrays = [np.empty(shape, dtype="<f8") for shape in shapes]
    except (ValueError, MemoryError) as error:
        raise NotAMessage("arrays of an impossible shape") from error
    for array in arrays:
        if array.size:
            receive(array.reshape(-1).data.cast("B"))
    return header, arrays


def _bytes(receive: Receive, length: int) -> bytearray:
    buffer = bytearray(length)
    receive(memoryview(buffer))
    return buffer


def _size(value: Any) -> int:
    if not (type(value) is int and 0 <= value < 1 << 40):
        raise ValueError("a length that is no number")
    return value
