"""Whole simulations: what is named, what is blamed on the scheme, and what is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cross_check.exchange.recorded_data.read import read_table
from cross_check.exchange.recorded_data.table import RecordedError
from cross_check.judge.comparison.truth import Truth
from cross_check.judge.error_scale.sizes import ErrorScale
from cross_check.simulations import balances, flow
from cross_check.simulations.executed import Executed
from cross_check.simulations.flow import Flow
from cross_check.simulations.following import Following, follow
from cross_check.simulations.judged import Judge, numbers
from cross_check.simulations.parting import apart_along, apart_in_steps, differences, parted
from cross_check.simulations.results import Simulation
from cross_check.simulations.run import Run, intervals, recorded_run, without_jumps
from cross_check.simulations.structure import structure_of
from cross_check.steps.alterations import Alteration, OfForce, OfLength
from cross_check.steps.motion import Motion
from cross_check.steps.moves import charts_of
from cross_check.steps.naming import Candidate
from cross_check.steps.residual import Equations, Step
from cross_check.steps.schemes import RUNGE_KUTTA, SCHEMES, Scheme
from cross_check.trajectories import document
from cross_check.trajectories.bank import BANK
from mechanisms import Mechanism, find_mechanism
from mechanisms.library.textbook import pendulum, planar_pendulum
from mechanisms.states import neutral

pytestmark = pytest.mark.slow

Array = Any

FILES = Path(__file__).parents[2] / "docs" / "trajectories"

NAMED = {scheme.name: scheme for scheme in SCHEMES}
SEMI_IMPLICIT = NAMED["semi-implicit Euler (v⁺, then q⁺ with v⁺)"]
MIDPOINT = NAMED["implicit midpoint"]

silent: Callable[[str, int, int], None] = lambda activity, done, total: None  # noqa: E731


@cache
def double(damping: float = 0.0) -> Mechanism:
    return planar_pendulum(2, damping=damping)


def by(scheme: Scheme, mechanism: Mechanism) -> Executed:
    return Executed(Truth(mechanism), Candidate(scheme, next(charts_of(mechanism))))


def simulated(
    scheme: Scheme, mechanism: Mechanism, steps: int = 60, h: float = 0.002, torque: float = 0.0, jumps: int = -1
) -> dict[str, Array]:
    """The rows of a right simulation, by name; but for a jump of a nanometre or nanoradian before one of them."""
    executed, n = by(scheme, mechanism), mechanism.nv
    q, v = neutral(mechanism)[None] + 0.5 * (mechanism.nq == n), np.full((1, n), 0.7)
    tau = torque * np.sin(np.arange(steps + 1)[:, None] * (1 + np.arange(n)))
    rows = [(q, v)]
    for k in range(steps):
        q, v = executed.step(*rows[-1], tau[k : k + 1], np.full((1, 1), h))
        rows.append((q + 1e-9 * (k == jumps - 1), v))
    positions, velocities = (np.concatenate(x) for x in zip(*rows, strict=True))
    return {"t": h * np.arange(steps + 1), "q": positions, "v": velocities} | ({"tau": tau} if torque else {})


def written(path: Path, mechanism: Mechanism, rows: dict[str, Array], form: str = "%.17g") -> Path:
    """The rows as CSV."""
    names = {"t": ["t"], "q": [f"q.{x}" for x in mechanism.positions]}
    names |= {kind: [f"{kind}.{x}" for x in mechanism.coordinates] for kind in ("v", "tau")}
    table = np.column_stack([rows[name] for name in rows])
    np.savetxt(path, table, form, ",", header=",".join(x for name in rows for x in names[name]), comments="")
    return path


def read(path: Path, mechanism: Mechanism) -> Run:
    return recorded_run(read_table(path), mechanism)


def following(run: Run, mechanism: Mechanism) -> Following:
    return follow(mechanism, Truth(mechanism), ErrorScale(mechanism), run, silent)


def judged(run: Run, mechanism: Mechanism) -> Simulation:
    return Judge(mechanism).judge("double", "", run, None, silent)[0]


@pytest.mark.parametrize("form", ["%.17g", "%.6f"])
@pytest.mark.parametrize("scheme", [SEMI_IMPLICIT, NAMED["implicit Euler"]], ids=lambda one: one.name)
def test_the_scheme_of_a_recording_is_named(tmp_path: Path, scheme: Scheme, form: str) -> None:
    run = read(written(tmp_path / "run.csv", double(), simulated(scheme, double()), form), double())
    found = following(run, double())
    assert (found.is_named, found.candidate.scheme, found.candidate.alteration, len(found.strays)) == (True, scheme, None, 0)
    assert run.is_rounded == (form == "%.6f")


@pytest.mark.parametrize("form", ["%.17g", "%.9f"])
def test_a_fault_of_the_step_itself_is_named_in_a_recording(tmp_path: Path, form: str) -> None:
    """The simulator goes on by 1.01 h in each step."""
    rows = simulated(SEMI_IMPLICIT, double(), h=0.00202)
    rows["t"] = 0.002 * np.arange(len(rows["t"]))
    found = following(read(written(tmp_path / "run.csv", double(), rows, form), double()), double())
    alteration = found.candidate.alteration
    assert alteration is not None
    assert (found.is_named, alteration.words(double())) == (True, "the length of the step were 1.01 h")


@pytest.mark.parametrize("factor", [1.0, 1.01])
def test_a_length_of_steps_that_the_times_allow_is_no_fault(tmp_path: Path, factor: float) -> None:
    """Times of three decimals allow 1/600 s, and 1/599 s, which is simpler."""
    rows = simulated(SEMI_IMPLICIT, double(), steps=300, h=factor / 600)
    rows["t"] = np.round(np.arange(301) / 600, 3)
    found = following(read(written(tmp_path / "run.csv", double(), rows), double()), double())
    assert found.is_named
    if factor == 1:
        assert (found.run.h[0, 0], found.candidate.alteration) == (1 / 600, None)
    else:
        assert isinstance(found.candidate.alteration, OfLength)


def test_few_digits_excuse_no_fault_that_is_larger_than_they_are(tmp_path: Path) -> None:
    """One velocity is off by three units of its last digit."""
    rows = simulated(SEMI_IMPLICIT, double())
    rows["v"][30, 0] += 3e-6
    found = following(read(written(tmp_path / "run.csv", double(), rows, "%.6f"), double()), double())
    assert found.strays.tolist() == [29, 30]


def test_steps_of_which_every_fifth_is_recorded_are_named(tmp_path: Path) -> None:
    rows = {name: x[::5] for name, x in simulated(SEMI_IMPLICIT, double(), 200).items()}
    found = following(read(written(tmp_path / "run.csv", double(), rows), double()), double())
    assert found.candidate.scheme.words == f"{SEMI_IMPLICIT.name}, in 5 equal steps"


def test_forces_may_act_on_the_way_to_their_row(tmp_path: Path) -> None:
    rows = simulated(SEMI_IMPLICIT, double(), torque=2.0)
    assert following(read(written(tmp_path / "run.csv", double(), rows), double()), double()).is_named
    rows["tau"] = np.roll(rows["tau"], 1, axis=0)
    later = following(read(written(tmp_path / "later.csv", double(), rows), double()), double())
    assert (later.is_named, later.candidate.alteration, len(later.strays)) == (True, None, 0)


def test_a_jump_is_a_stray_and_the_scheme_stays_named(tmp_path: Path) -> None:
    rows = simulated(SEMI_IMPLICIT, double(), jumps=40)
    found = judged(read(written(tmp_path / "run.csv", double(), rows), double()), double())
    assert (found.schemes[0], found.stray_steps, found.follows) == (SEMI_IMPLICIT.words, 1, False)
    assert found.strays[0].time == pytest.approx(0.08)
    assert found.strays[0].where.startswith("q⁺ of")


def test_angles_that_are_kept_within_a_turn_are_no_faults(tmp_path: Path) -> None:
    rows = simulated(SEMI_IMPLICIT, double(), 400, 0.004)
    rows["q"] = np.remainder(rows["q"] + 0.3, 2 * np.pi) - 0.3
    run = read(written(tmp_path / "run.csv", double(), rows), double())
    assert [note for note in run.notes if "jumps by whole turns" in note]
    assert not len(following(run, double()).strays)


def test_an_angle_that_a_turn_does_not_return_is_taken_as_it_is() -> None:
    """The nut of a screw is elsewhere after a turn."""
    q = np.array([[0.0], [3.0], [3.0 + 2 * np.pi]])
    assert without_jumps(find_mechanism("pendulum"), q)[0].tolist() == [[0.0], [3.0], [pytest.approx(3.0)]]
    assert without_jumps(find_mechanism("lead-screw"), q)[0].tolist() == q.tolist()


def test_a_fault_is_told_from_the_error_of_the_scheme(tmp_path: Path) -> None:
    """The simulator has twice the damping."""
    run = read(written(tmp_path / "run.csv", double(0.1), simulated(SEMI_IMPLICIT, double(0.1), 100)), double(0.1))
    found = judged(run, double(0.05))
    assert (found.altered, found.follows) == ("damping were 2 times as large", False)
    assert found.scheme_off[-1] is not None
    assert found.scheme_off[-1] < found.off[-1] / 5
    energy = found.balances[0]
    assert (energy.name, energy.is_the_schemes) == ("energy", False)
    right = judged(run, double(0.1))
    assert (right.follows, right.balances[0].is_the_schemes, right.off) == (True, True, right.scheme_off)


def test_a_wrong_mass_in_the_ninth_digit_follows_nothing(tmp_path: Path) -> None:
    heavier = replace(double(), bodies=(replace(double().bodies[0], inertia=_times(double(), 1 + 1e-9)), *double().bodies[1:]))
    run = read(written(tmp_path / "run.csv", double(), simulated(SEMI_IMPLICIT, heavier)), double())
    found = following(run, double())
    assert len(found.strays) > len(found.units) / 2


def _times(mechanism: Mechanism, factor: float) -> Any:
    inertia = mechanism.bodies[0].inertia
    return replace(inertia, mass=float(inertia.mass) * factor)


@pytest.mark.parametrize("scheme", [SEMI_IMPLICIT, RUNGE_KUTTA], ids=lambda one: one.name)
def test_momenta_of_a_body_in_free_flight_drift_as_the_scheme_lets_them(scheme: Scheme) -> None:
    mechanism = find_mechanism("free-rigid-body")
    rows = simulated(scheme, mechanism, 20, 0.01)
    zeros = np.zeros_like(rows["v"])
    slack = {"h": np.zeros((20, 1)), "q": np.zeros_like(rows["q"]), "v": zeros, "tau": zeros}
    run = Run(rows["t"], np.full((20, 1), 0.01), rows["q"], rows["v"], zeros, slack)
    steps = run.steps
    true = Flow(mechanism).over(steps.q, steps.v, steps.tau, steps.h, 4)
    states = [balances.States(*x) for x in ((steps.q, steps.v), (steps.next_q, steps.next_v), true, (steps.next_q, steps.next_v))]
    found = {one.name: one for one in balances.balances(Truth(mechanism), *states, slack)}
    # Gravity changes the momentum along z.
    assert set(found) == {"energy", *(f"angular momentum along {axis}" for axis in "xyz"), "momentum along x", "momentum along y"}
    assert all(one.is_the_schemes for one in found.values())
    assert np.abs(found["angular momentum along x"].drift[-1]) > 1e-12
    spun = balances.States(steps.next_q, steps.next_v * (1 + 1e-6))
    faulty = balances.balances(Truth(mechanism), states[0], spun, *states[2:], slack)
    assert not next(one for one in faulty if one.name == "energy").is_the_schemes


def test_the_true_motion_is_the_certified_one() -> None:
    kept = document.read(FILES / "euler-top.json")
    mechanism = BANK[kept.mechanism].make()
    times = np.array([0.0, *map(float, kept.times)])
    start = numbers(mechanism, kept.start["q"], kept.start["v"])
    h = np.diff(times)[:, None]
    found, off = Flow(mechanism).along(*start, np.zeros((len(times), mechanism.nv)), h, lambda y: np.full(len(y), 1e-11))
    right = np.array([np.concatenate(numbers(mechanism, q, v)) for q, v in zip(kept.q, kept.v, strict=True)])
    assert np.abs(found[1:] - right).max() < 1e-10
    assert off.max() < 1e-10


def test_a_wrong_weight_of_the_true_motions_method_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The motion then has another limit, so that right simulations would be accused: the certified motion shows it."""
    right = Flow(double()).over(np.full((1, 2), 0.5), np.ones((1, 2)), np.zeros((1, 2)), np.full((1, 1), 0.01), 4)
    rows = [row.copy() for row in flow.ROWS]
    rows[-1][3] += 1e-3
    monkeypatch.setattr(flow, "ROWS", rows)
    wrong = Flow(double()).over(np.full((1, 2), 0.5), np.ones((1, 2)), np.zeros((1, 2)), np.full((1, 1), 0.01), 4)
    assert np.abs(right[1] - wrong[1]).max() > 1e-6


