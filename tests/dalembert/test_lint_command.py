"""dalembert lint: what it prints, its exit codes, and the warnings as data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from dalembert.cli.main import main

ROBOT = """<robot name="hand">
  <link name="palm">
    <inertial> <mass value="0.5"/> <inertia ixx="{}" iyy="{}" izz="{}" ixy="0" ixz="0" iyz="0"/> </inertial>
  </link>
</robot>
"""

SOUND, TEMPLATE = ROBOT.format(1e-3, 1e-3, 1e-3), ROBOT.format(1, 1, 1)


def lint(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["lint", *words])
    return done.exit_code, done.output


def test_warnings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sound.urdf").write_text(SOUND, "utf-8")
    Path("template.urdf").write_text(TEMPLATE, "utf-8")
    code, text = lint("sound.urdf", "template.urdf", "--json", "lint.json")
    assert code == 0
    assert text.splitlines()[:2] == [
        "✓ sound.urdf: 0 warnings, 1 link with mass, the shapes of 0 are read",
        "⚠ template.urdf: 1 warning, 1 link with mass, the shapes of 0 are read",
    ]
    assert "  template.urdf:2: palm: its moments are exactly 1 kg m²" in text
    data = json.loads(Path("lint.json").read_text("utf-8"))
    assert data["sound.urdf"] == []
    (only,) = data["template.urdf"]
    assert (only["rule"], only["name"], only["place"]["line"]) == ("placeholder", "palm", 2)


def test_strict(tmp_path: Path) -> None:
    for text, expected in ((SOUND, 0), (TEMPLATE, 1)):
        path = tmp_path / "robot.urdf"
        path.write_text(text, "utf-8")
        assert lint(str(path), "--strict")[0] == expected


def test_file_that_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text("<robot/>", "utf-8")
    code, text = lint(str(path))
    assert code == 2
    assert "<link>" in text


@pytest.mark.engines
def test_robots() -> None:
    """Known defects of published files: moments of a wrist for a disc of 0.6 m, and signs of a knee that were not mirrored."""
    code, text = lint("ur5", "g1", "kinova")
    assert code == 0
    assert "ur5_robot.urdf:141: wrist_1_link and 1 like it: its moments need 1.219 kg at both ends of 0.6 m" in text
    assert "g1_29dof_rev_1_0.urdf:317: right_knee_link: no reflection" in text
    assert "✓ kinova: 0 warnings" in text
