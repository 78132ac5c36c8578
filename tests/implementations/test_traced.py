"""A traced program says what the reference says, in few operations. tests/machine has what a recording can do."""

from __future__ import annotations

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cross_check.judge.comparison.sampling import sample
from cross_check.judge.error_scale.sizes import ErrorScale, in_epsilons
from implementations.classical import link_frames, newton_euler
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.field import Real, Recorded
from implementations.recorded import traced as traced_module
from implementations.recorded.traced import TRACED, TracedDynamics
from implementations.screws import adjoints, product_of_exponentials
from implementations.screws.product_of_exponentials import SCREWS
from implementations.spatial_algebra.reference import ALGORITHMS, REFERENCE, Reference
from machine.backends import straight_line
from machine.program import Op
from machine.recording.recorded_function import record
from machine.recording.recording import Recording
from mechanisms import Mechanism, find_mechanism, neutral, random_mechanism, robot
from mechanisms.library import textbook
from mechanisms.library.robots import PACKAGE
from mechanisms.quantities import QUANTITIES, USUAL

Array = np.ndarray[Any, Any]

KINDS = ("revolute", "prismatic", "free")
BRANCHED = random_mechanism(5, 6, KINDS)
DYNAMICS = [name for name in ALGORITHMS if QUANTITIES[name].group == "dynamics"]


def arguments_of(mechanism: Mechanism, quantity: str, count: int = 14) -> tuple[Array, ...]:
    states = sample(mechanism, 2, count)
    tau = REFERENCE.load(mechanism).inverse_dynamics(states.q, states.v, states.a)
    return states.with_forces(tau).arguments(QUANTITIES[quantity].arguments)


# What the program says


@pytest.mark.slow
@pytest.mark.parametrize("quantity", USUAL)
def test_program_says_what_the_reference_says(quantity: str) -> None:
    """With every kind of joint, and mimic joints, in float64 and in double-double: a few roundings away."""
    mechanism = find_mechanism("random:3:5:all,mimic")
    arguments, traced = arguments_of(mechanism, quantity, 3), TracedDynamics(mechanism)
    expected = getattr(REFERENCE.load(mechanism), quantity)(*arguments)
    for got in (getattr(traced, quantity)(*arguments), traced.high_low(quantity, *arguments)[0]):
        assert got.shape == expected.shape
        assert np.abs(got - expected).max() <= 1e-11 * max(1.0, np.abs(expected).max())


@pytest.mark.slow
@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="np.longdouble is no wider than float64 here")
@pytest.mark.parametrize("quantity", DYNAMICS)
def test_program_says_what_the_reference_says_in_extended_precision(quantity: str) -> None:
    for mechanism in (BRANCHED, random_mechanism(2, 3, KINDS, tilted_gravity=True)):
        arguments = arguments_of(mechanism, quantity, 7)
        traced, extended = TRACED.load(mechanism), Reference(Real(np.longdouble)).load(mechanism)
        high, low = traced.high_low(quantity, *arguments)
        got, expected = high.astype(np.longdouble) + low, getattr(extended, quantity)(*arguments)
        assert np.array_equal(high + low, high), "the high word is the nearest float64"
        if quantity == "forward_dynamics":
            # A quotient says nothing of the size of differences; what q̈ misses of τ does.
            q, v, tau = arguments
            got, expected = extended.inverse_dynamics(q, v, got), tau
            size = ErrorScale(mechanism).size("inverse_dynamics", q, v, extended.forward_dynamics(*arguments).astype(float))
            size = np.broadcast_to(size.max(axis=1, keepdims=True), size.shape)
        else:
            size = ErrorScale(mechanism).size(quantity, *arguments)
        assert in_epsilons(got - expected, size).max() <= 4 / 2048


def test_a_recording_serves_all_who_ask_for_the_same_mechanism() -> None:
    assert TRACED.load(textbook.arms.scara()) is TRACED.load(textbook.arms.scara())
    assert TRACED.load(textbook.arms.scara()) is not TRACED.load(textbook.arms.scara(gravity=(0, 0, 0)))


@pytest.mark.parametrize("quantity", DYNAMICS)
def test_a_pose_at_rest_is_finite(quantity: str) -> None:
    """Registers hold zeros at the start, by which a quaternion's rest would divide."""
    mechanism = random_mechanism(1, 3, free_base=True)
    q, v = np.tile(neutral(mechanism), (5, 1)), np.zeros((5, mechanism.nv))
    arguments = [q if name == "q" else v for name in QUANTITIES[quantity].arguments]
    with np.errstate(all="raise"):
        assert np.isfinite(getattr(TRACED.load(mechanism), quantity)(*arguments)).all()


