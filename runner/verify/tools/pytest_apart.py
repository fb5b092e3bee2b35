"""Start the tests in a child, and take its report from a pipe: for the sandbox.

Its arguments are how many seconds the tests may take (0: as long as they need), a file for the
names of those that have run, and pytest's own. The child goes on to ``pytest_running``; it begins
before pytest is loaded, because what is loaded before would be copied. Only what it sends in the
end is a report: one that the tests' own code writes is replaced or removed.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import sys
from pathlib import Path
from typing import Any

NO_TESTS, FORGED, STOPPED = 5, 76, 75
"""Exit codes: pytest's own where there are no tests, and those of ``pytest_running``."""


def heard(pipe: int, child: int, mark: bytes) -> tuple[int, Any]:
    """How the child ended, and what it sent; None where that is not all of it."""
    said, status = b"", None
    while True:
        # what the tests left running may hold the other end
        if select.select([pipe], [], [], 0.1)[0]:
            part = os.read(pipe, 1 << 20)
            said += part
            if not part:
                break
        elif status is not None:
            break
        else:
            ended, code = os.waitpid(child, os.WNOHANG)
            status = code if ended else None
    if status is None:
        status = os.waitpid(child, 0)[1]
    whole = len(said) > 2 * len(mark) and said.startswith(mark) and said.endswith(mark)
    return status, json.loads(said[len(mark) : -len(mark)]) if whole else None


def main() -> tuple[float, set[str], int, bytes]:
    """Return in the child, with what it needs; the parent ends here as the tests do."""
    names, report = (
        Path(sys.argv[3]),
        Path(next(w[11:] for w in sys.argv if w[:11] == "--junitxml=")),
    )
    known = set(names.read_text("utf-8").splitlines()) if names.is_file() else set()
    mark = secrets.token_bytes(16)
    pipe, end = os.pipe()
    child = os.fork()
    if not child:
        os.close(pipe)
        return float(sys.argv[2]), known, end, mark
    os.close(end)
    status, said = heard(pipe, child, mark)
    report.unlink(missing_ok=True)
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    code = os.WEXITSTATUS(status)
    if said is None:
        sys.exit(1 if code in (NO_TESTS, STOPPED) else code)
    told, text, ran = said
    if text and told != FORGED:
        report.write_text(text, "utf-8")
    if ran:
        names.unlink(missing_ok=True)
        names.write_text("\n".join(ran), "utf-8")
    os._exit(code or told)  # nothing is left to tidy up: that would take as long as forking


if __name__ == "__main__":
    begun = main()
