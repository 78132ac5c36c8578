"""The command ``prove``: certificates on the command line, and with ``--every-tree`` the lemmas and the theorem."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dalembert.cli import completion
from dalembert.cli.exits import FAILED, NOTHING, CommandError
from dalembert.cli.options import FILE, FOLDER, Whole
from dalembert.cli.printing import find_mechanism, short

if TYPE_CHECKING:
    from cross_check.prove.proof.objects import Certificate
    from implementations.algorithms import Algorithm
    from mechanisms import Mechanism
    from mechanisms.quantities import Quantity

WIDEST = 40
"""The number of characters of an exact number that a line shows; certificates contain all of them."""


@click.command()
@click.argument("mechanism", nargs=-1, shell_complete=completion.mechanisms)
@click.option("--given", is_flag=True, help="Keep each mechanism's own numbers, and compute in fractions.")
@click.option("--random", "bodies", type=Whole(1, 1000), metavar="N", help="Prove it for a random tree of N bodies.")
@click.option("--joints", metavar="KINDS", help="Kinds of joints of the random tree, as revolute,free.  [default: all]")
@click.option(
    "-q",
    "--quantity",
    multiple=True,
    metavar="NAME",
    help="Prove these quantities or groups; repeatable.  [default: dynamics, J and drift of constraints]",
)
@click.option(
    "-i",
    "--implementation",
    metavar="SPEC",
    help="Prove the algorithms of module[:name] or file.py[:name], written over any field, instead of the reference's.",
)
@click.option("--seed", type=Whole(0), help="Seed of the random tree and of the random numbers.  [default: 0]")
@click.option("-o", "--output", type=FILE, help="Write the certificates (JSON) here.")
@click.option("--export", type=FOLDER, metavar="FOLDER", help="Write the claims and the source of their checker here.")
@click.option("--check", type=FILE, metavar="FILE", help="Prove the certificates in FILE again, and compare.")
@click.option("--every-tree", is_flag=True, help="Prove the theorem about all trees of all sizes, by lemmas about one body.")
@click.option("-v", "--verbose", is_flag=True, help="Print a line for every quantity, also if no mechanism is named.")
@click.pass_context
def prove(
    ctx: click.Context,
    mechanism: tuple[str, ...],
    given: bool,
    output: Path | None,
    export: Path | None,
    check: Path | None,
    every_tree: bool,
    implementation: str | None,
    verbose: bool,
    **drawn: Any,
) -> None:
    """Prove in exact arithmetic that the reference equals the oracle.

    Without --given, a proof is about every mechanism with the tree, the
    kinds of joints and the constrained directions of MECHANISM. Without
    MECHANISM, all textbook mechanisms that have the quantities are proven.

    Exit codes: 0 everything compared is proven; 1 something is refuted, or a
    certificate differs when it is proven again; 2 wrong usage or a bad file;
    3 an algorithm breaks a rule of proofs;
    5 nothing is refuted, but a certificate compares nothing, or the code of -i
    does not offer a quantity that -q names.

    \b
    dalembert prove ur5 talos -o certificate.json
    dalembert prove --check certificate.json
    dalembert prove --random 30 --joints revolute,free --seed 7
    dalembert prove ur5 --given
    dalembert prove ur5 -q kinematics -q inverse_dynamics_dq
    dalembert prove four-bar -q constraints -i my_algorithms.py
    dalembert prove ur5 --export claims
    dalembert prove --every-tree
    """
    if every_tree:
        if mechanism or given or output or export or check or _is_given(implementation, *drawn.values()):
            raise click.UsageError("--every-tree is about all trees and draws no numbers; leave all other arguments out")
        ctx.exit(prove_every_tree())
    if check:
        if mechanism or given or output or export or _is_given(*drawn.values()):
            raise click.UsageError("--check reads everything from the file; leave all other arguments but -i out")
        ctx.exit(_check(check, implementation))
    if drawn["joints"] is not None and not drawn["bodies"]:
        raise click.UsageError("--joints describes the random tree; give --random N too, or leave it out")
    if given and drawn["bodies"]:
        raise click.UsageError("--random proves a tree without numbers; leave --given out, or name random:SEED:BODIES")

    from cross_check.prove.proof.certificates import write_certificates
    from cross_check.prove.proof.objects import BY_DEFAULT, REFERENCE
    from cross_check.prove.proof.prove import prove
    from dalembert.outputs import input_files, require_outputs
    from dalembert.progress import progress
    from mechanisms.quantities import ALL_GROUPS, ALL_QUANTITIES, expand_groups, quantities_of, unknown_quantity

    inputs = input_files(mechanism, (implementation,) if implementation else ())
    require_outputs({"output": output}, inputs)
    named = expand_groups(drawn["quantity"], ALL_GROUPS)
    if unknown := [name for name in named if name not in ALL_QUANTITIES]:
        raise click.UsageError(unknown_quantity(unknown[0], ALL_GROUPS))
    whose, algorithms = _algorithms(implementation)
    seed = drawn["seed"] or 0
    is_named = bool(mechanism or drawn["bodies"] or verbose)
    certificates: list[Certificate] = []
    words = named or (BY_DEFAULT if whose == REFERENCE else tuple(algorithms))
    subjects = list(_subjects(mechanism, drawn["bodies"], drawn["joints"], seed, words))
    if export:
        _require_files([spec for spec, _ in subjects], export, inputs)
    for spec, subject in subjects:
        quantities = quantities_of(subject, words) or words
        with progress() as report, _one_sentence():
            made = prove(subject, spec, not given, seed, algorithms, quantities=quantities, progress=report, implementation=whose)
        certificates.append(made)
        if is_named or made.verdict != "proven":
            _show(made, subject, algorithms)
        if export:
            with _one_sentence():
                _export(spec, subject, not given, algorithms, quantities, export, whose)
    if not is_named:
        _summarise(certificates)
    if output:
        write_certificates(certificates, output)
    code = _exit_code([certificate.verdict for certificate in certificates])
    # A user's function that was renamed must not pass unnoticed. Of a group, some may be missing.
    missing = whose != REFERENCE and any(name in ALL_QUANTITIES and name not in algorithms for name in drawn["quantity"])
    ctx.exit(NOTHING if missing and not code else code)


def _is_given(*options: Any) -> bool:
    return any(value not in (None, ()) for value in options)


def _algorithms(spec: str | None) -> tuple[str, Mapping[str, Algorithm]]:
    """The name of what has the algorithms that are proven, and the algorithms by quantity; the reference's by default."""
    from cross_check.prove.proof.objects import REFERENCE
    from implementations.plugins.user_code import load_algorithms
    from implementations.spatial_algebra.reference import PROVABLE

    return (REFERENCE, PROVABLE) if spec in (None, REFERENCE) else (spec, load_algorithms(spec))


