"""Handle a push to the default branch: update the plan issue, and start a run if configured.

Deliveries may come twice, late and in any order. A run is named by its delivery and the issue is
looked for, so a repeated delivery changes nothing. Only the newest push rewrites the issue.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from gidgethub.abc import GitHubAPI

from app.github.config import Contents, each_once, plan_on, with_plan
from app.github.token_identity import PLAN
from app.plan_issue.issue import TITLE, PlanIssue, planned_name
from app.plan_issue.text import plan_text, plan_texts, plannable
from app.progress.text import cell, named
from app.runs.following import restack
from app.runs.service import RunService
from handlers.commands import START
from handlers.events import InstalledRepository, is_from_bot
from handlers.grammar import ExecuteCommand
from handlers.issue_thread import Role, role_of
from handlers.ports import RunRequested, run_id
from handlers.pushes import (
    MOST_TASKS,
    BranchPushed,
    PushStart,
    RoadmapPush,
    changes_tasks,
    fresh,
    started_by,
)
from handlers.texts import quoted
from runner.config.model import RepositoryConfig, parse_config
from runner.config.reading import ConfigError
from runner.errors import TaskError
from runner.roadmap.diff import RoadmapDiff, diff
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a push did to the roadmap; ``after`` is None if it was deleted.

    ``diff`` is None when the roadmap before cannot be read; ``news`` says whether tasks, or what
    could become tasks, have changed.
    """

    path: str
    after: Roadmap | None
    diff: RoadmapDiff | None
    news: bool = True

    def tasks(self, keys: Collection[str]) -> list[Task]:
        """The tasks of these keys."""
        return [task for task in (self.after.tasks if self.after else ()) if task.key in keys]


async def compared(
    push: BranchPushed, path: str, config: bytes, contents: Contents
) -> Change | None:
    """Compare the roadmap at ``path`` before and after a push; None when nothing changed.

    ``config`` is the configuration after it: where that changed, the plan may be of another file.
    Raises ``Outage`` or ``TaskError``.
    """
    before = push.before
    new = await contents.read(path, push.after)
    old = await contents.read(path, before) if before else None
    readable = not before or old is not None or await contents.has(before)
    if readable and new == old and config == await _config(before, contents):
        return None
    after = None if new is None else await read(path, new)
    if not readable:
        return Change(path=path, after=after, diff=None)
    then, now = await read(path, old or b""), after or await read(path, b"")
    found = await asyncio.to_thread(diff, then, now)
    news = changes_tasks(found) or _titles(then) != _titles(now)
    return Change(path=path, after=after, diff=found, news=news)


async def read(path: str, content: bytes) -> Roadmap:
    """Parse a roadmap beside the loop: a large file takes a while."""
    return await asyncio.to_thread(parse_roadmap, path, content)


async def _config(commit: str, contents: Contents) -> bytes | None:
    """The configuration of a commit, empty if there is none; None if it is unusable."""
    try:
        return (await contents.config(commit) if commit else None) or b""
    except ConfigError:
        return None


def _titles(roadmap: Roadmap) -> list[str]:
    return [candidate.title for candidate in roadmap.candidates]


_SHOWN = 10
_LINE = 300


def started(run: str, tasks: Sequence[Task]) -> str:
    """Which run works on what."""
    listed = "\n".join(f"- {named(task)}" for task in tasks[:_SHOWN])
    more = f"\n- … {len(tasks) - _SHOWN:,} more" if len(tasks) > _SHOWN else ""
    return (
        f"The last push changed the roadmap. Run `{run}` works on the tasks that are new or "
        f"changed; a comment below shows its progress:\n\n{listed}{more}"
    )


def unclear(found: RoadmapDiff | None) -> str:
    """Which tasks are started by nothing because nobody can say whether they are new."""
    if not found or not found.unclear:
        return ""
    listed = "\n".join(f"- {cell(str(each), _LINE)}" for each in found.unclear[:_SHOWN])
    return (
        "The last push starts none of these, because Cairn cannot tell which of them are new. Give "
        f"each an id to make that clear:\n\n{listed}"
    )


def refused(start: PushStart, *, login: str, role: Role) -> str:
    """Why the last push starts nothing, and what to do; '' when there was nothing to start."""
    why = {
        "": "",
        "unreadable": "Cairn cannot read the roadmap as it was before (its commit is gone, as "
        "after a force push), so it does not know which tasks are new",
        "bot": f"it came from {quoted(login)}, a bot that this server's `CAIRN_ALLOWED_BOTS` does "
        "not name",
        "permission": f"it came from {quoted(login)}, who has the *{role}* permission on this "
        f"repository, and a run needs *{START.needs}* or higher",
    }[start.refused]
    if not why:
        return ""
    return (
        f"**The last push starts nothing:** {why}. Somebody with the *{START.needs}* permission "
        f"can comment `{START.words}` here."
    )


