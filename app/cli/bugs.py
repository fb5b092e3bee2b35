"""A bug on the command line: one sentence, and the details in a file; never a bare traceback."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from types import TracebackType

_SECRET = ("KEY", "SECRET", "TOKEN", "PASSWORD", "DATABASE_URL")


def one_sentence(
    kind: type[BaseException], error: BaseException, where: TracebackType | None
) -> None:
    """Take the place of ``sys.excepthook``. What is written is masked."""
    from pydantic import SecretStr

    from app.logs import mask_for

    names = (name for name in os.environ if any(word in name.upper() for word in _SECRET))
    mask = mask_for(SecretStr(os.environ[name]) for name in names if os.environ[name])
    details = mask("".join(traceback.format_exception(kind, error, where)))
    said = " ".join(f"{kind.__name__}: {error}".split())[:300]
    print(
        f"Internal error: {mask(said)}. What was committed stays. {_kept(details)}",
        file=sys.stderr,
    )


def _kept(details: str) -> str:
    try:
        handle, name = tempfile.mkstemp(prefix="cairn-error-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(details)
    except OSError:
        return "Do the same again with --verbose to see where it happened, and report it, please."
    return f"The details are in {name}; report them, please."
