"""Translates functions of whole numbers and arrays from Python to LLVM's assembly language.

The functions use a part of Python:

- assignments to names, to entries of arrays, and with an operator; expressions of whole numbers; ``min``, ``max`` and ``abs``;
- ``if``, ``while``, ``for`` over a range whose step is a known number, and ``return``;
- parameters with the annotations of :data:`KINDS`, or of a :class:`~machine.compiling.routines.Record`.

Whole numbers have 64 bits and wrap around. Python's do not, so the functions cut a result that may be longer with
``& (2**64 - 1)``. ``and``, ``or`` and ``x if c else y`` evaluate all of their operands. A value is *known* if it is so before the
function is executed. A known condition, and a loop over known numbers, leave no trace in what is compiled. A function that is not
compiled itself is called while its caller is compiled.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import chain
from types import CodeType
from typing import Any

from machine.compiling.writer import INT, POINTER, UNSIGNED, Array, Number, Writer, text, type_of

Bytes = Any
Ints = Any
Longs = Any
Unsigned = Any
Doubles = Any
Addresses = Any
"""Arrays of int8, int32, int64, uint64, float64 and addresses. The first four are memoryviews where Python executes functions."""

Function = Callable[..., Any]

Names = dict[str, Any]
"""What names stand for at a place in a function: a :class:`Number`, an :class:`Array`, a record, or what is known."""

KINDS = {"Bytes": "i8", "Ints": "i32", "Longs": INT, "Unsigned": UNSIGNED, "Doubles": "double", "Addresses": POINTER}
"""By annotation: the kind of an array's entries."""

RESULTS = {"int": INT, "bool": "i1", "None": "void"}
"""By annotation: what a function returns, as a type of LLVM."""

OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.And: operator.and_,
    ast.BitOr: operator.or_,
    ast.Or: operator.or_,
    ast.BitXor: operator.xor,
    ast.USub: operator.neg,
    ast.Not: lambda x: x ^ True,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}

BUILTINS: dict[Any, Callable[..., Any]] = {
    min: lambda writer, a, b: writer.select(a < b, a, b),
    max: lambda writer, a, b: writer.select(a > b, a, b),
    abs: lambda writer, a: writer.select(a < 0, -a, a),
}
"""Python's own functions of whole numbers that are not known."""


def parameters(function: Function) -> list[tuple[str, str]]:
    """Names and annotations."""
    return [(name, kind) for name, kind in function.__annotations__.items() if name != "return"]


def text_of(functions: Mapping[str, Function], writer: Callable[[], Writer] = Writer) -> str:
    """Functions in LLVM's assembly language, under these names."""
    compiled = {function: name for name, function in functions.items()}
    return "".join(_Translation(function, compiled, writer()).text() for function in compiled)


@dataclass(frozen=True)
class _Fields:
    """A record in a function that is compiled."""

    start: Number
    kinds: Mapping[str, str]

    def __getattr__(self, name: str) -> Array:
        return Array(Array(self.start, POINTER)[list(self.kinds).index(name)], KINDS[self.kinds[name]])


