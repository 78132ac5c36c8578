"""Derivatives and the Coriolis matrix: proven for every joint, judged in ε-units, and planted faults are detected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import oracle
from cross_check.exchange.results import Cell
from cross_check.exchange.results.objects import BAR
from cross_check.harness import Entry, check
from cross_check.judge.comparison.case import Case, prepare
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.measure import measure
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.error_scale.sizes import EPSILON, ErrorScale
from cross_check.judge.settings import Settings
from cross_check.prove.proof.generic import tree
from cross_check.prove.proof.prove import prove
from implementations.processes.subject import InProcess, LoadedInProcess
from implementations.spatial_algebra import derivatives
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism, random_mechanism
from mechanisms.quantities import QUANTITIES

DERIVATIVES = tuple(name for name, quantity in QUANTITIES.items() if quantity.group == "derivatives")

MECHANISM = random_mechanism(6, 6, ("revolute", "euler-zyx", "free", "prismatic"), tilted_gravity=True)
INVERTING = [name for name, quantity in QUANTITIES.items() if quantity.needs_regular_mass_matrix]


@cache
def drawn() -> Case:
    return prepare(MECHANISM, 0, 14)


def cell(quantity: str, answer: Callable[..., Any], case: Case | None = None) -> Cell:
    """The cell of the reference with a changed answer: ``answer`` gets the right answer and the arguments."""
    case = case or drawn()
    right = getattr(REFERENCE.load(case.mechanism), quantity)

    class Changed:
        pass

    setattr(Changed, quantity, staticmethod(lambda *state: answer(right(*state), *state)))
    return measure(case, LoadedInProcess(Changed(), case.mechanism), "mine", QUANTITIES[quantity], BAR)[0]


class TestProof:
    @pytest.mark.slow
    @pytest.mark.parametrize("kind", ["universal", "spherical"])
    def test_the_order_of_a_joints_own_angles_counts(self, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
        """All components in one group, as in Pinocchio: wrong if S depends on q, and right for all other kinds."""
        monkeypatch.setattr(derivatives, "coordinate_groups", lambda link: [slice(None)])
        proofs = prove(tree([-1, 0], ["revolute", kind]), kind, quantities=DERIVATIVES).quantities
        refuted = [name for name, proof in proofs.items() if proof.verdict == "refuted"]
        assert refuted == ([name for name in DERIVATIVES if name != "forward_dynamics_dtau"] if kind == "universal" else [])

    def test_a_witness_names_a_row_of_the_second_equation(self) -> None:
        def wrong(*state: Any) -> Any:
            C = derivatives.coriolis_matrix(*state)
            C[0, 1] = C[0, 1] + 1
            C[1, 0] = C[1, 0] - 1
            return C

        arm = tree([-1, 0], ["revolute"] * 2)
        proofs = prove(arm, "skew", algorithms={"coriolis_matrix": wrong}, quantities=("coriolis_matrix",)).quantities
        assert proofs["coriolis_matrix"].witness.component == (0,)


SPECS = ("puma560", "floating-base-link", "every-joint")


class TestVerdict:
    @pytest.mark.slow
    @pytest.mark.usefixtures("with_bridge")
    @pytest.mark.parametrize("spec", SPECS)
    def test_correct_code_agrees(self, spec: str) -> None:
        settings = Settings(states=28, quantities=DERIVATIVES, invariants=False)
        document = check(
            [(spec, find_mechanism(spec))], [Entry("reference", "reference", InProcess(REFERENCE))], settings
        ).document()
        assert {result["quantity"]: result["verdict"] for result in document["cells"]} == dict.fromkeys(DERIVATIVES, "agrees")
        assert set(document["mechanisms"][0]["bridge"]) == {"inverse_dynamics_dq", "inverse_dynamics_dv"}
        extended = np.finfo(np.longdouble).eps < 1e-18
        assert max(document["mechanisms"][0]["bridge"].values()) < (0.1 if extended else BAR)

    @pytest.mark.parametrize("quantity", [name for name in DERIVATIVES if not QUANTITIES[name].has_value])
    def test_an_error_of_known_size_is_reported_where_it_is(self, quantity: str) -> None:
        answer = getattr(REFERENCE.load(MECHANISM), quantity)(*drawn().states.arguments(QUANTITIES[quantity].arguments))
        magnitude = compare(drawn(), QUANTITIES[quantity], answer).magnitude
        largest = (8, *map(int, np.unravel_index(magnitude[8].argmax(), magnitude[8].shape)))

        def off(right: Any, *_: Any) -> Any:
            right[largest] += 1000 * EPSILON * magnitude[largest]
            return right

        result = cell(quantity, off)
        assert result.verdict == "discrepancy" and result.worst is not None and result.error is not None
        # An entry of C is in two equations, and more of an error in the one of smaller numbers.
        assert result.error == pytest.approx(1000, rel=0.02) or (quantity == "coriolis_matrix" and result.error > 1000)
        assert result.worst.state == 8
        assert set(result.worst.coordinate.split(", ")) == {MECHANISM.coordinates[k] for k in largest[1:]}

    @pytest.mark.parametrize("quantity", DERIVATIVES)
    def test_nine_right_digits_are_too_few(self, quantity: str) -> None:
        case = prepare(find_mechanism("spatial-3r"), 0, 14)
        assert cell(quantity, lambda right, *_: right, case).verdict == "agrees"
        assert cell(quantity, lambda right, *_: right * (1 + 1e-9), case).verdict == "discrepancy"

    def test_what_is_free_in_c_is_free(self) -> None:
        """C + K with K = a bᵀ − b aᵀ; a and b across v, or not."""
        rng = np.random.default_rng(0)

        def with_skew(C: Any, q: Any, v: Any, across: bool) -> Any:
            a, b = rng.normal(size=(2, *v.shape))
            length = np.maximum((v * v).sum(axis=1, keepdims=True), 1e-300)
            a, b = ((x - across * v * (x * v).sum(axis=1, keepdims=True) / length)[..., None] for x in (a, b))
            return C + 1e-3 * (a * b.swapaxes(1, 2) - b * a.swapaxes(1, 2))

        assert cell("coriolis_matrix", lambda C, q, v: with_skew(C, q, v, across=True)).verdict == "agrees"
        assert cell("coriolis_matrix", lambda C, q, v: with_skew(C, q, v, across=False)).verdict == "discrepancy"
        assert cell("coriolis_matrix", lambda C, q, v: C + 1e-3 * np.eye(len(v[0]))).verdict == "discrepancy"
        assert cell("coriolis_matrix", lambda C, q, v: C.swapaxes(1, 2)).verdict == "discrepancy"

    @pytest.mark.parametrize("at", [(8, 2, 2), (8, 2, 5)])
    def test_what_an_entry_of_c_would_have_to_be_is_told(self, at: Any) -> None:
        right = REFERENCE.load(MECHANISM).coriolis_matrix(drawn().states.q, drawn().states.v)
        wrong = right.copy()
        wrong[at] += 1
        got, expected, error, *_ = compare(drawn(), QUANTITIES["coriolis_matrix"], wrong)
        assert (got[at], expected[at], error[at]) == pytest.approx((right[at] + 1, right[at], 1), rel=1e-9)

    def test_an_entry_of_c_whose_velocity_is_zero_has_no_part_in_the_force(self) -> None:
        """Both equations are missed, the second by far more; the first column knows of the first alone."""
        v = drawn().states.v * (np.arange(MECHANISM.nv) > 0)
        states = replace(drawn().states, v=v)
        C = REFERENCE.load(MECHANISM).coriolis_matrix(states.q, v)
        C[:, 3, 0] += 1e-9
        C[:, 3, 5] += 1
        C[:, 5, 3] -= 1
        error = compare(replace(drawn(), states=states), QUANTITIES["coriolis_matrix"], C).error
        moving = v[:, 5] != 0
        np.testing.assert_allclose(error[:, 3, 0], 1e-9, rtol=1e-3)
        np.testing.assert_allclose(error[moving, 3, 5], 1, rtol=1e-9)

    @pytest.mark.parametrize("quantity", ["forward_dynamics_dq", "forward_dynamics_dv", "forward_dynamics_dtau"])
    def test_an_ill_conditioned_mass_matrix_is_not_held_against_anyone(self, quantity: str) -> None:
        """A finger of a gram at the end of an arm of a ton: errors of 1e-8 are rounding, errors of a thousandth are none."""
        drawn = random_mechanism(1, 6, shape="chain", armature=False)
        scaled = [replace(body, inertia=scale(body.inertia, 1000 if k < 5 else "0.001")) for k, body in enumerate(drawn.bodies)]
        case = prepare(Mechanism("finger", tuple(scaled)), 0, 14)
        truth, states = case.truth, case.states
        M, inverse = truth.values("mass_matrix", states.q).astype(float), case.mass_matrix.inverse(states.q)
        assert np.linalg.cond(M).max() > 1e8
        assert cell(quantity, lambda right, *_: right, case).verdict == "agrees"
        # As engines have it: by a computed inverse, and through float64's M.
        if quantity == "forward_dynamics_dv":
            by_inverse = cell(
                quantity, lambda right, q, v: -inverse @ truth.values("inverse_dynamics_dv", q, v).astype(float), case
            )
            assert by_inverse.verdict == "agrees"
        assert cell(quantity, lambda right, *_: right * 1.001, case).verdict == "discrepancy"

    def test_what_a_singular_mass_matrix_leaves_undefined_is_not_asked_for(self) -> None:
        """A point mass on its own hinge axis: it has mass, and no moment about the joint."""
        point = Mechanism("point", (Body("bob", "world", Joint("hinge", "revolute"), Inertia(1)),))
        case = prepare(point, 0, 7)
        cells = {name: cell(name, lambda *_: pytest.fail("asked for"), case) for name in INVERTING}
        assert {(one.verdict, "'hinge'" in one.message) for one in cells.values()} == {("unsupported", True)}
        assert "forward_dynamics" in cells


def scale(inertia: Inertia, by: Any) -> Inertia:
    by = Fraction(by)
    return Inertia(inertia.mass * by, inertia.com, tuple(x * by for x in inertia.about_com))


class TestSizes:
    def test_of_a_slide_on_a_turntable_are_its_formula(self) -> None:
        """Point mass m at the distance r on a turntable: τ₁ = m r² a₁ + 2 m r v₁ v₂, τ₂ = m a₂ − m r v₁²."""
        point, r, m = Inertia(3, (0, 0, 0), (0, 0, 0, 0, 0, 0)), 2.0, 3.0
        bodies = (
            Body("table", "world", Joint("turn", "revolute"), Inertia.massless()),
            Body("point", "table", Joint("slide", "prismatic", (1, 0, 0)), point),
        )
        turntable = Mechanism("turntable", bodies, gravity=(0, 0, 0))
        q, v, a = np.array([[0.5, r]]), np.array([[5.0, 7.0]]), np.array([[11.0, 13.0]])
        size = ErrorScale(turntable).size("inverse_dynamics_dq", q, v, a)[0]
        truth = np.abs(oracle.EulerLagrange(turntable).inverse_dynamics_dq(q, v, a)[0])
        assert truth == pytest.approx(np.array([[0, 2 * m * r * 11 + 2 * m * 5 * 7], [0, m * 25]]))
        # By the angle: the size of the force itself. By the distance: its derivative. All terms are added with the sign +.
        force = m * (13 + (11 + 25) * r + 2 * 5 * 7)
        assert size[1, 0] >= force
        assert size[1, 1] == pytest.approx(m * (11 + 25), rel=2)
        assert (size >= truth).all() and (size <= 40 * np.maximum(truth, force)).all()

    def test_only_bodies_beyond_both_joints_count(self) -> None:
        light = find_mechanism("planar-pendulum:3")
        first = replace(light.bodies[0], inertia=scale(light.bodies[0].inertia, 1000))
        heavy = Mechanism("heavy", (first, *light.bodies[1:]), light.gravity)
        states = sample(light, 1, 7)
        q, v, a = states.q, states.v, states.a
        for quantity, state in {
            "inverse_dynamics_dq": (q, v, a),
            "inverse_dynamics_dv": (q, v),
            "coriolis_matrix": (q, v),
        }.items():
            one, other = (ErrorScale(mechanism).size(quantity, *state) for mechanism in (light, heavy))
            assert np.array_equal(one[:, :, 1:], other[:, :, 1:]) and np.array_equal(one[:, 1:], other[:, 1:])
        larger, smaller = (ErrorScale(mechanism).size("inverse_dynamics_dq", q, v, a)[:, 0, 0] for mechanism in (heavy, light))
        assert (larger > smaller).all()

    def test_joints_that_share_no_body_have_none(self) -> None:
        """Joints 1 and 2 are on one branch, 3 and 4 on another."""
        mechanism = find_mechanism("branched-tree")
        assert mechanism.parents == (-1, 0, 1, 0, 3) and mechanism.nv == 5
        states, sizes = sample(mechanism, 1, 7), ErrorScale(mechanism)
        for size in (
            sizes.size("inverse_dynamics_dq", states.q, states.v, states.a),
            sizes.size("inverse_dynamics_dv", states.q, states.v),
        ):
            assert not size[:, 1:3, 3:].any() and not size[:, 3:, 1:3].any()
            assert size[1].any(axis=0)[[0, 1, 3]].all()
