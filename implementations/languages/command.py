"""The implementation ``cmd:COMMAND``: a program in any language that speaks the protocol over standard input and output.

docs/protocol.md describes the conversation: "hello", then "load", "evaluate" and "forget" in any order, then "end". The program
declares its conventions; states are converted before it is asked, answers afterwards.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from implementations.conventions.converted import Converted, order_of
from implementations.conventions.declared import Conventions, UnknownConvention
from implementations.languages.described import Declaration, LoadedElsewhere, refusal, unknown_kind
from implementations.languages.lines import VERSION, Numbers, decoded, encoded, longest_line
from implementations.languages.program import CannotStart, Heard, Program, ProgramEnded
from implementations.one_robot import OneRobot
from implementations.protocol import Array, DoesNotLoad, Failure, NotAMessage, Unsupported, UserCodeError
from mechanisms import Mechanism
from mechanisms.joint_kinds import JOINT_KINDS
from mechanisms.numbers.precision import UnknownPrecision, precision_named
from mechanisms.plain_text import one_line
from mechanisms.quantities import ALL_GROUPS, ALL_QUANTITIES, unknown_quantity

PREFIX = "cmd:"

Reply = tuple[dict[str, Any], dict[str, Array]]


class BadHello(NotAMessage):
    """A hello that cannot be used; a sentence that says why."""


def declaration_in(reply: Mapping[str, Any]) -> Declaration:
    """The declaration in a reply to "hello". Raises :class:`BadHello`."""
    if (version := reply["dalembert"]) != VERSION:
        remedy = "rebuild the program with the files of this version"
        raise BadHello(f"it speaks version {version} of the protocol, where this is version {VERSION}; {remedy}")
    quantities, joints = reply["quantities"], reply.get("joints", [*JOINT_KINDS])
    for name in quantities:
        if name not in ALL_QUANTITIES:
            raise BadHello(f"its hello names an unknown quantity: {unknown_quantity(one_line(name, 60), ALL_GROUPS)}")
    if unknown := unknown_kind(joints):
        raise BadHello(f"its hello names an {unknown}")
    if not quantities:
        raise BadHello("its hello names no quantity; name at least one that it computes")
    try:
        conventions = Conventions.declared(reply.get("conventions", {}))
    except UnknownConvention as error:
        raise BadHello(f"its hello declares an unknown convention: {one_line(str(error), 400)}") from None
    language, precision = one_line(reply.get("language", ""), 60), reply.get("precision", "")
    try:
        precision = precision and precision_named(precision).name
    except UnknownPrecision as error:
        raise BadHello(f"its hello declares an unknown precision: {error}") from None
    return Declaration(
        one_line(reply["name"], 100),
        one_line(reply["version"], 100) + (f" ({language})" if language else ""),
        quantities,
        joints,
        conventions,
        reply.get("urdf", False),
        OneRobot("declaration", None, one_line(reply["robot"])) if "robot" in reply else None,
        reply.get("mimic_joints", False),
        reply["numbers"],
        precision,
    )


class Conversation:
    """A program that has said hello. Raises :class:`CannotStart`, :class:`ProgramEnded` and :class:`NotAMessage`."""

    def __init__(self, command: str, timeout: float | None = None, heard: Heard = lambda direction, data: None) -> None:
        self.program = Program(command, timeout, heard)
        self._numbers: Numbers = "raw"
        self._requests = 0
        reply, _ = self._exchange({"do": "hello", "dalembert": VERSION}, {}, 0)
        self.declaration = declaration_in(reply)
        self._numbers = self.declaration.numbers

    def load(self, model: int, mechanism: Mechanism) -> dict[str, Any]:
        header, arrays = self.declaration.described(mechanism)
        reply, _ = self._exchange({"do": "load", "model": model, "mechanism": header}, arrays, 0)
        return reply

    def evaluate(self, model: int, quantity: str, state: Mapping[str, Array], shape: tuple[int, ...]) -> Array:
        """The answer, which should have this shape."""
        states = len(state["q"])
        request = {"do": "evaluate", "model": model, "quantity": quantity, "states": states, "shape": list(shape)}
        _, arrays = self._exchange(request, state, prod(shape))
        if quantity not in arrays:
            raise NotAMessage(f"an array called {one_line(next(iter(arrays)), 60)!r} instead of {quantity!r}")
        return arrays[quantity]

    def forget(self, model: int) -> None:
        self._exchange({"do": "forget", "model": model}, {}, 0)

    def end(self) -> int | None:
        """The program's exit status; None if it had to be killed."""
        return self.program.end(encoded({"do": "end", "id": self._requests + 1}, {}, "raw"))

    def _exchange(self, request: dict[str, Any], arrays: Mapping[str, Array], most: int) -> Reply:
        """The reply, and its arrays of ``most`` numbers at most. Raises :class:`Unsupported` and :class:`Failure`."""
        self._requests += 1
        do = request["do"]
        header = {"do": do, "id": self._requests, **request}
        parts = encoded(header, arrays, self._numbers)

        def read(line: bytes, after: Callable[[int], bytes]) -> Reply:
            reply, answer = decoded(line, f"{do} reply", self._numbers, after, most)
            if reply["id"] != self._requests:
                raise NotAMessage(f"a reply with the id {reply['id']} to the request with the id {self._requests}")
            return reply, answer

        reply, answer = self.program.exchange(parts, longest_line(self._numbers, most), read)
        if "unsupported" in reply:
            raise refusal(reply["unsupported"])
        if "error" in reply:
            raise Failure(f"{request.get('quantity', do)} failed: {one_line(reply['error'], 400)}", of_a_state=do == "evaluate")
        return reply, answer


