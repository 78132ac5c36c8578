"""The largest errors of right code in few digits: the three derivations from forces, by robot and precision.

    python -m precisions [MECHANISM …] [--states N] [--precision NAME]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from cross_check.defaults import BAR
from cross_check.judge.comparison.case import Case, Model
from cross_check.judge.comparison.judgements import bounded, compare
from cross_check.judge.comparison.lost_digits import amplification, largest_loss
from cross_check.judge.comparison.sampling import BLOCK, Block
from implementations.algorithms import Algorithmic
from implementations.classical import newton_euler
from implementations.field import Real
from implementations.protocol import Unsupported
from implementations.screws import product_of_exponentials
from implementations.spatial_algebra.reference import Reference
from mechanisms import DEFAULT_ROBOTS, Mechanism, find_mechanism
from mechanisms.library.robots import robot_names
from mechanisms.library.textbook import TEXTBOOK
from mechanisms.numbers.precision import PRECISIONS
from mechanisms.quantities import ALL_USUAL, QUANTITIES


def codes(real: Any) -> dict[str, Any]:
    """The derivations, in numbers of this type, by name."""
    return {
        "spatial algebra": Reference(Real(real)),
        "Newton and Euler": Algorithmic("newton-euler", newton_euler.build, newton_euler.ALGORITHMS, Real(real)),
        "screws": Algorithmic("screws", product_of_exponentials.build, product_of_exponentials.ALGORITHMS, Real(real)),
    }


def errors(case: Case, code: Any) -> Iterator[tuple[str, float, bool]]:
    """Every quantity that the code has, with its largest error, and whether amplified rounding may be as large."""
    loaded = code.load(case.mechanism)
    for quantity in (QUANTITIES[name] for name in ALL_USUAL if name in QUANTITIES and hasattr(loaded, name)):
        if not quantity.is_compared(case.mechanism):
            continue
        try:
            with np.errstate(all="ignore"):
                answer = getattr(loaded, quantity.name)(*case.states.arguments(quantity.arguments)).astype(np.float64)
        except Unsupported:
            continue
        units = bounded(compare(case, quantity, answer).units)
        most = BAR * np.broadcast_to(amplification(case, quantity), units.shape)
        is_amplified = bool((units <= np.minimum(most, largest_loss(case.mechanism.precision))).all())
        yield quantity.name, float(units.max(initial=0.0)), is_amplified


def cases(mechanism: Mechanism, states: int) -> Iterator[Case]:
    model = Model(mechanism)
    for first in range(0, states, BLOCK):
        yield model.case(0, Block(first, min(BLOCK, states - first)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mechanisms", nargs="*")
    parser.add_argument("--states", type=int, default=98)
    parser.add_argument("--precision", choices=[name for name in PRECISIONS if name != "bfloat16"], default="float32")
    chosen = parser.parse_args()
    precision = PRECISIONS[chosen.precision]
    names = chosen.mechanisms or [*TEXTBOOK, *dict.fromkeys((*DEFAULT_ROBOTS, *robot_names()))]
    accused = 0
    for name in names:
        mechanism = find_mechanism(name).in_precision(precision)
        for code, one in codes(precision.dtype.type).items():
            largest: dict[str, float] = {}
            above: dict[str, str] = {}
            for case in cases(mechanism.tree, chosen.states):
                for quantity, units, is_amplified in errors(case, one):
                    largest[quantity] = max(units, largest.get(quantity, 0.0))
                    if units > BAR:
                        above[quantity] = f"{quantity} {units:.3g}" + (" (amplified)" if is_amplified else " ✗")
            accused += sum("✗" in said for said in above.values())
            worst = max(largest, key=lambda quantity: largest[quantity])
            print(f"{name:24} {code:18} {largest[worst]:9.3g} {worst:28} {', '.join(above.values())}", flush=True)
    print(f"{accused} cells above the bar that amplified rounding does not explain")


if __name__ == "__main__":
    main()
