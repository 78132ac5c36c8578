r"""The equations of motion as a LaTeX document that compiles as it stands, with long matrices entry by entry.

A matrix that fits between the margins is a matrix. Of another one every entry is an equation of its own, over as many lines as it
needs: M_{2,3} = … Such a matrix leaves out its entries that are zero, and M those below its diagonal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from oracle.symbolic.display import legend, signed_products
from oracle.symbolic.equations_of_motion import Equations, Term, full

LINE = 84
"""What fits between the margins, in widths of a digit, beside the name of an entry."""

PREAMBLE = r"""\documentclass[a4paper,fleqn]{article}
\usepackage[margin=2cm]{geometry}
\usepackage{amsmath}
\allowdisplaybreaks
\setcounter{MaxMatrixCols}{%d}
\setlength{\parindent}{0pt}
\setlength{\mathindent}{0pt}
\begin{document}
"""

_COMMAND = re.compile(r"\\(?:[,;]|text|mathrm|cdot|tfrac)|[\\{}_^ ]")

Rows = list[list[list[str]]]
"""A matrix: every entry is a sum, as its signed terms in order; the first has no plus."""


def latex(equations: Equations) -> str:
    """A document with M, C, g, D and F, the legend in comments; it needs the packages amsmath and geometry."""
    M, C, g, *diagonals = equations.matrices(_sum).values()
    matrices: dict[str, tuple[str, Rows]] = {"M": ("M(q)", M), "C": ("C(q, v)", C), "g": ("g(q)", [[entry] for entry in g])}
    shown = [line for name, (symbol, rows) in matrices.items() for line in _matrix(name, symbol, rows)]
    for name, diagonal in zip(equations.resistances(), diagonals, strict=True):
        shown += _diagonal(name, diagonal)
    comments = [f"% {line}" for line in legend(equations)]
    return "\n".join([*comments, PREAMBLE % max(10, equations.nv), *shown, r"\end{document}"]) + "\n"


def _matrix(name: str, symbol: str, rows: Rows) -> Iterator[str]:
    """The lines of one matrix."""
    columns = zip(*rows, strict=True)
    if sum(2 + max(width(" ".join(entry)) for entry in column) for column in columns) <= LINE:
        body = " \\\\\n".join("  " + " & ".join(" ".join(entry) for entry in row) for row in rows)
        yield f"\\[\n{symbol} = \\begin{{pmatrix}}\n{body}\n\\end{{pmatrix}}\n\\]"
        return
    below = " and those below the diagonal, where $M_{j,i} = M_{i,j}$," if name == "M" else ""
    yield f"Entries of ${symbol}$; those that are zero{below} are left out.\n"
    for i, row in enumerate(rows, 1):
        for j, entry in enumerate(row, 1):
            if entry != ["0"] and (name != "M" or i <= j):
                yield _equation(f"g_{{{i}}}" if name == "g" else f"{name}_{{{i},{j}}}", entry)


def _diagonal(name: str, entries: list[list[str]]) -> Iterator[str]:
    whole = ", ".join(" ".join(entry) for entry in entries)
    if width(whole) <= LINE:
        yield f"\\[\n{name} = \\operatorname{{diag}}({whole})\n\\]"
        return
    yield f"Entries of ${name}$; those that are zero are left out.\n"
    yield from (_equation(f"{name}_{{{i},{i}}}", entry) for i, entry in enumerate(entries, 1) if entry != ["0"])


def _equation(name: str, terms: Sequence[str]) -> str:
    """One entry, over several lines where it is long. Pages may break between them."""
    lines, room = [f"{name} &="], float(LINE)
    for term in terms:
        if (room := room - width(term)) < 0 and lines[-1] != f"{name} &=":
            lines.append(r"&\quad")
            room = LINE - width(term)
        lines[-1] += f" {term}"
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def width(text: str) -> float:
    """An upper bound on the width of a formula, in widths of a digit."""
    spaces = text.count(r"\,") / 3 + text.count(" + ") + text.count(" - ") + 2 * text.count(r"\cdot")
    return len(_COMMAND.sub("", text)) + spaces + 1


def _sum(terms: list[Term]) -> list[str]:
    products = enumerate(signed_products(terms, _number, _power, r" \, "))
    first = {"+": "", "-": "-"}
    return [f"{sign} {product}" if k else first[sign] + product for k, (sign, product) in products] or ["0"]


def _number(c: Fraction) -> str:
    shown = full(c)
    if "/" in shown:
        return r"\tfrac{{{}}}{{{}}}".format(*shown.split("/"))
    digits, _, exponent = shown.partition("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if exponent else digits


def _power(generator: str, e: int) -> str:
    function, _, argument = generator.rpartition(" ")
    raised = f"^{{{e}}}" if e > 1 else ""
    if function in ("sin", "cos"):
        return rf"\{function}{raised} {_angle(argument) if argument.startswith('(') else _name(argument)}"
    return _name(generator) + raised


def _angle(argument: str) -> str:
    """The angle of a mimic joint: "(2·q1-0.5)"."""
    return re.sub(r"q(\d+)", r"q_{\1}", argument.replace("·", r" \, "))


def _name(name: str) -> str:
    """A coordinate or a symbol; what is no ordinary name of a symbol is text."""
    if name[0] in "qv" and name[1:].isdigit():
        return f"{name[0]}_{{{name[1:]}}}"
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name):
        letters = (x if x.isascii() and x.isalnum() else {" ": "~", "_": r"\_"}.get(x, f"U+{ord(x):04X}") for x in name)
        return rf"\text{{{''.join(letters)}}}"

    import sympy

    # A power of a symbol that has an exponent or a prime of its own is an error in TeX.
    written = sympy.latex(sympy.Symbol(name))
    return f"{{{written}}}" if {"^", "'"} & set(written) else str(written)
