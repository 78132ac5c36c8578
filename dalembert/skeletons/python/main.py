"""Lets dalembert ask my_dynamics. Replace what stands between the two marks by calls of your code."""

import dalembert_stdio
from my_dynamics import Tree, inverse_dynamics, mass_matrix


# glue begins
def load(m):
    tree = Tree(m.gravity)
    for i, kind in enumerate(m.kinds):
        placement, inertia = (m.rotations[i], m.translations[i]), (m.masses[i], m.coms[i], m.inertias[i])
        tree.add(m.parents[i], kind == "revolute", m.axes[i], placement, inertia, m.armature[i], m.damping[i])
    return tree


if __name__ == "__main__":
    quantities = {"inverse_dynamics": inverse_dynamics, "mass_matrix": mass_matrix}
    dalembert_stdio.serve("my_dynamics", "1.0", load, quantities, joints=["revolute", "prismatic"])
# glue ends
