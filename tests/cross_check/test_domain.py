"""Code that is right within a limit and wrong beyond it is found: by drawn mechanisms, by states, and by batches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_history import history  # type: ignore[import-not-found]

from cross_check.entry import Entry
from cross_check.exchange.results import Results, verdict_of
from cross_check.exchange.results.objects import BAR
from cross_check.harness import check, tasks_of
from cross_check.judge.comparison.case import prepare
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.kinds import SINGULAR_BAND
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.history.check import History
from cross_check.judge.settings import ESSENTIAL, Settings
from cross_check.part import parts_of
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Inertia, Mechanism, find_mechanism
from mechanisms.library.drawn import default_drawn
from mechanisms.quantities import QUANTITIES

Array = Any
OFF = 1 + 1e-9


class Limited:
    """The reference, with ``offered`` quantities, of the mechanism that ``read`` makes, and off where ``is_beyond``."""

    name, version = "limited", "1"

    def __init__(
        self,
        offered: tuple[str, ...] = ("inverse_dynamics", "mass_matrix"),
        is_beyond: Callable[[Mechanism], bool] = lambda mechanism: False,
        read: Callable[[Mechanism], Mechanism] = lambda mechanism: mechanism,
        tail: Callable[[int], slice] = lambda count: slice(0, 0),
    ) -> None:
        self.offered, self.is_beyond, self.read, self.tail = offered, is_beyond, read, tail

    def load(self, mechanism: Mechanism) -> Any:
        loaded, factor = REFERENCE.load(self.read(mechanism)), OFF if self.is_beyond(mechanism) else 1.0

        def ask(name: str, *arguments: Array) -> Array:
            answer = np.array(getattr(loaded, name)(*arguments)) * factor
            answer[self.tail(len(answer))] *= OFF
            return answer

        return SimpleNamespace(**{name: partial(ask, name) for name in self.offered})


def depth(mechanism: Mechanism) -> int:
    depths: list[int] = []
    for parent in mechanism.parents:
        depths.append(1 + (depths[parent] if parent >= 0 else 0))
    return max(depths)


def children(mechanism: Mechanism) -> int:
    return max(mechanism.parents.count(i) for i in range(len(mechanism.bodies)))


def by_name(key: Callable[[str], str]) -> Callable[[Mechanism], Mechanism]:
    """Parents are found by a key of their name: of two bodies with one key, the later one is taken."""

    def read(mechanism: Mechanism) -> Mechanism:
        names, bodies = [body.name for body in mechanism.bodies], []
        for i, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
            same = [k for k in range(i) if parent >= 0 and key(names[k]) == key(names[parent])]
            bodies.append(replace(body, parent=names[same[-1]]) if same else body)
        return replace(mechanism, bodies=tuple(bodies))

    return read


def snapped(degrees: float) -> Callable[[Mechanism], Mechanism]:
    """Axes within so many degrees of a coordinate axis are taken for it."""

    def read(mechanism: Mechanism) -> Mechanism:
        bodies = []
        for body in mechanism.bodies:
            k = max(range(3), key=lambda i: abs(body.joint.axis[i]))
            axis = tuple(Fraction(int(i == k)) * (1 if body.joint.axis[k] > 0 else -1) for i in range(3))
            near = np.degrees(np.linalg.norm([float(x - y) for x, y in zip(axis, body.joint.axis, strict=True)])) < degrees
            bodies.append(replace(body, joint=replace(body.joint, axis=axis)) if near else body)
        return replace(mechanism, bodies=tuple(bodies))

    return read


def raised(least: str) -> Callable[[Mechanism], Mechanism]:
    """Masses are at least this number of kilograms."""

    def read(mechanism: Mechanism) -> Mechanism:
        inertias = [body.inertia for body in mechanism.bodies]
        heavier = [Inertia(max(i.mass, Fraction(least)), i.com, i.about_com) for i in inertias]
        bodies = tuple(replace(body, inertia=i) for body, i in zip(mechanism.bodies, heavier, strict=True))
        return replace(mechanism, bodies=bodies, physical=False)

    return read


LIMITS: dict[str, dict[str, Limited]] = {
    "deep": {
        "depth 30": Limited(is_beyond=lambda mechanism: depth(mechanism) > 30),
        "cut to 127": Limited(read=by_name(lambda name: name[:127])),
    },
    "broad": {
        "64 bodies": Limited(is_beyond=lambda mechanism: len(mechanism.bodies) > 64),
        "8 children": Limited(is_beyond=lambda mechanism: children(mechanism) > 8),
        "12 roots": Limited(is_beyond=lambda mechanism: mechanism.parents.count(-1) > 12),
        "no case": Limited(read=by_name(str.lower)),
        "few quantities": Limited(("center_of_mass",), is_beyond=lambda mechanism: len(mechanism.bodies) > 64),
    },
    "numbers": {"snapped": Limited(read=snapped(1e-7)), "at least a milligram": Limited(read=raised("1e-6"))},
}
"""The widest limits: narrower ones are exceeded, too."""


@pytest.mark.slow
@pytest.mark.parametrize("trait", [*(pytest.param(one, marks=pytest.mark.nightly) for one in ("deep", "broad")), "numbers"])
def test_code_with_a_limit_is_wrong_on_a_drawn_mechanism_and_no_other_is(trait: str) -> None:
    codes = {"right": Limited(), **LIMITS[trait]}
    entries = [Entry(name, name, InProcess(code)) for name, code in codes.items()]
    spec = f"drawn:0:{trait}"
    (task,) = tasks_of([(spec, find_mechanism(spec))], entries, Settings(invariants=False))
    parts = {part.implementation: part for part in parts_of(task, lambda activity, entry: None)}
    wrong = {name for name, part in parts.items() if any(cell.verdict == "discrepancy" for cell in part.cells)}
    assert wrong == {*LIMITS[trait]}


def test_of_large_drawn_mechanisms_the_essential_quantities_are_compared_and_all_that_other_code_has() -> None:
    broad, small = find_mechanism("drawn:0:broad"), find_mechanism("drawn:0:numbers")
    usual = Settings()
    assert usual.essential("drawn:0:broad", broad, lambda name: True).quantities == ESSENTIAL
    assert usual.essential("drawn:0:broad", broad, lambda name: name == "center_of_mass") is usual
    assert usual.essential("drawn:0:numbers", small, lambda name: True) is usual
    assert usual.essential("my.urdf", broad, lambda name: True) is usual
    chosen = Settings(quantities=("center_of_mass",))
    assert chosen.essential("drawn:0:broad", broad, lambda name: True) is chosen


class Keeping:
    """The reference with answers kept by ``key`` of a state's numbers, or without velocity products where ``is_still``."""

    name, version = "keeping", "1"

    def __init__(self, key: Callable[[Array], Array] | None = None, is_still: Callable[[Array], Any] = lambda q: False) -> None:
        self.key, self.is_still = key, is_still

    def load(self, mechanism: Mechanism) -> Any:
        reference, kept = REFERENCE.load(mechanism), {}

        def inverse_dynamics(*states: Array) -> Array:
            answers = reference.inverse_dynamics(*states)
            slow = reference.inverse_dynamics(states[0], 0 * states[1], states[2])
            answers[self.is_still(states[0])] = slow[self.is_still(states[0])]
            if self.key is not None:
                keys = [self.key(row).tobytes() for row in np.hstack(states)]
                answers = np.array([kept.setdefault(*pair) for pair in zip(keys, answers, strict=True)])
            return np.asarray(answers)

        return SimpleNamespace(inverse_dynamics=inverse_dynamics)


