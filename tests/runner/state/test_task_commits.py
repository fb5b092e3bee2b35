"""What commits say about the tasks that wait for a person."""

from __future__ import annotations

import pytest

from runner.state.task_commits import TaskCommit, in_review

A, B, C, D, E = (letter * 40 for letter in "abcde")
WAITS = "Cairn-Run: r1\nCairn-Task: one\nCairn-Task: two\nCairn-Status: in review"


def commit(id: str, trailers: str, text: str = "A title\n\nMore text") -> TaskCommit:
    """A commit with these lines at its end."""
    return TaskCommit(id, "", f"{text}\n\n{trailers}\n")


@pytest.mark.parametrize(
    ("later", "left"),
    [
        ([], {"one", "two"}),
        ([commit(B, f"Cairn-Task: one\nCairn-Accept: {A}")], {"two"}),
        ([commit(B, f"Cairn-Task: one\nCairn-Task: two\nCairn-Undo: {A}")], set()),
        ([TaskCommit(B, "", f'Revert "A title"\n\nThis reverts commit {A}.\n')], set()),
        ([TaskCommit(B, "", f'Revert "A title"\n\nThis reverts commit {D}.\n')], set()),
        (
            [
                TaskCommit(C, "", f'Reapply "A title"\n\nThis reverts commit {E}.\n'),
                TaskCommit(B, "", f'Revert "A title"\n\nThis reverts commit {D}.\n'),
            ],
            {"one", "two"},
        ),
        ([TaskCommit(B, "", f'Revert "Another"\n\nThis reverts commit {D}.\n')], {"one", "two"}),
        (
            [
                TaskCommit(C, "", f"Reapply\n\nThis reverts commit {B}.\n"),
                TaskCommit(B, "", f"Revert\n\nThis reverts commit {A}.\n"),
            ],
            {"one", "two"},
        ),
        ([commit(B, "Cairn-Task: one\nCairn-Verdict: shown")], {"two"}),
        ([commit(B, "Cairn-Task: one", f"x\n\nThe model says:\n{WAITS}")], {"two"}),
    ],
    ids=[
        *("alone", "accepted", "undone", "reverted", "rebased", "rebased twice", "another"),
        *("reapplied", "again", "quoted"),
    ],
)
def test_the_newest_word_counts(later: list[TaskCommit], left: set[str]) -> None:
    """An acceptance, an undo, a revert or another commit about the task takes its place."""
    assert in_review([*later, commit(A, WAITS)]).keys() == left
