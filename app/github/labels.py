"""The label by which people find proposals."""

from __future__ import annotations

from urllib.parse import quote

from app.github.pull import Pull
from app.github.refusals import Effort
from app.github.repository_api import RepositoryApi

RECOVERY = "cairn:recovery"
_COLOR = "d4a72c"
_ABOUT = "What Cairn proposes about a task it could not finish"


async def put_label(api: RepositoryApi, pull: Pull, effort: Effort) -> None:
    """Put the label on, and make it when the repository has none; a refusal fails nothing."""
    if RECOVERY in pull.labels:
        return
    with effort():
        if await api.find(f"labels/{quote(RECOVERY)}", f"show the label {RECOVERY}") is None:
            data = {"name": RECOVERY, "color": _COLOR, "description": _ABOUT}
            await api.create("labels", data, f"make the label {RECOVERY}")
        doing = f"put a label on #{pull.number}"
        await api.post(f"issues/{pull.number}/labels", {"labels": [RECOVERY]}, doing)
