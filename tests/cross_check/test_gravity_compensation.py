"""Gravity compensation: the derivations agree on it, what ignores or misreads it is found and named, files keep or refuse it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert
from cross_check.explain.faults.fault import Edit
from cross_check.explain.faults.mutants import edited
from cross_check.prove.proof.prove import prove
from cross_check.read.same.compare import same
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.processes.find import find_implementation
from implementations.processes.subject import InProcess
from implementations.protocol import Unsupported
from implementations.screws.product_of_exponentials import SCREWS
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, MechanismError, Placement, find_mechanism
from mechanisms.files.document import from_document, to_document
from mechanisms.files.mjcf.read import parse_mjcf
from mechanisms.files.mjcf.write import write_mjcf
from mechanisms.files.sdf.read import parse_sdf
from mechanisms.files.sdf.write import write_sdf
from mechanisms.files.urdf.write import write_urdf
from mechanisms.mimic import Mimic
from oracle import EulerLagrange, Evaluator, derive

NONE = Inertia.massless()


def lifted(name: str, beside: bool = True) -> Mechanism:
    """The mechanism with a part of each body lifted, each another one, at the centre of mass or ``beside`` it."""
    m = find_mechanism(name)
    bodies = []
    for i, body in enumerate(m.bodies, 2):
        at = tuple(x + Fraction(i + k, 20) * beside for k, x in enumerate(body.inertia.com))
        bodies.append(replace(body, lifted=Inertia(body.inertia.mass * Fraction(i, 5), at)))
    return replace(m, bodies=tuple(bodies))


def pendulum(part: str = "0", at: tuple[Any, ...] = (2, 0, 0), **joint: Any) -> Mechanism:
    """A mass of 3 kg, 2 m from an axis along y, of which a part is lifted."""
    hinge = Joint("hinge", "revolute", (0, 1, 0), **joint)
    body = Body("bob", "world", hinge, Inertia(3, (2, 0, 0)), Inertia(3 * Fraction(part), at))
    return Mechanism("pendulum", (body,), (0, 0, -10))


@pytest.mark.parametrize(("part", "at", "torque"), [("0", 2, -60), ("1", 2, 0), ("0.5", 2, -30), ("1.5", 2, 30), ("1", 1, -30)])
def test_the_torque_by_hand(part: str, at: int, torque: float) -> None:
    """A turn about y lowers what is on the x axis, so that the torque that holds it is negative."""
    m, zero = pendulum(part, (at, 0, 0)), np.zeros((1, 1))
    for subject in (EulerLagrange(m), REFERENCE.load(m), NEWTON_EULER.load(m), SCREWS.load(m), Evaluator(derive(m))):
        assert subject.inverse_dynamics(zero, zero, zero) == pytest.approx(np.array([[torque]]))
        quarter = np.array([[np.pi / 2]])
        assert subject.potential_energy(quarter) - subject.potential_energy(zero) == pytest.approx(np.array([torque]))
    for derived in (EulerLagrange(m), REFERENCE.load(m)):
        assert derived.gravity_dq(np.array([[np.pi / 2]])) == pytest.approx(np.array([[[-torque]]]))
    assert REFERENCE.load(m).forward_dynamics(zero, zero, np.array([[12.0]])) == pytest.approx(np.array([[(12 - torque) / 12]]))


@pytest.mark.parametrize("name", ["cart-pole", "branched-tree", "spherical-pendulum"])
def test_both_derivations_are_proven_equal_with_it(name: str) -> None:
    asked = ["inverse_dynamics", "forward_dynamics", "potential_energy", "gravity", "gravity_dq", "inverse_dynamics_dq"]
    asked += ["forward_dynamics_dq", "static_forces_dq", "joint_torque_regressor", "mass_matrix"]
    certificate = prove(lifted(name), "it", quantities=asked)
    assert certificate.verdict == "proven" and not certificate.in_general


@pytest.mark.parametrize(
    ("module", "right", "wrong", "quantity"),
    [
        ("gravity_compensation", "-mul(link.I, own)", "mul(link.I, own)", "inverse_dynamics"),
        ("aba", "pA[i] - lift[i]", "pA[i]", "forward_dynamics"),
        ("energy", "V - potential_energy(model.lifted, q)", "V + potential_energy(model.lifted, q)", "potential_energy"),
        ("derivatives", "dτ - inverse_dynamics_dq(model.lifted", "dτ + inverse_dynamics_dq(model.lifted", "inverse_dynamics_dq"),
    ],
)
def test_a_proof_refutes_what_is_wrong_about_it(module: str, right: str, wrong: str, quantity: str) -> None:
    algorithms = edited((Edit(module, right, wrong),)).ALGORITHMS
    assert prove(lifted("branched-tree"), "it", algorithms=algorithms, quantities=[quantity]).verdict == "refuted"


@pytest.mark.parametrize("name", ["branched-tree", pytest.param("every-joint", marks=pytest.mark.nightly)])
def test_the_other_derivations_agree(name: str) -> None:
    names = ["newton-euler", "screws", "reference"]
    results = dalembert.check(mechanisms=[lifted(name)], implementations=names, explain=False)
    assert {cell.verdict for cell in results.cells} <= {"agrees", "not offered", "unsupported"}
    assert {one.verdict for one in results.invariants} <= {"agrees", "not offered", "unsupported"}


def test_a_mimic_joint_carries_what_is_lifted() -> None:
    follower = Body("arm", "bob", Joint("elbow", "revolute", (0, 1, 0), mimic=Mimic("hinge", -2)), NONE, Inertia(1, (0, 0, 1)))
    m = replace(pendulum("0.5"), bodies=(*pendulum("0.5").bodies, follower))
    q, v = np.array([[0.3], [-1.0]]), np.array([[0.7], [0.2]])
    for quantity in ("inverse_dynamics", "inverse_dynamics_dq"):
        one, other = (getattr(load(m), quantity)(q, v, v) for load in (EulerLagrange, REFERENCE.load))
        assert one == pytest.approx(other, rel=1e-13)


def test_welded_bodies_may_have_different_parts() -> None:
    """Two bodies on one hinge, of which the second is lifted alone, are held as the first alone."""
    weld = Joint("weld", "fixed", placement=Placement(translation=(1, 0, 0)))
    bob = replace(pendulum().bodies[0], inertia=Inertia(3, (2, 0, 0), (1, 1, 1, 0, 0, 0)))
    tool = Inertia(2, (0, 0, 0), (1, 1, 1, 0, 0, 0))
    both = replace(pendulum(), bodies=(bob, Body("tool", "bob", weld, tool, tool)))
    assert both.bodies[0].inertia.mass == 5 and both.bodies[0].lifted == Inertia(2, (1, 0, 0))
    zero = np.zeros((1, 1))
    for subject in (EulerLagrange(both), REFERENCE.load(both)):
        assert subject.gravity(zero) == pytest.approx(np.array([[-60]]))
    assert parse_mjcf(write_mjcf(both)).bodies[0].lifted == both.bodies[0].lifted


FAULTS: dict[str, tuple[Callable[[Body], Inertia], str]] = {
    "ignored": (lambda body: NONE, "gravity compensation is ignored"),
    "sign": (lambda body: body.lifted, "gravity compensation has the wrong sign"),
    "twice": (lambda body: Inertia(2 * body.lifted.mass, body.lifted.com), "gravity compensation counts twice"),
    "0.7": (
        lambda body: Inertia(Fraction(7, 10) * body.lifted.mass, body.lifted.com),
        "gravity compensation of every body is mu",
    ),
    "origin": (lambda body: Inertia(body.lifted.mass), "gravity compensation acts at the body's origin"),
    "one body": (lambda body: body.lifted if body.name != "link1" else NONE, "gravity compensation of link1 is ignored"),
    "right": (lambda body: body.lifted, ""),
}


@pytest.mark.parametrize(
    "fault", [one if i < 2 else pytest.param(one, marks=pytest.mark.nightly) for i, one in enumerate(FAULTS)]
)
def test_what_is_wrong_about_it_is_named(fault: str) -> None:
    lift, said = FAULTS[fault]

    class Code:
        name = "mine"

        def load(self, mechanism: Mechanism) -> Any:
            bare = replace(mechanism, bodies=tuple(replace(body, lifted=NONE) for body in mechanism.bodies))
            read = replace(mechanism, bodies=tuple(replace(body, lifted=lift(body)) for body in mechanism.bodies))
            without, with_it = REFERENCE.load(bare), REFERENCE.load(read)

            class Loaded:
                def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Any:
                    right, none = with_it.inverse_dynamics(q, v, a), without.inverse_dynamics(q, v, a)
                    return 2 * none - right if fault == "sign" else right

            return Loaded()

    results = dalembert.check(mechanisms=[lifted("planar-pendulum:2", beside=False)], implementations=[Code()])
    causes = " ".join(cause.sentence for cause in results.causes)
    assert said in causes if said else all(cell.verdict != "discrepancy" for cell in results.cells), causes


def whole(name: str) -> Mechanism:
    """The mechanism with every other body lifted."""
    m = find_mechanism(name)
    return replace(m, bodies=tuple(replace(body, lifted=body.inertia) if i % 2 else body for i, body in enumerate(m.bodies)))


@pytest.mark.engines
@pytest.mark.parametrize(
    ("engine", "mechanism", "unsupported"),
    [
        ("mujoco", lifted("branched-tree", beside=False), {"potential_energy"}),
        ("mujoco", lifted("branched-tree"), {"potential_energy"}),
        ("dart", whole("branched-tree"), {"potential_energy", "forward_dynamics", "forward_dynamics_dtau"}),
        *(
            pytest.param(name, lifted("planar-pendulum:2"), set(), marks=pytest.mark.nightly)
            for name in ("sympy-kane", "sympy-lagrange")
        ),
    ],
)
def test_engines_with_it_agree(engine: str, mechanism: Mechanism, unsupported: set[str]) -> None:
    pytest.importorskip({"dart": "dartpy"}.get(engine, engine.partition("-")[0]))
    results = dalembert.check(mechanisms=[mechanism], implementations=[engine], explain=False)
    cells = {cell.quantity: cell.verdict for cell in results.cells if cell.verdict not in ("not offered", "known")}
    assert {name for name, verdict in cells.items() if verdict == "unsupported"} == unsupported
    assert {"inverse_dynamics", "gravity", "nonlinear_effects"} <= cells.keys()
    assert set(cells.values()) <= {"agrees", "unsupported"}


def test_dart_lifts_whole_bodies_alone() -> None:
    pytest.importorskip("dartpy")
    with pytest.raises(
        Unsupported, match="DART lifts whole bodies alone, and body 'bob' has gravity compensation of another part"
    ):
        InProcess(find_implementation("dart")).load(pendulum("0.5"))


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "gravity"])
def test_a_small_error_of_a_lifted_mass_is_found_in_all_states(quantity: str) -> None:
    """One that no single state shows."""
    right = lifted("spatial-3r")

    class Code:
        name = "mine"

        def load(self, mechanism: Mechanism) -> Any:
            first, second, *others = mechanism.bodies
            mass = second.lifted.mass * (1 + 5 * Fraction(2) ** -47)
            bodies = (first, replace(second, lifted=Inertia(mass, second.lifted.com)), *others)
            return REFERENCE.load(replace(mechanism, bodies=bodies))

    asked: dict[str, Any] = {"quantities": (quantity,), "states": 200, "explain": False}
    for code, least, most in ((Code(), 16, 40), (REFERENCE, 0, 2)):
        (cell,) = dalembert.check(mechanisms=[right], implementations=[code], **asked).cells
        assert cell.sharpness and least <= cell.sharpness.needed <= most
        assert code is REFERENCE or cell.sharpness.number == "the lifted mass of link2"


def test_engines_without_it_say_so() -> None:
    for name in ("pinocchio", "drake"):
        with pytest.raises(Unsupported, match=f"body 'bob' has gravity compensation, which the adapter of {name} does not have"):
            InProcess(find_implementation(name)).load(pendulum("1"))


def test_it_is_kept_or_refused_aloud() -> None:
    m = pendulum("0.7")
    assert from_document(to_document(m)) == m != pendulum()
    assert "lifted" not in str(to_document(pendulum()))
    others = [pendulum("0"), pendulum("0.6"), pendulum("0.7", (1, 0, 0))]
    assert len({one.fingerprint for one in (m, *others)}) == 4
    assert parse_mjcf(write_mjcf(m), physical=False).bodies[0].lifted == m.bodies[0].lifted
    whole = parse_sdf(write_sdf(pendulum("1")), physical=False)
    assert whole.bodies[0].lifted == pendulum("1").bodies[0].lifted
    for write, one, said in (
        (write_urdf, m, "body 'bob' has gravity compensation, which URDF cannot say; remove it"),
        (write_sdf, m, "body 'bob' has gravity compensation that is not its whole weight, which SDF cannot say; remove it"),
        (write_mjcf, pendulum("1", (1, 0, 0)), "'bob' has gravity compensation at another point than its centre of mass"),
    ):
        with pytest.raises(MechanismError, match=said):
            write(one)


MJCF = """<mujoco><option>{flag}</option><worldbody><body {body}><joint axis="0 1 0" pos="0 0 1" {joint}/>
<inertial pos="0.3 0 0.1" mass="2" diaginertia="1 1 1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("given", "mass"),
    [
        ({}, 0),
        ({"body": 'gravcomp="1.5"'}, 3),
        ({"body": 'gravcomp="0"', "joint": 'actuatorgravcomp="true"'}, 0),
        ({"body": 'gravcomp="1.5"', "flag": '<flag spring="disable"/>'}, 3),
        ({"body": 'gravcomp="1.5"', "flag": '<flag spring="disable" damper="disable"/>'}, 0),
    ],
)
def test_mjcf_means_what_mujoco_makes_of_it(given: dict[str, str], mass: int) -> None:
    mujoco = pytest.importorskip("mujoco")
    text = MJCF.format(**{"flag": "", "body": "", "joint": "", **given})
    body = parse_mjcf(text, physical=False).bodies[0]
    assert body.lifted == (Inertia(mass, (Fraction("0.3"), 0, Fraction("-0.9"))) if mass else NONE)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_inverse(model, data)
    read = REFERENCE.load(parse_mjcf(text, physical=False))
    assert read.gravity(np.zeros((1, 1)))[0] == pytest.approx(data.qfrc_inverse)


