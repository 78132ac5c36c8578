"""Cross-validates rigid-body dynamics code against two independent derivations of the equations of motion.

    import dalembert

    results = dalembert.check(["cart-pole", "planar-pendulum:3"], ["reference"], states=28)
    print([cell.id for cell in results.cells if cell.verdict != "agrees"])
    print(dalembert.derive("pendulum").mass_matrix_terms(0, 0))

Mechanisms and implementations are given as on the command line, by name, or as objects. docs/api.md lists the public names. They
are loaded when one is first used: pytest imports this package to find the plugin, and that must be cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dalembert.api import *  # noqa: F403

    __version__: str
else:
    # Hidden from type checkers, which would otherwise accept every name.

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version

            return version("dalembert")
        # Python itself asks modules for names with underscores, such as __path__ and __wrapped__.
        if name.startswith("_") and name != "__all__":
            raise AttributeError(f"dalembert has no {name!r}")
        # `from dalembert import session` asks here first. The import system finds a module once this function does not know it.
        from importlib.util import find_spec

        if find_spec(f"dalembert.{name}") is not None:
            raise AttributeError(f"the module dalembert.{name} is not imported yet")
        try:
            import dalembert.api as public
        except ModuleNotFoundError:
            # Code runs in another Python (--python) that has NumPy and the user's packages. This part needs no more.
            import mechanisms

            if name in mechanisms.__all__:
                value = globals()[name] = getattr(mechanisms, name)
                return value
            if name == "derivatives_of":
                from implementations.derivatives_of import derivatives_of

                return derivatives_of
            raise
        names = __dir__()
        if name == "__all__":
            return names
        if name not in names:
            raise AttributeError(f"dalembert has no {name!r}; it offers {', '.join(names)}")
        return getattr(public, name)

    def __dir__() -> list[str]:
        import dalembert.api as public

        return sorted([*public.__all__, "__version__"])
