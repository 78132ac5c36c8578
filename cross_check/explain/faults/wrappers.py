"""Wrappers: Python source that undoes a fault around the code under test.

The source defines ``wrap(functions)``. ``functions`` are the functions of a user's module by the names of their quantities: of
the mechanism and one state, such as ``inverse_dynamics(mechanism, q, v, a)``. Other names are ignored. What it returns are those
functions that change, mended. They are put into another module, because functions of the first one may call each other.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from mechanisms.quantities import QUANTITIES

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

    def mended(name, mechanism, state, ask):
{body}

    def around(name):
        def function(mechanism, *given):
            def ask(quantity, state, about=mechanism):
                return np.asarray(functions[quantity](about, *(state[x] for x in arguments[quantity])), dtype=float)

            return mended(name, mechanism, dict(zip(arguments[name], (np.array(x, dtype=float) for x in given))), ask)

        return function

    functions = dict(functions)
    return {{name: around(name) for name in {changed} if name in functions}}
'''

_BOTH = '''\
def wrap(functions):
    """The functions that change, mended: two faults, one after the other."""

    def first(functions):
{first}
        return wrap(functions)

    def second(functions):
{second}
        return wrap(functions)

    once = first(functions)
    return {{**once, **second({{**functions, **once}})}}
'''


def wrapper(name: str, changed: Iterable[str], body: str, *sources: Callable[..., Any] | str, also: Iterable[str] = ()) -> str:
    """The source that undoes the fault ``name``.

    ``body`` is that of a function of a quantity's ``name``, the ``mechanism``, the ``state`` as a dictionary of 1-D arrays, and
    ``ask(quantity, state)``, which gives what the code answers. ``changed`` are the quantities that it mends, ``also`` others
    that it asks for, ``sources`` functions or assignments that it needs.
    """
    changed = tuple(changed)
    arguments = {quantity: QUANTITIES[quantity].arguments for quantity in dict.fromkeys((*changed, *also))}
    texts = dict.fromkeys(x if isinstance(x, str) else text(x) for x in sources)
    return _WRAPPER.format(
        name=ascii(name),
        arguments="{\n" + "".join(f"        {key!r}: {value!r},\n" for key, value in arguments.items()) + "    }",
        sources=textwrap.indent("\n".join(texts), "    "),
        body=textwrap.indent(textwrap.dedent(body).strip(), "        "),
        changed=changed,
    )


def joined(first: str, second: str) -> str:
    """The wrapper that undoes the outer fault and then the inner one; empty if one of them has none."""
    if not first or not second:
        return ""
    return _BOTH.format(first=textwrap.indent(first, "        "), second=textwrap.indent(second, "        "))


@cache
def text(function: Callable[..., Any]) -> str:
    """The source of a function."""
    return inspect.getsource(function)
