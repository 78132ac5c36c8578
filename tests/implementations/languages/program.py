"""A program that speaks the protocol, right or broken in one way: its argument says how.

Tests run it as users' programs are run. It shares no code with what speaks to it.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

HOW = sys.argv[1] if len(sys.argv) > 1 else ""
NUMBERS = sys.argv[2] if len(sys.argv) > 2 else "raw"

OUT, IN = sys.stdout.buffer, sys.stdin.buffer


class Model:
    """A mechanism of revolute and prismatic joints: Newton and Euler's equations, body by body."""

    def __init__(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.parents, self.kinds = header["parents"], header["kinds"]
        self.__dict__.update(arrays)

    def inverse_dynamics(self: Any, q: Any, v: Any, a: Any, gravity: float = 1.0) -> Any:
        still = (np.zeros(3), np.zeros(3), -gravity * self.gravity)
        motions, poses, forces = [], [], []
        for i, parent in enumerate(self.parents):
            w, dw, acceleration = motions[parent] if parent >= 0 else still
            axis, turns = self.axes[i], self.kinds[i] == "revolute"
            R = self.rotations[i] @ turn(axis, q[i]) if turns else self.rotations[i]
            p = self.translations[i] + (0 if turns else self.rotations[i] @ axis * q[i])
            acceleration = R.T @ (acceleration + np.cross(dw, p) + np.cross(w, np.cross(w, p)))
            w, dw = R.T @ w, R.T @ dw
            if turns:
                dw = dw + axis * a[i] + np.cross(w, axis * v[i])
                w = w + axis * v[i]
            else:
                acceleration = acceleration + axis * a[i] + 2 * np.cross(w, axis * v[i])
            motions.append((w, dw, acceleration))
            poses.append((R, p))
            c, I = self.coms[i], self.inertias[i]
            f = self.masses[i] * (acceleration + np.cross(dw, c) + np.cross(w, np.cross(w, c)))
            gyroscopic = np.cross(w, I @ w) * (-1 if HOW == "wrong gyroscopic" else 1)
            forces.append((I @ dw + gyroscopic + np.cross(c, f), f))
        tau = np.zeros(len(self.parents))
        for i in reversed(range(len(tau))):
            n, f = forces[i]
            tau[i] = self.axes[i] @ (n if self.kinds[i] == "revolute" else f) + self.armature[i] * a[i] + self.damping[i] * v[i]
            if (parent := self.parents[i]) >= 0:
                (R, p), (N, F) = poses[i], forces[parent]
                forces[parent] = (N + R @ n + np.cross(p, R @ f), F + R @ f)
        return tau

    def gravity_forces(self, q: Any) -> Any:
        return self.inverse_dynamics(q, 0 * q, 0 * q)

    def mass_matrix(self, q: Any) -> Any:
        return np.array([self.inverse_dynamics(q, 0 * q, unit, gravity=0.0) for unit in np.eye(len(q))])


def turn(axis: Any, angle: float) -> Any:
    K = np.cross(np.eye(3), axis)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "inverse_dynamics": Model.inverse_dynamics,
    "mass_matrix": Model.mass_matrix,
    "gravity": Model.gravity_forces,
}


def arrays_of(request: dict[str, Any]) -> dict[str, np.ndarray]:
    read = {}
    for entry in request.get("arrays", []):
        size = int(np.prod(entry["shape"]))
        if NUMBERS == "raw":
            values: Any = struct.unpack(f"<{size}d", IN.read(8 * size))
        else:
            values = [float.fromhex(x) if NUMBERS == "hex" else x for x in entry[NUMBERS]]
        read[entry["name"]] = np.array(values, dtype=float).reshape(entry["shape"])
    return read


def send(reply: dict[str, Any], answer: np.ndarray | None = None, name: str = "") -> None:
    data = b""
    if answer is not None:
        entry: dict[str, Any] = {"name": name, "shape": list(answer.shape)}
        flat = answer.reshape(-1).tolist()
        if NUMBERS == "raw":
            data = struct.pack(f"<{len(flat)}d", *flat)
        else:
            entry[NUMBERS] = [x.hex() for x in flat] if NUMBERS == "hex" else flat
        reply["arrays"] = [entry]
    if HOW == "wrong number of bytes" and data:
        data = data[:-8]
    OUT.write(json.dumps(reply).encode() + b"\n" + data)
    OUT.flush()
    if HOW == "closes its output" and data:
        OUT.close()
        os.close(1)
        time.sleep(60)


HELLO: dict[str, Any] = {
    "dalembert": 1,
    "name": "tested",
    "version": "3",
    "numbers": NUMBERS,
    "quantities": [*FUNCTIONS],
    "joints": ["revolute", "prismatic"],
}

