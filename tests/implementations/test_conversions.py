"""Code with other conventions, as code with ours. What it is compared with does not use the conversions' own formulas."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from every_joint import chain

import dalembert
from cross_check.explain.diagnosis.examples.users_program import users_program
from implementations.conventions import rates
from implementations.conventions.change import Change
from implementations.conventions.converted import _WITHOUT_TABLE, Converted
from implementations.conventions.declared import VALUES, Conventions, UnknownConvention, acting
from implementations.plugins.user_code import load_user
from implementations.protocol import Failure, Unsupported, UserCodeError
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Constraint, Inertia, Joint, Mechanism, Placement, integrate, neutral, random_mechanism
from mechanisms.joint_kinds import MOVING
from mechanisms.library.extended import framed
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_QUANTITIES, POSITIONS, QUANTITIES

pytestmark = pytest.mark.usefixtures("without_coverage")

TREE = random_mechanism(5, 6, ("free", "revolute", "spherical", "planar", "continuous", "prismatic"), free_base=True)


def states(mechanism: Mechanism, batch: int = 5) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    draw = {name: rng.normal(size=(batch, mechanism.nv)) for name in ("v", "a", "tau", "v_minus", "dv")}
    draw["q"] = integrate(mechanism, np.tile(neutral(mechanism), (batch, 1)), rng.normal(size=(batch, mechanism.nv)))
    draw["f"] = rng.normal(size=(batch, len(mechanism.bodies), 6))
    draw["to"] = integrate(mechanism, draw["q"], draw["dv"])
    return draw


def error(quantity: str, got: Any, mechanism: Mechanism, state: dict[str, Any]) -> float:
    expected = getattr(REFERENCE.load(mechanism), quantity)(*(state[name] for name in ALL_QUANTITIES[quantity].arguments))
    return float(np.abs(got - expected).max() / (1 + np.abs(expected).max()))


class Recorded:
    """Code that answers with the same numbers, whatever it is asked, and keeps what it was asked."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers, self.asked = answers, {}

    def __getattr__(self, quantity: str) -> Any:
        if quantity not in self.answers:
            raise AttributeError(quantity)

        def answer(*state: Any) -> Any:
            self.asked[quantity] = state
            return self.answers[quantity]

        return answer


class Split:
    """Free joints as three slides and a ball joint: its velocity is [ṗ; ω], ṗ along the joint's axes, ω along the body's."""

    def __init__(self, mechanism: Mechanism) -> None:
        bodies = []
        for body in mechanism.bodies:
            if body.joint.kind == "free":
                slides = Joint(f"{body.joint.name} slides", "translation", placement=body.joint.placement)
                bodies.append(Body(f"{body.name} carrier", body.parent, slides, Inertia.massless()))
                bodies.append(replace(body, parent=f"{body.name} carrier", joint=Joint(body.joint.name, "spherical")))
            else:
                bodies.append(body)
        self.dynamics: Any = REFERENCE.load(replace(mechanism, name="split", bodies=tuple(bodies)))

    def __getattr__(self, quantity: str) -> Any:
        return getattr(self.dynamics, quantity)


class Slid:
    """Planar joints as two slides and a hinge: the velocity is [ṗ₁, ṗ₂; ω₃], ṗ along the joint's axes."""

    def __init__(self, mechanism: Mechanism) -> None:
        bodies = []
        for body in mechanism.bodies:
            if body.joint.kind != "planar":
                bodies.append(body)
                continue
            e1, e2, e3 = body.joint.triad
            one = Joint(f"{body.joint.name} 1", "prismatic", e1, body.joint.placement)
            bodies.append(Body(f"{body.name} 1", body.parent, one, Inertia.massless()))
            two = Joint(f"{body.joint.name} 2", "prismatic", e2)
            bodies.append(Body(f"{body.name} 2", f"{body.name} 1", two, Inertia.massless()))
            bodies.append(replace(body, parent=f"{body.name} 2", joint=Joint(body.joint.name, "revolute", e3)))
        self.dynamics: Any = REFERENCE.load(replace(mechanism, name="slid", bodies=tuple(bodies)))

    def __getattr__(self, quantity: str) -> Any:
        return getattr(self.dynamics, quantity)


