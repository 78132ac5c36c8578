"""The one error that bad mechanism data raises."""


class MechanismError(ValueError):
    """A mechanism cannot be what its data say; the message is one sentence: which element, what is wrong, the remedy."""