CHANGED_HELLO: dict[str, dict[str, Any]] = {
    "another version": {"dalembert": 2},
    "unknown quantity": {"quantities": ["inverse_dynamic"]},
    "no quantity": {"quantities": []},
    "misspelt constraints": {"quantities": ["constraint_jacobean"]},
    "unknown joint": {"joints": ["hinge"]},
    "unknown convention": {"conventions": {"quaternions": "wxyz"}},
    "unknown field": {"colour": "red"},
    "unknown numbers": {"numbers": "float32"},
    "terminal codes": {"name": "\x1b[31mred\x1b[0m\u202e", "version": "<script>"},
}


def hello(reply: dict[str, Any]) -> None:
    if HOW == "prints first":
        OUT.write(b"Loading my library 2.0...\n")
    if HOW == "no newline":
        OUT.write(b"x" * (3 << 20))
        OUT.flush()
        time.sleep(60)
    if HOW == "ends":
        sys.exit(4)
    if HOW == "hangs":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
    if HOW == "deep":
        OUT.write(b"[" * 100000 + b"\n")
    if HOW == "forks":
        # The child answers first, always, so that the second answer is there when the next request comes.
        if not (child := os.fork()):
            send({**reply, **HELLO})
            os._exit(0)
        os.waitpid(child, 0)
    send({**reply, **HELLO, **CHANGED_HELLO.get(HOW, {})})


def load(reply: dict[str, Any], header: dict[str, Any]) -> None:
    names = header["joints"]
    if HOW == "strict" and "constraints" in header:
        reply["error"] = "an unknown field"
    if HOW == "forgets a joint":
        reply["joints"] = names[1:]
    if HOW == "an unknown joint":
        reply["joints"] = [*names, "tail"]
    if HOW in ("reversed", "reversed but says not"):
        reply["joints"] = names[::-1] if HOW == "reversed" else names
    send(reply)


def evaluate(reply: dict[str, Any], request: dict[str, Any], models: dict[int, Model], count: int) -> None:
    model = models[list(models)[-1] if HOW == "one mechanism" else request["model"]]
    if HOW == "prints in between":
        OUT.write(b"state 0\n")
    if HOW == "streams":
        # More than a pipe holds, before anything is read. What comes after the line may be white space.
        OUT.write(b" " * (1 << 19))
        OUT.flush()
    state = arrays_of(request)
    if HOW == "crashes" or (HOW == "crashes at times" and (state["q"][:, 0] > 1.5).any()):
        os.kill(os.getpid(), signal.SIGSEGV)
    if HOW == "ignores signals":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
    if HOW == "error":
        send({"id": request["id"], "error": "singular\nmatrix \x1b[31m"})
        return
    if HOW == "unsupported":
        send({"id": request["id"], "unsupported": "no time"})
        return
    if HOW == "another id":
        reply["id"] += 1
    name = request["quantity"]
    backwards = slice(None, None, -1) if HOW.startswith("reversed") else slice(None)
    states = ([x[k][backwards] for x in state.values()] for k in range(request["states"]))
    answer = np.array([FUNCTIONS[name](model, *one) for one in states])
    if HOW.startswith("reversed"):
        answer = np.flip(answer, range(1, answer.ndim))
    if HOW == "not a number":
        answer = np.where(np.arange(len(answer)).reshape(-1, *(1,) * (answer.ndim - 1)) == 2, np.nan, answer)
    if HOW == "wrong shape":
        answer = answer[..., :1]
    if HOW == "too many numbers":
        answer = np.concatenate((answer, answer))
    if HOW == "column major":
        answer = np.asfortranarray(answer).reshape(-1, order="F").reshape(answer.shape)
    if HOW == "remembers":
        answer = answer + 1e-9 * count
    if HOW == "wrong sign":
        answer = -answer
    send(reply, answer, "answer" if HOW == "another name" else name)


def main() -> None:
    models: dict[int, Model] = {}
    count = 0
    while line := IN.readline():
        request = json.loads(line)
        reply = {"id": request["id"]}
        match request["do"]:
            case "hello":
                hello(reply)
            case "load":
                arrays = arrays_of(request)
                models[request["model"]] = Model(request["mechanism"], arrays)
                load(reply, request["mechanism"])
            case "evaluate":
                evaluate(reply, request, models, count := count + 1)
            case "forget":
                if HOW == "forgets all":
                    models.clear()
                models.pop(request["model"], None)
                send(reply)
            case "end":
                if HOW == "does not end":
                    time.sleep(60)
                sys.exit(9 if HOW == "ends badly" else 0)


main()
