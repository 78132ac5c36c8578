"""Every dependency is on the page, with its lower bound and the licence that its metadata declares."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, files, metadata

import pytest
from built import ROOT

PAGE = (ROOT / "docs" / "dependencies.md").read_text("utf-8")

LICENCES = {
    "Apache": r"Apache",
    "BSD": r"\bBSD\b",
    "GPL": r"(?<!L)GPL|(?<!Lesser )General Public",
    "LGPL": r"LGPL|Lesser General Public",
    "MIT": r"\bMIT\b",
    "MPL": r"MPL|Mozilla Public",
    "PSF": r"PSF|Python Software Foundation",
    "Zlib": "[Zz]lib",
}
"""Families of licences, and how metadata and the page call them."""


def required() -> dict[str, str]:
    """Every package that pyproject.toml names, with its lower bound or nothing."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    lists = [project["project"]["dependencies"], project["build-system"]["requires"]]
    lists += [*project["project"]["optional-dependencies"].values(), *project["dependency-groups"].values()]
    words = [re.fullmatch(r"([\w.-]+)(?:\[[\w,]+\])?(?:>=([\w.]+))?", word) for words in lists for word in words]
    assert None not in words
    return {word[1]: word[2] or "" for word in words if word and word[1] != "dalembert"}


def listed() -> dict[str, tuple[str, str]]:
    """Every package on the page: its lower bound, and the cell with its licence."""
    found = {}
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 4:
            for package in cells[0].split(", "):
                name, _, bound = package.partition(" ≥ ")
                found[name] = (bound, cells[1])
    return found


def families(text: str) -> set[str]:
    return {name for name, pattern in LICENCES.items() if re.search(pattern, text)}


def declared(name: str) -> str:
    """The licence by expression, by name or by classifier, and where metadata has none of them, by the licence files."""
    about = metadata(name)
    # A "name" of many lines is the text of a licence, which may mention others.
    words = [about.get("License-Expression") or "", *(about.get("License") or "").splitlines()[:1]]
    words += [one for one in about.get_all("Classifier") or [] if one.startswith("License ::")]
    files_of_it = [path.read_text() for path in files(name) or [] if "licenses/" in str(path)] if not any(words) else []
    return " ".join([*words, *files_of_it])


@pytest.mark.parametrize(("name", "bound"), required().items())
def test_a_dependency_is_listed_with_its_licence(name: str, bound: str) -> None:
    assert name in listed(), "add it to docs/dependencies.md, with its licence and why it is needed"
    written, licence = listed()[name]
    assert written == bound
    assert families(licence)
    try:
        licences = families(declared(name))
    except PackageNotFoundError:
        pytest.skip(f"{name} is not installed")
    assert licences, "its metadata declares no licence that this test knows"
    assert licences <= families(licence)


def test_nothing_else_is_listed() -> None:
    assert set(listed()) - {"package"} == set(required())


def test_the_libraries_under_the_lgpl_are_named() -> None:
    """Those that python-flint's wheel declares, each as the page names it."""
    files = [str(path) for path in metadata("python-flint").get_all("License-File") or []]
    libraries = {match[1].upper() for path in files if (match := re.search(r"libs/(\w+)-[\d.]+/", path))}
    section = PAGE.partition("### LGPL parts")[2]
    assert all(f"{name} (" in section for name in libraries), libraries
