"""Certified values: enclosures enclose, rounding is correct to the last bit, and one ulp is seen as one."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import jsonschema
import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as some

import oracle
from cross_check.exchange.results import schema
from cross_check.exchange.results.objects import BAR
from cross_check.harness import Entry, check
from cross_check.judge.comparison import certified
from cross_check.judge.comparison.case import prepare
from cross_check.judge.comparison.certified import Certified, nearest
from cross_check.judge.comparison.measure import in_ulps, measure
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.judge.settings import Settings
from cross_check.prove.proof import ties
from implementations.processes.subject import InProcess, LoadedInProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, find_mechanism, random_mechanism
from mechanisms.mimic import Mimic
from mechanisms.quantities import QUANTITIES, USUAL

TIE = Fraction(1) + Fraction(1, 2**53)
"""Half-way between 1 and the next float64; 1 is the even one."""

ODD = TIE + Fraction(1, 2**52)
"""The next tie, which is rounded up."""

INFINITE = 2**1024 - Fraction(2) ** 970
"""Half-way between the largest float64 and the next power of two."""

SKEW = (Fraction(2, 3), Fraction(1, 3), Fraction(2, 3))

SLIDERS = random_mechanism(3, 5, ("prismatic",))
"""Without an angle everything is rational."""

EVERY_KIND = find_mechanism("every-joint")

DIRECT = [name for name in USUAL if QUANTITIES[name].has_value]


def fraction(exact: arb) -> Fraction:
    n, k = (int(part) for part in exact.man_exp())
    return Fraction(n) * Fraction(2) ** k


def as_float(exact: Fraction) -> float:
    """Python divides whole numbers with correct rounding."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def ball(mid: Fraction, radius: Fraction) -> arb:
    """A ball about a binary fraction; its radius is at least the given one."""
    with ctx.workprec(4000):
        return arb(fmpq(mid.numerator, mid.denominator), arb(fmpq(radius.numerator, radius.denominator)))


def subject(quantity: str) -> Mechanism:
    """Derivatives take a pass in every direction."""
    is_small = QUANTITIES[quantity].group == "derivatives"
    return random_mechanism(2, 4, ("continuous", "euler-zyx", "planar", "helical")) if is_small else EVERY_KIND


def arguments_at(mechanism: Mechanism, quantity: str, states: int = 7) -> tuple[Any, ...]:
    return sample(mechanism, 0, states).arguments(QUANTITIES[quantity].arguments)


def exactly(mechanism: Mechanism, quantity: str, arguments: tuple[Any, ...]) -> list[Fraction]:
    """The exact values, for a mechanism without angles."""
    fractions = [np.array([Fraction(x) for x in given.ravel().tolist()], object).reshape(given.shape) for given in arguments]
    return list(getattr(oracle.EulerLagrange(mechanism, oracle.Rational()), quantity)(*fractions).flat)


def slider() -> Mechanism:
    return chain((Joint("rail", "prismatic", damping=Fraction(1, 7)), Inertia(Fraction(1, 3))))


def chain(*links: tuple[Joint, Inertia], gravity: Any = (0, 0, Fraction(-981, 100))) -> Mechanism:
    bodies = (Body(f"body{k + 1}", f"body{k}", *link) for k, link in enumerate(links))
    return Mechanism("chain", tuple(bodies), gravity, root="body0")


def tipped(name: str, kind: Any = "revolute", **more: Any) -> Joint:
    return Joint(name, kind, SKEW, **more)


# Rounding


@given(some.fractions(), some.integers(-1200, 1100), some.integers(40, 200))
def test_what_is_decided_is_what_both_ends_round_to(x: Fraction, scale: int, narrow: int) -> None:
    x = x.limit_denominator(2**70) * Fraction(2) ** scale
    with ctx.workprec(300):
        about = arb(fmpq(x.numerator, x.denominator)) + arb(0, 2.0**-narrow) * arb(fmpq(x.numerator, x.denominator))
    found = nearest(about)
    mid, radius = fraction(about.mid()), fraction(about.rad())
    ends = {as_float(mid - radius), as_float(mid + radius)}
    if found:
        assert ends == {found.value}
        assert math.isinf(found.value) or as_float(mid - Fraction(found.value)) == found.remainder
    else:
        assert len(ends) == 2 or 2**53 * radius > Fraction(math.ulp(ends.pop()))


