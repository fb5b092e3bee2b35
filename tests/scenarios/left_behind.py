"""What a run leaves in the data directory: no secret, and files that agree with each other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from app.logs import secrets_of
from app.settings import ServerSettings
from tests.scenarios.bot import Bot


def secrets_in(settings: ServerSettings) -> list[str]:
    """Files of the data directory that hold a secret of the settings."""
    secrets = [secret.get_secret_value().encode() for secret in secrets_of(settings)]
    secrets = [secret for secret in secrets if secret and b"sqlite" not in secret]
    files = [file for file in settings.cairn_data_dir.rglob("*") if file.is_file()]
    return [str(file) for file in files if any(s in file.read_bytes() for s in secrets)]


def disagreements(bot: Bot) -> list[str]:
    """Reports that do not say what the list of tasks beside them says."""
    found = []
    for path in bot.files("report.json"):
        report = json.loads(path.read_text())
        todos = json.loads((path.parent / "todos.json").read_text())["todos"]
        found += [f"{path}: {said}" for said in miscounted(report["tasks"], todos)]
    return found


def miscounted(said: Mapping[str, int], todos: Sequence[Mapping[str, str]]) -> list[str]:
    """What a report's counts say otherwise than the list, where a replaced task counts once."""
    written = [ends_of(todo, todos) for todo in todos if not todo["replaces"]]
    done = sum(all(end == "completed" for end in ends) for ends in written)
    total = sum(ends != ["replaced"] for ends in written)
    counted = sum(number for status, number in said.items() if status not in ("total", "replaced"))
    if (said["completed"], said["total"], counted) == (done, total, total):
        return []
    return [f"{said}, but todos.json has {written}"]


def ends_of(todo: Mapping[str, str], todos: Sequence[Mapping[str, str]]) -> list[str]:
    """Where a task that people wrote stands, and all that took its place."""
    parts = [part for part in todos if part["replaces"] == todo["key"]]
    if todo["status"] != "replaced" or not parts:
        return [todo["status"]]
    return [end for part in parts for end in ends_of(part, todos)]
