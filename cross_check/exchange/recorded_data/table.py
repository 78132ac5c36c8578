"""What a recorded file says, as it stands: numbers under names. Which mechanism they belong to is not known yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cross_check.exchange.results.files import ResultsError
from cross_check.memory import Array
from mechanisms.files.bounded_file import Unreadable, read_bounded
from mechanisms.limits import MOST_RECORDED_BYTES
from mechanisms.plain_text import one_line

ABOUT = ("mechanism", "fingerprint", "implementation", "version", "states", "states_are", "precision")
"""What a file may say about itself: of which mechanism it is, who computed it, how many states there should be, whether they are
"exact" or were "rounded" after the answers were computed, and the precision of the code."""

REMEDY = "docs/recorded.md has the format"


@dataclass(frozen=True)
class Table:
    """A recorded file. Numbers that are missing are NaN; an infinity is what a program wrote in place of a number."""

    path: Path
    about: Mapping[str, str]
    """By a name of :data:`ABOUT`."""
    columns: Mapping[str, Array]
    """By the column's header, units included: one number for every row."""
    rows: Sequence[str]
    """How to call every row, such as "line 12"."""
    blocks: Mapping[str, Array] = field(default_factory=dict)
    """Whole arrays by name, rows first; only NPZ has them."""
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The order of the axes of the blocks: names under ``positions``, ``coordinates``, ``bodies``, ``parameters``."""
    has_names: bool = True
    """Whether the file names its columns. If it does not, they are called "1", "2" and so on."""
    digest: str = ""
    """Sixteen hexadecimal digits that change when the file changes."""

    def error(self, problem: str, remedy: str = REMEDY) -> RecordedError:
        """What to raise if the file cannot be used."""
        return RecordedError(self.path, problem, remedy)


class RecordedError(ResultsError):
    """A recorded file cannot be used; one sentence."""

    def __init__(self, path: Path, problem: str, remedy: str = REMEDY) -> None:
        super().__init__(f"{one_line(str(path), 120)}: {problem}; {remedy}")


def read_whole(path: Path) -> bytes:
    """The bytes of the file. Raises :class:`RecordedError` if it cannot be read, is too large, or changes meanwhile."""
    try:
        before = path.stat()
        data = read_bounded(path, MOST_RECORDED_BYTES)
        after = path.stat()
    except (OSError, ValueError) as error:
        raise RecordedError(path, f"it cannot be read ({getattr(error, 'strerror', None) or error})", "check the path") from error
    except Unreadable as error:
        raise RecordedError(path, f"it cannot be read ({error})", "check the path") from error
    same = (before.st_ino, before.st_mtime_ns, before.st_size) == (after.st_ino, after.st_mtime_ns, after.st_size)
    if not same or len(data) != after.st_size:
        raise RecordedError(path, "it changed while it was read", "wait until it is complete")
    return data


def require_distinct(path: Path, columns: Sequence[str]) -> None:
    """Raise :class:`RecordedError` if two columns have one name."""
    if twice := next((name for name, times in Counter(columns).items() if times > 1), None):
        raise RecordedError(path, f"the column {twice[:80]!r} occurs twice", "remove one of them")


def numbers_of(
    path: Path, row: str, columns: Sequence[str], cells: Sequence[Any], number: Callable[[Any], float], or_else: str
) -> list[float]:
    """The numbers in the cells of one row. Raises :class:`RecordedError` for a cell of which ``number`` raises ValueError."""
    numbers = []
    for name, cell in zip(columns, cells, strict=True):
        try:
            numbers.append(number(cell))
        except ValueError as error:
            raise RecordedError(path, f"{row}, column {name[:80]!r}: {error}", f"give a finite number, or {or_else}") from None
    return numbers
