"""What functions of NumPy record, on arrays of references."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any

import numpy as np

from machine.program import Op
from machine.recording.recording import Recording, References

SUBSCRIPTS = re.compile(r"([a-z]*(?:\.\.\.)?),([a-z]*(?:\.\.\.)?)->([a-z]*(?:\.\.\.)?)")
"""Those of :func:`numpy.einsum` with two operands, whose ellipses come last."""


def matmul(recording: Recording, a: References, b: References) -> References:
    if not {a.ndim, b.ndim} <= {1, 2}:
        raise TypeError("the product @ of recorded values takes matrices and vectors, not stacks of matrices")
    subscripts = f"{'ij'[2 - a.ndim :]},{'jk'[: b.ndim]}->{'i' * (a.ndim - 1)}{'k' * (b.ndim - 1)}"
    return einsum(recording, subscripts, a, b)


def power(recording: Recording, base: References, exponent: Any) -> References:
    if not isinstance(exponent, int) or exponent < 1:
        raise TypeError("a recorded value has powers with positive whole exponents only")
    return reduce(recording.multiply, [base] * exponent)


def einsum(recording: Recording, subscripts: str, a: References, b: References) -> References:
    """The sum of products over the indices that the result does not have. The last indices may be an ellipsis.

    Raises :class:`TypeError` for other subscripts, and :class:`ValueError` for arrays that they do not fit.
    """
    own_a, own_b, names, summed, has_rest = names_of(subscripts)
    rest = max(a.ndim - len(own_a), b.ndim - len(own_b)) if has_rest else 0
    return recording.contract(aligned(a, own_a, names, rest), aligned(b, own_b, names, rest), summed)


@cache
def names_of(subscripts: str) -> tuple[str, str, str, int, bool]:
    """The indices of the two operands, and all indices, of which the first few are summed; how many; whether there are more.

    None of them has the ellipses.
    """
    match = SUBSCRIPTS.fullmatch(subscripts)
    a, b, result = (name.removesuffix("...") for name in match.groups()) if match else ("", "", "?")
    has_rest = "..." in subscripts
    loses_axes = has_rest and not subscripts.endswith("...")
    if loses_axes or not set(result) <= set(a + b) or any(len(set(names)) < len(names) for names in (a, b, result)):
        raise TypeError(f"{subscripts!r} cannot be recorded; give two operands and a result, with every index once in each")
    summed = "".join(dict.fromkeys(name for name in a + b if name not in result))
    return a, b, summed + result, len(summed), has_rest


def aligned(x: References, own: str, names: str, rest: int) -> References:
    """x, whose first axes are named ``own``, with axes for all ``names``, of length one where it has none, then ``rest`` axes."""
    order, index = alignment(x.ndim, own, names, rest)
    return x.transpose(order)[index]


@cache
def alignment(ndim: int, own: str, names: str, rest: int) -> tuple[tuple[int, ...], tuple[slice | None, ...]]:
    """The order of an array's axes, and the index that adds axes."""
    missing = rest - ndim + len(own)
    if not 0 <= missing <= rest:
        raise ValueError(f"an array with {ndim} axes does not fit to the indices {own!r}")
    order = (*(own.index(name) for name in names if name in own), *range(len(own), ndim))
    return order, (*(slice(None) if name in own else None for name in names), *(None,) * missing)


def cross(recording: Recording, a: References, b: References, axis: int = -1) -> References:
    (x, y, z), (u, v, w) = (np.moveaxis(part, axis, 0) for part in (a, b))
    times = recording.multiply
    parts = ((y, w, z, v), (z, u, x, w), (x, v, y, u))
    result = np.stack([recording.add(times(k, l), -times(m, n)) for k, l, m, n in parts])
    return np.moveaxis(result, 0, axis)


def empty_like(recording: Recording, prototype: References, order: str = "K", *, shape: Sequence[int]) -> References:
    return np.zeros(shape, np.int32)


UFUNCS: dict[Any, Callable[..., References]] = {
    np.add: Recording.add,
    np.subtract: lambda recording, a, b: recording.add(a, -b),
    np.multiply: Recording.multiply,
    np.divide: lambda recording, a, b: recording.divide(a, b),
    np.negative: lambda _, a: -a,
    np.positive: lambda _, a: a.copy(),
    np.power: power,
    np.matmul: matmul,
    np.sqrt: lambda recording, a: recording.apply(Op.SQRT, a),
    np.cos: lambda recording, a: recording.apply(Op.COS, a),
    np.sin: lambda recording, a: recording.apply(Op.SIN, a),
    np.sign: lambda recording, a: recording.apply(Op.SIGN, a),
}

STRUCTURAL = {np.broadcast_arrays, np.broadcast_to, np.concatenate, np.moveaxis, np.repeat, np.stack, np.tile}
"""Functions that move values and compute nothing; their first arguments are arrays, or sequences of arrays."""

FUNCTIONS: dict[Any, Callable[..., References]] = {np.cross: cross, np.einsum: einsum, np.empty_like: empty_like}
"""Functions that compute, or that make arrays."""
