"""The error scale: the size of every quantity, in units of which errors are measured."""
