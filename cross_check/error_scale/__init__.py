"""The size of what is summed in every quantity: the unit in which errors are measured."""
