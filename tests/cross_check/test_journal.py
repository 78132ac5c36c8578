"""The journal: whatever ends a run, at any moment, nothing that was finished is lost, and the run can go on."""

from __future__ import annotations

import errno
import json
import os
import signal
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from anomalies import STEP, Error, every_failure, short_write

from cross_check.exchange.results import ResultsError, write_json, write_text
from cross_check.exchange.results.journal import Journal, finished_line, first_line, read_journal

HEADER = {
    "version": "0.1.0",
    "settings": {"seed": 0, "states": 98, "bar": 16.0},
    "mechanisms": [["pendulum", "pendulum", "ab12"], ["arm", "my.py:arm", "cd34"]],
    "implementations": [{"name": "mine", "spec": "my.py", "version": "1"}],
}
# Python 3.12 warns of fork in a process with threads, and pytest-xdist has some. The children use nothing of theirs.
warns_of_fork = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
KEYS = ("pendulum/mine", "arm/mine", "arm/⚙ \udc80\n")


def record_of(key: str) -> dict[str, Any]:
    return {"id": key, "error": 0.1 + len(key), "errors": [*np.empty(0).tolist(), 1e-300, 3], "message": None}


EXPECTED = {key: record_of(key) for key in KEYS}


@pytest.fixture(autouse=True)
def fast_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test can tell whether data is on the disk itself, and waiting for it takes most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory, where it can be: a disk makes every renaming wait."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as folder:
        yield Path(folder)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def run(path: Path, returned: list[str]) -> None:
    """A short run, resumed if it was begun, that writes what it found beside its journal."""
    with Journal.open(path, HEADER, resume=path.exists()) as journal:
        returned += journal.finished
        for key in KEYS:
            if key not in journal.finished:
                journal.add(key, record_of(key))
                returned.append(key)
        write_json({"found": dict(journal.finished)}, path.with_name("found.json"))


def forked(work: Callable[[], Any]) -> int:
    """The id of a child process that does the work, and nothing else."""
    if child := os.fork():
        return child
    try:
        work()
        os._exit(0)
    finally:
        os._exit(1)


def test_what_was_added_is_read_and_resumed(path: Path) -> None:
    with Journal.open(path, HEADER) as journal:
        journal.add(KEYS[0], EXPECTED[KEYS[0]])
        assert read_journal(path) == (HEADER, {KEYS[0]: EXPECTED[KEYS[0]]})
    with Journal.open(path, HEADER, resume=True) as journal:
        assert dict(journal.finished) == {KEYS[0]: EXPECTED[KEYS[0]]}
        journal.add(KEYS[2], EXPECTED[KEYS[2]])
    assert read_journal(path) == (HEADER, {key: EXPECTED[key] for key in (KEYS[0], KEYS[2])})
    assert [json.loads(line)[1].popitem()[0] for line in path.read_text().splitlines()] == ["run", "record", "record"]


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"version": "0.2.0"}, 'version is "0.1.0" there and "0.2.0" here'),
        ({"settings": {**HEADER["settings"], "seed": 1}}, "settings.seed is 0 there and 1 here"),  # type: ignore[dict-item]
        ({"mechanisms": [HEADER["mechanisms"][0], ["arm", "my.py:arm", "ee"]]}, 'mechanisms.2.3 is "cd34" there and "ee" here'),
        ({"implementations": []}, r'implementations is \[\{"name": "mine", .*…? there and \[\] here'),
    ],
)
def test_the_journal_of_another_run_is_refused(path: Path, change: dict[str, Any], difference: str) -> None:
    Journal.open(path, HEADER).close()
    before = path.read_bytes()
    with pytest.raises(ResultsError, match=f"is the journal of another run: {difference}; repeat that run, or start"):
        Journal.open(path, HEADER | change, resume=True)
    assert path.read_bytes() == before
    Journal.open(path, HEADER, resume=True).close()


def test_no_file_is_overwritten(path: Path) -> None:
    path.write_text("mine")
    for resume in (False, True):
        with pytest.raises(ResultsError, match=r"exists; resume its run|is no journal of this version"):
            Journal.open(path, HEADER, resume)
    assert path.read_text() == "mine"


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/null"), Path("x" * 300)):
        for use in (read_journal, lambda path: Journal.open(path, HEADER, resume=True)):
            with pytest.raises(ResultsError, match=r"(; choose another path|; check the path.*)$"):
                use(path)
    assert {file.name for file in tmp_path.iterdir()} == {"pipe"}


