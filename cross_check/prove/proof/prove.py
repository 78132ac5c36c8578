"""Certificates: proofs in exact arithmetic that two algorithms compute the same function.

Every quantity is a rational function of the state and of the numbers of the mechanism. Both algorithms are recorded as
straight-line programs (:mod:`cross_check.prove.proof.tape`). What a program does gives an upper bound d on the degree of the
numerator of the difference (:mod:`cross_check.prove.proof.degrees`). Then the programs are evaluated in exact arithmetic at
random points (:mod:`cross_check.prove.proof.rounds`).

In general position every number is drawn, and the certificate is about all mechanisms with one tree and these kinds of joints.
For a given mechanism only the state is drawn, and the mechanism keeps its own numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from flint import nmod_mat

from cross_check.prove.proof.chances import POINTS, drawn_prime
from cross_check.prove.proof.exact import Exact, residues
from cross_check.prove.proof.generic import is_general, tree, with_frames
from cross_check.prove.proof.objects import BY_DEFAULT, REFERENCE, Certificate, Proof, about, constrained, verdict
from cross_check.prove.proof.rounds import proofs_of
from cross_check.prove.proof.statement import Setting, Statement, Subject
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.reference import PROVABLE
from mechanisms import Mechanism, MechanismError
from mechanisms.limits import MOST_PROVEN
from mechanisms.quantities import ALL_GROUPS, ALL_QUANTITIES, CONSTRAINT_QUANTITIES, INTEGRATION, quantities_of, unknown_quantity

EXAMPLE_BITS = 61
"""The number of bits of a prime modulo which a rank is computed; nothing is proven modulo it."""

Progress = Callable[[str, int, int], None]
"""Receives what is proven now, the number of quantities done, and the number of all."""


def prove(
    mechanism: Mechanism,
    spec: str,
    in_general: bool = True,
    seed: int = 0,
    algorithms: Mapping[str, Callable[..., Tensor]] = PROVABLE,
    build: Callable[[Mechanism, Exact], Model] = build,
    quantities: Iterable[str] | None = None,
    progress: Progress = lambda doing, done, steps: None,
    implementation: str = REFERENCE,
) -> Certificate:
    """The certificate of the mechanism that ``spec`` names: each of ``quantities`` is proven, or refuted with a witness.

    A mechanism with springs, friction or gravity compensation is proven with its own numbers, also where it is to be proven
    ``in_general``. There the sign of a velocity is one more number that is drawn, so that no verdict depends on which signs were
    drawn.

    The reference is compared with the oracle, unless other ``algorithms``, or another ``build`` of their models, are given;
    ``implementation`` is the name of what has them. The default is :data:`~cross_check.prove.proof.objects.BY_DEFAULT`. A
    quantity that the given mechanism does not have is left out. So is one that has no unique value at any position, because M is
    singular or rows of J follow from others. If no quantity remains, the verdict is
    :data:`~cross_check.prove.proof.objects.NOTHING`.

    The same arguments give the same certificate; checking a certificate means making it again. Raises
    :class:`~cross_check.prove.proof.statement.ProofError` for an algorithm that compares the numbers that it is given, or whose
    answer is no array of numbers with the right shape, :class:`mechanisms.MechanismError` for a mechanism that is too large, and
    :class:`ValueError` for a name that is no quantity's.
    """
    asked = quantities_of(mechanism, BY_DEFAULT) if quantities is None else _known(quantities)
    in_general = in_general and is_general(mechanism)
    parts = programs(mechanism, spec, in_general, algorithms, build, asked)
    names = [statement.name for statements in parts.values() for statement in statements]
    proofs: dict[str, Proof] = {}
    for statements in parts.values():

        def report(done: int, statements: Sequence[Statement] = statements, before: int = len(proofs)) -> None:
            progress(f"{spec}: {ALL_QUANTITIES[statements[done].name].title}", before + done, len(names))

        made = proofs_of(statements, seed, report)
        proofs |= zip((statement.name for statement in statements), made, strict=True)
    return Certificate(
        mechanism=spec,
        implementation=implementation,
        about=about(in_general, bool(mechanism.constraints)),
        in_general=in_general,
        fingerprint=None if in_general else mechanism.fingerprint,
        parents=tuple(mechanism.parents),
        leaders=tuple(mechanism.leaders),
        kinds=tuple(body.joint.kind for body in mechanism.bodies),
        constraints=constrained(mechanism),
        seed=seed,
        asked=asked,
        verdict=verdict(proofs),
        quantities={name: proofs[name] for name in ALL_QUANTITIES if name in proofs},
    )


def programs(
    mechanism: Mechanism,
    spec: str,
    in_general: bool,
    algorithms: Mapping[str, Callable[..., Tensor]],
    build: Callable[[Mechanism, Exact], Model],
    quantities: Iterable[str],
) -> dict[str, list[Statement]]:
    """What :func:`prove` proves: the statements that share a program, by the name of the program.

    The reference's algorithms for one group of quantities share a program; all of them together would take too much memory.
    Every other algorithm has a program of its own: it might keep numbers, and give them to the next one.
    """
    asked = _known(quantities)
    _known(algorithms)
    _require_moderate(mechanism, spec)
    kinds = [body.joint.kind for body in mechanism.bodies]
    # A claim about every mechanism with this tree must not depend on the numbers and names of this one.
    subject = tree(mechanism.parents, kinds, mechanism.leaders, constrained(mechanism)) if in_general else mechanism

    @cache
    def independent(matrix: str) -> bool:
        return has_independent_rows(matrix, subject, in_general)

    parts, subjects = dict[str, list[Statement]](), dict[str, Subject]()
    rational = (name for name in ALL_QUANTITIES if name not in INTEGRATION)
    for name in quantities_of(mechanism, (name for name in rational if name in asked and name in algorithms)):
        quantity = ALL_QUANTITIES[name]
        # A proof takes any state, also those that violate the constraints.
        if quantity.is_along_constraints:
            continue
        # M in general position is regular.
        defined = in_general or (
            quantity.is_defined(mechanism) and (not quantity.needs_regular_mass_matrix or independent("mass_matrix"))
        )
        if defined and (not quantity.needs_independent_rows or independent("constraint_jacobian")):
            part = quantity.group if algorithms[name] is PROVABLE.get(name) else name
            # Numbers of frames and constraints are drawn only where a quantity reads them.
            of = subject if name in CONSTRAINT_QUANTITIES else subject.tree
            of = with_frames(of) if in_general and "frames" in quantity.axes else of
            about = subjects.setdefault(part, Subject(of, build, in_general))
            parts.setdefault(part, []).append(Statement(about, name, algorithms[name]))
    return parts


def _known(names: Iterable[str]) -> tuple[str, ...]:
    """The names of quantities, each of which exists. Raises :class:`ValueError`."""
    if isinstance(names, str):
        raise ValueError(f"the quantities are given as the text {names!r}; give a list of names")
    names = tuple(names)
    for name in names:
        if name not in ALL_QUANTITIES:
            raise ValueError(unknown_quantity(name, ALL_GROUPS))
    return names


def has_independent_rows(matrix: str, mechanism: Mechanism, in_general: bool) -> bool:
    """Whether the rows of M, or of the constraint Jacobian, are independent at some position of some mechanism of a proof.

    ``matrix`` is the quantity. Rows that are independent modulo a prime are. Dependent ones, at a random point, are so everywhere
    but for a probability of about 2⁻⁵⁰; then nothing is proven. A prime that divides a denominator gives way to another one.
    """
    random_numbers = random.Random(0)
    for _ in range(POINTS):
        p = drawn_prime(EXAMPLE_BITS, random_numbers)
        try:
            rows = _at_random(matrix, mechanism, in_general, p, random_numbers)
        except ZeroDivisionError:
            continue
        return nmod_mat(rows, p).rank() == len(rows)
    return False


def _at_random(matrix: str, mechanism: Mechanism, in_general: bool, p: int, random_numbers: random.Random) -> list[list[int]]:
    """The rows of a matrix at a random point modulo the prime p. Raises :class:`ZeroDivisionError`."""
    field = residues(p)
    setting = Setting(Subject(mechanism, build, in_general), field, lambda: field.element(random_numbers.randrange(p)))
    (A,) = getattr(setting.truth, matrix)(setting.state(matrix)["q"])
    return [list(map(int, row)) for row in A]


def _require_moderate(mechanism: Mechanism, spec: str) -> None:
    """Raise :class:`mechanisms.MechanismError` for a mechanism that is too large."""
    remedy = f"prove a mechanism with {MOST_PROVEN} at most"
    if (entries := _mass_matrix_entries(mechanism)) > MOST_PROVEN:
        size = f"a proof for {spec} takes too much memory, because its mass matrix has {entries} entries that are not always zero"
        raise MechanismError(f"{size}; {remedy}, such as a chain of 200 joints")
    if (entries := len(mechanism.constrained_directions) * mechanism.nv) > MOST_PROVEN:
        size = f"a proof for {spec} takes too much memory, because its constraint Jacobian has {entries} entries"
        raise MechanismError(f"{size}; {remedy}")


def _mass_matrix_entries(mechanism: Mechanism) -> int:
    """In one triangle: for every component of v, those of its own joint and of the joints that carry it."""
    carrying: list[int] = []
    for body, parent in zip(mechanism.bodies, mechanism.parents, strict=True):
        carrying.append(body.joint.nv + (carrying[parent] if parent >= 0 else 0))
    return sum(body.joint.nv * n for body, n in zip(mechanism.bodies, carrying, strict=True))
