"""Programs that show a cause: a script, a pytest module, and Markdown for an issue. Foreign text is quoted or escaped in all."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np

from cross_check.explain.diagnosis.examples.users_program import users_program
from cross_check.memory import Array
from implementations.plugins.registry import find_evaluation
from implementations.protocol import Evaluation, Unsupported
from implementations.source import written
from mechanisms import Mechanism
from mechanisms.plain_text import fenced, markdown, one_line
from mechanisms.quantities import ALL_QUANTITIES, QUANTITIES

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
    ending = [
        "got = np.asarray(got)",
        'print("got     ", got.tolist())',
        'print("expected", expected.tolist())',
        f"raise SystemExit(0 if np.abs(got - expected).max() <= {_quarter(error)} else 1)",
    ]
    return _bounded([*_comment(sentence), *program.lines, f"expected = {_array(program.expected)}", *ending])


def pytest_module(program: Evaluation, error: float, sentence: str, quantity: str) -> str:
    """The program as one test."""
    check = f"np.testing.assert_allclose(got, expected, rtol=0, atol={_quarter(error)})"
    body = [*program.lines, f"expected = {_array(program.expected)}", check]
    lines = [*_comment(sentence), "", "", f"def test_{quantity}():", *(f"    {line}" if line else "" for line in body)]
    return _bounded(lines)


def issue(
    quantity: str,
    sentence: str,
    code: str,
    inputs: Mapping[str, Sequence[object]],
    rows: Sequence[tuple[str, float, float]],
    unit: str,
    calculation: str,
    program: str,
) -> str:
    """Markdown: what is wrong, the inputs, a row (component, got, expected) each, the calculation and the program."""
    title = ALL_QUANTITIES[quantity].title
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
    lines += ["", *(f"- {name} = {_listed(numbers)}" for name, numbers in inputs.items()), ""]
    if calculation:
        lines += ["By hand:", "", fenced(calculation, "text"), ""]
    if program:
        lines += ["This program shows it:", "", fenced(program.rstrip("\n"), "python"), ""]
    return "\n".join(lines)


def _listed(numbers: Sequence[object]) -> str:
    more = f", … {len(numbers) - MOST_INPUTS} more" if len(numbers) > MOST_INPUTS else ""
    return f"[{', '.join(map(repr, numbers[:MOST_INPUTS]))}{more}]"


def _quarter(error: float) -> str:
    return f"{error / 4:.1e}"


def _array(expected: Array) -> str:
    return written(np.asarray(expected) + 0.0) if np.ndim(expected) else f"np.array({float(expected)!r})"


def _comment(sentence: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(one_line(sentence), 100)]


def _bounded(lines: Sequence[str]) -> str:
    text = "\n".join(lines) + "\n"
    return text if len(text) <= LONGEST_PROGRAM else ""
