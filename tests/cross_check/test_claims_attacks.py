"""Claims that are crafted to be called proven, files that break the grammar, and a checker with faults."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from claims_model import Program, compile_checker, expected, run
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


def no_power_of_x() -> Program:
    """x^(2^200) and a value that differs from it by one."""
    it = Program()
    high = it.squared(it.x(), 200)
    return it.claim((high, it.op("+", high, it.n(1))))


def equal_powers() -> Program:
    it = Program()
    x = it.x()
    return it.claim((it.squared(x, 200), it.squared(x, 200)))


def one_modulo_a_known_prime() -> Program:
    """x^(p − 1) = 1 for p = 2⁶¹ − 1, unless x is 0."""
    it = Program()
    x = it.x()
    return it.claim((it.op("/", it.squared(x, 61), it.op("*", x, x)), it.n(1)))


def squares_by_quotients() -> Program:
    """The same power by x² = 1/(1/x − 1/(x + 1)) − x, whose denominators are told apart."""
    it = Program()
    x, one = it.x(), it.n(1)
    power = x
    for _ in range(61):
        rest = it.op("-", it.op("/", one, power), it.op("/", one, it.op("+", power, one)))
        power = it.op("-", it.op("/", one, rest), power)
    return it.claim((it.op("/", power, it.op("*", x, x)), one))


def zero(it: Program, x: int, one: int) -> int:
    """(x + 1)(x − 1) − x² + 1"""
    product = it.op("*", it.op("+", x, one), it.op("-", x, one))
    return it.op("+", it.op("-", product, it.op("*", x, x)), one)


def divided_by_zero_in_disguise() -> Program:
    it = Program()
    x, one, nothing = it.x(), it.n(1), it.n(0)
    return it.claim((it.op("*", it.op("/", one, zero(it, x, one)), nothing), nothing))


def unused_division_by_zero() -> Program:
    it = Program()
    x = it.x()
    it.op("/", x, it.op("-", x, x))
    return it.claim((x, x))


def zero_over_zero_that_was_simplified() -> Program:
    it = Program()
    x, one = it.x(), it.n(1)
    it.nonzero.append(zero(it, x, one))
    return it.claim((x, x))


def many_primes() -> Program:
    """Σ x/p over two hundred primes of 62 bits, in two orders."""
    it = Program()
    x, sums = it.x(), [it.n(0), it.n(0)]
    terms = [it.op("/", x, it.n(int(p))) for p in PRIMES]
    for side, order in enumerate((terms, terms[::-1])):
        for term in order:
            sums[side] = it.op("+", sums[side], term)
    return it.claim((sums[0], sums[1]))


def multiple_of_many_primes() -> Program:
    """An error of x times the product of two thousand primes, all of which the checker could draw."""
    it = Program()
    x, product = it.x(), it.n(1)
    for p in PRIMES * 10:
        product = it.op("*", product, it.n(int(p)))
    return it.claim((it.op("+", x, it.op("*", x, product)), x))


def tall_number() -> Program:
    """(10^100000)^(2^70) is no reason for an overflow."""
    it = Program()
    tall = it.squared(it.n(10**100_000), 70)
    return it.claim((tall, it.op("*", tall, it.n(1))))


def quotient_of_powers_that_are_too_large() -> Program:
    """x^(2^70)/x^(2^70) = 1 is true. Nobody may conclude that from ∞ − ∞."""
    it = Program()
    x = it.x()
    return it.claim((it.op("/", it.squared(x, 70), it.squared(x, 70)), it.n(1)))


def false_quotient_of_powers() -> Program:
    it = Program()
    x, y = it.x(), it.x()
    return it.claim((it.op("/", it.squared(x, 70), it.squared(y, 70)), it.n(1)))


def powers_below_that_cancel() -> Program:
    """x^(2^70) · (1/x)^(2^70) = 1: the exponent in the denominator is beyond all bounds."""
    it = Program()
    x, one = it.x(), it.n(1)
    return it.claim((it.op("*", it.squared(x, 70), it.squared(it.op("/", one, x), 70)), one))


def powers_of_a_large_factor() -> Program:
    """(z/z)^(2^40) for z = x^(2^40): exponent times size is 2^80, which is 0 in 64 bits."""
    it = Program()
    z = it.squared(it.x(), 40)
    return it.claim((it.squared(it.op("/", z, z), 40), it.n(1)))


def sums_with_growing_denominators() -> Program:
    """f = f + 1/f: the size doubles with every line, the degree too."""
    it = Program()
    f, one = it.x(), it.n(1)
    for _ in range(80):
        f = it.op("+", f, it.op("/", one, f))
    return it.claim((f, it.op("+", f, it.n(0))))


def an_output_that_is_an_input() -> Program:
    it = Program()
    x, y = it.x(), it.x()
    return it.claim((x, x), (y, y), name="same").claim((x, x), (x, y), name="swapped")


def no_claims() -> Program:
    it = Program()
    it.x()
    return it


def no_components() -> Program:
    it = Program()
    it.x()
    return it.claim(name="empty")


def an_empty_claim_beside_a_true_one() -> Program:
    it = Program()
    x = it.x()
    return it.claim(name="empty").claim((it.op("+", x, x), it.op("*", x, it.n(2))))


def no_values() -> Program:
    return Program()


def large_but_decided() -> Program:
    """(x + y)^(2^40) against itself: so large that seven rounds are needed."""
    it = Program()
    x, y = it.x(), it.x()
    sums = it.op("+", x, y), it.op("+", y, x)
    return it.claim((it.squared(sums[0], 40), it.squared(sums[1], 40)))


def shared_factors() -> Program:
    """1/(x + y)² + z/(x + y) = (1 + z (x + y))/(x + y)²"""
    it = Program()
    x, y, z, one = it.x(), it.x(), it.x(), it.n(1)
    s = it.op("+", x, y)
    inverse = it.op("/", one, s)
    left = it.op("+", it.op("*", inverse, inverse), it.op("/", z, s))
    return it.claim((left, it.op("/", it.op("+", one, it.op("*", z, s)), it.op("*", s, s))))


PRIMES = [p for p in range(2**62 - 9000, 2**62) if fmpz(p).is_prime()]

ATTACKS: dict[Callable[[], Program], tuple[int, str]] = {
    no_power_of_x: (1, "refuted; component 0"),
    equal_powers: (
        5,
        "not decided; no difference was found, but the functions may be too large (size 1152921504606846976 or more)",
    ),
    one_modulo_a_known_prime: (1, "refuted; component 0"),
    squares_by_quotients: (1, "refuted; component 0"),
    divided_by_zero_in_disguise: (1, "refuted; value 8 is zero at every point that was tried, but must not be"),
    unused_division_by_zero: (1, "refuted; value 1 is zero"),
    zero_over_zero_that_was_simplified: (1, "refuted; value 7 is zero"),
    many_primes: (0, "proven"),
    multiple_of_many_primes: (1, "refuted"),
    tall_number: (5, "not decided"),
    quotient_of_powers_that_are_too_large: (5, "not decided"),
    false_quotient_of_powers: (1, "refuted"),
    powers_below_that_cancel: (5, "not decided"),
    powers_of_a_large_factor: (5, "not decided"),
    sums_with_growing_denominators: (5, "not decided"),
    an_output_that_is_an_input: (1, "same: proven with an error of 2^-114 at most; components 2, the same value on both sides 2"),
    no_claims: (5, "verdict: not decided"),
    no_components: (5, "nothing compared; there are no components"),
    an_empty_claim_beside_a_true_one: (5, "verdict: not decided"),
    no_values: (5, "verdict: not decided"),
    large_but_decided: (0, "proven with an error of 2^-1"),
    shared_factors: (0, "proven with an error of 2^-110 at most; components 1, the same value on both sides 0, size 9"),
}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_nothing_false_is_proven(strict: Path, tmp_path: Path, attack: Callable[[], Program]) -> None:
    code, said = ATTACKS[attack]
    found = run(strict, text := attack().text(), tmp_path)
    assert found.code == code, found
    assert said in found.out
    assert found.err == ""
    assert ("\nverdict: proven\n" in found.out) == (code == 0)
    if attack not in BEYOND:
        assert found == expected(text)


BEYOND = {sums_with_growing_denominators, tall_number, quotient_of_powers_that_are_too_large, powers_below_that_cancel}
"""The model computes with numbers of any size; the checker gives up at 2⁶⁰."""


def test_every_byte_decides_primes_and_points(strict: Path, tmp_path: Path) -> None:
    """Claims cannot be fitted to the points: whoever changes a name changes all of them."""
    it = Program()
    x, y = it.x(), it.x()
    it.claim((x, y))
    lines = [run(strict, it.text(name), tmp_path).out.splitlines() for name in ("a", "b", "c")]
    assert len({line[1] for line in lines}) == len({line[2] for line in lines}) == len({line[3] for line in lines}) == 3


@pytest.mark.parametrize("length", [1, 8, 9, 10, 17, 18, 63, 64, 65, 100, 128, 200])
def test_the_digest_is_sha_256(strict: Path, tmp_path: Path, length: int) -> None:
    """For files of many lengths, around those where a block is added."""
    text = no_values().text("m" * length)
    assert run(strict, text, tmp_path).out.splitlines()[1] == f"SHA-256 {hashlib.sha256(text.encode()).hexdigest()}"


HARNESS = """
#define main whole_checker
#include "check_claims.c"
#undef main
int main(int count, char **words) {
    (void)whole_checker;
    for (int i = 1; i < count; i++) {
        u32 hash[8];
        sha256(hash, (const unsigned char *)words[i], strlen(words[i]));
        for (int k = 0; k < 8; k++) printf("%08x", hash[k]);
        p = strtoull(words[i], 0, 10);
        printf(" %d\\n", p > 37 && p % 2 ? p_is_prime() : -1);
    }
}
"""

PSEUDOPRIMES = (3215031751, 2152302898747, 3474749660383, 341550071728321, 3825123056546413051, 4611686014132420609)
"""Strong pseudoprimes to the first 4, 5, 6, 7 and 9 bases, and (2³¹ − 1)²."""


def parts(folder: Path, source: str, words: list[str]) -> list[list[str]]:
    """What the functions of the checker alone say about ``words``."""
    (folder / "check_claims.c").write_text(source, "utf-8")
    (folder / "harness.c").write_text(HARNESS, "utf-8")
    subprocess.run(["cc", "-O1", "-o", folder / "harness", folder / "harness.c"], check=True, timeout=60)
    done = subprocess.run([folder / "harness", *words], capture_output=True, check=True, timeout=60)
    return [line.split() for line in done.stdout.decode().splitlines()]


def right_parts(words: list[str]) -> list[list[str]]:
    def prime(word: str) -> int:
        return int(fmpz(int(word)).is_prime()) if word.isdigit() and int(word) > 37 and int(word) % 2 else -1

    return [[hashlib.sha256(word.encode()).hexdigest(), str(prime(word))] for word in words]


VECTORS = ["", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "a" * 100_000]
"""Messages of FIPS 180-4, and a longer one."""


def test_primes_and_digests_of_known_vectors(tmp_path: Path) -> None:
    rng = random.Random(1)
    numbers = [*PSEUDOPRIMES, *(rng.randrange(2**61, 2**62) | 1 for _ in range(300)), *PRIMES[:50], *(p + 2 for p in PRIMES[:50])]
    words = [*VECTORS, *map(str, numbers)]
    assert parts(tmp_path, CHECKER.read_text("utf-8"), words) == right_parts(words)
    assert right_parts(["abc"])[0][0].startswith("ba7816bf8f01cfea414140de5dae2223")


TEXT = "dalembert-claims 1\nmechanism m\nabout a\nvalues 4\nnonzero 1\nclaims 1\n"
TEXT += "0 n 12\n1 x\n2 + 0 1\n3 / 1 2\nnonzero 2\nclaim 1 it\n3 3\nend\n"

BAD: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "line 1: this line does not follow"),
    "a zero byte": ("\0", "line 1: this line does not follow"),
    "another version": (TEXT.replace("claims 1\nmech", "claims 2\nmech"), "line 1: this line does not follow"),
    "Windows' line ends": (TEXT.replace("\n", "\r\n"), "line 1: this line does not follow"),
    "no name": (TEXT.replace("mechanism m", "mechanism "), "line 2: a name must have"),
    "a long name": (TEXT.replace("mechanism m", "mechanism " + "m" * 201), "line 2: a name must have"),
    "a control character": (TEXT.replace("about a", "about a\x1b[2J"), "line 3: this line does not follow"),
    "a byte above ASCII": (TEXT.replace("about a", "about \xe9").encode("latin-1"), "line 3: a name must have"),
    "a zero byte in a name": (TEXT.replace("about a", "about a\0b"), "line 3: this line does not follow"),
    "too few values": (TEXT.replace("values 4", "values 3"), "line 10: this line does not follow"),
    "too many values": (TEXT.replace("values 4", "values 5"), "line 11: a number without sign"),
    "a huge count": (TEXT.replace("values 4", "values 99999999999999999999999999"), "line 4: a number is too large"),
    "a count of 2⁶⁴": (TEXT.replace("values 4", f"values {2**64}"), "line 4: a number is too large"),
    "a count of outputs that wraps": (TEXT.replace("claim 1 it", f"claim {2**32 + 1} it"), "line 12: a number is too large"),
    "more claims than allowed": (TEXT.replace("claims 1\n0", "claims 1001\n0"), "line 6: a number is too large"),
    "a negative count": (TEXT.replace("values 4", "values -4"), "line 4: a number without sign"),
    "a leading zero": (TEXT.replace("values 4", "values 04"), "line 4: a number without sign"),
    "a wrong number": (TEXT.replace("2 + 0 1", "1 + 0 1"), "line 9: the values must be numbered"),
    "a forward reference": (TEXT.replace("2 + 0 1", "2 + 0 3"), "line 9: a number is too large"),
    "its own value": (TEXT.replace("2 + 0 1", "2 + 0 2"), "line 9: a number is too large"),
    "a negative reference": (TEXT.replace("2 + 0 1", "2 + 0 -1"), "line 9: a number without sign"),
    "a reference above 2⁶⁴": (TEXT.replace("2 + 0 1", f"2 + 0 {2**64 + 1}"), "line 9: a number is too large"),
    "an unknown operation": (TEXT.replace("2 + 0 1", "2 ^ 0 1"), "line 9: a value is one of"),
    "one operand": (TEXT.replace("2 + 0 1", "2 + 0"), "line 9: this line does not follow"),
    "three operands": (TEXT.replace("2 + 0 1", "2 + 0 1 1"), "line 9: this line does not follow"),
    "two spaces": (TEXT.replace("2 + 0 1", "2 +  0 1"), "line 9: a number without sign"),
    "a tab": (TEXT.replace("2 + 0 1", "2 +\t0 1"), "line 9: this line does not follow"),
    "a space at the end": (TEXT.replace("1 x", "1 x "), "line 8: this line does not follow"),
    "no integer": (TEXT.replace("n 12", "n "), "line 7: an integer without sign"),
    "a signed integer": (TEXT.replace("n 12", "n -12"), "line 7: an integer without sign"),
    "an integer with leading zeros": (TEXT.replace("n 12", "n 012"), "line 7: an integer without sign"),
    "a fraction": (TEXT.replace("n 12", "n 1/2"), "line 7: this line does not follow"),
    "a zero byte in an integer": (TEXT.replace("n 12", "n 1\0002"), "line 7: this line does not follow"),
    "an unknown divisor": (TEXT.replace("nonzero 2\n", "nonzero 4\n"), "line 11: a number is too large"),
    "an unknown output": (TEXT.replace("3 3", "3 4"), "line 13: a number is too large"),
    "one output": (TEXT.replace("3 3", "3"), "line 13: this line does not follow"),
    "no end": (TEXT.removesuffix("end\n"), "line 14: this line does not follow"),
    "half of the end": (TEXT.removesuffix("d\n"), "line 14: this line does not follow"),
    "something after the end": (TEXT + "\n", "line 15: something follows the end"),
    "two files": (TEXT + TEXT, "line 15: something follows the end"),
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


def test_a_file_that_is_cut_anywhere_is_refused(strict: Path, tmp_path: Path) -> None:
    assert run(strict, TEXT, tmp_path).code == 0
    for length in range(0, len(TEXT), 5):
        assert run(strict, TEXT[:length], tmp_path).code == 2


def test_no_bytes_make_the_checker_do_what_it_must_not(strict: Path, tmp_path: Path) -> None:
    """Random changes of bytes: refused, or a file that follows the grammar and gets the predicted answer."""
    rng, text, refused = random.Random(4), TEXT.encode(), 0
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
