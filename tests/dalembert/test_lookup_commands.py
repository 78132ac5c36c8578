"""The commands demo, derive, traits and completion."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete

from dalembert.cli import demo
from dalembert.cli.main import main
from mechanisms.files.by_form import ROOTS
from mechanisms.reading import Form
from mechanisms.urdf_traits import FILES, TRAITS


@pytest.mark.slow
def test_the_planted_sign_is_shown_found_and_named_and_the_code_kept_if_this_is_asked(invoke: Any) -> None:
    shown = invoke("demo", "--keep")
    assert shown.exit_code == 0
    assert "n[i] = m.inertias[i] @ dw[i] - np.cross(w[i], m.inertias[i] @ w[i])" in shown.stdout
    assert "In my_dynamics, ω × I ω has the wrong sign" in shown.stdout
    assert shown.stdout.endswith("for one robot\n")
    assert demo.WRONG in Path(demo.NAME).read_text("utf-8")


@pytest.mark.nightly
def test_a_fault_that_is_not_found_is_no_success(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "WRONG", demo.RIGHT)
    shown = invoke("demo")
    assert (shown.exit_code, shown.stderr.splitlines()[-1]) == (3, "Error: the fault was not found; please report this")


ROOT = Path(__file__).parents[2]


def on_a_terminal(answer: bytes, *words: str) -> tuple[int, str]:
    """The exit code and everything that the terminal shows."""
    import pty

    here, there = pty.openpty()
    os.write(here, answer)
    command = [sys.executable, "-m", "dalembert", "derive", *words]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, stdin=there, stdout=there, stderr=there) as process:
        os.close(there)
        shown = b""
        try:
            while part := os.read(here, 65536):
                shown += part
        except OSError:
            pass  # The other end of a terminal is closed.
        finally:
            os.close(here)
    return process.returncode, shown.decode()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
@pytest.mark.parametrize(("words", "answer", "prints"), [((), b"n\n", False), ((), b"y\n", True), (("--yes",), b"n\n", True)])
def test_long_equations_are_printed_on_a_terminal_after_a_question_only(
    words: tuple[str, ...], answer: bytes, prints: bool
) -> None:
    code, shown = on_a_terminal(answer, "screw-jack", *words)
    assert code == 0, shown
    assert ("The equations of screw-jack are 23 KB of text. Print them?" in shown) is (not words)
    assert ("M[1,1] = " in shown) is prints


def test_a_file_is_printed_as_it_is(invoke):
    for name in ("plain file", "UTF-16"):
        found = invoke("traits", name)
        assert (found.exit_code, found.stdout_bytes) == (0, TRAITS[name].content)


@pytest.mark.parametrize("form", ["mjcf", "sdf"])
def test_the_other_forms_have_traits_too(invoke: Any, form: Form) -> None:
    name = invoke("traits", "--form", form).output.splitlines()[1].split(maxsplit=1)[1]
    assert f"<{ROOTS[form]}" in invoke("traits", "--form", form, name).output
    assert f"no trait is called 'x'; `dalembert traits --form {form}` lists" in invoke("traits", "--form", form, "x").stderr
    assert "files into folder" in invoke("traits", "--form", form, "-o", "folder").output
    files = {entry["file"] for entry in json.loads(Path("folder/traits.json").read_text("utf-8"))}
    assert files == {path.name for path in Path("folder").iterdir()} - {"traits.json"}


@pytest.mark.parametrize(("form", "program"), [("mjcf", "MuJoCo"), ("sdf", "Gazebo")])
def test_inertias_that_the_program_refuses_are_said(invoke: Any, form: Form, program: str) -> None:
    said = invoke(form, "puma560").stderr
    assert said.startswith("puma560, link3: its rotational inertia violates the triangle inequality")
    assert said.endswith(f"which {program} refuses\n")
    assert invoke(form, "double-pendulum").stderr == ""


@pytest.mark.slow
def test_all_files_are_written_with_what_is_right(invoke):
    assert invoke("traits", "-o", "folder").output == f"wrote {len(TRAITS) + 1} files into folder\n"
    written, kept = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in (Path("folder"), FILES))
    assert written == kept
    index = json.loads(written["traits.json"])
    (joint,) = next(entry for entry in index if entry["trait"] == "plain file")["joints"]
    assert (joint["axis"], joint["carries"]["mass"], joint["parent"]) == ([0, 1, 0], 2.0, "")


def completed(*words: str) -> list[str]:
    """What the last of the words can become."""
    items = ShellComplete(main, {}, "dalembert", "_DALEMBERT_COMPLETE").get_completions([*words[:-1]], words[-1])
    return [item.value or item.type for item in items]


@pytest.mark.parametrize(
    ("words", "some"),
    [
        (("check", "cart"), ["cart-pole"]),
        (("check", "free:ur"), ["free:ur3", "free:ur5", "free:ur10"]),
        (("check", "ur5", "my_robot"), ["file"]),
        (("check", "-i", "pino"), ["pinocchio"]),
        (("gate", "pino"), ["pinocchio"]),
        (("gate", "my_dynamics"), ["file"]),
        (("gate", "my_dynamics", "cart"), ["cart-pole"]),
        (("check", "-q", "inverse_dynamics_d"), ["inverse_dynamics_dq", "inverse_dynamics_dv"]),
        (("check", "-q", "relat"), ["relations"]),
        (("prove", "cart"), ["cart-pole"]),
        (("check", "--profile", "night"), ["nightly"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("gat",), ["gate"]),
    ],
)
def test_words_are_completed(words: tuple[str, ...], some: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.dalembert.profiles.nightly]\nstates = 5")
    assert set(some) <= set(completed(*words))
    (tmp_path / "pyproject.toml").write_text("[")
    assert completed("check", "--profile", "") == [], "a file that cannot be read completes nothing"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_every_shell_gets_a_script(invoke: Any, shell: str) -> None:
    done = invoke("completion", shell)
    assert (done.exit_code, "_DALEMBERT_COMPLETE" in done.stdout) == (0, True)


@pytest.mark.slow
def test_bash_completes_with_the_script(tmp_path: Path) -> None:
    if not (bash := shutil.which("bash")):
        pytest.skip("bash is not installed")
    program = tmp_path / "dalembert"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom dalembert.cli.main import main\nmain()\n"
    )
    program.chmod(0o755)
    ask = (
        'eval "$(dalembert completion bash)"; complete -p dalembert > /dev/null || exit 1\n'
        'COMP_WORDS=(dalembert check cart); COMP_CWORD=2; _dalembert_completion dalembert; echo "${COMPREPLY[@]}"'
    )
    path = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([bash, "--norc", "-c", ask], env=path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["cart-pole"], done.stderr