@pytest.mark.parametrize(
    "scheme", [SEMI_IMPLICIT, MIDPOINT, RUNGE_KUTTA, NAMED["Radau IIA, third order"]], ids=lambda one: one.name
)
def test_a_scheme_is_carried_out_to_its_own_equations(scheme: Scheme) -> None:
    """With damping so large that no iteration of an implicit one ends by itself."""
    mechanism = planar_pendulum(2, damping=20.0)
    q, v = np.array([[0.5, 0.3], [1.0, 0.0]]), np.array([[0.1, 0.2], [0.0, 0.1]])
    made = by(scheme, mechanism).step(q, v, np.zeros_like(v), np.full((2, 1), 0.01))
    step = Step(q, v, np.zeros_like(v), np.full((2, 1), 0.01), np.zeros_like(v), *made)
    equations = Equations(Motion(Truth(mechanism)), ErrorScale(mechanism))
    assert equations.residual(scheme, next(charts_of(mechanism)), step).worst < 4


@pytest.mark.parametrize(
    ("scheme", "words"),
    [
        (SEMI_IMPLICIT, "symplectic and volume-preserving; not reversible"),
        (NAMED["explicit Euler (q⁺ with v)"], "not symplectic"),
        (MIDPOINT, "symplectic and volume-preserving and reversible"),
        (NAMED["trapezoidal rule"], "reversible; not symplectic"),
        (RUNGE_KUTTA, "not symplectic"),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_what_schemes_keep_of_the_geometry_of_a_pendulum(scheme: Scheme, words: str) -> None:
    mechanism = pendulum(damping=0)
    executed = by(scheme, mechanism)

    def move(q: Array, v: Array) -> tuple[Array, Array]:
        return executed.step(q, v, np.zeros_like(v), np.full((len(q), 1), 0.05))

    found = structure_of(Truth(mechanism), move, np.array([[0.5], [1.5]]), np.array([[1.0], [-0.5]]))
    assert found.words.startswith(words)


def test_the_true_motion_keeps_all() -> None:
    motion = Flow(double())

    def move(q: Array, v: Array) -> tuple[Array, Array]:
        return motion.over(q, v, np.zeros_like(v), np.full((len(q), 1), 0.05), 32)

    found = structure_of(Truth(double()), move, np.array([[0.5, 0.2]]), np.array([[8.0, -4.0]]))
    assert found.words == "symplectic and volume-preserving and reversible"


@pytest.mark.parametrize(
    ("times", "h"),
    [
        (np.arange(50) / 240, 1 / 240),
        (np.round(np.arange(50) / 240, 6), 1 / 240),
        (np.cumsum(np.full(2000, 0.001)), 0.001),
        (3.7 + np.arange(50) * 0.002, 0.002),
        (np.arange(50) * 0.0123, 0.0123),
    ],
)
def test_equal_intervals_are_one_simple_number(times: Array, h: float) -> None:
    found, off, doubt = intervals(times)
    assert (set(found[:, 0]), off.max()) == ({h}, 0.0)
    assert doubt < 1e-3


def test_unequal_intervals_stay_as_they_are() -> None:
    times = np.array([0.0, 0.001, 0.003, 0.004, 0.0045])
    found, off, doubt = intervals(times)
    assert (off.min() > 0, doubt) == (True, 0.0)
    assert found[:, 0] == pytest.approx([0.001, 0.002, 0.001, 0.0005])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows.pop("t"), "it has no column of times"),
        (lambda rows: rows.pop("v"), "on which a simulation depends"),
        (lambda rows: rows["t"].__setitem__(5, rows["t"][4]), "the time of line 7 is not after that of line 6"),
        (lambda rows: rows["q"].__setitem__((3, 0), np.nan), "has no 'q.joint1'"),
        (lambda rows: rows.update({name: x[:4] for name, x in rows.items()}), "it has 4 rows; give 8 at least"),
    ],
)
def test_what_is_no_simulation_is_refused(tmp_path: Path, change: Callable[[dict[str, Array]], Any], said: str) -> None:
    rows = simulated(SEMI_IMPLICIT, double(), 10)
    change(rows)
    path = written(tmp_path / "run.csv", double(), rows)
    path.write_text(path.read_text("utf-8").replace("nan", ""), "utf-8")
    with pytest.raises(RecordedError) as error:
        read(path, double())
    assert said in str(error.value)


