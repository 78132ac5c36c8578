"""The equations of motion, τ = M a + C v + g + D v + F sign v, as text, and as a Python module that needs only NumPy.

Use it for equations of small :attr:`~oracle.symbolic.equations_of_motion.Equations.size`. Joints are numbered as in q and v.
Their names appear only in comments and headings, without unprintable characters, so that no name can become code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from oracle.errors import OracleError
from oracle.symbolic.equations_of_motion import Equations, Term, full

LONG = 100
"""The longest sum written as one expression."""


def text(equations: Equations) -> str:
    """One line per entry of M (upper triangle), C, g, D and F, with entries that are zero left out."""
    M, C, g, *_ = equations.matrices(list).values()
    entries = [(f"M[{i},{j}]", terms) for i, row in enumerate(M, 1) for j, terms in enumerate(row, 1) if i <= j]
    entries += [(f"C[{i},{j}]", terms) for i, row in enumerate(C, 1) for j, terms in enumerate(row, 1)]
    entries += [(f"g[{i}]", terms) for i, terms in enumerate(g, 1)]
    for name, diagonal in equations.resistances().items():
        entries += [(f"{name}[{i},{i}]", terms) for i, terms in enumerate(diagonal, 1)]
    lines = [f"{name} = {_sum(terms, full, _text_power, ' ')}" for name, terms in entries if terms]
    left_out = "Left out: entries that are zero, and M below its diagonal."
    return "\n".join([*legend(equations), left_out, "", *lines]) + "\n"


SUMS = """
def nonlinear_effects(q, v):
    return {C}(q, v) @ v + gravity(q){resistances}


def inverse_dynamics(q, v, a):
    return mass_matrix(q) @ a + nonlinear_effects(q, v)


def forward_dynamics(q, v, tau):
    return np.linalg.solve(mass_matrix(q), tau - nonlinear_effects(q, v))
"""
"""The rest of a Python module; C stands for the name of the function with the Coriolis terms."""

FACTORS = {"D": "v", "F": "np.sign(v)"}
"""What the diagonals of resistances are multiplied by."""


def python(equations: Equations, spec: str | None = None) -> str:
    """A module with quantities of one state, q (nq,), v, a and tau (nv,), by their names; coefficients are the nearest float64.

    It declares the mechanism as ``spec``, by default the mechanism's name: so `dalembert check` knows which robot it is for.
    Raises :class:`OracleError` for equations with symbols, which have no float64.
    """
    if equations.ring.parameters:
        raise OracleError("the equations hold symbols; give numbers in the mechanism, without --symbols, to write them as Python")
    # A matrix in a chart of its own is not the quantity of this name.
    christoffel = "christoffel_matrix" if _moves_with_a_body(equations) else "coriolis_matrix"
    names = {"M": "mass_matrix", "C": christoffel, "g": "gravity"}
    header = [*legend(equations), f"M is mass_matrix, C {christoffel}, g gravity: for one state, q (nq,), v, a and tau (nv,)"]
    source = [*(f"# {line}" for line in header), "", "import numpy as np", ""]
    # As JSON, so that no name can become code.
    source += [f"mechanism = {json.dumps(spec or equations.mechanism.name)}  # the robot that this is code for"]
    source += ["mimic_joints = True"] * equations.mechanism.has_mimics + [""]

    def write(terms: list[Term]) -> str:
        if len(terms) <= LONG:
            return _sum(terms, lambda c: repr(float(c)), _python_power, " * ")
        # One long sum would nest deeper than Python compiles.
        return f"sum([ {', '.join(write([term]) for term in terms)} ])"

    M, C, g, *diagonals = equations.matrices(write).values()
    bodies = {"M": [f"[{', '.join(row)}]" for row in M], "C": [f"[{', '.join(row)}]" for row in C], "g": g}
    for name, body in bodies.items():
        source += ["", f"def {names[name]}({'q, v' if name == 'C' else 'q'}):"]
        used = ", ".join(row.strip("[]") for row in body)
        source += [f"    {line}" for line in _locals(equations, used, name == "C")]
        source += ["    return np.array([", *(f"        {line}," for line in body), "    ])", ""]
    resistances = dict(zip(equations.resistances(), diagonals, strict=True))
    source += ["", *(f"{name} = np.diag([{', '.join(diagonal)}])" for name, diagonal in resistances.items()), ""]
    source += [SUMS.format(C=christoffel, resistances="".join(f" + {name} @ {FACTORS[name]}" for name in resistances))]
    return "\n".join(source)


def legend(equations: Equations) -> list[str]:
    """The meaning of every symbol: lines for the mechanism, for the equation and for every joint."""
    mechanism = equations.mechanism
    damping = "".join(f" + {name} {'v' if name == 'D' else 'sign(v)'}" for name in equations.resistances())
    lines = [printable(mechanism.name), f"τ = M a + C v + g{damping}, with C of Christoffel symbols"]
    if _moves_with_a_body(equations):
        lines.append(
            "where a velocity is in the body's frame, C is given in a chart that moves with the body, and C + Cᵀ is not Ṁ"
        )
    if mechanism.slots("quaternion"):
        lines.append("the equations hold for a unit quaternion")
    for body, q, v in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        kind = body.joint.description
        if mimic := body.joint.mimic:
            words = f"{_shown(mimic.multiplier)} · q{q.start + 1} + {_shown(mimic.offset)}"
            lines.append(f"{words} ({kind.position_units}): {printable(body.joint.name)}, {body.joint.kind}, a mimic joint")
            continue
        coordinates = f"{_numbered('q', q)} ({kind.position_units})"
        if kind.velocity_units:
            coordinates += f", {_numbered('v', v)} ({kind.velocity_units})"
        lines.append(f"{coordinates}: {printable(body.joint.name)}, {body.joint.kind}")
    return lines


def _moves_with_a_body(equations: Equations) -> bool:
    """Whether C is given in a chart that moves with a body."""
    return any(body.joint.velocity_is_body_twist for body in equations.mechanism.bodies)


def _shown(value: Any) -> str:
    return full(value) if isinstance(value, Fraction) else str(value)


def _numbered(letter: str, part: slice) -> str:
    """ "q3", or "q3 … q6"."""
    first, last = f"{letter}{part.start + 1}", f"{letter}{part.stop}"
    return first if first == last else f"{first} … {last}"


def printable(name: str) -> str:
    """``name`` on one line, without control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in name)


