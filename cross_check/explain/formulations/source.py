"""The source of a formulation: its program, its names, and what it gives with a slip."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import import_module
from importlib.resources import files
from typing import Any, NamedTuple

from cross_check.explain.formulations.places import Place
from cross_check.explain.formulations.program import Execution, Program, compiled


class Slip(NamedTuple):
    """At a place of the source, ``text`` stands instead."""

    place: Place
    text: str


@dataclass(frozen=True, eq=False)
class Source:
    """The module of a formulation, and its function. Slips refer to nodes of one object's tree: see :func:`source_of`."""

    module: str

    @cached_property
    def text(self) -> bytes:
        return files(__package__).joinpath(f"{self.module}.py").read_bytes()

    @cached_property
    def functions(self) -> list[ast.FunctionDef]:
        """The functions that it calls, then the function itself."""
        found = [node for node in ast.parse(self.text).body if isinstance(node, ast.FunctionDef)]
        for function in found:
            # What an annotation names is no number.
            function.returns = None
            for argument in function.args.args:
                argument.annotation = None
        return found

    @cached_property
    def program(self) -> Program:
        return Program(self.functions[-1], vars(import_module(f"{__package__}.{self.module}")))

    @cached_property
    def _comments(self) -> dict[int, str]:
        """By line: the comment at its end."""
        lines = enumerate(self.text.decode().splitlines(), 1)
        return {number: line.partition("  # ")[2].rstrip(",") for number, line in lines if "  # " in line}

    def name_of(self, node: ast.expr) -> str:
        """The name of a term: the comment at its end. That of a sum of several lines stands before it."""
        return self._comments.get(node.lineno if node.lineno == node.end_lineno else node.lineno - 1, "")

    def term_of(self, node: ast.expr) -> ast.expr:
        """The largest expression that has this one and stands in one line of the source."""
        owner = self.owner_of(node)
        while isinstance(owner, ast.expr) and owner.lineno == owner.end_lineno:
            node, owner = owner, self.owner_of(owner)
        return node

    def owner_of(self, node: ast.AST) -> ast.AST:
        """What the node is a part of."""
        return self._owners[id(node)][0]

    def target_of(self, slip: Slip) -> ast.AST:
        """What the statement of the slip assigns."""
        targets = (node for node in ast.walk(slip.place.statement) if isinstance(getattr(node, "ctx", None), ast.Store))
        return next(targets, slip.place.node)

    def replaced(self, whole: ast.expr, slip: Slip) -> ast.expr:
        """A copy of an expression with the slip."""
        if whole is slip.place.node:
            return parsed(slip.text)
        with self._slipped(slip):
            return parsed(ast.unparse(whole))

    @cached_property
    def _owners(self) -> dict[int, tuple[ast.AST, str, int | None]]:
        """By the id of a node: its parent, the field of the parent, and the place in this field if it is a list."""
        owners: dict[int, tuple[ast.AST, str, int | None]] = {}
        for owner in (node for function in self.functions for node in ast.walk(function)):
            for name, value in ast.iter_fields(owner):
                for k, child in enumerate(value) if isinstance(value, list) else ((None, value),):
                    if isinstance(child, ast.AST):
                        owners[id(child)] = owner, name, k
        return owners

    @cached_property
    def _compiled_in(self) -> dict[int, tuple[int, ast.stmt]]:
        """By the id of a statement: the place of the program's statement that executes it, and what is compiled for it."""
        found: dict[int, tuple[int, ast.stmt]] = {}
        for place, whole in enumerate(self.program.statements):
            for one in whole.all():
                nodes = [one.node] if isinstance(one.node, ast.For) else ast.walk(one.node)
                found |= {id(node): (place, one.node) for node in nodes if isinstance(node, ast.stmt)}
        return found

    def result(self, execution: Execution, slip: Slip) -> Any:
        """What the function gives with this slip. Raises what wrong code raises."""
        if id(slip.place.statement) in self._compiled_in:
            place, node = self._compiled_in[id(slip.place.statement)]
            with self._slipped(slip):
                code = compiled(node)
            return execution.with_other(place, node, code)
        helper = next(one for one in self.functions if slip.place.statement in ast.walk(one))
        with self._slipped(slip):
            other = _function(helper, self.program.names)
        return execution.with_names(**{helper.name: other})

    @contextmanager
    def _slipped(self, slip: Slip) -> Iterator[None]:
        """The tree has the slip."""
        owner, name, k = self._owners[id(slip.place.node)]
        _put(owner, name, k, parsed(slip.text))
        try:
            yield
        finally:
            _put(owner, name, k, slip.place.node)


@cache
def source_of(module: str) -> Source:
    """The one source of a formulation."""
    return Source(module)


@lru_cache(20_000)
def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _put(owner: ast.AST, name: str, k: int | None, node: ast.AST) -> None:
    if k is None:
        setattr(owner, name, node)
    else:
        getattr(owner, name)[k] = node


def _function(node: ast.FunctionDef, names: Mapping[str, Any]) -> Callable[..., Any]:
    own = dict(names)
    exec(compile(ast.fix_missing_locations(ast.Module([node], [])), "formulation", "exec", dont_inherit=True), own)
    function: Callable[..., Any] = own[node.name]
    return function
