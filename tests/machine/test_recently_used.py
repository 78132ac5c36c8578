"""What was made last is kept, up to a number of instructions."""

from __future__ import annotations

from dataclasses import dataclass

from machine.caching.recently_used import RecentlyUsed


@dataclass
class Thing:
    instructions: int


def test_the_oldest_is_released_and_the_last_one_never() -> None:
    kept = RecentlyUsed[Thing](limit=10)
    first, second = kept.get("first", lambda: Thing(4)), kept.get("second", lambda: Thing(4))
    assert kept.get("first", lambda: Thing(0)) is first
    first.instructions = 8
    huge = kept.get("huge", lambda: Thing(100))
    assert kept.get("huge", lambda: Thing(0)) is huge
    assert kept.get("second", lambda: Thing(1)) is not second


def test_equal_keys_share() -> None:
    kept = RecentlyUsed[Thing]()
    assert kept.get(("a", 1), lambda: Thing(1)) is kept.get(("a", 1), lambda: Thing(2))
