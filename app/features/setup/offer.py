"""The one pull request that proposes the configuration that a repository's tests need.

It is made from the repository's own files and from what its tests print. Nothing of it is run
before a person merged it: its commands may use the network.
"""

from __future__ import annotations

from collections.abc import MutableSet, Sequence
from dataclasses import dataclass

from app.features.setup import config_offer
from app.github.one_pull import Offered, OfferedPulls
from app.github.pulls import PREFIX
from app.github.repository import GitHubRepository
from app.runs.cannot_start import cannot_start
from runner.config.model import CONFIG_PATH
from runner.errors import Outage, TaskError
from runner.loop.deps import Deps
from runner.loop.problems import similar_roadmaps
from runner.nodes.preflight import CannotStart, first_look, has_tests, verifies
from runner.state.changes import blob_sha
from runner.state.run_state import RunState
from runner.text.sanitize import sanitize

BRANCH = f"{PREFIX}setup"
_HOW = (
    "- **To change something**, edit what is on this branch, then merge. Cairn does not overwrite "
    "what people push here.\n"
    "- **To use it**, merge this pull request and comment `/execute` on an issue. Nothing starts "
    "before it is merged, and nothing starts by merging it.\n"
    "- **If you do not want it**, close this pull request. Cairn opens it again only when somebody "
    "comments `/execute setup`."
)


@dataclass(frozen=True, slots=True)
class SetUp:
    """Proposes a configuration: where somebody asks for it, and where a run sees the need."""

    at: GitHubRepository

    async def answer(
        self,
        state: RunState,
        deps: Deps,
        started: MutableSet[str],
        *,
        asked: bool,
    ) -> str:
        """Propose it; say what there is and where it is proposed (Markdown).

        ``started`` are bases whose tests were seen to start. Unless it was ``asked`` for, what
        people closed is not proposed again. Doing it twice leaves one. Raises ``Outage`` or
        ``TaskError``.
        """
        said, found = await self._tests(state, deps, started)
        base, path = state.stack.base, state.request.roadmap
        file = await self._config(base, found) if found else None
        parts = [said]
        if found and file:
            offered = await self._offer(base, found, file, asked=asked)
            parts.append(_told(found, offered))
        elif found:
            parts.append(cannot_start(found))
        if base and not await self._has(base, path):
            parts.append(
                _no_roadmap(path, similar_roadmaps(path, (await self.at.snapshot(base)).entries))
            )
        return "\n\n".join(filter(None, parts))

    async def is_welcome(self, state: RunState) -> bool:
        """Say whether something may be proposed unasked. Raises ``Outage`` or ``TaskError``."""
        base = state.stack.base
        if not base or await self._has(base, CONFIG_PATH):
            return False
        return await self._has(base, state.request.roadmap)

    async def offered(self, state: RunState, found: CannotStart) -> str:
        """Offer what was ``found`` to be needed; return what to tell people (Markdown).

        One that a person closed is not offered again. Doing it twice leaves one. Raises ``Outage``
        where GitHub may take it later.
        """
        file = await self._config(state.stack.base, found)
        if file is None:
            return cannot_start(found)
        return _told(found, await self._offer(state.stack.base, found, file))

    async def close_outdated(self) -> None:
        """Close the open offer of a configuration: somebody has committed one meanwhile."""
        pulls = OfferedPulls(self.at, "setup")
        known = await pulls.known(BRANCH)
        if known and known.state == "open":
            await pulls.close(known, config_offer.THERE_NOW)

    async def _has(self, commit: str, path: str) -> bool:
        return path in (await self.at.snapshot(commit)).entries

    async def _tests(
        self, state: RunState, deps: Deps, started: MutableSet[str]
    ) -> tuple[str, CannotStart | None]:
        """Say how the tests stand (Markdown), and what keeps them from starting."""
        there = await self._has(state.stack.base, CONFIG_PATH)
        tip = await self.at.snapshot(state.stack.tip)
        if not verifies(state) or not await has_tests(state, deps, tip):
            return (config_offer.NO_TESTS_WITH_FILE if there else config_offer.NO_TESTS), None
        found = await first_look(state, deps, started)
        if found is None:
            return (config_offer.STARTS_WITH_FILE if there else config_offer.STARTS), None
        return (config_offer.HAS_FILE if there else ""), found

    async def _config(self, base: str, found: CannotStart) -> bytes | None:
        """The file that lets the tests start; None if nothing is known to help, or it is there."""
        if not found.proposed or await self._has(base, CONFIG_PATH):
            return None
        return found.proposed.encode()

    async def _offer(
        self, commit: str, found: CannotStart, content: bytes, *, asked: bool = False
    ) -> Offered | str:
        """Offer a configuration on top of a commit; or say why GitHub refuses it.

        Raises ``Outage`` where GitHub may take it later.
        """
        try:
            return await OfferedPulls(self.at, "setup").propose(
                await self.at.snapshot(commit),
                {CONFIG_PATH: content},
                branch=BRANCH,
                below=self.at.base,
                source=blob_sha(content),
                title=config_offer.TITLE,
                body=f"{config_offer.body(found)}\n\n{_HOW}",
                again=asked,
            )
        except (TaskError, Outage) as refused:
            if isinstance(refused, Outage) and refused.kind != "permission":
                raise
            return refused.message


def _told(found: CannotStart, offered: Offered | str) -> str:
    """What became of an offer (Markdown)."""
    if isinstance(offered, Offered):
        return config_offer.offer_text(found, offered)
    return config_offer.refused(found, offered)


def _no_roadmap(path: str, similar: Sequence[str]) -> str:
    """There is none; ``similar`` files may be the one that is."""
    if similar:
        there = sanitize(similar[0], plain=True).replace("`", "'")
        return (
            f"There is no `{path}`. If `{there}` is the roadmap, name it in `{CONFIG_PATH}` "
            f"(`roadmap.path: {there}`), or comment `/execute {there}`."
        )
    return (
        f"There is no `{path}`. Write it, with a checkbox for each task, or comment `/execute` on "
        "the issue that is to be worked on."
    )
