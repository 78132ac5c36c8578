"""Springs and friction of joints: the derivations agree on them, what ignores or misreads them is found and named."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert
from cross_check.explain.faults.fault import Edit
from cross_check.explain.faults.mutants import edited
from cross_check.prove.proof.prove import prove
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.processes.find import find_implementation
from implementations.processes.subject import InProcess
from implementations.protocol import Unsupported
from implementations.screws.product_of_exponentials import SCREWS
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, MechanismError, find_mechanism
from mechanisms.files.document import from_document, to_document
from mechanisms.files.mjcf.read import parse_mjcf, read_mjcf
from mechanisms.files.mjcf.write import write_mjcf
from mechanisms.files.sdf.read import parse_sdf
from mechanisms.files.sdf.write import write_sdf
from mechanisms.files.urdf.write import write_urdf
from mechanisms.mimic import Mimic
from oracle import EulerLagrange, Evaluator, derive

KINDS = ("revolute", "prismatic", "helical")


def sprung(name: str, stiffness: str = "3.5", rest: str = "0.2") -> Mechanism:
    """The mechanism with the same spring at every joint that may have one."""
    m, spring = find_mechanism(name), {"stiffness": Fraction(stiffness), "rest": Fraction(rest)}
    bodies = (replace(b, joint=replace(b.joint, **spring)) if b.joint.kind in KINDS else b for b in m.bodies)  # type: ignore[arg-type]
    return replace(m, bodies=tuple(bodies))


def rough(name: str, friction: str = "1.5") -> Mechanism:
    """The mechanism with Coulomb friction at every joint with one velocity, each with another one."""
    m = find_mechanism(name)
    bodies = enumerate(m.bodies, 2)
    made = (replace(b, joint=replace(b.joint, friction=Fraction(friction) * i / 3)) if b.joint.nv == 1 else b for i, b in bodies)
    return replace(m, bodies=tuple(made))


FORCED = {"spring": sprung, "friction": rough, "all": find_mechanism}


def slide(**numbers: Any) -> Mechanism:
    return Mechanism("slide", (Body("block", "world", Joint("slide", "prismatic", (1, 0, 0), **numbers), Inertia(2)),))


@pytest.mark.parametrize(("rate", "sliding"), [(7, 5), (-7, -5), (0, 0)])
def test_the_forces_by_hand(rate: float, sliding: float) -> None:
    m, q, a = slide(stiffness=3, rest="0.5", damping=2, friction=5), np.array([[2.0]]), np.array([[11.0]])
    v, force = np.array([[float(rate)]]), np.array([[22 + 2 * rate + 4.5 + sliding]])
    for subject in (EulerLagrange(m), REFERENCE.load(m), Evaluator(derive(m))):
        assert subject.inverse_dynamics(q, v, a) == pytest.approx(force)
        assert subject.gravity(q) == pytest.approx(np.array([[4.5]]))
        assert subject.potential_energy(q) == pytest.approx(np.array([3 * 1.5**2 / 2]))
    for derived in (EulerLagrange(m), REFERENCE.load(m)):
        assert derived.inverse_dynamics_dv(q, v) == pytest.approx(np.array([[[2]]]))
    assert REFERENCE.load(m).forward_dynamics(q, v, force) == pytest.approx(a)
    assert m.arrays.resistance(v) == pytest.approx(np.array([[2 * rate + sliding]]))


@pytest.mark.parametrize("force", ["spring", "friction"])
@pytest.mark.parametrize("name", ["cart-pole", "lead-screw", "branched-tree"])
def test_both_derivations_are_proven_equal_with_forces(name: str, force: str) -> None:
    usual = ["inverse_dynamics", "forward_dynamics", "potential_energy", "gravity_dq", "inverse_dynamics_dq", "mass_matrix"]
    usual += ["coriolis_matrix", "inverse_dynamics_dv"]
    assert prove(FORCED[force](name), "it", quantities=usual).verdict == "proven"


def test_a_proof_tells_friction_that_is_wrong_at_some_signs_alone() -> None:
    """A constant force is friction · sign(v) at half of all velocities."""
    for wrong in ("(0 * qd[link.v] + 1)", "model.field.sign(-qd[link.v])", "model.field.sign(q[link.v])"):
        algorithms = edited((Edit("joint_forces", "model.field.sign(qd[link.v])", wrong),)).ALGORITHMS
        certificate = prove(rough("cart-pole"), "it", algorithms=algorithms, quantities=["inverse_dynamics"])
        assert certificate.verdict == "refuted", wrong


def test_a_mimic_joint_has_its_own_forces() -> None:
    leader = Joint("leader", "revolute", stiffness=2, rest="0.1", friction="0.7")
    follower = Joint("follower", "prismatic", mimic=Mimic("leader", "-0.5", "0.3"), stiffness=4, rest="0.7", friction="0.9")
    m = Mechanism("pair", (Body("a", "world", leader, Inertia(1)), Body("b", "a", follower, Inertia(2))))
    assert prove(m, "it", quantities=["inverse_dynamics", "potential_energy", "gravity_dq"]).verdict == "proven"
    q, v = np.array([[0.4]]), np.array([[-3.0]])
    g = 2 * 0.3 - 0.5 * (4 * (-0.5 * 0.4 + 0.3 - 0.7) + 2 * 9.81)
    for subject in (EulerLagrange(m), REFERENCE.load(m), Evaluator(derive(m))):
        assert subject.gravity(q)[0, 0] == pytest.approx(g)
        assert subject.nonlinear_effects(q, v)[0, 0] == pytest.approx(g - 0.7 - 0.5 * 0.9)
    assert m.arrays.resistance(v)[0, 0] == pytest.approx(-0.7 - 0.5 * 0.9)


@pytest.mark.parametrize("force", ["spring", "friction"])
@pytest.mark.parametrize("other", [NEWTON_EULER, SCREWS], ids=lambda one: one.name)
@pytest.mark.parametrize("name", ["branched-tree", "lead-screw"])
def test_the_other_derivations_agree(name: str, other: Any, force: str) -> None:
    m, rng = FORCED[force](name), np.random.default_rng(0)
    q, v, a = (rng.normal(size=(3, n)) for n in (m.nq, m.nv, m.nv))
    for quantity, state in {"inverse_dynamics": (q, v, a), "mass_matrix": (q,), "potential_energy": (q,)}.items():
        got, right = (getattr(one.load(m), quantity)(*state) for one in (other, REFERENCE))
        assert got == pytest.approx(right, rel=1e-13, abs=1e-13)


NIGHTLY = pytest.mark.nightly


@pytest.mark.parametrize(
    ("force", "law", "said"),
    [
        ("spring", "0 * q", "the springs of joints are ignored"),
        ("spring", "-k * (q - rest)", "the springs of joints have the wrong sign"),
        pytest.param("spring", "k * q", "the rest position of springs is ignored", marks=NIGHTLY),
        pytest.param("spring", "k * (q + rest)", "the rest position of springs has the wrong sign", marks=NIGHTLY),
        pytest.param("spring", "2 * k * (q - rest)", "the stiffness of springs counts twice", marks=NIGHTLY),
        ("spring", "k * (q - rest)", ""),
        ("friction", "0 * v", "the Coulomb friction of joints is ignored"),
        ("friction", "-c * np.sign(v)", "the Coulomb friction of joints has the wrong sign"),
        pytest.param("friction", "2 * c * np.sign(v)", "the Coulomb friction of joints counts twice", marks=NIGHTLY),
        ("friction", "c * v", "Coulomb friction is taken for damping: friction · v instead of friction · sign(v)"),
        pytest.param("friction", "c * np.tanh(10 * v)", "friction · tanh(v / 0.1) instead of", marks=NIGHTLY),
        pytest.param("friction", "c + 0 * v", "Coulomb friction is constant: friction instead of", marks=NIGHTLY),
        pytest.param("friction", "c * np.sign(v) * [1, 0]", "the Coulomb friction of joint2 is ignored", marks=NIGHTLY),
        ("friction", "c * np.sign(v)", ""),
    ],
)
def test_what_is_wrong_about_forces_is_named(force: str, law: str, said: str) -> None:
    class Code:
        name = "mine"

        def load(self, mechanism: Mechanism) -> Any:
            # Shifted joints and other mechanisms are asked too: the numbers are those of this one's joints.
            none = {"stiffness": 0, "rest": 0, "friction": 0}
            others = tuple(replace(b, joint=replace(b.joint, **none)) for b in mechanism.bodies)  # type: ignore[arg-type]
            bare, data = REFERENCE.load(replace(mechanism, bodies=others)), mechanism.arrays
            given = {"k": data.stiffness, "rest": data.rest, "c": data.friction}
            numbers = {name: np.zeros(mechanism.nv) if x is None else x for name, x in given.items()}

            class Loaded:
                def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Any:
                    return bare.inverse_dynamics(q, v, a) + eval(law, {"np": np, "q": q, "v": v, **numbers})

            return Loaded()

    results = dalembert.check(mechanisms=[FORCED[force]("planar-pendulum:2")], implementations=[Code()])
    causes = " ".join(cause.sentence for cause in results.causes)
    assert said in causes if said else all(cell.verdict != "discrepancy" for cell in results.cells)


@pytest.mark.engines
@pytest.mark.parametrize(
    ("engine", "force", "name"),
    [
        *((engine, "spring", "branched-tree") for engine in ("mujoco", "drake", "dart")),
        *((engine, "all", "elastic-joint") for engine in ("sympy-kane", "sympy-lagrange")),
        ("mujoco", "friction", "branched-tree"),
    ],
)
def test_engines_with_forces_agree(engine: str, force: str, name: str) -> None:
    pytest.importorskip({"drake": "pydrake", "dart": "dartpy"}.get(engine, engine.partition("-")[0]))
    results = dalembert.check(mechanisms=[FORCED[force](name)], implementations=[engine], explain=False)
    cells = {cell.quantity: cell.verdict for cell in results.cells if cell.verdict not in ("not offered", "known", "unsupported")}
    assert {"inverse_dynamics", "gravity", "potential_energy", "nonlinear_effects"} <= cells.keys()
    assert set(cells.values()) == {"agrees"}


def test_engines_without_forces_say_so() -> None:
    for name, numbers, what in (
        ("pinocchio", {"stiffness": 1}, "a spring"),
        ("rbdl", {"stiffness": 1}, "a spring"),
        ("drake", {"friction": 1}, "Coulomb friction"),
    ):
        with pytest.raises(Unsupported, match=f"joint 'slide' has {what}, which the adapter of {name} does not have"):
            InProcess(find_implementation(name)).load(slide(**numbers))


def test_forces_are_kept_or_refused_aloud() -> None:
    m = slide(stiffness=3, rest="0.5", friction="0.7")
    assert from_document(to_document(m)) == m != slide()
    others = ({}, {"stiffness": 3}, {"friction": 3}, {"friction": "0.7"})
    assert len({one.fingerprint for one in (m, *(slide(**numbers) for numbers in others))}) == 5
    for write, read in ((write_mjcf, parse_mjcf), (write_sdf, parse_sdf)):
        assert read(write(m)).bodies[0].joint.dynamics == m.bodies[0].joint.dynamics
    for numbers, said in (({"stiffness": 3}, "a spring, .* stiffness"), ({"friction": 3}, "Coulomb friction, .* friction")):
        with pytest.raises(MechanismError, match=f"joint 'slide' has {said} to 0"):
            write_urdf(slide(**numbers))
    with pytest.raises(MechanismError, match="friction of joint 'slide' is -1; give zero or more"):
        slide(friction=-1)
    with pytest.raises(MechanismError, match="stiffness of joint 'slide' is -1; give zero or more"):
        slide(stiffness=-1)
    with pytest.raises(MechanismError, match="joint 'spin' is continuous and has a spring"):
        Joint("spin", "continuous", stiffness=1)


MJCF = """<mujoco><worldbody><body><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
<joint name="{0}" type="{0}" ref="30" stiffness="3" springref="90"/></body></worldbody></mujoco>"""


def test_mjcf_gives_angles_in_degrees(tmp_path: Any) -> None:
    found = {}
    for kind in ("hinge", "slide"):
        (tmp_path / "one.xml").write_text(MJCF.format(kind))
        found[kind] = read_mjcf(tmp_path / "one.xml").bodies[0].joint
    assert {joint.stiffness for joint in found.values()} == {3}
    assert float(found["hinge"].rest) == pytest.approx(np.pi / 2, rel=1e-15) and found["slide"].rest == 90
