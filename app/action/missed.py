"""New comments that no workflow run was given.

GitHub keeps one waiting run of a concurrency group and cancels the others
(https://docs.github.com/en/actions/how-tos/write-workflows/choose-when-workflows-run/control-workflow-concurrency),
so a command may start nothing. It is found again by whichever run comes next.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from app.github.repository_api import RepositoryApi
from handlers.commands import parse

_FILE = "action.json"
_OVERLAP = timedelta(minutes=5)
"""Comments this old are looked at again: clocks differ, and twice is once."""


def since(folder: Path) -> datetime | None:
    """Return when the last workflow run looked; None when none has."""
    try:
        found = json.loads((folder / _FILE).read_text(encoding="utf-8"))["comments"]
        return datetime.fromisoformat(found)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def looked(folder: Path, at: datetime) -> None:
    """Remember that every comment made before was looked at."""
    text = json.dumps({"comments": at.isoformat(timespec="seconds")})
    (folder / _FILE).write_text(text, encoding="utf-8")


async def missed(
    api: RepositoryApi, repository: Mapping[str, Any], after: datetime
) -> AsyncIterator[dict[str, Any]]:
    """Yield the payload of each new comment with a command that was made after a time.

    Edited ones are left out: others may have edited them. Raises ``Outage`` or ``TaskError``.
    """
    moment = (after - _OVERLAP).strftime("%Y-%m-%dT%H:%M:%SZ")
    query = {"since": moment, "sort": "created", "direction": "asc", "per_page": "100"}
    path = f"issues/comments?{urlencode(query)}"
    async for comment in api.items(path, "list the comments"):
        untouched = comment["created_at"] == comment["updated_at"]
        if not untouched or not comment["user"] or not parse(comment["body"] or ""):
            continue
        number = str(comment["issue_url"]).rpartition("/")[2]
        issue = await api.get(f"issues/{number}", f"show #{number}")
        yield {
            "action": "created",
            "issue": issue,
            "comment": comment,
            "repository": repository,
            "sender": comment["user"],
        }
