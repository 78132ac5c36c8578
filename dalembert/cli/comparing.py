"""The commands that compare: declared here, done in :mod:`dalembert.commands`."""

from __future__ import annotations

import click

from dalembert.cli import completion, options
from dalembert.cli.configured import configured
from dalembert.cli.stale import Judging

EXIT_CODES = (
    "Exit codes: 0 all agree; 1 a discrepancy or a regression; 2 wrong usage; 3 an engine that you name is missing, or code "
    "failed; 5 nothing was compared; 6 with --strict, if the run cannot show gravity, rotational inertia or Coriolis terms."
)


@click.command(cls=Judging, epilog=EXIT_CODES)
@click.argument("mechanism", nargs=-1, shell_complete=completion.mechanisms)
@options.setting("implementations", shell_complete=completion.implementations)
@click.option("--recorded", multiple=True, metavar="FILE", help="Recorded answers (.csv, .json, .npz, .h5); repeatable.")
@options.quantity
@click.option("--state", type=options.Whole(0), help="Show this one state in full.")
@options.as_read
@options.sampling(recorded=False)
@options.output
@click.option("--errors", type=options.FILE, help="Write the error of every state here (NPZ).")
@click.option("--fix", is_flag=True, help="Show the changes that mend your Python code, and ask before they are written.")
@click.option("--yes", is_flag=True, help="With --fix: write them without asking.")
@options.execution
@configured
@options.done_by("comparing")
def check() -> None:
    """Compare implementations with the truth: all of them on the default mechanisms, unless you name some.

    A MECHANISM is a name (see `dalembert mechanisms`), random:SEED:BODIES[:KINDS], a file of URDF, MJCF or SDF, or your own in
    Python (my_arm.py, my_arm.py:name, module:name); free:NAME puts it on a free base. A Python file with dynamics is an
    implementation.

    \b
    dalembert check --report report.html
    dalembert check my_dynamics.py
    dalembert check robot.urdf random:7:30 -i my_dynamics.py -i pinocchio
    dalembert check random:1:6:all -q dynamics -q derivatives
    dalembert check ur5 -i rbdl -q mass_matrix --state 12
    dalembert check ur5 --recorded results.csv
    dalembert check my_dynamics.py --fix
    """


@click.command(cls=Judging, epilog=EXIT_CODES)
@click.argument("implementation", required=False, shell_complete=completion.implementations)
@click.argument("mechanism", nargs=-1, shell_complete=completion.mechanisms)
@options.quantity
@options.shown("baseline")
@click.option("--update-baseline", is_flag=True, help="Record this run in the baseline.")
@click.option("--since", metavar="REV", help="Compare with this revision of the repository instead of a baseline.")
@click.option("--since-setup", metavar="COMMAND", help="Make the environment of the revision; runs in its copy of this folder.")
@click.option("--dirty", is_flag=True, help="With --since: compare changes that are not committed, too.")
@options.as_read
@options.sampling(recorded=True)
@options.output
@options.execution
@configured
@options.done_by("comparing")
def gate() -> None:
    """Check one IMPLEMENTATION and compare it with its baseline.

    The gate fails if a cell is wrong, if the error of a right cell is more than four times its baseline (and more than
    two ε-units), if a cell is not compared any more, and if the baseline has no record of the implementation or of a
    mechanism. Mechanisms and quantities on the command line say what to compare; settings of a file leave nothing out.
    Mechanisms, seed, states and bar come from the baseline unless you give them. The bar must be the baseline's.

    --update-baseline records what the run covers and keeps everything else in the file. Without a baseline, the settings
    are the defaults of `dalembert check`.

    With --since REV, the code of another revision of the git repository runs on the same mechanisms and states, and is the
    baseline. It is checked out into a temporary folder; docs/ci.md says in which environment it runs.

    README.md and docs/conventions.md say which functions to write, and in which conventions. A function of one state is
    called once per state, so cache what it builds from a mechanism.

    \b
    dalembert gate my_package.dynamics ur5 robot.urdf --update-baseline
    dalembert gate my_package.dynamics
    dalembert gate pinocchio --require pinocchio --junit gate.xml
    dalembert gate my_package.dynamics ur5 --since main
    """


