"""The file that a mechanism was read from: for code under test that reads files itself."""

from __future__ import annotations

import codecs
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mechanisms.errors import MechanismError
from mechanisms.limits import MOST_URDF_BYTES
from mechanisms.reading import Form

DECLARED = re.compile(r"""^<\?xml[^>]*?\sencoding\s*=\s*(["'])(?P<encoding>[A-Za-z][\w.-]*)\1""")
"""The encoding that an XML document declares at its beginning."""


@dataclass(frozen=True)
class Source:
    """A file that describes a mechanism.

    ``text`` is its text as it was read; a file in another encoding than UTF-8 says UTF-8 in it. ``path`` is empty if there is no
    such file on the disk. ``format`` is its form. With ``free_base`` the text alone does not describe the mechanism: the harness
    put the root link on a free joint. If the root link is called "world", has no inertia and has one joint only, which is fixed,
    then that joint became free instead.
    """

    text: str
    path: str = ""
    free_base: bool = False
    format: Form = "urdf"
    fingerprint: str = ""
    """The fingerprint of the mechanism that was read, by which a mechanism that was changed since then is known."""
    notes: tuple[str, ...] = ()
    """What the reader ignored in the file though it may matter, one sentence each."""

    def __post_init__(self) -> None:
        # No character has fewer bytes than one.
        if len(self.text) > MOST_URDF_BYTES:
            raise MechanismError(f"{self.path or 'the text'} is larger than {MOST_URDF_BYTES // 2**20} MiB; give a smaller file")

    @contextmanager
    def file(self) -> Iterator[Path]:
        """The text in a temporary file (UTF-8), for parsers that take a path. It exists within the ``with`` block.

        Files that the text names relative to its own place, such as meshes, are not beside it.
        """
        with tempfile.TemporaryDirectory(prefix="dalembert-") as folder:
            path = Path(folder, f"mechanism.{'xml' if self.format == 'mjcf' else self.format}")
            path.write_bytes(self.text.encode("utf-8", "surrogatepass"))
            yield path


def source_text(document: str | bytes) -> str | None:
    """The text of an XML document, which says UTF-8 if it declared an encoding; None for bytes in no known encoding."""
    text = document if isinstance(document, str) else _decoded(document)
    declared = DECLARED.match(text) if text else None
    return text[: declared.start("encoding")] + "UTF-8" + text[declared.end("encoding") :] if text and declared else text


def _decoded(document: bytes) -> str | None:
    wide = document.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    declared = DECLARED.match(document.removeprefix(codecs.BOM_UTF8)[:200].decode("latin-1"))
    encoding = declared["encoding"] if declared and not wide else "utf-16" if wide else "utf-8"
    try:
        return document.decode("utf-8-sig" if encoding.lower() == "utf-8" else encoding)
    except (UnicodeError, LookupError):
        return None
