"""What people mean by a checkbox: work, a check of it, or nothing that is to be run unasked."""

from __future__ import annotations

import pytest

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Task

# ruff: noqa: RUF001 (the marks of other languages are meant)


def read(text: str) -> list[Task]:
    """The tasks of a file."""
    return list(parse_roadmap("ROADMAP.md", text.encode()).tasks)


@pytest.mark.parametrize(
    "said",
    [
        "**Success criteria v1:**",
        "Success criteria 0.2:",
        "**Success criteria 0.2:** ✅ Done",
        "Start the server and verify:",
        "Deployment success criteria",
        "**MVP acceptance criteria (all of them):**",
        "Acceptance criteria for the shop",
        "Criterios de exito:",
        "Criterios de éxito del MVP:",
        "Criteres d'acceptation:",
        "Critères d’acceptation :",
        "**Akzeptanzkriterien für Phase 1:**",
        "### 1.4 Acceptance Criteria & Verification",
        "### Phase 1 Success",
        "### Critérios de Aceitação do MVP",
        "### v1 completion checklist",
        "### Success criteria\n\n#### Phase 1",
        "### Success criteria\n\n#### Phase 1 Success",
        "### Success criteria overall — version 2\n\n**Numbers:**",
        "### Criterios de éxito globales\n\n**Cifras:**",
        "Acceptance checks:",
        "### Manual validation",
        "### 7. Validação manual (no aparelho)",
        "**Test plan:**",
        "### Testing checklist",
        "### Checklist de pruebas",
        "### Checklist for every pull request",
        "### Code review checklist",
        "### Weekly checks",
        "### 5. Live gate conditions",
        "## Success metrics\n\n### Phase 1 (Shop) - current",
        "## Success metrics\n\n### Overall success",
        "### Launch criteria",
        "### Freigabekriterien",
        "### Critères de sortie",
        "### Критерии выхода",
        "### テスト項目",
        "### 验证标准",
        "## Track A 完结标准",
        "### 受け入れの基準",
        "### 검증 기준",
    ],
)
def test_labels_of_checks(said: str) -> None:
    """With or without accents, with something before or after them, they introduce checks."""
    shop, check = read(f"## Phase 1\n\n- [ ] Sell things\n\n{said}\n\n- [ ] a thing is sold\n")

    assert (shop.kind, shop.acceptance) == ("work", ("a thing is sold",))
    assert check.kind == "check"


@pytest.mark.parametrize(
    "said",
    [
        "### Search criteria",
        "### Suchkriterien",
        "### Критерии поиска",
        "### Define the launch criteria",
        "### 完成",
        "### 検索条件",
        "### 测试清单",
    ],
)
def test_labels_that_only_look_like_those_of_checks(said: str) -> None:
    """Criteria may be a feature, or still to be written, and a word may be part of another."""
    shop, more = read(f"## Phase 1\n\n- [ ] Sell things\n\n{said}\n\n- [ ] Sort things\n")

    assert (shop.kind, more.kind) == ("work", "work")


def test_checks_of_a_phase_in_a_section_of_their_own() -> None:
    """They belong to the work of that phase, not to all."""
    tasks = read(
        "## Phase 1: Shop\n- [ ] a\n## Phase 2: Bank\n- [ ] b\n"
        "## Success criteria\n### Phase 1 Success\n- [ ] sold\n### Phase 2 (cards)\n- [ ] paid\n"
        "### Phase 3\n- [ ] sent\n"
    )

    assert [task.acceptance for task in tasks if task.kind == "work"] == [("sold",), ("paid",)]


@pytest.mark.parametrize(
    "said",
    [
        "Write the acceptance criteria:",
        "**Test and verify**",
        "### Phase 2: Verification",
        "### Success metrics dashboard",
        "### Acceptance criteria editor",
        "### Success stories",
        "### Release checklist",
        "### Write a test plan",
        "### Create the testing checklist",
        "### Validation and testing",
        "### Manual testing mode",
        "### Checklists for all teams",
        f"### {'-' * 110}check",
        f"### {'check-' * 18}",
        "## Success criteria\n\n### Phase 2: remaining tasks",
        "### 1.2 Verification of addresses",
        "Everything meets the acceptance criteria for now.",
    ],
)
def test_labels_of_work(said: str) -> None:
    """Words that only resemble those of checks head work."""
    assert [task.kind for task in read(f"- [ ] a\n\n{said}\n\n- [ ] b\n")] == ["work", "work"]


