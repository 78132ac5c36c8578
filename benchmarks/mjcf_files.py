"""Our reader of MJCF beside MuJoCo's, on every MJCF file below the folders that are named.

PYTHONPATH=benchmarks python benchmarks/mjcf_files.py FOLDER …

It compares gravity, and of every joint its kind, origin, axis, armature and damping, and the mass, the centre of mass and the
inertia that it carries, all along the world's axes where every position is zero; then M and the torques of gravity and springs at
a random q.
It prints a line for each file that is not simply right: refused by us, and why; refused by MuJoCo alone; different, and where.

A file that we refuse because of forces that we do not read, such as springs, is read once more without them: "rest agrees".
"""

from __future__ import annotations

import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from implementations.engines.mujoco.reader import joints_of
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, MechanismError
from mechanisms.files.mjcf.read import read_mjcf
from mechanisms.files.reading import reading_of
from mechanisms.files.vocabulary import Part, vocabulary
from mechanisms.reading import Reading, ReadJoint

TOLERANCE = 1e-9
"""Relative to the largest number of a vector or matrix."""

SINGLE = 2e-6
"""The same, where MuJoCo has kept coordinates of meshes in float32."""

SECONDS = 60


def main(folders: list[str]) -> None:
    """Compare all files, and print the counts."""
    files = sorted(path for folder in folders for path in Path(folder).rglob("*.xml") if _is_model(path))
    counts: Counter[str] = Counter()
    for path in files:
        verdict, words = compared(path)
        if verdict == "refused":
            with _without_forces():
                rest, more = compared(path)
            if rest != "refused":
                verdict = f"refused, rest {rest}"
            words = f"{words} {more}" if more != words else words
        counts[verdict] += 1
        if verdict not in ("agrees", "neither", "no joint"):
            print(f"{verdict:22} {path}: {words}", flush=True)
    print(", ".join(f"{verdict} {count}" for verdict, count in counts.most_common()), f"of {len(files)} files")


@contextmanager
def _without_forces() -> Iterator[None]:
    """What the reader refuses unless it is zero is ignored."""
    known = vocabulary("mjcf")
    kept = {key: dict(parts) for key, parts in known.items()}
    for parts in known.values():
        changed: Any = parts
        for name, part in parts.items():
            if part.use == "refused" and (part.unless or name == "muscle"):
                changed[name] = Part("ignored", part.words)
    try:
        yield
    finally:
        for key, parts in kept.items():
            known[key].update(parts)  # type: ignore[attr-defined]


def _is_model(path: Path) -> bool:
    try:
        return bool(re.search(r"<mujoco[\s>]", path.read_text("utf-8", "replace")[:20000]))
    except OSError:
        return False


def compared(path: Path) -> tuple[str, str]:
    """The verdict on one file, and the reason."""
    import mujoco as mj

    theirs: Any = None
    try:
        theirs = mj.MjModel.from_xml_path(str(path))
        refusal = ""
    except ValueError as error:
        refusal = " ".join(str(error).split())[:160]
    signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        ours = read_mjcf(path, physical=False, ignore_mimic=True)
    except MechanismError as error:
        both = "neither" if refusal else "refused"
        if not refusal and "has no joint that moves" in str(error) and theirs.nv == 0:
            return "no joint", ""
        return both, str(error).removeprefix(str(path))
    except TimeoutError:
        return "too slow", f"{SECONDS} s"
    except Exception as error:
        return "TRACEBACK", repr(error)[:300]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if refusal:
        return "we alone read", refusal
    found = differences(mj, theirs, ours)
    return ("disagrees" if found else "agrees"), "; ".join(found[:4])


def _late(*_: object) -> None:
    raise TimeoutError


def differences(mj: Any, model: Any, ours: Mechanism) -> list[str]:
    """What differs between a model of MuJoCo and our mechanism."""
    tolerance = SINGLE if model.nmesh else TOLERANCE
    joints, _ = joints_of(mj, model)
    reading = reading_of(ours)
    if len(joints) != len(reading.joints):
        return [f"{len(reading.joints)} joints, not {len(joints)}"]
    order = _order(joints, reading)
    found = [] if _near(model.opt.gravity * _gravity_counts(mj, model), reading.gravity, tolerance) else ["gravity"]
    armature = _doubled(model)
    for k, right in enumerate(joints):
        got = reading.joints[order[k]]
        more = [float(x) for x in armature[k]]
        found += [f"{right.name or k}: {words}" for words in _joint(right, got, more, tolerance)]
    return found or _dynamics(mj, model, ours, order, tolerance)


def _order(joints: tuple[ReadJoint, ...], reading: Reading) -> list[int]:
    """The index of our joint for every one of MuJoCo's: by name, if all have one, else in the same order."""
    ours = {joint.name: k for k, joint in enumerate(reading.joints)}
    names = [joint.name for joint in joints]
    return [ours[name] for name in names] if set(names) == set(ours) else list(range(len(names)))


