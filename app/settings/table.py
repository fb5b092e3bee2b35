"""The settings as a table for the documentation, made from the models."""

from __future__ import annotations

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from app.settings.models import RunSettings, ServerSettings

# defaults that are worked out while reading
_SPECIAL = {
    "GITHUB_APP_PRIVATE_KEY": "required, or the file",
    "DATABASE_URL": "`sqlite:///<CAIRN_DATA_DIR>/cairn.db`",
    "OPENAI_API_KEY": "required for OpenAI",
}


def settings_table() -> str:
    """Return a Markdown table of every variable: default, who reads it, what it is."""
    rows = [_row(name, field) for name, field in ServerSettings.model_fields.items()]
    head = ["| variable | default | read by | what it is |", "|---|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n"


def _row(name: str, field: FieldInfo) -> str:
    reader = "all" if name in RunSettings.model_fields else "server"
    return (
        f"| `{name.upper()}` | {_default(name.upper(), field)} | {reader} | {field.description} |"
    )


def _default(name: str, field: FieldInfo) -> str:
    if name in _SPECIAL:
        return _SPECIAL[name]
    if field.default is PydanticUndefined:
        return "required"
    if field.default in (None, (), False) or isinstance(field.default, SecretStr):
        return "none"
    return f"`{field.default}`"
