"""The fault model: what it recognises, and what it answers."""

from __future__ import annotations

import io
import json

import pytest

from bench.loop.answers import Meant, fits
from bench.loop.catalogue import FAULTS
from bench.loop.corpus import Task, asked_about, tasks
from bench.loop.faults.envelope import Written, block
from bench.loop.faults.program import PROGRAM, mutants
from bench.loop.faults.syntax import SYNTAX, broken
from bench.loop.hunks import as_edits
from bench.loop.naming import Character, read_name
from bench.loop.oracle import FaultModel, still
from runner.answers.reply import parse_reply
from tests.model_server import Asked, Reply

PROGRAMS = {
    task.name: [
        *(("logic", code) for code in list(mutants(task))[:4]),
        *((name, fault(task) or "") for name, fault in PROGRAM.items() if fault(task)),
        ("unseen", task.slip),
    ]
    for task in tasks()
}
LARGE = next(task for task in tasks() if task.before.count("\n") >= 60)


class Asking:
    """A conversation with the fault model about one task."""

    def __init__(self, who: Character, task: Task) -> None:
        self.log = io.StringIO()
        self._model = FaultModel(PROGRAMS, self.log)
        self._who, self._task = who, task

    def __call__(self, more: str = "", *, temperature: float = 0.7) -> str:
        """Ask with some text after the task's; return the answer."""
        text = f"Do this:\n\n> {self._task.text}\n\n{more}"
        messages = [{"role": "user", "content": text}]
        body = {"model": str(self._who), "messages": messages, "temperature": temperature}
        reply = self._model.answer(Asked(body))
        assert isinstance(reply, Reply), reply
        return reply.text or ""

    def kinds(self) -> list[str]:
        """What it took each question for."""
        return [json.loads(line)["kind"] for line in self.log.getvalue().splitlines()]


def test_the_name_carries_the_parameters():
    """What a model is called is what it is."""
    who = Character(0.5, 0.6, 7, only="quote4", run="hybrid.12")

    assert str(who) == "fault-p0.5-x0.6-s7,only=quote4,run=hybrid.12"
    assert read_name(str(who)) == who


@pytest.mark.parametrize("name", ["gpt-5", "fault-p1", "fault-p1-x1-s1,mood=bad"])
def test_another_name_is_refused(name):
    """A name that is none is told as such."""
    with pytest.raises(ValueError, match="fault"):
        read_name(name)


def test_there_are_enough_tasks_in_both_languages():
    """At least 40 in Python and 10 in JavaScript, on new and on large files."""
    assert len(tasks("python")) >= 40
    assert len(tasks("javascript")) >= 10
    assert sum(task.before.count("\n") >= 60 for task in tasks()) >= 5


def test_every_task_is_recognised_in_other_words():
    """Quoted, with its lines broken elsewhere, and with the roadmap below."""
    for task in tasks():
        words = task.text.split(" ")
        quoted = "> " + " ".join(words[:4]) + "\n> " + " ".join(words[4:])
        assert asked_about(f"Please:\n{quoted}\n\n{task.base['ROADMAP.md']}") is task, task.name


@pytest.mark.parametrize("name", SYNTAX)
def test_a_syntax_fault_breaks_the_code_it_fits(name):
    """Every fault fits some task, and what it makes does not parse."""
    made = [(task.path, SYNTAX[name](task.right, 0.5)) for task in tasks("python")]

    assert any(code and broken(path, code) for path, code in made)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_of_the_catalogue_can_be_shown(fault):
    """There are at least three tasks for each."""
    assert sum(fits(fault, task, PROGRAMS) for task in tasks("python")) >= 3


def test_first_answers_are_the_same_in_every_run():
    """Two strategies meet the same first answer."""
    for task in tasks("python")[:10]:
        first = [Asking(Character(0.3, 0.6, 4, run=run), task)() for run in ("a", "b")]
        assert first[0] == first[1]


