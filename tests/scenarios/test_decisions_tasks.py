"""Retry, skip, plan, phase and priority: what people say about tasks and runs."""

from __future__ import annotations

from tests.marks import MORE
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import NOTES, note, notes, on
from tests.scenarios.proposing import STUCK, decomposed, escalated, id_of, proposal_comment

CONFIG = ".github/cairn.yml"
BROKEN = b"approval_mode: review_only\nverify: {commands: ['test ! -e one.md']}\n"
TWICE = notes("- [ ] 1.1 Write `one.md`\n- [ ] 1.1 Write `two.md`\n")
PHASES = notes(
    "## Phase 1: First\n\n- [ ] 1.1 Write `one.md`\n\n## Phase 2: Second\n\n"
    "- [ ] 2.1 Write `two.md`\n"
)
TABLE = "one.md\n```markdown\nx\n```\ntwo.md\n```markdown\nx\n```\ntable.json\n```json\n{}\n```\n"


@on(STUCK)
async def test_a_retry_closes_the_proposal(bot: Bot) -> None:
    """The task is tried again in a run of its own, and what was proposed about it is closed."""
    pull = await decomposed(bot, then=TABLE)
    id = id_of(bot, pull)

    await bot.comment("/execute retry 1.1")

    said = bot.says()
    assert any(f"Proposal `{id}` is closed" in each for each in said)
    assert "asked to try the task again" in "".join(bot.proposes())
    assert pull.state == "closed"
    assert bot.checkpoints()[-1].startswith("1.1 Write one.md")


@MORE
@on(STUCK)
async def test_a_retry_of_what_was_handed_over(bot: Bot) -> None:
    """An escalated task that people gave back is worked on again, whatever its pull request is."""
    pull = await escalated(bot, then=TABLE)
    await bot.reply(pull, "/approve")
    bot.says()
    bot.proposes()

    await bot.comment("/execute retry 1.1")

    bot.says()
    bot.proposes()
    assert bot.checkpoints()[-1].startswith("1.1 Write one.md")


@on(STUCK)
async def test_a_retry_goes_on_from_what_people_pushed(bot: Bot) -> None:
    """Their commits are verified without a question, ticked, and credited; the rest is closed."""
    pull = await escalated(bot)
    await bot.reply(pull, "/approve")
    bot.says()
    bot.proposes()
    work = {"one.md": b"x\n", "two.md": b"x\n", "table.json": b"{}\n"}
    await bot.github.push(REPOSITORY, work, branch=pull.pull.head, by="writer")
    await bot.idle()
    asked = len(bot.prompts)

    await bot.comment("/execute retry 1.1")

    bot.says()
    made = bot.pulls[-1]
    assert len(bot.prompts) == asked
    assert bot.changed(made).keys() == work.keys() | {"ROADMAP.md"}
    assert b"- [x] 1.1" in (bot.view.file(made.pull.sha, "ROADMAP.md") or b"")
    assert "Co-authored-by: writer <writer@users.noreply.github.com>" in bot.message(made)
    assert f"is now part of #{made.number}," in "".join(bot.proposes())
    assert pull.state == "closed"


@MORE
@on(STUCK)
async def test_a_push_that_is_not_sound_is_repaired(bot: Bot) -> None:
    """Like an answer of the model: what is wrong is repaired on top of people's work."""
    fixed = 'table.json\n```json\n{"a": 1}\n```\n'
    pull = await escalated(bot, then=fixed, plans=0)
    work = {"one.md": b"x\n", "two.md": b"x\n", "table.json": b'{"a": 1,\n'}
    await bot.github.push(REPOSITORY, work, branch=pull.pull.head, by="writer")
    await bot.idle()

    await bot.comment("/execute retry 1.1")

    bot.says()
    bot.proposes()
    made = bot.pulls[-1]
    assert bot.view.file(made.pull.sha, "one.md") == b"x\n"
    assert b'{"a": 1}' in (bot.view.file(made.pull.sha, "table.json") or b"")
    assert "Co-authored-by: writer" in bot.message(made)


