"""A user's compiled code with edits of its source, built anew in a copy of its folder: which edits make its answers right.

The user says how the code is built. All edits are compiled together, with a switch that the environment sets: so a compiler that
needs a second is asked once for hundreds of edits. Each edit stands on a line with a number of its own, by which the compiler's
errors name the edits that it refuses. This runs in a worker process, which works in the copy.
"""

from __future__ import annotations

import faulthandler
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from implementations.languages.program import CannotStart, words_of
from implementations.plugins.registry import find_implementation
from implementations.plugins.user_code import UserCodeError
from implementations.processes.edited import MOST_CPU, Asked, Edit, alternatives, edited_sources, is_right, is_so_apart, spliced
from implementations.processes.subject import InProcess
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.plain_text import one_line

BUILDING = 300.0
"""Seconds that one build may take."""

LARGEST_FOLDER = 1 << 29
"""Bytes of the largest folder that is copied."""

LEFT_OUT = (".git", ".hg", ".tox", ".venv", "node_modules", "__pycache__")
"""Folders that no build needs."""

LIBRARY = "lib:"

NAME = "dalembert-edit"
"""The file that lines of edits seem to come from, for the compiler."""

EDITED = re.compile(rf"{NAME}\D{{1,3}}(\d+)")

PLACE = re.compile(r"^([^\s:(][^:(]*)[:(](\d+)")
"""The file and the line at the beginning of a compiler's error."""

TOGETHER = 20
"""So many edits are tried in one process."""

ANSWERING = 5.0
"""Seconds that an edited program may take for the few states at which it is tried: an edit may make a loop endless."""

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


def copy_of(folder: str) -> tempfile.TemporaryDirectory[str]:
    """A copy of the folder, without :data:`LEFT_OUT`. Raises :class:`UserCodeError` for a folder that is too large."""
    size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file() and not {*file.parts} & {*LEFT_OUT})
    if size > LARGEST_FOLDER:
        much = f"has {size >> 20} MiB, and is copied for every build"
        raise UserCodeError(f"the folder {folder!r} {much}; start in a folder of at most {LARGEST_FOLDER >> 20} MiB")
    copy = tempfile.TemporaryDirectory(prefix="dalembert-build-")
    shutil.copytree(folder, copy.name, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT), dirs_exist_ok=True)
    return copy


def build(command: str, sources: Mapping[Path, bytes]) -> None:
    """Write these sources, where they differ, and build. Raises :class:`UserCodeError`, and :class:`BuildFailed`."""
    for path, source in sources.items():
        if path.read_bytes() != source:
            path.write_bytes(source)
    try:
        done = subprocess.run(words_of(command), capture_output=True, timeout=BUILDING, check=False)
    except subprocess.TimeoutExpired:
        raise UserCodeError(f"`{command}` takes more than {BUILDING:g} s; build less at a time, or leave --rebuild out") from None
    except (OSError, CannotStart) as error:
        raise UserCodeError(f"`{command}` cannot be started ({error}); correct it, or leave --rebuild out") from None
    if done.returncode:
        said = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
        why = next((line for line in said.splitlines() if "error" in line), said.rpartition("\n")[2])
        failed = f"`{command}` fails in a copy of the folder ({one_line(why, 200)}); correct it, or leave --rebuild out"
        raise BuildFailed(failed, said)


class BuildFailed(UserCodeError):
    """The command ended with an error; ``output`` is what it printed."""

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.output = output


class Unit(NamedTuple):
    """A whole expression of a function, from byte ``start`` to byte ``end`` of the file at a path, in this line."""

    path: str
    start: int
    end: int
    line: int


