"""Expressions of a formulation as formulas, and slips in words.

Such as "ω × (ω × r), the centripetal acceleration of the joint, is left out", and "the inertia along the root's axes is
computed as Rᵀ I R instead of R I Rᵀ".
"""

from __future__ import annotations

import ast
import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cross_check.explain.slips.source import Slip, Source, parsed

_VOCABULARY = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text("utf-8"))

NAMES, BODIES, FUNCTIONS, NUMBERS, WHERE, WORDS = _VOCABULARY.values()

LONGEST_SYMBOL = 3
"""Characters of a symbol, without its subscripts; what has more is a word."""

MASKS = ("the joints that move the body", "the outboard joints")
"""Which joints a term has, as a factor that no formula shows."""

ROTATIONS = ("R", "R_parent")

UNITS = (("π/180", math.pi / 180), ("180/π", 180 / math.pi))
"""Factors that are known by other words than their digits."""


class Addend(NamedTuple):
    """A term of a sum, with its sign and its factors."""

    node: ast.expr
    factor: float = 1.0


def formula(node: ast.AST, inside: bool = False) -> str:
    """The expression as people write it; with ``inside``, in parentheses if it is a sum or a vector product."""
    match node:
        case ast.Constant(value):
            return f"{value:g}" if isinstance(value, int | float) else str(value)
        case ast.Name(name):
            own = name.removesuffix("λ")
            return _indexed(NAMES.get(own, own), "λ") if own and own != name else NAMES.get(name, name)
        case ast.Attribute(ast.Attribute(value, "mT"), "mT"):
            return formula(value, inside)
        case ast.Attribute(value, "mT" | "T"):
            inner = formula(value, True)
            if inner.endswith("ᵀ") and " " not in inner:
                return inner.removesuffix("ᵀ")
            return f"{inner}ᵀ" if len(inner) < 4 or inner.startswith("(") else f"({inner})ᵀ"
        case ast.Attribute(_, name):
            return NAMES.get(name, name)
        case ast.Subscript(ast.Attribute(_, "only"), ast.Constant(k)):
            return f"the {'xyz'[int(str(k))]} component of"
        case ast.Subscript(ast.Attribute(_, "mirrored"), ast.Constant(k)):
            return ("(−x, y, z)", "(x, −y, z)", "(x, y, −z)")[int(str(k))] + " of"
        case ast.BinOp(x, ast.Mult(), ast.Compare() as condition) if ast.unparse(condition) in WHERE:
            return f"{formula(x, True)} but zero {WHERE[ast.unparse(condition)]}"
        case ast.Subscript(value, index):
            return _indexed(formula(value), ast.unparse(index))
        case ast.Call(ast.Attribute(_, "xx" | "yy" | "zz" | "xy" | "xz" | "yz" as name), [body]):
            return _indexed(f"I{name}", ast.unparse(body))
        case ast.Call(ast.Attribute(_, "twist"), [_, rates]):
            text, inside = f"Ξ for {formula(rates, True)}", True
        case ast.List(parts):
            return f"[{', '.join(map(formula, parts))}]"
        case ast.Call(ast.Name(name), parts) if name in FUNCTIONS:
            text = FUNCTIONS[name].format(*(formula(part, True) for part in parts))
            inside = inside and " " in text
        case ast.Call(called, parts):
            text, inside = f"{formula(called)}({', '.join(formula(part) for part in parts)})", False
        case ast.UnaryOp(ast.USub(), operand):
            text, inside = f"−{formula(operand, True)}", False
        case ast.BinOp(x, ast.Add() | ast.Sub() as operator, y):
            text = f"{formula(x)} {'+' if isinstance(operator, ast.Add) else '−'} {formula(y, isinstance(operator, ast.Sub))}"
        case ast.BinOp(x, ast.Mult(), y) if formula(y) in MASKS:
            return formula(x, inside)
        case ast.BinOp(x, ast.Mult() | ast.MatMult(), y):
            factors = [part for part in (formula(x, True), formula(y, True)) if part not in ("1", "1ᵀ")]
            text, inside = " ".join(factors) or "1", False
        case _:
            return ast.unparse(node)
    return f"({text})" if inside else text


