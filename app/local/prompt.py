"""``cairn run --show-prompt``: the first question that a run would ask, without asking it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from app.interrupts import Interrupts
from app.local.compose import local_deps
from app.local.options import LocalRun, options_for, settings_of
from app.local.report import OutputFormat, check_place, without_work
from app.settings import RunSettings
from app.terminal import printable, say
from app.texts import checkout_texts as texts
from runner.errors import Outage, PortError
from runner.files.journal import FileJournal
from runner.files.results import line
from runner.loop.driver import drive
from runner.loop.task_pool import Ended
from runner.nodes import NODES
from runner.ports import Fanout
from runner.prompts.questions import Answer, Question
from runner.state.options import Request


class _Unasked:
    """Keeps the first question in the place of asking it; nothing else is paid for, either."""

    def __init__(self) -> None:
        self.question: Question | None = None

    async def ask(self, question: Question) -> Answer:
        self.question = self.question or question
        raise Outage("shown", texts.only_shown())


def show(asked: LocalRun, settings: RunSettings, output: OutputFormat) -> int:
    """Print the question, one message after another; 0 when there is one."""
    control = Interrupts(texts.not_shown)
    try:
        ended, question = control.run(_first(asked, settings))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(texts.not_shown()) from None
    if question is None:
        if ended.kind != "shown" and ended.status == "paused":
            raise PortError(ended.kind or "model", ended.reason)
        say(ended.state.problem or texts.no_question())
        return without_work(ended.state) if ended.state.problem else 0
    if output.json:
        messages = [{"role": m.role, "content": m.content} for m in question.messages]
        say(line("question", "show-prompt", model=question.model, messages=messages))
    else:
        say("\n\n".join(f"[{m.role}]\n{printable(m.content)}" for m in question.messages))
    return 0


async def _first(asked: LocalRun, settings: RunSettings) -> tuple[Ended, Question | None]:
    await check_place(asked)
    with tempfile.TemporaryDirectory() as folder:
        async with local_deps(asked, settings, Fanout(), dry=True) as here:
            tip = (await here.repository.stack()).tip
            config = await settings_of(asked.roadmap, here.deps, tip)
            path, options = config.roadmap.path, options_for(asked, config)
            unasked, journal = _Unasked(), FileJournal(Path(folder))
            deps = replace(here.deps, model=unasked, journal=journal, events=Fanout())
            try:
                ended = await drive(Request("show-prompt", path, options), NODES, deps)
            finally:
                await journal.close()
    return ended, unasked.question
