# Lets dalembert ask my_dynamics.jl. Replace what stands between the two marks by calls of your code.
include("dalembert.jl")
include("my_dynamics.jl")

# glue begins
function load(m)
    tree = Tree(m.gravity, Body[])
    for i in eachindex(m.kinds)
        placement, inertia = (m.rotations[:, :, i], m.translations[:, i]), (m.masses[i], m.coms[:, i], m.inertias[:, :, i])
        joint = (m.parents[i], m.kinds[i] == "revolute", m.axes[:, i])
        push!(tree.bodies, Body(joint..., placement..., inertia..., m.armature[i], m.damping[i]))
    end
    return tree
end
quantities = Dict(
    "inverse_dynamics" => (tree, s) -> inverse_dynamics(tree, s.q, s.v, s.a),
    "mass_matrix" => (tree, s) -> mass_matrix(tree, s.q),
)
Dalembert.serve("my_dynamics", "1.0", load, quantities; joints = ["revolute", "prismatic"])
# glue ends