def test_mjcf_that_mujoco_reads_otherwise_is_refused() -> None:
    for given, said in (
        ({"body": 'gravcomp="-1"'}, "line 1: body 'body 1': its gravcomp is negative, which MuJoCo ignores in some models"),
        ({"body": 'gravcomp="1"', "joint": 'actuatorgravcomp="true"'}, "actuatorgravcomp makes gravity compensation a motor's"),
    ):
        with pytest.raises(MechanismError, match=said):
            parse_mjcf(MJCF.format(**{"flag": "", "body": "", "joint": "", **given}), physical=False)


ARM = """<mujoco><worldbody><body name="arm" gravcomp="0.5"><joint axis="0 1 0"/>
<inertial pos="0.3 0 0.1" mass="2" diaginertia="1 1 1"/>
<body name="tool" pos="0.5 0 0" {0}>
<inertial pos="0.1 0 0" mass="0.5" diaginertia="0.1 0.1 0.1"/></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("edit", "name", "mine", "theirs", "line"),
    [(('gravcomp="0.5"', 'gravcomp="1"'), "arm", "1", "2", 1), (("{0}", 'gravcomp="1"'), "tool", "0", "0.5", 3)],
)
def test_files_with_other_gravity_compensation_differ_at_their_line(
    edit: tuple[str, str], name: str, mine: str, theirs: str, line: int
) -> None:
    one, other = (parse_mjcf(text.format("")) for text in (ARM, ARM.replace(*edit)))
    found = same(one, other)
    (difference,) = found.differences
    assert (found.verdict, difference.name, difference.what) == ("different", name, "lifted mass")
    assert (difference.first, difference.second) == (mine, theirs)
    assert difference.second_place and difference.second_place.line == line
    assert same(one, one).verdict == "exactly"