@MORE
@on(NOTES)
async def test_a_retry_of_what_was_declined(bot: Bot) -> None:
    """A checkpoint that was closed unmerged is picked again only when it is named."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    await bot.github.close(REPOSITORY, bot.pulls[0].number, by="writer")
    bot.model.says(note("one.md", "Better."))

    await bot.comment("/execute retry 1.1")

    bot.says()
    assert bot.checkpoints() == ["1.1 Write one.md", "1.1 Write one.md"]
    assert bot.pulls[1].state == "open"


@on(TWICE)
async def test_an_ambiguous_id_is_answered_with_the_candidates(bot: Bot) -> None:
    """Both tasks are named by key, line and title; nothing starts."""
    await bot.comment("/execute retry 1.1")
    await bot.comment("/execute skip 1.1")

    for said in bot.says():
        assert "Several tasks are called `1.1`" in said
        assert "(line 1) `Write one.md`" in said
        assert "(line 2) `Write two.md`" in said
    assert bot.pulls == []


@on(NOTES)
async def test_an_unknown_task_is_answered_with_those_there_are(bot: Bot) -> None:
    """A slip changes nothing."""
    await bot.comment("/execute retry 9.9")

    (said,) = bot.says()
    assert "has no task `9.9`" in said
    assert "Its tasks: `1.1`, `1.2`" in said


@on(NOTES)
async def test_a_command_without_its_task(bot: Bot) -> None:
    """What is missing is told with an example."""
    await bot.comment("/execute skip")

    (said,) = bot.says()
    assert "`/execute skip` needs `ID`" in said
    assert "Try `/execute skip 1.2`" in said


@on(NOTES)
async def test_a_skipped_task_is_left_out(bot: Bot) -> None:
    """Neither this run nor a later one picks it, until it is retried."""
    kept = Held(note("one.md"))
    bot.model.says(kept)
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    await kept.asked.wait()
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute skip 1.2", by="writer")
    assert bot.running is not None
    await bot.running.inbox.idle()
    kept.go.set()
    await bot.idle()

    said = bot.says()
    assert any("Task `1.2` (`Write two.md`) is skipped" in each for each in said)
    assert bot.checkpoints() == ["1.1 Write one.md"]
    await bot.comment("/execute")
    bot.says()
    assert bot.checkpoints() == ["1.1 Write one.md"]

    bot.model.says(note("two.md"))
    await bot.comment("/execute retry 1.2")

    bot.says()
    assert bot.checkpoints() == ["1.1 Write one.md", "1.2 Write two.md"]


@MORE
@on(STUCK)
async def test_skipping_a_task_with_a_proposal_decides_it(bot: Bot) -> None:
    """The proposal is settled: its task is skipped and its pull request closed."""
    pull = await decomposed(bot)

    await bot.comment("/execute skip 1.1")

    said = bot.says()
    bot.proposes()
    assert any("its task is skipped" in each for each in said)
    assert pull.state == "closed"

    asked = len(bot.prompts)
    await bot.comment("/execute")
    bot.says()
    assert len(bot.prompts) == asked, "a later run worked on a skipped task"


@on(NOTES)
async def test_plans_are_shown_and_nothing_is_written(bot: Bot) -> None:
    """One question a task; the plans stand in the comment, and that is all."""
    plan = '{"likely_files": ["one.md"], "steps": ["write it"], "complexity": "low"}'
    bot.model.says(plan, "no plan at all")

    await bot.comment("/execute --plan")

    (said,) = bot.says()
    assert "**1.** 1.1: Write one.md" in said
    assert "- files: `one.md`" in said
    assert "- steps: write it" in said
    assert "The model did not answer with a plan." in said
    assert bot.pulls == []
    assert bot.sent() == []


@on(PHASES)
async def test_one_phase_only(bot: Bot) -> None:
    """Tasks of other phases are left alone."""
    bot.model.says(note("two.md"))

    await bot.comment("/execute --phase 2")

    bot.says()
    assert bot.checkpoints() == ["2.1 Write two.md"]


@MORE
@on(NOTES)
async def test_priority_needs_an_administrator(bot: Bot) -> None:
    """A writer is told so and nothing starts; the owner may."""
    await bot.comment("/execute --priority 5 --max-tasks 1")
    (said,) = bot.says()
    assert "`/execute --priority` needs the *admin* permission" in said
    bot.model.says(note("one.md"))

    await bot.comment("/execute --priority 5 --max-tasks 1", by="octo")

    bot.says()
    assert bot.checkpoints() == ["1.1 Write one.md"]


@on(NOTES)
async def test_an_unknown_approval_mode_is_answered_with_those_there_are(bot: Bot) -> None:
    """The near one is suggested."""
    await bot.comment("/execute --approval-mode interactiv")

    (said,) = bot.says()
    assert "must be one of `auto`, `approve_decompose`, `interactive`, `review_only`" in said
    assert "Try `--approval-mode interactive`" in said


@on(STUCK)
async def test_an_approval_mode_that_was_asked_for(bot: Bot) -> None:
    """With ``review_only`` the proposal is shown, and deciding about it changes nothing."""
    pull = await decomposed(bot, "/execute --approval-mode review_only")
    shown = proposal_comment(bot, pull).body
    assert "this run only reports" in shown
    assert "👍" not in shown

    await bot.reply(pull, "/approve")

    (said,) = bot.proposes()
    assert "There is no proposal here" in said
    bot.says()


@on({**NOTES, CONFIG: BROKEN})
async def test_a_change_is_verified_again_without_a_question(bot: Bot) -> None:
    """The tests could not pass here; now they can. Until then nothing is asked either."""
    bot.model.otherwise = lambda _: note("one.md")
    await bot.comment("/execute --task 1.1")
    assert "1.1 Write one.md" not in bot.checkpoints()
    asked = len(bot.prompts)
    await bot.comment("/execute retry 1.1 --from verify")
    assert "1.1 Write one.md" not in bot.checkpoints()
    assert len(bot.prompts) == asked

    await bot.github.push(REPOSITORY, {CONFIG: BROKEN.replace(b"! -e", b"-e")})
    await bot.comment("/execute retry 1.1 --from verify")
    assert "1.1 Write one.md" in bot.checkpoints()
    assert len(bot.prompts) == asked
    await bot.comment("/execute retry 1.2 --from verify")
    assert (
        "No run has kept a change for `1.2`, so there is nothing to verify again." in bot.says()[-1]
    )
    bot.proposes()


@on(NOTES)
async def test_without_a_change_there_is_nothing_to_verify_again(bot: Bot) -> None:
    """The run's answers wrote no file: that is said, and its proposal still waits."""
    bot.model.otherwise = lambda _: "I cannot do that."
    await bot.comment("/execute --task 1.1")
    (proposed,) = bot.proposes()
    assert "No file was found in the answer" in proposed
    bot.says()

    await bot.comment("/execute retry 1.1 --from verify")

    (said,) = bot.says()
    assert "No run has kept a change for `1.1`, so there is nothing to verify again." in said
    assert bot.proposes() == []
