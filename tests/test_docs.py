"""Documentation that could rot is made from the code, or checked against it."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from app.cli import cli
from app.settings import settings_table
from handlers.replies import help_text
from runner.config import config_schema, parse_config
from runner.graph import mermaid

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_readme_shows_the_graph() -> None:
    """The diagram of the README is the graph the driver follows."""
    assert f"```mermaid\n{mermaid()}\n```" in README


def test_the_readme_shows_the_commands() -> None:
    """The command table of the README is the one of /execute help."""
    rows = [line for line in help_text().split("\n") if line.startswith("|")]

    assert "\n".join(rows) in README


def test_every_command_is_documented() -> None:
    """docs/command-line.md names each command that ``cairn`` has."""
    told = (ROOT / "docs/command-line.md").read_text()
    found = [command.name or command.callback.__name__ for command in cli.registered_commands]

    assert {name for name in found if f"`cairn {name}" not in told} == set()


def test_the_settings_are_documented() -> None:
    """docs/settings.md has the table that the settings themselves print."""
    assert settings_table().strip() in (ROOT / "docs/settings.md").read_text()


def test_the_example_configuration_is_valid_and_names_every_key() -> None:
    """docs/configuration.md shows a configuration that Cairn takes, with all groups."""
    text = (ROOT / "docs/configuration.md").read_text()
    found = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert found is not None

    config = parse_config(found[1].encode())

    assert config.model_fields_set == set(type(config).model_fields)


def test_the_schema_for_editors_is_the_one_of_the_code() -> None:
    """docs/cairn.schema.json is what config_schema() returns."""
    assert json.loads((ROOT / "docs/cairn.schema.json").read_text()) == config_schema()


def test_every_direct_dependency_is_explained() -> None:
    """docs/dependencies.md has a line for each package of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    names = {re.split(r"[\[<>=]", requirement)[0] for requirement in wanted}
    told = (ROOT / "docs/dependencies.md").read_text()

    assert {name for name in names if name not in told} == set()


def test_the_commands_of_the_readme_exist() -> None:
    """Every make target and script the README names is there."""
    makefile = (ROOT / "Makefile").read_text()

    targets = set(re.findall(r"\bmake ([a-z]+)\b", README)) - {"and"}
    scripts = set(re.findall(r"\bscripts/[a-z-]+", README))
    assert {t for t in targets if f"\n{t}:" not in makefile} == set()
    assert {s for s in scripts if not (ROOT / s).exists()} == set()
