"""All single edits of the expressions in a Python source: what a slip of the pen changes, and what undoes it.

A sign, an order, a factor, a transpose, an index, a name that stands elsewhere in the same function, a condition, a constant, or
a part that is dropped. Nothing here knows mechanics.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from implementations.processes.edited import Edit
from implementations.processes.watched import Alike

LARGEST = 1 << 20
"""Bytes of the largest file that is edited."""

LONGEST_ATOM = 60
"""Characters of the longest name, attribute or element that is put in the place of another."""

FACTORS = ("2", "0.5", "-1")

CONSTANTS = ("0", "1", "-1", "2", "0.5")

COMPARED = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}

NUMBERS = ("axes", "rotations", "translations", "masses", "coms", "inertias", "armature", "damping")
"""Arrays of :class:`mechanisms.arrays.Arrays` with one entry for each body."""

ANY = Alike(-1, [], [])
"""Of a value of which nothing is known."""

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
    at_hand: tuple[str, ...]
    """The atoms, and the other numbers of a mechanism of which some are read."""
    functions: tuple[str, ...]
    """What is called with one or two arguments."""
    parts: frozenset[int]
    """The ids of nodes that are a part of a name, attribute or element, or that are called."""

    @property
    def texts(self) -> tuple[str, ...]:
        """All names."""
        return tuple(dict.fromkeys((*self.atoms, *self.indices, *self.matrices)))

    @staticmethod
    def of(function: ast.FunctionDef) -> Reads:
        nodes = list(ast.walk(function))
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        called = {id(part) for node in calls for part in ast.walk(node.func)}
        wholes = [node for node in nodes if isinstance(node, ast.Subscript | ast.Attribute)]
        bases = {id(node.value) for node in wholes if not (isinstance(node, ast.Attribute) and node.attr == "T")}
        inside = [node.slice for node in wholes if isinstance(node, ast.Subscript)]
        names = {id(part): ast.unparse(part) for one in inside for part in ast.walk(one) if isinstance(part, ast.Name)}
        parts = frozenset(called | bases)
        read = [node for node in nodes if isinstance(node, ATOM) and isinstance(node.ctx, ast.Load) and id(node) not in parts]
        atoms = [ast.unparse(node) for node in read if id(node) not in names and not ast.unparse(node).endswith(".T")]
        left = [node.left for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)]
        matrices = [ast.unparse(node).removesuffix(".T") for node in left if isinstance(node, ATOM)]
        chosen = tuple(text for text in dict.fromkeys(atoms) if len(text) <= LONGEST_ATOM and ":" not in text)
        return Reads(
            chosen,
            tuple(dict.fromkeys(names.values())),
            tuple(turned for text in dict.fromkeys(matrices) for turned in (text, f"{text}.T")),
            tuple(dict.fromkeys((*chosen, *(text for node in read for text in _numbers_beside(node))))),
            tuple(dict.fromkeys(ast.unparse(call.func) for call in calls if len(call.args) in (1, 2) and not call.keywords)),
            parts,
        )


def _numbers_beside(node: ast.expr) -> Iterator[str]:
    """The other numbers of a body, where one of them is read: "m.damping[i]" beside "m.masses[i]"."""
    match node:
        case ast.Subscript(ast.Attribute(base, name), index) if name in NUMBERS:
            yield from (f"{ast.unparse(base)}.{other}[{ast.unparse(index)}]" for other in NUMBERS)
        case ast.Attribute(base, name) if name in NUMBERS:
            yield from (f"{ast.unparse(base)}.{other}" for other in NUMBERS)


class Place(NamedTuple):
    """An expression, from byte ``start`` to byte ``end`` of the source, and what its function reads."""

    node: ast.expr
    start: int
    end: int
    reads: Reads
    is_sum: bool
    """Whether a term could be added to it: what a statement computes, or a sum that is no part of a longer one."""

    @property
    def is_value(self) -> bool:
        """Whether the expression is computed as a whole, so that its value can be watched."""
        is_read = isinstance(getattr(self.node, "ctx", ast.Load()), ast.Load) and id(self.node) not in self.reads.parts
        return is_read and isinstance(self.node, (*ATOM, ast.BinOp, ast.Call, ast.IfExp))


def places_of(source: bytes, lines: Set[int]) -> list[Place]:
    """The expressions of the statements that begin in one of these lines.

    Raises :class:`SyntaxError` and :class:`ValueError` for what is no Python.
    """
    # Where every line begins.
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    found = []
    for function in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)):
        reads = Reads.of(function)
        for statement in (one for one in _statements(function) if one.lineno in lines):
            sums = {id(node) for node in _sums(statement)}
            for node in _expressions(statement):
                start = starts[node.lineno - 1] + node.col_offset
                end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
                found.append(Place(node, start, end, reads, id(node) in sums))
    return found


def single_edits(
    path: str, places: Sequence[Place], variants: Sequence[Variants], alike: Mapping[int, Alike | None] | None = None
) -> Iterator[Edit]:
    """Every edit of one of the places in the file, of these variants.

    ``alike`` has, by the id of the node, what is known of values: then there are only names that change the value and keep its
    shape, and no edits of what is not executed.
    """
    for variant in variants:
        for node, start, end, reads, _ in places:
            known = (alike or {}).get(id(node), ANY)
            if known is not None:
                yield from (Edit(path, start, end, text) for text in dict.fromkeys(variant(node, reads, known)))


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
        # Parts of texts have no places of their own in the source, and patterns compute nothing.
        if isinstance(node, ast.JoinedStr | ast.pattern):
            continue
        is_target = isinstance(getattr(node, "ctx", None), ast.Store)
        if isinstance(node, ast.expr) and not is_target:
            yield node
        if is_target and isinstance(node, ast.Subscript):
            waiting.append(node.slice)
        elif not is_target or isinstance(node, ast.Tuple):
            waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _sums(statement: ast.stmt) -> Iterator[ast.expr]:
    """What the statement computes, element by element, and all sums in it that are no part of a longer one."""
    waiting: list[ast.AST | None] = [getattr(statement, "value", None)]
    while waiting:
        match waiting.pop():
            case ast.Tuple(elements) | ast.List(elements):
                waiting += elements
            case ast.Call(_, arguments) if isinstance(statement, ast.Expr):
                waiting += arguments
            case ast.expr() as whole:
                yield whole
    nodes = list(_expressions(statement))
    yield from (node.elt for node in nodes if isinstance(node, ast.ListComp | ast.GeneratorExp))
    sums = [node for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)]
    parts = {id(part) for one in sums for part in (one.left, one.right)}
    yield from (one for one in sums if id(one) not in parts)


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
            yield from (f"(({a}).T @ ({b}))", f"(({a}) @ ({b}).T)", f"(({b}) @ ({a}))", f"({a})", f"({b})", f"-({text})")
        case ast.BinOp(left, ast.Pow(), right):
            yield f"({ast.unparse(left)})"
        case ast.Attribute(value, "T"):
            yield ast.unparse(value)
        case ast.Call(called, [first, second], []):
            f, a, b = map(ast.unparse, (called, first, second))
            yield from (f"{f}({b}, {a})", f"({a})", f"({b})", f"{f}({a}, {text})", f"{f}({b}, {text})")
            yield from (f"{factor} * {text}" for factor in FACTORS)
        case ast.Call(called, [only], []):
            yield from (f"({ast.unparse(only)})", f"-{text}", *_transposed(text, known))
        case ast.IfExp(_, body, orelse):
            yield from (f"({ast.unparse(body)})", f"({ast.unparse(orelse)})")
        case ast.Compare(left, [op], [right]) if type(op) in COMPARED:
            yield f"({ast.unparse(left)} {COMPARED[type(op)]} {ast.unparse(right)})"
        case ast.Constant(value) if isinstance(value, int | float) and not isinstance(value, bool):
            yield from (constant for constant in (*CONSTANTS, f"-{text}") if constant != text)
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            yield f"({ast.unparse(operand)})"
    if text in reads.atoms and id(node) not in reads.parts:
        yield from (f"-{text}", *_transposed(text, known))


def _transposed(text: str, known: Alike) -> tuple[str, ...]:
    return () if known.axes in (0, 1) else (f"{text}.T",)


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
