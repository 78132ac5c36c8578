"""Certified values: enclosures enclose, rounding is correct to the last bit, and one ulp is seen as one."""

from __future__ import annotations

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
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
from cross_check.judge.comparison.sampling import States, sample
from cross_check.judge.comparison.truth import CertifiedTruth, Truth
from cross_check.judge.error_scale.sizes import EPSILON, ErrorScale, in_epsilons
from cross_check.judge.settings import Settings
from cross_check.prove.proof import ties
from implementations.processes.subject import InProcess, LoadedInProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, find_mechanism, random_mechanism
from mechanisms.mimic import Mimic
from mechanisms.quantities import QUANTITIES, USUAL

TIE = Fraction(1) + Fraction(1, 2**53)
"""Half-way between 1 and the next float64; 1 is the even one."""

SLIDERS = random_mechanism(3, 5, ("prismatic",))
"""Without an angle everything is rational."""

EVERY_KIND = find_mechanism("every-joint")

SMALL = random_mechanism(2, 4, ("continuous", "euler-zyx", "planar", "helical"))

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


def ball(mid: Fraction, radius: Fraction = Fraction(0)) -> arb:
    """A ball about a binary fraction; its radius is at least the given one."""
    with ctx.workprec(4000):
        return arb(fmpq(mid.numerator, mid.denominator), arb(fmpq(radius.numerator, radius.denominator)))


def subject(quantity: str) -> Mechanism:
    """Derivatives take a pass in every direction."""
    return SMALL if QUANTITIES[quantity].group == "derivatives" else EVERY_KIND


def arguments_of(states: States, quantity: str) -> tuple[Any, ...]:
    return states.arguments(QUANTITIES[quantity].arguments)


def exactly(mechanism: Mechanism, quantity: str, arguments: tuple[Any, ...]) -> list[Fraction]:
    """The exact values, for a mechanism without angles."""
    fractions = [np.array([Fraction(x) for x in given.ravel().tolist()], object).reshape(given.shape) for given in arguments]
    return list(getattr(oracle.EulerLagrange(mechanism, oracle.Rational()), quantity)(*fractions).flat)


def slider(**more: Any) -> Mechanism:
    return Mechanism("slider", (Body("block", "world", Joint("rail", "prismatic", **more), Inertia(Fraction(1, 3))),))


class TestRounding:
    @given(some.fractions(), some.integers(-1200, 1100), some.integers(40, 200))
    def test_what_is_decided_is_what_both_ends_round_to(self, x: Fraction, scale: int, narrow: int) -> None:
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

    @pytest.mark.parametrize("sign", [1, -1])
    @pytest.mark.parametrize(
        ("exact", "even"),
        [
            (TIE, 1.0),
            (TIE + Fraction(1, 2**52), 1 + 2.0**-51),
            (Fraction(1, 2**1075), 0.0),
            (Fraction(3, 2**1075), 2.0**-1073),
            (Fraction(5, 2**1075), 2.0**-1073),
            (2**1024 - Fraction(2) ** 970, math.inf),
        ],
    )
    def test_exact_ties_go_to_the_even_side(self, sign: int, exact: Fraction, even: float) -> None:
        found = nearest(ball(sign * exact))
        assert found is not None
        assert (found.value, found.middle) == (sign * even, None)

    @pytest.mark.parametrize("sign", [1, -1])
    def test_what_may_be_a_tie_is_said(self, sign: int) -> None:
        odd = TIE + Fraction(1, 2**52)
        for tie, even in ((TIE, 1.0), (odd, 1 + 2.0**-51)):
            assert nearest(ball(sign * tie, Fraction(1, 2**900))) is None, "it may still turn out to be none"
            found = nearest(ball(sign * tie, Fraction(1, 2**1100)))
            assert found is not None and found.middle == sign * tie
            assert found.value == sign * even
            assert Fraction(found.value) + Fraction(found.remainder) == sign * tie

    def test_what_is_beside_a_tie_is_none(self) -> None:
        for side, value in ((1, 1 + 2.0**-52), (-1, 1.0)):
            beside = ball(TIE + Fraction(side, 2**500), Fraction(1, 2**520))
            assert nearest(beside) is not None
            assert nearest(beside)[::2] == (value, None)  # type: ignore[index]
            assert nearest(ball(TIE + Fraction(side, 2**500), Fraction(1, 2**499))) is None

    def test_around_zero_only_what_rounds_to_zero_is_decided(self) -> None:
        assert nearest(arb(0)) == (0.0, 0.0, None)
        assert nearest(ball(Fraction(0), Fraction(1, 2**1074))) is None
        for mid in (Fraction(0), Fraction(1, 2**1090), Fraction(-1, 2**1090)):
            found = nearest(ball(mid, Fraction(1, 2**1076)))
            assert found == (0.0, 0.0, None)
            assert math.copysign(1, found.value) == 1

    def test_nothing_is_decided_about_what_is_no_number(self) -> None:
        with ctx.workprec(53):
            for none in (arb("nan"), arb("inf"), arb(1) / arb(0, 1), arb(0, "1e400")):
                assert nearest(none) is None
        assert nearest(ball(2**1024 - Fraction(2) ** 970, Fraction(1, 2**1000))) is None, "it may be infinite, or not"

    def test_a_ball_too_wide_for_the_rest_is_not_enough(self) -> None:
        third = Fraction(6004799503160661, 2**54)
        assert nearest(ball(third, Fraction(1, 2**100))) is None
        assert nearest(ball(third, Fraction(1, 2**110))) is not None


