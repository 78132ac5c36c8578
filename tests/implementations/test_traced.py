"""Recording, folding and executing: a traced program says what the reference says, in fewer operations and less memory."""

from __future__ import annotations

import operator
from collections import Counter
from fractions import Fraction
from importlib import metadata
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cross_check.comparison.sampling import sample
from cross_check.error_scale.sizes import ErrorScale, in_epsilons
from implementations.field import Real
from implementations.recorded import program as program_module
from implementations.recorded.program import Program
from implementations.recorded.tape import Recorded
from implementations.recorded.traced import TRACED, TRACED_QUANTITIES, TracedDynamics
from implementations.spatial_algebra.reference import REFERENCE, Reference
from mechanisms import Mechanism, find_mechanism, neutral, random_mechanism, robot, textbook
from mechanisms.quantities import QUANTITIES
from mechanisms.robots import PACKAGE

Array = np.ndarray[Any, Any]

KINDS = ("revolute", "prismatic", "free")
MECHANISMS = [random_mechanism(seed, 1 + seed % 6, KINDS, tilted_gravity=seed % 2 == 0) for seed in range(7)]
FINITE = [name for name in TRACED_QUANTITIES if name != "forward_dynamics"]
"""Forward dynamics divides by differences, of whose size a quotient says nothing."""


def arguments_of(mechanism: Mechanism, quantity: str, count: int = 14) -> tuple[Array, ...]:
    states = sample(mechanism, 2, count)
    tau = REFERENCE.load(mechanism).inverse_dynamics(states.q, states.v, states.a)
    return states.with_forces(tau).arguments(QUANTITIES[quantity].arguments)


@pytest.fixture(params=MECHANISMS, ids=lambda mechanism: mechanism.name)
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    return request.param


# What the program says


@pytest.mark.slow
@pytest.mark.parametrize("quantity", FINITE)
def test_program_says_what_the_reference_says(mechanism: Mechanism, quantity: str) -> None:
    arguments = arguments_of(mechanism, quantity)
    traced, reference = TRACED.load(mechanism), REFERENCE.load(mechanism)
    apart = getattr(traced, quantity)(*arguments) - getattr(reference, quantity)(*arguments)
    assert in_epsilons(apart, ErrorScale(mechanism).size(quantity, *arguments)).max() <= 4


@pytest.mark.slow
@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="np.longdouble is no wider than float64 here")
@pytest.mark.parametrize("quantity", TRACED_QUANTITIES)
def test_program_says_what_the_reference_says_in_extended_precision(mechanism: Mechanism, quantity: str) -> None:
    arguments = arguments_of(mechanism, quantity, 7)
    traced, extended = TRACED.load(mechanism), Reference(Real(np.longdouble)).load(mechanism)
    got, expected = traced.values(quantity, *arguments, dtype=np.longdouble), getattr(extended, quantity)(*arguments)
    assert got.dtype == np.longdouble
    if quantity == "forward_dynamics":
        q, v, tau = arguments
        got, expected = extended.inverse_dynamics(q, v, got), tau
        size = ErrorScale(mechanism).size("inverse_dynamics", q, v, extended.forward_dynamics(*arguments).astype(float))
        size = np.broadcast_to(size.max(axis=1, keepdims=True), size.shape)
    else:
        size = ErrorScale(mechanism).size(quantity, *arguments)
    assert in_epsilons(got - expected, size).max() <= 4 / 2048


def test_a_recording_serves_all_who_ask_for_the_same_mechanism() -> None:
    assert TRACED.load(textbook.scara()) is TRACED.load(textbook.scara())
    assert TRACED.load(textbook.scara()) is not TRACED.load(textbook.scara(gravity=(0, 0, 0)))


# Blocks


