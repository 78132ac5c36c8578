"""JUnit, Markdown and the terminal; commands, words, releases, and what is not compared."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from documents import (
    BARE,
    HOSTILE,
    hostile,
    releases,
    results,
    with_cell,
)
from golden import printed

from cross_check.exchange.results import INFINITE, Results, Skipped, results_from, verdict_of
from cross_check.exchange.results.versions import Installed, Versions
from cross_check.harness import Entry, check
from cross_check.judge.settings import Settings
from implementations.plugins.user_code import as_implementation
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism
from mechanisms.quantities import BY_NAME, QUANTITIES
from reports import junit, markdown, reproduction, terminal
from reports.summary import Absence, absent, inputs, truths
from reports.words import listing, number, position_names, printable, units


def test_markdown_leaves_nothing_active() -> None:
    text = markdown.render(hostile())
    prose = re.sub(r"^ *(`{3,})sh\n.*?\n *\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert not re.search(r"<script|@team|\](?=\()(?<!\\\])|(?<!\\)[`\[]|#1|http:", prose)
    rows = [line for line in prose.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1


def test_markdown_starts_no_list_and_a_fence_is_longer_than_the_ticks_within() -> None:
    for text in ("- x", "+ x", "= x", "1. x", "12) x"):
        assert markdown.escape(text) == "\u200b" + text
    assert markdown.code("a ```` b").startswith("`````sh\n")


def test_terminal_is_one_screen_of_many_mechanisms_and_whole_with_v() -> None:
    run = with_cell(results(mechanisms=30, implementations=3), 0, verdict="known", message="see docs/findings/x.md")
    run = replace(run, skipped=[Skipped(f"robot{k}", "not installed") for k in range(5)])
    text, whole = printed(terminal.summary(run)), printed(terminal.summary(run, verbose=True))
    assert "arm17" not in text and re.search(r"^◆ engine0 +\d+ +1 +2\.6", text, flags=re.MULTILINE)
    assert "Skipped: 5 lines, which -v prints" in text and "robot3" not in text
    assert all(f"arm{k} " in whole for k in range(30)) and "  robot3: not installed" in whole


def test_ten_codes_have_a_line_each_and_no_number_breaks() -> None:
    run = results(mechanisms=2, implementations=10)
    run = replace(run, cells=[replace(cell, verdict="discrepancy", error=9.53e14) for cell in run.cells])
    text = printed(terminal.summary(run))
    assert max(len(line) for line in text.splitlines() if "dalembert check" not in line) <= 80
    assert len(re.findall(r"^✗ engine\d .* 9\.5e14 *$", text, flags=re.MULTILINE)) == 10


def test_terminal_interprets_no_markup() -> None:
    run, name = results(), "[bold red]x[/]"
    cells = [replace(one, mechanism=name, implementation=name, verdict="discrepancy", error=1e9) for one in run.cells]
    implementations = [replace(one, name=name) for one in run.implementations]
    mechanisms = [replace(one, name=name) for one in run.mechanisms]
    run = replace(run, mechanisms=mechanisms, implementations=implementations, cells=cells, invariants=())
    run = replace(run, skipped=[Skipped(name, "why")])
    text = printed(terminal.summary(run, verbose=True), 200)
    assert name in text and not re.search(r"\bx\b", text.replace(name, ""))


def test_commands_are_quoted_and_list_code_in_the_order_of_the_run() -> None:
    run = hostile()
    words = shlex.split(reproduction.reproduce(run, run.cells[0]))
    assert words[:3] == ["dalembert", "check", HOSTILE]
    assert shlex.split(reproduction.repeat(run))[2] == HOSTILE
    code = [f"code{k}.py" for k in (3, 1, 2, 5, 4, 0, 7, 6)]
    one, *_ = releases().implementations
    named = [replace(one, name=f"{k}", spec=spec) for k, spec in enumerate([*code, *code])]
    repeated = reproduction.repeat(replace(releases(), implementations=named, settings=replace(run.settings, bar=4.0)))
    assert " ".join(["--implementation", *code, "--seed"]) in repeated and "--bar 4" in repeated


def test_an_invariant_that_is_not_offered_goes_by_its_name() -> None:
    run = results()
    lacking = replace(run.invariants[0], verdict="not offered", message="engine0 has no mass_matrix")
    (absence,) = absent(replace(run, invariants=[lacking]))
    assert absence == Absence("engine0", "not offered", "M = Mᵀ: engine0 has no mass_matrix", ("arm0",))


def test_inputs_stand_beside_what_they_belong_to() -> None:
    mechanism = replace(results().mechanisms[0], coordinates=("hip", "knee"), positions=("hip", "knee"), bodies=3)
    given = {"q": (0.1, 0.2), "f": ((1.0, 2.0, 3.0, 0.0, 0.0, -1.0),) * 3}
    parts, values = ("nx", "ny", "nz", "fx", "fy", "fz"), ("1.0", "2.0", "3.0", "0.0", "0.0", "-1.0")
    assert inputs(mechanism, given) == [
        ("q", [("hip", "0.1"), ("knee", "0.2")]),
        ("f", [(f"body {k} {part}", x) for k in range(3) for part, x in zip(parts, values, strict=True)]),
    ]


def test_the_headline_names_known_faults_and_an_implementation_that_compared_nothing() -> None:
    known = verdict_of(with_cell(results(), 0, verdict="known"))
    assert known.headline == "engine0 agrees with the truth on 1 mechanism, but for 1 known fault in 1 comparison"
    run = results(implementations=2)
    without = [cell for cell in run.cells if cell.implementation == "engine1"]
    kept = [invariant for invariant in run.invariants if invariant.implementation == "engine1"]
    idle = verdict_of(replace(run, cells=without, invariants=kept))
    assert (idle.exit_code, idle.headline) == (0, "engine1 agrees with the truth on 1 mechanism; engine0 compared nothing")
    refusing = [replace(cell, verdict="unsupported") for cell in run.cells]
    assert verdict_of(replace(run, cells=refusing, invariants=())).headline == "Nothing was compared"


def test_errors_have_the_digits_that_they_deserve() -> None:
    written = {None: "–", 0.0: "0", 0.004: "<0.01", 0.02: "0.02", 0.83: "0.8", 3.21: "3.2", 16.4: "16"}
    written |= {999.9: "1.0e3", 1.44e9: "1.4e9", 2e15: "2.0e15", INFINITE: "∞"}
    assert {error: units(error) for error in written} == written


def test_a_small_distance_of_the_two_derivations_is_said_as_such() -> None:
    about = replace(results().mechanisms[0], bridge={"gravity": 0.001})
    assert "differ by less than 0.01 ε-units." in truths(replace(results(), mechanisms=[about]))


def test_words() -> None:
    assert [listing(list(x)) for x in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert number(0.1) == "0.1" and number(-INFINITE) == "−∞"
    assert printable("a\x1b\u202e\nb\t") == "a\ufffd\ufffd\nb\t"
    mechanism = results().mechanisms[0]
    assert position_names(replace(mechanism, positions=("base.x", "knee"))) == ["base.x", "knee"]
    for names in ((), ("a",)):
        assert position_names(replace(mechanism, positions=names)) == ["q[0]", "q[1]"]


def lacking(run: Results, offered: Iterable[str], not_offered: Iterable[str]) -> Results:
    """The run with a cell for each of these quantities."""
    cells = [replace(run.cells[0], id=name, quantity=name) for name in offered]
    absent = [replace(run.cells[0], id=name, quantity=name, verdict="not offered", **BARE) for name in not_offered]
    return replace(run, cells=[*cells, *absent])


def test_groups_and_families_that_are_not_offered_at_all_go_by_their_names_and_nothing_is_cut_off() -> None:
    run = results()
    names = ["mass_matrix", "placements", "center_of_mass", "inverse_dynamics_dq"]
    (absence,) = absent(lacking(run, ["inverse_dynamics"], names))
    assert absence.message == "engine0 does not offer kinematics, mass matrix and inverse dynamics by q"
    assert (absence.verdict, absence.mechanisms) == ("not offered", ("arm0",))
    offered = ["placements", "velocities_local"]
    kinematics = [name for name, quantity in QUANTITIES.items() if quantity.group == "kinematics" and name not in offered]
    run = lacking(run, offered, kinematics)
    (absence,) = absent(run)
    said = "does not offer Jacobians, world velocities, aligned velocities, spatial accelerations, classical accelerations"
    assert said in absence.message and absence.message.count("Jacobians") == 1
    name = "n" * 280
    named = replace(run, cells=[replace(one, implementation=name) for one in run.cells])
    named = replace(named, implementations=[replace(one, name=name) for one in run.implementations], invariants=[])
    text = " ".join(printed(terminal.summary(named)).split())
    assert "and inverse dynamics with external forces" in text


def test_a_release_that_could_not_run_is_the_headline_and_one_that_refuses_a_mechanism_has_run() -> None:
    there = [Installed("engine0", "/env/bin/python", {}, 1.0, 2.0)]
    run = replace(results(), versions=Versions(there, ()))
    failed = replace(run, skipped=[Skipped("engine==99.9", "there is no such release.")])
    verdict = verdict_of(failed)
    assert (verdict.kind, verdict.exit_code) == ("failed", 3)
    assert verdict.text.startswith("engine==99.9 could not run: there is no such release. Only one release was compared. ")
    assert "✓" not in printed(terminal.summary(failed)).strip().splitlines()[-1]
    assert verdict_of(replace(run, skipped=[Skipped("arm/engine==1.0", "it has no helical joints")])).exit_code == 0
    refused = [Skipped(f"arm{k}/engine0", f"it has {k} joints") for k in range(9)]
    nothing = replace(run, cells=[], invariants=[], implementations=[], skipped=refused)
    assert verdict_of(nothing).text == "Nothing was compared."
    assert "arm8/engine0: it has 8 joints" in printed(terminal.summary(nothing))


def right(name: str) -> Any:
    return lambda mechanism, *state: getattr(REFERENCE.load(mechanism), name)(*(x[None] for x in state))[0]


def run_of(*offered: str, quantities: Iterable[str] = ("gravity",), specs: Iterable[str] = ("scara",)) -> Results:
    """A run of the reference and of users' code that offers these quantities."""
    code = as_implementation(SimpleNamespace(**{name: right(name) for name in offered}), "mine.py", "mine")
    entries = [Entry("mine", "mine.py", InProcess(code)), Entry("reference", "reference", InProcess(REFERENCE))]
    settings = Settings(states=7, quantities=tuple(quantities), invariants=False)
    return check([(spec, find_mechanism(spec)) for spec in specs], entries, settings, explain=False)


