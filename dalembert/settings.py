"""The settings of a run: what a file may give, and what took effect, each with its origin.

The file is a pyproject.toml. Its table has a project's settings, and profiles that change some of them:

    [tool.dalembert]
    implementations = "my_dynamics"
    mechanisms = ["ur5", "robot.urdf"]

    [tool.dalembert.profiles.nightly]
    states = 5000

A profile beats the table. The command line beats both. Paths count from the file's folder.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cross_check.exchange.results import Results
from cross_check.exchange.results.objects import EffectiveSetting, plain
from cross_check.judge.settings import Settings, SettingsError
from dalembert.declared import SETTINGS, WORDS, WRITTEN, Kind
from dalembert.outputs import holds
from mechanisms.files.bounded_file import Unreadable, read_bounded
from mechanisms.plain_text import sentence

NAME = "pyproject.toml"

MOST_BYTES = 2**20
"""The largest file that is read."""

DEFAULT = "default"

NUMBERS = ("quantities", "relations", "invariants", "seed", "states", "bar", "precision", "certified", "strict")
"""The names of :class:`Settings`, in the order in which they are shown."""

PROFILES = "profiles"


class InputError(SettingsError):
    """Words or files of the user cannot be used; one sentence with the remedy, printable and of bounded length."""

    def __init__(self, message: str) -> None:
        super().__init__(sentence(message))


@dataclass(frozen=True)
class Table:
    """What a file says: the value of every setting that it has, and the part of the file from which the value comes."""

    path: Path
    values: Mapping[str, Any]
    origins: Mapping[str, str]

    @property
    def folder(self) -> Path:
        """The folder from which the paths count."""
        return self.path.resolve().parent


def find_file(start: Path) -> Path | None:
    """The nearest pyproject.toml with a table ``[tool.dalembert]``, in ``start`` or a folder above it.

    The search ends at the root of a repository. Raises :class:`SettingsError` for a file on the way that is no TOML.
    """
    for folder in (start, *start.parents):
        # Unlike pathlib's, these functions raise nothing where a folder above may not be searched.
        path = folder / NAME
        if os.path.isfile(path) and _table(_read(path)) is not None:  # noqa: PTH113
            return path
        if os.path.exists(folder / ".git"):  # noqa: PTH110
            return None
    return None


def profile_names() -> list[str]:
    """The names of the profiles for the present folder; none if the file cannot be read."""
    try:
        path = find_file(Path.cwd())
        profiles = (_table(_read(path)) or {}).get(PROFILES) if path else None
    except SettingsError:
        return []
    return list(profiles) if isinstance(profiles, dict) else []


def outputs_and_words(path: Path, profile: str | None) -> tuple[dict[str, str], list[str]]:
    """The outputs and the baseline, by setting, and all other strings of the table, as far as the file can be read.

    It complains of nothing, so that what an earlier run wrote can be removed also where the file is wrong.
    """
    try:
        table = _table(_read(path)) or {}
    except SettingsError:
        return {}, []
    found = table.get(PROFILES)
    profiles = {name: one for name, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}
    own = {**table, **profiles.get(profile or "", {})}
    outputs = {name: own[name] for name in own if _kind(name) == WRITTEN and WRITTEN.fits(own[name])}
    outputs = {name: value for name, value in outputs.items() if _is_inside(path.resolve().parent, value)}
    others = [one[name] for one in (table, *profiles.values()) for name in one if _kind(name) != WRITTEN]
    words = [word for value in others for word in (value if isinstance(value, list) else [value])]
    return outputs, [word for word in words if isinstance(word, str)]


def read_table(path: Path, profile: str | None = None) -> Table:
    """The settings in ``path``, with those of the profile. Raises :class:`SettingsError`, with one sentence."""
    table = _table(_read(path))
    if table is None:
        raise InputError(f"{path} has no table [tool.dalembert]; add it, or name another file")
    profiles = table.get(PROFILES, {})
    if not isinstance(profiles, dict) or not all(isinstance(one, dict) for one in profiles.values()):
        raise InputError(f"{path}: {PROFILES} must hold tables; write [tool.dalembert.{PROFILES}.nightly]")
    parts = {"[tool.dalembert]": {name: value for name, value in table.items() if name != PROFILES}}
    for name, settings in profiles.items():
        parts[f"[tool.dalembert.{PROFILES}.{name}]"] = settings
    for where, settings in parts.items():
        _require_known(f"{path}: {where}", settings)
        for name, value in settings.items():
            if _kind(name) == WRITTEN and not _is_inside(path.resolve().parent, value):
                out = "a link out of the file's folder; remove it, or choose another path"
                raise InputError(f"{path}: {where} has {name} = {value!r}, {out}")
    if profile is not None and profile not in profiles:
        raise InputError(f"{path} has no profile {profile!r}; {_nearest(profile, profiles)}")
    chosen = ["[tool.dalembert]"] + ([] if profile is None else [f"[tool.dalembert.{PROFILES}.{profile}]"])
    values = {name: value for where in chosen for name, value in parts[where].items()}
    origins = {name: f"{path.name} {where}" for where in chosen for name in parts[where]}
    words = {name: [value] if _kind(name) == WORDS and isinstance(value, str) else value for name, value in values.items()}
    return Table(path, words, origins)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_bounded(path, MOST_BYTES).decode("utf-8"))
    except Unreadable as error:
        raise InputError(f"{path} cannot be read ({error}); correct it, or give --no-config") from error
    except RecursionError:
        raise InputError(f"{path} is nested too deeply; correct it, or give --no-config") from None
    except ValueError as error:
        raise InputError(f"{path} is no TOML ({error}); correct it, or give --no-config") from error


def _table(document: dict[str, Any]) -> dict[str, Any] | None:
    tool = document.get("tool")
    table = tool.get("dalembert") if isinstance(tool, dict) else None
    return table if isinstance(table, dict) else None


def _require_known(where: str, settings: Mapping[str, Any]) -> None:
    for name, value in settings.items():
        if name not in SETTINGS:
            raise InputError(f"{where} has no setting {name!r}; {_nearest(name, SETTINGS)}")
        if not SETTINGS[name].kind.fits(value):
            raise InputError(f"{where} has {name} = {value!r}; give {SETTINGS[name].kind.says}")


def _kind(name: str) -> Kind | None:
    """What a file must give for this setting; None for others."""
    return SETTINGS[name].kind if name in SETTINGS else None


def _is_inside(folder: Path, path: str) -> bool:
    """Whether the path leads to a place below the folder, also through links."""
    return holds(lambda: (folder / path).resolve().is_relative_to(folder))


def _nearest(name: str, known: Iterable[str]) -> str:
    """The remedy for a name that does not exist."""
    names = list(known)
    if close := difflib.get_close_matches(name.lower(), names, n=1):
        return f"did you mean {close[0]!r}?"
    return f"use {', '.join(names)}" if names else "the file has none"


def with_settings(
    results: Results, settings: Settings, origins: Mapping[str, str], others: Mapping[str, Any] | None = None
) -> Results:
    """The results with every setting that the run was made with.

    ``origins`` says by name where a setting came from; what it does not name is a default. ``others`` are further settings by
    name: strings, numbers, switches or lists of strings; None is left out.
    """
    values = {
        "implementations": [entry.spec for entry in results.implementations],
        "mechanisms": [mechanism.spec for mechanism in results.mechanisms],
        **{name: getattr(settings, name) for name in NUMBERS},
        "recorded": settings.files or None,
        **(others or {}),
    }
    # Whoever names quantities leaves the invariants out, and may name relations among them.
    known = {name: origins["quantities"] for name in ("relations", "invariants") if "quantities" in origins} | dict(origins)
    if settings.relations and "as_read" in origins:
        known["relations"] = origins["as_read"]
    if settings.files:  # No state was drawn.
        values["seed"], known["states"], known["recorded"] = None, "recorded data", known.get("implementations", DEFAULT)
    effective = [
        EffectiveSetting(name, plain(value), known.get(name, DEFAULT)) for name, value in values.items() if value is not None
    ]
    return replace(results, effective=effective)
