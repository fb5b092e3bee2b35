"""How people decide about a proposal, by every channel there is."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import aiohttp
import pytest

from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot, conversation, run_of
from tests.scenarios.pages import TOKEN
from tests.scenarios.projects import note, on
from tests.scenarios.proposing import (
    STUCK,
    TITLES,
    decomposed,
    escalated,
    id_of,
    proposal_comment,
    script_new_tasks,
)

pytestmark = on(STUCK)


async def test_a_reaction_approves(bot: Bot) -> None:
    """👍 of whoever started the run is seen by the next poll, and the run does what it says."""
    pull = await decomposed(bot)
    script_new_tasks(bot)
    bot.github.react(proposal_comment(bot, pull), "+1", by="writer")

    await bot.later(seconds=15)

    bot.says()
    bot.proposes()
    assert [p.title for p in bot.pulls][-2:] == TITLES
    assert "Approved-by: writer" in bot.message(pull)


async def test_what_is_decided_during_a_pause_is_done_after_it(bot: Bot) -> None:
    """A person paused the run while it waited: it stays so until somebody resumes it."""
    pull = await decomposed(bot)
    await bot.comment("/execute pause")
    assert "is paused" in bot.says()[0]
    script_new_tasks(bot)

    await bot.github.comment(REPOSITORY, pull.number, "/approve", by="writer")
    await bot.idle()

    bot.proposes()
    assert len(bot.pulls) == 1
    await bot.comment("/execute resume")
    bot.says()
    bot.proposes()
    assert [p.title for p in bot.pulls][-2:] == TITLES


async def test_a_thumb_down_rejects(bot: Bot) -> None:
    """👎 leaves the task failed, and the pull request is closed with who said so."""
    pull = await decomposed(bot)
    bot.github.react(proposal_comment(bot, pull), "-1", by="writer")

    await bot.later(seconds=15)

    (said,) = bot.says()
    assert "❌ | **1.1**" in said
    assert "rejected by writer (reaction)" in "".join(bot.proposes())
    assert pull.state == "closed"


async def test_a_reply_approves(bot: Bot) -> None:
    """``/approve`` on the pull request needs no id, and is answered."""
    pull = await decomposed(bot)
    script_new_tasks(bot)

    await bot.reply(pull, "/approve")

    assert "is approved. Run" in "".join(bot.proposes())
    bot.says()
    assert TITLES[1] in bot.checkpoints()


@pytest.mark.nightly("test_a_divided_task_counts_once_and_both_texts_are_shown")
async def test_both_texts_are_shown(bot: Bot) -> None:
    """The proposal, its pull request in the end and the run's comment quote the old task, too."""
    pull = await decomposed(bot)
    script_new_tasks(bot)
    proposed = proposal_comment(bot, pull).body

    await bot.reply(pull, "/approve")

    bot.proposes()
    for text in (proposed, pull.body or "", bot.says()[-1]):
        assert "> - [ ] 1.1 Write `one.md`, `two.md` and `table.json`" in text
        assert "- **1.1.2** Write `two.md` with a note on `table.json`" in text


@MORE
async def test_a_reply_on_the_issue_names_the_proposal(bot: Bot) -> None:
    """On the run's issue the id says which one is meant; without it they are listed."""
    pull = await decomposed(bot)
    script_new_tasks(bot)
    id = id_of(bot, pull)

    await bot.comment("/approve")
    assert f"- `{id}`: decompose for task" in bot.says()[-1]
    assert pull.state == "open"
    await bot.comment(f"/approve {id}")

    assert any(f"Proposal `{id}`" in said and "is approved" in said for said in bot.says())
    bot.proposes()
    assert TITLES[1] in bot.checkpoints()


@MORE
async def test_a_rejection_keeps_its_reason(bot: Bot) -> None:
    """Why it was rejected stands where the proposal was."""
    pull = await decomposed(bot)

    await bot.reply(pull, "/reject don't split it, it is fine")

    said = "".join(bot.proposes())
    assert "don't split it, it is fine" in said
    assert pull.state == "closed"
    bot.says()


