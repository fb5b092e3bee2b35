"""Ask a model which tasks a roadmap names, where its structure does not say."""

from __future__ import annotations

import asyncio

from app.composition.checkout import open_model
from app.logs import PLAIN, secrets_of, set_up_logging
from app.roadmap.files import NoModel, Unusable
from app.settings import Problem, RunSettings, SettingsError, load_run_settings
from runner.errors import PortError
from runner.normalising import propose
from runner.ports import Message, Question
from runner.roadmap.normalise.proposal import Proposal

_MAX_TOKENS = 8192


def ask_model(path: str, content: bytes, name: str) -> Proposal:
    """Return what the model proposes. Raises ``Unusable`` (settings) or ``NoModel`` (outage)."""
    try:
        return asyncio.run(_proposed(path, content, name, _settings()))
    except SettingsError as error:
        raise Unusable(str(error)) from error
    except PortError as error:
        raise NoModel(error.message) from error


def _settings() -> RunSettings:
    settings = load_run_settings()
    set_up_logging("warning", secrets=secrets_of(settings), form=PLAIN)
    if settings.missing_model_key:
        raise SettingsError([Problem("OPENAI_API_KEY", settings.missing_model_key)])
    return settings


async def _proposed(path: str, content: bytes, name: str, settings: RunSettings) -> Proposal:
    model = open_model(settings)

    async def ask(messages: tuple[Message, ...]) -> str:
        answer = await model.ask(Question(messages, 0.0, _MAX_TOKENS, name))
        return answer.text

    try:
        return await propose(path, content, ask)
    finally:
        await model.close()