def _require_files(specs: Sequence[str], folder: Path, inputs: Sequence[Path]) -> None:
    """Raise an error in one sentence if the claims of two mechanisms would have one name, or if a file cannot be written."""
    from cross_check.prove.proof.claims import CHECKER, file_name
    from dalembert.outputs import require_outputs
    from mechanisms.plain_text import one_line

    named: dict[str, str] = {}
    for spec in specs:
        other = named.setdefault(name := file_name(spec, "dynamics"), spec)
        if other != spec:
            both = f"the claims of {one_line(other)} and of {one_line(spec)} would be in one file"
            raise click.UsageError(f"{both}; export them to two folders")
        require_outputs({"output": folder / name}, inputs)
    require_outputs({"output": folder / CHECKER.name}, inputs)


def _export(
    spec: str,
    subject: Mechanism,
    in_general: bool,
    algorithms: Mapping[str, Algorithm],
    quantities: Sequence[str],
    folder: Path,
    whose: str,
) -> None:
    """Write the claims about one mechanism, and the source of their checker, and say where."""
    from cross_check.exchange.results import write_text
    from cross_check.prove.proof.claims import CHECKER, export, file_name

    for claims in export(subject, spec, in_general, algorithms, quantities=quantities, implementation=whose):
        path = folder / file_name(spec, claims.name)
        write_text(claims.text, path)
        click.echo(f"    claims: {path}")
    write_text(CHECKER.read_text(encoding="utf-8"), folder / CHECKER.name)


def _exit_code(verdicts: Sequence[str]) -> int:
    """A refutation counts more than a certificate that compares nothing, and that counts more than a proof."""
    if "refuted" in verdicts:
        return 1
    return 0 if set(verdicts) == {"proven"} else NOTHING


@contextmanager
def _one_sentence() -> Iterator[None]:
    """Turn an algorithm that breaks the rules of proofs into one sentence and the exit code of code that failed."""
    from cross_check.prove.proof.statement import ProofError

    try:
        yield
    except ProofError as error:
        raise CommandError(str(error), FAILED) from error


