"""The commands that prove: ``prove``, ``catalogue``, ``vectors``, whose values are proven to be correctly rounded, and
``trajectory``, whose values are proven to be near the solution."""

from __future__ import annotations

import click

from dalembert.cli import completion
from dalembert.cli.options import FILE, FOLDER, Whole, done_by, setting


@click.command()
@click.argument("mechanism", nargs=-1, shell_complete=completion.mechanisms)
@click.option("--given", is_flag=True, help="Keep each mechanism's own numbers, and compute in fractions.")
@click.option("--random", "bodies", type=Whole(1, 1000), metavar="N", help="Prove it for a random tree of N bodies.")
@click.option("--joints", metavar="KINDS", help="Kinds of joints of the random tree, as revolute,free.  [default: all]")
@setting("quantities", help="Prove these quantities or groups; repeatable.  [default: dynamics, J and drift of constraints]")
@setting(
    "implementations",
    multiple=False,
    help="Prove the algorithms of module[:name] or file.py[:name], written over any field, instead of the reference's.",
)
@click.option("--seed", type=Whole(0), help="Seed of the random tree and of the random numbers.  [default: 0]")
@click.option("-o", "--output", type=FILE, help="Write the certificates (JSON) here.")
@click.option("--export", type=FOLDER, metavar="FOLDER", help="Write the claims and the source of their checker here.")
@click.option("--check", type=FILE, metavar="FILE", help="Prove the certificates in FILE again, and compare.")
@click.option("--every-tree", is_flag=True, help="Prove the theorem about all trees of all sizes, by lemmas about one body.")
@click.option("-v", "--verbose", is_flag=True, help="Print a line for every quantity, also if no mechanism is named.")
@done_by("proving")
def prove() -> None:
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


@click.command()
@click.argument("id", nargs=-1)
@click.option("--seed", type=Whole(0), default=0, show_default=True, help="Seed of the random numbers.")
@click.option("-o", "--output", type=FILE, help="Write the outcomes here: a page to read (.html), or JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Print a line for every identity, also if no ID is given.")
@done_by("catalogue")
def catalogue() -> None:
    """Prove every identity of the five texts, and refute every slip in them.

    ID is the id of an identity, or the start of several ids: 000.16, 000.29, 003.

    \b
    dalembert catalogue
    dalembert catalogue 003 -o text-003.html
    dalembert catalogue 000.36 000.36-printed
    """


@click.command()
@click.argument("mechanism", nargs=-1, shell_complete=completion.mechanisms)
@click.option("-o", "--output", type=FOLDER, metavar="DIR", help="Write one file per mechanism and quantity below this folder.")
@click.option("--check", type=FOLDER, metavar="DIR", help="Make them again, and name the first difference from those in DIR.")
@setting("quantities", help="These quantities or groups; repeatable.  [default: dynamics]")
@click.option("--corpus", is_flag=True, help="The corpus: all textbook mechanisms and all robots, with a file of digests.")
@done_by("vectors")
def vectors() -> None:
    """Write test vectors of MECHANISM for code in any language.

    A file is JSON that explains itself: states, correctly rounded values,
    how to judge, and flags that say what a vector stresses. The same bits
    come out on every machine. docs/vectors.md has a judge of ten lines.

    Exit codes: 0 written, or all the same; 1 --check found a difference;
    2 wrong usage or a bad file; 5 there is nothing to write.

    \b
    dalembert vectors ur5 -o vectors
    dalembert vectors my_robot.urdf -q all -o vectors
    dalembert vectors --corpus -o corpus
    dalembert vectors --corpus --check corpus
    """


@click.command()
@click.argument("mechanism", required=False, shell_complete=completion.mechanisms)
@click.option("--time", metavar="SECONDS", help="How long it moves.  [default: the trajectory's own, or 1]")
@click.option("--digits", type=Whole(1, 250), help="So many decimals are proven.  [default: 15]")
@click.option("--samples", type=Whole(1, 10_000), help="At so many times, equally far apart.  [default: 1, the last]")
@click.option("-q", metavar="NUMBERS", help="The position at the start, with spaces between numbers.")
@click.option("-v", metavar="NUMBERS", help="The velocity at the start.")
@click.option("-o", "--output", type=FILE, help="Write the trajectory (JSON) here.")
@click.option("--prove", "proven", type=FILE, metavar="FILE", help="Prove the trajectory in FILE again, and compare.")
@done_by("trajectory")
def trajectory() -> None:
    """Compute the motion of MECHANISM to any number of proven digits.

    Two enclosures of the solution are computed, one from energy and one from
    forces, in arithmetic with error bounds. Both must lie within the digits.
    Without MECHANISM, the trajectories with a name are listed.

    Exit codes: 0 proven; 1 refuted, or not proven; 2 wrong usage or a bad
    file; 5 the solution cannot be enclosed for so long.

    \b
    dalembert trajectory
    dalembert trajectory double-pendulum --time 10 --digits 15
    dalembert trajectory ur5 -q "0 -1 1 0 0 0" --samples 100 -o ur5.json
    dalembert trajectory --prove ur5.json
    """