THIRD = Fraction(6004799503160661, 2**54)

BALLS: dict[str, tuple[Fraction, int | None, float | None, Fraction | None]] = {
    "an exact tie goes to the even side": (TIE, None, 1.0, None),
    "an exact tie with an odd lower side": (ODD, None, 1 + 2.0**-51, None),
    "half of the smallest": (Fraction(1, 2**1075), None, 0.0, None),
    "three halves of the smallest": (Fraction(3, 2**1075), None, 2.0**-1073, None),
    "five halves of the smallest": (Fraction(5, 2**1075), None, 2.0**-1073, None),
    "the first infinite one": (INFINITE, None, math.inf, None),
    "what may be a tie": (TIE, -1100, 1.0, TIE),
    "what may be a tie with an odd lower side": (ODD, -1100, 1 + 2.0**-51, ODD),
    "what may still turn out to be no tie": (TIE, -900, None, None),
    "above a tie": (TIE + Fraction(1, 2**500), -520, 1 + 2.0**-52, None),
    "below a tie": (TIE - Fraction(1, 2**500), -520, 1.0, None),
    "above a tie or below": (TIE + Fraction(1, 2**500), -499, None, None),
    "zero": (Fraction(0), None, 0.0, None),
    "what may be the smallest": (Fraction(0), -1074, None, None),
    "around zero": (Fraction(0), -1076, 0.0, None),
    "around zero, and beside it": (Fraction(1, 2**1090), -1076, 0.0, None),
    "what may be infinite": (INFINITE, -1000, None, None),
    "too wide for the rest": (THIRD, -100, None, None),
    "narrow enough for the rest": (THIRD, -110, 6004799503160661 / 2**54, None),
}
"""Centre, exponent of the radius, the float64 that is decided, and the middle that it rests on."""


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("what", BALLS)
def test_what_a_ball_decides(what: str, sign: int) -> None:
    mid, exponent, value, middle = BALLS[what]
    found = nearest(ball(sign * mid, Fraction(0) if exponent is None else Fraction(2) ** exponent))
    if value is None:
        assert found is None
        return
    assert found is not None
    assert (found.value, found.middle) == (sign * value, middle and sign * middle)
    if value == 0:
        assert (math.copysign(1, found.value), found.remainder) == (1, 0)
    elif value < math.inf:
        assert found.remainder == as_float(sign * mid - Fraction(found.value))


def test_nothing_is_decided_about_what_is_no_number() -> None:
    with ctx.workprec(53):
        for none in (arb("nan"), arb("inf"), arb(1) / arb(0, 1), arb(0, "1e400")):
            assert nearest(none) is None


