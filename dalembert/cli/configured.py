"""Options that a project's ``[tool.dalembert]`` gives where the command line does not."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dalembert.cli import completion
from dalembert.cli.options import FILE, together
from dalembert.declared import SETTINGS

if TYPE_CHECKING:
    from cross_check.exchange.results import Results
    from cross_check.judge.settings import Settings
    from dalembert.settings import Table

COMMAND_LINE = "command line"

_options = together(
    click.option(
        "--profile",
        metavar="NAME",
        shell_complete=completion.profiles,
        help="Use the settings of [tool.dalembert.profiles.NAME], too.",
    ),
    click.option("--config", type=FILE, help="Take settings from this file.  [default: the nearest pyproject.toml]"),
    click.option("--no-config", is_flag=True, help="Take settings from no file."),
    click.option("--settings", "show_settings", is_flag=True, help="Show every setting, and where it came from."),
)


@dataclass(frozen=True)
class Configured:
    """The options of a command, by name, and where those that are no defaults came from."""

    options: dict[str, Any]
    origins: dict[str, str]
    file: Path | None = None
    """The file of the settings."""

    @property
    def files(self) -> list[Path]:
        """What the command reads beside mechanisms and implementations: no output may overwrite it."""
        return [path for path in (self.file, self.options["python"]) if path]

    @property
    def from_file(self) -> dict[str, str]:
        """Where in the file the settings come from that it gives."""
        return {name: origin for name, origin in self.origins.items() if self.file and origin.startswith(self.file.name)}

    def noted(self, results: Results, settings: Settings, **others: Any) -> Results:
        """The results with every setting. ``others`` are those of the command, by name."""
        from dalembert.settings import with_settings

        python = self.options["python"]
        limits = {name: self.options[name] for name in ("timeout", "memory", "explain")}
        return with_settings(results, settings, self.origins, {**limits, "python": python and str(python), **others})


def configured(command: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of a command that takes :class:`Configured`; it adds the options about the file.

    A command whose settings come from a file works in the file's folder until it ends: modules are found there, and a run does
    not depend on the folder from which it was started. Paths on the command line count from where it was started.
    The command raises :class:`cross_check.judge.settings.SettingsError` for a file that cannot be used.
    """

    @wraps(command)
    def run(ctx: click.Context, /, **given: Any) -> Any:
        with _project(ctx, given) as chosen:
            return command(chosen)

    return _options(click.pass_context(run))


@contextmanager
def _project(ctx: click.Context, given: dict[str, Any]) -> Iterator[Configured]:
    """The options ``given``, with the settings of the project's file where the command line says nothing."""
    names = {one.parameter: name for name, one in SETTINGS.items()}
    sources = click.core.ParameterSource
    on_line = {option for option in given if ctx.get_parameter_source(option) is sources.COMMANDLINE and given[option] != ()}
    chosen = {name: value for name, value in given.items() if name not in ("profile", "config", "no_config")}
    table = _table(given)
    origins = {name: COMMAND_LINE for option, name in names.items() if option in on_line}
    if table is None:
        yield Configured(chosen, origins)
        return
    here = Path.cwd()
    if table.folder != here.resolve():
        chosen |= {name: _moved(name, chosen[name], here, table.folder) for name in on_line if name in chosen}
    for option, name in names.items():
        if name in table.values and option in given and option not in on_line:
            chosen[option] = _converted(ctx, option, table, name)
            origins[name] = table.origins[name]
    with chdir(table.folder):
        yield Configured(chosen, origins, Path(table.path.name))


def _table(given: dict[str, Any]) -> Table | None:
    """What the file says, if there is one."""
    from dalembert.settings import find_file, read_table

    if given["no_config"]:
        if given["config"] or given["profile"]:
            raise click.UsageError("--no-config leaves no file for --config or --profile; leave one of them out")
        return None
    path = given["config"] or find_file(Path.cwd())
    if path is None:
        if given["profile"]:
            missing = f"there is no profile {given['profile']!r}, because no pyproject.toml here or above has [tool.dalembert]"
            raise click.UsageError(f"{missing}; add it, or give --config FILE")
        return None
    return read_table(path, given["profile"])


def _converted(ctx: click.Context, option: str, table: Table, name: str) -> Any:
    """The setting as the option's own type converts and limits it."""
    from cross_check.judge.settings import SettingsError

    value = table.values[name]
    where = f"{table.path}: {table.origins[name].removeprefix(table.path.name).strip()}"
    param = next(one for one in ctx.command.params if one.name == option)
    if isinstance(value, list) and not (param.multiple or param.nargs == -1):
        if len(value) > 1:
            raise SettingsError(f"{where} has {len(value)} {name}, and this command takes one; name it as an argument")
        value = value[0]
    try:
        return param.type_cast_value(ctx, value)
    except click.BadParameter as error:
        raise SettingsError(f"{where} has {name} = {value!r}, which cannot be used: {error.message}") from error


def _moved(option: str, value: Any, here: Path, folder: Path) -> Any:
    """A value of the command line, which counts from the folder ``here``, as one that counts from ``folder``."""
    if isinstance(value, tuple):
        return tuple(_moved(option, one, here, folder) for one in value)
    if option == "recorded":
        return str(_moved("", Path(value), here, folder))
    if isinstance(value, Path):
        return value if value.is_absolute() else Path(os.path.relpath(here / value, folder))
    if option in ("mechanism", "implementation", "require") and isinstance(value, str):
        return _moved_word(value, here, folder)
    return value


def _moved_word(word: str, here: Path, folder: Path) -> str:
    """A word that names a mechanism or an implementation. What names no file stays as it is."""
    from cross_check.exchange.recorded_data.subject import PREFIX
    from dalembert.outputs import FILE as PYTHON_FILE
    from dalembert.outputs import split_prefixes

    if word.startswith(PREFIX):
        return f"{PREFIX}{_moved('recorded', word.removeprefix(PREFIX), here, folder)}"
    bare = split_prefixes(word)[1]
    match = PYTHON_FILE.fullmatch(bare)
    file = match["file"] if match else bare
    if Path(file).expanduser().is_absolute() or not (match or (here / file).is_file()):
        return word
    prefixes, rest = word[: len(word) - len(bare)], bare[len(file) :]
    return prefixes + os.path.relpath(here / file, folder) + rest
