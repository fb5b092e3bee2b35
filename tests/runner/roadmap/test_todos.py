"""What a person changed in ``todos.json`` becomes ticks, and only that."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.people.report import todos
from runner.people.todos import TodosRefused, sync
from runner.roadmap.edit import turned
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap
from tests.runner.roadmap.texts import files
from tests.runner.states import run_state

TEXT = "- [ ] 1.1 a\n- [x] 1.2 b\n- [ ] 1.3 c\n  - [ ] 1.4 d\n"


def roadmap(text: str = TEXT) -> Roadmap:
    """The roadmap as it is now."""
    return parse_roadmap("ROADMAP.md", text.encode())


def written(**statuses: str) -> dict[str, Any]:
    """``todos.json`` as a run left it, with statuses a person changed by id (dots as _)."""
    data = json.loads(json.dumps(todos(run_state(TEXT))))
    wanted = {name.removeprefix("t").replace("_", "."): s for name, s in statuses.items()}
    for todo in data["todos"]:
        todo["status"] = wanted.get(todo["id"], todo["status"])
    return data


def synced(data: object, text: str = TEXT) -> str:
    """The roadmap after the edits."""
    now = roadmap(text)
    return turned(now, {each.key: each.checked for each in sync(data, now).edits}).decode()


def test_what_a_run_writes_changes_nothing() -> None:
    """Taken back unchanged, the file asks for nothing."""
    found = sync(written(), roadmap())

    assert (found.edits, found.conflicts) == ((), ())


def test_ticks_and_unticks() -> None:
    """A task set to completed is ticked, a ticked one set to pending opens; each is one byte."""
    assert synced(written(t1_1="completed", t1_2="pending", t1_4="completed")) == (
        "- [x] 1.1 a\n- [ ] 1.2 b\n- [ ] 1.3 c\n  - [x] 1.4 d\n"
    )


@pytest.mark.parametrize("status", ["in_progress", "failed", "skipped", "awaiting_approval"])
def test_other_states_ask_for_nothing(status: str) -> None:
    """Only completed and pending are about the box."""
    assert synced(written(t1_1=status, t1_2=status)) == TEXT


def test_an_old_file_undoes_nothing() -> None:
    """A box that was turned in the roadmap since stays as it is, and that is told."""
    now = TEXT.replace("[ ] 1.1", "[x] 1.1").replace("[x] 1.2", "[ ] 1.2")
    found = sync(written(t1_4="completed"), roadmap(now))

    assert [edit.line for edit in found.edits] == [4]
    assert [line.split(":")[0] for line in found.conflicts] == ["1.1", "1.2"]


def test_lines_may_have_moved() -> None:
    """Tasks are found by key, wherever they stand by now."""
    now = "Some words.\n\n" + TEXT

    assert synced(written(t1_1="completed"), now) == now.replace("[ ] 1.1", "[x] 1.1")


def test_a_task_that_is_gone_is_told_and_the_others_are_done() -> None:
    """A wish for a task that was rewritten in the roadmap is a conflict; nothing else is lost."""
    now = TEXT.replace("1.1 a", "1.1 another")
    found = sync(written(t1_1="completed", t1_4="completed"), roadmap(now))

    assert [edit.line for edit in found.edits] == [4]
    [conflict] = found.conflicts
    assert "has no task" in conflict


def test_a_title_is_changed_in_the_roadmap() -> None:
    """A wish with a new title is refused with the line to change it in."""
    data = written(t1_4="completed")
    data["todos"][2]["title"] = "other"
    found = sync(data, roadmap())

    assert found.edits == ()
    assert "ROADMAP.md, line 4" in found.conflicts[0]


def test_only_work_has_a_state() -> None:
    """A summary follows its parts; its box is not turned."""
    data = written()
    summary = next(task for task in roadmap().tasks if task.kind == "summary")
    data["todos"].append({"key": summary.key, "status": "completed"})
    found = sync(data, roadmap())

    assert (found.edits, len(found.conflicts)) == ((), 1)
    assert "summary" in found.conflicts[0]


def test_a_file_made_by_hand_needs_key_and_status_only() -> None:
    """Without a word on what was written before, the status is what is wished."""
    first, second = roadmap().tasks[:2]
    entries = [{"key": first.key, "status": "completed"}, {"key": second.key, "status": "pending"}]
    data = {"version": 1, "roadmap": "ROADMAP.md", "todos": entries}

    assert synced(data) == TEXT.replace("[ ] 1.1", "[x] 1.1").replace("[x] 1.2", "[ ] 1.2")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"version": 2}, "version"),
        ({"roadmap": "PLAN.md"}, "name that roadmap"),
        ({"extra": 1}, "todos.json, extra"),
        ({"todos": [{"key": "k", "status": "completed", "checkd": True}]}, "todos.0.checkd"),
        ({"todos": [{"key": "k", "status": "finished"}]}, "todos.0.status"),
        ({"todos": [{"status": "completed"}]}, "todos.0.key"),
        ({"todos": [{"key": "k", "status": "pending"}] * 2}, "2 entries with the key k"),
        ({"todos": None}, "todos.json, todos"),
    ],
)
def test_what_is_no_todos_file_is_refused_with_its_place(
    change: dict[str, object], told: str
) -> None:
    """Unknown keys, states and versions are refused; the message names the place."""
    with pytest.raises(TodosRefused, match=re.escape(told)):
        sync(written() | change, roadmap())


@pytest.mark.parametrize("data", [None, [], "x", {}])
def test_anything_else_is_refused(data: object) -> None:
    """What is no object of this form at all is refused as well."""
    with pytest.raises(TodosRefused, match=r"todos\.json, "):
        sync(data, roadmap())


@given(files, st.data())
def test_only_the_wished_boxes_turn(content: bytes, data: st.DataObject) -> None:
    """In any file, exactly the chosen boxes of work change, one byte each."""
    now = parse_roadmap("ROADMAP.md", content)
    work = [task for task in now.tasks if task.kind == "work"]
    chosen = data.draw(st.sets(st.sampled_from(work))) if work else set()
    entries = [
        {"key": task.key, "status": "pending" if task.checked else "completed"} for task in chosen
    ]
    found = sync({"version": 1, "roadmap": "ROADMAP.md", "todos": entries}, now)
    after = turned(now, {each.key: each.checked for each in found.edits})

    assert sum(a != b for a, b in zip(content, after, strict=True)) == len(chosen)
