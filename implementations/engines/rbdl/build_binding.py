"""Builds RBDL's own Python binding into the environment of the Python that runs this; RBDL does not publish it.

    pip install cython==0.29.37
    python -m dalembert.implementations.engines.rbdl.build_binding [SOURCE]

In the checkout the module is ``implementations.engines.rbdl.build_binding``. SOURCE is a folder with RBDL's sources, or a
repository to clone, RBDL's own unless given. The sources must be those of the release that the tests were run with, unchanged.
cmake, a C++ compiler, Eigen's headers and Cython have to be there; EIGEN3_INCLUDE_DIR names the folder of the headers if it is
unusual. The build takes a few minutes and happens in a temporary folder. If the binding is there already, nothing is done.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

RELEASE = "3.3.1"

SHA256 = "f2a6ca3ade9d36d95914d2ca0d33fc325ddeec52959b2238f61424d77d236209"
"""Of the names and contents of the release's files that are compiled."""

COMPILED = ("CMake", "include", "python", "share", "src", "CMakeLists.txt")

REPOSITORY = "https://github.com/rbdl/rbdl"

CYTHON = "0.29.37"
"""The newest release that compiles the binding: Cython 3 refuses its declarations."""

EIGEN = ("/usr/include/eigen3", "/usr/local/include/eigen3", "/opt/homebrew/include/eigen3")

LOG_LINES = 25
"""So many lines of the build's output are shown if it fails."""


class CannotBuild(Exception):
    """One sentence: what is missing or wrong, and the remedy."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Build RBDL's own Python binding into this environment.")
    parser.add_argument("source", nargs="?", default=REPOSITORY, help=f"a folder or a repository; default {REPOSITORY}")
    source = parser.parse_args(arguments).source
    try:
        if installed() == RELEASE:
            print(f"RBDL {RELEASE} and its binding are there already.")
            return
        require_tools()
        with TemporaryDirectory(prefix="rbdl-") as folder:
            sources = sources_from(source, Path(folder))
            build(sources, Path(folder, "build"))
            install(Path(folder, "build"), Path(sysconfig.get_path("platlib")))
        if (version := installed()) != RELEASE:
            raise CannotBuild(f"what was built calls itself {version or 'nothing'}, not RBDL {RELEASE}; remove {places()}")
        print(f"RBDL {RELEASE} and its binding are in {sysconfig.get_path('platlib')}.")
    except CannotBuild as error:
        sys.exit(f"RBDL's binding was not built: {error}")


def installed() -> str:
    """The version of RBDL whose binding this environment has; empty if there is none. Another process loads it."""
    ask = f"import rbdl; from {__package__}.official import Official; print(Official.version(rbdl))"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True)
    return done.stdout.strip()


def require_tools() -> None:
    """Raise :class:`CannotBuild` for the first of what is needed that is not there."""
    if not shutil.which("cmake"):
        raise CannotBuild("cmake is missing; install it, for example with `apt install cmake` or `pip install cmake`")
    if not (os.environ.get("CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))):
        raise CannotBuild("there is no C++ compiler; install one, for example with `apt install g++`, or set CXX")
    eigen()
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        raise CannotBuild("the headers of this Python are missing; install them, for example with `apt install python3-dev`")
    if not importlib.util.find_spec("numpy"):
        raise CannotBuild("NumPy is missing in this environment; `pip install numpy`")
    try:
        cython = metadata.version("cython")
    except metadata.PackageNotFoundError:
        raise CannotBuild(f"Cython is missing in this environment; `pip install cython=={CYTHON}`") from None
    if not cython.startswith("0.29."):
        raise CannotBuild(f"Cython {cython} cannot compile the binding; `pip install cython=={CYTHON}`")


def eigen() -> str:
    """The folder of Eigen's headers."""
    if given := os.environ.get("EIGEN3_INCLUDE_DIR"):
        folders: Sequence[str] = (given,)
    else:
        prefix = os.environ.get("CONDA_PREFIX")
        folders = (*EIGEN, *([str(Path(prefix, "include", "eigen3"))] if prefix else []))
    for folder in folders:
        if Path(folder, "Eigen", "Core").is_file():
            return folder
    raise CannotBuild(
        f"Eigen's headers are not in {' or '.join(folders)}; install them, for example with `apt install libeigen3-dev`, "
        "or set EIGEN3_INCLUDE_DIR"
    )


