"""What engines' readers of files have in common; each engine's reader.py has the rest.

Engines report what they ignore in a file on the process's own stdout and stderr.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from xml.parsers import expat

import numpy as np

from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism
from mechanisms.plain_text import one_line
from mechanisms.reading import Form, Mass, Numbers, Reading, mass_about

EARTH: Numbers = (0.0, 0.0, -9.81)
"""The gravity of forms that say nothing of it."""

MOST_BYTES = 1 << 16
MOST_LINES = 200
LONGEST_LINE = 300

Answer = TypeVar("Answer")


Link = TypeVar("Link", bound=Hashable)


@dataclass(frozen=True)
class FileModel:
    """What an engine's own reader makes of a file, ready to be evaluated."""

    reading: Reading
    dynamics: Callable[[Mechanism, list[int]], Any]
    """The engine's :class:`implementations.protocol.Dynamics`, in our coordinates.

    The mechanism is what we make of the same file. Only its kinds of joints and its gravity are taken from it. The list has the
    index of its body for every joint of the reading. Raises :class:`Unsupported` where coordinates cannot be converted.
    """


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


def refusal(engine: str, error: Exception) -> Unsupported:
    """What says that the engine refuses a file, with the kind and the words of its error."""
    return Unsupported(f"{engine} refuses the file: {one_line(f'{type(error).__name__}: {error}', 300)}")


def carrier_of(inboard: Mapping[Link, tuple[Link, str]], link: Link, of_root: str = "") -> str:
    """The name of the joint that moves a link; ``of_root`` for what does not move relative to the root.

    ``inboard`` has for every link the one before it, and the name of the joint between them, empty if that is fixed.
    """
    name = ""
    while link in inboard and not name:
        link, name = inboard[link]
    return name or of_root


def placed(mass: float, com: Any, inertia: Any, R: Array, p: Array) -> Mass:
    """A mass and an inertia (3, 3) about its com (3,) in a frame that is at R (3, 3) and p (3,) in the root's."""
    return mass_about(mass, R @ com + p, R @ inertia @ R.T)


def placed_spatial(spatial: Any, R: Array, p: Array) -> Mass:
    """The same of a spatial inertia (6, 6) about the frame's origin, linear part first."""
    spatial = np.asarray(spatial, float)
    mass, lever, about_origin = float(spatial[0, 0]), spatial[3:, :3], spatial[3:, 3:]
    com = np.array([lever[2, 1], lever[0, 2], lever[1, 0]]) / mass if mass else np.zeros(3)
    return placed(mass, com, about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com)), R, p)


def ours(theirs: Sequence[int], order: Sequence[int]) -> list[int]:
    """The engine's numbers of what each joint of a reading carries, in the order of our bodies."""
    number = dict(zip(order, theirs, strict=True))
    return [number[i] for i in range(len(order))]


def numbers(x: Any) -> Numbers:
    """Any numbers as plain ones."""
    return tuple(map(float, x))


def limits_of(*limits: Any) -> tuple[float | None, ...]:
    """Limits of a joint as a reading has them: None for a limit that is missing."""
    return tuple(float(limit) if limit is not None and np.isfinite(limit) else None for limit in limits)


def with_what_it_said(call: Callable[[], Answer]) -> tuple[Answer, tuple[str, ...]]:
    """The answer of ``call``, and what was printed meanwhile, by C and C++ too: each line once, within bounds.

    It redirects the two streams of the whole process, so no other thread may print meanwhile.
    """
    with tempfile.TemporaryFile() as printed:
        _flush()
        kept = [os.dup(stream) for stream in (1, 2)]
        try:
            for stream in (1, 2):
                os.dup2(printed.fileno(), stream)
            answer = call()
        finally:
            _flush()
            for stream, original in zip((1, 2), kept, strict=True):
                os.dup2(original, stream)
                os.close(original)
        printed.seek(0)
        text = printed.read(MOST_BYTES).decode("utf-8", "replace")
    lines = (one_line(line, LONGEST_LINE) for line in text.splitlines() if line.strip())
    return answer, tuple(dict.fromkeys(lines))[:MOST_LINES]


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    ctypes.CDLL(None).fflush(None)


SHAPES = ("visual", "collision")


class _Declared(Exception):
    """The document declares entities, which no robot needs."""


def without_meshes(text: str) -> tuple[str, int]:
    """``text``, a URDF or an SDF, without its <visual> and <collision> elements that contain a <mesh>, and how many there were.

    Line ends inside them are kept, so that an engine's messages name the right lines. A text that is no XML, or that declares
    entities, is returned as it is.
    """
    data = text.encode("utf-8", "replace")
    ends: list[tuple[int, int]] = []
    begun: list[int] = []
    has_mesh = False
    # What the text says of its encoding holds for the file, not for this copy.
    parser = expat.ParserCreate("utf-8")

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal has_mesh
        if tag in SHAPES:
            begun.append(parser.CurrentByteIndex)
            has_mesh = has_mesh and len(begun) > 1
        elif tag == "mesh" and begun:
            has_mesh = True

    def end(tag: str) -> None:
        if tag in SHAPES and begun:
            first = begun.pop()
            if has_mesh and not begun:
                ends.append((first, data.index(b">", parser.CurrentByteIndex) + 1))

    def refuse(*_: object) -> None:
        raise _Declared

    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = start, end, refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, _Declared):
        return text, 0
    for first, last in reversed(ends):
        data = data[:first] + b"\n" * data.count(b"\n", first, last) + data[last:]
    return data.decode("utf-8"), len(ends)
