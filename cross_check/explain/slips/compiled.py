"""All single edits of the expressions in a source of C or C++: what a slip of the pen changes, and what undoes it.

They are those of :mod:`cross_check.explain.slips.edits`, as far as the languages have them. What stands in the place of a name
has its type, as far as the declarations tell, because a compiler refuses everything else. Parsed by tree-sitter.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from importlib import import_module
from itertools import combinations
from typing import Any, NamedTuple

from cross_check.explain.slips.edits import CONSTANTS, FACTORS, LARGEST, MOST_ARGUMENTS, OTHERS
from cross_check.explain.slips.places import LONGEST_ATOM
from implementations.processes.edited import Edit
from implementations.processes.switched import Unit
from implementations.protocol import Missing

GRAMMARS = {".c": "tree_sitter_c"} | dict.fromkeys((".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"), "tree_sitter_cpp")
"""By the ending of a file: the module of its grammar."""

VALUES = (
    *("binary_expression", "unary_expression", "call_expression", "subscript_expression", "field_expression", "identifier"),
    *("number_literal", "conditional_expression", "parenthesized_expression", "pointer_expression", "assignment_expression"),
)
"""Kinds of nodes that are expressions of their own."""

ATOMS = frozenset(("identifier", "subscript_expression", "field_expression"))

SINGLE = ("call_expression", "number_literal", "parenthesized_expression")
"""Kinds of nodes that no operator takes apart, beside atoms."""

WHOLE = ("int", "long", "unsigned", "unsigned int", "size_t", "std::size_t")

NUMBERS = ("double", "float", "long double", *WHOLE)
"""Types of numbers."""

FIXED = (
    *("preproc_def", "preproc_function_def", "preproc_if", "preproc_elif", "case_statement", "enumerator"),
    *("sizeof_expression", "alignof_expression", "template_argument_list", "template_parameter_list", "decltype"),
    *("static_assert_declaration", "attribute_declaration", "attribute_specifier"),
)
"""Kinds of nodes in which a compiler wants constants, or computes nothing."""

LOOPS = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)\([^)]*\)(?:\\\r?\n|[ \t])*(?:for|while|if|switch)\b", re.MULTILINE)
"""The names of macros that begin a loop or a condition: what follows their parentheses is a statement."""

COMPARED = {**OTHERS, "==": "!=", "!=": "=="}


@dataclass(frozen=True)
class Declared:
    """What the files declare outside functions."""

    fields: Mapping[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By the name of a field: its types."""
    beside: Mapping[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By the name of a field: the other fields of its structures that have its type."""
    functions: Mapping[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By the types of the parameters, as one text: functions that take them."""
    signatures: Mapping[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By the name of a function: the types of its parameters, once for each overload."""
    macros: set[str] = field(default_factory=set)
    """The names of macros with parameters."""


class Scope(NamedTuple):
    """A function: its variables' types, what it reads by type, what stands in brackets, and what is called with one argument."""

    turns: bool
    """Whether its file transposes matrices, as Eigen does."""

    types: Mapping[str, str]
    atoms: Mapping[str, Sequence[str]]
    indices: Sequence[str]
    called: Sequence[str]
    declared: Declared


class Expression(NamedTuple):
    """An expression of a function, from byte ``start`` to byte ``end``, and the line of the whole expression that it is in."""

    node: Any
    start: int
    end: int
    line: int
    scope: Scope
    in_brackets: bool

    @property
    def text(self) -> str:
        return _text(self.node)


class CompiledFile(NamedTuple):
    """A source file: its expressions, and the byte at which a prelude goes, behind the files that it includes."""

    path: str
    source: bytes
    places: list[Expression]
    units: list[Unit]
    prelude: int


def read_files(sources: Mapping[str, bytes]) -> list[CompiledFile]:
    """The files of C and C++ among these sources, by path. Raises :class:`Missing` if tree-sitter is not installed."""
    loops = sorted({name for source in sources.values() for name in LOOPS.findall(source)})
    heads = re.compile(rb"\b(?:%b)\s*\((?:[^()]|\([^()]*\))*\)" % (b"|".join(loops) or rb"(?!)"))
    # Tree-sitter expands no macros. Blanks in the place of a loop's head leave the statement behind it, at the same byte.
    blank = {path: heads.sub(lambda head: re.sub(rb"[^\n]", b" ", head[0]), source) for path, source in sources.items()}
    trees = {path: _parser(GRAMMARS[path[path.rindex(".") :]]).parse(source) for path, source in blank.items()}
    declared = Declared()
    for tree in trees.values():
        _declare(tree.root_node, declared)
    return [_read(path, sources[path], tree.root_node, declared) for path, tree in trees.items()]


@cache
def _parser(grammar: str) -> Any:
    try:
        tree_sitter, module = import_module("tree_sitter"), import_module(grammar)
    except ImportError as error:
        raise Missing(f'--rebuild reads sources with {error.name}; pip install "dalembert[rebuild]"') from error
    return tree_sitter.Parser(tree_sitter.Language(module.language()))


def _text(node: Any) -> str:
    return str(node.text.decode("utf-8", "replace"))


def _walk(node: Any) -> Iterator[Any]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += reversed(one.children)


# Types


def _named(declarator: Any, type: str) -> Iterator[tuple[str, str]]:
    """The names that a declarator declares, with their types: a pointer and an array are one."""
    match declarator.type:
        case "identifier" | "field_identifier":
            yield _text(declarator), type
        case "pointer_declarator" | "array_declarator":
            yield from _named(declarator.child_by_field_name("declarator"), f"{type}*")
        case "reference_declarator" | "init_declarator" | "parenthesized_declarator":
            inner = declarator.child_by_field_name("declarator") or next(iter(declarator.named_children), None)
            yield from _named(inner, type) if inner else ()


def _declarations(node: Any) -> Iterator[tuple[str, str]]:
    """The names that one declaration declares, with their types; nothing for functions, and for types that are deduced."""
    kind = node.child_by_field_name("type")
    if kind is not None and _text(kind) != "auto":
        for declarator in node.children_by_field_name("declarator"):
            yield from _named(declarator, _text(kind))


def _declare(root: Any, declared: Declared) -> None:
    for node in _walk(root):
        if node.type == "field_declaration_list":
            fields = [one for child in node.named_children if child.type == "field_declaration" for one in _declarations(child)]
            for name, type in fields:
                declared.fields[name].add(type)
                declared.beside[name].update(other for other, its in fields if its == type and other != name)
        elif node.type == "preproc_function_def":
            declared.macros.add(_text(node.child_by_field_name("name")))
        elif node.type == "function_declarator" and (name := node.child_by_field_name("declarator")) is not None:
            parameters = node.child_by_field_name("parameters").named_children
            types = "; ".join(type for one in parameters for _, type in _declarations(one))
            declared.signatures[_text(name)].append(types)
            if _text(name) not in declared.functions[types]:
                declared.functions[types].append(_text(name))


def _type(node: Any, types: Mapping[str, str], declared: Declared) -> str | None:
    """The type of a name, an element or a field, as far as the declarations tell."""
    match node.type:
        case "identifier":
            return types.get(_text(node))
        case "subscript_expression":
            whole = _type(node.child_by_field_name("argument"), types, declared)
            return whole and (whole[:-1] if whole.endswith("*") else f"{whole}[]")
        case "field_expression":
            found = declared.fields.get(_text(node.child_by_field_name("field")), set())
            return next(iter(found)) if len(found) == 1 else None
    return None


# Expressions


def _read(path: str, source: bytes, root: Any, declared: Declared) -> CompiledFile:
    places, units = list[Expression](), list[Unit]()
    outside = {name: type for node in root.children if node.type == "declaration" for name, type in _declarations(node)}
    for function in (node for node in _walk(root) if node.type == "function_definition"):
        body = function.child_by_field_name("body")
        if body is None or len(source) > LARGEST:
            continue
        own = (node for node in _walk(function) if node.type in ("declaration", "parameter_declaration"))
        types = outside | {name: type for node in own for name, type in _declarations(node)}
        found = [one for one in _expressions(body, None, False) if one[0].text == source[one[0].start_byte : one[0].end_byte]]
        atoms: dict[str, dict[str, None]] = defaultdict(dict)
        for node, _, _ in found:
            if node.type in ATOMS and len(_text(node)) <= LONGEST_ATOM and (type := _type(node, types, declared)):
                atoms[type][_text(node)] = None
        indices = dict.fromkeys(_text(node) for node, _, inside in found if inside and node.type == "identifier")
        calls = (node for node, _, _ in found if node.type == "call_expression")
        single = (one for one in calls if len(one.child_by_field_name("arguments").named_children) == 1)
        called = dict.fromkeys(_text(one.child_by_field_name("function")) for one in single)
        scope = Scope(
            b".transpose()" in source,
            types,
            {type: tuple(texts) for type, texts in atoms.items()},
            tuple(indices),
            tuple(called),
            declared,
        )
        for node, unit, inside in found:
            line = unit.start_point.row + 1
            places.append(Expression(node, node.start_byte, node.end_byte, line, scope, inside))
            if node is unit:
                units.append(Unit(path, node.start_byte, node.end_byte, line))
    return CompiledFile(path, source, places, units, _behind_includes(root))


def _expressions(node: Any, unit: Any, in_brackets: bool) -> Iterator[tuple[Any, Any, bool]]:
    """The expressions that are read below a node, each with the whole expression that it is in, and whether that is an index."""
    for child in node.named_children:
        if child.type in FIXED or (child.type == "declaration" and b"static" in child.text.split(b"=")[0]) or _is_macro(child):
            continue
        part = _field(node, child)
        is_part = (node.type, part) in PARTS
        is_name = part == "declarator" and child.type != "init_declarator"
        if is_name or (is_part and node.type == "call_expression" and child.type != "field_expression"):
            continue
        whole, inside = unit, in_brackets or part in INDEX
        if child.type in VALUES and not is_part and not child.has_error:
            whole = unit if unit is not None else child
            yield child, whole, inside
        yield from _expressions(child, whole, inside)


def _is_macro(node: Any) -> bool:
    """Whether it looks like a call, but no operator or semicolon follows."""
    behind = node.next_sibling
    return node.type == "call_expression" and behind is not None and (behind.is_missing or behind.type in AFTER_MACROS)


AFTER_MACROS = ("ERROR", "compound_statement", "expression_statement", "declaration")
"""Kinds of nodes that follow no call."""

INDEX = ("index", "indices")
"""The names, in the two grammars, of what stands in brackets."""

PARTS = {
    ("assignment_expression", "left"),
    ("call_expression", "function"),
    ("update_expression", "argument"),
    ("field_expression", "field"),
}
"""Parts of nodes that are no values: by the kind of the node, and the name of the part."""


def _field(node: Any, child: Any) -> str | None:
    return next((node.field_name_for_child(k) for k, one in enumerate(node.children) if one.id == child.id), None)


def _behind_includes(root: Any) -> int:
    """Behind the last file that is included, whatever the conditions; only the guard of a header counts for none."""
    guards = [node for node in root.children if node.type == "preproc_ifdef" and 2 * len(node.text) > len(root.text)]
    nodes = [*root.children, *(child for guard in guards for child in guard.children)]
    includes = [node.end_byte for node in nodes if node.type == "preproc_include"]
    # A guard without an include ends its first line with the name that it tests, and the next one with that which it defines.
    inside = [child.end_byte for guard in guards for child in guard.children if child.type == "preproc_def"][:1]
    return max([0, *includes, *inside])


# Edits


def edits_of(path: str, source: bytes, places: Sequence[Any], variants: Sequence[Any]) -> Iterator[Edit]:
    """Every edit of one of these places in the source of the file at the path, of these variants."""
    for variant in variants:
        for place in places:
            # Two minus signs in a row would be another operator.
            behind_minus = source[: place.start].rstrip().endswith(b"-")
            for text in dict.fromkeys(variant(place)):
                yield Edit(path, place.start, place.end, f"({text})" if behind_minus and text.startswith("-") else text)


def oddity(source: bytes, edit: Edit) -> tuple[bool, bool, int]:
    """Small for an edit that people make: no number in the place of what is none, no minus in front, few characters."""
    before, after = source[edit.start : edit.end].decode("utf-8", "replace"), edit.text
    kept = sum(block.size for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks())
    return (
        after in CONSTANTS and before not in CONSTANTS,
        after.startswith("-") and not before.startswith("-"),
        len(before) + len(after) - 2 * kept,
    )


def plain(source: bytes, edit: Edit) -> Edit:
    """The edit as it is: it has no parentheses that change nothing."""
    return edit


def structures(place: Expression) -> Iterator[str]:
    """The expression with another sign, order, factor or condition, or without a part."""
    node, text = place.node, place.text
    part = node.child_by_field_name
    match node.type:
        case "binary_expression":
            a, b, operator = _text(part("left")), _text(part("right")), _text(part("operator"))
            if operator in "+-":
                first, second = _operand(part("left")), _operand(part("right"))
                yield from (f"{a} {OTHERS[operator]} {second}", a, f"-{second}" if operator == "-" else b)
                factors = FACTORS[: 1 if place.in_brackets or _is_whole(part("right"), place.scope) else 2]
                yield from (f"-{first} {operator} {second}", *(f"{a} {operator} {factor} * {second}" for factor in factors))
            elif operator in "*/":
                factors = FACTORS[: 1 if place.in_brackets or _is_whole(node, place.scope) else None]
                yield from (a, b, *(f"{factor} * {text}" for factor in factors))
            elif operator in COMPARED:
                yield f"{a} {COMPARED[operator]} {b}"
                yield from (f"{a} {operator} {b} {sign} 1" for sign in "+-")
        case "assignment_expression" if node.parent.type == "expression_statement":
            a, b, operator = _text(part("left")), _text(part("right")), _text(part("operator"))
            yield from (f"{a} {other} {b}" for other in ("=", "+=", "-=") if other != operator)
            yield "(void)0"
        case "call_expression":
            yield from _calls(place)
        case "unary_expression" | "pointer_expression" if text.startswith("-"):
            yield _text(part("argument"))
        case "conditional_expression":
            yield from (_text(part("consequence")), _text(part("alternative")))
    if node.type in ATOMS and not place.in_brackets:
        type = _type(node, place.scope.types, place.scope.declared)
        yield from (f"-{text}",) if type is None or type in NUMBERS or place.scope.turns else ()
        yield from (f"{text}.transpose()",) if place.scope.turns and type not in NUMBERS else ()


def _is_whole(node: Any, scope: Scope) -> bool:
    """Whether it is a whole number, as far as the declarations tell."""
    if node.type == "binary_expression":
        return all(_is_whole(node.child_by_field_name(side), scope) for side in ("left", "right"))
    if node.type == "parenthesized_expression":
        return all(_is_whole(child, scope) for child in node.named_children)
    return _text(node).isdigit() if node.type == "number_literal" else _type(node, scope.types, scope.declared) in WHOLE


def _operand(node: Any) -> str:
    """The expression, to be added to another one or multiplied by a number."""
    is_product = node.type == "binary_expression" and _text(node.child_by_field_name("operator")) in "*/"
    return _text(node) if is_product or node.type in (*ATOMS, *SINGLE) else f"({_text(node)})"


def _calls(place: Expression) -> Iterator[str]:
    """The call with other arguments, of another function that takes the same ones, or of none."""
    node = place.node
    called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments").named_children
    name, arguments = _text(called), [_text(one) for one in given]
    if node.parent.type == "expression_statement":
        yield "(void)0"
    else:
        yield from (f"-{place.text}", *arguments)
    if called.type == "field_expression" and name.endswith((".transpose", ".inverse")):
        yield _text(called.child_by_field_name("argument"))
    for i, j in combinations(range(len(arguments)), 2) if len(arguments) <= MOST_ARGUMENTS else ():
        types = [_type(given[k], place.scope.types, place.scope.declared) for k in (i, j)]
        if arguments[i] != arguments[j] and (None in types or types[0] == types[1]):
            exchanged = [*arguments]
            exchanged[i], exchanged[j] = exchanged[j], exchanged[i]
            yield f"{name}({', '.join(exchanged)})"
    declared, signatures = place.scope.declared, place.scope.declared.signatures.get(name, ())
    own = [other for types in signatures for other in declared.functions.get(types, ())]
    others = own if signatures else place.scope.called if len(arguments) == 1 else ()
    yield from (f"{other}({', '.join(arguments)})" for other in dict.fromkeys(others) if other != name)


def names(place: Expression) -> Iterator[str]:
    """What else of its type the function reads; another field, another number, another index."""
    node, text, scope = place.node, place.text, place.scope
    if node.type == "number_literal":
        if text.isdigit():
            yield from (f"{int(text) + step}" for step in (1, -1) if int(text) + step >= 0)
        called = node.parent.parent.child_by_field_name("function")
        in_macro = called is not None and _text(called) in scope.declared.macros
        if not place.in_brackets and not _is_whole(node.parent, scope) and not (in_macro and text.isdigit()):
            yield from (constant for constant in (*CONSTANTS, f"-{text}") if constant != text)
    elif node.type in ATOMS:
        type = _type(node, scope.types, scope.declared)
        yield from (other for other in scope.atoms.get(type or "", ()) if other != text)
        if node.type == "field_expression":
            base = text.removesuffix(_text(node.child_by_field_name("field")))
            yield from (f"{base}{other}" for other in sorted(scope.declared.beside[_text(node.child_by_field_name("field"))]))
        if place.in_brackets and text in scope.indices:
            yield from (f"{text} {sign} 1" for sign in "+-")
