"""Draws mutants: for a random line of a room, one of the changes of its syntax tree."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

from edits import Edit

PRODUCT = ("oracle", "implementations", "cross_check", "reports", "mechanisms", "machine", "dalembert")
TEMPLATES = "dalembert/skeletons/"

OPERATORS = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"), ast.And: ("and", "or"), ast.Or: ("or", "and"),
}  # fmt: skip
"""Operators, as they are written and what they become."""

Site = tuple[int, int, int, str, str]
"""A line, the places in the text where a change begins and ends, the new text, and what is changed."""


def room(file: str) -> str:
    """The part of the product that a file belongs to: a folder in a folder, or a folder."""
    return "/".join(file.split("/")[:-1][:2])


class Sites(ast.NodeVisitor):
    """All changes of one file."""

    def __init__(self, text: str) -> None:
        self.text, self.found = text, list[Site]()
        self.starts = [0]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.lines = text.splitlines()
        self.visit(ast.parse(text))

    def place(self, line: int, column: int) -> int:
        """Where in the text a place of the syntax tree is; its columns count bytes."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        return self.place(node.lineno, node.col_offset), self.place(node.end_lineno, node.end_col_offset)

    def source(self, node: ast.AST) -> str:
        return self.text[slice(*self.span(node))]

    def add(self, node: ast.AST, begin: int, end: int, new: str, what: str) -> None:
        self.found.append((node.lineno, begin, end, new, what))

    def between(self, node: ast.AST, left: ast.AST, right: ast.AST, operator: ast.AST) -> None:
        """Exchange the operator between two operands."""
        if type(operator) in OPERATORS:
            old, new = OPERATORS[type(operator)]
            begin, end = self.span(left)[1], self.span(right)[0]
            if self.text[begin:end].count(old) == 1:
                begin += self.text[begin:end].index(old)
                self.add(node, begin, begin + len(old), new, f"{old} is {new}")

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.between(node, node.left, node.right, node.op)
        if isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
            begin, end = self.span(node)
            self.add(node, begin, end, f"({self.source(node.left)})", "the second term is dropped")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub | ast.Not):
            begin, end = self.span(node)
            self.add(node, begin, end, f"({self.source(node.operand)})", "the sign or “not” is dropped")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        self.between(node, node.left, node.comparators[0], node.ops[0])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.between(node, node.values[0], node.values[1], node.op)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if type(node.value) in (int, float):
            self.add(node, *self.span(node), f"{node.value + 1}", f"{node.value} is {node.value + 1}")

    def visit_Call(self, node: ast.Call) -> None:
        if len(node.args) > 1 and type(node.args[0]) is type(node.args[1]) is not ast.Starred:
            one, other = node.args[:2]
            begin, end = self.span(one)[0], self.span(other)[1]
            swapped = self.source(other) + self.text[self.span(one)[1] : self.span(other)[0]] + self.source(one)
            self.add(node, begin, end, swapped, "two arguments are exchanged")
        self.generic_visit(node)

    def statement(self, node: ast.stmt) -> None:
        self.add(node, *self.span(node), "pass", "a statement is dropped")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.statement(node)

    visit_AugAssign = visit_Raise = visit_Continue = statement

    def visit_Assign(self, node: ast.Assign) -> None:
        if not isinstance(node.targets[0], ast.Name | ast.Tuple):
            self.add(node, *self.span(node), "pass", "an assignment is dropped")
        self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Its parts have no places of their own."""


def edit_of(file: str, text: str, site: Site) -> Edit | None:
    """The change as an edit of whole lines, with as many lines before as make it unique; None if it changes nothing."""
    line, begin, end, new, what = site
    first, last = text.rfind("\n", 0, begin) + 1, (text.find("\n", end) + len(text) + 1) % (len(text) + 1)
    while text.count(text[first:last]) > 1 and first:
        first = text.rfind("\n", 0, first - 1) + 1
    try:
        changed = ast.dump(ast.parse(text[:begin] + new + text[end:])) != ast.dump(ast.parse(text))
    except SyntaxError:
        return None
    edit = Edit(file, f"near line {line}: {what}", text[first:last], text[first:begin] + new + text[end:last])
    return edit if changed and text.count(edit.old) == 1 else None


def draw(root: Path, count: int, seed: int) -> Iterator[Edit]:
    """About ``count`` mutants: for each room as many as it has lines that can be changed, one a line."""
    files = {str(path.relative_to(root)): path.read_text("utf-8") for name in PRODUCT for path in (root / name).rglob("*.py")}
    rooms: dict[str, list[tuple[str, list[Site]]]] = defaultdict(list)
    for file, text in sorted(files.items()):
        if not file.startswith(TEMPLATES):
            lines: dict[int, list[Site]] = defaultdict(list)
            for site in Sites(text).found:
                lines[site[0]].append(site)
            rooms[room(file)] += [(file, sites) for sites in lines.values()]
    share = count / sum(map(len, rooms.values()))
    for name, places in rooms.items():
        random = Random(f"{seed} {name}")
        left = max(1, round(share * len(places)))
        for file, sites in random.sample(places, len(places)):
            if left and (edit := edit_of(file, files[file], random.choice(sites))):
                left -= 1
                yield edit
