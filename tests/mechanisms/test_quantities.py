"""The table of quantities: what derivatives say of the quantities that they are derivatives of."""

from __future__ import annotations

import pytest

from mechanisms.quantities import ALL_QUANTITIES, base_of


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
