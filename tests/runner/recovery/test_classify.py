"""Why tasks failed: sixty labelled failures, and twenty that only look like one of the reasons."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.classification import Labelled, held_out, labelled, near_misses, shares
from runner.recovery.classify import classify
from runner.recovery.facts import FailureFacts
from runner.recovery.reading import read_reason
from runner.state.findings import Complaint, TestFailure
from runner.state.proposal import Reason

CASES = labelled()
LIKE = near_misses()


def test_twelve_of_each_reason() -> None:
    """The labels are spread evenly, and no failure stands there twice.

    That a task is already done is seen by its tests alone, and never guessed.
    """
    guessed = [reason for reason in get_args(Reason) if reason != "already_done"]
    assert Counter(case.label for case in CASES) == dict.fromkeys(guessed, 12)
    assert len({case.id for case in CASES}) == 60


def test_enough_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    """Nine of ten with a model that answers right, six of ten without any call."""
    right, alone = shares(CASES)
    with capsys.disabled():
        print(f"\n{right:.0%} right with a model, {alone:.0%} without a call")

    assert right >= 0.9
    assert alone >= 0.6


@pytest.mark.parametrize("said", ["", "def f():\n    pass", "vague or complex", "task_too_purple"])
def test_a_model_that_answers_badly(said: str) -> None:
    """What patterns leave open becomes unknown, and what they know stays."""
    left = [case for case in CASES if not case.by_patterns]

    assert left
    assert read_reason(said).reason == "unknown"
    assert read_reason(said).by == "nobody"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.label}/{case.id}")
def test_each(case: Labelled) -> None:
    """No pattern is sure of something else, and each that is sure shows why."""
    found = classify(case.facts)

    assert case.by_patterns in (case.label, "")
    assert found is None or (found.by == "pattern" and all(found.evidence))


@pytest.mark.parametrize(("case", "may"), LIKE, ids=[case.id for case, _ in LIKE])
def test_near_misses(case: Labelled, may: list[str]) -> None:
    """What only looks like a reason is not taken for it."""
    assert case.by_patterns in may


def by_id(name: str) -> Labelled:
    """One of the labelled failures."""
    [found] = [case for case in CASES if case.id == name]
    return found


def test_a_contradiction_names_both_sides() -> None:
    """The evidence tells the existing test, the new one and the task."""
    found = classify(by_id("task-against-test").facts)

    assert found
    said = "\n".join(found.evidence)
    assert "an existing test: tests/test_div.py::test_div: Failed: DID NOT RAISE" in said
    assert "a new test: tests/test_zero.py::test_zero" in said
    assert "the task: 1.1 Dividing by zero returns 0" in said


def test_a_missing_package_is_named_as_it_is_installed() -> None:
    """The evidence has the package a person would install, and that no manifest lists it."""
    found = classify(by_id("yaml-not-installed").facts)

    assert found
    assert "PyYAML is not installed: no manifest lists it" in found.evidence[0]


def test_a_dependency_names_who_makes_it() -> None:
    """The open task that is waited for is named by its key, for the bounds, and in words."""
    case = by_id("service-before-model")
    found = classify(case.facts)
    [model] = [task for task in case.state.tasks if task.id == "1.2"]

    assert found
    assert found.waits_for == model.key
    assert "task 1.2" in found.evidence[0]


def test_with_setup_the_same_package_is_no_matter_of_the_environment() -> None:
    """A package that the change set may add to a manifest is not skipped."""
    case = by_id("yaml-not-installed")
    found = classify(replace(case.facts, setup=True))

    assert found
    assert found.reason == "task_too_vague"
    assert "pyproject.toml could list PyYAML" in found.evidence[0]


PIECES = [
    "ModuleNotFoundError: No module named '",
    "Cannot find module '",
    "no required module provides package ",
    "unresolved import `",
    "Failed: DID NOT RAISE <class '",
    "assert ",
    " == ",
    "\n",
    "E   ",
    "FileNotFoundError: [Errno 2] No such file or directory: '",
    "fixture '",
    "partially initialized module '",
    *("'", "`", ".", "::", "/", "../", "@", "a.b", "src.models", "yaml", "(", "[", "\\", "\x00"),
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12).map("".join)
FAILURES = st.lists(st.builds(TestFailure, TEXTS, TEXTS, TEXTS), max_size=4).map(tuple)
COMPLAINTS = st.lists(
    st.builds(
        Complaint, TEXTS, st.sampled_from(["TooLarge", "Refusal", "ProtectedPath", "X"]), TEXTS
    ),
    max_size=3,
).map(tuple)


@given(st.sampled_from(CASES), FAILURES, COMPLAINTS, st.lists(TEXTS, max_size=4), TEXTS, TEXTS)
def test_any_attempt_is_classified(
    case: Labelled,
    failures: tuple[TestFailure, ...],
    complaints: tuple[Complaint, ...],
    seen: list[str],
    output: str,
    manifest: str,
) -> None:
    """Whatever a test, a tool or a file says, there is a reason with evidence, or none."""
    facts: FailureFacts = replace(
        case.facts,
        failure=None,
        failures=failures,
        complaints=complaints,
        seen=tuple(seen),
        output=output,
        manifests={"go.mod": manifest, "requirements.txt": manifest},
    )
    found = classify(facts)

    assert found is None or (found.reason in get_args(Reason) and found.evidence)


def test_failures_that_were_never_looked_at() -> None:
    """Patterns are not sure of anything wrong about failures they were not made with."""
    others = held_out()

    assert len(others) == 15
    assert [case.id for case in others if case.by_patterns not in (case.label, "")] == []
