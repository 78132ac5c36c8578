"""A user's compiled code with edits of its source, built anew in a copy of its folder: which edits make its answers right.

The user says how the code is built. All edits are compiled together, with a switch that the environment sets: so a compiler that
needs a second is asked once for hundreds of edits. This runs in a worker process, which works in the copy.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path, PurePath

from implementations.languages.program import CannotStart, words_of
from implementations.languages.shared_library import PREFIX as LIBRARY
from implementations.plugins.registry import find_implementation
from implementations.plugins.user_code import UserCodeError
from implementations.processes.edited import Asked, Edit, answers_apart, edited_sources, is_right
from implementations.processes.subject import InProcess
from implementations.processes.switched import SEEN, SWITCH, Switched, Unit, switched, watched
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.plain_text import one_line

BUILDING = 300.0
"""Seconds that one build may take."""

LARGEST_FOLDER = 1 << 29
"""Bytes of the largest folder that is copied."""

LEFT_OUT = (".git", ".hg", ".tox", ".venv", "node_modules", "__pycache__", "CMakeCache.txt")
"""Folders that no build needs, and the file in which CMake keeps the path of the folder: without it, CMake starts anew."""

PLACE = re.compile(r"^([^\s:(][^:(]*)[:(](\d+)")
"""The file and the line at the beginning of a compiler's error."""

BLAMING = ("error", "in expansion of macro", "required from")
"""What a compiler says in lines that blame a place."""

TOGETHER = 20
"""So many edits are tried in one process."""

ANSWERING = 5.0
"""Seconds that an edited program may take for the few states at which it is tried: an edit may make a loop endless."""


def files_in(folder: str) -> Iterator[Path]:
    """The files in the folder, in the order of their paths, without :data:`LEFT_OUT`."""
    for path, folders, names in os.walk(folder):
        folders[:] = sorted({*folders}.difference(LEFT_OUT))
        files = (Path(path, name) for name in sorted({*names}.difference(LEFT_OUT)))
        yield from (file for file in files if file.is_file())


def copy_of(folder: str) -> tempfile.TemporaryDirectory[str]:
    """A copy of the folder, without :data:`LEFT_OUT`. Raises :class:`UserCodeError` for a folder that is too large."""
    size = sum(file.stat().st_size for file in files_in(folder))
    if size > LARGEST_FOLDER:
        much = f"has {size >> 20} MiB, and is copied for every build"
        raise UserCodeError(f"the folder {folder!r} {much}; start in a folder of at most {LARGEST_FOLDER >> 20} MiB")
    copy = tempfile.TemporaryDirectory(prefix="dalembert-build-")
    shutil.copytree(folder, copy.name, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT), dirs_exist_ok=True)
    return copy


