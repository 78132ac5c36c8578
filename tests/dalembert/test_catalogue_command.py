"""`dalembert catalogue`: its lines, totals, exit codes and files."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from cross_check.prove.catalogue import contents, frames
from cross_check.prove.catalogue.texts import text_000_2_vectors

FEW = ("000.9", "000.36", "000.6-not-a-point")


def test_a_sign_planted_into_our_code_is_false_with_a_witness(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    right = frames.crm
    for module in (frames, text_000_2_vectors):
        monkeypatch.setattr(module, "crm", lambda v, m: -right(v, m))
    found = invoke("catalogue", "000.9", "000.10", "-o", "page.html")
    assert found.exit_code == 1
    lines = {line.split()[1]: line for line in found.stdout.splitlines() if line.startswith("  ")}
    false = {id for id, line in lines.items() if line.startswith("  ✗")}
    # Anticommutativity, Jacobi's identity and the commutator hold for −× as they do for ×.
    assert false == {"000.9", "000.10-commutator", "000.10-transposed", "000.10-power"}
    left, right_side = lines["000.9"].split("the left side is ")[1].removesuffix("]").split(", the right ")
    assert Fraction(left) == -Fraction(right_side) != 0
    assert found.stdout.splitlines()[-1] == "8 identities, 4 proven, 4 false, none skipped"
    assert "are not as stated" in Path("page.html").read_text("utf-8")


def test_without_an_id_every_text_is_one_line_and_a_false_identity_another(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    few = ("000.9", "000.36-printed", "003.1-atan2")
    monkeypatch.setattr(contents, "CATALOGUE", [one for one in contents.CATALOGUE if one.id in few])
    right = invoke("catalogue")
    assert right.stdout.splitlines()[0] == (
        "text 000: J. Carius, Spatial algebra primer (2018), 1 identity, 1 proven, none skipped; "
        "1 slip of the texts refuted as printed"
    )
    assert len(right.stdout.splitlines()) == 3
    assert "  ✓ 000.9 " in invoke("catalogue", "-v").stdout
    crm = text_000_2_vectors.crm
    monkeypatch.setattr(text_000_2_vectors, "crm", lambda v, m: -crm(v, m))
    wrong = invoke("catalogue")
    assert [line.split()[1] for line in wrong.stdout.splitlines() if line.startswith("  ")] == ["000.9"]


def test_json(invoke: Any) -> None:
    assert invoke("catalogue", *FEW, "-o", "found.json", "--seed", 3).exit_code == 0
    document = json.loads(Path("found.json").read_text("utf-8"))
    assert (document["schema"], document["seed"]) == ("dalembert-catalogue-2", 3)
    assert all("seed" not in part for part in (*document["texts"], *document["entries"]))
    assert [text["text"] for text in document["texts"]] == ["000"]
    assert [entry["id"] for entry in document["entries"]][:2] == ["000.6-not-a-point", "000.9"]
    first = Path("found.json").read_bytes()
    invoke("catalogue", *FEW, "-o", "found.json", "--seed", 3)
    assert Path("found.json").read_bytes() == first
    invoke("catalogue", *FEW, "-o", "found.json", "--seed", 4)
    assert json.loads(Path("found.json").read_text("utf-8"))["entries"] != document["entries"]
