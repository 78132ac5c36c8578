"""The digest of loaded code changes with everything that the code may do."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial, wraps
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import flint
import numpy as np
import pytest

from machine.caching.loaded_code import LoadedCode
from machine.recording import recording, tensor_functions
from machine.recording.recording import Recording
from mechanisms import Joint, geometry, joint_kinds
from oracle import BY_JETS
from oracle.by_jets import euler_lagrange, variation

ROOT = Path(__file__).parents[2]
FOLDERS = ("machine", "mechanisms", "oracle", "implementations", "cross_check", "dalembert", "reports")
PACKAGES = ("machine", "mechanisms", "oracle")


def digest() -> str | None:
    return LoadedCode(BY_JETS.derive, PACKAGES).digest()


BEFORE = digest()


def recompiled(function: FunctionType, **changed: Any) -> FunctionType:
    """A function of the same module with other code, as after an edit."""
    code: CodeType = function.__code__.replace(**changed)
    return FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that goes by the name and the module of another."""
    return wraps(function)(lambda *given: -function(*given))


CHANGES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "a function of a module": lambda m: m.setattr(variation, "gravity", recompiled(variation.gravity, co_consts=(None, -1))),  # type: ignore[arg-type]
    "a name in a function": lambda m: m.setattr(
        variation,
        "gravity",
        recompiled(variation.gravity, co_names=tuple(f"{x}_" for x in variation.gravity.__code__.co_names)),  # type: ignore[arg-type]
    ),
    "the code of a function": lambda m: m.setattr(variation.gravity, "__code__", variation.mass_matrix.__code__),
    "a default": lambda m: m.setattr(recording.Recording.add, "__defaults__", (0,)),
    "a method": lambda m: m.setattr(Recording, "add", recompiled(Recording.__dict__["add"], co_flags=67)),
    "a property": lambda m: m.setattr(Joint, "compound", property(Joint.__dict__["slots"].fget)),
    "the last bit of a number": lambda m: m.setattr(geometry, "UNIT_LENGTH_TOLERANCE", 1e-6 * (1 + 2**-52)),
    "a table": lambda m: m.setitem(euler_lagrange.OF_STATES, "center_of_mass", euler_lagrange.OF_STATES["placements"]),
    "an order in a table": lambda m: m.setattr(recording, "FOLD", dict(reversed(recording.FOLD.items()))),
    "a partial function": lambda m: m.setitem(euler_lagrange.OF_STATES, "placements", partial(len, 3)),
    "a description of joints": lambda m: m.setattr(
        joint_kinds, "JOINT_KINDS", {**joint_kinds.JOINT_KINDS, "revolute": joint_kinds.JOINT_KINDS["prismatic"]}
    ),
    "two entries that are exchanged": lambda m: m.setattr(
        tensor_functions, "UFUNCS", dict(zip(tensor_functions.UFUNCS, reversed(tensor_functions.UFUNCS.values()), strict=True))
    ),
    "a function of NumPy in the place of another": lambda m: m.setattr(
        tensor_functions,
        "UFUNCS",
        {np.sin if x is np.cos else x: y for x, y in tensor_functions.UFUNCS.items() if x is not np.sin},
    ),
    "a version of a package": lambda m: m.setattr(flint, "__version__", "0.0"),
    "what records NumPy's functions": lambda m: m.setattr(tensor_functions, "STRUCTURAL", set()),
}


class Own(Recording):
    """A class of a test."""


UNDONE = ("the code of a function", "a default", "a table", "a method")
"""Before these changes the digest is asked, so that they alone differ from what was walked through before."""

FOREIGN: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "a test's function": lambda m: m.setattr(variation, "gravity", lambda *given: 0),
    "in the name of the original": lambda m: m.setattr(variation, "gravity", wrapped(variation.gravity)),
    "in a table": lambda m: m.setitem(euler_lagrange.OF_STATES, "center_of_mass", lambda *given: 0),
    "a class": lambda m: m.setattr(recording, "Recording", Own),
}


