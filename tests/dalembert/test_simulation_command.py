"""The command step about whole simulations and about two codes: what it prints and writes, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

pytestmark = pytest.mark.slow

Invoke = Callable[..., Result]

PENDULUM = """
import numpy as np

INERTIA, WEIGHT, DAMPING = 0.064 + 1.2 * 0.4**2, 9.81 * 1.2 * 0.4, 0.05

def step(mechanism, q, v, tau, h):
    v = v + h * (tau - DAMPING * v - WEIGHT * np.sin(q)) / {inertia}
    return q + h * v, v
"""


def code(name: str = "explicit", inertia: str = "INERTIA", more: str = "") -> str:
    Path(f"{name}.py").write_text(PENDULUM.format(inertia=inertia) + more, "utf-8")
    return f"{name}.py"


def implicit() -> str:
    return code("implicit", "(INERTIA + h * DAMPING)")


def recorded(path: str, damping: float = 0.05, rows: int = 40, h: float = 0.002, form: str = "%.17g", header: str = "") -> str:
    """A simulation of the pendulum by semi-implicit Euler, as a file."""
    q, v, table = 1.0, 0.5, []
    for k in range(rows):
        table.append((k * h, q, v))
        v = v + h * (-damping * v - 9.81 * 1.2 * 0.4 * np.sin(q)) / (0.064 + 1.2 * 0.4**2)
        q = q + h * v
    columns = np.array(table).T
    if path.endswith(".npz"):
        names = {name: np.array(["pivot"]) for name in ("positions", "coordinates")}
        np.savez(path, t=columns[0], q=columns[1][:, None], v=columns[2][:, None], **names)
    else:
        np.savetxt(path, columns.T, form, ",", header=header or "t,q.pivot,v.pivot", comments="")
    return f"recorded:{path}"


def test_two_codes_that_differ_in_what_is_implicit(invoke: Invoke) -> None:
    found = invoke("step", code(), implicit(), "pendulum", "--states", "4", "--in-process")
    assert found.exit_code == 1, found.output
    last = found.stdout.splitlines()[-1]
    assert last.startswith("pendulum: explicit and implicit part by ")
    assert "because they differ in what is implicit (no force in explicit, damping in implicit), and in nothing else" in last
    same = invoke("step", code(), code("again"), "pendulum", "--states", "4", "--in-process")
    assert (same.exit_code, "explicit and again take the same steps: semi-implicit Euler" in same.stdout) == (0, True), (
        same.output
    )


def test_a_file_with_a_mechanism_and_a_step_is_a_mechanism(invoke: Invoke) -> None:
    arm = "\nfrom mechanisms import Mechanism\nfrom mechanisms.library.textbook import pendulum\n"
    code("both", more=f"{arm}def arm() -> Mechanism: return pendulum()\n")
    found = invoke("step", code(), "both.py", "--states", "4", "--in-process")
    assert (found.exit_code, "both.py, step: semi-implicit Euler" in found.stdout) == (0, True), found.output


def test_a_code_that_follows_no_scheme_is_not_explained_by_the_other(invoke: Invoke) -> None:
    wrong = code(
        "wrong", more="\nright = step\ndef step(mechanism, q, v, tau, h): return right(mechanism, q, v, tau + 1e-3 * q**3, h)"
    )
    Path("copy.py").write_text(Path(wrong).read_text("utf-8"), "utf-8")
    same = invoke("step", wrong, "copy.py", "pendulum", "--states", "4", "--in-process")
    assert same.stdout.splitlines()[-1] == "pendulum: wrong and copy take the same steps: no scheme that was tried"
    found = invoke("step", code(), wrong, "pendulum", "--states", "4", "--in-process")
    assert found.exit_code == 1, found.output
    assert "and wrong follows no scheme that was tried" in found.stdout.splitlines()[-1]


MUJOCO = """
import mujoco
import numpy as np

MODEL = '''<mujoco><compiler angle="radian"/><option integrator="{integrator}" gravity="0 0 -9.81"/><worldbody><body>
<joint name="shoulder" axis="0 1 0"/><inertial pos="0.3 0 0" mass="4" diaginertia="0.1 0.2 0.2"/></body></worldbody>
<actuator><velocity joint="shoulder" kv="450"/></actuator></mujoco>'''

model = mujoco.MjModel.from_xml_string(MODEL)
data = mujoco.MjData(model)

def step(mechanism, q, v, tau, h):
    mujoco.mj_resetData(model, data)
    model.opt.timestep = h
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
    mujoco.mj_step(model, data)
    return data.qpos.copy(), data.qvel.copy()
"""
"""An arm with a servo, whose gain acts on the velocity as damping does."""

SERVO = """
<robot name="servo"><link name="base"/><link name="arm"><inertial><origin xyz="0.3 0 0"/><mass value="4"/>
<inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-6" upper="6" effort="100" velocity="100"/><dynamics damping="450"/></joint></robot>
"""


def test_two_integrators_of_mujoco_treat_a_servo_otherwise(invoke: Invoke) -> None:
    """As in newton#2491: one simulator, one model, and velocities that part in the first step."""
    pytest.importorskip("mujoco")
    Path("servo.urdf").write_text(SERVO, "utf-8")
    for integrator in ("Euler", "implicitfast"):
        Path(f"{integrator}.py").write_text(MUJOCO.format(integrator=integrator), "utf-8")
    words = ("servo.urdf", "--states", "6", "--h", "0.002", "--in-process")
    found = invoke("step", "Euler.py", "implicitfast.py", *words)
    last = found.stdout.splitlines()[-1]
    assert (found.exit_code, last.startswith("servo.urdf: Euler and implicitfast part by ")) == (1, True), found.output
    assert "in what is implicit (no force in Euler, damping in implicitfast), and in nothing else" in last
    assert "rad/s in v of shoulder in a step of 0.002 s" in last


