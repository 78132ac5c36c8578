"""Edits and marks in sources of C and C++: all are compiled together, and the environment says which edit is in force.

    (dalembert_edit() == 3 ? (a - b) : (a + b))            an edit of a + b
    (dalembert_seen(7), (a + b))                           a mark: that a + b is executed is written into a file

Each edit stands on a line with a number of its own, by which the compiler's errors name the edits that it refuses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from implementations.processes.edited import Edit, alternatives, spliced

NAME = "dalembert-edit"
"""The file that lines of edits seem to come from, for the compiler."""

EDITED = re.compile(rf"{NAME}\D{{1,3}}(\d+)")

STATEMENT = re.compile(rb"(?:[;{})]|\belse|\bdo)\s*\Z")
"""What stands before an expression that is a statement."""

SWITCH = "DALEMBERT_EDIT"
"""The variable that has the number of the edit that is in force."""

SEEN = "DALEMBERT_SEEN"
"""The variable that names the file of what was executed."""

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
    static unsigned char seen[100000];
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
template <class T> T &dalembert_value(T &x, int) { return x; }
template <class T> auto dalembert_value(const T &&x, int) -> typename std::decay<decltype(x.eval())>::type { return x.eval(); }
template <class T> T dalembert_value(T &&x, long) { return std::forward<T>(x); }
#endif
#endif
"""
"""What edited sources of C and C++ begin with. Templates of expressions, such as Eigen's, become values: both sides of a
conditional expression must have one type."""


class Unit(NamedTuple):
    """A whole expression of a function, from byte ``start`` to byte ``end`` of the file at a path, in this line."""

    path: str
    start: int
    end: int
    line: int


def switched(source: bytes, path: str, edits: Mapping[int, Edit], prelude: int) -> bytes:
    """The source of the file at the path with all these edits of expressions, of which :data:`SWITCH` chooses one."""
    marks = [(prelude, 0, 0, f"{PRELUDE}{_line(source, prelude, path)}".encode())]
    for (start, end), numbers in alternatives(edits).items():
        # C has no values to choose, and statements have none.
        is_plain = path.endswith(".c") or (STATEMENT.search(source[:start][-200:]) and source[end:].lstrip().startswith(b";"))
        before, behind = ("(", ")") if is_plain else ("dalembert_value((", "), 0)")
        lines = (f'#line {k + 1} "{NAME}"\ndalembert_edit() == {k} ? {before}{edits[k].text}{behind} :\n' for k in numbers)
        marks.append((start, 1, -end, f"(\n{''.join(lines)}{_line(source, start, path)}{before}".encode()))
        marks.append((end, 0, -start, f"{behind})".encode()))
    return spliced(source, marks)


def watched(source: bytes, units: Mapping[int, Unit], prelude: int) -> bytes:
    """The source with marks of these expressions, by their numbers."""
    marks = [(prelude, 0, 0, PRELUDE.encode())]
    for n, unit in units.items():
        marks += [(unit.start, 1, -unit.end, b"(dalembert_seen(%d), (" % n), (unit.end, 0, -unit.start, b"))")]
    return spliced(source, marks)


def _line(source: bytes, place: int, path: str) -> str:
    """What makes a compiler count lines as the file at the path has them at this place."""
    return f'#line {source[:place].count(10) + 1} "{path}"\n'
