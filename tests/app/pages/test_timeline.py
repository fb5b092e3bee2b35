"""The picture of a run: what it draws, and where."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from defusedxml.ElementTree import fromstring

from app.pages.plots import KINDS
from app.pages.timeline import LEGEND, Scale, timeline, worked
from app.store.runs import SavedStep
from runner.graph import GRAPH, RUN_NODES

BEGIN = datetime(2026, 1, 2, tzinfo=UTC)


def saved(task, node, second, **seconds):
    return SavedStep(task, node, BEGIN + timedelta(seconds=second), seconds)


def step(task="1.1", title="", node="execute_task", start=0.0, seconds=1.0):
    return {"task": task, "title": title, "node": node, "start": start, "seconds": seconds}


def test_every_node_of_a_task_has_a_colour():
    """No node can be missing from the picture, and no colour from the legend."""
    assert set(KINDS) == set(GRAPH) - RUN_NODES
    assert set(KINDS.values()) == set(LEGEND)


def test_a_node_ends_with_the_row_after_its_own():
    """Its length is what it used, not the time between two rows: a pause is not work."""
    rows = [
        saved("a", "execute_task", 0),
        saved("b", "build_context", 1),
        saved("a", "validate_code", 3_600, execute_task=2.0),
        saved("b", "execute_task", 3_601, build_context=0.5),
        saved("a", "decide_next", 3_602, execute_task=2.0, validate_code=0.25),
    ]

    found = [(s.task, s.node, s.seconds, s.start - BEGIN.timestamp()) for s in worked(rows)]
    assert found == [
        ("a", "execute_task", 2.0, 3_598.0),
        ("b", "build_context", 0.5, 3_600.5),
        ("a", "validate_code", 0.25, 3_601.75),
    ]


def test_a_second_attempt_counts_from_nothing_again():
    """The counters of a deferred task begin anew."""
    rows = [
        saved("a", "execute_task", 0, execute_task=5.0),
        saved("a", "execute_task", 9, execute_task=1.0),
    ]

    assert [s.seconds for s in worked(rows)] == [1.0]


def test_a_long_rest_is_cut_short():
    """What waits for a person for a day does not squeeze the work to nothing."""
    scale = Scale([(0.0, 100.0), (86_400.0, 86_500.0)])

    assert scale.at(0.0) == 0.0
    assert scale.at(86_500.0) == 1.0
    assert 0.45 < scale.at(100.0) < 0.5
    assert len(scale.breaks) == 1


def test_a_short_wait_is_drawn_to_scale():
    """Half of the time without work is half of the picture."""
    scale = Scale([(0.0, 10.0), (30.0, 40.0)])

    assert (scale.at(10.0), scale.at(30.0), scale.breaks) == (0.25, 0.75, [])


@pytest.mark.parametrize("title", ['"><script>alert(1)</script>', "a & b < c", "\u202e\u0000x", ""])
def test_foreign_titles_are_words(title):
    """Whatever a task is called, the picture is one picture."""
    root = fromstring(timeline([step(title=title.replace("\u0000", ""))]).replace("&#x27;", "'"))

    assert root.tag == "svg"
    assert {each.tag for each in root.iter()} == {"svg", "title", "desc", "text", "rect"}


def test_it_says_in_words_what_it_shows():
    """Whoever does not see the picture knows what it is, and what each bar stands for."""
    drawn = timeline([step(title="Add a", seconds=2.5), step(task="1.2", start=2.5)])

    assert "<title>Timeline of the run</title>" in drawn
    assert "2 steps of 2 tasks" in drawn
    assert "1.1 Add a: Cairn asks the model for code, 2.5 s" in drawn
    assert "style=" not in drawn


def test_the_shortest_step_is_seen_at_the_end():
    """What took no time is a thin bar inside the picture."""
    drawn = fromstring(timeline([step(seconds=10.0), step(task="1.2", start=10.0, seconds=0.0)]))

    *_, last = (each for each in drawn.iter("rect") if "bar" in each.get("class", ""))
    assert (last.get("x"), last.get("width")) == ("99.6%", "0.4%")


def test_without_steps_there_is_an_empty_picture():
    """Nothing divides by nothing."""
    assert fromstring(timeline([])).tag == "svg"
