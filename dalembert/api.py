"""The commands as functions: mechanisms and implementations may be given as the words of the command line, or as objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import mechanisms as _mechanisms
import oracle
from cross_check import harness
from cross_check.results import Results
from dalembert.session import distinct, entry, named, settings_from
from implementations.plugins.user_mechanism import find_any_mechanism
from mechanisms import Mechanism

Source = str | Mechanism | tuple[str, Mechanism]
"""A word as on the command line, a mechanism, or a pair of a word and the mechanism that goes by it."""


def check(mechanisms: Source | Iterable[Source], implementations: Any, **settings: Any) -> Results:
    """Compare every implementation with the truth about every mechanism.

    ``implementations`` is one, or a list, tuple or set, of what :func:`dalembert.entry` takes. ``settings`` are those of
    :class:`dalembert.Settings`: ``seed``, ``states``, ``bar``, ``quantities``, ``invariants``, ``certified``; naming quantities
    leaves the invariants out unless they are asked for. Raises an error with one sentence for words that name nothing usable.
    """
    pair = isinstance(mechanisms, tuple) and len(mechanisms) == 2 and isinstance(mechanisms[1], Mechanism)
    sources: Iterable[Any] = [mechanisms] if pair or isinstance(mechanisms, (str, Mechanism)) else mechanisms
    subjects = implementations if isinstance(implementations, (list, tuple, set, frozenset)) else [implementations]
    entries = [one if isinstance(one, harness.Entry) else entry(one) for one in subjects]
    return harness.check(named([_find(one) for one in dict.fromkeys(sources)]), distinct(entries), settings_from(settings))


def derive(mechanism: str | Mechanism) -> oracle.Equations:
    """The equations of motion, from energy; see :func:`oracle.derive`."""
    return oracle.derive(_find(mechanism)[1])


def write_urdf(mechanism: str | Mechanism) -> str:
    """The mechanism as URDF text; see :func:`mechanisms.write_urdf`."""
    return _mechanisms.write_urdf(_find(mechanism)[1])


def _find(source: Source) -> tuple[str, Mechanism]:
    if isinstance(source, str):
        return source, find_any_mechanism(source)
    return source if isinstance(source, tuple) else (source.name, source)
