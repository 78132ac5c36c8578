"""What users of the machine call: inputs of every form, threads, the choice of a backend, and errors."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb
from recorded_programs import ball, bits_differ, random_inputs, random_program

from machine import Op, Program, advice, backend, run
from machine.instructions import Precision

ROOT = Path(__file__).parents[2]
THIRD = Program(1, [[Op.MUL, 0, 1, 2]], (Fraction(1, 3),), [2], 3)


def test_results_have_two_words() -> None:
    high, low = run(THIRD, np.array([[1.0, 2.0]]))
    assert high.tolist() == [[1 / 3, 2 / 3]]
    assert abs(ball(high[0, 0], low[0, 0]) - arb(1) / 3) < arb(2) ** -105
    high, low = run(THIRD, np.array([[1.0, 2.0]]), "float64")
    assert high.tolist() == [[1 / 3, 2 / 3]]
    assert low.tolist() == [[0, 0]]


def test_inputs_may_be_pairs_that_overlap() -> None:
    """The sum of the two words is meant, however it is divided."""
    x, y = np.array([[1.0]]), np.array([[2.0**-60]])
    assert not bits_differ(run(THIRD, (x, y)), run(THIRD, (y, x)))
    assert run(THIRD, (x, x))[0] == 2 / 3


def test_inputs_may_be_views_and_other_numbers() -> None:
    wide = np.arange(12, dtype=np.int32).reshape(1, 12)
    assert run(THIRD, wide[:, ::3])[0].tolist() == [[0, 1, 2, 3]]
    assert run(THIRD, np.asfortranarray(wide))[0].tolist() == run(THIRD, wide)[0].tolist()
    odd = np.frombuffer(b" " + np.arange(3.0).tobytes(), np.uint8)[1:].view(np.float64)[None]
    assert not odd.flags.aligned
    assert run(THIRD, odd)[0].tolist() == [[0, 1 / 3, 2 / 3]]


@pytest.mark.parametrize(
    ("inputs", "wishes", "message"),
    [
        (np.zeros((2, 5)), {}, r"have the shape \(1, states\), not \(2, 5\)"),
        ((np.zeros((1, 5)), np.zeros((1, 4))), {}, r"high words .* \(1, 5\), the low words \(1, 4\)"),
        (np.zeros((1, 5), complex), {}, "must be real numbers, and are complex128"),
        ([["1.5"]], {}, "must be real numbers, and are <U3"),
        ([[1.0]], {"precision": "long double"}, "there is no precision 'long double'"),
        ([[1.0]], {"threads": 0}, "0 threads compute nothing; ask for one or more"),
        ([[1.0]], {"by": "fortran"}, "there is no backend 'fortran'; write llvm or numpy"),
    ],
)
def test_what_cannot_be_computed_is_refused(inputs: Any, wishes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(THIRD, inputs, **wishes)


@pytest.mark.parametrize("by", ["numpy", None])
def test_there_may_be_no_inputs_and_no_outputs(by: Any) -> None:
    assert run(Program(0, [], (Fraction(1, 2),), [0], 1), np.zeros((0, 3)), by=by)[0].tolist() == [[0.5, 0.5, 0.5]]
    assert run(Program(0, [], (), [], 0), np.zeros((0, 3)), by=by)[0].shape == (0, 3)


@pytest.mark.parametrize("precision", ["double-double", "float64"])
def test_threads_change_no_bit(precision: Precision) -> None:
    program, inputs = random_program(9, 100), random_inputs(10, 5, 333)
    one = run(program, inputs, precision)
    for threads in (2, 7):
        assert not bits_differ(run(program, inputs, precision, threads=threads), one)


def test_memory_stays_bounded() -> None:
    """The registers of many states do not exist at the same time."""
    program = random_program(11, 4000)
    code = (
        "import resource, sys, numpy as np; from machine import run; from recorded_programs import random_program\n"
        "program = random_program(11, 4000); run(program, np.ones((5, 8)), by=sys.argv[1])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "run(program, np.ones((5, 30000)), by=sys.argv[1])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    pytest.importorskip("resource", reason="this system does not tell the largest size of a process")
    done = python(code, "numpy" if backend() == "numpy" else "llvm")
    assert int(done.stdout) < 50_000, done.stdout + done.stderr
    assert program.registers * 30_000 * 16 > 65e6


def test_without_llvmlite_numpy_takes_over_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "llvmlite.py").write_text("raise ImportError('not here')\n")
    code = "from machine import *; print(backend()); print(advice()); print(run(Program(1, [[4, 0, 0, 0]], (), [0], 1), [[2.0]]))"
    done = python(code, path=tmp_path)
    assert done.stdout.startswith("numpy\nRecorded programs run on NumPy"), done.stdout + done.stderr
    assert 'pip install "dalembert[fast]"' in done.stdout
    assert "-2." in done.stdout


def test_with_llvmlite_there_is_nothing_to_say() -> None:
    pytest.importorskip("llvmlite", reason="llvmlite is not installed, so NumPy is the only backend")
    assert (backend(), advice()) == ("llvm", None)


EDITED = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import numpy as np
from machine import *
from machine.recording.recorded_function import function_of
from machine.recording.recording import Recording
from machine.recording.values import new_inputs

for name in ("recording/tape.py", "allocate.py", "backends/interpreter.py"):
    path = Path(sys.argv[1]) / "machine" / name
    text = path.read_text()
    changed = {"no file": None, "other code": text}
    if sys.argv[2] == "other code":
        for right, wrong in (("= number + 1", "= number + 2"), ("range(instructions)", "range(instructions - 1)")):
            changed["other code"] = changed["other code"].replace(right, wrong)
        assert changed["other code"] != text
    path.unlink() if sys.argv[2] == "no file" else path.write_text(changed[sys.argv[2]])
recording = Recording()
x = new_inputs(recording, 3)
print(function_of(x * x - x[::-1], 3)(np.array([[1.0, 2.0, 5.0]]))[0].tolist(), backend(), advice())
"""


@pytest.mark.slow
@pytest.mark.parametrize("edit", ["other code", "no file"])
def test_a_file_that_is_edited_after_it_was_imported_changes_no_number(edit: str, tmp_path: Path) -> None:
    """What is imported goes on in Python and NumPy: LLVM would get the source of other code."""
    shutil.copytree(ROOT / "machine", tmp_path / "machine", ignore=shutil.ignore_patterns("__pycache__"))
    done = python(EDITED, str(tmp_path), edit)
    assert done.stdout.startswith("[[-4.0, 2.0, 24.0]] numpy"), done.stdout + done.stderr


def python(code: str, *words: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    folders = [*([str(path)] if path else []), str(ROOT), str(ROOT / "tests" / "machine")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    return subprocess.run([sys.executable, "-c", code, *words], env=environment, capture_output=True, text=True, check=False)