@pytest.mark.parametrize(
    "text",
    [
        "Add roles for readers - optional",
        "Add roles for readers — opcional",
        "Add roles (optional but nice)",
        "Add roles (optional, aber schön)",
        "Add roles (if needed)",
        "Add roles (only if needed).",
        "Rollen anlegen (falls nötig)",
        "Añadir roles (si es necesario)",
        "追加する（必要に応じて）",
        "**2.6 (опция, можно отложить) Добавить роли.**",
        "(optional, later) Add roles",
        "Add roles (stretch goal - only if somebody asks)",
        "Add roles (if needed for readers)",
        "1.3 Optional: add roles",
        "Optional (after 1.2): add roles",
        "Add roles (if applicable)",
        "Add roles (if/when needed)",
        "Ajouter les rôles (si disponibles)",
        "Add roles (later)",
        "Add roles (deferred to v1.2)",
        "Add roles — **deferred**",
        "Phase 3 (deferred): add roles",
        "Rollen anlegen (verschoben auf Version 2)",
    ],
)
def test_optional_tasks(text: str) -> None:
    """What a person calls optional is not run unasked."""
    [task] = read(f"- [ ] {text}\n")

    assert (task.marks.optional, task.runnable) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "Add optional fields",
        "Read a limit (optional, 10 by default)",
        "Create folders (if needed) and write the file",
        "Add retry (optionally with a limit)",
        "Support `- optional` in options",
        "Keep what was read (later reads are free)",
        "Show deferred orders (deferred ones are grey)",
    ],
)
def test_tasks_about_something_optional(text: str) -> None:
    """A task about something optional is work."""
    [task] = read(f"- [ ] {text}\n")

    assert task.runnable


@pytest.mark.parametrize(
    "heading",
    [
        "Phase 8: Templates (Optional, 1 day)",
        "8. Optional: templates",
        "Optional enhancements",
        "Phase 8: Templates (later)",
        "Other potential features",
        "Posibles mejoras",
        "Rollback Plan",
        "Out of scope",
    ],
)
def test_sections_that_are_not_run(heading: str) -> None:
    """So is what its section calls optional, or keeps for when something goes wrong."""
    first, second = read(f"## Phase 1\n- [ ] a\n## {heading}\n### 8.1 Files\n- [ ] b\n")

    assert (first.runnable, second.runnable) == (True, False)


def test_a_section_about_something_optional() -> None:
    """It is work like any other."""
    [task] = read("## Optional parameters\n- [ ] Read them\n")

    assert task.runnable


@pytest.mark.parametrize(
    "text",
    [
        "# Tasks of {{NAME}}\n## Setup\n- [ ] a\n## Tests\n- [ ] b\n",
        "# Engine\n## Read `{{NAME}}`\n- [ ] a\n## Write `{{NAME}}`\n- [ ] b\n",
        "# Engine\n## Read {{NAME}}\n- [ ] a\n- [ ] b\n## Tests\n- [ ] c\n",
    ],
)
def test_files_that_only_mention_names_to_fill_in(text: str) -> None:
    """One forgotten name, or a heading about such names, makes no template."""
    assert all(task.runnable for task in read(text))


@pytest.mark.parametrize(
    "text",
    [
        "02-01: TBD",
        "02-01: TBD during planning",
        "TBD (divide phase 2 first)",
        "Plans: TBD",
        "A definir",
        "À définir",
        "Noch offen",
        "уточняется",
        "待定",
        "未定",
        "미정",
        "...",
        "[Tarea 1]",
    ],
)
def test_placeholders(text: str) -> None:
    """What stands where a task is still to be written is not run; the file is no template."""
    roadmap = parse_roadmap("R", f"- [ ] 01-01: Sell\n- [ ] {text}\n- [ ] Buy\n".encode())

    assert [task.runnable for task in roadmap.tasks] == [True, False, True]
    assert roadmap.asks == ""


def test_tasks_that_mention_what_is_undecided() -> None:
    """A task with more words than that is work."""
    assert all(task.runnable for task in read("- [ ] Replace TBD in `a.md`\n- [ ] TBD: sell\n"))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("---\n\n# Shop\n\n- [ ] a\n\n---\n\n- [ ] b\n", [5, 9]),
        ("---\n# Shop\n- [ ] a\n---\n- [ ] b\n", [3, 5]),
        ("---\n- [ ] a\n---\n", [2]),
        ("---\ntitle: Shop\n---\n- [ ] b\n", [4]),
        ("---\n# kept by hand\n\ntitle: Shop\ntodo: |\n  - [ ] no\n---\n- [ ] b\n", [8]),
    ],
)
def test_a_rule_at_the_beginning(text: str, lines: list[int]) -> None:
    """A file that begins with a rule has no front matter: that begins with a key."""
    assert [task.place.line for task in read(text)] == lines


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "1.1 Write the parser so that it\n  reads all of it. Then write more.",
            "Write the parser so that it reads all of it.",
        ),
        ("**Write** the parser, e.g. of\n  two files", "Write the parser, e.g. of two files"),
        ("Write the parser —\n  _partly: done_", "Write the parser — partly: done"),
        ("Sell. Then buy and\n  send", "Sell."),
        ("Write the parser.\n  It reads Python.", "Write the parser."),
        ("Write the parser\n  It reads Python.", "Write the parser"),
        ("Write the parser:\n  it reads Python.", "Write the parser:"),
        ("Write the parser  \n  of Python", "Write the parser"),
        ("Write the parser\n  **Files:** `a.py`", "Write the parser"),
        ("Write the parser\n  Files: `a.py`", "Write the parser"),
        ("解析器を書く、そして\n  読む。もっと", "解析器を書く、そして読む。"),
    ],
)
def test_titles(text: str, title: str) -> None:
    """A title is the whole first sentence, also over several lines; a line of its own stays."""
    [task] = read(f"- [ ] {text}\n")

    assert task.title == title


