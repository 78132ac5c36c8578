"""The equations of motion as people write them. A wrong code is sought among the single edits of these sources."""

FORMULATIONS = {
    "newton_euler": "rnea",
    "root_frame": "rnea",
    "homogeneous": "rnea",
    "christoffel": "rnea",
    "jacobian_sums": "crba",
}
"""By module: the module of the reference in whose place it can stand."""