@click.command()
@click.argument("results", type=options.FILE)
@click.option("--html", type=options.FILE, help="The same as --report.  [default: report.html]")
@options.outputs
@options.done_by("comparing")
def report() -> None:
    """Turn a RESULTS file of `dalembert check -o` into a report.

    RESULTS may also be the journal of a run that ended early.
    """


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
@options.quantity
@options.sampling(recorded=False)
@click.option("--bisect", is_flag=True, help="Find the release between two in which verdicts changed.")
@click.option("--every", is_flag=True, help="With --bisect: test every release between them.")
@options.output
@options.renderings("report", "junit", "markdown")
@options.verbose
@options.jobs
@options.limits
@click.option("--python", type=options.FILE, metavar="FILE", help="Make the environments with this Python.  [default: this one]")
@click.option("--list", "is_list", is_flag=True, help="List the environments that are kept.")
@click.option("--remove", is_flag=True, help="Remove the environments that are kept.")
@options.done_by("versions")
def versions() -> None:
    """Compare releases of a package with the truth and with one another.

    A REQUIREMENT is one release, such as pin==3.9.0, and what else its
    environment needs: pin==2.7.0,numpy<2. Every requirement gets an isolated
    environment, which is kept in the user's cache. uv makes it (pip install uv)
    from wheels, with dependencies as old as the release. What cannot be
    installed is said, and the others go on.

    Exit codes: 0 all agree; 1 a release disagrees with the truth, or is worse
    than the one before it; 2 wrong usage; 3 a release could not be installed,
    failed, or compared nothing; 5 nothing was compared.

    \b
    dalembert versions pin==3.9.0 pin==4.1.0 -m ur5 -m panda --report moved.html
    dalembert versions pin==2.7.0 pin==4.1.0 --bisect -m cart-pole -q dynamics
    dalembert versions my-engine==1.0 my-engine==1.1 -i my_dynamics.py -m ur5
    dalembert versions --list
    """


@click.command()
@click.argument("robot", nargs=-1, required=True, metavar="FILE...", shell_complete=completion.mechanisms)
@click.option("-e", "--engine", multiple=True, metavar="NAME", help="Only these engines; repeatable.  [default: all installed]")
@click.option("--json", "output", type=options.FILE, metavar="FILE", help="Write the comparison (JSON) here.")
@click.option("--report", type=options.FILE, metavar="FILE", help="Write the comparison as a page (HTML) here.")
@click.option(
    "--baseline", type=options.FILE, metavar="FILE", help="An earlier --json: only what is not in it makes the command fail."
)
@options.done_by("diff")
def diff() -> None:
    """Read a file with every engine's own reader and with ours, and say who reads it otherwise, where and why.

    FILE is a URDF, an MJCF or an SDF, or the name of a robot (see `dalembert mechanisms`); free:FILE puts a URDF on a free base.
    Compared are joints, masses, inertias, placements, axes, limits and gravity, then M, g, h and τ. A cause is named only if
    everything agrees with it undone.

    Exit codes: 0 all read it alike, or as in the baseline; 1 somebody differs,
    or is not compared any more; 2 wrong usage or a file that we refuse;
    5 no engine that is installed reads a file of this form.

    \b
    dalembert diff robot.urdf
    dalembert diff ur5 talos --report diff.html
    dalembert diff robot.urdf -e pinocchio -e drake --json diff.json
    dalembert diff robot.urdf --baseline diff.json
    """


@click.command()
@click.argument("robot", nargs=-1, required=True, metavar="FILE...", shell_complete=completion.mechanisms)
@click.option("--strict", is_flag=True, help="Exit 1 if there is a warning.")
@click.option("--json", "output", type=options.FILE, metavar="FILE", help="Write the warnings (JSON) here.")
@options.done_by("lint")
def lint() -> None:
    """Say which numbers of a robot's file are implausible, where, and what the usual cause is.

    FILE is a URDF, an MJCF or an SDF, or the name of a robot (see `dalembert mechanisms`). Masses, moments, centres of mass and
    angles are compared with one another, with the shapes and meshes that are beside the file, and with what matter can be.
    docs/lint.md has the rules.

    Exit codes: 0 done; 1 with --strict, if there is a warning; 2 wrong usage
    or a file that we refuse.

    \b
    dalembert lint robot.urdf
    dalembert lint ur5 talos scene.xml --json lint.json
    dalembert lint robot.urdf --strict
    """


