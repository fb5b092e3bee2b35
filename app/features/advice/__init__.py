"""After a run, better settings are proposed as a pull request on ``.github/cairn.yml``."""

from __future__ import annotations

from app.features.advice.offer import look_for_advice
from app.runs.begun import Begun
from app.runs.feature import Feature
from runner.config.reading import ConfigError
from runner.errors import TaskError
from runner.loop.task_pool import Ended


async def _ended(begun: Begun, ended: Ended) -> str:
    """Propose better settings after a run that worked; a refusal is not worth a word.

    A run that waits for people has worked, too: it may wait for ever.
    """
    ports = begun.ports
    worked = ended.status in ("ended", "resting") and ended.state.attempts
    if not (worked and begun.proposes):
        return ""
    try:
        url = await look_for_advice(ports.repository, ports.lessons, await ports.config())
    except (TaskError, ConfigError):
        return ""
    return f"Cairn learned that other settings do better here: {url}" if url else ""


def register() -> Feature:
    """Return what the feature adds."""
    return Feature(ended=_ended)
