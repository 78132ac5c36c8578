"""What a run needs, known before it starts: memory and time."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter

from cross_check.judge.comparison import sampling
from cross_check.judge.comparison.case import REFERENCE_STATES, Model
from cross_check.judge.comparison.measure import measure
from cross_check.judge.comparison.sampling import Block, Blocks
from cross_check.judge.settings import Settings, SettingsError
from implementations.processes.subject import LoadedInProcess
from implementations.spatial_algebra.reference import Reference
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES, QUANTITIES, quantities_of

PER_NUMBER, PER_BODY = 36, 400
"""Bytes that a case takes per state: for every number of its quantities, and for what is computed of every body.

Measured at panda, talos, ur5, cart-pole and random trees of 12 and 60 bodies, where they are right within a quarter.
"""

BUDGET = 256 * 2**20
"""Bytes that a block of states should take. A case may still be alive when the next one is made."""

SMALLEST = 2 ** math.ceil(math.log2(REFERENCE_STATES))
"""States of the smallest block: the states at which oracle and reference are compared are in one block."""

TRIED, PATIENCE = 512, 0.5
"""States at which :func:`estimate` measures the time at most, and seconds after which it does not try more of them."""


@dataclass(frozen=True)
class Estimate:
    """What a run on one mechanism needs."""

    memory: int
    """Bytes for one block of states."""
    seconds: float
    """On one processor, as fast as it was when the estimate was made."""


def bytes_per_state(mechanism: Mechanism, settings: Settings) -> int:
    """Bytes that a case of ``mechanism`` takes per state when all quantities of ``settings`` are compared."""
    compared = (ALL_QUANTITIES[name] for name in quantities_of(mechanism, settings.quantities))
    numbers = sum(math.prod(quantity.dimensions(mechanism)) for quantity in compared if quantity.is_compared(mechanism))
    # The states, and M and h, from which τ is computed.
    numbers += mechanism.nv * (mechanism.nv + 6)
    return PER_NUMBER * numbers + PER_BODY * len(mechanism.bodies)


def blocks_of(mechanism: Mechanism, settings: Settings) -> Blocks:
    """The states of a run in blocks that take up to :data:`BUDGET` bytes, where :data:`SMALLEST` states do not take more.

    The size of a block is a power of two, so that no block has states of two blocks of
    :mod:`cross_check.judge.comparison.sampling`.
    """
    most = min(sampling.BLOCK, BUDGET // bytes_per_state(mechanism, settings))
    return Blocks(settings.states, max(SMALLEST, 2 ** int(math.log2(max(most, 1)))))


def estimate(model: Model, settings: Settings, implementations: int = 1) -> Estimate:
    """What a run with so many implementations needs. The time is measured at a few states, with our own reference."""
    blocks, tried = blocks_of(model.mechanism, settings), min(8, settings.states)
    first, again = _seconds(model, settings, tried)
    while first < PATIENCE and tried < min(TRIED, settings.states, blocks.size):
        tried = min(4 * tried, settings.states, blocks.size)
        first, again = _seconds(model, settings, tried)
    memory = bytes_per_state(model.mechanism, settings) * min(blocks.size, settings.states)
    return Estimate(memory, settings.states / tried * (first + (implementations - 1) * again))


def _seconds(model: Model, settings: Settings, states: int) -> tuple[float, float]:
    """How long the first implementation takes, and a further one, for which the truth is known already."""
    loaded, times = LoadedInProcess(Reference().load(model.mechanism), model.mechanism), [perf_counter()]
    case = model.case(settings.seed, Block(0, states))
    for _ in range(2):
        for quantity in settings.of_trees:
            measure(case, loaded, "reference", QUANTITIES[quantity], settings.bar)
        times.append(perf_counter())
    return times[1] - times[0], times[2] - times[1]


def require_memory(mechanisms: Iterable[Mechanism], settings: Settings, processes: int = 1) -> None:
    """Raise :class:`SettingsError` if one block of states per process would not fit into this machine's memory."""
    for mechanism in mechanisms:
        size = min(settings.states, blocks_of(mechanism, settings).size)
        needed = processes * size * bytes_per_state(mechanism, settings)
        if needed > (there := os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")):
            takes = f"{size} states of {mechanism.name!r} take {needed / 2**30:.1f} GiB, and this machine has {there / 2**30:.1f}"
            raise SettingsError(f"{takes}; give fewer --states or fewer quantities")
