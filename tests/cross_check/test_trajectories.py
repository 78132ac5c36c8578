"""Certified trajectories: enclosures contain known solutions, wrong methods and wrong derivations are refuted."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import acb, arb, arb_mat, arb_poly, ctx, fmpq

import oracle
from cross_check.trajectories import document, motion, series, taylor, tube
from cross_check.trajectories.bank import BANK, Subject
from cross_check.trajectories.enclose import Enclosure, Method, NotEnclosed, enclose
from cross_check.trajectories.series import Series, TooWide
from cross_check.trajectories.start import start_of
from cross_check.trajectories.straight_line import code_of
from cross_check.trajectories.taylor import Scale
from cross_check.trajectories.tube import RADIUS, Equation, Errors
from machine.recording.assemble import assemble
from machine.recording.recording import Recording
from machine.recording.tangents import tangents
from machine.recording.values import new_inputs
from mechanisms import Mechanism
from mechanisms.geometry import Rotation
from mechanisms.library.by_name import find_mechanism
from mechanisms.library.textbook import pendulum

FILES = Path(__file__).parents[2] / "docs" / "trajectories"
QUICK = Method(0.35, 0)

silent: Callable[[str, int, int], None] = lambda doing, done, total: None  # noqa: E731


def equation(f: Callable[[Any], Any], n: int) -> Equation:
    """dy/dt = f(y), recorded."""
    recording = Recording()
    y = new_inputs(recording, n)
    rates = f(y).references
    slopes = tangents(recording, rates, y.references, np.eye(n, dtype=np.int32))
    return Equation(code_of(assemble(recording, rates)), code_of(assemble(recording, np.append(rates, slopes))))


OSCILLATOR = equation(lambda y: np.stack([y[1], -y[0]]), 2)
GROWTH = equation(lambda y: np.stack([y[0] * 1]), 1)


def oscillated() -> bool:
    """Whether the enclosures of cos t and −sin t contain them at t = 10."""
    found = enclose(OSCILLATOR, lambda: [arb(1), arb(0)], [Fraction(10)], 15, QUICK)
    with ctx.workprec(400):
        return all(ball.contains(x) for ball, x in zip(found.balls[0], (arb(10).cos(), -arb(10).sin()), strict=True))


def grown() -> bool:
    """Whether the enclosure of y' = y, y(0) = 1 ± r, contains both (1 ± r) eᵗ at t = 10."""
    radius = arb(10) ** -24
    found = enclose(GROWTH, lambda: [arb(1, radius)], [Fraction(10)], 15, QUICK)
    with ctx.workprec(400):
        ends = [arb(10).exp() * (1 + sign * radius.lower()) for sign in (-1, 1)]
        return all(found.balls[0][0].contains(end) for end in ends)


def test_enclosures_contain_solutions_that_are_known() -> None:
    assert oscillated()
    assert grown()


def test_without_the_remainder_the_enclosure_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tube, "defects", lambda f, P, h: [arb(0)] * len(P))
    assert not oscillated()


def test_with_half_the_slopes_the_enclosure_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tube.slopes
    monkeypatch.setattr(tube, "slopes", lambda *given: [Series(x.poly * (arb(1) / 2), x.rest / 2, x.n) for x in whole(*given)])
    assert not grown()


def test_a_flow_with_few_coefficients_is_enclosed_by_its_defect_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tube, "MOST", 0)
    assert grown()
    right = tube.flow
    monkeypatch.setattr(tube, "flow", lambda J, growth: right(J, growth).mid())
    assert not grown()


def test_a_wrong_coefficient_gives_no_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    right = taylor.STEPS[taylor.Op.NEG]

    def wrong(x: Any, y: Any, z: Any, bits: int) -> Any:
        step = right(x, y, z, bits)

        def changed(k: int) -> None:
            step(k)
            if k == 5:
                z[-1] += z[-1] >> 20

        return changed

    monkeypatch.setitem(taylor.STEPS, taylor.Op.NEG, wrong)
    with pytest.raises(NotEnclosed):
        oscillated()


def test_errors_as_large_as_the_tube_are_refused() -> None:
    scale = Scale(150, 0)
    P = taylor.taylor(GROWTH.rate, [scale.whole(arb(1))], 40, scale)
    steps = [
        tube.advance(GROWTH, P, scale, arb(0.25), Errors(arb_mat([[1]]), arb_mat([[RADIUS * part]]))) is None
        for part in (0.5, 0.9)
    ]
    assert steps == [False, True]


