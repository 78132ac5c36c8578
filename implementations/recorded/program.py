"""Executing a recorded algorithm over batches.

A program is a list of NumPy calls on a few reused buffers that fit in cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from implementations.field import Real, Tensor
from implementations.recorded.tape import Node, needed

BLOCK = 2**13
"""States per pass at most: with more, a NumPy call is no cheaper per state."""

MEMORY = 2**24
"""Bytes per pass at most: the buffers of a pass stay in cache."""

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
    """Buffers count up from 0, constants down from −1."""
    target: int


@dataclass(frozen=True, eq=False)
class Program:
    """``inputs`` numbers in, one number or buffer per output out; buffers 0 … inputs−1 hold the inputs."""

    inputs: int
    instructions: tuple[Instruction, ...]
    outputs: tuple[int, ...]
    buffers: int
    constants: tuple[Fraction, ...]
    _converted: dict[Any, list[Tensor]] = field(default_factory=dict)

    @classmethod
    def compile(cls, inputs: int, outputs: Sequence[Any]) -> Program:
        """Assign buffers: each is reused as soon as nothing will read it again."""
        nodes = [node for node in needed(outputs) if node.op != "input"]
        last_read = {x.number: n for n, node in enumerate(nodes) for x in node.arguments if isinstance(x, Node)}
        kept = {x.number for x in outputs if isinstance(x, Node)}
        place: dict[int, int] = {}
        constants: dict[Fraction, int] = {}
        free: list[int] = []
        buffers = inputs

        def where(x: Any) -> int:
            if not isinstance(x, Node):
                return constants.setdefault(Fraction(x), ~len(constants))
            return place.setdefault(x.number, int(x.arguments[0])) if x.op == "input" else place[x.number]

        instructions = []
        for n, node in enumerate(nodes):
            operands = tuple(where(x) for x in node.arguments)
            for x in {x.number for x in node.arguments if isinstance(x, Node)} - kept:
                if last_read[x] == n:
                    free.append(place[x])
            if not free:
                free.append(buffers)
                buffers += 1
            place[node.number] = free.pop()
            instructions.append(Instruction(node.op, operands, place[node.number]))
        places = tuple(where(x) for x in outputs)
        return cls(inputs, tuple(instructions), places, buffers, tuple(constants))

    def values(self, arguments: Sequence[Tensor], dtype: type[np.floating[Any]] = np.float64) -> Tensor:
        """The outputs (outputs, batch) for arguments (batch, width) that fill the inputs in turn, computed in ``dtype``."""
        states = len(arguments[0])
        constants = self._constants(dtype)[::-1]
        block = max(1, min(BLOCK, MEMORY // (self.buffers * np.dtype(dtype).itemsize)))
        memory = np.empty((self.buffers, min(block, states)), dtype)
        result = np.empty((len(self.outputs), states), dtype)
        for start in range(0, states, block):
            stop = min(start + block, states)
            if start == 0 or stop - start < block:
                # A shorter last block leaves out what the block before it left behind: dividing by that would warn.
                places = [*memory[:, : stop - start], *constants]
                steps = [(OPERATIONS[i.op], *(places[x] for x in i.operands), places[i.target]) for i in self.instructions]
            row = 0
            for x in arguments:
                for column in x[start:stop].T:
                    places[row][:] = column
                    row += 1
            for op, *operands in steps:
                op(*operands)
            for k, output in enumerate(self.outputs):
                result[k, start:stop] = places[output]
        return result

    def _constants(self, dtype: type[np.floating[Any]]) -> list[Tensor]:
        """The constants as ``dtype``."""
        if dtype not in self._converted:
            self._converted[dtype] = [np.asarray(Real(dtype).number(x), dtype) for x in self.constants]
        return self._converted[dtype]
