"""Runs entries of the bank through ``dalembert.check``, several at once, and keeps the results of every one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import dalembert
from cross_check.exchange.results import Results
from cross_check.exchange.results.document import read_results
from cross_check.exchange.results.files import write_json
from mechanisms import Mechanism, find_mechanism
from mechanisms.numbers.precision import FLOAT64, PRECISIONS
from score import bank
from score.entry import BANK, Entry
from score.few_digits import WithAllDigits, computing_in
from score.judge import Verdict, judge, wrong_items

__all__ = ["BANK", "bank", "run", "score"]

KEPT = Path("build/score")
"""Where the results of every entry's check are kept."""


@cache
def mechanism_of(spec: str) -> Mechanism:
    return find_mechanism(spec)


def check(entry: Entry, precision: str = FLOAT64.name) -> Results:
    """The results of a check of this entry alone; ``times.total`` has the seconds with the diagnosis."""
    mechanism, start = mechanism_of(entry.tried_on), perf_counter()
    with nullcontext() if precision == FLOAT64.name else computing_in(PRECISIONS[precision].dtype.type):
        results = dalembert.check(mechanism, [entry], precision=precision)
    return replace(results, times=replace(results.times, total=perf_counter() - start))


def is_below(entry: Entry, precision: str) -> bool:
    """Whether a fault changes answers by less than the bar of this precision: code with it that has all digits agrees."""
    results = dalembert.check(mechanism_of(entry.tried_on), [WithAllDigits(entry)], precision=precision, explain=False)
    return not wrong_items(results)


def run(title: str, kept: bool = False, precision: str = FLOAT64.name) -> Verdict:
    """The verdict on one entry in this precision; with ``kept``, on the results of its last check, if there are any."""
    folder = KEPT if precision == FLOAT64.name else KEPT.with_name(f"score-{precision}")
    entry, path = BANK[title], folder / f"{title.replace(' ', '-')}.json"
    try:
        if not (kept and path.exists()):
            write_json(check(entry, precision).document(), path)
        verdict = judge(entry, mechanism_of(entry.tried_on), read_results(path))
        if precision != FLOAT64.name and not (verdict.detected or verdict.correct) and is_below(entry, precision):
            return replace(verdict, below=True, reason="below the arithmetic")
        return verdict
    except Exception as error:  # one entry must not end the others' scores
        reason = f"the check raised {type(error).__name__}: {error}"
        return Verdict(
            title, entry.group, entry.is_correct, False, accusations=(reason,) if entry.is_correct else (), reason=reason
        )


def score(titles: Sequence[str], jobs: int = 1, kept: bool = False, precision: str = FLOAT64.name) -> Iterator[Verdict]:
    """The verdicts on these entries, as they are ready."""
    if jobs == 1:
        yield from (run(title, kept, precision) for title in titles)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for task in as_completed([pool.submit(run, title, kept, precision) for title in titles]):
            yield task.result()
