"""``cairn run --dry-run`` says what the tasks will probably take."""

from __future__ import annotations

import json

from tests.app.checkout import Checkout
from tests.app.cli.test_analyze import with_history


async def test_without_history(here: Checkout) -> None:
    """Nothing is made up."""
    said = await here.cairn("run", "--dry-run")

    assert said.out.splitlines()[-1] == (
        "[DRY RUN] No cost preview: fewer than 10 similar attempts are recorded, so Cairn cannot "
        "say what this will take."
    )
    assert not (here.folder / ".executor").exists()


async def test_with_a_history(here: Checkout) -> None:
    """Tokens, money and finished tasks, each with a range, for people and for programs alike."""
    await with_history(here.folder)
    before = {path.name for path in (here.folder / ".executor").iterdir()}

    said = await here.cairn("run", "--dry-run", "--model", "elm-2")
    programs = await here.cairn("run", "--dry-run", "--model", "elm-2", "--json")

    expected = json.loads(programs.out.splitlines()[-1])["report"]["expected"]
    tokens, cost = expected["tokens"], expected["cost"]
    assert (expected["tasks"], cost["value"]) == (2, 0.024)
    assert tokens["low"] < tokens["value"] < tokens["high"]
    assert said.out.splitlines()[-1] == (
        f"[DRY RUN] Expected for 2 tasks, judged by {expected['executions']} similar attempts: "
        f"{tokens['value']:,.0f} tokens ({tokens['low']:,.0f} to {tokens['high']:,.0f}), "
        f"$0.0240 ($0.0240 to $0.0240), {expected['finished']['value']:.1f} finished "
        f"({expected['finished']['low']:.0f} to {expected['finished']['high']:.0f}). At least 8 of "
        "10 such ranges turn out to be right."
    )
    assert {path.name for path in (here.folder / ".executor").iterdir()} == before
