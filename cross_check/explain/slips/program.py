"""A function of a source, executed statement by statement, so that thousands of edits of it can be tried.

Only the edited statement is compiled. All edits of a statement are tried together: each has a part of one large batch, and is
executed for its part; all other statements are executed once, for the whole batch.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np

from cross_check.memory import Array

RESULT, EACH = "result of the function", "element of the loop"
"""Names of ours, which no source has."""


@dataclass(frozen=True)
class Statement:
    """A statement; of a loop, ``code`` makes the elements, ``target`` names one, and the body has statements of its own."""

    node: ast.stmt
    code: CodeType
    target: CodeType | None = None
    body: tuple[Statement, ...] = ()

    @staticmethod
    def of(node: ast.stmt) -> Statement:
        if not isinstance(node, ast.For):
            return Statement(node, compiled(node))
        each = ast.copy_location(ast.Name(EACH, ast.Load()), node.target)
        target = _code(ast.copy_location(ast.Assign([node.target], each), node))
        return Statement(node, compiled(node), target, tuple(map(Statement.of, node.body)))

    def all(self) -> Iterator[Statement]:
        """This one, and those of its body."""
        yield self
        for one in self.body:
            yield from one.all()

    def execute(self, names: dict[str, Any], other: Other | None = None) -> None:
        """Execute it with these names; the statement of ``other`` is executed by the function of ``other``."""
        if other and other[0] is self.node:
            other[1](names)
        else:
            exec(self.code, names)
        if self.target is None:
            return
        for each in names[EACH]:
            names[EACH] = each
            exec(self.target, names)
            for statement in self.body:
                statement.execute(names, other)


Other = tuple[ast.stmt, Callable[[dict[str, Any]], None]]
"""A statement, and what is executed in its place."""


def compiled(node: ast.stmt) -> CodeType:
    """The code of a statement. The elements of a loop, and the value of a function, are assigned to names of ours."""
    if isinstance(node, ast.For):
        return _code(_assigned(EACH, node.iter))
    if isinstance(node, ast.Return):
        return _code(_assigned(RESULT, node.value or ast.copy_location(ast.Constant(None), node)))
    return _code(node)


def _assigned(name: str, value: ast.expr) -> ast.stmt:
    return ast.copy_location(ast.Assign([ast.copy_location(ast.Name(name, ast.Store()), value)], value), value)


def _code(node: ast.stmt) -> CodeType:
    return compile(ast.Module([node], []), "formulation", "exec", dont_inherit=True)


class Program:
    """A function of a module. ``names`` are those of the module."""

    def __init__(self, function: ast.FunctionDef, names: Mapping[str, Any]) -> None:
        self.names = names
        self.parameters = [argument.arg for argument in function.args.args]
        self.statements = [Statement.of(node) for node in function.body if not _is_docstring(node)]

    def executed(
        self, arguments: Sequence[Any], other: Other | None = None, names: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """All names at the end, if a statement is executed by another function, and with other ``names`` of the module.

        Raises what these raise.
        """
        own = {**self.names, **dict(zip(self.parameters, arguments, strict=True)), **(names or {})}
        for statement in self.statements:
            statement.execute(own, other)
        return own

    def result(self, *given: Any) -> Any:
        """What the function gives then."""
        return self.executed(*given)[RESULT]


class Parts:
    """Several variants of one thing, each for its part of a batch that has a part for each. The first is the right one.

    Arrays (batch, …, …) have parts; all others, and those with a batch of one, are the same for all.
    """

    def __init__(self, count: int, batch: int) -> None:
        self._batch, self._count = batch, count
        self.works = [True] * count
        """Whether each variant gives what the first one does, with arrays of the same axes."""

    def part(self, k: int, x: Any) -> Any:
        """What variant k has of x."""
        if isinstance(x, list):
            return [self.part(k, one) for one in x]
        has_parts = isinstance(x, np.ndarray) and x.ndim > 2 and len(x) == self._batch * self._count
        return x[k * self._batch : (k + 1) * self._batch] if has_parts else x

    def whole(self, values: list[dict[Any, Any] | None]) -> dict[Any, Array]:
        """By what the first variant gives: the arrays of all. What gives something else is marked."""
        first = values[0]
        if first is None or not self._are_arrays(first):
            raise LookupError("this is no array with a batch")
        shapes = {target: value.shape[1:] for target, value in first.items()}
        for k, one in enumerate(values):
            if one is None or not self._are_arrays(one) or {target: x.shape[1:] for target, x in one.items()} != shapes:
                self.works[k], values[k] = False, first
        return {
            target: np.concatenate([np.broadcast_to(one[target], (self._batch, *shape)) for one in values if one])
            for target, shape in shapes.items()
        }

    def _are_arrays(self, found: Mapping[Any, Any]) -> bool:
        return all(isinstance(x, np.ndarray) and x.ndim > 2 and len(x) in (1, self._batch) for x in found.values())


class Statements(Parts):
    """Several ``codes`` in the place of one statement. The ``given`` arguments are those of one part."""

    def __init__(self, codes: Sequence[CodeType], given: Mapping[str, Any], batch: int) -> None:
        super().__init__(len(codes), batch)
        self._codes, self._given = codes, given

    def __call__(self, names: dict[str, Any]) -> None:
        for target, value in self.whole([self._assigned(k, names) for k in range(len(self._codes))]).items():
            if isinstance(target, str):
                names[target] = value
            else:
                names[target[0]][target[1]] = value

    def _assigned(self, k: int, names: dict[str, Any]) -> dict[Any, Any] | None:
        """What the code assigns: by name, or by name and place in a list."""
        read = {name: self.part(k, names[name]) for name in self._codes[k].co_names if name in names}
        before = {**read, **self._given}
        own = {name: x.copy() if isinstance(x, list) else x for name, x in before.items()}
        try:
            exec(self._codes[k], own)
        except Exception:
            return None  # Most edits make code that fails.
        del own["__builtins__"]
        found: dict[Any, Any] = {}
        for name, x in own.items():
            if isinstance(x, list) and name in before:
                found |= {(name, i): y for i, (y, old) in enumerate(zip(x, before[name], strict=False)) if y is not old}
            elif x is not before.get(name):
                found[name] = x
        return found or None


class Functions(Parts):
    """Several functions in the place of one."""

    def __init__(self, functions: Sequence[Callable[..., Any]], batch: int) -> None:
        super().__init__(len(functions), batch)
        self._functions = functions

    def __call__(self, *arguments: Any) -> Any:
        values: list[dict[Any, Any] | None] = []
        for k, function in enumerate(self._functions):
            try:
                values.append({"": function(*(self.part(k, x) for x in arguments))})
            except Exception:
                values.append(None)
        return self.whole(values)[""]


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
