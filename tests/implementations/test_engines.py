"""All engines, through their adapters: against the reference on every kind of joint, and what they refuse.

What is particular to one engine has a file of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from every_joint import agreeing, chain, mended, states

from implementations.engines.adam.adapter import Adam, AdamTorch
from implementations.engines.dart.adapter import DART
from implementations.engines.declared import ENGINES
from implementations.engines.drake.adapter import Drake
from implementations.engines.drake.adapter import engine as pydrake
from implementations.engines.idyntree.adapter import IDynTree
from implementations.engines.mujoco.adapter import MuJoCo
from implementations.engines.pinocchio.adapter import Pinocchio
from implementations.engines.pybullet.adapter import PyBullet
from implementations.engines.rbdl.adapter import RBDL
from implementations.protocol import Implementation, Missing, Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation, random_mechanism
from mechanisms.joint import MOVING, Kind
from mechanisms.joint_kinds import JOINT_KINDS
from mechanisms.library.extended import framed, on_free_base
from mechanisms.quantities import FRAMES, INTEGRATION, QUANTITIES, USUAL

pytestmark = pytest.mark.engines

CUBE = Inertia(2, ("0.1", "-0.2", "0.3"), ("0.3", "0.4", "0.5", "0.02", "0.03", "-0.01"))
NAMES = [name for name in QUANTITIES if name not in INTEGRATION]
INITIALS = {frame[0]: f"_{frame}" for frame in FRAMES}


def expanded(text: str) -> set[str]:
    """Names of quantities. "drifts:lw" are the drifts in the frames local and world; "*" adds the same quantities of frames."""
    names: set[str] = set()
    for word in text.split():
        family, _, frames = word.lstrip("*").partition(":")
        each = {family + INITIALS[letter] for letter in frames} or {family}
        names |= each | ({f"frame_{name}" for name in each} if word.startswith("*") else set())
    return names


class About(NamedTuple):
    """What an engine offers for a chain of hinges with frames, the kinds that it lacks, and what it loses with some kinds."""

    offered: str
    lacks: Collection[Kind] = ()
    lost: tuple[tuple[Collection[Kind], str], ...] = ()


HELICES: Collection[Kind] = [kind for kind in MOVING if JOINT_KINDS[kind].takes_pitch]
TURNING: Collection[Kind] = ("free", "planar")
BALLS: Collection[Kind] = ("free", "spherical")
DYNAMICS = "inverse_dynamics inverse_dynamics_with_forces mass_matrix nonlinear_effects gravity "
ENERGY = "forward_dynamics forward_dynamics_dtau kinetic_energy potential_energy "
MASS = "center_of_mass center_of_mass_velocity center_of_mass_jacobian centroidal_momentum "
BY_Q = "inverse_dynamics_dq forward_dynamics_dq gravity_dq centroidal_momentum_dq *velocities_dq:law *jacobians_dq:law "
BY_Q += "classical_accelerations_dq classical_accelerations_dv "
ADAMS = About(
    "mass_matrix nonlinear_effects gravity placements jacobians:law drifts:law center_of_mass center_of_mass_jacobian "
    "centroidal_momentum_matrix",
    [kind for kind in MOVING if kind not in ("revolute", "continuous")],
)
OF_ALL = {
    "adam": ADAMS,
    "adam-torch": ADAMS,
    "dart": About(
        DYNAMICS + ENERGY + MASS + "center_of_mass_acceleration *placements *jacobians:la jacobians:w *velocities:law drifts:law "
        "*accelerations:law *classical_accelerations"
    ),
    "drake": About(
        DYNAMICS + ENERGY + MASS + BY_Q + "center_of_mass_acceleration *placements *jacobians:law *velocities:law drifts:a "
        "*classical_accelerations joint_torque_regressor inverse_dynamics_dv forward_dynamics_dv",
        (),
        ((("spherical", *TURNING), BY_Q), (TURNING, "inverse_dynamics_dv forward_dynamics_dv")),
    ),
    "idyntree": About(
        DYNAMICS + MASS + "center_of_mass_acceleration centroidal_momentum_matrix *placements *jacobians:law *velocities:law "
        "drifts:law *accelerations:lw *classical_accelerations coriolis_matrix joint_torque_regressor",
        HELICES,
        ((TURNING, "coriolis_matrix"),),
    ),
    "mujoco": About(
        DYNAMICS + ENERGY + MASS + "centroidal_momentum_matrix *placements *jacobians:a jacobians:w *velocities:la velocities:w "
        "drifts:a accelerations:law *classical_accelerations inverse_dynamics_dv",
        HELICES,
        ((TURNING, "inverse_dynamics_dv"),),
    ),
    "pinocchio": About(" ".join(NAMES)),
    "pybullet": About("inverse_dynamics mass_matrix nonlinear_effects gravity jacobians:a", (*HELICES, "spherical", "free")),
    "rbdl": About(
        DYNAMICS + ENERGY + MASS + "center_of_mass_acceleration placements velocities:a",
        HELICES,
        (
            (
                BALLS,
                "inverse_dynamics_with_forces forward_dynamics_dtau center_of_mass_velocity center_of_mass_acceleration "
                "center_of_mass_jacobian centroidal_momentum",
            ),
        ),
    ),
}


ADAPTERS = {adapter.name: adapter for adapter in (Adam, AdamTorch, DART, Drake, IDynTree, MuJoCo, Pinocchio, PyBullet, RBDL)}


@cache
def engine(name: str) -> Any:
    return ADAPTERS[name]()


@pytest.fixture(params=OF_ALL)
def name(request: pytest.FixtureRequest) -> str:
    """The name of an engine that is installed; of RBDL's bindings, biorbd."""
    try:
        version = str(engine(request.param).version)
    except Missing as missing:
        pytest.skip(str(missing))
    if request.param == "rbdl" and "biorbd" not in version:
        pytest.skip("test_rbdl_binding.py is about RBDL's own binding")
    return str(request.param)


