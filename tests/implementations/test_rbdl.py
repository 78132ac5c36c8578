"""RBDL's adapter against closed forms and against the reference, through the binding that is installed.

What is passed to the official binding is compared with a stand-in, too, where it is not installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from every_joint import calls_of, chain, hold, mended, states

from implementations.engines.rbdl.adapter import RBDL, Biorbd, Official, binding
from implementations.engines.rbdl.evaluation import evaluation
from implementations.engines.rbdl.model import tree_of
from implementations.protocol import Failure, Implementation, Missing, Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation, random_mechanism
from mechanisms.joint import MOVING, Kind, Screw

KINDS = tuple(kind for kind in MOVING if kind != "helical")
OBLIQUE = (0.48, 0.6, 0.64)
CUBE = Inertia(2, ("0.1", "-0.2", "0.3"), ("0.3", "0.4", "0.5", "0.02", "0.03", "-0.01"))


@pytest.fixture
def rbdl() -> RBDL:
    try:
        assert RBDL().version
    except Missing as missing:
        pytest.skip(str(missing))
    return RBDL()


@pytest.fixture
def through_biorbd(monkeypatch: pytest.MonkeyPatch, rbdl: RBDL) -> RBDL:
    pytest.importorskip("biorbd")
    monkeypatch.setitem(sys.modules, "rbdl", None)
    return rbdl


def agree(rbdl: RBDL, mechanism: Mechanism, *left_out: str) -> None:
    """RBDL answers as the reference does, but for the quantities that are left out or not offered."""
    not_offered = ("kinetic_energy",) if binding()[0] is Official else ()
    hold(mended(rbdl, mechanism), mechanism, *left_out, *not_offered)


def tree(seed: int, armature: bool = True, free_base: bool = False) -> Mechanism:
    return random_mechanism(seed, 10, KINDS, free_base, armature=armature, tilted_gravity=True)


@pytest.mark.engines
def test_is_an_implementation_with_name_and_version(rbdl: RBDL) -> None:
    assert isinstance(rbdl, Implementation)
    assert rbdl.name == "rbdl"
    assert rbdl.version


@pytest.mark.engines
def test_biorbd_is_loaded_without_the_libraries_that_it_does_not_need_here(through_biorbd: RBDL) -> None:
    """They would cost every worker process most of a second. Code that imports the package afterwards gets all of it."""
    code = """
import sys
from implementations.engines.rbdl.adapter import RBDL
from implementations.engines.rbdl.adapter import binding
sys.modules["rbdl"] = None
version = RBDL().version
assert not {"biorbd", "scipy", "matplotlib"} & set(sys.modules), sorted(sys.modules)
import biorbd
assert biorbd.__version__ in version and biorbd.to_casadi_func and binding()[1] is biorbd
assert RBDL().version == version
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.engines
def test_pendulum_closed_form(rbdl: RBDL) -> None:
    """About −y, so that the frame must be turned: with the bob along −z at rest, positive q swings it towards +x."""
    m, length, I, damping, armature = 1.5, 0.7, 0.2, 0.3, 0.4
    pivot = Joint("pivot", "revolute", (0, -1, 0), armature=armature, damping=damping)
    bob = Body("bob", "world", pivot, Inertia(m, (0, 0, -length), (I, I, I, 0, 0, 0)))
    dynamics = mended(rbdl, Mechanism("pendulum", (bob,), gravity=(3, 0, -9)))
    q, v, a = np.array([[0.4], [-2.0]]), np.array([[1.5], [0.5]]), np.array([[2.0], [-3.0]])
    M = I + m * length**2 + armature
    g = m * length * (9 * np.sin(q) - 3 * np.cos(q))
    close: Any = {"rtol": 1e-13, "atol": 0}
    np.testing.assert_allclose(dynamics.mass_matrix(q), np.full((2, 1, 1), M), **close)
    np.testing.assert_allclose(dynamics.gravity(q), g, **close)
    np.testing.assert_allclose(dynamics.nonlinear_effects(q, v), g + damping * v, **close)
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a), M * a + g + damping * v, **close)
    if binding()[0] is Biorbd:
        np.testing.assert_allclose(dynamics.kinetic_energy(q, v), M * v[:, 0] ** 2 / 2, **close)
    np.testing.assert_allclose(dynamics.potential_energy(q), -m * length * (9 * np.cos(q) + 3 * np.sin(q))[:, 0], **close)


