"""The three derivations from forces in few digits: right code whose precision is known.

NumPy computes in float32 and float16 itself. For bfloat16, fixed point, and mixed precisions the algorithms are recorded, and the
programs are executed in float64 with a rounding after every instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np

from implementations.algorithms import Algorithmic, require_answer
from implementations.classical import link_frames, newton_euler
from implementations.field import Real, Recorded
from implementations.screws import adjoints, product_of_exponentials
from implementations.spatial_algebra import model, reference
from machine.backends.numpy_backend import ARITHMETIC, waves_of
from machine.instructions import FLOAT64
from machine.program import Op
from machine.recording.recorded_function import RecordedFunction, function_of
from machine.recording.recording import Recording, References
from machine.recording.values import new_inputs
from mechanisms import Mechanism
from mechanisms.numbers.precision import Precision

Array = np.ndarray[Any, Any]

STATES = 2**8
"""So many states are computed at once."""

NEWTON, SCREWS = newton_euler.ALGORITHMS, product_of_exponentials.ALGORITHMS


def direct(real: Any) -> dict[str, Any]:
    """The derivations in this type of NumPy's numbers, by name."""
    return {
        "spatial algebra": reference.Reference(Real(real)),
        "Newton and Euler": Algorithmic("newton-euler", link_frames.build, NEWTON, Real(real)),
        "screws": Algorithmic("screws", adjoints.build, SCREWS, Real(real)),
    }


def rounded(products: Precision, sums: Precision) -> dict[str, Any]:
    """The derivations with sums and differences in one precision, and all else in another, by name."""
    return {
        "spatial algebra": Rounded(model.build, reference.ALGORITHMS, products, sums),
        "Newton and Euler": Rounded(link_frames.build, NEWTON, products, sums),
        "screws": Rounded(adjoints.build, SCREWS, products, sums),
    }


def coarser(one: Precision, other: Precision) -> Precision:
    """The precision that code declares which computes in both."""
    return max(one, other, key=lambda precision: precision.epsilon)


@dataclass(frozen=True)
class Rounded:
    """A derivation whose numbers are rounded after every instruction."""

    build: Callable[..., Any]
    algorithms: Mapping[str, Any]
    products: Precision
    sums: Precision

    def load(self, mechanism: Mechanism) -> RoundedDynamics:
        return RoundedDynamics(self, mechanism)


class Divided(Recording):
    """A recording in which division by a constant stays one. The reciprocal of a large mass has few digits in fixed point."""

    def divide(self, a: References, b: References, place: Any = None) -> References:
        a, b = np.broadcast_arrays(a, b)
        return self._general(Op.DIV, a, b, (a ^ b) < 0, (a != 0) & (b != 1), np.where(b == 1, a, 0), place)


class RoundedDynamics:
    """One mechanism. It has a method for every quantity; arguments and answers are batch-first."""

    def __init__(self, code: Rounded, mechanism: Mechanism) -> None:
        self._code, self._mechanism = code, mechanism
        self._functions: dict[str, RecordedFunction] = {}

    def __getattr__(self, quantity: str) -> Any:
        if quantity not in self.__dict__["_code"].algorithms:
            raise AttributeError(quantity)
        return partial(self._evaluate, quantity)

    def _evaluate(self, quantity: str, *arguments: Array) -> Array:
        require_answer(quantity, self._mechanism)
        if quantity not in self._functions:
            self._functions[quantity] = self._recorded(quantity, arguments)
        function = self._functions[quantity]
        inputs = np.concatenate([x.reshape(len(x), -1).T for x in arguments]).astype(np.float64)
        parts = [self._executed(function, inputs[:, k : k + STATES]) for k in range(0, inputs.shape[1], STATES)]
        return np.concatenate(parts, axis=1).T.reshape(-1, *function.shape)

    def _recorded(self, quantity: str, arguments: tuple[Array, ...]) -> RecordedFunction:
        field = Recorded(Divided())
        given = self._code.build(self._mechanism, field)
        inputs = [new_inputs(field.recording, *x.shape[1:]) for x in arguments]
        result: Any = self._code.algorithms[quantity](given, *(x[..., None] for x in inputs))[..., 0]
        return function_of(result, sum(prod(x.shape) for x in inputs))

    def _executed(self, function: RecordedFunction, inputs: Array) -> Array:
        """The components of the result (numbers, states) at these inputs (inputs, states)."""
        program, products, sums = function.program, self._code.products, self._code.sums
        constants, _ = program.constant_words
        rows, waves, outputs = waves_of(program)
        values = np.empty((rows, inputs.shape[1]))
        values[: len(inputs)] = inputs
        values[len(inputs) : len(inputs) + len(constants)] = products.nearest(constants)[:, None]
        with np.errstate(all="ignore"):
            for op, operands, begin, end in waves:
                precision = sums if op in (Op.ADD, Op.SUB) else products
                values[begin:end] = precision.nearest(FLOAT64[op](ARITHMETIC, *(values[row] for row in operands)))
        return np.concatenate((values[outputs], np.zeros_like(inputs[:1])))[function.rows]
