"""The command that proves: certificates on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dalembert.cli.options import FILE

if TYPE_CHECKING:
    from mechanisms import Mechanism

WIDEST = 40
"""Characters of an exact number that a line shows; certificates have them all."""


@click.command()
@click.argument("mechanism", nargs=-1)
@click.option("--given", is_flag=True, help="Keep each mechanism's own numbers, and compute in fractions.")
@click.option("--random", "bodies", type=click.IntRange(1, 1000), metavar="N", help="Prove it for a random tree of N bodies.")
@click.option("--joints", metavar="KINDS", help="Of the random tree's joints, as revolute,free.  [default: all]")
@click.option(
    "-q", "--quantity", multiple=True, metavar="NAME", help="Of these quantities or groups; repeatable.  [default: dynamics]"
)
@click.option("--seed", type=click.IntRange(0), help="Seed of the random tree and of what is drawn.  [default: 0]")
@click.option("-o", "--output", type=FILE, help="Write the certificates (JSON) here.")
@click.option("--check", type=FILE, metavar="FILE", help="Prove again what the certificates in FILE say, and compare.")
@click.pass_context
def prove(
    ctx: click.Context, mechanism: tuple[str, ...], given: bool, output: Path | None, check: Path | None, **drawn: Any
) -> None:
    """Prove the reference equal to the oracle, in exact arithmetic.

    Without --given a proof is about every mechanism with the tree and the
    kinds of joints of each MECHANISM: all textbook ones unless you name some.

    \b
    dalembert prove ur5 talos -o certificate.json
    dalembert prove --check certificate.json
    dalembert prove --random 30 --joints revolute,free --seed 7
    dalembert prove ur5 --given
    dalembert prove ur5 -q kinematics -q inverse_dynamics_dq
    """
    if check:
        if mechanism or given or output or any(value not in (None, ()) for value in drawn.values()):
            raise click.UsageError("--check takes all it needs from the file; leave everything else out")
        ctx.exit(0 if _check(check) else 1)
    if drawn["joints"] is not None and not drawn["bodies"]:
        raise click.UsageError("--joints is about the random tree; give --random N too, or leave it out")
    if given and drawn["bodies"]:
        raise click.UsageError("--random is about trees, not about numbers; leave --given out, or name random:SEED:BODIES")

    from cross_check.proof.certificates import write_certificates
    from cross_check.proof.prove import prove
    from dalembert.session import progress, require_outputs
    from mechanisms.quantities import GROUPS, QUANTITIES, expand_groups

    require_outputs({"output": output})
    quantities = expand_groups(drawn["quantity"] or ("dynamics",))
    if unknown := [name for name in quantities if name not in QUANTITIES]:
        raise click.UsageError(f"there is no quantity {unknown[0]!r}; use all, {', '.join((*GROUPS, *QUANTITIES))}")
    seed = drawn["seed"] or 0
    certificates = []
    for spec, subject in list(_subjects(mechanism, drawn["bodies"], drawn["joints"], seed)):
        with progress() as told:
            certificates.append(prove(subject, spec, not given, seed, quantities=quantities, progress=told))
        _show(certificates[-1], subject)
    if output:
        write_certificates(certificates, output)
    ctx.exit(0 if all(certificate["verdict"] == "proven" for certificate in certificates) else 1)


def _subjects(specs: tuple[str, ...], bodies: int | None, joints: str | None, seed: int) -> Iterator[tuple[str, Mechanism]]:
    """What to prove, each with its name."""
    from mechanisms import TEXTBOOK, find_mechanism, random_mechanism
    from mechanisms.generate import kinds_of
    from mechanisms.joint import MOVING

    for spec in dict.fromkeys(specs or (() if bodies else TEXTBOOK)):
        yield spec, find_mechanism(spec)
    if bodies:
        kinds = MOVING if joints is None else kinds_of(joints)
        yield f"random tree of {bodies} bodies, seed {seed}", random_mechanism(seed, bodies, kinds)


def _show(certificate: Mapping[str, Any], subject: Mechanism) -> None:
    """A line per quantity, and one for each witness."""
    from mechanisms.quantities import QUANTITIES

    click.echo(f"{certificate['mechanism']}, {certificate['about']}: {certificate['verdict']}")
    width = max(18, *(len(QUANTITIES[name].title) for name in certificate["quantities"]), 0)
    for name, found in certificate["quantities"].items():
        outcome = f"with an error of {found['error']} at most" if found["error"] else ""
        line = f"degree {found['degree']:<10} {found['verdict']} {outcome}"
        click.echo(f"    {QUANTITIES[name].title:{width}} {line.rstrip()}")
        if witness := found["witness"]:
            at = " ".join(subject.coordinates[i] for i in witness["component"])
            values = f"got {_short(witness['got'])}, expected {_short(witness['expected'])}"
            click.echo(f"        round {witness['round']}{', ' if at else ''}{at}: {values}")


def _short(number: str) -> str:
    return number if len(number) <= WIDEST else f"{number[:WIDEST]}... ({len(number)} characters)"


def _check(path: Path) -> bool:
    """Whether all certificates in ``path`` are of proofs that come out again."""
    from cross_check.proof.certificates import prove_again, read_certificates
    from dalembert.session import progress

    right = True
    for certificate in read_certificates(path):
        with progress() as told:
            differences = prove_again(certificate, progress=told)
        outcome = f"comes out otherwise at {', '.join(differences)}" if differences else f"{certificate['verdict']}, again"
        click.echo(f"{certificate['mechanism']}: {outcome}")
        right = right and not differences and certificate["verdict"] == "proven"
    return right
