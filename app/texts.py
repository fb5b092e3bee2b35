"""The texts of the command line, the set-up and the Action; they are in ``templates/``."""

from __future__ import annotations

import re
from textwrap import shorten

from app.terminal import one_line, printable
from runner.money import dollars
from runner.people.sentences import new_evidence
from runner.people.texts import PEOPLE, Texts, environment, recovery_texts, trust_texts
from runner.people.trust import verdict_of
from runner.recovery.choose import asks_people
from runner.state.findings import outputs_of
from runner.state.proposal import as_item
from runner.state.status_words import DECISIONS

APP = environment("app", PEOPLE)
APP.filters |= {
    "dollars": dollars,
    "called": lambda task: shorten(
        one_line(task.name if task.id else f"{task.name} {task.title}"), 80, placeholder=" …"
    ),
    "first_of": lambda text, most: text[:most],
    "full_name": lambda task: shorten(one_line(f"{task.name} {task.title}"), 120, placeholder=" …"),
    "item": as_item,
    "task_in": lambda key, state: state.task_of(key).name,
    "one_line": one_line,
    "printable": printable,
    "quoted_line": lambda text: repr(shorten(one_line(text), 120, placeholder=" …")),
    # mentions call people in a chat: a joiner that nobody sees keeps these from being one
    "quiet": lambda text: re.sub("[@<]", "\\g<0>\u2060", one_line(text)),
    "quoted_word": lambda text: repr(one_line(text)[:60]),
}
APP.globals |= {
    "asks_people": asks_people,
    "DECISIONS": DECISIONS,
    "approval_does": recovery_texts.approval_does,
    "new_evidence": new_evidence,
    "outputs_of": outputs_of,
    "trust_line": trust_texts.line,
    "verdict_of": verdict_of,
}
APP.tests["begins"] = str.startswith

doctor_texts = Texts(APP, "doctor")
setup_texts = Texts(APP, "setup")
action_texts = Texts(APP, "action")
checkout_texts = Texts(APP, "checkout")
show_texts = Texts(APP, "show")
notice_texts = Texts(APP, "notices")
