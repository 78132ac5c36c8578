"""What a package index gets: metadata, a long description whose links work anywhere, and no file that does not belong there."""

from __future__ import annotations

import email
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from built import ROOT, build
from markdown_it import MarkdownIt

hatch_metadata = pytest.importorskip("hatch_metadata", reason="hatchling is among the development tools")

REPOSITORY = "https://example.org/owner/dalembert"


@pytest.fixture(scope="module")
def about(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("sdist"), "sdist")


def targets(text: str) -> list[str]:
    """Where the links and images of a Markdown text lead."""
    found: list[str] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        for part in token.children or []:
            found += [str(part.attrs[name]) for name in ("href", "src") if name in part.attrs]
    return found


def description(repository: str) -> Any:
    return hatch_metadata.description((ROOT / "README.md").read_text("utf-8"), repository, "1.2.3")


def test_every_link_of_the_long_description_is_absolute_and_leads_to_a_file() -> None:
    written = targets((ROOT / "README.md").read_text("utf-8"))
    found = targets(description(REPOSITORY))
    assert len(found) == len(written) > 20
    for target in found:
        for kind in ("blob", "raw"):
            if target.startswith(start := f"{REPOSITORY}/{kind}/v1.2.3/"):
                assert (ROOT / target.removeprefix(start).partition("#")[0]).exists(), target
                break
        else:
            assert target.startswith("https://"), target


def test_without_an_address_no_link_leads_nowhere_and_there_are_no_urls(about: Message) -> None:
    assert all(target.startswith("https://") for target in targets(description("")))
    assert "docs/benchmarks.md" in description("")
    assert hatch_metadata.urls("", "1.2.3") == {}
    if "Project-URL" not in about:
        text = str(about.get_payload())
        assert text.startswith("# dalembert\n") and "](docs/" not in text


def test_the_projects_addresses_come_from_the_repositorys() -> None:
    for address in hatch_metadata.urls(REPOSITORY, "1.2.3").values():
        assert address.startswith(REPOSITORY)
        path = address.partition("/blob/v1.2.3/")[2]
        assert not path or (ROOT / path).exists()


def test_the_metadata_say_who_what_and_where(about: Message) -> None:
    names = ("Author", "License-Expression", "Description-Content-Type")
    assert [about[name] for name in names] == ["The dalembert authors", "BSD-3-Clause", "text/markdown"]
    assert "Typing :: Typed" in (about.get_all("Classifier") or [])


def listed(*options: str) -> set[str]:
    words = ["git", "ls-files", "--exclude-standard", *options]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this is no git checkout, so there is no list of its files")
    return set(done.stdout.splitlines())


def test_the_source_distribution_has_the_files_of_the_repository_and_no_others(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()} - {"PKG-INFO"}
    assert not listed() - names, "list new files of the root in pyproject.toml, under the target sdist"
    assert not names - listed("--cached", "--others")


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["twine", "check_wheel_contents"])
def test_tools_that_check_packages_find_nothing(tool: str, wheel: Path, sdist: Path) -> None:
    if not find_spec(tool):
        pytest.skip(f"{tool} is not installed; `tox -e package` installs it")
    words = ["check", "--strict", str(sdist)] if tool == "twine" else []
    done = subprocess.run([sys.executable, "-m", tool, *words, str(wheel)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
