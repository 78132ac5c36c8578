"""Whether what explains one body or joint is only a part: is the code wrong on another mechanism, too?

A cause that names bodies and joints of one mechanism says that the code is right on mechanisms without these. If it is not,
a fault that names none may explain both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer, Trial, try_sampled
from cross_check.explain.diagnosis.search import Explanation
from cross_check.explain.diagnosis.stages import Stages
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.fault import NO_FAULT, Fault
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES
from mechanisms.textbook import TEXTBOOK

OTHERS = ("spatial-3r", "wall-arms")

STATES = 18


@dataclass(frozen=True)
class Generalized:
    """The explanation that is kept, and a sentence about what it leaves unexplained elsewhere; empty if there is nothing."""

    explanation: Explanation
    unexplained: str = ""


def generalized(
    laboratory: Laboratory,
    chosen: Explanation,
    candidates: Callable[[Mechanism], Sequence[Fault]],
    bar: float,
    is_over: Callable[[], bool],
) -> Generalized:
    """The explanation, or one that names no body and no joint and explains the code on another mechanism, too."""
    if not all(fault.where for fault in chosen.faults):
        return Generalized(chosen)
    for name in OTHERS:
        trial = try_sampled(laboratory, TEXTBOOK[name](), 0, STATES)
        for quantity in dict.fromkeys(symptom.quantity for symptom in chosen.explained):
            if is_over() or not _is_wrong(trial, quantity, chosen.fault, bar):
                continue
            stages = Stages(trial.mechanism, candidates(trial.mechanism), bar, is_over)
            for fault in (fault for several in stages.single(Symptom(trial, quantity)) for fault in several):
                if not fault.where and all(stages.agrees(symptom, fault) for symptom in chosen.explained):
                    return Generalized(replace(chosen, faults=(fault,)))
            said = f"a fault that concerns other mechanisms, too: {QUANTITIES[quantity].title} of {name} is wrong"
            return Generalized(chosen, f"{said}, and this does not explain it")
    return Generalized(chosen)


def _is_wrong(trial: Trial, quantity: str, fault: Fault, bar: float) -> bool:
    """Whether the code answers, and neither rightly nor as code with the fault would. Mechanisms may share names of joints."""
    try:
        return not any(trial.explains(quantity, one, bar) for one in (NO_FAULT, fault))
    except NoAnswer:
        return False