ON_FREE_JOINTS = Conventions(free_velocity="angular body, linear mixed", free_velocity_order="linear first")
ON_PLANAR_JOINTS = Conventions(planar_velocity="joint", planar_velocity_order="linear first")
FREE, PLANAR = chain("free", "revolute", "free", "prismatic"), chain("revolute", "planar", "spherical", "planar")
DYNAMICS = [name for name, quantity in QUANTITIES.items() if quantity.group == "dynamics"]
DYNAMICS += ["forward_dynamics_dtau", "centroidal_momentum_matrix"]
MADE_OF_OTHERS = {"free": (FREE, Split, ON_FREE_JOINTS), "planar": (PLANAR, Slid, ON_PLANAR_JOINTS)}


@pytest.mark.parametrize("kind", MADE_OF_OTHERS)
@pytest.mark.parametrize("quantity", DYNAMICS)
def test_a_joint_made_of_slides_and_a_turn_is_a_joint_of_other_conventions(kind: str, quantity: str) -> None:
    mechanism, made, conventions = MADE_OF_OTHERS[kind]
    state, code = states(mechanism), made(mechanism)
    asked = [state[name] for name in ALL_QUANTITIES[quantity].arguments]
    assert error(quantity, getattr(Converted(code, mechanism, conventions), quantity)(*asked), mechanism, state) < 1e-13
    with pytest.raises(Unsupported, match="turn with q"):
        Converted(code, mechanism, conventions).inverse_dynamics_dv(state["q"], state["v"])


def tied(tree: Mechanism) -> Mechanism:
    """The tree with a point of its last body on the first one, and its second body turning about an axis of the root only."""
    point = Constraint("point", tree.bodies[0].name, tree.bodies[-1].name, ("vx", "vy", "vz"), Placement(translation=(1, 0, 2)))
    hinge = Constraint("axis", tree.root, tree.bodies[1].name, ("wx", "wz"), second_placement=Placement(translation=(0, 1, 0)))
    return replace(tree, constraints=(point, hinge))


CONVERTED = [name for name in CONSTRAINT_QUANTITIES if name not in _WITHOUT_TABLE]


@pytest.mark.parametrize("quantity", CONVERTED)
def test_quantities_of_constraints_are_converted(quantity: str) -> None:
    """J and its drift are functions of every state, and the reference solves with them at every state."""
    for tree, made, conventions in MADE_OF_OTHERS.values():
        mechanism = tied(tree)
        state = states(mechanism)
        asked = [state[name] for name in ALL_QUANTITIES[quantity].arguments]
        got = getattr(Converted(made(mechanism), mechanism, conventions), quantity)(*asked)
        assert error(quantity, got, mechanism, state) < 1e-11


@pytest.mark.parametrize(
    ("quantity", "answer", "conventions", "says"),
    [
        ("velocities_dq_local", (5, 1, 6, 6), {"free_velocity_order": "linear first"}, "it cannot be converted"),
        ("gravity", (5, 4), {"free_velocity": "mixed"}, r"gravity returned shape \(5, 4\), not \(5, 6\)"),
        ("nonlinear_effects", (5, 6), {"free_velocity": "mixed"}, "mass_matrix is needed to convert it"),
    ],
)
def test_what_cannot_be_converted_is_said(quantity: str, answer: tuple[int, ...], conventions: Any, says: str) -> None:
    """Coordinates without a table; an answer of another shape; what is needed for a conversion and not offered."""
    assert len(CONVERTED) > 12, "those without a table are few"
    mechanism = chain("free")
    state, code = states(mechanism), Recorded({quantity: np.zeros(answer)})
    with pytest.raises((Unsupported, Failure), match=says):
        getattr(Converted(code, mechanism, Conventions(**conventions)), quantity)(
            *(state[name] for name in ALL_QUANTITIES[quantity].arguments)
        )


@pytest.mark.parametrize(
    ("conventions", "argument", "quantity"),
    [
        ({"free_velocity": "mixed"}, 1, "velocities_aligned"),
        ({"free_velocity": "spatial"}, 1, "velocities_world"),
        ({"free_velocity": "mixed", "free_acceleration": "point"}, 2, "classical_accelerations"),
    ],
)
def test_motions_of_a_free_body_are_what_their_names_say(conventions: dict[str, str], argument: int, quantity: str) -> None:
    """On a joint at the root, [Rω; ṗ] is the aligned velocity of the body, the spatial twist is the one in the world."""
    mechanism = Mechanism("one", (Body("body", "world", Joint("free", "free"), Inertia(2, (0.1, 0.2, 0.3), (1, 1, 1, 0, 0, 0))),))
    state, code = states(mechanism), Recorded({"inverse_dynamics": np.zeros((5, 6))})
    Converted(code, mechanism, Conventions(**conventions)).inverse_dynamics(state["q"], state["v"], state["a"])
    expected = getattr(REFERENCE.load(mechanism), quantity)(*(state[x] for x in ALL_QUANTITIES[quantity].arguments))[:, 0]
    assert np.abs(code.asked["inverse_dynamics"][argument] - expected).max() < 1e-13


