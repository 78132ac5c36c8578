"""The errors of mechanisms: one sentence each."""

from mechanisms.plain_text import sentence


class MechanismError(ValueError):
    """A mechanism cannot be what its data say; the message is one sentence: which element, what is wrong, the remedy."""

    def __init__(self, message: str) -> None:
        super().__init__(sentence(message))


class Unsupported(Exception):
    """A mechanism has no such quantity, or an implementation cannot represent it; the message is one sentence that says why."""
