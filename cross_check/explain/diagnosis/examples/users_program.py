"""A program that asks a user's code for one quantity at one state. For Python code it imports dalembert only if that needs it."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from cross_check.exchange.recorded_data.subject import PREFIX
from cross_check.memory import Array
from implementations.plugins.registry import BUILT_IN
from implementations.processes.home import PROGRAMS
from implementations.protocol import Evaluation
from implementations.source import written
from mechanisms import Mechanism, Source
from mechanisms.quantities import ALL_QUANTITIES

FILE = re.compile(r"(?P<file>.+?\.py)(?::(?P<name>[^:\\/]+))?")
MODULE = re.compile(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*)(?::(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*))?")

DECLARED = ("conventions", "joint_order")

OWN = (
    "source",
    "read_from",
    "bodies",
    "constraints",
    "frames",
    "root",
    "fingerprint",
    "slots",
    "faults",
    "physical",
    "per_coordinate",
)
"""What only our own object has. Code that reads one of these names from anything is taken to need it."""

PLAIN = ("name", "nq", "nv", "parents", "coordinates", "positions", "q_slices", "v_slices")

LONGEST_FILE = 20_000
"""The longest text (characters) of a mechanism's file that a program contains."""

LONGEST_SOURCE = 2**20
"""The largest file (bytes) in which names are looked for."""


def users_program(
    mechanism: Mechanism, quantity: str, state: Mapping[str, Array], expected: Array, spec: str
) -> Evaluation | None:
    """The program for the code that ``spec`` names: a module, a file or a command; None for anything else.

    ``state`` has the quantity's arguments, one state each. For the Coriolis matrix, ``got`` and ``expected`` are the two sides
    [C + Cᵀ, C v].
    """
    if spec.startswith(PREFIX):
        return None  # Recorded data answers in its own states alone.
    file, module = FILE.fullmatch(spec), MODULE.fullmatch(spec)
    if file:
        path = Path(file["file"]).expanduser()
        folder, imported, name = str(path.parent), path.stem, file["name"]
    elif module and spec not in BUILT_IN:
        path, folder, imported, name = Path(f"{module['module']}.py"), "", module["module"], module["name"]
    elif not spec.startswith(PROGRAMS):
        return None
    is_program = spec.startswith(PROGRAMS)
    if file and "." in imported and not is_program:
        return None
    names = ALL_QUANTITIES[quantity].arguments
    given = [f"{argument} = {written(state[argument] + 0.0)}" for argument in names]
    loaded = f"got = np.array(code.load(mechanism).{quantity}({', '.join(f'{argument}[None]' for argument in names)}))[0]"
    declares, needs_our_object = (True, True) if is_program else _declares_and_needs(path)
    if declares:
        lines = ["import numpy as np", "", "# dalembert speaks to the code, or converts its conventions."]
        lines += ["from dalembert import find_implementation", *mechanism_lines(mechanism, whole=True)[1:], ""]
        lines += [f"code = find_implementation({spec!r})", *given, loaded]
    else:
        lines = ["import importlib", "import sys", "from types import ModuleType", "", "import numpy as np", ""]
        lines += mechanism_lines(mechanism, whole=needs_our_object)
        lines += [f"sys.path.insert(0, {folder!r})", f"code = importlib.import_module({imported!r})"]
        lines += [f"code = getattr(code, {part!r})" for part in (name.split(".") if name else ())]
        lines += ["code = code() if isinstance(code, type) else code", *given]
        lines += [f"if isinstance(code, ModuleType) and hasattr(code, {quantity!r}) or not hasattr(code, 'load'):"]
        lines += [f"    got = np.array(code.{quantity}(mechanism, {', '.join(names)}))", "else:", f"    {loaded}"]
    return Evaluation((*lines, *_two_sides(quantity)), expected)


def _two_sides(quantity: str) -> list[str]:
    """Code has its own Coriolis matrix; what is compared is what every right one fulfils."""
    return ["got = np.column_stack([got + got.T, got @ v])"] if quantity == "coriolis_matrix" else []


