"""The fault model: recognises what it is asked, answers as drawn, and keeps the truth of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from bench.loop.answers import Meant, Minds
from bench.loop.apart_tests import test_apart
from bench.loop.corpus import Task, asked_about
from bench.loop.faults.envelope import ENVELOPE, SAID_NOTHING, Written, block
from bench.loop.faults.scope import SCOPE
from bench.loop.hunks import as_edits
from bench.loop.naming import read_name
from bench.loop.wrongs import Program
from tests.model_server import Asked, Fault, Reply
from tests.model_server.script import APART

LARGE = 60
"""Lines from which on a file is edited in pieces when the question offers that."""

_EDITS = re.compile(r"<<<<<<< SEARCH")
_NO_CODE = re.compile(r"\b(?:no|not write|without) code\b")
_NUMBER = re.compile(r"^\s*\d+\s*[|:]")
_APART_AT = re.compile(r"Answer with one new file, `([^`]+)`")
_ENOUGH = 0.9
_FEW = 2


@dataclass
class _Talk:
    """What was said about one task in one run."""

    count: Counter[str] = field(default_factory=Counter)
    last: Meant | None = None
    text: str = ""


class FaultModel:
    """Answers for ``tests.model_server.serve``; ``log`` gets a JSON object a call."""

    window = 0  # of no known size

    def __init__(self, programs: Mapping[str, Sequence[Program]], log: IO[str]) -> None:
        self._minds = Minds(programs)
        self._log = log
        self._talks: dict[tuple[str, str], _Talk] = {}
        self._answered = 0

    @property
    def requests(self) -> range:
        """As many as were answered."""
        return range(self._answered)

    def answer(self, asked: Asked) -> str | Reply | Fault:
        """Answer one question."""
        self._answered += 1
        task = asked_about(_newest(asked))
        if task is None:
            self._note(asked, "", {"kind": "unknown", "asked": asked.prompt[-2000:]})
            return Fault.http_status(400, "the fault model does not know this task")
        talk = self._talks.setdefault((asked.model, task.name), _Talk())
        if rest := _rest(asked, talk):
            self._note(asked, task.name, {"kind": "continue"})
            return Reply(rest)
        if APART in _newest(asked):
            self._note(asked, task.name, {"kind": "test"})
            path = _APART_AT.search(_newest(asked))
            if path is None or task.language != "python":
                return Reply("NONE")
            text = test_apart(read_name(asked.model), task)
            return Reply(block(Written(path[1], text, task.language)))
        if _NO_CODE.search(_newest(asked)):
            self._note(asked, task.name, {"kind": "words"})
            return _in_words(task, _newest(asked))
        return self._code(asked, task, talk)

    def _code(self, asked: Asked, task: Task, talk: _Talk) -> Reply | Fault:
        """Answer with code: a repair when the last answer's is shown, else a fresh answer."""
        who, before = read_name(asked.model), talk.last
        kind = "repair" if before and _shown(asked, task, before) else "fresh"
        number = talk.count[kind]
        talk.count[kind] += 1
        if kind == "repair" and before:
            meant = self._minds.repair(who, task, number, still(before, asked))
        else:
            meant = self._minds.fresh(who, task, number)
        reply = _written(task, meant, before if kind == "repair" else None, asked)
        talk.last = meant
        talk.text = (reply.text or "") if isinstance(reply, Reply) else ""
        if meant.fault == "truncated":
            talk.text = block(_file(task, meant.code))
        truth = {"kind": kind, "number": number, "truth": meant.truth, "fault": meant.fault}
        seen = {"of": before.fault if before else "", "blind": _blind(asked, task, kind, before)}
        self._note(asked, task.name, {**truth, **seen})
        return reply

    def _note(self, asked: Asked, task: str, values: Mapping[str, object]) -> None:
        print(
            json.dumps({"model": asked.model, "task": task, **values}), file=self._log, flush=True
        )


def _newest(asked: Asked) -> str:
    """What the user says, without the system's words and the model's own."""
    return "\n".join(str(m["content"]) for m in asked.messages if m["role"] == "user")


def _in_words(task: Task, question: str) -> str:
    """A plan when one is asked for; why a task failed is not known."""
    plan = {"likely_files": [task.path], "steps": [], "acceptance": [], "complexity": "low"}
    return json.dumps(plan) if "likely_files" in question else "unknown\nIt just failed."


def _rest(asked: Asked, talk: _Talk) -> str:
    """The rest of an answer that was cut, when that is what is asked for."""
    earlier = [str(m["content"]) for m in asked.messages if m["role"] == "assistant"]
    if not earlier or not talk.text.startswith(earlier[-1]):
        return ""
    return talk.text[len(earlier[-1]) :]


def _own_lines(task: Task, code: str) -> list[str]:
    """Lines of an answer that tell it from the file it began with."""
    old = {line.strip() for line in task.before.split("\n")}
    lines = dict.fromkeys(line.strip() for line in code.split("\n"))
    return [line for line in lines if len(line) > 5 and line not in old]


def _shown(asked: Asked, task: Task, last: Meant) -> bool:
    """Whether the question shows the code of the last answer."""
    lines = _own_lines(task, last.code)
    if last.truth == "nothing":
        return False
    if not lines:  # such code cannot be told from the repository's
        return float(str(asked.body.get("temperature", 1))) < 0.5
    text = _newest(asked)
    return sum(line in text for line in lines) >= min(_FEW, len(lines))


def still(last: Meant, asked: Asked) -> Meant:
    """The answer as it is shown: without its syntax fault when that was put right by code."""
    if last.below is None:
        return last
    was, without = _lines(last.code), _lines(last.below.code)
    shown = _lines(_newest(asked))
    fixed = without - was
    return last.below if fixed and fixed <= shown and not (was - without) & shown else last


def _lines(text: str) -> set[str]:
    """The lines of a text without indentation and numbers before them."""
    return {_NUMBER.sub("", line).strip() for line in text.split("\n")}


def _blind(asked: Asked, task: Task, kind: str, before: Meant | None) -> bool:
    """Whether a person could not have answered: what is to be edited is not shown whole."""
    known = before.code if kind == "repair" and before else task.before
    lines = [line.strip() for line in known.split("\n") if line.strip()]
    if not lines or (kind == "repair" and _EDITS.search(asked.prompt)):
        return False
    text = _newest(asked)
    return sum(line in text for line in lines) < _ENOUGH * len(lines)


def _file(task: Task, code: str) -> Written:
    return Written(task.path, code, task.language)


def _written(task: Task, meant: Meant, before: Meant | None, asked: Asked) -> Reply | Fault:
    """Write an answer down, in the form asked for or as its fault has it."""
    if meant.fault in SAID_NOTHING:
        return SAID_NOTHING[meant.fault]()
    if meant.fault in ENVELOPE:
        return ENVELOPE[meant.fault](_file(task, meant.code))
    if meant.fault in SCOPE:
        return Reply(block(_file(task, meant.code)) + "\n" + SCOPE[meant.fault](task))
    base = before.code if before else task.before
    large = base.count("\n") >= LARGE or before is not None
    if base and large and _EDITS.search(asked.prompt):
        return Reply(as_edits(task.path, base, meant.code))
    return Reply(block(_file(task, meant.code)))