@pytest.mark.parametrize("twist", VALUES["free_velocity"])
def test_an_acceleration_is_the_rate_of_the_velocity(twist: str) -> None:
    others = "body" if twist == "body" else "joint"
    conventions = Conventions(free_velocity=twist, spherical_velocity=others, planar_velocity=others)
    state = states(TREE)
    q, v, a = state["q"], state["v"], state["a"]
    code = Recorded({"inverse_dynamics": np.zeros((5, TREE.nv))})
    converted = Converted(code, TREE, conventions)

    def velocity(t: float) -> Any:
        # q at the time t, where the velocity is v + a t: its mean up to t is exact to second order, which a difference needs.
        converted.inverse_dynamics(integrate(TREE, q, v * t + a * t * t / 2), v + a * t, a)
        return code.asked["inverse_dynamics"][1]

    h = 1e-4
    rate = (8 * (velocity(h) - velocity(-h)) - (velocity(2 * h) - velocity(-2 * h))) / (12 * h)
    converted.inverse_dynamics(q, v, a)
    assert np.abs(code.asked["inverse_dynamics"][2] - rate).max() < 1e-8


def test_derivatives_survive_a_change_of_order() -> None:
    mechanism = chain("planar")
    state = states(mechanism)
    code = Recorded({"coriolis_matrix": np.arange(45.0).reshape(5, 3, 3)})
    got = Converted(code, mechanism, Conventions(planar_velocity_order="linear first")).coriolis_matrix(state["q"], state["v"])
    assert np.array_equal(got, np.roll(code.answers["coriolis_matrix"], 1, (1, 2)))


def test_power_does_not_depend_on_conventions() -> None:
    state = states(TREE)
    q, v = state["q"], state["v"]
    for name, values in VALUES.items():
        for value in values:
            conventions = Conventions(**{name: value})
            code = Recorded({"forward_dynamics": np.zeros((5, TREE.nv))})
            Converted(code, TREE, conventions).forward_dynamics(q, v, state["tau"])
            _, theirs, tau = code.asked["forward_dynamics"]
            assert np.allclose((theirs * tau).sum(1), (v * state["tau"]).sum(1), rtol=1e-12), (name, value)


ORDER = (3, 0, 5, 1, 4, 2)


