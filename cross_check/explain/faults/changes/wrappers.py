"""Wrappers: Python source that undoes a fault around the code under test.

The source defines ``wrap(functions)``. ``functions`` are the functions of a user's module by the names of their quantities: of
the mechanism and one state, such as ``inverse_dynamics(mechanism, q, v, a)``. Other names are ignored. What it returns are those
functions that change, mended. They are put into another module, because functions of the first one may call each other.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import chain
from types import CodeType
from typing import Any, NamedTuple

from mechanisms.quantities import QUANTITIES

PACKAGES = ("cross_check", "implementations")
"""The packages whose functions are copied into a wrapper. It imports what it needs of others."""

_WRAPPER = '''\
# This undoes: {name}
# Save it as undo.py, and check this module instead of your my_dynamics.py:
#     import my_dynamics
#     from my_dynamics import *
#     from undo import wrap
#     globals().update(wrap(vars(my_dynamics)))


def wrap(functions):
    """The functions that change, mended; ``functions`` are by the names of quantities, of a mechanism and one state each."""
    from collections.abc import Callable, Sequence
    from dataclasses import replace
    from fractions import Fraction
    from functools import partial
    from typing import Any

    import numpy as np

    arguments = {arguments}
{sources}

    def around(functions, name, mend):
        def function(mechanism, *given):
            def ask(quantity, state, about=mechanism):
                return np.asarray(functions[quantity](about, *(state[x] for x in arguments[quantity])), dtype=float)

            state = dict(zip(arguments[name], (np.array(x, dtype=float) for x in given)))
            return mend(name, mechanism, state, ask)

        return function

    changed = {{}}
    for names, mend in {mends}:
        known = {{**functions, **changed}}
        changed.update({{name: around(known, name, mend) for name in names if name in functions}})
    return changed
'''


class Mend(NamedTuple):
    """How one fault is undone around the code under test."""

    changed: tuple[str, ...]
    """The quantities that are mended."""
    function: Callable[..., Any]
    """A function, perhaps a partial one, of a quantity's name, the mechanism, the state as a dictionary of 1-D arrays, and
    ``ask(quantity, state)``, which gives what the code answers. What it names comes along: functions and tables of this project,
    and quantities."""
    also: tuple[str, ...] = ()
    """Quantities that it asks for without their names."""


def wrapper(name: str, mends: tuple[Mend, ...]) -> str:
    """The source that undoes the fault ``name`` by these, one around the other."""
    named = dict.fromkeys(_named(tuple(mend.function for mend in mends)))
    asked = [*chain(*((*mend.changed, *mend.also) for mend in mends)), *(x for x in named if x in QUANTITIES)]
    return _WRAPPER.format(
        name=ascii(name),
        arguments="{\n" + "".join(f"        {key!r}: {QUANTITIES[key].arguments!r},\n" for key in dict.fromkeys(asked)) + "    }",
        sources=textwrap.indent("\n".join(text for text in named if text not in QUANTITIES), "    "),
        mends=expression(tuple((mend.changed, mend.function) for mend in mends)),
    )


def expression(x: Any) -> str:
    """Python source of a function, of a partial function, of a tuple with such, or of plain data."""
    if isinstance(x, partial):
        return f"partial({', '.join(map(expression, (x.func, *x.args)))})"
    if isinstance(x, tuple):
        return f"({''.join(f'{expression(one)}, ' for one in x)})"
    return str(x.__name__) if inspect.isfunction(x) else repr(x)


def _named(x: Any) -> Iterator[str]:
    """The names of quantities, and the sources of functions and tables, that a function or the parts of other data name."""
    if isinstance(x, partial):
        x = (x.func, *x.args)
    if isinstance(x, tuple):
        for one in x:
            yield from _named(one)
    elif inspect.isfunction(x):
        yield from _named_by(x)
    elif isinstance(x, str) and x in QUANTITIES:
        yield x


@cache
def _named_by(function: Callable[..., Any]) -> tuple[str, ...]:
    """The same, of a function: its own source is the last."""
    found: list[str] = []
    for name, value in ((name, function.__globals__.get(name)) for name in _names(function.__code__)):
        if inspect.isfunction(value) and value.__module__.split(".")[0] in PACKAGES and value is not function:
            found += _named_by(value)
        elif name.isupper() and value is not None:
            found.append(f"{name} = {value!r}\n")
        elif name in QUANTITIES:
            found.append(name)
    return (*found, inspect.getsource(function))


def _names(code: CodeType) -> Iterator[str]:
    """The names and the texts in the code of a function, and of functions in it."""
    for x in (*code.co_names, *code.co_consts):
        if isinstance(x, CodeType):
            yield from _names(x)
        elif isinstance(x, str):
            yield x
