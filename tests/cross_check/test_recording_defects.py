"""Defects of recordings: each is planted, and named; faults of the mechanism are not excused by any."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert
from cross_check.exchange.recorded_data.subject import find_recorded
from cross_check.exchange.results.objects import Cell, Results
from cross_check.exchange.results.verdict import verdict_of
from cross_check.explain.diagnosis.recordings import recording_causes
from cross_check.memory import Array
from implementations.spatial_algebra.reference import Reference
from mechanisms import Mechanism, find_mechanism

ARM = find_mechanism("double-pendulum")
ROWS, STEP = 60, 0.01
Motion = dict[str, Array]


def smooth(seed: int = 0, rows: int = ROWS) -> Motion:
    """Smooth motion of the arm by name: t (rows,); q, v and a (rows, nv)."""
    random, t = np.random.default_rng(seed), np.arange(rows) * STEP
    w, p, size = (random.uniform(low, high, (3, ARM.nv)) for low, high in ((1, 6), (0, 6), (0.3, 1)))
    angle = t[:, None, None] * w + p
    q, v, a = size * np.sin(angle), size * w * np.cos(angle), -size * w**2 * np.sin(angle)
    return {"t": t, "q": q.sum(axis=1), "v": v.sum(axis=1), "a": a.sum(axis=1)}


def answered(motion: Motion, mechanism: Mechanism = ARM) -> Motion:
    tau = Reference().load(mechanism).inverse_dynamics(motion["q"], motion["v"], motion["a"])
    return {**motion, "tau": np.asarray(tau, dtype=float)}


def late(motion: Motion, rows: int, *arrays: str) -> Motion:
    """The arrays ``rows`` rows late: row k has the numbers of row k − rows."""
    return {name: x[:-rows] if name in arrays else x[rows:] for name, x in motion.items()}


def times(motion: Motion, factor: float, *columns: tuple[str, int]) -> Motion:
    motion = {name: x.copy() for name, x in motion.items()}
    for name, k in columns:
        motion[name][:, k] *= factor
    return motion


def ordered(motion: Motion, *arrays: str) -> Motion:
    return {name: x[:, ::-1] if name in arrays else x for name, x in motion.items()}


def write(path: Path, motion: Motion, header: Callable[[str, int], str] = lambda name, k: f"{name}_{k + 1}") -> Path:
    names = [header(name, k) for name, x in motion.items() for k in range(x.ndim and x[0].size) if name != "t"]
    table = np.hstack([x.reshape(len(x), -1) for x in motion.values()])
    text = "\n".join(",".join(map(repr, row)) for row in table.tolist())
    path.write_text(",".join([*(["t"] if "t" in motion else []), *names]) + "\n" + text + "\n")
    return path


def checked(path: Path) -> Results:
    return dalembert.check(ARM, [f"recorded:{path}"], explain=False)


def cell_of(results: Results) -> Cell:
    (cell,) = (cell for cell in results.cells if cell.quantity == "inverse_dynamics")
    return cell


def sentence_of(path: Path) -> tuple[str, str]:
    """What the recording is accused of, empty if of nothing, and the verdict on it. The mechanism is not diagnosed."""
    cell = cell_of(checked(path))
    found = recording_causes(find_recorded(f"recorded:{path}"), cell.implementation, [cell], ARM, 16.0, 16.0)
    return "; ".join(cause.sentence for cause in found), cell.verdict


DEG = 180 / np.pi
ALL = [(name, k) for name in ("q", "v", "a") for k in range(ARM.nv)]
Plant = Callable[[Motion], Motion]
DEFECTS: dict[str, tuple[Plant, str]] = {
    "late": (lambda m: late(m, 1, "tau"), "all columns of inverse_dynamics are late by 1 row (0.01 s): row k has the numbers of"),
    "early": (lambda m: late(m, 3, "t", "q", "v", "a"), "all columns of inverse_dynamics are early by 3 rows (0.03 s): row k"),
    "late v": (lambda m: late(m, 2, "v"), "all columns of v are late by 2 rows (0.02 s)"),
    "tau": (lambda m: ordered(m, "tau"), "the columns tau_1 and tau_2 are exchanged: exchange their names in the header"),
    "q": (lambda m: ordered(m, "q"), "the columns q_1 and q_2 are exchanged: exchange their names in the header"),
    "joints": (lambda m: ordered(m, "q", "v", "a", "tau"), "q_1 and q_2, v_1 and v_2, a_1 and a_2 and tau_1 and tau_2 are exch"),
    "blocks": (lambda m: {**m, "q": m["v"], "v": m["q"]}, "the columns of q and of v are exchanged: exchange their names"),
    "one": (
        lambda m: times(m, 1000, ("tau", 1)),
        "column tau_2 is in N mm (1000 times too large in all 60 rows): divide by 1000",
    ),
    "rpm": (lambda m: times(m, 30 / np.pi, ("v", 0), ("v", 1)), "all columns of v are in rpm (9.5493 times too large"),
    "degrees": (lambda m: times(m, DEG, *ALL), "all columns of q, v and a are in deg, deg/s and deg/s^2 (57.2958 times too"),
    "current": (lambda m: times(m, 1 / 0.137, ("tau", 1)), "column tau_2 is 7.29927 times too large"),
    "gear": (
        lambda m: times(times(m, -101, *ALL[1::2]), -1 / 101, ("tau", 1)),
        "columns q_2, v_2 and a_2 are 101 times too large and of; and column tau_2 is 101",
    ),
    "rows and unit": (
        lambda m: late(times(m, 1000, ("tau", 1)), 1, "tau"),
        "are late by 1 row; and column tau_2 is in N mm (1000",
    ),
    "unit and rows": (lambda m: late(times(m, DEG, *ALL[:2]), 1, "v"), "of q are in deg; and all columns of v are late by 1 row"),
}
"""By name: what makes the defects, and words of every clause about them."""
NIGHTLY = ("rows and unit", "unit and rows")


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.nightly] * (one in NIGHTLY)) for one in DEFECTS])
def test_every_defect_is_named_and_none_else(tmp_path: Path, name: str) -> None:
    plant, said = DEFECTS[name]
    sentence, verdict = sentence_of(write(tmp_path / "my.csv", plant(answered(smooth()))))
    assert sentence.startswith("my.csv: ")
    assert sentence.count("; and ") == said.count("; and "), sentence
    assert all(clause in sentence for clause in said.split("; and ")), sentence
    assert verdict == "discrepancy", "nothing is repaired in silence"


def changed(**factors: str) -> Mechanism:
    """The arm with the mass of its last body, of all bodies, or gravity times a factor."""
    bodies = list(ARM.bodies)
    for k, body in enumerate(bodies):
        factor = Fraction(factors.get("all", "1")) * Fraction(factors.get("last", "1") if k == len(bodies) - 1 else "1")
        moments: Any = tuple(factor * x for x in body.inertia.about_com)
        bodies[k] = replace(body, inertia=replace(body.inertia, mass=factor * body.inertia.mass, about_com=moments))
    gravity: Any = tuple(Fraction(factors.get("gravity", "1")) * x for x in ARM.gravity)
    return replace(ARM, bodies=tuple(bodies), gravity=gravity)


def coriolis(motion: Motion, factor: float) -> Motion:
    """The answers of code that multiplies the terms of the velocities by a factor."""
    own, rest = answered(motion)["tau"], answered({**motion, "v": 0 * motion["v"]})["tau"]
    return {**motion, "tau": rest + factor * (own - rest)}


FAULTS: dict[str, Plant] = {
    "a mass": lambda m: answered(m, changed(last="1.1")),
    "all masses": lambda m: answered(m, changed(all="2")),
    "the sign of gravity": lambda m: answered(m, changed(gravity="-1")),
    "no Coriolis terms": lambda m: coriolis(m, 0),
    "a mass and late rows": lambda m: late(answered(m, changed(last="1.1")), 1, "tau"),
    "a mass and a unit": lambda m: times(answered(m, changed(last="1.1")), 1000, ("tau", 1)),
    "gravity and a unit": lambda m: times(answered(m, changed(gravity="-1")), DEG, ("q", 0), ("q", 1)),
}


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_no_defect_excuses_a_fault(tmp_path: Path, fault: Plant) -> None:
    sentence, verdict = sentence_of(write(tmp_path / "my.csv", fault(smooth())))
    assert (sentence, verdict) == ("", "discrepancy")


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["(N mm)", "[1/1000 N m]", "[0.001]"])
def test_a_declared_unit_is_right(tmp_path: Path, unit: str) -> None:
    motion = times(answered(smooth()), 1000, ("tau", 1))
    path = write(tmp_path / "my.csv", motion, lambda name, k: f"{name}_{k + 1}" + (f" {unit}" if (name, k) == ("tau", 1) else ""))
    assert sentence_of(path)[1] in ("agrees", "lost digits")


def test_a_declared_gear_is_right(tmp_path: Path) -> None:
    motion = times(times(answered(smooth()), -101, *ALL[1::2]), -1 / 101, ("tau", 1))
    units = {"q": "-1/101 rad", "v": "-1/101 rad/s", "a": "-1/101 rad/s^2", "tau": "-101 N m"}
    path = write(tmp_path / "my.csv", motion, lambda name, k: f"{name}_{k + 1}" + (f" [{units[name]}]" if k else ""))
    assert sentence_of(path)[1] in ("agrees", "lost digits")


def measured(factor: float, deviation: float = 0.02) -> Motion:
    """Twelve states, each recorded ten times, with noise in the answers."""
    motion = answered(smooth())
    chosen = np.repeat(np.arange(0, ROWS, 5), 10)
    motion = {name: x[chosen] for name, x in motion.items() if name != "t"}
    noise = np.random.default_rng(1).normal(size=motion["tau"].shape)
    return {**motion, "tau": factor * motion["tau"] + deviation * noise}


@pytest.mark.slow
def test_noise_is_said_and_hides_no_more_than_it_must(tmp_path: Path) -> None:
    results = checked(write(tmp_path / "my.csv", measured(1.0)))
    cell = cell_of(results)
    assert cell.verdict == "lost digits"
    scatter = r"recorded answers scatter by 0\.0\d+ N m in \S+1, 0\.0\d+ N m in \S+2, in 120 rows of 12 states; smaller faults"
    assert re.search(scatter, cell.message)
    assert "(recorded) is right as far as the scatter of the file shows in 1 comparison" in verdict_of(results).headline
    sentence, verdict = sentence_of(write(tmp_path / "my.csv", measured(1.3)))
    assert verdict == "discrepancy" and "further from the right ones than scatter explains" in sentence
    assert "in N mm" in sentence_of(write(tmp_path / "my.csv", times(measured(1.0), 1000, ("tau", 1))))[0]


@pytest.mark.slow
@pytest.mark.parametrize("offset", [0.03, -0.03])
def test_scatter_hides_no_bias_that_all_states_have(tmp_path: Path, offset: float) -> None:
    """A bias of one and a half standard deviations is within the room of every single mean."""
    motion = measured(1.0)
    motion = {**motion, "tau": motion["tau"] + np.array([0.0, offset])}
    assert cell_of(checked(write(tmp_path / "my.csv", motion))).verdict == "discrepancy"


def quotients(kind: str) -> tuple[Motion, Array]:
    """A motion, and difference quotients of its q."""
    motion = answered(smooth())
    q, t = motion["q"], motion["t"]
    one = np.diff(q, axis=0) / STEP
    v = {"backward": one[:-1], "forward": one[1:], "central": (q[2:] - q[:-2]) / (t[2:] - t[:-2])[:, None]}[kind]
    return {name: x[1:-1] for name, x in motion.items()}, v


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["backward", "forward", "central"])
def test_difference_quotients_are_named(tmp_path: Path, kind: str) -> None:
    motion, v = quotients(kind)
    sentence, verdict = sentence_of(write(tmp_path / "my.csv", {**motion, "v": v}))
    assert f"v is the {kind} difference quotient of q over the time" in sentence and verdict == "discrepancy"


@pytest.mark.slow
def test_difference_quotients_excuse_no_more(tmp_path: Path) -> None:
    motion, v = quotients("backward")
    right = checked(write(tmp_path / "my.csv", answered({**motion, "v": v})))
    assert cell_of(right).verdict == "agrees", "answers to these v are right"
    heavy = {**answered(motion, changed(last="1.5")), "v": v}
    assert sentence_of(write(tmp_path / "my.csv", heavy))[0] == "", "a mass is further off"
