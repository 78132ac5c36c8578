"""The right codes: `right(k, seed)` draws other frames, algorithms, ways to execute, and declared conventions."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

import dalembert
from campaign import conventions
from campaign.algorithms import Algorithms
from campaign.codes import Code
from campaign.library import DYNAMICS, KINEMATICS, Library
from campaign.links import Array, numbers_of
from campaign.textbook import of_quaternion
from campaign.wrong import ROBOTS, SETS, WITH_QUATERNIONS


def _rows(size: int) -> Callable[[Callable[..., Array], tuple[Array, ...]], Array]:
    def run(f: Callable[..., Array], args: tuple[Array, ...]) -> Array:
        parts = [f(*[x[k : k + size] for x in args]) for k in range(0, len(args[0]), size)]
        return np.concatenate(parts)

    return run


def _padded(f: Callable[..., Array], args: tuple[Array, ...]) -> Array:
    more = -len(args[0]) % 8
    return f(*[np.concatenate((x, np.repeat(x[-1:], more, 0))) for x in args])[: len(args[0])]


def _cache() -> Callable[[Callable[..., Array], tuple[Array, ...]], Array]:
    known: dict[Any, Array] = {}

    def run(f: Callable[..., Array], args: tuple[Array, ...]) -> Array:
        key = (f, *[x.tobytes() for x in args], len(args[0]))
        if key not in known:
            known[key] = f(*args)
        return known[key].copy()

    return run


def _quaternions(library: Library, args: tuple[Array, ...]) -> tuple[Array, ...]:
    q = args[0].copy()
    for i, kind in enumerate(library.links.kind):
        if kind in ("ball", "free"):
            k = slice(library.links.q[i].stop - 4, library.links.q[i].stop)
            q[:, k] *= np.where(q[:, k.stop - 1 : k.stop] < 0, -1.0, 1.0)
    return (q, *args[1:])


EXECUTIONS: dict[str, Callable[[Any], Callable[[Callable[..., Array], tuple[Array, ...]], Array]]] = {
    "whole batches": lambda o: lambda f, x: f(*x),
    "one state at a time": lambda o: _rows(1),
    "chunks of 16 states": lambda o: _rows(16),
    "chunks of 31 states": lambda o: _rows(31),
    "batches padded to multiples of 8": lambda o: _padded,
    "a cache keyed by all bytes": lambda o: _cache(),
    "long double": lambda o: lambda f, x: f(*[one.astype(np.longdouble) for one in x]).astype(np.float64),
    "lists of floats in between": lambda o: lambda f, x: np.array(f(*[np.array(one.tolist()) for one in x]).tolist()),
    "Fortran's order": lambda o: lambda f, x: np.asfortranarray(f(*[np.asfortranarray(one) for one in x])),
    "batches in reverse": lambda o: lambda f, x: f(*[one[::-1] for one in x])[::-1],
    "answers that are read-only": lambda o: lambda f, x: np.broadcast_to(y := f(*x), y.shape),
    "quaternions with w ≥ 0": lambda o: lambda f, x: f(*_quaternions(o, x)),
    "arguments in place, restored": lambda o: lambda f, x: f(*[np.array(one) for one in x]),
}
"""Ways to execute the same functions."""


@dataclass(frozen=True)
class Right:
    """A right code, its sentence, and the mechanisms that it is checked on."""

    name: str
    group: str
    sentence: str
    mechanisms: tuple[str, ...]
    offers: tuple[str, ...]
    library: Callable[[Any], Library]
    declared: dict[str, str]
    robot: str = ""

    def code(self) -> Code:
        """What dalembert is given."""
        return Code(self.name, self.library, self.offers, self.declared)


def reframed(library: Library, seed: int, far: float) -> None:
    """Every link gets another frame: a random one, or a quarter turn, up to `far` metres from the old one.

    The frames stay as near as the mechanism is long: levers of their own that are longer than that lose digits.
    """
    L, rng = library.links, np.random.default_rng(seed)
    lengths = np.linalg.norm([*L.translation, *L.com], axis=-1)
    far = min(far, float(lengths.sum()) or far)
    turns, shifts = [], []
    for i in range(library.n):
        x = rng.standard_normal(4) if rng.random() < 0.5 else rng.permutation([1.0, 1.0, 0.0, 0.0])
        turns.append(of_quaternion(x))
        shifts.append(rng.uniform(-far, far, 3))
        if (j := L.parent[i]) >= 0:
            L.translation[i] = turns[j].T @ (L.translation[i] - shifts[j])
            L.rotation[i] = turns[j].T @ L.rotation[i]
        if L.kind[i] == "weld":
            L.translation[i], L.rotation[i] = L.translation[i] + L.rotation[i] @ shifts[i], L.rotation[i] @ turns[i]
        R, p = turns[i], shifts[i]
        L.after_R[i], L.after_p[i] = L.after_R[i] @ R, L.after_p[i] + L.after_R[i] @ p
        L.Sw[i], L.Sv[i] = L.Sw[i] @ R, (L.Sv[i] + np.cross(L.Sw[i], p)) @ R
        L.com[i], L.inertia[i] = R.T @ (L.com[i] - p), R.T @ L.inertia[i] @ R


def split(library: Library, seed: int) -> None:
    """A part of every body is welded to it as a link of its own."""
    L, rng = library.links, np.random.default_rng(seed)
    for i in range(library.n):
        part, d, m, none = rng.uniform(0.2, 0.8), rng.uniform(-0.05, 0.05, 3), L.mass[i], slice(0, 0)
        R = of_quaternion(rng.standard_normal(4))
        rest = -part / (1 - part) * d
        apart = m * part / (1 - part) * (d @ d * np.eye(3) - np.outer(d, d))
        L.add(parent=i, body=-1, kind="weld", q=none, v=none, turn=np.zeros((0, 3)), slide=np.zeros((0, 3)), rotation=R,
              translation=L.com[i] + d, armature=np.zeros(0), damping=np.zeros(0), mass=part * m,
              inertia=part * R.T @ L.inertia[i] @ R)  # fmt: skip
        L.mass[i], L.com[i], L.inertia[i] = (1 - part) * m, L.com[i] + rest, (1 - part) * L.inertia[i] - apart
    library.n = len(L.parent)


def right(k: int, seed: int = 0) -> Right:
    """The k-th right code."""
    random = Random(f"right {seed} {k}")
    robot = random.choice(ROBOTS) if random.random() < 0.15 else ""
    mechanisms = (robot,) if robot else random.choice(SETS)
    frames = random.choice(("", "", "other frames", "far frames", "split bodies", "split bodies in other frames"))
    how = random.choice(sorted(EXECUTIONS))
    by = random.choice(("links", "root", "aligned", "mass matrix"))
    mass = random.choice(("composite", "composite", "jacobians", *(("columns",) if by != "mass matrix" else ())))
    solve = "ldl" if how == "long double" else random.choice(("solve", "cholesky", "ldl", "articulated"))
    declared = conventions.draw(random) if not robot and random.random() < 0.3 else {}
    number = random.randrange(2**31)

    def library(mechanism: Any) -> Library:
        one = Executed(numbers_of(dalembert.find_mechanism(robot) if robot else mechanism))
        one.rnea_by, one.mass_by, one.solve_by = by, mass, solve
        if "split" in frames:
            split(one, number)
        if "frames" in frames:
            reframed(one, number, 0.2 if "far" in frames else 0.05)
        one.run = EXECUTIONS[how](one)
        return conventions.Converted(one, declared) if declared else one

    if declared:
        mechanisms = random.choice(WITH_QUATERNIONS)
    offers = DYNAMICS if frames else random.choice((DYNAMICS, DYNAMICS + KINEMATICS, ("inverse_dynamics",)))
    if how == "one state at a time":  # NumPy is slow at this.
        offers, mass = ("inverse_dynamics", "mass_matrix"), "composite"
    parts = [f"τ by {by}", f"M by {mass}", f"a by {solve}", how, *filter(None, (frames, robot and f"for {robot}"))]
    parts += [f"{name} = {value}" for name, value in declared.items()]
    group = "conventions" if declared else "one robot" if robot else frames or "algorithms"
    return Right(f"right{k}", group, ", ".join(parts), mechanisms, offers, library, declared, robot)


class Executed(Algorithms):
    """Algorithms that are executed by `run`."""

    run: Callable[[Callable[..., Array], tuple[Array, ...]], Array]

    def asked(self, name: str) -> Callable[..., Array]:
        return lambda *args: self.run(getattr(self, name), args)
