"""The adapter to JaxSim."""
