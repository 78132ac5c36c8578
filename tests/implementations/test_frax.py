"""frax, in the precision of JAX: against the reference, what it refuses, and its reader."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from every_joint import agreeing, chain, states

from cross_check.read.readers.compare import differences
from implementations.engines.as_read import AsRead
from implementations.engines.declared import ENGINES
from implementations.plugins.registry import find_implementation
from implementations.protocol import Missing, Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import EARTH, Mechanism
from mechanisms.files.urdf.reading import reading_of
from mechanisms.library.extended import framed, on_free_base
from mechanisms.numbers.precision import precision_named
from mechanisms.quantities import INTEGRATION, QUANTITIES

pytestmark = [pytest.mark.engines, pytest.mark.slow]

NAMES = [name for name in QUANTITIES if name not in INTEGRATION]
OFFERED = {
    *("inverse_dynamics", "inverse_dynamics_with_forces", "mass_matrix", "nonlinear_effects", "gravity", "placements"),
    *("forward_dynamics_dtau", "jacobians_aligned", "drifts_aligned", "center_of_mass", "center_of_mass_jacobian"),
}
OF_FRAMES = {"frame_placements", "frame_jacobians_aligned"}
MOMENTS = '<inertia ixx=".3" iyy=".4" izz=".5" ixy=".01" ixz=".02" iyz=".03"/>'
INERTIAL = f'<inertial><origin xyz=".1 .2 .3" rpy=".3 .2 .1"/><mass value="2"/>{MOMENTS}</inertial>'


@pytest.fixture
def frax() -> Any:
    found: Any = find_implementation("frax")
    try:
        assert any(letter.isdigit() for letter in found.version)
    except Missing as missing:
        pytest.skip(str(missing))
    return found


def plain(mechanism: Mechanism) -> Mechanism:
    return replace(mechanism, gravity=EARTH)


def with_frames(mechanism: Mechanism) -> Mechanism:
    """A frame on every body, and none on the root, which frax does not have."""
    return replace(mechanism, frames=framed(mechanism).frames[1:])


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("mechanism", "more"),
    [
        (chain("revolute", "prismatic", "continuous", armature=False), set()),
        (plain(with_frames(on_free_base(chain("revolute", "prismatic", armature=False)))), {*OF_FRAMES, "forward_dynamics"}),
    ],
    ids=["a chain and gravity along no axis", "a free base with frames"],
)
def test_every_quantity_agrees_to_the_digits_of_its_precision(frax: Any, mechanism: Mechanism, more: set[str]) -> None:
    precision = precision_named(frax.precision)
    dynamics = frax.load(mechanism.in_precision(precision))
    assert agreeing(dynamics, mechanism, NAMES, batch=3, tolerance=256 * precision.epsilon) == OFFERED | more


@pytest.mark.parametrize("kind", ["spherical", "planar", "free", "helical"])
def test_joints_that_it_lacks_are_said(frax: Any, kind: Any) -> None:
    with pytest.raises(Unsupported, match=f"frax has no {kind} joint, which joint 'joint1' is"):
        frax.load(chain("revolute", kind))


def test_armature_and_damping_are_added_and_forward_dynamics_refused(frax: Any) -> None:
    mechanism = plain(chain("revolute", "prismatic"))
    dynamics, reference = frax.load(mechanism), REFERENCE.load(mechanism)
    q, v, a = states(mechanism, batch=2)
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a), reference.inverse_dynamics(q, v, a), rtol=1e-4)
    with pytest.raises(Unsupported, match="frax has no armature, which joint 'joint1' has"):
        dynamics.forward_dynamics(q, v, a)


def read(text: str, free_base: bool = False, form: Any = "urdf") -> Any:
    return AsRead(next(engine for engine in ENGINES if engine.name == "frax")).read(text, form, free_base)


def joint(name: str, kind: str, parent: str, child: str) -> str:
    origin = '<origin xyz="0.3 -0.2 0.1" rpy="0.4 0.5 0.6"/><axis xyz="0 3 4"/>'
    limit = '<limit lower="-1" upper="2" velocity="3" effort="4"/><dynamics damping=".7"/>'
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{origin}{limit}</joint>'


JOINTS = [
    joint("turn", "continuous", "base", "arm"),
    joint("weld", "fixed", "arm", "tool"),
    joint("slide", "prismatic", "tool", "pen"),
]
LINKS = ['<link name="base"/>', *(f'<link name="{name}">{INERTIAL}</link>' for name in ("arm", "tool", "pen"))]
ROBOT = f'<robot name="made">{"".join(LINKS + JOINTS)}</robot>'


@pytest.mark.parametrize("free_base", [False, True])
def test_the_robot_is_that_of_our_reader(frax: Any, free_base: bool) -> None:
    theirs, (ours, _) = read(ROBOT, free_base), reading_of(ROBOT, free_base)
    assert [(row.row, row.joint) for row in differences(ours, theirs) if not row.is_digits] == []
    slide = theirs.joints[-1]
    assert (slide.name, slide.parent, slide.limits, slide.damping) == ("slide", "turn", (-1, 2, 3, 4), None)


@pytest.mark.parametrize(
    ("text", "form", "words"),
    [
        ("<mujoco/>", "mjcf", "frax has no reader of MJCF"),
        ("<robot/>", "urdf", "frax refuses the file: "),
        (ROBOT.replace("prismatic", "planar"), "urdf", "frax refuses the file: .*planar"),
        (ROBOT.replace(LINKS[-1], '<link name="pen"><visual/></link>'), "urdf", "frax refuses the file: "),
    ],
)
def test_what_its_reader_refuses_is_said(frax: Any, text: str, form: str, words: str) -> None:
    with pytest.raises(Unsupported, match=words):
        read(text, form=form)
