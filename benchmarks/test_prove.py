"""Certificates in general position: recording both sides of all quantities, their degrees, one round, and whole certificates.

In theory the work goes with n · depth, as the mass matrix does.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from benchmark_page import growth

from cross_check.prove.proof.chances import EXPONENTS
from cross_check.prove.proof.degrees import Degrees
from cross_check.prove.proof.generic import with_frames
from cross_check.prove.proof.prove import prove
from cross_check.prove.proof.rounds import Recording, without_collection
from cross_check.prove.proof.statement import Statement, Subject
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import Mechanism, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import QUANTITIES

SIZES = (10, 30, 100)

GROUPS = tuple(dict.fromkeys(QUANTITIES[name].group for name in ALGORITHMS))
"""Dynamics, which stands first, and what else there is."""

DYNAMICS = GROUPS[:1]


def trees(sizes: Sequence[int]) -> dict[int, Mechanism]:
    """Random trees with joints of every kind, all of them among 30."""
    return {n: random_mechanism(1, n, MOVING) for n in sizes}


def statements(mechanism: Mechanism, groups: Sequence[str] = DYNAMICS) -> list[Statement]:
    chosen = [(name, algorithm) for name, algorithm in ALGORITHMS.items() if QUANTITIES[name].group in groups]
    subject = Subject(mechanism, build, True)
    return [Statement(subject, name, algorithm) for name, algorithm in chosen]


def recorded(mechanism: Mechanism, groups: Sequence[str] = DYNAMICS) -> Recording:
    """Both sides of every quantity as one program, with its degrees."""
    with without_collection():
        return Recording(statements(mechanism, groups))


def point(recording: Recording, exponent: int) -> None:
    """What one round does."""
    p, rng = 2**exponent - 1, random.Random(0)
    found = recording.tape.residues(p, [rng.randrange(p) for _ in recording.tape.inputs])
    for claim in recording.claims:
        assert all((found[x] - found[y]) % p == 0 for x, y in zip(claim.left, claim.right, strict=True))


def certificate(mechanism: Mechanism) -> None:
    assert prove(mechanism, mechanism.name).verdict == "proven"


def test_certificates(
    race: Any, table: Callable[..., None], aim: Callable[[str, float], None], scaled: Callable[..., Any]
) -> None:
    sizes = scaled(SIZES, (2, 4))
    contenders: dict[tuple[str, int], Callable[[], Any]] = {}
    for n, tree in trees(sizes).items():
        recording = recorded(tree)
        contenders |= {(f"one round, 2^{e} − 1", n): partial(point, recording, e) for e in EXPONENTS[:2]}
        contenders |= {
            ("degrees", n): partial(without_collection()(Degrees), recording.tape),
            ("certificate", n): partial(certificate, tree),
        }
        contenders["recording, with degrees", n] = partial(recorded, tree)
    best = race(contenders, rounds=2)
    rows = growth(sizes, best, lambda _, t: f"{t:.2f}")
    table("certificates", ("s", *(f"{n} bodies" for n in sizes), "exponent"), rows)
    aim("certificate", best["certificate", sizes[-1]])


def test_recording_every_group(race: Any, table: Callable[..., None], scaled: Callable[..., Any]) -> None:
    (tree,) = trees(scaled((30,), (2,))).values()
    best = race(
        {group: partial(recorded, with_frames(tree) if group == "frames" else tree, (group,)) for group in GROUPS}, rounds=1
    )
    table("certificates-recording", ("group of quantities", "s"), [(group, f"{seconds:.2f}") for group, seconds in best.items()])
