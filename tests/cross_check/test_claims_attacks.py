"""Claims that are crafted to be called proven, and files that break the grammar."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from claims_model import Program, Value, compile_checker, expected, run
from flint import fmpz

from cross_check.prove.proof.claims import CHECKER

if not shutil.which("cc"):
    pytest.skip("there is no C compiler", allow_module_level=True)


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checker with the compiler's sanitizers, which end it at the first access outside of an array, and at any overflow."""
    flags = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    try:
        return compile_checker(tmp_path_factory.mktemp("strict"), None, *flags)
    except subprocess.CalledProcessError:
        return compile_checker(tmp_path_factory.mktemp("plain"), None)


def zero(x: Value) -> Value:
    return (x + 1) * (x - 1) - x * x + 1


def squares_by_quotients(it: Program, x: Value, y: Value) -> Program:
    """x^(p − 1) = 1 for p = 2⁶¹ − 1, by x² = 1/(1/x − 1/(x + 1)) − x, whose denominators are told apart."""
    power, one = x, it.n(1)
    for _ in range(61):
        power = one / (one / power - one / (power + one)) - power
    return it.claim((power / (x * x), one))


def simplified(it: Program, x: Value, y: Value) -> Program:
    it.nonzero.append(zero(x).n)
    return it.claim((x, x))


def many_primes(it: Program, x: Value, y: Value) -> Program:
    """Σ x/p over two hundred primes of 62 bits, in two orders."""
    terms, sums = [x / p for p in PRIMES], [it.n(0), it.n(0)]
    for term, other in zip(terms, reversed(terms), strict=True):
        sums = [sums[0] + term, sums[1] + other]
    return it.claim((sums[0], sums[1]))


def multiple_of_many_primes(it: Program, x: Value, y: Value) -> Program:
    """An error of x times the product of two thousand primes, all of which the checker could draw."""
    product = it.n(1)
    for p in PRIMES * 10:
        product = product * p
    return it.claim((x + x * product, x))


def growing_denominators(it: Program, x: Value, y: Value) -> Program:
    """f = f + 1/f: the size doubles with every line, the degree too."""
    f, one = x, it.n(1)
    for _ in range(80):
        f = f + one / f
    return it.claim((f, f + 0))


PRIMES = [p for p in range(2**62 - 9000, 2**62) if fmpz(p).is_prime()]

TOO_LARGE = "not decided; no difference was found, but the functions may be too large (size 1152921504606846976 or more)"

ATTACKS: dict[str, tuple[Callable[[Program, Value, Value], Program], int, str]] = {
    "x^(2^200) and one more": (lambda it, x, y: it.claim((z := x.squared(200), z + 1)), 1, "refuted; component 0"),
    "equal powers": (lambda it, x, y: it.claim((x.squared(200), x.squared(200))), 5, TOO_LARGE),
    "one modulo a known prime": (lambda it, x, y: it.claim((x.squared(61) / (x * x), it.n(1))), 1, "refuted; component 0"),
    "squares by quotients": (squares_by_quotients, 1, "refuted; component 0"),
    "0 · (1/0)": (lambda it, x, y: it.claim((it.n(1) / zero(x) * 0, it.n(0))), 1, "refuted; value 11 is zero at every point"),
    "1/0 not used": (lambda it, x, y: (x / (y - y), it.claim((x, x)))[1], 1, "refuted; value 2 is zero at every point"),
    "0/0 that was simplified": (simplified, 1, "refuted; value 10 is zero at every point that was tried, but must not be"),
    "many primes": (many_primes, 0, "proven"),
    "a multiple of many primes": (multiple_of_many_primes, 1, "refuted"),
    # (10^100000)^(2^70) is no reason for an overflow.
    "a tall number": (lambda it, x, y: it.claim((z := it.n(10**100_000).squared(70), z * 1)), 5, "not decided"),
    # x^(2^70)/x^(2^70) = 1 is true. Nobody may conclude that from ∞ − ∞.
    "a quotient of large powers": (lambda it, x, y: it.claim((x.squared(70) / x.squared(70), it.n(1))), 5, "not decided"),
    "a false quotient": (lambda it, x, y: it.claim((x.squared(70) / y.squared(70), it.n(1))), 1, "refuted"),
    # The exponent in the denominator is beyond all bounds.
    "powers that cancel": (lambda it, x, y: it.claim((x.squared(70) * (it.n(1) / x).squared(70), it.n(1))), 5, "not decided"),
    # Exponent times size is 2^80, which is 0 in 64 bits.
    "powers of z/z": (lambda it, x, y: it.claim((((z := x.squared(40)) / z).squared(40), it.n(1))), 5, "not decided"),
    "growing denominators": (growing_denominators, 5, "not decided"),
    "outputs that are inputs": (
        lambda it, x, y: it.claim((x, x), (y, y), name="same").claim((x, x), (x, y), name="swapped"),
        1,
        "same: proven with an error of 2^-114 at most; components 2, the same value on both sides 2",
    ),
    "no claims": (lambda it, x, y: it, 5, "verdict: not decided"),
    "no values": (lambda it, x, y: Program(), 5, "verdict: not decided"),
    "no components": (lambda it, x, y: it.claim(), 5, "nothing compared; there are no components"),
    "an empty claim beside a true one": (lambda it, x, y: it.claim().claim((x + x, x * 2)), 5, "verdict: not decided"),
    "an empty claim after a false one": (lambda it, x, y: it.claim((x, y)).claim(), 1, "verdict: refuted"),
    # So large that seven rounds are needed.
    "(x + y)^(2^40)": (lambda it, x, y: it.claim(((x + y).squared(40), (y + x).squared(40))), 0, "proven with an error of 2^-1"),
    "shared factors": (
        lambda it, x, y: it.claim((it.n(1) / (s := x + y) / s + y / s, (y * s + 1) / (s * s))),
        0,
        "proven with an error of 2^-110 at most; components 1, the same value on both sides 0, size 9",
    ),
}

