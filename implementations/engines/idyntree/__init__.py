"""The adapter to iDynTree."""
