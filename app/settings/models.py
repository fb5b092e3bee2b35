"""Every setting, with its default, its check and its description.

``RunSettings`` is what a run needs anywhere, ``ServerSettings`` what the server needs on top. A
variable is named like its field, in capitals. Checks say what to do and never repeat the value,
which may be a secret in the wrong variable.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    NonNegativeInt,
    PositiveInt,
    SecretStr,
    ValidationInfo,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError, PydanticUndefined
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from runner.config.values import Size
from runner.state.options import PREPARED_ROOM
from runner.state.publishing import Push

MISSING = "setting_missing"
"""The type of a validation error that means nothing but: it is not set."""


def _base_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        valid = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise ValueError("is not a URL; set it to one like https://host or https://host/path")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("may only have a host and a path; leave out user, password, ? and #")
    return value.rstrip("/")


def _events_url(value: SecretStr) -> SecretStr:
    try:
        parts = urlsplit(value.get_secret_value())
        valid = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        valid = False
    if not valid or parts.username or parts.password or parts.fragment:
        raise ValueError("is not a URL; set it to one like https://host/path, without a user or #")
    return value


def _addresses(value: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
    if not value:
        return value
    try:
        from apprise import Apprise  # 1.4 s with its services, for whoever sets this
    except ImportError:
        raise ValueError("needs Cairn's extra notify (docs/install.md)") from None
    hide_apprise()
    for number, each in enumerate(value, 1):
        if Apprise.instantiate(each.get_secret_value()) is None:
            raise ValueError(
                f"has no address that apprise knows in place {number}; separate several by blanks "
                "(https://appriseit.com/services/ has their forms)"
            )
    return value


def hide_apprise() -> None:
    """Keep apprise's records to those who ask a result for its logs: they show addresses."""
    theirs = logging.getLogger("apprise")
    theirs.propagate = False
    theirs.setLevel(logging.WARNING)
    if not theirs.handlers:  # without one, Python prints warnings
        theirs.addHandler(logging.NullHandler())


def _words(value: Any) -> Any:
    if isinstance(value, str):
        return tuple(word.strip() for word in value.split(",") if word.strip())
    return value


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _switch(value: Any) -> Any:
    if isinstance(value, bool):
        return str(int(value))
    return {"true": "1", "yes": "1", "on": "1", "false": "0", "no": "0", "off": "0"}.get(
        value, value
    )


def _file(value: Path) -> Path:
    if not value.is_file():
        raise ValueError(
            "does not name a file; set it to the path of a file that this user can read"
        )
    return value


DATABASES = "sqlite:///path/to/cairn.db or postgresql://user:password@host/database"


def database_url(value: SecretStr) -> SecretStr:
    """Check that the database is one Cairn can use: a SQLite file, or PostgreSQL."""
    from sqlalchemy.engine import make_url  # 0.3 s that only a server has to pay
    from sqlalchemy.exc import ArgumentError

    try:
        address = make_url(value.get_secret_value())
    except ArgumentError:
        raise ValueError(f"is not a database URL; set it to {DATABASES}") from None
    if "@" in (address.host or ""):  # what is before it is part of the password
        raise ValueError("has an @ in its password; write it as %40, and / : ? # [ ] % as %2F …")
    if address.drivername in {"postgresql", "postgresql+psycopg"}:
        if not address.database:
            raise ValueError(f"does not name a database; set it to {DATABASES}")
    elif address.drivername not in {"sqlite", "sqlite+aiosqlite"}:
        raise ValueError(
            f"names a {address.drivername} database; Cairn keeps its data in SQLite or "
            f"PostgreSQL: set it to {DATABASES}"
        )
    elif address.database in {None, "", ":memory:"}:
        raise ValueError(f"does not name a file; set it to {DATABASES}")
    return value


def rsa_key(pem: str) -> SecretStr:
    r"""Check a GitHub App's private key by loading it; ``\n`` may stand for line breaks.

    https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
    """
    from app.github.identity import read_rsa_key  # with aiohttp 0.4 s that only a server has to pay

    # docker run --env-file keeps the quotes that a shell and compose take away
    text = pem.strip().strip('"').replace("\\n", "\n").strip() + "\n"
    if read_rsa_key(text) is None:
        raise ValueError(
            "is not an unencrypted RSA private key in PEM form; take the .pem file that GitHub "
            "gave you under 'Private keys' in the App's settings"
        )
    return SecretStr(text)


