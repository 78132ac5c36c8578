"""The first call of code that a framework compiles may take longer, and is said to be slow while it lasts."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from implementations.processes import process, waiting
from implementations.processes.limits import Limits
from implementations.processes.remote import Remote, can_isolate
from implementations.processes.subject import Failure
from mechanisms import find_mechanism

pytestmark = [pytest.mark.skipif(not can_isolate(), reason="this system cannot fork"), pytest.mark.slow]

CODE = """
import sys, time, types
{imports}
compiled = set()

def load(mechanism):
    def gravity(q):
        if {slow}:
            compiled.add(q.shape)
            time.sleep(2)
        return q
    return types.SimpleNamespace(gravity=gravity)
"""
FRAMEWORK = "sys.modules['numba'] = types.ModuleType('numba')"


def asked(tmp_path: Path, imports: str, slow: str, *sizes: int) -> list[str]:
    """What is said meanwhile. Calls of two seconds have a limit of one."""
    path, said = tmp_path / "code.py", []
    path.write_text(CODE.format(imports=imports, slow=slow))
    with closing(Remote(str(path), Limits(timeout=1))) as subject, waiting.telling(said.append):
        loaded = subject.load(find_mechanism("pendulum"))
        for size in sizes:
            loaded.ask("gravity", np.zeros((size, 1)))
    return said


def test_every_new_shape_has_the_longer_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "PATIENCE", 0.8)
    said = asked(tmp_path, FRAMEWORK, "q.shape not in compiled", 3, 3, 1, 3)
    assert list(dict.fromkeys(said)) == [
        f"compiling, or slow: gravity of pendulum in code, {states}" for states in ("3 states", "one state")
    ]


@pytest.mark.parametrize(("imports", "slow"), [("", "True"), (FRAMEWORK, "q.shape in compiled or compiled.add(q.shape)")])
def test_other_calls_have_not(tmp_path: Path, imports: str, slow: str) -> None:
    with pytest.raises(Failure, match="gravity did not answer within 1 s"):
        asked(tmp_path, imports, slow, 3, 3)
