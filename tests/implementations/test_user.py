"""A user's code: what may be named, what it becomes, and what is said when it cannot be used."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from implementations.plugins.registry import find_implementation
from implementations.plugins.user_code import LONGEST_LINE, OURS, UserCodeError, is_slip, load_user
from implementations.processes.subject import InProcess
from implementations.protocol import Implementation, Unsupported
from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.quantities import QUANTITIES

PENDULUM = Mechanism("pendulum", (Body("bob", "world", Joint("pivot", "revolute"), Inertia(2)),))

CODE = """
import dataclasses
from fractions import Fraction
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
    return SEVEN * a

def nonlinear_effects(mechanism, q, v):
    return [Fraction(1, 3)]

def mass_matrix(mechanism, q):
    return [[float(q[0])]]

def kinetic_energy(mechanism, q, v):
    return v[0]

def gravity(mechanism, q):
    return [[1.0]]

def potential_energy(mechanism, q):
    pass

# Beside functions of a mechanism, a helper is no quantity of one robot.
def placements(angles):
    return angles
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
    assert not mine.by_state


def test_functions_of_one_state_answer_batches(code: str) -> None:
    mine = load_user(code)
    dynamics = mine.load(PENDULUM)
    q, v, a = np.array([[1.0], [2.0]]), np.array([[3.0], [4.0]]), np.array([[5.0], [6.0]])
    assert (mine.name, mine.version, mine.by_state, mine.one_robot) == ("my code", "unknown", True, None)
    np.testing.assert_array_equal(dynamics.inverse_dynamics(q, v, a), 7 * a)
    np.testing.assert_array_equal(dynamics.mass_matrix(q), [[[1]], [[2]]])
    np.testing.assert_array_equal(dynamics.kinetic_energy(q, v), [3, 4])
    np.testing.assert_array_equal(dynamics.nonlinear_effects(q, v), [[1 / 3], [1 / 3]], "exact numbers are an answer")
    assert not hasattr(dynamics, "forward_dynamics") and not hasattr(dynamics, "placements")
    with pytest.raises(UserCodeError, match=r"gravity .* shape \(1, 1\); return \(1,\)"):
        dynamics.gravity(q)
    with pytest.raises(UserCodeError, match="potential_energy returned None; let it return its answer"):
        dynamics.potential_energy(q)


@pytest.mark.parametrize(
    ("code", "reason"),
    [("def load(mechanism):\n    raise NotImplementedError('no hinges')", "no hinges"),
     ("def gravity(mechanism, q):\n    raise NotImplementedError", "it raised NotImplementedError")],
)  # fmt: skip
def test_what_is_not_implemented_is_refused(tmp_path: Path, code: str, reason: str) -> None:
    (tmp_path / "mine.py").write_text(code)
    with pytest.raises(Unsupported, match=reason):
        InProcess(load_user(str(tmp_path / "mine.py"))).load(PENDULUM).ask("gravity", np.zeros((1, 1)))


def test_another_function_of_a_quantitys_name_is_said_to_be_one(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def integrate(f, a, b):\n    return (b - a) * f(a)\n\ndef difference(a, b):\n    return a - b\n")
    loaded, state = load_user(str(file)).load(PENDULUM), np.zeros((1, 1))
    for name in ("integrate", "difference"):
        with pytest.raises(TypeError, match=f"if {name} is no function of a mechanism and two arrays, give it another name"):
            getattr(loaded, name)(state, state)


def test_a_file_adds_its_folder_to_the_end_of_the_import_path_once(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = list(sys.path)
    monkeypatch.setattr(sys, "path", list(before))
    load_user(code)
    load_user(code)
    assert sys.path == [*before, str(Path(code).parent)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder of a console script: Python does not look for modules there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path not in ("", ".")])
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return tmp_path


LATE = "from first_helper import SEVEN\ndef gravity(mechanism, q):\n    from late_helper import ONE\n    return SEVEN * q / ONE\n"


@pytest.mark.parametrize("spec", ["late_user", "late_user.py"])
def test_modules_of_the_current_folder_import_each_other_early_and_late(folder: Path, spec: str) -> None:
    """The folder comes first while the user's module is imported, and last afterwards."""
    (folder / "first_helper.py").write_text("import sys\nPATH = list(sys.path)\nSEVEN = 7\n")
    (folder / "late_helper.py").write_text("ONE = 1\n")
    (folder / "late_user.py").write_text(LATE)
    dynamics = find_implementation(spec).load(PENDULUM)
    np.testing.assert_array_equal(dynamics.gravity(np.array([[2.0]])), [[14.0]])
    assert sys.path[-1] == str(folder)
    assert spec == "late_user.py" or sys.modules["first_helper"].PATH[0] == str(folder)
    assert sys.path.count(str(folder)) == 1


def test_a_name_that_is_no_module_leaves_the_import_path_alone(folder: Path) -> None:
    before = list(sys.path)
    with pytest.raises(UserCodeError, match="there is no implementation and no module called 'no_such_user'"):
        find_implementation("no_such_user")
    assert sys.path == before


def module(folder: Path, name: str, *functions: str) -> str:
    text = "from statistics import mean as masss_matrix\n" + "".join(f"def {function}: return 0\n" for function in functions)
    (folder / f"{name}.py").write_text(text)
    return str(folder / f"{name}.py")


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("forward_dynamic(m, q, v, t)", "forward_dynamics"),
        ("inverse_dynamcis(m, q, v, a)", "inverse_dynamics"),
        ("nonlinear_effect(m, q, v, extra=None)", "nonlinear_effects"),
        ("centre_of_mass(*arguments)", "center_of_mass"),
        ("inverse_dynamic_dv(m, q, v)", "inverse_dynamics_dv"),
    ],
)
def test_a_misspelt_function_is_named_with_the_quantity_that_it_surely_is(tmp_path: Path, misspelt: str, meant: str) -> None:
    says = rf"defines {misspelt.partition('(')[0]}, which is not a quantity; did you mean {meant}\?"
    with pytest.raises(UserCodeError, match=says):
        load_user(module(tmp_path, "slip", "gravity(m, q)", misspelt))