def right(name: str, mechanism: Mechanism, names: Sequence[str] = USUAL) -> set[str]:
    """The quantities, of these, that the engine offers, which are all right but for its known faults."""
    return agreeing(mended(engine(name), mechanism), mechanism, names, batch=2)


def left(name: str, kinds: Collection[Kind], names: Sequence[str] = USUAL) -> set[str]:
    """The quantities, of these, that the engine should offer for a mechanism with these kinds of joints."""
    about = OF_ALL[name]
    lost = (words for some, words in about.lost if {*some} & {*kinds})
    return expanded(about.offered).intersection(names).difference(*map(expanded, lost))


def test_every_engine_is_here() -> None:
    """Other files of this folder are about the others, by their names."""
    in_arrays = {"adam-jax", "adam-torch-float32", "brax", "frax", "jaxsim", "mjx", "mujoco-warp", "newton"}
    others = {"sympy-kane", "sympy-lagrange", *in_arrays}
    assert {one.name for one in ENGINES} - {*OF_ALL} == others


def test_is_an_implementation_with_name_version_and_workarounds(name: str) -> None:
    assert isinstance(engine(name), Implementation)
    assert engine(name).name == name
    assert any(letter.isdigit() for letter in engine(name).version)
    assert all(len(phrase) < 200 for phrase in engine(name).workarounds) and engine(name).workarounds


@pytest.mark.slow
@pytest.mark.parametrize("kind", MOVING)
def test_every_joint_behind_a_hinge_and_behind_its_like(name: str, kind: Kind) -> None:
    if kind in OF_ALL[name].lacks:
        with pytest.raises(Unsupported, match=f"{kind}|free base"):
            engine(name).load(chain("revolute", kind))
        return
    mechanism = framed(chain("revolute", kind, kind, seed=1, armature=False))
    expected = left(name, ["revolute", kind], NAMES)
    if name == "rbdl":
        expected = {one for one in expected if not one.startswith("frame_")}
    assert right(name, mechanism, NAMES) == expected


@pytest.mark.parametrize("free_base", [False, True])
@pytest.mark.parametrize("armature", [False, True])
def test_trees_of_every_joint(name: str, free_base: bool, armature: bool) -> None:
    """Branches, in an order of bodies that no engine keeps, and gravity along no axis."""
    kinds = [kind for kind in MOVING if kind not in OF_ALL[name].lacks]
    if free_base and "free" in OF_ALL[name].lacks:
        return
    tree = random_mechanism(3, 14, kinds, free_base, armature=armature, tilted_gravity=True)
    own = {"forward_dynamics", "forward_dynamics_dtau"} if armature and name in ("dart", "rbdl") else set()
    assert right(name, tree) == left(name, kinds) - own


