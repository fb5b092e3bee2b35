"""Do old failures of files that use what changed run a changed line at all?"""

from __future__ import annotations

from runner.code.languages import is_test_file
from runner.nodes.covered import changed_lines
from runner.nodes.work import NodeWork
from runner.verify import is_pytest
from runner.verify.assessment import Assessment, plain_id
from runner.verify.reach import lines_run

_MOST = 50
_LONGEST = 120.0


async def apart_from(work: NodeWork, found: Assessment) -> frozenset[str]:
    """The tests in the way that run no changed line; none where not all of it can be traced.

    What is not a test has to be Python with lines that are there now. They are run once more
    together: where one of them reaches the change, all may.
    """
    lines, ids = await changed_lines(work), found.in_the_way
    if not 0 < len(ids) <= _MOST or not all(
        lines.get(path) or is_test_file(path) for path in work.changes.files
    ):
        return frozenset()
    tools = {tool.name: tool for tool in work.tools if is_pytest(tool)}
    apart: set[str] = set()
    for level in found.verification.tests:
        own = [f.test for f in level.failures if f.test in ids]
        tool = tools.get(level.tool)
        if tool is None or not own:
            continue
        session, seconds = await work.session(), min(_LONGEST, work.seconds)
        only = sorted(set(map(plain_id, own)))
        if await lines_run(session, lines, tool, only, timeout=seconds) == 0:
            apart.update(own)
    return frozenset(apart)
