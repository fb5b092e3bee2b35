"""What the history of one repository teaches: comparisons, and what tasks will take."""

from __future__ import annotations

from collections.abc import Sequence

from runner.analysis.compare import FEWEST
from runner.analysis.preview import CostPreview
from runner.analysis.recorded import NEWEST, Analysis, adjusted, analyse, expected
from runner.config.editing import with_values
from runner.config.model import RepositoryConfig
from runner.config.options import todays_settings
from runner.history.inquiry import Recalled, asked, at_most
from runner.people.analysis_sentences import changes_text
from runner.ports import Clock, History
from runner.roadmap.task import Task
from runner.state.options import Options

UNASKED = 0.002
"""How sure a comparison must be before Cairn acts on it without being asked.

It looks again after every run, and each look is another chance to be wrong. At this level fewer
than 5 of 100 repositories where nothing matters ever got a pull request, in 25 looks at up to 500
attempts (docs/developers/benchmarks.md).
"""


class Lessons:
    """Reads the newest records of a repository; ``model`` is asked where none is configured.

    Every method raises ``Outage`` when the history cannot be read.
    """

    def __init__(self, history: History, clock: Clock, *, repository_id: int, model: str) -> None:
        self._history = history
        self._clock = clock
        self._repository_id = repository_id
        self.model = model

    async def analysis(self, config: RepositoryConfig) -> Analysis:
        """Compare what was recorded with how the repository is configured."""
        recalled, today = await self._recalled(), todays_settings(config)
        return analyse(recalled.executions, today, left_out=recalled.left_out)

    async def advised(self, config: RepositoryConfig) -> Analysis | None:
        """The same, as sure as advice nobody asked for must be; None: too little is recorded."""
        recalled = await self._recalled()
        if len(recalled.executions) < 2 * FEWEST:  # two settings are compared
            return None
        return analyse(recalled.executions, todays_settings(config), error=UNASKED)

    async def expected(self, tasks: Sequence[Task], options: Options) -> CostPreview | None:
        """Predict what tasks will take, None while too little is recorded."""
        recalled = await self._recalled()
        return expected(tasks, options, self.model, recalled.executions)

    async def adjusted(self, config: RepositoryConfig) -> tuple[RepositoryConfig, tuple[str, ...]]:
        """Follow what was learned where ``adaptive.auto_adjust`` allows it.

        Returns the configuration of the next run, and what it changes: ``loop: fixed``.
        """
        if not config.adaptive.auto_adjust:
            return config, ()
        recalled = await self._recalled()
        found = adjusted(recalled.executions, todays_settings(config), error=UNASKED)
        changes = [change for one in found for change in one.changes]
        return with_values(config, changes), tuple(map(changes_text, found))

    async def _recalled(self) -> Recalled:
        now = self._clock.now().timestamp()
        query = asked(now=now, repository_id=self._repository_id)
        return await self._history.recent(at_most(query, NEWEST))
