"""When a task cannot be finished: why, with evidence, and what is proposed."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from runner.errors import Outage, TaskError
from runner.loop.deps import TaskWork
from runner.nodes.recover import classify_failure, propose_recovery
from runner.state.changes import ChangeSet, Write
from runner.state.findings import Complaint, Level, TestFailure, Verification
from runner.state.proposal import Reason
from runner.state.run_state import Failure, RunState, Status
from tests.runner.memory_repository import START, MemoryRepository
from tests.runner.scripted import ScriptedModel, deps
from tests.runner.states import ROADMAP, at, run_state

FAILURE = Failure("file", "it cannot be written", node="write_files")
FILES = {"ROADMAP.md": ROADMAP}
RED = Verification(
    "t",
    (Level("tests", "failed", failures=(TestFailure("t.py::test_a", "assert 1 == 2", "t.py"),)),),
)
NO_YAML = replace(
    RED,
    levels=(
        Level(
            "tests",
            "failed",
            failures=(TestFailure("t.py", "ModuleNotFoundError: No module named 'yaml'", "t.py"),),
        ),
    ),
)


async def test_a_nodes_failure_is_kept() -> None:
    """What a node failed with stays, with the strategy's reasons as evidence; nobody is asked."""
    repository = MemoryRepository(FILES)
    state = at("classify_failure", failure=FAILURE, reasons=("r",))
    step = await classify_failure(state, deps(repository=repository), TaskWork())
    failure = step.state.attempt.failure

    assert step.outcome == "ok"
    assert failure
    assert (failure.type, failure.message) == ("file", "it cannot be written")
    assert (failure.reason, failure.found_by) == ("unknown", "pattern")
    assert "r" in failure.evidence


async def test_a_pattern_asks_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """What an error names is known without a model, and logged in the words people grep for."""
    caplog.set_level(logging.INFO)
    repository = MemoryRepository({**FILES, "requirements.txt": "attrs\n"})
    state = at("classify_failure", verification=NO_YAML, answers=5)
    failure = (
        await classify_failure(state, deps(repository=repository), TaskWork())
    ).state.attempt.failure

    assert failure
    assert (failure.type, failure.reason) == ("import", "environment_issue")
    assert "PyYAML is not installed" in failure.evidence[0]
    assert "Classified failure: ENVIRONMENT_ISSUE" in caplog.messages


async def test_a_manifest_of_the_change_set_counts(model: ScriptedModel) -> None:
    """A package that the answer itself lists was not forgotten; it could not be installed."""
    repository = MemoryRepository({**FILES, "requirements.txt": "attrs\n"})
    state = at(
        "classify_failure",
        run_state(setup=(("pip", "install"),)),
        verification=NO_YAML,
        changes=ChangeSet({"requirements.txt": Write(b"attrs\nPyYAML\n")}),
    )
    step = await classify_failure(state, deps(repository=repository, model=model), TaskWork())

    assert step.state.attempt.failure
    assert step.state.attempt.failure.reason == "environment_issue"


async def test_a_model_is_asked_once_with_a_closed_answer(model: ScriptedModel) -> None:
    """What no pattern knows is one small question; its tokens are the task's."""
    model.says("task_too_vague\nIt does not say what b is.")
    repository = MemoryRepository(FILES)
    state = at("classify_failure", number=1, verification=RED, answers=5)
    step = await classify_failure(state, deps(repository=repository, model=model), TaskWork())
    failure = step.state.attempt.failure

    assert failure
    assert (failure.reason, failure.found_by) == ("task_too_vague", "model")
    assert failure.evidence[0] == "the model says: It does not say what b is"
    assert "t.py::test_a: assert 1 == 2" in failure.evidence
    assert step.state.attempt.spent.total.calls == 1
    assert step.state.attempt.answered.answers == 5
    assert len(model.questions[0].messages[-1].content) < 2_500


@pytest.mark.parametrize("said", ["as you like", TaskError("model", "refused")])
async def test_no_answer_is_unknown(model: ScriptedModel, said: str | TaskError) -> None:
    """A model that does not answer the question leaves the failure unknown, and as it was."""
    model.says(said)
    repository = MemoryRepository(FILES)
    state = at("classify_failure", verification=RED, answers=5)
    step = await classify_failure(state, deps(repository=repository, model=model), TaskWork())

    assert step.outcome == "ok"
    assert step.state.attempt.failure
    failure = step.state.attempt.failure
    assert (failure.type, failure.reason, failure.found_by) == ("test", "unknown", "nobody")


async def test_without_recovery_no_model_is_asked() -> None:
    """--no-recovery: knowing why is not worth a call when nothing is proposed."""
    state = at("classify_failure", run_state(recovery=False), verification=RED, answers=5)
    step = await classify_failure(state, deps(repository=MemoryRepository(FILES)), TaskWork())

    assert step.state.attempt.failure
    assert step.state.attempt.failure.reason == "unknown"


