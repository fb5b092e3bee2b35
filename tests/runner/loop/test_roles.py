"""Which model is asked for what."""

from __future__ import annotations

import pytest

from runner.loop.strategy import model_for
from tests.runner.states import at, run_state

MODELS = {"planning": "planner", "repairing": "mender", "classifying": "judge"}


@pytest.mark.parametrize(
    ("node", "model"),
    [
        ("plan_task", "planner"),
        ("execute_task", "writer"),
        ("repair_code", "mender"),
        ("repair_test", "mender"),
        ("classify_failure", "judge"),
        ("propose_recovery", "judge"),
    ],
)
def test_each_role_has_its_model(node: str, model: str) -> None:
    """A role without a model of its own is played by the one that writes."""
    assert model_for(at(node, run_state(model="writer", roles=MODELS))) == model
    assert model_for(at(node, run_state(model="writer"))) == "writer"


@pytest.mark.parametrize(
    ("node", "answers", "model"),
    [
        ("execute_task", 0, "writer"),
        ("repair_test", 1, "mender"),
        ("execute_task", 2, "oracle"),
        ("repair_test", 2, "oracle"),
        ("repair_code", 4, "oracle"),
    ],
)
def test_a_stronger_model_comes_second(node: str, answers: int, model: str) -> None:
    """The first repair is the ordinary one's; what comes after it, fresh or not, the stronger's."""
    state = run_state(model="writer", roles={**MODELS, "stronger": "oracle"})

    assert model_for(at(node, state, answers=answers)) == model


def test_a_stronger_model_is_not_asked_to_judge() -> None:
    """Planning and classifying keep their own."""
    state = run_state(model="writer", roles={**MODELS, "stronger": "oracle"})

    assert model_for(at("classify_failure", state, answers=5)) == "judge"
