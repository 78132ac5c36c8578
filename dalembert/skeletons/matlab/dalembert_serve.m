function dalembert_serve(program)
%DALEMBERT_SERVE  Answer dalembert until it ends. main.m shows the use; my_dynamics.sh starts it.
%   program.name, program.version   texts
%   program.load                    a function that makes your model of a mechanism
%   program.quantities.NAME         your function of the model and one state; `dalembert quantities` lists the names
%   program.joints                  optional, the kinds of joints that your code has, a cell array
%   program.conventions             optional, a struct with those that differ from dalembert's: conventions.quaternion = 'wxyz'
%   program.joint_order             optional, a function from your model to the names of the joints in your order, a cell array
%   program.wants_urdf              optional, true if every mechanism shall come with a URDF file, mechanism.urdf.text
%   program.robot                   optional, for code that knows one robot: its name or the path of its URDF file; '' for that of the run
%   program.precision               optional, 'float32', 'float16', 'bfloat16' or fixed point, as 'q15.16', if it is not float64
%
%   A mechanism is a struct: name, root, bodies, joints and kinds are names; parents has indices, 0 for the root; q_start and
%   v_start say where a joint's numbers begin in q and in v; nq and nv are their lengths. Column k of axes, translations and coms
%   (3 x n), page k of rotations and inertias (3 x 3 x n), and entry k of masses, armature and damping belong to body k and to the
%   joint that carries it. gravity is 3 x 1, screws are 6 x nv.
%
%   A state is a struct with what the quantity takes: q, v, a and tau are columns, f is 6 x n. An answer has the shape that
%   `dalembert quantities` lists, for one state. error('dalembert:unsupported', 'why') refuses; any other error is a failure.

