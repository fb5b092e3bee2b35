"""The progress comment of a run: one comment, found again by its marker and edited in place.

A queued run already has it. ``github_mode: disabled`` means no comment at all. In a locked
conversation GitHub takes no comment of an App: the run works all the same, and the comment is made
as soon as GitHub takes it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from gidgethub import BadRequest, GitHubException
from gidgethub.abc import GitHubAPI

from app.progress.text import marker, progress_text, progress_texts, why
from app.progress.waiting import Turn
from app.store.runs import RunRequest
from handlers.issue_thread import always_writable
from runner.errors import Outage
from runner.ports import Clock
from runner.state.events import Advanced, Event, RunChanged
from runner.state.run_state import RunState

log = logging.getLogger(__name__)

_COMMENTS = "/repos/{+name}/issues/{issue}/comments"
_COMMENT = "/repos/{+name}/issues/comments/{comment}"

EVERY = 10.0
"""Seconds between two edits, at least."""


class Progress:
    """Listens to a run and shows it in its comment; ``finish`` writes the final text.

    Used with ``async with``: an exception that leaves the block is shown as the pause it causes. If
    the repository is ``read_only``, there is no comment (its id is 0). ``told`` says whether people
    could be told the last thing there was to say.
    """

    def __init__(
        self,
        run: RunRequest,
        github: GitHubAPI,
        *,
        bot: str,
        clock: Clock,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
        comment: int | None = None,
        read_only: Callable[[], Awaitable[bool]] = always_writable,
        link: Callable[[], str] = str,
    ) -> None:
        """The run talks where it was asked for, as our App's ``bot`` account.

        ``comment`` is the id of the run's comment, if it was stored. ``rest`` waits (seconds) until
        the comment may be edited again. ``link`` gives the address of the run's page for who can
        read the comment, '' for none.
        """
        self._run = run.id
        self._bot = bot
        self._at = {"name": run.repository.full_name, "issue": str(run.issue or 0)}
        self._github = github
        self._clock = clock
        self._rest = rest
        self._comment = comment or 0
        self._read_only = read_only
        self._link = link
        self._no_comment = False
        self._text = ""
        self.told = True
        self._edited = clock.monotonic()
        self._state: RunState | None = None
        self._later: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> int:
        return await self.begin()

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        # what ends the process leaves no time to tell
        await self.stop(at_once=error is not None and not isinstance(error, Exception))
        if isinstance(error, Exception):
            until = error.until if isinstance(error, Outage) else None
            await self._try("paused", progress_texts.pause(why(error), until))

    async def begin(self, turn: Turn | None = None) -> int:
        """Find or make the comment; return its id, 0 if GitHub refuses it. Raises ``Outage``.

        A new one says that the run works, or with ``turn`` that it waits.
        """
        self._no_comment = await self._read_only()
        if self._no_comment:
            return 0
        if found := await self._find():
            self._comment, self._text = int(found["id"]), str(found["body"])
            edited = datetime.fromisoformat(found["updated_at"])
            self._edited -= max(0.0, (self._clock.now() - edited).total_seconds())
            return self._comment
        status = "queued" if turn else "started"
        return await self._make(progress_text(self._run, status, "", None, turn, self._link()))

    async def wait(self, turn: Turn) -> None:
        """Say in the comment, which is there, at which position it waits. Raises ``Outage``."""
        if await self.begin(turn):
            await self._show("queued", "", turn=turn)

    async def _make(self, text: str) -> int:
        """Make the comment; where the conversation is locked, or gone, the run has none."""
        try:
            made = await self._github.post(_COMMENTS, self._where, data={"body": text})
        except BadRequest as refusal:
            log.warning("Run %s has no comment: %s", self._run, refusal)
            self.told = False
            return 0
        self._comment, self._text, self.told = int(made["id"]), text, True
        return self._comment

    async def _find(self) -> Any:
        """The comment by its stored id, else by its marker, or None."""
        if self._comment:
            try:
                return await self._github.getitem(_COMMENT, self._where)
            except BadRequest as refusal:
                if not _is_gone(refusal):
                    raise
        async for comment in self._github.getiter(_COMMENTS + "?per_page=100", self._where):
            if self._is_ours(comment):
                return comment
        return None

    @property
    def _where(self) -> dict[str, str]:
        return {**self._at, "comment": str(self._comment)}

    async def emit(self, event: Event) -> None:
        """Show what changed, now or when the last edit is long enough ago."""
        if isinstance(event, Advanced):
            self._state = event.state
        elif not isinstance(event, RunChanged):
            return
        if self._later is not None and self._later.done():
            await self.stop()
        if self._later is None:
            # beside the run: it does not wait for GitHub to take an edit
            wait = EVERY - (self._clock.monotonic() - self._edited)
            self._later = asyncio.create_task(self._edit_after(wait))

    async def finish(self, status: str, detail: str, state: RunState | None = None) -> None:
        """Write the final text, without waiting. Raises ``Outage`` if it could not be written."""
        await self.stop()
        self._state = state or self._state
        await self._show(status, detail, again=True)

    async def stop(self, *, at_once: bool = False) -> None:
        """Drop the edit that waits for its time; one that is on its way arrives, or fails, first.

        A bug in it is raised here. ``at_once`` cuts off one that is on its way, too.
        """
        later, self._later = self._later, None
        if later is None:
            return
        if at_once or not self._turn.locked():
            later.cancel()
        await asyncio.wait([later])
        if not later.cancelled():
            later.result()

    async def _edit_after(self, seconds: float) -> None:
        if seconds > 0:
            await self._rest(seconds)
        await self._try()

    async def _try(self, status: str = "running", detail: str = "") -> None:
        """Show its status; a failure is only logged, because the run matters more."""
        try:
            await self._show(status, detail)
        except Outage as outage:
            log.warning("The comment of run %s was not edited: %s", self._run, outage.message)

    async def _show(
        self, status: str, detail: str, *, again: bool = False, turn: Turn | None = None
    ) -> None:
        """Edit the comment; one that somebody deleted is made ``again`` only for the end."""
        async with self._turn:
            text = progress_text(self._run, status, detail, self._state, turn, self._link())
            if self._no_comment or text == self._text:
                return
            self._edited = self._clock.monotonic()
            if not self._comment:  # it could not be made before
                await self._make(text)
                return
            try:
                await self._github.patch(_COMMENT, self._where, data={"body": text})
            except GitHubException as refusal:
                if again and _is_gone(refusal):
                    await self._make(text)
                    return
                # the conversation may be locked: it is edited when that is over
                log.warning("The comment of run %s cannot be edited: %s", self._run, refusal)
                self.told = False
            else:
                self._text, self.told = text, True

    def _is_ours(self, comment: dict[str, object]) -> bool:
        user = comment.get("user")
        login = user.get("login") if isinstance(user, dict) else None
        return login == self._bot and marker(self._run) in str(comment.get("body"))


def _is_gone(refusal: GitHubException) -> bool:
    """Say whether somebody deleted the comment."""
    return isinstance(refusal, BadRequest) and refusal.status_code in (404, 410)
