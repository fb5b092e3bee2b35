"""Lists whose lines, not only their headings, say whether they are work or checks of it."""

from __future__ import annotations

import pytest

from runner.roadmap.kinds import about_checks, reading
from runner.roadmap.parse import parse_roadmap

WORK = "# Plan\n\n## Kiln\n\n- [ ] Add the kiln timer\n- [ ] Store each firing\n"


def kinds(text: str) -> dict[str, str]:
    """What each checkbox of a roadmap is, by its title."""
    return {task.title: task.kind for task in parse_roadmap("ROADMAP.md", text.encode()).tasks}


def below(heading: str, *lines: str) -> set[str]:
    """The lines of a list below a heading, after a section of work, that are checks."""
    found = kinds(f"{WORK}\n{heading}\n\n" + "".join(f"- [ ] {line}\n" for line in lines))
    return {title for title, kind in found.items() if kind == "check"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Add a timer that works offline", "makes"),
        ("Build the shelf", "makes"),
        ("Build passes on a clean machine", "holds"),
        ("Load tests completed", "order"),
        ("Load tests for the kiln", "makes"),
        ("No glaze is lost", "holds"),
        ("The kiln page loads in under 2 s", "holds"),
        ("p95 < 200 ms", "holds"),
        ("Potters can book a slot", "holds"),
        ("Kiln pages still render without pictures", "holds"),
        ("`kiln audit --level=high` exits 0.", "holds"),
        ("Booking works on phones", "holds"),
        ("**Booking:** a slot is kept for an hour", "holds"),
        ("Security audit done", "order"),
        ("`GET /kilns` → 200", "order"),
        ("Verify the glaze chart", "order"),
        ("DNS configured for the shop", "made"),
        ("Anuncio publicado", "made"),
        ("Prices used everywhere", "made"),
        ("Kiln calendar", ""),
        ("Unit tests for glazes", ""),
        ("Glaze chart -> PDF", "leads"),
    ],
)
def test_lines(line: str, expected: str) -> None:
    """A line that begins with a verb of making is work, whatever else it says."""
    assert reading(line) == expected


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Testing", "tests"),
        ("✅ Smoke checks", "tests"),
        ("4.2 In-studio testing", "tests"),
        ("Studio checklist", "list"),
        ("Launch checklist", "launch"),
        ("Pre-deployment", "launch"),
        ("Implementation checklist", "work"),
        ("Input validation", "work"),
        ("E2E testing (Playwright)", "work"),
        ("Kiln", ""),
        ("Checkout", ""),
        ("Write the tests", ""),
    ],
)
def test_headings(heading: str, expected: str) -> None:
    """What a heading is about says how much the lines below it have to state."""
    assert about_checks(heading) == expected


@pytest.mark.parametrize(
    "heading",
    [
        "## Launch checklist",
        "## Testing",
        "## Checklist\n\n### Before the fair",
        "## Checklist\n\n### Validation",
    ],
)
def test_a_list_of_what_holds(heading: str) -> None:
    """Where most lines state what holds, the others of the list are checks, too."""
    lines = (
        "All kilns are listed",
        "Booking works on phones",
        "No errors in the log",
        "Price list",
    )

    assert below(heading, *lines) == set(lines)


@pytest.mark.parametrize("heading", ["## Launch checklist", "## Testing", "## Checks"])
def test_a_list_of_things_to_do(heading: str) -> None:
    """Below the same headings there may be work: nothing of it is lost."""
    assert below(heading, "Buy the domain", "Add a sitemap", "Price list", "Test the oven") == set()


@pytest.mark.parametrize(
    "heading", ["## Phase 4: Polish & QA", "### Sprint 3: Testing", "## Phase 2 - Launch checklist"]
)
def test_what_a_phase_wants_is_work(heading: str) -> None:
    """Its goals are often said as what holds."""
    assert below(heading, "Dark mode works everywhere", "All pages are quick") == set()


def test_names_of_things_below_testing() -> None:
    """Where every third line only names something, the others alone are checks."""
    lines = ("Booking works", "Prices are right", "Kiln calendar")

    assert below("## Testing", *lines) == set(lines[:2])
    assert below("## Checklist", *lines) == set(lines)


def test_work_between_what_holds() -> None:
    """What says what to make stays work in a list of checks, and what holds a check among work."""
    lines = (
        "All kilns are listed",
        "Booking works",
        "No log errors",
        "Prices are right",
        "Shop live",
    )

    assert below("## Launch checklist", *lines, "Add a sitemap") == set(lines)
    work = ("Add a sitemap", "Buy the domain", "Write the terms")
    assert below("## Launch checklist", *work, "Booking works") == {"Booking works"}


def test_what_was_made_is_a_check_only_before_a_launch() -> None:
    """ "Rate limits added" is a task in other words, unless the list is gone through at the end."""
    lines = ("DNS configured", "Rate limits added", "Terms published")

    assert below("## Launch checklist", *lines) == set(lines)
    assert below("## Security checklist", *lines) == set()
    assert below("## Testing", *lines) == set()


