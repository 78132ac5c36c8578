"""The public names, and the commands as functions. ``import dalembert`` loads this module when a name is first used.

Mechanisms and implementations may be given as the words of the command line, or as objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import mechanisms as _mechanisms
import oracle
from cross_check import harness
from cross_check.exchange.results import Results
from cross_check.judge.settings import Settings
from dalembert.session import Execution, at_recorded_states, declared_robots, distinctly_named, distinguish, entry, settings_from
from dalembert.settings import with_settings
from implementations.derivatives_of import derivatives_of
from implementations.plugins.registry import find_implementation
from implementations.processes.find import find_mechanism
from implementations.processes.find import list_subjects as list_implementations
from implementations.processes.limits import Limits
from implementations.protocol import Dynamics, Implementation, Missing, Unsupported
from implementations.recorded.traced import TRACED, TracedDynamics
from mechanisms import (
    Body,
    Constraint,
    Inertia,
    Joint,
    Mechanism,
    MechanismError,
    Mimic,
    Placement,
    Rotation,
    Source,
    difference,
    integrate,
    list_mechanisms,
    neutral,
    parse_mjcf,
    parse_sdf,
    parse_urdf,
    random_mechanism,
    read_mjcf,
    read_sdf,
    read_urdf,
    source_of,
)

__all__ = [
    "Body",
    "Constraint",
    "Dynamics",
    "Implementation",
    "Inertia",
    "Joint",
    "Mechanism",
    "MechanismError",
    "Mimic",
    "Missing",
    "Placement",
    "Results",
    "Rotation",
    "Settings",
    "Source",
    "Unsupported",
    "check",
    "derivatives_of",
    "derive",
    "difference",
    "dynamics",
    "entry",
    "find_implementation",
    "find_mechanism",
    "integrate",
    "list_implementations",
    "list_mechanisms",
    "neutral",
    "parse_mjcf",
    "parse_sdf",
    "parse_urdf",
    "random_mechanism",
    "read_mjcf",
    "read_sdf",
    "read_urdf",
    "source_of",
    "write_mjcf",
    "write_sdf",
    "write_urdf",
]

Given = str | Mechanism | tuple[str, Mechanism]
"""A word as on the command line, a mechanism, or a pair of a word and the mechanism that goes by it."""


def check(
    mechanisms: Given | Iterable[Given],
    implementations: Any,
    *,
    in_process: bool = False,
    timeout: float = Limits.timeout,
    memory: float = Limits.memory,
    explain: bool = True,
    **settings: Any,
) -> Results:
    """Compare every implementation with the truth about every mechanism.

    ``implementations`` is one, or a list, tuple or set, of what :func:`dalembert.entry` takes. ``settings`` are those of
    :class:`dalembert.Settings`: ``seed``, ``states``, ``bar``, ``quantities``, ``invariants``, ``relations``, ``certified``;
    naming quantities leaves the invariants out unless they are asked for. Relations may be named among the quantities.
    ``as_read=True`` also gives every mechanism in equivalent files. Raises an error with one sentence for words that name nothing
    usable.

    Every implementation runs in a process of its own, an object in a fork of this one. A call may take ``timeout`` seconds, and a
    process ``memory`` GiB. With ``in_process`` the code is called in this process, for debuggers. With ``explain``
    what disagrees is diagnosed: ``Results.causes``.
    """
    execution = Execution(in_process, Limits(timeout, memory))
    pair = isinstance(mechanisms, tuple) and len(mechanisms) == 2 and isinstance(mechanisms[1], Mechanism)
    sources: Iterable[Any] = [mechanisms] if pair or isinstance(mechanisms, (str, Mechanism)) else mechanisms
    subjects = implementations if isinstance(implementations, (list, tuple, set, frozenset)) else [implementations]
    entries = [one if isinstance(one, harness.Entry) else entry(one, execution=execution) for one in subjects]
    chosen = distinctly_named([_find(one, in_process) for one in dict.fromkeys(sources)]) or declared_robots(entries)
    numbers = settings_from(settings)
    origins = dict.fromkeys(("mechanisms", "implementations", *settings), "the call")
    try:
        distinguish(entries)
        numbers = at_recorded_states(chosen, entries, numbers, settings)
        return with_settings(harness.check(chosen, entries, numbers, explain=explain), numbers, origins)
    finally:
        for given, one in zip(subjects, entries, strict=True):
            if given is not one:
                one.subject.close()


def derive(mechanism: str | Mechanism) -> oracle.Equations:
    """The equations of motion, from energy; see :func:`oracle.derive`."""
    return oracle.derive(_find(mechanism)[1])


def dynamics(mechanism: str | Mechanism) -> TracedDynamics:
    """Dynamics, kinematics and derivatives of one mechanism, fast, for batches of states: a method for every quantity.

        arm = dalembert.dynamics("ur5")
        tau = arm.inverse_dynamics(q, v, a)  # q, v, a: (states, 6)

    A quantity is recorded as a straight-line program when it is first asked for, and the program runs for all states;
    ``dalembert quantities`` lists the methods with their arguments. docs/fast.md says what it costs. Raises an error with one
    sentence for words that name no mechanism, :class:`ValueError` for arrays of other shapes.
    """
    return TRACED.load(_find(mechanism)[1])


def write_mjcf(mechanism: str | Mechanism) -> str:
    """The mechanism as MJCF text; see :func:`mechanisms.write_mjcf`."""
    return _mechanisms.write_mjcf(_find(mechanism)[1])


def write_sdf(mechanism: str | Mechanism) -> str:
    """The mechanism as SDF text; see :func:`mechanisms.write_sdf`."""
    return _mechanisms.write_sdf(_find(mechanism)[1])


def write_urdf(mechanism: str | Mechanism) -> str:
    """The mechanism as URDF text; see :func:`mechanisms.write_urdf`."""
    return _mechanisms.write_urdf(_find(mechanism)[1])


def _find(source: Given, in_process: bool = False) -> tuple[str, Mechanism]:
    if isinstance(source, str):
        return source, find_mechanism(source, in_process)
    if not isinstance(source, (tuple, Mechanism)):
        what = type(source).__name__
        raise TypeError(f"give a word as on the command line or a dalembert.Mechanism, and nothing of the type {what}")
    return source if isinstance(source, tuple) else (source.name, source)
