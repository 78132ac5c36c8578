"""The entries, one module for each class. Two faults at once are to have both causes named, and nothing else."""

from importlib import import_module
from pathlib import Path

from score.entry import pair

__all__ = tuple(sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py")))

for module in __all__:
    import_module(f"{__name__}.{module}")

for first, second in (
    ("armature left out", "gyroscopic sign"),
    ("gravity sign", "damping left out"),
    ("coriolis left out", "com off by one millimetre"),
    ("armature twice", "parallel axes twice"),
    ("gyroscopic left out", "mass one per cent low"),
    ("com sign", "tangential left out"),
    ("axis sign", "gravity left out"),
    ("degrees of one joint", "inertia of wrist left out"),
    ("ixy sign", "gravity vertical"),
    ("quaternion conjugate", "damping of slide left out"),
    ("damping sign", "exchanged moments"),
    ("linear velocity in first", "com of camera left out"),
):
    pair(first, second)