def test_a_damped_pendulum_with_armature_in_closed_form(name: str) -> None:
    m, length, I, damping, armature = 1.5, 0.7, 0.2, 3.0, 0.4
    bob = Inertia(m, (0, 0, -length), (I, I, I, 0, 0, 0))
    joint = Joint("pivot", "revolute", (0, -1, 0), armature=armature, damping=damping)
    pendulum = Mechanism("pendulum", (Body("bob", "world", joint, bob),), gravity=(3, 0, -9))
    dynamics = mended(engine(name), pendulum)
    q, v, a = np.array([[0.4], [-2.0]]), np.array([[1.5], [0.5]]), np.array([[2.0], [-3.0]])
    M, g = I + m * length**2 + armature, m * length * (9 * np.sin(q) - 3 * np.cos(q))
    tau = M * a + g + damping * v
    right = {
        "mass_matrix": ([q], np.full((2, 1, 1), M)),
        "gravity": ([q], g),
        "nonlinear_effects": ([q, v], g + damping * v),
        "inverse_dynamics": ([q, v, a], tau),
        "forward_dynamics": ([q, v, tau], a),
        "kinetic_energy": ([q, v], M * v[:, 0] ** 2 / 2),
        "potential_energy": ([q], -m * length * (9 * np.cos(q) + 3 * np.sin(q))[:, 0]),
    }
    for quantity in right.keys() & left(name, ["revolute"]):
        arguments, expected = right[quantity]
        if quantity == "forward_dynamics" and name in ("dart", "rbdl"):
            with pytest.raises(Unsupported, match=r"no armature, .*joint 'pivot' has"):
                dynamics.forward_dynamics(*arguments)
        else:
            np.testing.assert_allclose(getattr(dynamics, quantity)(*arguments), expected, rtol=1e-13, err_msg=quantity)
    assert right.keys() & left(name, ["revolute"]) <= agreeing(dynamics, pendulum, NAMES) | {"forward_dynamics"}


def test_a_free_joint_that_is_placed_or_behind_others(name: str) -> None:
    """Its velocity lies along other axes in some engines, and some have such joints on the root alone."""
    if "free" in OF_ALL[name].lacks:
        return
    place = Placement(Rotation(1, "0.2", "-0.3", "0.4"), ("0.5", "0.1", "-0.2"))
    arm = Body("arm", "world", Joint("hinge", "revolute", (0, 1, 0), place), CUBE)
    drone = Joint("flight", "free", placement=place)
    expected = left(name, ["free"])
    for bodies in (
        (Body("drone", "world", drone, CUBE),),
        (arm, Body("drone", "arm", drone, CUBE)),
        (Body("other", "world", Joint("free", "free"), CUBE), Body("drone", "world", drone, CUBE)),
    ):
        assert right(name, Mechanism("thrown", bodies)) == expected


@pytest.mark.parametrize("name", ["dart", "drake", "idyntree", "mujoco"], indirect=True)
def test_frames_on_a_free_base(name: str) -> None:
    """A model of iDynTree with a free base has no root to which a frame could be fixed; it has forward dynamics then."""
    mechanism = framed(on_free_base(chain("revolute", "prismatic", armature=False)))
    expected = left(name, ["revolute", "free"], NAMES)
    if name == "idyntree":
        expected = {one for one in expected if not one.startswith("frame_")} | {"forward_dynamics", "coriolis_matrix"}
    assert right(name, mechanism, NAMES) == expected


def test_bodies_without_mass_and_empty_batches(name: str) -> None:
    if name == "mujoco" or name.startswith("adam"):
        return
    ring = Body("ring", "world", Joint("outer", "revolute", (1, 0, 0)))
    gimbal = Mechanism("gimbal", (ring, Body("rotor", "ring", Joint("inner", "revolute"), CUBE)))
    assert right(name, gimbal) == left(name, ["revolute"])
    none = np.empty((0, 2))
    dynamics = engine(name).load(gimbal)
    assert dynamics.inverse_dynamics(none, none, none).shape == (0, 2)
    assert dynamics.mass_matrix(none).shape == (0, 2, 2)
    rotor = engine(name).load(Mechanism("rotor", (ring,)))
    for quantity in {"center_of_mass", "center_of_mass_jacobian"} & left(name, ["revolute"]):
        with pytest.raises(Unsupported, match="no centre of mass"):
            getattr(rotor, quantity)(np.zeros((1, 1)))


