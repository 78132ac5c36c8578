"""What an earlier run wrote goes before a command can fail: no run leaves a verdict that is not its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, suppress
from pathlib import Path
from typing import Any

import click

from dalembert.declared import SETTINGS

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')

MOST_BYTES = 2**26
"""So much of a baseline is searched for names of files."""


class Judging(click.Command):
    """A command that first removes what an earlier run wrote under the names that this one would write.

    A file that the command line, the project's settings or the baseline name as anything but an output stays.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing and not {*ctx.help_option_names} & {*args}:
            # The words may be wrong, too, so they are first read without complaint.
            lenient = {"resilient_parsing": True, "ignore_unknown_options": True}
            with self.make_context(ctx.info_name, [*args], ctx.parent, **lenient) as read:
                _remove_stale(read.params, [*_other_words(self, args)])
        return super().parse_args(ctx, args)


def _remove_stale(options: Mapping[str, Any], words: Sequence[str]) -> None:
    """Remove the outputs of these options. ``words`` are all others of the command line; they may name inputs."""
    from dalembert.outputs import ERRORS, WRITTEN, input_files, is_file, remove_earlier
    from dalembert.settings import outputs_and_words

    here = Path.cwd()
    config = _config(options)
    files, named = outputs_and_words(config, options.get("profile")) if config else ({}, [])
    folder = config.resolve().parent if config else here
    written = {name: folder / path for name, path in files.items()}
    written |= {name: here / options[name] for name in (*WRITTEN, ERRORS, "baseline") if options.get(name)}
    if not any(map(is_file, written.values())):
        return
    usual = f"{SETTINGS['baseline'].default}"
    baselines = {folder / files.get("baseline", usual), written.pop("baseline", here / usual)}
    known = dict.fromkeys([*words, *named, *(word for path in baselines for word in _quoted(path))])
    inputs = [*baselines, *([config.absolute()] if config else [])]
    for place in {here, folder}:
        with chdir(place):
            inputs += [place / file for file in input_files(known, known)]
    remove_earlier(written, inputs)


def _config(options: Mapping[str, Any]) -> Path | None:
    from cross_check.judge.settings import SettingsError
    from dalembert.settings import find_file

    if options.get("no_config"):
        return None
    with suppress(SettingsError):
        return options.get("config") or find_file(Path.cwd())
    return None


def _other_words(command: click.Command, args: Iterable[str]) -> Iterator[str]:
    """The words that name no output, and their parts behind "="."""
    from dalembert.outputs import ERRORS, WRITTEN

    flags = tuple(flag for param in command.params if param.name in (*WRITTEN, ERRORS) for flag in param.opts)
    rest = iter(args)
    for word in rest:
        if word in flags:
            next(rest, None)
        elif not word.startswith(tuple(f"{flag}=" for flag in flags)):
            yield from dict.fromkeys((word, word.partition("=")[2] or word))


def _quoted(file: Path) -> Iterator[str]:
    """The strings of a baseline, also of one that is damaged."""
    with suppress(OSError, ValueError):
        if not file.is_file():
            return
        with file.open("rb") as opened:
            text = opened.read(MOST_BYTES).decode("utf-8", "replace")
        for match in dict.fromkeys(QUOTED.findall(text)):
            with suppress(ValueError):
                yield json.loads(match)
