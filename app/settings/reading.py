"""Read the environment, and say everything that is wrong with it in one message."""

from __future__ import annotations

import ctypes
import difflib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from app.settings.models import ActionSettings, RunSettings, ServerSettings
from app.settings.registered import registered_app
from app.settings.setup import SetupSettings

S = TypeVar("S", bound=RunSettings)
OURS = "CAIRN_"


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one variable, and what to do."""

    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.name} {self.message}."


class SettingsError(Exception):
    """The environment cannot be used; one line a problem. Never contains a value."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        lines = "\n".join(f"  {problem}" for problem in problems)
        super().__init__(f"The settings (environment variables) have problems:\n{lines}")
        self.problems = tuple(problems)


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


def load_setup_settings(**options: Any) -> SetupSettings:
    """Read what registering an App needs; else as ``load_run_settings``."""
    return _load(SetupSettings, options)


def load_action_settings(**options: Any) -> ActionSettings:
    """Read what the Action needs; else as ``load_run_settings``."""
    return _load(ActionSettings, options)


def keep_private() -> None:
    """Keep other processes of this user from reading our environment and memory (Linux).

    Code that runs without isolation (the sandbox ``process``) could else read every secret from
    /proc. Root can all the same (https://man7.org/linux/man-pages/man2/PR_SET_DUMPABLE.2const.html).
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


_PR_SET_DUMPABLE = 4


def _load(kind: type[S], options: Mapping[str, Any]) -> S:
    problems = _unknown()
    try:
        settings = kind(**options)
    except ValidationError as error:
        problems += _problems(error, kind)
    else:
        if not problems:
            return settings
    # raised out here so that no traceback shows the validation's own error
    raise SettingsError(problems)


def _unknown() -> list[Problem]:
    known = [n.upper() for n in ServerSettings.model_fields if n.upper().startswith(OURS)]
    names = sorted(name for name in os.environ if name.startswith(OURS) and name not in known)
    return [Problem(name, _did_you_mean(name, known)) for name in names]


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    # what all names begin with says nothing about how near they are
    ends = [end.removeprefix(OURS) for end in known]
    near = difflib.get_close_matches(name.removeprefix(OURS), ends, n=1)
    hint = f"did you mean {OURS}{near[0]}? Otherwise unset it" if near else "unset it"
    return f"is no setting of Cairn; {hint}"


def _problems(error: ValidationError, kind: type[RunSettings]) -> list[Problem]:
    details = error.errors(include_url=False, include_input=False)
    return [_problem(str(detail["loc"][0]).upper(), detail, kind) for detail in details]


def _problem(name: str, detail: Any, kind: type[RunSettings]) -> Problem:
    about = kind.model_fields[name.lower()].description if name.lower() in kind.model_fields else ""
    hint = (about or "").rstrip(".")
    match detail["type"]:
        case "missing":
            return Problem(name, f"is not set; set it ({hint})")
        case "value_error":
            return Problem(name, str(detail["ctx"]["error"]))
        case _:
            text = detail["msg"].removeprefix("Input ").rstrip(".")
            return Problem(name, f"{text} ({hint})")
