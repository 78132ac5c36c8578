"""Pages with commands: what is run, what is inserted, and what stops the build of the site."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import shell
from executed import Block, PageError, executed, has_commands, missing, split
from shell import Shell

ROOT = Path(__file__).parents[2]

PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))


def page(*lines: str) -> str:
    return "\n".join(lines) + "\n"


@pytest.fixture(autouse=True)
def checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


FILE = "```text file=new/a.txt\ncontent\n```\n```console\n$ cat new/a.txt > b.txt\n$ cat b.txt\n```\n"

SHOWN = {
    "the output below its command": (
        "Before.\n```console\n$ echo one; echo 1 >&2\n$ echo three\n```\nAfter.\n",
        "Before.\n```console\n$ echo one; echo 1 >&2\none\n1\n\n$ echo three\nthree\n```\nAfter.\n",
    ),
    "commands of several lines": ("```console\n$ echo one \\\n  two\n```", "$ echo one \\\n  two\none two\n```"),
    "a folder that commands and files share": (FILE, "$ cat b.txt\ncontent\n```"),
    "a file with its name": (FILE, ":caption: new/a.txt"),
    "a file beside the page": ("```console with=example.py\n$ grep -o Rodrigues example.py\n```", "example.py\nRodrigues"),
    "the first lines": ("```console lines=2\n$ seq 9\n```", "$ seq 9\n1\n2\n…\n```"),
    "why a command is not run": (
        '```console skip="it takes long"\n$ exit 1\n```',
        "The build did not run this: it takes long.",
    ),
    "what is not installed": (
        "```console needs=json,no_such_module\n$ exit 1\n```",
        "no_such_module is not installed where",
    ),
    "what is installed": ("```console needs=json\n$ echo 1\n```", "$ echo 1\n1\n"),
    "backticks": ("```console\n$ echo '```'\n```", "````console\n"),
    "other versions": ("```console\n$ echo 'It 4.1.0 took 3.5 s, at last'\nIt 9.10.1 … last\n```", "It 4.1.0 took … s, at last"),
}


@pytest.mark.parametrize(("written", "shown"), SHOWN.values(), ids=SHOWN)
def test_the_page_shows(written: str, shown: str) -> None:
    assert shown in executed(written, "docs/a.md")


def test_other_blocks_and_text_stay_as_they_are() -> None:
    written = page("````md", "```console", "$ exit 1", "```", "````", "    $ exit 1", "```", "$ exit 1", "```", "`a` ``b``")
    assert executed(written, "a.md") == written
    assert not has_commands(written, "a.md")


ERRORS = {
    "`console\n$ true": "a.md:1: this block does not end; close it with ````",
    "console\n$ exit 3": "a.md:2: `exit 3` ended with the exit code 3, and the page says 0; it printed:\n",
    "console exit=1\n$ true": "a.md:2: `true` ended with the exit code 0, and the page says 1",
    "console exit=1\n$ false\n$ false": "a.md:2: `false` ended with the exit code 1, and the page says 0",
    "console\n$ false | true": "a.md:2: `false | true` ended with the exit code 1",
    "console\n$ echo is\nwas": "a.md:2: `echo is` does not print 'was' any more, or not in this order; it printed:\nis",
    "console\n$ printf '1\\n2\\n'\n2\n1": "does not print '1' any more",
    "console\nis": "a.md:2: a block of commands starts with a command; write `$ ` before it",
    "console quiet\n$ true": "a.md:1: the option 'quiet' of this block has no value; write name=value",
    "console exits=1\n$ true": "a block of commands has no option 'exits'; use exit, lines, needs, skip, with",
    "console exit=one\n$ true": "a.md:1: the option exit is 'one'; give a whole number",
    'console skip="a\n$ true': "a.md:1: the options of this block cannot be read: No closing quotation",
    "console with=../README.md\n$ true": "a.md:1: the file '../README.md' is outside of the page's folder",
    "console with=a.txt\n$ true": "a.md:1: there is no file 'a.txt' beside the page; name one that is there",
    "text file=../a.txt": "a.md:1: the file '../a.txt' is outside of the page's folder; give a name inside",
    "text file=/etc/a.txt": "a.md:1: the file '/etc/a.txt' is outside",
    "text file=.": "a.md:1: the file '.' is outside",
}


@pytest.mark.parametrize("block", ERRORS)
def test_a_page_that_does_not_fit_stops_the_build(block: str) -> None:
    with pytest.raises(PageError) as caught:
        executed(f"```{block}\n```\n", "a.md")
    assert ERRORS[block] in str(caught.value)


def test_long_lines_are_broken() -> None:
    shown = executed(page("```console", f"$ echo '  {'word ' * 30}'", "```"), "a.md")
    assert max(map(len, shown.partition("echo")[2].splitlines()[1:])) <= 88


def test_commands_see_no_secrets_and_no_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("A_TOKEN", "secret")
    assert "secret" not in Shell(tmp_path).run("env").output
    assert (tmp_path / "work").is_dir()


def test_a_command_that_prints_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "LARGEST_FILE", 64)
    with pytest.raises(PageError, match=r"a\.md:2: `yes` ended with the exit code") as caught:
        executed(page("```console", "$ yes", "```"), "a.md")
    assert len(str(caught.value)) < 2 * shell.LONGEST


def test_what_a_command_leaves_running_is_ended_and_does_not_keep_the_build_waiting(tmp_path: Path) -> None:
    started = time.monotonic()
    assert Shell(tmp_path).run("(sleep 0.5; touch late; sleep 60) & echo here").output == "here\n"
    assert time.monotonic() - started < 30
    time.sleep(0.7)
    assert not (tmp_path / "work" / "late").exists()


def test_a_command_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where three processes want each processor, after three times as long."""
    monkeypatch.setattr(shell, "TIMEOUT", 0.2)
    monkeypatch.setattr("os.getloadavg", lambda: (6.0, 0.0, 0.0))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    with pytest.raises(PageError, match=r"a\.md:2: `sleep 60` did not end within 0.6 s"):
        executed(page("```console", "$ sleep 60", "```"), "a.md")


@pytest.mark.nightly
@pytest.mark.engines
@pytest.mark.parametrize("name", [name for name in PAGES if "/tutorial/" in name or name == "docs/array-frameworks.md"])
def test_the_commands_of_the_pages_do_what_the_pages_say(name: str) -> None:
    """Those of the tutorials; `tox -e docs` runs all, and `tox -e arrays` those of array-frameworks.md."""
    text = (ROOT / name).read_text("utf-8")
    assert has_commands(text, name)
    executed(text, name)
    blocks = [part for part in split(text, name) if isinstance(part, Block)]
    if absent := sorted(set(filter(None, map(missing, blocks)))):
        pytest.skip(f"ran only a part: {'; '.join(absent)}; `tox -e arrays` installs what is missing")


def test_commands_stand_in_blocks_that_are_run() -> None:
    starts, left = ("dalembert ", "$ ", "pip ", "tox ", "python "), []
    for name in (name for name in PAGES if "/findings/" not in name):
        blocks = [part for part in split((ROOT / name).read_text("utf-8"), name) if isinstance(part, Block)]
        written = [block for block in blocks if block.language in ("", "sh", "bash", "shell")]
        left += [f"{name}:{block.line}" for block in written if any(line.startswith(starts) for line in block.lines)]
    assert not left, "write ```console, with `$ ` before each command, and skip=WHY where the build cannot run it"
