"""How much of the product one task with a right answer enters: what a reader would have to open."""

from __future__ import annotations

import sys
import threading
import tomllib
from pathlib import Path
from types import CodeType, FrameType

import pytest

from tests.docs.test_docs import ROOT
from tests.scenarios.bot import conversation
from tests.scenarios.projects import ADD, CALC

PRODUCT = tuple(f"{ROOT / package}/" for package in ("app", "handlers", "runner"))


@pytest.mark.long("every call is traced")
async def test_one_right_answer_enters_few_files(tmp_path: Path) -> None:
    """From the webhook to the pull request, no more files than pyproject.toml allows."""
    limit = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["house"]["files-entered"]
    entered: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            entered.add(frame.f_code)

    # before there is a server: a thread is traced only if it begins after this
    threading.setprofile(note)
    try:
        async with conversation(tmp_path, CALC) as bot, bot.started():
            bot.model.says(ADD)
            await bot.idle()
            entered.clear()
            sys.setprofile(note)
            await bot.comment("/execute --max-tasks 1")
            sys.setprofile(None)
            traced = set(entered)
            bot.says()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)

    assert len(bot.pulls) == 1
    files = {
        code.co_filename.removeprefix(f"{ROOT}/")
        for code in traced
        if code.co_filename.startswith(PRODUCT) and code.co_name != "<module>"
    }
    assert len(files) <= limit, "\n".join(sorted(files))
