"""The smallest example: few bodies, plain numbers, the same fault, the same result every time, within the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from diagnosed import fault_called

from cross_check.explain.diagnosis.examples.shrink import Shrinking, few_bodies, kept, smaller_trees
from cross_check.explain.diagnosis.examples.simpler_numbers import (
    simpler_gravity,
    simpler_inertias,
    simpler_joints,
    simpler_placements,
    simpler_positions,
    simpler_rates,
)
from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer, try_states
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import Mutant
from cross_check.judge.comparison.sampling import States, sample
from implementations.processes.subject import InProcess
from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism
from mechanisms.states import check_state

TREE = find_mechanism("random:7:6:all")


def state_of(mechanism: Mechanism, k: int = 1) -> States:
    """A state of a run; the first is the zero state, the second is random."""
    return sample(mechanism, 1, 18).pick(np.array([k]))


def shows(fault: Fault, quantity: str) -> Callable[[Mechanism, States], bool]:
    laboratory = Laboratory(InProcess(Mutant(fault)), "mutant")

    def shown(mechanism: Mechanism, state: States) -> bool:
        trial = try_states(laboratory, mechanism, state)
        return bool(trial.errors(quantity)[0] > 1000 and trial.errors(quantity, fault)[0] < 16)

    return shown


CASES = {
    "the pitch is ignored": ("inverse_dynamics", 1),
    "axes are snapped to x, y or z": ("inverse_dynamics", 1),
    "moments on bodies are ignored": ("inverse_dynamics_with_forces", 1),
    "the velocity of the parent is left out": ("inverse_dynamics", 2),
    "forces from bodies outboard of euler-zxy joints are lost": ("inverse_dynamics", 2),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_one_or_two_bodies_remain_and_the_fault_is_the_same(name: str) -> None:
    quantity, bodies = CASES[name]
    shown = shows(fault_called(name), quantity)
    mechanism, state = Shrinking(TREE, state_of(TREE), shown).run()
    assert len(mechanism.bodies) == bodies and shown(mechanism, state)
    check_state(mechanism, state.q, v=state.v, a=state.a)
    assert state.f.shape == (1, bodies, 6)
    assert np.abs(np.concatenate([state.v, state.a], axis=1)).max() <= 1
    numbers = [
        x
        for b in mechanism.bodies
        for x in (b.inertia.mass, *b.inertia.com, *b.inertia.about_com, *b.joint.placement.translation)
    ]
    assert all(x.denominator == 1 for x in numbers)


def test_the_simplest_numbers_that_show_it_remain() -> None:
    """Of armature counted twice: a massless body, an armature of one, an acceleration of one, and nothing else; every time."""
    shown = shows(fault_called("armature counts twice"), "inverse_dynamics")
    (mechanism, state), (again, same) = (Shrinking(TREE, state_of(TREE), shown).run() for _ in range(2))
    (body,) = mechanism.bodies
    assert body.inertia.is_massless and mechanism.gravity == (0, 0, 0) and mechanism.frames == ()
    assert body.joint == Joint(body.joint.name, "revolute", armature=1)
    assert [x.ravel().tolist() for x in (state.q, state.v, state.a, state.f)] == [[0], [0], [1], [0] * 6]
    assert mechanism.fingerprint == again.fingerprint
    assert all(np.array_equal(x, same.columns[name]) for name, x in state.columns.items())


def test_high_speed_gives_way_to_one_radian_per_second() -> None:
    fast = next(k for k, kind in enumerate(sample(TREE, 1, 18).kinds) if kind == "fast")
    given = state_of(TREE, fast)
    _, state = Shrinking(TREE, given, shows(fault_called("ω × I ω is left out"), "inverse_dynamics")).run()
    assert np.abs(given.v).max() > 50 and np.abs(state.v).max() == 1


def test_thresholds_keep_the_numbers_that_they_need() -> None:
    """Where only accelerations beyond 10 are wrong, one and zero do not show it, nor does 10."""
    given = state_of(TREE)
    given.a[:] = 10.4948
    _, state = Shrinking(TREE, given, shows(fault_called("accelerations are clipped to ±10"), "inverse_dynamics")).run()
    assert np.abs(state.a).max() == 10.5


def test_the_budget_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def tried(calls: int) -> int:
        search = Shrinking(TREE, state_of(TREE), lambda mechanism, state: mechanism is TREE, calls=calls)
        search.run()
        return search.called

    assert tried(7) == 7 < tried(100)
    monkeypatch.setattr("cross_check.explain.diagnosis.examples.shrink.BODIES", len(TREE.bodies))
    assert tried(100) < 10, "larger mechanisms use more of it"


def test_nothing_is_made_once_the_budget_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large mechanism takes longer to make than to try."""
    made: list[int] = []

    def endless(mechanism: Mechanism, state: States) -> Iterator[tuple[Mechanism, States]]:
        for k in range(1000):
            made.append(k)
            yield replace(mechanism, gravity=(k + 1, 0, 0)), state

    monkeypatch.setattr("cross_check.explain.diagnosis.examples.shrink.MOVES", (endless,))
    Shrinking(TREE, state_of(TREE), lambda m, state: m is TREE, calls=5).run()
    assert len(made) <= 6