def _indexed(name: str, index: str) -> str:
    """What a name with an index means."""
    letters = re.fullmatch(r"(?:\.\.\., )?(\w+)(?::\1 \+ 1)?", index)
    if index == "i":
        return name
    if letters and index not in BODIES:
        return name if " " in name else f"{name}_{letters[1]}"
    subscript, words = BODIES.get(index, ("next", "the next body"))
    is_symbol = len(name.partition("_")[0]) <= LONGEST_SYMBOL
    return f"{name}{',' if '_' in name else '_'}{subscript}" if is_symbol else f"{name} of {words}"


def addends(node: ast.expr, factor: float = 1.0) -> Iterator[Addend]:
    """The terms of a sum."""
    match node:
        case ast.BinOp(x, ast.Add() | ast.Sub() as operator, y):
            yield from addends(x, factor)
            yield from addends(y, factor if isinstance(operator, ast.Add) else -factor)
        case ast.UnaryOp(ast.USub(), x):
            yield from addends(x, -factor)
        case ast.BinOp(number, ast.Mult(), x) if _product(number)[1] is None:
            yield from addends(x, _product(number)[0] * factor)
        case ast.BinOp(x, ast.MatMult(), ast.BinOp(y, ast.Add() | ast.Sub() as operator, z)):
            parts = [ast.copy_location(ast.BinOp(x, ast.MatMult(), part), part) for part in (y, z)]
            yield from addends(parts[0], factor)
            yield from addends(parts[1], factor if isinstance(operator, ast.Add) else -factor)
        case _:
            k, rest = _product(node)
            yield Addend(rest or node, factor * k if rest else factor)


def _product(node: ast.expr) -> tuple[float, ast.expr | None]:
    """The numbers of a product, multiplied, and the rest of it."""
    match node:
        case ast.Constant(k) if isinstance(k, int | float):
            return k, None
        case ast.UnaryOp(ast.USub(), x):
            k, rest = _product(x)
            return -k, rest
        case ast.BinOp(x, ast.Mult() | ast.MatMult() as operator, y):
            (k, first), (l, second) = _product(x), _product(y)
            if first is None or second is None or k == l == 1:
                return k * l, first if second is None else second if first is None else node
            return k * l, ast.copy_location(ast.BinOp(first, operator, second), node)
    return 1.0, node


def without_rotation(node: ast.expr) -> ast.expr:
    """The expression without a rotation of a vector product or a sum as a whole: a vector is the same along any axes."""
    match node:
        case ast.BinOp(left, ast.MatMult(), ast.Call() | ast.BinOp(_, ast.Add(), _) as right):
            return right if formula(left).rstrip("ᵀ") in ROTATIONS else node
    return node


LONGEST = 60
"""Characters of the longest formula that is named beside the words for it."""


def named(source: Source, node: ast.expr) -> str:
    """An expression as the subject of a sentence: its formula without a number before it, and the words for it."""
    text = formula(without_rotation(next(addends(node)).node))
    name = source.name_of(node) or text
    return f"{text}, {name}," if name != text and len(text) <= LONGEST else name


def multiplied(k: float, several: bool = False) -> str:
    """What is wrong with a term, or with several, that is multiplied by k."""
    unit = next((f" ({words})" for words, known in UNITS if abs(k / known - 1) < 1e-9), "")
    words = f"multiplied by {factor_words(k)}{unit}"
    return WORDS.get(f"{k!r}".removesuffix(".0"), (f"is {words}", f"are {words}"))[several]