@pytest.mark.engines
def test_free_body_obeys_euler_and_newton_in_its_own_frame(rbdl: RBDL) -> None:
    I = np.array([[0.3, 0.02, 0.03], [0.02, 0.4, -0.01], [0.03, -0.01, 0.5]])
    drifting = Mechanism(
        "drifting", (Body("b", "world", Joint("free", "free"), Inertia(2, (0, 0, 0), CUBE.about_com)),), (0, 0, 0)
    )
    dynamics = rbdl.load(drifting)
    q, v, a = states(drifting, 1)
    w, u, alpha, linear = v[0, :3], v[0, 3:], a[0, :3], a[0, 3:]
    h = np.concatenate([np.cross(w, I @ w), 2 * np.cross(w, u)])
    tau = h + np.concatenate([I @ alpha, 2 * linear])
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a)[0], tau, rtol=1e-12)
    np.testing.assert_allclose(dynamics.nonlinear_effects(q, v)[0], h, rtol=1e-12)
    np.testing.assert_allclose(dynamics.forward_dynamics(q, v, tau[None]), a, rtol=1e-11)
    expected = np.block([[I, np.zeros((3, 3))], [np.zeros((3, 3)), 2 * np.eye(3)]])
    np.testing.assert_allclose(dynamics.mass_matrix(q)[0], expected, atol=1e-13)


@pytest.mark.nightly
@pytest.mark.engines
@pytest.mark.parametrize("kind", KINDS)
def test_every_joint_agrees_with_the_reference_alone_and_beside_every_other(rbdl: RBDL, kind: Kind) -> None:
    for seed in range(4):
        alone = chain(kind, seed=seed)
        agree(rbdl, alone, "forward_dynamics")
    for other in KINDS:
        for mechanism in (chain(kind, other, armature=False), chain(other, kind, armature=False, seed=1)):
            agree(rbdl, mechanism)


@pytest.mark.engines
@pytest.mark.parametrize("free_base", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_trees_of_every_joint_agree_with_the_reference(rbdl: RBDL, seed: int, free_base: bool) -> None:
    mechanism = tree(seed, armature=True, free_base=free_base)
    agree(rbdl, mechanism, "forward_dynamics")
    mechanism = tree(seed, armature=False, free_base=free_base)
    agree(rbdl, mechanism)


@pytest.mark.engines
def test_helical_joints_are_unsupported_through_biorbd_unless_they_do_not_advance(through_biorbd: RBDL) -> None:
    with pytest.raises(Unsupported, match="biorbd has no helical joint"):
        through_biorbd.load(chain("revolute", "helical"))
    flat = Mechanism("flat", (Body("body", "world", Joint("joint", "helical", OBLIQUE), CUBE),))
    agree(through_biorbd, flat)


@pytest.mark.engines
def test_answers_do_not_depend_on_what_was_asked_before(rbdl: RBDL) -> None:
    """RBDL keeps kinematics between calls; none may be stale."""
    mechanism = tree(5, armature=False)
    q, v, a = states(mechanism)
    used = rbdl.load(mechanism)
    used.inverse_dynamics(q[::-1], a, v)
    for quantity, arguments in {"mass_matrix": (q,), "potential_energy": (q,), "center_of_mass": (q,), "gravity": (q,)}.items():
        used.forward_dynamics(q[::-1], a, v)
        np.testing.assert_array_equal(getattr(used, quantity)(*arguments), getattr(rbdl.load(mechanism), quantity)(*arguments))


@pytest.mark.engines
def test_kinetic_energy_is_half_v_M_v_with_armature(through_biorbd: RBDL) -> None:
    mechanism = tree(11)
    q, v, _ = states(mechanism)
    dynamics = through_biorbd.load(mechanism)
    np.testing.assert_allclose(dynamics.kinetic_energy(q, v), np.einsum("bi,bij,bj->b", v, dynamics.mass_matrix(q), v) / 2)


@pytest.mark.engines
def test_forward_dynamics_with_armature_is_unsupported_and_names_the_joint(rbdl: RBDL) -> None:
    mechanism = Mechanism("one", (Body("body", "world", Joint("geared", "revolute", armature=1), CUBE),))
    with pytest.raises(Unsupported, match="'geared'"):
        rbdl.load(mechanism).forward_dynamics(*states(mechanism))


@pytest.mark.engines
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("spherical", "free")])
def test_biorbds_inverse_of_the_mass_matrix_agrees(through_biorbd: RBDL, kind: Kind) -> None:
    mechanism = chain(kind, "revolute", "universal", armature=False)
    q, _, _ = states(mechanism)
    got, expected = (x.load(mechanism).forward_dynamics_dtau(q) for x in (through_biorbd, REFERENCE))
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-11 * abs(expected).max())