def test_a_struck_line_stays_struck() -> None:
    """What goes on below a crossed-out line does not bring it back."""
    [task] = read("- [ ] ~~Write the parser~~\n  because it exists\n")

    assert task.marks.struck


@pytest.mark.parametrize(
    "said",
    [
        "Verify that the shop opens",
        "Verify: the shop opens",
        "**Confirm:** `make test` passes",
        "Manually verify the prices",
        "◇ Checkpoint 1: the shop opens",
        "Prüfen, ob der Laden öffnet",
        "Vérifier que la boutique ouvre",
        "Verificar que la tienda abre",
        "Проверить, что магазин открыт",
        "テスト：店が開くことを確認",
        "验证：商店可以打开",
    ],
)
def test_lines_that_are_checks_by_their_words(said: str) -> None:
    """Among work they are checks of it."""
    shop, check = read(f"## Phase 1\n\n- [ ] Sell things\n- [ ] {said}\n")

    assert (shop.kind, check.kind) == ("work", "check")
    assert len(shop.acceptance) == 1


@pytest.mark.parametrize(
    "said",
    [
        "Verify email addresses",
        "Check prices every hour",
        "Confirm orders by mail",
        "1.2 Verify that the shop opens",
        "テスト：店のデータを作成",
    ],
)
def test_lines_that_verify_and_are_work(said: str) -> None:
    """A feature may be to verify something; and what has an id is a task of its own."""
    assert [task.kind for task in read(f"- [ ] Sell things\n- [ ] {said}\n")] == ["work", "work"]


def test_lines_of_checks_alone_are_work() -> None:
    """There is nothing beside them whose checks they could be."""
    assert [task.kind for task in read("- [ ] Verify that it opens\n- [ ] Verify: b\n")] == [
        "work",
        "work",
    ]


def test_a_check_within_a_task() -> None:
    """A task whose only box says what is to hold is work, with that as its criterion."""
    shop, check = read("- [ ] Sell things\n  - [ ] Verify that the shop opens\n")

    assert (shop.kind, shop.acceptance) == ("work", ("Verify that the shop opens",))
    assert check.kind == "check"


@pytest.mark.parametrize(
    ("label", "lines", "kind"),
    [
        ("Tests", ["Two phones can join the game", "All players see the night"], "check"),
        ("Tests", ["Unit tests of the shop", "All players see the night"], "work"),
        ("Tests", ["Write `shop_test.py` first", "All players see the night"], "work"),
        ("Tests", ["Prices", "Night mode"], "work"),
    ],
)
def test_lists_of_tests_beside_work(label: str, lines: list[str], kind: str) -> None:
    """They are checks if they say what holds, work if they name tests that are to be made."""
    boxes = "".join(f"- [ ] {line}\n" for line in lines)
    shop, *rest = read(f"## A\n\n**Features:**\n- [ ] Sell things\n\n**{label}:**\n{boxes}")

    assert shop.kind == "work"
    assert {task.kind for task in rest} == {kind}


@pytest.mark.parametrize("heading", ["Daily checklist", "Weekly checks"])
def test_lists_of_every_day_are_checks(heading: str) -> None:
    """What is gone through again and again is nothing to make."""
    tasks = read(f"- [ ] Sell things\n\n### {heading}\n\nBefore work:\n- [ ] I know what to do\n")

    assert [task.kind for task in tasks] == ["work", "check"]


@pytest.mark.parametrize(
    ("heading", "optional"),
    [("Backlog (pós-MVP)", True), ("Backlog (post-MVP)", True), ("Backlog", False),
     ("Phase 4 (post-MVP)", False)],
)  # fmt: skip
def test_a_backlog_for_after_the_first_version(heading: str, optional: bool) -> None:
    """It is not run unasked, but a phase after the MVP is."""
    (task,) = read(f"## {heading}\n\n- [ ] Sell things\n")

    assert task.marks.optional == optional


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("新規実装：完了条件と制約", "work"),
        ("验收标准和约束的编辑器", "work"),
        ("Login: success criteria and limits", "work"),
        ("ログイン：完了条件", "check"),
        ("完了条件チェックリスト", "check"),
        ("Login: acceptance criteria", "check"),
    ],
)
def test_criteria_within_the_name_of_a_feature(heading: str, kind: str) -> None:
    """Only at the end of a heading they say what the boxes below it are."""
    tasks = read(f"## Tasks\n- [ ] Write `a.py`\n\n## {heading}\n- [ ] Write `b.py`\n")

    assert tasks[-1].kind == kind
