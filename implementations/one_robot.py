"""Code for one robot: it knows one mechanism and ignores the one that it is given.

Such code is typed by hand, generated, or runs in firmware. Only states are experiments with it: what it answers about another
mechanism says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from implementations.protocol import UserCodeError
from mechanisms import Mechanism
from mechanisms.document import from_document, to_document
from mechanisms.errors import MechanismError

KnownBy = Literal["declaration", "signature", "experiment"]
"""How it is known that code is for one robot: it declares its ``mechanism``, its functions take none, or its answers do not move
when masses and lengths do."""

REASONS: dict[KnownBy, str] = {
    "declaration": "it declares its mechanism",
    "signature": "its functions take no mechanism",
    "experiment": "its answers stay the same when masses and lengths change",
}
"""The same as the end of a sentence."""


@dataclass(frozen=True)
class OneRobot:
    """That code knows one robot, and how this is known. ``mechanism`` is the robot if the code declares it, and ``spec`` is what
    to type to get it."""

    known_by: KnownBy
    mechanism: Mechanism | None = None
    spec: str = ""

    @property
    def reason(self) -> str:
        """How it is known, in a clause."""
        return REASONS[self.known_by] if self.spec or self.known_by != "declaration" else "it says so"

    def to_document(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "known by": self.known_by,
            "mechanism": to_document(self.mechanism) if self.mechanism else None,
            "spec": self.spec,
        }

    @classmethod
    def from_document(cls, document: Any) -> OneRobot:
        """What :meth:`to_document` wrote. Raises :class:`UserCodeError` for anything else."""
        try:
            known_by, mechanism, spec = (document[key] for key in ("known by", "mechanism", "spec"))
            if known_by not in get_args(KnownBy) or not isinstance(spec, str):
                raise TypeError(known_by)
            return cls(known_by, None if mechanism is None else from_document(mechanism), spec[:300])
        except (KeyError, TypeError, MechanismError) as error:
            raise UserCodeError("the code's process sent no mechanism to the harness") from error