log = logging.getLogger(__name__)


BoardText = Callable[
    [InstalledRepository, RepositoryConfig, str], Awaitable[tuple[str, str] | None]
]
"""The text of a dashboard with a note, and where the rest is; None without a roadmap."""


@dataclass(frozen=True)
class RoadmapPushes:
    """Works pushes; doing it twice changes nothing. ``board`` is the text of the dashboard."""

    service: RunService
    board: BoardText

    async def __call__(self, push: BranchPushed) -> None:
        """Work one push. Raises ``Outage``."""
        parts = self.service.parts
        github = parts.identity.client(push.repository, PLAN)
        api, own = parts.api(push.repository, PLAN), await parts.identity.bot_login()
        bot = is_from_bot(push.accounts, own=own, allowed=parts.allowed_bots)
        try:
            await _Work(self, push, github, Contents(api), PlanIssue(api, bot_login=own), bot).do()
        except TaskError as error:  # for example, issues are disabled: there is no place to write
            log.warning("Push %s is ignored: %s", push.delivery, error.message)


@dataclass(frozen=True, slots=True)
class _Work:
    """One push, and what is needed to work it; ``bot`` says that its sender counts for nothing."""

    by: RoadmapPushes
    push: BranchPushed
    github: GitHubAPI
    contents: Contents
    issue: PlanIssue
    bot: bool

    async def do(self) -> None:
        """Show the plan, then start what is to be started: the run belongs to the plan's issue."""
        try:
            raw = await self.contents.config(self.push.after) or b""
            parts = self.by.service.parts
            plain = parse_config(raw, images=parts.settings.cairn_allowed_images)
            config = parts.overlay(plain)
        except ConfigError as error:
            if await self._is_newest():
                text = plan_texts.config_errors([str(problem) for problem in error.problems])
                if found := await self.issue.find():
                    await self.issue.write(found, text)
            return
        writes = config.github_mode != "disabled"
        if writes and await self._is_newest():
            await restack(self.by.service, self.push, config.pull_requests.strategy)
        useless = not (config.dashboard and writes) and config.triggers.push != "execute"
        if useless and writes:
            await self._turned_off(raw)
        if config.triggers.push == "off" or useless:
            return
        path = await self._meant(config.roadmap.path, config.plans)
        alone = config.roadmap.path != plain.roadmap.path  # a workflow names one plan
        own = [] if alone else [await self._meant(setting) for setting in config.plans]
        config, paths = with_plan(config, path), each_once(path, own)
        diffs = [await compared(self.push, each, raw, self.contents) for each in paths]
        changes = [each for each in diffs if each]
        if changes:
            quiet = not raw and not await parts.runs.any_asked(self.push.repository.id)
            await self._plan_and_start(config, paths, changes, quiet=quiet)
        elif writes:
            await self._catch_up(config, paths)

    async def _meant(self, setting: str, projects: Collection[str] = ()) -> str:
        """The file that a setting means in what was pushed; itself where there is none."""
        name, after = self.push.repository.full_name, self.push.after
        if await self.contents.read(setting, after) is not None:
            return setting
        return await plan_on(self.github, name, setting, after, projects) or setting

    async def _turned_off(self, config: bytes) -> None:
        """Say in an open dashboard that the configuration turns it off, if this push changed it."""
        before = self.push.before
        if before and config != await _config(before, self.contents) and await self._is_newest():
            found = await self.issue.find()
            if found and found.open:
                await self.issue.write(found, plan_texts.off())

    async def _plan_and_start(
        self,
        config: RepositoryConfig,
        paths: Sequence[str],
        changes: Sequence[Change],
        *,
        quiet: bool,
    ) -> None:
        """Show all plans, and start a run for each that changed and has something to start.

        Nobody asked a ``quiet`` repository's Cairn for anything: no configuration, no run.
        """
        executes = config.triggers.push == "execute"
        role: Role = "none"
        if executes and not self.bot and any(each.diff and fresh(each.diff) for each in changes):
            repository, sender = self.push.repository, self.push.sender
            role = await role_of(self.github, repository.full_name, sender)
        newest, now = await self._is_newest(), dict[str, Roadmap]()
        if config.github_mode != "disabled" or not newest:
            now = await self._now(paths, {} if not newest else {c.path: c.after for c in changes})
        starts: dict[int, PushStart] = {}
        notes: list[str] = []
        for nth, change in enumerate(changes):
            pushed = RoadmapPush(
                trigger=config.triggers.push, diff=change.diff, role=role, bot=self.bot
            )
            start = started_by(pushed)
            if start.tasks and not newest:  # a later push may have taken some back, or ticked them
                tasks = now[change.path].tasks if change.path in now else ()
                live = {task.key for task in tasks if task.runnable and not task.checked}
                start = PushStart(tuple(key for key in start.tasks if key in live))
            note = refused(start, login=self.push.sender.login, role=role)
            if start.tasks:
                starts[nth] = start
                note = started(run_id(self.push.delivery, nth), change.tasks(set(start.tasks)))
            notes += [note, unclear(change.diff) if executes else ""]
        note = "\n\n".join(dict.fromkeys(filter(None, notes)))
        issue: int | None = 0
        if config.github_mode != "disabled":
            asks = (executes or not quiet) and not self.bot
            news = asks and any(each.news for each in changes)
            wanted = bool(starts)
            issue = await self._plan(config, now, note, news=news, wanted=wanted, newest=newest)
        if issue is not None:
            for nth, start in starts.items():
                await self._start(changes[nth], start, issue, nth)

    async def _is_newest(self) -> bool:
        branch = self.push.repository.default_branch
        return await self.contents.head(branch) == self.push.after

    async def _now(
        self, paths: Sequence[str], known: Mapping[str, Roadmap | None]
    ) -> dict[str, Roadmap]:
        """The plans that there are, as the branch has them now; those ``known`` are not read."""
        found, head = dict[str, Roadmap](), ""
        for path in paths:
            if path not in known:
                head = head or await self.contents.head(self.push.repository.default_branch)
                content = await self.contents.read(path, head)
                roadmap = None if content is None else await read(path, content)
            else:
                roadmap = known[path]
            if roadmap is not None:
                found[path] = roadmap
        return found

    async def _plan(
        self,
        config: RepositoryConfig,
        now: Mapping[str, Roadmap],
        note: str,
        *,
        news: bool,
        wanted: bool,
        newest: bool,
    ) -> int | None:
        """Show the plans of the branch as they are ``now``.

        The issue is made where there is none, and the push has ``news`` for people. A push that
        another one followed also shows the newest plan, unless it is already shown: the later push
        may not have changed the roadmap.
        """
        if not newest:
            found = await self.issue.find()
            if found and found.planned == _name_of(now):
                return found.number if wanted else None
        create = news and any(map(plannable, now.values()))
        return await self._show(config, now, note, create=create)

    async def _catch_up(self, config: RepositoryConfig, paths: Sequence[str]) -> None:
        """Rewrite a plan that is of an older roadmap: the push that changed it was not heard of."""
        found = await self.issue.find()
        if not (found and found.planned) or not await self._is_newest():
            return
        now = await self._now(paths, {})
        if found.planned != _name_of(now):
            await self._show(config, now, "", create=False)

    async def _show(
        self, config: RepositoryConfig, now: Mapping[str, Roadmap], note: str, *, create: bool
    ) -> int | None:
        """Write the issue; its text asks much of GitHub, so it is made only if it is wanted."""
        if not create and await self.issue.find() is None:
            return None
        text, rest = await self._text(config, now, note)
        return await self.issue.show(TITLE, text, planned=_name_of(now), rest=rest)

    async def _text(
        self, config: RepositoryConfig, now: Mapping[str, Roadmap], note: str
    ) -> tuple[str, str]:
        """The text of the issue, and where the rest of it is."""
        if not now:
            return plan_texts.gone(config.roadmap.path, note), ""
        found = await self.by.board(self.push.repository, config, note)
        if found:
            return found
        texts = [
            await asyncio.to_thread(plan_text, each, "" if nth else note)
            for nth, each in enumerate(now.values())
        ]
        return "\n\n".join(texts), ""

    async def _start(self, change: Change, start: PushStart, issue: int, nth: int) -> None:
        push = self.push
        command = ExecuteCommand(
            path=change.path, tasks=start.tasks, max_tasks=MOST_TASKS, priority=-1
        )
        request = RunRequested(
            delivery=push.delivery,
            repository=push.repository,
            issue=issue,
            by=push.sender,
            command=command,
            nth=nth,
        )
        await self.by.service.start(request)


def _name_of(plans: Mapping[str, Roadmap]) -> str:
    return planned_name(*(each.content for each in plans.values()))
