"""Certificates on the command line, and the lemmas and the theorem about every tree."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from cross_check.exchange.results import write_text
from cross_check.prove.proof.certificates import prove_again, read_stored, write_certificates
from cross_check.prove.proof.claims import CHECKER, file_name
from cross_check.prove.proof.claims import export as claims_of
from cross_check.prove.proof.objects import BY_DEFAULT, REFERENCE, Certificate
from cross_check.prove.proof.prove import prove as certificate_of
from cross_check.prove.theorem.theorem import LEMMAS, THEOREM, prove_lemmas
from dalembert.cli.exits import NOTHING
from dalembert.outputs import input_files, require_outputs
from dalembert.printing import find_mechanism, progress
from implementations.algorithms import Algorithm
from implementations.plugins.user_code import load_algorithms
from implementations.spatial_algebra.reference import PROVABLE
from mechanisms import TEXTBOOK, Mechanism, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.library.generate import kinds_of
from mechanisms.library.textbook_tables import LOOPS
from mechanisms.plain_text import count, one_line
from mechanisms.quantities import (
    ALL_GROUPS,
    ALL_QUANTITIES,
    INTEGRATION,
    Quantity,
    entries,
    expand_groups,
    quantities_of,
    unknown_quantity,
)
from reports.words import largest_bound, short

WIDEST = 40
"""The number of characters of an exact number that a line shows; certificates contain all of them."""


def prove(mechanism: tuple[str, ...], implementation: str | None, seed: int | None, **options: Any) -> int:
    """Prove what the options of the command name, and print it; the exit code."""
    chosen = {"mechanism": mechanism, "implementation": implementation, "seed": seed, **options}
    named = {name for name, value in chosen.items() if value not in (None, ()) and value is not False}
    if options["every_tree"]:
        if named - {"every_tree", "verbose"}:
            raise click.UsageError("--every-tree is about all trees and draws no numbers; leave all other arguments out")
        return prove_every_tree()
    if options["check"]:
        if named - {"check", "implementation", "verbose"}:
            raise click.UsageError("--check reads everything from the file; leave all other arguments but -i out")
        return _check(options["check"], implementation)
    return _prove(mechanism, implementation, seed, options)


def _prove(mechanism: tuple[str, ...], implementation: str | None, seed: int | None, options: Mapping[str, Any]) -> int:
    """Make certificates and claims; the exit code."""
    bodies, joints, export, output = (options[name] for name in ("bodies", "joints", "export", "output"))
    if joints is not None and not bodies:
        raise click.UsageError("--joints describes the random tree; give --random N too, or leave it out")
    if options["given"] and bodies:
        raise click.UsageError("--random proves a tree without numbers; leave --given out, or name random:SEED:BODIES")
    inputs = input_files(mechanism, (implementation,) if implementation else ())
    require_outputs({"output": output}, inputs)
    words = expand_groups(options["quantity"], ALL_GROUPS)
    if unknown := [name for name in words if name not in ALL_QUANTITIES]:
        raise click.UsageError(unknown_quantity(unknown[0], ALL_GROUPS))
    whose, algorithms = _algorithms(implementation)
    is_named = bool(mechanism or bodies or options["verbose"])
    certificates: list[Certificate] = []
    words = words or (BY_DEFAULT if whose == REFERENCE else tuple(algorithms))
    subjects = list(_subjects(mechanism, bodies, joints, seed or 0, words))
    if export:
        _require_files([spec for spec, _ in subjects], export, inputs)
    for spec, subject in subjects:
        quantities = quantities_of(subject, words) or words
        about: dict[str, Any] = {"quantities": quantities, "implementation": whose}
        with progress() as report:
            made = certificate_of(subject, spec, not options["given"], seed or 0, algorithms, progress=report, **about)
        certificates.append(made)
        if is_named or made.verdict != "proven":
            _show(made, subject, algorithms)
        if export:
            for claims in claims_of(subject, spec, not options["given"], algorithms, **about):
                path = export / file_name(spec, claims.name)
                write_text(claims.text, path)
                click.echo(f"    claims: {path}")
            write_text(CHECKER.read_text(encoding="utf-8"), export / CHECKER.name)
    if not is_named:
        _summarise(certificates)
    if output:
        write_certificates(certificates, output)
    code = _exit_code([certificate.verdict for certificate in certificates])
    # A user's function that was renamed must not pass unnoticed. Of a group, some may be missing.
    missing = whose != REFERENCE and any(name in ALL_QUANTITIES and name not in algorithms for name in options["quantity"])
    return NOTHING if missing and not code else code


def _algorithms(spec: str | None) -> tuple[str, Mapping[str, Algorithm]]:
    """The name of what has the algorithms that are proven, and the algorithms by quantity; the reference's by default."""
    return (REFERENCE, PROVABLE) if spec in (None, REFERENCE) else (spec, load_algorithms(spec))


