"""Arrays of recorded values, which behave like arrays of NumPy: algorithms that are written for NumPy record themselves.

A :class:`Values` has an array of references in the place of numbers. Indexing, slices, views and assignment are NumPy's,
because they act on that array. Arithmetic appends to the :class:`~machine.recording.Recording`. What an algorithm cannot do is
to decide by values: a comparison raises :class:`TypeError`, and so does everything that would need a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, reduce
from typing import Any

import numpy as np

from machine.program import Op
from machine.recording import Recording, References


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

    def sum(self, axis: int | tuple[int, ...]) -> Values:
        """The sum along axes, of pairs of neighbours, then of pairs of these sums, and so on."""
        axes = axis if isinstance(axis, tuple) else (axis,)
        return self._with(_sum(self.recording, np.moveaxis(self.references, axes, range(len(axes))), len(axes)))

    def __bool__(self) -> bool:
        raise TypeError("a recorded value has no truth value: the algorithm would depend on numbers that are not known yet")

    def __float__(self) -> float:
        raise TypeError("a recorded value is not known yet, so it cannot become a number")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("recorded values are no numbers; NumPy functions need an entry in machine/values.py")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if method != "__call__" or options or ufunc not in UFUNCS:
            return NotImplemented
        operands = [references(self.recording, x) for x in inputs] if ufunc is not np.power else inputs
        result = UFUNCS[ufunc](self.recording, *operands)
        if out is None:
            return self._with(result)
        out[0][...] = self._with(result)
        return out[0]

    def __array_function__(self, function: Any, _: Any, arguments: Any, options: Any) -> Any:
        if function in OWN:
            return OWN[function](self.recording, *arguments, **options)
        if function not in STRUCTURAL or not arguments or not set(options) <= {"axis", "destination", "shape", "source"}:
            return NotImplemented
        wanted = range(len(arguments)) if function is np.broadcast_arrays else (0,)
        plain = [_structure(self.recording, x) if k in wanted else x for k, x in enumerate(arguments)]
        result = function(*plain, **options)
        return [self._with(x) for x in result] if isinstance(result, (tuple, list)) else self._with(result)

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


def _sum(recording: Recording, terms: References, axes: int) -> References:
    """The sum over the first ``axes`` axes."""
    rows = terms.reshape(math.prod(terms.shape[:axes]), *terms.shape[axes:])
    if not len(rows):
        return np.zeros(rows.shape[1:], np.int32)
    while len(rows) > 1:
        even = len(rows) // 2 * 2
        rows = np.concatenate((recording.add(rows[:even:2], rows[1:even:2]), rows[even:]))
    return rows[0]


def _matmul(recording: Recording, a: References, b: References) -> References:
    if not {a.ndim, b.ndim} <= {1, 2}:
        raise TypeError("the product @ of recorded values takes matrices and vectors, not stacks of matrices")
    subscripts = f"{'ij'[2 - a.ndim :]},{'jk'[: b.ndim]}->{'i' * (a.ndim - 1)}{'k' * (b.ndim - 1)}"
    return _einsum(recording, subscripts, Values(recording, a), Values(recording, b)).references


def _power(recording: Recording, base: Any, exponent: Any) -> References:
    if not isinstance(exponent, int) or exponent < 1:
        raise TypeError("a recorded value has powers with positive whole exponents only")
    return reduce(recording.multiply, [references(recording, base)] * exponent)


def _einsum(recording: Recording, subscripts: str, a: Any, b: Any, out: Values | None = None) -> Values:
    """The sum of products over the indices that the result does not have. The last indices may be an ellipsis.

    Raises :class:`TypeError` for other subscripts, and :class:`ValueError` for arrays that they do not fit.
    """
    (own_a, own_b), result = _names(subscripts)
    summed = "".join(dict.fromkeys(name for name in own_a + own_b if name not in result))
    x, y = references(recording, a), references(recording, b)
    rest = max(x.ndim - len(own_a), y.ndim - len(own_b)) if "..." in subscripts else 0
    first, second = (_aligned(z, own, summed + result, rest) for z, own in ((x, own_a), (y, own_b)))
    sums = _sum(recording, recording.multiply(first, second), len(summed))
    if out is None:
        return Values(recording, sums)
    out[...] = Values(recording, sums)
    return out


@cache
def _names(subscripts: str) -> tuple[tuple[str, str], str]:
    """The indices of the two operands and of the result, without ellipses."""
    match = SUBSCRIPTS.fullmatch(subscripts)
    a, b, result = (name.removesuffix("...") for name in match.groups()) if match else ("", "", "?")
    if not set(result) <= set(a + b) or any(len(set(names)) < len(names) for names in (a, b, result)):
        raise TypeError(f"{subscripts!r} cannot be recorded; give two operands and a result, with every index once in each")
    return (a, b), result


def _aligned(x: References, own: str, names: str, rest: int) -> References:
    """x, whose first axes are named ``own``, with axes for all ``names``, of length one where it has none, then ``rest`` axes."""
    missing = rest - x.ndim + len(own)
    if not 0 <= missing <= rest:
        raise ValueError(f"an array with {x.ndim} axes does not fit to the indices {own!r}")
    order = [own.index(name) for name in names if name in own]
    x = x.transpose(*order, *range(len(own), x.ndim))
    return x[(*(slice(None) if name in own else None for name in names), *(None,) * missing)]


def _cross(recording: Recording, a: Any, b: Any, axis: int = -1) -> Values:
    (x, y, z), (u, v, w) = (np.moveaxis(references(recording, part), axis, 0) for part in (a, b))
    times = recording.multiply
    parts = ((y, w, z, v), (z, u, x, w), (x, v, y, u))
    result = np.stack([recording.add(times(k, l), -times(m, n)) for k, l, m, n in parts])
    return Values(recording, np.moveaxis(result, 0, axis))


def _empty_like(recording: Recording, prototype: Any, dtype: Any = None, order: str = "K", *, shape: Sequence[int]) -> Values:
    return Values(recording, np.zeros(shape, np.int32))


UFUNCS: dict[Any, Callable[..., References]] = {
    np.add: Recording.add,
    np.subtract: lambda recording, a, b: recording.add(a, -b),
    np.multiply: Recording.multiply,
    np.divide: Recording.divide,
    np.negative: lambda _, a: -a,
    np.positive: lambda _, a: a.copy(),
    np.power: _power,
    np.matmul: _matmul,
    np.sqrt: lambda recording, a: recording.apply(Op.SQRT, a),
    np.cos: lambda recording, a: recording.apply(Op.COS, a),
    np.sin: lambda recording, a: recording.apply(Op.SIN, a),
}

SUBSCRIPTS = re.compile(r"([a-z]*(?:\.\.\.)?),([a-z]*(?:\.\.\.)?)->([a-z]*(?:\.\.\.)?)")
"""Those of :func:`numpy.einsum` with two operands, whose ellipses come last."""

STRUCTURAL = {np.broadcast_arrays, np.broadcast_to, np.concatenate, np.moveaxis, np.stack}
"""Functions that move values and compute nothing; their first arguments are arrays, or sequences of arrays."""

OWN: dict[Any, Callable[..., Any]] = {np.cross: _cross, np.einsum: _einsum, np.empty_like: _empty_like}
