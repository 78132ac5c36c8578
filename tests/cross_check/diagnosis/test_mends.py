"""The lines of a user's Python code that are wrong, and the edits that mend them."""

from __future__ import annotations

import ast
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert
from cross_check.entry import Entry
from cross_check.exchange.results.causes import Cause, ChangedLines, Mend
from cross_check.exchange.results.objects import Cell, Results
from cross_check.explain.diagnosis.laboratory import Run
from cross_check.explain.diagnosis.mends import mended, search
from cross_check.explain.diagnosis.mends.questions import Drawn, Question
from cross_check.explain.diagnosis.mends.terms import lacking_terms
from cross_check.explain.diagnosis.mends.trials import Budget
from cross_check.explain.faults.mutants import having_forces
from cross_check.explain.slips.edits import (
    GROUPS,
    NAMES,
    STRUCTURES,
    oddity,
    plain,
    repeated_edits,
    single_edits,
    sums_and_multiples,
)
from cross_check.explain.slips.places import Place, places_of
from cross_check.judge.comparison.case import Case
from cross_check.judge.settings import Settings
from implementations.one_robot import OneRobot
from implementations.processes import edited
from implementations.processes import watched as watching
from implementations.processes.edited import Asked, Edit, right_edits
from implementations.processes.remote import Remote
from implementations.processes.responses import responses
from implementations.processes.restricted import Restricted
from implementations.processes.subject import Failure, InProcess
from implementations.processes.watched import Watching
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism
from mechanisms.arrays import Arrays
from mechanisms.library.generate import random_mechanism
from reports.causes import entries

pytestmark = pytest.mark.usefixtures("with_lines")

EXAMPLE = (Path(__file__).parents[3] / "docs" / "example.py").read_text("utf-8")

PENDULUM = """\
from formulas import torque


def gravity(mechanism, q):
    m = mechanism.arrays
    return [torque(m.masses[0], m.gravity[2], m.coms[0][2], q[0])]
"""

FORMULAS = """\
import numpy as np


def torque(mass, g, length, angle):
    return mass * g * length * np.cos(angle)
"""

WEIGHT = float(REFERENCE.load(find_mechanism("cart-pole")).gravity(np.array([[0.0, np.pi / 2]]))[0, 1])

