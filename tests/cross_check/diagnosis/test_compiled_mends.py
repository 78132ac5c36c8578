"""The wrong line of C and C++, and the edits that mend it: sources as trees, builds in a copy, and the whole check."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from cross_check.explain.diagnosis.mends.questions import moving, questions_of
from cross_check.explain.diagnosis.mends.trials import Budget, CompiledTrials
from cross_check.explain.slips.compiled import CompiledFile, edits_of, names, read_files, structures
from dalembert.cli.main import main
from implementations.plugins.user_code import UserCodeError
from implementations.processes.edited import Asked, Edit
from implementations.processes.home import Home
from implementations.processes.rebuilt import LEFT_OUT, Rebuilt, blamed, build, copy_of
from implementations.processes.remote import Remote
from implementations.processes.switched import switched
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism

SKELETONS = Path(__file__).parents[3] / "dalembert" / "skeletons"

pytest.importorskip("tree_sitter", reason="the extra `rebuild` reads sources of C and C++")

HEADER = b"""#ifndef MINE_H
#define MINE_H
#include <math.h>
struct body { double mass, length, damping; int bodies; };
double torque(const struct body *b, double q, double v);
#endif
"""

SOURCE = b"""#include "mine.h"

static const double g = 9.81;

/* sin and cos are other functions of one argument. */
static double height(double q) { return 1 - cos(q); }
static double way(double q) { return sin(q); }

double torque(const struct body *b, double q, double v) {
    double sum[2] = {0, 0};
    for (int k = 0; k < 1; ++k) sum[k] += b->mass * g * b->length * way(q);
    return sum[0] - b->damping * v;
}
"""


def parsed() -> CompiledFile:
    (source,) = (one for one in read_files({"mine.c": SOURCE, "mine.h": HEADER}) if one.path == "mine.c")
    return source


def changed(kind: object) -> dict[str, set[str]]:
    """By expression: what its edits of this kind are."""
    found: dict[str, set[str]] = {}
    for edit in edits_of("mine.c", SOURCE, parsed().places, [kind]):
        found.setdefault(SOURCE[edit.start : edit.end].decode(), set()).add(edit.text)
    return found


def test_structures_are_another_sign_factor_bound_call_or_part() -> None:
    found = changed(structures)
    assert {"sum[0] + b->damping * v", "sum[0]", "-sum[0] - b->damping * v"} <= found["sum[0] - b->damping * v"]
    assert {"sum[k] -= b->mass * g * b->length * way(q)", "(void)0"} <= found["sum[k] += b->mass * g * b->length * way(q)"]
    assert {"k <= 1", "k < 1 - 1"} <= found["k < 1"]
    assert {"height(q)", "q", "-way(q)"} <= found["way(q)"], "both take one number"
    assert "b->damping" in found["b->damping * v"]


def test_a_call_becomes_that_of_a_function_with_the_parameters_of_an_overload() -> None:
    source = b"""double turn(double R, float x) { return R * x; }
double turn(double R, double x) { return R * x; }
double back(double R, float x) { return x / R; }
double f(double R, float x) { return turn(R, x); }
"""
    (file,) = read_files({"mine.cpp": source})
    assert "back(R, x)" in {one.text for one in edits_of("mine.cpp", source, file.places, [structures])}


def test_names_have_the_type_of_what_they_replace() -> None:
    found = changed(names)
    assert found["v"] >= {"q", "g"}
    assert "b" not in found["v"]
    assert found["b->damping"] >= {"b->mass", "b->length"}
    assert "b->bodies" not in found["b->damping"]
    assert found["k"] >= {"k + 1", "k - 1"}


def test_what_is_assigned_declared_or_constant_is_no_place() -> None:
    texts = {place.text for place in parsed().places}
    assert not {"sum[k]", "2", "9.81"} & texts


def test_a_prelude_goes_behind_the_includes_and_into_the_guard() -> None:
    header, source = read_files({"mine.h": HEADER, "mine.cpp": SOURCE})
    assert HEADER[: header.prelude].endswith(b"#include <math.h>\n") or HEADER[: header.prelude].endswith(b"#include <math.h>")
    assert SOURCE[: source.prelude].strip() == b'#include "mine.h"'


def test_what_stands_in_a_loop_of_a_macro_has_edits() -> None:
    """The head of the loop has none: it declares a name, and no expression may stand there."""
    source = b"""#define EACH(k, n) for (int k = 0; k < (n); ++k)