def test_slopes_are_those_of_the_whole_tube() -> None:
    square = equation(lambda y: np.stack([y[0] * y[0]]), 1)
    P = arb_poly([1, 0, RADIUS * 0.9])
    (J,) = tube.slopes(square.slope, [P], arb(1))
    assert J.n == 2
    assert all(at(J, arb(s)).contains(2 * (P(arb(s)) + sign * 0.99 * RADIUS)) for s in (0, 1) for sign in (-1, 1))


def test_the_solution_is_not_enclosed_beyond_a_pole() -> None:
    square = equation(lambda y: np.stack([y[0] * y[0]]), 1)
    found = enclose(square, lambda: [arb(1)], [Fraction(1, 2), Fraction(9, 10)], 15, QUICK)
    assert [row[0].contains(x) for row, x in zip(found.balls, (2, 10), strict=True)] == [True, True]
    with pytest.raises(NotEnclosed, match="not enclosed beyond 1 s"):
        enclose(square, lambda: [arb(1)], [Fraction(11, 10)], 15, QUICK)


def at(x: Series, s: Any) -> Any:
    """A ball with all that x says of x(s)."""
    return x.poly(s) + arb(0, x.rest)


@pytest.mark.parametrize("wrong", [0, 1e-9, 0.01])
def test_series_contain_their_results_also_from_wrong_polynomials(wrong: float, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = (Series(arb_poly(c), arb(2) ** -90, 12) for c in ([0.3, -0.7, 0.2, 0.1], [2, 0.3, -0.2]))
    right = series.near
    monkeypatch.setattr(series, "near", lambda given: right(given) + arb_poly([wrong] * 12))
    c, sine = x.circle()
    product = x * y
    pairs = [
        (product, lambda a, b: a * b),
        (x / y, lambda a, b: a / b),
        (y.sqrt(), lambda a, b: b.sqrt()),
        (c, lambda a, b: a.cos()),
        (sine, lambda a, b: a.sin()),
    ]
    for part in (0, 0.3, 0.77, 1):
        for enclosed, function in pairs:
            for ends in ((1, 1), (1, -1), (-1, 1)):
                a, b = (z.poly(arb(part)) + sign * z.rest for z, sign in zip((x, y), ends, strict=True))
                assert at(enclosed, arb(part)).overlaps(function(a, b))
                # Only the rest makes up for wrong polynomials.
                assert not wrong or enclosed is product or not enclosed.poly(arb(part)).overlaps(function(a, b))


@pytest.mark.parametrize("which", [0, 1])
def test_the_rests_of_sine_and_cosine_make_up_for_one_that_is_wrong(which: int, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = iter([arb_poly([0, 0.01 * (which == k)]) for k in (0, 1)])
    right = series.near
    monkeypatch.setattr(series, "near", lambda given: right(given) + next(wrong))
    c, sine = Series(arb_poly([0.3, 1e-3]), arb(0), 12).circle()
    x = arb(0.3) + arb(1e-3)
    assert at(c, arb(1)).overlaps(x.cos()) and at(sine, arb(1)).overlaps(x.sin())


def test_a_divisor_that_may_be_zero_is_refused() -> None:
    one, wide = Series(arb_poly([1]), arb(0), 4), Series(arb_poly([1, -1]), arb(0), 4)
    with pytest.raises(TooWide):
        one / wide
    with pytest.raises(TooWide):
        one / Series(arb_poly([1]), arb(2), 4)
    with pytest.raises(TooWide):
        (-one).sqrt()


def enclosed(name: str, time: str, derivation: str = "reference", digits: int = 15) -> Enclosure:
    subject = BANK[name]
    q, v = state(subject)
    made = subject.make()
    start = start_of(made, [Fraction(x) for x in q], [Fraction(x) for x in v], Fraction(time))
    return enclose(motion.equation(made, derivation, start.rows, subject.force), start.state, [Fraction(time)], digits, QUICK)


def state(subject: Subject) -> tuple[list[str], list[str]]:
    made = subject.make()
    q = subject.q.split() or ["0"] * (made.nq - 1) + ["1"] * (made.nq > made.nv) + ["0"] * (made.nq == made.nv)
    return q, subject.v.split() + ["0"] * (made.nv - len(subject.v.split()))


@pytest.mark.parametrize("derivation", motion.DERIVATIONS)
def test_a_pendulum_is_down_after_a_quarter_of_its_period(derivation: str) -> None:
    made, digits = pendulum(damping=0), 25
    with ctx.workprec(200):
        length = (arb(fmpq(64, 1000)) + arb(fmpq(12, 10)) * arb(fmpq(16, 100))) / (arb(fmpq(12, 10)) * arb(fmpq(4, 10)))
        quarter = acb((arb(3) / 2).sin() ** 2).elliptic_k().real * (length / arb(fmpq(981, 100))).sqrt()
        time = Fraction(round(float(quarter.mid()) * 2**40), 2**40)
        late = arb(fmpq(time.numerator, time.denominator)) - quarter
    found = enclose(motion.equation(made, derivation), lambda: [arb(3), arb(0)], [time], digits, QUICK)
    q, v = found.balls[0]
    with ctx.workprec(200):
        # q(t) = v late − (q̈ = 0 at the bottom, the next term is of the third order).
        assert abs(q - v * late) < abs(late) ** 3 * 100 + arb(10) ** -digits
        assert abs(late) < 1e-11


@pytest.mark.parametrize("name", ["double-pendulum", "lagrange-top", "spinning-plate"])
def test_energy_is_kept(name: str) -> None:
    subject = BANK[name]
    made = subject.make()
    found = enclosed(name, "0.05")
    of = oracle.EulerLagrange(made, oracle.Balls())
    energies = []
    with ctx.workprec(120):
        for q, v in (
            ([arb(fmpq(*Fraction(x).as_integer_ratio())) for x in part] for part in state(subject)),
            (
                found.balls[0][: made.nq],
                found.balls[0][made.nq :],
            ),
        ):
            q, v = (np.array([part], object) for part in (q, v))
            energies.append(of.kinetic_energy(q, v)[0] + of.potential_energy(q)[0])
    assert abs(energies[1] - energies[0]) < 1e-12


AGREEING = {"double-pendulum": "0.1", "spinning-plate": "0.05", "four-bar": "0.02"}

HEAVY = {
    "dzhanibekov": "2",
    "gyroscope": "0.02",
    "ur5": "0.02",
    "slider-crank": "0.01",
    "bricard": "0.02",
    "flyball-governor": "0.02",
    "squeezing-mechanism": "0.0002",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "time"), [*AGREEING.items(), *(pytest.param(*item, marks=pytest.mark.nightly) for item in HEAVY.items())]
)
def test_both_derivations_prove_the_same_digits(name: str, time: str) -> None:
    found, differences = document.certify(name, BANK[name], *state(BANK[name]), [time], 15, silent)
    assert not differences
    assert [one.derivation for one in found.proofs] == ["oracle", "reference"]
    assert found.proofs[0].operations != found.proofs[1].operations


def test_a_wrong_derivation_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    right = motion.by_reference

    def wrong(*arguments: Any) -> Any:
        return right(*arguments) * (1 + Fraction(1, 10**14))

    monkeypatch.setitem(motion.DERIVATIONS, "reference", wrong)  # type: ignore[arg-type]
    _, differences = document.certify("pendulum", BANK["pendulum"], ["3"], ["0"], ["1"], 15, silent)
    assert [one.derivation for one in differences if one.is_refuted] == ["reference"] * len(differences) != []


def test_a_wrong_digit_is_refuted_when_a_file_is_proven_again(tmp_path: Path) -> None:
    subject = BANK["euler-top"]
    found, differences = document.certify("euler-top", subject, *state(subject), ["0.1", "0.3"], 20, silent)
    assert not differences
    document.write(found, tmp_path / "top.json")
    kept = document.read(tmp_path / "top.json")
    assert kept == found
    assert not document.prove_again(kept, subject, silent)[1]
    digits = kept.v[1][2]
    last = str((int(digits[-1]) + 3) % 10)
    changed = dataclasses.replace(kept, v=[kept.v[0], [*kept.v[1][:2], digits[:-1] + last]])
    told = document.prove_again(changed, subject, silent)[1]
    assert {(one.time, one.coordinate, one.is_refuted) for one in told} == {("0.3", "v of point.wz", True)}
    assert {one.derivation for one in told} == {"oracle", "reference"}
    assert "refutes v of point.wz" in str(told[0])


def test_starts_satisfy_constraints_to_all_digits() -> None:
    made = BANK["four-bar"].make()
    start = start_of(made, [Fraction(1), Fraction(0), Fraction(2)], [Fraction(3), Fraction(0), Fraction(0)], Fraction(1))
    with ctx.workprec(500):
        state = start.state()
        q, v = np.array([state[:3]], object), np.array(state[3:], object)
        of = oracle.EulerLagrange(made, oracle.Balls())
        residuals = [*of.constraint_residual(q)[0], *(of.constraint_jacobian(q)[0] @ v)]
        assert all(x.contains(0) and abs(x) < arb(2) ** -470 for x in residuals)
        assert [state[0], state[3]] == [1, 3]


def bars(shift: Fraction) -> Mechanism:
    """Bricard's mechanism with bars of other lengths. It closes at the start as before."""
    made = find_mechanism("bricard")
    bodies = list(made.bodies)
    for k, by in ((1, shift), (2, -shift)):
        joint = bodies[k].joint
        x, y, z = joint.placement.translation
        moved = dataclasses.replace(joint.placement, translation=(x, y + by, z))
        bodies[k] = dataclasses.replace(bodies[k], joint=dataclasses.replace(joint, placement=moved))
    return dataclasses.replace(made, bodies=tuple(bodies))


def test_the_rows_that_are_kept_are_independent_on_the_whole_way() -> None:
    """Without the fourth row the others are at the start, and not after half a second."""
    made = find_mechanism("bricard")
    (weld,) = made.constraints
    ends = {
        name: dataclasses.replace(getattr(weld, name), rotation=Rotation(3, 0, -1, 0))
        for name in ("first_placement", "second_placement")
    }
    turned = dataclasses.replace(made, constraints=(dataclasses.replace(weld, **ends),))
    still = [Fraction(0)] * 6
    rows = [start_of(turned, still, still, time).rows for time in (Fraction(1, 1000), Fraction(1))]
    assert rows == [(0, 1, 2, 4, 5), (0, 1, 3, 4, 5)]


@pytest.mark.slow
def test_a_row_that_follows_from_the_others_at_the_start_alone_is_found() -> None:
    rigid = Subject(lambda: bars(Fraction(1, 10**9)), "", time="0.02")
    with pytest.raises(NotEnclosed, match="do not hold later"):
        document.certify("rigid", rigid, ["0"] * 6, ["0"] * 6, ["0.02"], 15, silent)


def test_a_position_that_no_constraint_allows_is_refused() -> None:
    far = dataclasses.replace(BANK["four-bar"].make().constraints[0].first_placement, translation=(Fraction(5), 0, 0))
    made = BANK["four-bar"].make()
    apart = dataclasses.replace(made, constraints=(dataclasses.replace(made.constraints[0], first_placement=far),))
    with pytest.raises(NotEnclosed, match="no position near q satisfies the constraints"):
        start_of(apart, [Fraction(1)] * 3, [Fraction(0)] * 3, Fraction(1))


def test_the_squeezing_mechanism_ends_where_it_was_published() -> None:
    """F. Mazzia, C. Magherini, "Test set for initial value problem solvers", 2008, ch. II.9, t = 0.03 s."""
    published = {
        "beta": 15.81077119629904,
        "theta": -15.75637105984298,
        "gamma": 0.04082224013073101,
        "phi": -0.5347301163226948,
        "delta": 0.5244099658805304,
        "omega": 0.5347301163226948,
        "epsilon": 1.048080741042263,
    }
    kept = document.read(FILES / "squeezing-mechanism.json")
    assert kept.times[-1] == "0.03"
    ours = dict(zip(kept.coordinates["q"], map(float, kept.q[-1]), strict=True))
    assert ours == pytest.approx(published, rel=1e-9)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name", ["pendulum", "euler-top", "dzhanibekov", "lagrange-top", "cart-pole", "spinning-plate", "four-bar", "bricard"]
)
def test_the_files_of_the_documentation_are_proven_again(name: str) -> None:
    kept = document.read(FILES / f"{name}.json")
    assert kept.mechanism == name and kept.fingerprint == BANK[name].make().fingerprint
    assert not document.prove_again(kept, BANK[name], silent)[1]
