"""The axes and the units of what a formulation computes, and its terms, which can be multiplied by a factor.

The units are measured: a mechanism is computed in other units, too. A term is an addend of the source that has a name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

import numpy as np

from cross_check.explain.formulations import FORMULATIONS
from cross_check.explain.slips.formulas import group_of, named
from cross_check.explain.slips.instead import algorithm, arguments
from cross_check.explain.slips.places import places_in
from cross_check.explain.slips.program import Program
from cross_check.explain.slips.source import Source, source_of
from cross_check.judge.comparison.sampling import States, sample
from cross_check.judge.relations.other_numbers import scaled
from cross_check.judge.relations.transformation import Question
from cross_check.memory import Array
from implementations.field import Real
from implementations.protocol import Unsupported
from implementations.spatial_algebra.model import Model, build
from mechanisms import Mechanism, find_mechanism
from mechanisms.numbers.units import Unit

PARENT = "λ"
"""The end of the names of what is of the parent."""

Type = tuple[tuple[int, ...], tuple[float, ...]]
"""The last two axes, and the exponents of kg, m and s."""

EXAMPLES = ("random:7:5:helical", "random:7:5:revolute")
"""Joints whose coordinates are angles. Where all of them turn and slide, no value is zero; not all formulations know these. With
five joints, matrices of joints differ from all others by their axes."""

SAME = 1e-6
"""How far an exponent may be off a whole number."""

UNITS = (Unit(1, 1, 1), Unit(2, 1, 1), Unit(1, 2, 1), Unit(1, 1, 2))
"""Factors of numbers with the units kg, m and s."""


def types(module: str, program: Program, texts: Iterable[str]) -> dict[str, Type]:
    """The types of the values that these names have at the end of a formulation, where they are known.

    Raises :class:`Unsupported` if the formulation, with what is changed in it, can be executed for no example.
    """
    for example in EXAMPLES:
        with suppress(Exception):
            mechanism = find_mechanism(example)
            states = _nowhere_zero(mechanism)
            values = [_values(module, program, scaled(mechanism, states, by).images[0], texts) for by in UNITS]
            return {text: _type([one[text] for one in values]) for text in values[0]}
    raise Unsupported(f"{module} can be executed for no example")


def are_alike(one: Type | None, other: Type | None) -> bool:
    """Whether both are known, and one may be taken for the other.

    What has several units is like all that has the same axes. What is zero is like nothing.
    """
    if one is None or other is None or one[0] != other[0] or np.isnan(other[1]).all():
        return False
    return all(x == y or np.isnan(x) or np.isnan(y) for x, y in zip(one[1], other[1], strict=True))


def _values(module: str, program: Program, question: Question, texts: Iterable[str]) -> dict[str, Array]:
    states = question.states
    x = states.tau if FORMULATIONS[module].stands_for == "aba" else states.a
    model = build(question.mechanism, Real())
    names = program.executed(arguments(module, model, states.q.T, states.v.T, x.T, np.moveaxis(states.f, 0, -1)))
    found = {}
    for text in texts:
        with suppress(Exception):
            value = np.asarray(eval(text, dict(names)), dtype=float)
            if value.ndim > 1:
                found[text] = value
    return found


def _nowhere_zero(mechanism: Mechanism) -> States:
    """A state in which no number is zero."""
    x, f = np.linspace(0.8, -0.5, mechanism.nv)[None], np.linspace(0.2, 0.9, 6)[None, None]
    q, v = np.linspace(0.3, 1.1, mechanism.nq)[None], np.linspace(-0.7, 0.9, mechanism.nv)[None]
    return replace(sample(mechanism, 0, 1), q=q, v=v, a=x, tau=x, f=np.repeat(f, len(mechanism.bodies), axis=1))


def _type(values: Sequence[Array]) -> Type:
    """The type of what has these values in the units of :data:`UNITS`."""
    sizes = [float(np.linalg.norm(one)) for one in values]
    exponents = [float(np.log2(size / sizes[0])) if sizes[0] else np.nan for size in sizes[1:]]
    # A matrix of several units has none.
    return values[0].shape[-2:], tuple(float(np.round(x)) if abs(x - np.round(x)) < SAME else np.nan for x in exponents)


WITH_M = "random:7:4:revolute,helical"
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
    model = _with_every_term()
    q = np.linspace(0.3, 1.1, model.nv)[:, None] * np.ones(2)
    return np.diff(algorithm(module, text)(model, q, 0 * q, q * [0, 1]))


@cache
def _with_every_term() -> Model:
    return build(find_mechanism(WITH_M), Real())
