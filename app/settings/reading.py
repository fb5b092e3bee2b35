"""Read the settings from the environment, and report everything that is wrong in one message."""

from __future__ import annotations

import ctypes
import difflib
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, NonNegativeInt, ValidationError

from app.settings.models import (
    MISSING,
    ActionSettings,
    AdminToken,
    BaseUrl,
    RunSettings,
    ServerSettings,
    WorkSettings,
)
from runner.text.invalid import plain_message

APP_FILE = "cairn.env"
APP_NAMES = (
    "GITHUB_APP_ID",
    "GITHUB_APP_PRIVATE_KEY",
    "GITHUB_APP_PRIVATE_KEY_FILE",
    "GITHUB_WEBHOOK_SECRET",
)


def registered_app(options: Mapping[str, Any]) -> Path | None:
    """Return the file, if it exists and neither environment nor options name an App.

    All or nothing: the id of one App with the key of another would be worse than either.
    """
    if any(os.environ.get(name) or options.get(name) for name in APP_NAMES):
        return None
    folder = options.get("CAIRN_DATA_DIR") or os.environ.get("CAIRN_DATA_DIR") or "data"
    file = Path(str(folder)) / APP_FILE
    try:
        file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):  # the set-up says what is wrong with it
        return None
    return file


class SetupSettings(RunSettings):
    """The few settings of ``ServerSettings`` that make sense without an App.

    GitHub's two addresses are worked out of each other, so neither has a default.
    """

    github_api_url: BaseUrl | None = Field(
        None, description="GitHub's API; https://HOST/api/v3 for Enterprise."
    )
    github_server_url: BaseUrl | None = Field(None, description="GitHub's pages and git.")
    cairn_public_url: str = Field("", description="Where people reach this server.")
    cairn_admin_token: AdminToken = Field(None, description="Token that opens the server's pages.")
    cairn_data_dir: Path = Field(Path("data"), description="Folder for what the server keeps.")
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: Annotated[NonNegativeInt, Field(le=65535)] = Field(8080, description="Port to listen on.")


S = TypeVar("S", bound=RunSettings)
OURS = "CAIRN_"


@dataclass(frozen=True, slots=True)
class SettingsProblem:
    """What is wrong with one variable, and what to do; ``missing`` when it is only not set."""

    name: str
    message: str
    missing: bool = False

    def __str__(self) -> str:
        return f"{self.name} {self.message}."


class SettingsError(Exception):
    """The environment cannot be used; one line a problem. Never contains a value."""

    def __init__(self, problems: Sequence[SettingsProblem]) -> None:
        lines = "\n".join(f"  {problem}" for problem in problems)
        super().__init__(f"The settings (environment variables) have problems:\n{lines}")
        self.problems = tuple(problems)


def settings_without_model() -> RunSettings:
    """Read what a command needs that asks no model, so that none need be configured."""
    try:
        return load_run_settings()
    except SettingsError:
        return load_run_settings(openai_api_key="none", cairn_model="none")


def load_run_settings(**options: Any) -> RunSettings:
    """Read what a run needs; ``options`` (by the variable's name) win over the environment.

    Raises ``SettingsError`` with every problem there is, unknown ``CAIRN_*`` names included.
    """
    return _load(RunSettings, options)


def load_server_settings(**options: Any) -> ServerSettings:
    """Read what the server needs; else as ``load_run_settings``.

    Where nothing names an App, the file that the server's own set-up wrote does.
    """
    return _load(ServerSettings, {"_env_file": registered_app(options), **options})


def load_work_settings(**options: Any) -> WorkSettings:
    """Read what holds for work on GitHub, whoever does it; else as ``load_run_settings``."""
    return _load(WorkSettings, options)


def load_setup_settings(**options: Any) -> SetupSettings:
    """Read what registering an App needs; else as ``load_run_settings``."""
    return _load(SetupSettings, options)


def load_action_settings(**options: Any) -> ActionSettings:
    """Read what the Action needs; else as ``load_run_settings``."""
    return _load(ActionSettings, options)


def keep_private() -> None:
    """Keep other processes of this user from reading our environment and memory (Linux).

    Code that runs without isolation (the sandbox ``process``) could else read every secret from
    /proc. Root still can (https://man7.org/linux/man-pages/man2/PR_SET_DUMPABLE.2const.html), but
    finds none in our environment: their values are written over where the kernel shows them.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError):  # done before
        fields = Path("/proc/self/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        at = int(fields[_ENV_START])
        for entry in Path("/proc/self/environ").read_bytes().split(b"\0"):
            name, _, value = entry.partition(b"=")
            if any(word in os.fsdecode(name).upper() for word in SECRET_NAMES):
                ctypes.memset(at + len(name) + 1, ord("*"), len(value))
            at += len(entry) + 1
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


SECRET_NAMES = (
    "KEY",
    "SECRET",
    "TOKEN",
    "PASSWORD",
    "DATABASE_URL",
    "EVENTS_URL",
    "NOTIFY",
    "_HEADERS",
)
"""What the name of a variable has in it whose value is a secret."""

_PR_SET_DUMPABLE = 4
_ENV_START = 47  # among the fields after the name, see proc_pid_stat(5)


def _load(kind: type[S], options: Mapping[str, Any]) -> S:
    problems = _unknown()
    try:
        settings = kind(**options)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        problems += [_problem(str(each["loc"][0]).upper(), each, kind) for each in details]
    else:
        if not problems:
            return settings
    # raised out here so that no traceback shows the validation's own error
    raise SettingsError(problems)


def _unknown() -> list[SettingsProblem]:
    known = [n.upper() for n in ServerSettings.model_fields if n.upper().startswith(OURS)]
    # what all names begin with says nothing about how near they are
    ends = [end.removeprefix(OURS) for end in known]
    problems = []
    for name in sorted(name for name in os.environ if name.startswith(OURS) and name not in known):
        near = difflib.get_close_matches(name.removeprefix(OURS), ends, n=1)
        hint = f"did you mean {OURS}{near[0]}? Otherwise unset it" if near else "unset it"
        problems.append(SettingsProblem(name, f"is not a setting of Cairn; {hint}"))
    return problems


def _problem(name: str, detail: Any, kind: type[RunSettings]) -> SettingsProblem:
    about = kind.model_fields[name.lower()].description if name.lower() in kind.model_fields else ""
    hint = (about or "").rstrip(".")
    match detail["type"]:
        case "missing":
            return SettingsProblem(name, f"is not set; set it ({hint})", missing=True)
        case _ if detail["type"] == MISSING:
            return SettingsProblem(name, detail["msg"], missing=True)
        case "value_error":
            return SettingsProblem(name, str(detail["ctx"]["error"]))
        case _:
            return SettingsProblem(name, f"{_should(detail)} ({hint})")


def _should(detail: Any) -> str:
    """What a value should be, in words that nobody has to know pydantic for."""
    match detail["type"]:
        case "int_parsing" | "int_from_float":
            return "should be a whole number"
        case "bool_parsing":
            return "should be 1 or 0"
        case "less_than_equal":
            return f"should be at most {detail['ctx']['le']:g}"
        case "too_short":
            return f"should have at least {detail['ctx']['min_length']} characters"
        case "greater_than_equal":
            return f"should be at least {detail['ctx']['ge']:g}"

        case _:
            return plain_message(detail["msg"]).rstrip(".")