class TestEnclosures:
    @pytest.mark.nightly
    @pytest.mark.slow
    @pytest.mark.parametrize("quantity", DIRECT)
    def test_they_hold_what_a_much_higher_precision_gives(self, quantity: str) -> None:
        assert not outside(quantity)


def outside(quantity: str) -> int:
    """How many balls of 192 bits do not hold what 2000 bits give."""
    mechanism = subject(quantity)
    source, arguments = Certified(mechanism), arguments_of(sample(mechanism, 0, 7), quantity)
    coarse, fine = (source.enclosures(quantity, bits, *arguments) for bits in (192, 2000))
    assert any(not x.is_exact() for x in coarse.flat)
    return sum(not x.contains(y) for x, y in zip(coarse.flat, fine.flat, strict=True))


class TestValues:
    @pytest.mark.slow
    @pytest.mark.parametrize("quantity", DIRECT)
    def test_without_angles_they_are_the_nearest_to_exact_fractions(self, quantity: str) -> None:
        states = sample(SLIDERS, 0, 14)
        arguments = arguments_of(states, quantity)
        high, low = Certified(SLIDERS).high_low(quantity, *arguments)
        exact = exactly(SLIDERS, quantity, arguments)
        assert high.ravel().tolist() == [float(x) for x in exact]
        assert np.abs(low).tolist() <= (np.spacing(np.abs(high)) / 2).tolist()

    @settings(max_examples=60)
    @given(some.lists(some.floats(allow_nan=False, allow_infinity=False, width=64), min_size=3, max_size=3))
    def test_whatever_the_size_of_the_numbers(self, numbers: list[float]) -> None:
        """Subnormals, zeros, and what overflows."""
        arguments = tuple(np.array([[x]]) for x in numbers)
        high, _ = Certified(slider(damping=Fraction(1, 7))).high_low("inverse_dynamics", *arguments)
        (exact,) = exactly(slider(damping=Fraction(1, 7)), "inverse_dynamics", arguments)
        assert high[0, 0] == as_float(exact)

    def test_a_balanced_pendulum_is_not_called_zero(self) -> None:
        """Where q is the float64 next to where the moment vanishes, what is left is the distance between the two."""
        c = (Fraction(3, 10), 0, Fraction(1, 7))
        balanced = Mechanism("pendulum", (Body("bob", "world", Joint("hinge", "revolute", (0, 1, 0)), Inertia(2, c)),))
        q = np.array([[math.atan2(-0.3, 1 / 7)], [math.atan2(0.3, -1 / 7)]])
        source = Certified(balanced)
        high, _ = source.high_low("gravity", q)
        exact = [fraction(x.mid()) for x in source.enclosures("gravity", 2000, q).flat]
        assert high.ravel().tolist() == [float(x) for x in exact]
        assert (np.abs(high) > 0).all() and (np.abs(high) < 1e-14).all()

    def test_zero_is_zero_and_takes_no_more_than_it_must(self) -> None:
        """Gravity along a hinge moves nothing, but with a skew axis that takes a cancellation to see."""
        axis = (Fraction(2, 3), Fraction(1, 3), Fraction(2, 3))
        gravity = tuple(9 * x for x in axis)
        skew = Mechanism(
            "skew", (Body("wheel", "world", Joint("hinge", "revolute", axis), Inertia(1, (Fraction(1, 10), 0, 0))),), gravity
        )
        source, q = Certified(skew), np.array([[0.3], [1e-3], [30.0]])
        assert all(x.contains(0) and not x.is_zero() for x in source.enclosures("gravity", 192, q).flat)
        high, low = source.high_low("gravity", q)
        assert not high.any() and not low.any()
        assert 1075 < source.bits < 2000
        assert source.ties == 0

    @pytest.mark.parametrize(("more", "even"), [(1, 1.0), (3, 1 + 2.0**-51)])
    def test_a_tie_that_cancellation_hides(self, more: int, even: float) -> None:
        """cos² + sin² is one, with more bits for one than a float64 has, and in balls never quite one."""
        armature = Fraction(more, 2**53)
        joint = Joint("hinge", "revolute", (Fraction(2, 3), Fraction(1, 3), Fraction(2, 3)), armature=armature)
        point = Mechanism("point", (Body("bob", "world", joint, Inertia(1, (Fraction(-2, 3), Fraction(2, 3), Fraction(1, 3)))),))
        source = Certified(point)
        high, low = source.high_low("mass_matrix", np.array([[0.3]]))
        assert high[0, 0, 0] == even
        assert Fraction(even) + Fraction(float(low[0, 0, 0])) == 1 + armature
        assert source.ties == 1

    def test_blocks_are_put_together_in_order(self, monkeypatch: pytest.MonkeyPatch) -> None:
        states = sample(SLIDERS, 0, 9)
        whole = Certified(SLIDERS).high_low("inverse_dynamics", states.q, states.v, states.a)
        monkeypatch.setattr(certified, "BLOCK", 4 * SLIDERS.nv)
        np.testing.assert_array_equal(Certified(SLIDERS).high_low("inverse_dynamics", states.q, states.v, states.a), whole)

    def test_the_length_of_a_cosine_and_a_sine_does_not_matter(self) -> None:
        wheel = Mechanism("wheel", (Body("wheel", "world", Joint("hinge", "continuous", (0, 1, 0)), Inertia(2, (1, 0, 0))),))
        pointers = np.array([[0.6, 0.8], [1.2, 1.6]])
        (first, second), _ = Certified(wheel).high_low("gravity", pointers)
        assert first == second
        # 0.6 and 0.8 in float64 are next to, but not quite, a cosine and a sine.
        c, s = Fraction(0.6), Fraction(0.8)
        with ctx.workprec(300):
            length = arb(fmpq((c * c + s * s).numerator, (c * c + s * s).denominator)).sqrt()
            moment = -2 * arb(fmpq(981, 100)) * arb(0.6) / length
        assert first[0] == nearest(moment).value  # type: ignore[union-attr]

    def test_what_no_precision_decides_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(certified, "PRECISIONS", (64,))
        states = sample(EVERY_KIND, 0, 2)
        with pytest.raises(oracle.OracleError, match=f"64 bits decide no float64 for gravity of '{EVERY_KIND.name}'; give"):
            Certified(EVERY_KIND).high_low("gravity", states.q)