class _Translation:
    """One function. Every statement gets what names stand for before it, and gives what they stand for after it. It gives None
    if nothing is executed after it.

    ``_label`` is that of the block that is written. ``_compiled`` has the names of all functions that are compiled.
    """

    def __init__(self, function: Function, compiled: Mapping[Function, str], writer: Writer) -> None:
        self._function, self._compiled, self._writer, self._label = function, compiled, writer, "entry"
        outer = inspect.getclosurevars(function)
        self._outer = {**outer.builtins, **outer.globals, **outer.nonlocals}

    def text(self) -> str:
        given = {name: self._parameter(name, kind) for name, kind in parameters(self._function)}
        if self._block(tree_of(self._function).body, given) is not None:
            self._writer.lines.append("  ret void")
        head = f"define {RESULTS[self._function.__annotations__['return']]} @{self._compiled[self._function]}"
        body = "\n".join(self._writer.lines)
        return f"\n{head}({', '.join(f'{kind_of(x)} %{name}' for name, x in given.items())}) {{\nentry:\n{body}\n}}\n"

    def _parameter(self, name: str, kind: str) -> Any:
        if kind == "int":
            return Number(self._writer, f"%{name}", INT)
        start = Number(self._writer, f"%{name}", POINTER)
        return Array(start, KINDS[kind]) if kind in KINDS else _Fields(start, self._function.__globals__[kind].__annotations__)

    def _block(self, statements: Sequence[ast.stmt], names: Names) -> Names | None:
        after: Names | None = names
        for statement in statements:
            if after is not None:
                after = self._statement(statement, after)
        return after

    def _statement(self, node: ast.stmt, names: Names) -> Names | None:
        match node:
            case ast.Expr():
                self._value(node.value, names)
            case ast.Assign():
                self._assign(node.targets[0], self._value(node.value, names), names)
            case ast.AugAssign():
                value = OPERATORS[type(node.op)](self._value(node.target, names), self._value(node.value, names))
                self._assign(node.target, value, names)
            case ast.Return():
                kind = RESULTS[self._function.__annotations__["return"]]
                result = f"{kind} {text(self._value(node.value, names), kind)}" if node.value else "void"
                self._writer.lines.append(f"  ret {result}")
                return None
            case ast.If():
                return self._if(node, names)
            case ast.While():
                return self._while(lambda now: self._value(node.test, now), node.body, names)
            case ast.For():
                return self._for(node, names)
            case _:
                raise SyntaxError(f"{type(node).__name__} in {self._function.__name__} cannot be compiled")
        return names

    def _assign(self, target: ast.expr, value: Any, names: Names) -> None:
        match target:
            case ast.Name():
                names[target.id] = value
            case ast.Subscript():
                self._value(target.value, names)[self._value(target.slice, names)] = value
            case ast.Tuple():
                for part, x in zip(target.elts, value, strict=True):
                    self._assign(part, x, names)

    def _if(self, node: ast.If, names: Names) -> Names | None:
        condition = self._value(node.test, names)
        if not isinstance(condition, Number):
            return self._block(node.body if condition else node.orelse, names)
        yes, no, after = (self._writer.name() for _ in range(3))
        self._branch(condition, yes, no)
        ends = []
        for label, statements in ((yes, node.body), (no, node.orelse)):
            self._begin(label)
            end = self._block(statements, dict(names))
            if end is not None:
                ends.append((self._label, end))
                self._jump(after)
        if not ends:
            return None
        self._begin(after)
        (first, one), (second, other) = ends[0], ends[-1]
        merged = {name: x for name, x in one.items() if name in other}
        for name, x in merged.items():
            if x is not other[name]:
                merged[name] = self._either([(x, first), (other[name], second)])
        return merged

    def _while(self, test: Callable[[Names], Any], body: Sequence[ast.stmt], names: Names, step: Names | None = None) -> Names:
        """``step`` has the names that change after the body, and by how much."""
        head, inside, after = (self._writer.name() for _ in range(3))
        changed = sorted({*stored_in(tuple(body)), *(step or ())} & set(names))
        before, names = names, dict(names)
        entry = self._label
        self._jump(head)
        self._begin(head)
        # The first lines choose what changes. They get what comes from the body once the body is written.
        place = len(self._writer.lines)
        for name in changed:
            names[name] = self._either([(before[name], entry)])
        self._branch(test(names), inside, after)
        self._begin(inside)
        end = self._block(body, dict(names))
        if end is not None:
            for name, by in (step or {}).items():
                end[name] = end[name] + by
            for k, name in enumerate(changed):
                self._writer.lines[place + k] += f", [ {text(end[name], names[name].kind)}, %{self._label} ]"
            self._jump(head)
        self._begin(after)
        return names

    def _for(self, node: ast.For, names: Names) -> Names | None:
        target: Any = node.target
        given: Any = node.iter
        name = target.id
        is_range = isinstance(given, ast.Call) and self._value(given.func, names) is range
        values = [self._value(x, names) for x in given.args] if is_range else self._value(given, names)
        if not is_range or not any(isinstance(x, Number) for x in values):
            after: Names | None = names
            for value in range(*values) if is_range else values:
                after = after and self._block(node.body, {**after, name: value})
            return after
        start, stop = (0, *values) if len(values) == 1 else values[:2]
        step = values[2] if len(values) == 3 else 1
        after = self._while(
            lambda now: now[name] > stop if isinstance(step, int) and step < 0 else now[name] < stop,
            node.body,
            {**names, name: start},
            {name: step},
        )
        del after[name]
        return after

    def _value(self, node: ast.expr, names: Names) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return names[node.id] if node.id in names else self._outer[node.id]
            case ast.Tuple():
                return tuple(self._value(x, names) for x in node.elts)
            case ast.Attribute():
                return getattr(self._value(node.value, names), node.attr)
            case ast.Subscript():
                return self._value(node.value, names)[self._value(node.slice, names)]
            case ast.UnaryOp():
                return OPERATORS[type(node.op)](self._value(node.operand, names))
            case ast.BinOp():
                return OPERATORS[type(node.op)](self._value(node.left, names), self._value(node.right, names))
            case ast.BoolOp():
                return reduce(OPERATORS[type(node.op)], [self._value(x, names) for x in node.values])
            case ast.Compare():
                values = [self._value(x, names) for x in (node.left, *node.comparators)]
                pairs = zip(node.ops, values, values[1:], strict=False)
                return reduce(operator.and_, [OPERATORS[type(op)](a, b) for op, a, b in pairs])
            case ast.IfExp():
                condition, yes, no = (self._value(x, names) for x in (node.test, node.body, node.orelse))
                return self._writer.select(condition, yes, no) if isinstance(condition, Number) else yes if condition else no
            case ast.Call():
                return self._call(self._value(node.func, names), [self._value(x, names) for x in node.args])
        raise SyntaxError(f"{type(node).__name__} in {self._function.__name__} cannot be compiled")

    def _call(self, function: Any, given: Sequence[Any]) -> Any:
        if function in BUILTINS and any(isinstance(x, Number) for x in given):
            return BUILTINS[function](self._writer, *given)
        if function not in self._compiled:
            return function(*given)
        kind = RESULTS[function.__annotations__["return"]]
        call = f"call {kind} @{self._compiled[function]}({', '.join(f'{kind_of(x)} {name_of(x)}' for x in given)})"
        if kind != "void":
            return self._writer.write(call, kind)
        self._writer.lines.append(f"  {call}")
        return None

    def _either(self, values: Sequence[tuple[Any, str]]) -> Number:
        """One of several numbers, whichever block came before this one."""
        kind = next((x.kind for x, _ in values if isinstance(x, Number)), INT)
        parts = ", ".join(f"[ {text(x, kind)}, %{label} ]" for x, label in values)
        return self._writer.write(f"phi {type_of(kind)} {parts}", kind)

    def _branch(self, condition: Number, yes: str, no: str) -> None:
        self._writer.lines.append(f"  br i1 {condition.name}, label %{yes}, label %{no}")

    def _jump(self, label: str) -> None:
        self._writer.lines.append(f"  br label %{label}")

    def _begin(self, label: str) -> None:
        self._writer.lines.append(f"{label}:")
        self._label = label


