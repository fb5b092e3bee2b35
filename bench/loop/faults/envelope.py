"""The envelope layer: how an answer is written down, in the form asked for and ruined."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.model_server import Fault, Reply


@dataclass(frozen=True, slots=True)
class Written:
    """What an answer is to say: the whole of a file, in its language."""

    path: str
    code: str
    language: str


Envelope = Callable[[Written], Reply]


def block(written: Written, *, fence: str = "```") -> str:
    """The form that is asked for: the path on a line of its own, then a fenced block."""
    return f"{written.path}\n{fence}{written.language}\n{written.code.rstrip()}\n{fence}\n"


def _numbered(written: Written) -> Reply:
    lines = written.code.rstrip().split("\n")
    numbered = "\n".join(f"{number:>3} | {line}" for number, line in enumerate(lines, 1))
    return _plain(written, numbered)


def _marked(written: Written) -> Reply:
    return _plain(written, "\n".join("+" + line for line in written.code.rstrip().split("\n")))


def _plain(written: Written, code: str, path: str = "") -> Reply:
    return Reply(block(Written(path or written.path, code, written.language)))


def _wrapped(written: Written, code: str = "") -> str:
    return json.dumps(
        {"files": [{"path": written.path, "content": code or written.code}]}, indent=1
    )


def _double(written: Written) -> Reply:
    return Reply(_wrapped(written, written.code.replace("\\", "\\\\").replace("\n", "\\n")))


def _raw_newlines(written: Written) -> Reply:
    quoted = json.dumps(written.code)[1:-1].replace("\\n", "\n")
    path = json.dumps(written.path)
    return Reply(f'{{"files": [{{"path": {path}, "content": "{quoted}"}}]}}')


def _fenced(written: Written) -> Reply:
    inner = f"```{written.language}\n{written.code}```"
    return Reply(f"```json\n{_wrapped(written, inner)}\n```\n")


def _two_blocks(written: Written) -> Reply:
    return Reply(
        f"{block(written)}\nIt is used like this:\n\n```{written.language}\nprint('example')\n```\n"
    )


ENVELOPE: Mapping[str, Envelope] = {
    "fenced": _fenced,
    "prose_before": lambda written: Reply(
        f"Sure! This does what you asked for:\n\n{block(written)}"
    ),
    "prose_after": lambda written: Reply(
        f"{block(written)}\nThis goes through every case: (a) (b).\n"
    ),
    "two_blocks": _two_blocks,
    "unclosed_fence": lambda written: Reply(block(written).removesuffix("```\n")),
    "tilde_fence": lambda written: Reply(block(written, fence="~~~")),
    "think_block": lambda written: Reply(
        f"<think>\nWhat about ```{written.language}\npass\n```? No.\n</think>\n{block(written)}"
    ),
    "truncated": lambda written: Fault.truncated(block(written)),
    "crlf": lambda written: Reply("\ufeff" + block(written).replace("\n", "\r\n")),
    "html_entities": lambda written: _plain(written, html.escape(written.code)),
    "line_numbers": _numbered,
    "diff_marks": _marked,
    "double_escaped": _double,
    "json_trailing_comma": lambda written: Reply(_wrapped(written).replace("}\n ]", "},\n ]")),
    "json_single_quotes": lambda written: Reply(
        repr({"files": [{"path": written.path, "content": written.code}]})
    ),
    "json_raw_newlines": _raw_newlines,
    "json_bare": lambda written: Reply(
        json.dumps([{"path": written.path, "content": written.code}])
    ),
    "wrong_path": lambda written: _plain(written, written.code, path=f"./{written.path}"),
    "wrong_path_backslash": lambda written: _plain(
        written, written.code, path=written.path.replace("/", "\\")
    ),
    "wrong_path_absolute": lambda written: _plain(
        written, written.code, path=f"/workspace/{written.path}"
    ),
    "wrong_path_no_folder": lambda written: _plain(
        written, written.code, path=written.path.split("/")[-1]
    ),
    "wrong_path_other_folder": lambda written: _plain(
        written, written.code, path=f"project/{written.path}"
    ),
}

HARMLESS = ("prose_before", "prose_after", "two_blocks", "tilde_fence", "crlf", "unclosed_fence")
"""What the default mix damages right answers with: code puts these right."""

SAID_NOTHING: Mapping[str, Callable[[], Reply | Fault]] = {
    "http_429": Fault.http_429,
    "http_500": Fault.http_500,
    "http_503": Fault.http_503,
    "timeout": Fault.timeout,
    "reset": Fault.reset,
    "bad_json": Fault.bad_json,
    "no_choices": Fault.no_choices,
    "null_content": Fault.null_content,
    "empty_answer": Fault.empty_answer,
    "length_nothing": Fault.length_nothing,
    "refusal": Fault.refusal,
}
"""The transport layer."""