DAMPED = replace(SEMI_IMPLICIT, implicit="damping")


@pytest.mark.parametrize(
    ("other", "alteration", "said"),
    [
        (DAMPED, None, "what is implicit (no force in one, damping in other)"),
        (
            RUNGE_KUTTA,
            None,
            "the scheme (semi-implicit Euler (v⁺, then q⁺ with v⁺) in one, Runge–Kutta of fourth order in other)",
        ),
        (replace(SEMI_IMPLICIT, parts=3), None, "the number of equal steps in a step (1 in one, 3 in other)"),
        (SEMI_IMPLICIT, OfForce(0.999, "gravity"), "a fault (none in one, as if gravity were 0.999 times as large in other)"),
    ],
)
def test_points_in_which_two_codes_differ(other: Scheme, alteration: Alteration | None, said: str) -> None:
    chart = next(charts_of(double()))
    pair = Candidate(SEMI_IMPLICIT, chart), Candidate(other, chart, alteration)
    assert differences(double(), ("one", "other"), *pair) == [said]


def test_two_runs_part_where_their_damping_is_treated_otherwise() -> None:
    mechanism = planar_pendulum(2, damping=20.0)
    runs = []
    for scheme in (SEMI_IMPLICIT, DAMPED):
        rows = simulated(scheme, mechanism, 40)
        zeros = np.zeros_like(rows["v"])
        slack = {"h": np.zeros((40, 1)), "q": zeros, "v": zeros, "tau": zeros}
        runs.append(Run(rows["t"], np.full((40, 1), 0.002), rows["q"], rows["v"], zeros, slack))
    named = [following(run, mechanism).named for run in runs]
    apart = apart_along(mechanism, *runs)
    assert "at 0.002 s, and by" in apart
    words, same = parted(mechanism, ("one", "other"), (named[0], named[1]), apart)
    assert not same
    assert "because they differ in what is implicit (no force in one, damping in other), and in nothing else" in words
    assert apart_along(mechanism, runs[0], runs[0]) == ""
    assert parted(mechanism, ("one", "other"), (named[0], named[0]), "")[1]
    assert apart_in_steps(mechanism, runs[0].steps, runs[0].steps) == ""