async def test_an_edit_replaces_the_tasks(bot: Bot) -> None:
    """The list of a person takes the place of the proposed one and is approved with it."""
    pull = await decomposed(bot)
    bot.model.says(note("three.md"))

    await bot.reply(pull, "/edit\n\n- Write `three.md` with a greeting")

    bot.says()
    bot.proposes()
    assert "Write three.md with a greeting" in bot.checkpoints()[-1]
    assert b"three.md" in (bot.view.file(pull.pull.head, "ROADMAP.md") or b"")


@pytest.mark.sample(1, "a run for each text")
@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("/edit", "needs a list of tasks"),
        ("/edit\n\nWrite three.md", "needs a list of tasks"),
        ("/edit\n- Improve things", "Task 1"),
        ("/edit\n" + "\n".join(f"- Write `n{n}.md`" for n in range(30)), "at most 20"),
    ],
    ids=["nothing", "prose", "vague", "many"],
)
async def test_an_edit_that_cannot_be_used(bot: Bot, text: str, wrong: str) -> None:
    """What is wrong with it is told, and the proposal stays open."""
    pull = await decomposed(bot)

    await bot.reply(pull, text)

    assert wrong in "".join(bot.proposes())
    assert pull.state == "open"


async def test_a_review_approves(bot: Bot) -> None:
    """An approving review does what it says."""
    pull = await decomposed(bot)
    script_new_tasks(bot)

    await bot.github.review(REPOSITORY, pull.number, "APPROVED", by="writer")
    await bot.idle()

    bot.says()
    bot.proposes()
    assert TITLES[1] in bot.checkpoints()


@MORE
async def test_a_review_rejects(bot: Bot) -> None:
    """A review that requests changes is a no, with its words as the reason."""
    pull = await decomposed(bot)

    await bot.github.review(REPOSITORY, pull.number, "CHANGES_REQUESTED", "Too small", by="writer")
    await bot.idle()

    bot.says()
    assert "rejected by writer (review): Too small" in "".join(bot.proposes())
    assert pull.state == "closed"


@pytest.mark.sample(1, "a run for each button")
@pytest.mark.parametrize(
    ("button", "title"), [("approve", TITLES[1]), ("reject", ""), ("skip", "")]
)
async def test_a_button_decides(bot: Bot, button: str, title: str) -> None:
    """The buttons of the check run approve, reject, and skip the task."""
    await decomposed(bot)
    if title:
        script_new_tasks(bot)
    (check,) = [int(str(each["id"])) for each in bot.view.checks]

    await bot.github.click(REPOSITORY, check, button, by="writer")
    await bot.idle()

    said = bot.says()[0]
    bot.proposes()
    assert (title in bot.checkpoints()) == bool(title)
    assert ("⏭" in said) == (button == "skip")


async def test_a_merge_approves(bot: Bot) -> None:
    """A merge by a person applies it, and the run goes on from the roadmap as it is then."""
    pull = await decomposed(bot)
    script_new_tasks(bot)
    await bot.github.ready(REPOSITORY, pull.number)

    await bot.github.merge_pull(REPOSITORY, pull.number, by="writer")
    await bot.idle()

    bot.says()
    bot.proposes()
    assert [p.title for p in bot.pulls].count(pull.title) == 1
    assert [p.title for p in bot.pulls][-2:] == TITLES
    assert next(p for p in bot.pulls if p.title.startswith("1.1.1")).pull.base == "main"


async def test_closing_rejects(bot: Bot) -> None:
    """A pull request closed unmerged is a no."""
    pull = await decomposed(bot)

    await bot.github.close(REPOSITORY, pull.number, by="writer")
    await bot.idle()

    (said,) = bot.says()
    bot.proposes()
    assert "❌ | **1.1**" in said


@MORE
async def test_a_button_pressed_again_says_nothing(bot: Bot) -> None:
    """A double click is no second decision that somebody has to read about."""
    pull = await decomposed(bot)
    script_new_tasks(bot)
    (check,) = [int(str(each["id"])) for each in bot.view.checks]

    for _ in range(3):
        await bot.github.click(REPOSITORY, check, "approve", by="writer")
    await bot.idle()
    await bot.github.review(REPOSITORY, pull.number, "APPROVED", by="writer")
    await bot.idle()

    assert bot.proposes() == []
    assert TITLES[1] in bot.checkpoints()
    bot.says()


