"""The settings: read once from the environment, checked whole, all problems told at once."""

from app.settings.models import RunSettings, ServerSettings
from app.settings.reading import (
    Problem,
    SettingsError,
    load_run_settings,
    load_server_settings,
)
from app.settings.table import settings_table

__all__ = [
    "Problem",
    "RunSettings",
    "ServerSettings",
    "SettingsError",
    "load_run_settings",
    "load_server_settings",
    "settings_table",
]
