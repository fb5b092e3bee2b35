"""The projects that ``cairn init`` proposes, from what workspaces of many tools list."""

from __future__ import annotations

import pytest
import yaml

from runner.config.model import parse_config
from runner.verify.workspaces import proposed_projects

CASES = {
    "npm": ({"package.json": '{"workspaces": ["apps/*"]}'}, "package.json"),
    "yarn": ({"package.json": '{"workspaces": {"packages": ["./apps/*/"]}}'}, "package.json"),
    "pnpm": ({"pnpm-workspace.yaml": "packages: ['apps/**', '!apps/x']\n"}, "package.json"),
    "cargo": ({"Cargo.toml": '[workspace]\nmembers = ["apps/docs"]\n'}, "Cargo.toml"),
    "uv": ({"pyproject.toml": '[tool.uv.workspace]\nmembers = ["apps/*"]\n'}, "pyproject.toml"),
    "go": ({"go.work": "go 1.24\n\nuse (\n\t./cmd // the tool\n\t./apps/docs\n)\n"}, "go.mod"),
    "go, one": ({"go.work": "use ./apps/docs\n"}, "go.mod"),
    "maven": (
        {
            "pom.xml": '<project xmlns="http://maven.apache.org/POM/4.0.0"><modules>'
            "<module>apps/docs</module></modules></project>"
        },
        "pom.xml",
    ),
    "gradle": ({"settings.gradle": "include ':cli',\n  ':apps:docs'\n"}, "build.gradle"),
    "kotlin": ({"settings.gradle.kts": 'include(":apps:docs")\n'}, "build.gradle.kts"),
}


def proposed(top: dict[str, str], *paths: str) -> str:
    """What is proposed where these files are at the top, and there are some paths."""
    return proposed_projects({*top, *paths}, lambda path: top.get(path, "").encode() or None)


@pytest.mark.parametrize(("top", "manifest"), CASES.values(), ids=CASES)
def test_a_part_of_a_workspace_that_has_a_plan(top: dict[str, str], manifest: str) -> None:
    """Also in a folder whose name is otherwise that of material; parts without a plan are none."""
    inside = (f"apps/docs/{manifest}", "apps/docs/ROADMAP.md", f"apps/x/{manifest}")
    text = proposed(top, *inside)

    (found,) = parse_config(text.encode()).projects
    assert (found.name, found.path) == ("docs", "apps/docs")
    assert proposed({}, *inside) == ""


def test_any_folder_with_a_manifest_and_a_plan() -> None:
    """Names are told apart, and are names; the plan may be that of a tool."""
    text = proposed(
        {},
        *("services/api/go.mod", "services/api/specs/001/tasks.md"),
        *("web/api/package.json", "web/api/PLAN.md"),
        *("2048/package.json", "2048/ROADMAP.md"),
        *("api v2/package.json", "api v2/ROADMAP.md"),
    )

    found = [(each["name"], each["path"]) for each in yaml.safe_load(text)["projects"]]
    assert found == [("api", "services/api"), ("web-api", "web/api")]


@pytest.mark.parametrize(
    "top",
    [
        {"package.json": "{"},
        {"package.json": '{"workspaces": 1}'},
        {"pnpm-workspace.yaml": "packages: [\n"},
        {"pnpm-workspace.yaml": "- a\n"},
        {"Cargo.toml": "[workspace"},
        {"Cargo.toml": "workspace = 1"},
        {"pom.xml": "<project>"},
        {"pom.xml": '<!DOCTYPE a [<!ENTITY b "c">]><project>&b;</project>'},
        {"go.work": "use ("},
        {"settings.gradle": "include ["},
    ],
)
def test_a_list_that_cannot_be_read_proposes_nothing(top: dict[str, str]) -> None:
    """Nor does it end in an error."""
    assert proposed(top, "apps/docs/package.json", "apps/docs/ROADMAP.md") == ""