@pytest.mark.slow
@pytest.mark.parametrize(("derivation", "build", "algorithms"), [
    (NEWTON_EULER, link_frames.build, newton_euler.ALGORITHMS),
    (SCREWS, adjoints.build, product_of_exponentials.ALGORITHMS),
], ids=["newton-euler", "screws"])  # fmt: skip
def test_the_other_derivations_can_be_recorded(derivation: Any, build: Any, algorithms: Any) -> None:
    mechanism = find_mechanism("random:3:5:all")
    for quantity, algorithm in algorithms.items():
        arguments = arguments_of(mechanism, quantity, 3)

        def one_state(recording: Recording, *state: Any, algorithm: Any = algorithm) -> Any:
            return algorithm(build(mechanism, Recorded(recording)), *(x[:, None] for x in state))[..., 0]

        high, _ = record(one_state, [x.shape[1:] for x in arguments])(*arguments)
        expected = getattr(derivation.load(mechanism), quantity)(*arguments)
        assert np.abs(high - expected).max() <= 1e-11 * max(1.0, np.abs(expected).max())


# How it is called


@pytest.mark.slow
def test_five_lines() -> None:
    """The lines of docs/fast.md."""
    page = (Path(__file__).parents[2] / "docs" / "fast.md").read_text(encoding="utf-8")
    code = page.split("```python\n")[1].split("```")[0].replace('"ur5"', '"planar-pendulum:6"')
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["tau"].shape == (10000, 6)
    assert names["tau"].flags.c_contiguous
    reference = REFERENCE.load(find_mechanism("planar-pendulum:6"))
    np.testing.assert_allclose(names["tau"], reference.inverse_dynamics(*(names[x] for x in "qva")), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("shapes", "given"),
    [
        ([(2,), (2,), (2,)], r"\(2,\), \(2,\), \(2,\)"),
        ([(5, 2), (5, 2), (4, 2)], r"\(5, 2\), \(5, 2\), \(4, 2\)"),
        ([(5, 2), (5, 3), (5, 2)], r"\(5, 2\), \(5, 3\), \(5, 2\)"),
        ([], "nothing"),
    ],
)
def test_arrays_of_other_shapes_are_refused(shapes: list[tuple[int, ...]], given: str) -> None:
    message = rf"inverse_dynamics of 'cart-pole' takes arrays q \(states, 2\), v \(states, 2\), a \(states, 2\), not {given};"
    with pytest.raises(ValueError, match=message + r" one state x is the batch x\[None\]"):
        TRACED.load(find_mechanism("cart-pole")).inverse_dynamics(*(np.zeros(shape) for shape in shapes))
    with pytest.raises(ValueError, match="the inputs must be real numbers, and are <U1"):
        TRACED.load(find_mechanism("cart-pole")).gravity([["1", "2"]])


@pytest.mark.slow
def test_any_order_in_memory_is_read() -> None:
    (q, v, a), traced = arguments_of(BRANCHED, "inverse_dynamics"), TRACED.load(BRANCHED)
    expected = traced.inverse_dynamics(q, v, a)
    wide = np.zeros((14, 2 * BRANCHED.nv + 1))
    wide[:, 1::2] = a
    for other in (np.asfortranarray(a), wide[:, 1::2], a.tolist(), a[::-1].copy()[::-1], a.astype(np.longdouble)):
        np.testing.assert_array_equal(traced.inverse_dynamics(q, v, other), expected)
    one = traced.inverse_dynamics(np.broadcast_to(q[0], q.shape), np.broadcast_to(v[0], v.shape), np.broadcast_to(a[0], a.shape))
    np.testing.assert_array_equal(one, np.broadcast_to(expected[0], expected.shape))
    assert traced.inverse_dynamics(q[:0], v[:0], a[:0]).shape == (0, BRANCHED.nv)


def test_an_answer_goes_where_it_is_wanted() -> None:
    traced, rng = TRACED.load(find_mechanism("branched-tree")), np.random.default_rng(0)
    q, out = rng.normal(size=(300, 5)), np.full((300, 5, 5), np.nan)
    answer = traced.mass_matrix(q, out=out)
    assert np.shares_memory(answer, out)
    np.testing.assert_array_equal(out, traced.mass_matrix(q, threads=2))
    for wrong, message in (
        (np.zeros((300, 25)), "out must have the shape"),
        (np.zeros((300, 5, 5), np.float32), "out must be a float64 array"),
        (np.asfortranarray(out), "out must be a contiguous array"),
        (np.broadcast_to(0.0, out.shape), "out must be a contiguous array"),
    ):
        with pytest.raises(ValueError, match=message):
            traced.mass_matrix(q, out=wrong)
    with pytest.raises(ValueError, match="out has memory in common with an argument"):
        traced.gravity(q, out=q)