#define AT(A, r, c) ((A)[3 * (r) + (c)])
static void twice(double *y, int n) {
    EACH(i, n) {
        double sum = 0;
        EACH(k, 3) sum += AT(y, k, 2);
        y[3 * i] = 2 * sum;
    }
}
"""
    for path in ("mine.c", "mine.h"):
        (file,) = read_files({path: source})
        found = {(unit.line, source[unit.start : unit.end].decode()) for unit in file.units}
        assert (7, "y[3 * i] = 2 * sum") in found
        assert (6, "sum += AT(y, k, 2)") in found
        assert not any("EACH" in text or text in ("k", "n") for _, text in found)
        texts = {(source[one.start : one.end], one.text) for one in edits_of(path, source, file.places, [structures, names])}
        assert {(b"2", "3"), (b"2 * sum", "sum")} <= texts
        assert not {(b"3 * i", "0.5 * 3 * i"), (b"AT(y, k, 2)", "EACH(y, k, 2)")} & texts


def test_every_edit_has_a_line_and_others_are_those_of_the_file() -> None:
    """A compiler's errors about what is not edited name the user's own line."""
    start = SOURCE.index(b"sum[0] - b")
    edit = Edit("mine.c", start, start + len(b"sum[0] - b->damping * v"), "sum[0]")
    made = switched(SOURCE, {4: edit}, parsed().prelude)
    lines = made.text.decode().splitlines()
    (named,) = (k for k, line in enumerate(lines, 1) if "dalembert_edit() == 4 ?" in line)
    assert [made.edit_at(named + k) for k in (-1, 0, 1)] == [None, 4, None]
    for text in ("double torque(", "return 1 - cos(q)"):
        here = next(k for k, line in enumerate(lines, 1) if text in line)
        assert SOURCE.decode().splitlines()[(made.line_at(here) or 0) - 1] == lines[here - 1]


def test_a_statement_has_no_value_and_the_head_of_a_loop_has_one() -> None:
    source = b"void f(double *x, int n) { for (int i = 0; i < n; ++i) x[i] += i; }"
    edits = {}
    for k, (old, new) in enumerate(((b"i < n", "i <= n"), (b"x[i] += i", "(void)0"))):
        start = source.index(old)
        edits[k] = Edit("mine.cpp", start, start + len(old), new)
    text = switched(source, edits, 0).text.decode()
    assert "dalembert_edit() == 0 ? dalembert_value((i <= n), 0) :" in text
    assert "dalembert_edit() == 1 ? (void)((void)0) :" in text
    assert "(void)(x[i] += i)" in text


# Builds


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project in C, with a slip: the Coriolis acceleration of a slide is counted once."""
    if missing := [word for word in ("make", "cc") if not shutil.which(word)]:
        pytest.skip(f"this machine has no {' and no '.join(missing)}")
    folder = tmp_path / "mine"
    shutil.copytree(SKELETONS / "c", folder)
    slip(folder / "my_dynamics.c", "add(m->acc, 2, coriolis);", "add(m->acc, 1, coriolis);")
    monkeypatch.chdir(folder)
    subprocess.run(["make", "-s"], check=True)
    return folder


def slip(path: Path, right: str, wrong: str) -> None:
    source = path.read_text("utf-8")
    assert source.count(right) == 1
    path.write_text(source.replace(right, wrong), "utf-8")


def asked() -> Asked:
    mechanism = find_mechanism("stanford-arm")
    q, v, a = np.random.default_rng(0).normal(size=(3, 2, mechanism.nv))
    expected = REFERENCE.load(mechanism).inverse_dynamics(q, v, a)
    return Asked(mechanism, "inverse_dynamics", (q, v, a), expected, np.full(expected.shape, 1e-9))


