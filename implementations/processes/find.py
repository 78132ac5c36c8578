"""Implementations and mechanisms by name. Foreign code is loaded in processes of its own, unless that is not wanted."""

from __future__ import annotations

from functools import cache

from implementations.plugins.registry import ABOUT, ENGINE_NAMES, Listing, find_implementation, list_implementations
from implementations.plugins.user_mechanism import find_any_mechanism, names_code
from implementations.processes.home import Home
from implementations.processes.limits import Limits
from implementations.processes.remote import Remote, can_isolate, find_remotely
from implementations.processes.subject import InProcess, Subject
from mechanisms import Mechanism


def find_subject(spec: str, in_process: bool = False, limits: Limits | None = None, home: Home | None = None) -> Subject:
    """The implementation that ``spec`` names, in a worker process; our own ones, and all with ``in_process``, in this process.

    ``home`` says in which folder and by which Python a worker process runs; by default the present ones.
    Raises what :func:`implementations.plugins.registry.find_implementation` raises.
    """
    if in_process or spec in ABOUT or not can_isolate():
        found_by = (_found_again, (spec, in_process, limits, home))
        return InProcess(find_implementation(spec), found_by, spec if spec in ENGINE_NAMES else "")
    here = (home or Home()).here()
    return Remote(spec, limits, found_by=(_found_again, (spec, in_process, limits, here)), home=here)


@cache
def _found_again(spec: str, in_process: bool, limits: Limits | None, home: Home | None) -> Subject:
    """A process that computes parts of a run finds every subject once, and all its tasks share it."""
    return find_subject(spec, in_process, limits, home)


def find_mechanism(spec: str, in_process: bool = False, or_code: bool = False) -> Mechanism:
    """The mechanism that ``spec`` names; see :func:`implementations.plugins.user_mechanism.find_any_mechanism`.

    Python code that defines it is run in a process of its own.
    """
    if names_code(spec) and not in_process and can_isolate():
        return find_remotely(spec, or_code=or_code)
    return find_any_mechanism(spec, or_code)


def list_subjects() -> tuple[Listing, ...]:
    """Every implementation that has a name; see :func:`implementations.plugins.registry.list_implementations`."""
    return list_implementations(find_subject)
