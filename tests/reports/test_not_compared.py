"""What users' code offers and a run does not compare is said in every output, so that a green verdict hides no function."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cross_check.harness import Entry, check
from cross_check.results import Results, results_from
from cross_check.settings import Settings
from implementations.plugins.registry import find_implementation
from implementations.plugins.user_code import as_implementation
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism
from mechanisms.quantities import BY_NAME, QUANTITIES
from reports import junit, markdown
from reports.summary import absent


def right(name: str) -> Any:
    return lambda mechanism, *state: getattr(REFERENCE.load(mechanism), name)(*(x[None] for x in state))[0]


Names = tuple[str, ...]


def run_of(*offered: str, quantities: Names = ("gravity", "mass_matrix"), specs: Names = ("scara",)) -> Results:
    """A run of users' code that offers these quantities."""
    code = as_implementation(SimpleNamespace(**{name: right(name) for name in offered}), "mine.py", "mine")
    mechanisms = [(spec, find_mechanism(spec)) for spec in specs]
    settings = Settings(states=7, quantities=quantities, invariants=False)
    return check(mechanisms, [Entry("mine", "mine.py", InProcess(code))], settings, explain=False)


def test_what_is_offered_and_not_compared_is_one_line_in_every_output() -> None:
    run = run_of("gravity", "mass_matrix", "integrate", "center_of_mass_jacobian", specs=("scara", "cart-pole"))
    line = "mine offers center_of_mass_jacobian and integrate, which this run does not compare; name them with -q"
    assert [(one.verdict, one.text, one.mechanisms) for one in absent(run)] == [("not run", line, ("scara", "cart-pole"))]
    assert all(line in text.replace("\\", "") for text in (junit.render(run), markdown.render(run)))
    assert results_from(run.document()) == run


def test_a_run_that_compares_all_that_is_offered_lists_nothing() -> None:
    """Also if it compares the quantity on some mechanisms only."""
    assert absent(run_of("gravity", "mass_matrix")) == []
    run = run_of("constraint_jacobian", quantities=("constraint_jacobian",), specs=("scara", "four-bar"))
    assert not [one for one in absent(run) if one.verdict == "not run"]


def test_quantities_of_constraints_need_constraints() -> None:
    (line,) = absent(run_of("gravity", "constraint_jacobian", quantities=("gravity", "constraint_jacobian")))
    assert line.text.endswith("name it with -q; those of constraints are compared on mechanisms that have some")


def test_of_many_some_are_named() -> None:
    many = [name for name, quantity in QUANTITIES.items() if quantity.group in BY_NAME][:20]
    (line,) = absent(run_of("gravity", *many, quantities=("gravity",)))
    assert f"{many[6]} and 13 others, which this run does not compare" in line.text and many[7] not in line.text


@pytest.mark.parametrize("name", ["reference", "traced"])
def test_registered_implementations_offer_dozens_and_nothing_is_said(name: str) -> None:
    entry = Entry(name, name, InProcess(find_implementation(name)))
    run = check([("scara", find_mechanism("scara"))], [entry], Settings(states=7, quantities=("gravity",)), explain=False)
    assert not [one for one in absent(run) if one.verdict == "not run"]
