"""Equations of motion in MathML Core, from the terms in the results: no script, no fonts, readable by screen readers.

A sum is a run of small formulas, one per term, so that long ones wrap like words on any width of page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from cross_check.exchange.results.objects import EquationTerms, Polynomial
from reports.words import one_line

SHORT = 2
"""Entries of a matrix with more terms than this are written below it."""

_SPACE = Markup('<mspace width="0.17em"/>')
_SCIENTIFIC = re.compile(r"([\d.]+)e([+-]?\d+)")
_INDEXED = re.compile(r"(.*?[^_\d])_?(\d+)")


def suspect(part: str, mechanism: str, equations: EquationTerms | None) -> Markup:
    """τ = M a + C v + g + D v + F sign v with the ``part`` marked, such as "M"; and this part of a mechanism, if it is given."""
    motion = _motion([part], suspect=part)
    if equations is None:
        return Markup('<div class="equations">{}</div>').format(motion)
    of = Markup('<p class="note">{} of {}:</p>').format(part, one_line(mechanism))
    return Markup('<div class="equations">{}{}{}{}</div>').format(
        motion, of, _names(equations), _matrix(part, _rows(part, equations), part == "M")
    )


def len_of(part: str, equations: EquationTerms) -> int:
    """How many terms this part has."""
    return sum(len(entry) for row in _rows(part, equations) for entry in row)


def _rows(part: str, equations: EquationTerms) -> Sequence[Sequence[Polynomial]]:
    """The entries of M, C, g (one column), D or F."""
    n = range(len(equations.g))
    match part:
        case "M":
            return equations.M
        case "C":
            return equations.C
        case "g":
            return [[entry] for entry in equations.g]
    diagonal = equations.damping if part == "D" else equations.friction or ((),) * len(n)
    return [[diagonal[i] if i == j else () for j in n] for i in n]


def typeset(equations: EquationTerms) -> Markup:
    """τ = M a + C v + g + D v + F sign v, then every part of it."""
    resistances = [name for name, diagonal in (("D", equations.damping), ("F", equations.friction)) if any(diagonal)]
    parts = [_motion(resistances)]
    parts += [_matrix(part, _rows(part, equations), part == "M") for part in ("M", "C", "g", *resistances)]
    parts += [_sum(Markup("<mi>T</mi>"), equations.T), _sum(Markup("<mi>V</mi>"), equations.V)]
    return Markup('<div class="equations">{}{}</div>').format(_names(equations), Markup("").join(parts))


def _motion(resistances: Sequence[str], suspect: str = "") -> Markup:
    of = '<mo stretchy="false">(</mo>{}<mo stretchy="false">)</mo>'
    q, qv = "<mi>q</mi>", "<mi>q</mi><mo>,</mo><mi>v</mi>"
    terms = {
        "M": f"<mi>M</mi>{of.format(q)}<mi>a</mi>",
        "C": f"<mi>C</mi>{of.format(qv)}<mi>v</mi>",
        "g": f"<mi>g</mi>{of.format(q)}",
        "D": "<mi>D</mi><mi>v</mi>",
        "F": f"<mi>F</mi><mi>sign</mi>{of.format('<mi>v</mi>')}",
    }
    shown = {name: term for name, term in terms.items() if name not in ("D", "F") or name in resistances}
    marked = [f'<mrow class="suspect">{term}</mrow>' if name == suspect else term for name, term in shown.items()]
    return Markup(f'<p class="sum"><math display="block">{"<mo>+</mo>".join(marked)}<mo>=</mo><mi>τ</mi></math></p>')


def _names(equations: EquationTerms) -> Markup:
    """Which joint every coordinate is."""
    symbols = (_math(_symbol(f"v{k + 1}")) for k in range(len(equations.v)))
    named = [Markup("<li>{} {}</li>").format(*pair) for pair in zip(symbols, map(one_line, equations.v), strict=True)]
    return Markup('<ul class="legend">{}</ul>').format(Markup("").join(named))


def _matrix(name: str, rows: Sequence[Sequence[Polynomial]], symmetric: bool = False) -> Markup:
    """A matrix; its long entries go by their indices and are written out below it."""
    long: list[Markup] = []
    cells: list[Markup] = []
    for i, row in enumerate(rows):
        cells.append(Markup("<mtr>"))
        for j, terms in enumerate(row):
            index = (j, i) if symmetric and j < i else (i, j)
            entry = _indexed(name, index, len(row))
            short = len(terms) <= SHORT
            cells.append(Markup("<mtd>{}</mtd>").format(_row(_polynomial(terms)) if short else entry))
            if not short and index == (i, j):
                long.append(_sum(entry, terms))
        cells.append(Markup("</mtr>"))
    table = Markup("<mtable>{}</mtable>").format(Markup("").join(cells))
    formula = Markup('<math display="block"><mi>{}</mi><mo>=</mo>{}</math>').format(name, table)
    scrolled = Markup('<div class="wide" tabindex="0" role="group" aria-label="{}">{}</div>').format(name, formula)
    return scrolled + Markup("").join(long)


def _indexed(name: str, index: tuple[int, int], columns: int) -> Markup:
    i, j = (k + 1 for k in index)
    text = f"{i}" if columns == 1 else f"{i}{j}" if max(i, j) < 10 else f"{i},{j}"
    return Markup("<msub><mi>{}</mi><mn>{}</mn></msub>").format(name, text)


def _sum(left: Markup, terms: Polynomial) -> Markup:
    """``left`` = the terms, as a paragraph that wraps between them."""
    formulas = [_math(term) for term in _polynomial(terms)]
    return Markup('<p class="sum">{} {}</p>').format(_math(left + Markup("<mo>=</mo>")), Markup(" ").join(formulas))


def _polynomial(terms: Polynomial) -> list[Markup]:
    return [_term(coefficient, powers, k == 0) for k, (coefficient, powers) in enumerate(terms)] or [Markup("<mn>0</mn>")]


def _term(coefficient: str, powers: Mapping[str, int], first: bool) -> Markup:
    size = coefficient.replace("-", "", 1) if coefficient.lstrip("≈").startswith("-") else coefficient
    minus = size != coefficient
    sign = Markup('<mo form="{}">{}</mo>').format("prefix" if first else "infix", "−" if minus else "+")
    factors = [] if size == "1" and powers else [_number(size)]
    for generator, power in powers.items():
        factors += [_SPACE] * bool(factors) + [_power(generator, power)]
    return (Markup("") if first and not minus else sign) + Markup("").join(factors)


def _number(text: str) -> Markup:
    """An exact decimal, a fraction, or "≈" and six digits, which is marked by an ellipsis."""
    digits, rounded = text.lstrip("≈"), text.startswith("≈")
    if "/" in digits:
        return Markup("<mfrac><mn>{}</mn><mn>{}</mn></mfrac>").format(*digits.split("/", 1))
    number = Markup("<mn>{}{}</mn>")
    if scientific := _SCIENTIFIC.fullmatch(digits):
        power = Markup("<mo>·</mo><msup><mn>10</mn><mn>{}</mn></msup>").format(int(scientific[2]))
        return number.format(scientific[1], "…" if rounded else "") + power
    return number.format(digits, "…" if rounded else "")


def _power(generator: str, power: int) -> Markup:
    """A generator to a power: cos² q₂, v₁, or a parameter whose trailing digits become its index."""
    function, _, argument = generator.rpartition(" ")
    if function not in ("cos", "sin"):
        return _symbol(generator, power)
    return Markup("<mrow>{}<mo>\u2061</mo>{}{}</mrow>").format(_symbol(function, power), _SPACE, _symbol(argument))


def _symbol(name: str, power: int = 1) -> Markup:
    indexed = _INDEXED.fullmatch(name)
    base, index = indexed.groups() if indexed else (name, "")
    scripts = [Markup("<mn>{}</mn>").format(script) for script in (index, power if power != 1 else "") if script]
    tag = "msubsup" if len(scripts) == 2 else "msub" if index else "msup" if scripts else "mrow"
    return Markup("<{0}><mi>{1}</mi>{2}</{0}>").format(tag, base, Markup("").join(scripts))


def _row(parts: list[Markup]) -> Markup:
    return Markup("<mrow>{}</mrow>").format(Markup("").join(parts))


def _math(content: Markup) -> Markup:
    return Markup("<math>{}</math>").format(content)