KEEPING = {
    "every digit": (Keeping(lambda row: row), False),
    "magnitudes": (Keeping(np.abs), True),
    "single precision": (Keeping(lambda row: row.astype(np.float32)), True),
    **{f"{n} decimals": (Keeping(lambda row, n=n: row.round(n) + 0.0), True) for n in (5, 9)},  # type: ignore[misc]
    "position zero": (Keeping(is_still=lambda q: ~q.any(axis=1)), True),
}


@pytest.mark.parametrize(("code", "is_wrong"), KEEPING.values(), ids=list(KEEPING))
def test_what_is_kept_for_almost_the_same_state_is_wrong(code: Keeping, is_wrong: bool) -> None:
    case = prepare(find_mechanism("ur5"), 0, 98)
    quantity = QUANTITIES["inverse_dynamics"]
    answer = code.load(case.mechanism).inverse_dynamics(*case.states.arguments(quantity.arguments))
    assert (compare(case, quantity, answer).units.max() > BAR) == is_wrong


def test_singular_angles_have_any_size_but_for_a_band() -> None:
    mechanism = find_mechanism("every-joint")
    q = np.concatenate([sample(mechanism, seed, 98).q for seed in range(3)])
    joints = [(body.joint, part) for body, part in zip(mechanism.bodies, mechanism.q_slices, strict=True)]
    singular = [part.start + joint.description.singular_angle for joint, part in joints if joint.description.singular_angle]
    assert len(singular) == 4
    for k in singular:
        assert np.abs(np.cos(q[:, k])).min() > 0.99 * np.sin(SINGULAR_BAND)
        folded = np.arcsin(np.sin(q[:, k]))
        assert 0.2 < np.mean(np.abs(folded - q[:, k]) > 0.5) < 0.9
        assert np.abs(q[:, k]).max() > 1e4