@pytest.mark.slow
@pytest.mark.engines
def test_biorbds_inverse_of_the_mass_matrix_is_still_wrong_with_a_quaternion(through_biorbd: RBDL) -> None:
    """Once it does not, there is no reason any more to call it unsupported."""
    mechanism = chain("spherical", "revolute", armature=False)
    dynamics, (q, _, _) = through_biorbd.load(mechanism), states(mechanism, batch=1)
    with pytest.raises(Unsupported, match="'joint0'"):
        dynamics.forward_dynamics_dtau(q)
    page = (Path(__file__).parents[2] / "docs/findings/biorbd-mass-matrix-inverse-quaternion.md").read_text("utf-8")
    script = re.search(r"```python\n(.*?)```", page, re.S)[1]  # type: ignore[index]
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    angles, _, quaternion = done.stdout.removeprefix("three angles:\n").partition("quaternion:\n")
    assert len(angles.splitlines()) == 4 and quaternion != angles


@pytest.mark.engines
def test_what_biorbd_sizes_by_q_is_cut_only_where_it_is_zero(through_biorbd: RBDL, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = chain("free", "spherical", armature=False)
    dynamics, (q, _, _) = through_biorbd.load(mechanism), states(mechanism, batch=1)
    M = np.zeros((mechanism.nq, mechanism.nq))
    M[: mechanism.nv, : mechanism.nv] = dynamics.mass_matrix(q)[0]
    monkeypatch.setattr(calls_of(dynamics), "model", SimpleNamespace(massMatrix=lambda q: SimpleNamespace(to_array=lambda: M)))
    dynamics.mass_matrix(q)
    for row, column in ((mechanism.nv, 0), (0, mechanism.nq - 1), (-1, -1)):
        M[row, column] = 1e-300
        with pytest.raises(Failure, match="an entry other than zero beyond the number of velocities"):
            dynamics.mass_matrix(q)
        M[row, column] = 0


@pytest.mark.engines
def test_names_never_reach_the_engine_and_nothing_is_left_behind(
    rbdl: RBDL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    nasty = "root\nendsegment // 'ü' segment0"
    mechanism = Mechanism(
        "m\nsegment", (Body(nasty, "world", Joint(nasty, "revolute"), CUBE), Body("root", nasty, Joint("", "revolute"), CUBE))
    )
    rbdl.load(mechanism).mass_matrix(np.zeros((1, 2)))
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr() == ("", "")


@pytest.mark.engines
def test_massless_bodies_and_empty_batches(rbdl: RBDL) -> None:
    gimbal = Mechanism(
        "gimbal",
        (Body("ring", "world", Joint("outer", "revolute", (1, 0, 0))), Body("rotor", "ring", Joint("inner", "revolute"), CUBE)),
    )
    dynamics = rbdl.load(gimbal)
    q, v, a = states(gimbal)
    np.testing.assert_allclose(dynamics.forward_dynamics(q, v, dynamics.inverse_dynamics(q, v, a)), a, rtol=1e-11)
    none = np.empty((0, 2))
    assert dynamics.inverse_dynamics(none, none, none).shape == (0, 2)
    assert dynamics.mass_matrix(none).shape == (0, 2, 2)


@pytest.mark.slow
@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 1, 0), (0, 0, -1), (-1, 0, 0), OBLIQUE])
@pytest.mark.parametrize("through", [Biorbd, Official])
@pytest.mark.parametrize("kind", MOVING)
def test_segments_move_as_the_joint_does_exactly(
    kind: Kind, through: type[Biorbd] | type[Official], axis: tuple[float, ...]
) -> None:
    place = Placement(Rotation(1, 2, 3, 4), (1, 2, 3))
    skew: Any = {"helical": {"pitch": "0.1"}, "universal": {"second_axis": (0, "0.6", "-0.8")}}.get(kind, {})
    joint = Joint("joint", kind, axis, place, **skew)
    next_joint = Joint("next", "free", placement=place)
    two = Mechanism("two", (Body("body", "world", joint, CUBE), Body("next", "body", next_joint, CUBE)))
    (*own, child), _ = tree_of(two, through)
    at = place.inverse()
    screws: list[Screw] = []
    for i, segment in enumerate(own):
        assert segment.parent == i - 1
        at = at @ segment.placement
        if isinstance(segment.motion, tuple):
            screws += [screw._replace(axis=at.rotation(screw.axis)) for screw in segment.motion]
            assert through.composes or all(sorted(map(abs, screw.axis)) == [0, 0, 1] for screw in segment.motion)
        else:
            assert segment.motion == kind
            assert tuple(zip(*at.rotation.matrix, strict=True)) == joint.triad
    if kind not in through.native:
        assert tuple(screws) == (joint.screws if kind != "planar" else joint.screws[1:] + joint.screws[:1])
    assert child.parent == len(own) - 1
    assert (at @ child.placement)((0, 0, 0)) == place((0, 0, 0))
    assert at.translation == (0, 0, 0)
    assert own[-1].inertia == CUBE.placed(at.inverse())
    assert all(segment.inertia.is_massless for segment in own[:-1])


