"""Exported claims: what is proven here is proven by the checker in C, with bounds that fit, and mutants are refuted."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from claims_model import Program, compile_checker, evaluated, expected, parse, run
from click.testing import CliRunner

from cross_check.prove.proof.chances import Chance
from cross_check.prove.proof.claims import CHECKER, export, plain, text_of
from cross_check.prove.proof.generic import tree
from cross_check.prove.proof.prove import programs
from cross_check.prove.proof.rounds import Recording, proofs_of
from cross_check.prove.proof.tape import Tape
from dalembert.cli.main import main
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS, PROVABLE
from mechanisms import Mechanism, find_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import GROUPS
from mechanisms.textbook_loops import LOOPS
from mechanisms.write_urdf import write_urdf

if not shutil.which("cc"):
    pytest.skip("there is no C compiler", allow_module_level=True)

FEW = ("inverse_dynamics", "mass_matrix", "gravity")


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_checker(tmp_path_factory.mktemp("checker"), None, "-O2", "-Werror", "-Wconversion")


def test_the_checker_is_one_short_file() -> None:
    lines = CHECKER.read_text("utf-8").splitlines()
    assert len(lines) <= 300
    assert max(map(len, lines)) <= 130
    included = [line.split()[1] for line in lines if line.startswith("#include")]
    assert included == ["<stdint.h>", "<stdio.h>", "<stdlib.h>", "<string.h>"]


def verified(checker: Path, mechanism: Mechanism, spec: str, in_general: bool, quantities: Sequence[str], folder: Path) -> None:
    """The checker proves what is proven here. Its sizes fit the degrees and heights, which another rule has found."""
    for statements in programs(mechanism, spec, in_general, PROVABLE, build, quantities).values():
        recording = Recording(statements, merges=False)
        found = run(checker, text := text_of(recording, spec, "a test"), folder)
        assert found.code == 0, found
        said = dict(line.split(": ", 1) for line in found.out.splitlines()[3:-1])
        assert list(said) == [statement.name for statement in statements]
        assert parse(text).head == f"{spec}, a test"
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


@pytest.mark.slow
@pytest.mark.parametrize("kind", MOVING)
def test_every_quantity_of_every_joint_alone(checker: Path, tmp_path: Path, kind: Any) -> None:
    verified(checker, tree([-1], [kind]), kind, True, GROUPS["dynamics"] + GROUPS["kinematics"], tmp_path)


@pytest.mark.parametrize("in_general", [True, False], ids=["in general", "given"])
def test_mimic_joints_share_the_angle_that_both_sides_compute(checker: Path, tmp_path: Path, in_general: bool) -> None:
    """On a tape that does not merge, equal expressions are two values, and the numbers that stand for their angles are one."""
    mechanism = tree([-1, 0], ["revolute", "revolute"], [0, 0]) if in_general else find_mechanism("random:3:6:revolute,mimic")
    assert list(mechanism.leaders) != list(range(len(mechanism.bodies)))
    verified(checker, mechanism, "mimic", in_general, FEW, tmp_path)


@pytest.mark.parametrize("in_general", [True, False], ids=["in general", "given"])
@pytest.mark.parametrize("name", LOOPS)
def test_constraints(checker: Path, tmp_path: Path, name: str, in_general: bool) -> None:
    verified(checker, LOOPS[name](), name, in_general, ("constraint_jacobian", "constraint_drift"), tmp_path)


@pytest.mark.parametrize("in_general", [True, False], ids=["in general", "given"])
def test_the_checker_prints_what_another_program_predicts(checker: Path, tmp_path: Path, in_general: bool) -> None:
    """Digest, primes, sizes and errors, to the last digit."""
    for claims in export(find_mechanism("cart-pole"), "cart-pole", in_general, quantities=["gravity", "forward_dynamics"]):
        assert run(checker, claims.text, tmp_path) == expected(claims.text)


def test_own_proofs_of_the_same_programs_have_the_same_verdict(checker: Path, tmp_path: Path) -> None:
    wrong = {"gravity": lambda model, q: 2 * ALGORITHMS["gravity"](model, q), "mass_matrix": ALGORITHMS["mass_matrix"]}
    mechanism, verdicts = find_mechanism("cart-pole"), dict[str, str]()
    for claims in export(mechanism, "it", algorithms=wrong):
        verdicts |= {claims.name: run(checker, claims.text, tmp_path).out.splitlines()[3].split()[1].strip(";")}
    parts = programs(mechanism, "it", True, wrong, build, list(wrong))
    own = {name: proofs_of(statements, 0)[0].verdict for name, statements in parts.items()}
    assert verdicts == own == {"gravity": "refuted", "dynamics": "proven"}


def test_a_tape_that_does_not_merge_records_every_operation() -> None:
    def squares(merges: bool) -> tuple[int, list[int]]:
        tape = Tape(merges)
        x, y = tape.input(), tape.input()
        z = [x * y, y * x, x - y, x - y]
        return len({value.n for value in z}), [tape.first(value.n) for value in z]

    assert squares(True)[0] == 2
    count, first = squares(False)
    assert count == 4
    assert first[0] == first[1] != first[2] == first[3]


def mutated(text: str, rng: random.Random) -> str:
    """``text`` with one change of its program, which still follows the grammar."""
    lines = text.split("\n")
    begin, count = 6, int(lines[3].split()[1])
    first_claim = next(k for k, line in enumerate(lines) if line.startswith("claim "))
    how = rng.choice(["sign", "operation", "swap", "operand", "constant", "drop", "output", "right", "input"])
    while True:
        k = rng.randrange(begin, begin + count)
        number, kind, *rest = lines[k].split()
        if how == "sign" and kind in "+-":
            lines[k] = f"{number} {'-' if kind == '+' else '+'} {' '.join(rest)}"
        elif how == "operation" and kind in "*/":
            lines[k] = f"{number} {'+' if kind == '*' else '*'} {' '.join(rest)}"
        elif how == "swap" and kind in "-/":
            lines[k] = f"{number} {kind} {rest[1]} {rest[0]}"
        elif how == "operand" and kind in "+-*/":
            lines[k] = f"{number} {kind} {rng.randrange(int(number))} {rest[1]}"
        elif how == "constant" and kind == "n":
            lines[k] = f"{number} n {rng.randrange(3, 100) * (2**61 - 1)}"
        elif how == "drop" and kind in "+-*":
            lines[k] = f"{number} + {rest[0]} 0"
        elif how == "input" and kind == "x":
            lines[k] = f"{number} n 7"
        elif how in ("output", "right"):
            k = rng.randrange(first_claim + 1, len(lines) - 2)
            if lines[k].startswith("claim"):
                continue
            left, right = lines[k].split()
            lines[k] = f"{rng.randrange(count)} {right}" if how == "output" else f"{left} {rng.randrange(count)}"
        else:
            continue
        return "\n".join(lines)


def is_true(text: str) -> bool:
    """Whether all claims hold at two points modulo 2⁸⁹ − 1, which the checker cannot know."""
    draw = random.Random(1)
    for _ in range(2):
        parsed = parse(text)
        found, zero = evaluated(parsed, 2**89 - 1, iter(lambda: draw.randrange(2**89 - 1), None))
        if zero is not None or any(found[a] != found[b] for _, pairs in parsed.claims for a, b in pairs):
            return False
    return True


def campaign(checker: Path, folder: Path, texts: Sequence[str], mutants: int, seed: int = 0) -> tuple[int, int]:
    """The numbers of false mutants, all of which are refuted, and of mutants that are as true as before."""
    rng, false, true = random.Random(seed), 0, 0
    for _ in range(mutants):
        mutant = mutated(rng.choice(texts), rng)
        found = run(checker, mutant, folder)
        if is_true(mutant):
            assert found.code == 0, found
            true += 1
        else:
            assert (found.code, found.err) == (1, ""), found
            assert ": refuted; " in found.out
            false += 1
    return false, true


@pytest.mark.slow
def test_mutants_of_programs_are_refuted(checker: Path, tmp_path: Path) -> None:
    texts = []
    for spec, in_general in (("pendulum", True), ("pendulum", False), ("cart-pole", False)):
        texts += [claims.text for claims in export(find_mechanism(spec), spec, in_general, quantities=FEW)]
    false, _ = campaign(checker, tmp_path, texts, 60)
    assert false >= 30


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--check", "a.json", "--export", "claims"], "--check reads everything from the file"),
        (["pendulum", "--export", "file"], "is a file"),
    ],
)
def test_wrong_usage_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    done = CliRunner().invoke(main, ["prove", *arguments])
    assert done.exit_code == 2
    assert said in done.output
    assert not Path("claims").exists()


def test_two_mechanisms_with_one_file_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a b.urdf", "a-b.urdf"):
        Path(name).write_text(write_urdf(find_mechanism("pendulum")), "utf-8")
    done = CliRunner().invoke(main, ["prove", "a b.urdf", "a-b.urdf", "--export", "claims"])
    assert done.exit_code == 2
    assert "the claims of a b.urdf and of a-b.urdf would be in one file; export them to two folders" in done.output
    assert not Path("claims").exists()


@pytest.mark.parametrize(
    ("name", "written"),
    [("a b", "a b"), ("", "-"), ("a\nb", r"a\nb"), ("é\0\x1b", r"\xe9\x00\x1b"), ("\\n", r"\\n"), ("x" * 999, "x" * 200)],
)
def test_foreign_names_are_printable_ascii(checker: Path, tmp_path: Path, name: str, written: str) -> None:
    assert plain(name) == written
    program = Program()
    found = run(checker, program.claim((program.x(), 0)).text(plain(name)), tmp_path)
    assert found.code == 0
    assert found.out.startswith(f"{written}, an example\n")