async def test_an_escalation_is_handed_over(bot: Bot) -> None:
    """Approving it marks the pull request ready for people; the task stays failed and open."""
    pull = await escalated(bot)
    assert pull.pull.draft

    await bot.reply(pull, "/approve")

    (said,) = bot.says()
    assert "❌ | **1.1**" in said
    assert "Ready for people" in "".join(bot.proposes())
    assert not pull.pull.draft
    assert b"- [ ] 1.1" in (bot.view.file("main", "ROADMAP.md") or b"")


@pytest.mark.nightly("test_two_opposite_decisions_at_once")
async def test_the_first_decision_counts(bot: Bot) -> None:
    """Of two people one is first; the other is told by whom and how."""
    bot.github.set_role(REPOSITORY, "keeper", "maintain")
    pull = await decomposed(bot)
    await bot.reply(pull, "/reject", by="keeper")
    bot.proposes()

    await bot.reply(pull, "/approve")

    (said,) = bot.proposes()
    assert "was rejected by `keeper` (reply). Only the first decision counts" in said
    bot.says()


@pytest.mark.sample(1, "a conversation for each case")
@pytest.mark.parametrize("approver_first", [True, False])
async def test_two_opposite_decisions_at_once(bot: Bot, approver_first: bool) -> None:
    """Of an approval and a rejection delivered together one is applied; the other is told of it."""
    bot.github.set_role(REPOSITORY, "keeper", "maintain")
    pull = await escalated(bot)
    both = [
        bot.github.comment(REPOSITORY, pull.number, "/approve", by="writer"),
        bot.github.review(REPOSITORY, pull.number, "CHANGES_REQUESTED", by="keeper"),
    ]

    await asyncio.gather(*(both if approver_first else reversed(both)))
    await bot.idle()

    said = "".join(bot.proposes())
    approved = "Ready for people" in said
    first = "was approved by `writer` (reply)" if approved else "was rejected by `keeper`"
    assert said.count(first) == said.count("Only the first decision counts") == 1
    assert ("is approved. Run" in said) == approved == (pull.state == "open")
    assert ("rejected by keeper (review)" in said) != approved
    bot.says()


@MORE
async def test_the_earliest_reaction_counts(bot: Bot) -> None:
    """Two people react before the poll: the earlier one decides."""
    bot.github.set_role(REPOSITORY, "keeper", "maintain")
    pull = await decomposed(bot)
    comment = proposal_comment(bot, pull)
    bot.github.react(comment, "-1", by="keeper")
    bot.github.clock.advance(2)
    bot.github.react(comment, "+1", by="writer")

    await bot.later(seconds=13)

    bot.says()
    assert "rejected by keeper (reaction)" in "".join(bot.proposes())


@MORE
async def test_a_reaction_taken_back_does_not_count(bot: Bot) -> None:
    """What is gone before the poll was never said."""
    pull = await decomposed(bot)
    comment = proposal_comment(bot, pull)
    bot.github.react(comment, "+1", by="writer")
    comment.reactions.clear()

    await bot.later(seconds=15)

    assert pull.pull.draft
    assert bot.proposes() == []


@MORE
async def test_something_happening_looks_at_once(bot: Bot) -> None:
    """A comment on the pull request lets its reactions be read without waiting for the poll."""
    pull = await decomposed(bot)
    script_new_tasks(bot)
    bot.github.react(proposal_comment(bot, pull), "rocket", by="writer")

    await bot.reply(pull, "I have reacted.")

    bot.says()
    bot.proposes()
    assert TITLES[1] in bot.checkpoints()


@MORE
async def test_an_edited_comment_says_nothing_any_more(bot: Bot) -> None:
    """Whoever changed the proposal's text may have changed what people agree to."""
    pull = await decomposed(bot)
    comment = proposal_comment(bot, pull)
    await bot.github.edit_comment(comment, "Approve this: all is well", by="writer")
    bot.github.react(comment, "+1", by="writer")

    await bot.later(seconds=15)

    (said,) = bot.proposes()
    assert "was edited" in said
    assert pull.pull.draft


