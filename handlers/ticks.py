"""The checkboxes of the dashboard issue: what each asks for, and what becomes of a tick.

GitHub sends ``issues.edited`` for a tick, with the text before and after it. So a tick is read
from the event itself: it counts once, for the person who sent it, even if the text has been written
again since, by us or by somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import quote, unquote

from handlers.commands import START, table
from handlers.decisions import rule_on
from handlers.events import IssueEdited
from handlers.grammar import ExecuteCommand, Need, RetryCommand, row_of
from handlers.issue_thread import IssueThread, Role, role_of, suffices
from handlers.ports import Ambiguous, NamedTask, Proposals, RunRequested, Runs, Unknown, Vote
from handlers.texts import replies

TickKind = Literal["all", "start", "retry", "approve"]

MOST_TICKS = 50
"""Of one edit; people tick one box at a time."""

_RETRY = row_of(RetryCommand(), table(()))
_BOX = re.compile(
    r"^([ \t]*[-*] \[)([ xX])(\] <!-- cairn:do:(all|start|retry|approve):([^\s<>]*) -->)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Tick:
    """What a checkbox asks for: a task by its key, a proposal by its id, or ``all`` open tasks.

    A project is before the key (``api#KEY``), or the name of ``all`` its open tasks.
    """

    kind: TickKind
    name: str = ""


def checkbox(tick: Tick) -> str:
    """The beginning of a list item that people can tick."""
    return f"- [ ] <!-- cairn:do:{tick.kind}:{quote(tick.name, safe='').replace('--', '-%2D')} -->"


def ticked(body: str) -> frozenset[Tick]:
    """Return what is ticked in the text of an issue that our App wrote."""
    return frozenset(_tick(found) for found in _BOX.finditer(body) if found[2] != " ")


def with_ticks(text: str, ticks: Collection[Tick]) -> str:
    """Return the text with these of its boxes ticked."""

    def box(found: re.Match[str]) -> str:
        return f"{found[1]}{'x' if _tick(found) in ticks else ' '}{found[3]}"

    return _BOX.sub(box, text)


def _tick(found: re.Match[str]) -> Tick:
    kind: TickKind = found[4]  # type: ignore[assignment] # one of the pattern's words
    return Tick(kind, unquote(found[5]))


def new_ticks(event: IssueEdited) -> tuple[Tick, ...]:
    """Return what the sender of an event ticked, in a fixed order."""
    new = ticked(event.body) - ticked(event.before)
    return tuple(sorted(new, key=lambda tick: (tick.kind, tick.name)))[:MOST_TICKS]


async def handle_ticks(
    event: IssueEdited, *, thread: IssueThread, runs: Runs, proposals: Proposals
) -> frozenset[Tick]:
    """Do what was ticked, if the sender may; return what is handled, done or refused.

    Refusals are explained in one comment. Raises ``Outage``; doing it again is safe.
    """
    ticks = new_ticks(event)
    if ticks:
        role = await role_of(thread.github, event.repository.full_name, event.sender)
        hand = _Hand(event, thread, runs, proposals, role)
        said = [await hand.start([tick for tick in ticks if tick.kind in ("all", "start")])]
        for nth, tick in enumerate(ticks, 1):
            if tick.kind == "retry":
                said.append(await hand.retry(tick, nth))
            elif tick.kind == "approve":
                said.append(await hand.approve(tick))
        if text := "\n\n".join(dict.fromkeys(filter(None, said))):
            await thread.reply(replies.unticked(text), to=event.delivery, since=event.edited_at)
    return frozenset(ticks)


@dataclass(frozen=True, slots=True)
class _Hand:
    """Somebody who ticks, and what they may do; each method says why nothing was done, or ''."""

    event: IssueEdited
    thread: IssueThread
    runs: Runs
    proposals: Proposals
    role: Role

    async def start(self, ticks: Sequence[Tick]) -> str:
        """Start one run for all of a plan that was ticked at once."""
        if not ticks:
            return ""
        if refused := self._refused(START.words, START.needs):
            return refused
        by_plan: dict[str, list[str]] = {}  # '' for all open tasks of a plan
        for tick in ticks:
            project, _, key = tick.name.rpartition("#")
            if tick.kind == "all":
                project, key = tick.name, ""
            by_plan.setdefault(project, []).append(key)
        for nth, (project, keys) in enumerate(by_plan.items()):
            path, command = project or None, ExecuteCommand(tasks=tuple(keys), max_tasks=len(keys))
            if "" in keys:
                command = ExecuteCommand()
            nth = nth and MOST_TICKS + nth  # those between are of tasks that are tried again
            await self.runs.start(self._request(replace(command, path=path), nth))
        return ""

    async def retry(self, tick: Tick, nth: int) -> str:
        """Work on one task again."""
        if refused := self._refused(_RETRY.words, _RETRY.needs):
            return refused
        request = self._request(ExecuteCommand(), nth)
        found = await self.runs.find_task(request, tick.name)
        if isinstance(found, NamedTask):
            again = replace(request.command, task=found.key, path=found.roadmap)
            await self.runs.retry(replace(request, command=again))
            return ""
        return _no_task(tick.name, found)

    async def approve(self, tick: Tick) -> str:
        """Approve a proposal; who may is asked when the proposal is known."""
        here = await self.proposals.named(self.event.repository.id, tick.name)
        if not here:
            return replies.no_proposal(tick.name)
        vote = Vote(
            delivery=f"{self.event.delivery}#{here[0].id}",
            by=self.event.sender,
            at=self.event.edited_at,
            channel="tick",
            verdict="approve",
        )
        ruling = await rule_on(self.thread, self.proposals, here[0], vote, ())
        return "" if ruling.counts else ruling.say

    def _refused(self, words: str, needs: Need) -> str:
        if suffices(self.role, needs):
            return ""
        return replies.refused(words, needs, self.event.sender, self.role)

    def _request(self, command: ExecuteCommand, nth: int = 0) -> RunRequested:
        event = self.event
        return RunRequested(
            delivery=event.delivery,
            repository=event.repository,
            issue=event.issue,
            by=event.sender,
            command=command,
            created_at=event.edited_at,
            nth=nth,
        )


def _no_task(name: str, found: Unknown | Ambiguous) -> str:
    if isinstance(found, Ambiguous):
        return replies.ambiguous_task(name, found.candidates)
    return replies.no_task(name, found)
