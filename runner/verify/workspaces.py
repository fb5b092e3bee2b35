"""The projects of a repository that have a plan of their own, as ``cairn init`` proposes them.

Which folders are projects, the repository's own manifests say: the lists of npm, pnpm, Cargo, uv
and Go workspaces and of Maven's and Gradle's modules; any other folder with a manifest is one too.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterator

import yaml

from runner.roadmap.plans.choosing import plans_in
from runner.text.gitignore import matching
from runner.verify.judging import Read
from runner.verify.projects import project_folders

WORKSPACES = (
    "package.json",
    "pnpm-workspace.yaml",
    "Cargo.toml",
    "pyproject.toml",
    "go.work",
    "pom.xml",
    "settings.gradle",
    "settings.gradle.kts",
)
"""The files at the top that list the parts of a workspace."""
_GO_USE = re.compile(r"^use\s*(?:\(([^)]*)\)|(\S+))", re.MULTILINE)
_GRADLE = re.compile(r"^\s*include\b\s*\(?\s*((?:['\"][\w:./-]+['\"][\s,]*)+)", re.MULTILINE)


def proposed_projects(paths: Collection[str], read: Read) -> str:
    """Return the ``projects`` of a configuration: each folder that has a plan; '' for none.

    ``read`` knows the files of ``WORKSPACES``.
    """
    listed = (matching(f"{pattern}/{name}", paths) for pattern, name in _members(read))
    every = {
        *(path.rpartition("/")[0] for found in listed for path in found),
        *project_folders(paths),
    }
    names: dict[str, str] = {}
    for folder in sorted(every):
        if not plans_in(f"{folder}/ROADMAP.md", paths) or not re.fullmatch(r"[\w./-]+", folder):
            continue
        words = [re.sub(r"^[\W\d_]+|[^A-Za-z0-9_-]", "", part) for part in folder.split("/")]
        ends = ("-".join(filter(None, words[at:])) for at in range(len(words) - 1, -1, -1))
        if name := next((each for each in ends if each and each not in names), ""):
            names[name] = folder
    lines = [f"  - {{name: {name}, path: {folder}}}\n" for name, folder in names.items()]
    return "".join(
        ["# Folders with plans of their own: `cairn run NAME`.\nprojects:\n", *lines]
    ) * (bool(lines))


def _members(read: Read) -> Iterator[tuple[str, str]]:
    """The patterns of folders that the workspaces of a repository list, with their manifest."""

    def text(path: str) -> str:
        return (read(path) or b"").decode("utf-8", "replace")

    def strings(value: object) -> list[str]:
        return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []

    def at(value: object, *keys: str) -> object:
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    found: list[tuple[str, str]] = []
    try:
        npm = at(json.loads(text("package.json") or "{}"), "workspaces")
        npm = strings(at(npm, "packages") if isinstance(npm, dict) else npm)
        npm += strings(at(yaml.safe_load(text("pnpm-workspace.yaml")), "packages"))
        found += [(each, "package.json") for each in npm]
    except (ValueError, yaml.YAMLError, RecursionError):
        pass  # whoever works with it is told by the tool itself
    try:
        cargo = at(tomllib.loads(text("Cargo.toml")), "workspace", "members")
        found += [(each, "Cargo.toml") for each in strings(cargo)]
        uv = at(tomllib.loads(text("pyproject.toml")), "tool", "uv", "workspace", "members")
        found += [(each, "pyproject.toml") for each in strings(uv)]
    except (ValueError, RecursionError):
        pass
    go = re.sub(r"//.*", "", text("go.work"))
    for several, one in _GO_USE.findall(go):
        found += [(each.strip('"`'), "go.mod") for each in (several or one).split()]
    found += [(each, "pom.xml") for each in _maven(read("pom.xml"))]
    for name in ("settings.gradle", "settings.gradle.kts"):
        for group in _GRADLE.findall(text(name)):
            modules = re.findall(r"['\"]:?([^'\"]+)['\"]", group)
            found += [(each.replace(":", "/"), "build.gradle*") for each in modules]
    for pattern, manifest in found:
        if not pattern.startswith("!"):
            yield pattern.removeprefix("./").strip("/"), manifest


def _maven(content: bytes | None) -> list[str]:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        root = fromstring(content or b"<project/>")
    except (ParseError, DefusedXmlException, ValueError, RecursionError):
        return []
    return [each.text.strip() for each in root.findall("{*}modules/{*}module") if each.text]
