"""``/execute`` on a roadmap in which nothing can be run: checkboxes are proposed."""

from __future__ import annotations

import json

import pytest

from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, notes, on
from tests.scenarios.pushing import CONFIG, plans, push, triggered

BULLETS = "# Plans\n\n- Write `one.md`\n- Write `two.md`\n"
BOXED = BULLETS.replace("- Write", "- [ ] Write")
CHECKS = "# Plan\n\n## TODO\n\n1. Write `one.md`\n\n## Acceptance Criteria\n\n- [ ] It is there\n"
PROSE = "# Plan\n\nFirst somebody has to write one.md. After that two.md is written.\n"


def proposal(bot: Bot) -> Issue:
    """The one pull request there is."""
    (pull,) = bot.pulls
    return pull


@on(notes(BULLETS))
async def test_boxes_are_proposed_once_and_run_after_the_merge(bot: Bot) -> None:
    """One pull request, linked in the comment; nothing is run before a person merged it."""
    await bot.comment("/execute")
    (first,) = bot.says()
    assert "has no checkboxes" in first
    assert f"/pull/{proposal(bot).number}" in first
    assert "The model was asked" not in first
    assert bot.changed(proposal(bot)) == {"ROADMAP.md": BOXED.encode()}
    assert proposal(bot).pull.head == "cairn/normalise/roadmap-md"

    await bot.comment("/execute")
    (second,) = bot.says()
    assert f"/pull/{proposal(bot).number}" in second
    await bot.github.merge_pull(REPOSITORY, proposal(bot).number)
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute")

    bot.says()
    assert bot.checkpoints()[1:] == ["Write one.md", "Write two.md"]


@on(notes(BULLETS))
async def test_the_description_says_what_is_proposed(bot: Bot) -> None:
    """How many tasks, by what they were found, and what to do."""
    await bot.comment("/execute")

    bot.says()
    assert proposal(bot).title == "Give ROADMAP.md checkboxes"
    assert "2 tasks, 0 of them done" in (proposal(bot).body or "")
    assert "no model was asked" in (proposal(bot).body or "")


@on(notes(BULLETS))
async def test_a_changed_roadmap_updates_the_proposal(bot: Bot) -> None:
    """The same pull request with a new commit; where a person pushed to it, it stays."""
    await bot.comment("/execute")
    await push(bot, f"{BULLETS}- Write `three.md`\n")
    await bot.comment("/execute")
    bot.says()
    assert bot.changed(proposal(bot)) == {"ROADMAP.md": f"{BOXED}- [ ] Write `three.md`\n".encode()}
    head = proposal(bot).pull.head
    await bot.github.push(REPOSITORY, {"ROADMAP.md": b"- [ ] Mine\n"}, branch=head)

    await push(bot, f"{BULLETS}- Write `four.md`\n")
    await bot.comment("/execute")

    (said,) = bot.says()
    assert "Somebody has pushed to it since" in said
    assert bot.view.file(head, "ROADMAP.md") == b"- [ ] Mine\n"


@on(notes(BULLETS))
async def test_a_declined_proposal_is_not_opened_again(bot: Bot) -> None:
    """Closed is a no, as long as the roadmap is the same."""
    await bot.comment("/execute")
    await bot.github.close(REPOSITORY, proposal(bot).number)
    bot.says()

    await bot.comment("/execute")

    (said,) = bot.says()
    assert "was closed. Reopen" in said
    assert proposal(bot).state == "closed"


@on(notes(CHECKS))
async def test_a_roadmap_of_checks_gets_tasks(bot: Bot) -> None:
    """Where all boxes are checks of other work, that work gets a box."""
    await bot.comment("/execute")

    (said,) = bot.says()
    assert f"/pull/{proposal(bot).number}" in said
    content = bot.changed(proposal(bot))["ROADMAP.md"] or b""
    assert b"1. [ ] Write `one.md`" in content
    assert b"- It is there" in content


CLAIM = {
    "title": "write one.md",
    "done": False,
    "acceptance": [],
    "depends_on": [],
    "source_lines": [3, 3],
    "quote": "First somebody has to write one.md.",
}


@on(notes(PROSE))
async def test_prose_is_read_by_the_model_and_its_cost_is_shown(bot: Bot) -> None:
    """Where the structure says nothing the model is asked, once for each command and content."""
    bot.model.says(json.dumps([CLAIM]))

    await bot.comment("/execute")
    (said,) = bot.says()
    assert "The model was asked once: " in said
    assert "tokens" in said.split("asked once")[1]
    body = proposal(bot).body or ""
    assert "A model found the tasks" in body
    assert "The model was asked once" in body
    await bot.comment("/execute")

    assert f"/pull/{proposal(bot).number}" in bot.says()[0]
    assert len(bot.prompts) == 1


@on(notes(PROSE))
async def test_nothing_is_proposed_that_nobody_wrote(bot: Bot) -> None:
    """A model that names no work leaves the roadmap as it is; the comment says what was paid."""
    bot.model.says("[]")

    await bot.comment("/execute")

    (said,) = bot.says()
    assert "could not find checkboxes to propose" in said
    assert "The model was asked once" in said
    assert bot.pulls == []


@on(notes(BULLETS))
async def test_a_dry_run_proposes_nothing(bot: Bot) -> None:
    """It writes nothing but its comment."""
    await bot.comment("/execute --dry-run")

    (said,) = bot.says()
    assert "has no checkboxes" in said
    assert bot.pulls == []


@on(triggered("execute", "# Plans\n"))
async def test_a_push_proposes_nothing_unasked(bot: Bot) -> None:
    """The plan says that there is no checkbox, and how to get a proposal."""
    await push(bot, "# Plans\n\n## TODO\n\n1. Write `one.md`\n2. Write `two.md`\n")

    assert bot.pulls == []
    assert "proposes checkboxes" in (plans(bot)[0].body or "")


@on(notes("x\n", **{CONFIG: b"roadmap: {path: docs/Plan A.md}\n", "docs/Plan A.md": BULLETS}))
async def test_a_configured_roadmap_is_normalised(bot: Bot) -> None:
    """The branch is named after the file, whatever its name is."""
    await bot.comment("/execute")

    bot.says()
    assert bot.changed(proposal(bot)) == {"docs/Plan A.md": BOXED.encode()}
    assert proposal(bot).pull.head == "cairn/normalise/docs-plan-a-md"


CALLS = [
    ("POST", "git/trees"),
    ("POST", "git/commits"),
    ("POST", "git/refs"),
    ("POST", "pulls"),
    ("PATCH", "issues/comments/*"),
]


@pytest.mark.sample(1, "a run for each call that may fail")
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("method", "path"), CALLS)
@on(notes(PROSE))
async def test_an_outage_leaves_one_proposal_and_one_question(
    bot: Bot, method: str, path: str, after: bool
) -> None:
    """Each effect fails once, before or after it happened: nothing is made or paid for twice."""
    bot.model.says(json.dumps([CLAIM]))
    bot.github.fail(method, f"/repos/{REPOSITORY}/{path}", status=502, after=after)

    await bot.comment("/execute")
    await bot.later(minutes=10)

    assert f"/pull/{proposal(bot).number}" in bot.says()[-1]
    assert len(bot.prompts) == 1
    assert set(bot.view.branches) == {"main", "cairn/normalise/roadmap-md"}
