"""The steps of the library at which a wrong code may be wrong: measured, not listed."""

from functools import cache

import numpy as np

import dalembert
from campaign.library import ARGUMENTS, Library
from campaign.links import Array, numbers_of


@cache
def sites(mechanisms: tuple[str, ...] = ("random:7:6:all", "branched-tree", "puck")) -> dict[str, list[str]]:
    """Every step of every algorithm, and the quantities that change if the step is halved at a generic state."""
    found: dict[str, list[str]] = {}

    class Halved(Library):
        def at(self, site: str, i: int, value: Array, column: str = "") -> Array:
            reached.add(site)
            return 0.5 * value if site == half else value

    rng, reached, half = np.random.default_rng(0), set[str](), ""
    for mechanism in map(dalembert.find_mechanism, mechanisms):
        library = Halved(numbers_of(mechanism))
        q = dalembert.integrate(mechanism, dalembert.neutral(mechanism)[None], rng.uniform(0.3, 1, (1, library.data.nv)))
        for name, letters in ARGUMENTS.items():
            ask, args = getattr(library, name), (q, *rng.uniform(0.3, 1, (len(letters) - 1, 1, library.data.nv)))
            half = ""
            reached.clear()
            right = ask(*args)
            for half in reached - {site for site, names in found.items() if name in names}:
                if np.abs(ask(*args) - right).max() > 1e-9:
                    found.setdefault(half, []).append(name)
            found[f"the answer of {name}"] = [name]
    return found
