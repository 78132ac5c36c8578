"""The search for the worst states: it finds what sampling misses, stays in its region, and keeps what it has."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from altered import Altered

from cross_check.exchange.results.objects import BAR
from cross_check.judge.comparison.case import Model
from cross_check.judge.comparison.judgements import compared_at, largest
from cross_check.judge.comparison.kinds import SINGULAR_BAND
from cross_check.judge.comparison.sampling import BLOCK, Block, sample
from cross_check.judge.worst.moves import MOVES
from cross_check.judge.worst.region import Region, squares_beyond_one
from cross_check.judge.worst.search import Worst, search
from implementations.field import Real
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE, Reference
from mechanisms import find_mechanism
from mechanisms.numbers.precision import FLOAT64, PRECISIONS
from mechanisms.quantities import QUANTITIES

pytestmark = pytest.mark.slow

BUDGET = 6 * BLOCK

INVERSE_DYNAMICS = QUANTITIES["inverse_dynamics"]


def searched(code: Any, spec: str = "spatial-3r", budget: int = BUDGET, seed: int = 0) -> Worst:
    model = Model(find_mechanism(spec))
    return search(model, InProcess(code).load(model.mechanism), INVERSE_DYNAMICS, seed, budget)


def bell(d: Any) -> Any:
    return np.exp(-(d**2) / 0.02**2)


def peak(d: Any) -> Any:
    return 1 / (1 + d**2 / 0.002**2)


def beside(shape: Callable[[Any], Any]) -> Altered:
    """Code that is wrong by 1e-10 of τ where the first two angles are near 0.7 and −0.4; ``shape`` says how near."""

    def wrong(right: Any, q: Any, *others: Any) -> Any:
        return right * (1 + 1e-10 * shape(np.hypot(*(q[:, :2] - (0.7, -0.4)).T))[:, None])

    return Altered(inverse_dynamics=wrong)


@pytest.mark.parametrize(("shape", "times"), [(bell, 1.2), (peak, 4)])
def test_a_fault_near_two_angles_is_found_where_it_is_larger_than_at_as_many_sampled_states(
    shape: Callable[[Any], Any], times: float
) -> None:
    code, model = beside(shape), Model(find_mechanism("spatial-3r"))
    loaded = InProcess(code).load(model.mechanism)
    sampled = max(
        largest(compared_at(model.case(0, Block(k * BLOCK, BLOCK)), loaded, INVERSE_DYNAMICS).units)
        for k in range(BUDGET // BLOCK)
    )
    found = searched(code)
    assert found.found > times * sampled
    assert np.hypot(*(found.arguments["q"][:2] - (0.7, -0.4))) < 0.01
    assert found.found > 1e4


def test_right_code_stays_below_the_bar_and_loses_more_than_at_sampled_states() -> None:
    found = searched(REFERENCE)
    assert found.sampled < found.found < BAR
    assert found.states == BUDGET


def test_the_state_has_the_error_that_is_told() -> None:
    found = searched(REFERENCE, budget=2000)
    model = Model(find_mechanism("spatial-3r"))
    state = [np.array([x] * found.copies) for x in found.arguments.values()]
    answer = REFERENCE.load(model.mechanism).inverse_dynamics(*state)
    right, rest = model.truth.high_low("inverse_dynamics", *state)
    of_component = (slice(None), *found.indices)
    error = abs(answer - right - rest)[of_component]
    assert error.max() / (FLOAT64.epsilon * found.magnitude) == found.found
    assert found.value in answer[of_component] and found.expected in right[of_component]


def test_the_same_seed_finds_the_same() -> None:
    one, again, other = (searched(REFERENCE, budget=2000, seed=seed) for seed in (3, 3, 4))
    assert one.found == again.found
    assert all(np.array_equal(one.arguments[name], again.arguments[name]) for name in ("q", "v", "a"))
    assert not np.array_equal(one.arguments["q"], other.arguments["q"])


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("move", MOVES)
def test_states_stay_in_the_region_of_the_sampled_ones(move: Callable[..., Any], precision: str) -> None:
    mechanism = find_mechanism("free:random:3:6:all").in_precision(PRECISIONS[precision])
    sampled = sample(mechanism, 0, 72)
    region, rng = Region(mechanism, INVERSE_DYNAMICS, sampled), np.random.default_rng(0)
    x = region.rows(sampled)
    children = region.inside(np.array([move(region, rng, one, x[-k]) for k, one in enumerate(x)]), rng)
    assert not np.array_equal(children, x)
    assert np.array_equal(mechanism.precision.rounded(children), children)
    size = np.abs(x)
    turned = [slot for form in ("quaternion", "circle") for _, slot in mechanism.slots(form)]
    plain = np.ones(x.shape[1], bool)
    for slot in turned:
        plain[slot] = False
        length = (children[:, slot].astype(np.longdouble) ** 2).sum(axis=1)
        assert abs(length - 1).max() < mechanism.precision.epsilon
    assert (np.abs(children) <= size.max(axis=0))[:, plain].all()
    least = np.where(size > 0, size, np.inf).min(axis=0)
    assert ((children == 0) | (np.abs(children) >= least))[:, plain].all()
    joints = zip(mechanism.bodies, mechanism.q_slices, strict=True)
    singular = [own.start + k for body, own in joints if (k := body.joint.description.singular_angle) is not None]
    assert (abs(np.cos(children[:, singular])) >= np.sin(SINGULAR_BAND) - 1e-6).all()


def after(calls: int, happens: Callable[[], Any]) -> Altered:
    """The reference, in which something ``happens`` in a later call; the answers of the calls before are given."""
    seen: list[Any] = []

    def answer(right: Any, *arguments: Any) -> Any:
        seen.append(arguments)
        return right if len(seen) != calls else happens() or right * np.nan

    return Altered(inverse_dynamics=answer)


def interrupt() -> None:
    raise KeyboardInterrupt


def test_an_interruption_or_a_failure_keeps_the_best() -> None:
    for happens, said in ((interrupt, ""), (lambda: None, "returned nan in state 0")):
        found = searched(after(5, happens), budget=8000)
        assert found.interrupted == (happens is interrupt)
        assert said in found.failure if said else not found.failure
        assert found.found >= found.sampled > 0
        assert found.states < 8000


def test_float32_is_searched_among_its_own_numbers() -> None:
    model = Model(find_mechanism("spatial-3r").in_precision(PRECISIONS["float32"]))
    found = search(model, InProcess(Reference(Real(np.float32))).load(model.mechanism), INVERSE_DYNAMICS, 0, 2000)
    assert 0.1 < found.found < BAR
    assert all(np.array_equal(x.astype(np.float32), x) for x in found.arguments.values())


def test_how_far_a_length_is_from_one_is_known_far_below_a_rounding() -> None:
    x = np.random.default_rng(0).normal(size=(50, 4))
    x /= np.sqrt((x**2).sum(axis=1, keepdims=True))
    exact = [float(sum(Fraction(one) ** 2 for one in row) - 1) for row in x.tolist()]
    assert np.abs(squares_beyond_one(x) - exact).max() < 2.0**-90
