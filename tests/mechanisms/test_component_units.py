"""The unit of every component follows from the quantity's unit and from the entries of its axes."""

from __future__ import annotations

from typing import Any

import pytest

from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism
from mechanisms.component_units import common, units_of
from mechanisms.units import Unit


@pytest.mark.parametrize(
    ("kind", "quantity", "units"),
    [
        ("revolute", "inverse_dynamics", ("N m",)),
        ("prismatic", "gravity", ("N",)),
        ("cylindrical", "gravity", ("N m", "N")),
        ("cylindrical", "mass_matrix", ("kg m²", "kg m", "kg m", "kg")),
        ("spherical", "mass_matrix", ("kg m²",) * 9),
        ("free", "kinetic_energy", ("J",)),
        ("cylindrical", "forward_dynamics", ("rad/s²", "m/s²")),
        ("cylindrical", "inverse_dynamics_dq", ("N m/rad", "N", "N/rad", "N/m")),
        ("cylindrical", "forward_dynamics_dv", ("1/s", "rad/(m s)", "m/(s rad)", "1/s")),
        ("cylindrical", "forward_dynamics_dtau", ("1/(kg m²)", "1/(kg m)", "1/(kg m)", "1/kg")),
        ("revolute", "velocities_local", ("rad/s",) * 3 + ("m/s",) * 3),
        ("revolute", "centroidal_momentum", ("N m s",) * 3 + ("N s",) * 3),
        ("revolute", "joint_torque_regressor", ("m²/s²",) + ("m/s²",) * 3 + ("1/s²",) * 6),
        ("revolute", "placements", ("", "", "", "m") * 3),
        ("revolute", "integrate", ("",)),
    ],
)
def test_every_component_has_its_unit(kind: Any, quantity: str, units: tuple[str, ...]) -> None:
    joint = Joint("joint", kind)
    assert units_of(Mechanism("one", (Body("body", "world", joint, Inertia(1)),)), quantity) == units


def test_forces_of_constraints_have_the_units_of_their_directions() -> None:
    assert units_of(find_mechanism("four-bar"), "constraint_multipliers") == ("N", "N")
    assert units_of(find_mechanism("four-bar"), "constraint_drift") == ("m/s²", "m/s²")


def test_a_unit_is_common_only_to_components_that_all_have_it() -> None:
    assert common(units_of(find_mechanism("ur5"), "mass_matrix")) == "kg m²"
    assert common(units_of(find_mechanism("telescope"), "mass_matrix")) == ""


def test_units_in_words() -> None:
    assert Unit(1, 0, 0).in_words() == "kg"
    assert Unit(0, 0, 0).in_words() == ""
    assert Unit(0, 3, -3).in_words(rad=-1) == "m³/(s³ rad)"
