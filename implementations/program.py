"""Executing a recorded algorithm over batches.

A program is a list of NumPy calls on a few reused buffers that fit in cache. The same list has two readings: *values*,
and *magnitudes*, in which every sum adds absolute values, so that each output comes with the size of what was summed
to make it. Rounding errors are honest only in proportion to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from implementations.field import Real, Tensor
from implementations.trace import Constant, Node, constant_of, needed

BLOCK = 4096
"""States per pass: the buffers of a pass stay in cache."""

VALUES = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "cos": np.cos,
    "sin": np.sin,
}


def _absolute_cos(x: Tensor, out: Tensor) -> None:
    np.abs(np.cos(x, out=out), out=out)


def _absolute_sin(x: Tensor, out: Tensor) -> None:
    np.abs(np.sin(x, out=out), out=out)


MAGNITUDES = {**VALUES, "sub": np.add, "neg": np.positive, "cos": _absolute_cos, "sin": _absolute_sin}


@dataclass(frozen=True)
class Instruction:
    op: str
    operands: tuple[int | Constant, ...]
    """Buffers by number, or constants."""
    target: int


@dataclass(frozen=True, eq=False)
class Program:
    """``inputs`` numbers in, one number or buffer per output out; buffers 0 … inputs−1 hold the inputs."""

    inputs: int
    instructions: tuple[Instruction, ...]
    outputs: tuple[int | Constant, ...]
    buffers: int
    _converted: dict[tuple[Any, bool], dict[Constant, Tensor]] = field(default_factory=dict)

    @classmethod
    def compile(cls, inputs: int, outputs: Sequence[Any]) -> Program:
        """Assign buffers: each is reused as soon as nothing will read it again."""
        nodes = [node for node in needed(outputs) if node.op != "input"]
        last_read = {x.number: n for n, node in enumerate(nodes) for x in node.arguments if isinstance(x, Node)}
        kept = {x.number for x in outputs if isinstance(x, Node)}
        place: dict[int, int] = {}
        free: list[int] = []
        buffers = inputs

        def where(x: Any) -> int | Constant:
            if not isinstance(x, Node):
                return constant_of(x)
            return place.setdefault(x.number, int(x.arguments[0].value)) if x.op == "input" else place[x.number]

        instructions = []
        for n, node in enumerate(nodes):
            operands = tuple(where(x) for x in node.arguments)
            for x in set(node.arguments):
                if isinstance(x, Node) and last_read[x.number] == n and x.number not in kept:
                    free.append(place[x.number])
            if not free:
                free.append(buffers)
                buffers += 1
            place[node.number] = free.pop()
            instructions.append(Instruction(node.op, operands, place[node.number]))
        return cls(inputs, tuple(instructions), tuple(where(x) for x in outputs), buffers)

    def values(self, arguments: Sequence[Tensor], dtype: type[np.floating[Any]] = np.float64) -> Tensor:
        """The outputs (outputs, batch) for arguments (batch, width) that fill the inputs in turn, computed in ``dtype``."""
        return self._run(arguments, dtype, VALUES)

    def magnitudes(self, arguments: Sequence[Tensor]) -> Tensor:
        """For every output the size of what was summed to make it (outputs, batch), in float64."""
        return self._run([np.abs(x) for x in arguments], np.float64, MAGNITUDES)

    def _constants(self, dtype: type[np.floating[Any]], ops: dict[str, Any]) -> dict[Constant, Tensor]:
        """The constants as ``dtype``, read as values or as magnitudes."""
        key = (dtype, ops is VALUES)
        if key not in self._converted:
            number = Real(dtype).number
            used = {x for x in (*(x for i in self.instructions for x in i.operands), *self.outputs) if isinstance(x, Constant)}
            self._converted[key] = {x: np.asarray(number(x.value if ops is VALUES else x.size), dtype) for x in used}
        return self._converted[key]

    def _run(self, arguments: Sequence[Tensor], dtype: type[np.floating[Any]], ops: dict[str, Any]) -> Tensor:
        states = len(arguments[0])
        block = max(1, min(BLOCK, states))
        memory = list(np.ones((self.buffers, block), dtype))
        constants = self._constants(dtype, ops)

        def place(x: int | Constant) -> Tensor:
            return memory[x] if isinstance(x, int) else constants[x]

        steps = [(ops[i.op], *map(place, i.operands), memory[i.target]) for i in self.instructions]
        result = np.empty((len(self.outputs), states), dtype)
        for start in range(0, states, block):
            count = min(block, states - start)
            row = 0
            for x in arguments:
                for column in x[start : start + count].T:
                    memory[row][:count] = column
                    row += 1
            for op, *operands in steps:
                op(*operands)
            for k, output in enumerate(self.outputs):
                result[k, start : start + count] = np.broadcast_to(place(output), block)[:count]
        return result
