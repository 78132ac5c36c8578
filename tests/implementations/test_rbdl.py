"""RBDL's adapter against closed forms and against the reference, through the binding that is installed.

What is passed to the official binding is compared with a stand-in, too, where it is not installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from every_joint import agreeing, calls_of, chain, mended, states

from implementations.engines.rbdl.adapter import RBDL, Biorbd, Official, binding
from implementations.engines.rbdl.evaluation import evaluation
from implementations.engines.rbdl.model import tree_of
from implementations.protocol import Failure, Missing, Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation
from mechanisms.joint import MOVING, Kind, Screw
from mechanisms.library.extended import framed
from mechanisms.quantities import QUANTITIES

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
def test_helical_joints_are_unsupported_through_biorbd_unless_they_do_not_advance(through_biorbd: RBDL) -> None:
    with pytest.raises(Unsupported, match="biorbd has no helical joint"):
        through_biorbd.load(chain("revolute", "helical"))
    flat = Mechanism("flat", (Body("body", "world", Joint("joint", "helical", OBLIQUE), CUBE),))
    agreeing(mended(through_biorbd, flat), flat)


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
@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_biorbd_still_puts_forces_on_other_bodies_behind_a_quaternion(through_biorbd: RBDL, kind: Kind) -> None:
    """Once it does not, there is no reason any more to call them unsupported."""
    ball = Inertia(1, (0, 0, 0), (1, 1, 1, 0, 0, 0))
    bodies = (Body("base", "world", Joint("ball", kind), ball), Body("arm", "base", Joint("hinge", "revolute"), ball))
    mechanism = Mechanism("arm on a ball", bodies, gravity=(0, 0, 0))
    dynamics = through_biorbd.load(mechanism)
    q, v, a = states(mechanism, batch=1)
    f = np.zeros((1, 2, 6))
    f[0, 1] = 1, 2, 3, 4, 5, 6
    with pytest.raises(Unsupported, match="quaternion, as in 'ball'"):
        dynamics.inverse_dynamics_with_forces(q, v, a, f)
    model, biorbd = calls_of(dynamics).model, binding()[1]
    still = np.zeros(mechanism.nv)
    forces = model.externalForceSet()
    forces.addInSegmentReferenceFrame(biorbd.String("segment1"), biorbd.SpatialVector(*f[0, 1]), biorbd.Vector3d(0, 0, 0))
    # RBDL has the scalar part at the end of q.
    there = np.array([*q[0, : mechanism.nv - 1], q[0, -1], q[0, mechanism.nv - 1]])
    assert not model.InverseDynamics(there, still, still, forces).to_array()[-1], "the hinge does not feel it"
    assert REFERENCE.load(mechanism).inverse_dynamics_with_forces(q, 0 * v, 0 * a, f)[0, -1] == pytest.approx(-3)


@pytest.mark.engines
def test_frames_are_offered_if_all_are_on_bodies(through_biorbd: RBDL) -> None:
    """A frame on the root is no point of a body."""
    arm = framed(chain("revolute", "prismatic", armature=False))
    names = [name for name in QUANTITIES if name.startswith("frame_")]
    assert not agreeing(through_biorbd.load(arm), arm, names)
    on_bodies = replace(arm, frames=tuple(frame for frame in arm.frames if frame.body >= 0))
    assert "frame_velocities_aligned" in agreeing(through_biorbd.load(on_bodies), on_bodies, names)


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
        ("prismatic", [SLIDE["z"]]),
        ("helical", [(0, 0, 1, 0, 0, 0.1)]),
        ("cylindrical", [TURN["z"], SLIDE["z"]]),
        ("universal", [TURN["z"], TURN["x"]]),
        ("translation", "JointTypeTranslationXYZ"),
        ("euler-xyz", "JointTypeEulerXYZ"),
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
