"""What ``make bench`` writes into docs/developers/benchmarks.md."""

from __future__ import annotations

from bench.finding import Finding, Peer
from bench.table import PAGE, written


def test_a_measure_replaces_its_own_lines_and_no_others() -> None:
    page = PAGE.read_text(encoding="utf-8")
    old = Finding(what="a row", value=1, unit="s")
    new = Finding(what="a|b", value=3, unit="s", peer=Peer(what="c", value=2), goal="< 1", ok=False)

    page = written(written(page, "zz", [old, old], "abc"), "zy", [old], "abc")
    page = written(page, "zz", [new], "def, load 1")

    assert [line for line in page.splitlines() if line.startswith(("| `zz` |", "| `zy` |"))] == [
        "| `zy` | a row | 1 s |  |  |  | abc |",
        "| `zz` | a/b | 3 s | c: 2 s | 1.5 | < 1 **missed** | def, load 1 |",
    ]
    assert page.startswith(PAGE.read_text(encoding="utf-8").partition("<!-- measured -->")[0])
