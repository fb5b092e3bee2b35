"""The table of docs/developers/benchmarks.md that ``make bench`` writes: what was measured last."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from bench.finding import Finding

PAGE = Path(__file__).parent.parent / "docs" / "developers" / "benchmarks.md"
_TABLE = re.compile(r"(?<=<!-- measured -->\n).*(?=<!-- /measured -->)", re.DOTALL)
_HEAD = "| measure | what | ours | beside it | ratio | goal | measured |"
_RULE = "|---|---|---|---|---|---|---|"


def written(page: str, measure: str, findings: Sequence[Finding], measured: str) -> str:
    """Return the page with these findings in place of those that its table has of the measure.

    ``measured`` says of which commit, and when.
    """
    rows = _TABLE.search(page)
    assert rows, "the page has no place for what is measured"
    kept = [row for row in rows[0].splitlines()[2:] if not row.startswith(f"| `{measure}` |")]
    kept += [_row(f"`{measure}`", finding, measured) for finding in findings]
    table = "".join(f"{row}\n" for row in (_HEAD, _RULE, *sorted(kept)))
    return _TABLE.sub(lambda _: table, page)


def _row(measure: str, finding: Finding, measured: str) -> str:
    peer, missed = finding.peer, " **missed**" if finding.ok is False else ""
    cells = (
        measure,
        finding.what,
        f"{finding.value:.4g} {finding.unit}",
        f"{peer.what}: {peer.value:.4g} {finding.unit}" if peer else "",
        "" if finding.ratio is None else f"{finding.ratio:.3g}",
        f"{finding.goal}{missed}",
        measured,
    )
    return "".join(f"| {cell.replace('|', '/')} " for cell in cells) + "|"


def here() -> str:
    """Say of which commit numbers are that are measured now, when, and at which load."""
    line = ("git", "-C", str(PAGE.parent), "describe", "--always", "--dirty=+", "--abbrev=8")
    commit = subprocess.run(line, capture_output=True, text=True, check=False).stdout.strip()
    return f"{commit or 'no commit'}, {date.today()}, load {os.getloadavg()[0]:.1f}"
