"""Terms that a value lacks: products of what the function has at hand there, whose effect on the answers is the whole error.

Answers that are affine in a value v change by Σ J c if v becomes v + c, with the derivatives J = ∂answers/∂v at each time that v
is computed. A term k c is sought with k Σ J c = r for the residuals r of all states. Residuals and effects are compared in a few
random directions g: then (gᵀ J) c is needed alone, and for a product c = A b the row (gᵀ J A) meets every b at once. So all
products of three factors take two multiplications of matrices.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from cross_check.explain.formulations.places import ATOM, Place
from cross_check.memory import Array
from implementations.processes.edited import Edit
from implementations.processes.responses import Linear, Responses, Step

DIRECTIONS = 3
"""Random directions in which effects and residuals are compared."""

CLOSE = 1e-7
"""So well, as a part of them."""

LARGEST_DENOMINATOR = 4
LARGEST_FACTOR = 4

LONGEST_TERM = 120
"""Characters of a term."""

MOST_TERMS = 40
"""Terms of one value that are tried, the shortest first."""


class Factor(NamedTuple):
    """A linear map, as what stands before and after its argument in a product.

    Its ``matrix`` has one map for every value: (values, numbers given, numbers taken).
    """

    before: str
    after: str
    taken: tuple[int, ...]
    given: tuple[int, ...]
    matrix: Array


def lacking_terms(path: str, source: bytes, places: Sequence[Place], found: Responses, expected: Array) -> Iterator[Edit]:
    """The edits that add a term to one of the watched ``places``, the shortest first.

    ``expected`` are the answers that are sought (states, answers).
    """
    g = np.random.default_rng(0).normal(size=(DIRECTIONS, *expected.shape))
    residuals = np.einsum("dso,so->d", g, expected - found.answers)
    terms: dict[tuple[int, str], str] = {}
    for step in found.steps:
        rows = np.einsum("dvo,von->dvn", g[:, step.states], step.derivatives)
        if np.isfinite(rows).all():
            for text, factor in sorted(_terms(step, rows, residuals, found.linear), key=lambda one: len(one[0]))[:MOST_TERMS]:
                terms.setdefault((step.place, text), factor)
    for (number, text), factor in sorted(terms.items(), key=lambda one: (len(one[0][1]), one[1])):
        place = places[number]
        value = source[place.start : place.end].decode()
        whole = value if isinstance(place.node, (*ATOM, ast.BinOp, ast.Call)) else f"({value})"
        term = ast.unparse(ast.parse(factor[1:] + text, mode="eval"))
        yield Edit(path, place.start, place.end, f"({whole} {factor[0]} {term})")


def _terms(step: Step, rows: Array, residuals: Array, linear: Sequence[Linear]) -> Iterator[tuple[str, str]]:
    """The terms, each with its factor in text, such as "-2 * "."""
    shape = step.values[""].shape[1:]
    values = _distinct(_values(step.values, linear))
    factors = list(_factors(values, linear))
    single = [(text, value.shape[1:], value.reshape(-1)) for text, value in values.items()]
    double = [*single, *(one for factor in factors for one in _products(factor, values))]
    for taken in {one[1] for one in double}:
        texts = [text for text, given, _ in double if given == taken]
        matrix = np.array([value for _, given, value in double if given == taken])
        if taken == shape:
            yield from _solutions("", "", texts, matrix @ rows.reshape(DIRECTIONS, -1).T, residuals)
        for factor in factors:
            if (factor.given, factor.taken) == (shape, taken):
                pulled = np.einsum("dvg,vgt->dvt", rows, factor.matrix).reshape(DIRECTIONS, -1)
                yield from _solutions(factor.before, factor.after, texts, matrix @ pulled.T, residuals)


def _values(given: Mapping[str, Array], linear: Sequence[Linear]) -> Iterator[tuple[str, Array]]:
    """What is at hand, matrices also transposed, and what linear functions make of vectors."""
    for text, value in given.items():
        if text:
            yield text, value
            if value.ndim == 3 and not text.endswith(".T"):
                yield f"{text}.T", value.swapaxes(1, 2)
            for function, count, array in linear:
                if count == 1 and value.shape[1:] == array.shape[:1]:
                    yield f"{function}({text})", np.einsum("vi,i...->v...", value, array)


def _distinct(values: Iterable[tuple[str, Array]]) -> dict[str, Array]:
    """Without what is zero, and without further names of the same values."""
    found: dict[bytes, tuple[str, Array]] = {}
    for text, value in values:
        if value.any():
            found.setdefault(np.array(value.shape).tobytes() + value.tobytes(), (text, value))
    return dict(found.values())


def _factors(values: Mapping[str, Any], linear: Sequence[Linear]) -> Iterator[Factor]:
    shapes: set[tuple[int, ...]] = {value.shape[1:] for value in values.values()} | {()}
    for text, value in values.items():
        match value.shape[1:]:
            case ():
                for shape in shapes:
                    size = int(np.prod(shape, dtype=int))
                    yield Factor(f"{text} * ", "", shape, shape, value[:, None, None] * np.eye(size))
            case (n,):
                yield Factor(f"{text} * ", "", (), (n,), value[:, :, None])
                yield Factor(f"{text} * ", "", (n,), (n,), value[:, :, None] * np.eye(n))
                yield Factor(f"{text} @ ", "", (n,), (), value[:, None, :])
                for function, count, array in linear:
                    if count == 2 and len(array) == n:
                        given, flat = np.shape(array)[2:], np.reshape(array, (n, n, -1))
                        yield Factor(f"{function}({text}, ", ")", (n,), given, np.einsum("vi,ijg->vgj", value, flat))
                        yield Factor(f"{function}(", f", {text})", (n,), given, np.einsum("vj,ijg->vgi", value, flat))
            case (rows, columns):
                yield Factor(f"{text} @ ", "", (columns,), (rows,), value)
                for shape in shapes:
                    if len(shape) == 2 and shape[0] == columns:
                        given = np.einsum("vij,kl->vikjl", value, np.eye(shape[1]))
                        yield Factor(f"{text} @ ", "", shape, (rows, shape[1]), given.reshape(len(value), rows * shape[1], -1))


def _products(factor: Factor, values: Mapping[str, Array]) -> Iterator[tuple[str, tuple[int, ...], Array]]:
    """The products of the factor with each value, as text, shape and numbers."""
    for text, value in values.items():
        if value.shape[1:] == factor.taken:
            product = np.einsum("vgt,vt->vg", factor.matrix, value.reshape(len(value), -1))
            yield f"({factor.before}{text}{factor.after})", factor.given, product.reshape(-1)


def _solutions(before: str, after: str, texts: Sequence[str], effects: Array, residuals: Array) -> Iterator[tuple[str, str]]:
    """The texts whose effects (texts, directions) are the residuals, but for a simple factor."""
    with np.errstate(all="ignore"):
        factors = residuals[0] / effects[:, 0]
        off = np.abs(factors[:, None] * effects - residuals).max(axis=1)
    for k in np.flatnonzero(off <= CLOSE * np.abs(residuals).max()):
        simple = Fraction(float(factors[k])).limit_denominator(LARGEST_DENOMINATOR)
        if 0 < abs(simple) <= LARGEST_FACTOR and abs(float(simple) - factors[k]) <= CLOSE * abs(factors[k]):
            size = "" if abs(simple) == 1 else f"{abs(simple) if simple.denominator == 3 else float(abs(simple))} * "
            text = f"({before}{texts[int(k)]}{after})"
            if len(text) <= LONGEST_TERM:
                yield text, f"{'+' if simple > 0 else '-'}{size}"
