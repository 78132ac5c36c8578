"""States written for code that runs elsewhere, in the formats that are read: it fills in its answers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from cross_check.exchange.recorded_data.columns import NUMBER, columns_of, shape_of
from cross_check.exchange.recorded_data.number_text import NOT_ASKED
from cross_check.exchange.recorded_data.read import SCHEMA
from cross_check.exchange.recorded_data.table import RecordedError
from cross_check.exchange.results.files import write_bytes
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.numbers.precision import FLOAT64
from mechanisms.quantities import entries


def write_states(path: Path, mechanism: Mechanism, states: Mapping[str, Array], quantities: Sequence[str] = ()) -> None:
    """Write the states, numbered from 0, and empty columns for the answers to the quantities.

    ``states`` are arrays such as q (states, nq) by name. Decimal numbers have the digits that tell every float64 apart. Raises
    :class:`RecordedError` for a path of another ending and for states that JSON or CSV cannot name, and :class:`ResultsError` if
    the path cannot be written.
    """
    write = {".csv": _csv, ".json": _json, ".npz": _npz}.get(path.suffix.lower())
    if write is None:
        raise RecordedError(path, "the ending of its name is none of .csv, .json and .npz", "choose one of them")
    count = len(states["q"])
    empty = {name: np.full((count, *shape_of(mechanism, name)), NOT_ASKED) for name in quantities}
    write_bytes(write(mechanism, {**states, **empty}, count), path)


def _csv(mechanism: Mechanism, arrays: Mapping[str, Array], count: int) -> bytes:
    about = _about(mechanism, count)
    comments = "".join(f"# {name}: {' '.join(str(value).split())}\n" for name, value in about.items())
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_names(mechanism, arrays))
    writer.writerows(["" if number is None else repr(number) for number in row] for row in _rows(arrays, count))
    return (comments + text.getvalue()).encode("utf-8", "backslashreplace")


def _json(mechanism: Mechanism, arrays: Mapping[str, Array], count: int) -> bytes:
    header = {"schema": SCHEMA, **_about(mechanism, count), "columns": _names(mechanism, arrays)}
    rows = ",\n".join(json.dumps([n.hex() if isinstance(n, float) else n for n in row]) for row in _rows(arrays, count))
    return f'{json.dumps(header, indent=1)[:-2]},\n "rows": [\n{rows}\n]\n}}\n'.encode()


def _npz(mechanism: Mechanism, arrays: Mapping[str, Array], count: int) -> bytes:
    file = io.BytesIO()
    names = {"coordinates": mechanism.coordinates, "positions": mechanism.positions}
    orders = {name: np.array(given) for name, given in names.items()}
    orders["bodies"] = np.array(entries(mechanism, "bodies"))
    if "joint_torque_regressor" in arrays:
        orders["parameters"] = np.array(entries(mechanism, "parameters"))
    about = {name: np.array(value) for name, value in _about(mechanism, count).items()}
    np.savez(file, **about, **orders, **{NUMBER: np.arange(count)}, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def _about(mechanism: Mechanism, count: int) -> dict[str, str | int]:
    about: dict[str, str | int] = {"mechanism": mechanism.name, "fingerprint": mechanism.fingerprint, "states": count}
    return about if mechanism.precision == FLOAT64 else about | {"precision": mechanism.precision.name}


def _names(mechanism: Mechanism, arrays: Mapping[str, Array]) -> list[str]:
    return [NUMBER, *(name for array in arrays for name in columns_of(mechanism, array))]


def _rows(arrays: Mapping[str, Array], count: int) -> list[list[int | float | None]]:
    """A row for every state: its number, then the numbers of the arrays; None where there is none."""
    whole = np.concatenate([array.reshape(count, -1) for array in arrays.values()], axis=1)
    return [[k, *(None if number != number else number for number in row)] for k, row in enumerate(whole.tolist())]
