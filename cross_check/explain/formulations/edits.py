"""All single edits of the expressions in a Python source: what a slip of the pen changes, and what undoes it.

A sign, an order, a factor, a transpose, an index, a name that stands elsewhere in the same function, a condition, a constant, or
a part that is dropped. Nothing here knows mechanics.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from cross_check.explain.formulations.places import ATOM, Place, Reads
from implementations.processes.edited import Edit
from implementations.processes.watched import Alike

LARGEST = 1 << 20
"""Bytes of the largest file that is edited."""

FACTORS = ("2", "0.5", "-1")

CONSTANTS = ("0", "1", "-1", "2", "0.5")

COMPARED = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}

ANY = Alike(-1, [], [])
"""Of a value of which nothing is known."""


def single_edits(
    path: str, places: Sequence[Place], variants: Sequence[Variants], alike: Mapping[int, Alike | None] | None = None
) -> Iterator[Edit]:
    """Every edit of one of the places in the file, of these variants.

    ``alike`` has, by the id of the node, what is known of values: then there are only names that change the value and keep its
    shape, and no edits of what is not executed.
    """
    for variant in variants:
        for _, node, start, end, reads, _ in places:
            known = (alike or {}).get(id(node), ANY)
            if known is not None:
                yield from (Edit(path, start, end, text) for text in dict.fromkeys(variant(node, reads, known)))


def _structures(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """The expression with another sign, order, factor, condition or constant, with a transpose, or without a part."""
    text = ast.unparse(node)
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            a, b, minus = ast.unparse(left), ast.unparse(right), isinstance(op, ast.Sub)
            yield from (f"({a} {'+' if minus else '-'} ({b}))", f"({a})", f"({b})", f"(-({a}) {'-' if minus else '+'} ({b}))")
            yield from (f"({a} {'-' if minus else '+'} {factor} * ({b}))" for factor in FACTORS[:2])
            yield f"-({text})"
        case ast.BinOp(left, ast.Mult() | ast.Div(), right):
            yield from (f"({ast.unparse(left)})", f"({ast.unparse(right)})", *(f"({factor} * {text})" for factor in FACTORS))
        case ast.BinOp(left, ast.MatMult(), right):
            a, b = ast.unparse(left), ast.unparse(right)
            yield from (f"(({a}).{reads.turned} @ ({b}))", f"(({a}) @ ({b}).{reads.turned})", f"(({b}) @ ({a}))")
            yield from (f"({a})", f"({b})", f"-({text})")
        case ast.BinOp(left, ast.Pow(), right):
            yield f"({ast.unparse(left)})"
        case ast.Attribute(value, "T" | "mT"):
            yield ast.unparse(value)
        case ast.Call(called, [first, second], []):
            f, a, b = map(ast.unparse, (called, first, second))
            yield from (f"{f}({b}, {a})", f"({a})", f"({b})", f"{f}({a}, {text})", f"{f}({b}, {text})")
            yield from (f"{factor} * {text}" for factor in FACTORS)
        case ast.Call(called, [only], []) if not isinstance(only, ast.Starred):
            yield from (f"({ast.unparse(only)})", f"-{text}", *_transposed(text, reads, known))
        case ast.Tuple([first, second]) if not isinstance(first, ast.Slice) and not isinstance(second, ast.Slice):
            yield f"({ast.unparse(second)}, {ast.unparse(first)})"
        case ast.IfExp(_, body, orelse):
            yield from (f"({ast.unparse(body)})", f"({ast.unparse(orelse)})")
        case ast.Compare(left, [op], [right]) if type(op) in COMPARED:
            yield f"({ast.unparse(left)} {COMPARED[type(op)]} {ast.unparse(right)})"
        case ast.Constant(value) if isinstance(value, int | float) and not isinstance(value, bool):
            yield from (constant for constant in (*CONSTANTS, f"-{text}") if constant != text)
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            yield f"({ast.unparse(operand)})"
    if text in reads.atoms and id(node) not in reads.parts:
        yield from (f"-{text}", *_transposed(text, reads, known))


def _transposed(text: str, reads: Reads, known: Alike) -> tuple[str, ...]:
    return () if known.axes in (0, 1) else (f"{text}.{reads.turned}",)


def _names(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """What else the function reads; in brackets, another index."""
    text = ast.unparse(node)
    if id(node) in reads.parts or not isinstance(node, ATOM):
        return
    if known is not ANY:
        yield from (reads.texts[k] for k in known.names)
    else:
        for group in (reads.atoms, reads.indices):
            yield from (other for other in group if text in group and other != text)


def _products(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """The name, attribute or element, multiplied by a matrix."""
    text = ast.unparse(node)
    if text in reads.atoms and id(node) not in reads.parts:
        matrices = [reads.texts[k] for k in known.matrices] if known is not ANY else reads.matrices
        yield from (f"({matrix} @ {text})" for matrix in matrices if matrix != text)


def _wholes(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """A name for a product or a call."""
    is_sum = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)
    if isinstance(node, ast.BinOp | ast.Call) and not is_sum:
        yield from (reads.texts[k] for k in known.names)


Variants = Callable[[ast.expr, Reads, Alike], Iterator[str]]
"""What may stand for an expression."""

STRUCTURES: tuple[Variants, ...] = (_structures,)

NAMES: tuple[Variants, ...] = (_names, _products, _wholes)
