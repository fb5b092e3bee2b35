"""Run a PHP project's tests with PHPUnit (https://docs.phpunit.de/en/11.0/textui.html)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from runner.findings import Level
from runner.ports import Box
from runner.verifiers.judging import judged, must_be_there, ran
from runner.verifiers.junit import read_report
from runner.verifiers.junit_dialects import plain
from runner.verifiers.reports import fetched_here, new_report
from runner.verifiers.tool import Read

_CONFIGURED = ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
_TEST = re.compile(r"(^|/)tests?/.*Test\.php$")
_START = """\
PATH="$PWD/vendor/bin:$PATH"; report=$1; shift
exec phpunit --log-junit "$report" "$@"
"""


class Phpunit:
    """The ``Tool`` for PHPUnit."""

    name = "phpunit"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether there are test classes by PHPUnit's names."""
        return any(map(_TEST.search, paths))

    async def run(self, box: Box, *, timeout: float, only: Sequence[str] = ()) -> Level:
        """Run all tests, or the one file of ``only`` where it is one."""
        report, files = new_report("xml"), sorted({name.split("::")[0] for name in only})
        known = await box.run(["sh", "-c", f"ls {' '.join(_CONFIGURED)} 2>/dev/null"], timeout=60)
        chosen = files if len(files) == 1 else [] if known.stdout.strip() else ["tests"]
        command = ["sh", "-c", _START, "sh", report, *chosen]
        typed = " ".join(["phpunit", *chosen])
        result, level = await ran(box, command, tool=self.name, timeout=timeout, shown_as=typed)
        must_be_there(result, "phpunit", how="composer install")
        xml = await fetched_here(box, report)
        return judged(level, result, lambda: read_report(xml, plain), timeout=timeout)
