"""Shared libraries: what one gets, what is refused in one sentence, and that the run survives what a library does."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import dalembert
from implementations.languages.described import Description
from implementations.languages.shared_library import ABI, SharedLibrary
from implementations.plugins.registry import find_implementation
from implementations.processes.remote import can_isolate
from implementations.protocol import Failure, Unsupported, UserCodeError
from mechanisms import (
    WELD,
    Body,
    Constraint,
    Inertia,
    Joint,
    Mechanism,
    Placement,
    Rotation,
    parse_urdf,
    random_mechanism,
    write_urdf,
)
from mechanisms.quantities import ALL_QUANTITIES

pytestmark = pytest.mark.usefixtures("without_coverage")

ROOT = Path(__file__).parents[3]
HEADER = ROOT / "dalembert" / "skeletons" / "c" / "dalembert.h"
SOURCES = Path(__file__).with_name("sources")
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pedantic")

Compile = Callable[[str], str]

RIGHT = """
DALEMBERT_LIBRARY("tested", "2.0")
int dalembert_load(const struct dalembert_mechanism *m, void **model) { *model = (void *)m->nv; return 0; }
void dalembert_forget(void *model) { (void)model; }
"""
"""Keeps nv as its model."""

GRAVITY = "int dalembert_gravity(void *model, const double *q, double *g) { (void)model; (void)q; g[0] = 0; return 0; }\n"


@pytest.fixture
def library(tmp_path: Path) -> Compile:
    """Compiles C, and gives the implementation's name."""
    compiler = shutil.which("cc") or pytest.skip("this machine has no C compiler")
    count = iter(range(100))

    def compiled(source: str) -> str:
        code, made = tmp_path / "code.c", tmp_path / f"lib{next(count)}.so"
        code.write_text('#include "dalembert.h"\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n' + source)
        flags = ["-std=c99", *WARNINGS, f"-I{HEADER.parent}", "-fPIC", "-shared"]
        ran = subprocess.run([compiler, *flags, str(code), "-o", str(made)], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return f"lib:{made}"

    return compiled


def test_the_header_declares_every_quantity_with_its_arguments() -> None:
    text = HEADER.read_text()
    declared = {}
    for arguments, names in re.findall(r"DALEMBERT_EXPORT dalembert_of_(\w+) ([^;]+);", text):
        parameters = re.search(rf"typedef int dalembert_of_{arguments}\(void \*model, (.*), double \*answer\);", text)
        assert parameters
        taken = re.findall(r"const double \*(\w+)", parameters[1])
        assert "_".join(taken) == arguments
        declared |= {name.strip().removeprefix("dalembert_"): tuple(taken) for name in names.split(",")}
    assert declared == {name: quantity.arguments for name, quantity in ALL_QUANTITIES.items()}
    assert f"#define DALEMBERT_ABI {ABI}\n" in text


def test_cpp_may_include_the_header(tmp_path: Path) -> None:
    compiler = shutil.which("c++") or pytest.skip("this machine has no C++ compiler")
    (tmp_path / "code.cpp").write_text('#include "dalembert.h"\n' + RIGHT.replace("(void *)m->nv", "nullptr, (void)m") + GRAVITY)
    words = [compiler, "-fsyntax-only", *WARNINGS, f"-I{HEADER.parent}", str(tmp_path / "code.cpp")]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("int anything = 1;", "it exports no dalembert_abi; write DALEMBERT_LIBRARY of dalembert.h into one of its files"),
        ("int dalembert_abi(void) { return 7; }", "it was built with version 7 of dalembert.h, where this is version 1"),
        (RIGHT, "it exports no quantity; export at least one, such as dalembert_inverse_dynamics"),
        (f'DALEMBERT_LIBRARY("tested", "1")\n{GRAVITY}', "it exports no dalembert_load; write this function"),
        (RIGHT.replace("forget", "forgotten") + GRAVITY, "it exports no dalembert_forget; write this function"),
        (
            f'{RIGHT}{GRAVITY}const char *dalembert_joints(void) {{ return "revolute ball"; }}',
            "dalembert_joints has the unknown kind of joint 'ball'; use revolute, ",
        ),
        (
            f'{RIGHT}{GRAVITY}const char *dalembert_conventions(void) {{ return "quaternion=wzyx"; }}',
            "in dalembert_conventions, the convention 'quaternion' has no value 'wzyx'; use 'xyzw' or 'wxyz'",
        ),
    ],
)
def test_a_library_that_does_not_fit_is_refused_in_one_sentence(source: str, sentence: str, library: Compile) -> None:
    if "forgotten" in source:
        source = "void dalembert_forgotten(void *model);\n" + source
    spec = library(source)
    with pytest.raises(UserCodeError) as refused:
        find_implementation(spec)
    assert str(refused.value).startswith(f"{spec!r} cannot be used: {sentence}")


