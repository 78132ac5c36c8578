"""Arrays of double-doubles, for what is computed with the results of programs: sums, differences, products, sums of products.

They behave like arrays of NumPy where that is needed, and combine with arrays of float64. Elementwise operations are the recipes
of :mod:`machine.arithmetic.double_double`; sums of products are recorded programs. So the bits are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from machine.arithmetic import double_double
from machine.backends.numpy_backend import ARITHMETIC
from machine.recording.recorded_function import RecordedFunction, record

Array = np.ndarray[Any, Any]


class DoubleDoubles(np.lib.mixins.NDArrayOperatorsMixin):
    """The sum of two float64 arrays of one shape, ``high`` and ``low``; high is the sum, rounded."""

    __array_priority__ = 1000

    def __init__(self, high: Array, low: Array) -> None:
        self.high, self.low = high, low

    @property
    def shape(self) -> tuple[int, ...]:
        return self.high.shape

    @property
    def ndim(self) -> int:
        return self.high.ndim

    @property
    def size(self) -> int:
        return self.high.size

    def __len__(self) -> int:
        return len(self.high)

    def __getitem__(self, index: Any) -> DoubleDoubles:
        return self._each(lambda x: x[index])

    def reshape(self, *shape: Any) -> DoubleDoubles:
        return self._each(lambda x: x.reshape(*shape))

    def swapaxes(self, first: int, second: int) -> DoubleDoubles:
        return self._each(lambda x: x.swapaxes(first, second))

    def astype(self, dtype: Any) -> Array:
        """Rounded to floating-point numbers of this type."""
        return self.high.astype(dtype)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("an array of double-doubles does not become an array by itself; round it with astype(np.float64)")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options or ufunc not in UFUNCS:
            return NotImplemented
        with np.errstate(all="ignore"):
            return DoubleDoubles(*UFUNCS[ufunc](*map(pair, inputs)))

    def __array_function__(self, function: Any, _: Any, arguments: Any, options: Any) -> Any:
        if function is np.einsum:
            return sum_of_products(*arguments, **options)
        if function not in STRUCTURAL:
            return NotImplemented
        first, *rest = arguments
        several = isinstance(first, (list, tuple))
        words = [pair(x) for x in first] if several else [pair(first)]
        return DoubleDoubles(*(function([x[k] for x in words] if several else words[0][k], *rest, **options) for k in range(2)))

    def _each(self, change: Callable[[Array], Array]) -> DoubleDoubles:
        return DoubleDoubles(change(self.high), change(self.low))


def pair(x: Any) -> tuple[Array, Array]:
    """The high and the low words of an array; float64 has low words of zero, and wider formats lose nothing of 106 bits."""
    if isinstance(x, DoubleDoubles):
        return x.high, x.low
    given = np.asarray(x)
    high = given.astype(np.float64)
    is_wider = given.dtype.kind == "f" and given.dtype.itemsize > 8
    with np.errstate(invalid="ignore"):
        return high, (given - high).astype(np.float64) if is_wider else np.zeros_like(high)


def product_of_words(a: Any, b: Any) -> DoubleDoubles:
    """a · b of float64 arrays, exactly."""
    return DoubleDoubles(*ARITHMETIC.two_product(*np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))))


def sum_of_products(subscripts: str, a: Any, b: Any) -> DoubleDoubles:
    """``np.einsum`` of two arrays whose first axis is the batch, which is the first one of the result: "bij,bj->bi"."""
    given, result = subscripts.split("->")
    if not all(names.startswith(given[0]) for names in (*given.split(","), result)):
        raise ValueError(f"the sum of products {subscripts} needs the batch as the first axis of both factors and of the result")
    own = f"{','.join(names[1:] for names in given.split(','))}->{result[1:]}"
    high, low = _sum_of_products(own, a.shape[1:], b.shape[1:])(
        *(pair(x) if isinstance(x, DoubleDoubles) else np.asarray(x, dtype=np.float64) for x in (a, b))
    )
    return DoubleDoubles(high, low)


@lru_cache(maxsize=32)
def _sum_of_products(subscripts: str, *shapes: tuple[int, ...]) -> RecordedFunction:
    return record(lambda _, a, b: np.einsum(subscripts, a, b), shapes)


def _operation(recipe: Any) -> Callable[..., Any]:
    return lambda *operands: recipe(ARITHMETIC, *operands)


UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: _operation(double_double.add),
    np.subtract: _operation(double_double.subtract),
    np.multiply: _operation(double_double.multiply),
    np.divide: _operation(double_double.divide),
    np.negative: _operation(double_double.negate),
    np.absolute: lambda x: tuple(np.where(x[0] < 0, -word, word) for word in x),
    np.sqrt: _operation(double_double.square_root),
    np.sign: _operation(double_double.sign),
}

STRUCTURAL = {np.broadcast_to, np.concatenate, np.moveaxis, np.repeat, np.stack}
"""Functions that move numbers and compute nothing; their first arguments are arrays, or sequences of arrays."""
