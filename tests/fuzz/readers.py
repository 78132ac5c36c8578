"""Gives mutated files to every reader, and counts what becomes of them. This is not part of the tests: it takes an hour.

    python tests/fuzz/readers.py --inputs 500000 --seed 0 --processes 2
    python tests/fuzz/readers.py --inputs 500000 --readers mjcf sdf

A file is accepted, or refused in one sentence. A traceback or a hang is a fault: its number is printed, and
``--only NUMBER`` runs this one file again, with the same seed, and prints the traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import re
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
from mechanisms import MechanismError, find_mechanism, mjcf_traits, random_mechanism, sdf_traits, urdf_traits
from mechanisms.files.by_form import WRITERS, form_of_file, read_file, read_text
from mechanisms.joint_kinds import Kind
from mechanisms.plain_text import UNPRINTABLE
from mechanisms.reading import Form
from reports import terminal

SECONDS = 10.0
"""The longest time of the processor that one file may take: other processes do not make a file late."""

MEMORY = next((folder for folder in ("/dev/shm",) if Path(folder).is_dir()), None)
"""Files on a disk would take most of the time."""

TRAITS = {"urdf": urdf_traits.TRAITS, "mjcf": mjcf_traits.TRAITS, "sdf": sdf_traits.TRAITS}

KINDS: tuple[Kind, ...] = ("revolute", "prismatic", "planar", "free", "fixed")


class Hang(BaseException):
    """A reader took too long."""


def chosen(path: Path, kinds: tuple[Rendering, ...]) -> list[Rendering]:
    """One of a few kinds of page, because pages take most of the time; which one follows from the file."""
    return [kind for k, kind in enumerate(kinds) if path.stat().st_size % 5 == k]


def read_mechanism(path: Path) -> None:
    """Reads a file in one of several ways; what is accepted has finite numbers, and is written and read as the same."""
    options, form = random.Random(path.stat().st_size), form_of_file(path)
    free = form == "urdf" and options.random() < 0.3
    mechanism = read_file(path, free, physical=options.random() < 0.5, ignore_mimic=options.random() < 0.5)
    assert all(np.isfinite(x).all() for x in vars(mechanism.arrays).values() if isinstance(x, np.ndarray)), "not finite"
    if options.random() < 0.8:
        return  # What follows takes most of the time.
    try:
        text = WRITERS[form](mechanism)
    except MechanismError as error:
        assert re.search("cannot (be written|say)|reserved", str(error)), error
        return
    once = read_text(text, form, "once")[1]
    assert read_text(WRITERS[form](once), form, "again")[1].fingerprint == once.fingerprint, "no fixpoint"


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
    **dict.fromkeys(WRITERS, read_mechanism),
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

    def mechanisms(form: Form) -> list[bytes]:
        kinds = KINDS if form == "urdf" else KINDS[:2]
        drawn = [WRITERS[form](random_mechanism(k, 1 + k % 3, kinds)).encode() for k in range(6)]
        return [*drawn, *(trait.content for trait in TRAITS[form].values() if trait.right == "read")]

    return {
        **{form: mechanisms(form) for form in WRITERS},
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
    # Most files are those of robots, because their readers do most.
    robots = [reader for reader in given if reader in WRITERS]
    reader = draw.choice(robots if robots and draw.random() < 0.7 else list(given))
    return reader, mutated(draw.choice(given[reader]), draw, draw.choice(given[reader]))


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


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
    parser.add_argument("--readers", nargs="+", choices=READERS, default=list(READERS), help="those that get files")
    options = parser.parse_args()
    start = monotonic()
    with tempfile.TemporaryDirectory() as folder:
        given = {reader: files for reader, files in seeds(Path(folder)).items() if reader in options.readers}
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
    for reader in given:
        print(f"{reader:13}", *(f"{kind} {counts[reader, kind]:7}" for kind in ("accepted", "refused", "traceback", "hang")))
    bad = sum(n for (_, kind), n in counts.items() if kind in ("traceback", "hang"))
    print(f"{counts.total()} files, {bad} tracebacks and hangs, {monotonic() - start:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