def test_fresh_answers_are_right_as_often_as_asked_for():
    """At p = 0.5 about half of the first answers over some seeds are right."""
    right = [
        Asking(Character(0.5, 0.5, seed), task)() == block(_right(task))
        for task in tasks("python")
        for seed in range(5)
    ]

    assert sum(right) / len(right) == pytest.approx(0.5, abs=0.08)


def test_code_that_is_shown_makes_a_repair():
    """Even when only a few lines of it are, and numbered."""
    ask = Asking(Character(0, 1, 1, only="no_colon"), tasks("python")[0])
    lines = ask().split("\n")[4:9]

    ask("\n".join(f"{number} | {line}" for number, line in enumerate(lines, 1)))

    assert ask.kinds() == ["fresh", "repair"]


def test_failures_without_the_code_make_a_fresh_question():
    """What went wrong is named, the code is not shown."""
    ask = Asking(Character(0, 1, 1, only="no_colon"), tasks("python")[0])
    ask()

    ask("Do not repeat these mistakes:\n- SyntaxError: expected ':' (line 4)")

    assert ask.kinds() == ["fresh", "fresh"]


def test_a_repair_that_succeeds_is_the_right_code():
    """With x = 1 the first repair is right."""
    task = tasks("python")[0]
    ask = Asking(Character(0, 1, 1, only="no_colon"), task)

    assert ask(ask()) == block(_right(task))


@pytest.mark.parametrize("fault", ["no_colon", "quote4"])
def test_a_fault_that_code_put_right_is_not_repaired_again(fault):
    """When the question shows the mended code, the repair is one of what is below."""
    task = tasks("python")[0]
    below = Meant("wrong", "logic", PROGRAMS[task.name][0][1])
    code = SYNTAX[fault](below.code, 0.0) or ""
    last = Meant("buried", fault, code, below)

    asked = [
        Asked({"messages": [{"role": "user", "content": f"Repair:\n{shown}"}]})
        for shown in (below.code, code)
    ]

    assert [still(last, each) for each in asked] == [below, last]


def test_a_repair_answers_in_pieces_when_they_are_offered():
    """Search/replace blocks that the product reads as the whole right file."""
    ask = Asking(Character(0, 1, 1, only="no_colon"), LARGE)
    first = ask()

    answer = ask(f"{first}\nAnswer with <<<<<<< SEARCH blocks.")

    assert "=======" in answer
    assert len(answer) < 0.4 * len(first)


@pytest.mark.parametrize("task", [LARGE, *tasks("python")[::7]], ids=lambda task: task.name)
def test_pieces_make_the_new_file_of_the_old(task):
    """The product's reader puts them together to the very file that was meant."""
    for new in [task.slip, *list(mutants(task))[:6]]:
        answer = as_edits(task.path, task.right, new)

        reply = parse_reply(answer, paths=[task.path], read={task.path: task.right.encode()}.get)

        write = reply.changes.files[task.path]
        assert write is not None
        assert write.content.decode() == new, reply.complaints


def test_an_answer_that_was_cut_goes_on_where_it_stopped():
    """The rest of it follows, and no new draw is made."""
    task = tasks("python")[0]
    log = io.StringIO()
    model = FaultModel(PROGRAMS, log)
    body = {"model": "fault-p0-x1-s1,only=truncated"}
    first = {"role": "user", "content": task.text}
    half = model.answer(Asked({**body, "messages": [first]}))
    assert isinstance(half, Reply)
    assert half.finish_reason == "length"

    said = {"role": "assistant", "content": half.text}
    rest = model.answer(
        Asked({**body, "messages": [first, said, {"role": "user", "content": "Go on."}]})
    )

    assert isinstance(rest, Reply)
    assert (half.text or "") + (rest.text or "") == block(_right(task))


def test_a_question_about_no_task_is_refused():
    """It is kept in the log as what it is."""
    log = io.StringIO()
    asked = Asked({"model": "fault-p1-x1-s1", "messages": [{"role": "user", "content": "Hi"}]})

    reply = FaultModel(PROGRAMS, log).answer(asked)

    assert not isinstance(reply, Reply)
    assert json.loads(log.getvalue())["kind"] == "unknown"


def _right(task: Task) -> Written:
    return Written(task.path, task.right, task.language)
