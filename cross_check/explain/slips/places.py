"""The expressions of a Python source, and what the functions around them read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

LONGEST_ATOM = 60
"""Characters of the longest name, attribute or element that is put in the place of another."""

MOST_ELEMENTS = 100
"""So many elements that a function does not read are put in the place of what it reads."""

NUMBERS = ("axes", "rotations", "translations", "masses", "coms", "inertias", "armature", "damping")
"""Arrays of :class:`mechanisms.arrays.Arrays` with one entry for each body."""

TRANSPOSED = ("T", "mT")
"""Attributes that are the transpose of a matrix, or of every matrix of a batch."""

ENDS = tuple(f".{name}" for name in TRANSPOSED)

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
    elements: tuple[str, ...]
    """Elements of what is assigned or given, at an index that stands in brackets, if the function does not read them."""
    at_hand: tuple[str, ...]
    """The atoms, what is assigned, and the other numbers of a mechanism of which some are read."""
    functions: tuple[str, ...]
    """What is called with one or two arguments."""
    applied: tuple[str, ...]
    """Calls in the module without their last argument, such as "rotated(R, ", whose other argument this function has."""
    parts: frozenset[int]
    """The ids of nodes that are a part of a name, attribute or element, or that are called."""
    values: frozenset[int]
    """The ids of names, attributes, elements and slices that are part of no other one, and no index."""
    iterated: frozenset[int]
    """The ids of what loops go through."""
    turned: str
    """The attribute for a transpose: of one matrix, or of every matrix of a batch."""
    definitions: tuple[tuple[str, str], ...]
    """Names that are assigned once, with what is assigned."""
    numpy: str
    """The name of NumPy in the module."""

    @property
    def texts(self) -> tuple[str, ...]:
        """All names."""
        return tuple(dict.fromkeys((*self.atoms, *self.indices, *self.matrices, *self.at_hand, *self.elements)))

    @staticmethod
    def of(function: ast.FunctionDef, numpy: str = "np", applied: Sequence[str] = ()) -> Reads:
        """``applied`` are the calls of the module, by :func:`begun`."""
        nodes = list(ast.walk(function))
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        called = {id(part) for node in calls for part in ast.walk(node.func)}
        wholes = [node for node in nodes if isinstance(node, ast.Subscript | ast.Attribute)]
        bases = {id(node.value) for node in wholes if not (isinstance(node, ast.Attribute) and node.attr in TRANSPOSED)}
        turned = "mT" if any(isinstance(node, ast.Attribute) and node.attr == "mT" for node in wholes) else "T"
        inside = [node.slice for node in wholes if isinstance(node, ast.Subscript)]
        names = {id(part): ast.unparse(part) for one in inside for part in ast.walk(one) if isinstance(part, ast.Name)}
        parts = frozenset(called | bases)
        read = [node for node in nodes if isinstance(node, ATOM) and isinstance(node.ctx, ast.Load) and id(node) not in parts]
        values = {id(node): text for node in read if id(node) not in names and not (text := ast.unparse(node)).endswith(ENDS)}
        left = [node.left for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)]
        matrices = [ast.unparse(node).removesuffix(f".{turned}") for node in left if isinstance(node, ATOM)]
        chosen = tuple(text for text in dict.fromkeys(values.values()) if len(text) <= LONGEST_ATOM and ":" not in text)
        assigned = [ast.unparse(node) for node in nodes if isinstance(node, ATOM) and isinstance(node.ctx, ast.Store)]
        variables = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        variables += [node.arg for node in nodes if isinstance(node, ast.arg)]
        elements = [f"{name}[{index}]" for index in dict.fromkeys(names.values()) for name in dict.fromkeys(variables)]
        statements = [node for node in nodes if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)]
        defined = [(ast.unparse(node.targets[0]), ast.unparse(node.value)) for node in statements]
        return Reads(
            chosen,
            tuple(dict.fromkeys(names.values())),
            tuple(matrix for text in dict.fromkeys(matrices) for matrix in (text, f"{text}.{turned}")),
            tuple(one for one in elements if one not in chosen)[:MOST_ELEMENTS],
            tuple(dict.fromkeys((*chosen, *assigned, *(text for node in read for text in _numbers_beside(node))))),
            tuple(dict.fromkeys(ast.unparse(call.func) for call in calls if len(call.args) in (1, 2) and not call.keywords)),
            tuple(text for text in applied if text.partition("(")[2].removesuffix(", ") in ("", *chosen, *variables)),
            parts,
            frozenset(values),
            frozenset(id(node.iter) for node in nodes if isinstance(node, ast.For | ast.comprehension)),
            turned,
            tuple((name, text) for name, text in defined if [one for one, _ in defined].count(name) == 1),
            numpy,
        )


def _numbers_beside(node: ast.expr) -> Iterator[str]:
    """The other numbers of a body, where one of them is read: "m.damping[i]" beside "m.masses[i]"."""
    match node:
        case ast.Subscript(ast.Attribute(base, name), index) if name in NUMBERS:
            yield from (f"{ast.unparse(base)}.{other}[{ast.unparse(index)}]" for other in NUMBERS)
        case ast.Attribute(base, name) if name in NUMBERS:
            yield from (f"{ast.unparse(base)}.{other}" for other in NUMBERS)


class Place(NamedTuple):
    """An expression of a statement, from byte ``start`` to byte ``end`` of the source, and what its function reads."""

    statement: ast.stmt
    node: ast.expr
    start: int
    end: int
    reads: Reads
    starts: tuple[int, ...]
    """Where every line of the source begins."""
    is_sum: bool
    """Whether a term could be added to it: what a statement computes, or a sum that is no part of a longer one."""

    @property
    def line(self) -> int:
        """The first line of its statement."""
        return self.statement.lineno

    def span_of(self, part: ast.expr) -> tuple[int, int]:
        """The first byte of a part of the expression, and the one after it."""
        return span(self.starts, part)

    @property
    def is_value(self) -> bool:
        """Whether the expression is computed as a whole, so that its value can be watched."""
        is_read = isinstance(getattr(self.node, "ctx", ast.Load()), ast.Load) and id(self.node) not in self.reads.parts
        return is_read and (isinstance(self.node, (*ATOM, ast.BinOp, ast.Call, ast.IfExp)) or is_number(self.node))


def is_number(node: ast.expr) -> bool:
    """Whether it is a number as it is written."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def places_of(source: bytes, lines: Set[int]) -> list[Place]:
    """The expressions of the statements that begin in one of these lines.

    Raises :class:`SyntaxError` and :class:`ValueError` for what is no Python.
    """
    module = ast.parse(source)
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    # What a module computes for all its functions, such as tables of numbers.
    values = [node for node in module.body if isinstance(node, ast.Assign)]
    functions.append(ast.FunctionDef("", ast.arguments([], [], None, [], [], None, []), [*values], []))
    imported = (one for node in ast.walk(module) if isinstance(node, ast.Import) for one in node.names if one.name == "numpy")
    numpy = next((one.asname or one.name for one in imported), "np")
    applied = tuple(dict.fromkeys(begun(module)))
    every = (place for function in functions for place in places_in(function, source, numpy, applied))
    return [place for place in every if place.statement.lineno in lines]


