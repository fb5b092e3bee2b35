"""The settings: read once from the environment, checked whole, all problems told at once."""

from app.settings.models import ActionSettings, RunSettings, ServerSettings, WorkSettings
from app.settings.reading import (
    Problem,
    SettingsError,
    keep_private,
    load_action_settings,
    load_run_settings,
    load_server_settings,
    load_setup_settings,
)
from app.settings.table import settings_table

__all__ = [
    "ActionSettings",
    "Problem",
    "RunSettings",
    "ServerSettings",
    "SettingsError",
    "WorkSettings",
    "keep_private",
    "load_action_settings",
    "load_run_settings",
    "load_server_settings",
    "load_setup_settings",
    "settings_table",
]
