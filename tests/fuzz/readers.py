"""Gives mutated files to every reader, and counts what becomes of them. This is not part of the tests: it takes an hour.

    python tests/fuzz/readers.py --inputs 500000 --seed 0 --processes 2

A file is accepted, or refused in one sentence. A traceback or a hang is a fault: its number is printed, and
``--only NUMBER`` runs this one file again, with the same seed, and prints the traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic

import numpy as np
from mutations import mutated

from cross_check.exchange.recorded_data.read import read_json
from cross_check.exchange.recorded_data.read_csv import read_csv
from cross_check.exchange.recorded_data.read_npz import read_npz
from cross_check.exchange.recorded_data.recording import recording_of
from cross_check.exchange.recorded_data.table import read_whole
from cross_check.exchange.recorded_data.write import write_states
from cross_check.exchange.results import Results, ResultsError, RunSettings, read_results, verdict_of, write_json
from cross_check.exchange.results.parts import counted
from cross_check.judge.comparison.given import sampled_states
from cross_check.judge.gate import read_baseline, update_baseline
from cross_check.prove.catalogue.contents import prove_catalogue, select
from cross_check.prove.proof.certificates import read_certificates, read_stored, write_certificates
from cross_check.prove.proof.prove import prove
from cross_check.prove.proof_files import read_proofs
from dalembert import check
from dalembert.renderings import RENDERINGS, Rendering
from mechanisms import MechanismError, find_mechanism, parse_urdf, random_mechanism, read_urdf, write_urdf
from mechanisms.joint_kinds import Kind
from mechanisms.plain_text import UNPRINTABLE
from reports import terminal

SECONDS = 10.0
"""The longest time that one file may take."""

MEMORY = next((folder for folder in ("/dev/shm",) if Path(folder).is_dir()), None)
"""Files on a disk would take most of the time."""

WELDED = """<?xml version="1.0"?>
<robot name="welded"><link name="base"/><gravity xyz="0 0 -1.62"/>
<link name="a"><inertial><origin xyz="0.1 0 0" rpy="0.1 0.2 0.3"/><mass value="2.5"/>
<inertia ixx="0.3" ixy="0.01" ixz="0" iyy="0.3" iyz="0" izz="0.2"/></inertial><visual><geometry/></visual></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="c"/>
<joint name="j" type="continuous"><origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/><parent link="base"/><child link="a"/>
<axis xyz="0 -3 4"/><dynamics damping="0.7" friction="3" armature="0.01"/></joint>
<joint name="k" type="fixed"><origin rpy="1 2 3"/><parent link="a"/><child link="b"/></joint>
<joint name="l" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 1 1"/></joint></robot>"""

KINDS: tuple[Kind, ...] = ("revolute", "prismatic", "planar", "free", "fixed")


class Hang(BaseException):
    """A reader took too long."""


def chosen(path: Path, kinds: tuple[Rendering, ...]) -> list[Rendering]:
    """One of a few kinds of page, because pages take most of the time; which one follows from the file."""
    return [kind for k, kind in enumerate(kinds) if path.stat().st_size % 5 == k]


def read_mechanism(path: Path) -> None:
    """Reads a file in one of several ways; what is accepted has finite numbers, and is written and read as the same."""
    options = random.Random(path.stat().st_size)
    mechanism = read_urdf(path, options.random() < 0.3, physical=options.random() < 0.5, ignore_mimic=options.random() < 0.5)
    assert all(np.isfinite(x).all() for x in vars(mechanism.arrays).values() if isinstance(x, np.ndarray)), "not finite"
    if options.random() < 0.8:
        return  # What follows takes most of the time.
    try:
        text = write_urdf(mechanism)
    except MechanismError as error:
        assert "cannot be written" in str(error), error
        return
    once = parse_urdf(text)
    assert parse_urdf(write_urdf(once)).fingerprint == once.fingerprint, "no fixpoint"


def read_all_results(path: Path) -> None:
    results = read_results(path)
    verdict_of(results)
    terminal.summary(results)
    for kind in chosen(path, RENDERINGS):
        kind.render(results, ())


def read_all_proofs(path: Path) -> None:
    read_proofs((path,))
    for kind in chosen(path, RENDERINGS[:1]):
        kind.render(Results(RunSettings("1", 0, 1, 16.0)), (path,))


PENDULUM = find_mechanism("cart-pole")

RECORDED = {".csv": read_csv, ".json": read_json, ".npz": read_npz}


def read_recorded(ending: str, path: Path) -> None:
    """Reads recorded data; what is accepted has finite states, and answers that can be told from missing ones."""
    recording = recording_of(RECORDED[ending](path, read_whole(path)), PENDULUM)
    assert all(np.isfinite(array).all() for array in (*recording.states.values(), *recording.slack.values())), "not finite"
    recording.missing_words()


READERS: dict[str, Callable[[Path], object]] = {
    "urdf": read_mechanism,
    "results": read_all_results,
    "baseline": read_baseline,
    "certificates": read_certificates,
    "stored": read_stored,
    "proofs": read_all_proofs,
    "catalogue": read_all_proofs,
    **{f"recorded {ending}": partial(read_recorded, ending) for ending in RECORDED},
}