class StandIn(SimpleNamespace):
    """The official binding's names, as RBDL's wrapper defines them; records what is built, answers recognisably."""

    def __init__(self) -> None:
        added: list[tuple] = []

        def add(*body: Any) -> int:
            parent, X, joint, inertia = body
            added.append((parent, X.E, X.r, joint, inertia))
            return 10 * len(added)

        model = SimpleNamespace(q_size=8, qdot_size=7, AddBody=add)
        super().__init__(
            added=added,
            model=model,
            Model=lambda: model,
            SpatialTransform=SimpleNamespace,
            Body=SimpleNamespace(fromMassComInertia=lambda *what: what),
            Joint=SimpleNamespace(fromJointType=str, fromJointAxes=lambda axes: [*map(tuple, axes)]),
            NonlinearEffects=lambda model, q, v, h: h.fill(1),
            InverseDynamics=lambda model, q, v, a, tau, forces=None: tau.__iadd__(a),
            ForwardDynamics=lambda model, q, v, tau, a: a.__iadd__(tau),
            CompositeRigidBodyAlgorithm=lambda model, q, M: np.fill_diagonal(M, 2),
            CalcCenterOfMass=lambda model, q, v, com: com.__iadd__([0, 0, 2]) is None or 3.0,
        )


def test_official_binding_is_preferred_and_builds_the_same_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = StandIn()
    monkeypatch.setitem(sys.modules, "rbdl", engine)
    quarter = Placement(Rotation(1, 0, 0, 1), (1, 2, 3))
    mechanism = Mechanism(
        "tree",
        (
            Body("base", "world", Joint("free", "free"), CUBE),
            Body("slide", "base", Joint("rail", "prismatic", (0, 1, 0), quarter), CUBE),
        ),
    )
    assert RBDL().version == "unknown"
    dynamics = RBDL().load(mechanism)
    (_, _, _, floating, _), (parent, E, r, rail, body) = engine.added
    assert (floating, parent, rail) == ("JointTypeFloatingBase", 10, [(0, 0, 0, 0, 1, 0)])
    # E takes the parent's coordinates to the child's.
    np.testing.assert_array_equal(E @ [0, 1, 0], [1, 0, 0])
    np.testing.assert_array_equal(r, [1, 2, 3])
    np.testing.assert_array_equal(body[2], np.array(CUBE.matrix, dtype=float))
    np.testing.assert_array_equal(engine.model.gravity, [0, 0, -9.81])
    q = np.array([[1, 2, 3, 0, 0, 0, 1, 0.5]])
    x = np.arange(7.0)[None]
    np.testing.assert_array_equal(dynamics.inverse_dynamics(q, 0 * x, x), x)
    np.testing.assert_array_equal(dynamics.forward_dynamics(q, 0 * x, x), x)
    np.testing.assert_array_equal(dynamics.mass_matrix(q), 2 * np.eye(7)[None])
    np.testing.assert_array_equal(dynamics.gravity(q), np.ones((1, 7)))
    np.testing.assert_allclose(dynamics.potential_energy(q), [3 * 2 * 9.81])
    with pytest.raises(Unsupported, match="kinetic energy"):
        dynamics.kinetic_energy(q, x)