def _require_files(specs: Sequence[str], folder: Path, inputs: Sequence[Path]) -> None:
    """Raise an error in one sentence if the claims of two mechanisms would have one name, or if a file cannot be written."""
    named: dict[str, str] = {}
    for spec in specs:
        other = named.setdefault(name := file_name(spec, "dynamics"), spec)
        if other != spec:
            both = f"the claims of {one_line(other)} and of {one_line(spec)} would be in one file"
            raise click.UsageError(f"{both}; export them to two folders")
        require_outputs({"output": folder / name}, inputs)
    require_outputs({"output": folder / CHECKER.name}, inputs)


def _exit_code(verdicts: Sequence[str]) -> int:
    """A refutation counts more than a certificate that compares nothing, and that counts more than a proof."""
    if "refuted" in verdicts:
        return 1
    return 0 if set(verdicts) == {"proven"} else NOTHING


def _subjects(
    specs: tuple[str, ...], bodies: int | None, joints: str | None, seed: int, quantities: Sequence[str]
) -> Iterator[tuple[str, Mechanism]]:
    """What to prove, each with its name. If none is named, these are the textbook mechanisms that have one of the quantities."""
    for spec in dict.fromkeys(specs):
        yield spec, find_mechanism(spec)
    for spec in () if specs or bodies else (*TEXTBOOK, *LOOPS):
        if quantities_of(subject := find_mechanism(spec), quantities):
            yield spec, subject
    if bodies:
        kinds = MOVING if joints is None else kinds_of(joints)
        yield f"random tree of {bodies} bodies, seed {seed}", random_mechanism(seed, bodies, kinds)


def _show(certificate: Certificate, subject: Mechanism, algorithms: Collection[str]) -> None:
    """Print one line for each quantity, one for each witness, and one for what was left out, with the reason.

    ``algorithms`` has the names of the quantities that could be proven.
    """
    click.echo(f"{one_line(certificate.mechanism)}, {certificate.about}: {certificate.verdict}")
    width = max(18, *(len(ALL_QUANTITIES[name].title) for name in certificate.quantities), 0)
    for name, proof in certificate.quantities.items():
        outcome = f"with an error of {proof.error} at most" if proof.error else ""
        line = f"degree {proof.degree:<10} {proof.verdict} {outcome}"
        click.echo(f"    {ALL_QUANTITIES[name].title:{width}} {line.rstrip()}")
        if witness := proof.witness:
            component = one_line(_component(ALL_QUANTITIES[name], subject, witness.component, certificate.in_general))
            got, expected = (short(number, WIDEST, dots="...") for number in (witness.got, witness.expected))
            click.echo(f"        round {witness.round}{', ' if component else ''}{component}: got {got}, expected {expected}")
    left_out: dict[str, list[str]] = {}
    for name in certificate.asked:
        if name not in certificate.quantities:
            left_out.setdefault(_reason(certificate, subject, name, algorithms), []).append(ALL_QUANTITIES[name].title)
    for reason, titles in left_out.items():
        click.echo(f"    {reason}: {'; '.join(titles)}")