BaseUrl = Annotated[str, AfterValidator(_base_url)]
EventsUrl = Annotated[SecretStr, AfterValidator(_events_url)]
Addresses = Annotated[
    tuple[SecretStr, ...],
    NoDecode,
    BeforeValidator(lambda value: value.split() if isinstance(value, str) else value),
    AfterValidator(_addresses),
]
Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_words)]
Lowered = BeforeValidator(_lower)
ExistingFile = Annotated[Path, AfterValidator(_file)]
AdminToken = Annotated[SecretStr | None, Field(min_length=16)]
DatabaseUrl = Annotated[SecretStr, AfterValidator(database_url)]


Sandbox = Annotated[Literal["auto", "docker", "bubblewrap", "process"], Lowered]
RunLinksFor = Annotated[Literal["public", "all", "none"], Lowered]
SetupNetwork = Annotated[Literal["0", "1", "changed"], BeforeValidator(_switch), Lowered]
Unsandboxed = Annotated[Literal["0", "1", "root"], BeforeValidator(_switch), Lowered]
LogLevel = Annotated[Literal["debug", "info", "warning", "error"], Lowered]
OPENAI = "https://api.openai.com/v1"


class RunSettings(BaseSettings):
    """What a run needs on a server, in CI and on a checkout."""

    model_config = SettingsConfigDict(
        alias_generator=str.upper,
        case_sensitive=True,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
        validate_default=True,
    )

    openai_base_url: BaseUrl = Field(
        OPENAI, description="Where the model is: any server with OpenAI's chat API."
    )
    openai_api_key: SecretStr | None = Field(
        None, description="Key of the model server; not needed if that server asks for none."
    )
    cairn_model: str = Field(
        "gpt-6.1-terra", description="The model to ask (default as of 2026-11-28)."
    )
    cairn_prices: ExistingFile | None = Field(
        None, description="File with prices of models; they take precedence over Cairn's own."
    )
    cairn_sandbox: Sandbox = Field(
        "auto",
        description="What code runs in: auto (the first that works), docker, bubblewrap, or "
        "process (no isolation).",
    )
    cairn_sandbox_image: str = Field(
        "cairn-sandbox:latest",
        description="Container image of a task, built from our Dockerfile. For bubblewrap a folder "
        "made by scripts/sandbox-root in Cairn's repository; else it uses this machine's programs.",
    )
    cairn_prepared_size: Annotated[Size, Field(ge=64 << 20)] = Field(
        PREPARED_ROOM,
        description="How much disk the results of sandbox.setup of all repositories may take, like "
        "50g. Those used longest ago are removed first, never one that a run uses.",
    )
    cairn_setup_hosts: Words = Field(
        (),
        description="Hosts, host:port or shell patterns of them, separated by commas, that setup "
        "with a network may reach besides the public package indexes.",
    )
    cairn_log_level: LogLevel = Field(
        "info", description="How much is logged: debug, info, warning or error."
    )
    cairn_log_format: Literal["text", "json"] = Field(
        "text",
        description="How the server logs: text for lines of text, json for JSON objects with "
        "delivery, run, task and node.",
    )
    cairn_events_file: Path | None = Field(
        None,
        description="File to which events are appended for your own systems, one JSON object per "
        "line.",
    )
    cairn_notify: Addresses = Field(
        (),
        description="Addresses of apprise, separated by blanks, that are told when a run is over "
        "or paused, and when somebody has to decide (needs the extra notify).",
    )

    @property
    def missing_model_key(self) -> str | None:
        """What to do when no model can be asked with these settings; None when one can."""
        if self.openai_api_key or self.openai_base_url != OPENAI:
            return None
        return _NO_KEY


