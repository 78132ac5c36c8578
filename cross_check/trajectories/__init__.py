"""Certified trajectories: proven enclosures of solutions of the equations of motion (docs/trajectories.md)."""
