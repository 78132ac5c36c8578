"""Frames and derivatives of motions: proven for every joint, judged in ε-units, and planted faults are detected."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from cross_check.exchange.results.objects import BAR
from cross_check.explain.faults.mutants import MutantDynamics
from cross_check.explain.faults.terms.factors import FIXED_AXES
from cross_check.judge.comparison.case import Case, prepare
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.measure import measure
from cross_check.judge.comparison.sampling import sample
from cross_check.prove.proof.generic import tree
from cross_check.prove.proof.prove import prove
from implementations.processes.subject import LoadedInProcess
from implementations.spatial_algebra import motion_derivatives
from implementations.spatial_algebra.reference import ALGORITHMS, REFERENCE
from mechanisms import Mechanism, find_mechanism, random_mechanism
from mechanisms.library.extended import framed
from mechanisms.quantities import BY_NAME, FRAMES, GROUPS, INTEGRATION, QUANTITIES, USUAL, expand_groups
from mechanisms.quantities.quantity import MOST_NUMBERS

NEW = tuple(name for group in BY_NAME if group != "integration" for name in GROUPS[group])
KINDS = ("revolute", "universal", "free", "helical", "euler-zyx", "planar")
MECHANISM = framed(random_mechanism(5, 5, KINDS, tilted_gravity=True))


@cache
def drawn() -> Case:
    return prepare(MECHANISM, 0, 14)


def test_the_groups_are_compared_only_if_they_are_named() -> None:
    assert not {*NEW, *INTEGRATION} & set(USUAL)
    assert set(expand_groups(["all"])) == {*NEW, *INTEGRATION, *USUAL}


class TestProof:
    @pytest.mark.slow
    def test_a_tree_and_all_frames_on_it(self) -> None:
        certificate = prove(tree([-1, 0], ["helical", "free"]), "tree", quantities=NEW)
        assert certificate.verdict == "proven"
        assert set(certificate.quantities) == set(NEW)

    @pytest.mark.parametrize("frame", ["local", "aligned"])
    def test_the_motion_of_the_frame_counts(self, frame: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """In the aligned frame this is what Pinocchio leaves out: docs/findings/pinocchio-motion-derivatives-aligned.md."""

        def still(frame: str, b: Any, dm: Any, m: Any, s: Any) -> Any:
            return motion_derivatives.seen_in(frame, b, dm)

        monkeypatch.setattr(motion_derivatives, "with_moving_frame", still)
        families = ("velocities_dq", "accelerations_dq", "accelerations_dv", "jacobians_dq")
        algorithms = {
            f"{family}_{frame}": partial(getattr(motion_derivatives, family), motion_derivatives.moving_bodies, frame=frame)
            for family in families
        }
        proofs = prove(tree([-1, 0], ["free", "spherical"]), "tree", algorithms=algorithms, quantities=algorithms).quantities
        verdicts = [proof.verdict for proof in proofs.values()]
        assert verdicts == ["refuted", "refuted", "proven", "refuted"]

    def test_a_frame_s_own_place_counts(self) -> None:
        def of_bodies(model: Any, q: Any, frame: str) -> Any:
            J = ALGORITHMS[f"jacobians_{frame}"](model, q)
            return np.stack([0 * J[0] if body < 0 else J[body] for body, _ in model.frames])

        arm = tree([-1, 0], ["revolute", "free"])
        spoilt = {f"frame_jacobians_{frame}": partial(of_bodies, frame=frame) for frame in FRAMES}
        proofs = prove(arm, "arm", algorithms=spoilt, quantities=tuple(spoilt)).quantities
        verdicts = {name: proof.verdict for name, proof in proofs.items()}
        assert verdicts == {
            "frame_jacobians_local": "refuted",
            "frame_jacobians_world": "proven",
            "frame_jacobians_aligned": "refuted",
        }

    def test_frames_that_a_mechanism_has_are_proven_on_its_own_numbers(self) -> None:
        subject = framed(find_mechanism("cart-pole"))
        assert prove(subject, "cart", in_general=False, quantities=GROUPS["frames"]).verdict == "proven"
        assert not prove(find_mechanism("cart-pole"), "cart", in_general=False, quantities=GROUPS["frames"]).quantities


class TestVerdict:
    @pytest.mark.slow
    @pytest.mark.parametrize("quantity", NEW)
    def test_correct_code_agrees_nine_right_digits_are_too_few_and_a_size_bounds_the_value(self, quantity: str) -> None:
        arguments = drawn().states.arguments(QUANTITIES[quantity].arguments)
        answer, size = getattr(REFERENCE.load(MECHANISM), quantity)(*arguments), drawn().scale.size(quantity, *arguments)
        assert compare(drawn(), QUANTITIES[quantity], answer).units.max() < BAR / 4
        assert compare(drawn(), QUANTITIES[quantity], answer * (1 + 1e-9)).units.max() > BAR
        assert size.shape == answer.shape
        assert (abs(answer) <= size * (1 + 1e-12)).all()
        assert drawn().distance_to_reference([quantity])[quantity] < 1e-6

    def test_a_hessian_times_v_is_the_derivative_of_the_velocity(self) -> None:
        """∂V/∂q = Σ ∂Jⱼ/∂q vⱼ: one of the two is derived from velocities, the other from Jacobians."""
        dynamics: Any = REFERENCE.load(MECHANISM)
        q, v = drawn().states.arguments(("q", "v"))
        for frame in FRAMES:
            H, dV = getattr(dynamics, f"jacobians_dq_{frame}")(q), getattr(dynamics, f"velocities_dq_{frame}")(q, v)
            size = drawn().scale.size(f"velocities_dq_{frame}", q, v)
            assert (abs(np.einsum("nbijk,nj->nbik", H, v) - dV) <= 1e-13 * size).all()

    def test_an_answer_that_would_fill_the_memory_is_not_compared(self) -> None:
        large = random_mechanism(0, 24)
        assert len(large.bodies) * 6 * large.nv**2 > MOST_NUMBERS
        said = f"kinematic Hessians have {24 * 6 * 24**2} numbers at one state; answers of {MOST_NUMBERS} at most are compared"
        assert cell(large, "jacobians_dq_local").message == said
        assert cell(large, "velocities_dq_local").verdict == "agrees"

    def test_a_mechanism_without_frames_does_not_have_their_quantities(self) -> None:
        said = "it has no frame that is fixed to a body or to the root"
        assert cell(find_mechanism("cart-pole"), "frame_placements").message == said
        assert cell(find_mechanism("framed:cart-pole"), "frame_placements").verdict == "agrees"


def cell(mechanism: Mechanism, quantity: str) -> Any:
    case: Case = prepare(mechanism, 0, 2)
    return measure(case, LoadedInProcess(REFERENCE.load(mechanism), mechanism), "mine", QUANTITIES[quantity], BAR).cell


def test_frames_on_the_root_alone_stand_still() -> None:
    mechanism = find_mechanism("cart-pole")
    still = framed(mechanism).frames[:1]
    dynamics: Any = REFERENCE.load(replace(mechanism, frames=still))
    q, v = np.zeros((3, 2)), np.ones((3, 2))
    assert dynamics.frame_placements(q).shape == (3, 1, 3, 4)
    assert not dynamics.frame_velocities_world(q, v).any()
    assert not dynamics.frame_velocities_dq_aligned(q, v).any()
    assert not dynamics.frame_jacobians_dq_local(q).any()


@pytest.mark.parametrize(("kind", "changes"), [("euler-zyx", True), ("revolute", False)])
@pytest.mark.parametrize("quantity", ["accelerations_dq_world", "jacobians_dq_local"])
def test_axes_that_are_taken_as_fixed_change_the_derivatives_of_motions(quantity: str, kind: str, changes: bool) -> None:
    mechanism = find_mechanism(f"random:2:3:{kind}")
    states = sample(mechanism, 0, 4)
    given = states.arguments(QUANTITIES[quantity].arguments)
    wrong = getattr(MutantDynamics(FIXED_AXES, mechanism), quantity)(*given)
    assert (np.abs(wrong - getattr(REFERENCE.load(mechanism), quantity)(*given)).max() > 1e-3) == changes
