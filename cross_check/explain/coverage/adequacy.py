"""Whether flags keep their word: the fault of a flag shows at vectors with the flag, and at no others.

A fault shows at a vector if code with the fault does not pass it: a number is off by more than bar · ε · size, as the file has
them. Code with a fault is a mutant of the reference. Answers that are not finite, and exceptions, do not pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cross_check.exchange.vectors.document import column, passes
from cross_check.explain.coverage.measured import errors_of
from cross_check.explain.faults.fault import NO_FAULT, Fault
from cross_check.explain.faults.flags import FLAGS, VectorFlag
from cross_check.explain.faults.mutants import MutantDynamics
from cross_check.memory import Array
from mechanisms import Mechanism

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Shown:
    """Counts of vectors: with the flag, those of them at which its fault shows, and those without the flag at which it shows."""

    flag: VectorFlag
    flagged: int = 0
    caught: int = 0
    others: int = 0

    def __add__(self, other: Shown) -> Shown:
        """The counts of both."""
        return Shown(self.flag, self.flagged + other.flagged, self.caught + other.caught, self.others + other.others)

    @property
    def is_adequate(self) -> bool:
        return self.caught > 0 and self.others == 0


def adequacy(files: Iterable[tuple[Document, Mechanism]], flags: Iterable[VectorFlag] = FLAGS) -> dict[str, Shown]:
    """By the name of a flag: what its fault does to the vectors of ``files``, which are documents with their mechanisms."""
    table = {flag.name: Shown(flag) for flag in flags}
    for document, mechanism in files:
        for name, row in table.items():
            has = np.array([name in vector["flags"] for vector in document["vectors"]])
            shows = fails(document, mechanism, row.flag.fault)
            table[name] = row + Shown(row.flag, int(has.sum()), int((shows & has).sum()), int((shows & ~has).sum()))
    return table


def fails(document: Document, mechanism: Mechanism, fault: Fault = NO_FAULT) -> Array:
    """The vectors (vectors,) that the reference with ``fault`` does not pass."""
    quantity, vectors = document["quantity"], document["vectors"]
    arguments = [column(vectors, name) for name in quantity["arguments"]]
    mutant = MutantDynamics(fault, mechanism)
    return errors_of(mutant, quantity["name"], arguments, lambda got: np.logical_not(passes(document, got))) > 0
