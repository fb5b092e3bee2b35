"""When a task cannot be finished: why, with evidence, and to whom."""

from __future__ import annotations

import pytest

from runner.errors import Outage, TaskError
from runner.findings import Complaint
from runner.nodes.recover import apply_recovery, await_approval, classify_failure, propose_recovery
from runner.state import Failure, Status
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import deps
from tests.runner.states import at

FAILURE = Failure("file", "it cannot be written", node="write_files")


async def test_a_nodes_failure_is_kept() -> None:
    """What a node failed with stays, with the strategy's reasons as evidence."""
    step = await classify_failure(at("classify_failure", failure=FAILURE, reasons=("r",)), deps())
    failure = step.state.attempt.failure

    assert step.outcome == "ok"
    assert failure
    assert (failure.type, failure.message) == ("file", "it cannot be written")
    assert "r" in failure.evidence


@pytest.mark.parametrize(
    ("complaints", "kind"),
    [((Complaint("a.py", "SyntaxError", "bad", 1),), "syntax"), ((), "test")],
)
async def test_exhausted(complaints: tuple[Complaint, ...], kind: str) -> None:
    """An exhausted attempt fails for what was found last, and says what was seen."""
    state = at("classify_failure", complaints=complaints, avoid=("a.py: SyntaxError: bad",))
    failure = (await classify_failure(state, deps())).state.attempt.failure

    assert failure
    assert (failure.type, failure.reason) == (kind, "unknown")
    assert "a.py: SyntaxError: bad" in failure.evidence


async def test_escalating() -> None:
    """People are told once, and the task is failed with a link to where it stands."""
    repository = MemoryRepository({})
    state = at("propose_recovery", failure=FAILURE)
    first = await propose_recovery(state, deps(repository=repository))
    second = await propose_recovery(state, deps(repository=repository))

    assert first == second
    assert (first.outcome, first.state.attempt.status) == ("publish", Status.FAILED)
    assert first.state.attempt.url.startswith("https://forge.test/issues/1")
    assert "it cannot be written" in repository.escalations[state.current]


async def test_an_escalation_that_is_refused() -> None:
    """When nobody can be told the task fails all the same, and its own failure stays."""
    repository = MemoryRepository({})
    repository.trouble["publish_escalation"] = [TaskError("github", "locked")]
    state = at("propose_recovery", failure=FAILURE)
    step = await propose_recovery(state, deps(repository=repository))

    assert (step.outcome, step.state.attempt.status) == ("error", Status.FAILED)
    assert step.state.attempt.failure == FAILURE


async def test_an_outage_goes_through() -> None:
    """An outage while telling is no refusal."""
    repository = MemoryRepository({})
    repository.trouble["publish_escalation"] = [Outage("github", "down")]
    with pytest.raises(Outage):
        await propose_recovery(at("propose_recovery", failure=FAILURE), deps(repository=repository))


async def test_waiting_parks_the_task() -> None:
    """Without a decision the task waits and the run goes on."""
    step = await await_approval(at("await_approval"), deps())

    assert (step.outcome, step.state.attempt.status) == ("waiting", Status.AWAITING_APPROVAL)


async def test_an_applied_escalation_stays_failed() -> None:
    """Approving an escalation ticks nothing."""
    step = await apply_recovery(at("apply_recovery", failure=FAILURE), deps())

    assert (step.outcome, step.state.attempt.status) == ("ok", Status.FAILED)
