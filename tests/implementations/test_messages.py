"""What another process sends is refused before it does harm."""

from __future__ import annotations

import json

import numpy as np
import pytest

from implementations.processes.messages import encoded, received
from implementations.protocol import NotAMessage


def read(data: bytes) -> object:
    rest = bytearray(data)

    def receive(buffer: memoryview) -> None:
        if len(rest) < len(buffer):
            raise EOFError
        buffer[:] = rest[: len(buffer)]
        del rest[: len(buffer)]

    return received(receive)


def message(header: object) -> bytes:
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text


def test_what_is_sent_arrives_bit_for_bit() -> None:
    arrays = [np.array([[0.1, -0.0], [np.nan, 5e-324]]), np.empty((0, 3)), np.array(7.0)]
    header, got = read(b"".join(bytes(part) for part in encoded({"do": "ask", "text": "ω"}, arrays)))  # type: ignore[misc]
    assert header == {"do": "ask", "text": "ω"}
    assert [x.shape for x in got] == [(2, 2), (0, 3), ()]
    assert [x.tobytes() for x in got] == [x.tobytes() for x in arrays]


@pytest.mark.parametrize(
    "data",
    [
        b"garbage " * 9,
        message([]),
        message({}),
        message({"arrays": 1}),
        message({"arrays": [["a"]]}),
        message({"arrays": [[-1]]}),
        message({"arrays": [[True]]}),
        message({"arrays": [[1] * 100]}),
        message({"arrays": [[0, 2**39, 2**39]]}),
        message({"arrays": [[2**39]]}),
        (3).to_bytes(8, "little") + b"\xff{}",
    ],
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(NotAMessage):
        read(data)
