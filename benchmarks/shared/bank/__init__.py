"""All faults, by module of mechanisms/."""

from __future__ import annotations

from shared.bank import bodies, files, finite_motions, joints, rotations, trees

FAULTS = (*rotations.FAULTS, *bodies.FAULTS, *joints.FAULTS, *trees.FAULTS, *files.FAULTS, *finite_motions.FAULTS)
