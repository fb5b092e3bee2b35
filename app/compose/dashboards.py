"""Part of the composition root: where the dashboards of repositories come from."""

from __future__ import annotations

from collections.abc import Sequence

from app.dashboard.keeper import BoardSources, Dashboards
from app.github.stack import in_review
from app.github.token_identity import PUBLISH
from app.plan_issue.board import Board, marks_of, unfinished, used_by
from app.plan_issue.issue import PlanIssue, planned_name
from app.progress.waiting import WaitEstimate
from app.pushes.push import read
from app.runs.parts import ServerParts
from app.runs.requests import no_run
from app.store.boards import StoredBoards
from app.store.proposals import StoredProposals
from app.store.runs import StoredRuns
from handlers.events import InstalledRepository
from runner.config.model import RepositoryConfig
from runner.config.reading import ConfigError
from runner.loop import stacking
from runner.loop.elsewhere import needed_elsewhere

_MOST_RUNS = 50
"""Runs that say which tasks failed, and what was used."""


def dashboards(parts: ServerParts, runs: StoredRuns, waiting: WaitEstimate) -> Dashboards:
    """Put the dashboards together."""
    around = parts.around
    sources = _Sources(parts, runs, waiting)
    return Dashboards(
        BoardSources(sources.issue, sources.config, sources.boards),
        StoredBoards(parts.store),
        clock=around.clock,
        rest=around.rest,
        pass_on=parts.others.pass_on,
        turn=parts.others.turn,
        on_bug=around.on_bug,
    )


class _Sources:
    """What one dashboard is made of."""

    def __init__(self, parts: ServerParts, runs: StoredRuns, waiting: WaitEstimate) -> None:
        self._parts = parts
        self._runs = runs
        self._waiting = waiting
        self._proposals = StoredProposals(parts.store, parts.around.clock)

    async def issue(self, place: InstalledRepository) -> PlanIssue:
        """The issue itself."""
        bot = await self._parts.identity.bot_login()
        return PlanIssue(self._parts.api(place, PUBLISH), bot_login=bot)

    async def config(self, place: InstalledRepository) -> RepositoryConfig | None:
        """The repository's configuration; None while it has errors."""
        try:
            return await self._parts.config(place)
        except ConfigError:
            return None

    async def boards(
        self, place: InstalledRepository, config: RepositoryConfig, note: str
    ) -> tuple[Sequence[Board], str] | None:
        """All plans as they are now, and the name of what the default branch has of them."""
        found: list[tuple[Board, bytes]] = []
        for path in await self._parts.plans(place, config):
            shown = await self._board(place, config.of_plan(path), "" if found else note)
            found += [shown] if shown else []
        if not found:
            return None
        return [board for board, _ in found], planned_name(*(newest for _, newest in found))

    async def _board(
        self, place: InstalledRepository, config: RepositoryConfig, note: str
    ) -> tuple[Board, bytes] | None:
        """One plan as it is now, and what the default branch has of it."""
        path = config.roadmap.path
        repository = await self._parts.repository(no_run(place, path))
        stack = await repository.stack()
        newest = await stacking.content_at(repository, stack.base, path)
        now = await stacking.roadmap_now(repository, stack, path)
        if newest is None or now is None:
            return None
        roadmap = await read(path, now.content)
        pulls = await repository.pulls.all()
        known = await self._runs.newest(place.id, path, most=_MOST_RUNS)
        proposals = await self._proposals.open_in(place.id, path)
        turns = {
            run.id: await self._waiting.turn(run.id) for run in known if run.status == "queued"
        }
        positions = {id: turn.position for id, turn in turns.items() if turn}
        board = Board(
            roadmap=roadmap,
            marks=marks_of(
                roadmap,
                pulls,
                base=place.default_branch,
                skipped=await self._parts.skips.of(place.id, path),
                asked={each.task for each in proposals},
                runs=known,
            ),
            runs=unfinished(reversed(known), positions),
            proposals=tuple(proposals),
            spent=used_by(
                known,
                open=stack.open,
                most=config.most_open,
                tokens_per_task=config.limits.tokens_per_task,
            ),
            note=note,
            projects=tuple(each.name for each in config.projects),
            elsewhere=await needed_elsewhere(
                repository,
                stack,
                roadmap,
                {each.name: each.plan_setting for each in config.projects},
            ),
            pushed=config.triggers.push != "off",
            project=project.name if (project := config.project_of(path)) else "",
            reviewed=in_review(pulls, base=place.default_branch, newest=await read(path, newest)),
        )
        return board, newest