BEYOND = {"growing denominators", "a tall number", "a quotient of large powers", "powers that cancel"}
"""The model computes with numbers of any size; the checker gives up at 2⁶⁰."""


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_false_is_proven(strict: Path, tmp_path: Path, attack: str) -> None:
    make, code, said = ATTACKS[attack]
    it = Program()
    found = run(strict, text := make(it, it.x(), it.x()).text(), tmp_path)
    assert found.code == code, found
    assert said in found.out
    assert found.err == ""
    assert ("\nverdict: proven\n" in found.out) == (code == 0)
    if attack not in BEYOND:
        assert found == expected(text)


def test_every_byte_decides_primes_and_points(strict: Path, tmp_path: Path) -> None:
    """Claims cannot be fitted to the points: whoever changes a name changes all of them. Files have all lengths modulo 64."""
    it = Program()
    it.claim((it.x(), it.x()))
    texts = [it.text("m" * length) for length in range(1, 65)]
    found = [run(strict, text, tmp_path).out.splitlines() for text in texts]
    assert [lines[1] for lines in found] == [f"SHA-256 {hashlib.sha256(text.encode()).hexdigest()}" for text in texts]
    assert len({lines[2] for lines in found}) == len({lines[3] for lines in found}) == 64


HARNESS = """
#define main whole_checker
#include "check_claims.c"
#undef main
int main(int count, char **words) {
    (void)whole_checker;
    for (int i = 1; i < count; i++) p = strtoull(words[i], 0, 10), printf("%d ", p_is_prime());
}
"""

PSEUDOPRIMES = (3215031751, 2152302898747, 3474749660383, 341550071728321, 3825123056546413051, 4611686014132420609)
"""Strong pseudoprimes to the first 4, 5, 6, 7 and 9 bases, and (2³¹ − 1)²."""


def test_primes_are_told_from_pseudoprimes(tmp_path: Path) -> None:
    rng = random.Random(1)
    numbers = [*PSEUDOPRIMES, *(rng.randrange(2**61, 2**62) | 1 for _ in range(300)), *PRIMES[:50]]
    (tmp_path / "check_claims.c").write_text(CHECKER.read_text("utf-8"), "utf-8")
    (tmp_path / "harness.c").write_text(HARNESS, "utf-8")
    subprocess.run(["cc", "-O1", "-o", tmp_path / "harness", tmp_path / "harness.c"], check=True, timeout=60)
    done = subprocess.run([tmp_path / "harness", *map(str, numbers)], capture_output=True, check=True, timeout=60)
    assert done.stdout.split() == [b"%d" % fmpz(n).is_prime() for n in numbers]


TEXT = "dalembert-claims 1\nmechanism m\nabout a\nvalues 4\nnonzero 1\nclaims 1\n"
TEXT += "0 n 12\n1 x\n2 + 0 1\n3 / 1 2\nnonzero 2\nclaim 1 it\n3 3\nend\n"

