"""Runs the shell of our files for services of continuous integration as the services run it, without the services."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from built import ROOT

PIP = {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_IGNORE_INSTALLED": "1"}
"""What is installed for the tests must not pass for the wheel."""

KEPT = ("PATH", "HOME", "LANG", "TMPDIR")


def read_yaml(path: Path) -> Any:
    """The document in ``path``; the test is skipped where no reader of YAML is installed."""
    yaml = pytest.importorskip("ruamel.yaml", reason="check-jsonschema, which brings ruamel.yaml, is not installed")
    return yaml.YAML(typ="safe").load(path.read_text("utf-8"))


def environment(**more: str) -> dict[str, str]:
    """An environment in which pip installs a wheel without a network, and finds the tests' own dependencies."""
    outer = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(outer), **PIP, **more}


@dataclass
class Workflow:
    """A job on GitHub with one step: our action, in ``repository``."""

    repository: Path
    temporary: Path
    inputs: dict[str, str]
    python: str = sys.executable
    """The Python that the service sets up."""
    outputs: dict[str, str] = field(default_factory=dict)
    """By "step.output"."""
    printed: str = ""
    summary: str = ""
    uploaded: list[str] = field(default_factory=list)
    """The names of the files that the action would upload."""

    def run(self, last: str = "") -> int:
        """Run the action, or its steps up to the one with the id ``last``; the exit code, 0 if it is green."""
        action = read_yaml(ROOT / "action.yml")
        defaults = {name: entry.get("default", "") for name, entry in action["inputs"].items()}
        assert self.inputs.keys() <= defaults.keys()
        self.temporary.mkdir(exist_ok=True)
        self.outputs["python.python-path"] = self.python
        values = {**defaults, **self.inputs}
        status = 0
        for step in action["runs"]["steps"]:
            always = str(step.get("if", "")).startswith("always()")
            if (status and not always) or ("!= ''" in str(step.get("if", "")) and not self.outputs.get("gate.folder")):
                continue
            if "run" in step:
                status = self._shell(step, values) or status
                if step.get("id") == last:
                    break
            elif step["uses"].startswith("actions/upload-artifact@"):
                folder = Path(self._filled(step["with"]["path"], values))
                self.uploaded = sorted(path.name for path in folder.iterdir())
                assert self.uploaded or step["with"]["if-no-files-found"] != "error"
        return status

    def _shell(self, step: dict[str, Any], values: dict[str, str]) -> int:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "what an expression inserts into a script is executed"
        script, output, summary = (self.temporary / name for name in ("script.sh", "output", "summary"))
        script.write_text(step["run"])
        output.write_text("")
        summary.touch()
        given = {name: self._filled(value, values) for name, value in step.get("env", {}).items()}
        files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary), "RUNNER_TEMP": str(self.temporary)}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.repository / self._filled(step.get("working-directory", "."), values),
            env=environment(GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(self.repository), **files, **given),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.printed += done.stdout
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            self.outputs[f"{step['id']}.{name}"] = value
        self.summary = summary.read_text()
        return done.returncode

    def _filled(self, text: str, values: dict[str, str]) -> str:
        known = {"runner.temp": str(self.temporary), "runner.os": "Linux", "github.action_path": str(ROOT)}

        def value(match: re.Match[str]) -> str:
            kind, _, name = match[1].partition(".")
            if kind == "inputs":
                return values[name]
            return self.outputs.get(name.replace(".outputs.", "."), "") if kind == "steps" else known[match[1]]

        return re.sub(r"\$\{\{\s*([\w.-]+)\s*\}\}", value, text)
