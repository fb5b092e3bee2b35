"""OpenSpec: ``openspec/changes/NAME/tasks.md``, with proposal.md, design.md and specs/ beside it.

Its tool counts every box, in code and comments too, and a change is archived when all are ticked.
https://github.com/Fission-AI/OpenSpec
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from runner.roadmap.kinds import reading
from runner.roadmap.plans.form import PlanForm, named_commands_passed, read_again
from runner.roadmap.task import Kind, Roadmap, Task
from runner.text.patterns import lazy_pattern

_BOX = lazy_pattern(r"^(?P<lead>[ \t]*[-*])[ \t]*\[(?P<state>[ \txX])\][ \t]*(?=\S)", re.MULTILINE)
_HIDES = lazy_pattern(r"^[ \t]*(?:(?:`{3,}|~{3,})[^\n]*|<!--[ \t]*|-->[ \t]*)$", re.MULTILINE)
"""Lines that make code or a comment of others."""
_CHECKS = lazy_pattern(
    r"verif|validat|test|check|quality|review|\bqa\b|gate\b|criteria|definition of done"
    r"|验证|驗證|校验|测试|測試|检查|验收|检验|回归"
    r"|検証|テスト|確認|검증|테스트|prueba|verifica|prüf|провер|тест",
    re.IGNORECASE,
)
_RUNS = lazy_pattern(
    r"`|(?:re-?)?run\b|execute\b|manual|smoke|commit\b|push\b|archive\b|sync\b|ensure\b|review\b"
    r"|test\b|compile\b|type-?check|lint\b|build and\b"
    r"|运行|執行|执行|跑|手动|手動|人工|確認|确认|验证|提交|归档|実行",
    re.IGNORECASE,
)
_MANUAL = lazy_pattern(r"manual|smoke|手动|手動|人工|目視", re.IGNORECASE)
_OPTIONAL = lazy_pattern(r"[(\[]\s*optional\s*[)\]]", re.IGNORECASE)


def _shown(text: str) -> str:
    """Show every box as Markdown shows one, also what is in code and comments."""
    text = _HIDES.sub("", text)
    return _BOX.sub(lambda box: f"{box['lead']} [{box['state'].strip() or ' '}] ", text)


def _refined(found: Roadmap, lines: Sequence[str]) -> Roadmap:
    groups = reversed(dict.fromkeys(task.place.headings[:2] for task in found.tasks))
    last = set(takewhile(lambda path: path and _CHECKS.search(path[-1].text), groups))
    outer = {task.place.parent for task in found.tasks}
    numbered = any(task.id for task in found.tasks)

    def kind(task: Task) -> Kind:
        if task.key in outer:
            return "summary"
        there = task.place.headings[:2] in last
        return "check" if there and ((numbered and not task.id) or _is_check(task)) else "work"

    return read_again(
        found,
        (
            replace(
                task,
                kind=kind(task),
                marks=replace(task.marks, optional=bool(_OPTIONAL.match(task.title))),
            )
            for task in found.tasks
        ),
    )


def _is_check(task: Task) -> bool:
    """Whether a task of the last group makes nothing: it runs, looks at or states something."""
    says, runs = reading(task.title), _RUNS.match(task.title) or _MANUAL.search(task.title)
    return says != "makes" and bool(says or runs)


def _is_covered(task: Task, passed: Collection[str]) -> bool:
    """Whether a check names commands, and all of them passed; the others are a person's."""
    return "`" in task.text and named_commands_passed(task, passed)


def _living(path: str, own: Sequence[str]) -> Iterator[str]:
    """The specifications that hold now of what the change is about."""
    for each in own:
        if found := _DELTA.search(each):
            yield path.rpartition("/changes/")[0] + found[0]


_DELTA = lazy_pattern(r"/specs/[^/]+/spec\.md\Z")

OPENSPEC = PlanForm(
    name="OpenSpec",
    paths=lazy_pattern(r"(?P<root>(?:.*/)?)openspec/changes/(?:[^/]+/)+tasks\.md"),
    usual=("openspec/changes/*/tasks.md",),
    shown=_shown,
    refined=_refined,
    covers=_is_covered,
    order=(r"proposal\.md", r"design\.md", r"specs/.*"),
    living=_living,
    rules=r"openspec/(?:project\.md|config\.yaml)",
)
