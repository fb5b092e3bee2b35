"""What linters really print, as recorded from them, and what they print when they cannot work."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from runner.ports import CommandResult
from runner.verify import lint_output as lint
from runner.verify.lint_output import ToolFinding, UnreadableOutput

RUFF = [
    {
        "cell": None,
        "code": "F401",
        "end_location": {"column": 10, "row": 1},
        "filename": "/work/a.py",
        "fix": {"applicability": "safe", "edits": [], "message": "Remove unused import: `os`"},
        "location": {"column": 8, "row": 1},
        "message": "`os` imported but unused",
        "noqa_row": 1,
        "url": "https://docs.astral.sh/ruff/rules/unused-import",
    }
]
FLAKE8 = """\
a.py:7:16: F821 undefined name 'Counter'
a.py:12:1: F811 redefinition of unused 'f' from line 5
"""
MYPY = """\
svc/b.py:12: error: Name "f" already defined on line 5  [no-redef]
svc/b.py:13:12: error: Incompatible return value type (got "int", expected "str")  [return-value]
svc/b.py:13: note: See https://mypy.readthedocs.io
"""
PYRIGHT = {
    "version": "1.1.414",
    "generalDiagnostics": [
        {
            "file": "/work/a.py",
            "severity": "error",
            "message": '"Counter" is not defined',
            "range": {
                "start": {"line": 6, "character": 15},
                "end": {"line": 6, "character": 22},
            },
            "rule": "reportUndefinedVariable",
        },
        {
            "file": "/work/a.py",
            "severity": "warning",
            "message": "Import cycle",
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
            "rule": "reportImportCycles",
        },
    ],
    "summary": {"filesAnalyzed": 1, "errorCount": 1},
}
ESLINT = [
    {
        "filePath": "/work/src/a.js",
        "messages": [
            {
                "ruleId": "no-unused-vars",
                "severity": 2,
                "message": "'unused' is assigned a value but never used.",
                "line": 1,
                "column": 5,
                "nodeType": "Identifier",
            }
        ],
        "errorCount": 1,
    },
    {
        "filePath": "/work/src/b.ts",
        "messages": [
            {
                "ruleId": None,
                "fatal": False,
                "severity": 1,
                "message": "File ignored because no matching configuration was supplied.",
            }
        ],
    },
]
TSC = "src/b.ts(1,40): error TS2322: Type 'number' is not assignable to type 'string'.\n"
CLIPPY = [
    {
        "reason": "compiler-message",
        "message": {
            "level": "warning",
            "message": "unneeded `return` statement",
            "code": {"code": "clippy::needless_return", "explanation": None},
            "spans": [{"file_name": "src/lib.rs", "is_primary": True, "line_start": 2}],
        },
    },
    {"reason": "build-finished", "success": True},
]


def said(output: object, code: int = 0, error: str = "") -> CommandResult:
    """What a tool printed: text as it is, anything else as JSON."""
    text = output if isinstance(output, str) else json.dumps(output)
    return CommandResult(code, text.encode(), error.encode())


Reader = Callable[[CommandResult], Iterator[ToolFinding]]


@pytest.mark.parametrize(
    ("read", "result", "findings"),
    [
        (
            lint.read_ruff,
            said(RUFF, 1),
            [ToolFinding("/work/a.py", 1, "F401", "`os` imported but unused")],
        ),
        (
            lint.read_flake8,
            said(FLAKE8),
            [
                ToolFinding("a.py", 7, "F821", "undefined name 'Counter'"),
                ToolFinding("a.py", 12, "F811", "redefinition of unused 'f' from line 5"),
            ],
        ),
        (
            lint.read_mypy,
            said(MYPY, 1),
            [
                ToolFinding("svc/b.py", 12, "no-redef", 'Name "f" already defined on line 5'),
                ToolFinding(
                    "svc/b.py",
                    13,
                    "return-value",
                    'Incompatible return value type (got "int", expected "str")',
                ),
            ],
        ),
        (
            lint.read_pyright,
            said(PYRIGHT, 1),
            [ToolFinding("/work/a.py", 7, "reportUndefinedVariable", '"Counter" is not defined')],
        ),
        (
            lint.read_eslint,
            said(ESLINT, 1),
            [
                ToolFinding(
                    "/work/src/a.js",
                    1,
                    "no-unused-vars",
                    "'unused' is assigned a value but never used.",
                )
            ],
        ),
        (
            lint.read_tsc,
            said(TSC, 2),
            [
                ToolFinding(
                    "src/b.ts", 1, "TS2322", "Type 'number' is not assignable to type 'string'."
                )
            ],
        ),
        (
            lint.read_gofmt,
            said("a.go\n"),
            [ToolFinding("a.go", None, "gofmt", "the file is not formatted")],
        ),
        (
            lint.read_clippy,
            said("\n".join(map(json.dumps, CLIPPY))),
            [
                ToolFinding(
                    "src/lib.rs", 2, "clippy::needless_return", "unneeded `return` statement"
                )
            ],
        ),
    ],
    ids=["ruff", "flake8", "mypy", "pyright", "eslint", "tsc", "gofmt", "clippy"],
)
def test_findings_are_read(
    read: Reader, result: CommandResult, findings: list[ToolFinding]
) -> None:
    """Path, line, rule and message of each finding; what is no finding is left out."""
    assert list(read(result)) == findings


@pytest.mark.parametrize(
    ("read", "result", "why"),
    [
        (
            lint.read_ruff,
            said("", 2, "ruff failed\n  Cause: Failed to parse ruff.toml"),
            "ruff.toml",
        ),
        (lint.read_ruff, said("Oops", 1), "not readable"),
        (lint.read_flake8, said("", 2, "flake8: error: unrecognized arguments"), "unrecognized"),
        (lint.read_mypy, said("mypy: can't read file 'a.py'", 2), "can't read"),
        (lint.read_mypy, said("Traceback ...", 1), "Traceback"),
        (lint.read_pyright, said("No configuration file found.\n[]", 1), "not readable"),
        (lint.read_eslint, said("", 2, "Oops! Something went wrong! :("), "Oops"),
        (
            lint.read_tsc,
            said(f"{TSC}tsconfig.json(1,22): error TS5023: Unknown compiler option 'bogus'.\n", 1),
            "TS5023: Unknown compiler option",
        ),
        (lint.read_gofmt, said("", 2, "b.go:2:6: expected 'IDENT', found '{'"), "expected"),
        (lint.read_clippy, said("", 101, "error: could not find `Cargo.toml`"), "Cargo.toml"),
        (lint.read_eslint, said("[" * 100_000), "not readable"),
    ],
)
def test_a_tool_that_could_not_work_has_found_nothing(
    read: Reader, result: CommandResult, why: str
) -> None:
    """Its own trouble is told as such, and never as a finding."""
    with pytest.raises(UnreadableOutput, match=why):
        list(read(result))


@pytest.mark.parametrize(
    ("read", "output"),
    [
        (lint.read_ruff, [{"code": 7, "filename": None, "location": 3}, "text"]),
        (lint.read_pyright, {"generalDiagnostics": [{"severity": "error", "range": []}, 4]}),
        (lint.read_eslint, [{"messages": [{"ruleId": [], "line": "x"}, None]}, 5]),
        (lint.read_clippy, {"reason": "build-finished", "message": {"code": {}}}),
    ],
)
def test_strange_values_are_no_error(read: Reader, output: object) -> None:
    """Whatever is in the place of a value, a finding is text and a line number or none."""
    assert all(isinstance(f.path, str) and f.line is None for f in read(said(output)))
