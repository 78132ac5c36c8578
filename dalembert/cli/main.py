"""The command line."""

from __future__ import annotations

import click

from dalembert.cli import comparing, completion, demo, languages, lookup, proving
from dalembert.cli.exits import Group


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dalembert")
def main() -> None:
    """Compare rigid-body dynamics code with two independent derivations of the equations of motion.

    \b
    dalembert demo                           a fault is found, in some seconds
    dalembert check                          all default mechanisms, all engines
    dalembert check ur5 -i pinocchio         one robot, one engine
    dalembert gate my_package.dynamics       your own code, in CI
    dalembert diff robot.urdf                how every engine reads a file
    dalembert same a.urdf b.urdf             whether two files are one robot
    dalembert lint robot.urdf                numbers that are implausible
    dalembert derive cart-pole               the equations of motion
    dalembert prove ur5                      equality, without tolerance
    dalembert catalogue                      every identity of the texts, proven
    dalembert vectors ur5 -o DIR             test vectors for code in any language
    dalembert trajectory double-pendulum     a motion, with proven digits
    dalembert versions pin==3.9.0 pin==4.1.0 what moved between releases
    dalembert worst pinocchio ur5            the states of the largest errors
    dalembert step mujoco                    the scheme that a simulator follows
    """


for module in (comparing, completion, demo, languages, lookup, proving):
    for command in vars(module).values():
        if isinstance(command, click.Command):
            main.add_command(command)

if __name__ == "__main__":
    main(prog_name="dalembert")
