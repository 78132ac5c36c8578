"""Edits and marks in sources of C and C++: all are compiled together, and the environment says which edit is in force.

    (dalembert_edit() == 3 ? (a - b) : (a + b))            an edit of a + b
    (dalembert_seen(7), (a + b))                           a mark: that a + b is executed is written into a file

Each edit stands on a line of its own, by which the compiler's errors name the edits that it refuses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from implementations.processes.edited import Edit, alternatives, spliced

EDITED = re.compile(rb"dalembert_edit\(\) == (\d+) \?")
"""What the line of an edit begins with."""

Mark = tuple[int, int, int, bytes]
"""A place, two numbers that order marks at one place, and a text."""

STATEMENT = re.compile(rb"(?:[;{})]|\belse|\bdo)\s*\Z")
"""What stands before an expression that is a statement."""

SWITCH = "DALEMBERT_EDIT"
"""The variable that has the number of the edit that is in force."""

SEEN = "DALEMBERT_SEEN"
"""The variable that names the file of what was executed."""

MOST_UNITS = 100_000
"""So many expressions are watched at most."""

PRELUDE = """
#ifndef DALEMBERT_EDITS
#define DALEMBERT_EDITS
#include <stdio.h>
#include <stdlib.h>
#if defined(__GNUC__)
#define DALEMBERT_UNUSED __attribute__((unused))
#else
#define DALEMBERT_UNUSED
#endif
static DALEMBERT_UNUSED int dalembert_edit(void) {
    const char *text = getenv("DALEMBERT_EDIT");
    return text ? atoi(text) : -1;
}
static DALEMBERT_UNUSED int dalembert_seen(int n) {
    static unsigned char seen[MOST_UNITS];
    const char *path = getenv("DALEMBERT_SEEN");
    if (!path || seen[n]) return 0;
    seen[n] = 1;
    FILE *file = fopen(path, "a");
    if (file) { fprintf(file, "%d\\n", n); fclose(file); }
    return 0;
}
#if defined(__cplusplus)
#include <type_traits>
#include <utility>
template <class T, typename std::enable_if<std::is_lvalue_reference<T>::value, int>::type = 0>
T dalembert_value(T &&x, int) { return x; }
template <class T, typename std::enable_if<!std::is_lvalue_reference<T>::value, int>::type = 0>
auto dalembert_value(T &&x, int) -> typename std::decay<decltype(x.eval())>::type { return x.eval(); }
template <class T, typename std::enable_if<!std::is_lvalue_reference<T>::value, int>::type = 0>
typename std::decay<T>::type dalembert_value(T &&x, long) { return std::forward<T>(x); }
#else
#define dalembert_value(x, n) x
#endif
#endif
""".replace("MOST_UNITS", str(MOST_UNITS))
"""What edited sources of C and C++ begin with. Templates of expressions, such as Eigen's, become values: both sides of a
conditional expression must have one type."""


class Unit(NamedTuple):
    """A whole expression of a function, from byte ``start`` to byte ``end`` of the file at a path, in this line."""

    path: str
    start: int
    end: int
    line: int


class Switched(NamedTuple):
    """A source with edits. Of each of its lines: the number of the edit that stands there alone, and the line of the file."""

    text: bytes
    edits: list[int | None]
    lines: list[int]

    def edit_at(self, line: int) -> int | None:
        """The number of the edit in this line, counted from 1."""
        return self.edits[line - 1] if 0 < line <= len(self.edits) else None

    def line_at(self, line: int) -> int | None:
        """The line of the file that this line is a part of."""
        return self.lines[line - 1] if 0 < line <= len(self.lines) else None


def switched(source: bytes, edits: Mapping[int, Edit], prelude: int) -> Switched:
    """The source with all these edits of expressions, of which :data:`SWITCH` chooses one."""
    marks = [(prelude, 0, 0, PRELUDE.encode())]
    for (start, end), numbers in alternatives(edits).items():
        # The value of a statement is not asked for, and it may have none.
        before, behind = ("(void)(", ")") if _is_statement(source, start, end) else ("dalembert_value((", "), 0)")
        lines = (f"dalembert_edit() == {k} ? {before}{' '.join(edits[k].text.split())}{behind} :\n" for k in numbers)
        marks.append((start, 1, -end, f"(\n{''.join(lines)}{before}".encode()))
        marks.append((end, 0, -start, f"{behind})".encode()))
    text = spliced(source, marks)
    found = [EDITED.match(line) for line in text.split(b"\n")]
    return Switched(text, [int(one[1]) if one else None for one in found], _lines(source, marks))


def _is_statement(source: bytes, start: int, end: int) -> bool:
    """Whether the expression there is a statement, and no part of the head of a loop."""
    block = source[max(source.rfind(b"{", 0, start), source.rfind(b"}", 0, start), 0) : start]
    is_open = block.count(b"(") > block.count(b")")
    return not is_open and bool(STATEMENT.search(source[:start][-200:])) and source[end:].lstrip().startswith(b";")


def _lines(source: bytes, marks: Sequence[Mark]) -> list[int]:
    """Of each line of the source with these marks: the line of the source, counted from 1."""
    found, line, last = [1], 1, 0
    for place, _, _, text in (*sorted(marks), (len(source), 0, 0, b"")):
        for _ in range(source.count(b"\n", last, place)):
            line += 1
            found.append(line)
        found += [line] * text.count(b"\n")
        last = place
    return found


def watched(source: bytes, units: Mapping[int, Unit], prelude: int) -> bytes:
    """The source with marks of these expressions, by their numbers."""
    marks = [(prelude, 0, 0, PRELUDE.encode())]
    for n, unit in units.items():
        marks += [(unit.start, 1, -unit.end, b"(dalembert_seen(%d), (" % n), (unit.end, 0, -unit.start, b"))")]
    return spliced(source, marks)
