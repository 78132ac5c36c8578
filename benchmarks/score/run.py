"""Runs entries of the bank through ``dalembert.check``, several at once."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from inspect import signature
from multiprocessing import get_context
from time import perf_counter
from typing import Any

import dalembert
from cross_check.settings import Settings
from mechanisms import Mechanism, find_mechanism
from score import bank
from score.entry import BANK
from score.judge import Verdict, judge

__all__ = ["BANK", "bank", "run", "score"]


@cache
def mechanism_of(spec: str) -> Mechanism:
    return find_mechanism(spec)


def options() -> dict[str, Any]:
    """What asks a check for causes, where it has such an option."""
    known = {*Settings.__dataclass_fields__, *signature(dalembert.check).parameters}
    return {name: True for name in ("explain", "causes", "diagnosis") if name in known}


def run(name: str) -> Verdict:
    """The verdict on one entry."""
    entry = BANK[name]
    mechanism, start = mechanism_of(entry.mechanism), perf_counter()
    results = dalembert.check(mechanism, [entry], **options())
    return judge(entry, mechanism, results, perf_counter() - start)


def _run(name: str) -> Verdict:
    try:
        return run(name)
    except Exception as error:  # one entry must not end the others' scores
        entry, place = BANK[name], traceback.format_exc(limit=-1).splitlines()[1].strip()
        reason = f"the check raised {type(error).__name__}: {error} ({place})"
        return Verdict(
            name, entry.group, entry.is_correct, False, accusations=(reason,) if entry.is_correct else (), reason=reason
        )


def score(names: Sequence[str], jobs: int = 1) -> Iterator[Verdict]:
    """The verdicts on these entries, as they are ready."""
    if jobs == 1:
        yield from map(_run, names)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), max_tasks_per_child=20) as pool:
        for task in as_completed([pool.submit(_run, name) for name in names]):
            yield task.result()