def _subjects(
    specs: tuple[str, ...], bodies: int | None, joints: str | None, seed: int, quantities: Sequence[str]
) -> Iterator[tuple[str, Mechanism]]:
    """What to prove, each with its name. If none is named, these are the textbook mechanisms that have one of the quantities."""
    from mechanisms import TEXTBOOK, random_mechanism
    from mechanisms.generate import kinds_of
    from mechanisms.joint import MOVING
    from mechanisms.quantities import quantities_of
    from mechanisms.textbook_loops import LOOPS

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
    from mechanisms.plain_text import one_line
    from mechanisms.quantities import ALL_QUANTITIES as QUANTITIES

    click.echo(f"{one_line(certificate.mechanism)}, {certificate.about}: {certificate.verdict}")
    width = max(18, *(len(QUANTITIES[name].title) for name in certificate.quantities), 0)
    for name, proof in certificate.quantities.items():
        outcome = f"with an error of {proof.error} at most" if proof.error else ""
        line = f"degree {proof.degree:<10} {proof.verdict} {outcome}"
        click.echo(f"    {QUANTITIES[name].title:{width}} {line.rstrip()}")
        if witness := proof.witness:
            component = one_line(_component(QUANTITIES[name], subject, witness.component, certificate.in_general))
            values = f"got {short(witness.got, WIDEST)}, expected {short(witness.expected, WIDEST)}"
            click.echo(f"        round {witness.round}{', ' if component else ''}{component}: {values}")
    left_out: dict[str, list[str]] = {}
    for name in certificate.asked:
        if name not in certificate.quantities:
            left_out.setdefault(_reason(certificate, subject, name, algorithms), []).append(QUANTITIES[name].title)
    for reason, titles in left_out.items():
        click.echo(f"    {reason}: {'; '.join(titles)}")


def _summarise(certificates: Sequence[Certificate]) -> None:
    """Print one line for each kind of proof: how many statements are proven about which mechanisms."""
    from itertools import groupby

    from cross_check.exchange.results.plain_text import count, one_line

    proven = sorted((one for one in certificates if one.verdict == "proven"), key=lambda one: (len(one.about), one.about))
    for about, group in groupby(proven, lambda one: one.about):
        same = list(group)
        proofs = [proof for one in same for proof in one.quantities.values()]
        errors = [proof.error for proof in proofs if proof.error]
        error = max(errors, key=lambda text: int(text.removeprefix("2^")), default="0")
        statements = f"{count(len(proofs), 'statement')} about {count(len(same), 'tree')}, each for {about}"
        click.echo(f"{one_line(same[0].implementation)} = oracle: {statements}, are proven with an error of {error} at most")
    if proven:
        click.echo("-v prints a line for each")


def _reason(certificate: Certificate, subject: Mechanism, quantity: str, algorithms: Collection[str]) -> str:
    """Why a certificate has no proof of a quantity that was asked for."""
    from cross_check.prove.proof.objects import REFERENCE
    from mechanisms.plain_text import one_line
    from mechanisms.quantities import ALL_QUANTITIES, INTEGRATION, quantities_of

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
    from mechanisms.quantities import entries

    if len(indices) != len(quantity.axes):
        return ", ".join(subject.coordinates[i] for i in indices)
    # In general position the root and every body have a frame, and no others.
    frames = [f"the frame on {one}" for one in (subject.root, *(body.name for body in subject.bodies))]
    named = (frames if in_general and axis == "frames" else entries(subject, axis) for axis in quantity.axes)
    return ", ".join(names[i] for names, i in zip(named, indices, strict=True))


def _check(path: Path, implementation: str | None) -> int:
    """Prove all certificates in ``path`` again, print a line for each, and return the exit code."""
    from cross_check.exchange.results.plain_text import one_line
    from cross_check.prove.proof.certificates import prove_again, read_stored
    from dalembert.progress import progress

    whose, algorithms = _algorithms(implementation)
    certificates = read_stored(path)
    for stored in certificates:
        if (other := stored.document["implementation"]) != whose:
            # Code that a file names is run only if the user names it, too.
            about = f"{path} has a certificate about the algorithms of {one_line(other)!r}, not of {whose!r}"
            raise click.UsageError(f"{about}; name them with -i, if you trust them")
    verdicts = []
    for stored in certificates:
        with progress() as report, _one_sentence():
            again = prove_again(stored, algorithms, whose, progress=report)
        verdict, different = again.certificate.verdict, ", ".join(map(one_line, again.differences))
        outcome = f"differs when it is proven again: {different}" if different else f"{verdict}, again"
        click.echo(f"{one_line(again.certificate.mechanism)}: {outcome}")
        verdicts.append("refuted" if different else verdict)
    return _exit_code(verdicts)


def prove_every_tree() -> int:
    """Prove all lemmas, print a line for each and then the theorem, and return the exit code."""
    from cross_check.prove.theorem.theorem import LEMMAS, THEOREM, prove_lemmas
    from dalembert.progress import progress
    from mechanisms.joint import MOVING

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
