"""The command ``versions``: released packages compared, each in an environment of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from dalembert.cli import completion
from dalembert.cli.comparing import cores
from dalembert.cli.exits import FAILED, INTERRUPTED, CommandError
from dalembert.cli.options import FILE, jobs, limits, output, quantity, renderings, sampled, sampling, verbose
from implementations.processes.limits import Limits


@click.command()
@click.argument("requirement", nargs=-1)
@click.option(
    "-m",
    "--mechanisms",
    "--mechanism",
    "mechanism",
    multiple=True,
    metavar="MECHANISM",
    shell_complete=completion.mechanisms,
    help="A mechanism, as in `dalembert check`; repeatable.  [default: those of check]",
)
@click.option("-i", "--implementation", metavar="SPEC", help="The code that uses the package.  [default: our adapter of it]")
@quantity
@sampling(recorded=False)
@click.option("--bisect", is_flag=True, help="Find the release between two in which verdicts changed.")
@click.option("--every", is_flag=True, help="With --bisect: test every release between them.")
@output
@renderings("report", "junit", "markdown")
@verbose
@jobs
@limits
@click.option("--python", type=FILE, metavar="FILE", help="Make the environments with this Python.  [default: this one]")
@click.option("--as-released", is_flag=True, help="Install dependencies as of the day when the release was published (needs uv).")
@click.option("--list", "is_list", is_flag=True, help="List the environments that are kept.")
@click.option("--remove", is_flag=True, help="Remove the environments that are kept.")
@click.pass_context
def versions(ctx: click.Context, requirement: tuple[str, ...], is_list: bool, remove: bool, **chosen: Any) -> None:
    """Compare releases of a package with the truth and with one another.

    A REQUIREMENT is one release, such as pin==3.9.0, and what else its
    environment needs: pin==2.7.0,numpy<2. Every requirement gets an isolated
    environment, which is kept in the user's cache. uv makes it if there is one,
    otherwise venv and pip; wheels only, from the index that they are configured
    with. What cannot be installed is said, and the others go on.

    Exit codes: 0 all agree; 1 a release disagrees with the truth, or is worse
    than the one before it; 2 wrong usage; 3 a release could not be installed,
    or failed; 5 nothing was compared.

    \b
    dalembert versions pin==3.9.0 pin==4.1.0 -m ur5 -m panda --report moved.html
    dalembert versions pin==2.7.0 pin==4.1.0 --bisect -m cart-pole -q dynamics
    dalembert versions my-engine==1.0 my-engine==1.1 -i my_dynamics.py -m ur5
    dalembert versions --list
    """
    if is_list or remove:
        if requirement or (is_list and remove):
            raise click.UsageError("--list and --remove stand alone; leave the rest out")
        ctx.exit(_remove() if remove else _list())
    if not requirement:
        raise click.UsageError("name releases, such as pin==3.9.0 pin==4.1.0")
    if chosen["every"] and not chosen["bisect"]:
        raise click.UsageError("--every says how to bisect; give --bisect, too")
    ctx.exit(_compare(requirement, chosen))


def _compare(words: tuple[str, ...], chosen: dict[str, Any]) -> int:
    from cross_check.exchange.results import verdict_of
    from dalembert.cli.printing import show
    from dalembert.outputs import input_files, remove_earlier, require_outputs, write_outputs
    from dalembert.session import Execution, find_mechanisms, settings_from
    from dalembert.versions import Comparison, ends_of, implementation_for, parsed
    from reports import terminal

    requirements = parsed(words)
    ends = ends_of(requirements) if chosen["bisect"] else None
    implementation = implementation_for(requirements, chosen["implementation"])
    settings = settings_from(sampled(chosen) | {"invariants": False})
    files = input_files(chosen["mechanism"], (implementation,))
    require_outputs(chosen, files)
    mechanisms, unavailable = find_mechanisms(chosen["mechanism"], seed=settings.seed)
    remove_earlier(chosen, files)
    processes = 1 if ends else chosen["jobs"] or cores()
    how = Execution(limits=Limits(chosen["timeout"], chosen["memory"]), jobs=processes, explain=False)
    python = str(Path(chosen["python"]).expanduser().absolute()) if chosen["python"] else sys.executable
    comparison = Comparison(implementation, mechanisms, settings, how, python, chosen["as_released"], list(unavailable))
    results = comparison.bisect(*ends, chosen["every"]) if ends else comparison.run(requirements)
    try:
        write_outputs(results, chosen)
    finally:
        show(terminal.summary(results, chosen["verbose"]))
    if results.interrupted:
        raise CommandError("interrupted; what was finished is shown, and environments are kept", INTERRUPTED)
    return verdict_of(results).exit_code


def _list() -> int:
    from dalembert.environments.kept import kept_environments

    for one in kept_environments():
        click.echo(f"{one.requirement}  {len(one.packages)} packages  {one.megabytes:.0f} MB  {one.python}")
    return 0


def _remove() -> int:
    from dalembert.environments.kept import folder_of_environments, remove_environments

    count, megabytes, left = remove_environments()
    click.echo(f"removed {count} environments with {megabytes:.0f} MB below {folder_of_environments()}")
    for name in left:
        click.echo(f"{name} is in use, or cannot be removed; try again later", err=True)
    return FAILED if left else 0
