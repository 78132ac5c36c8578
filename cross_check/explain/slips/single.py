"""Single slips in a formulation: every edit of an expression that people may make.

No slip is listed. An expression gets another sign, order, factor, transpose or index, another name with the same axes and
units, or loses a part (:mod:`cross_check.explain.slips.edits`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from cross_check.explain.slips.edits import ANY, FACTORS, NAMES, STRUCTURES, replaced
from cross_check.explain.slips.places import ATOM, Place, Reads
from cross_check.explain.slips.source import Slip, Source, parsed
from cross_check.explain.slips.types import PARENT, Type, are_alike, types
from implementations.processes.watched import Alike

TURNS: Type = ((3, 3), (0.0, 0.0, 0.0))
"""The type of a rotation."""

NO_TYPE: Type = ((0, 0), ())

COMPONENTS = ("m.only", "m.mirrored")
"""Columns that keep one component of a vector, and that change the sign of one."""

NEIGHBOURS = {"i": ("(i - 1)", "min(i + 1, len(m.parents) - 1)", "0"), "λ": ("(i - 1)",)}
"""Other bodies that an index may mean."""

ALTERNATIVES = {
    "m.masses[i]": ("m.unit",),
    "Ξ": ("m.twist(i, m.unit)", "m.twist(i, v[λ])"),
    "m.S_ω[i]": ("m.axes[i]",),
    "m.S_v[i]": ("m.axes[i]",),
    "moves[i]": ("m.up_to[i]", "(moves[i] - m.own[i])"),
    "outboard[k]": ("m.later[k]", "(outboard[k] + m.own[k])"),
}
"""What may stand for an expression: the axes of all kinds of joints, other joints than those that move a body, a mass of one, or
another velocity."""

CROSS_PRODUCTS = ("crm", "crf")
"""Functions that are taken for each other."""

LOOPS = ("i", "j", "k", "l")
"""Names of numbers of bodies and joints."""


@lru_cache(64)
def slips_of(source: Source) -> tuple[Slip, ...]:
    """All slips, the most usual first."""
    here = source.places
    texts = ((place, variants(place.node, place.reads, ANY)) for variants in (*STRUCTURES, *NAMES, *MORE) for place in here)
    every = (Slip(place, text) for place, several in texts for text in dict.fromkeys(several))
    typed = Typed(source)
    return tuple(slip for slip in (*every, *_everywhere(here)) if typed.is_sound(slip))


class Typed:
    """The types of what a formulation reads."""

    def __init__(self, source: Source) -> None:
        every = [Reads.of(function) for function in source.functions]
        calls = {ast.unparse(one) for function in source.functions for one in ast.walk(function) if isinstance(one, ast.Call)}
        self._names = frozenset(atom for reads in every for atom in reads.atoms if atom not in reads.indices) | calls
        self._types = types(source.module, source.program, self._names)
        self._read: dict[str, list[str]] = {}
        self._texts: dict[int, str] = {}

    def is_sound(self, slip: Slip) -> bool:
        """Whether names stand for others with the same axes and units, and only rotations are put before what was there.

        Only vectors along x, y and z have components. An index stands for another index, and has no sign.
        """
        old, new = self._text(slip.place.node), parsed(slip.text)
        if old in slip.place.reads.indices:
            return slip.text in (*slip.place.reads.indices, *NEIGHBOURS.get(old, ()))
        if isinstance(new, ast.BinOp) and ast.unparse(new.left).startswith(COMPONENTS):
            return self._types.get(old, NO_TYPE)[0][0] == 3
        if isinstance(new, ast.BinOp) and isinstance(new.op, ast.MatMult) and ast.unparse(new.right) == old:
            return self._types.get(ast.unparse(new.left).removesuffix(".mT")) == TURNS
        if isinstance(slip.place.node, ATOM) and isinstance(new, ATOM) and old != slip.text.removesuffix(".mT"):
            return slip.text in ALTERNATIVES.get(old, ()) or are_alike(self._types.get(old), self._types.get(slip.text))
        before, after = self._atoms(old), self._atoms(slip.text)
        pairs = [(one, other) for one, other in zip(before, after, strict=False) if one != other]
        are_typed = all(are_alike(self._types.get(one), self._types.get(other)) for one, other in pairs)
        return len(before) != len(after) or are_typed

    def _text(self, node: ast.AST) -> str:
        if id(node) not in self._texts:
            self._texts[id(node)] = ast.unparse(node)
        return self._texts[id(node)]

    def _atoms(self, text: str) -> list[str]:
        """What an expression reads, in the order in which it is written."""
        if text not in self._read:
            self._read[text] = [part for one in _atoms(parsed(text)) if (part := ast.unparse(one)) in self._names]
        return self._read[text]


def _atoms(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ATOM):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _atoms(child)


def _factors(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """The expression, multiplied by a factor."""
    if isinstance(node, ast.BinOp | ast.Call) and id(node) not in reads.parts:
        yield from (f"({factor} * ({ast.unparse(node)}))" for factor in (*FACTORS, "0"))


def _turned(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """A product or a sum, multiplied by a matrix."""
    if isinstance(node, ast.BinOp | ast.Call) and id(node) not in reads.parts:
        yield from (f"({matrix} @ ({ast.unparse(node)}))" for matrix in reads.matrices)


def _components(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """One component of a vector product alone, or with the other sign."""
    if isinstance(node, ast.Call) and id(node) not in reads.parts:
        yield from (f"({columns}[{k}] * {ast.unparse(node)})" for columns in COMPONENTS for k in range(3))


def _alternatives(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    yield from ALTERNATIVES.get(ast.unparse(node), ())


def _sometimes(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """The expression, left out at bodies on the root, or for a joint that is the body's own."""
    is_defined = isinstance(node, ast.Name) and node.id in dict(reads.definitions)
    if (is_defined or isinstance(node, ast.BinOp | ast.Call)) and id(node) not in reads.parts:
        loops = [name for name in LOOPS if name in reads.indices]
        conditions = [f"({a} != {b})" for a, b in combinations(loops, 2)] + ["(λ >= 0)"] * ("λ" in reads.indices)
        yield from (f"(({ast.unparse(node)}) * {condition})" for condition in conditions)