class Shuffled:
    """The reference with joints and bodies in another order, written out for every axis."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.dynamics: Any = REFERENCE.load(mechanism)
        self.q, self.v = (
            np.concatenate([np.arange(own.start, own.stop) for own in (slices[i] for i in ORDER)])
            for slices in (mechanism.q_slices, mechanism.v_slices)
        )

    def __getattr__(self, quantity: str) -> Any:
        def answer(*state: Any) -> Any:
            ours = []
            for name, x in zip(ALL_QUANTITIES[quantity].arguments, state, strict=True):
                index = self.q if name in POSITIONS else np.array(ORDER) if name == "f" else self.v
                y = np.empty_like(x)
                y[:, index] = x
                ours.append(y)
            x = getattr(self.dynamics, quantity)(*ours)
            for axis, entries in enumerate(ALL_QUANTITIES[quantity].axes, 1):
                if entries in ("nq", "nv"):
                    x = np.take(x, self.q if entries == "nq" else self.v, axis)
                if entries == "bodies":
                    x = np.take(x, ORDER, axis)
                if entries == "parameters":
                    x = np.concatenate([x[..., 10 * i : 10 * i + 10] for i in ORDER], axis)
            return x

        return answer


EXACT = [name for name in QUANTITIES if "forward" not in name] + ["constraint_jacobian", "constraint_drift"]


@pytest.mark.parametrize("quantity", EXACT)
def test_an_order_of_joints_is_undone_exactly(quantity: str) -> None:
    tree, state = tied(framed(TREE)), states(TREE)
    converted = Converted(Shuffled(tree), tree, Conventions(), ORDER)
    got = getattr(converted, quantity)(*(state[name] for name in ALL_QUANTITIES[quantity].arguments))
    assert error(quantity, got, tree, state) == 0


def test_spatial_vectors_of_bodies_come_in_the_declared_order() -> None:
    state = states(TREE)
    q, v, a, f = state["q"], state["v"], state["a"], state["f"]
    code = Recorded({"velocities_local": np.roll(REFERENCE.load(TREE).velocities_local(q, v), 3, 2)})
    linear_first = Conventions(spatial_vectors="linear first")
    assert error("velocities_local", Converted(code, TREE, linear_first).velocities_local(q, v), TREE, state) == 0
    code = Recorded({"inverse_dynamics_with_forces": np.zeros((5, TREE.nv))})
    Converted(code, TREE, linear_first).inverse_dynamics_with_forces(q, v, a, f)
    assert np.array_equal(code.asked["inverse_dynamics_with_forces"][3], np.roll(f, 3, 2))


def test_positions_come_as_they_are_declared() -> None:
    mechanism = chain("free", "continuous", "spherical")
    q = states(mechanism)["q"]
    code = Recorded({"gravity": np.zeros((5, mechanism.nv))})
    declared = Conventions(quaternion="wxyz", free_position="quaternion first", continuous="angle")
    Converted(code, mechanism, declared, (1, 0, 2)).gravity(q)
    (theirs,) = code.asked["gravity"]
    x, y, z, qx, qy, qz, qw, c, s, bx, by, bz, bw = q.T
    assert np.array_equal(theirs, np.column_stack([np.arctan2(s, c), qw, qx, qy, qz, x, y, z, bw, bx, by, bz]))


@pytest.mark.parametrize("first", ["position", "quaternion"])
def test_rotation_vectors_are_those_of_the_quaternions(first: str) -> None:
    """Also of a quaternion that is not of unit length, and of one whose w is negative: it turns by more than π."""
    mechanism = chain("free", "spherical")
    q = states(mechanism)["q"]
    q[1] *= -1
    q[2, 3:7] *= 1e-80
    code = Recorded({"gravity": np.zeros((5, mechanism.nv))})
    Converted(code, mechanism, Conventions(quaternion="rotation vector", free_position=f"{first} first")).gravity(q)
    (theirs,) = code.asked["gravity"]
    assert theirs.shape == (5, 9)
    place, free = (theirs[:, :3], theirs[:, 3:6]) if first == "position" else (theirs[:, 3:6], theirs[:, :3])
    assert np.array_equal(place, q[:, :3])
    for vector, quaternion in ((free, q[:, 3:7]), (theirs[:, 6:], q[:, 7:])):
        half = np.linalg.norm(vector, axis=1, keepdims=True) / 2
        unit = quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)
        assert np.allclose(np.hstack([vector / (2 * half) * np.sin(half), np.cos(half)]), unit, rtol=0, atol=1e-15)


def test_a_rotation_is_rounded_little() -> None:
    quaternions = np.random.default_rng(1).normal(size=(600, 4))
    quaternions[:300] /= np.linalg.norm(quaternions[:300], axis=1, keepdims=True)
    x, y, z, w = np.vectorize(Fraction, otypes=[object])(quaternions).T
    first = [x * x + w * w - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)] / (x * x + y * y + z * z + w * w)
    assert (np.abs(rates.rotation(quaternions)[:, 0].T - first) <= 2 * np.finfo(float).eps).all()


@pytest.mark.parametrize(
    ("declared", "sentence"),
    [
        ({"quaternions": "wxyz"}, "no convention 'quaternions'; use quaternion"),
        ({3: "wxyz"}, "no convention 3; use quaternion"),
        ({"quaternion": "zyxw"}, "no value 'zyxw'; use 'xyzw' or 'wxyz'"),
        ({"quaternion": []}, r"no value \[\]"),
        ({"free_velocity": "spatial", "free_acceleration": "point"}, "use the acceleration 'rate'"),
    ],
)
def test_a_wrong_declaration_of_a_module_is_one_sentence(tmp_path: Path, declared: Any, sentence: str) -> None:
    with pytest.raises(UnknownConvention, match=sentence):
        Conventions.declared(declared)
    file = tmp_path / "theirs.py"
    file.write_text(f"conventions = {declared!r}\n\n\ndef gravity(mechanism, q):\n    return 0 * q\n")
    with pytest.raises(UserCodeError, match=sentence):
        load_user(str(file))


def test_the_first_value_of_every_convention_is_ours() -> None:
    assert {name: next(iter(values)) for name, values in VALUES.items()} == vars(Conventions())


def test_the_page_on_the_protocol_lists_every_convention() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "protocol.md").read_text()
    for name, values in VALUES.items():
        assert f"| `{name}` | " + "; ".join(f"`{value}`: {meaning}" for value, meaning in values.items()) + " |\n" in page


MODULE = """
import numpy as np
from implementations.spatial_algebra.reference import REFERENCE

