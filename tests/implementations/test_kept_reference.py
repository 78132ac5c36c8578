"""The reference's programs are kept on disk, and used for exactly the code that recorded them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from implementations.recorded import programs
from implementations.recorded.programs import Programs
from implementations.spatial_algebra import rnea
from implementations.spatial_algebra.reference import ALGORITHMS
from machine.caching.cached_programs import PERMISSION
from machine.recording.recorded_function import RecordedFunction
from mechanisms import random_mechanism

MECHANISM = random_mechanism(4, 3)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("DALEMBERT_NO_CACHE")
    monkeypatch.setattr(PERMISSION, "allowed", True)
    # Other tests may have changed the code of this process.
    programs._code.cache_clear()
    return tmp_path / "dalembert" / "machine"


def answer(function: RecordedFunction) -> Any:
    q, v, a = (np.full((1, n), 0.5) for n in (MECHANISM.nq, MECHANISM.nv, MECHANISM.nv))
    return np.stack(function(q, v, a))


def kept(home: Path) -> int:
    return len(list(home.glob("*.program")))


def test_nothing_is_kept_where_other_code_may_run(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Programs(MECHANISM).one("inverse_dynamics")
    monkeypatch.setattr(PERMISSION, "allowed", False)
    Programs(MECHANISM).one("mass_matrix")
    own = Programs(MECHANISM)
    own.one("inverse_dynamics")
    assert kept(home) == 1 and "_shared" in vars(own), "it was recorded again"


def test_programs_are_read_again(home: Path) -> None:
    for _ in range(2):
        own = Programs(MECHANISM)
        first = answer(own.one("inverse_dynamics"))
        own.several(("inverse_dynamics", "mass_matrix"))
        own.several(("mass_matrix", "inverse_dynamics"))
        assert kept(home) == 3
    own = Programs(MECHANISM)
    assert np.array_equal(answer(own.one("inverse_dynamics")), first)
    assert "_shared" not in vars(own), "nothing was recorded"


@pytest.mark.parametrize("by_table", [True, False], ids=["in the table of algorithms", "in what they call"])
def test_a_fault_in_memory_is_not_hidden_and_leaves_nothing(by_table: bool, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = answer(Programs(MECHANISM).one("inverse_dynamics"))
    with monkeypatch.context() as patched:
        if by_table:
            true = ALGORITHMS["inverse_dynamics"]
            patched.setitem(ALGORITHMS, "inverse_dynamics", lambda *given: -true(*given))
        else:
            cross = rnea.crf
            patched.setattr(rnea, "crf", lambda *given: -cross(*given))
        assert not np.array_equal(answer(Programs(MECHANISM).one("inverse_dynamics")), right)
    assert kept(home) == 1
    assert np.array_equal(answer(Programs(MECHANISM).one("inverse_dynamics")), right)
