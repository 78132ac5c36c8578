"""Arrays of exact fractions, the same arrays as recorded values, and programs executed on any Python numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from machine.program import Op, Program
from machine.recording.assemble import assemble
from machine.recording.recording import Recording
from machine.recording.values import Values, new_inputs

Array = np.ndarray[Any, Any]

ARITHMETIC: dict[Op, Callable[..., Any]] = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
    Op.DIV: operator.truediv,
    Op.NEG: lambda a, _: -a,
    Op.SQRT: lambda a, _: a.sqrt(),
    Op.COS: lambda a, _: a.cos(),
    Op.SIN: lambda a, _: a.sin(),
    Op.SIGN: lambda a, _: a.sgn(),
}


def execute(program: Program, inputs: Sequence[Any], number: Callable[[Fraction], Any] = Fraction) -> list[Any]:
    """The outputs of ``program`` for one state, over whatever numbers the inputs are; ``number`` makes one of a constant."""
    registers = [*inputs, *map(number, program.constants)]
    registers += [None] * (program.registers - len(registers))
    for op, a, b, target in program.code.tolist():
        registers[target] = ARITHMETIC[Op(op)](registers[a], registers[b])
    return [registers[k] for k in program.outputs]


def fractions(*shape: int, seed: int = 0, zeros: bool = False) -> Array:
    """Random small fractions; with ``zeros``, many zeros and ones among them."""
    random = np.random.default_rng(seed)
    top, bottom = random.integers(-9, 10, shape), random.integers(1, 5, shape)
    if zeros:
        top, bottom = np.where(random.random(shape) < 0.6, random.integers(-1, 2, shape), top), np.where(top % 2, bottom, 1)
    exact = np.empty(shape, object)
    exact[...] = np.frompyfunc(lambda p, q: Fraction(int(p), int(q)), 2, 1)(top, bottom)
    return exact


class Inputs:
    """Fractions that become the inputs of one recording."""

    def __init__(self) -> None:
        self.recording = Recording()
        self.given: list[Fraction] = []

    def of(self, exact: Array) -> Values:
        """``exact`` as new inputs."""
        self.given.extend(exact.ravel())
        return new_inputs(self.recording, *exact.shape)

    def execute(self, values: Values) -> Array:
        """What the program for ``values`` gives."""
        program = assemble(self.recording, values.references.ravel())
        result = np.empty(values.size, object)
        result[:] = execute(program, self.given)
        return result.reshape(values.shape)


def require_same(function: Callable[..., Any], *exact: Array) -> None:
    """Fail unless ``function`` gives the same for recorded inputs as for the fractions themselves."""
    inputs = Inputs()
    expected, got = function(*exact), function(*map(inputs.of, exact))
    assert isinstance(got, Values)
    assert got.shape == np.shape(expected)
    assert np.array_equal(inputs.execute(got), expected)
