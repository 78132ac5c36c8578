"""Springs of joints: the derivations agree on them, what ignores or misreads them is found, and its fault is named."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert
from cross_check.prove.proof.prove import prove
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.processes.find import find_implementation
from implementations.processes.subject import InProcess
from implementations.protocol import Unsupported
from implementations.screws.product_of_exponentials import SCREWS
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, MechanismError, find_mechanism
from mechanisms.files.document import from_document, to_document
from mechanisms.files.mjcf.read import read_mjcf
from mechanisms.files.urdf.write import write_urdf
from mechanisms.mimic import Mimic
from oracle import EulerLagrange, Evaluator, derive

KINDS = ("revolute", "prismatic", "helical")


def sprung(name: str, stiffness: str = "3.5", rest: str = "0.2") -> Mechanism:
    """The mechanism with the same spring at every joint that may have one."""
    m, spring = find_mechanism(name), {"stiffness": Fraction(stiffness), "rest": Fraction(rest)}
    bodies = (replace(b, joint=replace(b.joint, **spring)) if b.joint.kind in KINDS else b for b in m.bodies)  # type: ignore[arg-type]
    return replace(m, bodies=tuple(bodies))


def slide(**numbers: Any) -> Mechanism:
    return Mechanism("slide", (Body("block", "world", Joint("slide", "prismatic", (1, 0, 0), **numbers), Inertia(2)),))


def test_a_spring_by_hand() -> None:
    m, q, v, a = slide(stiffness=3, rest="0.5", damping=2), np.array([[2.0]]), np.array([[7.0]]), np.array([[11.0]])
    for subject in (EulerLagrange(m), REFERENCE.load(m), Evaluator(derive(m))):
        assert subject.inverse_dynamics(q, v, a) == pytest.approx(np.array([[22 + 14 + 4.5]]))
        assert subject.gravity(q) == pytest.approx(np.array([[4.5]]))
        assert subject.potential_energy(q) == pytest.approx(np.array([3 * 1.5**2 / 2]))
    assert REFERENCE.load(m).forward_dynamics(q, v, np.array([[40.5]])) == pytest.approx(a)


@pytest.mark.parametrize("name", ["cart-pole", "lead-screw", "branched-tree"])
def test_both_derivations_are_proven_equal_with_springs(name: str) -> None:
    usual = ["inverse_dynamics", "forward_dynamics", "potential_energy", "gravity_dq", "inverse_dynamics_dq", "mass_matrix"]
    assert prove(sprung(name), "it", quantities=usual).verdict == "proven"


def test_a_mimic_joint_has_its_own_spring() -> None:
    leader = Joint("leader", "revolute", stiffness=2, rest="0.1")
    follower = Joint("follower", "prismatic", mimic=Mimic("leader", "-0.5", "0.3"), stiffness=4, rest="0.7")
    m = Mechanism("pair", (Body("a", "world", leader, Inertia(1)), Body("b", "a", follower, Inertia(2))))
    assert prove(m, "it", quantities=["inverse_dynamics", "potential_energy", "gravity_dq"]).verdict == "proven"
    q = np.array([[0.4]])
    assert REFERENCE.load(m).gravity(q)[0, 0] == pytest.approx(2 * 0.3 - 0.5 * (4 * (-0.5 * 0.4 + 0.3 - 0.7) + 2 * 9.81))


@pytest.mark.parametrize("other", [NEWTON_EULER, SCREWS], ids=lambda one: one.name)
@pytest.mark.parametrize("name", ["branched-tree", "lead-screw"])
def test_the_other_derivations_agree(name: str, other: Any) -> None:
    m, rng = sprung(name), np.random.default_rng(0)
    q, v, a = (rng.normal(size=(3, n)) for n in (m.nq, m.nv, m.nv))
    for quantity, state in {"inverse_dynamics": (q, v, a), "mass_matrix": (q,), "potential_energy": (q,)}.items():
        got, right = (getattr(one.load(m), quantity)(*state) for one in (other, REFERENCE))
        assert got == pytest.approx(right, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize(
    ("spring", "said"),
    [
        ("0 * q", "the springs of joints are ignored"),
        ("-3.5 * (q - 0.2)", "the springs of joints have the wrong sign"),
        pytest.param("3.5 * q", "the rest position of springs is ignored", marks=pytest.mark.nightly),
        pytest.param("3.5 * (q + 0.2)", "the rest position of springs has the wrong sign", marks=pytest.mark.nightly),
        pytest.param("7 * (q - 0.2)", "the stiffness of springs counts twice", marks=pytest.mark.nightly),
        ("3.5 * (q - 0.2)", ""),
    ],
)
def test_what_is_wrong_about_springs_is_named(spring: str, said: str) -> None:
    class Code:
        name = "mine"

        def load(self, mechanism: Mechanism) -> Any:
            # Shifted joints and other mechanisms are asked too: the spring is a number of this one's joints.
            others = tuple(replace(b, joint=replace(b.joint, stiffness=0, rest=0)) for b in mechanism.bodies)
            bare, data = REFERENCE.load(replace(mechanism, bodies=others)), mechanism.arrays
            k = np.zeros(mechanism.nv) if data.stiffness is None else data.stiffness
            rest = np.zeros(mechanism.nv) if data.rest is None else data.rest

            class Loaded:
                def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Any:
                    law = spring.replace("3.5", "k").replace("7", "2 * k").replace("0.2", "rest")
                    return bare.inverse_dynamics(q, v, a) + eval(law, {"q": q, "k": k, "rest": rest})

            return Loaded()

    results = dalembert.check(mechanisms=[sprung("planar-pendulum:2")], implementations=[Code()])
    causes = " ".join(cause.sentence for cause in results.causes)
    assert said in causes if said else all(cell.verdict != "discrepancy" for cell in results.cells)


@pytest.mark.engines
@pytest.mark.parametrize("engine", ["mujoco", "drake"])
def test_engines_with_springs_agree(engine: str) -> None:
    pytest.importorskip({"drake": "pydrake"}.get(engine, engine))
    results = dalembert.check(mechanisms=[sprung("branched-tree")], implementations=[engine], explain=False)
    cells = {cell.quantity: cell.verdict for cell in results.cells if cell.verdict not in ("not offered", "known")}
    assert {"inverse_dynamics", "gravity", "potential_energy", "forward_dynamics"} <= cells.keys()
    assert set(cells.values()) == {"agrees"}


def test_engines_without_springs_say_so() -> None:
    for name in ("pinocchio", "rbdl"):
        with pytest.raises(Unsupported, match=f"the adapter of {name} has no springs, and joint 'slide' has one"):
            InProcess(find_implementation(name)).load(slide(stiffness=1))


def test_the_spring_is_kept_or_refused_aloud() -> None:
    m = slide(stiffness=3, rest="0.5")
    assert from_document(to_document(m)) == m != slide()
    assert len({m.fingerprint, slide().fingerprint, slide(stiffness=3).fingerprint}) == 3
    with pytest.raises(MechanismError, match="joint 'slide' has a spring, which URDF cannot say"):
        write_urdf(m)
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
