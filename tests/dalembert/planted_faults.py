"""Fourteen faults that dynamics code has in real life, each one edit of the reference's own text, and what they turn red."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import implementations
from cross_check.relations.invariants import INVARIANTS
from mechanisms.quantities import QUANTITIES

HOME = Path(implementations.__file__).parent

MODULES = {
    **{path.stem: f"spatial_algebra.{path.stem}" for path in HOME.glob("spatial_algebra/[a-z]*.py")},
    "field": "field",
    "linear": "linear",
}
"""The modules of the reference, as their names in a copy and within implementations. All else stays the project's own."""

DYNAMICS = [name for name, quantity in QUANTITIES.items() if quantity.group == "dynamics"]
ALL = frozenset(DYNAMICS)
ID, M, FD, H, G, T, V, *_ = DYNAMICS
SYMMETRY, DEFINITE, INVERSE, POWER, PASSIVE = INVARIANTS


@dataclass(frozen=True)
class Fault:
    """One exact edit of one file; on ``mechanism``, ``cells`` and ``invariants`` turn red, and nothing else of the dynamics."""

    name: str
    file: str
    right: str
    wrong: str
    mechanism: str
    cells: frozenset[str]
    invariants: frozenset[str]


def _fault(name: str, file: str, right: str, wrong: str, mechanism: str, cells: set[str], invariants: set[str]) -> Fault:
    return Fault(name, file, right, wrong, mechanism, frozenset(cells), frozenset(invariants))


TWO_ROOTS = "random:18:4"
"""Its second body hangs alone from the root, by a joint that feels gravity."""

WEIGHED = "weighed.urdf"
"""A file that the tests write, in which one body weighs 1.234 kg."""

FAULTS = (
    _fault(
        "a sign in a cross product",
        "spatial",
        "- a.take(AFTER_NEXT, 0) * b.take(NEXT, 0)",
        "- a.take(AFTER_NEXT, 0) * (b.take(NEXT, 0).T * (1, -1, 1)).T",
        "spatial-3r",
        set(ALL - {V}),
        {INVERSE, POWER, PASSIVE},
    ),
    _fault(
        "a missing velocity product v × v_J",
        "rnea",
        " + crm(v[i], vJ))",
        ")",
        "spatial-3r",
        {ID, H},
        {INVERSE, POWER, PASSIVE},
    ),
    _fault(
        "X for X*",
        "rnea",
        "f[λ] = f[λ] + X[i].T @ f[i]",
        "f[λ] = f[λ] + X[i] @ f[i]",
        "spatial-3r",
        {ID, H, G},
        {INVERSE, POWER, PASSIVE},
    ),
    _fault(
        "a transposed rotation",
        "model",
        "return Plucker(constant(field, R).T[..., None]",
        "return Plucker(constant(field, R)[..., None]",
        "branched-tree",
        set(ALL),
        set(),
    ),
    _fault(
        "Ixy negated",
        "model",
        "I_o = np.array(inertia.about((o, o, o)), dtype=object)",
        "I_o = np.array(inertia.about((o, o, o)), dtype=object); I_o[[0, 1], [1, 0]] -= 2 * inertia.about_com[3]",
        "spatial-3r",
        {ID, M, FD, H, T},
        set(),
    ),
    _fault(
        "gravity dropped on one body",
        "rnea",
        "X[i] @ (-model.gravity if λ < 0 else a[λ])",
        "X[i] @ (-(i != 1) * model.gravity if λ < 0 else a[λ])",
        TWO_ROOTS,
        {ID, H, G},
        {INVERSE, POWER},
    ),
    _fault(
        "armature ignored",
        "model",
        "constant(field, [joint.armature] * joint.nv)",
        "constant(field, [0] * joint.nv)",
        "spatial-3r",
        {ID, M, FD, T},
        set(),
    ),
    _fault(
        "damping ignored",
        "model",
        "constant(field, [joint.damping] * joint.nv)",
        "constant(field, [0] * joint.nv)",
        "spatial-3r",
        {ID, FD, H},
        {POWER, PASSIVE},
    ),
    _fault(
        "joints in swapped order",
        "rnea",
        "np.concatenate(τ[::-1])",
        "np.concatenate(τ)",
        "spatial-3r",
        {ID, H, G},
        {INVERSE, POWER, PASSIVE},
    ),
    _fault(
        "one digit of one mass",
        "model",
        "inertia = body.joint, body.inertia\n",
        "inertia = body.joint, body.inertia if body.inertia.mass != Fraction('1.234') else "
        "Inertia('1.235', body.inertia.com, body.inertia.about_com)\n",
        WEIGHED,
        set(ALL),
        set(),
    ),
    _fault(
        "a missing c_J",
        "rnea",
        "a[i] = a[i] + velocity_product(S[i], qd[link.v])",
        "pass",
        "universal-pendulum",
        {ID, H},
        {INVERSE, POWER, PASSIVE},
    ),
    _fault(
        "a wrong helical pitch sign",
        "jcalc",
        "link.S[3:, k] * field.angle(x)",
        "-link.S[3:, k] * field.angle(x)",
        "lead-screw",
        {V},
        {POWER},
    ),
    _fault(
        "a quaternion with w first",
        "jcalc",
        "    x, y, z, w = e\n",
        "    w, x, y, z = e\n",
        "spherical-pendulum",
        {ID, FD, H, G, V},
        {POWER},
    ),
    _fault(
        "a cosine taken for the sine",
        "jcalc",
        "about(axis, x[:1], x[1:])",
        "about(axis, x[1:], x[:1])",
        "every-joint",
        set(ALL),
        {POWER, PASSIVE},
    ),
)


def plant(folder: Path, prefix: str, fault: Fault | None) -> str:
    """Write the reference into ``folder``, modules of its own that begin with ``prefix``; returns what to type for it."""
    for name, module in MODULES.items():
        text = HOME.joinpath(*module.split(".")).with_suffix(".py").read_text("utf-8")
        if fault and fault.file == name:
            assert text.count(fault.right) == 1, f"{name}.py no longer has {fault.right!r} once; plant {fault.name!r} elsewhere"
            text = text.replace(fault.right, fault.wrong)
        for other, origin in MODULES.items():
            text = text.replace(f"from implementations.{origin} import", f"from {prefix}{other} import")
        (folder / f"{prefix}{name}.py").write_text(text, "utf-8")
    return str(folder / f"{prefix}reference.py:REFERENCE")
