"""A comment and what the bot does about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from app.features import COMMANDS
from handlers.answering import handle_comment
from handlers.events import User
from handlers.grammar import ExecuteCommand
from handlers.issue_thread import IssueThread
from handlers.ports import RunStatus, TaskLine, run_id
from handlers.texts import replies
from tests.handlers.conftest import WrittenProposals, WrittenRuns, comment
from tests.handlers.github import SmallGitHub

READER, STRANGER = User(id=4, login="reader"), User(id=8, login="stranger")
Say = Callable[..., Awaitable[None]]


@pytest.fixture
def say(thread: IssueThread, runs: WrittenRuns, proposals: WrittenProposals) -> Say:
    async def post(body: str, by: User | None = None, delivery: str = "d-1") -> None:
        event = comment(body, by=by, delivery=delivery)
        await handle_comment(event, thread=thread, runs=runs, proposals=proposals, rows=COMMANDS)

    return post


async def test_execute_starts_a_run(say: Say, runs: WrittenRuns) -> None:
    """A writer's command becomes a request with everything the run needs."""
    await say("/execute --max-tasks 2")

    [request] = runs.requests
    assert request.command == ExecuteCommand(max_tasks=2)
    assert (request.by.login, request.issue, request.run) == ("writer", 7, run_id("d-1"))


async def test_a_run_that_starts_speaks_for_itself(say: Say, github: SmallGitHub) -> None:
    """The handler shows eyes and leaves the progress comment to the run."""
    await say("/execute")

    assert github.reactions == [(55, "eyes")]
    assert github.said() == []


@pytest.mark.parametrize("body", ["Hello", "> /execute", "- /execute"])
async def test_talk_is_left_alone(say: Say, github: SmallGitHub, body: str) -> None:
    """Without a line that begins like a command GitHub is not even asked."""
    await say(body)

    assert (github.asked, github.reactions, github.said()) == ([], [], [])


async def test_a_command_in_code_is_talk(say: Say, github: SmallGitHub) -> None:
    """Only the parser tells, and it runs once the permission is known."""
    await say("```\n/execute\n```")

    assert (github.reactions, github.said()) == ([], [])


@pytest.mark.parametrize(("by", "has"), [(READER, "*read*"), (STRANGER, "no permission")])
async def test_a_refusal_says_who_may(
    say: Say, github: SmallGitHub, runs: WrittenRuns, by: User, has: str
) -> None:
    """Without permission nothing starts, and the reply says what is needed and what to do."""
    await say("/execute", by=by)

    [text] = github.said()
    assert "*write*" in text
    assert has in text
    assert "Ask somebody with that permission to comment `/execute`" in text
    assert (runs.requests, github.reactions) == ([], [])


async def test_help_is_for_everybody(say: Say, github: SmallGitHub) -> None:
    """Help is given to whoever asks."""
    await say("/execute help", by=STRANGER)

    assert replies.help_text(COMMANDS) in github.said()[0]


async def test_a_mistake_gets_one_helpful_reply(
    say: Say, github: SmallGitHub, runs: WrittenRuns
) -> None:
    """What was wrong and what to type; nothing starts."""
    await say("/execute stauts")

    [text] = github.said()
    assert "`stauts`" in text
    assert "Try `/execute status`" in text
    assert runs.requests == []


async def test_a_redelivery_leaves_one_reply(say: Say, github: SmallGitHub) -> None:
    """The same delivery worked twice leaves one comment."""
    await say("/execute help")
    await say("/execute help")

    assert len(github.said()) == 1


async def test_another_delivery_is_answered_again(say: Say, github: SmallGitHub) -> None:
    """The same words in a later comment get their own reply."""
    await say("/execute help", delivery="d-1")
    await say("/execute help", delivery="d-2")

    assert len(github.said()) == 2


async def test_a_mark_of_others_does_not_count(say: Say, github: SmallGitHub) -> None:
    """Nobody can silence the bot by writing its mark."""
    forged = {"body": replies.marker("d-1"), "user": {"login": "mallory"}}
    github.comments.append(forged)

    await say("/execute help")

    assert len(github.said()) == 1


async def test_a_redelivery_asks_for_the_same_run(say: Say, runs: WrittenRuns) -> None:
    """A redelivery names the run it named before."""
    await say("/execute")
    await say("/execute")

    assert len({request.run for request in runs.requests}) == 1


async def test_two_starts_in_one_comment_are_two_runs(say: Say, runs: WrittenRuns) -> None:
    """Each command of a comment has its own run."""
    await say("/execute a.md\n/execute b.md")

    assert len({request.run for request in runs.requests}) == 2


async def test_several_commands_get_one_reply(say: Say, github: SmallGitHub) -> None:
    """One comment answers all commands of a comment."""
    await say("/execute help\n/execute status")

    assert len(github.said()) == 1


@pytest.mark.parametrize("word", ["cancel", "pause", "resume"])
async def test_an_order_reaches_the_runs_of_this_issue(
    say: Say, github: SmallGitHub, runs: WrittenRuns, word: str
) -> None:
    """Cancel, pause and resume are passed on, and the reply names the runs."""
    runs.affected = ("abc", "def")

    await say(f"/execute {word}")

    assert runs.asked == [(word, 1, 7, "writer")]
    assert "Runs `abc`, `def`" in github.said()[0]


@pytest.mark.parametrize("word", ["cancel", "pause", "resume", "status"])
async def test_nothing_to_do_is_said(say: Say, github: SmallGitHub, word: str) -> None:
    """Where there is no run, the reply says so and what to type."""
    await say(f"/execute {word}")

    assert "`/execute" in github.said()[0]


async def test_readers_may_ask_for_the_status(
    say: Say, github: SmallGitHub, runs: WrittenRuns
) -> None:
    """The status is a table of tasks, with titles that do nothing."""
    task = TaskLine("T-1", "Fix `it` | @octocat\n#1", "in_review", "https://x/pull/1")
    runs.found = (RunStatus("abc", "running", "as @octocat says", tasks=(task,)),)

    await say("/execute status", by=READER)

    [text] = github.said()
    assert "Run `abc`: **running**" in text
    assert (
        "| `T-1` | `Fix 'it' ¦ @\u200boctocat #\u200b1` | in review | [#1](https://x/pull/1) |"
        in text
    )


async def test_a_locked_issue_stops_no_run(
    say: Say, github: SmallGitHub, runs: WrittenRuns
) -> None:
    """Where we may neither react nor comment, the work is done all the same."""
    github.locked = True

    await say("/execute")

    assert len(runs.requests) == 1
