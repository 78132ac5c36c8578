"""Exit codes: 0 all agree, 1 a discrepancy or a regression, 2 usage, 3 an engine or the harness failed, 5 nothing compared.

An interrupted run is 128 and the signal's number: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import click

USAGE, FAILED, INTERRUPTED, UNREAD = 2, 3, 130, 141


class CommandError(click.ClickException):
    """Ends a command with one sentence and an exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.exit_code = code  # type: ignore[misc]


class Group(click.Group):
    """Turns errors into one sentence and the right exit code."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # A stream that the shell closed is None, and the libraries that print need one.
        sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
        sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
        from dalembert.interruption import interruptible

        # Most of what a command makes lives to its end, and to search it for cycles takes a tenth of the time.
        gc.set_threshold(100_000, 20, 20)
        with interruptible() as signals:
            try:
                return super().__call__(*args, **kwargs)
            except SystemExit as end:
                raise SystemExit(signals.exit_code(INTERRUPTED) if end.code == INTERRUPTED else end.code) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.exceptions.Exit:
            raise
        except click.ClickException as error:
            error.message = _sentence(error.message)  # type: ignore[misc]
            raise
        except BrokenPipeError:
            # The reader of the output is gone. Without this, Python complains when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(UNREAD) from None
        except SystemExit as end:
            # Click raises none while a command runs. Code that is called in this process must not choose the exit code.
            raise CommandError(f"code under test called exit({end.code!r}); the run is incomplete", FAILED) from end
        except (KeyboardInterrupt, click.Abort):
            raise CommandError("interrupted", INTERRUPTED) from None
        except Exception as error:
            if code := _expected(error):
                raise CommandError(_sentence(str(error)), code) from None
            traceback.print_exc()
            raise CommandError("dalembert itself failed; the lines above say where, please report them", FAILED) from error


def _sentence(text: str) -> str:
    from mechanisms.plain_text import sentence

    return sentence(text)


def _expected(error: Exception) -> int | None:
    """The exit code of an error that users can correct, or None."""
    from dalembert.session import MISSING_ERRORS, USER_ERRORS

    if isinstance(error, USER_ERRORS):
        return USAGE
    return FAILED if isinstance(error, MISSING_ERRORS) else None