BAD: dict[str, tuple[str | bytes, str]] = {
    "another version": (TEXT.replace("claims 1\nmech", "claims 2\nmech"), "line 1: this line does not follow"),
    "no name": (TEXT.replace("mechanism m", "mechanism "), "line 2: a name must have"),
    "a long name": (TEXT.replace("mechanism m", "mechanism " + "m" * 201), "line 2: a name must have"),
    "a control character": (TEXT.replace("about a", "about a\x1b[2J"), "line 3: this line does not follow"),
    "a byte above ASCII": (TEXT.replace("about a", "about \xe9").encode("latin-1"), "line 3: a name must have"),
    "too few values": (TEXT.replace("values 4", "values 3"), "line 10: this line does not follow"),
    "too many values": (TEXT.replace("values 4", "values 5"), "line 11: a number without sign"),
    "a count of 2⁶⁴": (TEXT.replace("values 4", f"values {2**64}"), "line 4: a number is too large"),
    "a count of outputs that wraps": (TEXT.replace("claim 1 it", f"claim {2**32 + 1} it"), "line 12: a number is too large"),
    "more claims than allowed": (TEXT.replace("claims 1\n0", "claims 1001\n0"), "line 6: a number is too large"),
    "a leading zero": (TEXT.replace("values 4", "values 04"), "line 4: a number without sign"),
    "a wrong number": (TEXT.replace("2 + 0 1", "1 + 0 1"), "line 9: the values must be numbered"),
    "a forward reference": (TEXT.replace("2 + 0 1", "2 + 0 3"), "line 9: a number is too large"),
    "a reference above 2⁶⁴": (TEXT.replace("2 + 0 1", f"2 + 0 {2**64 + 1}"), "line 9: a number is too large"),
    "an unknown operation": (TEXT.replace("2 + 0 1", "2 ^ 0 1"), "line 9: a value is one of"),
    "one operand": (TEXT.replace("2 + 0 1", "2 + 0"), "line 9: this line does not follow"),
    "a space at the end": (TEXT.replace("1 x", "1 x "), "line 8: this line does not follow"),
    "no integer": (TEXT.replace("n 12", "n "), "line 7: an integer without sign"),
    "an integer with leading zeros": (TEXT.replace("n 12", "n 012"), "line 7: an integer without sign"),
    "an unknown divisor": (TEXT.replace("nonzero 2\n", "nonzero 4\n"), "line 11: a number is too large"),
    "an unknown output": (TEXT.replace("3 3", "3 4"), "line 13: a number is too large"),
    "no end": (TEXT.removesuffix("end\n"), "line 14: this line does not follow"),
    "something after the end": (TEXT + "\n", "line 15: something follows the end"),
    "a zero byte after the end": (TEXT + "\0", "line 15: something follows the end"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_breaks_the_grammar_is_refused_in_a_sentence(strict: Path, tmp_path: Path, what: str) -> None:
    claims, said = BAD[what]
    assert claims != TEXT
    found = run(strict, claims, tmp_path)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(f"FILE, {said}")
    assert found.err.count("\n") == 1


def test_no_bytes_make_the_checker_do_what_it_must_not(strict: Path, tmp_path: Path) -> None:
    """Random changes of bytes: refused, or a file that follows the grammar and gets the predicted answer."""
    rng, text, refused = random.Random(4), TEXT.encode(), 0
    assert run(strict, text, tmp_path).code == 0
    for length in range(0, len(text), 5):
        assert run(strict, text[:length], tmp_path).code == 2, "a file that is cut"
    for _ in range(60):
        data = bytearray(text)
        for _ in range(rng.randrange(1, 4)):
            k = rng.randrange(len(data))
            data[k : k + rng.randrange(3)] = rng.choice([b"", b"\0", b"9", b"\n", b" ", b"-", b"x", bytes([rng.randrange(256)])])
        found = run(strict, bytes(data), tmp_path)
        if found.code == 2:
            assert (found.out, found.err.count("\n")) == ("", 1)
            refused += 1
        else:
            assert found == expected(data.decode("ascii"))
    assert refused > 20


def test_a_file_that_is_missing_and_wrong_usage(strict: Path, tmp_path: Path) -> None:
    for arguments, said in (
        ([], "usage: "),
        (["a", "b"], "usage: "),
        ([tmp_path / "no"], "cannot be opened"),
        ([tmp_path], "cannot be read"),
    ):
        done = subprocess.run([strict, *arguments], capture_output=True, check=False, timeout=60)
        assert done.returncode == 2
        assert said in done.stderr.decode()
        assert done.stdout == b""
