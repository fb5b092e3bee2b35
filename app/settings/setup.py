"""What registering an App needs to know; everything that needs the App comes later."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, NonNegativeInt, SecretStr

from app.settings.models import RunSettings
from app.settings.values import BaseUrl


class SetupSettings(RunSettings):
    """The few settings of ``ServerSettings`` that make sense without an App.

    GitHub's two addresses are worked out of each other, so neither has a default.
    """

    github_api_url: BaseUrl | None = Field(
        None, description="GitHub's API; https://HOST/api/v3 for Enterprise."
    )
    github_server_url: BaseUrl | None = Field(None, description="GitHub's pages and git.")
    cairn_public_url: str = Field("", description="Where people reach this server.")
    cairn_admin_token: SecretStr | None = Field(
        None, description="Token that opens the server's pages."
    )
    cairn_data_dir: Path = Field(Path("data"), description="Folder for what the server keeps.")
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: Annotated[NonNegativeInt, Field(le=65535)] = Field(8080, description="Port to listen on.")