async def test_a_tree_that_cannot_be_read_is_no_reason_to_stop() -> None:
    """The failure of a missing commit is classified although that commit cannot be read."""
    repository = MemoryRepository(FILES)
    repository.trouble["snapshot"] = [TaskError("git", "no such commit")]
    failure = Failure("git", "no such commit", node="build_context")
    step = await classify_failure(
        at("classify_failure", failure=failure), deps(repository=repository), TaskWork()
    )

    assert step.state.attempt.failure
    assert (step.outcome, step.state.attempt.failure.reason) == ("ok", "unknown")


async def test_an_outage_while_asking_goes_through(model: ScriptedModel) -> None:
    """An unreachable model pauses the run; it is no reason."""
    model.says(Outage("model", "down"))
    state = at("classify_failure", verification=RED)
    with pytest.raises(Outage):
        await classify_failure(
            state, deps(repository=MemoryRepository(FILES), model=model), TaskWork()
        )


def failed(reason: Reason, *, task: int = 0, state: RunState | None = None) -> RunState:
    """A task that failed for a reason, about to be proposed for."""
    failure = Failure("test", "red", node="verify_task", reason=reason, evidence=("seen",))
    return at("propose_recovery", state, number=task, failure=replace(failure, found_by="pattern"))


REWRITE = '{"title": "Add `b(x)` to `b.py`, which returns `x`", "acceptance": ["`b(1)` is 1"]}'
PARTS = "1. Add `b(x)` to `b.py`\n2. Add `c(x)` to `c.py`"


async def test_rewriting(model: ScriptedModel, caplog: pytest.LogCaptureFixture) -> None:
    """A vague task becomes one that names what to write, with the id it had."""
    caplog.set_level(logging.INFO)
    model.says(REWRITE)
    state = failed("task_too_vague", task=1)
    step = await propose_recovery(
        state, deps(repository=MemoryRepository(FILES), model=model), TaskWork()
    )
    proposal = step.state.attempt.proposal

    assert step.outcome == "ok"
    assert proposal
    assert (proposal.strategy, proposal.reason) == ("rewrite", "task_too_vague")
    assert [(new.id, new.text) for new in proposal.replacements] == [
        ("1.2", "Add `b(x)` to `b.py`, which returns `x`")
    ]
    assert proposal.explanation.startswith("The task does not say what to do: seen.")
    assert "Recovery strategy: REWRITE" in caplog.messages


async def test_decomposing_asks_again_with_what_was_wrong(model: ScriptedModel) -> None:
    """The second question names the fault of the first answer; ids are in the roadmap's manner."""
    model.says('[{"title": "Add `b(x)` to `b.py`"}]', PARTS)
    state = failed("task_too_complex", task=1)
    step = await propose_recovery(
        state, deps(repository=MemoryRepository(FILES), model=model), TaskWork()
    )
    proposal = step.state.attempt.proposal

    assert proposal
    assert [new.id for new in proposal.replacements] == ["1.2.1", "1.2.2"]
    assert "2 tasks, in this order" in proposal.explanation
    assert "could not be used" not in model.questions[0].messages[-1].content
    assert "could not be used: 1 task was found" in model.questions[1].messages[-1].content


async def test_after_two_useless_answers_people_are_asked(model: ScriptedModel) -> None:
    """Two questions are the most; then it is left to people, who are told why."""
    model.says("I cannot.", "I cannot.")
    repository = MemoryRepository(FILES)
    state = failed("task_too_complex", task=1)
    step = await propose_recovery(state, deps(repository=repository, model=model), TaskWork())
    proposal = step.state.attempt.proposal

    assert step.outcome == "approve"
    assert proposal
    assert (proposal.strategy, proposal.reason) == ("escalate", "task_too_complex")
    assert "no usable division of the task was proposed" in proposal.explanation


async def test_after_two_useless_answers_the_structure_speaks(model: ScriptedModel) -> None:
    """A task that lists its files is taken apart without a model."""
    model.says("I cannot.", TaskError("model", "too long"))
    roadmap = "- [ ] 1.1 Create `a.py`, `b.py` and `c.py` with a docstring\n"
    state = failed("task_too_complex", state=run_state(roadmap))
    repository = MemoryRepository({"ROADMAP.md": roadmap})
    step = await propose_recovery(state, deps(repository=repository, model=model), TaskWork())
    proposal = step.state.attempt.proposal

    assert step.outcome == "ok"
    assert proposal
    assert [new.text for new in proposal.replacements] == [
        f"Create `{name}.py` with a docstring" for name in "abc"
    ]


