"""What a model says about a plan in prose, made wrong in many ways: no line is lost."""

from __future__ import annotations

from tests.runner.roadmap.mutated_replies import play


def test_mutated_replies() -> None:
    """No line is lost, no task has a quote that is not in the file, none is ticked unasked."""
    damage = play(seed=1, replies=100)

    assert (damage.lost, damage.invented, damage.done) == ([], [], [])
    assert damage.proposed > 40
