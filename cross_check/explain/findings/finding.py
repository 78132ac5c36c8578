"""What a known fault of an engine is: a prediction of the wrong numbers, which the engine's answers have to match.

Nothing else is excused. An answer, less the predicted errors, is judged as every other answer:

    | answer − truth − predicted error |  ≤  bound + bar · ε · size        in every component, at every state

The predicted error is that of the reference with the fault, less the reference. The bound is zero where the fault can be
computed, which is nearly everywhere. What is answered plays no part in the prediction, so another fault in the same answer
remains.

One answer may show several faults, so that all faults of a version are predicted together. They are listed in the order in which
they are undone: the last one acts on right answers, the one before it on what this makes of them, and so on.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cross_check.explain.faults.fault import Edit
from cross_check.explain.faults.mutants import edited
from cross_check.judge.comparison.judgements import nearest_position
from implementations.algorithms import Algorithm, evaluate_in_blocks, model_of
from implementations.field import Real, Tensor
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS, REFERENCE
from mechanisms import Mechanism

Functions = Mapping[str, Callable[..., Array]]
"""By quantity: a function of batches of states, as of :class:`implementations.protocol.Dynamics`."""


TABLE = tomllib.loads(Path(__file__).with_name("findings.toml").read_text("utf-8"))


def _nothing(*given: object) -> Functions:
    return {}


def lacking(terms: Mapping[str, Algorithm]) -> Callable[[Mechanism, Dynamics], Functions]:
    """The prediction of a finding: answers that lack these ``terms``, by quantity."""

    def predict(mechanism: Mechanism, right: Dynamics) -> Functions:
        model = model_of(build, mechanism, Real())

        def wrong(name: str, *state: Array) -> Array:
            return getattr(right, name)(*state) - evaluate_in_blocks(terms[name], model, state)

        return {name: partial(wrong, name) for name in terms}

    return predict


def missing(edits: tuple[Edit, ...], name: str, model: Any, *state: Tensor) -> Tensor:
    """What the reference with these edits lacks (…, batch) in a quantity."""
    return ALGORITHMS[name](model, *state) - edited(edits).ALGORITHMS[name](model, *state)


def with_edits(names: Iterable[str], *edits: Edit) -> Callable[[Mechanism, Dynamics], Functions]:
    """The prediction of a finding: the quantities with these names have the errors of the reference with these edits."""
    return lacking({name: partial(missing, edits, name) for name in names})


def text_of(page: str) -> str:
    """The page of a finding with this name, in Markdown. The wheel has the pages beside this module."""
    packaged = Path(__file__).with_name("pages") / f"{page}.md"
    return (packaged if packaged.exists() else Path(__file__).parents[3] / "docs" / "findings" / f"{page}.md").read_text("utf-8")


def script_of(page: str) -> str:
    """The Python script of the page."""
    (script, *_) = re.findall(r"```python\n(.*?)```", text_of(page), re.DOTALL)
    return str(script)


@dataclass(frozen=True)
class Finding:
    """A fault of one engine, in all versions that the regular expression ``versions`` matches completely."""

    name: str
    implementation: str
    versions: str
    predict: Callable[[Mechanism, Dynamics], Functions] = _nothing
    """The wrong answers that the engine gives about a mechanism, computed from right ones."""
    bound: Callable[[Mechanism], Functions] = _nothing
    """How far answers may be from this besides, component by component (batch, …). Its derivation is on the finding's page."""
    by_chance: bool = False
    """Whether roundings decide if the fault acts. Then each component is either as predicted or right."""

    @property
    def page(self) -> str:
        return f"docs/findings/{self.name}.md"

    @property
    def text(self) -> str:
        """The page, in Markdown."""
        return text_of(self.name)

    @property
    def title(self) -> str:
        """The title of the page, as plain text."""
        return self.text.partition("\n")[0].lstrip("# ").replace("`", "")


class Repaired:
    """Dynamics in which the given ``methods`` replace those of the same names."""

    def __init__(self, dynamics: Dynamics, **methods: Callable[..., Any]) -> None:
        self._dynamics = dynamics
        self._methods = methods

    def __getattr__(self, name: str) -> Any:
        return self._methods[name] if name in self._methods else getattr(self._dynamics, name)


class Prediction:
    """What the ``findings``, together, make of right answers about ``mechanism``."""

    def __init__(self, findings: Sequence[Finding], mechanism: Mechanism) -> None:
        self._mechanism, self._right = mechanism, REFERENCE.load(mechanism)
        self._bounds = [finding.bound(mechanism) for finding in findings]
        self._names = {name for bound in self._bounds for name in bound}
        sure = [finding for finding in findings if not finding.by_chance]
        self._wrong = [self._with(some) for some in ([sure] if len(sure) == len(findings) else [sure, list(findings)])]

    def _with(self, findings: Sequence[Finding]) -> Dynamics:
        wrong = self._right
        for finding in reversed(findings):
            functions = finding.predict(self._mechanism, wrong)
            self._names.update(functions)
            wrong = Repaired(wrong, **functions)
        return wrong

    @property
    def names(self) -> set[str]:
        """The quantities that are concerned."""
        return self._names

    def added(self, quantity: str, *state: Array) -> Array:
        """The errors that are predicted (batch, …)."""
        return np.asarray(getattr(self._wrong[0], quantity)(*state) - getattr(self._right, quantity)(*state))

    def removed(self, quantity: str, answer: Array, *state: Array) -> Array:
        """The answer without the errors that are predicted: (batch, …)."""
        right = getattr(self._right, quantity)(*state)
        if quantity == "integrate":
            answer = nearest_position(self._mechanism, answer, right)
        # What is predicted is taken away first: right answers may be small beside it.
        deviations = [answer - getattr(wrong, quantity)(*state) for wrong in self._wrong]
        deviation = deviations[0]
        for other in deviations[1:]:
            deviation = np.where(np.abs(other) < np.abs(deviation), other, deviation)
        bound = self.bound(quantity, *state)
        return np.asarray(right + deviation - np.clip(deviation, -bound, bound))

    def bound(self, quantity: str, *state: Array) -> Array:
        """How far answers may be from what is predicted: (batch, …), or one zero."""
        bounds = (bound[quantity](*state) for bound in self._bounds if quantity in bound)
        return np.nan_to_num(sum(bounds, np.zeros(1)), nan=0.0)

    def without(self, dynamics: Any) -> Repaired:
        """``dynamics``, whose answers are without the errors that are predicted."""

        def function(quantity: str, *state: Array) -> Array:
            return self.removed(quantity, np.asarray(getattr(dynamics, quantity)(*state)), *state)

        # An engine that does not have a quantity raises AttributeError when it is asked for, as always.
        return Repaired(dynamics, **{name: partial(function, name) for name in self._names if hasattr(dynamics, name)})