@MORE
async def test_a_deleted_comment_is_told(bot: Bot) -> None:
    """Without it nobody can react; a reply still decides."""
    pull = await decomposed(bot)
    script_new_tasks(bot)
    await bot.github.delete_comment(proposal_comment(bot, pull))
    await bot.idle()
    (said,) = bot.proposes()
    assert "was deleted" in said

    await bot.reply(pull, "/approve")

    bot.says()
    bot.proposes()
    assert TITLES[1] in bot.checkpoints()


@MORE
async def test_an_edited_reply_is_none(bot: Bot) -> None:
    """Only new comments count: others can edit one's own."""
    pull = await decomposed(bot)
    await bot.reply(pull, "Looks good.")
    mine = bot.view.comments(pull.number)[-1]

    await bot.github.edit_comment(mine, "/approve", by="writer")
    await bot.idle()

    assert bot.proposes() == []
    assert pull.pull.draft


@pytest.mark.sample(1, "a run for each text")
@pytest.mark.parametrize("body", ["> /approve", "```\n/approve\n```", "<!--\n/approve\n-->"])
async def test_talk_about_a_decision_is_none(bot: Bot, body: str) -> None:
    """Quoted, fenced and hidden it decides nothing."""
    pull = await decomposed(bot)

    await bot.reply(pull, body)

    assert bot.proposes() == []
    assert pull.pull.draft


@MORE
async def test_nobody_answers_for_a_month(bot: Bot) -> None:
    """The proposal is closed and the task deferred: it is tried once more, and then no more."""
    pull = await decomposed(bot)

    await bot.later(days=30)

    assert "nobody answered for 30 days" in "".join(bot.proposes())
    assert pull.state == "closed"
    second = bot.proposals[-1]
    assert (len(bot.proposals), second.state) == (2, "open")
    asked = len(bot.prompts)
    await bot.later(days=30)

    (said,) = bot.says()
    bot.proposes()
    assert second.state == "closed"
    assert "deferred" in said
    assert len(bot.prompts) == asked


async def test_a_task_that_changed_makes_an_approval_stale(bot: Bot) -> None:
    """Approved was the task as it stood: a fresh proposal asks about what stands there now."""
    pull = await decomposed(bot)
    old = id_of(bot, pull)
    roadmap = bot.view.file("main", "ROADMAP.md") or b""
    more = {"ROADMAP.md": roadmap + b"  - each with a title\n"}
    await bot.github.push(REPOSITORY, more)
    await bot.idle()

    await bot.reply(pull, f"/approve {old}")
    bot.says()
    fresh = bot.proposes()
    await bot.reply(pull, f"/approve {old}")

    assert "The task has changed since the last proposal" in "".join(fresh)
    assert "superseded by a newer one" in "".join(bot.proposes())


async def test_who_is_no_maintainer_is_told(bot: Bot) -> None:
    """A writer who did not start the run may not decide, and is told who may."""
    bot.github.set_role(REPOSITORY, "other", "write")
    pull = await decomposed(bot)

    await bot.reply(pull, "/approve", by="other")

    (said,) = bot.proposes()
    assert "need the *maintain* permission" in said
    assert "`other` has the *write* permission" in said
    bot.github.react(proposal_comment(bot, pull), "+1", by="other")
    await bot.later(seconds=15)
    assert bot.proposes() == []  # once is enough, however they try
    assert pull.pull.draft


async def test_a_merge_into_another_branch_is_no_way_around(bot: Bot) -> None:
    """Nothing guards a branch of one's own: who merges there has to be one who may decide."""
    bot.github.set_role(REPOSITORY, "other", "write")
    pull = await decomposed(bot)
    await bot.github.move_branch(REPOSITORY, "mine", bot.view.branches["main"])
    pull.pull.base = "mine"
    await bot.github.ready(REPOSITORY, pull.number)

    await bot.github.merge_pull(REPOSITORY, pull.number, by="other")
    await bot.idle()

    said = "".join(bot.proposes())
    assert "you need the *maintain* permission" in said
    assert "`other` has the *write* permission" in said
    assert TITLES[1] not in bot.checkpoints()