# Values


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("quantity", DIRECT)
def test_enclosures_hold_what_a_much_higher_precision_gives(quantity: str) -> None:
    mechanism = subject(quantity)
    source = Certified(mechanism)
    coarse, fine = (source.enclosures(quantity, bits, *arguments_at(mechanism, quantity)).ravel() for bits in (192, 2000))
    assert any(not x.is_exact() for x in coarse)
    assert all(x.contains(y) for x, y in zip(coarse, fine, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("quantity", ["inverse_dynamics", "mass_matrix", "placements", "drifts_world", "inverse_dynamics_dq"])
def test_without_angles_they_are_the_nearest_to_exact_fractions(quantity: str) -> None:
    arguments = arguments_at(SLIDERS, quantity)
    high, low = Certified(SLIDERS).high_low(quantity, *arguments)
    exact = exactly(SLIDERS, quantity, arguments)
    assert high.ravel().tolist() == [float(x) for x in exact]
    assert np.abs(low).tolist() <= (np.spacing(np.abs(high)) / 2).tolist()


@settings(max_examples=60)
@given(some.lists(some.floats(allow_nan=False, allow_infinity=False, width=64), min_size=3, max_size=3))
def test_whatever_the_size_of_the_numbers(numbers: list[float]) -> None:
    """Subnormals, zeros, and what overflows."""
    arguments = tuple(np.array([[x]]) for x in numbers)
    high, _ = Certified(slider()).high_low("inverse_dynamics", *arguments)
    (exact,) = exactly(slider(), "inverse_dynamics", arguments)
    assert high[0, 0] == as_float(exact)


def test_a_balanced_pendulum_is_not_called_zero() -> None:
    """Where q is the float64 next to where the moment vanishes, what is left is the distance between the two."""
    balanced = chain((Joint("hinge", "revolute", (0, 1, 0)), Inertia(2, (Fraction(3, 10), 0, Fraction(1, 7)))))
    q = np.array([[math.atan2(-0.3, 1 / 7)], [math.atan2(0.3, -1 / 7)]])
    source = Certified(balanced)
    high, _ = source.high_low("gravity", q)
    exact = [fraction(x.mid()) for x in source.enclosures("gravity", 2000, q).flat]
    assert high.ravel().tolist() == [float(x) for x in exact]
    assert (np.abs(high) > 0).all() and (np.abs(high) < 1e-14).all()


def test_zero_is_zero_and_takes_no_more_than_it_must() -> None:
    """Gravity along a hinge moves nothing, but with a skew axis that takes a cancellation to see."""
    skew = chain((tipped("hinge"), Inertia(1, (Fraction(1, 10), 0, 0))), gravity=tuple(9 * x for x in SKEW))
    source, q = Certified(skew), np.array([[0.3], [1e-3], [30.0]])
    assert all(x.contains(0) and not x.is_zero() for x in source.enclosures("gravity", 192, q).flat)
    high, low = source.high_low("gravity", q)
    assert not high.any() and not low.any()
    assert 1075 < source.bits < 2000
    assert source.ties == 0


def test_blocks_are_put_together_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = arguments_at(SLIDERS, "inverse_dynamics", 9)
    whole = Certified(SLIDERS).high_low("inverse_dynamics", *arguments)
    monkeypatch.setattr(certified, "BLOCK", 4 * SLIDERS.nv)
    np.testing.assert_array_equal(Certified(SLIDERS).high_low("inverse_dynamics", *arguments), whole)


def test_the_length_of_a_cosine_and_a_sine_does_not_matter() -> None:
    wheel = chain((Joint("hinge", "continuous", (0, 1, 0)), Inertia(2, (1, 0, 0))))
    (first, second), _ = Certified(wheel).high_low("gravity", np.array([[0.6, 0.8], [1.2, 1.6]]))
    assert first == second
    # 0.6 and 0.8 in float64 are next to, but not quite, a cosine and a sine.
    square = Fraction(0.6) ** 2 + Fraction(0.8) ** 2
    with ctx.workprec(300):
        moment = -2 * arb(fmpq(981, 100)) * arb(0.6) / arb(fmpq(square.numerator, square.denominator)).sqrt()
    assert first[0] == nearest(moment).value  # type: ignore[union-attr]


def test_what_no_precision_decides_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certified, "PRECISIONS", (64,))
    with pytest.raises(oracle.OracleError, match=f"64 bits decide no float64 for gravity of '{EVERY_KIND.name}'; give"):
        Certified(EVERY_KIND).high_low("gravity", *arguments_at(EVERY_KIND, "gravity", 2))


@pytest.mark.slow
def test_threads_get_what_one_alone_gets() -> None:
    before, names = ctx.prec, ["gravity", "mass_matrix", "kinetic_energy", "gravity"]

    def values(name: str) -> bytes:
        source = Certified(EVERY_KIND)
        high_low = source.high_low(name, *arguments_at(EVERY_KIND, name, 3))
        return b"".join(half.tobytes() for half in high_low) + str((source.bits, source.ties)).encode()

    alone = [values(name) for name in names]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(values, names)) == alone
    assert ctx.prec == before


# Ties


def carried(*joints: Joint, at: Fraction = TIE, beyond: bool = False) -> Mechanism:
    """Hinges at the root's origin, and a slider whose joint is ``at`` along the x axis of the last one."""
    rail = Joint("rail", "prismatic", (0, 0, 1), placement=Placement(translation=(at, 0, 0)))
    return chain(*((joint, Inertia(1)) for joint in (*joints, rail, *[Joint("beyond", "prismatic")] * beyond)))


