"""The three derivations in single precision, as users' code that declares it, for docs/accuracy.md:

dalembert worst benchmarks/float32_derivations.py:reference ur5
"""

from __future__ import annotations

import numpy as np
from derivations import direct

reference, newton, screws = direct(np.float32).values()

for code in (reference, newton, screws):
    code.name += ", float32"
    code.precision = "float32"