def test_answers_depend_on_the_arguments_alone_and_stay(name: str) -> None:
    """Engines keep states, forces on bodies and kinematics between calls."""
    kinds: list[Kind] = [kind for kind in ("revolute", "spherical", "planar", "prismatic") if kind not in OF_ALL[name].lacks]
    mechanism = framed(chain(*kinds, armature=False)) if name != "rbdl" else chain(*kinds, armature=False)
    q, v, a = states(mechanism, batch=2)
    state = {"q": q, "v": v, "a": a, "tau": a, "f": np.full((len(q), len(mechanism.bodies), 6), 10.0)}
    used, kept = engine(name).load(mechanism), []
    for quantity in sorted(left(name, kinds, NAMES)):
        if mechanism.frames or not quantity.startswith("frame_"):
            arguments = [state[argument] for argument in QUANTITIES[quantity].arguments]
            expected = getattr(engine(name).load(mechanism), quantity)(*arguments)
            for other in {"inverse_dynamics_with_forces", "forward_dynamics", "joint_torque_regressor"} & left(name, kinds):
                getattr(used, other)(q[::-1], 2 * v, a, *([state["f"]] if "forces" in other else []))
            kept.append((quantity, getattr(used, quantity)(*arguments), expected))
    for quantity, answer, expected in kept:
        np.testing.assert_array_equal(answer, expected, err_msg=quantity)


def at_root(kind: Kind, axis: Any, inertia: Inertia = CUBE, **more: Any) -> Mechanism:
    return Mechanism(kind, (Body("body", "world", Joint("joint", kind, axis, **more), inertia),), physical=False)


AXES = ((0, 0, -1), (0, 0, 1), (0.6, 0, -0.8), (0, 1, 0))
PLATE, DUST = Inertia(2, (0, "0.1", 0), (1, 1, 3, 0, 0, 0)), Inertia("0.526", (0, 0, "0.03"), (*2 * (-(2.0**-64),), 0, 0, 0, 0))


@pytest.mark.parametrize(
    ("name", "mechanisms"),
    [
        ("dart", [at_root(kind, axis) for kind in ("planar", "universal") for axis in AXES]),
        ("drake", [at_root(kind, axis) for kind in ("planar", "translation", "euler-yxz", "universal") for axis in AXES]),
        ("pinocchio", [at_root("universal", axis) for axis in (*AXES, (0.48, 0.6, 0.64))]),
        ("drake", [at_root("revolute", (0, 1, 0), PLATE)]),
        ("pinocchio", [at_root("revolute", (1, 0, 0), DUST)]),
        ("pybullet", [chain("revolute", "prismatic"), chain("prismatic", "revolute", seed=4), chain("revolute", "prismatic")]),
    ],
    ids=[
        "triads in dart",
        "triads in drake",
        "universal joints",
        "impossible inertia",
        "a rounding for moments",
        "worlds in turn",
    ],
    indirect=["name"],
)
def test_what_engines_need_help_with(name: str, mechanisms: list[Mechanism]) -> None:
    """Axes near and at −z; inertias that engines refuse unless a check is switched off; trees that one keeps between calls."""
    for mechanism, dynamics in [(one, mended(engine(name), one)) for one in mechanisms]:
        assert len(agreeing(dynamics, mechanism, batch=2)) >= 5