def signed_products(
    terms: list[Term], number: Callable[[Fraction], str], power: Callable[[str, int], str], times: str
) -> Iterator[tuple[str, str]]:
    """Every term as its sign and its product."""
    for coefficient, powers in terms:
        size = [number(abs(coefficient))] if abs(coefficient) != 1 or not powers else []
        yield "-" if coefficient < 0 else "+", times.join([*size, *(power(generator, e) for generator, e in powers.items())])


def _sum(terms: list[Term], number: Callable[[Fraction], str], power: Callable[[str, int], str], times: str) -> str:
    text = ""
    for sign, product in signed_products(terms, number, power, times):
        text += f" {sign} {product}" if text else ("-" if sign == "-" else "") + product
    return text or "0"


def _text_power(generator: str, e: int) -> str:
    function, _, argument = generator.rpartition(" ")
    base = (function + (argument if argument.startswith("(") else f"({argument})")) if function else generator
    return base if e == 1 else f"{base}^{e}"


def _python_power(generator: str, e: int) -> str:
    function, _, argument = generator.rpartition(" ")
    name = function[:1] + _identifier(argument) if function else argument
    return name if e == 1 else f"{name}**{e}"


def _identifier(argument: str) -> str:
    """The letters of "q2" or of "(2·q2-0.5)" that may stand in a Python name, others replaced by letters."""
    if not argument.startswith("("):
        return argument.removeprefix("q")
    spelt = {"+": "p", "-": "m", "/": "d", ".": "_", "·": "_", "(": "", ")": ""}
    return "_" + "".join(spelt.get(letter, letter if letter.isalnum() else "_") for letter in argument)


def _locals(equations: Equations, used: str, velocities: bool) -> list[str]:
    """Assignments of the names in the expressions ``used``: s1, c1, q1, v1, …"""
    names = set(used.replace(",", " ").replace("**", " ").split())
    lines = []
    for body, part in zip(equations.mechanism.bodies, equations.mechanism.q_slices, strict=True):
        if body.joint.mimic:
            continue
        values: dict[str, str] = {}
        for k in range(part.start, part.stop):
            values |= {f"q{k + 1}": f"q[{k}]", f"s{k + 1}": f"np.sin(q[{k}])", f"c{k + 1}": f"np.cos(q[{k}])"}
        for slot in (slot for slot in body.joint.slots if slot.form == "quaternion"):
            every = [f"q{k + 1}" for k in range(part.start + slot.q.start, part.start + slot.q.stop)]
            lines += [f"{', '.join(every)} = q[{part.start + slot.q.start}:{part.start + slot.q.stop}]"]
            lines += [f"length = np.sqrt({' + '.join(f'{x}**2' for x in every)})"]
            lines += [f"{', '.join(every)} = {', '.join(f'{x} / length' for x in every)}"]
            values = {name: value for name, value in values.items() if name not in every}
        lines += [f"{name} = {value}" for name, value in values.items() if {name, "-" + name} & names]
    for generator in (generator for generator in equations.ring.generators if generator.of_mimic):
        name = _python_power(equations.generator_name(generator), 1)
        if {name, "-" + name} & names:
            factor, shift = (full(x) if isinstance(x, Fraction) else str(x) for x in (generator.multiplier, generator.offset))
            lines.append(f"{name} = np.{generator.kind}(({factor}) * q[{generator.index}] + ({shift}))")
    if velocities:
        lines += [f"v{k + 1} = v[{k}]" for k in range(equations.nv) if {f"v{k + 1}", f"-v{k + 1}"} & names]
    return lines
