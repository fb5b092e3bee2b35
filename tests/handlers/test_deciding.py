"""Which proposal a comment means, and what it says to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from app.features import COMMANDS
from handlers.answering import handle_comment
from handlers.events import User
from handlers.grammar import (
    ApproveCommand,
    EditCommand,
    ExecuteCommand,
    Misunderstood,
    RejectCommand,
    RetryCommand,
    SkipCommand,
)
from handlers.issue_thread import IssueThread
from handlers.ports import Ambiguous, Unknown, Vote
from runner.state.proposal import ProposalPlace
from tests.handlers.conftest import NOW, WrittenProposals, WrittenRuns, comment, parse, proposal
from tests.handlers.github import SmallGitHub

KEEPER = User(id=5, login="keeper")
Say = Callable[..., Awaitable[None]]


@pytest.fixture
def say(
    thread: IssueThread, runs: WrittenRuns, proposals: WrittenProposals, github: SmallGitHub
) -> Say:
    github.grants("keeper", 5, "maintain", "write")

    async def post(body: str, *, on_pull: bool = True) -> None:
        event = replace(comment(body, by=KEEPER), is_pull_request=on_pull)
        await handle_comment(event, thread=thread, runs=runs, proposals=proposals, rows=COMMANDS)

    return post


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/approve", ApproveCommand()),
        ("/approve abcd1234", ApproveCommand(proposal="abcd1234")),
        ("/reject", RejectCommand()),
        ("/reject don't \"do it", RejectCommand(words="don't \"do it")),
        ("/edit abcd1234\n- a", EditCommand(proposal="abcd1234", below="- a")),
        ("/edit\n\n1. a\n2. b", EditCommand(below="\n1. a\n2. b")),
        ("/execute retry 1.2", RetryCommand(task="1.2")),
        ("/execute skip Phase-1", SkipCommand(task="Phase-1")),
        ("/execute --phase 'Phase 2' --plan", ExecuteCommand(phase="Phase 2", plan=True)),
        ("/execute --approval-mode review-only", ExecuteCommand(approval_mode="review_only")),
        ("/execute --priority 7", ExecuteCommand(priority=7)),
    ],
)
def test_what_a_comment_asks_for(body: str, command: object) -> None:
    """Words, quotes and lists become the fields of the command."""
    assert parse(body) == (command,)


@pytest.mark.parametrize(
    ("body", "suggestion"),
    [
        ("/execute approve", "/approve"),
        ("/execute retry", "/execute retry 1.2"),
        ("/execute retry 1 2", "/execute retry ID [+ what to add] [--from NODE]"),
        ("/approve a b", "/approve [ID]"),
        ("/execute --priority 0", "--priority 1"),
    ],
)
def test_what_cannot_be_understood(body: str, suggestion: str) -> None:
    """The suggestion is what was probably meant."""
    (mistake,) = parse(body)

    assert isinstance(mistake, Misunderstood)
    assert mistake.suggestion == suggestion


async def test_the_newest_proposal_of_a_pull_request_is_meant(
    say: Say, proposals: WrittenProposals
) -> None:
    """Without a name on its own pull request."""
    proposals.here = (proposal(), proposal(fingerprint="99" * 32, state="superseded"))

    await say("/approve")

    (vote,) = proposals.votes
    assert (vote.verdict, vote.channel, vote.by, vote.at) == (
        "approve",
        "reply",
        KEEPER,
        NOW,
    )


async def test_a_reply_older_than_the_present_proposal_is_stale(
    say: Say, proposals: WrittenProposals, github: SmallGitHub
) -> None:
    """It was about the one before; with the name of the new one it counts."""
    proposals.here = (
        proposal(made_at=NOW + timedelta(minutes=1)),
        proposal(fingerprint="99" * 32, state="superseded"),
    )

    await say("/approve")

    assert proposals.votes == []
    assert "is older than the current proposal" in github.said()[0]
    await say("/approve abcd1234")
    assert len(proposals.votes) == 1


@pytest.mark.parametrize("name", ["abcd1234", "ABCD", "1.1", "k1"])
async def test_a_proposal_has_names(say: Say, proposals: WrittenProposals, name: str) -> None:
    """The beginning of its id, or its task by number or key."""
    proposals.here = (proposal(place=ProposalPlace(9, "https://github.test/o/r/pull/9")),)

    await say(f"/approve {name}", on_pull=False)

    assert len(proposals.votes) == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("abcd1234 too small", "too small"),
        ("abcd1234: too small", "too small"),
        ("1.1 too small", "too small"),
        ("too small", "too small"),
        ("", ""),
    ],
)
async def test_why_a_proposal_is_rejected(
    say: Say, proposals: WrittenProposals, words: str, why: str
) -> None:
    """The first word is a name only if something has it."""
    proposals.here = (proposal(),)

    await say(f"/reject {words}")

    assert [vote.why for vote in proposals.votes] == [why]


async def test_a_rejection_of_what_is_not_there(
    say: Say, proposals: WrittenProposals, github: SmallGitHub
) -> None:
    """What looks like an id is one: another proposal is not rejected in its place."""
    proposals.here = (proposal(),)

    await say("/reject 99998888 too small")

    assert proposals.votes == []
    assert "There is no proposal `99998888` here" in github.said()[0]


async def test_who_was_first_is_told(
    say: Say, proposals: WrittenProposals, github: SmallGitHub
) -> None:
    """A decision that comes between reading and storing is the one that counts."""
    other = User(id=6, login="other")
    proposals.here = (proposal(),)
    proposals.rival = Vote(delivery="d-9", by=other, at=NOW, channel="review", verdict="approve")

    await say("/reject")

    assert "was approved by `other` (review)" in github.said()[0]


async def test_a_paused_run_applies_it_later(
    say: Say, proposals: WrittenProposals, github: SmallGitHub
) -> None:
    """The decision is stored, and what to type is said."""
    proposals.here = (proposal(run_status="paused"),)

    await say("/approve")

    assert len(proposals.votes) == 1
    assert "`/execute resume`" in github.said()[0]


async def test_something_was_said_on_a_pull_request(say: Say, proposals: WrittenProposals) -> None:
    """Whatever it is, its reactions are worth a look."""
    await say("Hello")
    await say("Hello", on_pull=False)

    assert proposals.touched == [7]


async def test_a_task_to_retry(say: Say, runs: WrittenRuns, github: SmallGitHub) -> None:
    """A run for exactly this task, in its roadmap."""
    runs.affected = ("abcd1234",)

    await say("/execute retry 1.1", on_pull=False)

    (request,) = runs.requests
    assert (request.command.task, request.command.path) == ("k1", "ROADMAP.md")
    assert "Proposal `abcd1234` is closed" in github.said()[0]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Unknown("ROADMAP.md", ("1.1",)), "Its tasks: `1.1`"),
        (Unknown("ROADMAP.md", ()), "It has no tasks at all"),
        (Ambiguous((("k1", 3, "One"), ("k2", 5, "Two"))), "- `k2` (line 5) `Two`"),
    ],
)
async def test_a_task_that_is_not_found(
    say: Say, runs: WrittenRuns, github: SmallGitHub, found: Unknown | Ambiguous, said: str
) -> None:
    """Nothing starts, and what there is is told."""
    runs.task = found

    await say("/execute retry 9")

    assert runs.requests == []
    assert said in github.said()[0]
