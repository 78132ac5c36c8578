"""Compares our reader of SDF with Drake's parser on folders of files: mass matrices, forces and damping at random states.

``PYTHONPATH=benchmarks python -m sdf_files FOLDER …`` prints one line for each kind of outcome, with an example, and every
disagreement. Files that both refuse count as agreement. What Drake keeps of free bodies and of balls is converted to our
coordinates as in the comparison of readers.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cross_check.judge.comparison.sampling import sample
from implementations.engines.drake.adapter import engine
from implementations.engines.drake.reader import REFUSALS, dynamics, kind_of
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, MechanismError
from mechanisms.files.sdf.read import read_sdf
from mechanisms.plain_text import one_line

QUANTITIES = {"mass_matrix": ("q",), "gravity": ("q",), "inverse_dynamics": ("q", "v", "a")}

TOLERANCE = 1e-9
"""Relative to the largest entry."""

STATES = 3


def outcome(path: Path) -> str:
    """What both make of a file, in words that begin with "agrees", "refused", "disagrees" or "Drake refuses"."""
    try:
        mechanism, refused = read_sdf(path), ""
    except MechanismError as error:
        mechanism, refused = None, re.sub(r"^.*?(, line \d+)?: ", "", str(error), count=1)
    try:
        plant, said = parsed(path), ""
    except (*REFUSALS, MemoryError) as error:
        plant, said = None, one_line(str(error).rpartition("error: ")[2], 160)
    if mechanism is None:
        return f"refused by {'both' if plant is None else 'us alone'}: {refused}"
    if plant is None:
        return f"Drake refuses: {said}"
    return compared(mechanism, plant)


def parsed(path: Path) -> Any:
    """Drake's plant of a file."""
    drake = engine()
    plant = drake.MultibodyPlant(0.0)
    parser = drake.Parser(plant)
    parser.package_map().PopulateFromFolder(str(path.parent))
    parser.AddModels(str(path))
    for constraint in plant.GetConstraintIds():
        plant.RemoveConstraint(constraint)
    plant.Finalize()
    return plant


def compared(mechanism: Mechanism, plant: Any) -> str:
    """How the answers of the two differ."""
    joints = [joint for joint in map(plant.get_joint, plant.GetJointIndices()) if joint.num_velocities()]
    names = {joint.index(): _names(plant, joint) for joint in joints}
    ours = [body.name if body.joint.kind == "free" else body.joint.name for body in mechanism.bodies]
    order = []
    for joint in sorted(joints, key=lambda joint: joint.velocity_start()):
        found = [i for i, name in enumerate(ours) if name in names[joint.index()]]
        # Drake gives a joint to the model of its child.
        found = found or [i for i, name in enumerate(ours) if name.rpartition("::")[2] == joint.name()]
        if not found:
            return f"disagrees: only Drake moves {names[joint.index()][0]}"
        order.append(max(found, key=lambda i: len(ours[i])))
    if missing := set(range(len(ours))) - {*order}:
        return f"disagrees: only we move {ours[min(missing)]}"
    sorted_joints = sorted(joints, key=lambda joint: joint.velocity_start())
    kinds = [(kind_of(joint), mechanism.bodies[i].joint.kind) for joint, i in zip(sorted_joints, order, strict=True)]
    if other := next((pair for pair in kinds if pair[0] != pair[1]), None):
        return f"disagrees: {other[0]} for Drake, {other[1]} for us"
    tree = mechanism.independent.tree
    # Drake leaves Coulomb friction out.
    tree = replace(tree, bodies=tuple(replace(one, joint=replace(one.joint, friction=0)) for one in tree.bodies))
    try:
        theirs = dynamics(engine(), plant, sorted_joints, tree, order)
        reference, states = REFERENCE.load(tree), sample(tree, 0, STATES)
        wrong = []
        for name, arguments in QUANTITIES.items():
            a, b = (np.asarray(getattr(one, name)(*states.arguments(arguments))) for one in (reference, theirs))
            error = float(np.max(np.abs(a - b), initial=0) / (np.max(np.abs(a), initial=0) or 1))
            if not error <= TOLERANCE:
                wrong.append(f"{name} by {error:.1e}")
    except Unsupported as error:
        return f"not compared: {error}"
    loops = " (without its loops)" if mechanism.constraints else ""
    return f"disagrees in {', '.join(wrong)}" if wrong else f"agrees{loops}"


def _names(plant: Any, joint: Any) -> list[str]:
    """What we may call the joint: with the names of all models around it, or of fewer; a free joint by its body."""
    part = joint.child_body() if joint.type_name() == "quaternion_floating" else joint
    words = [*plant.GetModelInstanceName(part.model_instance()).split("::"), *part.name().split("::")]
    return ["::".join(words[k:]) for k in range(len(words))]


def files(folders: list[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from sorted(path for path in folder.rglob("*") if path.suffix in (".sdf", ".world") and path.is_file())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    counts: Counter[str] = Counter()
    examples: dict[str, Path] = {}
    for path in files(parser.parse_args().folders):
        try:
            said = outcome(path)
        except Exception as error:
            said = f"CRASH: {error!r}"
        if said.startswith(("disagrees", "CRASH")):
            print(f"{path}: {said}", flush=True)
        kind = re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?", "N", re.sub(r"'[^']*'", "'…'", said))[:150]
        counts[kind] += 1
        examples.setdefault(kind, path)
    for kind, count in counts.most_common():
        print(f"{count:5}  {kind}    {examples[kind].name}")


if __name__ == "__main__":
    main()
