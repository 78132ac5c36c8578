"""All single edits of the expressions in a Python source: what a slip of the pen changes, and what undoes it.

A sign, an order, a factor, a transpose, an index, a name that stands elsewhere in the same function, a condition, a constant, or
a part that is dropped. Nothing here knows mechanics. Of the edits that all mend a code, people have made the least odd one the
other way round; it is written in the plainest way.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from itertools import accumulate, combinations
from typing import Any

from cross_check.explain.slips.places import ATOM, Place, Reads, is_number, span
from implementations.processes.edited import Edit
from implementations.processes.watched import Alike

LARGEST = 1 << 20
"""Bytes of the largest file that is edited."""

FACTORS = ("2", "0.5", "-1")

CONSTANTS = ("0", "1", "-1", "2", "0.5")

MOST_ARGUMENTS = 6
"""Of calls with more arguments, no two are exchanged."""

CODE = re.compile(
    r"(?P<number>(?<![\w.])\d+(?![\w.]))|(?P<update>[-+]=)|(?P<bound>(?<![-<>])[<>]=?(?![<>]))"
    r"|(?P<sign>(?<![-+*/=<>!(\[eE])[-+](?![-+=>]))|(?P<index>(?<!\w)[i-n](?!\w))"
)
"""What an edit of a text changes that is code of another language, such as C."""

SUBSCRIPTS = re.compile(r"[A-Za-z.]+(,[A-Za-z.]+)*->[A-Za-z.]*")
"""The subscripts of :func:`numpy.einsum`."""

OTHERS = {"+": "-", "-": "+", "+=": "-=", "-=": "+=", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}

COMPARED = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}

ANY = Alike(-1, [], [], [])
"""Of a value of which nothing is known."""


def single_edits(
    variants: Sequence[Variants], path: str, places: Sequence[Place], alike: Mapping[int, Alike | None]
) -> Iterator[Edit]:
    """Every edit of one of the places in the file, of these variants.

    ``alike`` has, by the id of the node, what is known of values: then there are only names that change the value and keep its
    shape, and no edits of what is not executed.
    """
    for variant in variants:
        for _, node, start, end, reads, *_ in places:
            known = alike.get(id(node), ANY)
            if known is not None:
                yield from (Edit(path, start, end, text) for text in dict.fromkeys(variant(node, reads, known)))


def repeated_edits(path: str, places: Sequence[Place], alike: Mapping[int, Alike | None]) -> Iterator[Edit]:
    """Every edit of what an expression has several times, wherever it stands there."""
    for whole in (place for place in places if not _is_slice(place.node)):
        turned = whole.reads.turned
        inside = [node for node in ast.walk(whole.node) if isinstance(node, ast.expr) and id(node) in alike]
        texts = [ast.unparse(node) for node in inside]
        parts = [[ast.unparse(node) for node in ast.walk(part)] for part in ast.iter_child_nodes(whole.node)]
        for text, node in dict(zip(texts, inside, strict=True)).items():
            # Of expressions that have it as often, only the smallest one.
            is_smallest = texts.count(text) > max([1, *(part.count(text) for part in parts)])
            if is_smallest and (known := alike[id(node)]):
                others = (one for variant in (*STRUCTURES, *NAMES) for one in variant(node, whole.reads, known))
                for other in dict.fromkeys(others):
                    changed = replaced(ast.unparse(whole.node), {text: other}, ast.expr)
                    yield Edit(path, whole.start, whole.end, f"({changed})".replace(f".{turned}" * 2, ""))


def exchanges(path: str, places: Sequence[Place], alike: Mapping[int, Alike | None]) -> Iterator[Edit]:
    """Every exchange of two different names or elements of one shape that stand in different parts of an expression."""
    for whole in (place for place in places if not _is_slice(place.node)):
        parts = [_atoms_in(part, alike) for part in ast.iter_child_nodes(whole.node)]
        pairs = {(a, b) for one, other in combinations(parts, 2) for a in one for b in other if a != b and one[a] == other[b]}
        for a, b in sorted(pairs):
            yield Edit(path, whole.start, whole.end, f"({replaced(ast.unparse(whole.node), {a: b, b: a})})")


def _atoms_in(part: ast.AST, alike: Mapping[int, Alike | None]) -> dict[str, int]:
    """By text: how many axes the names and elements have that are read there."""
    atoms = (node for node in ast.walk(part) if isinstance(node, ATOM))
    return {ast.unparse(node): known.axes for node in atoms if (known := alike.get(id(node))) and known.axes >= 0}


def _is_slice(node: ast.expr) -> bool:
    """Whether it is no expression of its own, such as ``:3``."""
    return isinstance(node, ast.Slice | ast.Starred) or (isinstance(node, ast.Tuple) and any(map(_is_slice, node.elts)))


def sums_and_multiples(path: str, places: Sequence[Place], alike: Mapping[int, Alike | None]) -> Iterator[Edit]:
    """Every value with another one of its shape added or subtracted, and every addend multiplied and divided by each number at
    hand."""
    sums = [(place, known) for place in places if place.is_sum and (known := alike.get(id(place.node)))]
    for place, known in sums:
        value = operand(place.node, ast.unparse(place.node))
        names = [place.reads.texts[k] for k in known.names if known.axes >= 0]
        yield from (Edit(path, place.start, place.end, f"({value} {sign} {name})") for name in names for sign in "+-")
    for place, _ in sums:
        for addend, _ in addends_of(place):
            if known := alike.get(id(addend)):
                for name in (place.reads.texts[k] for k in known.numbers):
                    yield from (Edit(path, *place.span_of(addend), times(addend, operator, name)) for operator in "*/")


def times(node: ast.expr, operator: str, name: str) -> str:
    """The product or quotient of an expression and a name."""
    is_one = isinstance(node, ast.Constant) and node.value == 1
    return name if is_one and operator == "*" else f"({operand(node, ast.unparse(node))} {operator} {name})"


def operand(node: ast.expr, text: str) -> str:
    """The text of an expression, to be followed by an operator."""
    return text if isinstance(node, (*ATOM, ast.Call, ast.Constant, ast.BinOp)) else f"({text})"


def addends_of(place: Place) -> list[tuple[ast.expr, int]]:
    """The addends of an expression, with their signs; the expression itself, if it is no sum."""
    found, waiting = list[tuple[ast.expr, int]](), [(place.node, 1)]
    while waiting:
        node, sign = waiting.pop()
        match node:
            case ast.BinOp(left, ast.Add() | ast.Sub() as operator, right):
                waiting += [(left, sign), (right, sign if isinstance(operator, ast.Add) else -sign)]
            case ast.UnaryOp(ast.USub(), operand):
                waiting.append((operand, -sign))
            case _:
                found.append((node, sign))
    return found


def replaced(text: str, others: Mapping[str, str], kinds: Any = ATOM) -> str:
    """An expression with names, attributes and elements, or expressions of other kinds, in the places of others."""
    return ast.unparse(_Instead(others, kinds).visit(ast.parse(text, mode="eval")))


class _Instead(ast.NodeTransformer):
    def __init__(self, others: Mapping[str, str], kinds: Any) -> None:
        self._others, self._kinds = others, kinds

    def visit(self, node: ast.AST) -> ast.AST:
        other = self._others.get(ast.unparse(node)) if isinstance(node, self._kinds) else None
        return self.generic_visit(node) if other is None else ast.parse(other, mode="eval").body


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
        case ast.Constant() if is_number(node):
            yield from (constant for constant in (*CONSTANTS, f"-{text}") if constant != text)
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            yield f"({ast.unparse(operand)})"
    if id(node) in reads.values:
        yield from (f"-{text}", *_transposed(text, reads, known))


def _transposed(text: str, reads: Reads, known: Alike) -> tuple[str, ...]:
    return () if known.axes in (0, 1) else (f"{text}.{reads.turned}",)


def _names(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """What else the function reads; in brackets, another index. A number that is written there may be one of its names."""
    text = ast.unparse(node)
    if id(node) in reads.parts or not (isinstance(node, ATOM) or is_number(node)):
        return
    if known is not ANY:
        yield from (reads.texts[k] for k in known.names)
        yield from (f"({text} {operator} 1)" for operator in "+-" if text in reads.indices)
    else:
        for group in (reads.atoms, reads.indices):
            yield from (other for other in group if text in group and other != text)


def _ranges(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """A range with another end, or one that begins at another index, or behind it; and a part of a list."""
    if isinstance(node, ATOM) and id(node) in reads.iterated:
        text = ast.unparse(node)
        yield from (f"{text}[{part}]" for index in (*reads.indices, "1", "-1") for part in (f":{index}", f"{index}:"))
    match node:
        case ast.Call(ast.Name("range"), [*first, end], []):
            start, text = ", ".join(map(ast.unparse, first)), ast.unparse(end)
            before = f"{start}, " if start else ""
            yield from (f"range({before}{text} {operator} 1)" for operator in "+-")
            yield from (f"range({index}{more}, {text})" for index in (start, *reads.indices) if index for more in ("", " + 1"))


def _regrouped(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """Other parentheses: what is added to a product or to what a function gives goes into it, or comes out of it."""
    match node:
        case ast.BinOp(ast.Call(called, [*first, last], []), ast.Add() | ast.Sub() as sign, added):
            yield _text(ast.Call(called, [*first, ast.BinOp(last, sign, added)], []))
        case ast.BinOp(ast.BinOp(a, ast.Mult() | ast.Div() | ast.MatMult() as product, b), ast.Add() | ast.Sub() as sign, added):
            yield _text(ast.BinOp(a, product, ast.BinOp(b, sign, added)))
        case ast.Call(called, [*first, ast.BinOp(a, ast.Add() | ast.Sub() as sign, b)], []):
            yield _text(ast.BinOp(ast.Call(called, [*first, a], []), sign, b))
        case ast.BinOp(a, ast.Mult() | ast.MatMult() as product, ast.BinOp(b, ast.Add() | ast.Sub() as sign, c)):
            yield _text(ast.BinOp(ast.BinOp(a, product, b), sign, c))


def _text(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def _other_calls(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """The inverse for the transpose, a function of one argument alone, and two arguments in each other's place."""
    match node:
        case ast.Attribute(value, "T" | "mT"):
            yield f"{reads.numpy}.linalg.inv({ast.unparse(value)})"
        case ast.Call(called, [first, second], []):
            yield from (f"{ast.unparse(called)}({ast.unparse(only)})" for only in (second, first))
        case ast.Call(called, arguments, keywords) if len(arguments) <= MOST_ARGUMENTS:
            for j, k in combinations(range(len(arguments)), 2):
                others = [*arguments]
                others[j], others[k] = others[k], others[j]
                yield _text(ast.Call(called, others, keywords))


