"""The largest errors of right code in few digits: the three derivations from forces, by mechanism and precision.

    python -m precisions [MECHANISM …] [--states N] [--precision NAME] [--sums NAME] [--recorded]

``--sums`` is the precision of sums and differences, if it is another one; then the coarser one is that of the code.
``--recorded`` executes recorded programs in float32 and float16, too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from derivations import coarser, direct, rounded

from cross_check.defaults import BAR
from cross_check.exchange.results import Cell
from cross_check.judge.comparison.case import Case, Model
from cross_check.judge.comparison.coarse_states import beyond_range
from cross_check.judge.comparison.measure import measure
from cross_check.judge.comparison.sampling import BLOCK, Block
from cross_check.part import cell_with_lost_digits
from implementations.processes.subject import InProcess, Subject
from mechanisms import DEFAULT_ROBOTS, Mechanism, find_mechanism
from mechanisms.library.robots import robot_names
from mechanisms.library.textbook import TEXTBOOK
from mechanisms.numbers.precision import Precision, UnknownPrecision, precision_named
from mechanisms.quantities import ALL_USUAL, QUANTITIES


def cells(case: Case, code: Subject) -> Iterator[Cell]:
    """The verdict on every quantity that the code has."""
    loaded = code.load(case.mechanism)
    for quantity in (QUANTITIES[name] for name in ALL_USUAL if name in QUANTITIES and loaded.offers(name)):
        cell = measure(case, loaded, code.name, quantity, BAR).cell
        yield cell_with_lost_digits(cell, case, loaded, code, BAR)


def cases(mechanism: Mechanism, states: int) -> Iterator[Case]:
    model = Model(mechanism)
    for first in range(0, states, BLOCK):
        yield model.case(0, Block(first, min(BLOCK, states - first)))


def precision(text: str) -> Precision:
    try:
        return precision_named(text)
    except UnknownPrecision as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def line(mechanism: Mechanism, code: Subject, states: int) -> tuple[str, int]:
    """The largest error of one code, in words, and the number of quantities in which it is accused."""
    found = [cell for case in cases(mechanism.tree, states) for cell in cells(case, code)]
    worst = max(found, key=lambda cell: cell.error or 0.0)
    above = {(one.quantity, one.verdict): one for one in found if one.verdict in ("lost digits", "discrepancy", "failed")}
    said = (f"{one.quantity} {one.verdict} {one.error or one.message}" for one in above.values())
    return f"{worst.error:9.3g} {worst.quantity:28} {', '.join(said)}", sum(verdict != "lost digits" for _, verdict in above)


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
    subjects = {name: InProcess(code) for name, code in codes.items()}
    accused = 0
    try:
        for name in chosen.mechanisms or [*TEXTBOOK, *dict.fromkeys((*DEFAULT_ROBOTS, *robot_names()))]:
            mechanism = find_mechanism(name).in_precision(declared)
            if why := beyond_range(mechanism):
                print(f"{name:24} {why}")
                continue
            for code, one in subjects.items():
                said, wrong = line(mechanism, one, chosen.states)
                accused += wrong
                print(f"{name:24} {code:18} {said}", flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    print(f"{accused} cells of right code are accused")


if __name__ == "__main__":
    main()
