"""What an adapter reports where the release of its engine lacks a function, and where the adapter itself is wrong."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from implementations.plugins.registry import find_implementation
from implementations.processes.subject import Failure, InProcess
from implementations.protocol import Unsupported
from mechanisms.library.textbook import pendulum

ENGINE = """
from types import SimpleNamespace

class Model:
    pass

names = SimpleNamespace()

def broken():
    return names.gone
"""

ADAPTER = """
class Toy:
    version = "1.0"

    def load(self, mechanism):
        {load}
        return self

    def gravity(self, q):
        return {gravity}
"""


def toy(gravity: str = "0 * q", load: str = "pass", engine: str = "toy") -> Any:
    """An adapter of an engine, which evaluates these expressions."""
    foreign = ModuleType("toy")
    exec(compile(ENGINE, "/elsewhere/toy.py", "exec"), vars(foreign))
    names: dict[str, Any] = {"__name__": "implementations.engines.toy.adapter", "engine": foreign, "np": np}
    exec(ADAPTER.format(load=load, gravity=gravity), names)
    return InProcess(names["Toy"](), engine=engine)


def raised(sentence: str) -> str:
    """An expression that raises TypeError with this sentence, as functions in C++ do, which have no place in a file."""
    return f"(_ for _ in ()).throw(TypeError({sentence!r}))"


BOOST = raised("Python argument types in\n    Model.__init__(Model, list)\ndid not match C++ signature:\n    __init__(_object*)")
PYBIND = raised("gravity(): incompatible function arguments. The following argument types are supported: 1. (q: list)")
SWIG = raised("Wrong number or type of arguments for overloaded function 'Model_gravity'.")


@pytest.mark.parametrize("where", ["gravity", "load"])
@pytest.mark.parametrize(
    ("asks", "lack"),
    [
        ("engine.gravity(q)", "which has no gravity"),
        ("engine.Model().gravity", "which has no Model.gravity"),
        ("engine.Model.gravity", "which has no Model.gravity"),
        ("engine.names.gravity", "which has no gravity"),
        (BOOST, "whose Model takes other arguments"),
        (PYBIND, "whose gravity takes other arguments"),
        (SWIG, "whose Model_gravity takes other arguments"),
    ],
)
def test_what_a_release_lacks_is_not_offered(where: str, asks: str, lack: str) -> None:
    with pytest.raises(Unsupported, match=f"^not offered by toy 1.0, {lack}$"):
        toy(**{where: asks}).load(pendulum()).ask("gravity", np.zeros((1, 1)))


@pytest.mark.parametrize(
    "asks",
    ["self.forgotten", "None.gravity", "np.gravity", "q.gravity", "mechanism.gravity_of_mars", "engine.broken()", "1 + ''"],
)
def test_what_the_adapter_or_the_engine_does_wrong_has_failed(asks: str) -> None:
    with pytest.raises(Failure, match="raised"):
        toy(asks).load(pendulum()).ask("gravity", np.zeros((1, 1)))


def test_users_code_that_lacks_something_has_failed() -> None:
    with pytest.raises(Failure, match="has no attribute 'gravity'"):
        toy("engine.gravity(q)", engine="").load(pendulum()).ask("gravity", np.zeros((1, 1)))


@pytest.mark.engines
def test_an_engine_without_one_function_offers_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    import pinocchio as pin

    monkeypatch.delattr(pin, "rnea")
    loaded = InProcess(find_implementation("pinocchio"), engine="pinocchio").load(pendulum())
    with pytest.raises(Unsupported, match=r"not offered by pinocchio .*, which has no rnea"):
        loaded.ask("inverse_dynamics", *np.zeros((3, 1, 1)))
    assert loaded.ask("gravity", np.zeros((1, 1))).value.shape == (1, 1)
