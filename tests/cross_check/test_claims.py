"""Exported claims: what is proven here is proven by the checker in C, with bounds that fit, and mutants are refuted."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from claims_model import Program, compile_checker, expected, parse, run
from click.testing import CliRunner

from cross_check.prove.proof.chances import Chance
from cross_check.prove.proof.claims import CHECKER, export, plain, text_of
from cross_check.prove.proof.generic import tree
from cross_check.prove.proof.prove import programs
from cross_check.prove.proof.rounds import Recording
from cross_check.prove.proof.tape import Tape
from dalembert.cli.main import main
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS, PROVABLE
from mechanisms import Mechanism, find_mechanism
from mechanisms.files.urdf.write import write_urdf
from mechanisms.joint import MOVING
from mechanisms.library.textbook_tables import LOOPS
from mechanisms.quantities import GROUPS

if not shutil.which("cc"):
    pytest.skip("there is no C compiler", allow_module_level=True)

FEW = ("inverse_dynamics", "mass_matrix", "gravity")
CONSTRAINTS = ("constraint_jacobian", "constraint_drift")


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_checker(tmp_path_factory.mktemp("checker"), None, "-O2", "-Werror", "-Wconversion")


def test_the_checker_is_one_short_file() -> None:
    lines = CHECKER.read_text("utf-8").splitlines()
    assert len(lines) <= 300
    assert max(map(len, lines)) <= 130
    included = [line.split()[1] for line in lines if line.startswith("#include")]
    assert included == ["<stdint.h>", "<stdio.h>", "<stdlib.h>", "<string.h>"]


SUBJECTS: dict[str, tuple[Mechanism, bool, Sequence[str]]] = {
    "every kind of joint": (tree([-1] * len(MOVING), MOVING), True, ("inverse_dynamics", "placements", "velocities_world")),
    "dynamics of a branched tree": (tree([-1, 0, 0], ["helical", "universal", "free"]), True, GROUPS["dynamics"]),
    "dynamics, given": (find_mechanism("cart-pole"), False, GROUPS["dynamics"]),
    # On a tape that does not merge, equal expressions are two values, and the numbers that stand for their angles are one.
    "mimic joints": (tree([-1, 0], ["revolute", "revolute"], [0, 0]), True, FEW),
    "mimic joints, given": (find_mechanism("random:3:6:revolute,mimic"), False, FEW),
    "constraints": (LOOPS["four-bar"](), True, CONSTRAINTS),
    "constraints, given": (LOOPS["bricard"](), False, CONSTRAINTS),
}


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_is_proven_here_is_proven_by_the_checker(checker: Path, tmp_path: Path, subject: str) -> None:
    """To the last digit as another program predicts. Its sizes fit the degrees and heights, which another rule has found."""
    mechanism, in_general, quantities = SUBJECTS[subject]
    for statements in programs(mechanism, subject, in_general, PROVABLE, build, quantities).values():
        recording = Recording(statements, merges=False)
        found = run(checker, text := text_of(recording, subject, "a test"), tmp_path)
        assert found == expected(text)
        assert found.code == 0, found
        assert parse(text).head == f"{subject}, a test"
        said = dict(line.split(": ", 1) for line in found.out.splitlines()[3:-1])
        assert list(said) == [statement.name for statement in statements]
        for claim in recording.claims:
            line = said[claim.claim.name]
            size, degree, height = int(line.split()[-1]), recording.degree(claim), recording.height(claim)
            assert line.startswith("proven with an error of 2^-1")
            assert f"components {len(claim.left)}, the same value on both sides" in line
            trivial = all(x == y for x, y in zip(claim.left, claim.right, strict=True))
            assert degree <= max(size, 1) or trivial
            # The digits of an integer give up to 10/3 + 3 bits, and every sum of the two rules adds one.
            assert size <= 4 * (degree + height) + 10 or trivial
            # Both rules need primes of about the same number of bits.
            assert abs((6 * size).bit_length() - Chance(degree, height, True).bad.bit_length()) <= 4 or trivial


def test_a_division_by_zero_that_was_simplified_is_refuted(checker: Path, tmp_path: Path) -> None:
    def wrong(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) + 0 / ((q + 1) * (q - 1) - q * q + 1)

    (claims,) = export(find_mechanism("pendulum"), "it", algorithms={"gravity": wrong})
    found = run(checker, claims.text, tmp_path)
    assert (found.code, "is zero at every point that was tried, but must not be" in found.out) == (1, True)


def test_a_tape_that_does_not_merge_records_every_operation() -> None:
    for merges, values, firsts in ((True, 2, 2), (False, 4, 2)):
        tape = Tape(merges)
        x, y = tape.input(), tape.input()
        z = [x * y, y * x, x - y, x - y]
        assert len({value.n for value in z}) == values
        assert len({tape.first(value.n) for value in (*z, y - x)}) == firsts + 1


@pytest.mark.slow
def test_programs_with_one_digit_or_sign_changed_are_judged_as_another_program_predicts(checker: Path, tmp_path: Path) -> None:
    """Most are refuted; those whose grammar is broken are refused."""
    rng, codes = random.Random(0), list[int]()
    texts = [claims.text for mode in (True, False) for claims in export(find_mechanism("pendulum"), "it", mode, quantities=FEW)]
    for _ in range(60):
        text = rng.choice(texts)
        k = rng.choice([found.start() for found in re.finditer(r"[-+*/](?= )|\d(?=\n)", text)])
        other = rng.choice("0123456789" if text[k].isdigit() else "+-*/")
        found = run(checker, mutant := text[:k] + other + text[k + 1 :], tmp_path)
        assert found.code == 2 or found == expected(mutant)
        codes.append(found.code)
    assert codes.count(1) >= 20


def test_the_command_exports_what_the_checker_proves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["-q", "gravity", "-q", "placements"]
    done = CliRunner().invoke(main, ["prove", "pendulum", "cart-pole", "--given", *asked, "--export", "claims"])
    assert done.exit_code == 0, done.output
    names = sorted(path.name for path in (tmp_path / "claims").iterdir())
    made = [f"{spec}.{group}.claims" for spec in ("cart-pole", "pendulum") for group in ("dynamics", "kinematics")]
    assert names == sorted([*made, "check_claims.c"])
    program = compile_checker(tmp_path, (tmp_path / "claims" / "check_claims.c").read_text("utf-8"))
    for name in made:
        assert f"claims: claims/{name}" in done.output
        found = run(program, (tmp_path / "claims" / name).read_bytes(), tmp_path)
        assert found.code == 0
        assert "\nverdict: proven\n" in found.out


USAGE = {
    "--check reads everything from the file": ["--check", "a.json"],
    "is a file": ["pendulum", "--export", "file"],
    "the claims of a b.urdf and of a-b.urdf would be in one file; export them to two folders": ["a b.urdf", "a-b.urdf"],
}


@pytest.mark.parametrize("said", USAGE)
def test_wrong_usage_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("file", "a b.urdf", "a-b.urdf"):
        Path(name).write_text(write_urdf(find_mechanism("pendulum")), "utf-8")
    done = CliRunner().invoke(main, ["prove", "--export", "claims", *USAGE[said]])
    assert done.exit_code == 2
    assert said in done.output
    assert not Path("claims").exists()


def test_foreign_names_are_printable_ascii(checker: Path, tmp_path: Path) -> None:
    names = {"a b": "a b", "": "-", "a\nb": r"a\nb", "é\0\x1b": r"\xe9\x00\x1b", "\\n": r"\\n", "x" * 999: "x" * 200}
    assert {name: plain(name) for name in names} == names
    for written in names.values():
        assert run(checker, Program().text(written), tmp_path).out.startswith(f"{written}, an example\n")
