"""The file that keeps the App's secrets: made once, for its owner alone, never overwritten."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from app.setup import words
from app.setup.exchange import Registered
from app.setup.refusal import Refusal, Unusable


class SecretFile:
    """A file of environment variables that does not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def free(self) -> None:
        """Raise ``Unusable`` unless the file can be made."""
        try:
            if os.path.lexists(self.path):
                raise Unusable(words.EXISTS.format(file=self.path))
            folder = self.path.parent
            if not folder.is_dir():
                raise Unusable(words.NO_FILE.format(file=self.path, why=f"no folder {folder}"))
        except OSError as error:
            raise Unusable(words.NO_FILE.format(file=self.path, why=error.strerror)) from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise Unusable(words.NO_FILE.format(file=self.path, why="its folder is read-only"))

    @contextmanager
    def reserved(self) -> Iterator[Callable[[str], None]]:
        """Make the file and give what writes it; an exception takes it away again.

        It is made before GitHub gives the secrets, which it does once: without a place for them
        they are not asked for. Raises ``Refusal`` when it exists or cannot be made.
        """
        try:
            # O_EXCL does not follow a link that someone has put there
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            raise Refusal(409, words.EXISTS.format(file=self.path)) from error
        except OSError as error:
            why = error.strerror
            raise Refusal(409, words.NO_FILE.format(file=self.path, why=why)) from error
        kept = False
        try:
            yield lambda text: _write(descriptor, text)
            kept = True
        finally:
            os.close(descriptor)
            if not kept:
                with suppress(OSError):
                    self.path.unlink()

    def start(self) -> str:
        """Return the shell command that starts the server with this file."""
        path = str(self.path)
        # without a slash a shell looks for the file on PATH
        name = shlex.quote(path if "/" in path else f"./{path}")
        return f"set -a; . {name}; set +a; cairn serve"


def contents(app: Registered, values: Mapping[str, str]) -> str:
    r"""Return the lines of the file: the App, then ``values`` (other settings).

    The key is one line with ``\n`` for line ends, in double quotes: a shell, compose and systemd
    read it alike.
    """
    key = app.pem.get_secret_value().strip().replace("\n", "\\n")
    lines = [
        f"GITHUB_APP_ID={app.id}",
        f'GITHUB_APP_PRIVATE_KEY="{key}"',
        f"GITHUB_WEBHOOK_SECRET={shlex.quote(app.webhook_secret.get_secret_value())}",
        *(f"{name}={shlex.quote(value)}" for name, value in values.items()),
    ]
    return words.HEAD.format(slug=app.slug, page=app.html_url) + "\n".join(lines) + "\n"


def _write(descriptor: int, text: str) -> None:
    left = memoryview(text.encode())
    while left:
        left = left[os.write(descriptor, left) :]
    os.fsync(descriptor)
