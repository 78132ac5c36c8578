"""Answers dalembert over standard input and output. It needs Python 3.8 and NumPy, nothing of dalembert.

Call ``serve`` with your functions. What your code prints goes to standard error: standard output is for the protocol.
"""

import json
import os
import sys

import numpy as np

VERSION = 1


class Unsupported(Exception):
    """Raise it, with a reason, for a mechanism or a quantity that your code does not have."""


class Mechanism:
    """A tree of bodies. Entry i of every list and array belongs to body i and to the joint that carries it.

    ``name``, ``root``, ``bodies``, ``joints`` and ``kinds`` are names; ``parents`` has the index of the parent body, -1 for the
    root; joint i has the numbers ``q_start[i]`` and following of q, ``v_start[i]`` and following of v; ``nq`` and ``nv`` are
    their lengths. ``axes``, ``screws``, ``rotations``, ``translations``, ``masses``, ``coms``, ``inertias``, ``armature``,
    ``damping`` and ``gravity`` are arrays; the protocol's page says in which frames. ``urdf`` has the file, if you ask for it.
    With a quantity of constraints, ``constraints`` has a dictionary for each: ``name``, ``first`` and ``second`` (the indices of
    their bodies, -1 for the root) and ``directions``; ``first_rotations`` to ``second_translations`` are arrays.
    """

    def __init__(self, header, arrays):
        self.urdf, self.constraints = None, []
        self.__dict__.update(header)
        self.__dict__.update(arrays)


def serve(name, version, load, quantities, joints=None, conventions=None, urdf=False, robot=None, precision=None):
    """Answer requests until dalembert ends.

    ``load(mechanism)`` returns what your functions need. ``quantities`` has your functions by the names of quantities:
    ``"inverse_dynamics": f`` is called as ``f(loaded, q, v, a)``, with one state. ``joints`` are the kinds of joints that you
    have; ``conventions`` those that differ from dalembert's. If what ``load`` returns has an attribute ``joints``, these are
    the names of the joints in your order. With ``urdf`` every mechanism comes with a URDF file, ``mechanism.urdf["text"]``.
    ``robot`` is for code that knows one robot alone: its name or the path of its URDF file; "" for the mechanism of the run.
    ``precision`` is for code that does not compute in float64: "float32", "float16", "bfloat16", or fixed point, as "q15.16".
    """
    source = os.fdopen(os.dup(0), "rb")
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    loaded = {}
    while True:
        line = source.readline()
        if not line:
            return
        request = json.loads(line)
        arrays = {}
        for entry in request.pop("arrays", []):
            size = int(np.prod(entry["shape"]))
            arrays[entry["name"]] = np.frombuffer(source.read(8 * size), "<f8").reshape(entry["shape"]).copy()
        do, reply, answer = request["do"], {"id": request["id"]}, None
        if do == "end":
            return
        try:
            if do == "hello":
                reply.update(dalembert=VERSION, name=name, version=version, language="Python " + sys.version.split()[0])
                reply.update(numbers="raw", urdf=urdf, quantities=list(quantities), conventions=conventions or {})
                optional = {"robot": robot, "precision": precision, "joints": joints and list(joints)}
                reply.update({member: value for member, value in optional.items() if value is not None})
            elif do == "load":
                missing = set() if joints is None else {*request["mechanism"]["kinds"]} - {*joints}
                if missing:
                    raise Unsupported(f"it has no {min(missing)} joint")
                model = load(Mechanism(request["mechanism"], arrays))
                loaded[request["model"]] = model
                if hasattr(model, "joints"):
                    reply["joints"] = list(model.joints)
            elif do == "evaluate":
                if request["quantity"] not in quantities:
                    raise Unsupported(f"it has no {request['quantity']}")
                function, model = quantities[request["quantity"]], loaded[request["model"]]
                states = ([x[k] for x in arrays.values()] for k in range(request["states"]))
                answer = np.array([function(model, *state) for state in states], dtype="<f8")
                reply["arrays"] = [{"name": request["quantity"], "shape": list(answer.shape)}]
            elif do == "forget":
                loaded.pop(request["model"], None)
        except Unsupported as reason:
            reply, answer = {"id": request["id"], "unsupported": str(reason)}, None
        except Exception as error:
            reply, answer = {"id": request["id"], "error": f"{type(error).__name__}: {error}"[:4000]}, None
        target.write(json.dumps(reply).encode() + b"\n")
        if answer is not None:
            target.write(answer.tobytes())
        target.flush()
