"""The table of quantities: units of components, and what derivatives say of the quantities that they are derivatives of."""

from __future__ import annotations

from typing import Any

import pytest

from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism
from mechanisms.numbers.units import Unit
from mechanisms.quantities import ALL_QUANTITIES, base_of
from mechanisms.quantities.component_units import common, units_of


@pytest.mark.parametrize(
    ("kind", "quantity", "units"),
    [
        ("cylindrical", "gravity", ("N m", "N")),
        ("cylindrical", "mass_matrix", ("kg m²", "kg m", "kg m", "kg")),
        ("spherical", "mass_matrix", ("kg m²",) * 9),
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


def test_units_of_constraints_and_of_all_components() -> None:
    assert units_of(find_mechanism("four-bar"), "constraint_multipliers") == ("N", "N")
    assert units_of(find_mechanism("four-bar"), "constraint_drift") == ("m/s²", "m/s²")
    assert common(units_of(find_mechanism("ur5"), "mass_matrix")) == "kg m²"
    assert common(units_of(find_mechanism("telescope"), "mass_matrix")) == ""


def test_units_in_words() -> None:
    assert Unit(1, 0, 0).in_words() == "kg"
    assert Unit(0, 0, 0).in_words() == ""
    assert Unit(0, 3, -3).in_words(rad=-1) == "m³/(s³ rad)"


@pytest.mark.parametrize("name", [name for name, quantity in ALL_QUANTITIES.items() if base_of(quantity)])
def test_a_derivative_has_the_components_and_the_arguments_of_its_base(name: str) -> None:
    quantity = ALL_QUANTITIES[name]
    base = base_of(quantity)
    assert base is not None
    moving = tuple("nv" if axis == "nq" and quantity.by else axis for axis in base.axes)
    assert quantity.axes[: len(moving)] == moving
    if quantity.by:
        assert {*quantity.arguments} <= {*base.arguments}
        assert quantity.by in (*base.arguments, "x")
        assert len(quantity.axes) == len(base.axes) + 1


def test_only_derivatives_by_angles_are_counted_by_angles() -> None:
    by_angles = {name for name, quantity in ALL_QUANTITIES.items() if quantity.is_by_angles}
    assert {"inverse_dynamics_dv", "integrate_dv", "difference_dto", "frame_jacobians_dq_local"} <= by_angles
    assert not {"gravity", "center_of_mass_jacobian", "forward_dynamics_dtau", "drifts_local", "constraint_forces_dx"} & by_angles
