"""How long the first answers about a new mechanism take, in a process that has imported everything and knows no mechanism yet.

python benchmarks/first_answer.py random:1:30

It prints the seconds of every answer as JSON. An answer is computed from the description of the mechanism on: it is recorded, and
executed for the states of a default run.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1]))

from cross_check.comparison.sampling import sample
from cross_check.comparison.truth import Truth
from cross_check.settings import Settings
from implementations.recorded.traced import TracedDynamics
from machine import advice
from mechanisms import find_mechanism


def main(spec: str) -> None:
    advice()  # loads the machine
    mechanism = find_mechanism(spec)
    states = sample(mechanism, 0, Settings().states)
    arguments = (states.q, states.v, states.a)
    start = perf_counter()
    Truth(mechanism).forces(*arguments)
    truth = perf_counter()
    TracedDynamics(mechanism).values("inverse_dynamics", *arguments)
    print(json.dumps({"truth": truth - start, "traced": perf_counter() - truth}))


if __name__ == "__main__":
    main(*sys.argv[1:])