def mechanism_lines(mechanism: Mechanism, whole: bool) -> list[str]:
    """Source that makes ``mechanism``: the ``whole`` object of dalembert, or its data as plain arrays."""
    if whole and mechanism.source and len(mechanism.source.text) <= LONGEST_FILE:
        return _file_lines(mechanism, mechanism.source)
    if whole:
        bodies = replace(mechanism, frames=()).bodies
        tied = "Constraint, " if mechanism.constraints else ""
        public = f"from dalembert import Body, {tied}Inertia, Joint, Mechanism, Placement, Rotation"
        parts = [_written(x) for x in (mechanism.name, bodies, mechanism.gravity, mechanism.root)]
        made = f"mechanism = Mechanism({', '.join(parts)}, physical={mechanism.physical}{_constraints(mechanism)})"
        why = "# The code reads, or may read, more than mechanism.arrays. So this program needs dalembert."
        return [why, "from fractions import Fraction", "", public, "", made]
    arrays = [f"    {field.name}={_plain(getattr(mechanism.arrays, field.name))}," for field in fields(mechanism.arrays)]
    plain = {name: getattr(mechanism, name) for name in PLAIN} | {"gravity": tuple(map(float, mechanism.gravity))}
    return [
        "",
        "class Data:",
        "    def __init__(self, **fields):",
        "        self.__dict__.update(fields)",
        "",
        "",
        "arrays = Data(",
        *arrays,
        ")",
        f"mechanism = Data(arrays=arrays, {', '.join(f'{name}={value!r}' for name, value in plain.items())})",
    ]


def _file_lines(mechanism: Mechanism, source: Source) -> list[str]:
    options = f"free_base={source.free_base}, physical={mechanism.physical}, ignore_mimic=True"
    imported = ["from dalembert import parse_urdf"]
    if mechanism.constraints:
        imported = ["from fractions import Fraction", "", "from dalembert import Constraint, Placement, Rotation, parse_urdf"]
    return [
        "# The code may read the mechanism's file. So this program needs dalembert.",
        "from dataclasses import replace",
        "",
        *imported,
        "",
        "text = (",
        *(f"    {line!r}" for line in source.text.splitlines(keepends=True)),
        ")",
        f"mechanism = replace(parse_urdf(text, {options}), name={mechanism.name!r}{_constraints(mechanism)})",
    ]


def _constraints(mechanism: Mechanism) -> str:
    return f", constraints={_written(mechanism.constraints)}" if mechanism.constraints else ""


def _plain(value: Any) -> str:
    return written(value) if isinstance(value, np.ndarray) else repr(value)


def _written(value: Any) -> str:
    """A part of a mechanism as source, without what is the default."""
    if isinstance(value, Fraction):
        return str(value) if value.denominator == 1 else f"Fraction({value.numerator}, {value.denominator})"
    if isinstance(value, tuple):
        return f"({''.join(f'{_written(x)}, ' for x in value).rstrip(' ')})"
    if is_dataclass(value):
        given = [(field, getattr(value, field.name)) for field in fields(value)]
        told = [f"{field.name}={_written(x)}" for field, x in given if field.default is MISSING or x != field.default]
        return f"{type(value).__name__}({', '.join(told)})"
    return repr(value)


def _declares_and_needs(path: Path) -> tuple[bool, bool]:
    """Whether the code in the file declares conventions or an order of joints, which are converted; and whether it may need more
    than plain arrays, also if that cannot be known."""
    try:
        nodes = [*ast.walk(ast.parse(path.read_bytes()))] if path.stat().st_size <= LONGEST_SOURCE else []
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        nodes = []
    imported, reads, names = list[str](), list[str](), list[str]()
    for node in nodes:
        match node:
            case ast.Import(aliases):
                imported += (alias.name for alias in aliases)
            case ast.ImportFrom(module, _, level):
                # What a relative import names may be anything.
                imported.append("dalembert" if level else module or "")
            case ast.Attribute(_, name):
                reads.append(name)
            case ast.Name(name) | ast.FunctionDef(name):
                names.append(name)
    needs = not nodes or not set(OWN).isdisjoint(reads) or any(name.split(".")[0] == "dalembert" for name in imported)
    return not set(DECLARED).isdisjoint(names), needs
