"""A real ``/execute`` on the server: what the bot wrote, and the run's page while it works."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot, conversation, run_of
from tests.scenarios.process import serving
from tools.pictures.story import FILES, tell

Look = Callable[[str, str], Awaitable[None]]
_TOKEN = "a-token-for-pictures"
_ENDS = ": waiting"


@dataclass(frozen=True)
class Served:
    """Markdown as the bot sent it; ``diff`` is what approval of the proposal does."""

    progress: str
    checkpoint: Issue
    proposal: Issue
    diff: str
    buttons: tuple[str, ...]


async def executed(folder: Path, look: Look, after: Look, **settings: object) -> Served:
    """Comment ``/execute``; ``look`` gets the address of the run's page and its token.

    So does ``after``, when the run has done all it can.
    """
    async with conversation(folder, FILES, CAIRN_ADMIN_TOKEN=_TOKEN, **settings) as bot:
        held = tell(bot.model)
        bot.github.set_role(REPOSITORY, "ada", "maintain")
        async with serving(bot) as server:
            await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="ada")
            await held.asked.wait()
            assert bot.github.webhook_url is not None
            front = bot.github.webhook_url.removesuffix("/webhook")
            address = f"{front}/runs/{run_of(_progress(bot))}"
            await look(address, _TOKEN)
            held.go.set()
            await server.until(_ENDS)
            await after(address, _TOKEN)
            await server.end(signal.SIGTERM)
        return _seen(bot)


def _progress(bot: Bot) -> str:
    mine = [c for c in bot.issue.comments if c.user is bot.github.app.bot]
    return mine[0].body


def _seen(bot: Bot) -> Served:
    (proposal,) = bot.proposals
    repaired = next(p for p in bot.pulls if "1 test repair" in (p.body or "") and p is not proposal)
    assert proposal.pull is not None
    tip = proposal.pull.sha
    _, _, diff = bot.view.state.bare.text("diff", "-U1", f"{tip}^", tip).partition("\n--- ")
    buttons = [str(a["label"]) for check in bot.view.checks for a in check["actions"]]  # type: ignore[attr-defined]
    return Served(_progress(bot), repaired, proposal, f"--- {diff}", tuple(buttons))
