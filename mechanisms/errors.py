"""The errors of mechanisms: one sentence each."""


class MechanismError(ValueError):
    """A mechanism cannot be what its data say; the message is one sentence: which element, what is wrong, the remedy."""


class Unsupported(Exception):
    """A mechanism has no such quantity, or an implementation cannot represent it; the message is one sentence that says why."""
