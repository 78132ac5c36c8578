"""Programs in other languages are checked as Python code is: same verdicts, same causes, nothing lost when they break."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import dalembert
from cross_check.exchange.results import Results
from dalembert.cli.main import main
from implementations.languages.command import BadHello, Command, declaration_in
from implementations.languages.described import described
from implementations.languages.lines import SCHEMA, decoded, encoded, require_valid
from implementations.processes.subject import InProcess
from implementations.protocol import Failure, NotAMessage, Unsupported, UserCodeError
from mechanisms import find_mechanism, parse_urdf, random_mechanism

pytestmark = pytest.mark.usefixtures("without_coverage")

PROGRAM = Path(__file__).with_name("program.py")


def spec(*words: str) -> str:
    return "cmd:" + shlex.join([sys.executable, str(PROGRAM), *words])


def checked(how: str, *mechanisms: str, **options: object) -> Results:
    return dalembert.check(mechanisms or ["ur5"], [spec(how)], **options)  # type: ignore[arg-type]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("how", "verdict"), [("", "agrees"), ("reversed", "agrees"), ("reversed but says not", "discrepancy")])
def test_a_program_that_is_right_agrees_if_its_order_of_joints_is_declared(how: str, verdict: str) -> None:
    quantities = ["inverse_dynamics", "mass_matrix", "gravity"]
    results = checked(how, "ur5", "planar-pendulum:3", "random:3:8", quantities=quantities, explain=False)
    assert [cell.verdict for cell in results.cells] == [verdict] * 9
    (about,) = results.implementations
    assert (about.name, about.version) == ("tested", "3")


@pytest.mark.nightly
@pytest.mark.slow
def test_a_wrong_sign_is_diagnosed_through_the_protocol_and_its_script_shows_it(tmp_path: Path) -> None:
    results = checked("wrong gyroscopic", quantities=["inverse_dynamics"])
    (cause,) = results.causes
    assert cause.sentence == "In tested, ω × I ω has the wrong sign"
    assert cause.example is not None
    script = tmp_path / "shows_it.py"
    script.write_text(cause.example.script)
    here = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, env=here)
    assert ran.returncode == 1, ran.stderr
    assert ran.stdout.startswith("got ")


@pytest.mark.slow
def test_a_program_that_crashes_at_some_states_is_started_again_and_the_rest_is_compared() -> None:
    results = checked("crashes at times", quantities=["mass_matrix"], states=20, explain=False)
    (cell,) = results.cells
    assert cell.verdict == "failed"
    assert "the program was ended by signal 11, SIGSEGV" in cell.message


@pytest.mark.slow
def test_no_process_is_left_behind(tmp_path: Path) -> None:
    mark = f"mark-{tmp_path}"  # Another run of these tests on the same machine has another one.
    for how in ("forks", "ignores signals"):
        words = [spec(how, "raw", mark), "--timeout", "1", "-q", "gravity", "--no-explain"]
        CliRunner().invoke(main, ["check", "pendulum", "-i", *words])
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert mark not in listed


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("prints first", "instead of saying hello, it sent 'Loading my library 2.0...', which is not JSON"),
        ("not a number", "returned nan in state 2"),
        ("prints in between", "the program sent 'state 0', which is not JSON; standard output is for the protocol alone"),
        ("error", "inverse_dynamics failed: singular matrix"),
    ],
)
def test_a_broken_program_gets_one_sentence_and_no_traceback(how: str, sentence: str) -> None:
    outcome = CliRunner().invoke(main, ["check", "ur5", "-i", spec(how), "-q", "inverse_dynamics", "--no-explain"])
    assert outcome.exit_code == 3, outcome.output
    assert sentence in " ".join(outcome.output.split())
    assert "Traceback" not in outcome.output
    assert "\x1b[31m" not in outcome.output


@pytest.mark.parametrize(
    ("command", "code", "sentence"),
    [
        ("no-such-program", 2, "'no-such-program' cannot be started (No such file or directory); correct the command"),
        ("half", 2, "its hello declares an unknown precision: there is no precision 'half'"),
        ("hi", 3, "instead of saying hello, it sent 'hi', which is not JSON"),
    ],
)
def test_what_a_program_declares_wrongly_is_a_wrong_word_as_of_a_module(
    command: str, code: int, sentence: str, tmp_path: Path
) -> None:
    """A module that is not there, or declares what nobody knows, is a usage error, and one that breaks has failed."""
    hello = {"id": 1, "dalembert": 1, "name": "code", "version": "1", "numbers": "raw", "quantities": ["gravity"]}
    says = {"half": json.dumps(hello | {"precision": "half"}), "hi": "hi"}
    (program := tmp_path / "says.py").write_text(f"print({says.get(command)!r}, flush=True)\ninput()\n", "utf-8")
    words = shlex.join([sys.executable, str(program)]) if command in says else command
    outcome = CliRunner().invoke(main, ["check", "pendulum", "-i", f"cmd:{words}", "-q", "gravity", "--no-explain"])
    assert outcome.exit_code == code, outcome.output
    assert sentence in " ".join(outcome.output.split())


def test_a_program_that_ended_is_said_to_have_and_its_mechanism_is_loaded_again() -> None:
    program = Command(spec(""))
    with pytest.raises(Unsupported, match="it has no free joint"):
        program.load(find_mechanism("free:pendulum"))
    loaded = program.load(find_mechanism("planar-pendulum:2"))
    q = np.array([[0.3, 0.4]])
    before = loaded.gravity(q)
    os.kill(program.conversation.program.process.pid, signal.SIGKILL)
    with pytest.raises(Failure, match="the program was ended by signal 9") as caught:
        loaded.gravity(q)
    assert caught.value.ended
    assert np.array_equal(loaded.gravity(q), before)


def test_the_gate_and_the_journal_read_the_programs_own_file(tmp_path: Path) -> None:
    from dalembert.outputs import input_files

    program = tmp_path / "my dynamics"
    program.write_text("")
    assert input_files([], [f"cmd:{shlex.quote(str(program))} --stdio"]) == [program]
    assert input_files([], ["cmd:'open"]) == []
    (library := tmp_path / "my library.so").touch()
    assert input_files([], [f"lib:{library}"]) == [library]


@pytest.mark.nightly
@pytest.mark.slow
def test_the_gate_compares_a_program_with_its_baseline(tmp_path: Path) -> None:
    baseline = str(tmp_path / "baseline.json")
    runner = CliRunner()
    first = runner.invoke(main, ["gate", spec(""), "pendulum", "--baseline", baseline, "--update-baseline"])
    assert first.exit_code == 0, first.output
    assert runner.invoke(main, ["gate", spec(""), "--baseline", baseline]).exit_code == 0


def test_every_request_fulfils_the_published_schema() -> None:
    mechanism = random_mechanism(1, 4, ("revolute", "helical", "free", "universal"))
    header, arrays = described(mechanism, with_urdf=True)
    q = np.zeros((2, mechanism.nq))
    for numbers in ("raw", "hex", "decimal"):
        asked = {"quantity": "gravity", "states": 2, "shape": [2, mechanism.nv]}
        sent = {
            "hello": encoded({"do": "hello", "id": 1, "dalembert": 1}, {}, numbers),
            "load": encoded({"do": "load", "id": 2, "model": 1, "mechanism": header}, arrays, numbers),
            "evaluate": encoded({"do": "evaluate", "id": 3, "model": 1, **asked}, {"q": q}, numbers),
            "forget": encoded({"do": "forget", "id": 4, "model": 1}, {}, numbers),
            "end": encoded({"do": "end", "id": 5}, {}, numbers),
        }
        for do, parts in sent.items():
            require_valid(json.loads(next(iter(parts))), f"{do} request")


def test_constraints_come_only_to_programs_that_have_a_quantity_of_theirs() -> None:
    mechanism = find_mechanism("four-bar")
    header, arrays = described(mechanism, with_urdf=False)
    assert (header, arrays.keys()) == (described(mechanism.tree, with_urdf=False)[0], mechanism.tree.arrays.numbers.keys())
    asked, with_frames = described(mechanism, with_urdf=False, with_constraints=True)
    pin = {"name": "rocker pin", "first": 1, "second": 2, "directions": ["vx", "vz"]}
    assert asked == {**header, "constraints": [pin]}
    frames = {f"{frame}_{what}" for frame in ("first", "second") for what in ("rotations", "translations")}
    assert with_frames.keys() == arrays.keys() | frames
    assert (with_frames["first_translations"].tolist(), with_frames["second_rotations"].shape) == ([[0.8, 0, 0]], (1, 3, 3))
    message = {"do": "load", "id": 2, "model": 1, "mechanism": asked, "arrays": []}
    require_valid(message, "load request")
    for changed in ({"first": -2}, {"directions": ["v"]}, {"directions": []}, {"colour": "red"}):
        with pytest.raises(NotAMessage):
            require_valid({**message, "mechanism": {**asked, "constraints": [{**pin, **changed}]}}, "load request")
    tree, _ = described(mechanism.tree, with_urdf=False, with_constraints=True)
    assert "constraints" not in tree


def test_a_program_without_a_quantity_of_constraints_loads_a_mechanism_that_has_some() -> None:
    loaded = Command(spec("strict")).load(find_mechanism("four-bar"))
    assert loaded.mass_matrix(np.zeros((2, 3))).shape == (2, 3, 3)


def test_a_misspelt_quantity_of_constraints_is_refused_with_its_name() -> None:
    with pytest.raises(UserCodeError, match="there is no quantity 'constraint_jacobean'; did you mean 'constraint_jacobian'"):
        Command(spec("misspelt constraints"))


def test_the_schema_is_a_schema_and_refuses_unknown_fields() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(SCHEMA.read_text()))
    for kind in ("hello request", "load request", "evaluate request", "hello reply", "load reply", "evaluate reply", "refusal"):
        with pytest.raises(NotAMessage):
            require_valid({"id": 1, "colour": "red"}, kind)
    for names in ([""], ["a\nb", "\u202e", "x" * 5000]):
        require_valid({"id": 1, "joints": names}, "load reply")


def test_the_file_comes_as_it_was_read_and_only_if_it_is_asked_for() -> None:
    text = '<robot name="r"><link name="a"/><link name="b"/>{}</robot><!-- by hand -->'
    joint = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint>'
    mechanism = parse_urdf(text.format(joint), physical=False)
    assert "urdf" not in described(mechanism, with_urdf=False)[0]
    assert described(mechanism, with_urdf=True)[0]["urdf"] == {
        "text": text.format(joint),
        "original": True,
        "free_base": False,
    }
    written = described(find_mechanism("pendulum"), with_urdf=True)[0]["urdf"]
    assert not written["original"]
    assert parse_urdf(written["text"]).nv == 1
    assert "urdf" not in described(random_mechanism(1, 1, ("helical",)), with_urdf=True)[0]


@pytest.mark.parametrize("numbers", ["raw", "hex", "decimal"])
def test_numbers_arrive_bit_for_bit(numbers: str) -> None:
    x = np.array([[0.1, -0.0, 5e-324], [1.7976931348623157e308, np.pi, 1 / 3]])
    line, *rest = encoded({"id": 1}, {"gravity": x}, numbers)  # type: ignore[arg-type]
    _, arrays = decoded(line, "evaluate reply", numbers, lambda size: b"".join(rest), 6)  # type: ignore[arg-type]
    assert arrays["gravity"].tobytes() == x.tobytes()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b'{"id": 1, "arrays": [{"name": "g", "shape": [2], "hex": ["0x1p0"]}]}', "1 numbers for an array of shape (2,)"),
        (b'{"id": 1, "arrays": [{"name": "g", "shape": [1], "hex": ["one"]}]}', "'one', which is no hexadecimal float"),
        (b'{"id": 1, "arrays": [{"name": "g", "shape": [1], "hex": [1.5]}]}', "'1.5', which is no hexadecimal float"),
        (b'{"id": 1, "arrays": [{"name": "g", "shape": [1], "decimal": [1.5]}]}', "without 'hex', the numbers that it announced"),
        (b'{"id": 1, "arrays": [{"name": "g", "shape": [-1], "hex": []}]}', "minimum"),
        (b'{"id": 1, "arrays": [{"name": "g", "shape": [99], "hex": []}]}', "more than the 4 numbers"),
        (b'{"id": 1, "arrays": []}', "a wrong evaluate reply"),
        (b'{"id": true, "arrays": []}', "a wrong evaluate reply"),
        (b'{"id": 1, "unsupported": "no", "error": "no"}', "a wrong refusal"),
        (b"\xff\xfe{}", "not JSON"),
        (b"", "not JSON"),
    ],
)
def test_a_line_that_is_no_message_gets_a_clause(line: bytes, sentence: str) -> None:
    with pytest.raises(NotAMessage) as caught:
        decoded(line, "evaluate reply", "hex", lambda size: b"", 4)
    assert sentence in str(caught.value)


HELLO = {"dalembert": 1, "name": "mine", "version": "1", "numbers": "raw", "quantities": ["gravity"]}


def test_mimic_joints_are_described_to_programs_that_declare_them() -> None:
    mechanism = random_mechanism(2, 3, ("revolute",), mimics=True)
    header, arrays = described(mechanism, with_urdf=False)
    assert header["leaders"] == list(mechanism.leaders) != list(range(3))
    assert (arrays["multipliers"].tolist(), arrays["offsets"].tolist()) == (
        mechanism.arrays.multipliers.tolist(),
        mechanism.arrays.offsets.tolist(),
    )
    assert declaration_in({**HELLO, "mimic_joints": True}).mimic_joints
    with pytest.raises(Unsupported, match="does not declare that it knows mimic joints"):
        InProcess(Command(spec(""))).load(mechanism)


def test_a_hello_declares_its_precision() -> None:
    assert declaration_in(HELLO).precision == ""
    assert declaration_in({**HELLO, "precision": "float32"}).precision == "float32"
    with pytest.raises(BadHello, match="its hello declares an unknown precision: there is no precision 'single'; use float64"):
        declaration_in({**HELLO, "precision": "single"})
