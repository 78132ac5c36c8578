"""A program that speaks the protocol, with the traced reference behind it: ``python traced_program.py raw|hex|decimal``."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from implementations.recorded.traced import TRACED
from mechanisms.library.robots import robot

NUMBERS = sys.argv[1]
IN, OUT = sys.stdin.buffer, sys.stdout.buffer


def main() -> None:
    ur5 = TRACED.load(robot("ur5"))
    while line := IN.readline():
        request = json.loads(line)
        arrays, reply = [], {"id": request["id"]}
        for entry in request.get("arrays", []):
            size = int(np.prod(entry["shape"]))
            values: Any = np.frombuffer(IN.read(8 * size), "<f8") if NUMBERS == "raw" else entry[NUMBERS]
            arrays.append(np.array(list(map(float.fromhex, values)) if NUMBERS == "hex" else values).reshape(entry["shape"]))
        data = b""
        match request["do"]:
            case "hello":
                reply |= {
                    "dalembert": 1,
                    "name": "traced",
                    "version": "1",
                    "numbers": NUMBERS,
                    "quantities": ["inverse_dynamics"],
                }
            case "evaluate":
                answer = ur5.inverse_dynamics(*arrays)
                entry = {"name": "inverse_dynamics", "shape": list(answer.shape)}
                if NUMBERS == "raw":
                    data = answer.tobytes()
                else:
                    flat = answer.reshape(-1).tolist()
                    entry[NUMBERS] = [x.hex() for x in flat] if NUMBERS == "hex" else flat
                reply["arrays"] = [entry]
            case "end":
                return
        OUT.write(json.dumps(reply).encode() + b"\n" + data)
        OUT.flush()


main()
