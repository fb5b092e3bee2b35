"""``python -m app`` is ``cairn``: it answers Ctrl-C also while it is being imported."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Entry point of ``cairn``; a command that has nothing to say of Ctrl-C ends with one line."""
    try:
        try:
            from app.cli.main import main as cairn

            cairn()
        finally:  # what is left is short, and Python would print a traceback of what it cuts off
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except (KeyboardInterrupt, SystemExit) as end:
        # typer makes an exit of what nobody caught, and says nothing
        cause = getattr(end.__context__, "__cause__", None)
        if isinstance(end, SystemExit) and not isinstance(cause, KeyboardInterrupt):
            raise
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
