"""Whether the failing checks of somebody's pull request can be repaired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.features.fix.broken import BrokenPull, broken_pull
from app.github.one_pull import OfferedPulls
from app.github.place import Place
from runner.errors import Outage
from runner.people.sentences import fix_branch, repaired_by


@dataclass(frozen=True, slots=True)
class Fixing:
    """What became of the wish to repair the failing checks of a pull request.

    ``started`` says that a run tries it, ``working`` that another one does already, ``offered``
    that a repair (``url``) waits for people. ``names`` are the checks that it is about: still
    ``running``, failing ``below`` as well, or ``ours``. ``again`` says that it is our own repair of
    the pull request ``repaired``, and that these checks still fail. ``unreadable`` says that we may
    not read checks, ``no_app`` that we are no App, to which GitHub shows those of others. ``limit``
    says that all ``most`` attempts are used.
    """

    outcome: Literal[
        "started",
        "working",
        "offered",
        "no_pull",
        "closed",
        "fork",
        "green",
        "none",
        "running",
        "below",
        "again",
        "ours",
        "unreadable",
        "no_app",
        "limit",
        "off",
    ]
    names: tuple[str, ...] = ()
    url: str = ""
    most: int = 0
    repaired: int = 0


async def look(at: Place, number: int) -> tuple[Fixing, str]:
    """Say whether a repair of a pull request can be started, and of which commit.

    Raises ``Outage``.
    """
    pull = await broken_pull(at, number)
    if pull is None:
        return Fixing("no_pull"), ""
    if pull.state != "open":
        return Fixing("closed"), pull.head
    if pull.fork:
        return Fixing("fork"), pull.head
    known = await OfferedPulls(at, "fix").known(fix_branch(number))
    if known and known.state == "open":
        return Fixing("offered", url=known.url), pull.head
    return await _checked(at, pull), pull.head


async def _checked(at: Place, pull: BrokenPull) -> Fixing:
    if at.failing is None:
        return Fixing("no_app")
    failing, offered = await at.failing(), OfferedPulls(at, "fix")
    try:
        seen = await failing.seen(pull.head, pull.base, asked=True)
    except Outage as outage:
        if outage.kind != "permission":
            raise
        return Fixing("unreadable")
    if seen.running:
        return Fixing("running", names=seen.running)
    if seen.failed:
        return Fixing("started", names=tuple(each.name for each in seen.failed))
    if seen.below:
        number = repaired_by(pull.branch)
        known = await offered.known(pull.branch) if number else None
        if number and known and known.number == pull.number:  # it is our repair
            return Fixing("again", names=seen.below, repaired=number)
        return Fixing("below", names=seen.below)
    if ours := await failing.ours(pull.head):
        return Fixing("ours", names=ours)
    return Fixing("green" if seen.some else "none")
