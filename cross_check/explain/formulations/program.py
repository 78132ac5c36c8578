"""A function of a source, executed statement by statement, so that thousands of edits of it can be tried.

Only the edited statement is compiled, and only what comes after it is executed anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np

RESULT, EACH = "result of the function", "element of the loop"
"""Names of ours, which no source has."""

PLACE = {"lineno": 1, "col_offset": 0}
"""A place in a source, which every node needs; those of ours are in no source."""


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
        target = _code(_assignment(node.target, ast.Name(EACH, ast.Load(), **PLACE)))
        return Statement(node, compiled(node), target, tuple(map(Statement.of, node.body)))

    def all(self) -> Iterator[Statement]:
        """This one, and those of its body."""
        yield self
        for one in self.body:
            yield from one.all()

    def execute(self, names: dict[str, Any], other: tuple[ast.stmt, CodeType] | None = None) -> None:
        """Execute it with these names; the first statement of ``other`` is executed by the code of ``other``."""
        exec(other[1] if other and other[0] is self.node else self.code, names)
        if self.target is None:
            return
        for each in names[EACH]:
            names[EACH] = each
            exec(self.target, names)
            for statement in self.body:
                statement.execute(names, other)


def compiled(node: ast.stmt) -> CodeType:
    """The code of a statement. The elements of a loop, and the value of a function, are assigned to names of ours."""
    if isinstance(node, ast.For):
        return _code(_assignment(ast.Name(EACH, ast.Store(), **PLACE), node.iter))
    if isinstance(node, ast.Return):
        return _code(_assignment(ast.Name(RESULT, ast.Store(), **PLACE), node.value or ast.Constant(None, **PLACE)))
    return _code(node)


def _assignment(target: ast.expr, value: ast.expr) -> ast.stmt:
    return ast.Assign([target], value, **PLACE)


def _code(node: ast.stmt) -> CodeType:
    return compile(ast.Module([node], []), "formulation", "exec", dont_inherit=True)


class Program:
    """A function of a module. ``names`` are those of the module."""

    def __init__(self, function: ast.FunctionDef, names: Mapping[str, Any]) -> None:
        self.names = names
        self.parameters = [argument.arg for argument in function.args.args]
        self.statements = [Statement.of(node) for node in function.body if not _is_docstring(node)]

    def executed(self, *arguments: Any) -> Execution:
        return Execution(self, dict(zip(self.parameters, arguments, strict=True)))


class Execution:
    """A program with its arguments. What every statement finds is kept."""

    def __init__(self, program: Program, arguments: Mapping[str, Any]) -> None:
        names = {**program.names, **arguments}
        self._statements = program.statements
        self._before: list[dict[str, Any]] = []
        for statement in self._statements:
            self._before.append(_copied(names))
            statement.execute(names)
        self.names = names
        self.result = names[RESULT]

    def with_other(self, place: int, node: ast.stmt, code: CodeType) -> Any:
        """The result if the statement ``node``, in the one at this place, has this code. Raises what the code raises."""
        names = _copied(self._before[place])
        for statement in self._statements[place:]:
            statement.execute(names, (node, code))
        return names[RESULT]

    def with_names(self, **names: Any) -> Any:
        """The result with other names of the module, such as another function."""
        names = {**_copied(self._before[0]), **names}
        for statement in self._statements:
            statement.execute(names)
        return names[RESULT]


def _copied(names: Mapping[str, Any]) -> dict[str, Any]:
    """The names, with copies of what a statement may change."""
    return {name: x.copy() if isinstance(x, list | np.ndarray) else x for name, x in names.items()}


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