BACK: dict[str, tuple[tuple[Joint, ...], tuple[float, ...]]] = {
    "opposite angles": ((tipped("there"), tipped("back")), (0.3, -0.3, 0.5)),
    "a mimic joint": ((tipped("there"), tipped("back", mimic=Mimic("there", -1))), (0.3, 0.5)),
    "an angle of zero": ((tipped("there"), tipped("still"), tipped("back")), (0.3, 0, -0.3, 0.5)),
    "an angle and twice that angle": ((tipped("there"), tipped("again"), tipped("back")), (0.3, 0.3, -0.6, 0.5)),
    "multiples of an angle that no joint has": ((tipped("there"), tipped("again"), tipped("back")), (0.5, 0.75, -1.25, 0.5)),
    "multiples by a mimic joint": (
        (tipped("there"), tipped("back", mimic=Mimic("there", -3)), tipped("again")),
        (0.3, 2 * 0.3, 0.5),
    ),
    "circles of other lengths": ((tipped("there", "continuous"), tipped("back", "continuous")), (0.6, 0.8, 1.2, -1.6, 0.5)),
    "half turns of circles": ((tipped("there", "continuous"), tipped("back", "continuous")), (-1, 0, -1, -0.0, 0.5)),
    "circles of rational lengths": ((tipped("there", "continuous"), tipped("back", "continuous")), (3, 4, 0.375, -0.5, 0.5)),
}


@pytest.mark.parametrize("how", BACK)
def test_turning_there_and_back_is_proven_to_be_a_tie(how: str) -> None:
    joints, q = BACK[how]
    source = Certified(carried(*joints))
    high, low = source.high_low("placements", np.array([q]))
    assert (high[0, -1, 0, 3], low[0, -1, 0, 3]) == (1.0, 2.0**-53)
    assert (source.ties > 0, source.undecided) == (True, 0)


@pytest.mark.parametrize(("sign", "value"), [(1, 1 + 2.0**-52), (-1, 1.0)])
def test_what_is_beside_a_tie_by_two_to_the_minus_1400_is_rounded_to_its_side(sign: int, value: float) -> None:
    """The energy of the first body is the middle, or a little less; that of the second one is tiny, or zero."""
    armature = 2 * TIE - 1 - (Fraction(1, 2**129) if sign < 0 else 0)
    first = (tipped("first", armature=armature), Inertia(1, (Fraction(-2, 3), Fraction(2, 3), Fraction(1, 3))))
    source = Certified(chain(first, (tipped("second", armature=Fraction(1, 2**100)), Inertia(0))))
    high, _ = source.high_low("kinetic_energy", np.array([[0.3, 0.7]]), np.array([[1.0, 2.0**-650 if sign > 0 else 0]]))
    assert high[0] == value
    assert (source.ties, source.undecided) == (0, 0)
    assert sign < 0 or source.bits == 5120


def test_a_screw_advances_by_its_angle() -> None:
    screw = tipped("screw", "helical", pitch=Fraction(3, 2) * TIE)
    source = Certified(chain((tipped("hinge"), Inertia(1)), (screw, Inertia(1))))
    high, _ = source.high_low("placements", np.array([[0.3, 1.0]]))
    assert high[0, 1, :, 3].tolist() == [1.0, 0.5, 1.0]
    assert (source.ties, source.undecided) == (3, 0)


def test_what_no_proof_says_is_counted_as_undecided() -> None:
    """The last angle is the sum of the others, which the proof does not use."""
    first, second = float(np.float32(0.3)), float(np.float32(0.7))
    source = Certified(carried(tipped("there"), tipped("again"), tipped("back")))
    high, _ = source.high_low("placements", np.array([[first, second, -(first + second), 0.5]]))
    assert high[0, -1, 0, 3] == 1.0
    assert source.undecided > 0
    assert source.bits == certified.PRECISIONS[-1]


