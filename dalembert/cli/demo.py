"""The command ``demo``: code with a wrong sign, and what is said about it."""

from __future__ import annotations

from contextlib import chdir, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from dalembert.cli.exits import FAILED, USAGE, CommandError

RIGHT, WRONG = "+ np.cross(w[i], m.inertias[i] @ w[i])", "- np.cross(w[i], m.inertias[i] @ w[i])"

NAME, MECHANISM = "my_dynamics.py", "furuta-pendulum"


NEXT = """dalembert demo --keep writes this my_dynamics.py here. Now your own code:
  dalembert check my_dynamics.py                       with inverse_dynamics(mechanism, q, v, a), for any mechanism
  dalembert check my_robot.urdf -i my_dynamics.py      with inverse_dynamics(q, v, a), for one robot"""


@click.command()
@click.option("--keep", is_flag=True, help=f"Write {NAME} here, with its fault, so that the printed commands can be run.")
@click.pass_context
def demo(ctx: click.Context, keep: bool) -> None:
    """Show in some seconds how a fault is found: one sign in 30 lines of NumPy is wrong."""
    if keep and Path(NAME).exists():
        raise CommandError(f"{NAME} exists here; run this in an empty folder", USAGE)
    source = example()
    click.echo(f"{NAME} is a recursive Newton-Euler algorithm in NumPy. In one line the sign of ω × I ω is wrong:\n")
    for number, line in enumerate(source.splitlines(), 1):
        if RIGHT in line:
            click.echo(f"{number:>6} {line.strip().replace(RIGHT, WRONG)}\n")
    click.echo(f"$ dalembert check {MECHANISM} -i {NAME}")
    with nullcontext(".") if keep else TemporaryDirectory() as folder, chdir(folder):
        Path(NAME).write_text(source.replace(RIGHT, WRONG), encoding="utf-8")
        main = ctx.find_root().command
        code = main.main(["check", MECHANISM, "-i", NAME, "--no-config"], standalone_mode=False)
    if code != 1:
        raise CommandError("the fault was not found; please report this", FAILED)
    click.echo(f"\n{NEXT}")


def example() -> str:
    """The source of the example. The wheel has it beside the package's modules."""
    packaged = Path(__file__).parents[1] / "example.py"
    return (packaged if packaged.exists() else Path(__file__).parents[2] / "docs" / "example.py").read_text("utf-8")
