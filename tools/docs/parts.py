"""The parts of the documentation that are made from the code, and where they stand.

A part is everything between ``<!-- made: NAME -->`` and ``<!-- /made -->``. Where this repository
is and its version come from ``pyproject.toml``, into every line that people copy.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

from app.features import COMMANDS
from app.settings import settings_table
from app.setup.addresses import tables
from handlers.texts import replies
from runner.config.model import config_schema
from runner.graph import mermaid
from tools.docs.command_line import command_line
from tools.docs.configuration import configuration, doors
from tools.docs.events import events, schema_text

ROOT = Path(__file__).parents[2]
_PART = re.compile(r"(<!-- made: (\S+) -->\n).*?(<!-- /made -->)", re.DOTALL)


_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SOURCE: str = _PROJECT["urls"]["Source"]
SLUG = SOURCE.removeprefix("https://github.com/")
ACTION = f"{SLUG}@v{_PROJECT['version']}"
"""What a workflow names to use Cairn."""

_NAME = r"[\w.-]+/[\w.-]+"
_COPIED = (
    (re.compile(rf"(uses: ){_NAME}@v[\d.]+(?=$| #)", re.MULTILINE), rf"\g<1>{ACTION}"),
    (re.compile(rf"(git clone )https://github\.com/{_NAME}"), rf"\g<1>{SOURCE}"),
    (re.compile(rf"(git\+)https://github\.com/{_NAME}"), rf"\g<1>{SOURCE}"),
)
"""Lines that name this repository. Actions of others are named by a commit, not a version."""


def pages() -> list[str]:
    """Every file with made parts or lines to copy, from the top of the repository."""
    copied = (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/workflows/*.yml"))
    found = {str(file.relative_to(ROOT)) for file in copied}
    return sorted(found | {place for place, _ in PARTS})


def made(place: str, text: str) -> str:
    """Return the text of a documentation file with every made part and copied line anew."""
    if place.endswith(".json"):
        return PARTS[place, "all"]()
    for pattern, line in _COPIED:
        text = pattern.sub(line, text)
    return _PART.sub(lambda part: f"{part[1]}\n{PARTS[place, part[2]]()}\n\n{part[3]}", text)


def _graph() -> str:
    return f"```mermaid\n{mermaid()}\n```"


def _commands() -> str:
    return "\n".join(
        line for line in replies.help_text(COMMANDS).split("\n") if line.startswith("|")
    )


def _schema() -> str:
    return json.dumps(config_schema(), indent=2) + "\n"


PARTS: dict[tuple[str, str], Callable[[], str]] = {
    ("README.md", "commands"): _commands,
    ("docs/architecture.md", "graph"): _graph,
    ("docs/cairn.schema.json", "all"): _schema,
    ("docs/command-line.md", "options"): command_line,
    ("docs/configuration.md", "doors"): doors,
    ("docs/configuration.md", "keys"): configuration,
    ("docs/operations.md", "events"): events,
    ("docs/events.schema.json", "all"): schema_text,
    ("docs/setup.md", "permissions"): tables,
    ("docs/settings.md", "settings"): lambda: settings_table().strip(),
}
