"""A script in a file (YAML, so JSON too), for the model that runs as a process.

::

    rules:
      - contains: [greet]         # words of the task's title, upper or lower case
        without: [failed]
        answers:
          - "the answer"
          - {fault: http_429, retry_after: 1}
          - {fault: truncated, text: "the answer"}
        repeat_last: true
    answers: ["for every other question, in order"]
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from tests.model_server.faults import Fault
from tests.model_server.script import ScriptedModel
from tests.model_server.turns import Rule, Turn

FAULTS: dict[str, Callable[..., Turn]] = {
    "bad_json": Fault.bad_json,
    "empty_answer": Fault.empty_answer,
    "http_429": Fault.http_429,
    "http_500": Fault.http_500,
    "http_503": Fault.http_503,
    "http_status": Fault.http_status,
    "length_nothing": Fault.length_nothing,
    "no_choices": Fault.no_choices,
    "null_content": Fault.null_content,
    "refusal": Fault.refusal,
    "reset": Fault.reset,
    "timeout": Fault.timeout,
    "truncated": Fault.truncated,
}


def read_script(file: Path) -> ScriptedModel:
    """Read a script. Raises ``ValueError`` naming the place and what is allowed there."""
    script = yaml.safe_load(file.read_text(encoding="utf-8"))
    _known(script, {"rules", "answers"}, str(file))
    rules = [_rule(rule, f"{file}: rule {n}") for n, rule in enumerate(script.get("rules", []), 1)]
    answers = script.get("answers", [])
    return ScriptedModel(rules).says(*(_turn(answer, f"{file}: answers") for answer in answers))


def _rule(rule: Any, place: str) -> Rule:
    _known(rule, {"contains", "without", "answers", "repeat_last"}, place)
    return Rule(
        contains=_words(rule, "contains", place),
        without=_words(rule, "without", place),
        answers=tuple(_turn(answer, place) for answer in rule.get("answers", [])),
        repeat_last=bool(rule.get("repeat_last", False)),
    )


def _words(rule: dict[str, Any], name: str, place: str) -> tuple[str, ...]:
    words = rule.get(name, [])
    if isinstance(words, list):
        return tuple(str(word) for word in words)
    raise ValueError(f"{place}: {name} is a list of words")


def _turn(answer: Any, place: str) -> Turn:
    if isinstance(answer, str):
        return answer
    if not isinstance(answer, dict) or answer.get("fault") not in FAULTS:
        raise ValueError(f"{place}: an answer is a text or {{fault: {' | '.join(FAULTS)}}}")
    options = {name: value for name, value in answer.items() if name != "fault"}
    return FAULTS[answer["fault"]](**options)


def _known(mapping: Any, names: set[str], place: str) -> None:
    if not isinstance(mapping, dict) or not mapping.keys() <= names:
        raise ValueError(f"{place}: known keys are {', '.join(sorted(names))}")