class SourceChanged(Exception):
    """The file of a function has other code than the function, because it was edited after it was imported."""


def tree_of(function: Function) -> ast.FunctionDef:
    """The syntax tree of a function. Raises :class:`SourceChanged`."""
    file = function.__code__.co_filename
    # A module in an archive is no file of its own; its loader gives the source.
    linecache.lazycache(file, function.__globals__)
    try:
        return functions_in(file)[function.__code__]
    except KeyError:
        raise SourceChanged(f"{file} was edited after {function.__name__} was imported; start Python again") from None


@cache
def functions_in(file: str) -> dict[CodeType, ast.FunctionDef]:
    """The functions in a file, by their code, as the file was when it was first asked for; none if it is no Python."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
        codes = codes_in(compile(tree, file, "exec"))
    except (SyntaxError, ValueError):
        return {}
    lines = {node.lineno: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return {code: lines[code.co_firstlineno] for code in codes if code.co_firstlineno in lines}


def codes_in(code: CodeType) -> list[CodeType]:
    """The code, and all code that is defined in it."""
    inner = (codes_in(part) for part in code.co_consts if isinstance(part, CodeType))
    return [code, *chain.from_iterable(inner)]


@cache
def stored_in(statements: tuple[ast.stmt, ...]) -> set[str]:
    """The names that statements assign."""
    nodes = (node for statement in statements for node in ast.walk(statement))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def kind_of(x: Any) -> str:
    """The type of LLVM that an argument has."""
    return type_of(x.kind) if isinstance(x, Number) else POINTER if isinstance(x, (Array, _Fields)) else INT


def name_of(x: Any) -> str:
    return x.start.name if isinstance(x, (Array, _Fields)) else text(x, INT)
