"""``destructive`` and ``approval``: nothing happens before a person decides, then what was said.

Each way to decide is played alone in ``test_decisions.py`` and ``test_cli_decisions.py``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout
from tests.fake_github.state import Issue
from tests.model_server import ScriptedModel
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.projects import answer, note
from tests.scenarios.promised.always import check_always
from tests.scenarios.promised.doors import check_server, left_by, left_on, watching_python
from tests.scenarios.promised.left import Left
from tests.scenarios.promised.scenario import CLASSIFY, DECOMPOSE, Asked, Scenario, to
from tests.scenarios.proposing import BROKEN, PARTS, STUCK, proposal_comment

CLEANER = answer(
    {
        "clean.py": "import subprocess\n\n\ndef clean(folder):\n"
        '    subprocess.run(["rm", "-rf", str(folder)], check=True)\n',
        "tests/test_clean.py": "from clean import clean\n\n\ndef test_clean(tmp_path):\n"
        '    folder = tmp_path / "temp"\n    folder.mkdir()\n    clean(folder)\n'
        "    assert not folder.exists()\n",
    }
)
DROPPED = "db/reset.sql\n```sql\nDROP TABLE sessions;\n```\n"


def _destroyed(left: Left) -> None:
    assert left.statuses == {"1.1": "completed", "1.2": "failed"}
    assert left.changed.keys() == {"clean.py", "tests/test_clean.py"}
    last = left.of("1.1")["path"]
    assert last[last.index("await_approval") :][-3:] == ["write_files", "verify_task", "checkpoint"]
    verdicts = {each["verdict"] for each in left.report["decisions"]}
    assert verdicts == {"approve", "reject"}
    left.check_tests_pass()


DESTRUCTIVE = Scenario(
    id="destructive",
    files={
        "ROADMAP.md": b"- [ ] 1.1 Add `clean.py`, which removes a folder of temporary files, and "
        b"`tests/test_clean.py`\n- [ ] 1.2 Add `db/reset.sql`, which removes the sessions\n",
        "conftest.py": b"",
    },
    answers=(CLEANER, DROPPED),
    asked=Asked(destructive=True),
    check=_destroyed,
)


def paused(left: Left) -> None:
    """Both tasks wait, with pattern and category; neither code was written or started."""
    assert left.statuses == {"1.1": "awaiting_approval", "1.2": "awaiting_approval"}
    assert "Destructive operations detected: rm -rf (filesystem)" in left.log
    assert "Destructive operations detected: DROP TABLE (database)" in left.log
    assert "destructive operations: rm -rf (filesystem)" in left.said
    assert "destructive operations: DROP TABLE (database)" in left.said
    assert left.report["errors"] == []
    assert left.changed == {}
    assert not any((copy / "clean.py").exists() for copy in left.seen.iterdir())


async def test_destructive_by_command(tmp_path: Path) -> None:
    """``cairn approve`` lets it be written and verified, ``cairn reject`` does not."""
    async with checkout(tmp_path / "here", DESTRUCTIVE.repository) as here:
        here.environment["PATH"] = watching_python(tmp_path)
        DESTRUCTIVE.script(here.model)
        first = await here.cairn("run", *DESTRUCTIVE.asked.flags)
        assert first.code == 3, first.err
        paused(left_by(here, first, tmp_path))

        assert (await here.cairn("approve", "1.1")).code == 0
        assert (await here.cairn("reject", "1.2", "--why", "we need them")).code == 0
        last = await here.cairn("resume")

        assert last.code == 1, last.err
        DESTRUCTIVE.check(left_by(here, last, tmp_path))


@pytest.mark.long("each row once more, by another door")
async def test_destructive_by_server(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """``/approve`` lets it be written and verified, ``/reject`` does not."""
    caplog.set_level("INFO")
    watching_python(tmp_path)
    async with conversation(tmp_path, DESTRUCTIVE.repository) as bot, bot.started():
        DESTRUCTIVE.script(bot.model)
        await bot.comment("/execute")
        bot.says()
        paused(left_on(bot, bot.proposes(), tmp_path, lambda: caplog.messages))
        cleaner, reset = bot.proposals

        await bot.reply(cleaner, "/approve")
        await bot.reply(reset, "/reject we need them")

        left = left_on(bot, bot.says(), tmp_path, lambda: caplog.messages)
        check_server(bot)
        check_always(left, DESTRUCTIVE)
        DESTRUCTIVE.check(left)


STUCK_FILES = {path: text for path, text in STUCK.items() if isinstance(text, bytes)}
THREE = "Write `three.md` with a greeting"
APPROVAL = Scenario(
    id="approval",
    files=STUCK_FILES,
    answers=(
        to(CLASSIFY, says=("task_too_complex\nIt is several files.",)),
        to(DECOMPOSE, says=(json.dumps([{"title": t, "acceptance": []} for t in PARTS]),)),
        to("`two.md` and `table.json`", says=(BROKEN,), without=("1.1.1", "three.md"), again=True),
    ),
    asked=Asked(approval="interactive"),
    check=lambda left: None,
)
COMPLETED = {"1.1.1": "completed", "1.1.2": "completed", "1.1": "replaced"}
ENDS: Mapping[str, tuple[int, dict[str, str]]] = {
    "approve": (0, COMPLETED),
    "edit": (0, {}),
    "reject": (1, {"1.1": "failed"}),
    "skip": (1, {"1.1": "skipped"}),
}
"""Verdict → exit code of ``cairn run``, statuses in the end (of an edit: not by these ids)."""


def proposed(left: Left) -> None:
    """The proposal is there, and nothing of it is done."""
    assert left.statuses == {"1.1": "awaiting_approval"}
    assert left.changed == {}
    assert left.tree["ROADMAP.md"] == STUCK_FILES["ROADMAP.md"]
    assert "Recovery strategy: DECOMPOSE" in left.log


def ended(left: Left, verdict: str) -> None:
    """The end state that was promised for a verdict."""
    (decision,) = left.report["decisions"]
    assert decision["verdict"] == verdict
    assert decision["by"]
    roadmap = left.tree["ROADMAP.md"].decode()
    if verdict in ("reject", "skip"):
        assert left.statuses == ENDS[verdict][1]
        assert (left.changed, roadmap) == ({}, STUCK_FILES["ROADMAP.md"].decode())
    elif verdict == "approve":
        assert left.statuses == COMPLETED
        assert left.changed.keys() == {"one.md", "two.md"}
        merged = decision["channel"] == "merge"  # then GitHub says who, and the file is as proposed
        assert merged or "Approved-by: " in roadmap
    else:
        assert sorted(left.statuses.values()) == ["completed", "replaced"]
        assert left.changed.keys() == {"three.md"}
        assert f"{THREE}\n" in roadmap


def goes_on(model: ScriptedModel, verdict: str) -> None:
    """Line up what the model says to the tasks that take the place of the old one."""
    said = {"approve": (note("one.md"), note("two.md")), "edit": (note("three.md"),)}
    model.says(*said.get(verdict, ()))


COMMANDS = {
    "approve": ("approve",),
    "edit": ("edit", "--file", "../tasks.md"),
    "reject": ("reject", "--why", "no"),
    "skip": ("reject", "--skip"),
}


@pytest.mark.sample(1, "each verdict through each door", whole=True)
@pytest.mark.parametrize("verdict", ENDS)
async def test_approval_by_command(tmp_path: Path, verdict: str) -> None:
    """``cairn approve``, ``edit`` and ``reject`` (``--skip``), with ``--resume``."""
    async with checkout(tmp_path / "here", APPROVAL.repository) as here:
        APPROVAL.script(here.model)
        first = await here.cairn("run", *APPROVAL.asked.flags)
        assert first.code == 3, first.err
        (tmp_path / "seen").mkdir()
        proposed(left_by(here, first, tmp_path))
        (tmp_path / "tasks.md").write_text(f"- [ ] {THREE}\n")
        goes_on(here.model, verdict)

        last = await here.cairn(*COMMANDS[verdict], "--resume")

        assert last.code == ENDS[verdict][0], last.err
        _ends(left_by(here, last, tmp_path), verdict, here)


def _ends(left: Left, verdict: str, here: Checkout) -> None:
    assert here.git("status", "--porcelain") == ""
    ended(left, verdict)


@pytest.mark.sample(1, "each verdict through each door", whole=True)
@pytest.mark.parametrize(
    ("verdict", "channel"),
    [
        ("approve", "reaction"),
        ("approve", "merge"),
        ("reject", "review"),
        ("edit", "reply"),
        ("skip", "button"),
    ],
)
async def test_approval_by_server(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, verdict: str, channel: str
) -> None:
    """A reaction, a merge, a review, a reply and a button decide."""
    caplog.set_level("INFO")
    watching_python(tmp_path)
    async with conversation(tmp_path, APPROVAL.repository) as bot, bot.started():
        APPROVAL.script(bot.model)
        await bot.comment("/execute")
        bot.says()
        proposed(left_on(bot, bot.proposes(), tmp_path, lambda: caplog.messages))
        (pull,) = bot.proposals
        goes_on(bot.model, verdict)

        await _decide(bot, pull, channel)

        left = left_on(bot, bot.says(), tmp_path, lambda: caplog.messages)
        check_server(bot)
        ended(left, verdict)


async def _decide(bot: Bot, pull: Issue, channel: str) -> None:
    github = bot.github
    if channel == "reaction":
        github.react(proposal_comment(bot, pull), "+1", by="writer")
        await bot.later(seconds=15)
    elif channel == "merge":
        await github.ready(REPOSITORY, pull.number)
        await github.merge_pull(REPOSITORY, pull.number, by="writer")
    elif channel == "review":
        await github.review(REPOSITORY, pull.number, "CHANGES_REQUESTED", "no", by="writer")
    elif channel == "reply":
        await bot.reply(pull, f"/edit\n\n- {THREE}")
    else:
        (check,) = [int(str(each["id"])) for each in bot.view.checks]
        await github.click(REPOSITORY, check, "skip", by="writer")
    await bot.idle()