def test_quantities_of_one_program() -> None:
    names = ("forward_dynamics", "mass_matrix", "kinetic_energy", "inverse_dynamics_dv", "inverse_dynamics_with_forces")
    states, traced = sample(BRANCHED, 2, 9).with_forces(np.ones((9, BRANCHED.nv))), TracedDynamics(BRANCHED)
    arguments = dict(zip(("q", "v", "a", "tau", "f"), states.arguments(("q", "v", "a", "tau", "f")), strict=True))
    answers = traced.together(names, **arguments)
    assert list(answers) == list(names)
    for name, answer in answers.items():
        alone = getattr(traced, name)(*(arguments[x] for x in QUANTITIES[name].arguments))
        assert answer.shape == alone.shape
        np.testing.assert_allclose(answer, alone, rtol=1e-9, atol=1e-9)
    alone = sum(traced.operations(name) for name in names)
    assert traced.instructions - alone < 0.85 * alone, "one program is shorter than several"


@pytest.mark.parametrize(
    ("names", "given", "message"),
    [
        (("mass_matrix",), "qv", "the arguments of mass_matrix are q, not q, v"),
        (("gravity", "inverse_dynamics"), "qv", "the arguments of gravity and inverse_dynamics are q, v, a, not q, v"),
        ((), "q", "the arguments of no quantity are none, not q"),
        (("mass_matrx",), "q", "there is no quantity 'mass_matrx'; did you mean 'mass_matrix'?"),
    ],
)
def test_arguments_that_do_not_fit_to_the_quantities(names: tuple[str, ...], given: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        TRACED.load(find_mechanism("cart-pole")).together(names, **dict.fromkeys(given, np.zeros((3, 2))))
    assert TRACED.load(find_mechanism("cart-pole")).together(()) == {}


@pytest.mark.slow
def test_several_threads_may_ask_at_once() -> None:
    """Every thread has registers of its own."""
    dynamics, rng = TRACED.load(find_mechanism("puma560")), np.random.default_rng(0)
    batches = [rng.normal(size=(3, states, 6)) for states in rng.integers(1, 2000, 16)]
    expected = [dynamics.inverse_dynamics(*batch) for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        for answer, right in zip(pool.map(lambda x: dynamics.inverse_dynamics(*x, threads=2), batches), expected, strict=True):
            np.testing.assert_array_equal(answer, right)


def test_code_of_its_own_is_made_for_many_states(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is not made for small batches, however many, nor for long programs; and it changes no bit."""
    pytest.importorskip("llvmlite", reason="llvmlite is not installed, so NumPy is the only backend")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(traced_module, "MANY_STATES", 1000)
    made = []
    right = straight_line.compiled
    monkeypatch.setattr(straight_line, "compiled", lambda program: made.append(len(program.code)) or right(program))
    traced = TracedDynamics(find_mechanism("cart-pole"))
    q = np.random.default_rng(0).normal(size=(400, 2))
    answers = [traced.mass_matrix(q) for _ in range(4)]
    assert len(made) == 2, "from the third call on"
    assert all(np.array_equal(answer, answers[0]) for answer in answers)
    for _ in range(30):
        traced.gravity(q[:63])
    monkeypatch.setattr(traced_module, "COMPILED", 3)
    for _ in range(4):
        traced.nonlinear_effects(q, q)
    assert len(made) == 2


# Cost


def installed(package: str) -> bool:
    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False


@pytest.mark.engines
@pytest.mark.skipif(not installed(PACKAGE), reason='pip install "dalembert[robots]"')
def test_operations_of_a_real_arm() -> None:
    """What makes it fast: zeros and ones of a real robot's frames vanish, and its registers fit in cache."""
    traced = TracedDynamics(robot("ur5"))
    program = traced.function("inverse_dynamics").program
    assert traced.operations("inverse_dynamics") == len(program.code) <= 575
    assert program.registers - len(program.constants) <= 60
    counts = Counter(program.code[:, 0].tolist())
    assert (counts[Op.COS], counts[Op.SIN]) == (5, 5), "turned about the vertical, the arm feels nothing else"
    assert counts[Op.NEG] <= 2, "negations fold into sums and differences"
    assert min(map(abs, program.constants)) > 0, "a zero in a sum or a product vanishes"


def test_pendulum_takes_the_operations_of_its_formula() -> None:
    """M q̈ + m g l sin q + d q̇, with every constant folded: three products, two sums and one sine."""
    traced = TracedDynamics(find_mechanism("pendulum"))
    assert traced.operations("inverse_dynamics") <= 8
    assert traced.operations("mass_matrix") == 0
    assert traced.values("mass_matrix", np.zeros((2, 1))).shape == (2, 1, 1)