ONE_ROBOT = f"""\
import numpy as np

mechanism = "cart-pole"
FACTORS = np.array([0.0, 2.0])
KEPT = {{}}


def weights():
    if not KEPT:
        KEPT["weights"] = FACTORS * np.array([{WEIGHT / 2}, {WEIGHT / 2}])
    return KEPT["weights"]


def gravity(q):
    return weights() * np.sin(q[1])
"""
"""Right code for one robot, with numbers of the module and what is kept."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    before = dict(sys.modules)
    yield tmp_path
    for name in sys.modules.keys() - before.keys():
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def written(folder: Path, source: str, *slips: tuple[str, str]) -> Path:
    """The source with these slips, as a file."""
    for right, wrong in slips:
        assert source.count(right) == 1
        source = source.replace(right, wrong)
    (folder / "mine.py").write_text(source, "utf-8")
    return folder / "mine.py"


def checked(mechanism: str = "cart-pole", states: int = 20) -> Results:
    return dalembert.check([mechanism], ["mine.py"], states=states)


def only_mend(results: Results) -> Mend:
    """What mends everything that is wrong."""
    (mend,) = {cause.mend for cause in results.causes}
    assert mend
    return mend


def every_edit(source: bytes, lines: set[int]) -> list[Edit]:
    return list(single_edits(STRUCTURES + GROUPS + NAMES, "mine.py", places_of(source, lines), {}))


def line_of(edit: Edit, source: bytes) -> int:
    return source[: edit.start].count(b"\n") + 1


def texts_of(line: int, edits: Iterable[Edit], source: str) -> set[str]:
    """What the edits make of a line."""
    return {edit.applied(source.encode()).decode().splitlines()[line - 1].strip() for edit in edits}


# Edits


def test_edits_are_python_and_change_one_place() -> None:
    source = EXAMPLE.encode()
    line = EXAMPLE.splitlines().index("            f[k] = f[k] + R[i] @ f[i]") + 1
    edits = every_edit(source, {line})
    wanted = {"f[k] = (f[k] - (R[i] @ f[i]))", "f[k] = f[k] + ((R[i]).T @ (f[i]))", "f[k] = f[k] + R[i] @ n[i]"}
    assert wanted <= texts_of(line, edits, EXAMPLE)
    assert {line_of(edit, source) for edit in edits} == {line}
    for edit in edits:
        ast.parse(edit.applied(source))


def test_what_is_no_expression_that_is_read_is_not_edited() -> None:
    source = b'def f(x):\n    """A text."""\n    y = g(x)\n    return y\n\n\nz = 1\nf(2)\n'
    assert {line_of(edit, source) for edit in every_edit(source, set(range(1, 9)))} == {3, 4, 7}
    assert all(b"y = " in edit.applied(source) for edit in every_edit(source, {3}))


# Trying


def test_an_edit_of_a_module_that_the_code_imports(project: Path) -> None:
    (project / "mine.py").write_text(PENDULUM, "utf-8")
    (project / "formulas.py").write_text(FORMULAS, "utf-8")
    mechanism, q = find_mechanism("pendulum"), np.linspace(-1, 1, 5)[:, None]
    expected = REFERENCE.load(mechanism).gravity(q)
    start, source = FORMULAS.index("np.cos"), str((project / "formulas.py").resolve())
    edits = [Edit(source, start, start + len("np.cos"), text) for text in ("np.tan", "np.sin", "-np.sin", "this is no Python")]
    # The module is loaded before, with bytecode, and is the same afterwards.
    dalembert.find_implementation("mine.py").load(mechanism).gravity(q)
    loaded = sys.modules["formulas"]
    asked = Asked(mechanism, "gravity", (q,), expected, np.full(expected.shape, 1e-9))
    assert right_edits("mine.py", (), edits, asked) == [1]
    assert right_edits("mine.py", (), edits[:3], asked) == [1], "all are compiled together"
    assert right_edits("mine.py", (edits[0],), [edits[0], edits[1]], asked) == [1]
    assert sys.modules["formulas"] is loaded
    assert loaded.torque(1, 1, 1, 0) == 1


def test_an_edit_that_makes_a_loop_endless_is_given_up(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edited, "EDIT_SECONDS", 0.2)
    source = "def gravity(mechanism, q):\n    n = 3\n    while n > 0:\n        n = n - 1\n    return 0 * q\n"
    written(project, source)
    start, q = source.index("n - 1"), np.zeros((1, 1))
    edits = [Edit(str(project / "mine.py"), start, start + 5, text) for text in ("n + 1", "n - 2")]
    asked = Asked(find_mechanism("pendulum"), "gravity", (q,), q, 1e-9 + q)
    assert right_edits("mine.py", (), edits, asked) == [1]


def test_an_edit_that_ends_the_process_is_no_right_one(project: Path) -> None:
    """Of code that calls a library, an edit may end the process. It must not end the search."""
    source = "import os\n\n\ndef gravity(mechanism, q):\n    return 0 * q + 1\n"
    written(project, source)
    start, q = source.index("0 * q + 1"), np.zeros((1, 1))
    others = ("os._exit(7)", "q * os.kill(os.getpid(), 9)", "q")
    edits = [Edit(str(project / "mine.py"), start, start + 9, text) for text in others]
    with closing(Remote("mine.py")) as code:
        loaded = code.load(find_mechanism("pendulum"))
        with pytest.raises(Failure) as ended:
            loaded.right_edits("gravity", (q,), edits, (q, 1e-9 + q))
        assert ended.value.ended
        right, seconds = loaded.right_edits("gravity", (q,), edits, (q, 1e-9 + q), True)
    assert right == [2]
    assert seconds > 0


def test_edits_of_slow_code_count_more() -> None:
    left = []
    for seconds in (0.1, 1.9, 2.1, 33.0):
        budget = Budget(1900)
        assert len(budget.taken(Edit("mine.py", 0, 1, str(k)) for k in range(100))) == 100
        budget.charge(100, seconds)
        left.append(budget.left)
    assert left == [1800, 1800, 1500, 0]


@pytest.mark.parametrize(
    ("source", "odd", "usual"),
    [
        ("if x == 0: y = x", ("0", "2"), ("x", "-x")),
        ("y = a @ b.T", ("b.T", "b.T.T"), ("a", "a.T")),
        ("y = f(a)", ("f(a)", "0"), ("f(a)", "-f(a)")),
        ("y = a - f(b)", ("b", "-b"), ("a - f(b)", "a + f(b)")),
    ],
)
def test_of_edits_that_mend_the_least_odd_one_is_shown(source: str, odd: tuple[str, str], usual: tuple[str, str]) -> None:
    edits = []
    for before, after in (odd, usual):
        start = source.rindex(before)
        edits.append(Edit("mine.py", start, start + len(before), after))
    first, second = (oddity(source.encode(), edit) for edit in edits)
    assert first > second


def known(source: str, node: ast.expr, texts: Sequence[str], numbers: Sequence[str] = ()) -> watching.Alike:
    """What is known of an expression for which these names of its function could stand."""
    (reads,) = {place.reads for place in places_of(source.encode(), {2})}
    return watching.Alike(0, [reads.texts.index(text) for text in texts], [], [reads.texts.index(text) for text in numbers])


def test_edits_of_what_a_statement_has_twice() -> None:
    source = "def f(a, b, c, i, k):\n    return a[i - 1] + b[i - 1], c[k]\n"
    places = places_of(source.encode(), {2})
    alike = {id(place.node): known(source, place.node, ["k"]) for place in places if ast.unparse(place.node) == "i - 1"}
    changed = {ast.unparse(ast.parse(edit.applied(source.encode()))) for edit in repeated_edits("mine.py", places, alike)}
    assert {ast.unparse(ast.parse(source.replace("i - 1", text))) for text in ("k", "i", "i + 1")} <= changed


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("solve(a, b) - c", "solve(a, b - c)"),
        ("sin(a - b)", "sin(a) - b"),
        ("a @ b + c", "a @ (b + c)"),
        ("a * (b - c)", "a * b - c"),
        ("sum(a[k] for k in range(i, n))", "sum(a[k] for k in range(n))"),
        ("sum(a[k] for k in range(n))", "sum(a[k] for k in range(i + 1, n))"),
        ("[x for x in a]", "[x for x in a[:i]]"),
        ("[a[i], b]", "[a[i - 1], b]"),
        ("a.T @ b", "numpy.linalg.inv(a) @ b"),
        ("(a[i][:3, :3], b)", "(a[i][:3, :3].T, b)"),
        ("step(a, sin(b), c)", "step(a, c, sin(b))"),
        ("sin(c)", "sin(turned(a, c))"),
        ("einsum('ijk,k->ij', a, b)", "einsum('ikj,k->ij', a, b)"),
        ("'for (k = 1; k < n; k++) L[k] -= a;'", "'for (k = 0; k < n; k++) L[k] -= a;'"),
        ("'for (k = 0; k <= n; k++) L[k] -= a;'", "'for (k = 0; k < n; k++) L[k] -= a;'"),
        ("'y = x[i] - y[j];'", "'y = x[i] + y[j];'"),
        ("f'y[i] += {a} * x[i * 6 + j];'", "f'y[j] += {a} * x[i * 6 + j];'"),
        ("f'y[i] += {a} * x[i * 6 + j];'", "f'y[i] -= {a} * x[i * 6 + j];'"),
    ],
)
def test_slips_that_people_make(wrong: str, right: str) -> None:
    other = "def turned(m, x):\n    return turned(a, x)\n"
    source = f"def f(a, b, c, i, n):\n    x = a[i]\n    return {wrong}\n\n\nimport numpy\n{other}"
    places = places_of(source.encode(), {2, 3})
    alike = {id(place.node): watching.Alike(2, [], [], []) for place in places}
    edits = (edit.applied(source.encode()) for edit in single_edits(STRUCTURES + GROUPS + NAMES, "mine.py", places, alike))
    assert ast.unparse(ast.parse(source.replace(wrong, right))) in {ast.unparse(ast.parse(source)) for source in edits}


def test_a_changed_text_stays_as_it_is_written() -> None:
    source = 'x = """\\\n  a + b;\n  a - b;\n"""\ny = "a + b"\n'
    for wrong, right in (("a + b;", "a - b;"), ("a - b;", "a + b;")):
        place = next(place for place in places_of(source.encode(), {1, 5}) if isinstance(place.node, ast.Constant))
        after = repr(ast.literal_eval(ast.unparse(place.node)).replace(wrong, right))
        edit = plain(source.encode(), Edit("mine.py", place.start, place.end, after))
        assert edit.applied(source.encode()).decode() == source.replace(wrong, right, 1)


def test_a_batch_of_matrices_is_multiplied_by_what_a_function_of_the_module_gives() -> None:
    source = "def f(X, M):\n    return X @ M\n\n\ndef inverse(x):\n    return inverse(x.T)\n"
    places = places_of(source.encode(), {2})
    alike = {id(place.node): watching.Alike(3, [], [], []) for place in places}
    assert "return X @ (M @ inverse(X))" in texts_of(2, single_edits(NAMES, "mine.py", places, alike), source)


def test_texts_that_are_no_code_are_not_edited() -> None:
    source = "def f(a):\n    'Of x - y, 1 + 2.'\n    return a['revolute'], a['x_0'], 'well-known', '#include <math.h>'\n"
    edits = list(single_edits(GROUPS, "mine.py", places_of(source.encode(), {2, 3}), {}))
    assert [edit.text for edit in edits if "'" in edit.text and "a[" not in edit.text] == ["'well+known'"]


def test_edits_that_multiply_and_divide_addends() -> None:
    source = "def f(a, b, m):\n    return a - f(b) * m\n"
    places = places_of(source.encode(), {2})
    alike = {id(place.node): known(source, place.node, [], ["m"]) for place in places}
    wanted = {"(a * m) - f(b) * m", "(a / m) - f(b) * m", "a - (f(b) * m * m)", "a - (f(b) * m / m)"}
    edits = sums_and_multiples("mine.py", places, alike)
    assert texts_of(2, edits, source) == {f"return {text}" for text in wanted}


def answered(function: Callable[..., Any], *given: float) -> str:
    """What the function answers or raises."""
    try:
        return repr(function(*given))
    except Exception as error:
        return str(error)


def test_edits_that_are_compiled_together_act_as_each_alone() -> None:
    source = b"def f(x, y):\n    z = x * y + (x - y)\n    return [k * z for k in (1, 2)] if x > 0 else -z\n"
    edits = every_edit(source, {2, 3})
    together, alone = dict[str, Any](), dict[str, Any]()
    exec(edited.switched(source, dict(enumerate(edits))), together)
    changed = set()
    for number, edit in enumerate(edits):
        together[edited.SWITCH] = number
        exec(edit.applied(source), alone)
        for given in ((3.0, 2.0), (-1.0, 5.0)):
            answers = [answered(code["f"], *given) for code in (together, alone)]
            assert answers[0] == answers[1]
            changed.add(answers[0])
    assert len(edits) > 40
    assert len(changed) > 20


def test_accelerations_are_near_the_right_ones_as_their_forces_are() -> None:
    """Where velocities are enormous, large forces cancel, and right code is far from the right accelerations."""
    mechanism, reference = find_mechanism("puma560"), REFERENCE.load(find_mechanism("puma560"))
    states = Settings().sample(mechanism, 98)
    question = Question(Case.by_reference(mechanism, having_forces(mechanism, states)), "forward_dynamics")
    q, v, tau = question.arguments
    solved = np.linalg.solve(reference.mass_matrix(q), (tau - reference.nonlinear_effects(q, v))[..., None])[..., 0]
    off = np.abs(solved - question.expected)
    assert (off <= 16 * question.unit).all()
    assert off.max() > 0.01
    assert np.median(question.unit) < 1e-12, "a wrong digit of most of them is seen"


# Watching

DAMPED = """\
import numpy as np


