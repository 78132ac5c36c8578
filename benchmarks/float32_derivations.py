"""The three derivations in single precision, as users' code that declares it, for docs/accuracy.md:

dalembert worst benchmarks/float32_derivations.py:reference ur5
"""

from __future__ import annotations

import numpy as np

from implementations.algorithms import Algorithmic
from implementations.classical import link_frames, newton_euler
from implementations.field import Real
from implementations.screws import product_of_exponentials
from implementations.spatial_algebra.reference import Reference

SINGLE = Real(np.float32)

reference = Reference(SINGLE)
newton = Algorithmic("newton-euler", link_frames.build, newton_euler.ALGORITHMS, SINGLE)
screws = Algorithmic("screws", product_of_exponentials.build, product_of_exponentials.ALGORITHMS, SINGLE)

for code in (reference, newton, screws):
    code.name += ", float32"
    code.precision = "float32"  # type: ignore[attr-defined]
