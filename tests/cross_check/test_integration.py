"""q ⊕ dv, to ⊖ q and their derivatives: the truth by its definition, the reference, planted faults, and known ones."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from flint import arb, arb_mat

from cross_check.explain.faults.edits import INTEGRATION_FAULTS
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import Mutant, MutantDynamics
from cross_check.explain.findings.finding import Prediction, Repaired
from cross_check.explain.findings.known import FINDINGS
from cross_check.harness import Entry, check
from cross_check.judge.comparison.case import Case, prepare
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.kinds import kinds_of
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.comparison.steps import BELOW_HALF, SMALLEST, TURNS
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.judge.settings import Settings
from cross_check.prove.proof.prove import prove
from implementations.conventions.converted import Converted
from implementations.conventions.declared import Conventions
from implementations.processes.subject import InProcess
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, difference, find_mechanism, integrate
from mechanisms.joint_kinds import MOVING, Kind
from mechanisms.mimic import Mimic
from mechanisms.numbers.rounded import precision
from mechanisms.quantities import INTEGRATION, QUANTITIES
from oracle.by_balls.integration import OF_JOINTS
from reports.summary import truths

STATES = 2 * len(TURNS)
BAR = 16


def chain(*kinds: Kind) -> Mechanism:
    bodies = []
    for k, kind in enumerate(kinds):
        parent = f"b{k - 1}" if k else "world"
        bodies.append(Body(f"b{k}", parent, Joint(f"j{k}", kind), Inertia(1, ("0.1", 0, 0), (1, 1, 1, 0, 0, 0))))
    return Mechanism("-".join(kinds), tuple(bodies))


POSES = chain("free", "planar", "spherical", "continuous")


@cache
def poses() -> Case:
    return prepare(POSES, 0, STATES)


def units(case: Case, quantity: str, answer: Any) -> float:
    compared = compare(case, QUANTITIES[quantity], np.asarray(answer, dtype=float))
    return float(np.nan_to_num(compared.units, nan=np.inf).max())


def arguments(case: Case, quantity: str) -> tuple[Any, ...]:
    return case.states.arguments(QUANTITIES[quantity].arguments)


class TestReference:
    @pytest.mark.parametrize("kind", MOVING)
    def test_it_has_all_digits_at_every_turn_and_so_have_the_functions_for_users(self, kind: Kind) -> None:
        case = prepare(chain(kind), 1, STATES)
        mechanism, s, dynamics = case.mechanism, case.states, REFERENCE.load(case.mechanism)
        for quantity in INTEGRATION:
            assert units(case, quantity, getattr(dynamics, quantity)(*arguments(case, quantity))) < 6, quantity
        assert units(case, "integrate", integrate(mechanism, s.q, s.dv)) < BAR
        assert units(case, "difference", difference(mechanism, s.q, s.to)) < BAR

    def test_mimic_joints_have_nothing_of_their_own(self) -> None:
        leader, follower = Joint("leader", "revolute"), Joint("follower", "prismatic", mimic=Mimic("leader", 2, 1))
        bodies = (
            Body("a", "world", leader, Inertia(1)),
            Body("b", "a", follower, Inertia(1)),
            Body("c", "b", Joint("ball", "spherical")),
        )
        case = prepare(Mechanism("mimic", bodies), 0, 23)
        for quantity in INTEGRATION:
            answer = getattr(REFERENCE.load(case.mechanism), quantity)(*arguments(case, quantity))
            assert answer.shape[1:] == QUANTITIES[quantity].dimensions(case.mechanism)
            assert units(case, quantity, answer) < 6


class TestTruth:
    """Over balls of 800 bits, so that a step of 2⁻²⁰⁰ gives a derivative to 2⁻¹⁸⁰."""

    STEP = 200

    @pytest.mark.parametrize("kind", ["free", "planar", "spherical"])
    @pytest.mark.parametrize("quantity", [name for name in INTEGRATION if "_d" in name])
    def test_derivatives_are_those_along_motions_on_the_right(self, quantity: str, kind: Kind) -> None:
        joint, states = Joint("j", kind), sample(chain(kind), 3, 5)
        plus, minus = OF_JOINTS["integrate"], OF_JOINTS["difference"]
        with precision(800):
            q, dv, to = ([arb(x) for x in column[2].tolist()] for column in (states.q, states.dv, states.to))
            other = dv if quantity.startswith("integrate") else to
            got = arb_mat(OF_JOINTS[quantity](joint, q, other))
            for direction in np.random.default_rng(0).normal(size=(joint.nv, joint.nv)).tolist():
                tiny = [arb(x) * arb(2) ** -self.STEP for x in direction]
                if quantity == "integrate_dq":
                    rate = minus(joint, plus(joint, q, dv), plus(joint, plus(joint, q, tiny), dv))
                elif quantity == "integrate_dv":
                    further = [x + y for x, y in zip(dv, tiny, strict=True)]
                    rate = minus(joint, plus(joint, q, dv), plus(joint, q, further))
                else:
                    ends = (plus(joint, q, tiny), to) if quantity == "difference_dq" else (q, plus(joint, to, tiny))
                    rate = [x - y for x, y in zip(minus(joint, *ends), minus(joint, q, to), strict=True)]
                expected = (got * arb_mat([[x] for x in direction])).entries()
                assert all(abs(x * 2**self.STEP - y) < arb(2) ** -150 for x, y in zip(rate, expected, strict=True))

    def test_its_balls_contain_the_exponential_of_the_matrix(self) -> None:
        joint, states = Joint("j", "free"), sample(chain("free"), 0, 23)
        for step in states.dv.tolist():
            with precision(200):
                a, b, c, *v = (arb(x) for x in step)
                twist = arb_mat([[0, -c, b, v[0]], [c, 0, -a, v[1]], [-b, a, 0, v[2]], [0, 0, 0, 0]])
                moved = OF_JOINTS["integrate"](joint, [arb(x) for x in (0, 0, 0, 0, 0, 0, 1)], [a, b, c, *v])
                assert all(x.overlaps(y) for x, y in zip(moved[:3], [twist.exp()[i, 3] for i in range(3)], strict=True))

    def test_certified_values_are_nearest(self) -> None:
        case, certified = (prepare(chain("planar"), 0, 14, certified=one) for one in (False, True))
        for quantity in INTEGRATION:
            high, low = case.truth.high_low(quantity, *arguments(case, quantity))
            nearest, rest = certified.truth.high_low(quantity, *arguments(case, quantity))
            np.testing.assert_allclose(high - nearest + (low - rest), 0, atol=1e-28 * np.abs(high).max(initial=1))
            assert (np.abs(rest) <= np.spacing(np.abs(nearest)) / 2).all()


class TestSteps:
    def test_every_turn_meets_every_kind_of_state(self) -> None:
        pairs = {(k % len(TURNS), kind) for k, kind in enumerate(kinds_of(0, 18 * len(TURNS)))}
        nearer = {(k % len(BELOW_HALF), kind) for k, kind in enumerate(kinds_of(0, 18 * len(BELOW_HALF)))}
        assert len(pairs) == 18 * len(TURNS) and len(nearer) == 18 * len(BELOW_HALF)

    @pytest.mark.parametrize("kind", ["free", "planar", "continuous"])
    def test_they_reach_from_nothing_to_several_turns(self, kind: Kind) -> None:
        case = prepare(chain(kind), 0, STATES)
        n = sum(coordinate.turns for coordinate in case.mechanism.bodies[0].joint.description.coordinates)
        steps = np.linalg.norm(case.states.dv[:, :n], axis=1)
        apart = np.linalg.norm(case.truth.high_low("difference", case.states.q, case.states.to)[0][:, :n], axis=1)
        for sizes in (steps, apart):
            assert sizes.min() == 0
            for k in range(1, SMALLEST + 1):
                assert ((sizes > 10.0**-k / 2) & (sizes < 4 * 10.0**-k)).any()
        assert (np.abs(steps - np.pi) < 1e-3).any() and (np.abs(steps - 2 * np.pi) < 1e-3).any() and steps.max() > 7
        assert np.pi - 0.011 < apart.max() < np.pi

    def test_they_are_just_below_where_a_series_may_end(self) -> None:
        """A series is worst just below its threshold, which often is a power of ten; digits cancel most just above it."""
        steps = np.linalg.norm(sample(chain("free"), 0, 12 * STATES).dv[:, :3], axis=1)
        for k in range(1, SMALLEST + 1):
            assert ((steps > 0.9 * 10.0**-k) & (steps < 10.0**-k)).any() and ((steps > 10.0**-k) & (steps < 4 * 10.0**-k)).any()

    def test_a_state_keeps_its_steps_in_a_longer_run(self) -> None:
        few, many = sample(POSES, 5, 3), sample(POSES, 5, 30)
        assert few.dv.tolist() == many.dv[:3].tolist() and few.to.shape == (3, POSES.nq)
        assert sample(POSES, 6, 3).dv.tolist() != few.dv.tolist()


class TestJudgement:
    def test_the_other_quaternion_and_whole_turns_are_the_same_position(self) -> None:
        answer = REFERENCE.load(POSES).integrate(poses().states.q, poses().states.dv)
        answer[::2, 3:7] *= -1
        answer[::3, 9] += 4 * np.pi
        assert units(poses(), "integrate", answer) < BAR

    @pytest.mark.parametrize("entries", [[3], [6], [9], [14]])
    def test_nothing_else_is(self, entries: list[int]) -> None:
        answer = REFERENCE.load(POSES).integrate(poses().states.q, poses().states.dv)
        answer[:, entries] *= -1
        assert units(poses(), "integrate", answer) > 1e6

    def test_the_angle_of_a_hinge_counts_its_turns(self) -> None:
        case = prepare(chain("revolute"), 0, 14)
        assert units(case, "integrate", case.states.q + case.states.dv + 2 * np.pi) > 1e6


class TestPlantedFaults:
    @pytest.mark.parametrize("fault", INTEGRATION_FAULTS, ids=lambda fault: fault.name)
    def test_every_one_is_caught(self, fault: Fault) -> None:
        assert any(
            units(poses(), name, getattr(MutantDynamics(fault, POSES), name)(*arguments(poses(), name))) > BAR
            for name in INTEGRATION
        )

    def test_a_run_names_it(self) -> None:
        (fault,) = (one for one in INTEGRATION_FAULTS if one.name == "the turn of the step is transposed")
        results = run(Mutant(fault), chain("free"))
        assert {cell.verdict for cell in results.cells} == {"agrees", "discrepancy"}
        assert [cause.sentence for cause in results.causes] == [fault.name]


def run(implementation: Any, mechanism: Mechanism, states: int = STATES) -> Any:
    entry = Entry(implementation.name, implementation.name, InProcess(implementation, engine=implementation.name))
    settings = Settings(states=states, quantities=INTEGRATION, invariants=False)
    return check([(mechanism.name, mechanism)], [entry], settings)


class TestConventions:
    OURS = REFERENCE.load(POSES)

    def test_order_and_circles_are_converted(self) -> None:
        """Code with w x y z before x y z, v before ω, and an angle for the wheel."""
        declared = Conventions(
            quaternion="wxyz", free_position="quaternion first", free_velocity_order="linear first", continuous="angle"
        )
        mechanism = chain("free", "continuous")
        ours, case = REFERENCE.load(mechanism), prepare(mechanism, 0, STATES)
        P = np.eye(7)[[3, 4, 5, 0, 1, 2, 6]]

        def position(q: Any) -> Any:
            return np.hstack([q[:, 4:7], q[:, 1:4], q[:, :1], np.cos(q[:, 7:]), np.sin(q[:, 7:])])

        def back(q: Any) -> Any:
            return np.hstack([q[:, 6:7], q[:, 3:6], q[:, :3], np.arctan2(q[:, 8:], q[:, 7:8])])

        def both(matrix: Any) -> Any:
            return P @ matrix @ P.T

        theirs = Repaired(
            None,  # type: ignore[arg-type]
            integrate=lambda q, dv: back(ours.integrate(position(q), dv @ P.T)),
            integrate_dq=lambda q, dv: both(ours.integrate_dq(position(q), dv @ P.T)),
            integrate_dv=lambda q, dv: both(ours.integrate_dv(position(q), dv @ P.T)),
            difference=lambda q, to: ours.difference(position(q), position(to)) @ P.T,
            difference_dq=lambda q, to: both(ours.difference_dq(position(q), position(to))),
            difference_dto=lambda q, to: both(ours.difference_dto(position(q), position(to))),
        )
        converted = Converted(theirs, mechanism, declared)
        for quantity in INTEGRATION:
            assert units(case, quantity, getattr(converted, quantity)(*arguments(case, quantity))) < BAR

    def test_rotation_vectors_are_converted(self) -> None:
        case = prepare(chain("spherical"), 0, STATES)
        ours = REFERENCE.load(case.mechanism)

        def quaternion(x: Any) -> Any:
            half = np.linalg.norm(x, axis=1, keepdims=True) / 2
            return np.hstack([np.sinc(half / np.pi) / 2 * x, np.cos(half)])

        theirs = Repaired(
            None,  # type: ignore[arg-type]
            integrate=lambda q, dv: ours.difference(quaternion(0 * q), ours.integrate(quaternion(q), dv)),
            difference=lambda q, to: ours.difference(quaternion(q), quaternion(to)),
        )
        converted = Converted(theirs, case.mechanism, Conventions(quaternion="rotation vector"))
        for quantity in ("integrate", "difference"):
            assert units(case, quantity, getattr(converted, quantity)(*arguments(case, quantity))) < BAR

    @pytest.mark.parametrize("declared", [{"free_velocity": "mixed"}, {"free_velocity": "spatial"}, {"planar_velocity": "joint"}])
    def test_a_velocity_along_other_axes_is_another_motion(self, declared: Any) -> None:
        converted = Converted(self.OURS, POSES, Conventions(**declared))
        for quantity in INTEGRATION:
            with pytest.raises(Unsupported, match="constant along other axes is another motion"):
                getattr(converted, quantity)(*arguments(poses(), quantity))


def test_nothing_of_it_is_proven() -> None:
    certificate = prove(find_mechanism("pendulum"), "pendulum", quantities=("gravity", *INTEGRATION))
    assert list(certificate.quantities) == ["gravity"]


class TestFindings:
    """Pinocchio's faults, each with what it predicts."""

    OF_PINOCCHIO = tuple(
        finding
        for finding in FINDINGS
        if {*INTEGRATION} & Prediction([finding], POSES).names and finding.implementation == "pinocchio"
    )

    def left(self, case: Case, quantity: str, wrong: Any, *findings: Any) -> float:
        """The error, in ε-units, that these findings, or all, do not explain of this wrong quantity of the reference."""
        code = Repaired(REFERENCE.load(case.mechanism), **{quantity: wrong})
        repaired = Prediction(findings or self.OF_PINOCCHIO, case.mechanism).without(code)
        return units(case, quantity, getattr(repaired, quantity)(*arguments(case, quantity)))

    @pytest.mark.engines
    @pytest.mark.slow
    def test_they_explain_all_that_pinocchio_answers(self) -> None:
        pinocchio = pytest.importorskip("implementations.engines.pinocchio.adapter").Pinocchio()
        pytest.importorskip("pinocchio", reason="Pinocchio has no wheel here")
        dynamics = pinocchio.load(POSES)
        case = prepare(POSES, 1, 4 * len(TURNS))
        wrong = {name: units(case, name, getattr(dynamics, name)(*arguments(case, name))) for name in INTEGRATION}
        assert all(wrong[name] > 1e3 for name in INTEGRATION)
        sets = [[one for one in self.OF_PINOCCHIO if one is not left] for left in (*self.OF_PINOCCHIO, None)]
        repaired = [Prediction(some, POSES).without(dynamics) for some in sets]
        errors = [[units(case, name, getattr(one, name)(*arguments(case, name))) for name in INTEGRATION] for one in repaired]
        assert len(repaired) == 6 and max(errors[-1]) < BAR
        assert all(max(some) > BAR for some in errors[:-1]), "one of the findings is not needed"

    @pytest.mark.parametrize(
        ("kind", "quantity", "wrong"),
        [
            ("free", "integrate", lambda answer: np.hstack([answer[:, :3], (1 + 1e-12) * answer[:, 3:]])),
            ("free", "integrate_dv", lambda answer: answer * np.where(np.kron(np.eye(2), np.ones((3, 3))), 1 + 1e-9, 1)),
            ("free", "difference", lambda answer: np.hstack([(1 + 1e-9) * answer[:, :3], answer[:, 3:]])),
            ("planar", "difference", lambda answer: np.hstack([(1 + 1e-9) * answer[:, :1], answer[:, 1:]])),
        ],
    )
    def test_an_error_of_numbers_that_lose_less_stays(self, kind: Kind, quantity: str, wrong: Any) -> None:
        """At the turns at which others of the same joint lose ten times as many roundings, or all digits."""
        case, right = prepare(chain(kind), 0, STATES), REFERENCE.load(chain(kind))

        def planted(q: Any, other: Any) -> Any:
            answer = getattr(right, quantity)(q, other)
            step = other if quantity.startswith("integrate") else answer
            θ = np.linalg.norm(step[:, : 3 if kind == "free" else 1], axis=1)
            is_small = (θ > 1.3e-4) & (θ < 5e-2)
            return np.where(is_small.reshape(-1, *[1] * (answer.ndim - 1)), wrong(answer), answer)

        assert self.left(case, quantity, planted) > BAR

    def test_a_thousand_times_the_predicted_loss_stays(self) -> None:
        case, right = prepare(chain("free"), 0, STATES), REFERENCE.load(chain("free"))

        def wrong(q: Any, dv: Any) -> Any:
            θ = np.linalg.norm(dv[:, :3], axis=1)
            lost = 1e3 * EPSILON * np.where((θ > 1.3e-4) & (θ < 0.1), 1 / np.maximum(θ, 1e-4), 0)
            answer = right.integrate(q, dv)
            answer[:, 0] += lost * np.linalg.norm(dv[:, 3:], axis=1)
            return answer

        assert self.left(case, "integrate", wrong) > 1e3

    @pytest.mark.parametrize("kind", ["continuous", "planar"])
    @pytest.mark.parametrize("factor", [-1.0, 0.5])
    def test_a_tiny_angle_is_lost_as_a_whole_or_not_at_all(self, kind: Kind, factor: float) -> None:
        case, right = prepare(chain(kind), 0, STATES), REFERENCE.load(chain(kind))

        def scaled(by: float) -> float:
            def planted(q: Any, to: Any) -> Any:
                answer = right.difference(q, to)
                answer[:, 0] *= np.where(abs(answer[:, 0]) < 1e-8, by, 1)
                return answer

            return self.left(case, "difference", planted)

        assert scaled(0) < BAR < scaled(factor)

    def test_an_error_at_another_turn_stays(self) -> None:
        right = REFERENCE.load(POSES)
        for finding in self.OF_PINOCCHIO:
            assert self.left(poses(), "difference", lambda q, to: (1 + 1e-13) * right.difference(q, to), finding) > BAR


def test_reports_say_what_the_truth_is() -> None:
    mechanism = chain("free")
    entry = Entry("reference", "reference", InProcess(REFERENCE))

    def said(*quantities: str) -> str:
        settings = Settings(states=3, quantities=quantities, invariants=False)
        return truths(check([(mechanism.name, mechanism)], [entry], settings, explain=False))

    assert said("integrate").startswith("The truth is matrix exponentials, by their definition, in balls.")
    both = said("integrate", "gravity")
    assert both.startswith("The truth is the Lagrangian oracle")
    assert "For integrated positions and differences the truth is matrix exponentials" in both
