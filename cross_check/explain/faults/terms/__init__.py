"""Other terms of the equations of motion, at all joints or at some."""
