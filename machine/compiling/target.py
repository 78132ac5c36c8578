"""Compiles LLVM's assembly language for the processor that runs it, with llvmlite."""

from __future__ import annotations

import ctypes
import hashlib
import inspect
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from machine import code_cache

MASKS = {
    "": (),
    "avx512": ("avx512", "avx10", "evex512"),
    "fma": ("avx512", "avx10", "evex512", "fma"),
    "avx": ("avx", "evex512", "fma", "f16c", "xop", "vaes", "vpclmulqdq"),
}
"""What a target may be asked to leave out, by the beginnings of features' names; what a feature needs is left out with it."""


@dataclass(frozen=True)
class Target:
    """A processor: its ``features`` as LLVM writes them, whether it has ``fma``, and how many float64 a register holds."""

    triple: str
    processor: str
    features: str
    fma: bool
    width: int


@cache
def llvm() -> Any:
    """llvmlite's binding of LLVM, ready to compile for this computer. Raises :class:`ImportError` without the extra ``fast``."""
    # Imported here, because the package has to work without it.
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


@cache
def host(without: str = "") -> Target:
    """This computer's processor, ``without`` one of :data:`MASKS`, so that tests can compare what processors compute."""
    triple = llvm().get_process_triple()
    try:
        found = dict(llvm().get_host_cpu_features())
    except RuntimeError:  # LLVM cannot tell on every system; its generic processor runs everywhere.
        found = {}
    processor = llvm().get_host_cpu_name() if found else ""
    if without:
        # A processor's name would bring its features back.
        processor = "x86-64" if triple.startswith("x86_64") else "generic"
        found = {name: on and not name.startswith(MASKS[without]) for name, on in found.items()}
    features = ",".join(f"{'+' if on else '-'}{name}" for name, on in sorted(found.items()))
    arm = triple.startswith(("aarch64", "arm64"))
    width = 8 if found.get("avx512f") else 4 if found.get("avx") else 2
    return Target(triple, processor, features, arm or bool(found.get("fma")), width)


@dataclass(frozen=True)
class Compiled:
    """Machine code in memory. It lives as long as this object."""

    engine: Any = field(repr=False)
    functions: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def address(self, function: str) -> int:
        return int(self.engine.get_function_address(function))

    def function(self, name: str, signature: Any) -> Any:
        """The function of this name, to call."""
        if name not in self.functions:
            self.functions[name] = signature(self.address(name))
        return self.functions[name]


def compile_text(text: str, target: Target, cached: bool = False) -> Compiled:
    """The functions of a module in LLVM's assembly language; ``cached`` keeps the code for other processes."""
    from importlib import metadata  # Slow to import, and most worker processes never compile.

    version = (llvm().llvm_version_info, metadata.version("llvmlite"))
    key = hashlib.sha256(f"{version}\n{target}\n{text}".encode()).hexdigest()
    code = code_cache.kept(key) if cached else None
    if code is None:
        module = llvm().parse_assembly(text)
        module.verify()
        code = bytes(_machine(target).emit_object(module))
        if cached:
            code_cache.keep(key, code)
    # The engine takes the machine over and frees it, so each needs one of its own.
    engine = llvm().create_mcjit_compiler(llvm().parse_assembly(""), _machine(target))
    engine.add_object_file(llvm().ObjectFileRef.from_data(code))
    engine.finalize_object()
    return Compiled(engine)


def _machine(target: Target) -> Any:
    triple = llvm().Target.from_triple(target.triple)
    return triple.create_target_machine(cpu=target.processor, features=target.features, opt=3, jit=True)


PROBE = """
define i64 @answer(i64 %x) {
  %v = insertelement <2 x i64> splat (i64 40), i64 %x, i64 1
  %w = add <2 x i64> %v, splat (i64 2)
  %answer = extractelement <2 x i64> %w, i64 1
  ret i64 %answer
}
"""


@cache
def works() -> bool:
    """Whether llvmlite is installed, is new enough, and its code runs; some systems forbid to execute memory that was written.

    The source of Python's functions, which is compiled, has to be there, too.
    """
    try:
        inspect.findsource(compile_text)
        compiled = compile_text(PROBE, host())
        function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(compiled.address("answer"))
        return int(function(40)) == 42
    except (ImportError, OSError, RuntimeError):
        return False