def test_power_may_fail(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk itself has what is a second old, all of a journal that is closed, and a file before it gets its name."""
    done: list[str] = []
    now = 100.0
    monkeypatch.setattr("cross_check.exchange.results.journal.monotonic", lambda: now)
    monkeypatch.setattr(os, "fsync", lambda descriptor: done.append("fsync"))
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda *paths: [done.append("rename"), replace(*paths)])
    with Journal.open(path, HEADER) as journal:
        for now in (100.0, 100.5, 101.0, 101.5, 102.5):
            journal.add(str(now), {})
            done.append(f"{now}")
    assert done == ["100.0", "100.5", "fsync", "101.0", "101.5", "fsync", "102.5", "fsync"]
    done.clear()
    write_text("new", path.with_name("out"))
    assert done == ["fsync", "rename"]


def lines_of(path: Path) -> list[bytes]:
    run(path, [])
    return path.read_bytes().splitlines(keepends=True)


def test_every_torn_end_is_dropped_and_replaced(path: Path) -> None:
    """Wherever the end is torn off: what was whole is read, and a resumed run ends like an undisturbed one."""
    lines = lines_of(path)
    whole = b"".join(lines)
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        present = whole[:size].count(b"\n")
        if present:
            assert len(read_journal(path)[1]) == present - 1
        else:
            with pytest.raises(ResultsError, match="is no journal of this version"):
                read_journal(path)
        if size % 7 == 0:
            run(path, [])
            assert read_journal(path) == (HEADER, EXPECTED)


@pytest.mark.parametrize("end", [b"\0" * 5000, b'["00000000",{"begun":"a"}]\n', b"\xff\n\xfe\n", b'["'])
def test_rubbish_at_the_end_is_dropped(path: Path, end: bytes) -> None:
    path.write_bytes(b"".join(lines_of(path)[:-1]) + end)
    assert [*read_journal(path)[1]] == [*KEYS[:2]]
    run(path, [])
    assert read_journal(path) == (HEADER, EXPECTED)


def line(text: bytes) -> bytes:
    return b'["%08x",%b]\n' % (zlib.crc32(text), text)


def test_a_damaged_line_in_the_middle_is_named_and_can_be_removed(path: Path) -> None:
    lines = lines_of(path)
    path.write_bytes(b"".join([*lines[:2], lines[2].replace(b"1e-300", b"1e-301"), *lines[3:]]))
    for use in (read_journal, lambda path: Journal.open(path, HEADER, resume=True)):
        with pytest.raises(ResultsError, match="is damaged at line 3; remove this line, and its work is done again"):
            use(path)
    path.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    run(path, [])
    assert read_journal(path) == (HEADER, EXPECTED)


@pytest.mark.parametrize(
    "text", [b'{"finished":"a"}', b'{"begun":1}', b"[]", b'{"finished":"a","record":{"e":NaN}}', b"[" * 9999]
)
def test_entries_of_another_kind_are_refused_in_one_sentence(path: Path, text: bytes) -> None:
    earlier = line(b'{"begun":"a"}')  # Versions before this one noted what was begun, which is ignored.
    path.write_bytes(first_line(HEADER) + earlier + finished_line("b", {}))
    assert read_journal(path) == (HEADER, {"b": {}})
    path.write_bytes(first_line(HEADER) + earlier + line(text) + finished_line("b", {}))
    with pytest.raises(ResultsError, match=r"(has an unknown entry in|is damaged at) line 3; remove this line") as caught:
        read_journal(path)
    assert "\n" not in str(caught.value)


def test_one_process_at_a_time(path: Path) -> None:
    with Journal.open(path, HEADER) as journal:
        for resume in (False, True):
            with pytest.raises(ResultsError, match="is the journal of a run that still goes on; wait for it, or choose"):
                Journal.open(path, HEADER, resume)
        journal.add("a", {})
        assert read_journal(path) == (HEADER, {"a": {}})
    Journal.open(path, HEADER, resume=True).close()


@needs_fork
@warns_of_fork
def test_a_forked_child_does_not_keep_the_lock(path: Path) -> None:
    journal = Journal.open(path, HEADER)
    reading, writing = os.pipe()
    child = forked(lambda: [os.write(writing, b"I run"), signal.pause()])
    try:
        os.read(reading, 5)
        journal.add("a", {})
        journal.close()
        Journal.open(path, HEADER, resume=True).close()
    finally:
        os.close(writing)
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
BROKEN = OSError(errno.EIO, os.strerror(errno.EIO))
ANOMALIES: dict[str, tuple[str, Error, bool]] = {
    "write: disk full": ("os.write", FULL, True),
    "write: short": ("os.write", short_write, False),
    "write: short, then full": ("os.write", short_write, True),
    "open": ("os.open", OSError(errno.EMFILE, os.strerror(errno.EMFILE)), False),
    "lock": ("fcntl.flock", OSError(errno.ENOLCK, os.strerror(errno.ENOLCK)), False),
    "rename": ("os.replace", BROKEN, False),
    "fsync": ("os.fsync", BROKEN, False),
    "ftruncate": ("os.ftruncate", BROKEN, False),
    "no memory at any step": (STEP, MemoryError(), False),
    "Ctrl-C at any step": (STEP, KeyboardInterrupt(), False),
}


def begun_run(path: Path) -> None:
    """One record is there, the next line is torn, and a killed run has left a half-written file."""
    lines = lines_of(path)
    path.write_bytes(b"".join(lines[:4]) + lines[4][:50])
    path.with_name(".found.json.part").write_text("{")
    path.with_name("found.json").write_text('{"found": "old"}')


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("start", [None, begun_run], ids=["new", "begun"])
@pytest.mark.parametrize("name", ANOMALIES)
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_every_single_failure_loses_nothing(tmp_path: Path, name: str, start: Callable[[Path], None] | None) -> None:
    operation, error, lasting = ANOMALIES[name]
    path, found = tmp_path / "run.jsonl", tmp_path / "found.json"
    returned: list[str] = []

    def prepare() -> None:
        for file in tmp_path.iterdir():
            file.unlink()
        returned.clear()
        if start:
            start(path)

    def judge(n: int) -> None:
        try:
            records = read_journal(path)[1]
        except ResultsError:
            assert not returned
            records = {}
        assert {*returned} <= {*records}
        assert all(records[key] == EXPECTED[key] for key in records)
        if found.exists():
            assert json.loads(found.read_text())["found"] in ("old", EXPECTED)
        run(path, [])
        assert read_journal(path) == (HEADER, EXPECTED)
        assert json.loads(found.read_text()) == {"found": EXPECTED}
        assert {file.name for file in tmp_path.iterdir()} == {path.name, found.name}
        prepare()

    prepare()
    tried = every_failure(operation, error, lambda: run(path, returned), judge, lasting)
    print(f"{name}: each of {tried} operations failed, no record lost")
    assert tried


@needs_fork
@warns_of_fork
def test_runs_that_write_one_file_at_once_never_mix(tmp_path: Path) -> None:
    path = tmp_path / "out"
    texts = [f"{name}" * 300_000 for name in "abcd"]
    path.write_text(texts[0])
    children = [forked(lambda text=text: [write_text(text, path) for _ in range(30)]) for text in texts]
    while children:
        assert path.read_text() in texts
        ended = {child: status for child, status in (os.waitpid(child, os.WNOHANG) for child in children) if child}
        assert not any(ended.values())
        children = [child for child in children if child not in ended]
    assert [*tmp_path.iterdir()] == [path]


def test_a_full_disk_is_one_sentence_and_the_run_can_go_on(path: Path) -> None:
    """The system itself refuses files of more than so many bytes: a real short write, then a real error."""
    resource = pytest.importorskip("resource")
    before, size = resource.getrlimit(resource.RLIMIT_FSIZE), 5_000
    records = {str(k): {"errors": [k] * 50} for k in range(200)}
    with Journal.open(path, HEADER) as journal:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            with pytest.raises(ResultsError, match=r"run.jsonl cannot be written \(.*\); it keeps what was finished: make room"):
                for key, record in records.items():
                    journal.add(key, record)
            with pytest.raises(ResultsError, match=r"out cannot be written \(.*\); choose another path"):
                write_text("x" * 2 * size, path.with_name("out"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert path.stat().st_size == size
        assert journal.finished and read_journal(path) == (HEADER, dict(journal.finished))
        for key in records.keys() - journal.finished.keys():
            journal.add(key, records[key])
    assert read_journal(path) == (HEADER, records)
    assert [*path.parent.iterdir()] == [path]