def _neighbours(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    if isinstance(node, ast.Name) and node.id in reads.indices:
        yield from NEIGHBOURS.get(node.id, ())


def _functions(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """Another function of two arguments."""
    match node:
        case ast.Call(ast.Name(name), [first, second], []) if name in CROSS_PRODUCTS:
            yield from (f"{other}({ast.unparse(first)}, {ast.unparse(second)})" for other in CROSS_PRODUCTS if other != name)


def _defined(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """Another value for a name in one place alone: what is assigned to it, with one edit."""
    text = dict(reads.definitions).get(ast.unparse(node), "")
    if isinstance(node, ast.Name) and text and id(node) not in reads.parts:
        yield from (f"({other})" for part in ast.walk(parsed(text)) for other in _edited(text, part, reads))


def _edited(text: str, part: ast.AST, reads: Reads) -> Iterator[str]:
    """The expression with each edit of the structure of one part."""
    if isinstance(part, ast.expr):
        for variants in (*STRUCTURES, _alternatives):
            for other in variants(part, reads, ANY):
                yield replaced(text, {ast.unparse(part): other}, ast.expr)


MORE = (_factors, _turned, _neighbours, _components, _alternatives, _sometimes, _functions, _defined)
"""Variants that formulations have besides those of users' code."""


def _everywhere(here: list[Place]) -> Iterator[Slip]:
    """One name or index for another, wherever it stands in a term that has it several times."""
    yield from (slip for place in here for slip in _of_other_bodies(place))
    products = (one for one in here if isinstance(one.node, ast.Call | ast.BinOp) and id(one.node) not in one.reads.parts)
    for place in (one for one in products if one.node.lineno == one.node.end_lineno):
        texts = [ast.unparse(node) for node in ast.walk(place.node)]
        atoms = [one for one in place.reads.atoms if one not in place.reads.indices]
        others = [((*atoms, f"{one}.{place.reads.turned}"), one) for one in atoms]
        others += [((*place.reads.indices, *NEIGHBOURS[one]), one) for one in place.reads.indices if one in NEIGHBOURS]
        for alike, one in others:
            if texts.count(one) > 1:
                yield from (Slip(place, replaced(texts[0], {one: other})) for other in alike if other != one)


def _of_other_bodies(place: Place) -> Iterator[Slip]:
    """All that is of the parent in a term is of the body, or the other way round."""
    text, read = ast.unparse(place.node), {ast.unparse(node) for node in _atoms(place.node)}
    parts = [name.removesuffix(PARENT) for name in place.reads.atoms if name.endswith(PARENT)]
    for one, other in ((f"{{}}{PARENT}", "{}[i]"), ("{}[i]", f"{{}}{PARENT}")):
        pairs = [(one.format(part), other.format(part)) for part in parts if one.format(part) in read]
        if len(pairs) > 1:
            yield Slip(place, replaced(text, dict(pairs)))