class Refused(UserCodeError):
    """A program that cannot be used, because of what ``clause`` says: nothing starts, or its hello declares what nobody knows."""

    def __init__(self, spec: str, clause: str, remedy: str) -> None:
        super().__init__(f"{spec!r} cannot be used: {clause}; {remedy}")
        self.clause = clause


class NoHello(Refused, DoesNotLoad):
    """A program that starts, and ends or breaks the protocol before it has said hello."""


class Command:
    """The implementation that ``spec`` names; the program starts when it is first needed, and again after it ended.

    ``timeout`` and ``heard`` are those of :class:`implementations.languages.program.Program`. Raises :class:`UserCodeError`, one
    sentence, for a program that does not start or does not say hello.
    """

    def __init__(self, spec: str, timeout: float | None = None, heard: Heard = lambda direction, data: None) -> None:
        self._spec, self._command = spec, spec.removeprefix(PREFIX)
        self._timeout, self._heard = timeout, heard
        self._remedy = f"`dalembert smoke {shlex.quote(spec)}` shows the conversation"
        self._conversation: Conversation | None = None
        self._models = 0
        self.conversations = 0
        self.unused: list[int] = []
        declaration = self.conversation.declaration
        self.name, self.version, self.declares = declaration.name, declaration.version, declaration.conventions.words
        self.mimic_joints, self.one_robot = declaration.mimic_joints, declaration.one_robot
        self.precision = declaration.precision

    @property
    def conversation(self) -> Conversation:
        if self._conversation is None:
            try:
                self._conversation = Conversation(self._command, self._timeout, self._heard)
            except CannotStart as error:
                raise Refused(self._spec, str(error), "correct the command") from None
            except BadHello as error:
                raise Refused(self._spec, str(error), self._remedy) from None
            except (ProgramEnded, NotAMessage, Failure, Unsupported) as error:
                sent = "sent " if isinstance(error, NotAMessage) else ""
                raise NoHello(self._spec, f"instead of saying hello, it {sent}{error}", self._remedy) from None
            self.conversations += 1
            self.unused.clear()
        return self._conversation

    def close(self) -> None:
        """End the program, if it runs."""
        if self._conversation:
            self._conversation.program.kill()
            self._conversation = None

    def load(self, mechanism: Mechanism) -> Any:
        self._models += 1
        loaded = LoadedInProgram(self, mechanism, self._models)
        return Converted(loaded, mechanism, self.conversation.declaration.conventions, *loaded.orders)

    def guarded(self, do: str, action: Callable[[Conversation], Any]) -> Any:
        """What ``action`` gives. A program that ends or breaks the protocol fails, and is started again for the next request."""
        try:
            conversation = self.conversation
            while self.unused:
                conversation.forget(self.unused.pop())
            return action(conversation)
        except ProgramEnded as error:
            self._conversation = None
            raise Failure(f"{do}: the program {error}", of_a_state=True, ended=True) from None
        except NotAMessage as error:
            self._conversation = None
            raise Failure(f"{do}: the program sent {error}") from None


class LoadedInProgram(LoadedElsewhere):
    """It is loaded again after the program was started again."""

    def __init__(self, command: Command, mechanism: Mechanism, model: int) -> None:
        LoadedElsewhere.__init__(self, mechanism, command.conversation.declaration.quantities)
        self._command, self._model = command, model
        self._conversations = 0
        self.orders = self._load()

    def __del__(self) -> None:
        # Nothing is sent from here: another request may be on its way.
        if self._conversations == self._command.conversations:
            self._command.unused.append(self._model)

    def _load(self) -> tuple[list[int], list[int]]:
        """The orders of joints and of bodies that the program has."""
        reply = self._command.guarded("load", lambda program: program.load(self._model, self._mechanism))
        self._conversations = self._command.conversations
        bodies = self._mechanism.bodies
        joints = order_of("joints", [body.joint.name for body in bodies], reply.get("joints"))
        return joints, order_of("bodies", [body.name for body in bodies], reply.get("bodies")) if "bodies" in reply else joints

    def _evaluate(self, quantity: str, arguments: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
        self._command.conversation  # noqa: B018 A program that ended is started again.
        if self._conversations != self._command.conversations and self._load() != self.orders:
            raise Failure("load: after it was started again, the program has another order of joints")
        state = dict(zip(ALL_QUANTITIES[quantity].arguments, arguments, strict=True))
        whole = (len(arguments[0]), *shape)
        return self._command.guarded(quantity, lambda program: program.evaluate(self._model, quantity, state, whole))
