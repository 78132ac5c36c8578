"""The torture set at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mechanisms.urdf_traits import FILES, TRAITS


def test_a_file_is_printed_as_it_is(invoke):
    for name in ("plain file", "UTF-16"):
        found = invoke("traits", name)
        assert (found.exit_code, found.stdout_bytes) == (0, TRAITS[name].content)


@pytest.mark.slow
def test_all_files_are_written_with_what_is_right(invoke):
    assert invoke("traits", "-o", "folder").output == f"wrote {len(TRAITS) + 1} files into folder\n"
    written, kept = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in (Path("folder"), FILES))
    assert written == kept
    index = json.loads(written["traits.json"])
    (joint,) = next(entry for entry in index if entry["trait"] == "plain file")["joints"]
    assert (joint["axis"], joint["carries"]["mass"], joint["parent"]) == ([0, 1, 0], 2.0, "")
