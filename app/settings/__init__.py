"""The settings: read once from the environment, with all problems reported at once."""

from app.settings.models import (
    ActionSettings,
    RunSettings,
    ServerSettings,
    WorkSettings,
    hide_apprise,
    settings_table,
)
from app.settings.reading import (
    SECRET_NAMES,
    SettingsError,
    SettingsProblem,
    keep_private,
    load_action_settings,
    load_run_settings,
    load_server_settings,
    load_setup_settings,
    load_work_settings,
    settings_without_model,
)

__all__ = [
    "SECRET_NAMES",
    "ActionSettings",
    "RunSettings",
    "ServerSettings",
    "SettingsError",
    "SettingsProblem",
    "WorkSettings",
    "hide_apprise",
    "keep_private",
    "load_action_settings",
    "load_run_settings",
    "load_server_settings",
    "load_setup_settings",
    "load_work_settings",
    "settings_table",
    "settings_without_model",
]
