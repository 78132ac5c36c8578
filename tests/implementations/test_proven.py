"""The reference is the oracle's function, in exact arithmetic: the oracle knows neither twists nor recursions over them."""

from __future__ import annotations

import pytest
from every_joint import chain

from cross_check.prove.proof.prove import prove
from implementations.spatial_algebra.integration import INTEGRATION
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import find_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import GROUPS, QUANTITIES

NAMES = [name for name in QUANTITIES if name not in GROUPS["integration"]]

BY_DAY = ("helical", "universal", "euler-zyx", "spherical", "planar", "free")
MECHANISMS = {
    **{kind: chain("revolute", kind) for kind in MOVING},
    "branches": find_mechanism("random:4:5:revolute,prismatic,cylindrical"),
    "mimic joints": find_mechanism("random:3:4:mimic"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.nightly if one in MOVING and one not in BY_DAY else ()) for one in MECHANISMS]
)
def test_every_quantity_is_proven(name: str) -> None:
    """With armature and damping."""
    certificate = prove(MECHANISMS[name], name, quantities=NAMES)
    assert (certificate.verdict, set(certificate.quantities)) == ("proven", set(NAMES))


def test_quantities_are_known_by_the_same_names_everywhere() -> None:
    assert [*ALGORITHMS, *INTEGRATION] == list(QUANTITIES)
    assert tuple(INTEGRATION) == GROUPS["integration"]