def test_right_edits_are_found_beside_those_that_do_not_compile_crash_or_hang(project: Path) -> None:
    source = (project / "my_dynamics.c").read_bytes()
    place = source.index(b"1, coriolis")
    loop = source.index(b"i >= 0; --i")
    edits = [
        *(Edit("my_dynamics.c", place, place + 1, text) for text in ("3", "no_such_name", "coriolis", "2", "*(double *)0")),
        Edit("my_dynamics.c", loop, loop + len(b"i >= 0"), "1"),
        Edit("my_dynamics.c", place, place + 1, "1 + 1"),
    ]
    own = {"my_dynamics.c": next(one.prelude for one in read_files({"my_dynamics.c": source}))}
    with copy_of(str(project)) as copy:
        os.chdir(copy)
        code = Rebuilt("lib:libmy_dynamics.so", "make -s", [])
        assert code.right_edits(edits, own, asked()) == [3, 6]
        assert code.right_edits(edits[:3], own, asked()) == []
        assert code.right_edits(edits[3:4], own, asked()) == [0], "one edit needs no switch"
    assert (project / "my_dynamics.c").read_bytes() == source, "edits are made in the copy"


def test_lines_that_an_answer_executes(project: Path) -> None:
    file = next(iter(read_files({"my_dynamics.c": (project / "my_dynamics.c").read_bytes()})))
    mechanism, quantity, arguments, *_ = asked()
    with copy_of(str(project)) as copy:
        os.chdir(copy)
        code = Rebuilt("lib:libmy_dynamics.so", "make -s", [])
        lines = code.executed_lines(file.units, {"my_dynamics.c": file.prelude}, mechanism, quantity, arguments)["my_dynamics.c"]
    texts = {file.source.decode().splitlines()[n - 1].strip() for n in lines}
    assert "add(m->acc, 1, coriolis);" in texts
    assert not any("tree->column[i]" in text for text in texts), "the mass matrix was not asked for"


def test_functions_in_a_header_of_c_are_edited(project: Path) -> None:
    """C has no values to choose, in headers neither; what the compiler says about a macro's arguments names their edits."""
    header = b"""#ifndef FACTOR_H
#define FACTOR_H
#define ELEMENT(x, k) ((x)[k])
static inline double factor(void) { const double all[3] = {1, 2, 3}; return ELEMENT(all, 0); }
#endif
"""
    (project / "factor.h").write_bytes(header)
    slip(project / "my_dynamics.c", '#include "my_dynamics.h"', '#include "factor.h"\n#include "my_dynamics.h"')
    slip(project / "my_dynamics.c", "add(m->acc, 1, coriolis);", "add(m->acc, factor(), coriolis);")
    (file,) = read_files({"factor.h": header})
    start = header.index(b"0); }")
    edits = [Edit("factor.h", start, start + 1, text) for text in ("2", "0.5", "1")]
    with copy_of(str(project)) as copy:
        os.chdir(copy)
        code = Rebuilt("lib:libmy_dynamics.so", "make -s", [])
        assert code.right_edits(edits, {"factor.h": file.prelude, "my_dynamics.c": 0}, asked()) == [2]


def test_errors_blame_the_file_whose_path_they_say() -> None:
    """Where the compiler's path fits two files of one name, no edit is left out for it."""
    sources = {"a/same.c": b"int one(int x) { return x; }\n", "b/same.c": b"int two(int x) { return x; }\n"}
    edits = {0: Edit("a/same.c", 24, 25, "x + 1"), 1: Edit("b/same.c", 24, 25, "no_such_name")}
    made = {
        name: switched(source, {k: one for k, one in edits.items() if one.path == name}, 0) for name, source in sources.items()
    }
    line = made["b/same.c"].edits.index(1) + 1
    for said in (f"b/same.c:{line}:5: error: no", f"/tmp/x/b/same.c:{line}:5: error: no"):
        assert blamed(said, made)[0] == {1}
    named, near = blamed(f"same.c:{line}:5: error: no", made)
    assert (named, near) == (set(), {("a/same.c", 1), ("b/same.c", 1)})