def test_far_states_are_millions_of_radians_and_kilometres_away() -> None:
    states = [sample(find_mechanism(name), seed, 98) for name in ("telescope", "cart-pole") for seed in range(6)]
    far = np.concatenate([one.q[np.array(one.kinds) == "far"].ravel() for one in states])
    assert np.abs(far).max() > 3e5
    slides = np.concatenate([sample(find_mechanism("cart-pole"), seed, 98).q[:, 0] for seed in range(12)])
    assert np.abs(slides).max() > 1e3  # metres


TAILS: dict[str, Callable[[int], slice]] = {
    "beyond 98 states": lambda n: slice(98, None),
    "beyond 128 states": lambda n: slice(128, None),
    "the rest of a register of four": lambda n: slice(n // 4 * 4, None) if n > 98 else slice(0, 0),
    "the rest of a register of eight, of long batches": lambda n: slice(n // 8 * 8, None) if n > 130 else slice(0, 0),
    "all of a batch without a rest": lambda n: slice(0, -(n % 32) or n) if n % 32 == 0 else slice(0, 0),
    "the last of 1024": lambda n: slice(1024, None),
    "one state alone": lambda n: slice(0, 0 if n > 1 else 1),
}


def in_batches(tail: Callable[[int], slice], are_asked: bool = True) -> History:
    case = prepare(find_mechanism("cart-pole"), 0, 98)
    return history(case, lambda: Limited(tail=tail), in_batches=are_asked)


@pytest.mark.parametrize("tail", TAILS)
def test_what_is_wrong_in_the_tail_of_a_batch_is_found(tail: str) -> None:
    found = in_batches(TAILS[tail])
    assert found.verdict == "discrepancy"
    assert ("asked alone" if tail == "one state alone" else "states in a batch") in found.message
    if tail != "one state alone":
        assert in_batches(TAILS[tail], are_asked=False).verdict == "agrees"


def test_code_that_takes_one_state_is_not_asked_in_batches() -> None:
    asked: list[int] = []

    class ByState(Limited):
        by_state = True

    def count(states: int) -> slice:
        asked.append(states)
        return slice(0, 0)

    found = history(prepare(find_mechanism("cart-pole"), 0, 98), lambda: ByState(tail=count), in_batches=True)
    assert found.verdict == "agrees"
    assert set(asked) == {1, 98, 512}  # Two quantities share a thousand calls, one state at a time.


def test_the_smallest_mechanism_of_a_run_is_asked_in_batches() -> None:
    mechanisms = [(name, find_mechanism(name)) for name in ("ur5", "floating-base-link", "cart-pole", "pendulum")]
    tasks = tasks_of(mechanisms, [], Settings())
    assert [task.spec for task in tasks if task.is_smallest] == ["floating-base-link", "pendulum"]


def test_the_verdict_names_what_was_not_drawn() -> None:
    def missed(*specs: str) -> str:
        mechanisms = [(spec, find_mechanism(spec)) for spec in specs]
        entries = [Entry("right", "right", InProcess(Limited(("placements",))))]
        results: Results = check(mechanisms, entries, Settings(states=2, invariants=False, quantities=("placements",)))
        return verdict_of(results).missed[-1]

    assert missed("cart-pole").startswith("No mechanism had more than 2 bodies; not drawn were chains of more than 32 bodies")
    everything = missed(*default_drawn(0))
    assert everything.startswith("No mechanism had more than 6") and "not drawn" not in everything