def test_a_program_for_the_official_binding_makes_the_calls_of_the_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    built, run = StandIn(), StandIn()
    mechanism = Mechanism("one", (Body("base", "world", Joint("free", "free"), CUBE),))
    monkeypatch.setitem(sys.modules, "rbdl", built)
    RBDL().load(mechanism)
    x = np.arange(6.0)
    state = {"q": np.array([1.0, 2, 3, 0, 0, 0, 1]), "v": 0 * x, "a": x}
    program = evaluation(mechanism, "inverse_dynamics", state, x, "3.3.1")
    monkeypatch.setitem(sys.modules, "rbdl", run)
    names: dict[str, Any] = {}
    exec("\n".join(program.lines), names)
    np.testing.assert_array_equal(names["got"], [3, 4, 5, 0, 1, 2])
    np.testing.assert_array_equal(program.expected, names["got"])
    np.testing.assert_array_equal(run.model.gravity, built.model.gravity)
    for ours, theirs in zip(run.added, built.added, strict=True):
        assert repr(ours) == repr(theirs)


TURN = {"x": (1, 0, 0, 0, 0, 0), "y": (0, 1, 0, 0, 0, 0), "z": (0, 0, 1, 0, 0, 0)}
SLIDE = {"x": (0, 0, 0, 1, 0, 0), "y": (0, 0, 0, 0, 1, 0), "z": (0, 0, 0, 0, 0, 1)}


@pytest.mark.parametrize(
    ("kind", "joint"),
    [
        ("revolute", [TURN["z"]]),
        ("continuous", [TURN["z"]]),
        ("prismatic", [SLIDE["z"]]),
        ("helical", [(0, 0, 1, 0, 0, 0.1)]),
        ("cylindrical", [TURN["z"], SLIDE["z"]]),
        ("universal", [TURN["z"], TURN["x"]]),
        ("translation", "JointTypeTranslationXYZ"),
        ("euler-xyz", "JointTypeEulerXYZ"),
        ("euler-yxz", "JointTypeEulerYXZ"),
        ("euler-zxy", [TURN["z"], TURN["x"], TURN["y"]]),
        ("euler-zyx", "JointTypeEulerZYX"),
        ("spherical", "JointTypeSpherical"),
        ("planar", [SLIDE["x"], SLIDE["y"], TURN["z"]]),
        ("free", "JointTypeFloatingBase"),
    ],
)
def test_official_binding_gets_one_joint_of_its_own_for_every_kind(
    monkeypatch: pytest.MonkeyPatch, kind: Kind, joint: object
) -> None:
    engine = StandIn()
    monkeypatch.setitem(sys.modules, "rbdl", engine)
    ours = Joint("joint", kind, (0, 0, 1), pitch="0.1" if kind == "helical" else 0)
    RBDL().load(Mechanism("one", (Body("body", "world", ours, CUBE),)))
    assert [(added[0], added[3], added[4][0]) for added in engine.added] == [(0, joint, 2)]
