"""adam, through its adapter and its own reader of URDF."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("adam", reason="adam is not installed")

from every_joint import agreeing

from cross_check.read.readers.compare import differences
from implementations.engines.adam.reader import read
from implementations.engines.as_read import AsRead
from implementations.engines.declared import ENGINES
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism
from mechanisms.urdf_reading import reading_of

pytestmark = [pytest.mark.engines, pytest.mark.slow]


@pytest.mark.parametrize("name", ["ur5", pytest.param("solo12", marks=pytest.mark.nightly)])
def test_the_model_that_adam_reads_agrees(name: str) -> None:
    mechanism = find_mechanism(name)
    offered = agreeing(AsRead(next(engine for engine in ENGINES if engine.name == "adam")).load(mechanism), mechanism, batch=2)
    assert offered >= {"mass_matrix", "nonlinear_effects", "gravity", "placements", "jacobians_local", "drifts_local"}


def test_what_it_cannot_read_is_said() -> None:
    with pytest.raises(Unsupported, match="adam refuses the file"):
        read('<robot name="a"><link name="b"/></robot>', "urdf", False)
    with pytest.raises(Unsupported, match="adam reads URDF alone"):
        read("<mujoco/>", "mjcf", False)


COMPLETE = """<robot name="r"><link name="base"/><link name="arm"><inertial><origin xyz="0 0 1"/><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><origin xyz="1 0 0"/><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
</joint></robot>"""


@pytest.mark.parametrize(
    ("part", "lacking"),
    [
        ('<origin xyz="1 0 0"/>', "<origin>, which joint 'j' lacks"),
        ('<origin xyz="0 0 1"/>', "<origin>, which <inertial> of link 'arm' lacks"),
        ('<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>', "<inertia>, which <inertial> of link 'arm' lacks"),
        ('<axis xyz="0 0 1"/>', "<axis>, which joint 'j' lacks"),
    ],
)
def test_what_a_file_lacks_is_said(part: str, lacking: str) -> None:
    """Its own words are "'NoneType' object is not subscriptable"."""
    assert read(COMPLETE, "urdf", False).reading.joints[0].name == "j"
    with pytest.raises(Unsupported, match=f"^adam refuses the file: it needs {lacking}$"):
        read(COMPLETE.replace(part, ""), "urdf", False)


def test_an_axis_is_as_long_as_adam_uses_it() -> None:
    """adam does not normalise it: M is larger by the square of its length."""
    text = COMPLETE.replace('<axis xyz="0 0 1"/>', '<axis xyz="1 2 3"/>')
    theirs, (ours, mechanism) = read(text, "urdf", False), reading_of(text)
    (found,) = differences(ours, theirs.reading)
    assert (found.row, found.joint, found.theirs, found.is_digits) == ("axes", "j", "1 2 3", False)
    M = theirs.dynamics(mechanism, [0]).mass_matrix(np.zeros((1, 1)))
    np.testing.assert_allclose(M, 14 * REFERENCE.load(mechanism).mass_matrix(np.zeros((1, 1))))
