"""Keep a stack true when its parts are merged, closed or deleted.

GitHub moves a pull request off a branch only when its own button deletes that branch after a merge;
a branch deleted in any other way closes what is made against it
(https://github.com/cli/cli/issues/14223, https://github.com/cli/cli/issues/1168). Left alone, what
builds on a squashed branch is merged into it later and never reaches the default branch.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from app.github.api import rules_are_refusals
from app.github.client import RULES
from app.github.comments import marked, marker, section
from app.github.freshen import Fresh, Freshen, Own
from app.github.owned import Why
from app.github.place import Place
from app.github.pulls import PREFIX, Pull, put_on, with_sections
from app.github.shown_checks import Held, TrustChecks, show_place
from app.github.stack import Ties, place_of
from app.github.texts import stack_texts
from handlers.ports import StackPlace
from handlers.texts import stack_replies
from runner.errors import TaskError
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans import form_of

log = logging.getLogger(__name__)

PATIENCE = timedelta(seconds=60)
"""How long GitHub has to rebase what is left of its stack after a merge; it needs seconds."""


@dataclass(frozen=True, slots=True)
class _Ground:
    """The base branch, its head, and whether ticks are made again if the roadmap changed.

    The run that asks may have ``stopped``.
    """

    base: str
    tip: str
    ticks: bool
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class _Done:
    """What became of one, and what its description says of that.

    ``held`` is what keeps people from merging it: they must act, or Cairn is at work on that.
    ``needless`` says that its task is done without it.
    """

    pull: Pull
    fresh: Fresh
    news: str = ""
    held: str = ""
    needless: str = ""


class Restack:
    """``trust`` shows how far heads are verified; they are not, where nobody could see that."""

    def __init__(self, at: Place, trust: TrustChecks) -> None:
        self._at, self._trust = at, trust

    async def all(self, base: str, tip: str, *, ticks: bool = True, stopped: bool = False) -> None:
        """Put every open pull request on a branch that lives, up to date with ``base`` at ``tip``.

        Each says what it builds on. Doing it twice changes nothing. What GitHub refuses for one is
        logged, and the others continue. A run that asks may have ``stopped``. Raises ``Outage``.
        """
        known = await self._at.pulls.all()
        if any(pull.open or section(pull.body, "reopening") for pull in known):
            await self._settle(known, _Ground(base, tip, ticks, stopped))

    async def closed(self, number: int, base: str, tip: str, *, ticks: bool = True) -> None:
        """Do the same after one was merged or closed, and see that nothing is lost by it.

        Raises ``Outage``.
        """
        known = await self._at.pulls.all()
        pull = next((each for each in known if each.number == number), None)
        if pull is None or not (pull.member or any(each.open for each in known)):
            return
        ground = _Ground(base, tip, ticks)
        known = await self._settle(known, ground, ended=number)
        try:
            pull = next(each for each in known if each.number == number)
            if not pull.open and section(pull.body, "held"):  # nothing is to be merged any more
                ended = await self._at.pulls.annotate(pull, held="")
                await show_place(self._at, ended.sha, place_of(ended, Ties([ended], base)))
            await self._tell_lost(number, Ties(known, base), tip)
        except TaskError as error:
            log.warning("After the end of #%s: %s", number, error.message)

    async def is_out_of_place(self) -> bool:
        """Say whether the base of an open one is our branch that nobody merges any more."""
        known = await self._at.pulls.open_ones()
        heads = {pull.head for pull in known}
        ours = (p for p in known if p.base.startswith(PREFIX) and p.native is None)
        return any(p.base not in heads for p in ours)

    async def note(self, number: int, base: str, *, new: bool = False) -> bool:
        """Show one's place in the stack on it, and on those that are in the same stack.

        Say whether the descriptions tell what happened to one of them, which may be over.
        """
        known = await self._at.pulls.open_ones()
        pull = next((each for each in known if each.number == number), None)
        if pull is None or not pull.member:
            return False
        ties = Ties((p for p in known if p.roadmap == pull.roadmap), base)
        stack = ties.stack(pull)
        places = [(p, {"place": _said(p, place_of(p, ties))}) for p in stack]
        await self._at.pulls.redescribe([(p, with_sections(p.body, parts)) for p, parts in places])
        if not section(pull.body, "held"):  # whether that is over is not known here
            await show_place(self._at, pull.sha, place_of(pull, ties), new=new)
        return any(section(p.body, part) for p in stack for part in ("done", "held", "news"))

    async def _settle(self, known: list[Pull], ground: _Ground, *, ended: int = 0) -> list[Pull]:
        """Return them as they are in the end."""
        if not ended and self._at.memory.settled == _state(known, ground):
            return known
        carrying = {pull.base for pull in known if pull.open}
        ties = Ties(known, ground.base)
        known = [
            await self._reopened(p, ties)
            if p.number == ended or p.head in carrying or section(p.body, "reopening")
            else p
            for p in known
        ]
        ties = Ties(known, ground.base)
        moved = [await self._grounded(pull, ties) for pull in known]
        ties, done = Ties(moved, ground.base), list[_Done]()
        for pull in moved:
            if pull.open and ties.lower(pull) is None:
                await self._upwards(pull, ties, ground, done)
        places = _places(done, ties)
        described = await self._described(done, ties, places)
        for each in done:
            await self._checked(each, places[each.pull.number], ground)
        settled = [described.get(pull.number, pull) for pull in moved]
        waits = any(each.fresh.done == "waiting" for each in done)
        self._at.memory.settled = None if waits else _state(settled, ground)
        return settled

    async def _described(
        self, done: Sequence[_Done], ties: Ties, places: Mapping[int, StackPlace]
    ) -> dict[int, Pull]:
        """Update what the descriptions say; return each with what it says now, by number."""
        bodies = []
        for each in done:
            pull, said = each.pull, _said(each.pull, places[each.pull.number])
            parts = {"place": said, "done": each.needless, "held": each.held, "news": each.news}
            body = with_sections(pull.body, parts)
            gone = ties.closed(pull) or ties.dropped(pull)
            alone = each.fresh.done in ("rebuilt", "joined")  # it has its own change only
            if alone and gone and not ties.carries(pull):
                body = put_on(pull, body, pull.base)
            bodies.append((pull, body))
        try:
            await self._at.pulls.redescribe(bodies)
        except TaskError as error:
            log.warning("Descriptions are not up to date: %s", error.message)
            return {}
        heads = {each.pull.number: each.fresh.sha for each in done}
        return {p.number: replace(p, body=body, sha=heads[p.number]) for p, body in bodies}

    async def _checked(self, done: _Done, place: StackPlace, ground: _Ground) -> None:
        """Show its place as a check, and have it verified if nobody knows how far it is."""
        pull, fresh = done.pull, done.fresh
        if not pull.member:
            return
        held = Held(done.held) if done.held else None
        if held and (fresh.done == "waiting" or fresh.attempt == "working"):
            held = replace(held, by="github" if fresh.done == "waiting" else "cairn")
        await show_place(self._at, fresh.sha, place, held=held, new=fresh.new)
        after = self._at.after if self._at.checks.shown else None
        if after is None or pull.kind != "checkpoint" or fresh.carried:
            return
        seen = pull.base == ground.base or pull.native  # GitHub rebases all of a native stack
        if fresh.new or (seen and not await self._trust.is_on(fresh.sha)):
            await after.verify(pull, fresh.sha)
            self._at.memory.verified[fresh.sha] = ""

    async def _upwards(
        self,
        pull: Pull,
        ties: Ties,
        ground: _Ground,
        done: list[_Done],
        below: tuple[Pull, Fresh] | None = None,
    ) -> None:
        """Bring one up to date, then those that build on it; ``below`` is what it builds on."""
        try:
            with rules_are_refusals():
                one = await self._one(pull, ties, ground, below)
        except TaskError as error:
            log.warning("%s is not brought up to date: %s", pull.head, error.message)
            news = stack_texts.forbidden(error.message) if error.kind == RULES else ""
            news = news or section(pull.body, "news")
            held, needless = section(pull.body, "held"), section(pull.body, "done")
            one = _Done(pull, Fresh(sha=pull.sha), news, held, needless)
        done.append(one)
        for upper in ties.uppers(pull):
            await self._upwards(upper, ties, ground, done, (pull, one.fresh))

    async def _grounded(self, pull: Pull, ties: Ties) -> Pull:
        """Take an open one off a branch whose pull request was merged or closed.

        One below it that was closed and opened again carries it again. In a native stack only
        GitHub changes a base.
        """
        base = ties.carrier(pull)
        if not pull.open or base == pull.base or pull.native:
            return pull
        try:
            return await self._at.pulls.retarget(pull, base)
        except TaskError as error:
            log.warning("#%s stays on %s: %s", pull.number, pull.base, error.message)
            return pull

    async def _one(
        self, pull: Pull, ties: Ties, ground: _Ground, below: tuple[Pull, Fresh] | None
    ) -> _Done:
        """Bring one up to date, and say what became of what it builds on."""
        fresh = await self._freshened(pull, ties, ground, below)
        fresh = replace(fresh, again=self._at.after is not None and self._at.checks.shown)
        done = await self._done(pull, ties, ground)
        if fresh.clash and done:
            fresh = replace(fresh, attempt="done")
        elif fresh.clash and self._at.after:
            attempt = await self._at.after.attempt(pull, fresh.clash, stopped=ground.stopped)
            fresh = replace(fresh, attempt=attempt)
        if fresh.done == "waiting" and self._at.after and (due := _rebased_by(pull, ties)):
            await self._at.after.look(pull, due)
        note = await self._note(pull, ties, ground, fresh, below)
        also = stack_texts.still_shows(ties.lower(pull), ties.dropped(pull))
        is_fixed = pull.native is not None and ties.carrier(pull) != pull.base
        is_held = bool(note) and (is_fixed or fresh.done in ("stuck", "pushed", "waiting"))
        news = [
            stack_texts.taken_in(ties.taken_in(pull)),
            stack_texts.carried(ties.carries(pull), ground.base),
            also,
            "" if is_held else note,
        ]
        held = filter(None, [note if is_held else "", stack_texts.conflicting(pull, fresh)])
        if pull.base == ground.base and fresh.done in ("ticked", "joined", "rebuilt"):
            await self._say_unticked(pull, ties, ground)
        return _Done(pull, fresh, "\n\n".join(filter(None, news)), "\n\n".join(held), done)

    async def _done(self, pull: Pull, ties: Ties, ground: _Ground) -> str:
        """What the description says if its task was done meanwhile without it."""
        boxes = await self._boxes(pull, ground.tip) if pull.kind == "checkpoint" else []
        if not boxes or not all(boxes):
            return ""
        others = [p for p in ties.pulls if p.merged and p.number != pull.number]
        same = [p for p in others if p.base == ground.base and {*p.tasks} & {*pull.tasks}]
        return stack_texts.done_already(same[-1] if same else None, ground.base)

    async def _freshened(
        self, pull: Pull, ties: Ties, ground: _Ground, below: tuple[Pull, Fresh] | None
    ) -> Fresh:
        """Only what is next to the base branch is touched, and what is on a rebuilt branch."""
        if not pull.member:
            return Fresh(sha=pull.sha)
        freshen = Freshen(self._at, self._trust)
        merged = ties.merged(pull) or ties.folded(pull)
        own = Own(ties.carried(pull), merged.sha if merged else "")
        due = _rebased_by(pull, ties)
        waits = due is not None and self._at.now() < due
        if below and pull.base == below[0].head and (below[1].done == "rebuilt" or due):
            if below[1].done == "waiting" or (waits and below[1].done != "rebuilt"):
                return Fresh(sha=pull.sha)
            # what was merged is wanted: it may stay in the history
            why: Why = below[1].why if below[1].why in ("merged", "moved") else "below"
            return await freshen.one(pull, below[1].sha, why=why, own=own, ticks=False)
        if below and ties.folded(pull):
            sha = below[1].sha
            return await freshen.one(pull, sha, why="merged", own=own, ticks=False)
        if below or pull.base != ground.base:
            return Fresh("waiting" if waits and merged else "nothing", sha=pull.sha)
        why = "merged" if merged else "closed" if ties.closed(pull) else "rewritten"
        return await freshen.one(pull, ground.tip, why=why, own=own, ticks=ground.ticks, wait=waits)

    async def _note(
        self,
        pull: Pull,
        ties: Ties,
        ground: _Ground,
        fresh: Fresh,
        below: tuple[Pull, Fresh] | None,
    ) -> str:
        """Comment on what became of what it builds on, once; what the description says of it."""
        merged, closed = ties.merged(pull) or ties.folded(pull), ties.closed(pull)
        if merged and fresh.done == "waiting":
            return stack_texts.github_rebases(pull, merged)
        if pull.native and (base := ties.carrier(pull)) != pull.base:
            text = stack_texts.only_github(pull, ties.of(pull.base), base)
            await self._at.comments.ensure(pull.number, "fixed", pull.base, text)
            return text
        if closed and fresh.done == "nothing" and pull.base == ground.base:
            return ""  # somebody took its change out
        if closed:
            text = stack_texts.left_by_closed(pull, closed, fresh)
            await self._say(pull, "closed", closed, text)
            return text
        if merged and fresh.done == "stuck":
            text = stack_texts.stuck(pull, merged, fresh)
            if fresh.attempt != "working":
                await self._say(pull, "stuck", merged, text)
            return text
        if merged and (fresh.done == "joined" or fresh.why == "merged"):
            text = stack_texts.joined(pull, merged, fresh)
            await self._say(pull, "joined", merged, text, new=fresh.new)
            return stack_texts.joined_shortly(pull, merged, fresh)
        if fresh.why in ("merged", "moved"):
            return ""
        if merged and pull.native and fresh.done == "pushed":
            return stack_texts.not_rebased(pull, merged, fresh)
        if fresh.why == "closed":  # told when it was closed
            return section(pull.body, "news")
        if fresh.done not in ("rebuilt", "pushed", "stuck") or (fresh.why == "below" and not below):
            return ""
        text = (
            stack_texts.rebuilt_above(pull, below[0], fresh)
            if below
            else stack_texts.rewritten(pull, fresh)
        )
        await self._at.comments.ensure(pull.number, fresh.done, fresh.start, text)
        return text

    async def _say_unticked(self, pull: Pull, ties: Ties, ground: _Ground) -> None:
        """Comment, once, on tasks that a merge does not tick: people changed them meanwhile."""
        if form_of(pull.roadmap).apart:
            return
        content = await self._at.file(ground.tip, pull.roadmap)
        there = {task.key for task in parse_roadmap(pull.roadmap, content or b"").tasks}
        gone = [p for p in ties.inside(pull) if p.kind == "checkpoint" and not there & {*p.tasks}]
        if gone:
            text = stack_texts.unticked(gone, ground.base, pull.roadmap)
            key = "-".join(str(each.number) for each in gone)
            await self._at.comments.ensure(pull.number, "unticked", key, text)

    async def _say(
        self, pull: Pull, kind: str, other: Pull, text: str, *, new: bool = False
    ) -> None:
        """Comment on what became of another pull request, once; ``new`` was never said."""
        await self._at.comments.ensure(pull.number, kind, str(other.number), text, new=new)

    async def _reopened(self, pull: Pull, ties: Ties) -> Pull:
        """Open one again that GitHub closed because its base branch was deleted.

        Whoever closes one himself does so while its base is there. GitHub opens none whose base is
        gone and moves none that is closed, so the branch comes back for a moment. The description
        notes that before it is done: what an outage interrupts is finished at the next look.
        """
        begun, below = marked(section(pull.body, "reopening"), "branch"), ties.of(pull.base)
        if not begun:
            if pull.open or pull.merged or not pull.member or below is None or below.open:
                return pull
            commits = self._at.commits
            if await commits.head(pull.base) or not await commits.head(pull.head):
                return pull
            begun = f"{below.sha} {pull.base}"
        try:
            with rules_are_refusals():
                return await self._open_again(pull, begun, ties)
        except TaskError as error:
            log.warning("#%s stays closed: %s", pull.number, error.message)
            return pull

    async def _open_again(self, pull: Pull, begun: str, ties: Ties) -> Pull:
        """``begun`` are the commit and the name of the branch that comes back."""
        pulls, (commit, _, gone) = self._at.pulls, begun.partition(" ")
        moved = await pulls.annotate(pull, reopening=marker("branch", begun))
        try:
            if moved.state == "closed":
                await self._at.commits.point(gone, commit)
                moved = await pulls.reopen(moved)
            moved = await pulls.retarget(moved, ties.alive(gone))
        except TaskError:
            moved = await pulls.annotate(moved, reopening="")
            raise
        finally:
            if not await pulls.on(gone):  # deleting it would close what is on it
                await self._at.commits.move(gone, old=commit, new=None)
        text = stack_texts.reopened(moved, gone)
        await self._at.comments.ensure(pull.number, "reopened", commit, text)
        return await pulls.annotate(moved, reopening="")

    async def _tell_lost(self, number: int, ties: Ties, tip: str) -> None:
        """Say so on each one whose change was merged, and does not come to the base branch."""
        pull = next(each for each in ties.pulls if each.number == number)
        ended = () if pull.open else (pull, *(() if pull.merged else ties.taken_in(pull)))
        for each in ended:
            below = ties.of(each.base)
            leads_nowhere = each.base.startswith(PREFIX) and not (below and below.open)
            if not (each.merged and leads_nowhere) or ties.uppers(each):
                continue
            if any(p.on == each.head and p.open for p in ties.pulls):
                continue
            if not all(await self._boxes(each, tip)):
                text = stack_texts.lost(each, ties.alive(each.base), below)
                await self._at.comments.ensure(each.number, "lost", each.base, text)

    async def _boxes(self, pull: Pull, tip: str) -> list[bool]:
        """Whether each of its tasks that is in the newest roadmap is ticked there."""
        content = await self._at.file(tip, pull.roadmap)
        tasks = parse_roadmap(pull.roadmap, content or b"").tasks
        return [task.checked for task in tasks if task.key in pull.tasks]


def _rebased_by(pull: Pull, ties: Ties) -> datetime | None:
    """When GitHub should have rebased one, after the last merge of its native stack; None before.

    https://docs.github.com/en/pull-requests/reference/stacked-pull-requests-apis-and-webhooks
    """
    merged = [p.merged_at for p in ties.pulls if p.merged and pull.is_stacked_with(p)]
    return datetime.fromisoformat(max(merged)) + PATIENCE if merged else None


def _said(pull: Pull, place: StackPlace) -> str:
    """What the description says of a place, and in which native stack it said so."""
    said = stack_replies.place(place) if pull.member else ""
    if pull.native is None:
        return said
    return f"{marker('native', str(pull.native.number))}\n{said}".rstrip("\n")


def _places(done: Sequence[_Done], ties: Ties) -> dict[int, StackPlace]:
    """The place of each by number, with what is known now of those that are not needed."""
    needless = {each.pull.number for each in done if each.needless}
    places = {}
    for each in done:
        here = place_of(each.pull, ties)
        below = tuple(number for number in here.below if number in needless)
        places[each.pull.number] = replace(here, done=bool(each.needless), needless=below)
    return places


def _state(known: Iterable[Pull], ground: _Ground) -> object:
    """What decides whether there is anything to do."""
    every = frozenset((p.number, p.state, p.head, p.sha, p.base, p.body, p.native) for p in known)
    return ground, every
