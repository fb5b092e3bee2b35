"""Pull requests that build on each other, as a stack of GitHub's own.

With ``pull_requests.native_stack: auto``, each chain of two or more is registered as soon as there
is one, and grows with each further one. A refusal is a warning: all works as without it. A stack
that people dissolve stays dissolved, and only one that Cairn registered is ever dissolved here:
where somebody closed one in the middle, GitHub merges none above it and lets nobody move them. The
rest is healed as without a stack, and registered anew once it has nothing of the closed one. Each
description keeps, unseen, the number of the stack that Cairn registered it in, so that what a crash
interrupts is finished later.
https://docs.github.com/rest/pulls/stacks
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import takewhile

from app.features.native_stacks.texts import native_texts
from app.github.api import BestEffort
from app.github.comments import marked, marker, section
from app.github.pulls import Pull
from app.github.repository import GitHubRepository
from app.github.stack import Ties
from app.runs.begun import Begun
from app.runs.feature import Feature
from app.runs.following import QueuedFollowUps
from app.runs.requests import no_run
from app.runs.service import RunService
from handlers.events import PullChanged
from runner.config.model import RepositoryConfig
from runner.errors import Outage
from runner.loop.task_pool import Ended

_SECTION, _MOVING = "stack", " moving"


def _registered_in(pull: Pull) -> str:
    """The number of the stack that Cairn put it in, '' for none; ``moving`` while it is healed."""
    return marked(section(pull.body, _SECTION), "registered") or ""


async def _note(at: GitHubRepository, pulls: Sequence[Pull], text: str) -> None:
    for pull in pulls:
        await at.pulls.annotate(pull, **{_SECTION: marker("registered", text)})


async def _registered(at: GitHubRepository) -> tuple[str, ...]:
    """Register what is in no stack; return what was refused. Raises ``Outage``."""
    effort = BestEffort()
    with effort():
        async with at.memory.turn:
            ties = Ties(await at.pulls.all(), at.base)
            new = [await _joined(at, chain) for chain in _chains(ties, at.base)]
        if any(new):  # what descriptions and checks say depends on it
            await at.restack(ticks=False)
    return effort.notes()


async def _dissolved(at: GitHubRepository) -> None:
    """Dissolve the stacks in which a closed one is below an open one.

    One that was begun before a crash counts as well. A refusal changes nothing: people are told
    what to do, as in a stack of theirs. Raises ``Outage``.
    """
    with BestEffort()():
        async with at.memory.turn:
            await _dissolve(at, await at.pulls.open_ones())


async def _dissolve(at: GitHubRepository, pulls: Sequence[Pull]) -> None:
    for known in sorted({known for pull in pulls if (known := _registered_in(pull))}):
        number = known.removesuffix(_MOVING)
        here = [p for p in pulls if p.native and str(p.native.number) == number]
        if here and not known.endswith(_MOVING):
            shown = await at.api.find(f"stacks/{number}", f"show stack {number}")
            states = [
                "merged" if each["merged_at"] else str(each["state"])
                for each in (shown or {"pull_requests": ()})["pull_requests"]
            ]
            if "closed" not in states or "open" not in states[states.index("closed") :]:
                continue
            await _note(at, here, number + _MOVING)
        if here:
            await at.api.post(f"stacks/{number}/unstack", {}, f"dissolve stack {number}")


def _chains(ties: Ties, base: str) -> Iterator[list[Pull]]:
    """Yield those that build on each other, from the base branch up.

    A chain ends at a fork, and below one that still has the change of a closed one: with all of a
    stack, that would be merged, too.
    """
    clean = [p for p in ties.pulls if p.open and p.member]
    clean = [p for p in clean if not (ties.closed(p) or ties.dropped(p))]
    for bottom in (pull for pull in clean if pull.base == base):
        chain = [bottom]
        while len(on := ties.uppers(chain[-1])) == 1 and on[0] in clean:
            if on[0].base != chain[-1].head:
                break
            chain += on
        if len(chain) > 1:
            yield chain


async def _joined(at: GitHubRepository, chain: Sequence[Pull]) -> bool:
    """Register a chain, or what is new on top of it; say whether anything was.

    Left alone is what people dissolved or arranged otherwise, and what GitHub would not merge: with
    a merge commit, or not on the head of the one below. Raises ``TaskError``, ``Outage``.
    """
    held = list(takewhile(lambda pull: pull.native, chain))
    new = chain[len(held) :]
    arranged = len({p.native.number for p in held if p.native}) > 1
    if arranged or any(p.native or _is_settled(p) for p in new):
        return False
    below = held[-1].sha if held else await at.tip()
    for count, pull in enumerate(new):
        fork, commits = await at.commits.between(below, pull.sha)
        if (pull.base != at.base and fork != below) or any(len(c.parents) > 1 for c in commits):
            new = new[:count]
            break
        below = pull.sha
    if not new or len(held) + len(new) < 2:
        return False
    data = {"pull_requests": [pull.number for pull in new]}
    path = f"stacks/{held[-1].native.number}/add" if held and held[-1].native else "stacks"
    names = ", ".join(f"#{pull.number}" for pull in chain)
    made = await at.api.post(path, data, f"make a stack of {names}")
    if not held or _registered_in(held[-1]):
        await _note(at, new, str(made["number"]))
    return True


def _is_settled(pull: Pull) -> bool:
    """Say whether Cairn registered it before, and people dissolved that."""
    known = _registered_in(pull)
    return bool(known) and not known.endswith(_MOVING)


def _wanted(config: RepositoryConfig) -> bool:
    return config.pull_requests.native_stack == "auto" and config.github_mode != "disabled"


async def _published(begun: Begun) -> None:
    if _wanted(begun.config):
        with suppress(Outage):  # it is tried again with the next one, and when the run stops
            await _registered(begun.ports.repository)


async def _ended(begun: Begun, ended: Ended) -> str:
    """Try once more, and say what GitHub refuses."""
    notes = await _registered(begun.ports.repository) if _wanted(begun.config) else ()
    return native_texts.refused(notes) if notes else ""


async def _at(service: RunService, event: PullChanged) -> GitHubRepository | None:
    """The repository of an event, None where GitHub's stacks are not wanted."""
    if not _wanted(await service.parts.config_or_default(event.repository)):
        return None
    place = no_run(event.repository, delivery=event.delivery)
    return await service.parts.repository(place, QueuedFollowUps(service, place))


async def _restacking(service: RunService, event: PullChanged) -> None:
    if at := await _at(service, event):
        await _dissolved(at)


async def _restacked(service: RunService, event: PullChanged) -> None:
    if at := await _at(service, event):
        await _registered(at)


def register() -> Feature:
    """Return what the feature adds."""
    return Feature(published=_published, ended=_ended, restacking=_restacking, restacked=_restacked)
