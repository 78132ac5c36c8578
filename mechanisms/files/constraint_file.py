"""Constraints in a small TOML file beside a URDF file, which can describe trees only.

    [[constraint]]                          # robot.constraints.toml, beside robot.urdf: closed:robot.urdf
    name = "left knee"
    first = "rod"                           # a link, or "world" for what does not move
    second = "shank"
    directions = "point"                    # or "weld", or some of wx wy wz vx vy vz as a list
    first_xyz = [0.1, 0, 0]                 # the frame on the first link; zero if it is left out
    first_rpy = [0, 0, 1.57]                # URDF's angles (rad)
    second_xyz = [0, 0, -0.2]               # the same for the second link: second_xyz, second_rpy

Decimal numbers are kept exactly.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mechanisms.constraint import POINT, WELD, Constraint
from mechanisms.errors import MechanismError
from mechanisms.files.bounded_file import Unreadable, read_bounded
from mechanisms.files.untrusted_xml import naming
from mechanisms.geometry import Placement, Rotation
from mechanisms.limits import MOST_CONSTRAINT_BYTES, MOST_CONSTRAINTS, MOST_RADIANS
from mechanisms.mechanism import Mechanism
from mechanisms.numbers.exact import exact, exact_vector
from mechanisms.plain_text import one_line, sentence

ENDING = ".constraints.toml"

WORLD = "world"
"""The name of the root in these files. The root link may have another name in the URDF file."""

NAMED = {"point": POINT, "weld": WELD}

TEXTS, VECTORS = ("name", "first", "second"), ("first_xyz", "first_rpy", "second_xyz", "second_rpy")


def beside(path: str | Path) -> Path:
    """The file with the constraints of a URDF file."""
    return Path(path).with_suffix(ENDING)


def with_constraints(mechanism: Mechanism, path: str | Path) -> Mechanism:
    """The mechanism with the constraints in the TOML file ``path``.

    Raises :class:`MechanismError`, one sentence that names the file, the constraint and the remedy.
    """
    try:
        text = read_bounded(path, MOST_CONSTRAINT_BYTES).decode("utf-8")
    except (Unreadable, UnicodeDecodeError) as error:
        raise MechanismError(f"{path}: the constraints cannot be read ({one_line(str(error))}); write that file") from None
    with naming(str(path)):
        constraints = tuple(_constraint(table, mechanism.root, k) for k, table in enumerate(_tables(text), 1))
        closed = dataclasses.replace(mechanism, constraints=(*mechanism.constraints, *constraints))
    # The file still describes the tree, for code that reads it.
    read = mechanism.source
    return dataclasses.replace(closed, read_from=read and dataclasses.replace(read, fingerprint=closed.fingerprint))


def _tables(text: str) -> list[Any]:
    try:
        document = tomllib.loads(text, parse_float=lambda digits: exact(digits, "a number"))
    except RecursionError:
        raise MechanismError("it is nested too deeply; write one [[constraint]] for each") from None
    except tomllib.TOMLDecodeError as error:
        raise MechanismError(sentence(f"it is no TOML ({error}); correct it")) from None
    except MechanismError:
        raise
    except ValueError:
        # Python refuses to read decimal integers of more than 4300 digits.
        raise MechanismError("it has an integer with thousands of digits; write a shorter number") from None
    tables = document.pop("constraint", [])
    if document:
        raise MechanismError(sentence(f"it has {next(iter(document))!r}; write nothing but [[constraint]]"))
    if not isinstance(tables, list) or not tables:
        raise MechanismError("it has no [[constraint]]; write one for each")
    if len(tables) > MOST_CONSTRAINTS:
        raise MechanismError(f"it has {len(tables)} constraints; give {MOST_CONSTRAINTS} at most")
    return tables


def _constraint(table: Any, root: str, number: int) -> Constraint:
    if not isinstance(table, dict):
        raise MechanismError(f"constraint {number} is no table; write [[constraint]]")
    name: Any = table.get("name")
    with naming(f"constraint {one_line(name, 60)!r}" if isinstance(name, str) else f"constraint {number}"):
        if unknown := sorted(table.keys() - {*TEXTS, "directions", *VECTORS}):
            known = ", ".join((*TEXTS, "directions", *VECTORS))
            raise MechanismError(sentence(f"it has {unknown[0]!r}; use {known}"))
        for key in TEXTS:
            if not isinstance(table.get(key), str) or not table[key]:
                raise MechanismError(f"it has no {key}; give a string")
        first, second = (root if table[end] == WORLD else table[end] for end in ("first", "second"))
        directions, placements = _directions(table), [_placement(table, end) for end in ("first", "second")]
    return Constraint(name, first, second, directions, *placements)


def _directions(table: Mapping[str, Any]) -> tuple[str, ...]:
    given = table.get("directions", "weld")
    if isinstance(given, str) and given in NAMED:
        return NAMED[given]
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise MechanismError(f'its directions are no list; give "point", "weld", or some of {", ".join(WELD)}')
    return tuple(one_line(name, 60) for name in given)


def _placement(table: Mapping[str, Any], end: str) -> Placement:
    rpy = _vector(table, f"{end}_rpy")
    if max(map(abs, rpy)) > MOST_RADIANS:
        raise MechanismError(f"{end}_rpy has an angle of more than {MOST_RADIANS} rad; give angles in radians")
    return Placement(Rotation.from_rpy(*map(float, rpy)), _vector(table, f"{end}_xyz"))


def _vector(table: Mapping[str, Any], key: str) -> tuple[Any, ...]:
    given = table.get(key, [0, 0, 0])
    if not isinstance(given, list) or any(isinstance(x, (bool, str)) or not hasattr(x, "numerator") for x in given):
        raise MechanismError(f"{key} is no list of numbers; give three")
    return exact_vector(given, 3, key)