def factor_words(k: float) -> str:
    """A factor with six digits; one that hardly differs from one by its difference."""
    return f"{k:.6g}" if abs(k - 1) > 1e-5 else f"1 {'−' if k < 1 else '+'} {abs(k - 1):.3g}"


def in_words(source: Source, slip: Slip) -> tuple[str, str]:
    """What is wrong, as the end of "The code is wrong in this: …", and the term of the equations that it concerns."""
    old, new = slip.place.node, parsed(slip.text)
    if (product := source.product_of(old)) is not old and (k := _multiple(old, new)) is not None:
        old, new = product, parsed(f"{k:g} * ({ast.unparse(product)})")
    own = source.name_of(old)
    if isinstance(new, ast.BinOp) and ast.unparse(new.right) in WHERE and own:
        return f"{_subject(own)} is left out {WHERE[ast.unparse(new.right)]}", group_of(own)
    before, after = ({formula(without_rotation(one.node)): one for one in addends(node)} for node in (old, new))
    factors = {text: (after[text].factor / one.factor if text in after else 0.0) for text, one in before.items()}
    changed = {text: k for text, k in factors.items() if k != 1}
    are_named = len(before) > 1 or changed.keys() <= after.keys()
    if len(set(changed.values())) == 1 and after.keys() <= before.keys() and are_named:
        (k,) = set(changed.values())
        nodes = [before[text].node for text in changed]
        if len(before) == len(changed) > 1 and own:
            return f"{_subject(own)} {multiplied(k)}", group_of(own)
        what = " and ".join(named(source, node) for node in nodes)
        return f"{what} {multiplied(k, len(nodes) > 1)}", group_of(source.name_of(nodes[0]) or next(iter(changed)))
    whole = source.term_of(old)
    name = source.name_of(whole) or f"the value of {formula(source.target_of(slip))}"
    if formula(old) in MASKS:
        return f"{_subject(name)} is computed for {formula(new)} instead of {formula(old)}", group_of(name)
    right, wrong = formula(without_rotation(whole)), formula(without_rotation(source.replaced(whole, slip)))
    if right == wrong or without_rotation(whole) is whole:
        right, wrong = formula(whole), formula(source.replaced(whole, slip))
    more = _of_rotation(old, new) or _of_numbers(old, new)
    return f"{_subject(name)} is computed as {wrong} instead of {right}{more}", group_of(name)


def _subject(name: str) -> str:
    """A name before its verb: what is put in by a comma ends with one."""
    return name + "," * ("," in name)


def _multiple(old: ast.expr, new: ast.expr) -> float | None:
    """The factor by which the new expression is a multiple of the old one; None if it is none."""
    (before, *more), (after, *others) = addends(old), addends(new)
    same = not more and not others and ast.unparse(before.node) == ast.unparse(after.node)
    return after.factor / before.factor if same else None


def _of_rotation(old: ast.expr, new: ast.expr) -> str:
    """What a slip does to a rotation in front, if it concerns one."""
    before, after = formula(old), formula(new)
    for one, other in ((f"{R}{a}", f"{R}{b}") for R in ROTATIONS for a, b in (("", "ᵀ"), ("ᵀ", ""))):
        if before in (f"{one} {after}", f"{one} ({after})"):
            return ": a rotation is left out"
        if before.startswith(f"{one} ") and after == f"{other} {before.removeprefix(f'{one} ')}":
            return ": a rotation is transposed"
    return ""


def _of_numbers(old: ast.expr, new: ast.expr) -> str:
    """Which number of the mechanism is taken for which."""
    named = [node.value if isinstance(node, ast.Subscript) else node for node in (old, new)]
    right, wrong = (NUMBERS.get(node.attr, "") if isinstance(node, ast.Attribute) else "" for node in named)
    return f": {wrong} is taken for {right}" if right and wrong and right != wrong else ""


def group_of(name: str) -> str:
    """The term of the equations that a name is of."""
    return name.removeprefix("the ")
