"""Who notices what is wrong in the mechanisms/ that this process imports?

Every function returns what saw something; an empty list if nothing did. The process must run in the checkout's folder.
"""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

Seen = dict[str, list[str] | None]
"""What saw a fault, by sense; None where it was not asked."""

TREES = ("every-joint", "branched-tree", "wall-arms", "screw-jack", "universal-pendulum", "puck")
"""Mechanisms without a file: every kind of joint, welds, skew gravity, skew axes."""

TRAITS = Path(__file__).with_name("traits.urdf")

FILES = ("panda", str(TRAITS), f"free:{TRAITS}")
"""Mechanisms with a file: a robot of a default check, and one with the traits that readers may read differently."""

QUANTITIES = ("inverse_dynamics",)

VECTORS = ("every-joint", "branched-tree")

TESTS = (
    "tests/mechanisms",
    # It compares the source with the bank, so it fails for every fault.
    "--ignore=tests/mechanisms/test_planted_faults_of_mechanisms.py",
    "-q",
    "-x",
    "-p",
    "no:cacheprovider",
    "-W",
    "ignore:Module already imported",
    "-m",
    "not slow and not engines",
)

FAILED = re.compile(r"^(?:FAILED|ERROR) tests/mechanisms/(\S+)", re.MULTILINE)


def by_proof() -> list[str]:
    """What is refuted on a tree with every kind of joint."""
    from cross_check.prove.proof.prove import prove
    from mechanisms import find_mechanism

    proofs = prove(find_mechanism(TREES[0]), TREES[0], quantities=QUANTITIES).quantities
    return [name for name, proof in proofs.items() if proof.verdict != "proven"]


def by_check() -> list[str]:
    """The implementations of a default check that disagree."""
    return _disagreeing((*TREES, *FILES), ("reference", "pinocchio", "rbdl"))


def by_reader() -> list[str]:
    """Pinocchio, if it disagrees on the models that its own reader makes of the files."""
    return _disagreeing(FILES, ("pinocchio-urdf",))


def _disagreeing(specs: tuple[str, ...], names: tuple[str, ...]) -> list[str]:
    from cross_check.harness import check
    from cross_check.judge.settings import Settings
    from dalembert.session import Execution, entry
    from mechanisms import find_mechanism

    entries = [entry(name, execution=Execution(in_process=True)) for name in names]
    settings = Settings(states=3, quantities=QUANTITIES, invariants=False)
    wrong: set[str] = set()
    for spec in specs:
        results = check([(spec, find_mechanism(spec))], entries, settings, explain=False)
        wrong |= {cell.implementation for cell in results.cells if cell.verdict in ("discrepancy", "failed")}
    return [name for name in names if name in wrong]


def by_vectors() -> list[str]:
    """The mechanisms whose vectors of inverse dynamics are no longer those of docs/vectors."""
    from click.testing import CliRunner

    from dalembert.cli.main import main

    with tempfile.TemporaryDirectory() as folder:
        result = CliRunner().invoke(main, ["vectors", *VECTORS, "-q", "inverse_dynamics", "-o", folder], catch_exceptions=False)
        if result.exit_code:
            return [result.output.strip()]
        name = "inverse_dynamics.json"
        return [
            spec for spec in VECTORS if Path(folder, spec, name).read_bytes() != Path("docs/vectors", spec, name).read_bytes()
        ]


def by_tests() -> list[str]:
    """The first of the quick unit tests of mechanisms/ that fails."""
    import pytest

    with redirect_stdout(io.StringIO()) as printed:
        ended = pytest.main(list(TESTS))
    return [] if ended == 0 else FAILED.findall(printed.getvalue())[:1] or ["all tests"]


@dataclass(frozen=True)
class Sense:
    """One of the things that may notice a fault."""

    name: str
    """What the page calls it."""
    asked: str
    """What is asked, in words."""
    ask: Callable[[], list[str]]


SENSES = {
    "proof": Sense("`prove`", "a proof of inverse dynamics on `every-joint`", by_proof),
    "check": Sense(
        "`check`",
        "inverse dynamics of the reference, Pinocchio and RBDL against the truth, on nine mechanisms, three with a file",
        by_check,
    ),
    "reader": Sense("own reader", "`pinocchio-urdf`, on a robot and on `benchmarks/shared/traits.urdf`", by_reader),
    "vectors": Sense("vectors", "the vectors of two mechanisms", by_vectors),
    "tests": Sense("unit test", "the quick tests of `mechanisms/`; the first that fails is named", by_tests),
}


def what(sense: str) -> list[str]:
    """What this sense saw; an error is something seen, too."""
    try:
        return SENSES[sense].ask()
    except Exception as error:
        return [f"{type(error).__name__}: {error}".splitlines()[0]]