def sources_from(source: str, folder: Path) -> Path:
    """The folder with RBDL's sources: ``source`` itself, or a clone in ``folder`` of the repository that it names."""
    sources = Path(source)
    if not (sources / "CMakeLists.txt").is_file():
        if not shutil.which("git"):
            raise CannotBuild("git is missing; install it, or give a folder with RBDL's sources")
        sources = folder / "sources"
        clone = ["git", "clone", "--quiet", "--depth", "1", "--branch", f"v{RELEASE}", "--", source, str(sources)]
        run(clone, f"{source!r} is no folder with RBDL's sources and cannot be cloned", dict(os.environ, GIT_TERMINAL_PROMPT="0"))
    if digest(sources) != SHA256:
        raise CannotBuild(f"{source} has not the files of RBDL {RELEASE}, or they were changed; give those of the tag v{RELEASE}")
    return sources.resolve()


def digest(sources: Path) -> str:
    """SHA-256 of the names and contents of the files that are compiled."""
    files = [path for name in COMPILED for path in ([sources / name] if "." in name else (sources / name).rglob("*"))]
    total = hashlib.sha256()
    for path in sorted(path for path in files if path.is_file()):
        content = path.read_bytes()
        total.update(f"{path.relative_to(sources).as_posix()}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def build(sources: Path, folder: Path) -> None:
    """The library and the binding, in ``folder``."""
    mac = sys.platform == "darwin"
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "RBDL_BUILD_PYTHON_WRAPPER": "ON",
        "EIGEN3_INCLUDE_DIR": eigen(),
        "PYTHON_EXECUTABLE": sys.executable,
        "PYTHON_INCLUDE_DIR": sysconfig.get_path("include"),
        # An extension module gets Python's functions from the interpreter; CMake insists on a library all the same.
        "PYTHON_LIBRARY:STRING": "m",
        # NumPy 2 hides fields that Cython 0.29 names, and a function of RBDL's header is compiled into two objects.
        "CMAKE_CXX_FLAGS": "-fpermissive -w",
        "CMAKE_MODULE_LINKER_FLAGS": "" if mac else "-Wl,--allow-multiple-definition",
        # Both files are installed side by side.
        "CMAKE_BUILD_WITH_INSTALL_RPATH": "ON",
        "CMAKE_INSTALL_RPATH": "@loader_path" if mac else "$ORIGIN",
    }
    # RBDL's build runs `python3` and `cython` as it finds them.
    environment = dict(os.environ, PATH=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    flags = [f"-D{name}={value}" for name, value in options.items()]
    run(["cmake", "-S", str(sources), "-B", str(folder), *flags], "cmake cannot configure it", environment)
    jobs = str(os.cpu_count() or 1)
    run(["cmake", "--build", str(folder), "--target", "rbdl-python", "--parallel", jobs], "it does not compile", environment)


def install(folder: Path, target: Path) -> None:
    """Copy the library and the binding to ``target``, the library first; a file is there whole or not at all."""
    libraries = [path for path in folder.glob(f"librbdl*{RELEASE}*") if path.is_file() and not path.is_symlink()]
    for path in (*libraries, folder / "python" / "rbdl.so"):
        try:
            part = target / f"{path.name}.part"
            shutil.copyfile(path, part)
            part.replace(target / path.name)
        except OSError as error:
            raise CannotBuild(f"{path.name} cannot be copied to {target} ({error.strerror})") from error


def places() -> str:
    """The files that :func:`install` writes."""
    return str(Path(sysconfig.get_path("platlib"), "rbdl.so"))


def run(command: Sequence[str], failed: str, environment: Mapping[str, str]) -> None:
    """Run a program quietly. Raises :class:`CannotBuild`, with the end of what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment)
    if done.returncode:
        lines = (done.stdout + done.stderr).splitlines()[-LOG_LINES:]
        raise CannotBuild("\n".join([f"{failed}; `{command[0]}` printed:", *lines]))


if __name__ == "__main__":
    main()
