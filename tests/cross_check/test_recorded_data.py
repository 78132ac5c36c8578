"""Recorded files: what is read, what is missing, what is refused."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from recorded_files import Rows, rows_of, write

from cross_check.exchange.recorded_data import table
from cross_check.exchange.recorded_data.columns import STATE_ARRAYS, columns_of, units_of
from cross_check.exchange.recorded_data.number_text import written
from cross_check.exchange.recorded_data.ranges import Range, named
from cross_check.exchange.recorded_data.read import read_table, schema
from cross_check.exchange.recorded_data.recording import Recording, recording_of
from cross_check.exchange.recorded_data.subject import find_recorded
from cross_check.exchange.recorded_data.table import RecordedError
from cross_check.exchange.recorded_data.write import write_states
from cross_check.exchange.results import ResultsError
from cross_check.judge.comparison.given import sampled_states
from cross_check.memory import Array
from mechanisms import find_mechanism
from mechanisms.quantities import QUANTITIES

ARM = find_mechanism("furuta-pendulum")
FORMATS = (".csv", ".json", ".npz")
FIRST = "inverse_dynamics." + ARM.coordinates[0]


ANSWERS = [f"inverse_dynamics.{name}" for name in ARM.coordinates]


def read(path: Path, mechanism: Any = ARM) -> Recording:
    return recording_of(read_table(path), mechanism)


def unanswered(rows: Rows, *places: int, by: Any = None) -> Rows:
    """The rows without answers in these places."""
    for name in ANSWERS:
        for k in places:
            rows[name][k] = by
    return rows


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_gives_the_same_numbers(tmp_path: Path, ending: str) -> None:
    quantities = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
    rows = rows_of(ARM, quantities)
    found = read(write(tmp_path / f"file{ending}", dict(sorted(rows.items(), reverse=True)), {"states": 18}))
    assert found.numbers == tuple(range(18)) and not found.absent and not found.notes
    assert {*found.states} == {"q", "v", "a", "tau"}, "forces beside a quantity are those of the state"
    assert {*found.answers} == {*quantities}
    q = np.array([rows[f"q.{name}"] for name in ARM.positions]).T
    assert np.array_equal(found.states["q"], q)
    assert found.answers["mass_matrix"].shape == (18, 2, 2)
    column = rows[f"mass_matrix.{ARM.coordinates[0]}.{ARM.coordinates[1]}"]
    assert found.answers["mass_matrix"][:, 0, 1].tolist() == column


@pytest.mark.parametrize("ending", FORMATS)
def test_a_file_without_a_version_goes_by_its_digest(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path / f"file{ending}", rows_of(ARM))
    assert find_recorded(f"recorded:{path}").about.version == f"sha256 {sha256(path.read_bytes()).hexdigest()[:16]}"


@pytest.mark.parametrize("ending", FORMATS)
def test_states_that_we_write_are_read_again_exactly(tmp_path: Path, ending: str) -> None:
    mechanism, path = find_mechanism("every-joint"), tmp_path / f"states{ending}"
    states = sampled_states(mechanism, 3, 18)
    write_states(path, mechanism, states, ("gravity",))
    with pytest.raises(RecordedError, match=r"the columns of gravity are empty; fill in the answers"):
        read(path, mechanism)
    write_states(path, mechanism, {**states, "kinetic_energy": np.arange(18.0)})
    found = read(path, mechanism)
    for name in STATE_ARRAYS:
        assert np.array_equal(found.states[name], states[name]), name
    assert not any(found.slack[name].any() for name in STATE_ARRAYS)


def test_whole_arrays_are_put_into_our_order(tmp_path: Path) -> None:
    rows, path = rows_of(ARM), tmp_path / "a.npz"
    back = ARM.coordinates[::-1]
    arrays = {a: np.array([rows[f"{a}.{name}"] for name in back]).T for a in ("q", "v", "a", "inverse_dynamics")}
    np.savez(path, coordinates=np.array(back), **arrays)
    found = read(path)
    assert found.answers["inverse_dynamics"][:, 0].tolist() == rows[FIRST]
    np.savez(path, **arrays)
    with pytest.raises(RecordedError, match=r"it has no array 'coordinates' with the names that order 'q'; add it"):
        read(path)


@pytest.mark.parametrize(("ending", "nothing"), [(".csv", ("", " ", "  ")), (".json", (None, "", " "))])
def test_hexadecimal_text_and_nothing_and_not_available(tmp_path: Path, ending: str, nothing: tuple[Any, ...]) -> None:
    exact = rows_of(ARM)
    rows: Rows = {name: [x.hex() if name != "state" else x for x in column] for name, column in exact.items()}
    for k, none in enumerate(nothing, 4):
        unanswered(rows, k, by=none)
    rows[FIRST][:4] = "n/a", "N/A", "#N/A", "NA"
    found = read(write(tmp_path / f"a{ending}", {FIRST: rows[FIRST], **rows}))  # "#N/A" begins a row, and no comment.
    assert found.missing("inverse_dynamics") == [Range(4, 6)]
    assert np.isinf(found.answers["inverse_dynamics"][:4, 0]).all(), "a failed answer"
    assert found.answers["inverse_dynamics"][7:, 0].tolist() == exact[FIRST][7:]


def test_missing_rows_are_those_below_the_declared_number(tmp_path: Path) -> None:
    rows = {name: column[2:7] + column[8:] for name, column in rows_of(ARM).items()}
    found = read(write(tmp_path / "a.csv", rows))
    assert found.absent == [Range(7, 7)]
    assert [note.partition(",")[0] for note in found.notes] == ["nothing says how many states there should be"]
    assert not read(write(tmp_path / "a.npz", rows)).notes, "an archive that is cut off cannot be read"
    found = read(write(tmp_path / "b.csv", rows, {"STATES": 20}))
    assert found.absent == [Range(0, 1), Range(7, 7), Range(18, 19)]
    assert found.missing_words() == [("inverse_dynamics", "5 of 20 states have no recorded answer: 0, 1, 7, 18, 19")]
    found = read(write(tmp_path / "c.csv", rows, {"states": 10**9}))
    assert found.missing_words()[0][1].startswith("999999985 of 1000000000 states have no recorded answer: 0, 1, 7, 18 to 99")
    assert named([Range(k, k) for k in range(0, 40, 2)]) == "0, 2, 4, 6, 8, 10, 12, 14 and 12 more"


def test_the_same_row_twice_counts_once_and_a_contradiction_is_refused(tmp_path: Path) -> None:
    rows = {name: [*column, column[5]] for name, column in rows_of(ARM).items()}
    found = read(write(tmp_path / "a.csv", rows, {"states": 18}))
    assert len(found.numbers) == 18
    assert found.notes == ["rows that are the same were counted once: line 8 and line 21"]
    # Without numbers, the state of rest, which is drawn once in eighteen, is the same state.
    assert len(read(write(tmp_path / "b.csv", {name: rows[name] for name in rows if name != "state"})).numbers) == 18
    rows[FIRST][-1] += 1
    said = r"line 7 and line 20 have the same state, and they differ in inverse_dynamics; remove"
    with pytest.raises(RecordedError, match=said):
        read(write(tmp_path / "a.csv", rows))
    rows[V0][-1] += 1
    with pytest.raises(RecordedError, match=r"line 7 and line 20 are both state 5, and they differ in v; remove one of them"):
        read(write(tmp_path / "b.csv", rows))


@pytest.mark.parametrize(("place", "is_numbered"), [(0, True), (0, False), (-1, False)])
def test_a_state_may_have_a_row_with_its_answer_and_one_without(tmp_path: Path, place: int, is_numbered: bool) -> None:
    rows = {name: [column[5], *column, column[5]] for name, column in rows_of(ARM).items()}
    rows["state"] = list(range(20))
    if not is_numbered:
        del rows["state"]
    (missing,) = read(write(tmp_path / "a.csv", unanswered(rows, place))).missing("inverse_dynamics")
    assert missing.first == missing.last and (missing.first == 0 or not is_numbered)
    rows[FIRST][8] += 1
    assert read(write(tmp_path / "b.csv", rows)), "other states have other answers"
    rows[FIRST][-1 - place] = 1e9
    with pytest.raises(RecordedError, match=r"have the same state, and they differ in inverse_dynamics"):
        read(write(tmp_path / "c.csv", rows))


Q0, V0 = f"q.{ARM.positions[0]}", f"v.{ARM.coordinates[0]}"


UNITS = {"q": "deg", "v": "deg/s", "a": "deg/s²"}


def test_units_are_converted_and_said(tmp_path: Path) -> None:
    rows = rows_of(ARM)
    expected = {array: np.array([rows[name] for name in columns_of(ARM, array)]).T for array in UNITS}
    for array, unit in UNITS.items():
        for name in columns_of(ARM, array):
            rows[f"{name} [{unit}]"] = [x * 180 / np.pi for x in rows.pop(name)]
    for name in columns_of(ARM, "inverse_dynamics"):
        rows[f"{name} [N mm]"] = [str(k) for k in range(len(rows.pop(name)))]
    found = read(write(tmp_path / "a.csv", rows))
    assert found.answers["inverse_dynamics"][:, 0].tolist() == [k / 1000 for k in range(18)], "it is rounded once"
    for array, numbers in found.states.items():
        assert np.allclose(numbers, expected[array], rtol=1e-15, atol=0), array
    for array in (*UNITS, "inverse_dynamics"):
        assert any(f"{array} was converted from " in note for note in found.notes), array
        assert found.slack[array].any(), f"the last bit of {array} is not certain"


def change(name: str, k: int, value: Any) -> Callable[[Rows], None]:
    return lambda rows: rows[name].__setitem__(k, value)


def rename(old: str, new: str) -> Callable[[Rows], None]:
    return lambda rows: rows.__setitem__(new, rows.pop(old))


def without(start: str) -> Callable[[Rows], Any]:
    return lambda rows: [rows.pop(name) for name in list(rows) if name.startswith(start)]


def no_change(rows: Rows) -> None:
    pass


REFUSED: list[tuple[Callable[[Rows], Any], str]] = [
    (rename(V0, "v.elbow"), r"'furuta-pendulum' has none: there is no column 'v.elbow' \(columns are such as .*\); rename it"),
    (rename(FIRST, FIRST.replace("s.", ".")), r"there is no column 'inverse_dynamic\.\w+' \(.*\); rename it or"),
    (without(V0), r"the column 'v\.\w+' is missing; add it, or leave v out"),
    (without("v"), r"it has no v, such as .*, on which inverse_dynamics depends"),
    (without("inv"), r"it has no quantity, such as inverse_dynamics; fill in"),
    (change(FIRST, 3, None), r"(line 5|row 3) has 1 of 2 numbers of inverse_dynamics; 'inverse_dynamics\.\w+' is empty"),
    (change(V0, 3, None), r"(line 5|row 3) has no 'v\.\w+'; give every state whole"),
    (change("state", 3, 2.5), r"(line 5|row 3): the state's number is 2.5; give a whole number"),
    (change("state", 3, -1), r"the state's number is -1"),
    (change("state", 3, None), r"the state's number is nan"),
    (rename(V0, f"{V0} [deg]"), r"the unit \[deg\] of 'v\.\w+' is not one of: rad/s, deg/s, rpm; convert the column"),
    (rename(V0, f"{V0} [furlong]"), r"the unit \[furlong\] of"),
    *(
        (rename(Q0, f"{Q0} [{unit}]"), r"the unit \[.*\] of 'q\..*' is not one of: rad, deg; convert the column")
        for unit in ("0 rad", "1/0 rad", "1e99999 rad", "2 furlong", "two rad", "1/2/3 rad")
    ),
    (lambda rows: rows.__setitem__(f"{V0} [rad/s]", rows[V0]), r"the column 'v\.\w+' occurs twice; remove one"),
    (lambda rows: rows.update({"evil\x1b[31m\u202e" + "x" * 1900: rows[V0]}), r"there is no column 'evil.\[31m.x+…?'"),
    (lambda rows: [column.clear() for column in rows.values()], r"it has no states; write a row for every state"),
]

ABOUT: list[tuple[dict[str, Any], str]] = [
    ({"mechanism": "panda"}, r"it was recorded for 'panda', not for 'furuta-pendulum'; check the mechanism"),
    ({"fingerprint": "0" * 16, "mechanism": "x"}, r"the fingerprint 0+ \('x'\), and 'furuta-pendulum' has [0-9a-f]{16}"),
    ({"fingerprint": "f" * 16}, r"it was recorded for a mechanism with the fingerprint f{16}"),
    ({"states_are": "right"}, r"states_are(:| is) 'right'"),
    ({"states": 17}, r"there is a state 17, and 17 states are declared, counted from 0; correct one"),
]


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize(
    ("damage", "about", "sentence"),
    [*((damage, {}, said) for damage, said in REFUSED), *((no_change, about, said) for about, said in ABOUT)],
)
def test_a_file_is_refused_in_one_sentence(
    tmp_path: Path, ending: str, damage: Callable[[Rows], Any], about: dict[str, Any], sentence: str
) -> None:
    rows = rows_of(ARM)
    damage(rows)
    path = write(tmp_path / f"file{ending}", rows, about)
    with pytest.raises(ResultsError, match=sentence) as refused:
        read(path)
    said = str(refused.value)
    assert said.startswith(str(path)[:50]) and said.isprintable() and len(said) <= 500


TEXTS = [
    ("state,q.x\n1\n", "line 2 has 1 cells and the header 2; give a cell for every column"),
    ("state;q.x\n1;2\n", "'furuta-pendulum' has none: there is no column 'q.x'"),
    ("state;q.x\n1;0,5\n2;1.5\n", "line 3, column 'q.x': '1.5' has a point, and other numbers have decimal commas"),
    ("state;q.x\n1;0,5\n2;1.234,5\n", "line 3, column 'q.x': '1.234,5' has marks between the thousands; give a finite"),
    ("state;q.x\n1;1,500\n", "line 2, column 'q.x': '1,500' has marks between the thousands"),
    ('state,q.x\n1,"1,234.5"\n', "line 2, column 'q.x': '1,234.5' has marks between the thousands"),
    ("1,2,3\n4,5,6\n", "it has no header, and 3 columns; q, v, a and tau are 8; name the columns in the first line"),
    ("state,,q\n", "column 2 of the header has no name"),
    ("", "column 1 of the header has no name"),
    ("state,state\n", "the column 'state' occurs twice"),
    ('state,"q\n', r"line 1 is no CSV \(unexpected end of data\)"),
    ("state,q.x\n0,1_0\n", "line 2, column 'q.x': '1_0' is no number; give a finite number"),
    ("state,q.x\n0,infinite\n", "'infinite' is no number"),
    ("state,q.x\n0,1e999\n", "'1e999' is too large for float64"),
    ("state,q.x\n0,0x1p99999\n", "'0x1p99999' is too large"),
    ("state,q.x\n0," + "1" * 400 + "\n", "is no number"),
    ("state,q.x\n0,٣\n", "'٣' is no number"),
    ("# mechanism: x\nstate,q.x\n0,a\n", "line 3, column"),
    ("# mechanism: x\n# Mechanism: y\nstate,q.x\n", r"line 2 says 'mechanism' again; leave one of them"),
    (
        "# presicion: float32\nstate,q.x\n",
        "line 1 says '# presicion: float32', which has no meaning; write '# precision: float32', or",
    ),
    ("# precision = float32\nstate,q.x\n", "has no meaning; write '# precision: float32', or other words if it is a comment"),
    ("# precision float32\nstate,q.x\n", "has no meaning; write '# precision: float32', or"),
    ("# prec: float32\nstate,q.x\n", "has no meaning; write '# precision: float32', or"),
    ("state,q.x\n# precision: float32\n0,1\n", "line 2 says 'precision' below the names of the columns; move it"),
    ("state," + "x" * 140_000, "line 1 is no CSV"),
    (",".join(f"q{k}" for k in range(100_001)), "it has 100001 columns, more than 100000"),
]


@pytest.mark.parametrize("comment", ["states of the arm", "date: 2026-11-29", "version two of it", "a = 3", "---", "of: us"])
def test_other_comments_say_nothing(comment: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", rows_of(ARM))
    path.write_text(f"# {comment}\n{path.read_text('utf-8')}# {comment}\n", "utf-8")
    assert len(read(path).numbers) == 18


def test_csv_of_spreadsheets_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", rows_of(ARM))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n").replace(b",", b" , ") + b",,,,,,,,\r\n")
    assert len(read(path).numbers) == 18
    path.write_bytes(path.read_text("utf-8").encode("utf-16"))
    with pytest.raises(RecordedError, match=r"byte 0 is no UTF-8 text; save it as CSV in UTF-8"):
        read(path)


def as_people_write(rows: Rows, separator: str = ",", text: Callable[[float], str] = repr, header: bool = True) -> str:
    lines = [separator.join(rows)] if header else []
    return "\n".join([*lines, *(separator.join(map(text, row)) for row in zip(*rows.values(), strict=True))]) + "\n"


def comma(x: float) -> str:
    return repr(x).replace(".", ",")


def fortran(x: float) -> str:
    return f"{x:.16E}".replace("E", "D")


def usual(rows: Rows, q: str, v: str, a: str, tau: str) -> Rows:
    """The rows with other names, which get the number or the name of a joint."""
    names = {"q": q, "v": v, "a": a, "inverse_dynamics": tau}
    parts = [(name, *name.split(".", 1)) for name in rows if name != "state"]
    place = {joint: k for k, joint in enumerate(ARM.coordinates)}
    return {names[array].format(k=place[j], n=place[j] + 1, joint=j): rows[name] for name, array, j in parts}


MOTION = {name: [float(x) for x in column] for name, column in rows_of(ARM).items() if name != "state"}
TIMED = {"t": [k / 100 for k in range(18)], **MOTION}
WRITTEN = {
    "spreadsheet": as_people_write(MOTION, ";", comma),
    "tabs": as_people_write(MOTION, "\t"),
    "spaces": as_people_write(MOTION, "   "),
    "Fortran": as_people_write(MOTION, ",", fortran),
    "comments": as_people_write(MOTION).replace("\n", "\n# a comment, and more\n"),
    "header in a comment": "# " + as_people_write(MOTION, " "),
    "no header": as_people_write(MOTION, header=False),
    "no header, with times": as_people_write(TIMED, header=False),
    "no header, decimal commas": as_people_write(TIMED, ";", comma, header=False),
    "times": as_people_write(TIMED),
    "times without a name": as_people_write({"": TIMED["t"], **MOTION}),
    "numbers without a name": as_people_write({"": [float(k) for k in range(18)], **MOTION}),
    "from 0": as_people_write(usual(MOTION, "q_{k}", "v[{k}]", "a{k}", "tau_{k}")),
    "from 1": as_people_write(usual(MOTION, "q{n}", "qd{n}", "ddq_{n}", "effort_{n}")),
    "of joints": as_people_write(usual(MOTION, "position.{joint}", "Velocity_{joint}", "acc {joint}", "torque.{joint}")),
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_files_are_read_as_people_write_them(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    found = read(path)
    for name, columns in (
        ("q", found.states["q"]),
        ("a", found.states["a"]),
        ("inverse_dynamics", found.answers["inverse_dynamics"]),
    ):
        assert columns.T.tolist() == [MOTION[f"{name}.{joint}"] for joint in ARM.coordinates], name


def test_times_are_in_seconds(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", {"stamp [ms]": [10.0 * k for k in range(18)], **MOTION})
    times = read(path).times
    assert times is not None and np.allclose(times, np.arange(18) / 100)
    assert read(write(tmp_path / "b.csv", MOTION)).times is None


DOCUMENTS: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda d: d.update(other=1), r"is damaged at \$: .*'other' was unexpected"),
    (lambda d: d.update(schema="dalembert-recorded-0"), r"is damaged at \$.schema"),
    (lambda d: d.pop("columns"), r"'columns' is a required property"),
    (lambda d: d.update(states=1.5), r"is damaged at \$.states"),
    (lambda d: d["rows"].__setitem__(2, 7), r"row 2 has no list of numbers and there are 9 columns"),
    (lambda d: d["rows"][2].pop(), r"row 2 has 8 numbers and there are 9 columns"),
    (lambda d: d["rows"][2].__setitem__(1, True), r"row 2, column 'q.\w+': there is bool, which is no number"),
    (lambda d: d["rows"][2].__setitem__(1, 10**299), r"row 2: 'q\.\w+' is 1e\+299; give a magnitude of 1e\+40 at most"),
    (lambda d: d["columns"].__setitem__(1, "state"), r"the column 'state' occurs twice"),
]


def test_the_schema_describes_what_is_read(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    path = tmp_path / "a.json"
    write_states(path, ARM, sampled_states(ARM, 0, 20), ("gravity",))
    jsonschema.validate(json.loads(path.read_text()), schema())
    jsonschema.validate(json.loads(write(path, rows_of(ARM), {"implementation": "x", "version": "1"}).read_text()), schema())


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def archive(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, content in members.items():
            whole.writestr(name, content)
    return file.getvalue()


def damaged(damage: Callable[[dict[str, Any]], Any]) -> bytes:
    """A document in which something is changed."""
    rows = rows_of(ARM)
    whole: dict[str, Any] = {"schema": "dalembert-recorded-1", "columns": list(rows)}
    whole["rows"] = [list(row) for row in zip(*rows.values(), strict=True)]
    damage(whole)
    return json.dumps(whole).encode()


def huge_header() -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    return file.getvalue() + b"\0" * 16


ARCHIVES: list[tuple[dict[str, bytes], str]] = [
    ({"q.npy": npy(np.array([{"a": 1}], dtype=object))}, r"the array 'q' holds Python objects, which are never loaded"),
    ({"q.npy": huge_header()}, r"the array 'q' cannot be read \(its size does not fit its shape \(1000000000000,\)\)"),
    ({"q.npy": b"no array"}, r"the array 'q' cannot be read"),
    ({"q.npy": npy(np.ones(3) * 1j)}, r"the array 'q' has the type complex128; give float64 numbers"),
    ({"q.npy": npy(np.float64(1))}, r"the array 'q' has the shape \(\) and 'q' \(\)"),
    ({"q.npy": npy(np.full((3, 2), np.nan)), "coordinates.npy": npy(np.array(ARM.coordinates))}, r"row 0 has no "),
    ({"q.npy": npy(np.ones((3, 5)))}, r"the array 'q' has the shape \(3, 5\), not \(3, 2\); give it this shape"),
    ({"q.npy": npy(np.ones((3, 2))), "v.npy": npy(np.ones((4, 2)))}, r"the array 'v' has the shape \(4, 2\) and 'q' \(3, 2\)"),
    ({"states.npy": npy(np.ones(3))}, r"'states' is no text or whole number"),
    ({"positions.npy": npy(np.ones(3))}, r"'positions' is no list of names"),
    ({"x.npy": npy(np.ones((3, 2)))}, r"the array 'x' has the shape \(3, 2\); give one number for every state"),
    ({"q": npy(np.ones(3)), "q.npy": npy(np.ones(3))}, r"two of its arrays have one name"),
    ({}, r"it has no array of numbers"),
    ({"q.npy": bytes(65 * 2**20)}, r"it unpacks to more than 64 MiB; give fewer states"),
    (
        {"q.npy": npy(np.ones((3, 2))), "positions.npy": npy(np.array(["a", "b"]))},
        r"the names in 'positions' are not those of 'furuta-pendulum', such as 'a'; correct them",
    ),
]

FILES = [
    *((".csv", text.encode(), said) for text, said in TEXTS),
    *((".json", damaged(damage), said) for damage, said in DOCUMENTS),
    *((".npz", members, said) for members, said in ARCHIVES),
    *((".npz", content, "it is no NPZ file") for content in (b"", b"PK\x03\x04", bytes(range(100, 200)))),
]


@pytest.mark.parametrize(("ending", "content", "sentence"), [pytest.param(*file, id=file[0] + file[2]) for file in FILES])
def test_a_file_of_one_format_is_refused_in_one_sentence(tmp_path: Path, ending: str, content: Any, sentence: str) -> None:
    path = tmp_path / f"a{ending}"
    path.write_bytes(archive(content) if isinstance(content, dict) else content)
    with pytest.raises(ResultsError, match=sentence) as refused:
        read(path)
    assert "\n" not in str(refused.value)


def test_only_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.csv")
    (tmp_path / "b.json").mkdir()
    for name, why in (("a.csv", "it is a pipe, not a regular file"), ("b.json", "it is a directory"), ("c.npz", "No such file")):
        with pytest.raises(RecordedError, match=rf"it cannot be read \({why}.*; check the path"):
            read_table(tmp_path / name)
    with pytest.raises(RecordedError, match=r"the ending of its name is none of .csv, .json, .npz and .h5"):
        read_table(tmp_path / "results.mat")


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, whole = write(tmp_path / "a.csv", rows_of(ARM)), table.read_bounded

    def while_it_grows(*given: Any) -> bytes:
        data = whole(*given)
        path.write_bytes(data + b"0,1,2\n")
        return data

    monkeypatch.setattr(table, "read_bounded", while_it_grows)
    with pytest.raises(RecordedError, match=r"it changed while it was read; wait until it is complete"):
        read_table(path)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (lambda x: float(f"{x:.6g}"), "6 digits"),
        (lambda x: float(f"{x:.6e}"), "7 digits"),
        (lambda x: float(f"{x:.4f}"), "4 decimals"),
        (lambda x: float(f"{x:.15g}"), "15 digits"),
        (lambda x: x, ""),
        (lambda x: float(np.float32(x)), "single precision"),
        (lambda x: float(str(np.float32(x))), "single precision"),
        (lambda x: float(f"{np.float32(x):.9g}"), "single precision"),
        (lambda x: float(f"{np.float32(x):.11e}"), "single precision"),
        (lambda x: float(f"{x:.9g}"), "9 digits"),
    ],
)
def test_the_digits_that_were_written_are_seen(form: Callable[[float], float], words: str) -> None:
    numbers = np.random.default_rng(0).normal(size=(40, 3)) * 10.0 ** np.random.default_rng(1).integers(-2, 3, (40, 3))
    read_back = np.array([[form(x) for x in row] for row in numbers.tolist()])
    how = written(read_back)
    assert how.words == words
    assert (np.abs(read_back - numbers) <= how.half * (1 + 1e-9)).all()
    if words.endswith(("digits", "decimals")):
        assert (np.abs(read_back - numbers) >= how.half / 2).mean() > 0.2, "the bound is as near as it can be"


def test_every_column_has_its_own_digits() -> None:
    numbers = np.random.default_rng(0).normal(size=(40, 4))
    numbers[:, 3] = np.arange(40)
    texts = ("%.2f", "%.6f", "%.17g", "%.17g")
    read_back = np.array([[float(text % x) for text, x in zip(texts, row, strict=True)] for row in numbers])
    how = written(read_back)
    assert how.words == "2 decimals and 6 decimals"
    assert how.half.max(axis=0) == pytest.approx([0.005, 5e-7, 0, 0], abs=1e-9)
    assert (np.abs(read_back - numbers) <= how.half * (1 + 1e-9)).all()


def test_one_long_number_among_short_ones_is_exact() -> None:
    numbers = np.array([[float(f"{x:.6g}")] for x in np.random.default_rng(0).normal(size=40)])
    numbers[7] = np.pi
    how = written(numbers)
    assert how.words == "6 digits" and not how.half[7] and np.delete(how.half, 7).all()


@pytest.mark.parametrize("column", [np.full(40, 2.345), np.full(40, 17.0), np.resize([0.0, 1.0, -1.0, 0.5, np.nan], 40)])
def test_constants_zeros_and_ones_are_exact(column: Array) -> None:
    assert not written(np.column_stack([np.random.default_rng(0).normal(size=40), column])).half.any()


def test_cosines_and_sines_get_the_length_one(tmp_path: Path) -> None:
    mechanism = find_mechanism("every-joint")
    slot = next(iter(mechanism.slots("circle")))[1]
    states = sampled_states(mechanism, 0, 20)
    answers = {"kinetic_energy": np.ones(20)}
    path = tmp_path / "a.npz"
    write_states(path, mechanism, {**states, "q": np.round(states["q"], 5), **answers})
    found = read(path, mechanism)
    assert np.allclose(np.hypot(*found.states["q"][:, slot].T), 1, rtol=0, atol=4e-16)
    assert any("cosines and sines were given the length one" in note for note in found.notes)
    wrong = states["q"].copy()
    wrong[4, slot] *= 1.01
    write_states(path, mechanism, {**states, "q": wrong, **answers})
    with pytest.raises(RecordedError, match=r"row 4: the cosine and sine of joint '.*' have the length 1.01; give two numbers"):
        read(path, mechanism)


def test_every_quantity_has_columns_of_its_size() -> None:
    mechanism, cart = find_mechanism("satellite"), find_mechanism("cart-pole")
    for name, quantity in QUANTITIES.items():
        columns = columns_of(mechanism, name)
        assert len(columns) == len(set(columns)) == len(units_of(mechanism, name)) == np.prod(quantity.dimensions(mechanism))
        assert all(re.match(rf"{name}(\.|$)", column) for column in columns)
    assert units_of(cart, "q") == ("m", "rad") and units_of(cart, "tau") == ("N", "N m")
