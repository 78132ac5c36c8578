# Answers dalembert over standard input and output. It needs Julia 1.6 and no package; main.jl shows the use.
module Dalembert

const VERSION_OF_PROTOCOL = 1

"Thrown by `unsupported`."
struct Unsupported <: Exception
    reason::String
end

"Say that your code does not have a mechanism, a joint or a quantity. This is no failure."
unsupported(reason) = throw(Unsupported(reason))

"""
A tree of bodies, parents first. Entry i of every list, column i of `axes`, `translations` and `coms` (3 × n), and page i of
`rotations` and `inertias` (3 × 3 × n) belong to body i and to the joint that carries it.

`parents` has indices, 0 for the root. Joint i has the numbers `q_start[i]` and following of q, `v_start[i]` and following of v.
A joint's frame sits in the parent's frame; a body's frame is its joint's where q is zero. `rotations` lead from the joint's
frame to the parent's; `inertias` are about the centre of mass; `screws` (6 × nv) are the twists [w; v] of the components of v.
"""
struct Mechanism
    name::String
    root::String
    bodies::Vector{String}
    joints::Vector{String}
    kinds::Vector{String}
    parents::Vector{Int}
    q_start::Vector{Int}
    v_start::Vector{Int}
    nq::Int
    nv::Int
    axes::Matrix{Float64}
    screws::Matrix{Float64}
    rotations::Array{Float64,3}
    translations::Matrix{Float64}
    masses::Vector{Float64}
    coms::Matrix{Float64}
    inertias::Array{Float64,3}
    armature::Vector{Float64}
    damping::Vector{Float64}
    gravity::Vector{Float64}
    urdf::String
    urdf_is_original::Bool
    urdf_free_base::Bool
end

"""
    serve(name, version, load, quantities; joints, conventions, joint_order, wants_urdf, robot, precision)

Answer requests until dalembert ends.

`load(mechanism)` returns your model. `quantities` has your functions of the model and one state, by the names that
`dalembert quantities` lists. A state has `q`, `v`, `a`, `tau` (vectors) and `f` (6 × n), as far as the quantity takes them.

`joints` are the kinds of joints that you have, all if it is empty; `conventions` those that differ from dalembert's;
`joint_order` a function from your model to the names of the joints in your order. With `wants_urdf`, `mechanism.urdf` is the text
of a URDF file where URDF can describe the mechanism; `urdf_is_original` says whether it is the file that was read, and
`urdf_free_base` whether its root link is on a free joint, which the file does not say. `robot` is for
code that knows one robot: its name or the path of its URDF file; "" for the mechanism of the run. `precision` is for code that
does not compute in float64: "float32", "float16", "bfloat16", or fixed point, as "q15.16".

What your code prints goes to standard error, because standard output is for the protocol. An exception fails one request.
"""
function serve(
    name, version, load, quantities;
    joints = String[], conventions = Dict{String,String}(), joint_order = nothing, wants_urdf = false,
    robot = nothing, precision = nothing,
)
    source, target = stdin, stdout
    redirect_stdout(stderr)
    loaded = Dict{Int,Any}()
    while true
        line = readline(source)
        isempty(line) && return
        request = parsed(line)
        arrays = Dict{String,Array{Float64}}()
        for entry in get(request, "arrays", [])
            arrays[entry["name"]] = received(source, entry["shape"])
        end
        doing = request["do"]
        doing == "end" && return
        numbers = Float64[]
        reply = ""
        try
            if doing == "hello"
                reply = hello(name, version, quantities, joints, conventions, wants_urdf, robot, precision)
            elseif doing == "load"
                mechanism = described(request["mechanism"], arrays)
                for kind in mechanism.kinds
                    isempty(joints) || kind in joints || unsupported("it has no $kind joint")
                end
                model = load(mechanism)
                loaded[request["model"]] = model
                if joint_order !== nothing
                    reply = string(",\"joints\":", quoted_list(joint_order(model)))
                end
            elseif doing == "evaluate"
                quantity = request["quantity"]
                haskey(quantities, quantity) || unsupported("it has no $quantity")
                haskey(loaded, request["model"]) || error("no such model is loaded")
                numbers = answers(quantities[quantity], loaded[request["model"]], request, arrays)
                reply = string(",\"arrays\":[{\"name\":", quoted(quantity), ",\"shape\":[", join(request["shape"], ","), "]}]")
            elseif doing == "forget"
                delete!(loaded, request["model"])
            else
                unsupported("there is no request called $doing")
            end
        catch problem
            numbers = Float64[]
            kind = problem isa Unsupported ? "unsupported" : "error"
            text = problem isa Unsupported ? problem.reason : sprint(showerror, problem)
            reply = string(",\"", kind, "\":", quoted(first(text, 4000)))
        end
        write(target, string("{\"id\":", request["id"], reply, "}\n"))
        write(target, htol.(numbers))
        flush(target)
    end
