"""A recorded conversation, which the example of every language must reproduce: conversation.jsonl.

Lines are a request, then the right reply, and so on; the last request has none. Numbers are hexadecimal floats, as a program gets
them that declares "hex".

    python tests/dalembert/conversation.py                   # writes the file
    python tests/dalembert/conversation.py './my_dynamics'   # plays it to a program, and prints what is answered differently
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from implementations.languages.described import described
from implementations.languages.lines import decoded, encoded
from implementations.protocol import NotAMessage
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism, random_mechanism
from mechanisms.quantities import QUANTITIES

RECORD = Path(__file__).with_name("conversation.jsonl")

ODD = ['"quoted" \\ and \\u0041', "line\nfeed\ttab\0nul", "θ, 机器人, 🤖", "[1, 2]}", "\U0001f600" * 3, "</script>", " "]
"""Names that a reader of JSON may stumble over."""

NEAR = 1e-12
"""Numbers may differ by this share of the largest one: languages round differently."""

Message = tuple[dict[str, Any], dict[str, np.ndarray]]


def exchanges() -> Iterator[tuple[Message, Message | None]]:
    """Requests, each with the right reply."""
    first, second = random_mechanism(3, 7, ("revolute", "prismatic")), find_mechanism("pendulum")
    yield ({"do": "hello", "id": 1, "dalembert": 1}, {}), ({"id": 1, "dalembert": 1, "numbers": "raw", "quantities": BOTH}, {})
    yield _load(2, 1, first, ODD), ({"id": 2}, {})
    yield from _evaluations(3, 1, first)
    yield _load(5, 2, find_mechanism("spherical-pendulum")), ({"id": 5, "unsupported": "it has no spherical joint"}, {})
    yield _load(6, 3, second), ({"id": 6}, {})
    yield _asked(7, 1, first, "gravity")[0], ({"id": 7, "unsupported": "it has no gravity"}, {})
    yield ({"do": "forget", "id": 8, "model": 1}, {}), ({"id": 8}, {})
    yield _asked(9, 1, first, "mass_matrix")[0], ({"id": 9, "error": ""}, {})
    yield from _evaluations(10, 3, second)
    yield ({"do": "end", "id": 12}, {}), None


BOTH = ["inverse_dynamics", "mass_matrix"]


def _load(id: int, model: int, mechanism: Mechanism, names: list[str] | None = None) -> Message:
    header, arrays = described(mechanism, with_urdf=False)
    if names:
        header.update(name=names[0], root=names[1], bodies=names, joints=names)
    return {"do": "load", "id": id, "model": model, "mechanism": header}, arrays


def _evaluations(id: int, model: int, mechanism: Mechanism) -> Iterator[tuple[Message, Message]]:
    yield from (_asked(id + k, model, mechanism, name) for k, name in enumerate(BOTH))


def _asked(id: int, model: int, mechanism: Mechanism, quantity: str, states: int = 3) -> tuple[Message, Message]:
    rng = np.random.default_rng(id)
    state = {name: rng.normal(size=(states, mechanism.nv)) for name in QUANTITIES[quantity].arguments}
    answer = getattr(REFERENCE.load(mechanism), quantity)(*state.values())
    request = {"do": "evaluate", "id": id, "model": model, "quantity": quantity, "states": states, "shape": list(answer.shape)}
    return (request, state), ({"id": id}, {quantity: answer})


def record() -> str:
    lines: list[str] = []
    for request, reply in exchanges():
        for message in (request, reply):
            if message is not None:
                lines += [b"".join(encoded(*message, "hex")).decode()]
    return "".join(lines)


def play(command: str, record: Path = RECORD) -> list[str]:
    """What a program that speaks "raw" replies differently from the record; it is started, and must end by itself."""
    lines = record.read_bytes().splitlines()
    requests = [_message(line) for line in lines[::2]]
    sent = b"".join(part for header, arrays in requests for part in encoded(header, arrays, "raw"))
    ran = subprocess.run(shlex.split(command), input=sent, capture_output=True, timeout=120, check=False)
    received = BytesIO(ran.stdout)
    wrong = []
    for (request, _), line in zip(requests, lines[1::2], strict=False):
        expected, numbers = _message(line)
        try:
            reply, answer = decoded(received.readline(), f"{request['do']} reply", "raw", received.read, 10**6)
        except NotAMessage as error:
            return [*wrong, f"{request['do']}: {error}"]
        if not _agree(expected, reply) or not _near(numbers, answer):
            wrong.append(f"{request['do']}: {json.dumps(reply)[:300]} instead of {json.dumps(expected)[:300]}")
    rest = received.read()
    return wrong + ([f"{len(rest)} bytes too many"] if rest else []) + ([f"status {ran.returncode}"] if ran.returncode else [])


def _message(line: bytes) -> Message:
    header = json.loads(line)
    arrays = {
        entry["name"]: np.reshape([float.fromhex(x) for x in entry["hex"]], entry["shape"]) for entry in header.pop("arrays", [])
    }
    return header, arrays


def _agree(expected: dict[str, Any], reply: dict[str, Any]) -> bool:
    """Whether the reply has what is expected; the text of an error is free, and so is what a program says of itself."""
    free = {"name", "version", "language", "joints", "conventions", "urdf"} if "quantities" in expected else set()
    kept = {name: sorted(x) if isinstance(x, list) else x for name, x in reply.items() if name not in free}
    return {**kept, **({"error": ""} if "error" in kept else {})} == expected


def _near(expected: dict[str, np.ndarray], answer: dict[str, np.ndarray]) -> bool:
    return expected.keys() == answer.keys() and all(
        x.shape == answer[name].shape and bool(np.abs(x - answer[name]).max() <= NEAR * np.abs(x).max())
        for name, x in expected.items()
    )


if __name__ == "__main__":
    if sys.argv[1:]:
        print("\n".join(play(sys.argv[1])) or "the program answers as recorded")
    else:
        RECORD.write_text(record())
