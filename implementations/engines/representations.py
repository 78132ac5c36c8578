"""Engines with three representations of velocities, body-fixed, inertial and mixed, each of which is one of our frames.

The representation is that of all motions, the base's too: quantities along v differ, and conventions differ in this alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from implementations.conventions.converted import Converted
from implementations.conventions.declared import Conventions
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.quantities.steps import quantity_named

BASES = {"local": "body", "world": "spatial", "aligned": "mixed"}
"""By our frame: the velocity that a free base has (:data:`implementations.conventions.declared.VALUES`)."""

NAMES = {
    "local": "BODY_FIXED_REPRESENTATION",
    "world": "INERTIAL_FIXED_REPRESENTATION",
    "aligned": "MIXED_REPRESENTATION",
}
"""By our frame: what adam and iDynTree call the representation."""


class InEveryRepresentation:
    """One mechanism in such an engine; see :class:`implementations.protocol.Dynamics`.

    ``asked(frame)`` gives the quantities in one representation, in the engine's ``conventions``. Those that have no frame come
    from that of the frame ``default``; those along the root's axes from the mixed one. ``order`` is that of :class:`Converted`.
    With ``chains`` the engine has chains of joints instead of a free base: their velocities are the same in every representation.
    """

    def __init__(
        self,
        asked: Callable[[str], Any],
        mechanism: Mechanism,
        conventions: Conventions,
        order: Sequence[int] | None,
        default: str,
        chains: bool = False,
    ) -> None:
        of_base = {frame: conventions if chains else replace(conventions, free_velocity=base) for frame, base in BASES.items()}
        self._in_frame = {frame: Converted(asked(frame), mechanism, own, order) for frame, own in of_base.items()}
        self._default = default

    def __dir__(self) -> list[str]:
        return dir(self._in_frame[self._default])

    def __getattr__(self, quantity: str) -> Callable[..., Array]:
        try:
            declared = quantity_named(quantity)
        except KeyError:
            raise AttributeError(quantity) from None
        along_root = declared.needs_mass or quantity.endswith("classical_accelerations")
        # Forces act on bodies along their own axes.
        default = "local" if "f" in declared.arguments else self._default
        frame = "aligned" if along_root else declared.frame or default
        asked: Callable[..., Array] = getattr(self._in_frame[frame], quantity)
        return asked
