"""The pages of the history: of one repository, and of all that this server works on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, get_args

from aiohttp import web

from app.pages import answers
from app.pages.answers import answer, problem, wants_page
from app.pages.door import Door
from app.pages.history_view import PERIODS, sections, sentences
from app.pages.view import Listing
from runner.analysis.recorded import NEWEST as NEWEST_LEARNED
from runner.analysis.recorded import analyse
from runner.analysis.today import TodaysSettings
from runner.history.inquiry import asked, at_most
from runner.history.records import for_programs
from runner.history.statistics import as_json, statistics_of
from runner.people.analysis_sentences import Topic, tables
from runner.people.analysis_sentences import as_json as lessons_json
from runner.people.history_answer import newest_run
from runner.ports import Clock, History
from runner.text.mask import masked

NEWEST = 25
"""Attempts that a page lists."""

_USUAL = 30


@dataclass(frozen=True)
class HistoryPages:
    """The handlers. They read the history, and repositories by name."""

    history: History
    listing: Listing
    clock: Clock
    mask: Callable[[str], str]

    async def repository(self, request: web.Request) -> web.StreamResponse:
        """Show what runs of one repository did."""
        name = f"{request.match_info['owner']}/{request.match_info['name']}"
        id = await self.listing.repository_id(name)
        if id is None:
            return problem(request, answers.NO_REPOSITORY, status=404)
        return await self._show(request, name, id)

    async def every(self, request: web.Request) -> web.StreamResponse:
        """Show what runs of all repositories did, and lead to each."""
        return await self._show(request, "", None)

    async def _show(self, request: web.Request, name: str, id: int | None) -> web.StreamResponse:
        days = request.query.get("days", str(_USUAL))
        if days not in map(str, PERIODS):
            return problem(request, answers.NO_PERIOD, status=400)
        now = self.clock.now().timestamp()
        query = asked(now=now, days=int(days), repository_id=id)
        statistics = statistics_of(await self.history.totals(query), query)
        found = await self.history.recent(at_most(query, NEWEST))
        data: dict[str, Any] = {"repository": name, "days": int(days)}
        data["repositories"] = [] if name else await self.listing.repositories()
        if wants_page(request):
            data["sentences"] = sentences(statistics, found)
            newest = await newest_run(self.history, found)
            data["sections"] = [asdict(each) for each in sections(statistics, found, newest)]
        else:
            data["statistics"] = as_json(statistics)
            data["recent"] = [for_programs(each) for each in found.executions]
        return answer(request, "history", masked(data, self.mask))

    async def learned(self, request: web.Request) -> web.StreamResponse:
        """Show what the history of one repository teaches; the newest attempt says what is usual.

        The numbers are those of ``cairn analyze`` and of the comments.
        """
        name = f"{request.match_info['owner']}/{request.match_info['name']}"
        id = await self.listing.repository_id(name)
        if id is None:
            return problem(request, answers.NO_REPOSITORY, status=404)
        now = self.clock.now().timestamp()
        recalled = await self.history.recent(
            at_most(asked(now=now, repository_id=id), NEWEST_LEARNED)
        )
        found = analyse(recalled.executions, TodaysSettings(), left_out=recalled.left_out)
        data: dict[str, Any] = {"repository": name}
        topics = get_args(Topic)
        if wants_page(request):
            data["tables"] = [asdict(each) for topic in topics for each in tables(topic, found)]
        else:
            data |= {topic: lessons_json(topic, found) for topic in topics}
        return answer(request, "learned", masked(data, self.mask))

    def routes(self, door: Door) -> list[web.RouteDef]:
        """Return the routes: for who has the admin token, of one repository by its link, too."""
        return [
            web.get("/repositories/{owner}/{name}/history", door.of_history(self.repository)),
            web.get("/repositories/{owner}/{name}/learned", door.guarded(self.learned)),
            web.get("/history", door.guarded(self.every)),
        ]