def test_what_comes_of_something() -> None:
    """Lines with an arrow are cases to try below a heading of testing, and steps elsewhere."""
    lines = ("Photo of a pot → its glaze", "A wet pot → a warning", "Two pots → the larger one")

    assert below("## Test scenarios", *lines) == set(lines)
    assert below("## Checklist", *lines) == set()
    assert below("## Kiln", *lines) == set()


def test_automated_tests_are_work() -> None:
    """Each line is a test to write, though it says what is to hold."""
    lines = ("The timer is stopped by a second click", "Booking twice → 409")

    assert below("## Tests\n\n### Unit tests", *lines) == set()


def test_ids_are_tasks() -> None:
    """What has an id is a task of its own, whatever it states."""
    assert below("## Testing", "T-1 Booking works", "T-2 All prices are right") == set()


def test_a_checkbox_that_only_names_checks() -> None:
    """In a checklist it is no work when all below it are checks."""
    within = "## Launch checklist\n\n- [ ] Shop:\n  - [ ] Booking works\n  - [ ] No log errors\n"
    assert kinds(f"{WORK}\n{within}")["Shop:"] == "check"


def test_a_file_of_nothing_else() -> None:
    """A list of what a program does is its work; one gone through before a launch is not."""
    features = parse_roadmap("ROADMAP.md", b"# Tests\n\n- [ ] Booking works\n- [ ] It is fast\n")
    launch = parse_roadmap(
        "ROADMAP.md", b"## Launch checklist\n\n- [ ] DNS set\n- [ ] Shop works\n"
    )

    assert [task.kind for task in features.tasks] == ["work", "work"]
    assert [task.kind for task in launch.tasks] == ["check", "check"]
    assert "checklist of what must be true" in launch.asks


def test_checks_by_their_lines_are_criteria() -> None:
    """The model gets them with the work of their section."""
    text = (
        "## Kiln\n\n- [ ] Add the timer\n\n### Checks\n\n- [ ] The timer is shown\n- [ ] It works\n"
    )

    task = parse_roadmap("ROADMAP.md", text.encode()).tasks[0]

    assert task.acceptance == ("The timer is shown", "It works")


SCANS = "### Automated scans\n\n- [ ] `kiln audit` exits 0\n- [ ] `kiln lint` exits 0\n"
ROUTES = "### Public routes\n\n- [ ] Orders reject strangers\n- [ ] Pages render on phones\n"


def test_a_validation_in_several_parts() -> None:
    """Its parts are judged as parts of it, whatever their headings say; a phase is none."""
    found = kinds(f"{WORK}\n## Final validation\n\n{SCANS}\n{ROUTES}")
    assert sorted(found.values()) == ["check"] * 4 + ["work"] * 2

    phase = kinds(f"{WORK}\n## Phase 2: Testing\n\n{ROUTES}")
    assert set(phase.values()) == {"work"}


def test_a_file_with_checks_of_two_kinds() -> None:
    """What holds is no work where other checkboxes are checks, too."""
    file = f"## Fix the kiln\n\n### Definition of done\n\n- [ ] It is warm\n\n## Checks\n\n{SCANS}"

    assert set(kinds(file).values()) == {"check"}


@pytest.mark.parametrize("heading", ["Nice to have", "Nice to Have 🎯", "Stretch goals"])
def test_wishes_below_criteria(heading: str) -> None:
    """They are no criteria, and not run unasked."""
    text = f"{WORK}\n## Success criteria\n\n### {heading}\n\n- [ ] Colours of the glaze\n"

    task = parse_roadmap("ROADMAP.md", text.encode()).tasks[-1]

    assert (task.title, task.kind, task.runnable) == ("Colours of the glaze", "work", False)


def test_a_plan_that_reviews_itself() -> None:
    """What it says of itself in the end is no work, whatever the parts are called."""
    review = "## Self-Review Checklist\n\n### Spec coverage\n\n- [x] Timer and shelf: task 1\n"

    assert kinds(f"{WORK}\n{review}")["Timer and shelf: task 1"] == "check"


@pytest.mark.parametrize(
    "heading",
    [
        "Questions to answer",
        "Week 3: Several kilns (optional enhancement)",
        "Later kilns (out of scope for now)",
        "Faz 6 (opsiyonel ama kolay)",
    ],
)
def test_what_is_not_to_be_done_now(heading: str) -> None:
    """A section says so in its heading."""
    text = f"{WORK}\n## {heading}\n\n- [ ] Which kiln comes first?\n"

    assert not parse_roadmap("ROADMAP.md", text.encode()).tasks[-1].runnable


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("Milestone 1 Completion Gate", "Two clients exchange packets"),
        ("Release gates checklist", "Resilience: packet loss"),
        ("Phase 2", "Exit criteria: the page shows the kiln"),
    ],
)
def test_gates_and_criteria_in_a_line(heading: str, line: str) -> None:
    """Gates are criteria, and a line may say itself that it is one."""
    text = f"{WORK}\n## {heading}\n\n- [ ] Add the shelf\n- [ ] {line}\n"

    assert kinds(text)[line] == "check"
    assert (
        kinds(f"{WORK}\n- [ ] Search criteria: colour and size\n")[
            "Search criteria: colour and size"
        ]
        == "work"
    )