end

"An array of this shape, which is sent row by row: indices in reverse order, because Julia counts the first index fastest."
function received(source, shape)
    numbers = Vector{Float64}(undef, prod(shape; init = 1))
    read!(source, numbers)
    return reshape(ltoh.(numbers), Tuple(Int[reverse(shape)...]))
end

function described(header, arrays)
    texts(key) = String[header[key]...]
    # A zero-based index of the root's is -1, which becomes 0.
    starts(key) = Int[n + 1 for n in header[key]]
    urdf = get(header, "urdf", nothing)
    return Mechanism(
        header["name"], header["root"], texts("bodies"), texts("joints"), texts("kinds"),
        starts("parents"), starts("q_start"), starts("v_start"), header["nq"], header["nv"],
        arrays["axes"], arrays["screws"], permutedims(arrays["rotations"], (2, 1, 3)), arrays["translations"], arrays["masses"],
        arrays["coms"], permutedims(arrays["inertias"], (2, 1, 3)), arrays["armature"], arrays["damping"], arrays["gravity"],
        urdf === nothing ? "" : urdf["text"], urdf !== nothing && urdf["original"], urdf !== nothing && urdf["free_base"],
    )
end

"The answers for all states, row by row."
function answers(quantity, model, request, arrays)
    shape = Int[request["shape"]...]
    size_of_one = prod(shape[2:end]; init = 1)
    numbers = zeros(size_of_one, request["states"])
    for k in 1:request["states"]
        state = (; (Symbol(name) => Array(selectdim(x, ndims(x), k)) for (name, x) in arrays)...)
        answer = quantity(model, state)
        expected = Tuple(shape[2:end])
        length(answer) == size_of_one || error("it returned $(length(answer)) numbers; return an array of shape $expected")
        by_rows = answer isa AbstractArray ? permutedims(answer, ndims(answer):-1:1) : answer
        numbers[:, k] .= vec(collect(by_rows))
    end
    return vec(numbers)
end

function hello(name, version, quantities, joints, conventions, wants_urdf, robot, precision)
    members = join((string(quoted(key), ":", quoted(value)) for (key, value) in conventions), ",")
    return string(
        ",\"dalembert\":", VERSION_OF_PROTOCOL, ",\"name\":", quoted(name), ",\"version\":", quoted(version),
        ",\"language\":", quoted("Julia $VERSION"), ",\"numbers\":\"raw\",\"urdf\":", wants_urdf,
        ",\"quantities\":", quoted_list(keys(quantities)), isempty(joints) ? "" : string(",\"joints\":", quoted_list(joints)),
        robot === nothing ? "" : string(",\"robot\":", quoted(robot)),
        precision === nothing ? "" : string(",\"precision\":", quoted(precision)), ",\"conventions\":{", members, "}",
    )
end

quoted_list(names) = string("[", join((quoted(name) for name in names), ","), "]")

"A text as JSON."
function quoted(text)
    json = IOBuffer()
    print(json, '"')
    for c in text
        if !isvalid(c)
            print(json, "\\ufffd")
        elseif c in ('"', '\\') || c < ' '
            print(json, "\\u", string(UInt32(c), base = 16, pad = 4))
        else
            print(json, c)
        end
    end
    print(json, '"')
    return String(take!(json))
end