def begun(module: ast.Module) -> Iterator[str]:
    """The calls of a module's own functions without their last argument: of one argument, or of a name and another argument."""
    own = {node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(module):
        match node:
            case ast.Call(ast.Name(name), [_], []) if name in own:
                yield f"{name}("
            case ast.Call(ast.Name(name), [first, _], []) if name in own and isinstance(first, ATOM):
                yield f"{name}({ast.unparse(first)}, "


def places_in(function: ast.FunctionDef, source: bytes, numpy: str = "np", applied: Sequence[str] = ()) -> Iterator[Place]:
    """The expressions of a function of the source."""
    # Where every line begins.
    starts = (0, *accumulate(map(len, source.splitlines(keepends=True))))
    reads = Reads.of(function, numpy, applied)
    for statement in _statements(function):
        sums = {id(node) for node in _sums(statement)}
        for node in _expressions(statement):
            yield Place(statement, node, *span(starts, node), reads, starts, id(node) in sums)


def span(starts: Sequence[int], node: ast.expr) -> tuple[int, int]:
    """The first byte of an expression, and the one after it."""
    start = starts[node.lineno - 1] + node.col_offset
    return start, starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)


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
        # Patterns compute nothing, and what documents is no value.
        if isinstance(node, ast.pattern) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            continue
        is_target = isinstance(getattr(node, "ctx", None), ast.Store)
        if isinstance(node, ast.expr) and not is_target:
            yield node
        if isinstance(node, ast.JoinedStr):
            continue  # Its parts have no places of their own in the source.
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
            case ast.Starred(several):
                waiting.append(several)
            case ast.expr() as whole:
                yield whole
    nodes = list(_expressions(statement))
    yield from (node.elt for node in nodes if isinstance(node, ast.ListComp | ast.GeneratorExp))
    sums = [node for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)]
    parts = {id(part) for one in sums for part in (one.left, one.right)}
    yield from (one for one in sums if id(one) not in parts)
