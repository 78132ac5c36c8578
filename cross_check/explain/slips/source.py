"""The source of a formulation: its program, its names, and what it gives with a slip."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from importlib import import_module
from importlib.resources import files
from typing import Any, NamedTuple

from cross_check.explain import formulations
from cross_check.explain.slips.places import Place, places_in
from cross_check.explain.slips.program import Functions, Program, Statements, compiled

PRODUCTS = ("cross", "crm", "crf", "squared", "trace")
"""Functions that are linear in what they take."""


class Slip(NamedTuple):
    """At a place of the source, ``text`` stands instead."""

    place: Place
    text: str


class Change(NamedTuple):
    """At this byte of a text, ``wrong`` stands for ``right``."""

    at: int
    right: bytes
    wrong: bytes


@dataclass(frozen=True, eq=False)
class Source:
    """The module of a formulation, and its function. Slips refer to nodes of one object's tree: see :func:`source_of`.

    The text may have ``changes`` already, the first in the text first.
    """

    module: str
    changes: tuple[Change, ...] = ()

    @cached_property
    def text(self) -> bytes:
        text = files(formulations).joinpath(f"{self.module}.py").read_bytes()
        for at, right, wrong in reversed(self.changes):
            text = text[:at] + wrong + text[at + len(right) :]
        return text

    def change_of(self, slip: Slip) -> Change | None:
        """The slip as a change of the text that has no changes yet; None if it is in what is changed already."""
        start, end, moved = slip.place.start, slip.place.end, 0
        for at, right, wrong in self.changes:
            if start < at + moved + len(wrong) and at + moved < end:
                return None
            if at + moved < start:
                moved += len(wrong) - len(right)
        return Change(start - moved, self.text[start:end], f"({slip.text})".encode())

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
    def places(self) -> list[Place]:
        """The expressions that have a name. What has none is not edited."""
        every = (place for function in self.functions for place in places_in(function, self.text))
        return [place for place in every if self.name_of(place.node)]

    @cached_property
    def program(self) -> Program:
        names = dict(vars(import_module(f"{formulations.__name__}.{self.module}")))
        exec(compile(self.text, "formulation", "exec", dont_inherit=True), names)
        return Program(self.functions[-1], names)

    @cached_property
    def _comments(self) -> dict[int, str]:
        """By line: the comment at its end."""
        lines = enumerate(self.text.decode().splitlines(), 1)
        return {number: line.partition("  # ")[2].rstrip(",") for number, line in lines if "  # " in line}

    def name_of(self, node: ast.expr) -> str:
        """The name of a term: the comment at its end. That of a sum of several lines stands before it."""
        return self._comments.get(node.lineno if node.lineno == node.end_lineno else node.lineno - 1, "")

    def term_of(self, node: ast.expr, passes: Callable[[ast.expr], bool] = lambda owner: True) -> ast.expr:
        """The largest expression that has this one and stands in one line of the source; all between them pass."""
        owner = self.owner_of(node)
        while isinstance(owner, ast.expr) and owner.lineno == owner.end_lineno and passes(owner):
            node, owner = owner, self.owner_of(owner)
        return node

    def product_of(self, node: ast.expr) -> ast.expr:
        """The largest product in one line of the source that is linear in this expression, or the expression itself."""
        return self.term_of(node, _is_product)

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
    def _compiled_in(self) -> dict[int, ast.stmt]:
        """By the id of a statement: what is compiled for it."""
        found: dict[int, ast.stmt] = {}
        for one in (one for whole in self.program.statements for one in whole.all()):
            nodes = [one.node] if isinstance(one.node, ast.For) else ast.walk(one.node)
            found |= {id(node): one.node for node in nodes if isinstance(node, ast.stmt)}
        return found

    def result(self, slip: Slip, arguments: Sequence[Any]) -> Any:
        """What the function gives with this slip. Raises what wrong code raises."""
        node = self._compiled_in.get(id(slip.place.statement))
        if node is None:
            helper = self._helper(slip.place.statement)
            return self.program.result(arguments, None, {helper.name: self._helped(helper, slip)})
        with self._slipped(slip):
            code = compiled(node)
        return self.program.result(arguments, (node, partial(exec, code)))

    def together(self, slips: Sequence[Slip], one: Sequence[Any], batch: int, arguments: Sequence[Any]) -> tuple[Any, list[bool]]:
        """The result with all these slips of one statement, each in its part of a larger batch, and which parts are sound.

        ``arguments`` are those of the function for the larger batch, which has one more part: the first is right; ``one`` are
        those of one part. Raises what wrong code raises, and :class:`LookupError` for a statement that cannot be executed in
        parts.
        """
        statement = slips[0].place.statement
        if id(statement) not in self._compiled_in:
            helper = self._helper(statement)
            functions = Functions([_function(helper, self.program.names), *(self._helped(helper, slip) for slip in slips)], batch)
            return self.program.result(arguments, None, {helper.name: functions}), functions.works[1:]
        node = self._compiled_in[id(statement)]
        if isinstance(node, ast.For | ast.Return):
            raise LookupError("this statement is executed as a whole")
        codes = [compiled(node)]
        for slip in slips:
            with self._slipped(slip):
                codes.append(compiled(node))
        statements = Statements(codes, dict(zip(self.program.parameters, one, strict=True)), batch)
        return self.program.result(arguments, (node, statements)), statements.works[1:]

    def _helper(self, statement: ast.stmt) -> ast.FunctionDef:
        """The function that has the statement."""
        return next(one for one in self.functions if statement in ast.walk(one))

    def _helped(self, helper: ast.FunctionDef, slip: Slip) -> Callable[..., Any]:
        """The function with the slip."""
        with self._slipped(slip):
            return _function(helper, self.program.names)

    @contextmanager
    def _slipped(self, slip: Slip) -> Iterator[None]:
        """The tree has the slip."""
        owner, name, k = self._owners[id(slip.place.node)]
        _put(owner, name, k, parsed(slip.text))
        try:
            yield
        finally:
            _put(owner, name, k, slip.place.node)


@lru_cache(64)
def source_of(module: str, changes: tuple[Change, ...] = ()) -> Source:
    """The one source of a formulation with these changes."""
    return Source(module, changes)


@lru_cache(20_000)
def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _is_product(node: ast.expr) -> bool:
    """Whether it is linear in what is in it."""
    is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.MatMult)
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PRODUCTS
    is_turned = isinstance(node, ast.Attribute) and node.attr == "mT"
    return is_product or is_call or is_turned


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