def test_a_recording_in_hdf5_is_the_same_run(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    rows = simulated(SEMI_IMPLICIT, double(), 10, torque=1.0)
    for name, form in (("run.h5", "%.17g"), ("other.csv", "%.17g")):
        path = tmp_path / name
        if path.suffix == ".csv":
            written(path, double(), rows, form)
            continue
        with h5py.File(path, "w") as file:
            for key, x in rows.items():
                file[key] = x
            file["positions"], file["coordinates"] = [*double().positions], [*double().coordinates]
            file["mechanism"] = double().name
    first, second = (read(tmp_path / name, double()) for name in ("run.h5", "other.csv"))
    assert all(np.array_equal(getattr(first, name), getattr(second, name)) for name in ("times", "h", "q", "v", "tau"))


def test_hdf5_that_reaches_beyond_itself_is_refused(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    (tmp_path / "secret.bin").write_bytes(bytes(80))
    for name, link in (("external", h5py.ExternalLink("other.h5", "/q")), ("soft", h5py.SoftLink("/t"))):
        with h5py.File(tmp_path / f"{name}.h5", "w") as file:
            file["t"], file["q"] = np.arange(10.0), link
    with h5py.File(tmp_path / "outside.h5", "w") as file:
        file.create_dataset("q", (10,), "f8", external=[(str(tmp_path / "secret.bin"), 0, 80)])
    with h5py.File(tmp_path / "huge.h5", "w") as file:
        file.create_dataset("q", (10**9,), "f8", chunks=True)
    said = ["no dataset of its own"] * 3 + ["unpacks to more than"]
    for name, words in zip(("external", "soft", "outside", "huge"), said, strict=True):
        with pytest.raises(RecordedError, match=words):
            read_table(tmp_path / f"{name}.h5")
    (tmp_path / "broken.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(RecordedError, match="no HDF5 file that can be read"):
        read_table(tmp_path / "broken.h5")