class WorkSettings(RunSettings):
    """What works on a repository at GitHub needs: the server, and the Action."""

    github_api_url: BaseUrl = Field(
        "https://api.github.com", description="GitHub's API; https://HOST/api/v3 for Enterprise."
    )
    github_server_url: BaseUrl = Field("https://github.com", description="GitHub's pages and git.")
    cairn_data_dir: Path = Field(Path("data"), description="Folder for what the server keeps.")
    database_url: DatabaseUrl = Field(
        SecretStr(""), description="The database; a SQLite file in the data folder by default."
    )
    cairn_allow_unsandboxed: Unsandboxed = Field(
        "0",
        description="1 lets the server run code without isolation (CAIRN_SANDBOX=process), but not "
        "as root; root allows that even as root, for a machine that is thrown away afterwards.",
    )
    cairn_public_url: BaseUrl | None = Field(
        None, description="Where people reach this server; for links."
    )
    cairn_admin_token: AdminToken = Field(None, description="Token that opens the server's pages.")
    cairn_run_links: RunLinksFor = Field(
        "public",
        description="Whose runs have a link to their page in the progress comment: those of public "
        "repositories, of all, or none. Needs CAIRN_PUBLIC_URL.",
    )
    cairn_concurrency: PositiveInt = Field(2, description="How many runs work at the same time.")
    cairn_allowed_images: Words = Field(
        (), description="Container images that repositories may use, separated by commas."
    )
    cairn_allowed_bots: Words = Field(
        (), description="Bots whose commands count, separated by commas."
    )
    cairn_allowed_models: Words = Field(
        (),
        description="Models that repositories and commands may ask for, or shell patterns of them, "
        "separated by commas. CAIRN_MODEL is always allowed. Not set: any.",
    )
    cairn_max_tokens_per_task: PositiveInt | None = Field(
        None, description="The most that a repository may set limits.tokens_per_task to."
    )
    cairn_max_minutes: PositiveInt | None = Field(
        None, description="The most that a repository may set limits.minutes to."
    )
    cairn_max_parallel: PositiveInt | None = Field(
        None, description="The most that a repository may set limits.parallel to."
    )
    cairn_max_queue_minutes: PositiveInt | None = Field(
        None,
        description="The most that a repository may set limits.queue_minutes to; it also holds for "
        "those that do not set it.",
    )
    cairn_max_tries: PositiveInt | None = Field(
        None, description="The most that a repository may set attempts in retry to."
    )
    cairn_max_retry_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None, description="The most seconds that a repository may set waits in retry to."
    )
    cairn_max_memory: Annotated[Size, Field(ge=64 << 20)] | None = Field(
        None, description="The most that a repository may set sandbox.memory to, like 2g."
    )
    cairn_max_cpus: Annotated[float, Field(gt=0)] | None = Field(
        None, description="The most that a repository may set sandbox.cpus to."
    )
    cairn_max_pids: Annotated[int, Field(ge=16)] | None = Field(
        None, description="The most that a repository may set sandbox.pids to."
    )
    cairn_max_cost_per_day: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        None, description="USD that all repositories together may spend on models in a day (UTC)."
    )
    cairn_max_cost_per_account: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        None,
        description="USD that the repositories of one account or organisation may spend on models "
        "in a day (UTC).",
    )
    cairn_push: Push = Field(
        "at_once",
        description="approved makes pull_requests.push be that in every repository: no code that a "
        "model wrote is pushed before somebody approves it.",
    )
    cairn_keep_deliveries_days: Annotated[int, Field(ge=4, le=36500)] = Field(
        30, description="Days for which handled webhooks are kept."
    )
    cairn_keep_results_days: Annotated[int, Field(ge=1, le=36500)] = Field(
        365,
        description="Days for which Cairn keeps what finished runs left behind: what models were "
        "asked and said, and the output of tests.",
    )
    cairn_keep_audit_days: Annotated[int, Field(ge=1, le=36500)] = Field(
        730, description="Days for which the entries of the audit log are kept."
    )
    cairn_allow_setup_network: SetupNetwork = Field(
        "1",
        description="0 keeps sandbox.network: setup from taking effect; changed lets it take "
        "effect even where manifests differ from the base branch, so that a model may have written "
        "them.",
    )

    @property
    def may_run_bare(self) -> bool:
        """Whether code may run without isolation: never because nothing else works."""
        return self.cairn_allow_unsandboxed != "0" and self.cairn_sandbox == "process"

    @field_validator("database_url", mode="before")
    @classmethod
    def _default_database(cls, value: object, info: ValidationInfo) -> object:
        """Put the database into the data folder unless a place is set."""
        if isinstance(value, SecretStr) and not value.get_secret_value():
            return SecretStr(f"sqlite:///{info.data.get('cairn_data_dir', 'data')}/cairn.db")
        return value

    @field_validator("openai_api_key")
    @classmethod
    def _key_for_openai(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        """OpenAI itself answers nobody without a key."""
        if value is None and info.data.get("openai_base_url") == OPENAI:
            raise ValueError(_NO_KEY)
        return value


class ServerSettings(WorkSettings):
    """What ``cairn serve`` needs."""

    github_app_id: PositiveInt = Field(description="The App's id, from its settings page.")
    github_app_private_key_file: Path | None = Field(
        None, description="File with the App's private key (this or the key itself)."
    )
    github_app_private_key: SecretStr = Field(
        SecretStr(""), description=r"The App's private key in PEM form; \n may stand for line ends."
    )
    github_webhook_secret: SecretStr = Field(
        description="The webhook secret, as in the App's settings."
    )
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: Annotated[NonNegativeInt, Field(le=65535)] = Field(
        8080, description="Port to listen on; 0 takes a free one."
    )
    cairn_events_url: EventsUrl | None = Field(
        None, description="Address of your own system that events are sent to."
    )
    cairn_events_secret: SecretStr | None = Field(
        None, description="Secret that signs those events; required with CAIRN_EVENTS_URL."
    )

    @field_validator("cairn_events_secret")
    @classmethod
    def _signed(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        """Nobody can trust an event that is not signed."""
        if info.data.get("cairn_events_url") and not (value and value.get_secret_value()):
            raise ValueError(
                "is not set, but CAIRN_EVENTS_URL is; set it to a long random text that your "
                "system also knows (openssl rand -hex 32)"
            )
        return value

    @field_validator("github_app_private_key", mode="after")
    @classmethod
    def _one_key(cls, value: SecretStr, info: ValidationInfo) -> SecretStr:
        """Take the key itself or the file's content, exactly one."""
        pem, file = value.get_secret_value(), info.data.get("github_app_private_key_file")
        if pem and file:
            raise ValueError("and GITHUB_APP_PRIVATE_KEY_FILE are both set; unset one of them")
        if pem:
            return rsa_key(pem)
        if file:
            return _key_in(file)
        raise PydanticCustomError(
            MISSING,
            "is not set; set it, or set GITHUB_APP_PRIVATE_KEY_FILE to the .pem file "
            "that GitHub gave you",
        )

    @field_validator("cairn_allow_unsandboxed")
    @classmethod
    def _isolated(cls, value: str, info: ValidationInfo) -> str:
        """Refuse a server that runs other people's code in its own process space unasked."""
        if info.data.get("cairn_sandbox") == "process" and value == "0":
            raise ValueError(
                "does not allow CAIRN_SANDBOX=process, which isolates nothing; use docker or "
                "bubblewrap, or set this to 1 (`root` if Cairn runs as root) if everyone who can "
                "give Cairn commands may control this host"
            )
        return value


class ActionSettings(WorkSettings):
    """What ``cairn action`` needs: a token where the server has an App's key.

    The job's machine is thrown away after it, so code may run on it without isolation if the
    workflow says ``process``; never without that, because the job's token and key are there too.
    """

    github_token: SecretStr = Field(
        description="The workflow's GITHUB_TOKEN, or a token of an App's installation."
    )

    @field_validator("cairn_allow_unsandboxed")
    @classmethod
    def _isolated(cls, value: str, info: ValidationInfo) -> str:
        """To name it is to allow it."""
        return "root" if info.data.get("cairn_sandbox") == "process" else value


_NO_KEY = "is not set; set it, or set OPENAI_BASE_URL to a model server that needs no key"


def _key_in(file: Path) -> SecretStr:
    try:
        text = file.read_text()
    except (OSError, UnicodeDecodeError):
        raise ValueError(
            f"cannot be read from {file} (GITHUB_APP_PRIVATE_KEY_FILE); "
            "name a PEM file that this user can read"
        ) from None
    try:
        return rsa_key(text)
    except ValueError as error:
        raise ValueError(f"in {file} (GITHUB_APP_PRIVATE_KEY_FILE) {error}") from None


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