class TestArguments:
    """What is no state is refused with one sentence, also where only a part of the answer depends on it."""

    @pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
    def test_numbers_must_be_finite(self, number: float) -> None:
        beyond = Body("beyond", "body2", Joint("beyond", "prismatic"), Inertia(1))
        there_and_back = carried(tipped("there"), tipped("back"))
        source = Certified(replace(there_and_back, bodies=(*there_and_back.bodies, beyond)))
        with pytest.raises(oracle.OracleError, match=f"q contains {number}; give finite numbers"):
            source.high_low("placements", np.array([[0.3, -0.3, 0.5, number]]))

    def test_a_circle_must_have_a_direction(self) -> None:
        with pytest.raises(oracle.OracleError, match="cosine and sine of joint 'wheel' are zero; give any others"):
            Certified(carried(tipped("wheel", "continuous"))).high_low("placements", np.array([[0, -0.0, 0.5]]))

    def test_arguments_must_be_of_the_same_states(self) -> None:
        with pytest.raises(oracle.OracleError, match="v has shape"):
            Certified(slider()).high_low("kinetic_energy", np.zeros((1, 1)), np.ones((2, 1)))

    def test_there_may_be_no_states(self) -> None:
        high, low = Certified(slider()).high_low("mass_matrix", np.zeros((0, 1)))
        assert high.shape == low.shape == (0, 1, 1)

    def test_single_precision_is_exact(self) -> None:
        source = Certified(carried(tipped("there"), tipped("back")))
        high, _ = source.high_low("placements", np.array([[0.3, -0.3, 0.5]], np.float32))
        assert (high[0, -1, 0, 3], source.ties) == (1.0, 1)


