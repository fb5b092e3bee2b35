"""What a terminal shows of a run at work."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from app.show.live import TaskAtWork
from tests.app.show.drawing import ROADMAP, at_work, drawn
from tests.runner.fields import changed

COLOUR = re.compile(r"\x1b\[[\d;]*m")


def lines(text: str) -> list[str]:
    """The lines as they are seen."""
    return [line.rstrip() for line in COLOUR.sub("", text).splitlines()]


def test_the_whole_picture() -> None:
    """Headline, phases, and the task in hand with its node, repairs, tokens and time."""
    view = at_work(code_repairs=1, test_repairs=2)

    shown = lines(drawn(view, plain=True))

    assert shown[0] == "Cairn r1 - 1 of 4 tasks - 1:10 - 1,200 tokens - $0.5000"
    assert re.fullmatch(r"  Phase 1: Basics +#####\.{11} 1/3", shown[1])
    assert re.fullmatch(r"  Phase 2: More +\.{16} 0/1", shown[2])
    assert re.fullmatch(
        r"[-|/\\] 1\.2 Add +verify_task repairs: 1 code, 2 test 1,200 tokens 1:05", shown[3]
    )
    assert len(shown) == 4


def test_a_price_that_is_not_known() -> None:
    """An unknown price is said, and is no 0."""
    view = at_work()
    assert view.state is not None
    (key,) = view.at_work
    attempt = view.state.attempts[key]
    usage = {
        node: replace(used, cost=0.0, unpriced=1) for node, used in attempt.spent.usage.items()
    }
    view = replace(view, state=view.state.put(changed(attempt, usage=usage)))

    headline = lines(drawn(view))[0]

    assert headline.endswith("cost unknown")
    assert "$" not in headline


def test_several_tasks_in_hand() -> None:
    """Each has a line of its own."""
    view = at_work()
    assert view.state is not None
    other = {view.state.tasks[3].key: TaskAtWork("execute_task", 60.0)}

    shown = lines(drawn(replace(view, at_work={**view.at_work, **other})))

    assert "1.2 Add" in shown[-2]
    assert re.search(r"2\.1 Double +execute_task +0:10", shown[-1])


@pytest.mark.parametrize("width", [20, 40, 60, 79, 80, 200])
@pytest.mark.parametrize("height", [4, 6, 10, 24])
def test_it_fits(width: int, height: int) -> None:
    """Nothing is wider or higher than the terminal, however long titles and roadmaps are."""
    many = "".join(
        f"\n## Phase {n}: {'words ' * 40}\n\n- [ ] {n}.1 {'long ' * 60}\n" for n in range(1, 30)
    )

    shown = lines(drawn(at_work(many), width=width, height=height))

    assert len(shown) < height
    assert all(cell_len(line) <= width for line in shown)


def test_the_phase_at_work_is_in_sight() -> None:
    """Of many phases the one with the task in hand is shown, and how many are not."""
    many = "".join(f"\n## Phase {n}: Name{n}\n\n- [ ] {n}.1 Do\n" for n in range(1, 30))
    view = at_work(many)
    assert view.state is not None
    view = replace(view, at_work={view.state.tasks[19].key: TaskAtWork("execute_task", 60.0)})

    shown = "\n".join(lines(drawn(view, height=12)))

    assert "Phase 20: Name20" in shown
    assert "Phase 1: Name1" not in shown
    assert re.search(r"\d+ more phases", shown)


@pytest.mark.parametrize(
    "evil",
    [
        "\x1b[2J\x1b[H",
        "\x1b]0;mine\x07",
        "\u202egnp.exe",
        "[bold red]x[/bold red]",
        "[link=x]",
        ":smile:",
    ],
)
def test_text_of_others_does_nothing(evil: str) -> None:
    """A title can neither act on the terminal nor be taken for markup: it is read as it is."""
    title = f"Add{evil}end"

    shown = drawn(at_work(ROADMAP.replace("1.2 Add", f"1.2 {title}")))

    assert not re.search(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e]", shown)
    assert "\x1b" not in COLOUR.sub("", shown)
    if evil.isprintable():
        assert title in shown


def test_without_unicode() -> None:
    """Where only ASCII can be shown nothing else is, not even in titles."""
    shown = drawn(
        at_work(ROADMAP.replace("1.2 Add", "1.2 Größe …").replace("More", "日本")), plain=True
    )

    assert shown.isascii()
    assert "Gr\\xf6\\xdfe" in shown