class Rebuilt:
    """The code that ``spec`` names, built by ``command`` in the present folder, after these ``edits`` of its sources.

    Raises :class:`UserCodeError`.
    """

    def __init__(self, spec: str, command: str, edits: Sequence[Edit]) -> None:
        self._spec, self._command, self._numbers = spec, command, count()
        self._sources: dict[Path, bytes] = {}
        """What has been changed since, as it was."""
        build(command, edited_sources(edits))

    def right_edits(self, edits: Sequence[Edit], preludes: Mapping[str, int], asked: Asked) -> list[int]:
        """The places of the edits with which the code answers right."""
        compiled = self._compiled(dict(enumerate(edits)), preludes)
        return [k for load, numbers in compiled for k in right_numbers(numbers, load, asked)]

    def _compiled(
        self, edits: Mapping[int, Edit], preludes: Mapping[str, int]
    ) -> Iterator[tuple[Callable[[], InProcess], Sequence[int]]]:
        """What loads the code after builds with edits, and their numbers.

        Edits that the compiler's errors name are left out. If they name none, the edits are halved.
        """
        try:
            # One edit needs no switch, which constants of C cannot have.
            single = next(iter(edits.values())) if len(edits) == 1 else None
            own = {
                path: {k: edit for k, edit in edits.items() if edit.path == path} for path in {one.path for one in edits.values()}
            }
            sources = self._plain(own)
            changed = {path: switched(sources[path], path, own[path], preludes[path]) for path in own}
            load = self._built({single.path: single.applied(sources[single.path])} if single else changed)
        except BuildFailed as failed:
            lines = failed.output.splitlines()
            named = {int(number) - 1 for line in lines if "error" in line for number in EDITED.findall(line)}
            named = named or {int(number) - 1 for line in lines if "required from" in line for number in EDITED.findall(line)}
            if not named:
                # An edit makes what is around it wrong: those on its line are tried apart.
                places = {(path, int(line)) for line in lines if "error" in line for path, line in PLACE.findall(line)}
                near = [k for k, edit in edits.items() if (edit.path, sources[edit.path][: edit.start].count(10) + 1) in places]
                near = near or [*edits]
                parts = [near[: len(near) // 2], near[len(near) // 2 :], [k for k in edits if k not in near]]
            else:
                parts = [[k for k in edits if k not in named]]
            for part in parts:
                yield from self._compiled({k: edits[k] for k in part}, preludes) if part and len(edits) > 1 else ()
        else:
            yield load, [*edits]

    def executed_lines(
        self,
        units: Sequence[Unit],
        preludes: Mapping[str, int],
        mechanism: Mechanism,
        quantity: str,
        arguments: Sequence[Array],
    ) -> dict[str, list[int]]:
        """By path: the lines of those units that loading the mechanism and answering execute. All, if that cannot be seen."""
        marked: dict[str, bytes] = {}
        for path, source in self._plain(preludes).items():
            marks = [(preludes[path], 0, 0, PRELUDE.encode())]
            for n, unit in enumerate(units):
                if unit.path == path:
                    marks += [(unit.start, 1, -unit.end, b"(dalembert_seen(%d), (" % n), (unit.end, 0, -unit.start, b"))")]
            marked[path] = spliced(source, marks)
        numbers = [*range(len(units))]
        with tempfile.NamedTemporaryFile(prefix="dalembert-seen-") as file:
            os.environ[SEEN] = file.name
            try:
                load = self._built(marked)
                is_so_apart(lambda: bool(load().load(mechanism).ask(quantity, *arguments)))
                numbers = sorted({int(line) for line in file.read().split()})
            except UserCodeError:
                pass
            finally:
                del os.environ[SEEN]
        lines: dict[str, set[int]] = {}
        for unit in (units[n] for n in numbers):
            lines.setdefault(unit.path, set()).add(unit.line)
        return {path: sorted(own) for path, own in lines.items()}

    def _plain(self, paths: Mapping[str, object]) -> dict[str, bytes]:
        """The sources of these files without a switch."""
        return {path: self._sources.get(Path(path).resolve()) or Path(path).read_bytes() for path in paths}

    def _built(self, changed: Mapping[str, bytes]) -> Callable[[], InProcess]:
        """What loads the code after a build with these sources. Raises :class:`UserCodeError`."""
        for path, source in self._plain(changed).items():
            self._sources.setdefault(Path(path).resolve(), source)
        build(self._command, self._sources | {Path(path).resolve(): source for path, source in changed.items()})
        spec = self._spec
        if spec.startswith(LIBRARY):
            # A process loads a library of one path once.
            file = Path(spec.removeprefix(LIBRARY)).expanduser().resolve()
            fresh = file.with_name(f"{next(self._numbers)}-{file.name}")
            shutil.copy(file, fresh)
            spec = f"{LIBRARY}{fresh}"
        return lambda: InProcess(find_implementation(spec))


def right_numbers(numbers: Sequence[int], load: Callable[[], InProcess], asked: Asked) -> Iterator[int]:
    """The numbers of the edits with which the code answers right.

    A few are tried in each process. If one ends it, it is tried again in a process of its own: an edit before it may have written
    where it must not.
    """
    waiting = [*numbers]
    while waiting:
        answers = _answers(waiting[:TOGETHER], load, asked)
        yield from (k for k, is_right in zip(waiting, answers, strict=False) if is_right)
        waiting = waiting[max(1, len(answers)) :]


def _answers(numbers: Sequence[int], load: Callable[[], InProcess], asked: Asked) -> bytes:
    """Whether the code is right with each edit, in another process: one byte each, until an edit ends it."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        # Nothing of this process may go on in the child, whatever happens.
        try:
            faulthandler.disable()
            for k in numbers:
                used = math.ceil(time.process_time())
                resource.setrlimit(resource.RLIMIT_CPU, (used + MOST_CPU, resource.RLIM_INFINITY))
                os.environ[SWITCH] = str(k)
                os.write(writable, bytes([is_right(load, *asked, seconds=ANSWERING, timer=signal.ITIMER_REAL)]))
        finally:
            os._exit(0)
    os.close(writable)
    with os.fdopen(readable, "rb") as pipe:
        answers = pipe.read()
    os.waitpid(child, 0)
    return answers


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


def _line(source: bytes, place: int, path: str) -> str:
    """What makes a compiler count lines as the file at the path has them at this place."""
    return f'#line {source[:place].count(10) + 1} "{path}"\n'
