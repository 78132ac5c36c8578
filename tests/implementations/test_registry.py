"""Names: built in, offered by packages, the user's own; nothing that is broken hides the rest."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import ModuleType, SimpleNamespace

import pytest

from implementations.engines.drake import adapter as drake
from implementations.plugins import registry
from implementations.plugins.registry import BUILT_IN, find_implementation, implementation_of, list_implementations
from implementations.plugins.user_code import UserCodeError
from implementations.protocol import Implementation, Missing
from mechanisms import Body, Joint, Mechanism


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch):
    """Pretend that an installed package offers these entry points."""

    def offer(**values: str) -> None:
        points = [EntryPoint(name, value, registry.ENTRY_POINTS) for name, value in values.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: points if group == registry.ENTRY_POINTS else [])

    return offer


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_names_are_implementations_of_that_name(name: str) -> None:
    implementation = find_implementation(name)
    assert isinstance(implementation, Implementation)
    assert implementation.name == name


MODULES_OF_ENGINES = {
    "pinocchio": ["pinocchio"],
    "rbdl": ["rbdl", "biorbd"],
    "mujoco": ["mujoco"],
    "mjx": ["jax"],
    "mujoco-warp": ["warp"],
    "newton": ["warp"],
    "brax": ["jax"],
    "frax": ["jax"],
    "drake": ["pydrake"],
    "dart": ["dartpy"],
    "idyntree": ["idyntree.bindings"],
    "pybullet": ["pybullet"],
    "adam": ["adam"],
    "adam-jax": ["adam"],
    "adam-torch": ["adam"],
    "jaxsim": ["jaxsim"],
}


@pytest.mark.parametrize(
    ("name", "namesake"), [*((name, False) for name in MODULES_OF_ENGINES), ("pinocchio", True), ("dart", True), ("drake", True)]
)
def test_absent_engine_is_missing_with_install_hint(monkeypatch: pytest.MonkeyPatch, name: str, namesake: bool) -> None:
    """The same where another package, or a folder beside the user's files, has the name of the engine's module."""
    drake.engine.cache_clear()
    for module in MODULES_OF_ENGINES[name]:
        for loaded in [loaded for loaded in sys.modules if loaded.startswith(f"{module}.")]:
            monkeypatch.delitem(sys.modules, loaded)
        monkeypatch.setitem(sys.modules, module, ModuleType(module) if namesake else None)
    listed = next(listing for listing in list_implementations() if listing.name == name)
    assert (listed.status, listed.version) == ("missing", None)
    assert "pip install" in listed.hint
    with pytest.raises(Missing, match=rf'pip install "dalembert\[{name}\]"'):
        find_implementation(name).load(Mechanism("one", (Body("body", "world", Joint("joint", "revolute")),)))


@pytest.mark.engines
def test_package_offers_an_implementation_under_its_own_name(offer) -> None:
    offer(theirs="implementations.engines.pinocchio.adapter:Pinocchio", rbdl="no.such:thing")
    assert find_implementation("theirs").load
    names = [listing.name for listing in list_implementations()]
    assert names == [*BUILT_IN, "theirs"], "a package may add a name but not take over a built-in one"


def test_broken_packages_do_not_hide_the_others(offer) -> None:
    offer(absent="no_such_package:thing", empty="mechanisms:EARTH", rude="sys:exit")
    listed = {listing.name: listing for listing in list_implementations()}
    assert set(listed) == {*BUILT_IN, "absent", "empty", "rude"}
    assert listed["absent"].status == "broken"
    assert "no_such_package" in listed["absent"].hint
    assert "none of the quantities" in listed["empty"].hint
    assert listed["reference"].status == "installed"
    with pytest.raises(UserCodeError, match="repair or uninstall it"):
        find_implementation("absent")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("pinochio", "did you mean 'pinocchio'"),
        ("newton_euler", "did you mean 'newton-euler'"),
        ("qqq", "give one of reference, traced, newton-euler, screws, pinocchio, .*, a module"),
    ],
)
def test_unknown_name_gets_one_sentence_with_the_nearest_one(offer, name: str, says: str) -> None:
    offer()
    with pytest.raises(UserCodeError, match=says) as caught:
        find_implementation(name)
    assert "\n" not in str(caught.value)


def test_listing_gives_versions_of_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "biorbd", None)
    monkeypatch.setitem(sys.modules, "rbdl", SimpleNamespace(NonlinearEffects=None, __version__="3.3.1"))
    listed = {listing.name: listing for listing in list_implementations()}["rbdl"]
    assert (listed.version, listed.status, listed.hint) == ("3.3.1", "installed", "")


@pytest.mark.parametrize(("package", "name"), [("pin", "pinocchio"), ("biorbd", "rbdl"), ("pinocchio", None), ("numpy", None)])
def test_the_package_of_an_engine_leads_to_its_adapter(package: str, name: str | None) -> None:
    assert implementation_of(package) == name
