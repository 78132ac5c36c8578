"""Inserts what the commands of a page print.

A block ``console`` has commands, each after "$ "; a line that ends with a backslash goes on. They run in one folder per page. The
page that is built has their output in the place of the lines below them. These lines are what the text relies on: each must
occur in the output, in order, where "…" stands for anything and the digits of versions for any digits. Options of the block:

``exit=1``       the exit code that its last command must end with; 0 if there is none, and 0 for all commands before
``skip="why"``   shown and not run, with the reason
``needs=jax``    run only where these modules and programs are installed, as in ``needs=jax,cc``; the page says so elsewhere
``with=a.py``    copies files of the page's folder to where the commands run, as in ``with="a.py b.urdf"``
``lines=20``     the most lines of one output that are shown

``file=NAME`` behind any other language writes the block to the file, for the commands that follow.

``python docs/site/executed.py docs/tutorial/author.md`` prints a page with the outputs of its commands.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from shell import WIDTH, Shell

OPTIONS = {"exit", "skip", "needs", "with", "lines"}

CHECKOUT = Path(__file__).resolve().parents[2]

VERSION = re.compile(r"\d+(?:\.\d+){2,}")

FENCE = re.compile(r"(?P<ticks>`{3,})(?P<language>[\w-]*)(?P<options>[^`]*)")


class PageError(Exception):
    """A page cannot be built; the message is one sentence that starts with the page and the line."""


@dataclass(frozen=True)
class Block:
    """A fenced block that starts at the line ``line``, counted from 1; ``lines`` are those between the fences."""

    page: str
    line: int
    language: str
    options: dict[str, str]
    lines: tuple[str, ...]
    written: str
    """The whole block as it stands in the page, fences included."""

    def error(self, problem: str, line: int | None = None) -> PageError:
        return PageError(f"{self.page}:{line or self.line}: {problem}")


@dataclass(frozen=True)
class Command:
    """A command as it is written, the line where it stands, and lines that its output must contain."""

    written: tuple[str, ...]
    line: int
    expected: tuple[str, ...]

    @property
    def words(self) -> str:
        return "\n".join(self.written).removeprefix("$ ")


def split(text: str, page: str) -> list[str | Block]:
    """The page's parts, in order: text between blocks, and the blocks that start at the beginning of a line.

    Raises :class:`PageError` for a block that does not end and for options that are not ``name=value``.
    """
    parts: list[str | Block] = []
    lines = iter(enumerate(text.splitlines(keepends=True), 1))
    between: list[str] = []
    for number, line in lines:
        if not (start := FENCE.fullmatch(line.rstrip())):
            between.append(line)
            continue
        inside: list[str] = []
        for _, line_inside in lines:
            if line_inside.rstrip() == start["ticks"]:
                break
            inside.append(line_inside)
        else:
            raise PageError(f"{page}:{number}: this block does not end; close it with {start['ticks']}")
        written = line + "".join(inside) + start["ticks"] + "\n"
        options = _options_of(start["options"], f"{page}:{number}") if start["language"] else {}
        block = Block(page, number, start["language"], options, tuple(one.rstrip("\n") for one in inside), written)
        parts += ["".join(between), block]
        between = []
    return [*parts, "".join(between)]


def _options_of(text: str, place: str) -> dict[str, str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise PageError(f"{place}: the options of this block cannot be read: {error}") from error
    if wrong := [word for word in words if "=" not in word]:
        raise PageError(f"{place}: the option {wrong[0]!r} of this block has no value; write name=value")
    return dict(word.split("=", 1) for word in words)


def executed(text: str, page: str) -> str:
    """The Markdown of ``page`` with the outputs of its commands; ``page`` is its path in the checkout.

    Raises :class:`PageError` if a command ends with another exit code, or without a line that the page relies on.
    """
    with tempfile.TemporaryDirectory(prefix="page-") as folder:
        shell = Shell(Path(folder).resolve())
        return "".join(part if isinstance(part, str) else _shown(part, shell) for part in split(text, page))


def has_commands(text: str, page: str) -> bool:
    """Whether the page has commands that are run."""
    return any(
        isinstance(part, Block) and part.language == "console" and "skip" not in part.options for part in split(text, page)
    )


def missing(block: Block) -> str:
    """Which modules and programs of the option ``needs`` are not installed, in words; empty if all are."""
    needed = filter(None, block.options.get("needs", "").split(","))
    names = [name for name in needed if not (find_spec(name) or shutil.which(name, path=os.defpath))]
    verb = "is" if len(names) == 1 else "are"
    return f"{' and '.join(names)} {verb} not installed where it ran" if names else ""


def commands(block: Block) -> Iterator[Command]:
    """The commands of a block ``console``."""
    lines = list(enumerate(block.lines, block.line + 1))
    while lines:
        number, line = lines.pop(0)
        if not line.startswith("$ "):
            raise block.error("a block of commands starts with a command; write `$ ` before it", number)
        written = [line]
        while written[-1].endswith("\\") and lines:
            written.append(lines.pop(0)[1])
        expected = []
        while lines and not lines[0][1].startswith("$ "):
            expected.append(lines.pop(0)[1])
        yield Command(tuple(written), number, tuple(one for one in expected if one.strip()))


def _shown(block: Block, shell: Shell) -> str:
    if block.language == "console":
        return _console(block, shell)
    if name := block.options.get("file"):
        _write(block, shell, name)
        return _fenced(f"{{code-block}} {block.language}", f":caption: {name}\n\n" + "\n".join(block.lines))
    return block.written


def _console(block: Block, shell: Shell) -> str:
    if unknown := sorted(set(block.options) - OPTIONS):
        raise block.error(f"a block of commands has no option {unknown[0]!r}; use {', '.join(sorted(OPTIONS))}")
    for name in {"exit", "lines"} & set(block.options):
        if not block.options[name].isdecimal():
            raise block.error(f"the option {name} is {block.options[name]!r}; give a whole number")
    found = list(commands(block))
    if why := block.options.get("skip", missing(block)):
        return _fenced("console", "\n".join(block.lines)) + f"\n*The build did not run this: {why}.*\n"
    for name in block.options.get("with", "").split():
        _copy(block, shell, name)
    code = int(block.options.get("exit", "0"))
    shown: list[str] = []
    previous = ""
    for command in found:
        output = _output(command, block, shell, code if command is found[-1] else 0)
        # A line between an output and the next command, as there is a prompt between them in a terminal.
        shown += [*([""] if shown and shown[-1] != previous else []), *command.written, *_lines(output, block)]
        previous = command.written[-1]
    return _fenced("console", "\n".join(shown)) + (f"\n*Exit code {code}.*\n" if code else "")


def _output(command: Command, block: Block, shell: Shell, wanted: int) -> list[str]:
    try:
        outcome = shell.run(command.words)
    except TimeoutError as error:
        raise block.error(f"`{command.words}` {error}", command.line) from error
    if outcome.code != wanted:
        problem = f"`{command.words}` ended with the exit code {outcome.code}, and the page says {wanted}; it printed:"
        raise block.error(f"{problem}\n{outcome.output}", command.line)
    remaining = iter(outcome.output.splitlines())
    for line in command.expected:
        pattern = _pattern(line)
        if not any(pattern.fullmatch(_unversioned(one)) for one in remaining):
            problem = f"`{command.words}` does not print {line.strip()!r} any more, or not in this order; it printed:"
            raise block.error(f"{problem}\n{outcome.output}", command.line)
    return outcome.output.rstrip().splitlines()


def _pattern(line: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, _unversioned(line).split("…"))))


def _unversioned(line: str) -> str:
    return VERSION.sub("0.0.0", line.strip())


def _lines(output: list[str], block: Block) -> list[str]:
    most = int(block.options.get("lines", len(output)))
    return [part for line in output[:most] for part in _wrapped(line)] + ["…"] * (len(output) > most)


def _wrapped(line: str) -> list[str]:
    """The line as a terminal would break it, at words."""
    if len(line) <= WIDTH:
        return [line]
    indent = line[: len(line) - len(line.lstrip())] + "  "
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _write(block: Block, shell: Shell, name: str) -> None:
    path = _inside(block, shell.work, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(block.lines) + "\n", "utf-8")


def _copy(block: Block, shell: Shell, name: str) -> None:
    source = _inside(block, (CHECKOUT / block.page).parent, name)
    if not source.is_file():
        raise block.error(f"there is no file {name!r} beside the page; name one that is there")
    shutil.copy(source, shell.work / source.name)


def _inside(block: Block, folder: Path, name: str) -> Path:
    folder = folder.resolve()
    path = (folder / name).resolve()
    if not path.is_relative_to(folder) or path == folder:
        raise block.error(f"the file {name!r} is outside of the page's folder; give a name inside")
    return path


def _fenced(head: str, body: str) -> str:
    """A block with more backticks than its body has in a row."""
    longest = max((len(ticks) for ticks in re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{head}\n{body}\n{fence}\n"


if __name__ == "__main__":
    try:
        for name in sys.argv[1:]:
            print(executed(Path(name).read_text("utf-8"), name))
    except PageError as error:
        sys.exit(str(error))