def _gravity_counts(mj: Any, model: Any) -> int:
    return 0 if model.opt.disableflags & int(mj.mjtDisableBit.mjDSBL_GRAVITY) else 1


def _doubled(model: Any) -> list[tuple[float, float]]:
    """Armature and damping that motors add to every joint."""
    added = [[0.0, 0.0] for _ in range(model.njnt)]
    for k in range(len(model.actuator_trntype)):
        if int(model.actuator_trntype[k]) in (0, 1):
            joint, gear = int(model.actuator_trnid[k][0]), float(model.actuator_gear[k][0]) ** 2
            for place, name in enumerate(("actuator_armature", "actuator_damping")):
                if hasattr(model, name):
                    added[joint][place] += gear * float(np.ravel(getattr(model, name))[k])
    return [(a, d) for a, d in added]


def _joint(right: ReadJoint, got: ReadJoint, motor: list[float], tolerance: float) -> list[str]:
    if right.kind != got.kind:
        return [f"{got.kind}, not {right.kind}"]
    ours, theirs = got.carries, right.carries
    # The origin of a slide may be anywhere along its axis.
    places = [np.cross(x.origin, right.axis) if right.kind == "prismatic" else x.origin for x in (right, got)]
    pairs: list[tuple[str, Any, Any, float]] = [
        ("origin", places[0], places[1], 1e-3),
        ("axis", right.axis, got.axis, 1),
        ("mass", (theirs.mass,), (ours.mass,), 0),
        ("centre of mass", theirs.com if theirs.mass else (), ours.com if theirs.mass else (), 1e-3),
        ("inertia", theirs.inertia, ours.inertia, 1e-6 * theirs.mass),
    ]
    if right.damping is not None and right.armature is not None:
        pairs.append(("armature", (right.armature + motor[0],), (got.armature,), 0))
        pairs.append(("damping", (right.damping + motor[1],), (got.damping,), 0))
    return [f"{what} {_words(b)}, not {_words(a)}" for what, a, b, least in pairs if not _near(a, b, tolerance, least)]


def _dynamics(mj: Any, model: Any, ours: Mechanism, order: list[int], tolerance: float) -> list[str]:
    """M and the torques of gravity and springs at a random position, in our coordinates."""
    rng = np.random.default_rng(0)
    data, q = mj.MjData(model), np.zeros(ours.nq)
    T = np.zeros((model.nv, ours.nv))
    for k, i in enumerate(order):
        body, at, dof = ours.bodies[i], int(model.jnt_qposadr[k]), int(model.jnt_dofadr[k])
        mine, rates = ours.q_slices[i], ours.v_slices[i]
        x = rng.uniform(-1, 1, body.joint.nq)
        if body.joint.kind in ("free", "spherical"):
            x[-4:] /= np.linalg.norm(x[-4:])
            data.qpos[at : at + len(x)] = np.concatenate([x[:-4], x[-1:], x[-4:-1]])
        else:
            data.qpos[at] = x[0]
        q[mine] = x
        if body.joint.kind == "free":
            R = np.zeros(9)
            mj.mju_quat2Mat(R, np.array([x[-1], *x[-4:-1]]))
            T[dof : dof + 3, rates.start + 3 : rates.stop] = R.reshape(3, 3)
            T[dof + 3 : dof + 6, rates.start : rates.start + 3] = np.eye(3)
        else:
            T[dof : dof + body.joint.nv, rates] = np.eye(body.joint.nv)
    mj.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    _full_mass_matrix(mj, model, data, M)
    reference = REFERENCE.load(ours)
    found = []
    if not _near(T.T @ M @ T, reference.mass_matrix(q[None])[0], tolerance):
        found.append(f"M off by {np.abs(T.T @ M @ T - reference.mass_matrix(q[None])[0]).max():.2g} of {np.abs(M).max():.2g}")
    weight = T.T @ (data.qfrc_bias - data.qfrc_spring)
    # Weights that cancel are compared with the weight of everything.
    least = float(np.abs(np.asarray(ours.gravity, float)).max() * model.body_mass.sum())
    if not _near(weight, reference.gravity(q[None])[0], tolerance, least):
        found.append("torques of gravity and springs")
    return found


def _full_mass_matrix(mj: Any, model: Any, data: Any, M: Any) -> None:
    try:
        mj.mj_fullM(model, data, M)
    except TypeError:
        mj.mj_fullM(model, M, data.qM)


def _near(right: Any, got: Any, tolerance: float, least: float = 0.0) -> bool:
    a, b = np.asarray(right, float), np.asarray(got, float)
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= tolerance * max(least, np.abs(a).max(initial=0))))


def _words(numbers: Any) -> str:
    return " ".join(f"{float(x):.6g}" for x in np.ravel(numbers))


if __name__ == "__main__":
    main(sys.argv[1:])
