"""All single edits of the expressions in a Python source: what a slip of the pen changes, and what undoes it.

A sign, an order, a factor, a transpose, an index, a name that stands elsewhere in the same function, a condition, a constant, or
a part that is dropped. Nothing here knows mechanics.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from implementations.processes.edited import Edit

LARGEST = 1 << 20
"""Bytes of the largest file that is edited."""

LONGEST_ATOM = 60
"""Characters of the longest name, attribute or element that is put in the place of another."""

FACTORS = ("2", "0.5", "-1")

TRANSPOSED = ("T", "mT")
"""Attributes that are the transpose of a matrix, or of every matrix of a batch."""

CONSTANTS = ("0", "1", "-1", "2", "0.5")

COMPARED = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}


ATOM = (ast.Name, ast.Subscript, ast.Attribute)


@dataclass(frozen=True)
class Reads:
    """What a function reads, as texts."""

    atoms: tuple[str, ...]
    """Names, attributes and elements that are part of no other one."""
    indices: tuple[str, ...]
    """Names that stand in brackets."""
    matrices: tuple[str, ...]
    """What is multiplied from the left, as it is and transposed."""
    parts: frozenset[int]
    """The ids of nodes that are a part of a name, attribute or element, or that are called."""
    turned: str = "T"
    """The attribute for a transpose."""

    @staticmethod
    def of(function: ast.FunctionDef) -> Reads:
        nodes = list(ast.walk(function))
        called = {id(part) for node in nodes if isinstance(node, ast.Call) for part in ast.walk(node.func)}
        wholes = [node for node in nodes if isinstance(node, ast.Subscript | ast.Attribute)]
        bases = {id(node.value) for node in wholes if not (isinstance(node, ast.Attribute) and node.attr in TRANSPOSED)}
        turned = "mT" if any(isinstance(node, ast.Attribute) and node.attr == "mT" for node in wholes) else "T"
        inside = [node.slice for node in wholes if isinstance(node, ast.Subscript)]
        names = {id(part): ast.unparse(part) for one in inside for part in ast.walk(one) if isinstance(part, ast.Name)}
        parts = frozenset(called | bases)
        read = [node for node in nodes if isinstance(node, ATOM) and isinstance(node.ctx, ast.Load) and id(node) not in parts]
        atoms = [ast.unparse(node) for node in read if id(node) not in names and not ast.unparse(node).endswith((".T", ".mT"))]
        left = [node.left for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)]
        matrices = [ast.unparse(node).removesuffix(f".{turned}") for node in left if isinstance(node, ATOM)]
        return Reads(
            tuple(text for text in dict.fromkeys(atoms) if len(text) <= LONGEST_ATOM and ":" not in text),
            tuple(dict.fromkeys(names.values())),
            tuple(matrix for text in dict.fromkeys(matrices) for matrix in (text, f"{text}.{turned}")),
            parts,
            turned,
        )


class Place(NamedTuple):
    """An expression of a statement, from byte ``start`` to byte ``end`` of the source, and what its function reads."""

    statement: ast.stmt
    node: ast.expr
    start: int
    end: int
    reads: Reads


def single_edits(path: str, source: bytes, lines: Set[int]) -> Iterator[Edit]:
    """Every edit of an expression in a statement that begins in one of these lines of the file with this ``source``.

    Edits of the structure come first, then other names, then products with a matrix. Raises :class:`SyntaxError` and
    :class:`ValueError` for what is no Python.
    """
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    here = [place for function in functions for place in places(function, source) if place.statement.lineno in lines]
    for variants in VARIANTS:
        for place in here:
            yield from (Edit(path, place.start, place.end, text) for text in dict.fromkeys(variants(place.node, place.reads)))


def places(function: ast.FunctionDef, source: bytes) -> Iterator[Place]:
    """Every expression that a function of the source reads."""
    # Where every line begins.
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    reads = Reads.of(function)
    for statement in _statements(function):
        for node in _expressions(statement):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
            yield Place(statement, node, start, end, reads)


def _statements(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    """The statements of a function, without those of functions in it."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if isinstance(node, ast.stmt):
            yield node
        waiting += ast.iter_child_nodes(node)


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement that are read, not those of statements in it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop(0)
        is_target = isinstance(getattr(node, "ctx", None), ast.Store)
        if isinstance(node, ast.expr) and not is_target:
            yield node
        if is_target and isinstance(node, ast.Subscript):
            waiting.append(node.slice)
        elif not is_target or isinstance(node, ast.Tuple):
            waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _structures(node: ast.expr, reads: Reads) -> Iterator[str]:
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
            turned = reads.turned
            yield from (f"(({a}).{turned} @ ({b}))", f"(({a}) @ ({b}).{turned})", f"(({b}) @ ({a}))")
            yield from (f"({a})", f"({b})", f"-({text})")
        case ast.BinOp(left, ast.Pow(), right):
            yield f"({ast.unparse(left)})"
        case ast.Attribute(value, "T" | "mT"):
            yield ast.unparse(value)
        case ast.Call(called, [first, second], []):
            f, a, b = map(ast.unparse, (called, first, second))
            yield from (f"{f}({b}, {a})", f"({a})", f"({b})", f"{f}({a}, {text})", f"{f}({b}, {text})")
            yield from (f"{factor} * {text}" for factor in FACTORS)
        case ast.Call(called, [only], []):
            yield from (f"({ast.unparse(only)})", f"-{text}", f"{text}.{reads.turned}")
        case ast.IfExp(_, body, orelse):
            yield from (f"({ast.unparse(body)})", f"({ast.unparse(orelse)})")
        case ast.Compare(left, [op], [right]) if type(op) in COMPARED:
            yield f"({ast.unparse(left)} {COMPARED[type(op)]} {ast.unparse(right)})"
        case ast.Constant(value) if isinstance(value, int | float) and not isinstance(value, bool):
            yield from (constant for constant in (*CONSTANTS, f"-{text}") if constant != text)
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            yield f"({ast.unparse(operand)})"
    if text in reads.atoms and id(node) not in reads.parts:
        yield from (f"-{text}", f"{text}.{reads.turned}")


def _names(node: ast.expr, reads: Reads) -> Iterator[str]:
    """What else the function reads; in brackets, another index."""
    text = ast.unparse(node)
    if id(node) not in reads.parts:
        for alike in (reads.atoms, reads.indices):
            yield from (other for other in alike if text in alike and other != text)


def _products(node: ast.expr, reads: Reads) -> Iterator[str]:
    """The name, attribute or element, multiplied by a matrix."""
    text = ast.unparse(node)
    if text in reads.atoms and id(node) not in reads.parts:
        yield from (f"({matrix} @ {text})" for matrix in reads.matrices if matrix != text)


VARIANTS = (_structures, _names, _products)
"""What may stand in the place of an expression, the most usual first."""