@pytest.mark.slow
def test_every_change_in_memory_changes_the_digest_and_code_of_others_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the digest is asked again, and what was walked through before is looked at once more."""
    code = LoadedCode(BY_JETS.derive, PACKAGES)
    assert (code.digest(), code.changed) == (BEFORE, False)
    digests: dict[str, str | None] = {}
    for name, change in (CHANGES | FOREIGN).items():
        if name in UNDONE:
            assert code.digest() == BEFORE
        with monkeypatch.context() as patched:
            change(patched)
            digests[name] = code.digest()
    assert {name for name, found in digests.items() if found is None} == set(FOREIGN)
    assert len({BEFORE, *digests.values()}) == len(CHANGES) + 2, "a change is not seen, or two are the same"
    assert (code.digest(), code.changed) == (BEFORE, True)
    assert LoadedCode(wrapped, PACKAGES).digest() is None


PRINT = """
import oracle{more}
from machine.caching.loaded_code import LoadedCode
code = LoadedCode(oracle.BY_JETS.derive, ("machine", "mechanisms", "oracle"))
{work}
print(code.digest())
assert not code.changed
"""

WORK = """
code.digest()
import numpy as np
from implementations.recorded.programs import _code
from implementations.recorded.traced import TRACED
_code().digest()
from mechanisms import random_mechanism
m = random_mechanism(1, 3)
q, v, a = (np.ones((2000, n)) for n in (m.nq, m.nv, m.nv))
for by in ("llvm", "numpy") if __import__("machine").advice() is None else ("numpy",):
    oracle.RecordedQuantities(m, oracle.BY_JETS).high_low("inverse_dynamics", q[:3], v[:3], a[:3], by=by)
    oracle.RecordedQuantities(m, oracle.BY_JETS).high_low("inverse_dynamics_dv", q[:3], v[:3], by=by)
TRACED.load(m).high_low("inverse_dynamics", q, v, a, precision="float64")
assert _code().digest() and not _code().changed
"""


@pytest.mark.slow
def test_the_digest_is_the_same_in_every_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else is loaded, whatever was computed before, and however strings are hashed."""
    for seed, more, done in (("1", "", ""), ("2", ", dalembert.cli, cross_check.harness", WORK)):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        command = [sys.executable, "-c", PRINT.format(more=more, work=done)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.stdout.strip(), done.stderr) == (BEFORE, "")


@pytest.mark.parametrize(
    "part", ["machine", "mechanisms", "oracle", "implementations/spatial_algebra", "implementations/recorded"]
)
def test_no_function_imports_what_the_digest_would_miss(part: str) -> None:
    """The walk goes through the names of modules, so a function must not import a module of the project when it runs."""
    for path in (ROOT / part).rglob("*.py"):
        functions = (node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, (ast.FunctionDef, ast.Lambda)))
        for node in (node for function in functions for node in ast.walk(function)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or "."] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & {"", *FOLDERS}, f"{path.name}:{node.lineno}"
            assert not (isinstance(node, ast.Name) and node.id in ("import_module", "__import__", "eval", "exec")), path.name


def test_fractions_and_sets_count_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(**names: Any) -> str | None:
        from machine import program

        with monkeypatch.context() as patched:
            for name, value in names.items():
                patched.setattr(program, name, value, raising=False)
            return LoadedCode(program.words_of, ("machine",)).digest()

    assert told(X={1, 2, (3, "a")}) == told(X={(3, "a"), 2, 1}) != told(X={1, 2, (3, "b")})
    assert told(X=Fraction(1, 3)) != told(X=Fraction(1, 4))
    assert told(X=1) != told(X=True) != told(X=1.0)
    assert told(X="1") != told(X=b"1")
    assert told(X=frozenset({test_fractions_and_sets_count_by_value})) is None


def test_what_the_walk_does_not_see_is_in_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrapper is NumPy's, so the function under it is not read."""
    text = "import numpy as np\n@np.errstate(all='ignore')\ndef f(x):\n    return -x\n"
    module = tmp_path / "hidden_code" / "__init__.py"
    module.parent.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    digests = []
    for written in (text, text.replace("-x", "x"), text):
        module.write_text(written)
        monkeypatch.delitem(sys.modules, "hidden_code", raising=False)
        importlib.invalidate_caches()
        digests.append(LoadedCode(importlib.import_module("hidden_code").f, ("hidden_code",)).files)
    assert digests[0] == digests[2] != digests[1]
