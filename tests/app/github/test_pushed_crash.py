"""Whatever breaks while a push to a proposal's branch is read, reading it again asks once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import Outage
from runner.loop.deps import Deps, TaskWork
from runner.nodes.approve import await_approval
from runner.nodes.recover import shown
from runner.ports import Decision
from runner.roadmap.task import NewTask
from runner.state.changes import ChangeSet, Write
from runner.state.proposal import Proposal, original_of, sealed
from runner.state.run_state import RunState, Status
from tests.app.github.repository_bench import FILES, NAME, Bench, bench
from tests.fake_github.state import Issue
from tests.runner.fields import with_attempt, with_stack
from tests.runner.scripted import MemoryDecisions, deps
from tests.runner.states import at, run_state

REPO = f"/repos/{NAME}"
READS = [("GET", f"{REPO}/{path}") for path in ("pulls", "git/ref/*", "compare/*")]
EFFECTS = [
    ("PATCH", f"{REPO}/pulls/*"),
    ("POST", f"{REPO}/issues/*/comments"),
    ("POST", f"{REPO}/check-runs"),
]
TASKS, CHANGES = "tasks", "changes"
CASES = [
    *((CHANGES, read, False) for read in READS),
    *((kind, effect, after) for kind in (TASKS, CHANGES) for effect in EFFECTS for after in (0, 1)),
]
"""What was proposed, which call fails, and whether after it was done (the connection is lost)."""

PROPOSED: dict[str, dict[str, object]] = {
    TASKS: {
        "kind": "recovery",
        "strategy": "decompose",
        "replacements": (NewTask("Write `one.md`"), NewTask("Write `two.md`")),
    },
    CHANGES: {
        "kind": "changes",
        "strategy": "escalate",
        "changes": ChangeSet({"src/app.py": Write(b"print(1)\n")}),
    },
}


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub; it does not matter here who reads what is said."""
    async with bench(tmp_path) as made:
        made.fake.must_read = False
        yield made


async def asked(github: Bench, kind: str) -> RunState:
    """A run whose first task waits for a person, with its proposal on GitHub."""
    state = with_stack(run_state(str(FILES["ROADMAP.md"], "utf-8")), tip=head(github, "main"))  # type: ignore[arg-type]
    assert state.roadmap
    task = state.tasks[0]
    made = Proposal(
        task=task.key,
        reason="unknown",
        explanation="Why.",
        original=original_of(state.roadmap, task),
        **PROPOSED[kind],  # type: ignore[arg-type]
    )
    state = at("await_approval", state, proposal=sealed(made), status=Status.IN_PROGRESS)
    changes = ChangeSet({"src/app.py": Write(b"print(1)\n")})
    state = with_attempt(state, base=state.stack.tip, changes=changes)
    return await shown(state, ports(github), TaskWork())


def ports(github: Bench, decisions: MemoryDecisions | None = None) -> Deps:
    """The ports of a process that has just started, on the real client."""
    return replace(deps(decisions=decisions), repository=github.repository())


def head(github: Bench, branch: str) -> str:
    """The commit of a branch."""
    return github.fake.repo(NAME).branches[branch]


async def pushed(github: Bench, kind: str) -> Issue:
    """Let a person push to the proposal's branch; return its pull request."""
    (issue,) = github.fake.repo(NAME).pulls
    assert issue.pull
    mine: dict[str, object] = {"src/app.py": b"print(2)\n"}
    if kind == TASKS:
        before = github.fake.repo(NAME).file(issue.pull.head, "ROADMAP.md") or b""
        mine = {"ROADMAP.md": before.replace(b"two.md", b"three.md")}
    await github.fake.push(NAME, mine, branch=issue.pull.head)
    return issue


@pytest.mark.sample(4, "each call that may get lost")
@pytest.mark.parametrize(("kind", "call", "after"), CASES)
async def test_a_push_is_asked_about_once(
    github: Bench, kind: str, call: tuple[str, str], after: bool
) -> None:
    """Each call fails in turn, before or after it was done, and the step is repeated from its row:
    one fresh proposal of what was pushed, one comment, one check on the new head."""
    state = await asked(github, kind)
    issue = await pushed(github, kind)
    assert state.attempt.proposal
    first = state.attempt.proposal
    said = Decision(state.current, "pushed", by="writer", fingerprint=first.fingerprint)
    decisions = MemoryDecisions(said)
    status = {} if after else {"status": 502}
    fault = github.fake.fail(*call, after=after, drop=bool(after), times=4, **status)
    if call[0] == "POST":
        fault.times = 1  # the client repeats only what it may
    with suppress(Outage):
        await await_approval(state, ports(github, decisions), TaskWork())
    assert fault.hits, f"nothing asked for {call}"
    fault.times = 0
    steps = [await await_approval(state, ports(github, decisions), TaskWork()) for _ in range(2)]

    fresh = steps[0].state.attempt.proposal
    assert fresh
    assert steps[0] == steps[1]
    assert (fresh.pushes.revision, fresh.pushes.held, first.pushes.revision) == (1, "", 0)
    assert [c.body[:80] for c in issue.comments] == [
        f"<!-- cairn:proposal:{each.fingerprint} -->"[:80] for each in (first, fresh)
    ]
    checks = [(c["head_sha"], c["external_id"]) for c in github.fake.repo(NAME).checks]
    assert issue.pull
    assert checks[1:] == [(head(github, issue.pull.head), fresh.fingerprint)]
    assert f"cairn:proposal:{fresh.fingerprint}" in (issue.body or "")
    assert len(github.fake.repo(NAME).pulls) == 1