def test_what_users_code_offers_and_the_run_does_not_compare_is_one_line_in_every_output() -> None:
    run = run_of("gravity", "integrate", "center_of_mass_jacobian", specs=("scara", "cart-pole"))
    line = "mine offers center_of_mass_jacobian and integrate, which this run does not compare; name them with -q"
    assert [(one.verdict, one.text, one.mechanisms) for one in absent(run)] == [("not run", line, ("scara", "cart-pole"))]
    assert all(line in text.replace("\\", "") for text in (junit.render(run), markdown.render(run)))
    assert results_from(run.document()) == run
    many = [name for name, quantity in QUANTITIES.items() if quantity.group in BY_NAME][:20]
    line = absent(replace(run, implementations=[replace(run.implementations[0], not_compared=many)]))[0].text
    assert f"{many[6]} and 13 others, which this run does not compare" in line and many[7] not in line


def test_a_quantity_that_is_compared_on_some_mechanisms_only_is_not_listed() -> None:
    run = run_of("constraint_jacobian", quantities=("constraint_jacobian",), specs=("scara", "four-bar"))
    assert not [one for one in absent(run) if one.verdict == "not run"]


def test_quantities_of_constraints_need_constraints() -> None:
    (line,) = absent(run_of("gravity", "constraint_jacobian", quantities=("gravity", "constraint_jacobian")))
    assert line.text.endswith("name it with -q; those of constraints are compared on mechanisms that have some")
