"""The one error that the oracle raises."""


class OracleError(ValueError):
    """The oracle cannot derive or evaluate something. The message is one sentence: what is wrong, and the remedy."""