def _texts(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """A text that is code, with another sign, bound, number or index; the subscripts of a sum with two of them exchanged."""
    match node:
        case ast.Constant(str(text)) if SUBSCRIPTS.fullmatch(text):
            for operand in re.finditer(r"\w+", text):
                for j, k in combinations(range(*operand.span()), 2):
                    yield repr(f"{text[:j]}{text[k]}{text[j + 1 : k]}{text[j]}{text[k + 1 :]}")
        case ast.Constant(str(text)):
            yield from map(repr, other_codes(text))
        case ast.JoinedStr(parts):
            texts = {k: str(part.value) for k, part in enumerate(parts) if isinstance(part, ast.Constant)}
            indices = dict.fromkeys(token[0] for text in texts.values() for token in CODE.finditer(text) if token["index"])
            for k, text in texts.items():
                for other in other_codes(text, tuple(indices)):
                    yield ast.unparse(ast.JoinedStr([*parts[:k], ast.Constant(other), *parts[k + 1 :]]))


def other_codes(code: str, more: Sequence[str] = ()) -> Iterator[str]:
    """The code with one sign, bound, number or index changed. An index becomes another one of its line, or one of ``more``."""
    for line in re.finditer(r"(?m)^[^#\n].*", code):
        tokens = list(CODE.finditer(line[0]))
        indices = dict.fromkeys((*more, *(token[0] for token in tokens if token["index"])))
        for token in tokens:
            others = [OTHERS[token[0]]] if token[0] in OTHERS else [one for one in indices if one != token[0]]
            if token["number"]:
                others = [str(int(token[0]) + by) for by in (1, -1) if int(token[0]) + by >= 0]
            start = line.start() + token.start()
            yield from (f"{code[:start]}{other}{code[start + len(token[0]) :]}" for other in others)


def _applied(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """The name or the call as the last argument of a function, as the module calls this function elsewhere.

    A matrix is also multiplied by such a function of another matrix.
    """
    if isinstance(node, (*ATOM, ast.Call)) and id(node) not in reads.parts:
        text = ast.unparse(node)
        yield from (called for before in reads.applied if (called := f"{before}{text})") != text)
        # Also of a batch of matrices.
        matrices = reads.matrices if known.axes not in (0, 1) else ()
        for factor in (f"{before}{matrix})" for before in reads.applied if before.endswith("(") for matrix in matrices):
            yield from (f"({text} @ {factor})", f"({factor} @ {text})")


def _products(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """The name, attribute or element, multiplied by a matrix, from the left; a matrix also from the right."""
    text = ast.unparse(node)
    if id(node) in reads.values:
        matrices = [reads.texts[k] for k in known.matrices] if known is not ANY else reads.matrices
        yield from (f"({matrix} @ {text})" for matrix in matrices if matrix != text)
        yield from (f"({text} @ {matrix})" for matrix in matrices if known.axes == 2)


def _wholes(node: ast.expr, reads: Reads, known: Alike) -> Iterator[str]:
    """A name for a product, a call, or a sum of numbers."""
    is_sum = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and known.axes != 0
    if isinstance(node, ast.BinOp | ast.Call) and not is_sum:
        yield from (reads.texts[k] for k in known.names)


Variants = Callable[[ast.expr, Reads, Alike], Iterator[str]]
"""What may stand for an expression."""

STRUCTURES: tuple[Variants, ...] = (_structures,)

GROUPS: tuple[Variants, ...] = (_regrouped, _ranges, _other_calls, _texts)

NAMES: tuple[Variants, ...] = (_names, _products, _wholes, _applied)


def oddity(source: bytes, edit: Edit) -> tuple[bool, bool, bool, int]:
    """Small for an edit that people make.

    Odd are a number in the place of zero or of what is no number, a transpose of a transpose, and a new minus within an
    expression. Of all others, the edit of fewest characters is the least odd.
    """
    before, after = source[edit.start : edit.end].decode(), edit.text
    kept = sum(block.size for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks())
    is_constant = _number(after) is not None and not _number(before)
    is_negated = after.count("-") > before.count("-") and (edit.start, edit.end) not in _values(source)
    return is_constant, ".T.T" in after, is_negated, len(before) + len(after) - 2 * kept


def _number(text: str) -> float | None:
    """The number that a text is; None if it is none."""
    try:
        return float(text.strip("()").replace(" ", ""))
    except ValueError:
        return None


def _values(source: bytes) -> Iterator[tuple[int, int]]:
    """Where the whole values of statements stand."""
    starts = (0, *accumulate(map(len, source.splitlines(keepends=True))))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Return | ast.Assign | ast.AugAssign) and node.value:
            yield span(starts, node.value)


def plain(source: bytes, edit: Edit) -> Edit:
    """The same edit without the parentheses that change nothing. What stays of the source stays as it is written."""
    if text := _in_literal(source[edit.start : edit.end].decode(), edit.text):
        return edit._replace(text=text)
    written, kept = ast.unparse(ast.parse(edit.text, mode="eval")), edit.text.removeprefix("(").removesuffix(")")
    for text in (kept, written) if source[edit.start : edit.end].decode() in kept else (written,):
        with suppress(SyntaxError, ValueError):
            found = edit._replace(text=text)
            if ast.dump(ast.parse(found.applied(source))) == ast.dump(ast.parse(edit.applied(source))):
                return found
    return edit._replace(text=f"({written})")


def _in_literal(before: str, after: str) -> str:
    """The literal ``before`` of a text, with the one line changed in which ``after`` differs; empty if they differ otherwise."""
    with suppress(ValueError, SyntaxError, TypeError, AttributeError):
        lines = [ast.literal_eval(text).split("\n") for text in (before, after)]
        ((old, new),) = [(old, new) for old, new in zip(*lines, strict=True) if old != new]
        found = before.replace(old, new)
        return found if before.count(old) == 1 and ast.literal_eval(found) == ast.literal_eval(after) else ""
    return ""
