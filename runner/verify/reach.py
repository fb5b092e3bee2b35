"""Which changed lines of Python a few tests run, import time left out; no package is needed.

Code is traced from the end of collection on (https://docs.python.org/3/library/sys.html#sys.settrace),
so that a line that every import of a file runs does not count. What another process runs is not
seen, be it a worker of pytest-xdist or what a test starts: then nothing is known.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Sequence

from runner.ports import SandboxSession
from runner.verify.coverage import ENDED, Lines
from runner.verify.judging import Tool, fetched, new_report
from runner.verify.projects import Inside
from runner.verify.tools.python import beside_pytest

_TRACE = """
import json, threading
from functools import lru_cache
report, lines = sys.argv[2], json.loads(sys.argv[3])
files = {os.path.realpath(path): (path, set(numbers)) for path, numbers in lines.items()}
seen, doubts = set(), ["not collected here"]
STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec"}
def audit(event, arguments):
    if event in STARTS:
        doubts.append(event)
sys.addaudithook(audit)
real = lru_cache(None)(os.path.realpath)
def trace(frame, event, argument):
    path, numbers = files.get(real(frame.f_code.co_filename), ("", ()))
    if not path:
        return None
    if event == "line" and frame.f_lineno in numbers:
        seen.add((path, frame.f_lineno))
    return trace
class Reach:
    def pytest_runtest_logfinish(self, nodeid):
        if sys.gettrace() is not trace:
            doubts.append("traced by another")
    def pytest_collection_finish(self, session):
        doubts.remove("not collected here")
        threading.settrace(trace)
        sys.settrace(trace)
code = pytest.main(sys.argv[4:], plugins=[Reach()])
sys.settrace(None)
doubts += [name for name in sys.modules if name.startswith("multiprocessing.popen_")]
with open(report, "w") as file:
    json.dump(None if doubts else sorted(seen), file)
sys.exit(code)
"""


async def lines_run(
    session: SandboxSession, changed: Lines, tool: Tool, ids: Sequence[str], *, timeout: float
) -> frozenset[tuple[str, int]] | None:
    """Return the ``changed`` lines that these tests run together; None if that is not known."""
    folder = tool.folder if isinstance(tool, Inside) else ""
    inner = await tool.opened(session) if isinstance(tool, Inside) else session
    report = new_report("json")
    lines = {posixpath.relpath(path, folder or "."): sorted(of) for path, of in changed.items()}
    only = [name.removeprefix(f"{folder}/") for name in ids] if folder else list(ids)
    command = [*beside_pytest("", _TRACE, report, json.dumps(lines)), *only]
    result = await inner.run(command, timeout=timeout)
    content = await fetched(inner, report)
    if result.timed_out or result.exit_code not in ENDED:
        return None
    try:
        found = [(str(path), int(line)) for path, line in json.loads(content)]
    except (ValueError, TypeError):  # ``null``, or no report
        return None
    return frozenset(
        (posixpath.normpath(posixpath.join(folder, path)), line) for path, line in found
    )
