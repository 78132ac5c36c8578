"""JUnit, Markdown and the terminal; commands and words."""

from __future__ import annotations

import re
import shlex
from typing import Any
from xml.etree import ElementTree

import pytest
from documents import DYNAMICS, HOSTILE, certified, empty, hostile, mixed, results
from rich.console import Console, RenderableType

from cross_check.results import INFINITE
from reports import junit, markdown, reproduction, terminal
from reports.summary import ULPS, absent, distances, headline, inputs, pattern, truths
from reports.words import listing, number, position_names, printable, units

RUNS = {"empty": empty(), "green": results(), "certified": certified(), "mixed": mixed(), "hostile": hostile()}
ALL = pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())


def shown(what: RenderableType, width: int = 80) -> str:
    console = Console(width=width, no_color=True, force_terminal=False)
    with console.capture() as capture:
        console.print(what, crop=False)
    return capture.get()


@ALL
def test_junit_is_well_formed_and_counts(run: Any) -> None:
    suites = ElementTree.fromstring(junit.render(run.document()))
    cases = list(suites.iter("testcase"))
    assert int(suites.get("tests", -1)) == len(cases)
    for total, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suites.get(total, -1)) == sum(case.find(tag) is not None for case in cases)


def test_junit_says_what_is_wrong_and_how_to_see_it() -> None:
    suites = ElementTree.fromstring(junit.render(mixed().document()))
    assert [suite.get("name") for suite in suites] == ["engine0", "engine1", "skipped"]
    failure = suites.find(".//testcase[@classname='arm0'][@name='inverse_dynamics']/failure")
    assert failure is not None and "∞ ε-units" in failure.get("message", "")
    assert "state 3 (quarter turns)" in (failure.text or "") and "--state 3" in (failure.text or "")
    assert suites.find(".//testcase[@name='mass_matrix']/error") is not None
    assert len(suites.findall(".//skipped")) == 4


def test_an_interrupted_run_is_an_error_in_junit() -> None:
    suites = ElementTree.fromstring(junit.render(hostile().document()))
    assert suites.find("testsuite[@name='interrupted']/testcase/error") is not None


def test_markdown_holds_verdict_table_and_problems() -> None:
    text = markdown.render(mixed().document())
    assert text.startswith("## ❌ engine0 disagrees with the truth")
    rows = [line.split(" | ")[1].removesuffix(" |") for line in text.splitlines() if line.startswith("| ") and " of " in line]
    assert rows == ["**✗ ∞** (1 of 1)", "**! failed** (1 of 1)", "**◆ 40** (1 of 1)"]
    assert "not offered |" in text
    assert "unsupported |" in text
    assert "dalembert check 'my arm.urdf' --implementation engine0 --quantity mass_matrix --seed 3 --states 14" in text
    assert "- drake: not installed; pip install drake" in text
    assert markdown.render(results().document()).startswith("## ✅ engine0 agrees")
    assert markdown.render(empty().document()).startswith("## ⚠️ Nothing was compared")


