"""Truth, reference and traced have the same bits on every path through the machine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cross_check.judge.comparison.sampling import sample
from cross_check.judge.comparison.truth import Truth
from implementations.protocol import Unsupported
from implementations.recorded import traced
from implementations.recorded.traced import PRECISE, TRACED
from machine.backends import llvm_backend
from machine.compiling.target import MASKS, host
from mechanisms import find_mechanism
from mechanisms.quantities import QUANTITIES, USUAL

SPECS = ("scara", "random:1:7:free,helical,universal,continuous,spherical,planar")
MACHINE = import_module("machine.run")

PATHS = ("numpy", *MASKS, "joined steps", "own code")
"""NumPy, LLVM's code for this processor, without AVX-512, without FMA, and without AVX; and what many states take."""


@cache
def digest() -> str:
    """Of every quantity of the symbolic oracle, of the oracle by jets, of the reference and of traced."""
    found = hashlib.sha256()
    for spec in SPECS:
        mechanism = find_mechanism(spec)
        states, truth, precise, fast = (
            sample(mechanism, 0, 36),
            Truth(mechanism),
            PRECISE.load(mechanism),
            TRACED.load(mechanism),
        )
        for quantity in map(QUANTITIES.__getitem__, USUAL):
            arguments = states.arguments(quantity.arguments)
            if quantity.has_value and quantity.is_defined(mechanism):
                reference = getattr(precise, quantity.name)(*arguments)
                for words in (*truth.high_low(quantity.name, *arguments), reference.high, reference.low):
                    found.update(words.astype("<f8").tobytes())
            answer: Callable[..., Any] | None = getattr(fast, quantity.name, None)
            if answer is not None:
                try:
                    found.update(np.asarray(answer(*arguments)).astype("<f8").tobytes())
                except Unsupported:
                    continue
    return found.hexdigest()[:16]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_every_path_gives_the_bits_of_every_other(path: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("llvmlite", reason="llvmlite is not installed, so NumPy is the only path")
    expected = digest()
    if path == "numpy":
        monkeypatch.setattr(MACHINE, "backend", lambda: "numpy")
    elif path == "joined steps":
        monkeypatch.setattr(llvm_backend, "MANY", 1)
    elif path == "own code":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.setattr(traced, "MANY_STATES", 0)
        monkeypatch.setattr(traced, "FEW_STATES", 0)
        # The longer programs take seconds to compile.
        monkeypatch.setattr(traced, "COMPILED", 500)
    else:
        monkeypatch.setattr(MACHINE, "host", lambda: host(path))
    assert digest.__wrapped__() == expected
