"""RBDL's adapter against closed forms, against Pinocchio on random trees, and its second binding against a stand-in."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from implementations.protocol import Implementation, Missing, Unsupported
from implementations.rbdl import RBDL
from implementations.rbdl_bindings import segments
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation

KINDS = ("revolute", "prismatic", "free")
CUBE = Inertia(2, ("0.1", "-0.2", "0.3"), ("0.3", "0.4", "0.5", "0.02", "0.03", "-0.01"))


@pytest.fixture
def rbdl() -> RBDL:
    try:
        assert RBDL().version
    except Missing as missing:
        pytest.skip(str(missing))
    return RBDL()


def random_tree(rng: np.random.Generator, kinds: tuple[str, ...] = KINDS, armature: float = 0.0) -> Mechanism:
    bodies = []
    for i in range(int(rng.integers(1, 9))):
        kind = str(rng.choice(kinds))
        axis = rng.normal(size=3)
        axis = axis / np.linalg.norm(axis) if rng.random() < 0.5 else np.eye(3)[rng.integers(3)] * rng.choice([1, -1])
        place = Placement(Rotation(*rng.normal(size=4)), tuple(rng.normal(size=3)))
        spread = np.cov(rng.normal(size=(3, 9)))
        I = np.trace(spread) * np.eye(3) - spread
        inertia = Inertia(rng.uniform(1, 3), tuple(rng.normal(size=3)), (*np.diag(I), I[0, 1], I[0, 2], I[1, 2]))
        extra = {} if kind == "free" else {"damping": rng.uniform(), "armature": armature * rng.uniform()}
        parent = f"body {rng.integers(i)}" if i and rng.random() < 0.8 else "world"
        bodies.append(Body(f"body {i}", parent, Joint(f"joint {i}", kind, tuple(axis), place, **extra), inertia))
    return Mechanism("random", tuple(bodies), gravity=tuple(rng.normal(size=3) * 5))


def states(rng: np.random.Generator, mechanism: Mechanism, batch: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q = rng.uniform(-3, 3, size=(batch, mechanism.nq))
    for at in mechanism.q_slices:
        if at.stop - at.start == 7:
            q[:, at.stop - 4 : at.stop] /= np.linalg.norm(q[:, at.stop - 4 : at.stop], axis=1, keepdims=True)
    return q, rng.normal(size=(batch, mechanism.nv)), rng.normal(size=(batch, mechanism.nv))


def test_is_an_implementation_with_name_and_version(rbdl: RBDL) -> None:
    assert isinstance(rbdl, Implementation)
    assert rbdl.name == "rbdl"
    assert rbdl.version


def test_absent_engine_is_missing_with_install_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("rbdl", "biorbd"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(Missing, match=r'pip install "dalembert\[rbdl\]"'):
        RBDL().load(random_tree(np.random.default_rng(0)))


def test_pendulum_closed_form(rbdl: RBDL) -> None:
    """About −y, so that the frame must be turned: with the bob along −z at rest, positive q swings it towards +x."""
    m, length, I, damping, armature = 1.5, 0.7, 0.2, 0.3, 0.4
    pivot = Joint("pivot", "revolute", (0, -1, 0), armature=armature, damping=damping)
    dynamics = rbdl.load(
        Mechanism("pendulum", (Body("bob", "world", pivot, Inertia(m, (0, 0, -length), (I, I, I, 0, 0, 0))),), gravity=(3, 0, -9))
    )
    q, v, a = np.array([[0.4], [-2.0]]), np.array([[1.5], [0.5]]), np.array([[2.0], [-3.0]])
    M = I + m * length**2 + armature
    g = m * length * (9 * np.sin(q) - 3 * np.cos(q))
    close = {"rtol": 1e-13, "atol": 0}
    np.testing.assert_allclose(dynamics.mass_matrix(q), np.full((2, 1, 1), M), **close)
    np.testing.assert_allclose(dynamics.gravity(q), g, **close)
    np.testing.assert_allclose(dynamics.nonlinear_effects(q, v), g + damping * v, **close)
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a), M * a + g + damping * v, **close)
    np.testing.assert_allclose(dynamics.kinetic_energy(q, v), M * v[:, 0] ** 2 / 2, **close)
    np.testing.assert_allclose(dynamics.potential_energy(q), -m * length * (9 * np.cos(q) + 3 * np.sin(q))[:, 0], **close)


def test_free_body_obeys_euler_and_newton_in_its_own_frame(rbdl: RBDL) -> None:
    I = np.array([[0.3, 0.02, 0.03], [0.02, 0.4, -0.01], [0.03, -0.01, 0.5]])
    drifting = Mechanism(
        "drifting", (Body("b", "world", Joint("free", "free"), Inertia(2, (0, 0, 0), CUBE.about_com)),), (0, 0, 0)
    )
    dynamics = rbdl.load(drifting)
    q, v, a = states(np.random.default_rng(3), drifting, 1)
    w, u, alpha, linear = v[0, :3], v[0, 3:], a[0, :3], a[0, 3:]
    h = np.concatenate([np.cross(w, I @ w), 2 * np.cross(w, u)])
    tau = h + np.concatenate([I @ alpha, 2 * linear])
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a)[0], tau, rtol=1e-12)
    np.testing.assert_allclose(dynamics.nonlinear_effects(q, v)[0], h, rtol=1e-12)
    np.testing.assert_allclose(dynamics.forward_dynamics(q, v, tau[None]), a, rtol=1e-11)
    expected = np.block([[I, np.zeros((3, 3))], [np.zeros((3, 3)), 2 * np.eye(3)]])
    np.testing.assert_allclose(dynamics.mass_matrix(q)[0], expected, atol=1e-13)


@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_pinocchio_on_random_trees(rbdl: RBDL, seed: int) -> None:
    pytest.importorskip("pinocchio")
    from implementations.pinocchio import Pinocchio

    rng = np.random.default_rng(seed)
    mechanism = random_tree(rng, KINDS if seed % 2 else KINDS[:2], armature=seed % 3)
    q, v, a = states(rng, mechanism)
    ours, theirs = rbdl.load(mechanism), Pinocchio().load(mechanism)
    calls = {
        "inverse_dynamics": (q, v, a),
        "mass_matrix": (q,),
        "nonlinear_effects": (q, v),
        "gravity": (q,),
        "potential_energy": (q,),
    }
    if seed % 3 == 0:
        # Only without armature: RBDL's forward dynamics has none, and Pinocchio's kinetic energy drops some.
        calls |= {"forward_dynamics": (q, v, a), "kinetic_energy": (q, v)}
    for quantity, arguments in calls.items():
        expected = getattr(theirs, quantity)(*arguments)
        np.testing.assert_allclose(
            getattr(ours, quantity)(*arguments), expected, rtol=0, atol=1e-12 * abs(expected).max(), err_msg=quantity
        )


def test_answers_do_not_depend_on_what_was_asked_before(rbdl: RBDL) -> None:
    """RBDL keeps kinematics between calls; none may be stale."""
    rng = np.random.default_rng(5)
    mechanism = random_tree(rng)
    q, v, a = states(rng, mechanism)
    used = rbdl.load(mechanism)
    used.inverse_dynamics(q[::-1], a, v)
    for quantity, arguments in {"mass_matrix": (q,), "potential_energy": (q,), "kinetic_energy": (q, v), "gravity": (q,)}.items():
        used.forward_dynamics(q[::-1], a, v)
        np.testing.assert_array_equal(getattr(used, quantity)(*arguments), getattr(rbdl.load(mechanism), quantity)(*arguments))


def test_kinetic_energy_is_half_v_M_v_with_armature(rbdl: RBDL) -> None:
    rng = np.random.default_rng(11)
    mechanism = random_tree(rng, armature=2)
    q, v, _ = states(rng, mechanism)
    dynamics = rbdl.load(mechanism)
    np.testing.assert_allclose(dynamics.kinetic_energy(q, v), np.einsum("bi,bij,bj->b", v, dynamics.mass_matrix(q), v) / 2)


def test_forward_dynamics_with_armature_is_unsupported_and_names_the_joint(rbdl: RBDL) -> None:
    mechanism = Mechanism("one", (Body("body", "world", Joint("geared", "revolute", armature=1), CUBE),))
    with pytest.raises(Unsupported, match="'geared'"):
        rbdl.load(mechanism).forward_dynamics(*states(np.random.default_rng(0), mechanism))


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


def test_massless_bodies_and_empty_batches(rbdl: RBDL) -> None:
    gimbal = Mechanism(
        "gimbal",
        (Body("ring", "world", Joint("outer", "revolute", (1, 0, 0))), Body("rotor", "ring", Joint("inner", "revolute"), CUBE)),
    )
    dynamics = rbdl.load(gimbal)
    q, v, a = states(np.random.default_rng(0), gimbal)
    np.testing.assert_allclose(dynamics.forward_dynamics(q, v, dynamics.inverse_dynamics(q, v, a)), a, rtol=1e-11)
    none = np.empty((0, 2))
    assert dynamics.inverse_dynamics(none, none, none).shape == (0, 2)
    assert dynamics.mass_matrix(none).shape == (0, 2, 2)


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 1, 0), (0, 0, -1), (-1, 0, 0), (0.48, 0.6, 0.64)])
def test_turned_frame_has_the_axis_as_a_principal_one_exactly(axis: tuple[float, ...]) -> None:
    place = Placement(Rotation(1, 2, 3, 4), (1, 2, 3))
    joint = Joint("joint", "revolute", axis, place)
    segment, child = segments(
        Mechanism(
            "two", (Body("body", "world", joint, CUBE), Body("next", "body", Joint("fixed point", "free", placement=place)))
        )
    )
    unit = tuple(int(letter == segment.letter) for letter in "xyz")
    assert segment.placement.rotation(unit) == place.rotation(joint.axis)
    assert segment.placement.translation == place.translation
    assert segment.placement(segment.inertia.com) == place(CUBE.com)
    assert (segment.placement @ child.placement)((0, 0, 0)) == (place @ place)((0, 0, 0))


class StandIn(SimpleNamespace):
    """The official binding's names, as RBDL's wrapper defines them; records what is built, answers recognisably."""

    def __init__(self) -> None:
        added: list[tuple] = []
        model = SimpleNamespace(
            qdot_size=7, AddBody=lambda parent, X, joint, body: added.append((parent, X.E, X.r, joint, body)) or 10 * len(added)
        )
        super().__init__(
            added=added,
            model=model,
            __version__="3.3.1",
            Model=lambda: model,
            SpatialTransform=SimpleNamespace,
            Body=SimpleNamespace(fromMassComInertia=lambda *what: what),
            Joint=SimpleNamespace(fromJointType=str, fromJointAxes=lambda axes: tuple(axes[0])),
            NonlinearEffects=lambda model, q, v, h: h.fill(1),
            InverseDynamics=lambda model, q, v, a, tau: tau.__iadd__(a),
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
    assert RBDL().version == "3.3.1"
    dynamics = RBDL().load(mechanism)
    (_, _, _, floating, _), (parent, E, r, rail, body) = engine.added
    assert (floating, parent, rail) == ("JointTypeFloatingBase", 10, (0, 0, 0, 0, 1, 0))
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
