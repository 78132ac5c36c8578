"""What dalembert is given: an object with `load`, or a module of functions for one robot."""

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from campaign.library import ARGUMENTS, DYNAMICS
from campaign.links import Array


class Code:
    """What dalembert loads: the functions of `offers`, from the library that `make` makes for a mechanism."""

    def __init__(self, name: str, make: Callable[[Any], Any], offers: Sequence[str] = DYNAMICS,
                 declared: Mapping[str, str] | None = None):  # fmt: skip
        self.name, self.make, self.offers = name, make, tuple(offers)
        if declared:
            self.conventions = dict(declared)

    def load(self, mechanism: Any) -> Any:
        """An object with a method for each of `offers`."""
        library = self.make(mechanism)
        return type("Offered", (), {name: staticmethod(library.asked(name)) for name in self.offers})()


def one_robot(code: Code, mechanism: Any) -> ModuleType:
    """The same code as a module of functions of one state, without the argument `mechanism`."""
    module, offered = ModuleType(code.name), code.load(mechanism)
    for name in code.offers:
        setattr(module, name, _SIGNATURES[ARGUMENTS[name]](getattr(offered, name)))
    return module


def _row(f: Callable[..., Array], *args: Array) -> Any:
    return f(*[np.array(x, dtype=float)[None] for x in args])[0]


_SIGNATURES: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "q": lambda f: lambda q: _row(f, q),
    "qv": lambda f: lambda q, v: _row(f, q, v),
    "qva": lambda f: lambda q, v, a: _row(f, q, v, a),
    "qvt": lambda f: lambda q, v, tau: _row(f, q, v, tau),
}
