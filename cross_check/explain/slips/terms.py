"""The terms of a formulation, which can be multiplied by a factor: every addend of its source that has a name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import numpy as np

from cross_check.explain.slips.formulas import group_of, named
from cross_check.explain.slips.instead import algorithm
from cross_check.explain.slips.places import places_in
from cross_check.explain.slips.single import PARENT
from cross_check.explain.slips.source import Source, source_of
from cross_check.explain.slips.types import types
from cross_check.memory import Array
from implementations.field import Real
from implementations.spatial_algebra.model import Model, build
from mechanisms import find_mechanism

EXAMPLE = "random:7:4:revolute,helical"
"""A mechanism on which it is tried whether M has a term. No value is zero there."""


@dataclass(frozen=True)
class Addend:
    """A named addend. A factor of it is inserted at the byte ``start`` of the source."""

    module: str
    comment: str
    node: ast.expr
    start: int
    is_of_body: bool
    """Whether it is computed for every body i, so that the factor may depend on the body."""

    @property
    def name(self) -> str:
        """The subject of a sentence."""
        return named(source_of(self.module), self.node)

    @property
    def group(self) -> str:
        return group_of(self.comment)

    @cached_property
    def in_mass_matrix(self) -> bool:
        """Whether M has it, if M is computed from inverse dynamics."""
        text = source_of(self.module).text
        wrong = _of_acceleration(self.module, text[: self.start] + b"2 * " + text[self.start :])
        return not np.allclose(_of_acceleration(self.module, text), wrong)


@cache
def addends_of(module: str) -> tuple[Addend, ...]:
    """The addends that have a name of their own, of motions and forces, and of what is passed on to the parent.

    A factor of another value, such as a length or a Jacobian, is one of a number of the mechanism.
    """
    source = source_of(module)
    return tuple(addend for function in source.functions for addend in _addends(source, function))


def _addends(source: Source, function: ast.FunctionDef) -> Iterator[Addend]:
    of_bodies = {node for loop in source.functions[-1].body if isinstance(loop, ast.For) for node in ast.walk(loop)}
    found: dict[tuple[ast.stmt, str], list[Addend]] = {}
    for place in places_in(function, source.text):
        node, statement, comment = place.node, place.statement, source.name_of(place.node)
        is_addend = any(node is one for one in _parts(source.term_of(node))) and not _is_factor(source, node)
        if comment and is_addend and ast.unparse(node) != _target(statement):
            addend = Addend(source.module, comment, node, place.start, statement in of_bodies)
            found.setdefault((statement, comment), []).append(addend)
    known = types(source.module, source.program, {_target(statement) for statement, _ in found})
    for (statement, _), (addend, *others) in found.items():
        target = _target(statement)
        depends_on_time = target not in known or known[target][1][2] != 0
        # A name of several addends is one of their sum.
        if not others and (depends_on_time or target.endswith(f"[{PARENT}]")):
            yield addend


def _parts(line: ast.expr) -> Iterator[ast.expr]:
    """The addends of an expression of one line."""
    match line:
        case ast.BinOp(left, ast.Add() | ast.Sub(), right):
            yield from (*_parts(left), *_parts(right))
        case ast.BinOp() | ast.Call() | ast.Subscript() | ast.Attribute() | ast.Name() if line.lineno == line.end_lineno:
            yield line


def _is_factor(source: Source, node: ast.expr) -> bool:
    owner = source.owner_of(node)
    return isinstance(owner, ast.BinOp) and not isinstance(owner.op, ast.Add | ast.Sub)


def _target(statement: ast.stmt) -> str:
    """What the statement computes."""
    return ast.unparse(statement.targets[0]) if isinstance(statement, ast.Assign) else ""


@lru_cache(2)
def _of_acceleration(module: str, text: bytes) -> Array:
    """The forces of an acceleration alone, by a source of the formulation."""
    model = _example()
    q = np.linspace(0.3, 1.1, model.nv)[:, None] * np.ones(2)
    return np.diff(algorithm(module, text)(model, q, 0 * q, q * [0, 1]))


@cache
def _example() -> Model:
    return build(find_mechanism(EXAMPLE), Real())
