"""Ask a model which tasks a roadmap names, where its structure does not say."""

from __future__ import annotations

import asyncio

from app.local.compose import open_model
from app.local.files import NoModel, UnusableRoadmap
from app.logs import PLAIN, secrets_of, set_up_logging
from app.settings import RunSettings, SettingsError, SettingsProblem, load_run_settings
from runner.errors import PortError
from runner.loop.normalising import propose
from runner.prompts.questions import Message, Question
from runner.roadmap.normalise.rewrite import NormalizedRoadmap

_MAX_TOKENS = 8192


def ask_model(path: str, content: bytes, name: str) -> NormalizedRoadmap:
    """Return the model's proposal. Raises ``UnusableRoadmap`` or ``NoModel`` (an outage)."""
    try:
        return asyncio.run(_proposed(path, content, name, _settings()))
    except SettingsError as error:
        raise UnusableRoadmap(str(error)) from error
    except PortError as error:
        raise NoModel(error.message) from error


def _settings() -> RunSettings:
    settings = load_run_settings()
    set_up_logging("warning", secrets=secrets_of(settings), form=PLAIN)
    if settings.missing_model_key:
        raise SettingsError([SettingsProblem("OPENAI_API_KEY", settings.missing_model_key)])
    return settings


async def _proposed(
    path: str, content: bytes, name: str, settings: RunSettings
) -> NormalizedRoadmap:
    model = open_model(settings)

    async def ask(messages: tuple[Message, ...]) -> str:
        answer = await model.ask(Question(messages, 0.0, _MAX_TOKENS, name))
        return answer.text

    try:
        return await propose(path, content, ask)
    finally:
        await model.close()