HELPERS = """
mass_matrix_inverse(m, q); inverse_dynamics_old(m, q, v, a); gravity_vector(m, q); gravity2(m, q); mass_matrix2(m, q)
my_mass_matrix(m, q); dmass_matrix(m, q); inverse_dynamics_dt(m, q, v, a); inverse_dynamics_da(m, q, v, a)
inverse_kinematics(m, q, v, a); jacobian_local(m, q, body); kinetic_energies(m, q, v); momentum_matrix(m, q); massMatrix(m, q)
_forward_dynamic(m, q, v, t); impact_forces_elastic(m, q, v_minus)
gravty(m, q); forward_dynamic(m)
"""
"""Of the last two, the first is another function, as gravity is offered, and the second is not called as the quantity is."""


@pytest.mark.parametrize("helper", HELPERS.strip().replace("\n", "; ").split("; "))
def test_helpers_with_similar_names_are_no_slips(tmp_path: Path, helper: str) -> None:
    assert load_user(module(tmp_path, "helpful", "gravity(m, q)", helper)).name == "helpful"


def test_no_quantity_is_a_slip_of_another() -> None:
    assert not [(name, meant) for name in QUANTITIES for meant in QUANTITIES if is_slip(name, meant)]


def test_where_nothing_is_offered_a_similar_name_is_pointed_out(tmp_path: Path) -> None:
    with pytest.raises(UserCodeError, match="none of the quantities; it defines inverseDynamics; did you mean inverse_dynamics"):
        load_user(module(tmp_path, "camel", "inverseDynamics(m, q, v, a)"))
    with pytest.raises(UserCodeError, match="rnea is inverse_dynamics here: write inverse_dynamics = rnea below it"):
        load_user(module(tmp_path, "featherstone", "rnea(m, q, v, a)"))
    with pytest.raises(UserCodeError, match="offers none of the quantities; define load"):
        load_user(module(tmp_path, "unlike", "simulate(m, q, v, a)"))


@pytest.mark.engines
def test_installed_module_and_object_in_it() -> None:
    assert load_user("implementations.engines.pinocchio.adapter:Pinocchio").name == "pinocchio"


def test_every_folder_of_the_checkout_is_ours_and_the_tests_are_not() -> None:
    root = Path(__file__).parents[2]
    assert {path.parent for path in root.glob("*/__init__.py")} == set(OURS)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("nowhere.py", r"no file 'nowhere\.py'; correct the path"),
        (r"C:\code\mine.py:engine", r"no file 'C:\\\\code\\\\mine\.py'"),
        ("no_such_package.sub:x", "module 'no_such_package' is not found; install it, change to the folder"),
        ("mechanisms.no_such_part", "module 'mechanisms.no_such_part' is not found; install it, change to the folder"),
        ("mechanisms:Nothing", "no 'Nothing' in it"),
        ("mechanisms", "offers none of the quantities; define load"),
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
    remedy = "install it, or import it inside functions" if cause is ModuleNotFoundError else "mend that first"
    with pytest.raises(UserCodeError, match=rf"importing it raised {cause.__name__}.*; {remedy}") as caught:
        load_user(str(tmp_path / "bad.py"))
    assert isinstance(caught.value.__cause__, cause)
    assert "\n" not in str(caught.value)
    assert not [name for name in set(sys.modules) - before if name.startswith("_dalembert_user")]


def test_what_code_raises_is_said_with_the_lines_that_lead_to_it(tmp_path: Path) -> None:
    lines = ["def inner(x):", "    return x['mass']", "def gravity(mechanism, q):", "    return inner(q)", "", ""]
    (tmp_path / "deep.py").write_text("\n".join([*lines, f"x = 1; gravity(0, 1) # {'long ' * 99}"]))
    with pytest.raises(UserCodeError) as caught:
        load_user(str(tmp_path / "deep.py"))
    places = str(caught.value).partition(" (")[2].partition("); mend")[0].split("; called at ")
    assert places[:2] == ["deep.py:2: return x['mass']", "deep.py:4: return inner(q)"]
    assert places[2].startswith("deep.py:7: x = 1; gravity(0, 1) # long") and len(places[2]) == len("deep.py:7: ") + LONGEST_LINE