def _summarise(certificates: Sequence[Certificate]) -> None:
    """Print one line for each kind of proof: how many statements are proven about which mechanisms."""
    proven = sorted((one for one in certificates if one.verdict == "proven"), key=lambda one: (len(one.about), one.about))
    for about, group in groupby(proven, lambda one: one.about):
        same = list(group)
        proofs = [proof for one in same for proof in one.quantities.values()]
        error = largest_bound(proof.error for proof in proofs) or "0"
        statements = f"{count(len(proofs), 'statement')} about {count(len(same), 'tree')}, each for {about}"
        click.echo(f"{one_line(same[0].implementation)} = oracle: {statements}, are proven with an error of {error} at most")
    if proven:
        click.echo("-v prints a line for each")


def _reason(certificate: Certificate, subject: Mechanism, quantity: str, algorithms: Collection[str]) -> str:
    """Why a certificate has no proof of a quantity that was asked for."""
    if quantity in INTEGRATION:
        return "not proven, because they are no rational functions (`check` compares them)"
    if quantities_of(subject, (quantity,)) and ALL_QUANTITIES[quantity].is_along_constraints:
        return "not proven, because it is one function only where the constraints are satisfied, and proofs take any state"
    if quantity in algorithms and ALL_QUANTITIES[quantity].needs_independent_rows and subject.constraints:
        return "not defined, because M is singular or rows of J follow from others at every position"
    if quantity in algorithms or not quantities_of(subject, (quantity,)):
        return "not defined for this mechanism"
    if certificate.implementation == REFERENCE:
        return "not proven, because the reference computes it by a singular value decomposition, in float64"
    return f"not offered by {one_line(certificate.implementation)}"


def _component(quantity: Quantity, subject: Mechanism, indices: Sequence[int], in_general: bool) -> str:
    """The name of a component; a component of an equation may have fewer indices than the quantity has axes."""
    if len(indices) != len(quantity.axes):
        return ", ".join(subject.coordinates[i] for i in indices)
    # In general position the root and every body have a frame, and no others.
    frames = [f"the frame on {one}" for one in (subject.root, *(body.name for body in subject.bodies))]
    named = (frames if in_general and axis == "frames" else entries(subject, axis) for axis in quantity.axes)
    return ", ".join(names[i] for names, i in zip(named, indices, strict=True))


def _check(path: Path, implementation: str | None) -> int:
    """Prove all certificates in ``path`` again, print a line for each, and return the exit code."""
    whose, algorithms = _algorithms(implementation)
    certificates = read_stored(path)
    for stored in certificates:
        if (other := stored.document["implementation"]) != whose:
            # Code that a file names is run only if the user names it, too.
            about = f"{path} has a certificate about the algorithms of {one_line(other)!r}, not of {whose!r}"
            raise click.UsageError(f"{about}; name them with -i, if you trust them")
    verdicts = []
    for stored in certificates:
        with progress() as report:
            again = prove_again(stored, algorithms, whose, progress=report)
        verdict, different = again.certificate.verdict, ", ".join(map(one_line, again.differences))
        outcome = f"differs when it is proven again: {different}" if different else f"{verdict}, again"
        click.echo(f"{one_line(again.certificate.mechanism)}: {outcome}")
        verdicts.append("refuted" if different else verdict)
    return _exit_code(verdicts)


def prove_every_tree() -> int:
    """Prove all lemmas, print a line for each and then the theorem, and return the exit code."""
    with progress() as report:
        proven = prove_lemmas(LEMMAS, report)
    for number, (lemma, identities, broken) in enumerate(proven):
        verdict, of = "broken" if broken else "proven", "values of programs" if lemma.is_about_programs else "identities over ℚ"
        click.echo(f"Lemma {number}, {lemma.name}: {verdict}, {len(lemma.cases)} cases, {identities} {of}")
        click.echo(f"    {lemma.says}")
        click.echo(f"    runs {lemma.runs}")
        for where in broken:
            click.echo(f"    breaks at {where}")
    if any(lemma.broken for lemma in proven):
        click.echo("The theorem is not proven.")
        return 1
    click.echo(THEOREM.format(kinds=len(MOVING)))
    return 0
