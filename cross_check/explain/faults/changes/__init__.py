"""What faults change: the numbers of bodies and joints, whole mechanisms, states; and the wrappers that undo it."""