source = opened('/dev/fd/3', 'r');
target = opened('/dev/fd/4', 'w');
loaded = containers.Map('KeyType', 'double', 'ValueType', 'any');
while true
    line = next_line(source);
    if isempty(line)
        break
    end
    request = jsondecode(line);
    arrays = received(request, source);
    doing = request_name(request);
    if strcmp(doing, 'end')
        break
    end
    numbers = [];
    try
        switch doing
            case 'hello'
                reply = hello(program);
            case 'load'
                mechanism = described(request.mechanism, arrays);
                require_kinds(program, mechanism);
                model = program.load(mechanism);
                loaded(request.model) = model;
                reply = '';
                if isfield(program, 'joint_order')
                    reply = [',"joints":', quoted_list(program.joint_order(model))];
                end
            case 'evaluate'
                if ~isfield(program.quantities, request.quantity)
                    error('dalembert:unsupported', 'it has no %s', request.quantity);
                end
                numbers = answers(program.quantities.(request.quantity), loaded(request.model), request, arrays);
                shape = strjoin(arrayfun(@(n) sprintf('%d', n), request.shape(:)', 'UniformOutput', false), ',');
                reply = sprintf(',"arrays":[{"name":%s,"shape":[%s]}]', quoted(request.quantity), shape);
            case 'forget'
                if isKey(loaded, request.model)
                    remove(loaded, request.model);
                end
                reply = '';
            otherwise
                error('dalembert:unsupported', 'there is no request called %s', doing);
        end
    catch problem
        numbers = [];
        kind = 'error';
        if strcmp(problem.identifier, 'dalembert:unsupported')
            kind = 'unsupported';
        end
        reply = sprintf(',"%s":%s', kind, quoted(problem.message(1:min(end, 1000))));
    end
    fprintf(target, '%s\n', ['{"id":', sprintf('%d', request.id), reply, '}']);
    fwrite(target, numbers, 'double', 0, 'l');
    if is_octave()
        fflush(target);
    end
end
fclose(source);
fclose(target);
end

function file = opened(name, permission)
file = fopen(name, permission, 'l', 'UTF-8');
if file < 0
    error('dalembert:start', 'the file %s is not there; start this by my_dynamics.sh', name);
end
end

function line = next_line(source)
% A line, empty at the end of the input. Byte by byte, because fgetl of Octave waits for a character after the line.
line = repmat(' ', 1, 1000);
length_of_line = 0;
while true
    byte = fread(source, 1, 'uint8');
    if isempty(byte) || byte == 10
        break
    end
    length_of_line = length_of_line + 1;
    if length_of_line > numel(line)
        line = [line, line];
    end
    line(length_of_line) = char(byte);
end
line = line(1:length_of_line);
end

function is = is_octave()
is = exist('OCTAVE_VERSION', 'builtin') ~= 0;
end

function name = request_name(request)
% Octave calls the member "do" xDo, because do is one of its keywords.
if isfield(request, 'xDo')
    name = request.xDo;
else
    name = request.('do');
end
end

function arrays = received(request, source)
% The arrays that follow a request. Rows become columns, because MATLAB counts the first index fastest.
arrays = struct();
if ~isfield(request, 'arrays')
    return
end
for entry = request.arrays(:)'
    shape = entry.shape(:)';
    numbers = fread(source, prod(shape), 'double', 0, 'l');
    arrays.(entry.name) = reshape(numbers, [fliplr(shape), 1, 1]);
end
end

function mechanism = described(header, arrays)
mechanism = header;
mechanism.parents = header.parents + 1;
mechanism.q_start = header.q_start + 1;
mechanism.v_start = header.v_start + 1;
for name = fieldnames(arrays)'
    mechanism.(name{1}) = arrays.(name{1});
end
mechanism.rotations = permute(arrays.rotations, [2, 1, 3]);
mechanism.inertias = permute(arrays.inertias, [2, 1, 3]);
end

function require_kinds(program, mechanism)
if isfield(program, 'joints')
    missing = setdiff(mechanism.kinds, program.joints);
    if ~isempty(missing)
        error('dalembert:unsupported', 'it has no %s joint', missing{1});
    end
end
end

function numbers = answers(quantity, model, request, arrays)
% The answers for all states, row by row.
size_of_one = prod(request.shape(2:end));
numbers = zeros(size_of_one, request.states);
for k = 1:request.states
    state = struct();
    for name = fieldnames(arrays)'
        all = arrays.(name{1});
        if strcmp(name{1}, 'f')
            state.f = all(:, :, k);
        else
            state.(name{1}) = all(:, k);
        end
    end
    answer = quantity(model, state);
    if numel(answer) ~= size_of_one
        expected = sprintf('%d ', request.shape(2:end));
        error('%s returned %d numbers; return an array of shape %s', request.quantity, numel(answer), expected);
    end
    by_rows = permute(answer, ndims(answer):-1:1);
    numbers(:, k) = by_rows(:);
end
end

function reply = hello(program)
language = 'MATLAB';
if is_octave()
    language = 'Octave';
end
reply = [',"dalembert":1,"name":', quoted(program.name), ',"version":', quoted(program.version), ...
    ',"language":', quoted([language, ' ', version()]), ',"numbers":"raw"', ...
    ',"quantities":', quoted_list(fieldnames(program.quantities))];
if isfield(program, 'joints')
    reply = [reply, ',"joints":', quoted_list(program.joints)];
end
if isfield(program, 'conventions')
    reply = [reply, ',"conventions":', jsonencode(program.conventions)];
end
if isfield(program, 'wants_urdf') && program.wants_urdf
    reply = [reply, ',"urdf":true'];
end
for member = {'robot', 'precision'}
    if isfield(program, member{1})
        reply = [reply, ',', quoted(member{1}), ':', quoted(program.(member{1}))];
    end
end
end

function json = quoted(text)
json = jsonencode(char(text));
end

function json = quoted_list(names)
json = ['[', strjoin(cellfun(@quoted, names(:)', 'UniformOutput', false), ','), ']'];
end