@pytest.mark.parametrize(
    ("reason", "strategy"), [("missing_dependency", "defer"), ("environment_issue", "skip")]
)
async def test_what_needs_no_model(reason: Reason, strategy: str) -> None:
    """Deferring and skipping cost no call and are applied."""
    step = await propose_recovery(
        failed(reason), deps(repository=MemoryRepository(FILES)), TaskWork()
    )

    assert step.outcome == "ok"
    assert step.state.attempt.proposal
    assert step.state.attempt.proposal.strategy == strategy


async def test_tasks_are_tried_on_the_newest_roadmap(model: ScriptedModel) -> None:
    """A task that is done by now is not replaced, whatever the model proposes."""
    model.says(REWRITE, REWRITE)
    repository = MemoryRepository({"ROADMAP.md": ROADMAP.replace("- [ ] 1.2", "- [x] 1.2")})
    state = failed("task_too_vague", task=1)
    step = await propose_recovery(state, deps(repository=repository, model=model), TaskWork())

    assert step.state.attempt.proposal
    assert step.state.attempt.proposal.strategy == "escalate"
    assert "the task is done" in step.state.attempt.proposal.explanation


async def test_escalating() -> None:
    """An escalation asks in every mode that asks at all; its diff is the last fit attempt."""
    repository = MemoryRepository(FILES)
    changes = ChangeSet({"a.py": Write(b"a = 1\n")})
    state = at("propose_recovery", failure=FAILURE, changes=changes)
    first = await propose_recovery(state, deps(repository=repository), TaskWork())
    second = await propose_recovery(state, deps(repository=repository), TaskWork())
    shown = repository.proposals[state.current]

    assert first == second
    assert first.outcome == "approve"
    assert first.state.attempt.published.url.startswith("https://forge.test/pull/")
    assert shown.shown.changes == changes
    assert "it cannot be written" in shown.comment
    assert shown.fingerprint in shown.comment


async def test_an_attempt_that_nobody_may_push_unasked_is_only_in_the_text() -> None:
    """The branch of the question has the tree of the base, and the comment has the patch."""
    repository = MemoryRepository(FILES)
    state = at(
        "propose_recovery",
        run_state(push="approved"),
        failure=FAILURE,
        changes=ChangeSet({"a.py": Write(b"a = 1\n")}),
    )
    await propose_recovery(state, deps(repository=repository), TaskWork())
    asked = repository.proposals[state.current]

    assert not asked.shown.changes
    assert asked.shown.tree == (await repository.snapshot(START)).tree
    assert "+a = 1" in asked.comment
    assert "which is on no branch" in asked.shown.text.body


async def test_an_attempt_that_is_not_fit_is_not_shown() -> None:
    """What failed validation reaches no commit, not even one for people to go on from."""
    repository = MemoryRepository(FILES)
    state = at(
        "propose_recovery",
        failure=FAILURE,
        changes=ChangeSet({"a.py": Write(b"a = ")}),
        complaints=(Complaint("a.py", "SyntaxError", "bad", 1),),
    )
    await propose_recovery(state, deps(repository=repository), TaskWork())

    assert not repository.proposals[state.current].shown.changes


async def test_review_only_publishes_and_applies_nothing() -> None:
    """In review_only the proposal can be read, and the task stays failed."""
    repository = MemoryRepository(FILES)
    state = at("propose_recovery", run_state(approval_mode="review_only"), failure=FAILURE)
    step = await propose_recovery(state, deps(repository=repository), TaskWork())

    assert (step.outcome, step.state.attempt.status) == ("publish", Status.FAILED)
    assert repository.proposals.keys() == {state.current}


async def test_without_recovery_a_failed_task_is_only_failed() -> None:
    """--no-recovery: nothing is proposed to anybody."""
    repository = MemoryRepository(FILES)
    state = at("propose_recovery", run_state(recovery=False), failure=FAILURE)
    step = await propose_recovery(state, deps(repository=repository), TaskWork())

    assert (step.outcome, step.state.attempt.status) == ("publish", Status.FAILED)
    assert repository.proposals == {}


async def test_a_proposal_that_is_refused() -> None:
    """When nobody can be told the task fails all the same, and its own failure stays."""
    repository = MemoryRepository(FILES)
    repository.trouble["publish_proposal"] = [TaskError("github", "locked")]
    state = at("propose_recovery", failure=FAILURE)
    step = await propose_recovery(state, deps(repository=repository), TaskWork())

    assert (step.outcome, step.state.attempt.status) == ("error", Status.FAILED)
    assert step.state.attempt.failure == FAILURE


async def test_an_outage_goes_through() -> None:
    """An outage while telling is no refusal."""
    repository = MemoryRepository(FILES)
    repository.trouble["publish_proposal"] = [Outage("github", "down")]
    with pytest.raises(Outage):
        await propose_recovery(
            at("propose_recovery", failure=FAILURE), deps(repository=repository), TaskWork()
        )
