"""What the checker of claims must print, predicted by other code: Python's integers and SHA-256, and FLINT's test for primes.

Also a builder of claims by hand, and the commands that build and run the checker.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from flint import fmpz

from cross_check.prove.proof.claims import CHECKER

UNKNOWN = 2**60


class Run(NamedTuple):
    """What a run of the checker left."""

    code: int
    out: str
    err: str


def compile_checker(folder: Path, source: str | None = None, *flags: str) -> Path:
    """The checker, or the ``source`` in its place, built in ``folder``."""
    file, program = folder / "check_claims.c", folder / "check_claims"
    file.write_text(CHECKER.read_text("utf-8") if source is None else source, "utf-8")
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", *(flags or ["-O1"]), "-o", program, file], check=True, timeout=120)
    return program


def run(checker: Path, claims: str | bytes, folder: Path) -> Run:
    file = folder / "a.claims"
    file.write_bytes(claims if isinstance(claims, bytes) else claims.encode("ascii"))
    done = subprocess.run([checker, file], capture_output=True, timeout=60, check=False)
    return Run(done.returncode, done.stdout.decode("ascii"), done.stderr.decode("utf-8").replace(str(file), "FILE"))


@dataclass(frozen=True)
class Value:
    """Value ``n`` of a program: every operation appends another one."""

    program: Program
    n: int

    def __add__(self, other: Value | int) -> Value:
        return self._with("+", other)

    def __sub__(self, other: Value | int) -> Value:
        return self._with("-", other)

    def __mul__(self, other: Value | int) -> Value:
        return self._with("*", other)

    def __truediv__(self, other: Value | int) -> Value:
        return self._with("/", other)

    def squared(self, times: int) -> Value:
        """The power 2^times."""
        return (self * self).squared(times - 1) if times else self

    def _with(self, symbol: str, other: Value | int) -> Value:
        b = other if isinstance(other, Value) else self.program.n(other)
        return self.program.value(f"{symbol} {self.n} {b.n}")


class Program:
    """Claims that are written by hand."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self.nonzero: list[int] = []
        self.claims: list[tuple[str, list[tuple[int, int]]]] = []

    def value(self, how: str) -> Value:
        self.values.append(how)
        return Value(self, len(self.values) - 1)

    def x(self) -> Value:
        return self.value("x")

    def n(self, n: int) -> Value:
        return self.value(f"n {fmpz(n)}")

    def claim(self, *pairs: tuple[Value, Value], name: str = "it") -> Program:
        self.claims.append((name, [(left.n, right.n) for left, right in pairs]))
        return self

    def text(self, mechanism: str = "by hand") -> str:
        counts = [f"values {len(self.values)}", f"nonzero {len(self.nonzero)}", f"claims {len(self.claims)}"]
        lines = ["dalembert-claims 1", f"mechanism {mechanism}", "about an example", *counts]
        lines += [f"{k} {how}" for k, how in enumerate(self.values)] + [f"nonzero {n}" for n in self.nonzero]
        for name, pairs in self.claims:
            lines += [f"claim {len(pairs)} {name}", *(f"{a} {b}" for a, b in pairs)]
        return "\n".join([*lines, "end", ""])


class Parsed(NamedTuple):
    """The contents of a file that follows the grammar."""

    head: str
    values: list[tuple[str, int, int]]
    nonzero: list[int]
    claims: list[tuple[str, list[tuple[int, int]]]]


def parse(text: str) -> Parsed:
    lines = text.split("\n")
    about = f"{lines[1].removeprefix('mechanism ')}, {lines[2].removeprefix('about ')}"
    n, zeros, claims = (int(line.split()[1]) for line in lines[3:6])
    values = []
    for line in lines[6 : 6 + n]:
        _, kind, *rest = line.split()
        a, b = ([int(fmpz(rest[0])), len(rest[0])] if kind == "n" else [*map(int, rest), 0, 0])[:2]
        values.append((kind, a, b))
    found: list[tuple[str, list[tuple[int, int]]]] = []
    at = 6 + n + zeros
    for _ in range(claims):
        _, count, name = lines[at].split(" ", 2)
        pairs = [(int(a), int(b)) for a, b in (line.split() for line in lines[at + 1 : at + 1 + int(count)])]
        found.append((name, pairs))
        at += 1 + int(count)
    return Parsed(about, values, [int(line.split()[1]) for line in lines[6 + n : 6 + n + zeros]], found)


class Size(NamedTuple):
    """The size of a numerator, and the exponents of the denominator by divisor."""

    top: int
    below: dict[int, int]