def test_names_are_data(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Engines forbid empty names, and give "::", "world" and "universe" a meaning."""
    if name.startswith("adam"):
        return
    names = ["a::b\nendsegment // 'ü'", "", "universe", "body0", "segment0"]
    bodies = [Body(own, on, Joint(own, "revolute"), CUBE) for own, on in zip(names, ["ground", *names], strict=False)]
    mechanism = Mechanism("</name>", tuple(bodies), root="ground")
    assert right(name, mechanism, ["inverse_dynamics", "mass_matrix"]) == {"inverse_dynamics", "mass_matrix"}
    assert capfd.readouterr() == ("", "")


INERTIA_ALONE = Inertia(0, about_com=(1, 1, 1, 0, 0, 0))


def one(inertia: Inertia = CUBE, **extra: Any) -> Mechanism:
    return Mechanism("one", (Body("bob", "world", Joint("pivot", "revolute", **extra), inertia),), physical=False)


@pytest.mark.parametrize(
    ("name", "mechanism", "quantity", "words"),
    [
        ("adam", chain("revolute", "spherical"), "", "adam has no spherical joint, which joint 'joint1' is"),
        ("adam", chain("prismatic"), "", "adam's motion subspace of a prismatic joint cannot be made, at 'joint0'"),
        ("dart", one(armature=1), "forward_dynamics_dtau", "DART has no armature, which joint 'pivot' has"),
        ("drake", one(INERTIA_ALONE), "", "body 'bob' has rotational inertia and no mass"),
        ("drake", chain("free"), "inverse_dynamics_dq", "free_velocity: mixed"),
        ("idyntree", chain("revolute", "helical"), "", "iDynTree has no helical joint, which joint 'joint1' is"),
        ("idyntree", on_free_base(one(armature=1)), "forward_dynamics", "iDynTree has no armature, which joint 'pivot' has"),
        ("idyntree", one(), "forward_dynamics", "for a free base only"),
        ("idyntree", on_free_base(chain("spherical")), "forward_dynamics", "joints of one degree of freedom only"),
        ("mujoco", chain("revolute", "helical"), "", "MuJoCo has no helical joint, which joint 'joint1' is"),
        ("mujoco", chain("free"), "inverse_dynamics_dv", "turn with q"),
        ("mujoco", one(Inertia(1, (0, 0, 1))), "", "MuJoCo refuses the mechanism: mass and inertia of moving bodies.*'0 bob'"),
        ("mujoco", one(Inertia(1, (0, 0, 0), (1, 1, "2.000001", 0, 0, 0))), "", "inertia must satisfy A [+] B >= C"),
        ("pybullet", chain("revolute", "helical"), "", "PyBullet has no helical joint, which joint 'joint1' is"),
        ("pybullet", chain("revolute", "spherical"), "", "spherical joints, which joint 'joint1' is, wrongly"),
        ("pybullet", chain("revolute", "free"), "", "does not convert PyBullet's free base, which joint 'joint1' is"),
        ("rbdl", chain("revolute", "helical"), "", "biorbd has no helical joint, which RBDL has"),
        ("rbdl", one(armature=1), "forward_dynamics", "RBDL's forward dynamics has no armature, which joint 'pivot' has"),
        ("rbdl", chain("free"), "centroidal_momentum", "biorbd's CoMdot reads memory behind v where there is a quaternion"),
    ],
    indirect=["name"],
)
def test_what_an_engine_has_not_is_said(name: str, mechanism: Mechanism, quantity: str, words: str) -> None:
    q, v, a = states(mechanism, batch=1)
    state = {"q": q, "v": v, "a": a, "tau": a}
    with pytest.raises(Unsupported, match=words):
        loaded = engine(name).load(mechanism)
        getattr(loaded, quantity)(*(state[argument] for argument in QUANTITIES[quantity].arguments))


@pytest.mark.parametrize("name", ["drake"], indirect=True)
def test_ball_joints_are_exact_where_pitch_is_a_quarter_turn(name: str) -> None:
    """Drake's ball joint has roll, pitch and yaw, which are singular there; its velocity is not."""
    mechanism = chain("spherical", "spherical")
    q = np.tile([0, np.sqrt(0.5), 0, np.sqrt(0.5)], (3, 2))
    q[1] += [1e-9, 0, 0, 0] * 2
    q[2, 4:] = [0.5, -0.5, 0.5, 0.5]
    q /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    _, v, a = states(mechanism, batch=3)
    got, expected = (x.load(mechanism).inverse_dynamics(q, v, a) for x in (engine(name), REFERENCE))
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-13 * abs(expected).max())


@pytest.mark.parametrize("name", ["drake"], indirect=True)
def test_drake_still_leaves_damping_out_of_its_power(name: str) -> None:
    """docs/findings/drake-nonconservative-power-damping.md; once it does not, the page needs the version."""
    drake = pydrake()
    plant = drake.MultibodyPlant(0.0)
    body = plant.AddRigidBody("wheel", drake.SpatialInertia.SolidSphereWithMass(1.0, 1.0))
    plant.AddJoint(drake.RevoluteJoint("axle", plant.world_frame(), body.body_frame(), [0, 0, 1], damping=2.0))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.SetVelocities(context, [3.0])
    omega, alpha = plant.EvalTimeDerivatives(context).CopyToVector()
    assert plant.CalcMassMatrix(context)[0, 0] * omega * alpha == pytest.approx(-18)
    assert plant.CalcNonConservativePower(context) == 0


@pytest.mark.parametrize(
    ("page", "printed"),
    {
        "idyntree-com-jacobian-digits": "1e+02 15 15 1e+08 9 15",
        "idyntree-coriolis-matrix-free-base": "0 -1 0 -1 0 0 0 0 0",
        "idyntree-frame-as-base": "0 1 0 0 0 -1 0 1 0 0 0 0 wrong",
    }.items(),
)
@pytest.mark.parametrize("name", ["idyntree"], indirect=True)
def test_the_pages_are_still_true(name: str, page: str, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Once a frame is right as a base, there is no reason any more to leave quantities out."""
    text = Path(__file__).parents[2].joinpath("docs", "findings", f"{page}.md").read_text("utf-8")
    exec(re.search(r"```python\n(.*?)```", text, re.S)[1], {})
    assert re.sub(r"[\[\].]", " ", capsys.readouterr().out).split() == printed.split()
