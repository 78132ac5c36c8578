"""Executes a recorded algorithm on batches.

A program is a list of NumPy calls. The calls work on a few buffers, which are reused and fit in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from implementations.field import Real, Tensor
from implementations.recorded.tape import Node, live_nodes

BLOCK = 2**13
"""The largest number of states per pass. With more, a NumPy call is no cheaper per state."""

MEMORY = 2**24
"""The largest number of bytes per pass, so that the buffers of a pass stay in the cache."""

OPERATIONS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "cos": np.cos,
    "sin": np.sin,
}


@dataclass(frozen=True)
class Instruction:
    op: str
    operands: tuple[int, ...]
    """Indices: 0, 1, … are buffers; −1, −2, … are constants."""
    target: int


@dataclass(frozen=True, eq=False)
class Program:
    """A straight-line program. Buffers 0 … inputs−1 hold the inputs; ``outputs`` has the index of each output."""

    inputs: int
    instructions: tuple[Instruction, ...]
    outputs: tuple[int, ...]
    buffers: int
    constants: tuple[Fraction, ...]
    _converted: dict[Any, list[Tensor]] = field(default_factory=dict)

    @classmethod
    def compile(cls, inputs: int, outputs: Sequence[Any]) -> Program:
        """Assign buffers. A buffer is reused as soon as no later instruction reads it."""
        nodes = [node for node in live_nodes(outputs) if node.op != "input"]
        last_read = {x.number: n for n, node in enumerate(nodes) for x in node.arguments if isinstance(x, Node)}
        kept = {x.number for x in outputs if isinstance(x, Node)}
        buffer_of: dict[int, int] = {}
        constants: dict[Fraction, int] = {}
        free: list[int] = []
        buffers = inputs

        def index(x: Any) -> int:
            if not isinstance(x, Node):
                return constants.setdefault(Fraction(x), ~len(constants))
            return buffer_of.setdefault(x.number, int(x.arguments[0])) if x.op == "input" else buffer_of[x.number]

        instructions = []
        for n, node in enumerate(nodes):
            operands = tuple(index(x) for x in node.arguments)
            for x in {x.number for x in node.arguments if isinstance(x, Node)} - kept:
                if last_read[x] == n:
                    free.append(buffer_of[x])
            if not free:
                free.append(buffers)
                buffers += 1
            buffer_of[node.number] = free.pop()
            instructions.append(Instruction(node.op, operands, buffer_of[node.number]))
        indices = tuple(index(x) for x in outputs)
        return cls(inputs, tuple(instructions), indices, buffers, tuple(constants))

    def values(self, arguments: Sequence[Tensor], dtype: type[np.floating[Any]] = np.float64) -> Tensor:
        """The outputs (outputs, batch) in ``dtype``. The columns of the arguments (batch, width) are the inputs, in turn."""
        states = len(arguments[0])
        constants = self._constants(dtype)[::-1]
        block = max(1, min(BLOCK, MEMORY // (self.buffers * np.dtype(dtype).itemsize)))
        memory = np.empty((self.buffers, min(block, states)), dtype)
        result = np.empty((len(self.outputs), states), dtype)
        for start in range(0, states, block):
            stop = min(start + block, states)
            if start == 0 or stop - start < block:
                # A shorter last block must not compute with old values in the unused columns: dividing by them could warn.
                arrays = [*memory[:, : stop - start], *constants]
                steps = [(OPERATIONS[i.op], *(arrays[x] for x in i.operands), arrays[i.target]) for i in self.instructions]
            row = 0
            for x in arguments:
                for column in x[start:stop].T:
                    arrays[row][:] = column
                    row += 1
            for op, *operands in steps:
                op(*operands)
            for k, output in enumerate(self.outputs):
                result[k, start:stop] = arrays[output]
        return result

    def _constants(self, dtype: type[np.floating[Any]]) -> list[Tensor]:
        """The constants as ``dtype``."""
        if dtype not in self._converted:
            self._converted[dtype] = [np.asarray(Real(dtype).number(x), dtype) for x in self.constants]
        return self._converted[dtype]