@click.command()
@click.argument("first", shell_complete=completion.mechanisms)
@click.argument("second", shell_complete=completion.mechanisms)
@click.option("--map", "renamed", multiple=True, metavar="OLD=NEW", help="A link or joint that has another name; repeatable.")
@click.option("--json", "output", type=options.FILE, metavar="FILE", help="Write the comparison (JSON) here.")
@click.option("--state", type=click.IntRange(0, 63), metavar="NUMBER", help="Print this state, and τ of both there.")
@options.done_by("same")
def same() -> None:
    """Say whether FIRST and SECOND are one robot; if not, which numbers differ.

    Both are files (URDF, MJCF or SDF) or names, as in `dalembert check`. They
    are the same if τ is the same function of the same coordinates. Frames of
    links, welded links, principal axes, the order of joints and the place of
    the base may differ, and names where the tree tells what they mean. Each
    difference comes with its value and line in both files, and with what it
    does to τ.

    Exit codes: 0 the same robot, exactly or to 5 digits at least, or the same
    motion; 1 they differ; 2 wrong usage or a bad file.

    \b
    dalembert same robot.urdf robot.xml
    dalembert same arm.urdf arm_v2.urdf --map shoulder=joint_1
    dalembert same ur5 my_ur5.urdf --json same.json
    """


@click.command()
@click.argument("engine", required=False, shell_complete=completion.implementations)
@click.argument("mechanism", nargs=-1, shell_complete=completion.mechanisms)
@options.setting("quantities", help="Search for this quantity or group; repeatable.  [default: dynamics]")
@options.shown("seed")
@options.setting("states", default=20000, show_default=True, help="States per mechanism and quantity.")
@options.precision
@click.option("-o", "--output", type=options.FILE, help="Write the states (JSON) here, every bit of them.")
@click.option("--again", type=options.FILE, metavar="FILE", help="Ask again at the states in FILE; ENGINE may be another code.")
@options.limits
@click.option("--in-process", is_flag=True, help="Call the code in this process, without protection, for a debugger.")
@options.done_by("worst")
def worst() -> None:
    """Search for the states at which ENGINE loses most.

    ENGINE is any code that `dalembert check -i` takes. The search begins with
    the worst of sampled states and changes them, within the region in which
    states are sampled. Errors are in ε-units. Ctrl-C keeps what was found.

    Exit codes: 0 done; 2 wrong usage or a bad file; 3 the engine is missing,
    or code failed; 5 nothing was compared.

    \b
    dalembert worst pinocchio ur5 panda
    dalembert worst my_dynamics.py ur5 -q mass_matrix --states 100000
    dalembert worst mujoco panda -o worst.json
    dalembert worst --again worst.json
    dalembert worst pinocchio --again worst.json
    """


@click.command()
@click.argument("code", shell_complete=completion.implementations)
@click.argument("mechanism", nargs=-1, shell_complete=completion.mechanisms)
@click.option("--scheme", metavar="NAME", help="The scheme that every step has to follow, or how its name begins.")
@click.option("--h", type=options.Number(0, min_open=True), metavar="SECONDS", help="The length of steps.  [default: several]")
@options.shown("seed")
@click.option("--states", type=options.Whole(3, 2000), default=24, show_default=True, help="States per mechanism.")
@options.precision
@click.option("--along", type=options.FILE, metavar="FILE", help="Simulate along this certified trajectory.  [h: 0.001]")
@click.option("-o", "--output", type=options.FILE, help="Write what was found here: a page of simulations (.html), or JSON.")
@options.limits
@click.option("--in-process", is_flag=True, help="Call the code in this process, without protection, for a debugger.")
@options.done_by("step")
def step() -> None:
    """Name the scheme that the time steps of CODE follow, to the last digits.

    CODE is an engine that steps, such as mujoco, or a file with functions
    step(mechanism, q, v, tau, h), or step_NAME, that return q⁺ and v⁺. A
    scheme is named if its equations hold with the true accelerations. If none
    is, one part of the forces, or the step, is solved for: "as if damping were
    2 times as large". A second CODE among the mechanisms: where do the two
    part, and why? With --along the code steps from the start of a
    trajectory that `dalembert trajectory -o` wrote, with h, h/2 and h/4: how
    far off is it, and is that the scheme's error? recorded:FILE is a
    recorded simulation (t, q, v and perhaps tau) of one mechanism.

    Exit codes: 0 each step follows one scheme on all mechanisms; 1 one does
    not, or it is not --scheme, or the motion is another one, or two codes
    part; 2 wrong usage or a bad file; 3 the code is missing, or it failed; 5
    nothing was compared.

    \b
    dalembert step mujoco
    dalembert step my_simulator.py ur5 panda
    dalembert step my_simulator.py --scheme "semi-implicit Euler"
    dalembert step my_simulator.py --along double-pendulum.json --h 0.002
    dalembert step recorded:run.csv ur5 -o run.html
    dalembert step one.py other.py ur5
    """
