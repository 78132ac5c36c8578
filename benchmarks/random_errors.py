"""The largest errors of several codes at many random states, for docs/accuracy.md:

python benchmarks/random_errors.py 100000 ur5 panda > docs/accuracy/random.csv

The states are those of ``dalembert check``. The codes share their truth, so that this takes a fraction of several checks. With
Ctrl-C it ends early, and each line says how many states it is about.
"""

from __future__ import annotations

import csv
import sys
from contextlib import suppress

from cross_check.judge.comparison.case import Model
from cross_check.judge.comparison.judgements import compared_at, largest
from cross_check.judge.comparison.sampling import BLOCK, Block
from dalembert.session import entry
from implementations.processes.find import find_mechanism
from mechanisms.quantities import QUANTITIES

CODES = ("reference", "pinocchio", "rbdl", "mujoco", "drake")

NAMES = ("inverse_dynamics", "nonlinear_effects", "mass_matrix", "forward_dynamics")


def main(states: int, specs: list[str]) -> None:
    models = {spec: Model(find_mechanism(spec)) for spec in specs}
    loaded = {(spec, code): entry(code).subject.load(models[spec].mechanism) for spec in specs for code in CODES}
    errors = dict.fromkeys(((code, spec, name) for spec in specs for code in CODES for name in NAMES), 0.0)
    counted = dict.fromkeys(specs, 0)
    with suppress(KeyboardInterrupt):
        for first in range(0, states, BLOCK):
            for spec, model in models.items():
                case = model.case(0, Block(first, min(BLOCK, states - first)))
                here = {(c, n): largest(compared_at(case, loaded[spec, c], QUANTITIES[n]).units) for n in NAMES for c in CODES}
                for (code, name), error in here.items():
                    errors[code, spec, name] = max(error, errors[code, spec, name])
                counted[spec] += len(case.states)
                print(f"{spec}: {counted[spec]} of {states} states", file=sys.stderr, flush=True)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(("code", "mechanism", "quantity", "states", "largest"))
    for (code, spec, name), error in errors.items():
        out.writerow((code, spec, name, counted[spec], f"{error:.3g}"))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
