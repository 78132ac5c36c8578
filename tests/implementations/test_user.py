"""A user's code: what may be named, what it becomes, and what is said when it cannot be used."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from implementations.plugins.user_code import UserCodeError, load_user
from implementations.protocol import Implementation
from mechanisms import Body, Inertia, Joint, Mechanism

PENDULUM = Mechanism("pendulum", (Body("bob", "world", Joint("pivot", "revolute"), Inertia(2)),))

CODE = """
import dataclasses
from helper import SEVEN

@dataclasses.dataclass
class Engine:
    name: str = "mine"
    version: str = "1.2"
    def load(self, mechanism):
        return ("loaded", mechanism.name)

class Needy(Engine):
    def __init__(self, robot):
        pass

class inner:
    engine = Engine()

nothing = object()

def inverse_dynamics(mechanism, q, v, a):
    q[:] = 0
    return SEVEN * a

def mass_matrix(mechanism, q):
    return [[float(q[0])]]

def kinetic_energy(mechanism, q, v):
    return v[0]

def gravity(mechanism, q):
    return [[1.0]]
"""


@pytest.fixture
def code(tmp_path: Path) -> str:
    (tmp_path / "helper.py").write_text("SEVEN = 7\n")
    (tmp_path / "my code.py").write_text(CODE)
    return str(tmp_path / "my code.py")


@pytest.mark.parametrize("part", ["Engine", "inner.engine"])
def test_class_or_object_with_load_is_an_implementation(code: str, part: str) -> None:
    mine = load_user(f"{code}:{part}")
    assert isinstance(mine, Implementation)
    assert (mine.name, mine.version, mine.load(PENDULUM)) == ("mine", "1.2", ("loaded", "pendulum"))


def test_functions_of_one_state_answer_batches_and_leave_the_states_alone(code: str) -> None:
    mine = load_user(code)
    dynamics = mine.load(PENDULUM)
    q, v, a = np.array([[1.0], [2.0]]), np.array([[3.0], [4.0]]), np.array([[5.0], [6.0]])
    assert (mine.name, mine.version) == ("my code", "unknown")
    np.testing.assert_array_equal(dynamics.inverse_dynamics(q, v, a), 7 * a)
    np.testing.assert_array_equal(dynamics.mass_matrix(q), [[[1]], [[2]]])
    np.testing.assert_array_equal(dynamics.kinetic_energy(q, v), [3, 4])
    assert not hasattr(dynamics, "forward_dynamics")


def test_answer_of_the_wrong_shape_is_refused_rather_than_broadcast(code: str) -> None:
    with pytest.raises(UserCodeError, match=r"gravity .* shape \(1, 1\); return \(1,\)"):
        load_user(code).load(PENDULUM).gravity(np.zeros((1, 1)))


def test_importing_a_file_leaves_the_import_path_as_it_was(code: str) -> None:
    before = list(sys.path)
    load_user(code)
    assert sys.path == before


def test_installed_module_and_object_in_it() -> None:
    assert load_user("implementations.engines.pinocchio.adapter:Pinocchio").name == "pinocchio"


def test_drive_letter_is_part_of_the_file() -> None:
    with pytest.raises(UserCodeError, match=r"no file 'C:\\\\code\\\\mine\.py'"):
        load_user(r"C:\code\mine.py:engine")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("nowhere.py", r"no file 'nowhere\.py'; correct the path"),
        ("no_such_package.sub:x", "module 'no_such_package' is not found; install it"),
        ("mechanisms.no_such_part", "module 'mechanisms.no_such_part' is not found; install it"),
        ("mechanisms:Nothing", "no 'Nothing' in it"),
        ("mechanisms", "offers none of the quantities; define load"),
        (":engine", "importing it raised ValueError"),
        ("", "importing it raised ValueError"),
    ],
)
def test_what_cannot_be_found_is_named_with_the_remedy(spec: str, says: str) -> None:
    with pytest.raises(UserCodeError, match=says) as caught:
        load_user(spec)
    assert repr(spec) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("part", "says"), [("Needy", "calling the class without arguments raised TypeError"), ("nothing", "none of the")]
)
def test_objects_that_cannot_serve(code: str, part: str, says: str) -> None:
    with pytest.raises(UserCodeError, match=says):
        load_user(f"{code}:{part}")


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("1 / 0", ZeroDivisionError),
        ("import no_such_dependency", ModuleNotFoundError),
        ("raise SystemExit(3)", SystemExit),
        ("def broken(:", SyntaxError),
    ],
)
def test_import_that_raises_is_one_sentence_with_its_cause(tmp_path: Path, body: str, cause: type[BaseException]) -> None:
    (tmp_path / "bad.py").write_text(body)
    before = set(sys.modules)
    with pytest.raises(UserCodeError, match=rf"importing it raised {cause.__name__}.*; mend that first") as caught:
        load_user(str(tmp_path / "bad.py"))
    assert isinstance(caught.value.__cause__, cause)
    assert "\n" not in str(caught.value)
    assert not [name for name in set(sys.modules) - before if name.startswith("_dalembert_user")]