def skew(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def unused(x):
    return 2 * x


def inverse_dynamics(mechanism, q, v, a):
    m = mechanism.arrays
    r, w = m.coms[0], m.axes[0] * v[0]
    f = m.masses[0] * np.array([0, 9.81, 0])
    n = skew(r) @ f
    if len(q) > 9:
        n = unused(n)
    return [f"{n[0]}" and m.axes[0] @ n + m.armature[0] * a[0]]
"""


def watched(folder: Path) -> tuple[list[Place], Watching]:
    (folder / "mine.py").write_text(DAMPED, "utf-8")
    places = [place for place in places_of(DAMPED.encode(), set(range(1, 30))) if place.is_value or place.is_sum]
    numbers = {reads: k for k, reads in enumerate(dict.fromkeys(place.reads for place in places))}
    spans = [watching.Span(place.start, place.end, numbers[place.reads]) for place in places]
    return places, Watching((), str(folder / "mine.py"), spans, [(*reads.texts, *reads.at_hand) for reads in numbers])


def test_names_that_could_stand_for_a_value(project: Path) -> None:
    places, wanted = watched(project)
    state = np.random.default_rng(0).normal(size=(3, 1, 1))
    found = watching.alike(wanted, "mine.py", find_mechanism("pendulum"), "inverse_dynamics", [*state])
    names = {
        DAMPED[place.start : place.end]: one and ([wanted.texts[span.texts][k] for k in one.names], one.axes)
        for place, span, one in zip(places, wanted.places, found, strict=True)
    }
    assert names["unused(n)"] is None, "it is not executed"
    vectors, axes = names["f"]
    assert axes == 1
    assert {"m.coms[0]", "w"} <= {*vectors}
    assert not {"f", "r", "n", "m.masses[0]"} & {*vectors}, "itself, a name of equal numbers, what comes later, another shape"


def test_the_term_that_a_value_lacks(project: Path) -> None:
    """Every term that is found gives the answers of code with the term, at other states of another mechanism, too."""
    places, wanted = watched(project)

    def lacking(m: Arrays, v: Any) -> Any:
        return -0.5 * m.axes[0] @ np.cross(m.coms[0], m.inertias[0] @ m.axes[0]) * v

    states, mechanism = np.random.default_rng(0).normal(size=(3, 4, 1)), find_mechanism("random:1:1:revolute")
    found = responses(wanted, "mine.py", ("skew", "np.cross"), mechanism, "inverse_dynamics", [*states])
    assert {("skew", 1), ("np.cross", 2)} <= {one[:2] for one in found.linear}
    expected = found.answers + lacking(mechanism.arrays, states[1])
    edits = list(lacking_terms(str(project / "mine.py"), DAMPED.encode(), places, found, expected))
    assert edits
    (q, v, a), other = np.random.default_rng(1).normal(size=(3, 1)), find_mechanism("random:2:1:revolute")
    codes: list[dict[str, Any]] = [{}, *({} for _ in edits)]
    for code, source in zip(codes, (DAMPED.encode(), *(edit.applied(DAMPED.encode()) for edit in edits)), strict=True):
        exec(source, code)
    plain, *answers = (code["inverse_dynamics"](other, q, v, a) for code in codes)
    assert answers == [pytest.approx(plain + lacking(other.arrays, v))] * len(edits)
    assert not list(lacking_terms("mine.py", DAMPED.encode(), places, found, found.answers + states[1] ** 5))


# Runs


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        pytest.param("0.0, 2.0", "2.0, 2.0", 4, marks=pytest.mark.nightly),
        (f"{WEIGHT / 2}]", f"{WEIGHT / 2}**2]", 10),
    ],
)
def test_the_line_of_what_is_computed_before_the_question(right: str, wrong: str, line: int, project: Path) -> None:
    """Numbers of a module, and what is kept; of code for one robot, which is asked about no other mechanism."""
    written(project, ONE_ROBOT, (right, wrong))
    mend = only_mend(checked())
    assert [change.line for change in mend.changes] == [line]
    assert (mend.states, mend.mechanisms) == (20, 1)


COMPILED = f"""\
import ctypes
import subprocess

mechanism = "cart-pole"

TEMPLATE = '''
#include <math.h>
void gravity(const double *q, double *g) {{
    for (int k = 1; k < 2; k++) g[k - 1] = 0;
    g[1] = {WEIGHT} * sin(q[1]);
}}
'''


def compiled():
    with open("gravity.c", "w") as file:
        file.write(TEMPLATE)
    library = f"./gravity-{{hash(TEMPLATE)}}.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, "gravity.c", "-lm"], check=True)
    return ctypes.CDLL(library)


def gravity(q):
    given, answer = (ctypes.c_double * 2)(*q), (ctypes.c_double * 2)()
    compiled().gravity(given, answer)
    return list(answer)
"""


@pytest.mark.nightly
def test_the_line_of_a_text_that_is_compiled(project: Path) -> None:
    """A wrong index in a text of C; what reads beyond an array may end the process."""
    written(project, COMPILED, ("sin(q[1])", "sin(q[0])"))
    (change,) = only_mend(checked()).changes
    assert (change.before, change.after) == (f"g[1] = {WEIGHT} * sin(q[0]);", f"g[1] = {WEIGHT} * sin(q[1]);")


SHARED = """\
import numpy as np

mechanism = "cart-pole"


def functions(q):
    x = 2 * q[1] + 3 * q[0] - (q[0] + q[0] + q[0])
    y = x / 2 + (x - x) * (q[0] - 1) + 0 * q[0] * q[1]
    z = y * 1 + (y - x / 2) * (y + x)
    return np.sin(z), np.cos(z)


def gravity(q):
    s, c = functions(q)
    return np.array([0.0, WEIGHT * s])


def mass_matrix(q):
    s, c = functions(q)
    return np.array([[A, B * c], [B * s, C]])
"""


@pytest.mark.nightly
def test_lines_that_right_answers_execute_are_tried_last(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mended, "MOST_EDITS", 80)
    (a, b), (_, c) = REFERENCE.load(find_mechanism("cart-pole")).mass_matrix(np.zeros((1, 2)))[0]
    source = SHARED
    for name, value in (("WEIGHT", WEIGHT), ("A", a), ("B", b), ("C", c)):
        source = re.sub(rf"\b{name}\b", repr(float(value)), source)
    written(project, source)
    assert [change.line for change in only_mend(checked()).changes] == [20]


@pytest.mark.nightly
def test_one_state_is_enough_to_look_for_the_line(project: Path) -> None:
    written(project, ONE_ROBOT, ("np.sin", "np.cos"))
    results = checked(states=1)
    assert [cell.verdict for cell in results.cells if cell.quantity == "gravity"] == ["discrepancy"]
    assert results.causes
    assert not [why for cause in results.causes for why in cause.untried if why.startswith("the line")]


def test_causes_that_one_line_makes_are_one() -> None:
    line = ChangedLines("/a/mine.py", 7, "x = 1", "x = 2")
    names = ("gravity", "mass_matrix", "nonlinear_effects", "inverse_dynamics", "forward_dynamics")
    cells = [f"ur5/mine/{name}" for name in names]
    unknown = Cause("mine/unknown", "mine", "unknown", "unknown", cells[:2])
    term, other = (Cause("mine/term", "mine", "term", *about) for about in (("a term", cells[2:]), ("part", cells[:1])))
    named = mended.one_cause([unknown, other, term], "mine", Mend([line], 98, 3), (), ())
    assert (named.sentence, set(named.cells), named.mend is not None) == ("a term", set(cells), True)
    alone = mended.one_cause([other], "mine", Mend([line], 98, 3), (), ["ur5/mine/placements"])
    assert (alone.kind, alone.sentence) == ("term", "part")
    assert set(alone.cells) == {cells[0], "ur5/mine/placements"}
    unnamed = mended.one_cause([replace(unknown, cells=cells), other], "mine", Mend([line], 98, 3), (), ())
    more = mended.one_cause([term], "mine", Mend([line], 98, 3), [f"panda/mine/{name}" for name in names], ())
    assert (more.kind, len(more.cells)) == ("line", 8), "the term explains the smaller part of what is mended"
    others = [line, replace(line, line=9), replace(line, file="/a/other.py")]
    several = mended.with_mend(unknown, Mend(others, 98, 3))
    said = "In mine, lines 7 and 9 of mine.py and line 7 of other.py are wrong, and with them gravity and mass matrix"
    assert (several.kind, several.sentence) == ("line", said)
    none = mended.one_cause([], "mine", Mend([line], 98, 3), cells[:1], ())
    assert none.sentence == "In mine, line 7 of mine.py is wrong, and with it gravity"
    said = "In mine, line 7 of mine.py is wrong, and with it gravity, mass matrix, nonlinear effects and 2 more"
    assert (unnamed.kind, unnamed.sentence) == ("line", said)


def test_no_edit_is_judged_by_what_it_cannot_show() -> None:
    """A line explains no constraint, and no number that is off below the bar: such causes stay apart."""
    off = [1e9]
    cell = Cell("ur5/mine/gravity", "ur5", "mine", "gravity", "discrepancy", "", off[0], off, off)
    below = replace(cell, id="ur5/mine/mass_matrix", quantity="mass_matrix", error=9.0)
    drift = replace(cell, id="four-bar/mine/constraint_drift", mechanism="four-bar", quantity="constraint_drift")
    ur5 = find_mechanism("ur5")
    mends = search.Mends(
        Run(Entry("mine", "mine.py", Remote("mine.py")), [cell, below, drift], [("ur5", ur5)], Settings()), Remote("mine.py")
    )
    asked = {one.id: mends.is_asked_about(one) for one in (cell, below, drift)}
    assert [*asked.values()] == [True, False, False]
    for cells, decided in (([cell], True), ([cell, below], False), ([drift], False), ([], False)):
        ids = [*(one.id for one in cells), "ur5/mine/an invariant"]
        assert mended.is_decided(Cause("mine/a", "mine", "term", "a", ids), asked) is decided


@pytest.mark.parametrize(("edits", "others", "is_certain"), [(5, 0, True), (0, 1, True), (5, 1, False)])
def test_two_causes_of_which_the_source_shows_nothing_are_not_certain(
    edits: int, others: int, is_certain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tries(mends: search.Mends, cells: object, budget: Budget) -> None:
        budget.left -= edits

    monkeypatch.setattr(search.Mends, "mend", tries)
    cell = Cell("ur5/mine/gravity", "ur5", "mine", "gravity", "discrepancy", "", 1e9, [1e9], [1e9])
    entry = Entry("mine", "mine.py", Remote("mine.py"))
    terms = [Cause(f"mine/{k}", "mine", "term", str(k), [cell.id]) for k in range(1 + others)]
    unknown = Cause("mine/unknown", "mine", "unknown", "a", ["panda/mine/gravity"])
    lines = mended.Lines(Run(entry, [cell], [("ur5", find_mechanism("ur5"))], Settings(), print))
    (*named, nameless), _ = lines.mended([*terms, unknown])
    assert {one.is_certain for one in named} == {is_certain}
    assert {mended.NO_LINE in one.alternatives for one in named} == {not is_certain}
    assert not nameless.alternatives


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("no line")], ids=repr)
def test_a_search_that_ends_early_loses_no_cause(error: BaseException, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[object]()

    def ends(mends: search.Mends, cells: object, budget: object) -> None:
        asked.append(cells)
        # The first search is for what mends everything. Whoever interrupts it wants no causes.
        if len(asked) > 1 or not isinstance(error, KeyboardInterrupt):
            raise error

    monkeypatch.setattr(search.Mends, "mend", ends)
    written(project, ONE_ROBOT, ("return weights", "return -weights"))
    results = checked()
    (cause,) = results.causes
    assert cause.mend is None
    if isinstance(error, ValueError):
        assert cause.untried[-1] == "the line: dalembert failed to find it (ValueError: no line), please report it"
    else:
        assert any("interrupted" in str(one) for one in results.skipped)


TRANSPOSED = ("R[i].T @ w0", "R[i] @ w0")


@pytest.mark.nightly
def test_a_mend_is_not_refused_where_right_code_loses_digits(project: Path) -> None:
    """Of the two mechanisms that the search does not see, one has errors above the bar: it is not counted."""
    returned = EXAMPLE.splitlines()[-1].strip()
    inexact = f"return np.array({returned.removeprefix('return ')}) * (1 + 2e-14 * (len(q) == 5))"
    written(project, EXAMPLE, TRANSPOSED, (returned, inexact))
    assert only_mend(checked("stanford-arm")).mechanisms == 2


@pytest.mark.nightly
def test_two_slips_have_one_mend(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain edits beside one another are tried before all edits of one place are."""
    monkeypatch.setattr(mended, "MOST_EDITS", 2500)
    written(project, EXAMPLE, (" + np.cross(w[i], m.inertias[i] @ w[i])", ""), ("-m.gravity", "m.gravity"))
    results = checked("stanford-arm")
    assert [change.line for change in only_mend(results).changes] == [22, 29]
    assert "with these changes 60 states of 3 mechanisms agree" in entries(results)[0].text


@pytest.mark.nightly
def test_a_mend_that_fails_on_other_mechanisms_is_not_shown(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A second slip, which a mechanism without slides does not show.
    written(project, EXAMPLE, TRANSPOSED, ("2 * np.cross(w1, slides", "3 * np.cross(w1, slides"))
    monkeypatch.setattr(search.Mends, "_outcome", lambda mends, code, mechanism: "wrong")
    for kinds, is_shown in ((("revolute",), True), (("revolute", "prismatic"), False)):
        unseen = [random_mechanism(4, 7, kinds)]
        monkeypatch.setattr(search.Drawn, "unseen", lambda drawn, unseen=unseen: unseen)
        assert any(cause.mend for cause in checked("spatial-3r").causes) == is_shown


@pytest.mark.nightly
def test_joints_that_the_run_lacks_decide_where_the_code_knows_them(project: Path) -> None:
    """The run has no slide. So m.translations[i] for p[i] would be right on every mechanism of it."""
    written(project, EXAMPLE, ("np.cross(p[i], R[i] @ f[i])", "np.cross(p[i], f[i])"))
    (change, *_) = only_mend(checked("spatial-3r")).changes
    assert change.after.endswith("np.cross(p[i], R[i] @ f[i])")


def test_kinds_of_joints_that_the_code_knows_are_drawn() -> None:
    drawn = Drawn([find_mechanism("pendulum")], lambda single: single.bodies[0].joint.kind == "prismatic")
    assert drawn.kinds == ("revolute", "prismatic")
    assert {body.joint.kind for mechanism in drawn.unseen() for body in mechanism.bodies} == set(drawn.kinds)
    assert [len(mechanism.bodies) for mechanism in drawn.unseen()] == [5, 6]
    *_, last = drawn.small()
    assert [body.joint.kind for body in last.bodies] == ["revolute", "prismatic", "revolute"]


def test_code_that_ends_at_joints_that_it_does_not_know_goes_on_answering(project: Path) -> None:
    """The run has no slide. Whether the code knows one is asked in another process."""
    answer = "{'revolute': lambda: 0 * q, 'prismatic': lambda: os._exit(7)}[mechanism.arrays.kinds[0]]()"
    ends = f"import os\n\n\ndef gravity(mechanism, q):\n    return {answer}\n"
    written(project, ends)
    cell = Cell("pendulum/mine/gravity", "pendulum", "mine", "gravity", "discrepancy", "", 1e9, [1e9], [1e9])
    pendulum = find_mechanism("pendulum")
    with closing(Remote("mine.py")) as code:
        code.load(pendulum)
        worker = code.worker()
        mends = search.Mends(Run(Entry("mine", "mine.py", code), [cell], [("pendulum", pendulum)], Settings()), code)
        assert mends._drawn.kinds == ("revolute",)
        assert worker.is_alive
        assert code.worker() is worker


def test_code_in_other_languages_and_engines_have_no_mend() -> None:
    assert search.with_source(InProcess(REFERENCE), "mine.py") is None
    assert search.with_source(Remote("pinocchio"), "pinocchio") is None
    assert search.with_source(Remote("cmd:./mine"), "cmd:./mine") is None
    mine = Remote("mine.py")
    assert search.with_source(mine, "mine.py") is mine
    assert search.with_source(Restricted(mine, OneRobot("functions"), []), "mine.py") is mine


def test_what_answers_apart_leave_behind_is_not_waited_for(tmp_path: Path) -> None:
    """Answers come until one ends its process, also while a process that it started keeps the pipe open."""
    left = tmp_path / "left"

    def leaves_a_process() -> bool:
        if child := os.fork():
            left.write_text(str(child), "utf-8")
            return True
        time.sleep(300)
        os._exit(0)

    start = time.monotonic()
    assert edited.answers_apart([leaves_a_process, lambda: False, lambda: os._exit(0), lambda: True]) == b"\1\0"
    assert time.monotonic() - start < 200
    os.kill(int(left.read_text("utf-8")), signal.SIGKILL)