def test_a_copy_of_a_folder_of_cmake_is_built_where_it_is(project: Path) -> None:
    if not shutil.which("cmake"):
        pytest.skip("this machine has no cmake")
    command = "sh -c 'cmake -S . -B build && cmake --build build'"
    build(command, {})
    source = project / "my_dynamics.c"
    before = (project / "build" / "libmy_dynamics.so").read_bytes()
    with copy_of(str(project)) as copy:
        os.chdir(copy)
        build(command, {Path("my_dynamics.c").resolve(): source.read_bytes().replace(b"1, coriolis", b"2, coriolis")})
        assert Path("build/libmy_dynamics.so").read_bytes() != before
    assert (project / "build" / "libmy_dynamics.so").read_bytes() == before


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("false", "`false` fails in a copy of the folder"),
        ("no-such-program", "`no-such-program` cannot be started"),
        ("make 'x", "a quote that is not closed"),
    ],
)
def test_a_command_that_builds_nothing_is_refused(command: str, said: str) -> None:
    with pytest.raises(UserCodeError, match="leave --rebuild out") as refused:
        build(command, {})
    assert said in str(refused.value)


def test_a_copy_leaves_out_what_no_build_needs(tmp_path: Path) -> None:
    for name in (LEFT_OUT[0], "src"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
    with copy_of(str(tmp_path)) as copy:
        assert [path.name for path in Path(copy).iterdir()] == ["src"]


def test_edits_are_tried_in_the_order_of_suspicion_in_a_copy(project: Path) -> None:
    slip(project / "my_dynamics.c", "z[1] += x[2] * y[0] - x[0]", "z[1] += x[2] * y[0] + x[0]")
    slip(project / "my_dynamics.c", "add(m->acc, 1, coriolis);", "add(m->acc, 2, coriolis);")
    subprocess.run(["make", "-s"], check=True)
    mechanism = find_mechanism("spatial-3r")
    questions = [*questions_of("inverse_dynamics", mechanism, moving(mechanism, 0))]
    code = Remote("lib:libmy_dynamics.so", home=Home(str(project), build="make -s"))
    with closing(code.with_edits(())) as built:
        assert built.sources_folder == str(project)
        found = next(CompiledTrials(built, questions, [], 16.0, Budget(1000), lambda said: None).complete())
    changed = found.applied((project / "my_dynamics.c").read_bytes())
    assert b"z[1] += x[2] * y[0] - x[0] * y[2];" in changed


def test_a_folder_that_is_too_large_is_refused_wherever_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ".venv" / "mine"
    folder.mkdir(parents=True)
    (folder / "file").write_bytes(b"x" * 1000)
    monkeypatch.setattr("implementations.processes.rebuilt.LARGEST_FOLDER", 999)
    with pytest.raises(UserCodeError, match="start in a folder of at most"):
        copy_of(str(folder))


# The whole check


def checked(*more: str) -> tuple[str, list[dict[str, object]]]:
    """What a check of the project says, and its causes."""
    words = ["check", "spatial-3r", "stanford-arm", "-i", "lib:libmy_dynamics.so", "--states", "12", "-o", "r.json", *more]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 1, done.output
    return done.stdout, json.loads(Path("r.json").read_text("utf-8"))["causes"]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("command", "why"), [("true", "nothing that --rebuild builds from this folder answers"), ("false", "`false` fails in a copy")]
)
def test_a_command_that_does_not_build_what_is_checked_is_named(command: str, why: str, project: Path) -> None:
    said, (cause,) = checked("--rebuild", command)
    assert f"not tried: the line: {why}" in said or f"not tried: the line: 'lib:libmy_dynamics.so' cannot be used: {why}" in said
    assert cause["mend"] is None


@pytest.mark.nightly
@pytest.mark.parametrize("language", ["c", "cpp"])
def test_the_line_is_named_and_mended(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(SKELETONS / language, folder)
    monkeypatch.chdir(folder)
    if language == "c":
        slip(folder / "my_dynamics.c", "add_cross(m->n, m->w, momentum);", "add_cross(m->n, momentum, m->w);")
        spec, said = "lib:libmy_dynamics.so", "write `add_cross(m->n, m->w, momentum);` for `add_cross(m->n, momentum, m->w);`"
    else:
        slip(folder / "my_dynamics.cpp", "cross(m.w, times(body.inertia, m.w))", "cross(m.w, times(body.inertia, m.dw))")
        spec, said = "cmd:./my_dynamics", "cross(m.w, times(body.inertia, m.w))"
    subprocess.run(["make", "-s"], check=True)
    words = ["check", "spatial-3r", "-i", spec, "--states", "12", "--rebuild", "make -s"]
    done = subprocess.run([sys.executable, "-m", "dalembert", *words], capture_output=True, text=True, check=False)
    assert said in done.stdout, done.stdout + done.stderr
