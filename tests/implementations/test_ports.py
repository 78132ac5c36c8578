"""MuJoCo's ports: MJX and MuJoCo Warp against the reference, and what is common to them against MuJoCo as a port of itself."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from every_joint import agreeing, chain, states

from implementations.engines import blocks
from implementations.engines.declared import declared
from implementations.engines.mujoco import ports
from implementations.plugins.registry import find_implementation
from implementations.processes.subject import InProcess
from implementations.protocol import Failure, Missing, Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, random_mechanism
from mechanisms.library.extended import framed
from mechanisms.numbers.precision import precision_named
from mechanisms.quantities import INTEGRATION, QUANTITIES

pytestmark = pytest.mark.engines

NAMES = [name for name in QUANTITIES if name not in INTEGRATION]
FLOAT32 = precision_named("float32")
KINDS = ("revolute", "prismatic", "spherical", "planar", "free", "universal", "continuous")


class Itself:
    """MuJoCo as its own port, one state after the other."""

    offers = frozenset({"inverse_dynamics", "mass_matrix", "nonlinear_effects", "placements", "frame_placements"})
    steps = MappingProxyType[str, Any]({})

    def __init__(self, mj: Any, model: Any, bodies: list[int], sites: list[int]) -> None:
        self._mj, self._model, self.sizes = mj, model, list[int]()

    def fields(self, stage: str, q: Any, v: Any, a: Any, tau: Any) -> Any:
        self.sizes.append(len(q))
        found, matrices = [], np.zeros((len(q), self._model.nv, self._model.nv))
        for M, *state in zip(matrices, q, v, a, strict=True):
            data = self._mj.MjData(self._model)
            data.qpos[:], data.qvel[:], data.qacc[:] = state
            self._mj.mj_inverse(self._model, data)
            self._mj.mj_fullM(self._model, data, M)
            found.append(data)
        names = ("qfrc_inverse", "qfrc_bias", "qfrc_passive", "xpos", "xmat", "site_xpos", "site_xmat")
        return {"M": matrices, **{name: np.array([getattr(data, name) for data in found]) for name in names}}


def loaded(mechanism: Mechanism, port: type[Itself] = Itself) -> Any:
    pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    return ports.load(mechanism, port)


def test_fields_become_quantities_in_our_coordinates() -> None:
    for mechanism in (framed(chain(*KINDS)), random_mechanism(3, 9, KINDS, True, armature=True, tilted_gravity=True)):
        frames = {"frame_placements"} if mechanism.frames else set()
        assert agreeing(loaded(mechanism), mechanism, NAMES) == Itself.offers - {"frame_placements"} | frames


@pytest.mark.parametrize("count", [0, 1, blocks.BLOCK, blocks.BLOCK + 1, 2 * blocks.BLOCK])
def test_blocks_are_filled_and_their_answers_joined(count: int) -> None:
    made: list[Itself] = []

    class Kept(Itself):
        def __init__(self, *given: Any) -> None:
            Itself.__init__(self, *given)
            made.append(self)

    mechanism = chain("revolute", "spherical")
    q, v, a = states(mechanism, batch=count)
    answer = loaded(mechanism, Kept).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(answer, REFERENCE.load(mechanism).inverse_dynamics(q, v, a), rtol=0, atol=1e-10)
    assert made[0].sizes == [blocks.BLOCK] * -(-count // blocks.BLOCK)


def test_what_a_port_does_not_offer_is_not_there() -> None:
    assert not hasattr(loaded(chain("revolute")), "kinetic_energy")
    assert not hasattr(loaded(chain("revolute")), "frame_placements")
    with pytest.raises(Unsupported, match="MuJoCo has no helical joint"):
        loaded(chain("helical"))


@pytest.fixture(params=["mujoco-warp", pytest.param("mjx", marks=pytest.mark.nightly)])
def engine(request: pytest.FixtureRequest) -> Any:
    """A port that is installed. XLA compiles for half a minute."""
    found = find_implementation(request.param)
    try:
        assert any(letter.isdigit() for letter in found.version)  # type: ignore[attr-defined]
    except Missing as missing:
        pytest.skip(str(missing))
    return found


@pytest.mark.filterwarnings("ignore")
def test_every_quantity_agrees_to_the_digits_of_its_precision(engine: Any) -> None:
    """A tree that no engine keeps in order, with armature, damping and gravity along no axis."""
    mechanism = framed(random_mechanism(3, 5, KINDS[:5], armature=True, tilted_gravity=True))
    dynamics = engine.load(mechanism.in_precision(precision_named(engine.precision)))
    near = 64 * precision_named(engine.precision).epsilon
    assert agreeing(dynamics, mechanism, NAMES, batch=3, tolerance=near) == {*engine_offers(engine)}


def engine_offers(engine: Any) -> frozenset[str]:
    return declared(engine.name).offers


@pytest.mark.filterwarnings("ignore")
def test_earlier_answers_stay_and_do_not_matter(engine: Any) -> None:
    mechanism = chain("revolute", "spherical")
    q, v, a = states(mechanism, batch=2)
    dynamics = engine.load(mechanism)
    first = dynamics.inverse_dynamics(q, v, a)
    kept = first.copy()
    dynamics.forward_dynamics(q[::-1], 2 * v, a)
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(dynamics.inverse_dynamics(q, v, a), kept)


class Rounding:
    """Code in float32, right or with a fault."""

    name, precision = "rounding", "float32"

    def __init__(self, writes: bool) -> None:
        self.writes = writes

    def load(self, mechanism: Mechanism) -> Any:
        return self

    def gravity(self, q: Any) -> Any:
        assert q.dtype == np.float32
        answer = np.zeros_like(q)
        if self.writes:
            q += 1
        return answer


def test_states_that_float32_does_not_have_are_rounded_and_nobody_is_accused() -> None:
    q = np.array([[0.1]])
    mechanism = chain("revolute").in_precision(FLOAT32)
    InProcess(Rounding(False)).load(mechanism).ask("gravity", q)
    with pytest.raises(Failure, match="writes into its input q"):
        InProcess(Rounding(True)).load(mechanism).ask("gravity", q)
