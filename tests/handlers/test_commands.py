"""What a comment asks for."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handlers.grammar import (
    CancelCommand,
    Command,
    ExecuteCommand,
    HelpCommand,
    Misunderstood,
    ResumeCommand,
    StatusCommand,
)
from handlers.parsing import MOST_COMMANDS
from tests.handlers.conftest import parse

START = ExecuteCommand()

SPOKEN: dict[str, tuple[str, tuple[Command, ...]]] = {
    "alone": ("/execute", (START,)),
    "with a line break": ("/execute\n", (START,)),
    "after other text": ("Let us go.\n/execute", (START,)),
    "before other text": ("/execute\nThank you!", (START,)),
    "between paragraphs": ("Hello,\n\n/execute\n\nBye", (START,)),
    "in a bold paragraph": ("**now\n/execute\nplease**", (START,)),
    "windows line ends": ("Hello\r\n/execute --dry-run\r\n", (ExecuteCommand(dry_run=True),)),
    "after a closed fence": ("```\ncode\n```\n/execute", (START,)),
    "after a quote and a blank line": ("> said\n\n/execute", (START,)),
    "after an HTML comment": ("<!-- note -->\n\n/execute", (START,)),
    "two commands": ("/execute status\n/execute help", (StatusCommand(), HelpCommand())),
    "separated by a tab": ("/execute\t--dry-run", (ExecuteCommand(dry_run=True),)),
    "help": ("/execute help", (HelpCommand(),)),
    "status": ("/execute status", (StatusCommand(),)),
    "cancel": ("/execute cancel  ", (CancelCommand(),)),
    "resume": ("/execute resume", (ResumeCommand(),)),
    "a path": ("/execute docs/PLAN.md", (ExecuteCommand(path="docs/PLAN.md"),)),
    "a path with a dot before it": ("/execute ./help.md", (ExecuteCommand(path="help.md"),)),
    "a quoted path": ('/execute "my plan.md"', (ExecuteCommand(path="my plan.md"),)),
    "every option": (
        "/execute R.md --task T-1 --max-tasks 3 --model gpt-5 --dry-run",
        (ExecuteCommand(path="R.md", task="T-1", max_tasks=3, model="gpt-5", dry_run=True),),
    ),
    "options with an equals sign": ("/execute --max-tasks=7", (ExecuteCommand(max_tasks=7),)),
    "options before the path": ("/execute --task a R.md", (ExecuteCommand(path="R.md", task="a"),)),
    "above the copy of a mail": (
        "/execute status\n\nFrom: eve\n\n/execute\n\n— Reply to this email directly",
        (StatusCommand(),),
    ),
    "before a long log": ("/execute\n" + "log [line](x\n" * 5000, (START,)),
    "followed by a no-break space": ("/execute\u00a0status", (StatusCommand(),)),
    "a no-break space at its end": ("/execute\u00a0", (START,)),
    "behind a no-break space": ("\u00a0/execute", (START,)),
    "behind a zero-width space": ("Hi\n\u200b/execute status\u200b", (StatusCommand(),)),
    "behind a byte order mark": ("\ufeff/execute --task\u3000T-1", (ExecuteCommand(task="T-1"),)),
    "behind several of them": ("\u200e\u00a0 \u2060/execute\u202f\u200bhelp", (HelpCommand(),)),
    "leading zeros": ("/execute --max-tasks 007", (ExecuteCommand(max_tasks=7),)),
}

SILENT = {
    "nothing": "",
    "ordinary talk": "Please use /execute for that.",
    "in the middle of a line": "try /execute",
    "indented by one blank": " /execute",
    "a longer word": "/executed",
    "another command": "/exec",
    "upper case": "/EXECUTE",
    "quoted": "> /execute",
    "quoted with a no-break space": ">\u00a0/execute",
    "in a list item behind a zero-width space": "- item\n\u200b/execute",
    "indented code with a zero-width space": "Text\n\n    \u200b/execute",
    "after a combined letter": "/execute\u0301",
    "quoted lazily": "> you wrote\n/execute",
    "quoted with a line separator": "> \u2028/execute",
    "after a line separator": "hello\u2028/execute",
    "after a paragraph separator": "\u2029/execute",
    "after a form feed": "hello\x0c/execute",
    "after a lone carriage return": "> hello\r/execute",
    "fenced": "```\n/execute\n```",
    "fenced with tildes": "~~~sh\n/execute\n~~~",
    "in an open fence": "```\n/execute",
    "indented code": "Text\n\n    /execute",
    "indented by a tab": "\t/execute",
    "in a code span": "`/execute`",
    "in a code span of several lines": "`a\n/execute\nb`",
    "in an HTML comment": "<!--\n/execute\n-->",
    "in an HTML comment inside a paragraph": "text <!--\n/execute\n--> text",
    "in an HTML block": "<div>\n/execute\n</div>",
    "in an HTML attribute": 'a <b title="\n/execute\n"> c',
    "in a list item": "- /execute",
    "in a list item, lazily": "- item\n/execute",
    "in a heading": "# /execute",
    "in a link's text": "[a\n/execute\n](https://example.org)",
    "in an image's text": "![a\n/execute\n](https://example.org/i.png)",
    "in a reference's text": "[a\n/execute\n][r]\n\n[r]: https://example.org",
    "in the copy of a mail": "Thanks!\n\n-----Original Message-----\nFrom: eve\n\n/execute\n\n"
    "—\nReply to this email directly, view it on GitHub\n",
    "in the copy of a mail and nothing else": "\n\neve left a comment\n\n/execute\n\n—\n"
    "You are receiving this because you were mentioned.\n",
    "in a table": "| a |\n|---|\n/execute",
}

WRONG: dict[str, tuple[str, str, str]] = {
    "unknown subcommand": ("stauts", "stauts", "/execute status"),
    "subcommand in upper case": ("HELP", "HELP", "/execute help"),
    "nothing like it": ("xyzzy", "xyzzy", "/execute help"),
    "text after a subcommand": ("status now", "now", "/execute status"),
    "option of a subcommand that has none": ("cancel --force", "--force", "/execute cancel"),
    "unknown option": ("--max-task 3", "--max-task", "/execute --max-tasks"),
    "a dash of a phone": ("\u2014dry-run", "dry-run", "/execute --dry-run"),
    "missing value": ("--task", "--task", "--task ID"),
    "another option as value": ("--task --dry-run", "--task", "--task ID"),
    "empty value": ("--model=", "--model", "--model M"),
    "value for a flag": ("--dry-run=yes", "--dry-run", "--dry-run"),
    "given twice": ("--task a --task b", "twice", "/execute"),
    "not a number": ("--max-tasks many", "many", "--max-tasks 3"),
    "digits of another script": ("--max-tasks ٣", "number", "--max-tasks 3"),
    "negative": ("--max-tasks -1", "-1", "--max-tasks 3"),
    "zero": ("--max-tasks 0", "number", "--max-tasks 1"),
    "too large": ("--max-tasks 1001", "1000", "--max-tasks 1000"),
    "absurdly large": ("--max-tasks " + "9" * 1500, "1000", "--max-tasks 1000"),
    "text too long": ("--model " + "m" * 101, "longer than 100", "--model M"),
    "control character": ("--model 'a\x07b'", "control", "--model M"),
    "open quotation mark": ("--task 'a", "quotation", "/execute"),
    "line too long": ("--task " + "a " * 2000, "too long", "/execute"),
    "two paths": ("a.md b.md", "b.md", "/execute"),
    "path up": ("../a.md", "inside the repository", "/execute"),
    "path up on the way": ("a/../../b.md", "inside the repository", "/execute"),
    "absolute path": ("/etc/passwd.md", "inside the repository", "/execute"),
    "home": ("~/a.md", "inside the repository", "/execute"),
    "backslashes": (r"a\b.md", "inside the repository", "/execute"),
    "drive": ("c:/b.md", "inside the repository", "/execute"),
    "in the git folder": (".git/a.md", "inside the repository", "/execute"),
    "not Markdown": ("roadmap.txt", "Markdown", "/execute"),
    "a folder": ("./help", "Markdown", "/execute"),
    "a suffix alone": ("docs/.md", "Markdown", "/execute"),
    "path too long": ("a" * 300 + ".md", "too long", "/execute"),
}


@pytest.mark.parametrize(("body", "commands"), SPOKEN.values(), ids=SPOKEN)
def test_a_command_is_understood(body: str, commands: tuple[Command, ...]) -> None:
    """A command at the start of a line of a top-level paragraph is what it says."""
    assert parse(body) == commands


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_talk_about_a_command_is_no_command(body: str) -> None:
    """Quotes, code, HTML, lists and the like trigger nothing."""
    assert parse(body) == ()


@pytest.mark.parametrize(("words", "problem", "suggestion"), WRONG.values(), ids=WRONG)
def test_a_mistake_is_explained(words: str, problem: str, suggestion: str) -> None:
    """A mistake is a value that names it and says what to type."""
    [mistake] = parse(f"/execute {words}")

    assert isinstance(mistake, Misunderstood)
    assert problem in mistake.problem
    assert mistake.suggestion.startswith(suggestion)


def test_only_the_first_commands_count() -> None:
    """A comment full of commands costs no more than a few."""
    assert len(parse("/execute status\n" * 50)) == MOST_COMMANDS


# fmt: off
PIECES = [
    "/execute", "\n", "\r\n", "\r", " ", "help", "--task", "--max-tasks ", "9", "a.md", "'", '"',
    "`", "```", "> ", "- ", "#", "|", "<!--", "-->", "<b ", "[", "](x)", "**", "\\", "\u2028",
    "\x0c", "\u00a0", "\u200b", "\ufeff",
]
# fmt: on
COMMENTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=3)).map("".join)


@given(COMMENTS)
@example("/execute " + "\\")
def test_parsing_never_raises(body: str) -> None:
    """Any text is parsed."""
    assert len(parse(body)) <= MOST_COMMANDS


@given(COMMENTS)
@example("\u2028/execute")
def test_quoting_disarms(body: str) -> None:
    """A comment quoted with > triggers nothing."""
    quote = "\n".join(f"> {line}" for line in body.replace("\r\n", "\n").split("\n"))

    assert parse(quote) == ()


@given(COMMENTS)
def test_fencing_disarms(body: str) -> None:
    """A comment in a code fence triggers nothing."""
    fence = "`" * (max((len(run) for run in re.findall("`+", body)), default=0) + 3)

    assert parse(f"{fence}\n{body}\n{fence}") == ()


@given(COMMENTS)
def test_indenting_disarms(body: str) -> None:
    """A comment as indented code triggers nothing."""
    lines = body.replace("\r\n", "\n").split("\n")

    assert parse("\n".join("    " + line for line in lines)) == ()
