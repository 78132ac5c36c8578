"""The files for a release agree with pyproject.toml, and its workflow has few rights and fixed actions."""

from __future__ import annotations

import re
import tomllib

import pytest
from built import ROOT
from workflow import read_yaml

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOWS = [*sorted((ROOT / ".github" / "workflows").glob("*.yml")), ROOT / "action.yml"]


def test_the_citation_is_that_of_the_package() -> None:
    citation = read_yaml(ROOT / "CITATION.cff")
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    assert citation["abstract"] == PROJECT["description"]
    assert [author["name"] for author in citation["authors"]] == [author["name"] for author in PROJECT["authors"]]


def test_the_recipe_for_conda_is_that_of_the_package() -> None:
    rattler_build = pytest.importorskip("rattler_build", reason="py-rattler-build is not installed; `tox -e package` installs it")
    recipe = rattler_build.Stage0Recipe.from_file(ROOT / "recipes" / "conda" / "recipe.yaml")
    (variant,) = recipe.render(rattler_build.VariantConfig({}))
    rendered = variant.recipe.to_dict()
    assert rendered["package"] == {"name": PROJECT["name"], "version": PROJECT["version"]}
    asked = {word.replace(" ", "") for word in rendered["requirements"]["run"]}
    assert asked == {*PROJECT["dependencies"], f"python{PROJECT['requires-python']}"}
    assert rendered["build"]["python"]["entry_points"] == [f"{name} = {where}" for name, where in PROJECT["scripts"].items()]
    assert rendered["about"]["license"] == PROJECT["license"]


def test_actions_are_named_by_digest_with_the_version_beside_it_and_one_version_is_used_everywhere() -> None:
    used = {action for path in WORKFLOWS for action in re.findall(r"uses: *(.*)", path.read_text("utf-8"))}
    assert [action for action in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)] == []
    assert len({action.partition("@")[0] for action in used}) == len(used) > 1


def test_only_the_job_that_publishes_can_publish() -> None:
    workflow = read_yaml(ROOT / ".github" / "workflows" / "release.yml")
    assert workflow["permissions"] == {}
    permissions = {name: job["permissions"] for name, job in workflow["jobs"].items()}
    assert permissions == {
        "build": {"contents": "read"},
        "attest": {"attestations": "write", "id-token": "write"},
        "publish": {"id-token": "write"},
    }
    assert workflow["jobs"]["publish"]["environment"] == "pypi"
    assert not re.search(r"secrets\.|password", (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))
