"""What a run leaves in the data directory: no secret, and files that agree with each other."""

from __future__ import annotations

import json
from collections import Counter

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
        counts = Counter(todo["status"] for todo in todos)
        said = {name: n for name, n in report["tasks"].items() if n and name != "total"}
        if said != counts or report["tasks"]["total"] != counts.total() - counts["replaced"]:
            found.append(f"{path}: {said}, but todos.json has {dict(counts)}")
    return found
