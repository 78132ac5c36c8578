"""The states of recorded data as the states of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cross_check.exchange.recorded_data.columns import STATE_ARRAYS, shape_of
from cross_check.exchange.recorded_data.recording import Recording
from cross_check.exchange.recorded_data.subject import LoadedRecording, Recorded
from cross_check.exchange.recorded_data.table import RecordedError
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.sampling import BLOCK, COLUMNS, Blocks, States
from cross_check.judge.error_scale.sizes import ErrorScale, in_epsilons
from cross_check.memory import Array
from implementations.spatial_algebra.reference import Reference
from machine.arithmetic.quarter_turns import LARGEST_ANGLE
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

KIND = "recorded"
"""The kind of every state."""

CONSISTENT, CONSISTENT_ROUNDED = 1e4, 1e12
"""In ε-units: τ and a that are further apart were not meant to belong together. The second is for numbers that were rounded."""


def states_of(mechanism: Mechanism, files: Sequence[Recorded]) -> States:
    """The states of all files together, by number; a file may have states or columns that another one lacks.

    Raises :class:`RecordedError` if two files have different states of one number.
    """
    recordings = [file.load(mechanism).recording for file in files]
    numbers = sorted({number for one in recordings for number in one.numbers})
    places = {number: place for place, number in enumerate(numbers)}
    columns: dict[str, Array] = {}
    for file, one in zip(files, recordings, strict=True):
        rows = np.array([places[number] for number in one.numbers])
        for name, given in one.states.items():
            column = columns.setdefault(name, np.full((len(numbers), *given.shape[1:]), np.nan))
            there = column[rows]
            differs = (there != given) & ~np.isnan(there)
            if differs.any():
                number = one.numbers[int(np.argwhere(differs)[0][0])]
                raise RecordedError(
                    file.table.path,
                    f"its {name} of state {number} is not that of {files[0].table.path.name}",
                    "check files with different states one after the other",
                )
            column[rows] = given
    # A state that only some of the files have may lack a column of the others.
    whole = {name: column for name, column in columns.items() if not np.isnan(column).any()}
    lacking = frozenset(COLUMNS) - whole.keys()
    zeros = {name: np.zeros((len(numbers), *shape_of(mechanism, name))) for name in lacking if name in STATE_ARRAYS}
    q, v, a, tau, f = (whole[name] + 0.0 if name in whole else zeros[name] for name in STATE_ARRAYS)
    states = States((KIND,) * len(numbers), q, v, a, tau, f, numbers=tuple(numbers), lacking=lacking)
    for joint, slot in mechanism.slots("angle"):
        if (far := (np.abs(q[:, slot]) > LARGEST_ANGLE).any(axis=1)).any():
            where = f"state {numbers[int(np.argmax(far))]} turns joint {joint.name!r} by more than 2^30 rad"
            raise RecordedError(files[0].table.path, where, "leave that state out, because nothing is computed so far away")
    if any("forward_dynamics_dq" in one.answers for one in recordings):
        return _with_accelerations(mechanism, states, files, recordings)
    return states


def _with_accelerations(
    mechanism: Mechanism, states: States, files: Sequence[Recorded], recordings: Sequence[Recording]
) -> States:
    """The states with the a that τ gives: ∂q̈/∂q is judged there. Given a must be these, as far as float64 can tell."""
    reference = Reference().load(mechanism)
    if "a" in states.lacking:
        a = reference.forward_dynamics(states.q, states.v, states.tau)
        return replace(states, a=np.asarray(a, dtype=np.float64), lacking=states.lacking - {"a"})
    size = ErrorScale(mechanism).shared_force(states.q, states.v, states.a)
    off = in_epsilons(reference.inverse_dynamics(states.q, states.v, states.a) - states.tau, size).max(axis=1)
    is_rounded = any(one.slack[name].any() or name in one.if_rounded for one in recordings for name in one.states)
    if off.max(initial=0) > (CONSISTENT_ROUNDED if is_rounded else CONSISTENT):
        which = next(k for k, one in enumerate(recordings) if "forward_dynamics_dq" in one.answers)
        said = f"tau of state {states.numbers[int(off.argmax())]} is not the inverse dynamics of a there"
        remedy = "leave a out, and write what depends on a into another file"
        raise RecordedError(files[which].table.path, f"{said}, so forward_dynamics_dq cannot be judged", remedy)
    return states


def case_with_answers(case: Case, loaded: LoadedRecording, quantity: str, state: int | None = None) -> Case | None:
    """The case at the states in which this quantity has a recorded answer; None if there are none.

    With ``state`` it is the case at this state of the case alone.
    """
    chosen = np.flatnonzero(loaded.rows_of(quantity, case.states.numbers) >= 0)
    if state is not None:
        chosen = chosen[chosen == state]
    return case.pick(chosen) if len(chosen) else None


def sampled_states(mechanism: Mechanism, seed: int, count: int, quantities: Sequence[str] = ()) -> dict[str, Array]:
    """The first ``count`` states of a run by the names of their arrays: those that the quantities depend on, or all.

    τ is the inverse dynamics of our own code in float64.
    """
    reference = Reference().load(mechanism)
    parts: list[dict[str, Array]] = []
    for block in Blocks(count, BLOCK):
        drawn = block.draw(mechanism, seed)
        tau = np.asarray(reference.inverse_dynamics(drawn.q, drawn.v, drawn.a), dtype=np.float64)
        parts.append(drawn.with_forces(tau).columns)
    needed = {name for quantity in quantities for name in QUANTITIES[quantity].arguments} | {"q"}
    names = [name for name in STATE_ARRAYS if name in needed or not quantities]
    return {name: np.concatenate([part[name] for part in parts]) for name in names}