def seeds(folder: Path) -> dict[str, list[bytes]]:
    """By reader: small files that it accepts."""

    def written(name: str, write: Callable[[Path], object]) -> bytes:
        write(folder / name)
        return (folder / name).read_bytes()

    def results(*mechanisms: str, quantities: str, certified: bool = False) -> Results:
        return check(mechanisms, ["reference"], quantities=[quantities], states=7, certified=certified)

    small = results("pendulum", quantities="gravity")
    (about,) = small.mechanisms
    many = replace(small, cells=[counted(cell, about.kinds, small.settings.bar) for cell in small.cells])
    pages = (small, many, results("cart-pole", quantities="mass_matrix", certified=True))
    certificates = written("c", partial(write_certificates, [prove(find_mechanism("pendulum"), "pendulum", True)]))
    outcomes = prove_catalogue(select(("000.16", "000.36-printed", "003.1-atan2"))).document()
    answers = {"inverse_dynamics": np.ones((7, 2)), "mass_matrix": np.ones((7, 2, 2))}
    states = {**sampled_states(PENDULUM, 0, 7, ("inverse_dynamics",)), **answers}

    def recorded(ending: str) -> list[bytes]:
        return [written(f"a{ending}", lambda path: write_states(path, PENDULUM, states, ("gravity",)))]

    mechanisms = [write_urdf(random_mechanism(k, 1 + k % 3, KINDS)).encode() for k in range(6)]
    return {
        "urdf": [WELDED.encode(), *mechanisms],
        "results": [written("r", partial(write_json, one.document())) for one in pages],
        "baseline": [written("b", lambda path: update_baseline(path, small, frozenset()))],
        "certificates": [certificates],
        "stored": [certificates],
        "proofs": [certificates],
        "catalogue": [written("k", partial(write_json, outcomes))],
        **{f"recorded {ending}": recorded(ending) for ending in RECORDED},
    }


def input_number(number: int, seed: int, given: dict[str, list[bytes]]) -> tuple[str, bytes]:
    """The reader and the file of this number."""
    draw = random.Random(f"{seed} {number}")
    # Half of the files are URDF, because its reader does most.
    reader = "urdf" if draw.random() < 0.5 else draw.choice(list(READERS))
    return reader, mutated(draw.choice(given[reader]), draw)


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def outcome(reader: str, data: bytes, path: Path) -> str:
    """What becomes of a file: "accepted", "refused", "hang", or the traceback."""
    path.write_bytes(data)
    try:
        with limited(SECONDS):
            READERS[reader](path)
    except Hang:
        return "hang"
    except (MechanismError, ResultsError) as error:
        said = str(error)
        if len(said) > 500 or "\n" in said or UNPRINTABLE.search(said):
            return f"not one sentence: {said!r}"
        return "refused"
    except Exception:
        return traceback.format_exc()
    return "accepted"


def run(numbers: range, seed: int, given: dict[str, list[bytes]]) -> tuple[Counter[tuple[str, str]], dict[str, tuple[int, str]]]:
    """How often what became of the files of each reader, and one number for every different fault."""
    counts: Counter[tuple[str, str]] = Counter()
    faults: dict[str, tuple[int, str]] = {}
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        for number in numbers:
            reader, data = input_number(number, seed, given)
            found = outcome(reader, data, Path(folder) / "file.urdf")
            kind = found if found in ("accepted", "refused", "hang") else "traceback"
            counts[reader, kind] += 1
            if kind in ("hang", "traceback"):
                faults.setdefault("".join(found.splitlines()[-3:])[:300], (number, found))
    return counts, faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("inputs", 5000), ("seed", 0), ("processes", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--only", type=int, help="the number of one file")
    options = parser.parse_args()
    start = monotonic()
    with tempfile.TemporaryDirectory() as folder:
        given = seeds(Path(folder))
        if options.only is not None:
            reader, data = input_number(options.only, options.seed, given)
            print(reader, data[:3000], outcome(reader, data, Path(folder) / "file.urdf"), sep="\n")
            return 0
    counts: Counter[tuple[str, str]] = Counter()
    known: set[str] = set()
    parts = [range(k, min(k + 1000, options.inputs)) for k in range(0, options.inputs, 1000)]
    with ProcessPoolExecutor(options.processes) as pool:
        for more, faults in pool.map(partial(run, seed=options.seed, given=given), parts):
            counts += more
            for fault in faults.keys() - known:
                print("file {}: {}".format(*faults[fault]), file=sys.stderr, flush=True)
            known |= faults.keys()
    for reader in READERS:
        print(f"{reader:13}", *(f"{kind} {counts[reader, kind]:7}" for kind in ("accepted", "refused", "traceback", "hang")))
    bad = sum(n for (_, kind), n in counts.items() if kind in ("traceback", "hang"))
    print(f"{counts.total()} files, {bad} tracebacks and hangs, {monotonic() - start:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
