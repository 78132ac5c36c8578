"""The bank of faults in mechanisms/, of which docs/shared.md says what guards them."""

from __future__ import annotations

import ast
import csv
from pathlib import Path

import pytest
from edits import Edit, read_edits, write_edits
from shared.page import page, table
from shared.seen import SENSES

ROOT = Path(__file__).parents[2]
FAULTS = read_edits(ROOT / "benchmarks" / "shared" / "faults.jsonl")


def test_faults_have_sentences_of_their_own() -> None:
    assert len({(fault.file, fault.sentence) for fault in FAULTS}) == len(FAULTS) >= 80


def test_every_fault_is_one_edit_of_what_is_there() -> None:
    for fault in FAULTS:
        text = (ROOT / fault.file).read_text("utf-8")
        edited = ast.parse(fault.edited(text))
        assert ast.dump(edited) != ast.dump(ast.parse(text)), fault.sentence


def test_an_edit_is_kept_and_planted_where_its_text_stands_once(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("x = 1\n")
    write_edits(tmp_path / "edits.jsonl", [Edit("code.py", "x is two", "x = 1", "x = 2")])
    (edit,) = read_edits(tmp_path / "edits.jsonl")
    edit.plant(tmp_path)
    assert (tmp_path / "code.py").read_text() == "x = 2\n"
    with pytest.raises(ValueError, match="'x = 1' stands there 0 times; mend the edit"):
        edit.plant(tmp_path)


def test_the_page_counts_what_the_table_has() -> None:
    written = ROOT / "docs" / "shared.csv"
    fields = {(module, sentence): seen for module, sentence, *seen in csv.reader(written.read_text("utf-8").splitlines())}
    what = {"": [], "?": None, "an error": ["TypeError: …"]}
    rows = []
    for fault in FAULTS:
        seen = fields[Path(fault.file).stem, fault.sentence]
        rows.append((fault, {sense: what.get(text, text.split(", ")) for sense, text in zip(SENSES, seen, strict=True)}))
    assert table(rows) == written.read_text("utf-8")
    assert page(rows) == written.with_suffix(".md").read_text("utf-8")
