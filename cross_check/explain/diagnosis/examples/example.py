"""The smallest example in all its forms: numbers in physical units, fractions, a calculation by hand, URDF, and programs.

The programs are a script, a pytest module, and Markdown for an issue. Foreign text is quoted or escaped in all.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np

from cross_check.equations import equation
from cross_check.exchange.results.causes import Example
from cross_check.explain.diagnosis.examples.by_hand import by_hand, exact_values
from cross_check.explain.diagnosis.examples.users_program import users_program
from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer
from cross_check.explain.faults.mutants import SupposedTruth, with_forces
from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from implementations.plugins.registry import find_evaluation
from implementations.protocol import Evaluation, Unsupported
from implementations.recorded.traced import PRECISE
from implementations.source import written
from mechanisms import Mechanism
from mechanisms.errors import MechanismError
from mechanisms.files.document import to_document
from mechanisms.files.urdf.write import write_urdf
from mechanisms.plain_text import fenced, markdown, one_line
from mechanisms.quantities import ALL_QUANTITIES, QUANTITIES, entries
from mechanisms.quantities.component_units import common, units_of

MOST_COMPONENTS = 40
"""Components that the table of an issue lists."""

MOST_INPUTS = 60
"""Numbers of one argument that an issue lists."""

MOST_BODIES = 50
"""Mechanisms with more bodies have no program."""

LONGEST_PROGRAM = 30_000
"""Programs with more characters are left out."""


def program_of(
    mechanism: Mechanism, quantity: str, state: Mapping[str, Array], expected: Array, spec: str, version: str
) -> Evaluation | None:
    """The program that asks the code that ``spec`` names: an engine, a module or a file. None if none can be written.

    Programs for engines are written for quantities of the tree alone.
    """
    if len(mechanism.bodies) > MOST_BODIES:
        return None
    if quantity in QUANTITIES and (evaluation := find_evaluation(spec)):
        try:
            return evaluation(mechanism, quantity, state, expected, version)
        except Unsupported:
            return None
    return users_program(mechanism, quantity, state, expected, spec)


def script(program: Evaluation, error: float, sentence: str) -> str:
    """The program with the right answer: prints both, and exits with 1 while they differ by more than a quarter of ``error``."""
    is_right = f"np.abs(got - expected).max() <= {error / 4:.1e}"
    ending = ("got = np.asarray(got)", 'print("got     ", got.tolist())', 'print("expected", expected.tolist())')
    return _written(sentence, [*_with_expected(program), *ending, f"raise SystemExit(0 if {is_right} else 1)"])


def pytest_module(program: Evaluation, error: float, sentence: str, quantity: str) -> str:
    """The program as one test."""
    check = f"np.testing.assert_allclose(got, expected, rtol=0, atol={error / 4:.1e})"
    body = [f"    {line}" if line else "" for line in (*_with_expected(program), check)]
    return _written(sentence, ["", "", f"def test_{quantity}():", *body])


def _with_expected(program: Evaluation) -> list[str]:
    expected = program.expected
    text = written(np.asarray(expected) + 0.0) if np.ndim(expected) else f"np.array({float(expected)!r})"
    return [*program.lines, f"expected = {text}"]


def _written(sentence: str, lines: Sequence[str]) -> str:
    """The lines below a comment with the sentence; empty if they are too long."""
    text = "\n".join([*(f"# {line}" for line in textwrap.wrap(one_line(sentence), 100)), *lines]) + "\n"
    return text if len(text) <= LONGEST_PROGRAM else ""


def issue(example: Example, sentence: str, code: str) -> str:
    """Markdown: what is wrong, the inputs, a row (component, got, expected) each, the calculation and the program."""
    title, unit = ALL_QUANTITIES[example.quantity].title, common(example.units)
    rows = list(zip(example.components, example.got, example.expected, strict=True))
    lines = [
        f"**{markdown(sentence or f'{title} is wrong')}**",
        "",
        f"{markdown(code)}: {title}{f', in {unit}' if unit else ''}",
        "",
    ]
    lines += ["| component | got | expected |", "| --- | --: | --: |"]
    lines += [f"| {markdown(name)} | {got!r} | {expected!r} |" for name, got, expected in rows[:MOST_COMPONENTS]]
    if len(rows) > MOST_COMPONENTS:
        lines += ["", f"… and {len(rows) - MOST_COMPONENTS} more components."]
    lines += ["", *(f"- {name} = {_listed(numbers)}" for name, numbers in example.inputs.items()), ""]
    if example.calculation:
        lines += ["By hand:", "", fenced(example.calculation, "text"), ""]
    if example.script:
        lines += ["This program shows it:", "", fenced(example.script.rstrip("\n"), "python"), ""]
    return "\n".join(lines)


def _listed(numbers: Sequence[object]) -> str:
    more = f", … {len(numbers) - MOST_INPUTS} more" if len(numbers) > MOST_INPUTS else ""
    return f"[{', '.join(map(repr, numbers[:MOST_INPUTS]))}{more}]"


TAU_DECIMALS = 12
"""τ is rounded to so many decimals, so that 10.000000000000002 N m is written as 10."""


def example(
    laboratory: Laboratory,
    mechanism: Mechanism,
    state: States,
    quantity: str,
    spec: str = "",
    version: str = "",
    sentence: str = "",
) -> Example:
    """The example of one quantity at one state; τ is computed. ``sentence`` says what is wrong.

    ``spec`` names the code as on the command line, and ``version`` is what it reports: programs are written for Pinocchio, RBDL
    and Python code in a module or a file. Raises :class:`NoAnswer` where the code, or the quantity, has no answer there.
    """
    declared = QUANTITIES[quantity]
    state = with_forces(mechanism, state)
    state = state.with_forces(np.round(state.tau, TAU_DECIMALS) + 0.0)
    arguments = state.arguments(declared.arguments)
    answer = laboratory.ask(mechanism, quantity, *arguments)
    try:
        right = getattr(PRECISE.load(mechanism), quantity)(*arguments).astype(np.float64)
    except (Unsupported, ArithmeticError, np.linalg.LinAlgError) as error:
        raise NoAnswer(str(error)) from error
    names = components(mechanism, quantity)
    if quantity == "coriolis_matrix":
        true = SupposedTruth(mechanism).values
        answer, right = (np.asarray(x) for x in equation(declared).sides(true, declared, state.columns, answer))
        n = mechanism.nv
        rates = np.array(names).reshape(n, n)
        names = [x for i in range(n) for x in (*(f"C + Cᵀ: {name}" for name in rates[i]), f"C v: {mechanism.coordinates[i]}")]
    got, expected = answer[0], right[0]
    columns = {name: column[0] for name, column in state.columns.items()}
    given = {name: column for name, column in columns.items() if name in declared.arguments}
    exact = exact_values(mechanism, quantity, given)
    if exact and not np.allclose([float(x) for x in exact], expected.ravel(), rtol=1e-9, atol=1e-9):
        exact = ()
    calculation = by_hand(mechanism, quantity, given, exact)
    code = (spec, laboratory.name, version)
    return written_example(mechanism, quantity, columns, names, got, expected, code, sentence, tuple(exact), calculation)


def written_example(
    mechanism: Mechanism,
    quantity: str,
    state: Mapping[str, Array],
    names: Sequence[str],
    got: Array,
    expected: Array,
    code: tuple[str, str, str],
    sentence: str,
    exact: Sequence[Fraction] = (),
    calculation: str = "",
) -> Example:
    """The example in all its forms. ``state`` has the quantity's arguments, and what a program for an engine needs.

    ``names`` are those of the numbers of ``got`` and ``expected``; ``code`` has its spec, its name and its version.
    """
    spec, name, version = code
    called = f"{name} {version}".strip()
    off = float(np.abs(got - expected).max())
    what = f"{sentence} ({called})" if sentence else f"{called}: {ALL_QUANTITIES[quantity].title} is wrong"
    program = program_of(mechanism, quantity, state, expected, spec, version)
    made = Example(
        bodies=len(mechanism.bodies),
        mechanism=json.dumps(to_document(replace(mechanism, read_from=None))),
        urdf=_urdf(mechanism),
        quantity=quantity,
        inputs={argument: state[argument].ravel().tolist() for argument in ALL_QUANTITIES[quantity].arguments},
        components=tuple(names),
        units=units_of(mechanism, quantity),
        got=tuple(got.ravel().tolist()),
        expected=tuple(expected.ravel().tolist()),
        exact=tuple(map(str, exact)),
        calculation=calculation,
        script=script(program, off, what) if program else "",
        test=pytest_module(program, off, what, quantity) if program else "",
        issue="",
    )
    return replace(made, issue=issue(made, sentence, called))


def components(mechanism: Mechanism, quantity: str) -> list[str]:
    """A name for every number of the answer."""
    declared = ALL_QUANTITIES[quantity]
    names = [entries(mechanism, axis) for axis in declared.axes]
    return [", ".join(parts) or declared.title for parts in product(*names)]


def _urdf(mechanism: Mechanism) -> str:
    try:
        return write_urdf(mechanism)
    except MechanismError:
        return ""
