"""The largest errors of right code in few digits: the three derivations from forces, by mechanism and precision.

    python -m precisions [MECHANISM …] [--states N] [--precision NAME] [--sums NAME] [--recorded]

``--sums`` is the precision of sums and differences, if it is another one; then the coarser one is that of the code.
``--recorded`` executes recorded programs in float32 and float16, too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from derivations import coarser, direct, rounded

from cross_check.defaults import BAR
from cross_check.judge.comparison.case import Case, Model
from cross_check.judge.comparison.coarse_states import beyond_range
from cross_check.judge.comparison.judgements import bounded, compare
from cross_check.judge.comparison.lost_digits import amplification, largest_loss
from cross_check.judge.comparison.sampling import BLOCK, Block
from implementations.protocol import Unsupported
from mechanisms import DEFAULT_ROBOTS, Mechanism, find_mechanism
from mechanisms.library.robots import robot_names
from mechanisms.library.textbook import TEXTBOOK
from mechanisms.numbers.precision import Precision, UnknownPrecision, precision_named
from mechanisms.quantities import ALL_USUAL, QUANTITIES


def errors(case: Case, code: Any) -> Iterator[tuple[str, float, bool]]:
    """Every quantity that the code has, with its largest error, and whether amplified rounding may be as large."""
    loaded = code.load(case.mechanism)
    for quantity in (QUANTITIES[name] for name in ALL_USUAL if name in QUANTITIES and hasattr(loaded, name)):
        if not quantity.is_compared(case.mechanism):
            continue
        try:
            if quantity.needs_regular_mass_matrix:
                case.mass_matrix.require_regular(case.states.q)
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


def precision(text: str) -> Precision:
    try:
        return precision_named(text)
    except UnknownPrecision as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def line(mechanism: Mechanism, one: Any, states: int) -> tuple[str, int]:
    """What the largest error of one code is, and in how many quantities amplified rounding does not explain it."""
    largest: dict[str, float] = {}
    above: dict[str, str] = {}
    for case in cases(mechanism.tree, states):
        for quantity, units, is_amplified in errors(case, one):
            largest[quantity] = max(units, largest.get(quantity, 0.0))
            if units > BAR:
                above[quantity] = f"{quantity} {units:.3g}" + (" (amplified)" if is_amplified else " ✗")
    worst = max(largest, key=lambda quantity: largest[quantity])
    return f"{largest[worst]:9.3g} {worst:28} {', '.join(above.values())}", sum("✗" in said for said in above.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mechanisms", nargs="*")
    parser.add_argument("--states", type=int, default=98)
    parser.add_argument("--precision", type=precision, default="float32")
    parser.add_argument("--sums", type=precision)
    parser.add_argument("--recorded", action="store_true")
    chosen = parser.parse_args()
    sums = chosen.sums or chosen.precision
    declared = coarser(chosen.precision, sums)
    is_direct = sums == chosen.precision and declared.dtype != np.float64 and not chosen.recorded
    codes = direct(declared.dtype.type) if is_direct else rounded(chosen.precision, sums)
    accused = 0
    try:
        for name in chosen.mechanisms or [*TEXTBOOK, *dict.fromkeys((*DEFAULT_ROBOTS, *robot_names()))]:
            mechanism = find_mechanism(name).in_precision(declared)
            if why := beyond_range(mechanism):
                print(f"{name:24} {why}")
                continue
            for code, one in codes.items():
                said, wrong = line(mechanism, one, chosen.states)
                accused += wrong
                print(f"{name:24} {code:18} {said}", flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    print(f"{accused} cells above the bar that amplified rounding does not explain")


if __name__ == "__main__":
    main()
