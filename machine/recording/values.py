"""Arrays of recorded values, which behave like arrays of NumPy: algorithms that are written for NumPy record themselves.

A :class:`Values` has an array of references in the place of numbers. Indexing, slices, views and assignment are NumPy's,
because they act on that array. Arithmetic appends to the :class:`~machine.recording.recording.Recording`. What an algorithm
cannot do is to decide by values: a comparison raises :class:`TypeError`, and so does everything that would need a number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from machine.recording.recording import Recording, References
from machine.recording.tensor_functions import FUNCTIONS, STRUCTURAL, UFUNCS


class Values(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of recorded values; ``references`` says which."""

    __array_priority__ = 1000

    def __init__(self, recording: Recording, references: References) -> None:
        self.recording, self.references = recording, references

    @property
    def shape(self) -> tuple[int, ...]:
        return self.references.shape

    @property
    def ndim(self) -> int:
        return self.references.ndim

    @property
    def size(self) -> int:
        return self.references.size

    @property
    def T(self) -> Values:
        return self._with(self.references.T)

    def __len__(self) -> int:
        return len(self.references)

    def __iter__(self) -> Iterator[Values]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index: Any) -> Values:
        return self._with(np.asarray(self.references[index]))

    def __setitem__(self, index: Any, value: Any) -> None:
        self.references[index] = references(self.recording, value)

    def copy(self) -> Values:
        return self._with(self.references.copy())

    def reshape(self, *shape: Any) -> Values:
        return self._with(self.references.reshape(*shape))

    def swapaxes(self, first: int, second: int) -> Values:
        return self._with(self.references.swapaxes(first, second))

    def take(self, indices: Any, axis: int) -> Values:
        return self._with(self.references.take(indices, axis))

    def sum(self, axis: int | tuple[int, ...]) -> Values:
        """The sum along axes, of pairs of neighbours, then of pairs of these sums, and so on."""
        axes = axis if isinstance(axis, tuple) else (axis,)
        return self._with(self.recording.sum(np.moveaxis(self.references, axes, range(len(axes))), len(axes)))

    # The commonest operations, past NumPy's dispatch, which takes longer than they do.

    def __add__(self, other: Any) -> Any:
        return self._with(UFUNCS[np.add](self.recording, self.references, references(self.recording, other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(UFUNCS[np.subtract](self.recording, self.references, references(self.recording, other)))

    def __mul__(self, other: Any) -> Any:
        return self._with(UFUNCS[np.multiply](self.recording, self.references, references(self.recording, other)))

    __rmul__ = __mul__

    def __neg__(self) -> Values:
        return self._with(-self.references)

    def __bool__(self) -> bool:
        raise TypeError("a recorded value has no truth value: the algorithm would depend on numbers that are not known yet")

    def __float__(self) -> float:
        raise TypeError("a recorded value is not known yet, so it cannot become a number")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("recorded values are no numbers; NumPy functions need an entry in machine/recording/values.py")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if method != "__call__" or options or ufunc not in UFUNCS:
            return NotImplemented
        plain = inputs[1:] if ufunc is np.power else ()
        operands = (references(self.recording, x) for x in inputs[: len(inputs) - len(plain)])
        return self._filled(UFUNCS[ufunc](self.recording, *operands, *plain), out and out[0])

    def __array_function__(self, function: Any, _: Any, arguments: Any, options: Any) -> Any:
        if function in FUNCTIONS:
            out = options.pop("out", None)
            operands = (x if isinstance(x, str) else references(self.recording, x) for x in arguments)
            return self._filled(FUNCTIONS[function](self.recording, *operands, **options), out)
        if function not in STRUCTURAL or not set(options) <= {"axis", "destination", "shape", "source"}:
            return NotImplemented
        wanted = range(len(arguments)) if function is np.broadcast_arrays else (0,)
        plain = [_structure(self.recording, x) if k in wanted else x for k, x in enumerate(arguments)]
        result = function(*plain, **options)
        return [self._with(x) for x in result] if isinstance(result, (tuple, list)) else self._with(result)

    def _filled(self, result: References, out: Any) -> Any:
        """``result`` as values, in ``out`` if it is given."""
        if out is None:
            return self._with(result)
        out[...] = self._with(result)
        return out

    def _with(self, references: References) -> Values:
        return Values(self.recording, references)


def new_inputs(recording: Recording, *shape: int) -> Values:
    """New inputs in an array of this shape, whose last index runs fastest."""
    return Values(recording, recording.new_inputs(math.prod(shape)).reshape(shape))


def constants(recording: Recording, exact: Any) -> Values:
    """Exact numbers as an array of recorded values; recorded values stay what they are."""
    return Values(recording, references(recording, exact))


def references(recording: Recording, x: Any) -> References:
    """What ``x`` means: recorded values, or exact numbers, which become constants.

    Raises :class:`TypeError` for values of another recording, and for what is no number.
    """
    if isinstance(x, Values):
        if x.recording is not recording:
            raise TypeError("values of two recordings cannot be combined")
        return x.references
    if isinstance(x, (int, Fraction)):
        return np.array(recording.constant(Fraction(x)), np.int32)
    numbers = np.asarray(x)
    if numbers.dtype.kind in "iub" and (not numbers.size or -1 <= numbers.min() <= numbers.max() <= 1):
        return numbers.astype(np.int32)  # The references to 0, 1 and −1 are these numbers themselves.
    return recording.constants(map(_fraction, numbers.ravel().tolist())).reshape(numbers.shape)


def _fraction(x: Any) -> Fraction:
    if not isinstance(x, (int, float, Fraction)):
        raise TypeError(f"{type(x).__name__} cannot be recorded; give exact numbers or recorded values")
    return Fraction(x)


def _structure(recording: Recording, x: Any) -> Any:
    """``x`` with references in the place of values and numbers, in sequences too."""
    return [_structure(recording, part) for part in x] if isinstance(x, (list, tuple)) else references(recording, x)
