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

from cross_check.explain.slips.edits import addends_of, operand, times
from cross_check.explain.slips.places import Place
from cross_check.memory import Array
from implementations.processes.edited import Edit
from implementations.processes.responses import Linear, Responses, Step
from mechanisms.numbers.precision import FLOAT64, Precision

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


def lacking_terms(
    path: str, source: bytes, places: Sequence[Place], found: Responses, expected: Array, precision: Precision = FLOAT64
) -> Iterator[Edit]:
    """The edits that change a value of one of the watched ``places`` by what is lacking, the shortest first.

    They multiply or divide an addend, add a term, or put a term in the place of an addend. ``expected`` are the answers that are
    sought (states, answers), by code in this ``precision``.
    """
    g = np.random.default_rng(0).normal(size=(DIRECTIONS, *expected.shape))
    residuals = np.einsum("dso,so->d", g, expected - found.answers)
    rounding = float(np.sqrt((expected**2).sum()))
    close = CLOSE + precision.near(0.0) * rounding / max(float(np.abs(residuals).max()), np.finfo(float).tiny)
    edits: dict[Edit, None] = {}
    for step in found.steps:
        rows, place = np.einsum("dvo,von->dvn", g[:, step.states], step.derivatives), places[step.place]
        if np.isfinite(rows).all():
            addends = [*_addends_with_values(place, step)]
            edits |= dict.fromkeys(_multiplied(path, place, step, addends, rows, residuals, close))
            without = [residuals + sign * _effect(rows, value) for _, sign, value in addends]
            terms = _terms(step, rows, np.array([residuals, *without]), found.linear, place.reads.at_hand, close)
            for target, text, factor in sorted(terms, key=lambda term: len(term[1]))[:MOST_TERMS]:
                term = ast.unparse(ast.parse(factor[1:] + text, mode="eval"))
                if target == 0:
                    whole = operand(place.node, source[place.start : place.end].decode())
                    edits[Edit(path, place.start, place.end, f"({whole} {factor[0]} {term})")] = None
                else:
                    addend, sign, _ = addends[target - 1]
                    is_negative = (factor[0] == "-") == (sign > 0)
                    edits[Edit(path, *place.span_of(addend), f"({'-' * is_negative}{term})")] = None
    yield from sorted(edits, key=lambda edit: len(edit.text) - (edit.end - edit.start))


def _effect(rows: Array, values: Array) -> Array:
    """By how much the values change the answers in each direction."""
    return np.einsum("dvn,vn->d", rows, values.reshape(len(values), -1))


def _addends_with_values(place: Place, step: Step) -> Iterator[tuple[ast.expr, int, Array]]:
    """The addends whose values are known and as large as the whole, with their signs."""
    own = step.values[""]
    for addend, sign in addends_of(place):
        value = own if addend is place.node else step.values.get(ast.unparse(addend))
        if value is not None and value.shape == own.shape:
            yield addend, sign, value


def _terms(
    step: Step, rows: Array, residuals: Array, linear: Sequence[Linear], at_hand: Sequence[str], close: float
) -> Iterator[tuple[int, str, str]]:
    """The terms that explain one of the residuals (several, directions): which, the term, and its factor, such as "-2 * "."""
    shape = step.values[""].shape[1:]
    given = {text: step.values[text] for text in at_hand if text in step.values}
    values = _distinct(_values({**given, **_differences(given)}, linear))
    factors = list(_factors(values, linear))
    size = int(np.prod(shape, dtype=int))
    alone = Factor("", "", shape, shape, np.broadcast_to(np.eye(size), (rows.shape[1], size, size)))
    single = [(text, value.shape[1:], value.reshape(-1)) for text, value in values.items()]
    double = [*single, *(one for factor in factors for one in _products(factor, values))]
    for taken in {one[1] for one in double}:
        texts = [text for text, given, _ in double if given == taken]
        matrix = np.array([value for _, given, value in double if given == taken])
        for factor in (alone, *factors):
            if (factor.given, factor.taken) == (shape, taken):
                pulled = np.einsum("dvg,vgt->dvt", rows, factor.matrix).reshape(DIRECTIONS, -1)
                yield from _solutions(factor, texts, matrix @ pulled.T, residuals, close)


def _multiplied(
    path: str,
    place: Place,
    step: Step,
    addends: Sequence[tuple[ast.expr, int, Array]],
    rows: Array,
    residuals: Array,
    close: float,
) -> Iterator[Edit]:
    """The edits that multiply or divide an addend of the value by a number or a vector that is at hand."""
    for addend, sign, value in addends:
        for name in (name for name in place.reads.at_hand if name in step.values):
            by = step.values[name]
            if by.ndim > 1 and by.shape != value.shape:
                continue
            by = by.reshape(len(by), *[1] * (value.ndim - 1)) if by.ndim == 1 else by
            with np.errstate(all="ignore"):
                for operator, other in (("*", value * by), ("/", value / by)):
                    off = sign * _effect(rows, other - value) - residuals
                    if np.abs(off).max() <= close * np.abs(residuals).max():
                        yield Edit(path, *place.span_of(addend), times(addend, operator, name))


def is_plain(node: ast.expr, numpy: str) -> bool:
    """Whether an expression calls nothing but functions of NumPy and of its own module, so that it may be evaluated again."""
    calls = (one for one in ast.walk(node) if isinstance(one, ast.Call))
    return all(isinstance(call.func, ast.Name) or ast.unparse(call.func).startswith(f"{numpy}.") for call in calls)


def _values(given: Mapping[str, Array], linear: Sequence[Linear]) -> Iterator[tuple[str, Array]]:
    """What is at hand, matrices also transposed, and what linear functions make of vectors."""
    for text, value in given.items():
        yield text, value
        if value.ndim == 3 and not text.endswith(".T"):
            yield f"{text}.T", value.swapaxes(1, 2)
        for function, count, array in linear:
            if count == 1 and value.shape[1:] == array.shape[:1]:
                yield f"{function}({text})", np.einsum("vi,i...->v...", value, array)


def _differences(given: Mapping[str, Array]) -> dict[str, Array]:
    """The differences of elements of one list of vectors, such as that from one origin to another."""
    elements = [text for text in given if "[" in text and given[text].ndim == 2]
    pairs = [(a, b) for a in elements for b in elements if a != b and a.partition("[")[0] == b.partition("[")[0]]
    return {f"({a} - {b})": given[a] - given[b] for a, b in pairs if given[a].shape == given[b].shape}


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


def _solutions(
    around: Factor, texts: Sequence[str], effects: Array, residuals: Array, close: float
) -> Iterator[tuple[int, str, str]]:
    """The products with the texts whose effects (texts, directions) are one of the residuals, but for a simple number."""
    with np.errstate(all="ignore"):
        factors = residuals[:, :1] / effects[:, 0]
        off = np.abs(factors[..., None] * effects - residuals[:, None]).max(axis=2)
    for target, k in np.argwhere(off <= close * np.abs(residuals[0]).max()):
        found = float(factors[target, k])
        simple = Fraction(found).limit_denominator(LARGEST_DENOMINATOR)
        if 0 < abs(simple) <= LARGEST_FACTOR and abs(float(simple) - found) <= close * abs(found):
            size = "" if abs(simple) == 1 else f"{abs(simple) if simple.denominator == 3 else float(abs(simple))} * "
            text = f"({around.before}{texts[int(k)]}{around.after})"
            if len(text) <= LONGEST_TERM:
                yield int(target), text, f"{'+' if simple > 0 else '-'}{size}"
