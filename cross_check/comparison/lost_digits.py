"""Whether errors above the bar are rounding that the mechanism and the state amplify: then the answer has lost digits.

Only answers that solve an equation with M are tried. They have lost digits if both hold at every state with an error above the
bar, for every component with an error of u ε-units:

    |u| ≤ the bar × A        A is how much the equation amplifies roundings (:mod:`cross_check.comparison.amplification`)
    u is scattered           (:mod:`cross_check.comparison.scatter`)

The first says how large amplified rounding can be; it comes from the truth alone, so that noise and short formats of numbers
exceed it wherever the equation is well-conditioned. The second tells rounding from a wrong term of the same size where it is not.
docs/notes/error-scale.md, eqs. 34 and 66–69, has the details.
"""

from __future__ import annotations

import math

import numpy as np

from cross_check.comparison.amplification import amplification
from cross_check.comparison.case import Case
from cross_check.comparison.scatter import at_neighbours, is_scattered
from cross_check.memory import Array
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms.quantities import Quantity

LARGEST = 2.0**26
"""In ε-units: half of the digits. An answer with less than half of its digits is not called right."""


def lost_digits(case: Case, loaded: Loaded, quantity: Quantity, units: Array, bar: float) -> str | None:
    """Why errors above the bar are amplified rounding, in words with the amplification; None if they are not.

    ``units`` (states, …) are the errors in ε-units.
    """
    if not quantity.needs_regular_mass_matrix or not (units <= LARGEST).all():
        return None
    A = np.broadcast_to(amplification(case, quantity), units.shape).reshape(len(units), -1)
    u = units.reshape(len(units), -1)
    if not (u <= bar * A).all():
        return None
    try:
        # All components of a state with an error: another one may be wrong beside it.
        asked = np.broadcast_to((u > bar).any(axis=1, keepdims=True), u.shape)
        if not is_scattered(u, asked, at_neighbours(case, loaded, quantity), floor=bar):
            return None
    except (Unsupported, Failure):
        return None
    worst = np.unravel_index(int(u.argmax()), u.shape)
    digits = math.ceil(math.log10(u[worst]))
    return f"rounding is amplified: {digits} of 16 digits are lost, and the equation amplifies them {A[worst]:.2g} times there"