@pytest.mark.slow
@pytest.mark.parametrize("quantity", TRACED_QUANTITIES)
@pytest.mark.parametrize("block", [3, 7, 15])
def test_blocks_join_to_the_batch_bit_for_bit(quantity: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    traced = TRACED.load(MECHANISMS[5])
    arguments = arguments_of(MECHANISMS[5], quantity)
    one_by_one = np.concatenate([getattr(traced, quantity)(*(x[k : k + 1] for x in arguments)) for k in range(14)])
    monkeypatch.setattr(program_module, "BLOCK", block)
    assert np.array_equal(getattr(traced, quantity)(*arguments), one_by_one)


@pytest.mark.parametrize("quantity", TRACED_QUANTITIES)
@pytest.mark.parametrize("seed", [1, 9, 14, 17])
def test_short_last_block_computes_nothing_on_what_the_block_before_left(
    seed: int, quantity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reused buffers of a pose hold zeros, by which a quaternion's rest would divide, with a warning."""
    mechanism = random_mechanism(seed, 3, free_base=True)
    q, v = np.tile(neutral(mechanism), (5, 1)), np.zeros((5, mechanism.nv))
    arguments = [q if name == "q" else v for name in QUANTITIES[quantity].arguments]
    monkeypatch.setattr(program_module, "BLOCK", 4)
    with np.errstate(all="raise"):
        assert np.isfinite(getattr(TRACED.load(mechanism), quantity)(*arguments)).all()


# Recording


@pytest.fixture
def xyz() -> tuple[Any, ...]:
    return tuple(Recorded().inputs(3)[:, 0])


def recorded(*outputs: Any, inputs: int = 3) -> Program:
    return Program.compile(inputs, outputs)


def test_zeros_and_ones_vanish(xyz: tuple[Any, ...]) -> None:
    x, *_ = xyz
    assert x + 0 is x
    assert 0 + x is x
    assert x - 0 is x
    assert x * 1 is x
    assert 1 * x is x
    assert x / 1 is x
    assert operator.neg(-x) is x
    assert x * -1 is -x
    assert 0 - x is -x
    assert [x * 0, 0 * x, 0 / x] == [0, 0, 0]


def test_negations_move_into_sums_and_out_of_products(xyz: tuple[Any, ...]) -> None:
    x, y, _ = xyz
    assert x + -y is x - y
    assert -x + y is y - x
    assert x - -y is x + y
    assert -x * y is -(x * y)
    assert -x * -y is x * y
    assert x * -3 is -(x * 3)
    assert -x / y is -(x / y)


def test_equal_expressions_are_recorded_once(xyz: tuple[Any, ...]) -> None:
    x, y, z = xyz
    assert x + y is y + x
    assert x * y is y * x
    assert x - y is not y - x
    assert x / y is not y / x
    assert x * 2 is 2 * x
    assert len(recorded((x + y) * z, (y + x) * z - z, z * (x + y)).instructions) == 3
    field = Recorded()
    first, again = (field.cos_sin(field.inputs(1) if k == 0 else np.array([[field.tape.nodes[0]]])) for k in range(2))
    assert first[0][0, 0] is again[0][0, 0]
    assert first[0][0, 0] is not first[1][0, 0]


def test_what_no_output_needs_is_dropped(xyz: tuple[Any, ...]) -> None:
    x, y, z = xyz
    _ = (x * y) * z + x
    assert [i.op for i in recorded(x + z).instructions] == ["add"]


def test_outputs_may_be_inputs_constants_and_each_other(xyz: tuple[Any, ...]) -> None:
    x, y, z = xyz
    total = x + y
    program = recorded(z, Fraction(Fraction(1, 4)), total, x, total, total * z, -x)
    values = program.values([np.array([[1.0, 2.0, 5.0], [3.0, 4.0, -1.0]])])
    assert values.T.tolist() == [[5, 0.25, 3, 1, 3, 15, -1], [-1, 0.25, 7, 3, 7, -7, -3]]


def test_program_of_constants_alone_answers_for_every_state() -> None:
    assert recorded(Fraction(2)).values([np.zeros((4, 3))]).tolist() == [[2, 2, 2, 2]]


def test_inputs_are_filled_from_the_arguments_in_turn() -> None:
    field = Recorded()
    a, b = field.inputs(2), field.inputs(1)
    program = Program.compile(3, [a[0, 0] - b[0, 0], a[1, 0] / b[0, 0]])
    assert program.values([np.array([[7.0, 6.0]]), np.array([[3.0]])]).tolist() == [[4], [2]]


def test_buffers_are_reused_and_never_too_early(xyz: tuple[Any, ...]) -> None:
    x, y, z = xyz
    total, last = x, x * z
    for _ in range(20):
        total = total * y + z
    program = recorded(total + last, last)
    assert program.buffers <= 6 < len(program.instructions)
    got = program.values([np.array([[2.0, 0.5, 3.0]])])
    expected = 2.0
    for _ in range(20):
        expected = expected * 0.5 + 3.0
    assert got[:, 0].tolist() == [expected + 6, 6]


STEP = st.tuples(st.sampled_from(["add", "sub", "mul", "neg"]), st.integers(0, 99), st.integers(0, 99))


@pytest.mark.slow
@given(steps=st.lists(STEP, max_size=40), outputs=st.lists(st.integers(0, 99), min_size=1, max_size=5))
@settings(max_examples=100)
def test_any_program_computes_what_its_operations_say(steps: list[Any], outputs: list[int]) -> None:
    """On whole numbers that float64 holds, so that equality is exact."""
    recorded_values: list[Any] = [*Recorded().inputs(3)[:, 0], Fraction(0), Fraction(1), Fraction(-3)]
    values: list[float] = [2.0, -1.0, 3.0, 0.0, 1.0, -3.0]
    for op, i, j in steps:
        a, b = i % len(values), j % len(values)
        act = getattr(operator, op)
        result = act(values[a]) if op == "neg" else act(values[a], values[b])
        if abs(result) < 2**40:
            values.append(result)
            recorded_values.append(act(recorded_values[a]) if op == "neg" else act(recorded_values[a], recorded_values[b]))
    wanted = [k % len(values) for k in outputs]
    program = Program.compile(3, [recorded_values[k] for k in wanted])
    arguments = [np.array([[2.0, -1.0, 3.0]] * 2)]
    assert program.values(arguments).T.tolist() == [[values[k] for k in wanted]] * 2


# Cost


def installed(package: str) -> bool:
    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False


@pytest.mark.engines
@pytest.mark.skipif(not installed(PACKAGE), reason='pip install "dalembert[robots]"')
def test_operations_of_a_real_arm() -> None:
    """What makes it fast: zeros and ones of a real robot's frames vanish, and its buffers fit in cache."""
    traced = TracedDynamics(robot("ur5"))
    program, _ = traced._program("inverse_dynamics")
    assert traced.operations("inverse_dynamics") == len(program.instructions) <= 600
    assert program.buffers <= 80
    counts = Counter(i.op for i in program.instructions)
    assert (counts["cos"], counts["sin"]) == (5, 5), "turned about the vertical, the arm feels nothing else"
    assert counts["neg"] <= 0.05 * len(program.instructions), "negations fold into sums and differences"
    assert min(map(abs, program.constants)) > 0, "a zero in a sum or a product vanishes"


def test_pendulum_takes_the_operations_of_its_formula() -> None:
    """M q̈ + m g l sin q + d q̇, with every constant folded: three products, two sums and one sine."""
    traced = TracedDynamics(find_mechanism("pendulum"))
    assert traced.operations("inverse_dynamics") <= 8
    assert traced.operations("mass_matrix") == 0
    assert traced.values("mass_matrix", np.zeros((2, 1))).shape == (2, 1, 1)