def test_a_file_that_is_no_library_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("this is text\n" * 100)
    for path, sentence in (
        (tmp_path / "text.so", "it cannot be loaded ("),
        (tmp_path / "none.so", "there is no such file; build it, or correct the path"),
        (tmp_path, "there is no such file"),
        ("", "there is no such file"),
        ("a\0b", "there is no such file"),
    ):
        with pytest.raises(UserCodeError, match="cannot be used: ") as refused:
            SharedLibrary(f"lib:{path}")
        assert sentence in str(refused.value)


def chain(name: str, kinds: tuple[str, ...] = ("revolute", "prismatic", "revolute")) -> Mechanism:
    bodies, parent = [], "world"
    for k, kind in enumerate(kinds):
        joint = Joint(f"joint {k}", kind, axis=None if kind == "free" else (0, 1, 0))  # type: ignore[arg-type]
        bodies.append(Body(f"body {k}", parent, joint, Inertia(1, (0.5, 0, 0))))
        parent = bodies[-1].name
    return Mechanism(name, tuple(bodies))


def test_orders_conventions_refusals_failures_and_the_file_that_it_asks_for(library: Compile) -> None:
    tested = SharedLibrary(library((SOURCES / "tested.c").read_text()))
    assert (tested.name, tested.version) == ("tested", "2.0")
    loaded = tested.load(chain("right"))
    q = np.array([[1.0, 2.0, 3.0], [0.1, -1 / 3, 1e300]])
    np.testing.assert_array_equal(loaded.gravity(q), q * [3, 2, 1])
    with pytest.raises(Failure, match=r"^gravity failed: it returned 3: too far$") as failed:
        loaded.gravity(-10 * q)
    assert failed.value.of_a_state
    with pytest.raises(Unsupported, match="not this \ufffd one"):
        tested.load(chain("refused"))
    with pytest.raises(Failure, match=r"^load failed: it returned 12: no memory$"):
        tested.load(chain("failed"))
    with pytest.raises(Unsupported, match=r"^it has no helical joint$"):
        tested.load(random_mechanism(1, 2, ("helical",)))
    with pytest.raises(AttributeError):
        _ = loaded.mass_matrix
    text, one = write_urdf(chain("written")), np.zeros((1, 3))
    assert tested.load(chain("written")).kinetic_energy(one, one) == [len(text)]
    assert tested.load(parse_urdf(text)).kinetic_energy(one, one) == [len(text) + 1]


def test_a_library_declares_its_precision(library: Compile) -> None:
    says = 'const char *dalembert_precision(void) {{ return "{}"; }}\n'
    assert SharedLibrary(library(RIGHT + GRAVITY)).precision == ""
    assert SharedLibrary(library(RIGHT + GRAVITY + says.format("float32"))).precision == "float32"
    with pytest.raises(UserCodeError, match="dalembert_precision: there is no precision 'single'; use float64, float32"):
        SharedLibrary(library(RIGHT + GRAVITY + says.format("single")))


def test_a_library_with_a_quantity_of_constraints_gets_them(library: Compile) -> None:
    tree, turned = chain("tied"), Placement(Rotation(1, 0, 0, 1), (1, 2, 3))
    loop = Constraint("loop", "body 0", "body 2", WELD, turned, Placement(translation=(7, 8, 9)))
    ball = Constraint("ball", "world", "body 1", ("wx", "wy", "vz"), Placement(translation=(4, 5, 6)), turned)
    tied = dataclasses.replace(tree, constraints=(loop, ball))
    code = SharedLibrary(library((SOURCES / "tied.c").read_text()))
    answer = code.load(tied).constraint_jacobian(np.zeros((1, 3)))[0]
    constrained = [1] * 6 + [1, 1, 0, 0, 0, 1]
    expected = [2, 9, 0, 2, -1, 1, *constrained, 4, 7, 5, 8, 6, 9, -1, 1, 4]
    np.testing.assert_array_equal(answer, np.reshape(expected, (9, 3)))
    half = code.load(tied).impact_forces_half(np.zeros((2, 3)), np.array([[5.0, 6, 7], [8, 9, 10]]))
    np.testing.assert_array_equal(half, [[5, 0, 0], [8, 0, 0]])
    with pytest.raises(Unsupported):
        code.load(tree)
    without = RIGHT.replace("*model =", "if (m->constraints || m->directions || m->first_rotations) return 5; *model =")
    assert SharedLibrary(library(without + GRAVITY)).load(tied)