@pytest.mark.parametrize("path", ["run.csv", "run.npz"])
def test_a_recording_is_judged(invoke: Invoke, path: str) -> None:
    found = invoke("step", recorded(path), "pendulum", "-o", "run.json")
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert lines[0].startswith(
        "pendulum, run (recorded): 39 steps of 0.002 s follow semi-implicit Euler (v⁺, then q⁺ with v⁺), to 0."
    )
    assert "all of it is the scheme's, of order 1.0" in lines[1]
    (one,) = json.loads(Path("run.json").read_text("utf-8"))["simulations"]
    assert (one["stray steps"], one["balances"][0]["is the schemes"]) == (0, True)


def test_a_faulty_recording_is_told_from_its_schemes_error(invoke: Invoke) -> None:
    found = invoke("step", recorded("run.csv", 0.1), "pendulum", "-o", "run.html")
    assert (found.exit_code, "as if damping were 2 times as large" in found.stdout) == (1, True), found.output
    assert "; without fault the scheme is off by " in found.stdout
    assert "J, is a fault" in found.stdout
    assert '<h1 class="discrepancy">' in Path("run.html").read_text("utf-8")


def test_a_recording_is_compared_with_a_certified_trajectory(invoke: Invoke) -> None:
    assert (
        invoke("trajectory", "pendulum", "--time", "0.06", "--samples", "2", "-q", "1", "-v", "0.5", "-o", "kept.json").exit_code
        == 0
    )
    found = invoke("step", recorded("run.csv", 0.0), "--along", "kept.json")
    assert (found.exit_code, "at 0.06 s off by" in found.stdout) == (0, True), found.output
    Path("shifted.csv").write_text(Path("run.csv").read_text("utf-8").replace("\n0,1,", "\n0,1.1,"), "utf-8")
    refused = invoke("step", "recorded:shifted.csv", "--along", "kept.json")
    assert (refused.exit_code, "its first row is not where kept.json starts" in refused.stderr) == (2, True), refused.output


def test_a_page_shows_charts_and_escapes_names(invoke: Invoke) -> None:
    run = recorded("a<b>.csv")
    found = invoke("step", run, "pendulum", "-o", "page.html")
    assert found.exit_code == 0, found.output
    page = Path("page.html").read_text("utf-8")
    assert page.count('<svg class="plot lines" viewBox="0 0 420') == 2
    assert "a&lt;b&gt;" in page
    assert "a<b>" not in page
    assert "<script" not in page


def test_code_is_simulated_for_a_page(invoke: Invoke) -> None:
    found = invoke("step", code(), "pendulum", "-o", "page.html", "--in-process", "--h", "0.05")
    assert (found.exit_code, "20 steps of 0.05 s follow semi-implicit Euler" in found.stdout) == (0, True), found.output
    assert "Error at the end" in Path("page.html").read_text("utf-8")


def test_two_codes_part_along_a_trajectory(invoke: Invoke) -> None:
    assert invoke("trajectory", "pendulum", "--time", "0.2", "-q", "1", "-o", "kept.json").exit_code == 0
    damped = code("damped")
    Path("free.py").write_text(Path(damped).read_text("utf-8").replace(", 0.05\n", ", 0.0\n"))
    found = invoke("step", "free.py", damped, "--along", "kept.json", "--h", "0.01", "--in-process")
    assert found.exit_code == 1, found.output
    assert "follow no scheme that was tried" in found.stdout
    assert found.stdout.splitlines()[-1].startswith("pendulum: free and damped part by ")


def test_a_simulation_that_diverges_is_said_to(invoke: Invoke) -> None:
    more = "\nright = step\ndef step(mechanism, q, v, tau, h): return right(mechanism, q, 1.1 * v, tau, h)"
    found = invoke("step", code("wild", more=more), "pendulum", "-o", "page.html", "--in-process")
    assert (found.exit_code, "failed: step diverges: after 0.1" in found.stdout) == (3, True), found.output
    Path("far.csv").write_text(Path(recorded("run.csv").removeprefix("recorded:")).read_text("utf-8") + "1,2e5,0\n", "utf-8")
    far = invoke("step", "recorded:far.csv", "pendulum")
    assert (far.exit_code, "line 42 has a number beyond 100000: the simulation diverges" in far.stderr) == (2, True), far.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("recorded:run.csv",), "a recording is about one mechanism; name it"),
        (("recorded:run.csv", "pendulum", "cart-pole"), "a recording is about one mechanism; name it"),
        (("recorded:run.csv", "pendulum", "--scheme", "Heun"), "--scheme is for steps from single states"),
        (("recorded:run.csv", "cart-pole"), "run.csv"),
        (("recorded:run.csv", "pendulum", "--h", "0.1"), "the steps of a recording have their lengths"),
        (("explicit.py", "implicit.py", "pendulum", "-o", "both.json"), "-o is about one code"),
        (("explicit.py", "recorded:run.csv", "pendulum", "-o", "both.json"), "-o has the simulations of one code"),
    ],
)
def test_what_cannot_be_judged_is_refused(invoke: Invoke, words: tuple[str, ...], said: str) -> None:
    recorded("run.csv")
    code()
    implicit()
    found = invoke("step", *words, "--in-process")
    assert (found.exit_code, said in found.stderr) == (2, True), found.output


def test_constraints_are_left_out(invoke: Invoke) -> None:
    recorded("run.csv")
    found = invoke("step", "recorded:run.csv", "four-bar")
    assert (found.exit_code, "mechanisms with constraints are not judged" in found.stdout) == (5, True), found.output