def test_what_does_not_show_is_asked_for_once_and_stays() -> None:
    search = Shrinking(TREE, state := state_of(TREE), lambda mechanism, state: False)
    search.run()
    assert search.called == 1 and search.best == (TREE, state)


def test_code_that_cannot_answer_does_not_show_it() -> None:
    def shown(mechanism: Mechanism, state: States) -> bool:
        if len(mechanism.bodies) < 3:
            raise NoAnswer("it has no such joint")
        return True

    mechanism, _ = Shrinking(TREE, state_of(TREE), shown).run()
    assert len(mechanism.bodies) == 3


def test_an_interruption_passes_and_the_best_so_far_is_kept() -> None:
    calls = 0

    def shown(mechanism: Mechanism, state: States) -> bool:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt
        return True

    search = Shrinking(TREE, state_of(TREE), shown)
    with pytest.raises(KeyboardInterrupt):
        search.run()
    assert len(search.best[0].bodies) == 1


def test_possible_bodies_stay_possible_and_progress_is_told() -> None:
    told: list[str] = []
    mechanism, _ = Shrinking(TREE, state_of(TREE), lambda m, s: m.bodies[-1].inertia.about_com[3] != 0, told.append).run()
    assert mechanism.physical and not mechanism.faults and told


def test_impossible_bodies_may_stay_impossible() -> None:
    flat = Inertia(1, (0, 0, 0), (1, 1, 5, 0, 0, 0))
    m = Mechanism("impossible", (Body("body", "world", Joint("joint", "revolute"), flat),), physical=False)
    kept, _ = Shrinking(m, state_of(m), lambda m, state: bool(m.faults)).run()
    assert kept.faults and kept.gravity == (0, 0, 0)


def test_bodies_that_stay_hang_on_the_nearest_body_that_stays() -> None:
    chain = Mechanism(
        "chain",
        tuple(
            Body(x, y, Joint(f"j{x}", "revolute"), Inertia(1)) for x, y in (("a", "world"), ("b", "a"), ("c", "b"), ("d", "c"))
        ),
    )
    smaller, state = kept(chain, state_of(chain), [1, 3])
    assert [(body.name, body.parent) for body in smaller.bodies] == [("b", "world"), ("d", "b")]
    assert np.array_equal(state.v, state_of(chain).v[:, [1, 3]]) and np.array_equal(state.f, state_of(chain).f[:, [1, 3]])


def test_every_move_gives_a_valid_state_of_its_mechanism() -> None:
    for move in (
        few_bodies,
        smaller_trees,
        simpler_joints,
        simpler_rates,
        simpler_inertias,
        simpler_placements,
        simpler_gravity,
        simpler_positions,
    ):
        moved = list(move(TREE, state_of(TREE)))
        assert moved
        for mechanism, state in moved[:80]:
            check_state(mechanism, state.q, v=state.v, a=state.a)
            assert state.f.shape == (1, len(mechanism.bodies), 6)
            assert all(isinstance(x, Fraction) for x in mechanism.gravity)
