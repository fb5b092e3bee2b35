"""What a run leaves in the data directory: no secret, and files that agree with each other."""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from app.logs import secrets_of
from tests.scenarios.bot import Bot

_started: list[str] = []
"""The arguments of every process that this one has started since they were looked at."""


def _hear(event: str, about: tuple[object, ...]) -> None:
    if event == "subprocess.Popen":
        _started.append(str(about[1]))


sys.addaudithook(_hear)


def leaks(bot: Bot, **said: str) -> list[str]:
    """Where one of the server's own secrets is found: it belongs into headers of requests alone.

    Looked for in what the model was asked, what GitHub was sent, files that were committed, the
    arguments of processes, the data directory with its database, and what else was ``said`` (the
    log before anything in it is masked).
    """
    secrets = [form for secret in _secrets(bot) for form in encoded(secret)]
    said |= {f"question {n}": str(asked.body) for n, asked in enumerate(bot.model.requests)}
    said |= {
        f"request {n}": f"{r.method} {r.path}?{r.query} {json.dumps(r.body)}"
        for n, r in enumerate(bot.github.requests)
    }
    said |= {f"committed file {n}": str(data) for n, data in enumerate(bot.sent())}
    said["arguments"] = "\n".join(_started)
    _started.clear()
    found = [where for where, text in said.items() if any(s in text for s in secrets)]
    return found + files_with(bot.settings.cairn_data_dir, secrets)


def encoded(secret: str) -> set[str]:
    """A secret as it is, in base64 wherever it begins, in hexadecimal, in an address, reversed."""
    data = secret.encode()
    inner = {b64encode(bytes(before) + data).decode()[4:-4] for before in range(3)}
    return {secret, *inner, data.hex(), quote(secret), quote(secret, safe=""), secret[::-1]}


def files_with(folder: Path, secrets: Iterable[str]) -> list[str]:
    """Files below a folder that hold one of these texts; a database is such a file, too."""
    wanted = [secret.encode() for secret in secrets]
    # bytes that no secret has are most of a database: what is left is searched in less time
    foreign = bytes(set(range(256)).difference(*wanted))
    contents = ((file, file.read_bytes()) for file in folder.rglob("*") if file.is_file())
    likely = ((file, c) for file, c in contents if _any(wanted, c.translate(None, foreign)))
    return [str(file) for file, content in likely if _any(wanted, content)]


def _any(wanted: Sequence[bytes], content: bytes) -> bool:
    return any(secret in content for secret in wanted)


def _secrets(bot: Bot) -> list[str]:
    """Values of the settings (of the key a line of its own), and every token that was given out."""
    values = [secret.get_secret_value() for secret in secrets_of(bot.settings)]
    lines = [line for value in values for line in value.split("\n")]
    own = [
        line for line in lines if line and not line.startswith(("-----", "sqlite", "postgresql"))
    ]
    return [line for line in own if len(line) >= 6] + list(bot.github.world.tokens)


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
