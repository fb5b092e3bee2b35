"""A model's replies about roadmaps in prose, made wrong: lines lost, quotes invented."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from bench.finding import Finding, Line
from tests.runner.roadmap.mutated_replies import play

_REPLIES = 1_000
_SEED = 15


async def measure(_folder: Path) -> AsyncIterator[Line]:
    """Play mutated replies of a scripted model; every one of them is the same for a seed."""
    damage = await asyncio.to_thread(play, _SEED, _REPLIES)
    for what, wrong in (
        ("lines of the file lost", damage.lost),
        ("tasks without a quote of the file", damage.invented),
        ("tasks ticked that nothing calls done", damage.done),
    ):
        text = f"{what}, in {_REPLIES:,} mutated replies of a model"
        yield Finding(what=text, value=len(wrong), unit="", goal="0", ok=not wrong)
    yield Finding(what="of them with a proposal", value=damage.proposed, unit="")
