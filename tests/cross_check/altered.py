"""Code under test that is the reference with changes, and a run about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

from cross_check.exchange.results import Results
from cross_check.harness import Entry, check
from cross_check.judge.settings import Settings
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism
from mechanisms.quantities import USUAL


class Altered:
    """An implementation, the reference unless another is given, some of its answers changed.

    Each change is given the right answer and what was asked. ``reads`` is what the code takes a mechanism for.
    """

    name, version = "altered", "1"

    def __init__(
        self,
        only: tuple[str, ...] = USUAL,
        of: Any = REFERENCE,
        reads: Callable[[Mechanism], Mechanism] = lambda mechanism: mechanism,
        **changes: Callable[..., Any],
    ) -> None:
        self._only, self._of, self._reads, self._changes = only, of, reads, changes

    def load(self, mechanism: Mechanism) -> SimpleNamespace:
        right = self._of.load(self._reads(mechanism))

        def answer(name: str, *arguments: Any) -> Any:
            exact = getattr(right, name)(*(x.copy() for x in arguments))
            return self._changes[name](exact, *arguments) if name in self._changes else exact

        return SimpleNamespace(**{name: partial(answer, name) for name in self._only})


def run(code: Any, mechanism: Mechanism | str, *quantities: str, explain: bool = False, **settings: Any) -> Results:
    """A check of ``code``, which is called mine, on one mechanism."""
    chosen = find_mechanism(mechanism) if isinstance(mechanism, str) else mechanism
    given = {**({"quantities": quantities} if quantities else {}), **settings}
    return check([(chosen.name, chosen)], [Entry("mine", "mine", InProcess(code))], Settings(**given), explain=explain)


def verdicts_of(results: Results) -> dict[str, str]:
    """By quantity, of what is offered and supported."""
    return {cell.quantity: cell.verdict for cell in results.cells if cell.verdict not in ("not offered", "unsupported")}