SKEW = (Fraction(2, 3), Fraction(1, 3), Fraction(2, 3))


def carried(*joints: Joint, at: Fraction = TIE) -> Mechanism:
    """Hinges at the root's origin, and a slider whose joint is ``at`` along the x axis of the last one."""
    last = Joint("rail", "prismatic", (0, 0, 1), placement=Placement(translation=(at, 0, 0)))
    names = ["world", *(f"body{k}" for k in range(len(joints) + 1))]
    pairs = zip(names, names[1:], (*joints, last), strict=False)
    return Mechanism("carried", tuple(Body(name, parent, joint, Inertia(1)) for parent, name, joint in pairs))


def tipped(name: str, kind: Any = "revolute", **more: Any) -> Joint:
    return Joint(name, kind, SKEW, **more)


class TestTies:
    """Values that lie in the middle of two float64, or so near to it that balls of 1280 bits cannot tell."""

    @pytest.mark.parametrize(("sign", "value"), [(1, 1 + 2.0**-52), (-1, 1.0)])
    def test_what_is_beside_a_tie_by_two_to_the_minus_1400_is_rounded_to_its_side(self, sign: int, value: float) -> None:
        first = tipped("first", armature=2 * TIE - 1)
        point = Inertia(1, (Fraction(-2, 3), Fraction(2, 3), Fraction(1, 3)))
        second = tipped("second", armature=Fraction(1, 2**100))
        two = Mechanism("two", (Body("a", "world", first, point), Body("b", "world", second, Inertia(0))))
        source, q, v = Certified(two), np.array([[0.3, 0.7]]), np.array([[1.0, 2.0**-650]])
        if sign < 0:
            # The energy of the first body is a little less than the middle.
            first = replace(first, armature=2 * TIE - 1 - Fraction(1, 2**129))
            v[0, 1] = 0
            two = Mechanism("two", (Body("a", "world", first, point), Body("b", "world", second, Inertia(0))))
            source = Certified(two)
        high, _ = source.high_low("kinetic_energy", q, v)
        assert high[0] == value
        assert (source.ties, source.undecided) == (0, 0)
        assert sign < 0 or source.bits == 5120

    @pytest.mark.parametrize(
        ("joints", "q"),
        [
            ((tipped("there"), tipped("back")), (0.3, -0.3, 0.5)),
            ((tipped("there"), tipped("back", mimic=Mimic("there", -1))), (0.3, 0.5)),
            ((tipped("there"), tipped("still"), tipped("back")), (0.3, 0, -0.3, 0.5)),
            ((tipped("there"), tipped("again"), tipped("back")), (0.3, 0.3, -0.6, 0.5)),
            ((tipped("there"), tipped("again"), tipped("back")), (0.5, 0.75, -1.25, 0.5)),
            ((tipped("there"), tipped("back", mimic=Mimic("there", -3)), tipped("again")), (0.3, 2 * 0.3, 0.5)),
            ((tipped("there", "continuous"), tipped("back", "continuous")), (0.6, 0.8, 0.6, -0.8, 0.5)),
            ((tipped("there", "continuous"), tipped("back", "continuous")), (0.6, 0.8, 1.2, -1.6, 0.5)),
            ((tipped("there", "continuous"), tipped("back", "continuous")), (-1, 0, -1, -0.0, 0.5)),
            ((tipped("there", "continuous"), tipped("back", "continuous")), (3, 4, 0.375, -0.5, 0.5)),
        ],
        ids=[
            "opposite angles",
            "a mimic joint",
            "an angle of zero",
            "an angle and twice that angle",
            "multiples of an angle that no joint has",
            "multiples by a mimic joint",
            "circles",
            "circles of other lengths",
            "half turns of circles",
            "circles of rational lengths",
        ],
    )
    def test_turning_there_and_back_is_proven_to_be_a_tie(self, joints: tuple[Joint, ...], q: tuple[float, ...]) -> None:
        source = Certified(carried(*joints))
        high, low = source.high_low("placements", np.array([q]))
        assert (high[0, -1, 0, 3], low[0, -1, 0, 3]) == (1.0, 2.0**-53)
        assert (source.ties > 0, source.undecided) == (True, 0)

    def test_a_screw_advances_by_its_angle(self) -> None:
        screw = Joint("screw", "helical", SKEW, pitch=Fraction(3, 2) * TIE)
        source = Certified(
            Mechanism("nut", (Body("a", "world", tipped("hinge"), Inertia(1)), Body("nut", "a", screw, Inertia(1))))
        )
        high, _ = source.high_low("placements", np.array([[0.3, 1.0]]))
        assert high[0, 1, :, 3].tolist() == [1.0, 0.5, 1.0]
        assert (source.ties, source.undecided) == (3, 0)

    def test_what_no_proof_says_is_counted_as_undecided(self) -> None:
        """The last angle is the sum of the others, which the proof does not use."""
        first, second = float(np.float32(0.3)), float(np.float32(0.7))
        source = Certified(carried(tipped("there"), tipped("again"), tipped("back")))
        high, _ = source.high_low("placements", np.array([[first, second, -(first + second), 0.5]]))
        assert high[0, -1, 0, 3] == 1.0
        assert source.undecided > 0
        assert source.bits == certified.PRECISIONS[-1]

    def test_nearly_twice_an_angle_is_no_tie(self) -> None:
        """The tie would be rounded up, to even; the value is a little less."""
        there, again, back = tipped("there"), tipped("again"), tipped("back")
        source = Certified(carried(there, again, back, at=1 + 3 * (TIE - 1)))
        q = np.array([[0.3, 0.3, -0.6, 0.5], [0.3, 0.3, math.nextafter(-0.6, -1), 0.5]])
        high, _ = source.high_low("placements", q)
        assert high[:, -1, 0, 3].tolist() == [1 + 2.0**-51, 1 + 2.0**-52]
        assert source.undecided == 0

    def test_tangents_of_multiples(self) -> None:
        for n in range(1, ties.MOST + 1):
            assert ties.tangent(Fraction(1, 50), n) == pytest.approx(math.tan(n * math.atan(0.02)), rel=1e-13)

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
    def test_angles_have_a_common_part_if_they_are_small_multiples_of_it(self, angles: Any, parts: Any) -> None:
        assert {float(part) for part in ties.common_parts(map(Fraction, angles))} == parts

    def test_the_rate_of_the_mass_matrix_may_be_a_tie(self) -> None:
        """No implementation offers it, but the equations of Coriolis matrices contain it."""
        across = Joint("rail", "prismatic", (Fraction(2, 3), Fraction(-2, 3), Fraction(-1, 3)))
        bodies = (Body("a", "world", tipped("hinge"), Inertia(0)), Body("b", "a", across, Inertia(TIE)))
        source = Certified(Mechanism("arm", bodies))
        high, low = source.high_low("mass_matrix_rate", np.array([[0.3, 1.0]]), np.array([[0.7, 0.5]]))
        assert (high[0, 0, 0], low[0, 0, 0]) == (1.0, 2.0**-53)
        assert source.ties == 1

    def test_ties_of_one_state_share_a_program(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Otherwise the time grows with the fourth power of the joints: every entry of this mass matrix is a tie."""
        rails = [tipped(f"rail{k}", "prismatic") for k in range(6)]
        names = ["world", "a", *(f"body{k}" for k in range(6))]
        masses = [Inertia(0)] * 6 + [Inertia(TIE)]
        parts = zip(names, names[1:], [tipped("hinge"), *rails], masses, strict=False)
        recorded: list[Any] = []
        monkeypatch.setattr(ties, "EulerLagrange", lambda *given: recorded.append(given) or oracle.EulerLagrange(*given))
        source = Certified(Mechanism("rails", tuple(Body(name, parent, *rest) for parent, name, *rest in parts)))
        source.high_low("mass_matrix", np.array([[0.3, *[0.0] * 6]]))
        assert (source.ties, source.undecided, len(recorded)) == (36, 0, 1)

    @pytest.mark.slow
    def test_threads_get_what_one_alone_gets(self) -> None:
        states, before = sample(EVERY_KIND, 0, 3), ctx.prec
        names = ["gravity", "mass_matrix", "kinetic_energy", "gravity"]

        def values(name: str) -> bytes:
            source = Certified(EVERY_KIND)
            high_low = source.high_low(name, *arguments_of(states, name))
            return b"".join(half.tobytes() for half in high_low) + str((source.bits, source.ties)).encode()

        alone = [values(name) for name in names]
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(values, names)) == alone
        assert ctx.prec == before


ARM = find_mechanism("spatial-3r")
CERTIFIED = Settings(states=14, certified=True)
CASE = prepare(ARM, CERTIFIED.seed, CERTIFIED.states, certified=True)
TRUTH, STATES = CASE.truth, CASE.states


class TestCells:
    @pytest.mark.slow
    @pytest.mark.parametrize("quantity", DIRECT)
    def test_correctly_rounded_answers_are_off_by_nothing(self, altered: Any, quantity: str) -> None:
        cell = measured(altered, quantity, lambda right, *at: right)
        assert (cell.ulps.rounded, cell.ulps.largest) == (1.0, 0.0)
        assert cell.error <= 0.5

    @pytest.mark.parametrize("direction", [math.inf, -math.inf])
    @pytest.mark.parametrize("quantity", DIRECT)
    def test_one_ulp_in_one_component_is_seen(self, altered: Any, quantity: str, direction: float) -> None:
        def off(right: Any, *at: Any) -> Any:
            mantissas = np.frexp(np.abs(right))[0]  # a power of two, whose mantissa is a half, has a neighbour at two ulps
            at = np.unravel_index(mantissas.argmax(), right.shape)
            right[at] = np.nextafter(right[at], direction)
            return right

        cell = measured(altered, quantity, off)
        assert cell.ulps.largest == 1.0
        assert cell.ulps.median == 0.0
        assert 0.5 < cell.ulps.rounded < 1.0

    def test_the_reference_is_off_by_some(self) -> None:
        cell = measure(CASE, InProcess(REFERENCE).load(ARM), "mine", QUANTITIES["inverse_dynamics"], BAR)[0]
        assert cell.verdict == "agrees"
        assert 0 < cell.ulps.median <= cell.ulps.most <= cell.ulps.largest  # type: ignore[union-attr]

    def test_what_is_not_certified_has_no_ulps(self) -> None:
        case = prepare(ARM, CERTIFIED.seed, CERTIFIED.states)
        assert measure(case, InProcess(REFERENCE).load(ARM), "mine", QUANTITIES["gravity"], BAR)[0].ulps is None

    def test_a_unit_is_the_smaller_gap_and_zeros_do_not_count(self) -> None:
        below, above = np.nextafter(4.0, 0), np.nextafter(4.0, 5)
        assert in_ulps(np.array([below]), np.array([4.0])).largest == 1.0  # type: ignore[union-attr]
        assert in_ulps(np.array([above]), np.array([4.0])).largest == 2.0  # type: ignore[union-attr]
        assert in_ulps(np.array([2e-320]), np.array([2.0005e-320])).largest == 1.0  # type: ignore[union-attr]
        assert in_ulps(np.array([1e-18, 1.0]), np.array([0.0, 1.0])).largest == 0.0  # type: ignore[union-attr]
        assert in_ulps(np.array([1e-18]), np.array([0.0])) is None
        assert in_ulps(np.array([1e300]), np.array([5e-324])).largest == 1e99  # type: ignore[union-attr]

    def test_one_wrong_number_in_a_hundred_thousand_is_not_rounded_away(self) -> None:
        got = np.ones(100_000)
        got[7] = 2
        assert in_ulps(got, np.ones(100_000)).rounded < 1  # type: ignore[union-attr]

    def test_forward_dynamics_is_judged_by_its_residual(self, altered: Any) -> None:
        quantity = QUANTITIES["forward_dynamics"]
        right = measure(CASE, InProcess(REFERENCE).load(ARM), "mine", quantity, BAR)[0]
        wrong = altered(forward_dynamics=lambda a, *_: a * (1 + 1e-10)).load(ARM)
        assert (right.verdict, right.ulps) == ("agrees", None)
        assert measure(CASE, LoadedInProcess(wrong, ARM), "mine", quantity, BAR)[0].verdict == "discrepancy"

    def test_residuals_are_exact(self) -> None:
        """What the truth says that q̈ = a takes is what certified inverse dynamics says."""
        high, low = TRUTH.forces(STATES.q, STATES.v, STATES.a)
        np.testing.assert_array_equal(high, STATES.tau)
        np.testing.assert_array_equal(low, TRUTH.high_low("inverse_dynamics", STATES.q, STATES.v, STATES.a)[1])


def measured(altered: Any, quantity: str, change: Any) -> Any:
    """The cell of an implementation that answers with certified values, changed."""
    answers = altered(**{quantity: lambda right, *at: change(TRUTH.high_low(quantity, *at)[0].copy(), *at)})
    return measure(CASE, InProcess(answers).load(ARM), "mine", QUANTITIES[quantity], BAR)[0]


class TestRuns:
    @pytest.mark.nightly
    @pytest.mark.slow
    @pytest.mark.parametrize("quantity", DIRECT)
    @pytest.mark.parametrize("small", [True, False], ids=["small", "large"])
    def test_double_doubles_are_near(self, quantity: str, small: bool) -> None:
        """Lengths of cosines and sines are not exactly one: what is certified is normalised."""
        mechanism = ARM if small else subject(quantity)
        truth, exact = Truth(mechanism), CertifiedTruth(mechanism)
        assert exact.name == "certified"
        arguments = arguments_of(sample(mechanism, 0, 7), quantity)
        apart = truth.values(quantity, *arguments) - exact.values(quantity, *arguments)
        bound = 0.1 if any(mechanism.slots("circle")) else 2.0**-100 / EPSILON
        assert in_epsilons(apart, ErrorScale(mechanism).size(quantity, *arguments)).max() < bound

    @pytest.mark.slow
    def test_the_document_says_so(self) -> None:
        document = run()
        jsonschema.validate(document, schema())
        assert document["settings"]["certified"] is True
        (mechanism,) = document["mechanisms"]
        assert mechanism["truth"] == "certified"
        assert mechanism["certified"]["bits"] in certified.PRECISIONS
        assert mechanism["certified"]["ties"] >= 0
        assert {cell["verdict"] for cell in document["cells"]} == {"agrees"}
        assert {cell["quantity"] for cell in document["cells"] if cell["ulps"] is None} == set(USUAL) - set(DIRECT)

    @pytest.mark.nightly
    @pytest.mark.slow
    def test_the_bridge_is_the_error_of_the_reference_in_double_double(self) -> None:
        bridge = run()["mechanisms"][0]["bridge"]
        assert set(bridge) == set(DIRECT)
        assert max(bridge.values()) < 2.0**-100 / EPSILON

    def test_documents_of_runs_that_are_not_certified_are_valid(self) -> None:
        document = run(certified=False)
        assert document["settings"]["certified"] is False
        assert document["mechanisms"][0]["certified"] is None
        assert all(cell["ulps"] is None for cell in document["cells"])
        jsonschema.validate(document, schema())

    def test_progress_says_what_takes_time(self) -> None:
        lines: list[str] = []
        check([("pendulum", find_mechanism("pendulum"))], entries(), CERTIFIED, progress=lambda event: lines.append(event.text))
        assert "pendulum: certifying mass matrix, 0 of 14 states done" in lines
        assert lines[-1] == "done"


def entries() -> list[Entry]:
    return [Entry("mine", "mine", InProcess(REFERENCE))]


def run(**changes: Any) -> dict[str, Any]:
    return check([("spatial-3r", ARM)], entries(), dataclasses.replace(CERTIFIED, **changes)).document()