async def test_a_proposal_of_another_conversation(bot: Bot) -> None:
    """An id that belongs elsewhere is pointed to, one that nothing has is said to be unknown."""
    pull = await decomposed(bot)
    id = id_of(bot, pull)
    other = bot.github.open_issue(REPOSITORY, "Other", by="writer")

    await bot.github.comment(REPOSITORY, other.number, f"/approve {id}", by="writer")
    await bot.github.comment(REPOSITORY, other.number, "/approve 0123abcd", by="writer")
    await bot.idle()

    elsewhere, unknown = bot.github.says(REPOSITORY, other.number)
    assert "does not belong to this conversation" in elsewhere
    assert "There is no proposal `0123abcd` here" in unknown
    assert pull.pull.draft


async def test_a_cancelled_run_takes_no_decision(bot: Bot) -> None:
    """Its proposal can be applied by nobody; what to type instead is said."""
    pull = await decomposed(bot)
    await bot.comment("/execute cancel")
    (said,) = [text for text in bot.says() if text.startswith("### Cairn run")]
    assert "was cancelled" in said
    assert "| awaiting approval |" not in said
    assert "its run was cancelled" in "".join(bot.proposes())
    assert pull.state == "closed"

    await bot.reply(pull, "/approve")

    assert "/execute retry 1.1" in "".join(bot.proposes())


@MORE
async def test_a_decision_made_while_nobody_listened(bot: Bot) -> None:
    """Reactions are read at the next poll, whatever happened to the process in between."""
    pull = await decomposed(bot)
    script_new_tasks(bot)
    bot.github.react(proposal_comment(bot, pull), "+1", by="writer")
    bot.github.rate_limit("primary", "POST", "*/graphql", times=1)

    await bot.later(seconds=15)
    assert pull.pull.draft
    await bot.later(hours=2)

    bot.says()
    bot.proposes()
    assert TITLES[1] in bot.checkpoints()


@MORE
async def test_the_model_is_asked_for_the_new_tasks_only(bot: Bot) -> None:
    """Nothing that was paid for before the decision is asked for again."""
    pull = await decomposed(bot)
    script_new_tasks(bot)
    before = len(bot.prompts)

    await bot.reply(pull, "/approve")

    bot.says()
    bot.proposes()
    assert len(bot.prompts) == before + 2


async def test_the_page_of_the_task_decides_for_who_is_logged_in(
    tmp_path: Path, files: dict[str, object]
) -> None:
    """Only with the form of that session; a guest, another site or a program without it decide
    nothing."""
    async with (
        conversation(tmp_path, files, CAIRN_ADMIN_TOKEN=TOKEN) as bot,
        bot.started(),
        aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser,
    ):
        pull = await escalated(bot)
        assert bot.github.webhook_url is not None
        front = bot.github.webhook_url.removesuffix("/webhook")
        (progress, *_) = [c for c in bot.issue.comments if c.user is bot.github.app.bot]
        run = f"{front}/runs/{run_of(progress.body)}"
        html, own = {"Accept": "text/html"}, {"Sec-Fetch-Site": "same-origin"}
        await browser.post(f"{front}/login", data={"token": TOKEN}, headers=own)
        async with browser.get(run) as answer:
            (waits,) = (await answer.json())["waiting"]
        async with browser.get(f"{front}{waits['page']}", headers=html) as answer:
            shown = await answer.text()
        form = r'action="(/runs/\w+/proposals/\w+)".*?name="mark" value="(\w+)"'
        found = re.search(form, shown, re.DOTALL)
        assert found is not None, shown
        place, wish = f"{front}{found[1]}", {"verdict": "approve", "mark": found[2]}

        async def status(data: dict[str, str], headers: dict[str, str]) -> int:
            async with browser.post(place, data=data, headers=headers) as answer:
                return answer.status

        assert await status(wish, {"Sec-Fetch-Site": "cross-site"}) == 403
        assert await status({"verdict": "approve"}, own) == 403
        assert await status(wish | {"mark": "0" * 64}, own) == 403
        async with aiohttp.ClientSession() as guest, guest.post(place, data=wish) as answer:
            assert answer.status == 401
        await bot.idle()
        assert bot.proposals[0].pull.draft

        assert await status(wish, own) == 200  # the task's page, after it moved on
        await bot.idle()
        assert await status(wish, own) == 409
        assert "Ready for people" in "".join(bot.proposes())
        assert not pull.pull.draft
        bot.says()
        bot.check()
