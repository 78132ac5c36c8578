"""A run: the same for the same seed, valid whatever happens, and whole up to where it was stopped."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import Any

import jsonschema
import numpy as np
import pytest

from cross_check.exchange.results import results_from, schema, verdict_of
from cross_check.exchange.results.parts import new_recorder
from cross_check.harness import Entry, Progress, check
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.kinds import ROUND
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.settings import Settings, SettingsError
from implementations.processes.subject import InProcess
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism
from oracle import OracleError

FEW = Settings(states=14)
TWO = Settings(states=14, quantities=("gravity", "mass_matrix"), invariants=False)
KINDS = (
    *("zero", "random", "at rest", "quarter turns", "tiny", "large", "fast", "accelerated from rest", "coasting"),
    *("one velocity zero", "one velocity alone", "small turns", "half turns", "slow", "far"),
    *("nearly the same", "the same", "the same again"),
)


IN_TURN = {
    "zero": "position zero",
    "random": "two equal",
    "quarter turns": "near quarter turns",
    "small turns": "very small turns",
    "half turns": "round numbers",
    "coasting": "passive",
    "far": "enormous",
    "one velocity zero": "one acceleration zero",
    "one velocity alone": "one acceleration alone",
    "slow": "very slow",
}
"""The kinds of the second round, where they differ."""

THIRD = {"one velocity zero": "one force zero", "one velocity alone": "one force alone"}
"""The kinds of the third round, where they differ from the first."""


def document_of(implementation: Any = REFERENCE, *specs: str, settings: Settings = FEW) -> dict[str, Any]:
    found = [(spec, find_mechanism(spec)) for spec in specs or ("cart-pole", "free:pendulum")]
    return check(found, [Entry("mine", "mine", InProcess(implementation))], settings, explain=False).document()


def comparable(document: dict[str, Any]) -> str:
    return json.dumps({key: value for key, value in document.items() if key not in ("machine", "times")})


def verdicts(document: dict[str, Any], part: str = "cells") -> set[str]:
    return {item["verdict"] for item in document[part]}


@pytest.mark.nightly
def test_two_runs_with_one_seed_are_the_same_byte_for_byte() -> None:
    first, second, third = (document_of(settings=dataclasses.replace(FEW, seed=seed)) for seed in (3, 3, 4))
    assert comparable(first) == comparable(second) != comparable(third)


def test_what_is_checked_beside_it_moves_no_state() -> None:
    alone, beside = (document_of(REFERENCE, *specs, settings=TWO) for specs in (["cart-pole"], ["pendulum", "cart-pole"]))
    assert [cell for cell in beside["cells"] if cell["mechanism"] == "cart-pole"] == alone["cells"]


def test_a_second_mechanism_of_one_name_keeps_its_states() -> None:
    mechanism = find_mechanism("cart-pole")
    renamed = dataclasses.replace(mechanism, name="another.urdf")
    np.testing.assert_array_equal(sample(mechanism, 0, 14).q, sample(renamed, 0, 14).q)


def test_more_states_begin_with_the_same() -> None:
    mechanism = find_mechanism("floating-base-link")
    few, many = sample(mechanism, 5, 9), sample(mechanism, 5, 30)
    for name in ("q", "v", "a"):
        np.testing.assert_array_equal(getattr(few, name), getattr(many, name)[:9])


def test_states_have_the_same_bits_on_every_machine() -> None:
    digest = hashlib.sha256()
    for spec in ("ur5", "random:1:8:free,continuous,spherical,planar"):
        states = sample(find_mechanism(spec), 0, 512)
        for column in (states.q, states.v, states.a, states.f):
            digest.update(column.astype("<f8").tobytes())
    assert digest.hexdigest()[:16] == "70c1ee14944b9ddd"


@pytest.mark.parametrize("spec", ["floating-base-link", "random:3:4"])
def test_states_cover_every_kind_and_are_what_they_are_called(spec: str) -> None:
    mechanism = find_mechanism(spec)
    states = sample(mechanism, 0, 3 * len(KINDS))
    third = (THIRD.get(kind, kind) for kind in KINDS[1:])
    assert states.kinds == (*KINDS, *(IN_TURN.get(kind, kind) for kind in KINDS), "position zero", *third)
    of = {kind: np.array(states.kinds) == kind for kind in states.kinds}
    assert not any(column[0].any() for column in (states.v, states.a, states.f))
    assert (np.abs(states.q[of["position zero"]]) == states.q[0]).all()
    assert states.v[of["position zero"]].all()
    assert states.a[of["position zero"]].all()
    assert not states.v[of["at rest"]].any()
    assert states.q[of["at rest"]].any(axis=1).all()
    assert np.abs(states.v[of["tiny"]]).max() < 0.01
    assert np.abs(states.v[of["fast"]]).max() > 50
    assert np.abs(states.q[of["large"]]).max() > 10
    assert not states.v[of["accelerated from rest"]].any()
    assert states.a[of["accelerated from rest"]].all()
    assert not states.a[of["coasting"]].any()
    assert states.v[of["coasting"]].all()
    assert ((states.v[of["one velocity zero"]] == 0).sum(axis=1) == 1).all()
    assert ((states.v[of["one velocity alone"]] != 0).sum(axis=1) == 1).all()
    assert 0 < np.abs(states.v[of["slow"]]).min() < 1e-6 < np.abs(states.v[of["slow"]]).max() < 1e-3
    assert 0 < np.abs(states.v[of["very slow"]]).max() < 1e-8
    assert ((states.a[of["one acceleration zero"]] == 0).sum(axis=1) == 1).all()
    assert ((states.a[of["one acceleration alone"]] != 0).sum(axis=1) == 1).all()
    assert np.abs(states.q[of["far"]]).max() > 500
    assert max(np.abs(states.v[of["enormous"]]).max(), np.abs(states.a[of["enormous"]]).max()) > 1e5
    assert {*np.abs(states.v[of["round numbers"]]).flat} <= {*ROUND}
    joints = [at.start for body, at in zip(mechanism.bodies, mechanism.q_slices, strict=True) if body.joint.kind != "free"]
    assert set(np.abs(states.q[of["quarter turns"]][:, joints]).flat) <= {0, np.pi / 2}
    for body, at in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind == "free":
            np.testing.assert_allclose(np.linalg.norm(states.q[:, at][:, 3:], axis=1), 1, rtol=1e-15)


def test_forces_are_absent_or_alone_in_every_argument() -> None:
    f = sample(find_mechanism("ur5"), 0, 98).f[1:]
    bodies = f.any(axis=2).sum(axis=1)
    assert {0, 1, 5, 6} == {*bodies}
    moments, forces = f[..., :3].any(axis=(1, 2)), f[..., 3:].any(axis=(1, 2))
    assert (moments & ~forces).any()
    assert (forces & ~moments).any()


def test_angles_come_close_to_quarter_turns_at_every_distance() -> None:
    states = [sample(find_mechanism("ur5"), seed, 98) for seed in range(4)]
    near = np.concatenate([one.q[np.array(one.kinds) == "near quarter turns"].ravel() for one in states])
    beside = np.abs(near - np.round(near / (np.pi / 2)) * (np.pi / 2))
    assert beside.max() < 1.1e-2
    assert {*np.digitize(beside, [1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4])} == {*range(7)}
    assert {*np.round(near / (np.pi / 2))} == {-2, -1, 0, 1, 2}


def test_quaternions_and_circles_make_small_and_half_turns() -> None:
    mechanism = find_mechanism("every-joint")
    states = sample(mechanism, 0, 4 * len(KINDS))
    named = np.array(states.kinds)
    small, half, zero = (states.q[named == kind] for kind in ("small turns", "half turns", "position zero"))
    for _, slot in mechanism.slots("quaternion"):
        assert {*np.sign(small[:, slot][:, 3])} == {*np.sign(zero[:, slot][:, 3])} == {-1, 1}
        assert (np.linalg.norm(small[:, slot][:, :3], axis=1) < 2e-3).all()
        assert small[:, slot][:, :3].all()
        assert (np.abs(half[:, slot][:, 3]) < 2e-9).all()
        assert half[:, slot][:, :3].all()
    for _, slot in mechanism.slots("circle"):
        assert (half[:, slot] == [-1, 0]).all()
        assert (np.abs(small[:, slot][:, 1]) < 2e-3).all()


def raises(error: BaseException) -> Any:
    class Raising:
        def load(self, mechanism: Any) -> Any:
            raise error

    return Raising()


def test_every_verdict_makes_a_valid_document_and_the_right_outcome(altered: Any) -> None:
    def cannot(*_: Any) -> Any:
        raise Unsupported("not here")

    mixed = altered(
        only=("mass_matrix", "gravity", "inverse_dynamics", "potential_energy"),
        gravity=lambda g, q: g * 2,
        inverse_dynamics=lambda t, *_: t[:1],
        potential_energy=cannot,
    )
    document = document_of(mixed)
    assert verdicts(document) == {"agrees", "discrepancy", "failed", "unsupported", "not offered"}
    jsonschema.validate(document, schema())
    assert verdict_of(results_from(document)).exit_code == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("implementation", "cells", "code"),
    [
        (REFERENCE, {"agrees"}, 0),
        (raises(ValueError("no\nway")), {"failed"}, 3),
        (raises(SystemExit(0)), {"failed"}, 3),
        (raises(Unsupported("too small")), set(), 5),
        (type("Empty", (), {"load": lambda self, mechanism: None})(), {"not offered"}, 5),
    ],
)
def test_outcomes(implementation: Any, cells: set[str], code: int) -> None:
    document = document_of(implementation, settings=TWO)
    jsonschema.validate(document, schema())
    assert (verdicts(document), verdict_of(results_from(document)).exit_code) == (cells, code)
    assert len(document["skipped"]) == (2 if cells == set() else 0)
    assert not any("\n" in cell["message"] for cell in document["cells"])


def test_an_interrupted_run_keeps_what_was_finished(altered: Any) -> None:
    def stop(right: Any, q: Any) -> Any:
        if q.shape[1] == 2:
            raise KeyboardInterrupt
        return right

    recorder = new_recorder(FEW.recorded)
    found = [(spec, find_mechanism(spec)) for spec in ("pendulum", "cart-pole")]
    with pytest.raises(KeyboardInterrupt):
        check(found, [Entry("mine", "mine", InProcess(altered(gravity=stop)))], FEW, recorder)
    results = recorder.snapshot()
    jsonschema.validate(results.document(), schema())
    assert {cell.mechanism for cell in results.cells} == {"pendulum"}
    assert len(results.cells) == len(FEW.of_trees)


def test_only_the_quantities_asked_for() -> None:
    document = document_of(settings=TWO)
    assert {cell["quantity"] for cell in document["cells"]} == {"gravity", "mass_matrix"}
    assert document["invariants"] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"quantities": ("torque",)},
        {"quantities": ()},
        {"seed": -1},
        {"states": 0},
        {"bar": 0},
        {"bar": float("nan")},
        {"bar": float("inf")},
        {"certified": "yes"},
        {"bar": "16"},
    ],
)
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(
        SettingsError, match=r"there is no quantity 'torque'; use all, dyn|cannot be run; give|the setting .* is .*; give"
    ):
        Settings(**wrong)


@pytest.mark.usefixtures("with_bridge")
@pytest.mark.parametrize("distance, words", [(1e17, r"1e\+17"), (float("nan"), "nan")])
def test_nothing_is_judged_where_the_two_derivations_differ(distance: float, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Case, "distance_to_reference", lambda case, quantities: {"mass_matrix": 0.1, "gravity": distance})
    with pytest.raises(OracleError, match=rf"the two derivations of gravity of 'cart-pole' differ by {words} ε-units"):
        document_of(REFERENCE, "cart-pole")


def test_progress_counts_to_its_end() -> None:
    events: list[Progress] = []
    check([("pendulum", find_mechanism("pendulum"))], [Entry("mine", "mine", InProcess(REFERENCE))], FEW, progress=events.append)
    assert events == [
        Progress("pendulum", "deriving", 0, 2, is_new_mechanism=True),
        Progress("pendulum", "checking", 1, 2, implementation="mine"),
        Progress("", "done", 2, 2),
    ]
