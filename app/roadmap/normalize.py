"""What ``cairn roadmap normalize`` does: show a roadmap with checkboxes, write it if asked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.local.files import (
    STDIN,
    NoModel,
    UnusableRoadmap,
    read_roadmap,
    replace_unless_changed,
    write_new,
)
from app.logs import PLAIN, secrets_of, set_up_logging
from app.roadmap.commands import complain
from app.settings import RunSettings, SettingsError, SettingsProblem, load_run_settings
from app.terminal import any_encoding, printable, say
from runner.errors import PortError
from runner.roadmap.normalise.propose import normalise, render_diff
from runner.roadmap.normalise.rewrite import NormalizedRoadmap

if TYPE_CHECKING:
    from runner.prompts.questions import Message

_MOST_NOTES = 100
_MAX_TOKENS = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalizeOptions:
    """What was typed; ``output`` and ``model`` are '' when they were not."""

    file: str
    write: bool = False
    output: str = ""
    model: str = ""


def command(asked: NormalizeOptions) -> int:
    """Do it; 0 shown, written or not needed, 1 nothing to propose, 2 unusable, 4 no model.

    Only about what the structure leaves, settings are read and a model is asked.
    """
    any_encoding()
    if asked.write and asked.output:
        complain("Use either --write or --output, not both.")
        return UnusableRoadmap.code
    if asked.write and asked.file == STDIN:
        complain("Standard input cannot be written; use --output FILE.")
        return UnusableRoadmap.code
    try:
        proposal = normalise(asked.file, read_roadmap(asked.file))
        if asked.model and (proposal.verdict == "unclear" or proposal.left):
            proposal = asyncio.run(_proposed(proposal, asked.model, _settings()))
        return _report(asked, proposal)
    except (UnusableRoadmap, SettingsError) as error:
        complain(str(error))
        return UnusableRoadmap.code
    except PortError as error:
        complain(error.message)
        return NoModel.code
    except KeyboardInterrupt:
        complain("Interrupted; nothing was written.")
        return 130


def _settings() -> RunSettings:
    settings = load_run_settings()
    set_up_logging("warning", secrets=secrets_of(settings), form=PLAIN)
    if settings.missing_model_key:
        raise SettingsError([SettingsProblem("OPENAI_API_KEY", settings.missing_model_key)])
    return settings


async def _proposed(
    proposal: NormalizedRoadmap, name: str, settings: RunSettings
) -> NormalizedRoadmap:
    """Return the model's proposal. Raises ``Outage``."""
    # Imported only when a model is asked: it takes longer than reading the structure.
    from app.local.compose import open_model
    from runner.loop.normalising import propose
    from runner.prompts.questions import Question

    model = open_model(settings)

    async def ask(messages: tuple[Message, ...]) -> str:
        answer = await model.ask(Question(messages, 0.0, _MAX_TOKENS, name))
        return answer.text

    try:
        return await propose(proposal.path, proposal.old, ask, beside=True)
    finally:
        await model.close()


def _report(asked: NormalizeOptions, proposal: NormalizedRoadmap) -> int:
    complain(f"{asked.file}: {proposal.why}.")
    if proposal.verdict == "nothing":
        return 0
    for line in _notes(proposal):
        complain(line)
    if proposal.verdict != "proposed":
        if proposal.verdict == "unclear" and not asked.model:
            complain("Write `- [ ] ` before each task, or ask a model with --model NAME.")
        return 1
    if asked.write:
        replace_unless_changed(asked.file, proposal.old, proposal.new)
        complain(f"{asked.file} was written; look at it before you commit it.")
    elif asked.output:
        write_new(asked.output, proposal.new)
        complain(f"{asked.output} was written; {asked.file} is unchanged.")
    else:
        say(printable(render_diff(proposal)))
        complain("Nothing was written. Use --write to change the file, or --output FILE.")
    return 0


def _notes(proposal: NormalizedRoadmap) -> list[str]:
    notes = [
        f"{proposal.path}:{note.line} not read as tasks: {note.message}" for note in proposal.unread
    ]
    notes += [f"{proposal.path}:{note.line} {note.message}" for note in proposal.notes]
    notes += [f"left out, because it is not in the file: {text}" for text in proposal.dropped]
    more = len(notes) - _MOST_NOTES
    return [*notes[:_MOST_NOTES], f"... and {more} more"] if more > 0 else notes
