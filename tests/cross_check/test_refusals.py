"""What adapters refuse because the engine is wrong: each has a page and a probe, and a repaired engine is noticed."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

from cross_check.exchange.results.objects import Cell
from cross_check.explain.findings import known
from cross_check.explain.findings.finding import text_of
from cross_check.explain.findings.known import REFUSALS, Refusal, is_right, reason, with_reasons
from implementations.plugins.registry import find_implementation
from implementations.protocol import Missing

ENGINES = Path(__file__).parents[2] / "implementations" / "engines"
EACH = pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.page)
BLAME = re.compile(r"wrong|behind v|behind the body|other bodies")


def test_every_refusal_that_blames_an_engine_has_a_row() -> None:
    """The words in every message of Unsupported, and in tables of reasons, of the adapters."""
    for path in sorted(ENGINES.glob("*/*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        apart = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        apart |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                text = "".join(str(x.value) if isinstance(x, ast.Constant) else "…" for x in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
                text = node.value
            else:
                continue
            if BLAME.search(text):
                assert any(re.search(one.says, text) for one in REFUSALS), f"{path.name}: {text}"


@EACH
def test_it_has_a_page_that_names_its_versions(refusal: Refusal) -> None:
    claimed = next(line for line in text_of(refusal.page).splitlines() if line.startswith("- **versions**")).partition(";")[0]
    versions = re.findall(r"\d+\.\d+\.\d+", claimed)
    assert versions
    whole = [f"3.3.1 (biorbd {version})" if refusal.page.startswith("biorbd") else version for version in versions]
    assert any(re.fullmatch(refusal.versions, version) for version in whole)


@pytest.mark.slow
@pytest.mark.engines
@EACH
def test_the_engine_is_still_wrong(refusal: Refusal) -> None:
    """Once it is right, there is no reason any more to leave the quantity out."""
    try:
        version = str(find_implementation(refusal.engine).version)  # type: ignore[attr-defined]
        if refusal.page.startswith("rbdl"):
            importlib.import_module("rbdl")
    except (Missing, ImportError) as missing:
        pytest.skip(str(missing))
    if not re.fullmatch(refusal.versions, version):
        pytest.skip(f"the page is about other versions than {version}")
    assert not is_right(refusal.page), f"{refusal.engine} {version} is repaired: let the adapter ask again"


@pytest.mark.parametrize(
    ("script", "right"),
    [
        ("print('right')", True),
        ("print('right'); print('wrong')", False),
        ("print('right'); import os; os.abort()", False),
        ("", False),
    ],
)
def test_a_probe_is_right_if_it_says_so_at_last_and_ends_well(script: str, right: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "script_of", lambda page: script)
    assert is_right("x") == right


@pytest.mark.parametrize(("version", "repaired"), [("3.2.7", False), ("3.3.0", False), ("3.3.0", True)])
def test_a_run_says_that_an_engine_is_repaired(version: str, repaired: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "_repaired", lambda page: repaired)
    said = "PyBullet computes spherical joints, which joint 'ball' is, wrongly"
    (cell,) = with_reasons("pybullet", version, [Cell("a/b/c", "a", "b", "c", "unsupported", said)])
    assert "docs/findings/pybullet-balls.md" in cell.message
    assert ("is repaired" in cell.message) == repaired
    assert reason("", version, said) is None, "code that is not our adapter has no such reason"
