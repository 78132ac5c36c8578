"""What Pinocchio's model is made of: numbers that the mechanism was given, and none that our own code computed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from implementations.engines.pinocchio.joint_models import depth_first, model_of
from implementations.engines.pinocchio.places import floats, triad, turned_by
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation, find_mechanism
from mechanisms.files.document import from_document, to_document
from mechanisms.geometry import unit_vector

TURNED = Placement(Rotation(3, 1, -2, 1), ("0.1", "-0.2", "0.3"))
SOLID = Inertia("2", ("0.1", "0", "-0.2"), ("0.3", "0.4", "0.5", "0.01", "0.02", "0.03"))

WELDED = Mechanism(
    "welded",
    (
        Body("arm", "world", Joint("shoulder", "euler-xyz", (0, 0, -1), TURNED), SOLID),
        Body("bracket", "arm", Joint("weld", "fixed", placement=TURNED), SOLID),
        Body("camera", "bracket", Joint("glue", "fixed", placement=TURNED), SOLID),
        Body("puck", "camera", Joint("slide", "planar", ("0.6", "0", "-0.8"), TURNED), SOLID),
    ),
)


def test_a_mechanism_keeps_its_bodies_as_they_were_before_they_were_welded() -> None:
    assert [body.name for body in WELDED.unwelded] == ["arm", "bracket", "camera", "puck"]
    assert WELDED.unwelded[0].inertia == SOLID
    assert replace(WELDED, name="other").unwelded == WELDED.unwelded
    assert from_document(to_document(WELDED)).unwelded == WELDED.unwelded
    lighter = replace(WELDED, bodies=(replace(WELDED.bodies[0], inertia=SOLID), *WELDED.bodies[1:]))
    assert lighter.unwelded == lighter.bodies
    lost = replace(WELDED, written=(replace(WELDED.bodies[1], parent="nobody"),))
    assert lost.unwelded == lost.bodies


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, -1, 1), (1e-9, -2e-9, -1)])
def test_the_triad_is_ours(axis: tuple[float, float, float]) -> None:
    unit = unit_vector(axis, normalise=True)
    ours = np.array(Joint("joint", "planar", unit).triad, dtype=float).T
    np.testing.assert_allclose(triad(unit), ours, atol=1e-15)


@pytest.mark.parametrize("quaternion", [(1, 0, 0, 0), (0, 0, -1, 0), (1e-30, 2e-30, -3e-30, 4e-30), (3, 1, 4, -1)])
def test_the_matrix_of_a_quaternion_is_ours(quaternion: tuple[float, float, float, float]) -> None:
    rotation = Rotation(*quaternion)
    np.testing.assert_allclose(floats(turned_by(rotation)), np.array(rotation.matrix, dtype=float), atol=1e-15)


@pytest.mark.engines
def test_the_model_is_built_without_the_functions_that_make_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    # What is computed once is computed before the functions are taken away.
    mechanisms = [replace(WELDED), find_mechanism("every-joint")]
    assert all(mechanism.unwelded and mechanism.arrays for mechanism in mechanisms)
    for kind in (Rotation, Placement):
        for name in ("__matmul__", "__call__", "inverse"):
            monkeypatch.delattr(kind, name)
    for name in ("placed", "about", "__add__", "matrix"):
        monkeypatch.delattr(Inertia, name)
    for name in ("triad", "screws"):
        monkeypatch.setattr(Joint, name, property(lambda self: pytest.fail("the model asks for what the truth is made of")))
    monkeypatch.setattr(Rotation, "matrix", property(lambda self: pytest.fail("the model asks for our matrix")))
    for mechanism in mechanisms:
        assert model_of(pin, mechanism, depth_first(mechanism)).nv == mechanism.nv
