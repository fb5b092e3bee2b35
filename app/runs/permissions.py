"""Permissions that the owners of an installation have not accepted."""

from __future__ import annotations

from app.github.token_identity import Identity
from app.progress.text import progress_texts
from app.store.runs import Run
from handlers.issue_thread import Refusals


class MissingPermissions:
    """What owners have not accepted yet, said once in each repository.

    A process asks GitHub once for each repository: only a new version of the App asks for more.
    """

    def __init__(self, identity: Identity, refusals: Refusals) -> None:
        self._identity = identity
        self._refusals = refusals
        self._asked: set[int] = set()

    async def missing(self, run: Run) -> str:
        """Say what does not work in the repository of a run, and was not said there before.

        Raises ``Outage``.
        """
        if run.repository_id in self._asked:
            return ""
        lacking = await self._identity.lacking(run.installation_id)
        place = {"repository_id": run.repository_id, "issue": 0}
        new = [
            each
            for each in sorted(lacking)
            if await self._refusals.first(**place, user_id=_PLACES[each], delivery=run.id)
        ]
        self._asked.add(run.repository_id)
        if not new:
            return ""
        page = await self._identity.page(run.installation_id)
        return progress_texts.not_granted(new, page)


_PLACES = {"checks": 0, "actions": -1, "merge_queues": -2, "statuses": -3}
"""Under which number it is kept that a permission was said to be missing: nobody has these."""
