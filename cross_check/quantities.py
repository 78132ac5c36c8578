"""What is compared: the table of :mod:`implementations.quantities`."""

from implementations.quantities import GROUPS, IMPLICIT, INVERTING, QUANTITIES, Quantity, expanded

__all__ = ["GROUPS", "IMPLICIT", "INVERTING", "QUANTITIES", "Quantity", "expanded"]