def test_markdown_leaves_nothing_active() -> None:
    text = markdown.render(hostile().document())
    prose = re.sub(r"^ *(`{3,})sh\n.*?\n *\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert not re.search(r"<script|@team|\](?=\()(?<!\\\])|(?<!\\)[`\[]|#1|http:", prose)
    rows = [line for line in prose.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1


@pytest.mark.parametrize("text", ["- x", "+ x", "= x", "1. x", "12) x"])
def test_markdown_starts_no_list(text: str) -> None:
    assert markdown.escape(text) == "\u200b" + text


def test_a_fence_is_longer_than_the_ticks_within() -> None:
    assert markdown.code("a ```` b").startswith("`````sh\n")


def test_terminal_shows_every_verdict_in_80_columns_without_colour() -> None:
    text = shown(terminal.summary(mixed().document()))
    assert max(len(line) for line in text.splitlines() if "dalembert check" not in line) <= 80 and "\x1b" not in text
    assert "    dalembert check 'my arm.urdf' --implementation engine0 --quantity mass_matrix --seed 3 --states 14\n" in text
    for said in ("✗ ∞ disagrees", "! failed", "✗ broken", "drake: not installed", "engine0 failed 1 time", "✓ 2.6"):
        assert said in text
    assert "✓ All 2 implementations agree" in shown(terminal.summary(results(1, 2).document()))
    assert "Nothing was compared" in shown(terminal.summary(empty().document()))


def test_terminal_interprets_no_markup_and_no_control_characters() -> None:
    run = results()
    document = run.document()
    for item in (*document["mechanisms"], *document["implementations"]):
        item["name"] = "[bold red]x[/]\x1b[31m"
    for item in (*document["cells"], *document["invariants"]):
        item["mechanism"] = item["implementation"] = "[bold red]x[/]\x1b[31m"
    text = shown(terminal.summary(document))
    assert "[bold red]x[/]" in text and "\x1b" not in text
    assert "\x1b" not in shown(terminal.summary(hostile().document()))


def test_cell_details_name_every_input() -> None:
    document = mixed().document()
    text = shown(terminal.cell_details(document["cells"][0], document["mechanisms"][0], document["settings"]))
    for said in ("✗ ∞ disagrees", "quarter turns", "joint1", "-2.5", "State 3", "expected"):
        assert said in text
    failed = shown(terminal.cell_details(document["cells"][1], document["mechanisms"][0], document["settings"]))
    assert "! failed: mass_matrix raised" in failed


def test_commands_are_quoted() -> None:
    document = hostile().document()
    words = shlex.split(reproduction.reproduce(document, document["cells"][0]))
    assert words[:3] == ["dalembert", "check", HOSTILE]
    assert shlex.split(reproduction.repeat(document))[2] == HOSTILE


def test_another_bar_is_part_of_the_command() -> None:
    document = results().document()
    assert "--bar" not in reproduction.repeat(document)
    assert "--bar 4" in reproduction.repeat({**document, "settings": {**document["settings"], "bar": 4.0}})


@pytest.mark.parametrize(
    ("quantity", "right", "says"),
    [
        ("inverse_dynamics", ("zero", "at rest"), "moves: look at velocity and acceleration terms"),
        ("kinetic_energy", ("zero", "at rest"), "moves: look at velocity terms"),
        ("kinetic_energy", ("zero", "tiny"), "right in those of kind zero and tiny"),
        ("kinetic_energy", (), "wrong in 14 of 14 states"),
    ],
)
def test_the_pattern_of_an_error_says_where_to_look(quantity: str, right: tuple[str, ...], says: str) -> None:
    document = results().document()
    cell = next(cell for cell in document["cells"] if cell["quantity"] == quantity)
    cell["errors"] = [0.5 if kind in right else 1e9 for kind in document["mechanisms"][0]["kinds"]]
    assert pattern(document, cell).endswith(says)


def test_an_invariant_that_is_not_offered_goes_by_its_name() -> None:
    document = results().document()
    document["invariants"][0] |= {"verdict": "not offered", "message": "engine0 has no mass_matrix"}
    assert absent(document) == [("not offered", "M = Mᵀ: engine0 has no mass_matrix", ["arm0"])]


def test_how_far_the_two_derivations_are_apart() -> None:
    document = results().document()
    assert "It and the spatial-algebra reference differ by at most 0.02 ε-units." in truths(document)
    document["mechanisms"][0]["bridge"] = {"gravity": 0.001}
    assert "differ by less than 0.01 ε-units." in truths(document)


def test_a_certified_truth_is_called_so_and_how_far_the_reference_is_off() -> None:
    told = truths(certified().document())
    assert "certified values: the Lagrangian oracle in balls of up to 1536 bits, correctly rounded." in told
    assert "The spatial-algebra reference in float64 is off by at most 0.02 ε-units." in told
    assert "correctly rounded (2 ties to even, as far as 2⁻¹⁰⁰⁰ ulps tell)." in truths(certified(ties=2).document())
    assert "certified" not in truths(results().document())


def test_distances_in_ulps_are_those_of_the_worst_mechanism() -> None:
    rows = distances(certified().document())
    assert [row.quantity for row in rows] == [name for name in DYNAMICS if name != "forward_dynamics"]
    assert {row.within for row in rows} == {("1 / 12 / ∞", "1 / 12 / ∞")}
    assert distances(results().document()) == []
    document = results().document()
    for cell in document["cells"]:
        del cell["ulps"]
    assert distances(document) == []


def test_terminal_shows_ulps_with_their_meaning_where_the_truth_is_certified() -> None:
    text = shown(terminal.summary(certified(implementations=4).document()))
    assert re.search(r"^τ +1 / 12 / ∞ +1 / 12 / ∞", text, flags=re.MULTILINE)
    assert " ".join(ULPS.split()) in " ".join(text.split())
    assert "ulp" not in shown(terminal.summary(results().document()))


def test_details_of_a_certified_cell_tell_how_many_are_correctly_rounded() -> None:
    document = certified().document()
    text = shown(terminal.cell_details(document["cells"][0], document["mechanisms"][0], document["settings"]))
    assert "43.21 % correctly rounded; half / 99 in 100 / all are within 1 / 12 / 999 ulps" in " ".join(text.split())


def test_inputs_stand_beside_what_they_belong_to() -> None:
    mechanism = {"coordinates": ["hip", "knee"], "positions": ["hip", "knee"], "nq": 2, "bodies": 3}
    given = {"q": [0.1, 0.2], "f": [[1.0, 2.0, 3.0, 0.0, 0.0, -1.0]] * 3}
    parts, values = ("nx", "ny", "nz", "fx", "fy", "fz"), ("1.0", "2.0", "3.0", "0.0", "0.0", "-1.0")
    assert inputs(mechanism, given) == [
        ("q", [("hip", "0.1"), ("knee", "0.2")]),
        ("f", [(f"body {k} {part}", x) for k in range(3) for part, x in zip(parts, values, strict=True)]),
    ]


def test_headline_of_known_faults() -> None:
    document = results().document()
    document["cells"][0]["verdict"] = "known"
    assert headline(document) == "engine0 agrees with the truth on 1 mechanism, but for 1 known fault"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        *[(None, "–"), (0.0, "0"), (0.004, "<0.01"), (0.02, "0.02"), (0.83, "0.8"), (3.21, "3.2"), (16.4, "16")],
        *[(999.9, "1.0e3"), (1.44e9, "1.4e9"), (2e15, "2.0e15"), (INFINITE, "∞")],
    ],
)
def test_units(error: float | None, text: str) -> None:
    assert units(error) == text


def test_words() -> None:
    assert [listing(list(x)) for x in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert number(0.1) == "0.1" and number(-INFINITE) == "−∞"
    assert printable("a\x1b\u202e\nb\t") == "a\ufffd\ufffd\nb\t"


def test_positions_go_by_the_mechanisms_names_and_by_numbers_where_there_are_none() -> None:
    assert position_names({"positions": ["base.x", "knee"], "nq": 2}) == ["base.x", "knee"]
    assert position_names({"nq": 2}) == position_names({"positions": ["a"], "nq": 2}) == ["q[0]", "q[1]"]


def test_a_group_that_is_not_offered_at_all_goes_by_its_name() -> None:
    document = results(implementations=1).document()
    cell = document["cells"][0]
    names = ["mass_matrix", "placements", "center_of_mass", "inverse_dynamics_dq"]
    document["cells"] = [
        cell,
        *(cell | {"id": name, "quantity": name, "verdict": "not offered", "error": None} for name in names),
    ]
    ((verdict, message, mechanisms),) = absent(document)
    assert verdict == "not offered"
    assert message == f"{cell['implementation']} does not offer kinematics, mass matrix and inverse dynamics by q"
    assert mechanisms == [cell["mechanism"]]
