"""What ``cairn roadmap show`` prints of many, long and wide tasks."""

from __future__ import annotations

from pathlib import Path

from rich.cells import cell_len

from app.roadmap.table import TableColumn, table_lines
from tests.app.cli.test_roadmap import cairn

COLUMNS = (TableColumn("n", 4, right=True), TableColumn("task", 0), TableColumn("also", 8))
WORDS = "Read every line of `src/reader.py` and say which one of them cannot be understood. "


def test_long_titles_go_on_below(tmp_path: Path) -> None:
    """No line is longer than a page, and no word is lost."""
    file = tmp_path / "ROADMAP.md"
    file.write_text(
        f"## Phase 1\n\n- [ ] 1.1 {WORDS * 3}\n- [ ] 1.2 {'読む' * 90}\n- [ ] 1.3 Sell\n"
    )

    said = cairn("show", str(file)).output
    lines = said.splitlines()[1:]

    assert max(map(cell_len, lines)) <= 120
    assert said.count("understood.") == 3
    assert said.count("読") == 90
    assert lines[-1].split() == ["3", "5", "[", "]", "1.3", "Sell", "work"]


def test_cells_that_are_too_long() -> None:
    """They are broken between words, and a word of its own within it; numbers stay on the right."""
    rows = [(["7", "one two three", "optional, 3 days"], ""), (["12", "  abcdefghijkl", ""], "")]

    assert list(table_lines(COLUMNS, rows, width=20, colours=False)) == [
        " n  task            also",
        " 7  one two three   optional",
        "                    , 3 days",
        "12    abcdefghijkl",
    ]


def test_styles_are_codes_of_the_terminal() -> None:
    """Each line is styled on its own, and only where colours are shown."""
    [_, plain] = table_lines(COLUMNS, [(["1", "a", "b"], "bold")], width=40, colours=False)
    [_, bold] = table_lines(COLUMNS, [(["1", "a", "b"], "bold")], width=40, colours=True)

    assert plain == "1  a     b"
    assert bold == f"\x1b[1m{plain}\x1b[0m"