def test_nearly_twice_an_angle_is_no_tie() -> None:
    """The tie would be rounded up, to even; the value is a little less."""
    source = Certified(carried(tipped("there"), tipped("again"), tipped("back"), at=1 + 3 * (TIE - 1)))
    q = np.array([[0.3, 0.3, -0.6, 0.5], [0.3, 0.3, math.nextafter(-0.6, -1), 0.5]])
    high, _ = source.high_low("placements", q)
    assert high[:, -1, 0, 3].tolist() == [1 + 2.0**-51, 1 + 2.0**-52]
    assert source.undecided == 0


@pytest.mark.parametrize(
    ("angles", "parts"),
    [
        ((0, 0.3, -0.6), {0.3}),
        ((0.5, 0.75), {0.25}),
        ((0.5, 0.75, 17 * 0.25), {0.25, 4.25}),
        ((0.3, math.nextafter(0.6, 1)), {0.3, math.nextafter(0.6, 1)}),
        ((0, 0), set()),
    ],
)
def test_angles_have_a_common_part_if_they_are_small_multiples_of_it(angles: Any, parts: Any) -> None:
    assert {float(part) for part in ties.common_parts(map(Fraction, angles))} == parts


def test_ties_of_one_state_share_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the time grows with the fourth power of the joints: every entry of this mass matrix is a tie."""
    rails = [(tipped(f"rail{k}", "prismatic"), Inertia(0 if k < 5 else TIE)) for k in range(6)]
    recorded: list[Any] = []
    monkeypatch.setattr(ties, "EulerLagrange", lambda *given: recorded.append(given) or oracle.EulerLagrange(*given))
    source = Certified(chain((tipped("hinge"), Inertia(0)), *rails))
    source.high_low("mass_matrix", np.array([[0.3, *[0.0] * 6]]))
    assert (source.ties, source.undecided, len(recorded)) == (36, 0, 1)


# Arguments


THERE_AND_BACK = carried(tipped("there"), tipped("back"), beyond=True)


@pytest.mark.parametrize(
    ("mechanism", "quantity", "arguments", "said"),
    [
        # Only a part of the answer depends on it.
        *((THERE_AND_BACK, "placements", ([[0.3, -0.3, 0.5, x]],), f"q contains {x}; give") for x in (math.nan, math.inf)),
        (
            carried(tipped("wheel", "continuous")),
            "placements",
            ([[0, -0.0, 0.5]],),
            "cosine and sine of joint 'wheel' are zero; give any others",
        ),
        (slider(), "kinetic_energy", ([[0.0]], [[1.0], [1.0]]), "v has shape"),
    ],
)
def test_what_is_no_state_is_refused(mechanism: Mechanism, quantity: str, arguments: Any, said: str) -> None:
    with pytest.raises(oracle.OracleError, match=said):
        Certified(mechanism).high_low(quantity, *map(np.array, arguments))


def test_there_may_be_no_states_and_single_precision_is_exact() -> None:
    high, low = Certified(slider()).high_low("mass_matrix", np.zeros((0, 1)))
    assert high.shape == low.shape == (0, 1, 1)
    source = Certified(carried(tipped("there"), tipped("back")))
    high, _ = source.high_low("placements", np.array([[0.3, -0.3, 0.5]], np.float32))
    assert (high[0, -1, 0, 3], source.ties) == (1.0, 1)


# Cells and runs


ARM = find_mechanism("spatial-3r")
CERTIFIED = Settings(states=7, certified=True)


@pytest.fixture(scope="module")
def case() -> Any:
    return prepare(ARM, CERTIFIED.seed, CERTIFIED.states, certified=True)


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "mass_matrix", "placements", "kinetic_energy"])
def test_correct_rounding_is_off_by_nothing_and_one_ulp_in_one_component_by_one(altered: Any, case: Any, quantity: str) -> None:
    def cell(direction: float | None) -> Any:
        def answer(right: Any, *state: Any) -> Any:
            right = case.truth.high_low(quantity, *state)[0].copy()
            if direction is not None:
                mantissas = np.frexp(np.abs(right))[0]  # a power of two, whose mantissa is a half, has a neighbour at two ulps
                at = np.unravel_index(mantissas.argmax(), right.shape)
                right[at] = np.nextafter(right[at], direction)
            return right

        return measure(case, InProcess(altered(**{quantity: answer})).load(ARM), "mine", QUANTITIES[quantity], BAR)[0]

    exact = cell(None)
    assert (exact.ulps.rounded, exact.ulps.largest) == (1.0, 0.0)
    assert exact.error <= 0.5
    for direction in (math.inf, -math.inf):
        off = cell(direction)
        assert (off.ulps.largest, off.ulps.median) == (1.0, 0.0)
        assert 0.5 < off.ulps.rounded < 1.0


def test_the_reference_is_off_by_some_ulps_of_certified_values(case: Any) -> None:
    dynamics = InProcess(REFERENCE).load(ARM)
    cell = measure(case, dynamics, "mine", QUANTITIES["inverse_dynamics"], BAR)[0]
    assert cell.verdict == "agrees"
    assert 0 < cell.ulps.median <= cell.ulps.most <= cell.ulps.largest  # type: ignore[union-attr]
    others = prepare(ARM, CERTIFIED.seed, CERTIFIED.states)
    assert measure(others, dynamics, "mine", QUANTITIES["gravity"], BAR)[0].ulps is None


def test_a_unit_is_the_smaller_gap_and_zeros_do_not_count() -> None:
    below, above = np.nextafter(4.0, 0), np.nextafter(4.0, 5)
    for got, right, ulps in (
        ([below], [4.0], 1.0),
        ([above], [4.0], 2.0),
        ([2e-320], [2.0005e-320], 1.0),
        ([1e-18, 1.0], [0.0, 1.0], 0.0),
        ([1e300], [5e-324], 1e99),
    ):
        assert in_ulps(np.array(got), np.array(right)).largest == ulps  # type: ignore[union-attr]
    assert in_ulps(np.array([1e-18]), np.array([0.0])) is None
    got = np.ones(100_000)
    got[7] = 2
    assert in_ulps(got, np.ones(100_000)).rounded < 1, "one in a hundred thousand is not rounded away"  # type: ignore[union-attr]


def test_forward_dynamics_is_judged_by_its_residual_which_is_exact(altered: Any, case: Any) -> None:
    quantity, states = QUANTITIES["forward_dynamics"], case.states
    right = measure(case, InProcess(REFERENCE).load(ARM), "mine", quantity, BAR)[0]
    wrong = altered(forward_dynamics=lambda a, *_: a * (1 + 1e-10)).load(ARM)
    assert (right.verdict, right.ulps) == ("agrees", None)
    assert measure(case, LoadedInProcess(wrong, ARM), "mine", quantity, BAR)[0].verdict == "discrepancy"
    high, low = case.truth.forces(states.q, states.v, states.a)
    np.testing.assert_array_equal(high, states.tau)
    np.testing.assert_array_equal(low, case.truth.high_low("inverse_dynamics", states.q, states.v, states.a)[1])


@pytest.mark.slow
def test_the_document_of_a_certified_run_says_so(with_bridge: None) -> None:
    """The bridge is the error of the reference in double-double."""
    lines: list[str] = []
    entries = [Entry("mine", "mine", InProcess(REFERENCE))]
    document = check([("spatial-3r", ARM)], entries, CERTIFIED, progress=lambda event: lines.append(event.text)).document()
    jsonschema.validate(document, schema())
    assert document["settings"]["certified"] is True
    (mechanism,) = document["mechanisms"]
    assert mechanism["truth"] == "certified"
    assert mechanism["certified"]["bits"] in certified.PRECISIONS
    assert mechanism["certified"]["ties"] >= 0
    assert {cell["verdict"] for cell in document["cells"]} == {"agrees"}
    assert {cell["quantity"] for cell in document["cells"] if cell["ulps"] is None} == set(USUAL) - set(DIRECT)
    assert set(mechanism["bridge"]) == set(DIRECT)
    assert max(mechanism["bridge"].values()) < 2.0**-100 / EPSILON
    assert "spatial-3r: certifying mass matrix, 0 of 7 states done" in lines
    assert lines[-1] == "done"
