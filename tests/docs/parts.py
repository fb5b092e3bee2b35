"""The parts of the documentation that are made from the code, and where they stand.

A part is everything between ``<!-- made: NAME -->`` and ``<!-- /made -->``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from app.settings import settings_table
from app.setup.manifest import tables
from handlers.replies import help_text
from runner.config import config_schema
from runner.graph import mermaid
from tests.docs.command_line import command_line
from tests.docs.configuration import configuration

ROOT = Path(__file__).parents[2]
_PART = re.compile(r"(<!-- made: (\S+) -->\n).*?(<!-- /made -->)", re.DOTALL)


def made(place: str, text: str) -> str:
    """Return the text of a documentation file with every made part written anew."""
    if place.endswith(".json"):
        return PARTS[place, "all"]()
    return _PART.sub(lambda part: f"{part[1]}\n{PARTS[place, part[2]]()}\n\n{part[3]}", text)


def _graph() -> str:
    return f"```mermaid\n{mermaid()}\n```"


def _commands() -> str:
    return "\n".join(line for line in help_text().split("\n") if line.startswith("|"))


def _schema() -> str:
    return json.dumps(config_schema(), indent=2) + "\n"


PARTS: dict[tuple[str, str], Callable[[], str]] = {
    ("README.md", "commands"): _commands,
    ("README.md", "graph"): _graph,
    ("docs/architecture.md", "graph"): _graph,
    ("docs/cairn.schema.json", "all"): _schema,
    ("docs/command-line.md", "options"): command_line,
    ("docs/configuration.md", "keys"): configuration,
    ("docs/setup.md", "permissions"): tables,
    ("docs/settings.md", "settings"): lambda: settings_table().strip(),
}
