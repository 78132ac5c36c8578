"""With what the benchmarks were measured: versions of packages, and the processor."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from mechanisms.plain_text import markdown

PACKAGES = {"numpy": "NumPy", "llvmlite": "llvmlite", "pin": "Pinocchio", "biorbd": "biorbd", "sympy": "SymPy"}


def measured_with() -> str:
    """Versions and the processor in one phrase."""
    versions = [f"CPython {platform.python_version()}"]
    for package, name in PACKAGES.items():
        try:
            versions.append(f"{name} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"no {name}")
    return f"{', '.join(versions)}; {markdown(processor(), 100)}, {os.cpu_count()} cores"


def processor() -> str:
    """The name of the processor, and the longest vectors that it has."""
    name, vectors = platform.processor() or platform.machine(), ""
    with suppress(OSError):
        facts = {
            key.strip(): value.strip()
            for key, colon, value in (line.partition(":") for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines())
            if colon
        }
        name = facts.get("model name", name)
        flags = facts.get("flags", "").split()
        vectors = next((words for flag, words in {"avx512f": " with AVX-512", "avx2": " with AVX2"}.items() if flag in flags), "")
    return name + vectors