"Reads one JSON text. Numbers are whole: all others come as bytes."
mutable struct Reader
    bytes::Vector{UInt8}
    at::Int
end

const DEEPEST = 64

"The value of a JSON text: a Dict, a Vector, a String, an Int, a Bool or nothing."
function parsed(line)
    reader = Reader(Vector{UInt8}(codeunits(line)), 1)
    value = read_value(reader, 0)
    skip_space(reader)
    reader.at > length(reader.bytes) || wrong(reader)
    return value
end

wrong(reader) = error("standard input has a line that is not JSON at byte $(reader.at)")

here(reader) = reader.at <= length(reader.bytes) ? Char(reader.bytes[reader.at]) : '\0'

function skip_space(reader)
    while here(reader) in (' ', '\t', '\r', '\n')
        reader.at += 1
    end
end

function take_char(reader, c)
    is_there = reader.at <= length(reader.bytes) && here(reader) == c
    reader.at += is_there
    return is_there
end

require_char(reader, c) = take_char(reader, c) || wrong(reader)

function read_value(reader, depth)
    depth <= DEEPEST || wrong(reader)
    skip_space(reader)
    c = here(reader)
    c == '{' && return read_object(reader, depth)
    c == '[' && return read_list(reader, depth)
    c == '"' && return read_string(reader)
    for (word, value) in (("true", true), ("false", false), ("null", nothing))
        if c == word[1]
            foreach(letter -> require_char(reader, letter), word)
            return value
        end
    end
    return read_integer(reader)
end

function read_object(reader, depth)
    members = Dict{String,Any}()
    require_char(reader, '{')
    skip_space(reader)
    take_char(reader, '}') && return members
    while true
        skip_space(reader)
        name = read_string(reader)
        skip_space(reader)
        require_char(reader, ':')
        members[name] = read_value(reader, depth + 1)
        skip_space(reader)
        take_char(reader, ',') && continue
        require_char(reader, '}')
        return members
    end
end

function read_list(reader, depth)
    items = Any[]
    require_char(reader, '[')
    skip_space(reader)
    take_char(reader, ']') && return items
    while true
        push!(items, read_value(reader, depth + 1))
        skip_space(reader)
        take_char(reader, ',') && continue
        require_char(reader, ']')
        return items
    end
end

function read_integer(reader)
    start = reader.at
    take_char(reader, '-')
    while isdigit(here(reader))
        reader.at += 1
    end
    value = tryparse(Int, String(reader.bytes[start:reader.at-1]))
    return value === nothing ? wrong(reader) : value
end

function read_hex4(reader)
    reader.at + 3 <= length(reader.bytes) || wrong(reader)
    code = tryparse(UInt32, String(reader.bytes[reader.at:reader.at+3]); base = 16)
    code === nothing && wrong(reader)
    reader.at += 4
    return code
end

"The character after \\u. Half of a surrogate pair is no character, and becomes U+FFFD."
function read_escaped(reader)
    high = read_hex4(reader)
    0xd800 <= high <= 0xdfff || return Char(high)
    before = reader.at
    if high <= 0xdbff && take_char(reader, '\\') && take_char(reader, 'u')
        low = read_hex4(reader)
        0xdc00 <= low <= 0xdfff && return Char(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))
    end
    reader.at = before
    return '\ufffd'
end

const ESCAPES = Dict('"' => '"', '\\' => '\\', '/' => '/', 'b' => '\b', 'f' => '\f', 'n' => '\n', 'r' => '\r', 't' => '\t')

function read_string(reader)
    require_char(reader, '"')
    text = IOBuffer()
    while !take_char(reader, '"')
        reader.at <= length(reader.bytes) && reader.bytes[reader.at] >= 0x20 || wrong(reader)
        if !take_char(reader, '\\')
            write(text, reader.bytes[reader.at])
            reader.at += 1
        elseif take_char(reader, 'u')
            print(text, read_escaped(reader))
        else
            haskey(ESCAPES, here(reader)) || wrong(reader)
            print(text, ESCAPES[here(reader)])
            reader.at += 1
        end
    end
    return String(take!(text))
end

end