conventions = {"quaternion": "wxyz"}


def joint_order(mechanism):
    return [body.joint.name for body in mechanism.bodies][::-1]


def inverse_dynamics(mechanism, q, v, a):
    assert len(mechanism.bodies) == 2
    ours = np.concatenate((np.roll(q[1:5], -1), q[:1]))
    back = np.concatenate((v[1:], v[:1])), np.concatenate((a[1:], a[:1]))
    tau = REFERENCE.load(mechanism).inverse_dynamics(ours[None], *(x[None] for x in back))[0]
    return np.concatenate((tau[3:], tau[:3]))
"""


def test_a_python_module_declares_its_conventions_and_its_order_of_joints(tmp_path: Path) -> None:
    file = tmp_path / "theirs.py"
    file.write_text(MODULE)
    mechanism = chain("spherical", "revolute")
    state = states(mechanism)
    loaded = load_user(str(file)).load(mechanism)
    got = loaded.inverse_dynamics(state["q"], state["v"], state["a"])
    # One state at a time, NumPy sums in another order.
    assert error("inverse_dynamics", got, mechanism, state) < 1e-15
    program = users_program(mechanism, "inverse_dynamics", {n: x[0] for n, x in state.items()}, got[0], str(file))
    assert program is not None
    names: dict[str, Any] = {}
    exec("\n".join(program.lines), names)
    assert np.array_equal(names["got"], got[0])


WRONGLY_DECLARED = """
from implementations.spatial_algebra.reference import REFERENCE

conventions = {"free_velocity_order": "linear first"}


def inverse_dynamics(mechanism, q, v, a):
    return REFERENCE.load(mechanism).inverse_dynamics(q[None], v[None], a[None])[0]
"""


@pytest.mark.slow
@pytest.mark.nightly
def test_a_wrong_declaration_is_said_to_be_one(tmp_path: Path) -> None:
    """The sentence is about converted answers, and says so: the code itself has no such convention."""
    file = tmp_path / "theirs.py"
    file.write_text(WRONGLY_DECLARED)
    results = dalembert.check(["free:pendulum"], [str(file)], quantities=["inverse_dynamics"], states=14)
    (cause,) = results.causes
    begins = "In theirs, what it declares (free_velocity_order: linear first) does not fit: after the conversion it looks as if "
    assert cause.sentence.startswith(begins)
    assert "linear part first" in cause.sentence
    assert cause.remedy.startswith("correct what the code declares")
    assert not cause.wrapper


ROUNDING = """
import numpy as np

from implementations.spatial_algebra.reference import REFERENCE

conventions = {"quaternion": "wxyz"}


def inverse_dynamics(mechanism, q, v, a):
    q = np.float32(q)[[0, 1, 2, 4, 5, 6, 3, 7]].astype(float)
    return REFERENCE.load(mechanism).inverse_dynamics(q[None], v[None], a[None])[0]
"""


@pytest.mark.slow
def test_rounded_positions_are_no_wrong_declaration(tmp_path: Path) -> None:
    file = tmp_path / "theirs.py"
    file.write_text(ROUNDING)
    results = dalembert.check(["free:pendulum"], [str(file)], quantities=["inverse_dynamics"], states=14)
    (cause,) = results.causes
    assert (cause.kind, cause.sentence, cause.remedy) == ("arithmetic", "In theirs, q is rounded to float32", "")


def test_where_a_declaration_acts_is_where_it_changes_a_question_or_an_answer() -> None:
    """Every convention on every kind of joint: as the conversion shows."""
    for name, values in VALUES.items():
        for value in list(values)[1:]:
            for kind in MOVING:
                tree = random_mechanism(2, 1, (kind,))
                dv, v, a = np.random.default_rng(1).normal(size=(3, 1, tree.nv))
                q = integrate(tree, neutral(tree)[None], dv)
                change = Change(tree, Conventions.declared({name: value}))
                pairs = [(change.position(q), q), (change.velocity(q, v), v), (change.acceleration(q, v, a), a)]
                moved = not all(x.shape == y.shape and np.allclose(x, y) for x, y in pairs)
                assert bool(acting(f"{name}: {value}", tree, ["inverse_dynamics"])) == moved, (name, value, kind)
    tree = random_mechanism(2, 2, ("revolute",))
    words = "free_velocity: angular body, linear mixed, spatial_vectors: linear first"
    assert acting(words, tree, ["velocities_local"]) == "spatial_vectors: linear first"
    assert acting(words, tree, ["gravity"]) == ""
