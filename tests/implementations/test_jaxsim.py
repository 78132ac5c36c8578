"""JaxSim: what it offers against the reference, what it refuses, and its reader of SDF."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from every_joint import agreeing, chain, mended

from cross_check.explain.findings.finding import script_of
from implementations.engines.jaxsim.adapter import JaxSim
from implementations.engines.jaxsim.reader import read
from implementations.protocol import Missing, Unsupported
from mechanisms import Body, Joint, Mechanism, random_mechanism
from mechanisms.library.extended import framed, on_free_base
from mechanisms.quantities import FRAMES, INTEGRATION, QUANTITIES

pytestmark = pytest.mark.engines

PAGES = Path(__file__).parents[2] / "docs" / "findings"
NAMES = [name for name in QUANTITIES if name not in INTEGRATION]
OFFERED = {
    *("inverse_dynamics", "inverse_dynamics_with_forces", "mass_matrix", "forward_dynamics", "nonlinear_effects", "gravity"),
    *("kinetic_energy", "potential_energy", "coriolis_matrix", "placements", "frame_placements"),
    *(
        "center_of_mass",
        "center_of_mass_velocity",
        "center_of_mass_jacobian",
        "centroidal_momentum",
        "centroidal_momentum_matrix",
    ),
    *(f"{name}_{frame}" for frame in FRAMES for name in ("jacobians", "velocities", "drifts")),
    *(f"frame_{name}_{frame}" for frame in FRAMES for name in ("jacobians", "velocities")),
}


@pytest.fixture
def engine() -> Any:
    try:
        assert any(letter.isdigit() for letter in JaxSim().version)
    except Missing as missing:
        pytest.skip(str(missing))
    return JaxSim()


def upright(mechanism: Mechanism) -> Mechanism:
    return replace(mechanism, gravity=(0, 0, -9))


@pytest.mark.nightly
def test_a_tree_in_an_order_that_jaxsim_does_not_keep(engine: Any) -> None:
    drawn = random_mechanism(3, 6, ("revolute", "continuous", "prismatic"), armature=False)
    mechanism = framed(upright(drawn))
    assert agreeing(mended(engine, mechanism), mechanism, NAMES, batch=2) == OFFERED


@pytest.mark.nightly
def test_a_free_base(engine: Any) -> None:
    """It has M⁻¹, no Coriolis matrix for our velocities, and no root to which frames could be fixed."""
    mechanism = upright(on_free_base(chain("revolute", "prismatic", armature=False)))
    without = {name for name in OFFERED if name.startswith("frame_")} | {"coriolis_matrix"}
    assert agreeing(mended(engine, mechanism), mechanism, NAMES, batch=2) == OFFERED - without | {"forward_dynamics_dtau"}


def test_damping_and_armature_are_added(engine: Any) -> None:
    drawn = upright(chain("revolute"))
    joint = replace(drawn.bodies[0].joint, armature=2, damping=3)
    mechanism = replace(drawn, bodies=(replace(drawn.bodies[0], joint=joint),))
    names = ["inverse_dynamics", "mass_matrix"]
    assert agreeing(engine.load(mechanism), mechanism, names, batch=2) == {*names}
    with pytest.raises(Unsupported, match="JaxSim has no armature, which joint 'joint0' has"):
        engine.load(mechanism).forward_dynamics(*np.zeros((3, 1, 1)))


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (chain("revolute"), "JaxSim has gravity along z alone"),
        (upright(chain("revolute", "spherical")), "JaxSim has no spherical joint, which joint 'joint1' is"),
        (upright(chain("revolute", "free")), "JaxSim has no free joint, which joint 'joint1' is"),
        (
            Mechanism("ring", (Body("ring", "world", Joint("pivot", "revolute")),), physical=False),
            "JaxSim has no links without mass, which body 'ring' is",
        ),
    ],
)
def test_what_jaxsim_has_not_is_said(engine: Any, mechanism: Mechanism, words: str) -> None:
    with pytest.raises(Unsupported, match=words):
        engine.load(mechanism)


SDF = """<sdf version="1.7"><model name="m">
<link name="base"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
<link name="leg"><pose relative_to="hip">0 0 0 0 0 0</pose><inertial><pose>.1 .2 -.5 0 0 0</pose><mass>2</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
<joint name="hip" type="revolute"><pose relative_to="base">0 0 -1 0 0 0</pose><parent>base</parent><child>leg</child>
<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper></limit><dynamics><damping>.7</damping>
<spring_reference>0</spring_reference><spring_stiffness>0</spring_stiffness></dynamics></axis></joint>
</model></sdf>"""


def test_sdf(engine: Any) -> None:
    base, _ = read(SDF, "sdf", False).reading.joints
    assert (base.name, base.kind, base.carries.mass) == ("root_joint", "free", 1)
    weld = '<joint name="weld" type="fixed"><parent>world</parent><child>base</child></joint></model>'
    (hip,) = read(SDF.replace("</model>", weld), "sdf", False).reading.joints
    assert (hip.name, hip.kind, hip.parent, hip.damping, hip.limits[:2]) == ("hip", "revolute", "", 0.7, (-1, 2))
    assert (hip.origin, hip.axis) == ((0, 0, -1), (0, 1, 0))
    np.testing.assert_allclose(hip.carries.com, (0.1, 0.2, -1.5))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("1.7", "1.6", r".*1\.6"),
        ("<spring_reference>0</spring_reference>", "", "KeyError: 'leg'"),
    ],
)
def test_files_that_it_refuses(engine: Any, old: str, new: str, words: str) -> None:
    """rod drops all joints where one has dynamics without a spring."""
    with pytest.raises(Unsupported, match=f"JaxSim refuses the file: {words}"):
        read(SDF.replace(old, new), "sdf", False)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", [page.stem for page in PAGES.glob("jaxsim-*.md")])
def test_the_pages_are_still_true(engine: Any, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(script_of(page), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", script_of(page), re.MULTILINE)
