"""What engines' readers of files have in common; each engine's reader.py has the rest."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.reading import Form, Numbers


@contextmanager
def as_file(text: str, name: str) -> Iterator[Path]:
    """A file with this text and this name, for readers that take no text."""
    with tempfile.TemporaryDirectory(prefix="dalembert-") as folder:
        path = Path(folder, name)
        path.write_text(text, "utf-8")
        yield path


def require_fixed_root(form: Form, free_base: bool) -> None:
    """Raise :class:`Unsupported` where another form than URDF is asked for a free base."""
    if form != "urdf" and free_base:
        raise Unsupported(f"{form.upper()} says itself what moves freely")


def require_kinds(engine: str, mechanism: Mechanism, kinds: Iterable[tuple[int, str]]) -> None:
    """Raise :class:`Unsupported` where the engine makes another kind of joint; ``kinds`` are pairs of a body and a kind."""
    for i, kind in kinds:
        joint = mechanism.bodies[i].joint
        if kind != joint.kind:
            raise Unsupported(f"{engine} makes a {kind} joint of {joint.name!r}, which is {joint.kind}")


def numbers(x: Any) -> Numbers:
    """Any numbers as plain ones."""
    return tuple(map(float, x))


def limits_of(*limits: Any) -> tuple[float | None, ...]:
    """Limits of a joint as a reading has them: None for a limit that is missing."""
    return tuple(float(limit) if limit is not None and np.isfinite(limit) else None for limit in limits)