def test_a_wrong_order_of_joints_is_refused(library: Compile) -> None:
    wrong = "int dalembert_joint_order(void *m, size_t *order) { (void)m; order[0] = 7; order[1] = order[2] = 1; return 0; }"
    with pytest.raises(Failure, match=r"^load: dalembert_joint_order gave 7, 1, 1; give every index from 0 to 2 once$"):
        SharedLibrary(library(RIGHT + GRAVITY + wrong)).load(chain("right"))


def test_the_structure_is_that_of_the_header(library: Compile, tmp_path: Path) -> None:
    names = [name for name, *_ in Description._fields_]
    lines = "".join(f'printf("%zu ", offsetof(struct dalembert_mechanism, {name}));' for name in names)
    source = f'#include <stdio.h>\n#include "dalembert.h"\nint main(void) {{ {lines} return 0; }}'
    (tmp_path / "offsets.c").write_text(source)
    program = tmp_path / "offsets"
    subprocess.run(["cc", f"-I{HEADER.parent}", str(tmp_path / "offsets.c"), "-o", str(program)], check=True)
    offsets = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    assert [getattr(Description, name).offset for name in names] == [*map(int, offsets)]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(not can_isolate(), reason="this system cannot fork")
@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        ("exit(0);", "gravity ended"),
        ("abort();", "gravity "),
        ("*(volatile int *)0 = 1;", "gravity "),
        ("for (;;) {}", "gravity did not answer within 2 s"),
    ],
)
def test_a_library_that_harms_its_process_fails_alone(harm: str, sentence: str, library: Compile) -> None:
    body = f"(void)m, (void)g; if (q[0] < 0) {{ {harm} }} return 0;"
    spec = library(f"{RIGHT}int dalembert_gravity(void *m, const double *q, double *g) {{ {body} }}")
    timeout = 2 if "within 2 s" in sentence else 120  # A busy machine may need seconds for a short answer.
    results = dalembert.check("pendulum", [spec, "reference"], states=14, quantities=["gravity"], timeout=timeout)
    failed, innocent = results.cells
    assert (failed.verdict, innocent.verdict) == ("failed", "agrees")
    assert failed.message.startswith(sentence), failed.message
    assert "state" in failed.message


@pytest.mark.slow
def test_what_a_library_prints_does_not_disturb_the_verdict(library: Compile) -> None:
    spec = library(RIGHT + GRAVITY.replace("g[0] = 0;", 'g[0] = 0; printf("noise\\n"); fflush(stdout);'))
    results = dalembert.check("pendulum", [spec], states=5, quantities=["gravity"], explain=False)
    assert [cell.verdict for cell in results.cells] == ["discrepancy"]


PAST_THE_END = """int dalembert_mass_matrix(void *model, const double *q, double *M) {
    (void)q;
    for (size_t i = 0; i <= (size_t)model * (size_t)model; ++i) M[i] = 0;
    return 0;
}
"""


def test_what_is_written_elsewhere_is_seen(library: Compile) -> None:
    writes = GRAVITY.replace("(void)q;", "((double *)q)[0] = 1;")
    loaded = find_implementation(library(RIGHT + writes + PAST_THE_END)).load(random_mechanism(1, 3))
    with pytest.raises(Failure, match="mass_matrix writes past the end of its answer in state 0; an answer has 9 numbers"):
        loaded.mass_matrix(np.zeros((4, 3)))
    with pytest.raises(Failure, match="gravity writes into its input q; let it work on a copy"):
        loaded.gravity(np.zeros((4, 3)))


def test_what_is_unsupported_at_some_states_alone_has_failed(library: Compile) -> None:
    """Otherwise nothing would be compared, and the verdict be green."""
    sometimes = GRAVITY.replace("(void)q;", "if (q[0] > 0.5) return 1;")
    results = dalembert.check(["pendulum"], [library(RIGHT + sometimes)], quantities=["gravity"], explain=False)
    (cell,) = results.cells
    assert cell.verdict == "failed"
    assert "gravity is said to be unsupported (it says so without a reason), and state 0 alone is answered" in cell.message
