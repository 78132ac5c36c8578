"""What code under test may take. The command line reads the defaults here, so this module imports nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What code under test may take: seconds for one call, and GiB of memory for its process."""

    timeout: float = 120.0
    memory: float = 4.0