def sizes(values: Sequence[tuple[str, int, int]]) -> list[int]:
    """The size of every numerator, as docs/claims.md derives it: with numerators and denominators, and one pass."""
    found: list[Size] = []

    def weight(below: dict[int, int]) -> int:
        return sum(power * found[g].top for g, power in below.items())

    for kind, a, b in values:
        if kind == "n":
            found.append(Size(0 if a in (0, 1) else -(-10 * b // 3), {}))
            continue
        if kind == "x":
            found.append(Size(1, {}))
            continue
        f, g = found[a], found[b]
        names = f.below.keys() | g.below.keys()
        if kind == "*":
            found.append(Size(f.top + g.top, {k: f.below.get(k, 0) + g.below.get(k, 0) for k in names}))
        elif kind == "/":
            common = {k: min(f.below.get(k, 0), g.below.get(k, 0)) for k in names}
            below = {k: f.below.get(k, 0) - common[k] for k in names}
            top = f.top + weight({k: g.below.get(k, 0) - common[k] for k in names})
            found.append(Size(top, {**below, b: below.get(b, 0) + 1}))
        else:
            both = {k: max(f.below.get(k, 0), g.below.get(k, 0)) for k in names}
            low = weight(both)
            found.append(Size(max(x.top + low - weight(x.below) for x in (f, g)) + 1, both))
    return [size.top for size in found]


def stream(digest: bytes) -> Iterator[int]:
    """The random numbers of 62 bits that follow from the digest of a file."""
    count = 0
    while True:
        block = hashlib.sha256(digest + count.to_bytes(8, "big")).digest()
        yield from (int.from_bytes(block[k : k + 8], "big") >> 2 for k in range(0, 32, 8))
        count += 1


def evaluated(parsed: Parsed, p: int, draw: Iterator[int]) -> tuple[list[int], int | None]:
    """The residues of all values, or the number of a value that is zero and must not be."""
    found: list[int] = []
    for kind, a, b in parsed.values:
        if kind == "n":
            found.append(a % p)
        elif kind == "x":
            found.append(next(x for x in draw if x < p))
        elif kind == "/":
            if not found[b]:
                return found, b
            found.append(found[a] * pow(found[b], -1, p) % p)
        else:
            x, y = found[a], found[b]
            found.append((x + y if kind == "+" else x - y if kind == "-" else x * y) % p)
    return found, next((n for n in parsed.nonzero if not found[n]), None)


def bits(size: int) -> int:
    """By how many bits one round reduces the probability of an error."""
    return 61 - (6 * size - 1).bit_length() if size else 61


def expected(text: str) -> Run:
    """What the checker must answer for a file that follows the grammar."""
    parsed = parse(text)
    differences = [[("-", a, b) for a, b in pairs] for _, pairs in parsed.claims]
    size = sizes([*parsed.values, *(difference for pairs in differences for difference in pairs)])[len(parsed.values) :]
    starts = [sum(map(len, differences[:c])) for c in range(len(differences))]
    tops = [max([0, *size[start : start + len(pairs)]]) for start, pairs in zip(starts, differences, strict=True)]
    rounds = max([2, *(-(-100 // bits(top)) for top in tops if bits(top) >= 4)])
    digest = hashlib.sha256(text.encode())
    draw, primes, zero = stream(digest.digest()), list[int](), None
    witnesses: dict[int, str] = {}
    for _ in range(rounds):
        for _ in range(2):
            primes.append(next(p for p in (x | 1 << 61 | 1 for x in draw) if fmpz(p).is_prime()))
            residues, zero = evaluated(parsed, primes[-1], draw)
            if zero is None:
                break
        if zero is not None:
            break
        for c, (_, pairs) in enumerate(parsed.claims):
            for i, (a, b) in enumerate(pairs):
                if residues[a] != residues[b]:
                    sides = f"{residues[a]} on the left and {residues[b]} on the right"
                    witnesses.setdefault(c, f"refuted; component {i} is {sides}, modulo {primes[-1]}")
    lines = [parsed.head, f"SHA-256 {digest.hexdigest()}", " ".join(["primes", *map(str, primes)])]
    for c, (name, pairs) in enumerate(parsed.claims):
        same = sum(a == b for a, b in pairs)
        unknown = f"{UNKNOWN} or more" if tops[c] >= UNKNOWN else tops[c]
        if zero is not None:
            lines.append(f"{name}: refuted; value {zero} is zero at every point that was tried, but must not be")
        elif c in witnesses:
            lines.append(f"{name}: {witnesses[c]}")
        elif not pairs:
            lines.append(f"{name}: nothing compared; there are no components")
        elif bits(tops[c]) < 4:
            lines.append(f"{name}: not decided; no difference was found, but the functions may be too large (size {unknown})")
        else:
            counts = f"components {len(pairs)}, the same value on both sides {same}, size {tops[c]}"
            lines.append(f"{name}: proven with an error of 2^-{rounds * bits(tops[c])} at most; {counts}")
    outcomes = [line.split(": ", 1)[1].split()[0] for line in lines[3:]]
    verdict = 1 if "refuted;" in outcomes else 0 if outcomes and set(outcomes) == {"proven"} else 5
    lines.append("verdict: " + {0: "proven", 1: "refuted", 5: "not decided"}[verdict])
    return Run(verdict, "\n".join([*lines, ""]), "")
