"""What commands that ask code share: how they end, what they keep, and what they say of code that cannot be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from cross_check.entry import Entry
from cross_check.exchange.results.codec import to_json
from cross_check.exchange.results.files import write_json
from dalembert.cli.exits import FAILED, INTERRUPTED, NOTHING, CommandError
from implementations.protocol import Failure, Unsupported
from mechanisms.plain_text import one_line


@contextmanager
def asked(entries: Iterable[Entry], keep: Callable[[], None]) -> Iterator[None]:
    """Code is asked within the context. However it ends, the processes of the code end, and ``keep`` keeps what was found."""
    try:
        yield
    except KeyboardInterrupt:
        raise CommandError("interrupted; what was found is kept", INTERRUPTED) from None
    finally:
        for one in entries:
            one.subject.close()
        keep()


def keep_json(found: Any, output: Path | None) -> None:
    """Write a frozen object, if an output is asked for."""
    if output:
        write_json(to_json(found), output)
        click.echo(f"wrote {output}", err=True)


@dataclass
class Refusals:
    """What code could not answer. :meth:`said` is a context that prints it and goes on."""

    ends: list[int] = field(default_factory=list)
    """The exit code of each: it failed, or there was nothing to compare."""

    @contextmanager
    def said(self, about: str) -> Iterator[None]:
        try:
            yield
        except (Unsupported, Failure) as reason:
            has_failed = isinstance(reason, Failure)
            click.echo(f"{about}: {'failed' if has_failed else 'unsupported'}: {one_line(str(reason))}")
            self.ends.append(FAILED if has_failed else NOTHING)

    def exit_code(self, is_compared: bool, is_right: bool = True) -> int:
        """The exit code of what was asked: whether something was compared, and whether that is right."""
        return FAILED if FAILED in self.ends else NOTHING if not is_compared else 0 if is_right else 1