def build(command: str, sources: Mapping[Path, bytes], known: Iterable[str] = ()) -> None:
    """Write these sources, where they differ, and build. ``known`` are all source files, which may include a header.

    Raises :class:`UserCodeError`, and :class:`BuildFailed`.
    """
    written = [path for path, source in sources.items() if path.read_bytes() != source]
    for path in written:
        path.write_bytes(sources[path])
    if any(path.suffix.startswith(".h") for path in written):
        # Not every project says which files include a header.
        for name in known:
            Path(name).touch()
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
        paths = dict.fromkeys(one.path for one in edits.values())
        sources = self._plain(paths)
        made = {
            path: switched(sources[path], {k: one for k, one in edits.items() if one.path == path}, preludes[path])
            for path in paths
        }
        # One edit needs no switch, which constants of C cannot have.
        single = next(iter(edits.values())) if len(edits) == 1 else None
        try:
            changed = {single.path: single.applied(sources[single.path])} if single else {path: made[path].text for path in made}
            load = self._built(changed, preludes)
        except BuildFailed as failed:
            named, near = blamed(failed.output, made)
            if not named & edits.keys():
                # An edit makes what is around it wrong: those on its line are tried apart.
                line_of = {k: (edit.path, sources[edit.path].count(b"\n", 0, edit.start) + 1) for k, edit in edits.items()}
                apart = [k for k in edits if line_of[k] in near] or [*edits]
                parts = [apart[: len(apart) // 2], apart[len(apart) // 2 :], [k for k in edits if k not in apart]]
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
        own = {path: {n: unit for n, unit in enumerate(units) if unit.path == path} for path in preludes}
        marked = {path: watched(source, own[path], preludes[path]) for path, source in self._plain(preludes).items()}
        numbers = [*range(len(units))]
        with tempfile.NamedTemporaryFile(prefix="dalembert-seen-") as file:
            os.environ[SEEN] = file.name
            try:
                load = self._built(marked, preludes)
                answers_apart([lambda: bool(load().load(mechanism).ask(quantity, *arguments))])
                numbers = sorted({int(line) for line in file.read().split()})
            except UserCodeError:
                pass
            finally:
                del os.environ[SEEN]
        lines: dict[str, set[int]] = {}
        for unit in (units[n] for n in numbers):
            lines.setdefault(unit.path, set()).add(unit.line)
        return {path: sorted(own) for path, own in lines.items()}

    def _plain(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The sources of these files without a switch."""
        return {path: self._sources.get(Path(path).resolve()) or Path(path).read_bytes() for path in paths}

    def _built(self, changed: Mapping[str, bytes], known: Iterable[str]) -> Callable[[], InProcess]:
        """What loads the code after a build with these sources; ``known`` are all source files. Raises :class:`UserCodeError`."""
        for path, source in self._plain(changed).items():
            self._sources.setdefault(Path(path).resolve(), source)
        build(self._command, self._sources | {Path(path).resolve(): source for path, source in changed.items()}, known)
        spec = self._spec
        if spec.startswith(LIBRARY):
            # A process loads a library of one path once.
            file = Path(spec.removeprefix(LIBRARY)).expanduser().resolve()
            fresh = file.with_name(f"{next(self._numbers)}-{file.name}")
            shutil.copy(file, fresh)
            spec = f"{LIBRARY}{fresh}"
        return lambda: InProcess(find_implementation(spec))


def blamed(output: str, made: Mapping[str, Switched]) -> tuple[set[int], set[tuple[str, int]]]:
    """The edits that a compiler's errors name, and the lines of files that they name otherwise."""
    named, near = set[int](), set[tuple[str, int]]()
    for said in output.splitlines():
        for file, number in PLACE.findall(said) if any(word in said for word in BLAMING) else ():
            paths = [path for path in made if _may_be(path, file)]
            for path in paths:
                edit = made[path].edit_at(int(number))
                if edit is not None and "error" in said and len(paths) == 1:
                    named.add(edit)
                else:
                    near.add((path, made[path].line_at(int(number)) or 0))
    return named, near


def _may_be(path: str, said: str) -> bool:
    """Whether the file may be the one that a compiler names, perhaps from another folder: the one path ends with the other."""
    pairs = zip(reversed(PurePath(path).parts), reversed(PurePath(said).parts), strict=False)
    return all(one == other for one, other in pairs)


def right_numbers(numbers: Sequence[int], load: Callable[[], InProcess], asked: Asked) -> Iterator[int]:
    """The numbers of the edits with which the code answers right.

    A few are tried in each process. If one ends it, it is tried again in a process of its own: an edit before it may have written
    where it must not.
    """
    waiting = [*numbers]
    while waiting:
        answers = answers_apart(partial(_is_right_with, k, load, asked) for k in waiting[:TOGETHER])
        yield from (k for k, is_right in zip(waiting, answers, strict=False) if is_right)
        waiting = waiting[max(1, len(answers)) :]


def _is_right_with(number: int, load: Callable[[], InProcess], asked: Asked) -> bool:
    """Whether the code is right with one of its edits."""
    os.environ[SWITCH] = str(number)
    return is_right(load, *asked, seconds_of_clock=ANSWERING)
