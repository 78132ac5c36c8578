"""The file of the worst states of a code: ``dalembert worst -o``. It has what is needed to ask any code at these states again.

Numbers of states, and what was answered, are hexadecimal text as C's %a writes it, which says every bit. A state has the
arguments of its quantity; forces on bodies are listed body after body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np

from cross_check.exchange.about_code import AboutCode
from cross_check.exchange.results.codec import Frozen, Natural, Size, from_json, require_valid, schema_of
from cross_check.exchange.results.files import ResultsError, read_json
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES, Quantity

Hexadecimal = Annotated[str, {"pattern": r"^-?0x[01](\.[0-9a-f]{1,13})?p[+-][0-9]{1,4}$"}]

Form = Literal["dalembert worst states 1"]

REMEDY = "write it again with dalembert worst -o"


@dataclass(frozen=True)
class WorstState(Frozen):
    """The state of the largest error that is known of one quantity of one mechanism."""

    mechanism: str
    """The word that names it."""
    fingerprint: str
    quantity: Annotated[str, {"enum": list(QUANTITIES)}]
    sampled: Size
    """The largest error of the sampled states, in ε-units."""
    found: Size
    """The error at this state, in ε-units."""
    states: Natural
    """So many were evaluated."""
    copies: Annotated[int, {"minimum": 1, "maximum": 100_000}]
    """The error comes out where code is asked for so many copies of the state in one batch."""
    component: str
    state: Mapping[str, Sequence[Hexadecimal]]
    value: Hexadecimal
    expected: Hexadecimal
    """The two numbers that are compared, of this component."""
    magnitude: Hexadecimal
    failure: str = ""

    def arguments(self, mechanism: Mechanism) -> dict[str, Array]:
        """The arguments (1, …) of the quantity. Raises :class:`ResultsError` if they do not fit the mechanism."""
        needed = shapes(QUANTITIES[self.quantity], mechanism)
        given = {name: len(numbers) for name, numbers in self.state.items()}
        if given != {name: prod(shape) for name, shape in needed.items()}:
            raise ResultsError(f"the state of {self.quantity} of {self.mechanism} has other numbers than it needs; {REMEDY}")
        return {name: np.array([*map(float.fromhex, self.state[name])]).reshape(1, *shape) for name, shape in needed.items()}


@dataclass(frozen=True)
class WorstStates(AboutCode):
    """The worst states of one code."""

    form: Form
    interrupted: bool
    worst: Sequence[WorstState]


FORM = get_args(Form)[0]


def shapes(quantity: Quantity, mechanism: Mechanism) -> dict[str, tuple[int, ...]]:
    """The shape of each argument at one state; of quantities without second positions."""
    others = {"q": (mechanism.nq,), "f": (len(mechanism.bodies), 6)}
    return {name: others.get(name, (mechanism.nv,)) for name in quantity.arguments}


def texts(numbers: Any) -> tuple[str, ...]:
    """Numbers of any shape as hexadecimal text, one after the other."""
    return tuple(float(x).hex() for x in np.ravel(numbers))


def read(path: Path) -> WorstStates:
    """Raises :class:`ResultsError` for a file that is damaged or cannot be read."""
    document = read_json(path)
    require_valid(document, schema_of(WorstStates), path, REMEDY)
    found: WorstStates = from_json(WorstStates, document)
    try:
        [float.fromhex(x) for one in found.worst for part in one.state.values() for x in part]
    except OverflowError:
        raise ResultsError(f"{path} has a number that is too large for float64; {REMEDY}") from None
    return found
